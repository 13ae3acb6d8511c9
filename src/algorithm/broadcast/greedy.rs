//! What greedy planners share: which nodes have the message, when senders are free, sorted rows, queues of sends.

use super::Tree;
use crate::cancel;
use crate::topology::CostMatrix;
use crate::units::NodeId;
use priority_queue::PriorityQueue;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;

/// A broadcast under construction. Nodes are numbered `0..n`; times are in ticks.
pub(super) struct Growth<'a> {
    pub(super) costs: &'a CostMatrix,
    pub(super) informed: Vec<bool>,
    /// Per informed node: when it is next free to send.
    pub(super) free: Vec<u64>,
    /// Informed nodes in the order in which they were.
    pub(super) senders: Vec<usize>,
    edges: Vec<(NodeId, NodeId)>,
}

impl<'a> Growth<'a> {
    pub(super) fn new(costs: &'a CostMatrix, root: NodeId) -> Self {
        let nodes = costs.nodes();
        let mut informed = vec![false; nodes];
        informed[root.index()] = true;
        let edges = Vec::with_capacity(nodes - 1);
        Self { costs, informed, free: vec![0; nodes], senders: vec![root.index()], edges }
    }

    /// Node `src` sends to node `dst` as soon as it is free.
    pub(super) fn send(&mut self, src: usize, dst: usize) {
        self.send_for(src, dst, self.costs.row(src)[dst]);
    }

    /// The same, planned to take `cost`.
    pub(super) fn send_for(&mut self, src: usize, dst: usize, cost: u64) {
        let received = self.free[src] + cost;
        (self.free[src], self.free[dst]) = (received, received);
        self.informed[dst] = true;
        self.senders.push(dst);
        self.edges.push((NodeId::new(src), NodeId::new(dst)));
        cancel::planned(self.edges.len() as u64, self.informed.len() as u64);
    }

    pub(super) fn complete(&self) -> bool {
        self.senders.len() == self.informed.len()
    }

    pub(super) fn tree(self) -> Tree {
        Tree::new(self.edges)
    }
}

/// A send that a planner may choose. They compare by key; ties are broken by sender, then by receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Send {
    /// What it costs, or when it would end: what the planner makes least, ticks.
    pub(super) key: u64,
    pub(super) src: usize,
    pub(super) dst: usize,
}

/// Nodes, each by the best send from it or to it; no two sends are equal, so the queue does not decide who is first.
pub(super) type Sends = PriorityQueue<usize, Reverse<Send>, FxBuildHasher>;

/// Receivers of one node, cheapest first, ties by number, with a pointer that only goes forward.
pub(super) struct Row {
    /// Cost and receiver in one word: costs are below 2^46 and nodes below 2^18.
    sorted: Vec<u64>,
    next: usize,
}

/// Bits of a node number in a word of a row.
const NODE_BITS: u32 = 18;

/// So many nodes can be planned for.
pub const MOST_NODES: usize = 1 << NODE_BITS;

impl Row {
    /// The receivers of `src` for which `wanted` holds.
    pub(super) fn new(costs: &CostMatrix, src: usize, wanted: impl Fn(usize) -> bool) -> Self {
        cancel::checkpoint();
        let receivers = costs.row(src).iter().enumerate().filter(|&(dst, _)| dst != src && wanted(dst));
        let mut sorted: Vec<u64> = receivers.map(|(dst, &cost)| cost << NODE_BITS | dst as u64).collect();
        sorted.sort_unstable();
        Self { sorted, next: 0 }
    }

    /// The cheapest receiver for which `wanted` holds, with its cost. One that is not wanted never will be again.
    pub(super) fn cheapest(&mut self, wanted: impl Fn(usize) -> bool) -> Option<(u64, usize)> {
        loop {
            let word = *self.sorted.get(self.next)?;
            let (cost, dst) = split(word);
            if wanted(dst) {
                return Some((cost, dst));
            }
            self.next += 1;
        }
    }
}

fn split(word: u64) -> (u64, usize) {
    // the low bits are a node number
    (word >> NODE_BITS, (word & ((1 << NODE_BITS) - 1)) as usize)
}
