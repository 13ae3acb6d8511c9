//! The flits that are crossing channels, by the tick in which they will have crossed.
//!
//! Every flit takes equally long, so ticks are filled in the order in which they come; and a channel carries one flit at a
//! time, so what crosses in a tick is a set of channels. It is taken out in ascending order, as events of one tick happen.

use crate::units::{ChannelId, Ticks};
use std::collections::VecDeque;

const BITS: usize = u64::BITS as usize;

/// A set of channels.
#[derive(Debug, Default)]
pub(super) struct ChannelSet {
    /// A bit per channel.
    words: Vec<u64>,
    /// A bit per word that is not 0.
    summary: Vec<u64>,
    /// How many words of the summary, from the first, are known to be 0.
    passed: usize,
}

impl ChannelSet {
    fn new(channels: usize) -> Self {
        let words = channels.div_ceil(BITS);
        Self { words: vec![0; words], summary: vec![0; words.div_ceil(BITS)], passed: 0 }
    }

    #[inline]
    fn insert(&mut self, channel: ChannelId) {
        let word = channel.index() / BITS;
        self.words[word] |= 1 << (channel.index() % BITS);
        self.summary[word / BITS] |= 1 << (word % BITS);
    }

    /// Takes out the lowest channel. Nothing is put in until all are taken out.
    #[inline]
    pub(super) fn pop_first(&mut self) -> Option<ChannelId> {
        while *self.summary.get(self.passed)? == 0 {
            self.passed += 1;
        }
        let summary = &mut self.summary[self.passed];
        let at = self.passed * BITS + summary.trailing_zeros() as usize;
        let word = &mut self.words[at];
        let channel = at * BITS + word.trailing_zeros() as usize;
        *word &= *word - 1;
        if *word == 0 {
            *summary &= *summary - 1;
        }
        Some(ChannelId::new(channel))
    }
}

/// The sets of the ticks to come.
#[derive(Debug)]
pub(super) struct Crossings {
    channels: usize,
    /// The earliest first.
    ticks: VecDeque<(Ticks, ChannelSet)>,
    /// Emptied sets.
    spare: Vec<ChannelSet>,
}

impl Crossings {
    pub(super) fn new(channels: usize) -> Self {
        Self { channels, ticks: VecDeque::new(), spare: Vec::new() }
    }

    /// The bytes that so many channels need: a flit starts before the set of its tick is taken out, or in that tick.
    pub(super) fn memory(channels: usize, flit_time: u64) -> u64 {
        (channels as u64).div_ceil(8).saturating_mul(flit_time.saturating_add(1))
    }

    /// A flit will have crossed `channel` at `at`, no earlier than any before. Whether it is the first of that tick.
    // a call for every flit costs the engine an instruction in twenty
    #[inline(always)]
    pub(super) fn add(&mut self, channel: ChannelId, at: Ticks) -> bool {
        if let Some((time, set)) = self.ticks.back_mut()
            && *time == at
        {
            set.insert(channel);
            return false;
        }
        let mut set = self.spare.pop().unwrap_or_else(|| ChannelSet::new(self.channels));
        set.insert(channel);
        self.ticks.push_back((at, set));
        true
    }

    /// The channels of the earliest tick.
    pub(super) fn take(&mut self) -> ChannelSet {
        #[expect(clippy::expect_used, reason = "the event is queued with the first flit of its tick")]
        let (_, set) = self.ticks.pop_front().expect("there is one event for each tick with crossings");
        set
    }

    /// Takes back a set from which all channels were taken out.
    pub(super) fn give_back(&mut self, mut emptied: ChannelSet) {
        emptied.passed = 0;
        self.spare.push(emptied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn ticks_give_their_channels_in_ascending_order() {
        let mut random = Pcg64::seed_from_u64(1);
        for channels in [1, 64, 65, 4096, 100_000] {
            let (mut crossings, mut plain) = (Crossings::new(channels), BTreeMap::<u64, BTreeSet<usize>>::new());
            for now in 0..60_u64 {
                if let Some(expected) = plain.remove(&now) {
                    let mut set = crossings.take();
                    let taken: Vec<usize> = std::iter::from_fn(|| set.pop_first()).map(ChannelId::index).collect();
                    assert_eq!(taken, expected.into_iter().collect::<Vec<_>>());
                    crossings.give_back(set);
                }
                for _ in 0..random.random_range(0..40) {
                    let (channel, at) = (random.random_range(0..channels), now + 3);
                    let first = plain.get(&at).is_none_or(BTreeSet::is_empty);
                    assert_eq!(crossings.add(ChannelId::new(channel), Ticks(at)), first);
                    plain.entry(at).or_default().insert(channel);
                }
            }
        }
    }
}
