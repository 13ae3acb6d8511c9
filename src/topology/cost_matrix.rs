//! A grid: a complete directed graph with a cost for every ordered pair of nodes.
//!
//! The cost is what a message of the given size takes from one node to the other, in ticks. A node sends at most one
//! message at a time and receives at most one. There are no channels here, and no flits.

use crate::memory::OutOfMemory;
use crate::units::{NodeId, Ticks};
use thiserror::Error;

/// Costs are below this, so that those of ten thousand sends add up.
pub const LARGEST_COST: u64 = 1 << 46;

/// What a message takes from each node to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostMatrix {
    nodes: usize,
    /// Row by row: from a node to all nodes; from a node to itself 0.
    costs: Vec<u64>,
}

/// Why numbers are not a cost matrix.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostError {
    /// There are no nodes.
    #[error("a grid needs at least one node")]
    Empty,
    /// The rows are not as long as there are rows.
    #[error("the number of costs is {costs}, not {nodes} x {nodes}")]
    NotSquare {
        /// Rows.
        nodes: usize,
        /// Costs in all.
        costs: usize,
    },
    /// From a node to itself costs something.
    #[error("the cost from node {node} to itself is {cost}, not 0")]
    Diagonal {
        /// The node.
        node: usize,
        /// What it costs.
        cost: u64,
    },
    /// A cost that is too large, or none between two nodes.
    #[error("the cost from node {from} to node {to} is {cost}; accepted: 1 to {}", LARGEST_COST - 1)]
    OutOfRange {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// What it costs.
        cost: u64,
    },
    /// There is no memory for so many.
    #[error("{0}")]
    OutOfMemory(#[from] OutOfMemory),
}

impl CostMatrix {
    /// The costs in `costs`, row by row, of `nodes` nodes.
    ///
    /// # Errors
    /// If they are not a square, or one of them cannot be.
    pub fn new(nodes: usize, costs: Vec<u64>) -> Result<Self, CostError> {
        if nodes == 0 {
            return Err(CostError::Empty);
        }
        if nodes.checked_mul(nodes) != Some(costs.len()) {
            return Err(CostError::NotSquare { nodes, costs: costs.len() });
        }
        for (at, &cost) in costs.iter().enumerate() {
            let from = at / nodes;
            let to = at % nodes;
            if from == to && cost != 0 {
                return Err(CostError::Diagonal { node: from, cost });
            }
            if from != to && !(1..LARGEST_COST).contains(&cost) {
                return Err(CostError::OutOfRange { from, to, cost });
            }
        }
        Ok(Self { nodes, costs })
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// From node `from` to all nodes; panics if there is no such node.
    pub fn row(&self, from: usize) -> &[u64] {
        &self.costs[from * self.nodes..(from + 1) * self.nodes]
    }

    /// From node `from` to node `to`; panics if there are no such nodes.
    pub fn cost(&self, from: NodeId, to: NodeId) -> Ticks {
        Ticks(self.row(from.index())[to.index()])
    }

    /// The least cost between two nodes; 1 if there is only one node.
    pub fn least(&self) -> u64 {
        self.costs.iter().copied().filter(|&cost| cost > 0).min().unwrap_or(1)
    }

    /// All costs, row by row.
    pub fn costs(&self) -> &[u64] {
        &self.costs
    }
}
