//! Accesses to one chunk without an order: two writes, or a read and a write, of threadblocks that do not wait for each other.
//!
//! A clock for each step counts the steps of each threadblock of one GPU that are over when it begins. One GPU is looked at
//! after the other, so that clocks stay short; all steps of all GPUs pass them on. O(steps x threadblocks) time.

use super::Algorithm;
use super::collective::Layout;
use super::order::Order;
use rustc_hash::FxHashMap;

/// Entries of clocks, over all GPUs, that are worked out at most.
const MOST_ENTRIES: usize = 1 << 28;

/// Two steps of one GPU that access a chunk, at least one of which writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Race {
    pub(super) first: usize,
    pub(super) second: usize,
}

/// The answer of the search for races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Races {
    None,
    Found(Race),
    /// There are too many steps and threadblocks.
    Unknown,
}

impl Algorithm {
    /// Looks for two accesses without an order, with buffers at the places of `layout`.
    pub(super) fn races(&self, order: &Order, layout: impl Fn(usize) -> Layout) -> Races {
        if self.steps.len().saturating_mul(self.blocks.len()) > MOST_ENTRIES {
            return Races::Unknown;
        }
        let found = (0..self.gpus.len()).find_map(|gpu| self.race_on(gpu, order, layout(gpu)));
        found.map_or(Races::None, Races::Found)
    }

    fn race_on(&self, gpu: usize, order: &Order, layout: Layout) -> Option<Race> {
        let blocks = self.gpus[gpu].blocks.clone();
        let width = blocks.len();
        let mut clocks = vec![0_u32; width * self.steps.len()];
        let mut accesses: FxHashMap<u64, Accesses> = FxHashMap::default();
        for &at in &order.steps {
            let mut clock = vec![0_u32; width];
            for on in self.predecessors(at, &order.sender) {
                clock.iter_mut().zip(&clocks[on * width..]).for_each(|(own, other)| *own = (*own).max(*other));
            }
            let step = &self.steps[at];
            if blocks.contains(&step.block) {
                let is_over = |other: usize| {
                    let other = &self.steps[other];
                    clock[other.block - blocks.start] > other.number
                };
                let race = self
                    .accesses(at, layout)
                    .find_map(|(place, writes)| accesses.entry(place).or_default().add(at, writes, is_over));
                if race.is_some() {
                    return race;
                }
                clock[step.block - blocks.start] = step.number + 1;
            }
            clocks[at * width..][..width].copy_from_slice(&clock);
        }
        None
    }

    /// The chunks that a step accesses, and whether it writes them.
    fn accesses(&self, at: usize, layout: Layout) -> impl Iterator<Item = (u64, bool)> {
        let step = &self.steps[at];
        let slices = [(step.source, false), (step.target, true)];
        slices.into_iter().filter_map(|(slice, writes)| Some((slice?, writes))).flat_map(move |(slice, writes)| {
            (0..step.count).map(move |chunk| (layout.index(slice.buffer, slice.offset + chunk), writes))
        })
    }
}

/// The accesses to a chunk since, and with, the last write.
#[derive(Default)]
struct Accesses {
    write: Option<usize>,
    reads: Vec<usize>,
}

impl Accesses {
    /// Adds an access of step `at`. Returns the race with an access that `is_over` does not order before it.
    fn add(&mut self, at: usize, writes: bool, is_over: impl Fn(usize) -> bool) -> Option<Race> {
        let reads = if writes { self.reads.as_slice() } else { &[] };
        let earlier = self.write.iter().chain(reads).copied().find(|&other| other != at && !is_over(other));
        if writes {
            self.write = Some(at);
            self.reads.clear();
        } else {
            self.reads.push(at);
        }
        earlier.map(|first| Race { first, second: at })
    }
}
