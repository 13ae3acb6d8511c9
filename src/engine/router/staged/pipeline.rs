//! Stages of several cycles.

use super::super::vcset::VcSet;
use crate::engine::router::StageEntry;
use std::collections::VecDeque;

/// A stage into which something enters in every step. It takes effect at the end of the last of its cycles.
pub(super) struct Pipeline<T> {
    /// Cycles of the stage, at least 1.
    cycles: u64,
    /// The items that have entered, by the last cycle of each.
    under_way: VecDeque<(u64, T)>,
}

impl<T> Pipeline<T> {
    /// Creates an empty stage of `cycles` cycles.
    pub(super) fn new(cycles: u64) -> Self {
        Self { cycles, under_way: VecDeque::new() }
    }

    /// Returns true if what enters takes effect in the same step.
    #[inline(always)]
    pub(super) fn is_immediate(&self) -> bool {
        self.cycles == 1
    }

    /// Adds `item`, which enters in cycle `now`.
    pub(super) fn enter(&mut self, now: u64, item: T) {
        self.under_way.push_back((now + self.cycles - 1, item));
    }

    /// Removes the next item that takes effect by the end of cycle `now`.
    pub(super) fn leave(&mut self, now: u64) -> Option<T> {
        let is_due = self.under_way.front().is_some_and(|(last, _)| *last <= now);
        if is_due { self.under_way.pop_front().map(|(_, item)| item) } else { None }
    }

    /// All items.
    pub(super) fn items(&self) -> impl Iterator<Item = &T> {
        self.under_way.iter().map(|(_, item)| item)
    }

    /// Returns true if no item is in flight.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }
}

/// The stage of route computation of the routers of a block, with the input VCs of head flits.
pub(super) struct Batches<const W: usize> {
    stage: Option<Pipeline<VcSet<W>>>,
    entry: StageEntry,
    /// Head flits whose routes are computed.
    computed: VcSet<W>,
}

impl<const W: usize> Batches<W> {
    /// Creates an empty stage of `cycles` cycles, 0 if routes take no stage.
    pub(super) fn new(cycles: u64, entry: StageEntry) -> Self {
        Self { stage: (cycles > 0).then(|| Pipeline::new(cycles)), entry, computed: VcSet::EMPTY }
    }

    /// The stage, if there is one.
    pub(super) fn stage(&mut self) -> Option<&mut Pipeline<VcSet<W>>> {
        self.stage.as_mut()
    }

    /// Returns true if head flits wait until the stage of their router is empty.
    pub(super) fn are_closed(&self) -> bool {
        self.entry == StageEntry::Batched
    }

    /// Ends a step of cycle `now`: head flits leave that have been in the stage for its cycles.
    #[inline(always)]
    pub(super) fn end_step(&mut self, now: u64) {
        let Some(stage) = &mut self.stage else { return };
        while let Some(heads) = stage.leave(now) {
            self.computed |= heads;
        }
    }

    /// Removes the head flits whose routes are computed, and returns them.
    #[inline(always)]
    pub(super) fn take_computed(&mut self) -> VcSet<W> {
        std::mem::replace(&mut self.computed, VcSet::EMPTY)
    }

    /// Returns true if no item is in flight.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.computed.is_empty() && self.stage.as_ref().is_none_or(Pipeline::is_empty)
    }
}
