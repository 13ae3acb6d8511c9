//! Movement of flits: one by one or in runs on uniform links, and on heterogeneous ones.

mod heterogeneous_links;
mod one_by_one;
mod queued;
mod runs;

pub(crate) use heterogeneous_links::HeterogeneousLinks;
pub(crate) use one_by_one::OneByOne;
pub(crate) use queued::Queued;
pub(crate) use runs::Runs;

use super::channels::Channels;
use super::delay::Run;
use super::layout::{Layout, Place};
use super::packets::Packets;
use super::state::{Block, Input, Output};
use super::vcset::VcSet;
use crate::engine::router::RouterCosts;
use crate::routing::Pace;
use std::ops::Range;

/// Counts of flits that pass the switch.
pub(crate) struct Counter {
    /// The cycles in which flits are counted by link.
    window: Range<u64>,
    /// The cycles until these begin, and until they end.
    window_from_now: Range<u64>,
    /// The count by link of one flit in this cycle.
    one: u64,
    /// All flits, in all cycles.
    pub(crate) moved: u64,
}

impl Counter {
    /// Creates a counter of the flits on links in the cycles `window`.
    pub(crate) fn new(window: Range<u64>) -> Self {
        Self { window_from_now: window.clone(), window, one: 0, moved: 0 }
    }

    /// Begins the cycle `now`.
    pub(crate) fn advance(&mut self, now: u64) {
        let Range { start, end } = self.window;
        self.window_from_now = start.saturating_sub(now)..end.saturating_sub(now);
        self.one = u64::from(self.window.contains(&now));
    }

    /// The number of flits to count by link if `flits` leave, one a cycle from this cycle on.
    #[inline(always)]
    fn overlap(&self, flits: u32) -> u64 {
        u64::from(flits).min(self.window_from_now.end).saturating_sub(self.window_from_now.start)
    }
}

/// Flits that leave for a node.
#[derive(Clone, Copy)]
pub(crate) struct Ejected {
    /// Flits in each cycle.
    pub(crate) flits: u32,
    /// The number of cycles.
    pub(crate) cycles: u32,
    /// Cycles that they take more than those on a channel that takes one for a flit ([`Pace::longer`]).
    pub(crate) longer: u64,
}

/// The kinds of arrivals in a cycle.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// True if flits may arrive, from links or sources.
    pub(crate) flits: bool,
    /// True if credits of routers or sources may arrive.
    pub(crate) credits: bool,
    /// True if credits for slots of nodes may arrive.
    pub(crate) node_credits: bool,
}

impl Arriving {
    /// Returns true if anything may arrive.
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.flits || self.credits || self.node_credits
    }
}

/// Decides the number of flits that leave at once, and stores flits and credits in flight between routers.
pub(crate) trait Flow<const W: usize> {
    /// True if slots of nodes are counted even where a node always has a free one, as they limit the length of runs.
    const COUNTS_EJECTION: bool;

    /// True if every port has one VC, and packets that leave for a node have one port, so that nothing contends for the switch.
    const ONE_VC: bool;

    /// Creates links without flits. A run has up to `longest_run` flits.
    fn new(layout: &Layout<W>, channels: Channels, costs: &RouterCosts, longest_run: u32) -> Self;

    /// The number of flits that leave when a VC is granted the switch, one a cycle from then on, if its packet has `left`
    /// flits, `here` are in the buffer, and there are `credits` free slots behind the output VC.
    fn run(&self, left: u32, here: u32, credits: u32) -> u32;

    /// The number of flits to count by link if `flits` leave, one a cycle from this cycle on.
    #[inline(always)]
    fn counted(counter: &Counter, flits: u32) -> u64 {
        counter.overlap(flits)
    }

    /// The time that the channel takes that leaves by the output VC or source VC at `place`: a cycle for a flit on uniform links.
    #[inline(always)]
    fn pace(&self, _layout: &Layout<W>, _place: Place) -> Pace {
        Pace::EVEN
    }

    /// Adds the time of the channel that leaves by the VC at `place` to that of packet `number`, whose head flit leaves by it after
    /// `routing` cycles, as far as it exceeds that of a uniform link.
    #[inline(always)]
    fn add_time(&self, _layout: &Layout<W>, _place: Place, _packets: &mut Packets, _number: u32, _routing: u64) {}

    /// The output ports of block number `block` that take no flit in this step, as their first VCs: none on uniform links.
    #[inline(always)]
    fn ports_in_use(&self, _layout: &Layout<W>, _block: usize) -> VcSet<W> {
        VcSet::EMPTY
    }

    /// Begins the cycle `now`.
    fn advance(&mut self, now: u64);

    /// Begins step number `step` of all routers. The next one is in cycle `next`. Only output queues distinguish steps.
    #[inline(always)]
    fn begin_step(&mut self, _step: u64, _next: u64) {}

    /// The cycles for which the flit that was sent last by output VC `output` of the block that was visited last waits in an output queue.
    #[inline(always)]
    fn waits(&self, _output: usize) -> u64 {
        0
    }

    /// Takes flits that begin to leave the source VC at `source` in cycle `now`. Returns the first cycle in which the source can send
    /// again.
    fn inject(&mut self, layout: &Layout<W>, source: Place, run: Run, now: u64) -> u64;

    /// Takes flits that begin to leave `input` by `output`, which is at `place`.
    fn vc_sends(&mut self, layout: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32);

    /// The number of flits that have begun to leave by output VC `output` of the block that was visited last, in this cycle.
    fn length(&self, output: usize) -> u32;

    /// Takes the flits that have left the input VCs `inputs` of block number `block` by the output VCs `outputs` in this cycle. Calls
    /// `eject` with those that leave for nodes.
    fn block_sends(
        &mut self,
        layout: &Layout<W>,
        block: usize,
        inputs: VcSet<W>,
        outputs: VcSet<W>,
        eject: impl FnMut(Ejected),
    );

    /// Calls `arrive` with every block and input VC where flits begin to arrive in cycle `now`, and their number.
    fn arrivals<A>(
        &mut self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        arrive: impl FnMut(&mut Block<W, A>, usize, u32),
    );

    /// Calls `credit` with every place where credits begin to arrive in cycle `now`, and their number.
    fn credits<A>(
        &mut self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    );

    /// Calls `credit` for slots of nodes, as [`Flow::credits`] does.
    fn node_credits<A>(
        &mut self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        credit: impl FnMut(&mut Block<W, A>, usize, u32),
    );

    /// The next cycle from `now` on in which anything arrives, or an earlier one, if the flow has not been advanced to `now`. Returns
    /// `None` if nothing arrives any more.
    #[inline(always)]
    fn next_arrival(&self, now: u64, layout: &Layout<W>) -> Option<u64> {
        (!self.is_empty(now, layout)).then_some(now)
    }

    /// The kinds of arrivals in cycle `now`, to which the flow has been advanced.
    fn arriving(&self, now: u64) -> Arriving;

    /// Returns true if nothing arrives in cycle `now` or later.
    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool;
}

/// A flow of routers whose slots can be used again in the cycle in which their flits leave.
pub(crate) trait SlotReturn {
    /// Replaces the credits that arrive in this cycle by those of the flits that have left since they were read.
    fn return_slots(&mut self);
}
