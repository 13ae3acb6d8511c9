//! What there is to say of the links of a network, whatever its routing: counts, distances, and how many links join its halves.

use super::{ClosedForm, Surviving};
use crate::cancel::Pace;
use crate::topology::{Failures, Links};
use crate::units::{NodeId, RouterId};
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// Most routers whose distances are found by search.
pub const MOST_SEARCHED: usize = 20_000;

/// Two nodes of which one cannot be reached from the other.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("no path leads from node {from} to node {to}")]
#[non_exhaustive]
pub struct Unreachable {
    /// The one.
    pub from: NodeId,
    /// The other.
    pub to: NodeId,
}

/// Counts and distances, in links between routers, over ordered pairs of different nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Nodes.
    pub nodes: usize,
    /// Routers.
    pub routers: usize,
    /// Links, each in one direction.
    pub links: usize,
    /// The largest distance, and the sum of all; none of a large network without closed forms.
    pub distances: Option<Distances>,
    /// Links from the lower to the upper half of the routers, or of the nodes where a closed form says so; none if the routers
    /// are odd in number.
    pub bisection: Option<u64>,
}

/// Distances over ordered pairs of different nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    /// The largest.
    pub diameter: u64,
    /// The sum.
    pub sum: u128,
    /// How many pairs are so far apart, if they were counted.
    pub histogram: Option<BTreeMap<u64, u64>>,
}

impl Survey {
    /// The survey of `links`, of which `closed` may be known without a search.
    ///
    /// # Errors
    /// If there are nodes between which no path leads.
    pub fn new(links: &dyn Links, closed: Option<ClosedForm>) -> Result<Self, Unreachable> {
        let distances = match closed {
            _ if links.routers() <= MOST_SEARCHED => Some(searched(links, Pairs::All)?),
            Some(ClosedForm { diameter, distance_sum: Some(sum), .. }) => {
                Some(Distances { diameter, sum, histogram: None })
            }
            _ => None,
        };
        let bisection = closed.and_then(|closed| closed.bisection).or_else(|| between_halves(links));
        let [nodes, routers] = [links.nodes(), links.routers()];
        Ok(Self { nodes, routers, links: links.count(), distances, bisection })
    }
}

impl Survey {
    /// The survey of the `surviving` part of a network, with the distances of the pairs of nodes that have a path. Nodes and routers
    /// are counted as in the intact network.
    pub fn surviving(surviving: &Surviving) -> Self {
        let Surviving { graph, failures, .. } = surviving;
        let graph = graph.as_ref();
        let is_searched = graph.routers() <= MOST_SEARCHED;
        let distances = is_searched.then(|| searched(graph, Pairs::Connected(failures)).ok()).flatten();
        let [nodes, routers] = [graph.nodes(), graph.routers()];
        Self { nodes, routers, links: surviving.link_count(), distances, bisection: between_halves(graph) }
    }
}

/// The pairs of nodes whose distances count.
#[derive(Clone, Copy)]
enum Pairs<'a> {
    /// All. It is an error if one has no path.
    All,
    /// Those with a path, in a network with these failures.
    Connected(&'a Failures),
}

/// Links from the lower to the upper half of the routers.
fn between_halves(links: &dyn Links) -> Option<u64> {
    let routers = links.routers();
    if !routers.is_multiple_of(2) {
        return None;
    }
    let is_low = |router: RouterId| router.index() < routers / 2;
    let lower = (0..routers / 2).map(RouterId::new);
    let across = lower.flat_map(|router| links.leaving(router)).filter(|&link| !is_low(links.ends(link).1));
    Some(across.count() as u64)
}

/// Distances by a breadth-first search from every router that has nodes.
fn searched(links: &dyn Links, pairs: Pairs<'_>) -> Result<Distances, Unreachable> {
    let routers = links.routers();
    let mut nodes_on: Vec<Vec<NodeId>> = vec![Vec::new(); routers];
    for node in (0..links.nodes()).map(NodeId::new) {
        let router = links.router_of(node);
        let is_failed = matches!(pairs, Pairs::Connected(failures) if failures.routers.contains(&router));
        if !is_failed {
            nodes_on[router.index()].push(node);
        }
    }
    let neighbours: Vec<Vec<u32>> = (0..routers)
        .map(|router| links.leaving(RouterId::new(router)).map(|link| links.ends(link).1.0).collect())
        .collect();
    let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
    let mut distance = vec![u32::MAX; routers];
    let mut queue = VecDeque::new();
    let mut pace = Pace::default();
    for from in (0..routers).filter(|&router| !nodes_on[router].is_empty()) {
        distance.fill(u32::MAX);
        distance[from] = 0;
        queue.push_back(from);
        while let Some(router) = queue.pop_front() {
            pace.step();
            for &to in &neighbours[router] {
                if distance[to as usize] == u32::MAX {
                    distance[to as usize] = distance[router] + 1;
                    queue.push_back(to as usize);
                }
            }
        }
        let sources = nodes_on[from].len() as u64;
        for (to, there) in nodes_on.iter().enumerate() {
            let Some(&first) = there.first() else { continue };
            if distance[to] == u32::MAX {
                if matches!(pairs, Pairs::Connected(_)) {
                    continue;
                }
                return Err(Unreachable { from: nodes_on[from][0], to: first });
            }
            let others = if to == from { sources - 1 } else { there.len() as u64 };
            if others > 0 {
                *histogram.entry(distance[to].into()).or_default() += sources * others;
            }
        }
    }
    let diameter = histogram.keys().next_back().copied().unwrap_or_default();
    let sum = histogram.iter().map(|(&links, &pairs)| u128::from(links) * u128::from(pairs)).sum();
    Ok(Distances { diameter, sum, histogram: Some(histogram) })
}
