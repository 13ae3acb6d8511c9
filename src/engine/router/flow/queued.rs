//! Flits that wait in output queues, and credits that wait for their turn: behind crossbars that are faster than links, with stages
//! that take flits in batches, and with credits that take time to be counted.
//!
//! An output port sends the oldest flit of its queue in each cycle, an input port its oldest message with credits, which holds those of
//! a step. As both are served in order, the cycle in which something leaves is known when it is granted, so that nothing but that
//! cycle is kept. The links themselves are those of [`super::heterogeneous_links`].

use super::super::channels::Channels;
use super::super::delay::Run;
use super::super::layout::{Layout, Place};
use super::super::packets::Packets;
use super::super::state::{Block, Input, Output};
use super::super::vcset::{VcArray, VcSet};
use super::{Arriving, Ejected, Flow, HeterogeneousLinks};
use crate::costs::Timing;
use crate::engine::router::{Crossbar, RouterCosts, StageCycles, StageEntry};
use crate::routing::Pace;
use std::collections::VecDeque;

/// Output queues and messages with credits, and the links behind them.
pub(crate) struct Queued<const W: usize> {
    links: HeterogeneousLinks<W>,
    crossbar: Crossbar,
    stages: StageCycles,
    /// The timing of routers that count credits as they arrive.
    wires: Timing,
    /// Cycles from the grant of the switch to the link if nothing waits.
    crossed: u64,
    now: u64,
    /// The number of this step, and the cycle of the next one.
    step: u64,
    next: u64,
    /// By port of all routers, as outputs and as inputs.
    queues: Vec<OutputQueue>,
    messages: Vec<Messages>,
    /// By router, the flits that entered the crossbar last.
    batches: Vec<Batch>,
    /// Per output VC of the block that was visited last, the cycles for which its last flit waits.
    waits: VcArray<u64, W>,
}

/// A step and its cycle.
#[derive(Clone, Copy, Default)]
struct StepTime {
    step: u64,
    cycle: u64,
}

/// The queue of an output port.
#[derive(Clone, Default)]
struct OutputQueue {
    /// The first cycle in which the link is free behind all flits of the queue.
    free_at: u64,
    /// The step in which each flit joins and the cycle in which it leaves, where queues are limited.
    flits: VecDeque<(u64, u64)>,
}

/// The messages with credits of an input port.
#[derive(Clone, Copy)]
struct Messages {
    /// The step of the last message, and the cycle in which it leaves.
    last: Option<StepTime>,
}

/// Flits that entered the crossbar of a router together.
#[derive(Clone, Copy)]
struct Batch {
    entered: Option<StepTime>,
}

impl<const W: usize> Queued<W> {
    /// The index of the port of `vc`, in block `block`, among those of all routers.
    #[inline(always)]
    fn port(layout: &Layout<W>, block: usize, vc: usize) -> usize {
        layout.channel(layout.place_in(block, vc))
    }

    /// The step after `step`, which is in cycle `cycle`.
    fn after(&self, step: u64, cycle: u64) -> StepTime {
        let next = if step + 1 < self.crossbar.steps_before(cycle + 1) { cycle } else { cycle + 1 };
        StepTime { step: step + 1, cycle: next }
    }

    /// The step at whose end a flit has crossed that entered the crossbar in `entered`.
    fn crossed(&self, entered: StepTime) -> StepTime {
        match u64::from(self.stages.traversal) - 1 {
            0 => entered,
            more => StepTime { step: self.crossbar.steps_before(entered.cycle + more), cycle: entered.cycle + more },
        }
    }

    /// The step in which a flit enters the crossbar of `router` that is granted the switch in this step.
    fn entry(&mut self, router: usize) -> StepTime {
        let next = StepTime { step: self.step + 1, cycle: self.next };
        if self.stages.entry == StageEntry::Continuous {
            return next;
        }
        let entered = match self.batches[router].entered {
            Some(entered) if entered.step >= next.step => entered, // the batch has not entered yet
            Some(entered) if self.crossed(entered).step >= next.step => {
                let crossed = self.crossed(entered);
                self.after(crossed.step, crossed.cycle)
            }
            _ => next,
        };
        self.batches[router].entered = Some(entered);
        entered
    }

    /// The cycle in which a flit leaves output port `port` of all routers that has joined its queue in `joined`, over a link with this
    /// `pace`.
    fn departure(&mut self, port: usize, joined: StepTime, pace: Pace) -> u64 {
        let now = self.now;
        let queue = &mut self.queues[port];
        let leaves = queue.free_at.max(joined.cycle);
        // a flit is on the link from the next cycle on
        queue.free_at = pace.next_departure(leaves + 1) - 1;
        if self.crossbar.output_queue.is_some() {
            queue.flits.retain(|&(_, leaves)| leaves >= now);
            queue.flits.push_back((joined.step, leaves));
        }
        leaves
    }

    /// The cycle in which the credit of a flit leaves input port `port` of all routers that leaves its buffer in this step.
    fn message(&mut self, port: usize) -> u64 {
        let Messages { last } = &mut self.messages[port];
        match last {
            Some(StepTime { step, cycle }) if *step == self.step => *cycle,
            _ => {
                let cycle = last.map_or(self.now, |last| self.now.max(last.cycle + 1));
                *last = Some(StepTime { step: self.step, cycle });
                cycle
            }
        }
    }
}

/// The most cycles for which a flit or a credit waits: all slots of a port, and a batch.
fn longest_wait<const W: usize>(layout: &Layout<W>, channels: &Channels, stages: StageCycles) -> u64 {
    let flits = layout.numbering.vcs as u64 * u64::from(channels.largest_buffer());
    (flits + 1) * u64::from(channels.slowest().flit) + 2 * u64::from(stages.traversal)
}

impl<const W: usize> Flow<W> for Queued<W> {
    const COUNTS_EJECTION: bool = true;
    const ONE_VC: bool = false;

    fn new(layout: &Layout<W>, channels: Channels, costs: &RouterCosts, longest_run: u32) -> Self {
        let stages = costs.microarchitecture.stages;
        let longest = longest_wait(layout, &channels, stages) + u64::from(stages.credit);
        let ports = layout.channels();
        let wire = costs.timing.inject;
        Self {
            links: HeterogeneousLinks::with_waits(layout, channels, &costs.timing, longest_run, longest),
            crossbar: costs.microarchitecture.crossbar,
            stages,
            wires: Timing { credit: wire, ..costs.timing },
            crossed: costs.timing.hop - wire,
            now: 0,
            step: 0,
            next: 0,
            queues: vec![OutputQueue::default(); ports],
            messages: vec![Messages { last: None }; ports],
            batches: vec![Batch { entered: None }; layout.numbering.routers],
            waits: VcArray::filled(0),
        }
    }

    fn run(&self, _left: u32, _here: u32, _credits: u32) -> u32 {
        1
    }

    #[inline]
    fn pace(&self, layout: &Layout<W>, place: Place) -> Pace {
        self.links.pace(layout, place)
    }

    fn add_time(&self, layout: &Layout<W>, place: Place, packets: &mut Packets, number: u32, routing: u64) {
        self.links.add_time(layout, place, packets, number, routing);
    }

    /// Ports whose link is in use, or whose queue is full.
    fn ports_in_use(&self, layout: &Layout<W>, block: usize) -> VcSet<W> {
        let mut ports = self.links.ports_in_use(layout, block);
        let Some(limit) = self.crossbar.output_queue else { return ports };
        for port in layout.ports_of_block() {
            // the last block may have numbers for more routers than there are
            let Some(OutputQueue { flits, .. }) = self.queues.get(Self::port(layout, block, port)) else { break };
            let waiting = flits.iter().filter(|&&(joins, leaves)| joins < self.step && leaves >= self.now);
            if waiting.count() >= limit as usize {
                ports.insert(port);
            }
        }
        ports
    }

    fn advance(&mut self, now: u64) {
        self.now = now;
        self.links.advance(now);
    }

    fn begin_step(&mut self, step: u64, next: u64) {
        self.step = step;
        self.next = next;
    }

    fn waits(&self, output: usize) -> u64 {
        self.waits[output]
    }

    fn inject(&mut self, layout: &Layout<W>, source: Place, run: Run, now: u64) -> u64 {
        self.links.inject(layout, source, run, now)
    }

    fn vc_sends(&mut self, layout: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32) {
        let (block, vc) = place.split();
        let joined = self.entry(layout.router(block, vc));
        let joined = self.crossed(joined);
        let pace = self.links.pace(layout, place);
        let leaves = self.departure(Self::port(layout, block, vc), joined, pace);
        self.waits[vc] = leaves - (self.now + self.crossed);
        self.links.send(layout, output, place, flits, self.waits[vc]);
        let port = input.port.first().map_or(0, |port| Self::port(layout, block, port));
        // sources count credits as they arrive
        let counted = if input.filled_by.is_node() { 0 } else { u64::from(self.stages.credit) };
        let sent = self.message(port);
        let arrival = self.links.pace(layout, input.filled_by).credit(&self.wires, sent) + counted;
        self.links.return_credit(arrival, Run { to: input.filled_by, flits });
    }

    fn length(&self, _output: usize) -> u32 {
        1
    }

    fn block_sends(
        &mut self,
        layout: &Layout<W>,
        block: usize,
        inputs: VcSet<W>,
        outputs: VcSet<W>,
        eject: impl FnMut(Ejected),
    ) {
        self.links.block_sends(layout, block, inputs, outputs, eject);
    }

    fn arrivals<A>(
        &mut self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        arrive: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        self.links.arrivals(now, layout, blocks, arrive);
    }

    fn credits<A>(
        &mut self,
        now: u64,
        layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    ) {
        self.links.credits(now, layout, blocks, credit);
    }

    fn node_credits<A>(
        &mut self,
        _now: u64,
        _layout: &Layout<W>,
        _blocks: &mut [Block<W, A>],
        _credit: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
    }

    #[inline(always)]
    fn arriving(&self, now: u64) -> Arriving {
        self.links.arriving(now)
    }

    fn is_empty(&self, now: u64, layout: &Layout<W>) -> bool {
        self.links.is_empty(now, layout)
    }
}
