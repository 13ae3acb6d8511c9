//! What is to happen to flits, by key: a ring of ticks, and a heap for what lies beyond it.
//!
//! The entries of the tick at hand are kept in order, the next one last; what is added to it meanwhile is put where it belongs.

use super::key::{Key, Place};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum What {
    /// A flit has crossed a channel whose wire is awake.
    Cross,
    /// A flit arrives behind a channel whose wire sleeps, where the wire that it goes to is awake.
    Arrive,
    /// A flit starts on a channel whose wire sleeps, where the wire that it comes from is awake.
    Start,
    /// Until here a flit must have started before a channel whose wire sleeps.
    BeforeDue,
    /// Until here a flit must have started after a channel whose wire sleeps.
    AfterDue,
    /// The wire of a channel wakes.
    Alarm,
}

/// Something that is to happen to a channel; it does not if the number that the channel keeps for it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) place: Place,
    pub(super) what: What,
    pub(super) vc: u32,
    pub(super) serial: u32,
}

const RING: usize = 1024;
const WORD: usize = u64::BITS as usize;

/// The bucket of the ring for `tick`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "less than the size of the ring")]
fn bucket(tick: u64) -> usize {
    (tick % RING as u64) as usize
}

/// What is to happen.
pub(super) struct Agenda {
    /// The tick at hand.
    now: u64,
    /// Its entries, the next one last.
    today: Vec<Entry>,
    /// Those of the ticks to come, by tick modulo the size of the ring.
    ring: Vec<Vec<Entry>>,
    /// A bit for each bucket of the ring that is not empty.
    occupied: [u64; RING / WORD],
    far: BinaryHeap<Reverse<(u64, Entry)>>,
}

impl Agenda {
    pub(super) fn new() -> Self {
        let ring = (0..RING).map(|_| Vec::new()).collect();
        Self { now: 0, today: Vec::new(), ring, occupied: [0; RING / WORD], far: BinaryHeap::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, key: Key, what: What, vc: u32, serial: u32) {
        let entry = Entry { place: key.place, what, vc, serial };
        let ahead = key.tick - self.now;
        if ahead == 0 {
            let at = self.today.partition_point(|other| other.place > entry.place);
            self.today.insert(at, entry);
        } else if ahead < RING as u64 {
            self.add_to_ring(key.tick, entry);
        } else {
            self.far.push(Reverse((key.tick, entry)));
        }
    }

    #[inline]
    fn add_to_ring(&mut self, tick: u64, entry: Entry) {
        let bucket = bucket(tick);
        self.occupied[bucket / WORD] |= 1 << (bucket % WORD);
        self.ring[bucket].push(entry);
    }

    /// The next tick in which something happens.
    #[inline]
    pub(super) fn next_tick(&self) -> Option<u64> {
        if !self.today.is_empty() {
            return Some(self.now);
        }
        let far = self.far.peek().map(|Reverse((tick, _))| *tick);
        match (self.next_in_ring(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    #[inline]
    fn next_in_ring(&self) -> Option<u64> {
        let words = RING / WORD;
        let from = bucket(self.now + 1);
        let mut at = from / WORD;
        let mut word = self.occupied[at] & (u64::MAX << (from % WORD));
        for _ in 0..=words {
            if word != 0 {
                let bucket = at * WORD + word.trailing_zeros() as usize;
                return Some(self.now + 1 + ((bucket + RING - from) % RING) as u64);
            }
            at = (at + 1) % words;
            word = self.occupied[at];
        }
        None
    }

    /// Moves on to `tick`, before which nothing is left to happen.
    pub(super) fn open(&mut self, tick: u64) {
        if tick == self.now {
            return;
        }
        self.now = tick;
        while let Some(&Reverse((far, entry))) = self.far.peek()
            && far < tick + RING as u64
        {
            self.far.pop();
            self.add_to_ring(far, entry);
        }
        let bucket = bucket(tick);
        self.occupied[bucket / WORD] &= !(1 << (bucket % WORD));
        std::mem::swap(&mut self.today, &mut self.ring[bucket]);
        self.today.sort_unstable_by_key(|entry| Reverse(entry.place));
    }

    /// Where in this tick something happens next.
    #[inline]
    pub(super) fn next_place(&self) -> Option<Place> {
        self.today.last().map(|entry| entry.place)
    }

    /// Takes out what happens next in this tick.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        self.today.pop()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn things_happen_in_the_order_of_their_keys() {
        let mut random = Pcg64::seed_from_u64(1);
        let mut agenda = Agenda::new();
        let mut plain: BTreeMap<(u64, Place), Vec<u32>> = BTreeMap::new();
        let mut tick = 0;
        for serial in 0..5000 {
            let ahead = [0, 1, 3, 1023, 1024, 5000][random.random_range(0..6)];
            let key = Key { tick: tick + ahead, place: Place::look(random.random_range(0..50)) };
            agenda.push(key, What::Cross, 0, serial);
            plain.entry((key.tick, key.place)).or_default().push(serial);
            if random.random_bool(0.4) {
                tick = agenda.next_tick().unwrap();
                agenda.open(tick);
            }
            if tick == agenda.next_tick().unwrap_or(tick + 1) && random.random_bool(0.9) {
                let entry = agenda.pop().unwrap();
                let mut first = plain.first_entry().unwrap();
                assert_eq!(*first.key(), (tick, entry.place));
                let serials = first.get_mut();
                serials.remove(serials.iter().position(|&serial| serial == entry.serial).unwrap());
                if serials.is_empty() {
                    first.remove();
                }
            }
        }
    }

    /// All orders of seven pushes, at the edges of the ring, and moves to the next tick: what happens is what a sorted set has.
    #[test]
    fn every_short_order_of_pushes_and_ticks_is_that_of_a_sorted_set() {
        const AHEAD: [u64; 6] = [0, 1, 2, RING as u64 - 1, RING as u64, 3 * RING as u64];
        // from the first tick, and so that the ring goes round within a word and at its end
        for start in [0, 63, RING as u64 - 1] {
            let mut agenda = Agenda::new();
            for mut digits in 0..7_u32.pow(6) {
                let mut plain = BTreeSet::new();
                let mut now = agenda.now / RING as u64 * RING as u64 + RING as u64 + start;
                agenda.open(now);
                for serial in 0..6 {
                    match AHEAD.get((digits % 7) as usize) {
                        Some(ahead) => {
                            // later ones come before earlier ones of their tick
                            let key = Key { tick: now + ahead, place: Place::look(9 - serial) };
                            agenda.push(key, What::Cross, 0, serial);
                            plain.insert((key.tick, key.place, serial));
                        }
                        None => now = happened(&mut agenda, &mut plain).unwrap_or(now),
                    }
                    digits /= 7;
                }
                while happened(&mut agenda, &mut plain).is_some() {}
            }
        }
    }

    /// Lets what is next happen, which is the first of `plain`; its tick.
    fn happened(agenda: &mut Agenda, plain: &mut BTreeSet<(u64, Place, u32)>) -> Option<u64> {
        let next = agenda.next_tick();
        assert_eq!(next, plain.first().map(|(tick, ..)| *tick));
        agenda.open(next?);
        let entry = agenda.pop().unwrap();
        assert_eq!(plain.pop_first(), Some((agenda.now, entry.place, entry.serial)));
        next
    }
}
