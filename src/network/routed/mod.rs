//! Graphs with the paths that `[router]` selects: shortest ones, up-down, or those of a table.
//!
//! A graph comes from a file, or is made of the links of any other network ([`Graph::from_links`]). Independent of both.

mod read;
mod remedies;

use super::{Cycle, ParallelBy, Parameter};
use crate::cancel;
use crate::config::Place;
use crate::routing::LinkRouting;
use crate::routing::certificate::{Dependencies, Shares};
use crate::routing::graph::Weight;
use crate::topology::{Graph, Links};
use crate::units::{LinkId, NodeId, RouterId};
use std::sync::{Arc, OnceLock};

/// Shortest paths, with their description.
pub(super) const SHORTEST: (&str, &str) =
    ("shortest", "shortest paths, by the lowest-numbered link at each router; can deadlock");
/// Up-down routing.
pub(super) const UP_DOWN: (&str, &str) =
    ("up-down", "towards a root, then away from it; deadlock-free with one virtual channel");
/// The paths of a table.
pub(super) const TABLE: (&str, &str) = ("table", "a file with the link for each router and destination router");

/// A graph without paths, and the places of errors about it.
#[derive(Debug)]
pub(super) struct PlainGraph<'a> {
    pub(super) graph: Arc<Graph>,
    /// The links of the graph by the names that messages use.
    pub(super) links: Arc<dyn Links>,
    /// Text that no other graph has, by which its paths are shared.
    pub(super) key: &'a str,
    /// The weight of `shortest` unless the scenario gives another.
    pub(super) weight: Weight,
    /// The lengths of its shortest paths.
    pub(super) reach: Reach,
    /// The file of its links, if there is one.
    pub(super) file: Option<WrittenLinks<'a>>,
    /// The place of errors about the size of the graph.
    pub(super) place: Place,
}

/// Links in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenLinks<'a> {
    /// The number of the file among the sources.
    pub(super) source: usize,
    /// The byte at which the line of each link begins.
    pub(super) starts: &'a [usize],
}

/// A graph, and its paths.
#[derive(Clone, Debug)]
pub(super) struct RoutedGraph {
    graph: Arc<Graph>,
    links: Arc<dyn Links>,
    /// The name of the routing.
    pub(super) routing: &'static str,
    /// The values that determine the paths.
    pub(super) parameters: Vec<(&'static str, Parameter)>,
    pub(super) paths: Arc<dyn LinkRouting>,
    pub(super) parallel: ParallelBy,
    /// The lengths of its paths.
    pub(super) reach: Reach,
    weights: Weights,
    /// The number of virtual channels in the scenario, if it is given.
    given_virtual_channels: Option<u64>,
    cycle: SoughtCycle,
}

/// Weights of shortest paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Weights {
    /// The weight in the scenario, if it is given.
    chosen: Option<Weight>,
    /// The weight otherwise.
    default: Weight,
}

/// A cycle of channels that can wait for each other, if there is one. It is searched once for all points.
type SoughtCycle = Arc<OnceLock<Option<Cycle>>>;

impl RoutedGraph {
    /// Virtual channels of a link, no more than its paths use.
    pub(super) fn virtual_channels(&self) -> u64 {
        let classes = u64::from(self.paths.classes());
        self.given_virtual_channels.unwrap_or(classes).min(classes)
    }

    /// A shortest cycle of channels that wait for each other on its paths, if there is one.
    pub(super) fn cycle(&self) -> Option<Cycle> {
        self.cycle.get_or_init(|| self.find_cycle()).clone()
    }

    fn find_cycle(&self) -> Option<Cycle> {
        let links = self.links.as_ref();
        let paths = &self.paths;
        let classes = paths.classes();
        let mut dependencies = Dependencies::new(Shares { virtual_channels: classes.into(), classes }, links.count());
        // a path depends on the routers of its nodes, and on the source where that selects among parallel links
        let destinations = self.graph.first_nodes();
        let sources = match self.parallel {
            ParallelBy::First => destinations.clone(),
            ParallelBy::Source => (0..links.nodes()).map(NodeId::new).collect(),
        };
        let mut path = Vec::new();
        for src in sources {
            cancel::checkpoint();
            for &dst in &destinations {
                path.clear();
                paths.path(src, dst, &mut path);
                dependencies.add(&path);
            }
        }
        let certificate = dependencies.certificate();
        let channels: Vec<String> =
            certificate.held().iter().map(|channel| channel.name(links, classes.into())).collect();
        (!channels.is_empty()).then_some(Cycle { channels })
    }
}

/// The number of links of paths between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// A bound on the links of a path.
    pub(super) longest: u64,
    /// Roughly the mean.
    pub(super) mean: u64,
}

/// Two nodes without a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// The one of the two that is not the first node.
    pub(super) shown: NodeId,
}

impl Reach {
    /// The shortest paths of `graph`: the bound is that of paths via the router of node 0, and the mean that of paths from there.
    ///
    /// # Errors
    /// Returns two nodes without a path, if there are such.
    pub(super) fn new(graph: &Graph) -> Result<Self, Broken> {
        let start = graph.router_of(NodeId(0));
        let distances_to = distances(graph, start, |router| graph.links_from(router), |link| graph.link(link).to);
        let back = distances(graph, start, |router| graph.links_to(router), |link| graph.link(link).from);
        let nodes = (0..graph.nodes()).map(NodeId::new);
        let unreached =
            |distances: &[u32]| nodes.clone().find(|&node| distances[graph.router_of(node).index()] == u32::MAX);
        if let Some(to) = unreached(&distances_to) {
            return Err(Broken { from: NodeId(0), to, shown: to });
        }
        if let Some(from) = unreached(&back) {
            return Err(Broken { from, to: NodeId(0), shown: from });
        }
        let of_nodes = |distances: &[u32]| -> (u64, u64) {
            let each = nodes.clone().map(|node| u64::from(distances[graph.router_of(node).index()]));
            (each.clone().max().unwrap_or(0), each.sum())
        };
        let (farthest, sum) = of_nodes(&distances_to);
        Ok(Self { longest: farthest + of_nodes(&back).0, mean: sum.div_ceil(graph.nodes() as u64) })
    }
}

/// The links from `start` to each router, or `u32::MAX`.
fn distances<'g>(
    graph: &Graph,
    start: RouterId,
    links: impl Fn(RouterId) -> &'g [LinkId],
    end: impl Fn(LinkId) -> RouterId,
) -> Vec<u32> {
    let mut distances = vec![u32::MAX; graph.routers()];
    distances[start.index()] = 0;
    let mut queue = vec![start];
    let mut settled = 0;
    while let Some(&at) = queue.get(settled) {
        settled += 1;
        for &link in links(at) {
            let next = end(link);
            if distances[next.index()] == u32::MAX {
                distances[next.index()] = distances[at.index()] + 1;
                queue.push(next);
            }
        }
    }
    distances
}
