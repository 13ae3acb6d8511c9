//! How algorithms for powers of two take any number of ranks, as MPICH does.
//!
//! With `m` the largest power of two up to `P` and `e = P - m`, for each `i < e` rank `2i` is *extra*: it gives what it has to its
//! partner `2i + 1` first, and is given its result last. The others are numbered anew: `v` is rank `2v + 1` for `v < e`, else
//! `v + e`.
//!
//! Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, section 4.5.

use crate::schedule::collective::{Move, Phase, SetId};

/// The ranks that take part as if their number were a power of two, and the extra ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    /// The largest power of two up to the number of ranks.
    pub(super) inner: usize,
    /// Extra ranks.
    pub(super) extras: usize,
}

impl Fold {
    pub(super) fn of_ranks(ranks: usize) -> Self {
        let inner = 1 << ranks.ilog2();
        Self { inner, extras: ranks - inner }
    }

    /// Steps of a butterfly among the inner ranks.
    pub(super) fn doublings(self) -> usize {
        self.inner.trailing_zeros() as usize
    }

    /// The steps of both, and those of the extra ranks.
    pub(super) fn steps(self) -> u64 {
        self.doublings() as u64 + if self.extras > 0 { 2 } else { 0 }
    }

    /// The rank with the new number `v`.
    pub(super) fn rank(self, v: usize) -> usize {
        if v < self.extras { 2 * v + 1 } else { v + self.extras }
    }

    /// The ranks that the new number `v` stands for: its own, and its extra one.
    pub(super) fn stands_for(self, v: usize) -> impl Iterator<Item = usize> {
        let extra = (v < self.extras).then_some(2 * v);
        extra.into_iter().chain([self.rank(v)])
    }

    /// Extra ranks give `set` to their partners.
    pub(super) fn give(self, set: SetId) -> Phase {
        let mut give = Phase::default();
        for at in 0..self.extras {
            give.send(0, Move { part: 0, src: 2 * at, dst: 2 * at + 1, set });
        }
        give
    }
}
