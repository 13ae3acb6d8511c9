//! The injection channels of nodes: each sends packets of a [`Traffic`] one after the other, a flit a cycle.

use super::machine::Machine;
use super::state::Packet;
use super::{Granted, Offer, Traffic};
use crate::units::narrow;
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
    /// Takes the next packet of `source`, which cannot send it before the cycle `free`. In a closed loop it is taken only
    /// when it can be sent, as until then another source of the node may come free.
    pub(super) fn draw(&mut self, source: u32, free: u64) {
        let node = self.fabric.node(source);
        let offer = if T::CLOSED { None } else { self.traffic.next(node) };
        let waits = T::CLOSED && self.traffic.waits(node);
        let drawn = &mut self.sources[source as usize];
        drawn.offer = offer;
        drawn.packet = NONE;
        let begins = if waits { Some(free) } else { offer.map(|offer| offer.created.max(free)) };
        match begins {
            // before the first cycle, when `free` is 0, that would be a cycle too soon
            Some(begins) if free > 0 && begins == self.now + 1 => {
                self.sending.insert(source);
            }
            Some(begins) => self.rest_source(source, begins),
            None => self.sending.remove(source),
        }
    }

    /// The source numbered `number` sends a flit, or a run of them, if it has a credit.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call costs the cycle of most routers two instructions in a hundred")]
    pub(super) fn send(&mut self, number: u32) {
        let source = self.sources[number as usize];
        if !T::CLOSED && source.offer.is_none() || self.now < source.sends_until {
            return;
        }
        let base = self.fabric.source(number);
        let begins = source.packet == NONE;
        let vc = if begins { self.free_vc(base, source.vc) } else { source.vc };
        let credits = self.outputs[(base + vc) as usize].credits;
        if credits == 0 || begins && self.costs.atomic && credits < self.costs.buffer {
            self.sending.remove(number); // until a credit comes
            return;
        }
        let offer = if T::CLOSED && begins { self.traffic.next(self.fabric.node(number)) } else { source.offer };
        let Some(offer) = offer else {
            self.sending.remove(number); // another source of the node has taken it
            return;
        };
        let left = if begins { offer.flits } else { source.left };
        let run = if self.runs { left.min(credits) } else { 1 };
        self.outputs[(base + vc) as usize].credits -= run;
        let entry = self.fabric.entry(number) | vc;
        self.outbox.injected.push((entry, run));
        let packet = if begins { self.admit(number, offer) } else { source.packet };
        if begins {
            self.enqueue(entry, packet);
            self.tell_injection(offer, base + vc);
        }
        let sends_until = self.now + u64::from(run);
        self.sources[number as usize] = Source { offer: Some(offer), packet, left: left - run, vc, sends_until };
        if left == run {
            self.draw(number, sends_until);
        } else if run > 1 {
            self.rest_source(number, sends_until);
        }
    }

    /// The head flit of `offer` leaves on source vc `vc`.
    fn tell_injection(&mut self, offer: Offer, vc: u32) {
        if T::CLOSED {
            let Offer { number, created: requested, .. } = offer;
            self.traffic.granted(Granted { number, hop: 0, vc, requested, granted: self.now });
        }
    }

    /// There is something new to send for `source`; it looks at it as soon as it has sent what it has begun to send.
    pub(super) fn wake_source(&mut self, source: u32) {
        let Source { packet, sends_until, .. } = self.sources[source as usize];
        if sends_until <= self.now {
            self.sending.insert(source);
        } else if packet == NONE {
            self.alarms.set(self.now, sends_until, source);
        }
    }

    /// A source has nothing to do until the cycle `until`.
    fn rest_source(&mut self, source: u32, until: u64) {
        self.sending.remove(source);
        self.alarms.set(self.now, until, source);
    }

    /// The next vc of a source after `last` that has room to begin a packet in; `last`, which has none, if none has.
    fn free_vc(&self, base: u32, last: u32) -> u32 {
        let vcs = if self.costs.first_come() { 1 } else { self.fabric.vcs };
        let needed = if self.costs.atomic { self.costs.buffer } else { 1 };
        let has_room = |&vc: &u32| self.outputs[(base + vc) as usize].credits >= needed;
        let mut in_turn = (1..=vcs).map(|i| (last + i) % vcs);
        in_turn.find(has_room).unwrap_or(last)
    }

    /// The number of the packet that `source` begins to send.
    fn admit(&mut self, source: u32, offer: Offer) -> u32 {
        let header = self.relation.header(offer.dst, offer.coins);
        let Offer { number, flits, created, .. } = offer;
        let src = self.fabric.node(source);
        let packet = Packet { header, src, flits, hops: 0, created, injected: self.now, requested: self.now, number };
        let place = self.spare.pop().unwrap_or_else(|| {
            self.packets.push(packet);
            if T::CLOSED {
                self.paths.push(Vec::new());
            }
            narrow(self.packets.len() - 1, "not more than flits in buffers, which virtual channels bound")
        });
        self.packets[place as usize] = packet;
        if T::CLOSED {
            let path = &mut self.paths[place as usize];
            path.clear();
            self.traffic.path(number, path);
        }
        place
    }

    /// A slot of the buffer behind source vc `vc` has come free, for which its source may have waited.
    pub(super) fn credit_source(&mut self, vc: u32) {
        let number = (vc - self.fabric.source(0)) >> self.fabric.vc_bits;
        let source = &self.sources[number as usize];
        let has_one = match source.offer {
            Some(offer) => offer.created <= self.now,
            None => T::CLOSED && self.traffic.waits(self.fabric.node(number)),
        };
        if has_one && source.sends_until <= self.now {
            self.sending.insert(number);
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
