//! What every rank holds after each step: the very contributions at every position of the vector.
//!
//! A proof needs sums only ([`Collective::check`]); the holdings of a small schedule are followed here. This file refuses to
//! say whether a schedule is right: what a message carries that its source does not hold is nothing, and what counts twice
//! is there once.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::{History, Operation};
//! let ring = Algorithm::named("ring").ok_or("no such algorithm")?;
//! let reduce_scatter = ring.plan(&Request::new(Operation::ReduceScatter, 4, 10))?;
//! let mut history = History::new(&reduce_scatter)?;
//! assert!(history.advance());
//! // positions 8 and 9 went from rank 0 to rank 1
//! assert_eq!((history.positions(3), history.contributors(1, 3)), (8..10, vec![0, 1]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::contributions::{self, Contributions};
use super::{Action, Collective, Holding};
use crate::cancel::Pace;
use crate::units::MessageId;
use std::ops::Range;
use thiserror::Error;

/// What every rank holds, step by step. Its memory is a bit for each rank, piece of the vector and contributor, twice.
#[derive(Clone, Debug)]
pub struct History<'a> {
    collective: &'a Collective,
    /// Steps done.
    steps: usize,
    /// What ranks hold, set `rank * pieces + piece`.
    held: Contributions,
    /// The same before the last step.
    before: Contributions,
}

/// The most memory of a history, in bytes.
const MOST_BYTES: u128 = 1 << 28;

/// A schedule is too large for its holdings to be followed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "the holdings of {ranks} ranks for {pieces} pieces of the vector need {} MiB; the maximum is {} MiB",
    .bytes >> 20,
    MOST_BYTES >> 20
)]
pub struct HoldingsTooLarge {
    /// The ranks.
    pub ranks: usize,
    /// Pieces of the vector.
    pub pieces: usize,
    /// What their holdings would take.
    pub bytes: u128,
}

impl<'a> History<'a> {
    /// The holdings before the first step.
    ///
    /// # Errors
    /// If they take too much memory.
    pub fn new(collective: &'a Collective) -> Result<Self, HoldingsTooLarge> {
        let ranks = collective.ranks;
        let pieces = collective.pieces();
        let bytes = 2 * 8 * ranks as u128 * pieces as u128 * ranks.div_ceil(64) as u128;
        if bytes > MOST_BYTES {
            return Err(HoldingsTooLarge { ranks, pieces, bytes });
        }
        let owners = collective.share_owners();
        let mut held = Contributions::new(ranks * pieces, ranks);
        for rank in 0..ranks {
            for (piece, &owner) in owners.iter().enumerate() {
                if let Holding::One(contributor) = collective.operation.before(rank, owner, collective.root) {
                    held.insert(rank * pieces + piece, contributor);
                }
            }
        }
        Ok(Self { collective, steps: 0, before: held.clone(), held })
    }

    /// How many steps have been done.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Does the next step; says whether there was one.
    pub fn advance(&mut self) -> bool {
        if self.steps == self.collective.steps() {
            return false;
        }
        self.before.clone_from(&self.held);
        let pieces = self.pieces();
        let mut pace = Pace::default();
        for message in self.collective.messages(self.steps) {
            for piece in self.collective.runs(message.id).iter().flat_map(|run| run.start as usize..run.end as usize) {
                pace.step();
                let carried = self.before.set(message.src * pieces + piece);
                let held = self.held.set_mut(message.dst * pieces + piece);
                match message.action {
                    Action::Copy => held.copy_from_slice(carried),
                    Action::Reduce | Action::Signal => contributions::unite(held, carried),
                }
            }
        }
        self.steps += 1;
        true
    }

    /// How many pieces the vector has; one of a barrier, which stands for what ranks have heard.
    pub fn pieces(&self) -> usize {
        self.collective.pieces()
    }

    /// The positions of a piece; of a barrier they mean nothing.
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn positions(&self, piece: usize) -> Range<u64> {
        self.collective.bounds[piece]..self.collective.bounds[piece + 1]
    }

    /// Whose contributions `rank` holds at the positions of `piece`, by rank.
    ///
    /// # Panics
    /// If there is no such rank or piece.
    pub fn contributors(&self, rank: usize, piece: usize) -> Vec<usize> {
        contributions::members(self.held.set(rank * self.pieces() + piece)).collect()
    }

    /// Whether `rank` holds the contribution of `contributor` at the positions of `piece`.
    ///
    /// # Panics
    /// If there is no such rank or piece.
    pub fn holds(&self, rank: usize, piece: usize, contributor: usize) -> bool {
        contributions::contains(self.held.set(rank * self.pieces() + piece), contributor)
    }

    /// Whether the last step changed what `rank` holds at the positions of `piece`.
    ///
    /// # Panics
    /// If there is no such rank or piece.
    pub fn is_changed(&self, rank: usize, piece: usize) -> bool {
        let at = rank * self.pieces() + piece;
        self.held.set(at) != self.before.set(at)
    }

    /// Whether `rank` holds the same at the positions of `piece` and of the piece after it.
    ///
    /// # Panics
    /// If there is no such rank or piece.
    pub fn is_same_as_next(&self, rank: usize, piece: usize) -> bool {
        let at = rank * self.pieces() + piece;
        self.held.set(at) == self.held.set(at + 1)
    }

    /// Whether message `id` would bring the contribution of `contributor`, if it were sent now.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn carries(&self, id: MessageId, contributor: usize) -> bool {
        let src = self.collective.message(id).src;
        let mut pieces = self.collective.runs(id).iter().flat_map(|run| run.start as usize..run.end as usize);
        pieces.any(|piece| self.holds(src, piece, contributor))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::algorithm::collective::{ALGORITHMS, Request};
    use crate::schedule::collective::Operation;

    /// Whatever is proved to end rightly is seen to.
    #[test]
    fn holdings_end_as_operations_ask_for() {
        for (_, operation) in Operation::ALL {
            for ranks in [5, 8] {
                let request = Request { segment_flits: 3, ..Request::new(operation, ranks, 2 * ranks as u64 + 1) };
                for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.admits(&request).is_ok()) {
                    let collective = algorithm.plan(&request).unwrap();
                    let owners = collective.share_owners();
                    let mut history = History::new(&collective).unwrap();
                    while history.advance() {}
                    for (rank, piece) in (0..ranks).flat_map(|rank| (0..owners.len()).map(move |piece| (rank, piece))) {
                        let expected = match operation.after(rank, owners[piece], collective.root()) {
                            Holding::Nothing => continue,
                            Holding::One(contributor) => vec![contributor],
                            Holding::All => (0..ranks).collect(),
                        };
                        let held = history.contributors(rank, piece);
                        assert_eq!(held, expected, "{} {operation:?}: {rank} at {piece}", algorithm.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_history_that_takes_too_much_memory_is_refused() {
        let circulant = ALGORITHMS.iter().find(|algorithm| algorithm.name == "circulant").unwrap();
        let collective = circulant.plan(&Request::new(Operation::ReduceScatter, 1100, 2000)).unwrap();
        let refused = History::new(&collective).unwrap_err();
        assert!(refused.to_string().contains("need 332 MiB; the maximum is 256 MiB"), "{refused}");
    }
}
