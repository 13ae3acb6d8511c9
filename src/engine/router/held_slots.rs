//! Slots of nodes that messages keep until their nodes return them.

use super::layout::Place;
use std::collections::VecDeque;

/// Returned slots whose credits are in flight to the routers.
pub(crate) struct HeldSlots {
    /// Cycles from the return of a slot to its credit, over an ejection channel without a delay.
    credit: u64,
    /// Credits by the cycle in which they arrive: the output VC, and their number.
    due: VecDeque<(u64, Place, u32)>,
}

impl HeldSlots {
    /// Creates slots whose credits take `credit` cycles.
    pub(crate) fn new(credit: u64) -> Self {
        Self { credit, due: VecDeque::new() }
    }

    /// Returns `slots` slots behind the output VC at `place` in cycle `now`, over a channel with a delay of `delay` cycles.
    pub(crate) fn release(&mut self, place: Place, slots: u32, now: u64, delay: u64) {
        let cycle = now + self.credit + delay;
        let index = self.due.partition_point(|&(due, ..)| due <= cycle);
        self.due.insert(index, (cycle, place, slots));
    }

    /// Removes and returns the next credits that arrive by cycle `now`.
    pub(crate) fn arrive(&mut self, now: u64) -> Option<(Place, u32)> {
        let &(_, place, slots) = self.due.front().filter(|&&(due, ..)| due <= now)?;
        self.due.pop_front();
        Some((place, slots))
    }

    /// The next cycle in which credits arrive.
    pub(crate) fn next(&self) -> Option<u64> {
        self.due.front().map(|&(due, ..)| due)
    }
}
