//! Things that happen some cycles ahead.

/// Numbers by the cycle in which something happens to them, a list for each cycle ahead.
pub(super) struct Wheel {
    slots: Vec<Vec<u32>>,
}

impl Wheel {
    /// A wheel that reaches `longest` cycles ahead.
    pub(super) fn new(longest: u64) -> Self {
        let slots = usize::try_from(longest + 1).unwrap_or(usize::MAX).next_power_of_two();
        Self { slots: vec![Vec::new(); slots] }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    fn slot(&mut self, at: u64) -> &mut Vec<u32> {
        let mask = self.slots.len() - 1;
        &mut self.slots[at as usize & mask]
    }

    /// Something happens to `number` in the cycle `at`.
    #[inline]
    pub(super) fn push(&mut self, at: u64, number: u32) {
        self.slot(at).push(number);
    }

    /// Something happens to all of `numbers` in the cycle `at`; leaves none.
    pub(super) fn add(&mut self, at: u64, numbers: &mut Vec<u32>) {
        let slot = self.slot(at);
        if slot.is_empty() {
            std::mem::swap(slot, numbers);
        } else {
            slot.append(numbers);
        }
    }

    /// All to whom something happens in the cycle `at`.
    pub(super) fn take(&mut self, at: u64) -> Vec<u32> {
        std::mem::take(self.slot(at))
    }

    /// Gives the buffer of a list back.
    pub(super) fn give_back(&mut self, at: u64, mut list: Vec<u32>) {
        list.clear();
        *self.slot(at) = list;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.iter().all(Vec::is_empty)
    }
}
