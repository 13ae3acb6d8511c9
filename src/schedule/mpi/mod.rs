//! Text traces of MPI programs, as liballprof writes them: a file for each rank, with a line for each call.
//!
//! The reader turns lines into [calls](RankCall) with the computation before each, and finds the members of communicators. It does not
//! depend on the operations that simulate a call.
//!
//! Source: Hoefler, Schneider, Lumsdaine (2010), LogGOPSim: simulating large-scale applications in the LogGOPS model, section 3, and
//! its program Schedgen.

mod communicators;
mod forms;
mod line;
mod matching;
mod read;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panics")]
mod tests;

pub use communicators::{CommunicatorGroup, ListedGroups, Member};
pub use forms::{CallName, MpiCollective};
pub use read::{ReadRules, SimulatedCalls};

use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// A trace: the calls of all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MpiTrace {
    /// The calls of each rank.
    pub ranks: Vec<RankTrace>,
    /// The groups of ranks that communicate.
    pub groups: Vec<CommunicatorGroup>,
    /// The calls that communicate and are not simulated.
    pub skipped: SkippedCalls,
}

/// The calls of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankTrace {
    /// The simulated calls in their order.
    pub calls: Vec<RankCall>,
    /// The communicators that calls name by their indices.
    pub members: Vec<Member>,
    /// The numbers of requests for which calls wait.
    pub waits: Vec<u32>,
    /// The bytes of blocks of different sizes.
    pub blocks: Vec<u64>,
}

/// A call that is simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankCall {
    /// The ticks of computation between the last simulated call and this one.
    pub compute: u64,
    /// The action.
    pub action: CallAction,
    /// The name.
    pub name: CallName,
    /// The line, from 1.
    pub line: u32,
}

/// The action of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallAction {
    /// A send, a receive, or both.
    Messages(Option<Message>, Option<Message>, Return),
    /// A wait for requests, as a part of [`RankTrace::waits`].
    Wait(Range<u32>),
    /// A collective.
    Collective(CollectiveCall, Return),
    /// The end of the program.
    Finalize,
}

/// The moment at which a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Return {
    /// At the end of its operations.
    AtEnd,
    /// At once, with a request. Requests of a rank are numbered from 0.
    AtOnce,
}

/// A message as its sender or its receiver describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The bytes.
    pub bytes: u64,
    /// The other rank in the communicator, or [`ANY`](crate::schedule::goal::ANY).
    pub peer: u32,
    /// The tag with the id of the communicator, or [`ANY_TAG`](crate::schedule::goal::ANY_TAG).
    pub tag: u64,
    /// The index of the communicator in [`RankTrace::members`].
    pub communicator: u8,
}

/// A call of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveCall {
    /// The operation.
    pub operation: MpiCollective,
    /// The bytes of the buffer of a rank, or of the block for each rank of an all-to-all. 0 if blocks have different sizes.
    pub bytes: u64,
    /// The root, and 0 for operations without a root.
    pub root: u32,
    /// The index of the communicator in [`RankTrace::members`].
    pub communicator: u8,
    /// The index in [`RankTrace::blocks`] of blocks of different sizes: those for each rank, then those from each rank.
    pub blocks: u32,
}

/// Calls that communicate and are not simulated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedCalls {
    /// The number of calls by name.
    pub counts: BTreeMap<&'static str, u64>,
    /// The ticks of all of them.
    pub ticks: u64,
}

/// A problem of a trace.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("rank {rank}: {message}")]
#[non_exhaustive]
pub struct MpiError {
    /// The rank, which is the number of the file.
    pub rank: usize,
    /// The bytes of the file.
    pub span: Range<usize>,
    /// The problem.
    pub message: String,
    /// The accepted values.
    pub accepted: &'static str,
}

/// The most problems that are listed.
const LISTED: usize = 20;

impl MpiTrace {
    /// Reads the traces of the ranks 0, 1, ... O(bytes) time.
    ///
    /// # Errors
    /// If lines are wrong, members of a communicator are unknown, or collectives do not match. All problems of lines are returned, or
    /// the first twenty.
    pub fn read(texts: &[&str], rules: &ReadRules<'_>) -> Result<Self, Vec<MpiError>> {
        let mut trace = Self { ranks: Vec::new(), groups: Vec::new(), skipped: SkippedCalls::default() };
        let (mut named, mut errors) = (Vec::new(), Vec::new());
        for rank in 0..texts.len() {
            let (calls, communicators) = read::read_rank(rank, texts, rules, &mut trace.skipped, &mut errors);
            trace.ranks.push(calls);
            named.push(communicators);
        }
        if errors.is_empty() {
            trace.set_members(&named, rules.groups, &mut errors);
        }
        if errors.is_empty() {
            trace.match_collectives(texts, &mut errors);
        }
        errors.truncate(LISTED);
        if errors.is_empty() { Ok(trace) } else { Err(errors) }
    }
}
