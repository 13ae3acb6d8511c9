//! Routers, nodes and links from a list: a network of any shape.
//!
//! Links have the numbers of their places in the list. Two routers may be joined by several; a router may have several
//! nodes or none. Where the list comes from, and whether every node can reach every other, is not known here.

use super::{LinkCost, Links, OwnCosts, Part};
use crate::units::{LinkId, NodeId, RouterId, narrow};
use std::sync::OnceLock;

/// Where a node hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its router.
    pub router: RouterId,
    /// What its injection and ejection take.
    pub cost: LinkCost,
}

/// A directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// The router that it leaves.
    pub from: RouterId,
    /// The router that it leads to.
    pub to: RouterId,
    /// What it takes.
    pub cost: LinkCost,
}

/// The class of links without a stated class.
pub const LINK_CLASS: &str = "link";

/// A network of any shape. 52 bytes a link, 40 a node, 8 a router.
///
/// ```
/// use flitwise::topology::{Attachment, Graph, Joint, LinkCost, Links};
/// use flitwise::units::{LinkId, RouterId};
///
/// // two routers with a node each, and two links from the first to the second
/// let cost = LinkCost::without_delay(1);
/// let nodes = [0, 1].map(|router| Attachment { router: RouterId(router), cost });
/// let links = [(0, 1), (1, 0), (0, 1)].map(|(from, to)| Joint { from: RouterId(from), to: RouterId(to), cost });
/// let graph = Graph::new(2, nodes.to_vec(), links.to_vec());
/// assert_eq!(graph.leaving(RouterId(0)).collect::<Vec<_>>(), [LinkId(0), LinkId(2)]);
/// assert_eq!(graph.link_name(LinkId(2)), "(0)->(1) #1");
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Attachment>,
    links: Vec<Joint>,
    /// The names of the classes of links.
    classes: Vec<String>,
    /// The index of the class of each link.
    class_of: Vec<u32>,
    leaving: Incidence,
    arriving: Incidence,
    /// Per router its place in [`Self::walk`], once it has been asked for.
    walk: OnceLock<Vec<u32>>,
}

/// Links by router: those of each in the order of their numbers.
#[derive(Clone, Debug)]
struct Incidence {
    /// Per router where its links begin, and where those of the last end.
    starts: Vec<u32>,
    links: Vec<LinkId>,
}

impl Incidence {
    /// Those of `links` that `exist`, by their `router`.
    fn new(
        routers: usize,
        links: &[Joint],
        exists: impl Fn(&Joint) -> bool,
        router: impl Fn(&Joint) -> RouterId,
    ) -> Self {
        let mut starts = vec![0_u32; routers + 1];
        for link in links.iter().filter(|link| exists(link)) {
            starts[router(link).index() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![LinkId(0); starts[routers] as usize];
        for (number, link) in links.iter().enumerate().filter(|(_, link)| exists(link)) {
            let at = &mut next[router(link).index()];
            sorted[*at as usize] = LinkId::new(number);
            *at += 1;
        }
        Self { starts, links: sorted }
    }

    fn at(&self, router: RouterId) -> &[LinkId] {
        let start = self.starts[router.index()] as usize;
        let end = self.starts[router.index() + 1] as usize;
        &self.links[start..end]
    }
}

impl Graph {
    /// The network of so many `routers` with these `nodes` and `links`, numbered by their places.
    ///
    /// # Panics
    /// If a node or a link names a router that there is not, or there are more links than 32 bits number.
    pub fn new(routers: usize, nodes: Vec<Attachment>, links: Vec<Joint>) -> Self {
        Self::with_links_that(routers, nodes, links, |_| true)
    }

    /// The network of [`Self::new`], in which only the links that `exist` leave and reach routers. The others keep their numbers.
    pub(super) fn with_links_that(
        routers: usize,
        nodes: Vec<Attachment>,
        links: Vec<Joint>,
        exist: impl Fn(&Joint) -> bool,
    ) -> Self {
        let leaving = Incidence::new(routers, &links, &exist, |link| link.from);
        let arriving = Incidence::new(routers, &links, &exist, |link| link.to);
        assert!(nodes.iter().all(|node| node.router.index() < routers), "nodes are attached to existing routers");
        let class_of = vec![0; links.len()];
        let classes = vec![LINK_CLASS.to_owned()];
        Self { nodes, links, classes, class_of, leaving, arriving, walk: OnceLock::new() }
    }

    /// Sets the names of the classes of links, and the index of the class of each link.
    ///
    /// # Panics
    /// Panics if a link has no class.
    #[must_use]
    pub fn with_classes(self, classes: Vec<String>, class_of: Vec<u32>) -> Self {
        assert_eq!(class_of.len(), self.links.len(), "each link has a class");
        assert!(class_of.iter().all(|&class| (class as usize) < classes.len()), "classes have names");
        Self { classes, class_of, ..self }
    }

    /// The routers, nodes and links of any network, with the same numbers. Those without a cost of their own take `cost`.
    ///
    /// ```
    /// use flitwise::topology::{Coordinates, Graph, LatticeLinks, LinkCost, Links};
    /// let mesh = LatticeLinks::new(Coordinates::mesh(&[3, 4]));
    /// let graph = Graph::from_links(&mesh, LinkCost::without_delay(2));
    /// assert_eq!((graph.routers(), graph.count()), (12, 34));
    /// ```
    pub fn from_links(links: &dyn Links, cost: LinkCost) -> Self {
        let node = |node| Attachment { router: links.router_of(node), cost: links.node_cost(node).unwrap_or(cost) };
        let joint = |link| {
            let (from, to) = links.ends(link);
            Joint { from, to, cost: links.cost(link).unwrap_or(cost) }
        };
        let nodes = (0..links.nodes()).map(NodeId::new).map(node).collect();
        let numbers = || (0..links.count()).map(LinkId::new);
        let class = |link| narrow(links.class(link), "a class has links, which are numbered with 32 bits");
        let graph = Self::new(links.routers(), nodes, numbers().map(joint).collect());
        graph.with_classes(links.classes(), numbers().map(class).collect())
    }

    /// The links that leave `router`, by number.
    pub fn links_from(&self, router: RouterId) -> &[LinkId] {
        self.leaving.at(router)
    }

    /// The links that lead to `router`, by number.
    pub fn links_to(&self, router: RouterId) -> &[LinkId] {
        self.arriving.at(router)
    }

    /// What `link` joins and takes.
    pub fn link(&self, link: LinkId) -> Joint {
        self.links[link.index()]
    }

    /// Where `node` hangs, and what its injection and ejection take.
    pub fn node(&self, node: NodeId) -> Attachment {
        self.nodes[node.index()]
    }

    /// The first node of every router that has one.
    pub fn first_nodes(&self) -> Vec<NodeId> {
        let mut has_one = vec![false; self.routers()];
        let is_first = |node: &NodeId| !std::mem::replace(&mut has_one[self.node(*node).router.index()], true);
        (0..self.nodes.len()).map(NodeId::new).filter(is_first).collect()
    }

    /// Per router whether nodes hang on it.
    pub fn routers_with_nodes(&self) -> Vec<bool> {
        let mut has_nodes = vec![false; self.routers()];
        self.nodes.iter().for_each(|node| has_nodes[node.router.index()] = true);
        has_nodes
    }
}

impl Graph {
    /// Per router its place in a depth-first walk from router 0 along the links in the order of their numbers: routers that
    /// stand together there are few links apart, mostly.
    ///
    /// ```
    /// use flitwise::topology::{Graph, Joint, LinkCost};
    /// use flitwise::units::RouterId;
    ///
    /// // router 0 between 3 and 1, and 2 behind 3
    /// let cost = LinkCost::without_delay(1);
    /// let pairs = [(0, 3), (0, 1), (3, 0), (3, 2), (1, 0), (2, 3)];
    /// let links = pairs.map(|(from, to)| Joint { from: RouterId(from), to: RouterId(to), cost });
    /// let graph = Graph::new(4, Vec::new(), links.to_vec());
    /// assert_eq!(graph.walk(), [0, 3, 2, 1]);
    /// ```
    pub fn walk(&self) -> &[u32] {
        self.walk.get_or_init(|| {
            const AHEAD: u32 = u32::MAX;
            let mut places = vec![AHEAD; self.routers()];
            let mut next = 0;
            for start in (0..self.routers()).map(RouterId::new) {
                let mut ahead = vec![start];
                while let Some(at) = ahead.pop() {
                    if places[at.index()] != AHEAD {
                        continue;
                    }
                    places[at.index()] = next;
                    next += 1;
                    ahead.extend(self.links_from(at).iter().rev().map(|&link| self.link(link).to));
                }
            }
            places
        })
    }

    /// The place of `node` in that walk, those of a router by their numbers.
    pub fn walk_rank(&self, node: NodeId) -> u64 {
        let place = self.walk()[self.node(node).router.index()];
        u64::from(place) << 32 | u64::from(node.0)
    }
}

impl Links for Graph {
    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn routers(&self) -> usize {
        self.leaving.starts.len() - 1
    }

    fn count(&self) -> usize {
        self.links.len()
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        self.nodes[node.index()].router
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let Joint { from, to, .. } = self.links[link.index()];
        (from, to)
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        Box::new(self.links_from(router).iter().copied())
    }

    fn most_arriving(&self) -> usize {
        (0..self.routers()).map(|router| self.links_to(RouterId::new(router)).len()).max().unwrap_or_default()
    }

    fn most_nodes(&self) -> usize {
        let mut nodes = vec![0_usize; self.routers()];
        self.nodes.iter().for_each(|node| nodes[node.router.index()] += 1);
        nodes.into_iter().max().unwrap_or_default()
    }

    fn classes(&self) -> Vec<String> {
        self.classes.clone()
    }

    fn class(&self, link: LinkId) -> usize {
        self.class_of[link.index()] as usize
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        Some(self.links[link.index()].cost)
    }

    fn node_cost(&self, node: NodeId) -> Option<LinkCost> {
        Some(self.nodes[node.index()].cost)
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        let links = self.links.iter().enumerate().map(|(at, link)| (Part::Link(LinkId::new(at)), link.cost));
        let nodes = self.nodes.iter().enumerate().map(|(at, node)| (Part::Node(NodeId::new(at)), node.cost));
        OwnCosts::new(links.chain(nodes))
    }
}
