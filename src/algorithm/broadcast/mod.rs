//! Broadcast over a grid: all nodes are to have the root's message soonest, planned from forecasts of what links cost.
//!
//! Planners return [`Tree`]s: sends in the order in which they were planned. They know costs and nothing of how a send
//! really goes. What is proved, executed and exported is the [`Schedule`](crate::schedule::Schedule) of a tree.
//!
//! Adding one: a file beside these, a line in [`ALGORITHMS`].
//!
//! ```
//! use flitwise::algorithm::broadcast::{ALGORITHMS, Options};
//! use flitwise::topology::CostMatrix;
//! use flitwise::units::NodeId;
//! // node 1 is near the root, and nodes 2 and 3 are near node 1
//! let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
//! let least = 9; // by `optimal`
//! for algorithm in ALGORITHMS {
//!     let trees = algorithm.plan(&costs, NodeId(0), &Options::default());
//!     assert!(trees[0].completion(&costs, NodeId(0)).0 >= least, "{}", algorithm.name);
//! }
//! # Ok::<(), flitwise::topology::CostError>(())
//! ```

mod by_rank;
mod ecef;
mod fef;
mod greedy;
mod look_ahead;
mod optimal;
mod tree;
mod ttcc;

pub use by_rank::{FlatOrder, NodeCost, binomial, flat, fnf, spoc};
pub use ecef::ecef;
pub use fef::fef;
pub use greedy::MOST_NODES;
pub use look_ahead::{LookAhead, look_ahead};
pub use optimal::{MOST as MOST_FOR_OPTIMAL, lower_bound, optimal};
pub use tree::Tree;
pub use ttcc::{Removal, Removed, ttcc};

use crate::references::{self, Reference};
use crate::topology::CostMatrix;
use crate::units::NodeId;
use serde::Serialize;

type Plan = fn(&CostMatrix, NodeId, &Options) -> Vec<Tree>;

const fn entry(name: &'static str, summary: &'static str, plan: Plan) -> Algorithm {
    Algorithm { name, summary, references: &[], most_nodes: MOST_NODES, plan }
}

/// Every broadcast algorithm: the one list that scenarios, `list`, help and documentation read.
pub const ALGORITHMS: &[Algorithm] = &[
    entry(
        "flat",
        "the root sends to every node directly, in order of node numbers or cheapest first (`flat_order`)",
        |costs, root, options| vec![flat(costs, root, options.flat_order)],
    )
    .citing(&[references::TTCC]),
    entry("binomial", "recursive doubling on root, root + 1, ..", |costs, root, _| vec![binomial(costs, root)])
        .citing(&[references::TTCC]),
    entry("fef", "fastest edge first: the cheapest send, even if its sender is busy", |costs, root, _| {
        vec![fef(costs, root)]
    })
    .citing(&[references::ECEF]),
    entry("ecef", "earliest completing edge first: the send that completes first", |costs, root, _| {
        vec![ecef(costs, root, &Removed::nothing())]
    })
    .citing(&[references::ECEF]),
    entry(
        "ecef-lookahead",
        "as ecef, plus the least or mean cost of the receiver's next send (`look_ahead`)",
        |costs, root, options| vec![look_ahead(costs, root, options.look_ahead)],
    )
    .citing(&[references::ECEF]),
    entry(
        "fnf",
        "fastest node first; the speed of a node is its mean or least cost (`node_cost`)",
        |costs, root, options| vec![fnf(costs, root, options.node_cost)],
    )
    .citing(&[references::FASTEST_NODE]),
    entry(
        "spoc",
        "recursive doubling on the nodes in the order of their speed classes (`node_cost`, `classes`)",
        |costs, root, options| vec![spoc(costs, root, options.node_cost, options.classes)],
    )
    .citing(&[references::FASTEST_NODE]),
    entry(
        "ttcc",
        "ECEF on several edge-disjoint trees; a receiver keeps the better sender (`trees`, `alpha`)",
        |costs, root, options| ttcc(costs, root, options.trees, options.removal),
    )
    .citing(&[references::TTCC]),
    entry("optimal", "the minimum completion time, by branch and bound, for at most 10 nodes", |costs, root, _| {
        vec![optimal(costs, root)]
    })
    .citing(&[references::TTCC])
    .up_to(MOST_FOR_OPTIMAL),
];

/// An algorithm in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name that scenarios use.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The publications that it comes from, the first one first.
    pub references: &'static [Reference],
    /// The most nodes that it can do.
    pub most_nodes: usize,
    plan: Plan,
}

/// Variants of the algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Options {
    /// Of `ttcc`: how many trees.
    pub trees: usize,
    /// Of `ttcc`: what is removed with a tree.
    pub removal: Removal,
    /// Of `flat`.
    pub flat_order: FlatOrder,
    /// Of `ecef-lookahead`.
    pub look_ahead: LookAhead,
    /// Of `fnf` and `spoc`.
    pub node_cost: NodeCost,
    /// Of `spoc`.
    pub classes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trees: 2,
            removal: Removal::default(),
            flat_order: FlatOrder::default(),
            look_ahead: LookAhead::default(),
            node_cost: NodeCost::default(),
            classes: 2,
        }
    }
}

impl Algorithm {
    const fn citing(self, references: &'static [Reference]) -> Self {
        Self { references, ..self }
    }

    const fn up_to(self, most_nodes: usize) -> Self {
        Self { most_nodes, ..self }
    }

    /// The trees that the algorithm plans under `costs`; all but those of `ttcc` are one.
    ///
    /// # Panics
    /// If there are more nodes than [`Algorithm::most_nodes`], or no node `root`.
    pub fn plan(&self, costs: &CostMatrix, root: NodeId, options: &Options) -> Vec<Tree> {
        assert!(costs.nodes() <= self.most_nodes, "{} nodes are too many for {}", costs.nodes(), self.name);
        (self.plan)(costs, root, options)
    }
}
