//! Where the nodes and routers of a network stand on a page, and what they are called.
//!
//! *Vertices* are the nodes, and behind them the routers that are not the only node's own. Lattices stand as they are: the first
//! dimension down, the last across, more than two as slices side by side; hypercubes as the grid of the Gray-coded halves of
//! their addresses; trees by levels; small graphs so that links are about as long as each other, large ones by distance from a
//! centre.

use crate::machine::Machine;
use crate::network::NetworkSpec;
use crate::network::layout::{Arrangement, Layout, Place};
use crate::topology::{Links, bracketed};
use crate::units::{LinkId, NodeId, RouterId, narrow};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// A node, and its router.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeEnds {
    pub(super) vertex: u32,
    pub(super) router: u32,
}

/// The vertices that a link joins.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkEnds {
    pub(super) from: u32,
    pub(super) to: u32,
}

/// Where vertices stand, and which of them channels join, by name.
pub(super) struct Places {
    /// What the places show: `mesh`, `torus`, `hypercube`, `bmin`, or `graph`.
    pub(super) kind: &'static str,
    /// How many nodes there are along each dimension.
    pub(super) shape: Vec<u32>,
    /// How many vertices are nodes.
    pub(super) nodes: usize,
    /// By vertex.
    pub(super) places: Vec<Place>,
    /// By vertex.
    pub(super) names: Vec<String>,
    /// By node the slice that it is in, where there are several.
    pub(super) slices: Option<Vec<u32>>,
    nodes_by_name: FxHashMap<String, NodeEnds>,
    links: LinkNames,
}

/// Which vertices links join, by name.
enum LinkNames {
    /// The names of their routers tell.
    Ends {
        routers: FxHashMap<String, u32>,
        /// The vertices that links join.
        joined: FxHashSet<[u32; 2]>,
    },
    /// Each has a name of its own.
    Own(FxHashMap<String, LinkEnds>),
}

impl Places {
    /// Those of `machine`; none without a network, or one whose links are not known.
    pub(super) fn new(machine: &Machine) -> Option<Self> {
        let spec = machine.spec()?;
        // a network that cannot be numbered has not been built
        let links = spec.links().ok()?;
        if machine.routers.is_none() && spec.title().ends_with(" bmin") {
            return bmin(machine, spec);
        }
        let mut places = Self::from_links(spec, &links);
        // as channels call them
        let nodes = (0..places.nodes).map(NodeId::new);
        places.names.iter_mut().zip(nodes).for_each(|(name, node)| *name = machine.name_of_node(node));
        Some(places)
    }

    fn from_links(spec: &dyn NetworkSpec, links: &Arc<dyn Links>) -> Self {
        let is_direct = links.nodes() == links.routers() && links.most_nodes() == 1;
        // of networks with coordinates the routers stand at theirs, where each has a node
        let shape = spec.router_shape().filter(|_| is_direct);
        // but those of a dimension in which each is joined to each
        let shape = shape.filter(|shape| shape.len() > 1 || links.count() <= 2 * links.routers());
        let ground = match &shape {
            Some(shape) => on_lattice(shape, spec.is_hypercube()),
            None => free(spec, links.as_ref()),
        };
        let kind = match &shape {
            _ if spec.is_hypercube() => "hypercube",
            Some(_) if spec.virtual_channels() > 1 => "torus",
            Some(_) => "mesh",
            None => "graph",
        };
        let names = Names { links: links.as_ref(), vertices: &ground.routers };
        let mut places = Self {
            kind,
            shape: spec.shape(),
            nodes: links.nodes(),
            names: names.of_vertices(ground.places.len()),
            nodes_by_name: names.nodes(),
            links: names.links(),
            places: ground.places,
            slices: ground.slices,
        };
        // names of links of networks side by side say which network once, not for both routers
        if links.count() > 0 && places.link(&links.link_name(LinkId::new(0))).is_none() {
            places.links = names.own_links();
        }
        places
    }

    /// The node called `name`.
    pub(super) fn node(&self, name: &str) -> Option<NodeEnds> {
        self.nodes_by_name.get(bare(name)).copied()
    }

    /// The link called `name`.
    pub(super) fn link(&self, name: &str) -> Option<LinkEnds> {
        match &self.links {
            LinkNames::Own(links) => links.get(name).copied(),
            LinkNames::Ends { routers, joined } => {
                let (from, to) = without_number(name, " #").split_once("->")?;
                let from = *routers.get(&bracketed(from))?;
                let to = *routers.get(&bracketed(to))?;
                // numbers of channels that are none have names that lead nowhere
                joined.contains(&[from, to]).then_some(LinkEnds { from, to })
            }
        }
    }
}

/// The names of a network whose routers are vertices.
struct Names<'a> {
    links: &'a dyn Links,
    /// By router.
    vertices: &'a [u32],
}

impl Names<'_> {
    fn vertex(&self, router: RouterId) -> u32 {
        self.vertices[router.index()]
    }

    fn routers(&self) -> impl Iterator<Item = RouterId> + use<> {
        (0..self.links.routers()).map(RouterId::new)
    }

    /// What each of so many vertices is called, if it is a router.
    fn of_vertices(&self, count: usize) -> Vec<String> {
        let mut names = vec![String::new(); count];
        for router in self.routers() {
            names[self.vertex(router) as usize] = self.links.router_name(router);
        }
        names
    }

    /// Nodes by all that engines and networks call them.
    fn nodes(&self) -> FxHashMap<String, NodeEnds> {
        let named = (0..self.links.nodes()).flat_map(|at| {
            let node = NodeId::new(at);
            let ends = NodeEnds { vertex: node.0, router: self.vertex(self.links.router_of(node)) };
            [node.to_string(), bare(&self.links.node_name(node)).to_owned()].map(|name| (name, ends))
        });
        named.collect()
    }

    /// Links by the names of their routers, which are numbers or coordinates.
    fn links(&self) -> LinkNames {
        let routers = self.routers().flat_map(|router| {
            [router.to_string(), self.links.router_name(router)].map(|name| (bracketed(&name), self.vertex(router)))
        });
        let joined = (0..self.links.count()).map(|link| {
            let (from, to) = self.links.ends(LinkId::new(link));
            [self.vertex(from), self.vertex(to)]
        });
        LinkNames::Ends { routers: routers.collect(), joined: joined.collect() }
    }

    /// Links by names of their own.
    fn own_links(&self) -> LinkNames {
        let named = (0..self.links.count()).map(LinkId::new).map(|link| {
            let (from, to) = self.links.ends(link);
            (self.links.link_name(link), LinkEnds { from: self.vertex(from), to: self.vertex(to) })
        });
        LinkNames::Own(named.collect())
    }
}

/// `name` without a number behind `word` at its end.
pub(super) fn without_number<'n>(name: &'n str, word: &str) -> &'n str {
    name.rfind(word).map_or(name, |at| &name[..at])
}

/// The name of a node without the `n` that some engines put before a number.
fn bare(name: &str) -> &str {
    name.strip_prefix('n').unwrap_or(name)
}

/// Vertices on a page.
struct GroundPlan {
    places: Vec<Place>,
    /// By router its vertex.
    routers: Vec<u32>,
    slices: Option<Vec<u32>>,
}

/// A vertex for each node, which is a router, too.
fn on_lattice(shape: &[u32], is_hypercube: bool) -> GroundPlan {
    let sides: Vec<usize> = shape.iter().map(|&side| side as usize).collect();
    let nodes: usize = sides.iter().product();
    let routers = (0..nodes).map(vertex).collect();
    if is_hypercube {
        let places = (0..nodes).map(|node| on_cube(node, sides.len())).collect();
        return GroundPlan { places, routers, slices: None };
    }
    let across = sides.last().copied().unwrap_or(1);
    let down = if sides.len() > 1 { sides[sides.len() - 2] } else { 1 };
    let slice = across * down;
    let place = |node: usize| Place {
        x: (node % across + node / slice * (across + 1)) as f64,
        y: (node % slice / across) as f64,
    };
    let slices = (nodes > slice).then(|| (0..nodes).map(|node| vertex(node / slice)).collect());
    GroundPlan { places: (0..nodes).map(place).collect(), routers, slices }
}

/// A node of a hypercube: the lower half of its address counts across, the upper one down, each in Gray code.
fn on_cube(node: usize, dimensions: usize) -> Place {
    let low = dimensions.div_ceil(2);
    let across = node & ((1 << low) - 1);
    Place { x: gray_rank(across) as f64, y: gray_rank(node >> low) as f64 }
}

/// Which word of the Gray code `word` is.
fn gray_rank(word: usize) -> usize {
    let mut rank = word;
    let mut rest = word >> 1;
    while rest > 0 {
        rank ^= rest;
        rest >>= 1;
    }
    rank
}

fn vertex(at: usize) -> u32 {
    narrow(at, "vertices are numbered with 32 bits")
}

/// Any other network.
fn free(spec: &dyn NetworkSpec, links: &dyn Links) -> GroundPlan {
    match Layout::new(spec) {
        Some(layout) => from_layout(&layout, links),
        None => by_distance(links, spec.arrangement()),
    }
}

/// As `layout` has them, whose vertices are routers first.
fn from_layout(layout: &Layout, links: &dyn Links) -> GroundPlan {
    let nodes = links.nodes();
    let mut places: Vec<Place> =
        (0..nodes).map(|node| layout.places[layout.vertex(NodeId::new(node)) as usize]).collect();
    let mut routers = vec![None; links.routers()];
    if !layout.has_nodes {
        (0..nodes).for_each(|node| routers[links.router_of(NodeId::new(node)).index()] = Some(vertex(node)));
    }
    let routers = routers.into_iter().enumerate().map(|(router, of_node)| {
        of_node.unwrap_or_else(|| {
            places.push(layout.places[router]);
            vertex(places.len() - 1)
        })
    });
    let routers = routers.collect();
    GroundPlan { places, routers, slices: None }
}

/// Routers in rows by their distance: of trees from the nodes, else from a router in the middle. Nodes stand below all of
/// them, in the order of their routers.
fn by_distance(links: &dyn Links, arrangement: Arrangement) -> GroundPlan {
    let nodes = links.nodes();
    let of_nodes = || (0..nodes).map(|node| links.router_of(NodeId::new(node)).index());
    let distances = match arrangement {
        Arrangement::Levels => distances(links, &of_nodes().collect::<Vec<_>>()),
        _ => distances(links, &[middle(links)]),
    };
    let rows = distances.iter().max().map_or(1, |&far| far + 1);
    let mut in_row = vec![0_usize; rows];
    distances.iter().for_each(|&row| in_row[row] += 1);
    let width = in_row.iter().copied().max().unwrap_or(1).max(nodes);
    let mut next = vec![0_usize; rows];
    let mut places: Vec<Place> = (0..nodes).map(|node| Place { x: node as f64, y: (rows + 1) as f64 }).collect();
    for &row in &distances {
        let x = (next[row] as f64 + 0.5) * width as f64 / in_row[row] as f64 - 0.5;
        next[row] += 1;
        let y = if arrangement == Arrangement::Levels { rows - row } else { row };
        places.push(Place { x, y: y as f64 });
    }
    GroundPlan { places, routers: (nodes..nodes + distances.len()).map(vertex).collect(), slices: None }
}

/// The links from the nearest of `sources` to each router; one more than the largest of all where none leads.
fn distances(links: &dyn Links, sources: &[usize]) -> Vec<usize> {
    let mut found: Vec<Option<usize>> = vec![None; links.routers()];
    let mut queue: VecDeque<usize> = sources.iter().copied().collect();
    sources.iter().for_each(|&source| found[source] = Some(0));
    while let Some(at) = queue.pop_front() {
        let far = found[at].map_or(0, |distance| distance + 1);
        for link in links.leaving(RouterId::new(at)) {
            let next = links.ends(link).1.index();
            if found[next].is_none() {
                found[next] = Some(far);
                queue.push_back(next);
            }
        }
    }
    let beyond = found.iter().flatten().max().map_or(0, |far| far + 1);
    found.into_iter().map(|distance| distance.unwrap_or(beyond)).collect()
}

/// A router about half way between two that are far from each other.
fn middle(links: &dyn Links) -> usize {
    let farthest = |distances: &[usize]| {
        let far = distances.iter().max().copied().unwrap_or(0);
        distances.iter().position(|&distance| distance == far).unwrap_or(0)
    };
    let one = farthest(&distances(links, &[0]));
    let from_one = distances(links, &[one]);
    let other = farthest(&from_one);
    let half = from_one[other] / 2;
    let from_other = distances(links, &[other]);
    let between =
        |&router: &usize| from_one[router] == half && from_one[router] + from_other[router] <= from_one[other] + 1;
    (0..links.routers()).find(between).unwrap_or(0)
}

/// A tree of switches whose channels are known by labels: a channel up from level `l` joins the switch that has its label
/// without digit `l` to the one of the next level that has it without digit `l + 1`.
fn bmin(machine: &Machine, spec: &dyn NetworkSpec) -> Option<Places> {
    let nodes = machine.nodes()?;
    let tree = Tree::new(nodes, usize::try_from(spec.longest_path()).ok()?)?;
    let mut places: Vec<Place> = (0..nodes).map(|leaf| Place { x: leaf as f64, y: tree.levels as f64 }).collect();
    let mut names: Vec<String> = (0..nodes).map(|leaf| leaf.to_string()).collect();
    for level in 0..tree.levels {
        for switch in 0..tree.switches() {
            let x = (switch as f64 + 0.5) * tree.radix as f64 - 0.5;
            places.push(Place { x, y: (tree.levels - 1 - level) as f64 });
            names.push(format!("switch {switch} of level {level}"));
        }
    }
    let mut links_by_name = FxHashMap::default();
    for level in 0..tree.levels - 1 {
        for label in 0..nodes {
            let below = tree.switch(level, label);
            let above = tree.switch(level + 1, label);
            links_by_name
                .insert(format!("up {level}->{} label {label}", level + 1), LinkEnds { from: below, to: above });
            links_by_name
                .insert(format!("down {}->{level} label {label}", level + 1), LinkEnds { from: above, to: below });
        }
    }
    let leaf = |leaf: usize| (leaf.to_string(), NodeEnds { vertex: vertex(leaf), router: tree.switch(0, leaf) });
    Some(Places {
        kind: "bmin",
        shape: vec![vertex(tree.radix); tree.levels],
        nodes,
        places,
        names,
        slices: None,
        nodes_by_name: (0..nodes).map(leaf).collect(),
        links: LinkNames::Own(links_by_name),
    })
}

/// The switches of a tree whose leaves are its nodes.
struct Tree {
    nodes: usize,
    radix: usize,
    levels: usize,
}

impl Tree {
    /// With so many leaves and `longest` channels on the longest path, which goes to the top and back.
    fn new(nodes: usize, longest: usize) -> Option<Self> {
        let levels = longest / 2;
        let radix =
            (2..=nodes).find(|radix| radix.checked_pow(vertex(levels)).is_some_and(|leaves| leaves == nodes))?;
        Some(Self { nodes, radix, levels })
    }

    /// How many switches a level has.
    fn switches(&self) -> usize {
        self.nodes / self.radix
    }

    /// The vertex of the switch at `level` that channels with `label` lead to.
    fn switch(&self, level: usize, label: usize) -> u32 {
        let power = self.radix.pow(vertex(level));
        let without = label / (power * self.radix) * power + label % power;
        vertex(self.nodes + level * self.switches() + without)
    }
}
