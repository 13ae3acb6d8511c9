//! ECEF: the send that completes earliest first.
//!
//! *Problem.* Broadcast over links of any costs, a send at a time per node.
//!
//! *Idea.* Of all sends from a node that has the message to one that has not, take the one that ends first,
//! `R_i + C_ij`; ties by sender, then receiver.
//!
//! *Cost.* Rows sorted when their node joins, with a pointer that only goes forward, and a queue of senders, each by
//! its earliest send: O(N^2 log N) time, O(N^2) memory. A sender's key only gets later, as the sender gets busy and its
//! receivers get the message; so it is put right when it comes to the top, and what is right at the top is earliest. A
//! scan of all senders for every send takes a quarter more instructions (1000 and 5000 nodes, uniform costs).
//!
//! *Source.* Bhat, Raghavendra and Prasanna 1999, as the two-tree paper has it (section 3).

use super::greedy::{Growth, Row, Send, Sends};
use super::{Removed, Tree};
use crate::topology::CostMatrix;
use crate::units::NodeId;
use std::cmp::Reverse;

/// The ECEF tree from `root`.
///
/// ```
/// use flitwise::algorithm::broadcast::{Removed, ecef};
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::NodeId;
/// let costs = CostMatrix::new(3, vec![0, 2, 9, 2, 0, 3, 9, 3, 0])?;
/// let tree = ecef(&costs, NodeId(0), &Removed::nothing());
/// assert_eq!(tree.edges(), [(NodeId(0), NodeId(1)), (NodeId(1), NodeId(2))]);
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
///
/// Without the sends in `removed`; nodes that cannot be reached without them are left out.
pub fn ecef(costs: &CostMatrix, root: NodeId, removed: &Removed) -> Tree {
    let mut growth = Growth::new(costs, root);
    let mut senders = Senders::new(costs.nodes());
    senders.join(&growth, root.index(), removed);
    while let Some(earliest) = senders.earliest(&growth) {
        growth.send(earliest.src, earliest.dst);
        senders.join(&growth, earliest.dst, removed);
    }
    growth.tree()
}

/// The nodes that have the message, each by the send of its that ends first.
struct Senders {
    queue: Sends,
    /// By sender: to which nodes it sends cheapest; none before it has the message.
    rows: Vec<Option<Row>>,
}

impl Senders {
    fn new(nodes: usize) -> Self {
        let rows = std::iter::repeat_with(|| None).take(nodes).collect();
        Self { queue: Sends::with_capacity_and_default_hasher(nodes), rows }
    }

    /// Node `src` has the message.
    fn join(&mut self, growth: &Growth<'_>, src: usize, removed: &Removed) {
        let wanted = |dst: usize| !growth.informed[dst] && !removed.contains(src, dst);
        self.rows[src] = Some(Row::new(growth.costs, src, wanted));
        self.update(growth, src);
    }

    /// The send that ends first; none if no node that waits can be reached.
    fn earliest(&mut self, growth: &Growth<'_>) -> Option<Send> {
        loop {
            let &Reverse(send) = self.queue.peek()?.1;
            // a node that has sent is busy for longer, but its entry still has the receiver of that send: informed as well
            if !growth.informed[send.dst] {
                return Some(send);
            }
            self.update(growth, send.src);
        }
    }

    /// Puts the priority of `src` right; one that has no more receivers leaves.
    fn update(&mut self, growth: &Growth<'_>, src: usize) {
        let cheapest = self.rows[src].as_mut().and_then(|row| row.cheapest(|dst| !growth.informed[dst]));
        if let Some((cost, dst)) = cheapest {
            self.queue.push(src, Reverse(Send { key: growth.free[src] + cost, src, dst }));
        } else {
            self.queue.remove(&src);
        }
    }
}
