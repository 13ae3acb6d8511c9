//! A broadcast tree as an ordered list of sends.

use crate::topology::CostMatrix;
use crate::units::{NodeId, Ticks};
use thiserror::Error;

/// Sends in the order in which they were planned: every sender is the root or has been sent to before.
///
/// Executed, a node sends in the order in which its sends are listed, each as soon as it has the message and is free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    edges: Vec<(NodeId, NodeId)>,
}

/// Why sends are not a tree.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeViolation {
    /// A node sends what it does not have.
    #[error("node {src} sends to node {dst} before it has the message")]
    Early {
        /// The sender.
        src: NodeId,
        /// The receiver.
        dst: NodeId,
    },
    /// A node is sent to twice, or is the root.
    #[error("node {src} sends to node {dst}, which has the message")]
    Again {
        /// The sender.
        src: NodeId,
        /// The receiver.
        dst: NodeId,
    },
    /// A node is not sent to.
    #[error("node {node} is never sent to")]
    LeftOut {
        /// The node.
        node: NodeId,
    },
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

    /// Proves that each node is sent to once at most, by one that has the message, and, if `all`, that every node is.
    ///
    /// # Errors
    /// With the first that is not.
    pub fn check(&self, nodes: usize, root: NodeId, all: bool) -> Result<(), TreeViolation> {
        let mut informed = vec![false; nodes];
        informed[root.index()] = true;
        for &(src, dst) in &self.edges {
            if !informed[src.index()] {
                return Err(TreeViolation::Early { src, dst });
            }
            if std::mem::replace(&mut informed[dst.index()], true) {
                return Err(TreeViolation::Again { src, dst });
            }
        }
        match informed.iter().position(|informed| !informed) {
            Some(node) if all => Err(TreeViolation::LeftOut { node: NodeId::new(node) }),
            _ => Ok(()),
        }
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
