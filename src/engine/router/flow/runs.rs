//! Flits that leave in runs: all of a packet that are there and have a credit.
//!
//! Where ports have a single VC, no other packet can come between the flits of a run, and nothing can stop them: the whole
//! run can be scheduled when its first flit leaves.

use super::super::channels::Channels;
use super::super::delay::Run;
use super::super::layout::{Layout, Place};
use super::super::state::{Block, Input, Output};
use super::super::vcset::{VcArray, VcSet};
use super::{Arriving, Ejected, Flow};
use crate::costs::Timing;
use crate::engine::router::RouterCosts;
use std::collections::VecDeque;

/// Runs in the order in which they begin. Each is stored once, and read when its flits begin to arrive and when its credits do.
pub(crate) struct Runs<const W: usize> {
    /// Runs over links: the next router reads them for their flits, the previous one for their credits.
    to_links: Log,
    /// Runs to nodes: the previous router reads them for their credits, their own router for those of the node.
    to_nodes: Log,
    /// Runs from sources, and the cycles in which they begin.
    injected: VecDeque<(u64, Run)>,
    now: u64,
    timing: Timing,
    /// Per output VC of the block that was visited last, the length of the run that left by it last.
    lengths: VcArray<u32, W>,
}

/// A run that passes a switch.
#[derive(Clone, Copy)]
struct SwitchedRun {
    /// The cycle in which it begins.
    cycle: u64,
    /// The output or source that fills the buffer which the run leaves.
    from: Place,
    /// The VC where it arrives, or the output VC by which it leaves for a node.
    to: Place,
    flits: u32,
}

/// Runs in the order in which they begin, for two readers with fixed delays.
struct Log {
    runs: VecDeque<SwitchedRun>,
    /// The delay of each reader.
    delays: [u64; 2],
    /// The number of runs at the front that each reader has read.
    read: [usize; 2],
    /// The cycle in which each reader reads the next run, [`NEVER`] if there is none.
    next: [u64; 2],
}

/// A cycle that does not come.
const NEVER: u64 = u64::MAX;

impl Log {
    fn new(delays: [u64; 2]) -> Self {
        Self { runs: VecDeque::new(), delays, read: [0; 2], next: [NEVER; 2] }
    }

    /// Adds a run that begins now.
    #[inline(always)]
    fn push(&mut self, run: SwitchedRun) {
        for reader in [0, 1] {
            if self.next[reader] == NEVER {
                self.next[reader] = run.cycle + self.delays[reader];
            }
        }
        self.runs.push_back(run);
    }

    /// Calls `take` with the runs that `reader` reads in cycle `now`.
    #[inline(always)]
    fn read(&mut self, reader: usize, now: u64, mut take: impl FnMut(SwitchedRun)) {
        self.next[reader] = NEVER;
        while let Some(&sent) = self.runs.get(self.read[reader]) {
            if sent.cycle + self.delays[reader] > now {
                self.next[reader] = sent.cycle + self.delays[reader];
                break;
            }
            take(sent);
            self.read[reader] += 1;
        }
        // the reader with the longer delay is the last one
        while self.read[0] > 0 && self.read[1] > 0 {
            self.runs.pop_front();
            self.read[0] -= 1;
            self.read[1] -= 1;
        }
    }
}

impl<const W: usize> Flow<W> for Runs<W> {
    const COUNTS_EJECTION: bool = true;
    const ONE_VC: bool = true;

    fn new(_: &Layout<W>, _: Channels, costs: &RouterCosts, _: u32) -> Self {
        let timing = costs.timing;
        Self {
            to_links: Log::new([timing.hop, timing.credit]),
            to_nodes: Log::new([timing.credit, timing.sink_credit]),
            injected: VecDeque::new(),
            now: 0,
            timing,
            lengths: VcArray::filled(0),
        }
    }

    #[inline(always)]
    fn run(&self, left: u32, here: u32, credits: u32) -> u32 {
        left.min(here).min(credits)
    }

    #[inline(always)]
    fn inject(&mut self, _: &Layout<W>, _: Place, run: Run, now: u64) -> u64 {
        self.injected.push_back((now, run));
        now + u64::from(run.flits)
    }

    #[inline(always)]
    fn advance(&mut self, now: u64) {
        self.now = now;
    }

    #[inline(always)]
    fn vc_sends(&mut self, _: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32) {
        self.lengths[place.split().1] = flits;
        let is_node = output.leads_to.is_node();
        let to = if is_node { place } else { output.leads_to };
        let log = if is_node { &mut self.to_nodes } else { &mut self.to_links };
        log.push(SwitchedRun { cycle: self.now, from: input.filled_by, to, flits });
    }

    #[inline(always)]
    fn length(&self, output: usize) -> u32 {
        self.lengths[output]
    }

    #[inline(always)]
    fn block_sends(
        &mut self,
        layout: &Layout<W>,
        _: usize,
        _: VcSet<W>,
        outputs: VcSet<W>,
        mut eject: impl FnMut(Ejected),
    ) {
        for output in outputs & layout.of_nodes {
            eject(Ejected { flits: 1, cycles: self.lengths[output], longer: 0 });
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
        let mut arrive = |to: Place, flits| {
            let (block, vc) = to.split();
            arrive(&mut blocks[block], vc, flits);
        };
        self.to_links.read(0, now, |sent| arrive(sent.to, sent.flits));
        while let Some(&(cycle, run)) = self.injected.front()
            && cycle + self.timing.inject == now
        {
            self.injected.pop_front();
            arrive(run.to, run.flits);
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
        self.to_links.read(1, now, |sent| credit(blocks, sent.from, sent.flits));
        self.to_nodes.read(0, now, |sent| credit(blocks, sent.from, sent.flits));
    }

    #[inline(always)]
    fn node_credits<A>(
        &mut self,
        now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        self.to_nodes.read(1, now, |sent| {
            let (block, vc) = sent.to.split();
            credit(&mut blocks[block], vc, sent.flits);
        });
    }

    #[inline(always)]
    fn next_arrival(&self, _: u64, _: &Layout<W>) -> Option<u64> {
        let injected = self.injected.front().map_or(NEVER, |(cycle, _)| cycle + self.timing.inject);
        let [flits, credits] = self.to_links.next;
        let [node_runs, node_credits] = self.to_nodes.next;
        let next = injected.min(flits).min(credits).min(node_runs).min(node_credits);
        (next < NEVER).then_some(next)
    }

    #[inline(always)]
    fn arriving(&self, now: u64) -> Arriving {
        let injected = self.injected.front().is_some_and(|(cycle, _)| cycle + self.timing.inject == now);
        Arriving {
            flits: injected || self.to_links.next[0] == now,
            credits: self.to_links.next[1] == now || self.to_nodes.next[0] == now,
            node_credits: self.to_nodes.next[1] == now,
        }
    }

    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool {
        self.next_arrival(now, layout).is_none()
    }
}
