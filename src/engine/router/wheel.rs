//! Things that happen some cycles ahead.

use super::sets::BitSet;
use crate::units::narrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that begins to happen to a vc, once a cycle, so many times.
pub(super) type Run = (u32, u32);

/// Runs, or what else happens, by the cycle in which they begin, a list for each cycle ahead.
pub(super) struct Wheel<E = Run> {
    slots: Vec<Vec<E>>,
    pending: usize,
}

impl<E> Wheel<E> {
    /// A wheel that reaches `longest` cycles ahead.
    pub(super) fn new(longest: u64) -> Self {
        let slots = narrow::<usize, _>(longest + 1, "delays are limited where they are read").next_power_of_two();
        Self { slots: (0..slots).map(|_| Vec::new()).collect(), pending: 0 }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    fn slot(&mut self, at: u64) -> &mut Vec<E> {
        let mask = self.slots.len() - 1;
        &mut self.slots[at as usize & mask]
    }

    /// `run` begins in the cycle `at`.
    pub(super) fn push(&mut self, at: u64, run: E) {
        self.slot(at).push(run);
        self.pending += 1;
    }

    /// All of `runs` begin in the cycle `at`; leaves none.
    pub(super) fn add(&mut self, at: u64, runs: &mut Vec<E>) {
        self.pending += runs.len();
        let slot = self.slot(at);
        if slot.is_empty() {
            std::mem::swap(slot, runs);
        } else {
            slot.append(runs);
        }
    }

    /// All that begin in the cycle `at`.
    pub(super) fn take(&mut self, at: u64) -> Vec<E> {
        let runs = std::mem::take(self.slot(at));
        self.pending -= runs.len();
        runs
    }

    /// Gives the buffer of a list back.
    pub(super) fn give_back(&mut self, at: u64, mut list: Vec<E>) {
        list.clear();
        *self.slot(at) = list;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending == 0
    }
}

/// Cycles ahead that have a list each.
const LISTS: usize = 1024;

/// So many cycles.
const NEAR: u64 = LISTS as u64;

/// When idle sources have something to send.
pub(super) struct Alarms {
    /// The sources whose time comes in each of the next cycles.
    near: Vec<Vec<u32>>,
    /// Those whose time comes later.
    far: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Alarms {
    pub(super) fn new() -> Self {
        Self { near: vec![Vec::new(); LISTS], far: BinaryHeap::new() }
    }

    /// The time of `node` comes in the cycle `at`, after the cycle `now` or in it.
    pub(super) fn set(&mut self, now: u64, at: u64, node: u32) {
        if at - now < NEAR {
            self.near[Self::list(at)].push(node);
        } else {
            self.far.push(Reverse((at, node)));
        }
    }

    fn list(at: u64) -> usize {
        (at % NEAR) as usize
    }

    /// The next cycle, from `now` on, in which the time of a source comes.
    pub(super) fn next(&self, now: u64) -> Option<u64> {
        let near = (0..NEAR).map(|ahead| now + ahead).find(|&at| !self.near[Self::list(at)].is_empty());
        let far = self.far.peek().map(|Reverse((at, _))| *at);
        near.into_iter().chain(far).min()
    }

    /// Adds the sources whose time comes in the cycle `now` to `due`.
    #[inline]
    pub(super) fn due(&mut self, now: u64, due: &mut BitSet) {
        while let Some(&Reverse((at, node))) = self.far.peek() {
            if at - now >= NEAR {
                break;
            }
            self.far.pop();
            self.set(now, at, node);
        }
        for node in self.near[Self::list(now)].drain(..) {
            due.insert(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All orders of six alarms at the edges of what is near, and moves to the next one: each is due when it was set for.
    #[test]
    fn every_short_order_of_alarms_is_due_as_set() {
        const AHEAD: [u64; 6] = [0, 1, NEAR - 1, NEAR, NEAR + 1, 3 * NEAR];
        let mut alarms = Alarms::new();
        let mut now = 0;
        for mut digits in 0..7_u32.pow(6) {
            let mut plain: BTreeSet<(u64, u32)> = BTreeSet::new();
            for node in 0..6 {
                match AHEAD.get((digits % 7) as usize) {
                    Some(ahead) => {
                        alarms.set(now, now + ahead, node);
                        plain.insert((now + ahead, node));
                    }
                    None => now = rung(&mut alarms, &mut plain, now),
                }
                digits /= 7;
            }
            while !plain.is_empty() {
                now = rung(&mut alarms, &mut plain, now);
            }
            assert_eq!(alarms.next(now), None);
        }
    }

    /// The next cycle in which alarms are due, which are those of `plain`; `now` if there are none.
    fn rung(alarms: &mut Alarms, plain: &mut BTreeSet<(u64, u32)>, now: u64) -> u64 {
        let next = alarms.next(now);
        assert_eq!(next, plain.first().map(|(at, _)| *at));
        let Some(next) = next else { return now };
        let mut due = BitSet::new(8);
        alarms.due(next, &mut due);
        let later = plain.split_off(&(next + 1, 0));
        assert!(due.members(0).eq(plain.iter().map(|(_, node)| *node)));
        *plain = later;
        next
    }

    /// Whatever begins within reach is taken in its cycle, all of it, for wheels of every small size.
    #[test]
    fn every_run_is_taken_in_the_cycle_in_which_it_begins() {
        for longest in 0..9 {
            let mut wheel = Wheel::new(longest);
            for now in 0..40 {
                let expected: Vec<u64> = (0..=longest).rev().filter(|&ahead| ahead <= now).collect();
                for ahead in 0..=longest {
                    match ahead % 2 {
                        0 => wheel.push(now + ahead, ahead),
                        _ => wheel.add(now + ahead, &mut vec![ahead]),
                    }
                }
                let mut taken = wheel.take(now);
                assert_eq!(taken, expected, "{now} of {longest}");
                taken.reverse();
                wheel.give_back(now, taken);
            }
            let left = (40..40 + longest).map(|now| wheel.take(now).len() as u64).sum::<u64>();
            assert!(left == longest * (longest + 1) / 2 && wheel.is_empty(), "{left} of {longest}");
        }
    }
}
