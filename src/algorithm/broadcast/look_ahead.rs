//! ECEF with look-ahead: nodes that can go on cheaply are informed earlier.
//!
//! *Problem.* As ECEF, which does not look at what a receiver can do next.
//!
//! *Idea.* Take the send with the least `R_i + C_ij + L_j`, where `L_j` is the least, or the mean, of what node `j`
//! would pay to reach those that would then still wait; ties by sender, then receiver.
//!
//! *Cost.* `L_j` by pointers that only go forward in sorted rows; per receiver a heap of senders whose keys only
//! grow, put right when they come to the top: O(N^2 log N) time, O(N^2) memory.
//!
//! *Source.* Bhat, Raghavendra and Prasanna 1999. Where a node's sends cost the same to all it is the optimal
//! fastest-node-first.

use super::Tree;
use super::greedy::{Growth, Row};
use crate::topology::CostMatrix;
use crate::units::NodeId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is looked ahead for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LookAhead {
    /// The cheapest of the receiver's sends.
    #[default]
    Min,
    /// Their mean.
    Average,
}

/// Per node that waits: what it would pay to go on.
enum Ahead {
    Min(Vec<Row>),
    /// The sum over those that wait, so that means are compared as integers.
    Sum(Vec<u64>),
}

/// The tree of ECEF with look-ahead from `root`.
///
/// ```
/// use flitwise::algorithm::broadcast::{LookAhead, look_ahead};
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::NodeId;
/// // node 1 is near the root, and nodes 2 and 3 are near node 1
/// let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
/// let tree = look_ahead(&costs, NodeId(0), LookAhead::Min);
/// assert_eq!(tree.edges()[0], (NodeId(0), NodeId(1)));
/// assert_eq!(tree.completion(&costs, NodeId(0)).0, 9);
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
pub fn look_ahead(costs: &CostMatrix, root: NodeId, kind: LookAhead) -> Tree {
    let nodes = costs.nodes();
    let mut growth = Growth::new(costs, root);
    let mut ahead = match kind {
        LookAhead::Min => Ahead::Min((0..nodes).map(|src| Row::new(costs, src, |dst| dst != root.index())).collect()),
        LookAhead::Average => {
            let sum = |src: usize| costs.row(src).iter().sum::<u64>() - costs.row(src)[root.index()];
            Ahead::Sum((0..nodes).map(sum).collect())
        }
    };
    // per node that waits: the nodes that could send to it, by when the send would end
    let mut arrivals: Vec<BinaryHeap<Reverse<(u64, usize)>>> = vec![BinaryHeap::new(); nodes];
    while !growth.complete() {
        let joined = growth.senders[growth.senders.len() - 1];
        for dst in (0..nodes).filter(|&dst| !growth.informed[dst]) {
            arrivals[dst].push(Reverse((growth.free[joined] + costs.row(joined)[dst], joined)));
        }
        let others = (nodes - growth.senders.len()) as u128 - 1;
        let mut best: Option<(u128, usize, usize)> = None;
        for dst in (0..nodes).filter(|&dst| !growth.informed[dst]) {
            let Some((end, src)) = earliest(&mut arrivals[dst], &growth, dst) else { continue };
            let key = match &mut ahead {
                Ahead::Min(rows) => {
                    let next = rows[dst].cheapest(|to| !growth.informed[to]);
                    u128::from(end) + next.map_or(0, |(cost, _)| u128::from(cost))
                }
                // times the number of those that wait: the same for all receivers
                Ahead::Sum(sums) => u128::from(end) * others.max(1) + u128::from(sums[dst]) * others.min(1),
            };
            best = Some(best.map_or((key, src, dst), |best| best.min((key, src, dst))));
        }
        let Some((_, src, dst)) = best else { break };
        growth.send(src, dst);
        arrivals[dst] = BinaryHeap::new();
        if let Ahead::Sum(sums) = &mut ahead {
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum -= costs.row(at)[dst];
            }
        }
    }
    growth.tree()
}

/// The send to `dst` that would end first, and its sender.
fn earliest(arrivals: &mut BinaryHeap<Reverse<(u64, usize)>>, growth: &Growth<'_>, dst: usize) -> Option<(u64, usize)> {
    loop {
        let mut top = arrivals.peek_mut()?;
        let Reverse((end, src)) = *top;
        let now = growth.free[src] + growth.costs.row(src)[dst];
        if now == end {
            return Some((end, src));
        }
        *top = Reverse((now, src));
    }
}
