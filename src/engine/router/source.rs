//! The nodes as they send: packets of a [`Traffic`](super::Traffic), one after the other, a flit a cycle.

use super::Offer;
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
    /// The lane it takes.
    pub(super) lane: u32,
    /// The cycle after the last in which flits leave that it has begun to send.
    pub(super) sends_until: u64,
}

/// Cycles ahead that have a list each.
const NEAR: u64 = 1024;

/// When idle sources have something to send.
pub(super) struct Alarms {
    /// The sources whose time comes in each of the next cycles.
    near: Vec<Vec<u32>>,
    /// Those whose time comes later.
    far: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Alarms {
    pub(super) fn new() -> Self {
        let lists = usize::try_from(NEAR).unwrap_or(usize::MAX);
        Self { near: vec![Vec::new(); lists], far: BinaryHeap::new() }
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
