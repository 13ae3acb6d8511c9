//! Rings of cycles, delay lines, a wheel for events in a cycle that is near, and a calendar for any later cycle.

use super::layout::Place;
use crate::units::narrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{Index, IndexMut};

/// Flits or credits that arrive at a VC, one a cycle from a given cycle on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The VC.
    pub(crate) to: Place,
    /// The number of flits or credits.
    pub(crate) flits: u32,
}

/// Values for the cycles from one on, as many as the longest delay and one more, in a ring.
pub(crate) struct Ring<T>(Vec<T>);

impl<T: Default> Ring<T> {
    /// Creates a ring that reaches `longest` cycles ahead.
    pub(crate) fn new(longest: u64) -> Self {
        let cycles = narrow::<usize, _>(longest + 1, "delays are limited where they are read").next_power_of_two();
        Self((0..cycles).map(|_| T::default()).collect())
    }
}

impl<T> Ring<T> {
    /// The number of cycles, a power of two.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All values, in no order.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }

    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    #[inline(always)]
    fn slot(&self, cycle: u64) -> usize {
        cycle as usize & (self.0.len() - 1)
    }
}

impl<T> Index<u64> for Ring<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, cycle: u64) -> &T {
        &self.0[self.slot(cycle)]
    }
}

impl<T> IndexMut<u64> for Ring<T> {
    #[inline(always)]
    fn index_mut(&mut self, cycle: u64) -> &mut T {
        let slot = self.slot(cycle);
        &mut self.0[slot]
    }
}

/// A delay line: an item that enters in a cycle leaves a fixed number of cycles later.
pub(crate) struct DelayLine<T> {
    /// A ring of lists, one for each cycle of the delay and the cycle at hand: the items that leave in it. The list before that of the
    /// cycle at hand takes the items that enter.
    lists: Vec<Vec<T>>,
    /// The list of the cycle at hand.
    leaving: usize,
    /// Items that leave in later cycles.
    pending: usize,
}

impl<T> DelayLine<T> {
    /// Creates an empty line of `delay` cycles, at least 1.
    pub(crate) fn new(delay: u64) -> Self {
        Self { lists: (0..=delay).map(|_| Vec::new()).collect(), leaving: 0, pending: 0 }
    }

    /// Adds `item`, which enters in this cycle.
    #[inline(always)]
    pub(crate) fn enter(&mut self, item: T) {
        let entering = self.leaving.checked_sub(1).unwrap_or(self.lists.len() - 1);
        self.lists[entering].push(item);
        self.pending += 1;
    }

    /// Begins the next cycle. Cycles may be left out while the line is empty.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.lists[self.leaving].clear();
        self.leaving = if self.leaving + 1 == self.lists.len() { 0 } else { self.leaving + 1 };
        self.pending -= self.lists[self.leaving].len();
    }

    /// The items that leave in this cycle.
    #[inline(always)]
    pub(crate) fn leaving(&self) -> &[T] {
        &self.lists[self.leaving]
    }

    /// Returns true if no item leaves in a later cycle.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.pending == 0
    }
}

/// Items that are due in later cycles, a list per cycle.
pub(crate) struct Wheel<T> {
    lists: Ring<Vec<T>>,
    pending: usize,
}

impl<T> Wheel<T> {
    /// Creates an empty wheel that reaches `longest` cycles ahead.
    pub(crate) fn new(longest: u64) -> Self {
        Self { lists: Ring::new(longest), pending: 0 }
    }

    /// Adds `item`, which is due in the cycle `at`.
    #[inline(always)]
    pub(crate) fn add(&mut self, at: u64, item: T) {
        self.lists[at].push(item);
        self.pending += 1;
    }

    /// Takes the items that are due in the cycle `now`. [`Wheel::give_back`] returns the list.
    #[inline(always)]
    pub(crate) fn take(&mut self, now: u64) -> Vec<T> {
        let due = std::mem::take(&mut self.lists[now]);
        self.pending -= due.len();
        due
    }

    /// Keeps the memory of a list that was taken.
    #[inline(always)]
    pub(crate) fn give_back(&mut self, now: u64, mut list: Vec<T>) {
        list.clear();
        self.lists[now] = list;
    }

    /// Returns true if an item is due in the cycle `now`.
    #[inline(always)]
    pub(crate) fn is_due(&self, now: u64) -> bool {
        !self.lists[now].is_empty()
    }

    /// Returns true if no item is due.
    pub(crate) fn is_empty(&self) -> bool {
        self.pending == 0
    }
}

/// Cycles ahead that have a list each.
const LISTS: usize = 1024;

/// Numbers, such as those of sources, that are due in any later cycle: in a list if the cycle is near, else in a heap.
pub(crate) struct Calendar {
    near: Vec<Vec<u32>>,
    /// The number of entries in `near`.
    entries: usize,
    far: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Calendar {
    /// Creates a calendar without entries.
    pub(crate) fn new() -> Self {
        Self { near: vec![Vec::new(); LISTS], entries: 0, far: BinaryHeap::new() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    #[inline(always)]
    fn index(at: u64) -> usize {
        at as usize % LISTS
    }

    /// Enters `number`, which is due in the cycle `at`, when cycle `now` is the next one or that before it.
    #[inline(always)]
    pub(crate) fn add(&mut self, now: u64, at: u64, number: u32) {
        if at - now < LISTS as u64 {
            self.entries += 1;
            self.near[Self::index(at)].push(number);
        } else {
            self.far.push(Reverse((at, number)));
        }
    }

    /// The next cycle from `now` on in which a number is due.
    pub(crate) fn next(&self, now: u64) -> Option<u64> {
        let mut cycles = now..now + LISTS as u64;
        let near = if self.entries == 0 { None } else { cycles.find(|&at| !self.near[Self::index(at)].is_empty()) };
        let far = self.far.peek().map(|&Reverse((at, _))| at);
        near.into_iter().chain(far).min()
    }

    /// Removes the numbers that are due in the cycle `now`, and calls `due` with each of them.
    #[inline(always)]
    pub(crate) fn take(&mut self, now: u64, mut due: impl FnMut(u32)) {
        while let Some(&Reverse((at, number))) = self.far.peek()
            && at - now < LISTS as u64
        {
            self.far.pop();
            self.entries += 1;
            self.near[Self::index(at)].push(number);
        }
        let list = &mut self.near[Self::index(now)];
        self.entries -= list.len();
        list.drain(..).for_each(&mut due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_leaves_a_line_after_its_delay() {
        for delay in 1..6 {
            let mut line = DelayLine::new(delay);
            for now in 0..20 {
                line.advance();
                let expected: Vec<u64> = now_minus(now, delay).filter(|at| at % 3 != 1).into_iter().collect();
                assert_eq!(line.leaving(), expected, "{now}, a delay of {delay}");
                if now % 3 != 1 {
                    line.enter(now);
                }
            }
            (0..delay).for_each(|_| line.advance());
            assert!(line.is_empty());
        }
    }

    fn now_minus(now: u64, delay: u64) -> Option<u64> {
        now.checked_sub(delay)
    }

    #[test]
    fn every_item_is_due_in_its_cycle() {
        for longest in 0..9 {
            let mut wheel = Wheel::new(longest);
            for now in 0..40 {
                let expected: Vec<u64> = (0..=longest).rev().filter(|&ahead| ahead <= now).collect();
                (0..=longest).for_each(|ahead| wheel.add(now + ahead, ahead));
                let due = wheel.take(now);
                assert_eq!(due, expected, "{now} of {longest}");
                wheel.give_back(now, due);
            }
            let left: u64 = (40..40 + longest).map(|now| wheel.take(now).len() as u64).sum();
            assert!(left == longest * (longest + 1) / 2 && wheel.is_empty(), "{left} of {longest}");
        }
    }

    #[test]
    fn a_calendar_keeps_near_and_far_cycles() {
        let mut calendar = Calendar::new();
        let ahead = [0, 1, 1023, 1024, 1025, 5000];
        (0..).zip(ahead).for_each(|(number, at)| calendar.add(0, at, number));
        let mut now = 0;
        for (number, at) in (0..).zip(ahead) {
            assert_eq!(calendar.next(now), Some(at));
            now = at;
            let mut due = Vec::new();
            calendar.take(now, |number| due.push(number));
            assert_eq!(due, [number]);
        }
        assert_eq!(calendar.next(now), None);
    }
}
