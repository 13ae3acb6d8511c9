//! The schedule of a collective operation: steps of messages that copy and combine parts of a vector.
//!
//! `P` ranks have a vector of `V` flits each. A message carries what its source holds *at the start of its step* at some
//! positions of the vector, whatever arrives during the step; its receiver replaces what it holds there (*copy*) or combines
//! both (*reduce*). The messages of a barrier are *signals*: they carry nothing, and their receiver has then heard of all
//! ranks that their source had heard of. A [`Collective`] knows ranks, steps and positions; it refuses to know nodes,
//! networks, lengths of messages on the wire and time. That each rank ends with each contribution exactly once is for
//! [`Collective::check`] to prove.
//!
//! ```text
//!   cut          the vector into parts that travel independently, and blocks                  layout
//!   plan         which rank sends which blocks to which, step by step                         planner
//!   check        who holds whose contributions in the end                                     check, explain
//!   history      who holds whose contributions after each step                                history, contributions
//!   dependency   which messages a message needs, where no barrier stands between steps        dependency
//! ```
//!
//! # Message numbers
//!
//! Messages are numbered from 0 by step, part, source, destination, action (copy before reduce) and positions. All that goes
//! from one rank to another in a step and a part by one action is one message, unless segments are asked for.
//!
//! # Size
//!
//! 16 bytes a message. Positions are kept as sets of *pieces*, stretches of the vector that messages carry whole or not at
//! all, and messages with the same positions share one set.

mod check;
mod contributions;
mod dependency;
mod explain;
mod history;
mod layout;
mod operation;
mod planner;
mod segments;
mod worms;

pub use check::{CollectiveProof, CollectiveViolation};
pub use dependency::Dependencies;
pub use history::{History, HoldingsTooLarge};
pub use layout::{Layout, cut};
pub use operation::{Holding, Operation};
pub use planner::{Move, Phase, Planner, SetId};
pub use worms::TreeCollective;

use crate::units::{Flits, MessageId};
use std::ops::Range;

/// What a receiver does with what a message carries. The order is that of message numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It replaces what it holds.
    Copy,
    /// It combines both.
    Reduce,
    /// Nothing is carried: it has heard of the source, and of all that the source had heard of.
    Signal,
}

impl Action {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Reduce => "reduce",
            Self::Signal => "signal",
        }
    }
}

/// The schedule of a collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    operation: Operation,
    ranks: usize,
    root: usize,
    /// Where each piece of the vector begins, and at the end its length.
    bounds: Vec<u64>,
    sets: Sets,
    /// Where each step's messages begin, and at the end how many there are.
    steps: Vec<u32>,
    messages: Vec<Sent>,
}

/// A message as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    src: u32,
    dst: u32,
    part: u16,
    action: Action,
    set: SetId,
}

/// Sets of pieces, each as ascending runs that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sets {
    runs: Vec<Range<u32>>,
    /// Where each set's runs end.
    ends: Vec<u32>,
    /// The flits of each set.
    flits: Vec<u64>,
}

impl Sets {
    fn runs(&self, set: SetId) -> &[Range<u32>] {
        let at = set.index();
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.runs[start..self.ends[at] as usize]
    }
}

/// One message of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveMessage {
    /// Its number.
    pub id: MessageId,
    /// Which part of the vector it belongs to.
    pub part: usize,
    /// The rank that sends it.
    pub src: usize,
    /// The rank that receives it.
    pub dst: usize,
    /// What its receiver does with it.
    pub action: Action,
    /// What it carries: messages that carry the same have the same set.
    pub set: SetId,
    /// Its payload; a signal has none.
    pub flits: Flits,
}

impl CollectiveMessage {
    /// The flits that lists of messages and sums of flits count: of a signal its head flit.
    pub fn listed_flits(&self) -> u64 {
        self.flits.on_wire()
    }
}

impl Collective {
    /// What it does.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The ranks that take part.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The root; 0 where there is none.
    pub fn root(&self) -> usize {
        self.root
    }

    /// The length of the vector; 0 of a barrier.
    pub fn flits(&self) -> u64 {
        if self.operation == Operation::Barrier { 0 } else { self.bounds.last().copied().unwrap_or_default() }
    }

    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.steps.len() - 1
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The number of different sets of positions that messages carry.
    pub fn sets(&self) -> usize {
        self.sets.ends.len()
    }

    /// The flits of a set.
    ///
    /// # Panics
    /// If there is no such set.
    pub fn set_flits(&self, set: SetId) -> Flits {
        Flits(self.sets.flits[set.index()])
    }

    /// The flits of every set, by number.
    pub fn payloads(&self) -> impl Iterator<Item = Flits> + '_ {
        self.sets.flits.iter().map(|&flits| Flits(flits))
    }

    /// One more than the largest number of a part.
    pub fn parts(&self) -> usize {
        self.messages.iter().map(|message| usize::from(message.part) + 1).max().unwrap_or(1)
    }

    /// The numbers of the messages of `step`.
    ///
    /// # Panics
    /// If there is no such step.
    pub fn step(&self, step: usize) -> Range<u32> {
        self.steps[step]..self.steps[step + 1]
    }

    /// The step of message `id`.
    pub fn step_of(&self, id: MessageId) -> usize {
        self.steps.partition_point(|&first| first <= id.0) - 1
    }

    /// The message with number `id`.
    ///
    /// # Panics
    /// If there is no such message.
    #[inline]
    pub fn message(&self, id: MessageId) -> CollectiveMessage {
        let Sent { src, dst, part, action, set } = self.messages[id.index()];
        let flits = if action == Action::Signal { Flits(0) } else { self.set_flits(set) };
        CollectiveMessage { id, part: part.into(), src: src as usize, dst: dst as usize, action, set, flits }
    }

    /// The messages of `step` by number.
    ///
    /// # Panics
    /// If there is no such step.
    pub fn messages(&self, step: usize) -> impl ExactSizeIterator<Item = CollectiveMessage> + '_ {
        self.step(step).map(|id| self.message(MessageId(id)))
    }

    /// The positions that message `id` carries: ascending ranges that do not touch; none of a signal.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn positions(&self, id: MessageId) -> impl Iterator<Item = Range<u64>> + '_ {
        let Sent { action, set, .. } = self.messages[id.index()];
        let runs = if action == Action::Signal { &[] } else { self.sets.runs(set) };
        runs.iter().map(|run| self.bounds[run.start as usize]..self.bounds[run.end as usize])
    }

    /// The pieces of the vector.
    fn pieces(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The runs of pieces that message `id` carries.
    fn runs(&self, id: MessageId) -> &[Range<u32>] {
        self.sets.runs(self.messages[id.index()].set)
    }

    /// The flits of a piece.
    fn piece_flits(&self, piece: usize) -> u64 {
        self.bounds[piece + 1] - self.bounds[piece]
    }

    /// The rank whose share each piece belongs to.
    fn share_owners(&self) -> Vec<usize> {
        let flits = self.flits();
        let mut owner = 0;
        let owner_of = |&start: &u64| {
            // no more shares than ranks: the last one ends with the vector
            while owner + 1 < self.ranks && cut(flits, self.ranks, owner).end <= start {
                owner += 1;
            }
            owner
        };
        self.bounds[..self.pieces()].iter().map(owner_of).collect()
    }
}
