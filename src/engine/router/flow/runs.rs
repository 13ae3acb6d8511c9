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
    /// The runs that begin in the cycle `now`.
    beginning: CycleRuns,
    now: u64,
    /// The runs of the cycles before, by cycle.
    previous: Ring<CycleRuns>,
    /// The cycles before in which runs over links began, for their flits and for their credits.
    flits: Readings,
    credits: Readings,
    /// The cycles before in which runs from sources began.
    injected: Readings,
    /// The cycles before in which runs to nodes began, for the credits of the node.
    node_credits: Readings,
    /// For each output VC of the block that was visited last, the length of the run that left by it last.
    lengths: VcArray<u32, W>,
}

/// Runs that begin in a cycle.
#[derive(Default)]
struct CycleRuns {
    /// Runs from input VCs, to links and nodes.
    switched: Vec<SwitchedRun>,
    /// Runs from sources.
    injected: Vec<Run>,
    /// The output VCs of the runs that leave for nodes.
    ejected: Vec<Run>,
}

/// A run that passes a switch.
struct SwitchedRun {
    /// The output or source that fills the buffer which the run leaves.
    from: Place,
    run: Run,
}

impl CycleRuns {
    #[inline(always)]
    fn has_flits(&self) -> bool {
        self.switched.len() > self.ejected.len()
    }

    fn clear(&mut self) {
        let Self { switched, injected, ejected } = self;
        switched.clear();
        injected.clear();
        ejected.clear();
    }
}

/// A cycle that does not come.
const NEVER: u64 = u64::MAX;

/// The cycles in which runs of one kind began and that are still to be read, each after a fixed delay.
struct Readings {
    delay: u64,
    /// The cycle in which the first of them is read, [`NEVER`] if there is none.
    next: u64,
    /// The cycles in which the others are read.
    later: VecDeque<u64>,
}

impl Readings {
    fn new(delay: u64) -> Self {
        Self { delay, next: NEVER, later: VecDeque::new() }
    }

    /// Adds the cycle `begin`, which is later than those before.
    #[inline(always)]
    fn add(&mut self, begin: u64) {
        if self.next == NEVER {
            self.next = begin + self.delay;
        } else {
            self.later.push_back(begin + self.delay);
        }
    }

    /// Returns the cycle whose runs are read in cycle `now`, if there is one, and removes it.
    #[inline(always)]
    fn take(&mut self, now: u64) -> Option<u64> {
        if self.next != now {
            return None;
        }
        self.next = self.later.pop_front().unwrap_or(NEVER);
        Some(now - self.delay)
    }

    /// The next cycle in which runs are read, if runs of this kind also begin in the cycle `begin`, or not, as `any` says.
    #[inline(always)]
    fn next_with(&self, any: bool, begin: u64) -> u64 {
        if any { self.next.min(begin + self.delay) } else { self.next }
    }
}

impl<const W: usize> Flow<W> for Runs<W> {
    const COUNTS_EJECTION: bool = true;
    const ONE_VC: bool = true;

    fn new(_: &Layout<W>, _: Channels, costs: &RouterCosts, _: u32) -> Self {
        let Timing { hop, inject, credit, sink_credit, .. } = costs.timing;
        Self {
            beginning: CycleRuns::default(),
            now: 0,
            previous: Ring::new(hop.max(inject).max(credit).max(sink_credit)),
            flits: Readings::new(hop),
            credits: Readings::new(credit),
            injected: Readings::new(inject),
            node_credits: Readings::new(sink_credit),
            lengths: VcArray::filled(0),
        }
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
        let Self { beginning, previous, flits, credits, injected, node_credits, .. } = self;
        if !(beginning.switched.is_empty() && beginning.injected.is_empty()) {
            if beginning.has_flits() {
                flits.add(self.now);
            }
            if !beginning.switched.is_empty() {
                credits.add(self.now);
            }
            if !beginning.injected.is_empty() {
                injected.add(self.now);
            }
            if !beginning.ejected.is_empty() {
                node_credits.add(self.now);
            }
            std::mem::swap(beginning, &mut previous[self.now]); // for runs that have been read
            beginning.clear();
        }
        self.now = now;
    }

    #[inline(always)]
    fn vc_sends(&mut self, _: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32) {
        self.lengths[place.split().1] = flits;
        let run = Run { to: output.leads_to, flits };
        self.beginning.switched.push(SwitchedRun { from: input.filled_by, run });
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
            self.beginning.ejected.push(Run { to: layout.place_in(block, output), flits });
            eject(Ejected { flits: 1, cycles: flits, longer: 0 });
        }
    }

    #[inline(always)]
    fn arrivals<A>(
        &mut self,
        now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut arrive: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        let mut arrive = |Run { to, flits }| {
            let (block, vc) = to.split();
            arrive(&mut blocks[block], vc, flits);
        };
        if let Some(cycle) = self.flits.take(now) {
            let switched = self.previous[cycle].switched.iter().map(|switched| switched.run);
            switched.filter(|run| !run.to.is_node()).for_each(&mut arrive);
        }
        if let Some(cycle) = self.injected.take(now) {
            self.previous[cycle].injected.iter().copied().for_each(arrive);
        }
    }

    #[inline(always)]
    fn credits<A>(
        &mut self,
        now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    ) {
        if let Some(cycle) = self.credits.take(now) {
            for &SwitchedRun { from, run } in &self.previous[cycle].switched {
                credit(blocks, from, run.flits);
            }
        }
    }

    #[inline(always)]
    fn node_credits<A>(
        &mut self,
        now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        if let Some(cycle) = self.node_credits.take(now) {
            for &Run { to, flits } in &self.previous[cycle].ejected {
                let (block, vc) = to.split();
                credit(&mut blocks[block], vc, flits);
            }
        }
    }

    #[inline(always)]
    fn next_arrival(&self, _: u64, _: &Layout<W>) -> Option<u64> {
        let Self { beginning, flits, credits, injected, node_credits, now, .. } = self;
        let flits = flits.next_with(beginning.has_flits(), *now);
        let credits = credits.next_with(!beginning.switched.is_empty(), *now);
        let injected = injected.next_with(!beginning.injected.is_empty(), *now);
        let node_credits = node_credits.next_with(!beginning.ejected.is_empty(), *now);
        let next = flits.min(credits).min(injected).min(node_credits);
        (next < NEVER).then_some(next)
    }

    #[inline(always)]
    fn arriving(&self, now: u64) -> Arriving {
        Arriving {
            flits: self.flits.next == now || self.injected.next == now,
            credits: self.credits.next == now,
            node_credits: self.node_credits.next == now,
        }
    }

    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool {
        self.next_arrival(now, layout).is_none()
    }
}
