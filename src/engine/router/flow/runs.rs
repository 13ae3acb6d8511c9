//! Flits that leave in runs: all of a packet that are there and have a credit.
//!
//! Where ports have a single VC, no other packet can come between the flits of a run, and nothing can stop them: the whole
//! run can be scheduled when its first flit leaves.

use super::super::channels::Channels;
use super::super::delay::{DueCycles, Ring, Run};
use super::super::layout::{Layout, Place};
use super::super::state::{Block, Input, Output};
use super::super::vcset::{VcArray, VcSet};
use super::{Arriving, Ejected, Flow};
use crate::costs::Timing;
use crate::engine::router::RouterCosts;

/// The runs of the last cycles. Each is stored once, by the cycle in which it begins, and read when its flits begin to arrive and when
/// its credits do.
pub(crate) struct Runs<const W: usize> {
    /// Those that begin in the cycle `now`.
    beginning: Begun,
    now: u64,
    /// Those of the cycles before, by cycle.
    begun: Ring<Begun>,
    /// The cycles after `now` in which something of those arrives.
    due: DueCycles,
    timing: Timing,
    /// Per output VC of the block that was visited last, the length of the run that left by it last.
    lengths: VcArray<u32, W>,
}

/// Runs that begin in a cycle.
#[derive(Default)]
struct Begun {
    cycle: u64,
    /// Runs from input VCs, to links and nodes.
    switched: Vec<Switched>,
    /// Runs from sources.
    injected: Vec<Run>,
    /// The output VCs of those that leave for nodes.
    ejected: Vec<Run>,
}

/// A run that passes a switch.
struct Switched {
    /// The output or source that fills the buffer which the run leaves.
    from: Place,
    run: Run,
}

impl Begun {
    #[inline(always)]
    fn is_empty(&self) -> bool {
        // what is ejected passes a switch
        self.switched.is_empty() && self.injected.is_empty()
    }

    /// Forgets the runs, for those of `cycle`.
    fn reset(&mut self, cycle: u64) {
        let Self { switched, injected, ejected, .. } = self;
        switched.clear();
        injected.clear();
        ejected.clear();
        self.cycle = cycle;
    }

    /// Calls `arrive` with each cycle in which something of these runs begins to arrive.
    #[inline(always)]
    fn arrivals(&self, timing: &Timing, mut arrive: impl FnMut(u64)) {
        let Self { cycle, switched, injected, ejected } = self;
        let kinds = [
            (switched.len() > ejected.len(), timing.hop),
            (!injected.is_empty(), timing.inject),
            (!switched.is_empty(), timing.credit),
            (!ejected.is_empty(), timing.sink_credit),
        ];
        kinds.into_iter().filter(|(any, _)| *any).for_each(|(_, delay)| arrive(cycle + delay));
    }
}

impl<const W: usize> Runs<W> {
    /// The runs that began `delay` cycles ago, at least 1, if there are any.
    #[inline(always)]
    fn ago(&self, delay: u64) -> Option<&Begun> {
        let cycle = self.now.wrapping_sub(delay);
        Some(&self.begun[cycle]).filter(|begun| begun.cycle == cycle)
    }
}

impl<const W: usize> Flow<W> for Runs<W> {
    const COUNTS_EJECTION: bool = true;
    const ONE_VC: bool = true;

    fn new(_: &Layout<W>, _: Channels, costs: &RouterCosts, _: u32) -> Self {
        let timing = costs.timing;
        let Timing { hop, inject, credit, sink_credit, .. } = timing;
        let longest = hop.max(inject).max(credit).max(sink_credit);
        let lengths = VcArray::filled(0);
        let (begun, due) = (Ring::new(longest), DueCycles::new(longest));
        Self { beginning: Begun::default(), now: 0, begun, due, timing, lengths }
    }

    #[inline(always)]
    fn run(&self, left: u32, here: u32, credits: u32) -> u32 {
        left.min(here).min(credits)
    }

    #[inline(always)]
    fn inject(&mut self, _: &Layout<W>, _: Place, run: Run, now: u64) -> u64 {
        self.beginning.injected.push(run);
        now + u64::from(run.flits)
    }

    #[inline(always)]
    fn advance(&mut self, now: u64) {
        if !self.beginning.is_empty() {
            let Self { beginning, due, timing, .. } = self;
            beginning.arrivals(timing, |cycle| due.insert(cycle));
            std::mem::swap(&mut self.beginning, &mut self.begun[self.now]); // for one whose runs have arrived
        }
        self.beginning.reset(now);
        self.due.remove(now);
        self.now = now;
    }

    #[inline(always)]
    fn vc_sends(&mut self, _: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32) {
        self.lengths[place.split().1] = flits;
        let run = Run { to: output.leads_to, flits };
        self.beginning.switched.push(Switched { from: input.filled_by, run });
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
            self.beginning.ejected.push(run);
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
        let mut arrive = |Run { to, flits }| {
            let (block, vc) = to.split();
            arrive(&mut blocks[block], vc, flits);
        };
        let begun = self.ago(self.timing.hop).into_iter();
        let switched = begun.flat_map(|begun| &begun.switched).map(|sent| sent.run);
        switched.filter(|run| !run.to.is_node()).for_each(&mut arrive);
        let begun = self.ago(self.timing.inject).into_iter();
        begun.flat_map(|begun| &begun.injected).copied().for_each(arrive);
    }

    #[inline(always)]
    fn credits<A>(
        &self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    ) {
        let begun = self.ago(self.timing.credit).into_iter();
        begun.flat_map(|begun| &begun.switched).for_each(|sent| credit(blocks, sent.from, sent.run.flits));
    }

    #[inline(always)]
    fn node_credits<A>(
        &self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        let begun = self.ago(self.timing.sink_credit).into_iter();
        for &Run { to, flits } in begun.flat_map(|begun| &begun.ejected) {
            let (block, vc) = to.split();
            credit(&mut blocks[block], vc, flits);
        }
    }

    #[inline(always)]
    fn next_arrival(&self, now: u64, _: &Layout<W>) -> Option<u64> {
        let mut next = self.due.next(now).unwrap_or(u64::MAX);
        if !self.beginning.is_empty() {
            self.beginning.arrivals(&self.timing, |cycle| next = next.min(cycle));
        }
        Some(next).filter(|&next| next < u64::MAX)
    }

    #[inline(always)]
    fn arriving(&self, _: u64) -> Arriving {
        let Timing { hop, inject, credit, sink_credit, .. } = self.timing;
        let any = |delay, has: fn(&Begun) -> bool| self.ago(delay).is_some_and(has);
        Arriving {
            flits: any(hop, |begun| begun.switched.len() > begun.ejected.len())
                || any(inject, |begun| !begun.injected.is_empty()),
            credits: any(credit, |begun| !begun.switched.is_empty()),
            node_credits: any(sink_credit, |begun| !begun.ejected.is_empty()),
        }
    }

    #[inline(always)]
    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool {
        self.next_arrival(now, layout).is_none()
    }
}
