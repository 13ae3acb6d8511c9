//! Shortest paths on a graph: at each router the lowest-numbered link on one.
//!
//! It can deadlock, as the paths of different messages need not agree on an order of links; with a class of virtual
//! channels for each link of a path it cannot, since a message then only waits for higher classes (Günther 1981).

use super::super::{LinkRouting, Step};
use super::rows::{Destinations, Row, TableError, ends};
use crate::cancel;
use crate::topology::{Graph, Joint, Links};
use crate::units::{Key, LinkId, NodeId, RouterId, narrow};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, OnceLock};

/// What is added up along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// 1 a link.
    Links,
    /// The flit time and the delay of each link.
    Latency,
}

impl Weight {
    /// What scenarios call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Latency => "latency",
        }
    }

    /// The length of `joint`.
    pub(super) fn of_joint(self, joint: &Joint) -> u64 {
        match self {
            Self::Links => 1,
            Self::Latency => (joint.cost.flit_time + joint.cost.delay).0,
        }
    }
}

/// Weights by name.
pub(crate) const WEIGHTS: [(&str, Weight); 2] =
    [(Weight::Links.name(), Weight::Links), (Weight::Latency.name(), Weight::Latency)];
/// The weight of a path.
pub(crate) const WEIGHT: Key = Key::word("weight", |at| WEIGHTS.get(at).map(|(name, _)| *name))
    .or_else("latency for an anynet file, otherwise links")
    .read_if("routing", &["shortest"])
    .says("quantity that a shortest path minimises: links, or the sum of their flit times and delays");
/// The classes of virtual channels.
pub(crate) const CLASSES: Key = Key::word("classes", |at| ["hops"].get(at).copied())
    .or_else("one class")
    .read_if("routing", &["shortest"])
    .says("choice of VC classes; hops: the number of the class is the number of links that a message has crossed");

/// Shortest paths.
///
/// A destination router takes O(links) time when it is first asked for, with [`Weight::Latency`] O(links log routers), and
/// then a byte or two a router.
#[derive(Debug)]
pub struct Shortest {
    graph: Arc<Graph>,
    weight: Weight,
    destinations: Destinations,
    rows: Vec<OnceLock<Row>>,
    /// A class for each link of a path: the links of the longest.
    by_hops: Option<u8>,
}

impl Shortest {
    /// The paths over `graph` that are shortest by `weight`, in one class.
    ///
    /// # Errors
    /// If the tables would be larger than [`MOST_BYTES`](super::MOST_BYTES).
    pub fn new(graph: Arc<Graph>, weight: Weight) -> Result<Self, TableError> {
        let destinations = Destinations::new(&graph, "shortest", 0)?;
        let rows = destinations.routers.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { graph, weight, destinations, rows, by_hops: None })
    }

    /// The same with the number of links taken before as the class of a link.
    ///
    /// # Errors
    /// With the links of the longest path, if they are more than 255.
    pub fn by_hops(mut self) -> Result<Self, usize> {
        let longest = self.longest().max(1);
        self.by_hops = Some(u8::try_from(longest).map_err(|_| longest)?);
        Ok(self)
    }

    /// The links of the longest path between nodes. Searches all destinations.
    pub fn longest(&self) -> usize {
        let mut longest = 0;
        for &to in &self.destinations.routers {
            cancel::checkpoint();
            let distances = self.distances(to);
            let mut order: Vec<RouterId> = (0..self.graph.routers()).map(RouterId::new).collect();
            order.retain(|router| distances[router.index()] < UNREACHED);
            order.sort_by_key(|router| distances[router.index()]);
            let row = self.row(to);
            // the next router is nearer, so its links have been counted
            let mut links = vec![0_usize; self.graph.routers()];
            for router in order {
                let Some((_, next)) = row.and_then(|row| row.next(&self.graph, router)) else { continue };
                links[router.index()] = links[next.index()] + 1;
                if self.destinations.row_of(router).is_some() {
                    longest = longest.max(links[router.index()]);
                }
            }
        }
        longest
    }

    fn row(&self, to: RouterId) -> Option<&Row> {
        let row = self.destinations.row_of(to)?;
        Some(self.rows[row].get_or_init(|| self.search(to)))
    }

    /// The row of `to`: at each router the lowest-numbered link on a shortest path.
    fn search(&self, to: RouterId) -> Row {
        let graph = &*self.graph;
        let distances = self.distances(to);
        let port = |router: usize| {
            let left = distances[router];
            let leads = |link: &_| {
                let end = graph.link(*link).to;
                distances[end.index()].saturating_add(self.weight_of(*link)) == left
            };
            let is_on_the_way = left > 0 && left < UNREACHED;
            graph.links_from(RouterId::new(router)).iter().position(leads).filter(|_| is_on_the_way)
        };
        self.destinations.row((0..graph.routers()).map(port))
    }

    /// How far each router is from `to`.
    fn distances(&self, to: RouterId) -> Vec<u64> {
        let mut distances = vec![UNREACHED; self.graph.routers()];
        distances[to.index()] = 0;
        match self.weight {
            Weight::Links => self.breadth_first(to, &mut distances),
            Weight::Latency => self.nearest_first(to, &mut distances),
        }
        distances
    }

    fn breadth_first(&self, to: RouterId, distances: &mut [u64]) {
        let mut queue = vec![to];
        let mut settled = 0;
        while let Some(&at) = queue.get(settled) {
            settled += 1;
            for &link in self.graph.links_to(at) {
                let from = self.graph.link(link).from;
                if distances[from.index()] == UNREACHED {
                    distances[from.index()] = distances[at.index()] + 1;
                    queue.push(from);
                }
            }
        }
    }

    /// Dijkstra (1959), backwards.
    fn nearest_first(&self, to: RouterId, distances: &mut [u64]) {
        let mut heap = BinaryHeap::from([Reverse((0, to))]);
        while let Some(Reverse((distance, at))) = heap.pop() {
            if distance > distances[at.index()] {
                continue; // it has been settled at less
            }
            for &link in self.graph.links_to(at) {
                let from = self.graph.link(link).from;
                let further = distance + self.weight_of(link);
                if further < distances[from.index()] {
                    distances[from.index()] = further;
                    heap.push(Reverse((further, from)));
                }
            }
        }
    }

    fn weight_of(&self, link: LinkId) -> u64 {
        self.weight.of_joint(&self.graph.link(link))
    }
}

const UNREACHED: u64 = u64::MAX;

impl LinkRouting for Shortest {
    fn classes(&self) -> u8 {
        self.by_hops.unwrap_or(1)
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let (from, to) = ends(&self.graph, src, dst);
        let Some(row) = self.row(to) else { return };
        let class = |taken: usize| match self.by_hops {
            Some(_) => narrow(taken, "the longest path has been counted"),
            None => 0,
        };
        let links = row.path(&self.graph, from, to).enumerate();
        path.extend(links.map(|(taken, (_, link))| Step { link, class: class(taken) }));
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let (from, to) = ends(&self.graph, src, dst);
        self.row(to).map_or(0, |row| row.path(&self.graph, from, to).count())
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.graph.walk_rank(node)
    }
}
