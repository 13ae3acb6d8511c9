//! ECEF: the send that completes earliest first.
//!
//! *Problem.* Broadcast over links of any costs, a send at a time per node.
//!
//! *Idea.* Of all sends from a node that has the message to one that has not, take the one that ends first,
//! `R_i + C_ij`; ties by sender, then receiver.
//!
//! *Cost.* Rows sorted when their node joins, with a pointer that only goes forward: O(N^2 log N) time, O(N^2)
//! memory. Keys *increase* when a sender gets busy, so a heap with decreasing keys does not apply.
//!
//! *Source.* Bhat, Raghavendra and Prasanna 1999, as the two-tree paper has it (section 3).

use super::Removed;
use super::greedy::{Growth, Row};
use crate::schedule::Tree;
use crate::topology::CostMatrix;
use crate::units::NodeId;

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
#[must_use]
pub fn ecef(costs: &CostMatrix, root: NodeId, removed: &Removed) -> Tree {
    let mut growth = Growth::new(costs, root);
    let mut rows: Vec<Row> = Vec::with_capacity(costs.nodes());
    loop {
        // the node that joined last has no row yet
        let joined = growth.senders[rows.len()];
        rows.push(Row::new(costs, joined, |dst| !growth.informed[dst] && !removed.contains(joined, dst)));
        let mut best: Option<(u64, usize, usize)> = None;
        for (&src, row) in growth.senders.iter().zip(&mut rows) {
            if let Some((cost, dst)) = row.cheapest(|dst| !growth.informed[dst]) {
                let send = (growth.free[src] + cost, src, dst);
                best = Some(best.map_or(send, |best| best.min(send)));
            }
        }
        let Some((_, src, dst)) = best else {
            return growth.tree();
        };
        growth.send(src, dst);
    }
}
