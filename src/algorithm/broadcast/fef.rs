//! FEF: the fastest link first.
//!
//! *Problem.* As ECEF.
//!
//! *Idea.* Take the cheapest send `C_ij` from a node that has the message to one that has not, however busy its
//! sender is: Prim's greedy tree; ties by sender, then receiver.
//!
//! *Cost.* A queue of the nodes that wait, each by the cheapest send to it, which only gets cheaper: O(N^2) comparisons
//! and seldom a change of the queue, O(N) memory beside the costs. Of a scan of all that wait for every send it takes a
//! quarter of the instructions (1000 and 5000 nodes, uniform costs).
//!
//! *Source.* Bhat, Raghavendra and Prasanna 1999; the two-tree paper gives it O(N^2 log N).
//!
//! ```
//! use flitwise::algorithm::broadcast::fef;
//! use flitwise::topology::CostMatrix;
//! use flitwise::units::NodeId;
//! // node 1 is near the root, and nodes 2 and 3 are near node 1
//! let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
//! let tree = fef(&costs, NodeId(0));
//! assert_eq!(tree.edges(), [(0, 1), (1, 2), (1, 3)].map(|(src, dst)| (NodeId(src), NodeId(dst))));
//! assert_eq!(tree.completion(&costs, NodeId(0)).0, 2 + 3 + 4);
//! # Ok::<(), flitwise::topology::CostError>(())
//! ```

use super::Tree;
use super::greedy::{Growth, Send, Sends};
use crate::topology::CostMatrix;
use crate::units::NodeId;
use std::cmp::Reverse;

/// The FEF tree from `root`.
pub fn fef(costs: &CostMatrix, root: NodeId) -> Tree {
    let mut growth = Growth::new(costs, root);
    let mut waiting = Waiting::new(costs.nodes());
    waiting.offer(&growth, root.index());
    while let Some((dst, Reverse(cheapest))) = waiting.queue.pop() {
        growth.send(cheapest.src, dst);
        waiting.offer(&growth, dst);
    }
    growth.tree()
}

/// The nodes that wait, each by the cheapest send to it.
struct Waiting {
    queue: Sends,
    /// The priorities of the queue, by receiver: most offers are worse, which is seen without looking there.
    cheapest: Vec<Reverse<Send>>,
}

impl Waiting {
    fn new(nodes: usize) -> Self {
        let none = Reverse(Send { key: u64::MAX, src: usize::MAX, dst: usize::MAX });
        Self { queue: Sends::with_capacity_and_default_hasher(nodes), cheapest: vec![none; nodes] }
    }

    /// Node `src` has the message and can send it to all that wait.
    fn offer(&mut self, growth: &Growth<'_>, src: usize) {
        for (dst, &cost) in growth.costs.row(src).iter().enumerate() {
            let send = Reverse(Send { key: cost, src, dst });
            if send > self.cheapest[dst] && !growth.informed[dst] {
                self.cheapest[dst] = send;
                self.queue.push_increase(dst, send);
            }
        }
    }
}
