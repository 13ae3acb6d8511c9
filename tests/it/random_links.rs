//! Random networks of links with a routing each: dragonflies, hyperx, fat trees, and graphs whose links differ in time and delay.

use crate::router_differential::one_of;
use flitwise::routing::graph::{Shortest, UpDown, Weight};
use flitwise::routing::{
    CopyBy, DragonflyMinimal, DragonflyUgal, DragonflyValiant, FatTreePaths, HyperXAdaptive, HyperXDetours,
    HyperXO1turn, HyperXPaths, HyperXUgal, HyperXValiant, LinkNetwork, LinkPorts, LinkRelation, LinkRouting, ModK,
    NearestCommonAncestor, Network, Routing, UpBy,
};
use flitwise::topology::{
    Attachment, Dragonfly, DragonflySize, FatTree, Graph, HyperXLinks, Joint, LinkCost, Linked, Links, Ports, Stage,
};
use flitwise::units::RouterId;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// Links, and how packets find their way over them.
pub(crate) struct Routed {
    pub(crate) links: Arc<dyn Links>,
    pub(crate) routing: Arc<dyn LinkRouting>,
    /// The paths, where there is one between two nodes.
    paths: Option<Arc<dyn LinkRouting>>,
    pub(crate) what: String,
}

impl Routed {
    /// Any of them; links take so many times `flit_time` ticks.
    pub(crate) fn draw(random: &mut Pcg64, flit_time: u64) -> Self {
        match random.random_range(0..5) {
            0 => dragonfly(random),
            1 => hyperx(random),
            2 => fat_tree(random),
            _ => graph(random, flit_time),
        }
    }

    /// Its routers, with so many virtual channels a link.
    pub(crate) fn routes(&self, flit_time: u64, vcs: u16) -> Arc<dyn Routing> {
        let ports = LinkPorts::new(Arc::clone(&self.links), flit_time).unwrap();
        Arc::new(LinkRelation::new(Arc::new(ports), Arc::clone(&self.routing), vcs))
    }

    /// The same as a network whose messages keep to one path, with at most so many virtual channels a link; none where there
    /// are several.
    pub(crate) fn network(&self, ports: Ports, vcs: u16) -> Option<Box<dyn Network>> {
        let paths = self.paths.clone()?;
        let vcs = usize::from(vcs.min(paths.classes().into()));
        let channels = Linked::new(Arc::clone(&self.links), vcs, ports, || self.what.clone()).unwrap();
        Some(Box::new(LinkNetwork::new(channels, paths)))
    }
}

fn one_path(links: Arc<dyn Links>, paths: Arc<dyn LinkRouting>, what: String) -> Routed {
    Routed { links, routing: Arc::clone(&paths), paths: Some(paths), what }
}

fn dragonfly(random: &mut Pcg64) -> Routed {
    let (routers, global, groups) = one_of(random, &[(2, 1, 3), (3, 1, 4), (2, 2, 5), (4, 1, 3)]);
    let size = DragonflySize { nodes: random.random_range(1..3), routers, global, groups };
    let links = Arc::new(Dragonfly::new(size, || "a dragonfly".to_owned()).unwrap());
    let copy = one_of(random, &[CopyBy::Destination, CopyBy::Source]);
    let valiant = DragonflyValiant::new(Arc::clone(&links), copy);
    let what = format!("{size:?}");
    match random.random_range(0..3) {
        0 => one_path(Arc::clone(&links) as _, Arc::new(DragonflyMinimal::new(links, copy)), what),
        1 => Routed { links, routing: Arc::new(valiant), paths: None, what: format!("{what} valiant") },
        _ => {
            let threshold = random.random_range(0..4);
            let routing = Arc::new(DragonflyUgal::new(valiant, threshold));
            Routed { links, routing, paths: None, what: format!("{what} ugal {threshold}") }
        }
    }
}

fn hyperx(random: &mut Pcg64) -> Routed {
    let shape = one_of(random, &[[3, 3], [4, 2], [2, 5]]);
    let parallel = one_of(random, &[[1, 1], [2, 1]]);
    let links = Arc::new(HyperXLinks::new(&shape, &parallel, random.random_range(1..4)).unwrap());
    let what = format!("hyperx {shape:?} {parallel:?}");
    let own = Arc::clone(&links);
    let (routing, name): (Arc<dyn LinkRouting>, &str) = match random.random_range(0..5) {
        0 => return one_path(links, Arc::new(HyperXPaths::new(own)), what),
        1 => (Arc::new(HyperXAdaptive::new(own)), "adaptive"),
        2 => (Arc::new(HyperXO1turn::new(own)), "o1turn"),
        3 => (Arc::new(HyperXValiant::new(own)), "valiant"),
        _ => (Arc::new(HyperXUgal::new(HyperXDetours::new(own), random.random_range(0..4))), "ugal"),
    };
    Routed { links, routing, paths: None, what: format!("{what} {name}") }
}

fn fat_tree(random: &mut Pcg64) -> Routed {
    let stage = |&(children, parents): &(usize, usize)| Stage { children, parents };
    let stages: Vec<Stage> =
        one_of(random, &[[(2, 1), (2, 2), (2, 2)], [(3, 1), (2, 2), (2, 1)], [(2, 1), (2, 3), (1, 2)]])
            .iter()
            .map(stage)
            .collect();
    let links = Arc::new(FatTree::new(&stages, || "a tree".to_owned()).unwrap());
    let what = format!("fat tree {stages:?}");
    let own = Arc::clone(&links);
    match random.random_range(0..4) {
        0 => one_path(links, Arc::new(FatTreePaths::new(own, ModK::Destination)), what),
        1 => one_path(links, Arc::new(FatTreePaths::new(own, ModK::Source)), what),
        by => {
            let by = if by == 2 { UpBy::Drawing } else { UpBy::Load };
            Routed {
                links,
                routing: Arc::new(NearestCommonAncestor::new(own, by)),
                paths: None,
                what: format!("{what} {by:?}"),
            }
        }
    }
}

/// A ring of routers with chords, both ways; nodes anywhere.
fn graph(random: &mut Pcg64, flit_time: u64) -> Routed {
    let routers = random.random_range(2..8_u32);
    let even = random.random_bool(0.3);
    let cost = |random: &mut Pcg64| match even {
        true => LinkCost::without_delay(flit_time),
        false => {
            let times = random.random_range(1..4);
            LinkCost::new(flit_time * times, flit_time * random.random_range(0..6))
        }
    };
    let chords = random.random_range(0..routers);
    let chord = |random: &mut Pcg64| (random.random_range(0..routers), random.random_range(0..routers));
    let mut pairs: Vec<(u32, u32)> = (0..routers).map(|at| (at, (at + 1) % routers)).collect();
    pairs.extend((0..chords).map(|_| chord(random)).filter(|(from, to)| from != to));
    let mut links = Vec::new();
    for (from, to) in pairs {
        for (from, to) in [(from, to), (to, from)] {
            links.push(Joint { from: RouterId(from), to: RouterId(to), cost: cost(random) });
        }
    }
    let nodes = (0..random.random_range(2..10))
        .map(|_| Attachment { router: RouterId(random.random_range(0..routers)), cost: cost(random) });
    let nodes: Vec<Attachment> = nodes.collect();
    let graph = Arc::new(Graph::new(routers as usize, nodes, links));
    let root = random.random_range(0..routers).into();
    let own = Arc::clone(&graph);
    let paths: Arc<dyn LinkRouting> = match random.random_range(0..3) {
        0 => Arc::new(UpDown::new(own, root).unwrap()),
        1 => Arc::new(Shortest::new(own, Weight::Latency).unwrap()),
        _ => Arc::new(Shortest::new(own, Weight::Links).unwrap().by_hops().unwrap()),
    };
    let what = format!("{graph:?} {} classes", paths.classes());
    one_path(graph, paths, what)
}
