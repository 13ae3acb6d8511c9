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
use std::collections::VecDeque;

/// The runs of the last cycles. Each is stored once, by the cycle in which it begins, and read when its flits begin to arrive and when
/// its credits do.
pub(crate) struct Runs<const W: usize> {
    /// Those that begin in the cycle `now`.
    beginning: Begun,
    now: u64,
    /// Those of the cycles before, by cycle.
    begun: Ring<Begun>,
    /// The cycles before in which runs began that may still arrive, in order.
    cycles: VecDeque<u64>,
    timing: Timing,
    /// The longest of its delays.
    longest: u64,
    /// Per output VC of the block that was visited last, the length of the run that left by it last.
    lengths: VcArray<u32, W>,
}

/// Runs that begin in a cycle.
#[derive(Default)]
struct Begun {
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

    fn clear(&mut self) {
        let Self { switched, injected, ejected } = self;
        switched.clear();
        injected.clear();
        ejected.clear();
    }
}

impl<const W: usize> Runs<W> {
    /// The runs that began `delay` cycles ago, at least 1. Before the first cycle there were none.
    #[inline(always)]
    fn ago(&self, delay: u64) -> &Begun {
        &self.begun[self.now.wrapping_sub(delay)]
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
        let (begun, cycles) = (Ring::new(longest), VecDeque::new());
        Self { beginning: Begun::default(), now: 0, begun, cycles, timing, longest, lengths }
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
            std::mem::swap(&mut self.beginning, &mut self.begun[self.now]); // for an empty one
            self.cycles.push_back(self.now);
        }
        while let Some(&first) = self.cycles.front()
            && first + self.longest < now
        {
            self.begun[first].clear();
            self.cycles.pop_front();
        }
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
        let switched = self.ago(self.timing.hop).switched.iter().map(|sent| sent.run);
        switched.filter(|run| !run.to.is_node()).for_each(&mut arrive);
        self.ago(self.timing.inject).injected.iter().copied().for_each(arrive);
    }

    #[inline(always)]
    fn credits<A>(
        &self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    ) {
        for &Switched { from, run } in &self.ago(self.timing.credit).switched {
            credit(blocks, from, run.flits);
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
        for &Run { to, flits } in &self.ago(self.timing.sink_credit).ejected {
            let (block, vc) = to.split();
            credit(&mut blocks[block], vc, flits);
        }
    }

    fn next_arrival(&self, now: u64, _: &Layout<W>) -> Option<u64> {
        let Timing { hop, inject, credit, sink_credit, .. } = self.timing;
        let mut next = u64::MAX;
        let before = self.cycles.iter().map(|&cycle| (cycle, &self.begun[cycle]));
        for (begin, Begun { switched, injected, ejected }) in before.chain([(self.now, &self.beginning)]) {
            let mut arrive = |any: bool, at| {
                if any && at >= now {
                    next = next.min(at)
                }
            };
            arrive(switched.len() > ejected.len(), begin + hop);
            arrive(!injected.is_empty(), begin + inject);
            arrive(!switched.is_empty(), begin + credit);
            arrive(!ejected.is_empty(), begin + sink_credit);
        }
        (next < u64::MAX).then_some(next)
    }

    #[inline(always)]
    fn arriving(&self, _: u64) -> Arriving {
        let Timing { hop, inject, credit, sink_credit, .. } = self.timing;
        Arriving {
            flits: !self.ago(hop).switched.is_empty() || !self.ago(inject).injected.is_empty(),
            credits: !self.ago(credit).switched.is_empty(),
            node_credits: !self.ago(sink_credit).ejected.is_empty(),
        }
    }

    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool {
        self.next_arrival(now, layout).is_none()
    }
}
