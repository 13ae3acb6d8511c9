//! FEF: the fastest link first.
//!
//! *Problem.* As ECEF.
//!
//! *Idea.* Take the cheapest send `C_ij` from a node that has the message to one that has not, however busy its
//! sender is: Prim's greedy tree.
//!
//! *Cost.* O(N^2) time, O(N) memory beside the costs; keys never increase.
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

use super::greedy::Growth;
use crate::schedule::Tree;
use crate::topology::CostMatrix;
use crate::units::NodeId;

/// The FEF tree from `root`.
#[must_use]
pub fn fef(costs: &CostMatrix, root: NodeId) -> Tree {
    let mut growth = Growth::new(costs, root);
    // per node that has no message: the cheapest send to it
    let mut cheapest: Vec<(u64, usize)> = costs.row(root.index()).iter().map(|&cost| (cost, root.index())).collect();
    while !growth.complete() {
        let waiting = (0..costs.nodes()).filter(|&dst| !growth.informed[dst]);
        let Some((_, src, dst)) = waiting.map(|dst| (cheapest[dst].0, cheapest[dst].1, dst)).min() else { break };
        growth.send(src, dst);
        for (at, &cost) in costs.row(dst).iter().enumerate() {
            cheapest[at] = cheapest[at].min((cost, dst));
        }
    }
    growth.tree()
}
