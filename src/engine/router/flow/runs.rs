//! Flits that leave in runs: all of a packet that are there and have a credit.
//!
//! Where ports have a single VC, no other packet can come between the flits of a run, and nothing can stop them: the whole
//! run can be scheduled when its first flit leaves.

use super::super::channels::Channels;
use super::super::delay::{Ring, Run};
use super::super::layout::{Layout, Place};
use super::super::state::{Block, Input, Output};
use super::super::vcset::{VcArray, VcSet};
use super::{Arriving, Ejected, Flow};
use crate::costs::Timing;
use crate::engine::router::RouterCosts;

/// Runs of flits and of credits in flight.
pub(crate) struct Runs<const W: usize> {
    /// By cycle.
    arrivals: Ring<Arrivals>,
    now: u64,
    /// The cycle after the last one in which anything arrives.
    end: u64,
    timing: Timing,
    /// Per output VC of the block that was visited last, the length of the run that left by it last.
    lengths: VcArray<u32, W>,
}

/// Runs that begin to arrive in a cycle.
#[derive(Default)]
struct Arrivals {
    /// Flits over links, and from sources.
    flits: Vec<Run>,
    injected: Vec<Run>,
    /// Credits of routers and sources, and of nodes.
    credits: Vec<Run>,
    node_credits: Vec<Run>,
}

impl Arrivals {
    #[inline(always)]
    fn kinds(&self) -> Arriving {
        let Self { flits, injected, credits, node_credits } = self;
        Arriving {
            flits: !flits.is_empty() || !injected.is_empty(),
            credits: !credits.is_empty(),
            node_credits: !node_credits.is_empty(),
        }
    }

    fn clear(&mut self) {
        let Self { flits, injected, credits, node_credits } = self;
        [flits, injected, credits, node_credits].into_iter().for_each(Vec::clear);
    }
}

impl<const W: usize> Runs<W> {
    /// The arrivals `delay` cycles from now, at least 1.
    #[inline(always)]
    fn arrivals_after(&mut self, delay: u64) -> &mut Arrivals {
        let cycle = self.now + delay;
        self.end = self.end.max(cycle + 1);
        &mut self.arrivals[cycle]
    }
}

impl<const W: usize> Flow<W> for Runs<W> {
    const COUNTS_EJECTION: bool = true;
    const ONE_VC: bool = true;

    fn new(_: &Layout<W>, _: Channels, costs: &RouterCosts, _: u32) -> Self {
        let timing = costs.timing;
        let Timing { hop, inject, credit, sink_credit, .. } = timing;
        let longest = hop.max(inject).max(credit).max(sink_credit);
        Self { arrivals: Ring::new(longest), now: 0, end: 0, timing, lengths: VcArray::filled(0) }
    }

    #[inline(always)]
    fn run(&self, left: u32, here: u32, credits: u32) -> u32 {
        left.min(here).min(credits)
    }

    #[inline(always)]
    fn inject(&mut self, _: &Layout<W>, _: Place, run: Run, now: u64) -> u64 {
        self.arrivals_after(self.timing.inject).injected.push(run);
        now + u64::from(run.flits)
    }

    #[inline(always)]
    fn advance(&mut self, now: u64) {
        self.arrivals[self.now].clear();
        self.now = now;
    }

    #[inline(always)]
    fn vc_sends(&mut self, _: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32) {
        self.lengths[place.split().1] = flits;
        self.arrivals_after(self.timing.credit).credits.push(Run { to: input.filled_by, flits });
        if !output.leads_to.is_node() {
            self.arrivals_after(self.timing.hop).flits.push(Run { to: output.leads_to, flits });
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
            let run = Run { to: layout.place_in(block, output), flits };
            self.arrivals_after(self.timing.sink_credit).node_credits.push(run);
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
        let Arrivals { flits, injected, .. } = &self.arrivals[self.now];
        for &Run { to, flits } in flits.iter().chain(injected) {
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
        for &Run { to, flits } in &self.arrivals[self.now].credits {
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
        for &Run { to, flits } in &self.arrivals[self.now].node_credits {
            let (block, vc) = to.split();
            credit(&mut blocks[block], vc, flits);
        }
    }

    fn next_arrival(&self, now: u64) -> u64 {
        (now..self.end).find(|&cycle| self.arrivals[cycle].kinds().any()).unwrap_or(self.end)
    }

    #[inline(always)]
    fn arriving(&self, _: u64) -> Arriving {
        self.arrivals[self.now].kinds()
    }

    fn is_empty(&self, now: u64, _: &Layout<W>) -> bool {
        self.end <= now
    }
}
