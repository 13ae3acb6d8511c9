//! Movement of flits: one by one, or in runs.

mod one_by_one;
mod runs;

pub(crate) use one_by_one::OneByOne;
pub(crate) use runs::Runs;

use super::layout::{Layout, Place};
use super::state::{Block, Input, Output};
use super::vcset::VcSet;
use crate::costs::Timing;
use std::ops::Range;

/// Counts of flits that pass the switch.
pub(crate) struct Counter {
    /// The cycles in which flits are counted by link.
    window: Range<u64>,
    now: u64,
    /// The count by link of one flit in this cycle.
    one: u64,
    /// All flits, in all cycles.
    pub(crate) moved: u64,
}

impl Counter {
    /// Creates a counter of the flits on links in the cycles `window`.
    pub(crate) fn new(window: Range<u64>) -> Self {
        Self { window, now: 0, one: 0, moved: 0 }
    }

    /// Begins the cycle `now`.
    pub(crate) fn advance(&mut self, now: u64) {
        self.now = now;
        self.one = u64::from(self.window.contains(&now));
    }
}

/// Decides the number of flits that leave at once, and stores flits and credits in flight between routers.
pub(crate) trait Flow<const W: usize> {
    /// True if slots of nodes are counted even where a node always has a free one, as they limit the length of runs.
    const COUNTS_EJECTION: bool;

    /// Creates links without flits.
    fn new(timing: &Timing) -> Self;

    /// The number of flits that leave when a VC is granted the switch, one a cycle from then on, if its packet has `left`
    /// flits, `here` are in the buffer, and there are `credits` free slots behind the output VC.
    fn run(left: u32, here: u32, credits: u32) -> u32;

    /// The number of flits to count by link if `flits` leave, one a cycle from this cycle on.
    fn counted(counter: &Counter, flits: u32) -> u64;

    /// Begins the cycle `now`.
    fn advance(&mut self, now: u64);

    /// Takes flits that begin to leave `input` by `output`, which is at `place`.
    fn vc_sends(&mut self, layout: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32);

    /// Takes the flits that have left the input VCs `inputs` of block number `block` by the output VCs `outputs` in this cycle. Calls
    /// `eject` with the flits a cycle that leave for nodes and the number of cycles.
    fn block_sends(
        &mut self,
        layout: &Layout<W>,
        block: usize,
        inputs: VcSet<W>,
        outputs: VcSet<W>,
        eject: impl FnMut(u32, u32),
    );

    /// Calls `arrive` with every block and input VC where flits begin to arrive in cycle `now`, and their number.
    fn arrivals<A>(
        &self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        arrive: impl FnMut(&mut Block<W, A>, usize, u32),
    );

    /// Calls `credit` with every place where credits begin to arrive in cycle `now`, and their number.
    fn credits<A>(
        &self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    );

    /// Calls `credit` for slots of nodes, as [`Flow::credits`] does.
    fn node_credits<A>(
        &self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        credit: impl FnMut(&mut Block<W, A>, usize, u32),
    );

    /// Returns true if nothing arrives in cycle `now` or later.
    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool;
}
