//! Messages that wait for injection channels.

use crate::units::Ticks;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Messages that wait for injection channels, in lines in the order of their requests.
pub(super) struct Lines {
    /// Lines of a node: one for each injection channel of a chip, or for each class of a live run.
    of_node: usize,
    /// By node and line, the tick of the request and the number of each message.
    lines: Vec<BinaryHeap<Reverse<(Ticks, u32)>>>,
}

impl Lines {
    /// Creates empty lines, `of_node` for each of `nodes` nodes.
    pub(super) fn new(nodes: usize, of_node: usize) -> Self {
        Self { of_node, lines: vec![BinaryHeap::new(); nodes * of_node] }
    }

    /// The index of the line of `node` for queue `queue` of its injection channels, counted over all of them: each class has a queue
    /// at every injection channel, and a chip has one at each.
    #[inline]
    pub(super) fn index(&self, node: usize, queue: usize) -> usize {
        if self.of_node == 1 { node } else { node * self.of_node + queue % self.of_node }
    }

    /// The line of `node` for `queue`.
    #[inline]
    pub(super) fn line(&mut self, node: usize, queue: usize) -> &mut BinaryHeap<Reverse<(Ticks, u32)>> {
        let index = self.index(node, queue);
        &mut self.lines[index]
    }

    /// The request and the number of the first message in the line of `node` for `queue`.
    #[inline]
    pub(super) fn first(&self, node: usize, queue: usize) -> Option<(Ticks, u32)> {
        self.lines[self.index(node, queue)].peek().map(|&Reverse(first)| first)
    }
}
