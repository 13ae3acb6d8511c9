//! Flits that move one by one, as other packets may come between those of a packet.
//!
//! The flits that a block sends are logged once, as two sets of VCs, and the log is read at two ages: when the flits arrive at
//! the next router, and when the credits arrive at the previous one.

use super::super::channels::Channels;
use super::super::delay::{DelayLine, Ring, Run};
use super::super::layout::{Layout, Place};
use super::super::state::{Block, Input, Output};
use super::super::vcset::VcSet;
use super::{Arriving, Counter, Ejected, Flow, SlotReturn};
use crate::costs::Timing;
use crate::engine::router::RouterCosts;

/// Flits of a block in a cycle.
#[derive(Clone, Copy)]
struct Departures<const W: usize> {
    block: usize,
    /// Input VCs that they have left, and output VCs by which they have.
    inputs: VcSet<W>,
    outputs: VcSet<W>,
}

/// Flits of the last cycles, in a ring of a list per cycle.
pub(crate) struct OneByOne<const W: usize> {
    cycles: Ring<Vec<Departures<W>>>,
    /// Flits in flight from sources.
    injected: DelayLine<Run>,
    now: u64,
    timing: Timing,
    /// Departures of this cycle whose slots were returned before, and that were there at the last return.
    unread: [usize; 2],
}

impl<const W: usize> OneByOne<W> {
    /// Flits that were sent in the cycle `now - age`, of which there are none before the first cycle.
    #[inline(always)]
    fn ago(&self, now: u64, age: u64) -> &[Departures<W>] {
        &self.cycles[now.wrapping_sub(age)]
    }

    /// The longest time after which anything that `sent` logs arrives.
    fn last_arrival(&self, layout: &Layout<W>, sent: &Departures<W>) -> u64 {
        let Timing { hop, credit, sink_credit, .. } = self.timing;
        let to_links = if (sent.outputs - layout.of_nodes).is_empty() { 0 } else { hop };
        let to_nodes = if (sent.outputs & layout.of_nodes).is_empty() { 0 } else { sink_credit };
        credit.max(to_links).max(to_nodes)
    }
}

impl<const W: usize> Flow<W> for OneByOne<W> {
    const COUNTS_EJECTION: bool = false;
    const ONE_VC: bool = false;

    fn new(_: &Layout<W>, _: Channels, costs: &RouterCosts, _: u32) -> Self {
        let timing = &costs.timing;
        let longest = timing.hop.max(timing.credit).max(timing.sink_credit);
        let injected = DelayLine::new(timing.inject);
        Self { cycles: Ring::new(longest), injected, now: 0, timing: *timing, unread: [0; 2] }
    }

    #[inline(always)]
    fn run(&self, _left: u32, _here: u32, _credits: u32) -> u32 {
        1
    }

    #[inline(always)]
    fn counted(counter: &Counter, _flits: u32) -> u64 {
        counter.one
    }

    #[inline(always)]
    fn inject(&mut self, _: &Layout<W>, _: Place, run: Run, now: u64) -> u64 {
        self.injected.enter(run);
        now + u64::from(run.flits)
    }

    fn advance(&mut self, now: u64) {
        self.injected.advance();
        if now > self.now + 1 {
            self.cycles.iter_mut().for_each(Vec::clear); // cycles are left out while nothing is in flight
        }
        self.now = now;
        self.unread = [0; 2];
        self.cycles[now].clear();
    }

    #[inline(always)]
    fn vc_sends(&mut self, _: &Layout<W>, _: &Input<W>, _: &Output, _: Place, _: u32) {}

    #[inline(always)]
    fn length(&self, _: usize) -> u32 {
        1
    }

    #[inline(always)]
    fn block_sends(
        &mut self,
        layout: &Layout<W>,
        block: usize,
        inputs: VcSet<W>,
        outputs: VcSet<W>,
        mut eject: impl FnMut(Ejected),
    ) {
        self.cycles[self.now].push(Departures { block, inputs, outputs });
        let ejected = outputs & layout.of_nodes;
        if !ejected.is_empty() {
            let flits = ejected.into_iter().fold(0, |flits, _| flits + 1);
            eject(Ejected { flits, cycles: 1, longer: 0 });
        }
    }

    #[inline(always)]
    fn arrivals<A>(
        &mut self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut arrive: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        for &Departures { block, outputs, .. } in self.ago(now, self.timing.hop) {
            for output in outputs - layout.of_nodes {
                let (next, vc) = blocks[block].outputs[output].leads_to.split();
                arrive(&mut blocks[next], vc, 1);
            }
        }
        for &Run { to, flits } in self.injected.leaving() {
            let (block, vc) = to.split();
            arrive(&mut blocks[block], vc, flits);
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
        for &Departures { block, inputs, .. } in &self.ago(now, self.timing.credit)[self.unread[0]..] {
            for input in inputs {
                let to = blocks[block].inputs[input].filled_by;
                credit(blocks, to, 1);
            }
        }
    }

    #[inline(always)]
    fn node_credits<A>(
        &mut self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        if layout.counted.is_empty() {
            return;
        }
        for &Departures { block, outputs, .. } in self.ago(now, self.timing.sink_credit) {
            for output in outputs & layout.counted {
                credit(&mut blocks[block], output, 1);
            }
        }
    }

    #[inline(always)]
    fn arriving(&self, now: u64) -> Arriving {
        let Timing { hop, credit, sink_credit, .. } = self.timing;
        let is_logged = |age| !self.ago(now, age).is_empty();
        let flits = is_logged(hop) || !self.injected.leaving().is_empty();
        Arriving { flits, credits: is_logged(credit), node_credits: is_logged(sink_credit) }
    }

    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool {
        let cycles = self.cycles.len() as u64;
        self.injected.is_empty()
            && (1..cycles).all(|age| self.ago(now, age).iter().all(|sent| self.last_arrival(layout, sent) < age))
    }
}

impl<const W: usize> SlotReturn for OneByOne<W> {
    fn return_slots(&mut self) {
        self.unread = [self.unread[1], self.cycles[self.now].len()];
    }
}
