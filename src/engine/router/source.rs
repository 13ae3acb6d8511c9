//! The nodes as they send: packets of a [`Traffic`], one after the other, a flit a cycle.

use super::machine::Machine;
use super::state::Packet;
use super::{Offer, Traffic};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No packet.
pub(super) const NONE: u32 = u32::MAX;

/// A source, at work on a packet or waiting for one to be made.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// The packet that is being sent, if one is.
    pub(super) offer: Option<Offer>,
    /// Its number, once its header has left.
    pub(super) packet: u32,
    /// Flits of it that have not left.
    pub(super) left: u32,
    /// The vc it takes.
    pub(super) vc: u32,
    /// The cycle after the last in which flits leave that it has begun to send.
    pub(super) sends_until: u64,
}

impl<T: Traffic> Machine<'_, T> {
    /// Takes the next packet of `node`, which cannot send it before the cycle `free`.
    pub(super) fn draw(&mut self, node: u32, free: u64) {
        let offer = self.traffic.next(node);
        self.sources[node as usize].offer = offer;
        self.sources[node as usize].packet = NONE;
        match offer.map(|offer| offer.created.max(free)) {
            // before the first cycle, when `free` is 0, that would be a cycle too soon
            Some(begins) if free > 0 && begins == self.now + 1 => {
                self.sending.insert(node);
            }
            Some(begins) => self.rest_source(node, begins),
            None => self.sending.remove(node),
        }
    }

    /// The source at `node` sends a flit, or a run of them, if it has a credit.
    pub(super) fn send(&mut self, node: u32) {
        let source = self.sources[node as usize];
        let Some(offer) = source.offer else { return };
        if self.now < source.sends_until {
            return;
        }
        let base = self.fabric.source(node);
        let begins = source.packet == NONE;
        let vc = if begins { self.free_vc(base, source.vc) } else { source.vc };
        let output = &mut self.outputs[(base + vc) as usize];
        if output.credits == 0 || begins && self.costs.atomic && output.credits < self.costs.buffer {
            self.sending.remove(node); // until a credit comes
            return;
        }
        let left = if begins { offer.flits } else { source.left };
        let run = if self.runs { left.min(output.credits) } else { 1 };
        output.credits -= run;
        let entry = self.fabric.entry(node) | vc;
        self.outbox.injected.push((entry, run));
        let packet = if begins { self.admit(node, offer) } else { source.packet };
        if begins {
            self.enqueue(entry, packet);
        }
        let sends_until = self.now + u64::from(run);
        self.sources[node as usize] = Source { packet, left: left - run, vc, sends_until, ..source };
        if left == run {
            self.draw(node, sends_until);
        } else if run > 1 {
            self.rest_source(node, sends_until);
        }
    }

    /// The source at `node` has nothing to do until the cycle `until`.
    fn rest_source(&mut self, node: u32, until: u64) {
        self.sending.remove(node);
        self.alarms.set(self.now, until, node);
    }

    /// The next vc of a source after `last` that has room to begin a packet in; `last`, which has none, if none has.
    fn free_vc(&self, base: u32, last: u32) -> u32 {
        let vcs = self.fabric.vcs;
        let needed = if self.costs.atomic { self.costs.buffer } else { 1 };
        let has_room = |&vc: &u32| self.outputs[(base + vc) as usize].credits >= needed;
        let mut in_turn = (1..=vcs).map(|i| (last + i) % vcs);
        in_turn.find(has_room).unwrap_or(last)
    }

    fn admit(&mut self, src: u32, offer: Offer) -> u32 {
        let header = self.relation.header(offer.dst, offer.coins);
        let Offer { flits, created, .. } = offer;
        let packet = Packet { header, src, flits, hops: 0, created, injected: self.now };
        if let Some(number) = self.spare.pop() {
            self.packets[number as usize] = packet;
            return number;
        }
        self.packets.push(packet);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "not more than flits in buffers, which virtual channels bound"
        )]
        let number = self.packets.len() as u32 - 1;
        number
    }

    /// A slot of the buffer behind source vc `vc` has come free, for which its node may have waited.
    pub(super) fn credit_source(&mut self, vc: u32) {
        let node = (vc - self.fabric.source(0)) >> self.fabric.vc_bits;
        let source = &self.sources[node as usize];
        let waits = source.offer.is_some_and(|offer| offer.created <= self.now) && source.sends_until <= self.now;
        if waits {
            self.sending.insert(node);
        }
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

/// A set of small numbers.
pub(super) struct BitSet {
    pub(super) words: Vec<u64>,
}

impl BitSet {
    pub(super) fn new(size: usize) -> Self {
        Self { words: vec![0; size.div_ceil(64)] }
    }

    /// Whether it is the first member of its word.
    #[inline]
    pub(super) fn insert(&mut self, at: u32) -> bool {
        let word = &mut self.words[at as usize / 64];
        let first = *word == 0;
        *word |= 1 << (at % 64);
        first
    }

    #[inline]
    pub(super) fn remove(&mut self, at: u32) {
        self.words[at as usize / 64] &= !(1 << (at % 64));
    }

    /// The members in word `word` as it is now.
    #[inline]
    pub(super) fn members(&self, word: usize) -> impl Iterator<Item = u32> + use<> {
        #[expect(clippy::cast_possible_truncation, reason = "a set of numbers of 32 bits")]
        Self::of(word as u32, self.words[word])
    }

    /// The members that word `word` would stand for.
    #[inline]
    pub(super) fn of(word: u32, mut bits: u64) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            let at = word * 64 + bits.trailing_zeros();
            let more = bits != 0;
            bits &= bits.wrapping_sub(1);
            more.then_some(at)
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}
