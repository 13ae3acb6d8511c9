//! Flits that leave in runs: all of a packet that are there and have a credit.
//!
//! Where ports have a single VC, no other packet can come between the flits of a run, and nothing can stop them: the whole
//! run can be scheduled when its first flit leaves.

use super::super::channels::Channels;
use super::super::delay::{DelayLine, Run};
use super::super::layout::{Layout, Place};
use super::super::state::{Block, Input, Output};
use super::super::vcset::{VcArray, VcSet};
use super::{Ejected, Flow};
use crate::engine::router::RouterCosts;

/// Runs of flits and of credits in flight.
pub(crate) struct Runs<const W: usize> {
    flits: DelayLine<Run>,
    injected: DelayLine<Run>,
    credits: DelayLine<Run>,
    sink_credits: DelayLine<Run>,
    /// Per output VC of the block that was visited last, the length of the run that left by it last.
    lengths: VcArray<u32, W>,
}

impl<const W: usize> Flow<W> for Runs<W> {
    const COUNTS_EJECTION: bool = true;
    const ONE_VC: bool = true;

    fn new(_: &Layout<W>, _: Channels, costs: &RouterCosts, _: u32) -> Self {
        let timing = &costs.timing;
        Self {
            flits: DelayLine::new(timing.hop),
            injected: DelayLine::new(timing.inject),
            credits: DelayLine::new(timing.credit),
            sink_credits: DelayLine::new(timing.sink_credit),
            lengths: VcArray::filled(0),
        }
    }

    #[inline(always)]
    fn run(&self, left: u32, here: u32, credits: u32) -> u32 {
        left.min(here).min(credits)
    }

    #[inline(always)]
    fn inject(&mut self, _: &Layout<W>, _: Place, run: Run, now: u64) -> u64 {
        self.injected.enter(run);
        now + u64::from(run.flits)
    }

    fn advance(&mut self, _now: u64) {
        self.injected.advance();
        self.flits.advance();
        self.credits.advance();
        self.sink_credits.advance();
    }

    #[inline(always)]
    fn vc_sends(&mut self, _: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32) {
        self.lengths[place.split().1] = flits;
        self.credits.enter(Run { to: input.filled_by, flits });
        if !output.leads_to.is_node() {
            self.flits.enter(Run { to: output.leads_to, flits });
        }
    }

    #[inline(always)]
    fn length(&self, output: usize) -> u32 {
        self.lengths[output]
    }

    #[inline(always)]
    fn block_sends(
        &mut self,
        layout: &Layout<W>,
        block: usize,
        _: VcSet<W>,
        outputs: VcSet<W>,
        mut eject: impl FnMut(Ejected),
    ) {
        for output in outputs & layout.of_nodes {
            let flits = self.lengths[output];
            self.sink_credits.enter(Run { to: layout.place_in(block, output), flits });
            eject(Ejected { flits: 1, cycles: flits, longer: 0 });
        }
    }

    #[inline(always)]
    fn arrivals<A>(
        &self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut arrive: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        for &Run { to, flits } in self.flits.leaving().iter().chain(self.injected.leaving()) {
            let (block, vc) = to.split();
            arrive(&mut blocks[block], vc, flits);
        }
    }

    #[inline(always)]
    fn credits<A>(
        &self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    ) {
        for &Run { to, flits } in self.credits.leaving() {
            credit(blocks, to, flits);
        }
    }

    #[inline(always)]
    fn node_credits<A>(
        &self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        for &Run { to, flits } in self.sink_credits.leaving() {
            let (block, vc) = to.split();
            credit(&mut blocks[block], vc, flits);
        }
    }

    fn is_empty(&self, _: u64, _: &Layout<W>) -> bool {
        self.flits.is_empty() && self.injected.is_empty() && self.credits.is_empty() && self.sink_credits.is_empty()
    }
}
