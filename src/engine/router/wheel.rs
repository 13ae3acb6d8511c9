//! Things that happen some cycles ahead.

use crate::units::narrow;

/// Something that begins to happen to a vc, once a cycle, so many times.
pub(super) type Run = (u32, u32);

/// Runs by the cycle in which they begin, a list for each cycle ahead.
pub(super) struct Wheel {
    slots: Vec<Vec<Run>>,
    pending: usize,
}

impl Wheel {
    /// A wheel that reaches `longest` cycles ahead.
    pub(super) fn new(longest: u64) -> Self {
        let slots = narrow::<usize, _>(longest + 1, "delays are limited where they are read").next_power_of_two();
        Self { slots: vec![Vec::new(); slots], pending: 0 }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    fn slot(&mut self, at: u64) -> &mut Vec<Run> {
        let mask = self.slots.len() - 1;
        &mut self.slots[at as usize & mask]
    }

    /// `run` begins in the cycle `at`.
    pub(super) fn push(&mut self, at: u64, run: Run) {
        self.slot(at).push(run);
        self.pending += 1;
    }

    /// All of `runs` begin in the cycle `at`; leaves none.
    pub(super) fn add(&mut self, at: u64, runs: &mut Vec<Run>) {
        self.pending += runs.len();
        let slot = self.slot(at);
        if slot.is_empty() {
            std::mem::swap(slot, runs);
        } else {
            slot.append(runs);
        }
    }

    /// All that begin in the cycle `at`.
    pub(super) fn take(&mut self, at: u64) -> Vec<Run> {
        let runs = std::mem::take(self.slot(at));
        self.pending -= runs.len();
        runs
    }

    /// Gives the buffer of a list back.
    pub(super) fn give_back(&mut self, at: u64, mut list: Vec<Run>) {
        list.clear();
        *self.slot(at) = list;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending == 0
    }
}
