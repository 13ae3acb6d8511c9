//! Which channels depend on which, and whether they do in a cycle.
//!
//! A header that holds a channel and requests another makes the first *depend* on the second. As long as the graph of
//! these dependencies has no cycle, some header can always go on and nothing deadlocks (Dally and Seitz 1987). The
//! converse is not true: a cycle of dependencies need not come about. What holds a channel and what requests it is for
//! the caller to say; operations that wait for each other make such a graph as well.

use super::Network;
use crate::cancel;
use crate::units::{ChannelId, NodeId};
use petgraph::algo::{tarjan_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::hash::Hash;

/// A graph of (held, requested) pairs of channels.
///
/// ```
/// use flitwise::routing::DependencyGraph;
/// let mut graph = DependencyGraph::from_iter([(1, 2), (2, 3), (2, 4), (3, 1)]);
/// assert_eq!(graph.channels(), 4);
/// assert_eq!(graph.shortest_cycle(), Some(vec![1, 2, 3]));
/// graph.extend([(2, 1)]);
/// assert_eq!(graph.shortest_cycle(), Some(vec![1, 2]));
/// ```
#[derive(Clone, Debug)]
pub struct DependencyGraph<C> {
    graph: DiGraph<C, ()>,
    places: FxHashMap<C, NodeIndex>,
    /// The edges, as to look among those of a node that many depend on would take long.
    edges: FxHashSet<(NodeIndex, NodeIndex)>,
}

impl<C: Copy + Ord + Hash> DependencyGraph<C> {
    /// How many channels there are.
    pub fn channels(&self) -> usize {
        self.graph.node_count()
    }

    /// The number of dependencies.
    pub fn dependencies(&self) -> usize {
        self.edges.len()
    }

    /// Numbers `channel` if it is new. Which cycle is found depends on the order in which channels come.
    pub(crate) fn number(&mut self, channel: C) -> NodeIndex {
        *self.places.entry(channel).or_insert_with(|| self.graph.add_node(channel))
    }

    /// The channels of a cycle, each of which depends on the next and the last on the first: a shortest through the
    /// channel that came first of all in its component.
    ///
    /// O(channels + dependencies) time.
    pub fn shortest_cycle(&self) -> Option<Vec<C>> {
        let start = *self.knots().first()?.iter().min()?;
        let mut before = vec![None; self.graph.node_count()];
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for next in self.graph.neighbors(at) {
                if next == start {
                    let back = std::iter::successors(Some(at), |at| before[at.index()]);
                    let mut cycle: Vec<C> = back.map(|at| self.graph[at]).collect();
                    cycle.reverse();
                    return Some(cycle);
                }
                if before[next.index()].is_none() {
                    before[next.index()] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The rank of every channel, which falls along dependencies. Returns `None` if there is a cycle.
    ///
    /// O(channels + dependencies) time.
    pub fn ranks(&self) -> Option<FxHashMap<C, u32>> {
        let order = toposort(&self.graph, None).ok()?;
        let ranked = order.into_iter().rev().zip(0..).map(|(at, rank)| (self.graph[at], rank));
        Some(ranked.collect())
    }

    /// The groups of channels that depend on each other, or on themselves, all sorted.
    pub fn groups(&self) -> Vec<Vec<C>> {
        let sorted = |knot: Vec<NodeIndex>| {
            let mut group: Vec<C> = knot.into_iter().map(|at| self.graph[at]).collect();
            group.sort_unstable();
            group
        };
        let mut groups: Vec<Vec<C>> = self.knots().into_iter().map(sorted).collect();
        groups.sort_unstable();
        groups
    }

    /// The strongly connected components that have a cycle.
    fn knots(&self) -> Vec<Vec<NodeIndex>> {
        let mut knots = tarjan_scc(&self.graph);
        knots.retain(|knot| knot.len() > 1 || self.edges.contains(&(knot[0], knot[0])));
        knots
    }
}

impl DependencyGraph<ChannelId> {
    /// The dependencies of the channels between routers on all paths of `network`, whose messages have one path between two
    /// nodes.
    ///
    /// O(channels of all paths * dependencies of a channel) time. Begins with a [`checkpoint`](cancel::checkpoint) for every node.
    pub fn for_network(network: &dyn Network) -> Self {
        let channels = network.channels();
        let mut requested: Vec<Vec<ChannelId>> = vec![Vec::new(); channels.count()];
        let mut path = Vec::new();
        for src in (0..channels.nodes()).map(NodeId::new) {
            cancel::checkpoint();
            for dst in (0..channels.nodes()).map(NodeId::new) {
                path.clear();
                network.route(src, dst, &mut path);
                // no holder of a channel requests an injection channel, and holders of ejection channels request none
                for pair in path[1..path.len() - 1].windows(2) {
                    let requested = &mut requested[pair[0].index()];
                    if !requested.contains(&pair[1]) {
                        requested.push(pair[1]);
                    }
                }
            }
        }
        let all = requested.iter().enumerate();
        all.flat_map(|(held, requested)| requested.iter().map(move |next| (ChannelId::new(held), *next))).collect()
    }
}

impl<C> Default for DependencyGraph<C> {
    fn default() -> Self {
        Self { graph: DiGraph::new(), places: FxHashMap::default(), edges: FxHashSet::default() }
    }
}

impl<C: Copy + Ord + Hash> Extend<(C, C)> for DependencyGraph<C> {
    fn extend<I: IntoIterator<Item = (C, C)>>(&mut self, pairs: I) {
        for (held, requested) in pairs {
            let held = self.number(held);
            let requested = self.number(requested);
            if self.edges.insert((held, requested)) {
                self.graph.add_edge(held, requested, ());
            }
        }
    }
}

impl<C: Copy + Ord + Hash> FromIterator<(C, C)> for DependencyGraph<C> {
    fn from_iter<I: IntoIterator<Item = (C, C)>>(pairs: I) -> Self {
        let mut graph = Self::default();
        graph.extend(pairs);
        graph
    }
}
