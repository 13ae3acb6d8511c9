//! What a collective proves without being run.
//!
//! The vector is cut into pieces that messages carry whole or not at all. Each rank has a random residue modulo the prime
//! 2^61 - 1; a cell, what a rank holds of a piece, keeps the sum of the residues of its contributions and how many they
//! are. A reduce adds both, a copy replaces both. In the end a cell that should hold all contributions must have the sum of
//! all residues and the number of ranks: one that counts a contribution twice and lacks another agrees with a probability
//! below 2^-60. What is found wrong is then followed again with the very sets ([`super::explain`]).
//!
//! Pieces do not meet, so they are followed in groups whose cells take little memory.

use super::explain::explain;
use super::{Action, Collective, CollectiveMessage, Holding, Operation, Sets};
use crate::cancel::{self, Pace};
use crate::random;
use crate::units::MessageId;
use rand::Rng;
use std::ops::Range;
use thiserror::Error;

/// What [`Collective::check`] has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectiveProof {
    /// The number of messages, each of which carries only what its source holds when the step begins.
    pub messages: usize,
    /// Flits that are sent to a rank that holds the same already.
    pub redundant_flits: u64,
}

/// What is wrong with a collective.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CollectiveViolation {
    /// A message goes from or to a rank that does not take part, or nowhere.
    #[error(
        "step {step}, message {message} ({src}->{dst}): sender and receiver must be two different ranks from 0 to {last}"
    )]
    Ranks {
        /// The step, from 0.
        step: usize,
        /// The message.
        message: MessageId,
        /// Its source.
        src: usize,
        /// Its destination.
        dst: usize,
        /// The last rank.
        last: usize,
    },
    /// A message carries what its source does not hold when the step begins.
    #[error("step {step}, message {message} ({src}->{dst}): rank {src} sends flits {} but does not hold them", in_words(.flits))]
    NotHeld {
        /// The step, from 0.
        step: usize,
        /// The message.
        message: MessageId,
        /// Its source.
        src: usize,
        /// Its destination.
        dst: usize,
        /// The positions.
        flits: Range<u64>,
    },
    /// Two messages of a step replace what a rank holds at the same position.
    #[error("step {step}, message {message}: flits {} of rank {rank} are written twice in the step", in_words(.flits))]
    WrittenTwice {
        /// The step, from 0.
        step: usize,
        /// The second message.
        message: MessageId,
        /// Its destination.
        rank: usize,
        /// The positions.
        flits: Range<u64>,
    },
    /// A reduce combines two sets that have a contribution in common.
    #[error(
        "step {step}, message {message} ({src}->{dst}): the contribution of rank {contributor} to flits {} is combined \
         twice at rank {dst}",
        in_words(.flits)
    )]
    CountedTwice {
        /// The step, from 0.
        step: usize,
        /// The message.
        message: MessageId,
        /// Its source.
        src: usize,
        /// Its destination.
        dst: usize,
        /// A rank whose contribution both have.
        contributor: usize,
        /// The positions.
        flits: Range<u64>,
    },
    /// A rank does not end with what it must hold.
    #[error(
        "rank {rank} ends with {held} of {needed} contributions to flits {}{}",
        in_words(.flits),
        .missing.map_or_else(String::new, |rank| format!("; the contribution of rank {rank} is missing"))
    )]
    Incomplete {
        /// The rank.
        rank: usize,
        /// The positions.
        flits: Range<u64>,
        /// How many of the contributions that it needs it has.
        held: usize,
        /// How many it needs.
        needed: usize,
        /// One that is missing, if it was looked for.
        missing: Option<usize>,
    },
    /// A rank leaves a barrier too early.
    #[error(
        "rank {rank} leaves the barrier with the signals of {heard} of {ranks} ranks; the signal of rank {missing} is missing"
    )]
    LeftEarly {
        /// The rank.
        rank: usize,
        /// How many ranks it has heard of.
        heard: usize,
        /// How many there are.
        ranks: usize,
        /// One that it has not heard of.
        missing: usize,
    },
}

/// A range of positions as people write it, both ends included.
fn in_words(flits: &Range<u64>) -> String {
    if flits.end - flits.start == 1 { flits.start.to_string() } else { format!("{}-{}", flits.start, flits.end - 1) }
}

/// Cells followed at once, 16 bytes each: they about fit a processor's cache.
const CELLS: usize = 1 << 19;

/// What a rank holds of a piece, as far as a proof cares.
trait Cell: Copy {
    /// Whether there is nothing.
    fn is_empty(&self) -> bool;

    /// Whether both hold the same.
    fn is_same(&self, other: &Self) -> bool;

    /// Combines both.
    fn reduce(&mut self, other: &Self);
}

/// The sum of the residues of some contributions, and how many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    residues: u64,
    count: u64,
}

/// The modulus of residues: a Mersenne prime, so that a sum is reduced by an addition.
const PRIME: u64 = (1 << 61) - 1;

impl Sum {
    fn of_residue(residue: u64) -> Self {
        Self { residues: residue, count: 1 }
    }
}

impl Cell for Sum {
    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }

    fn reduce(&mut self, other: &Self) {
        let sum = self.residues + other.residues;
        self.residues = if sum >= PRIME { sum - PRIME } else { sum };
        // a contribution that doubles in each of many steps: no more than can be counted
        self.count = self.count.saturating_add(other.count);
    }
}

/// Contributions of consecutive ranks; those of others are not told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Interval {
    #[default]
    Empty,
    Of(u32, u32),
    Scattered,
}

impl Cell for Interval {
    fn is_empty(&self) -> bool {
        *self == Self::Empty
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }

    fn reduce(&mut self, other: &Self) {
        *self = match (*self, *other) {
            (Self::Empty, only) | (only, Self::Empty) => only,
            (Self::Of(first, end), Self::Of(next, last)) if end == next => Self::Of(first, last),
            (Self::Of(next, last), Self::Of(first, end)) if end == next => Self::Of(first, last),
            _ => Self::Scattered,
        };
    }
}

/// What is wrong with a group of pieces, before it is looked at closely.
struct Wrong {
    piece: usize,
}

/// Where the runs of each set begin that are not behind a group of pieces: groups ascend, so that none is looked for twice.
struct Cursors {
    at: Vec<u32>,
}

impl Cursors {
    fn new(sets: &Sets) -> Self {
        let before = std::iter::once(0).chain(sets.ends.iter().copied());
        Self { at: before.take(sets.ends.len()).collect() }
    }

    /// Goes on to the pieces from `first` on.
    fn advance(&mut self, sets: &Sets, first: usize) {
        for (at, &end) in self.at.iter_mut().zip(&sets.ends) {
            while *at < end && sets.runs[*at as usize].end as usize <= first {
                *at += 1;
            }
        }
    }
}

/// The cells of a group of pieces, rank by rank.
struct Cells<'a, C> {
    collective: &'a Collective,
    cursors: &'a Cursors,
    group: Range<usize>,
    cells: Vec<C>,
    /// What the messages of the step in hand carry.
    carried: Vec<C>,
    /// Per rank the messages that come in the step in hand, and whether one of them is a copy.
    incoming: Vec<Incoming>,
    redundant: u64,
}

#[derive(Clone, Copy, Default)]
struct Incoming {
    messages: u32,
    copies: bool,
}

impl<'a, C: Cell> Cells<'a, C> {
    /// Before the first step; `cell` says what a rank holds of a piece.
    fn new(
        collective: &'a Collective,
        cursors: &'a Cursors,
        group: Range<usize>,
        cell: impl Fn(usize, usize) -> C,
    ) -> Self {
        let ranks = collective.ranks;
        let cells = (0..ranks).flat_map(|rank| group.clone().map(move |piece| (rank, piece)));
        let cells = cells.map(|(rank, piece)| cell(rank, piece)).collect();
        let incoming = vec![Incoming::default(); ranks];
        Self { collective, cursors, group, cells, carried: Vec::new(), incoming, redundant: 0 }
    }

    /// The runs of a message within the group.
    fn runs(&self, message: &CollectiveMessage) -> impl Iterator<Item = Range<usize>> + use<'a, C> {
        let sets = &self.collective.sets;
        let set = message.set.index();
        let runs = &sets.runs[self.cursors.at[set] as usize..sets.ends[set] as usize];
        let group = self.group.clone();
        let within = runs.iter().map(move |run| {
            let start = (run.start as usize).max(group.start);
            start..(run.end as usize).min(group.end)
        });
        within.take_while(|run| !run.is_empty())
    }

    /// The cells of `rank` for a run of pieces.
    fn row(&mut self, rank: usize, run: Range<usize>) -> &mut [C] {
        let first = rank * self.group.len();
        &mut self.cells[first + run.start - self.group.start..first + run.end - self.group.start]
    }

    /// Follows all messages.
    fn follow(&mut self) -> Result<(), Wrong> {
        let mut pace = Pace::default();
        for step in 0..self.collective.steps() {
            self.take(step, &mut pace)?;
            self.refuse_written_twice(step)?;
            self.deliver(step);
        }
        Ok(())
    }

    /// Notes what each message of a step carries.
    fn take(&mut self, step: usize, pace: &mut Pace) -> Result<(), Wrong> {
        self.carried.clear();
        for message in self.collective.messages(step) {
            pace.step();
            for run in self.runs(&message) {
                let first = message.src * self.group.len();
                let from = first + run.start - self.group.start;
                let row = &self.cells[from..from + run.len()];
                if let Some(at) = row.iter().position(Cell::is_empty) {
                    return Err(Wrong { piece: run.start + at });
                }
                self.carried.extend_from_slice(row);
            }
        }
        Ok(())
    }

    /// A position of a rank is written by one copy of a step, or by reduces.
    fn refuse_written_twice(&mut self, step: usize) -> Result<(), Wrong> {
        let mut several = false;
        for message in self.collective.messages(step) {
            let incoming = &mut self.incoming[message.dst];
            incoming.messages += 1;
            incoming.copies |= message.action == Action::Copy;
            several |= incoming.messages > 1 && incoming.copies;
        }
        let found = if several { self.written_twice(step) } else { None };
        for message in self.collective.messages(step) {
            self.incoming[message.dst] = Incoming::default();
        }
        found.map_or(Ok(()), |piece| Err(Wrong { piece }))
    }

    /// A piece that a copy of the step and another of its messages write at the same rank.
    fn written_twice(&self, step: usize) -> Option<usize> {
        let meets = |message: &CollectiveMessage| {
            let Incoming { messages, copies } = self.incoming[message.dst];
            messages > 1 && copies
        };
        let mut writes: Vec<CollectiveMessage> = self.collective.messages(step).filter(meets).collect();
        writes.sort_by_key(|message| message.dst);
        let mut written: Vec<Option<Action>> = vec![None; self.group.len()];
        for group in writes.chunk_by(|a, b| a.dst == b.dst) {
            written.fill(None);
            for message in group {
                for piece in self.runs(message).flatten() {
                    let before = written[piece - self.group.start].replace(message.action);
                    if before.is_some_and(|before| before == Action::Copy || message.action == Action::Copy) {
                        return Some(piece);
                    }
                }
            }
        }
        None
    }

    fn deliver(&mut self, step: usize) {
        let carried = std::mem::take(&mut self.carried);
        let mut rest = carried.as_slice();
        for message in self.collective.messages(step) {
            for run in self.runs(&message) {
                let (now, after) = rest.split_at(run.len());
                rest = after;
                if message.action == Action::Copy {
                    self.redundant += self.redundant_flits(message.dst, &run, now);
                    self.row(message.dst, run).copy_from_slice(now);
                } else {
                    let row = self.row(message.dst, run);
                    row.iter_mut().zip(now).for_each(|(cell, carried)| cell.reduce(carried));
                }
            }
        }
        self.carried = carried;
    }

    /// The flits of `run` that `rank` holds already as `carried` has them.
    fn redundant_flits(&mut self, rank: usize, run: &Range<usize>, carried: &[C]) -> u64 {
        let collective = self.collective;
        let both = self.row(rank, run.clone()).iter().zip(carried).zip(run.clone());
        let same = both.filter(|((cell, carried), _)| cell.is_same(carried));
        same.map(|(_, piece)| collective.piece_flits(piece)).sum()
    }
}

impl Collective {
    /// Proves that each message carries only what its source holds when its step begins, that no contribution is counted
    /// twice in what a rank ends with, and that each rank ends with what the operation asks for.
    ///
    /// O(pieces sent + ranks * pieces) time, a few ten MB.
    ///
    /// # Errors
    /// The first violation of the first piece of the vector that has one.
    pub fn check(&self) -> Result<CollectiveProof, CollectiveViolation> {
        self.check_ranks()?;
        if self.operation == Operation::Barrier {
            explain(self, 0)?;
            return Ok(CollectiveProof { messages: self.len(), redundant_flits: 0 });
        }
        let residues = residues(self.ranks);
        let all = residues.iter().fold(Sum::default(), |mut all, &residue| {
            all.reduce(&Sum::of_residue(residue));
            all
        });
        let sum = |holding: Holding| match holding {
            Holding::Nothing => Sum::default(),
            Holding::One(rank) => Sum::of_residue(residues[rank]),
            Holding::All => all,
        };
        let owners = self.share_owners();
        let mut redundant_flits = 0;
        let mut cursors = Cursors::new(&self.sets);
        for group in self.groups() {
            cursors.advance(&self.sets, group.start);
            let before = |rank, piece: usize| sum(self.operation.before(rank, owners[piece], self.root));
            let mut cells = Cells::new(self, &cursors, group.clone(), before);
            let followed = cells.follow().and_then(|()| {
                let wrong = |rank: usize, piece: usize| {
                    let needed = self.operation.after(rank, owners[piece], self.root);
                    let held = cells.cells[rank * group.len() + piece - group.start];
                    needed != Holding::Nothing && held != sum(needed)
                };
                let found = group.clone().find(|&piece| (0..self.ranks).any(|rank| wrong(rank, piece)));
                found.map_or(Ok(()), |piece| Err(Wrong { piece }))
            });
            if let Err(Wrong { piece }) = followed {
                explain(self, piece)?;
            }
            redundant_flits += cells.redundant;
        }
        Ok(CollectiveProof { messages: self.len(), redundant_flits })
    }

    /// Whether all that is combined are contributions of consecutive ranks, so that combining need not be commutative.
    /// Says nothing of a schedule that is wrong.
    pub fn keeps_order(&self) -> bool {
        let owners = self.share_owners();
        let mut cursors = Cursors::new(&self.sets);
        self.groups().all(|group| {
            cursors.advance(&self.sets, group.start);
            let before = |rank: usize, piece: usize| match self.operation.before(rank, owners[piece], self.root) {
                Holding::One(rank) => {
                    Interval::Of(crate::units::NodeId::new(rank).0, crate::units::NodeId::new(rank + 1).0)
                }
                _ => Interval::Empty,
            };
            let mut cells = Cells::new(self, &cursors, group, before);
            cells.follow().is_ok() && !cells.cells.contains(&Interval::Scattered)
        })
    }

    /// The pieces in groups that are followed one after the other.
    fn groups(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let pieces = self.pieces();
        let each = (CELLS / self.ranks).max(1);
        cancel::steps((0..pieces).step_by(each)).map(move |first| first..pieces.min(first + each))
    }

    fn check_ranks(&self) -> Result<(), CollectiveViolation> {
        for step in 0..self.steps() {
            for CollectiveMessage { id, src, dst, .. } in self.messages(step) {
                if src == dst || src.max(dst) >= self.ranks {
                    return Err(CollectiveViolation::Ranks { step, message: id, src, dst, last: self.ranks - 1 });
                }
            }
        }
        Ok(())
    }
}

/// A residue for each rank, the same in every run: a schedule is not made by an adversary who knows them.
fn residues(ranks: usize) -> Vec<u64> {
    let mut stream = random::stream(0, "contributions", 0);
    (0..ranks).map(|_| stream.next_u64() % PRIME).collect()
}
