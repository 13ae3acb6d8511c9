//! Deadlocks of packets that routers copy and combine: a verdict on a given set of trees, with a certificate.
//!
//! A tree *holds* a channel forever while it is never granted another: as a flit leaves a buffer only when all branches behind it have
//! sent it, and a join sends only flits that have come by all inputs, a channel that is not granted stops all others that are not a
//! buffer per junction away.
//!
//! A *state* is a tree with a channel that it may hold. It leads to the states of all other trees that may hold the channel for which
//! it waits, and to those of the tree itself if several messages use the tree. In a deadlock every worm that holds a channel waits only
//! for channels that others hold, so that these states lead to each other in a cycle. Messages with equal trees keep their order on all
//! channels, so that the states of one tree alone make no deadlock. The set is *free* if no cycle has states of two trees. A path is a
//! tree, too.
//!
//! ```
//! use flitwise::routing::certificate::Verdict;
//! use flitwise::routing::certificate::trees::{EjectionChannels, TreeSet};
//! use flitwise::routing::tree::{Tree, TreeChannel};
//! use flitwise::units::{ChannelId, Flits};
//! // channels 0 and 1 inject, 2 and 3 are links, and 4 to 7 eject; each tree forks to both links
//! let channel = |number, feeds: &[u32]| TreeChannel { channel: ChannelId(number), feeds: feeds.to_vec() };
//! let fork = |source, ends: [u32; 2]| {
//!     let links = [channel(source, &[]), channel(2, &[0]), channel(3, &[0])];
//!     Tree::new(links.into_iter().chain([channel(ends[0], &[1]), channel(ends[1], &[2])]))
//! };
//! let trees = [fork(0, [4, 5]), fork(1, [6, 7])];
//! let verdict = |buffer| {
//!     let mut set = TreeSet::new(buffer, EjectionChannels::One);
//!     trees.iter().zip(0..).for_each(|(tree, message)| set.add(tree, Flits(3), message));
//!     set.certificate().map(|certificate| certificate.verdict())
//! };
//! assert_eq!(verdict(2), Ok(Verdict::Cycle));
//! assert_eq!(verdict(3), Ok(Verdict::Free));
//! ```
//!
//! This directory does not depend on time, routing and traffic.

mod cycle;
mod order;
mod set;
mod states;
mod text;
mod waits;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests;

pub use set::{EjectionChannels, TreeSet};
pub use text::TreeCertificateText;

use super::Verdict;
use crate::units::ChannelId;
use thiserror::Error;

/// The maximum number of states of a set of trees.
pub const MOST_STATES: u64 = 10_000_000;

/// A set of trees has too many states for a verdict.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the trees may hold {states} channels together; deadlocks are checked for at most {MOST_STATES}")]
pub struct TooManyStates {
    /// The number of states.
    pub states: u64,
}

/// A state: a tree and the place of a channel that it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TreeState {
    pub(super) tree: u32,
    pub(super) place: u32,
}

/// The proof of a verdict on a set of trees.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SetProof {
    /// Ranks of states that fall from tree to tree and do not rise within one.
    Ranks(order::StateRanks),
    /// States of two trees or more, each of which leads to the next, and the last to the first.
    Cycle(Vec<TreeState>),
}

/// A verdict on a set of trees, with its proof.
#[derive(Clone, Debug)]
pub struct TreeCertificate<'a> {
    set: TreeSet<'a>,
    proof: SetProof,
}

/// A channel that a tree holds in a deadlock, with the channel for which it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldChannel {
    /// The first message that uses the tree.
    pub message: u64,
    /// The channel that it holds.
    pub held: ChannelId,
    /// The channel that the next tree holds.
    pub requested: ChannelId,
}

impl TreeCertificate<'_> {
    /// The verdict: [`Verdict::Free`] or [`Verdict::Cycle`].
    pub fn verdict(&self) -> Verdict {
        match self.proof {
            SetProof::Ranks(_) => Verdict::Free,
            SetProof::Cycle(_) => Verdict::Cycle,
        }
    }

    /// The set.
    pub fn set(&self) -> &TreeSet<'_> {
        &self.set
    }

    /// The channels that trees can hold forever, each waiting for the channel of the next and the last for that of the first. Empty
    /// if the set is free.
    pub fn held(&self) -> Vec<HeldChannel> {
        let SetProof::Cycle(cycle) = &self.proof else { return Vec::new() };
        let channel = |state: TreeState| self.set.trees()[state.tree as usize].tree.channels()[state.place as usize];
        let next = cycle.iter().cycle().skip(1);
        let held = cycle.iter().zip(next).map(|(&state, &next)| HeldChannel {
            message: self.set.trees()[state.tree as usize].first,
            held: channel(state),
            requested: channel(next),
        });
        held.collect()
    }
}
