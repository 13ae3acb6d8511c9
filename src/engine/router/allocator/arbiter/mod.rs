//! Arbiters, of which an allocator has one for each of its inputs or outputs: a *bank* of arbiters.

mod least_recent;
mod round_robin;
mod tree;

pub(crate) use least_recent::LeastRecent;
pub(crate) use round_robin::RoundRobin;
pub(crate) use tree::Tree;

use super::super::matrix::Side;
use super::super::vcset::VcSet;
use serde::Serialize;

/// The arbiters of all inputs, or of all outputs, of a block.
pub(crate) trait Bank<const W: usize> {
    /// Creates the arbiters before the first cycle. They choose among the members of `side`, with `groups` groups if they form a tree.
    fn new(side: &Side, groups: usize) -> Self;

    /// The member of `among`, which is not empty, that the arbiter of number `arbiter` chooses.
    fn choose(&self, arbiter: usize, among: VcSet<W>) -> usize;

    /// Notes that the choice `winner` of the arbiter of number `arbiter` was granted.
    fn pass(&mut self, arbiter: usize, winner: usize);
}

/// The arbiters of separable allocators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArbiterChoice {
    /// The rule of an arbiter.
    pub rule: ArbiterRule,
    /// The groups of a tree of arbiters, 1 for single arbiters.
    pub groups: u32,
}

impl Default for ArbiterChoice {
    fn default() -> Self {
        Self { rule: ArbiterRule::RoundRobin, groups: 1 }
    }
}

/// The rule of an arbiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArbiterRule {
    /// The next member after the last winner.
    RoundRobin,
    /// The member that won least recently.
    LeastRecent,
}

/// The rules of arbiters by the names that scenarios use, the default first, with a summary.
pub const ARBITERS: [(&str, ArbiterRule, &str); 2] = [
    ("round-robin", ArbiterRule::RoundRobin, "serves the next request after the one that was granted last"),
    ("matrix", ArbiterRule::LeastRecent, "serves the request that was granted least recently"),
];
