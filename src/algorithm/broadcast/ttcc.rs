//! TTCC: two trees, or more, so that a wrong forecast has an alternative.
//!
//! *Problem.* A tree planned from forecasts waits for links that turn out slow.
//!
//! *Idea.* The first tree is ECEF's; each further one is ECEF's without the sends of those before, in both directions
//! unless said otherwise, as if no node had anything else to send. Executed, a node sends along all trees in turn, and
//! a receiver to which two send keeps the better one ([`crate::engine::grid`]).
//!
//! *Cost.* `k` times ECEF.
//!
//! *Source.* Two-tree paper, Fig. 2, with its slips repaired: the second loop begins again with all nodes waiting
//! and none busy. A tree that cannot reach all nodes stays as far as it comes; those it leaves out simply have no
//! alternative.

use super::{Tree, ecef};
use crate::cancel;
use crate::topology::CostMatrix;
use crate::units::NodeId;
use serde::Serialize;

/// What is removed with a tree before the next one is planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Removal {
    /// Its sends and their opposites.
    #[default]
    Undirected,
    /// Its sends only.
    Directed,
}

/// Sends that may not be used.
#[derive(Clone, Debug, Default)]
pub struct Removed {
    nodes: usize,
    sends: Vec<bool>,
}

impl Removed {
    /// All sends may be used.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Whether the send from `src` to `dst` may not be used.
    pub fn contains(&self, src: usize, dst: usize) -> bool {
        self.nodes > 0 && self.sends[src * self.nodes + dst]
    }

    /// Removes what `tree` uses among `nodes` nodes.
    pub fn remove(&mut self, nodes: usize, tree: &Tree, removal: Removal) {
        if self.nodes == 0 {
            (self.nodes, self.sends) = (nodes, vec![false; nodes * nodes]);
        }
        for &(src, dst) in tree.edges() {
            self.sends[src.index() * nodes + dst.index()] = true;
            if removal == Removal::Undirected {
                self.sends[dst.index() * nodes + src.index()] = true;
            }
        }
    }
}

/// `trees` trees from `root`, the first one ECEF's.
///
/// ```
/// use flitwise::algorithm::broadcast::{Removal, Removed, ecef, ttcc};
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::NodeId;
/// // node 1 is near the root, and nodes 2 and 3 are near node 1
/// let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
/// let trees = ttcc(&costs, NodeId(0), 2, Removal::Directed);
/// assert_eq!(trees[0], ecef(&costs, NodeId(0), &Removed::nothing()));
/// assert!(trees[1].edges().iter().all(|send| !trees[0].edges().contains(send)));
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
pub fn ttcc(costs: &CostMatrix, root: NodeId, trees: usize, removal: Removal) -> Vec<Tree> {
    let mut removed = Removed::nothing();
    let mut planned = Vec::new();
    for number in 0..trees {
        let part = number as f64 / trees as f64..(number + 1) as f64 / trees as f64;
        let tree = cancel::within(part, || ecef(costs, root, &removed));
        removed.remove(costs.nodes(), &tree, removal);
        planned.push(tree);
    }
    planned
}
