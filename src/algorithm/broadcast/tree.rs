//! What a planner makes: the sends of a tree in the order in which they were planned.

use crate::schedule::Schedule;
use crate::topology::CostMatrix;
use crate::units::{Flits, NodeId, Ticks};

/// Sends in the order in which they were planned: every sender is the root or has been sent to before.
///
/// It is a list, and refuses to know whether that is so: the proof is that of its [`Schedule`].
///
/// ```
/// use flitwise::algorithm::broadcast::Tree;
/// use flitwise::units::{Flits, NodeId};
/// let [a, b, c, d] = [0, 1, 2, 3].map(NodeId);
/// let schedule = Tree::new(vec![(a, b), (b, c), (a, d)]).schedule(4, a, Flits(8));
/// assert_eq!(schedule.check(&[b, c, d])?.depth, 2);
/// # Ok::<(), flitwise::schedule::Violation>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    edges: Vec<(NodeId, NodeId)>,
}

impl Tree {
    /// The sends in `edges`, as (sender, receiver).
    pub fn new(edges: Vec<(NodeId, NodeId)>) -> Self {
        Self { edges }
    }

    /// The sends in order.
    pub fn edges(&self) -> &[(NodeId, NodeId)] {
        &self.edges
    }

    /// The tree from `root` among `nodes` nodes as a schedule of messages of `flits` flits, which is proved, executed
    /// and exported. A node's sends keep their order; the order among nodes is the planner's and is lost.
    ///
    /// # Panics
    /// If a send names a node that is not below `nodes`.
    pub fn schedule(&self, nodes: usize, root: NodeId, flits: Flits) -> Schedule {
        Schedule::new(nodes, root, flits, &self.edges)
    }

    /// When each node has the message under `costs`, where the nodes that the tree leaves out never do. O(nodes) time.
    pub fn informed(&self, costs: &CostMatrix, root: NodeId) -> Vec<Option<Ticks>> {
        let mut informed = vec![None; costs.nodes()];
        informed[root.index()] = Some(Ticks::ZERO);
        let mut free = informed.clone();
        for &(src, dst) in &self.edges {
            let received = free[src.index()].map(|free| free + costs.cost(src, dst));
            free[src.index()] = received;
            free[dst.index()] = received;
            informed[dst.index()] = received;
        }
        informed
    }

    /// When the last node has the message.
    pub fn completion(&self, costs: &CostMatrix, root: NodeId) -> Ticks {
        // the root has it from the start
        self.informed(costs, root).into_iter().flatten().fold(Ticks::ZERO, Ticks::max)
    }
}
