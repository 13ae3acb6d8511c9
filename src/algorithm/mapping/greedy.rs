//! Mapping one task after the other.

use super::{Mapping, MappingError, TaskGraph};
use crate::units::NodeId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Variants of [`greedy()`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Growth {
    /// From the heaviest task at node 0: the task with most weight to the mapped ones goes to the free node of least cost.
    #[default]
    Tasks,
    /// The edges by falling weight: two free ends go to the first free pair of neighbours, one to the nearest free node.
    Edges,
}

/// Puts task after task where it costs least, and never moves one again.
///
/// *Problem.* That of [`mrb`](super::mrb()).
///
/// *Idea.* [`Growth`]. Equal tasks go by weighted degree, then by number; equal nodes by number. Tasks that talk to nobody
/// take the nodes that are left: the lowest, or with [`Growth::Edges`] the nearest to node 0.
///
/// *Cost.* O(N^2 + E log N), memory linear in edges.
///
/// *Source.* The Korean paper on mapping to hypercubes compares with a greedy mapping that it does not describe; no
/// variant fits its tables closely.
///
/// # Errors
/// None that are known: the mapping is checked.
pub fn greedy(graph: &TaskGraph, growth: Growth) -> Result<Mapping, MappingError> {
    let mut placed = Placed { graph, processors: vec![None; graph.size()], free: vec![true; graph.size()] };
    match growth {
        Growth::Tasks => placed.tasks(),
        Growth::Edges => placed.edges(),
    }
    placed.rest()
}

struct Placed<'a> {
    graph: &'a TaskGraph,
    processors: Vec<Option<u32>>,
    free: Vec<bool>,
}

impl Placed<'_> {
    fn put(&mut self, task: u32, node: u32) {
        self.processors[task as usize] = Some(node);
        self.free[node as usize] = false;
    }

    fn tasks(&mut self) {
        let degrees: Vec<u64> = self.graph.ids().map(|task| self.graph.weighted_degree(task)).collect();
        let mut pulls = vec![0_u64; degrees.len()];
        let mut queue: BinaryHeap<_> =
            self.graph.ids().map(|task| (0, degrees[task as usize], Reverse(task))).collect();
        let mut costs = vec![0; degrees.len()];
        while let Some((pull, _, Reverse(task))) = queue.pop() {
            if self.processors[task as usize].is_some() || pull < pulls[task as usize] {
                continue;
            }
            self.price(task, &mut costs);
            let free = self.graph.ids().filter(|&node| self.free[node as usize]);
            let Some(node) = free.min_by_key(|&node| costs[node as usize]) else { return };
            self.put(task, node);
            for &(end, weight) in self.graph.neighbours(task) {
                if self.processors[end as usize].is_none() {
                    pulls[end as usize] += u64::from(weight);
                    queue.push((pulls[end as usize], degrees[end as usize], Reverse(end)));
                }
            }
        }
    }

    /// What the task adds to the cost at each node, less what it adds at node 0: the bits of the node add up.
    fn price(&self, task: u32, costs: &mut [i64]) {
        let mut bits = vec![0; self.graph.dimensions() as usize];
        for &(end, weight) in self.graph.neighbours(task) {
            if let Some(node) = self.processors[end as usize] {
                for (bit, sum) in bits.iter_mut().enumerate() {
                    *sum += i64::from(weight) * if node >> bit & 1 == 0 { 1 } else { -1 };
                }
            }
        }
        for node in 1..costs.len() {
            costs[node] = costs[node & (node - 1)] + bits[node.trailing_zeros() as usize];
        }
    }

    fn edges(&mut self) {
        let mut edges: Vec<(u32, u32, u32)> = self.graph.edges().collect();
        edges.sort_by_key(|&(_, _, weight)| Reverse(weight));
        let mut from = 0;
        for (one, other, _) in edges {
            match (self.processors[one as usize], self.processors[other as usize]) {
                (Some(_), Some(_)) => {}
                (Some(node), None) => self.put_near(other, node),
                (None, Some(node)) => self.put_near(one, node),
                (None, None) => self.put_pair(one, other, &mut from),
            }
        }
    }

    fn put_near(&mut self, task: u32, node: u32) {
        let free = self.graph.ids().filter(|&at| self.free[at as usize]);
        if let Some(nearest) = free.min_by_key(|&at| (at ^ node).count_ones()) {
            self.put(task, nearest);
        }
    }

    /// The first free pair of neighbours, or, without one, the first free node and the nearest.
    fn put_pair(&mut self, one: u32, other: u32, from: &mut u32) {
        let dimensions = self.graph.dimensions();
        let is_free = |node: u32| self.free[node as usize];
        let partner = |node: u32| (0..dimensions).map(|bit| node ^ 1 << bit).filter(|&to| is_free(to)).min();
        let nodes = *from..NodeId::new(self.free.len()).0;
        let pair = nodes.filter(|&node| is_free(node)).find_map(|node| partner(node).map(|to| (node, to)));
        if let Some((node, to)) = pair {
            // a node without a free neighbour will never have one
            *from = node;
            self.put(one, node);
            self.put(other, to);
        } else if let Some(node) = self.graph.ids().find(|&node| is_free(node)) {
            *from = NodeId::new(self.free.len()).0;
            self.put(one, node);
            self.put_near(other, node);
        }
    }

    /// Everybody else takes the free nodes, those near node 0 first.
    fn rest(self) -> Result<Mapping, MappingError> {
        let mut free: Vec<u32> = self.graph.ids().filter(|&node| self.free[node as usize]).collect();
        free.sort_by_key(|node| node.count_ones());
        let mut free = free.into_iter();
        let processors = self.processors.iter().map(|&node| node.or_else(|| free.next()).unwrap_or(u32::MAX));
        Mapping::new(processors.collect())
    }
}
