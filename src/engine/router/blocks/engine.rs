//! The engine: its parts and the main loop.

use super::active::ActiveSet;
use super::allocator::{Allocator, Matching};
use super::delay::{DelayLine, Run, Wheel};
use super::flow::{Counter, Flow};
use super::layout::{Layout, Place};
use super::packets::Packets;
use super::relation::{Groups, Relation};
use super::routing::Routing;
use super::source::Sources;
use super::stage::{self, Cycle, Traversal};
use super::state::Block;
use super::traffic::Traffic;
use super::watchdog::{Schedule, deadlock};
use crate::costs::Timing;
use crate::engine::Deadlock;
use crate::engine::router::{Ended, RouterCosts};
use crate::routing::Routes;
use crate::routing::relation::Header;
use crate::units::narrow;

/// The time at which head flits request the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speculation {
    /// In the cycle in which they request an output VC.
    On,
    /// In a cycle after that in which they have been granted one.
    Off,
}

/// Parameters of routers that hold for a whole run.
pub(crate) struct Config<'a> {
    /// Ports and routing.
    pub(crate) routes: &'a Routes,
    /// Properties of routers.
    pub(crate) costs: RouterCosts,
    /// Delays.
    pub(crate) timing: Timing,
    /// The time at which head flits request the switch.
    pub(crate) speculation: Speculation,
}

impl Config<'_> {
    /// The header of a packet to `dst` that draws from `random_bits`.
    pub(crate) fn header(&self, dst: u32, random_bits: u64) -> Header {
        match self.routes {
            Routes::Lattice(relation) => relation.header(dst, random_bits),
            Routes::Links(_) => Header::drawing(dst, random_bits),
        }
    }
}

/// Requests of a block in a cycle. They are a member of the engine so that the memory is reused.
pub(crate) struct Scratch<const W: usize> {
    /// Head flits and the output VCs that they request.
    pub(crate) requests: Groups<W>,
    /// Head flits and the output ports that they bid for.
    pub(crate) bids: Relation<W>,
    pub(crate) matching: Matching<W>,
}

impl<const W: usize> Scratch<W> {
    /// Creates no requests.
    pub(crate) fn new() -> Self {
        Self { requests: Groups::new(), bids: Relation::new(), matching: Matching::new() }
    }
}

/// A simulation: routers, sources, and flits in flight.
pub(crate) struct Engine<'a, const W: usize, R, A, F, T> {
    pub(crate) config: Config<'a>,
    pub(crate) layout: Layout<W>,
    pub(crate) routing: R,
    /// Source of packets and observer.
    pub(crate) traffic: T,
    pub(crate) now: u64,
    pub(crate) blocks: Vec<Block<W, A>>,
    pub(crate) active: ActiveSet,
    pub(crate) packets: Packets,
    pub(crate) sources: Sources,
    pub(crate) flow: F,
    pub(crate) counter: Counter,
    /// Flits in flight from sources.
    pub(crate) injected: DelayLine<Run>,
    /// Input VCs of runs, by the cycle after their last flit.
    pub(crate) ends: Wheel<Place>,
    pub(crate) scratch: Scratch<W>,
    pub(crate) schedule: Schedule,
}

/// The state of a run after a cycle.
enum Progress {
    /// Another cycle follows.
    Next,
    /// The last cycle has been simulated. Holds the packets that will never arrive, if there are any.
    End(Option<Box<Deadlock>>),
}

impl<const W: usize, R: Routing<W>, A: Allocator<W>, F: Flow<W>, T: Traffic> Engine<'_, W, R, A, F, T> {
    /// Runs until the traffic ends the run, nothing is left to do, or packets are left that will never arrive.
    pub(crate) fn run(mut self) -> Ended {
        self.draw_first();
        let mut deadlock = None;
        while self.traffic.continues(self.now) {
            if let Progress::End(found) = self.step() {
                deadlock = found;
                break;
            }
        }
        Ended { cycles: self.now, carried: self.carried(), moved: self.counter.moved, deadlock }
    }

    /// Takes the first packet of every source.
    fn draw_first(&mut self) {
        for source in 0..self.layout.sources() {
            let (node, channel) = self.layout.channel_of(source);
            let in_32_bits = |number| narrow(number, "nodes are numbered with 32 bits");
            self.sources.draw(source, self.traffic.next(in_32_bits(node), in_32_bits(channel)));
            self.sources.deactivate(0, source);
        }
    }

    /// Simulates a cycle, and advances to the next one in which something may happen.
    #[inline(always)]
    fn step(&mut self) -> Progress {
        self.cycle();
        self.now += 1;
        if self.schedule.reports(self.counter.moved) {
            self.schedule.report(self.counter.moved, self.traffic.progress(self.now));
        }
        if self.is_quiet() {
            match self.sources.next() {
                Some(at) => self.now = self.now.max(at),
                None => return Progress::End(self.deadlock()),
            }
        }
        if self.schedule.watches(self.now)
            && let Some(deadlock) = self.deadlock()
        {
            return Progress::End(Some(deadlock));
        }
        Progress::Next
    }

    /// Simulates a cycle.
    fn cycle(&mut self) {
        let Self { config, layout, flow, counter, injected, ends, blocks, active, sources, packets, traffic, .. } =
            self;
        let cycle = Cycle { now: self.now, config, layout };
        flow.advance(cycle.now);
        counter.advance(cycle.now);
        injected.advance();
        stage::runs_end(cycle, ends, blocks, active);
        stage::flits_arrive(cycle, flow, injected, blocks, active);
        stage::credits_arrive::<W, R, A, F>(cycle, flow, blocks, active, sources);
        stage::inject(cycle, injected, sources, packets, traffic);
        for group in 0..self.active.groups() {
            for block in self.active.members(group) {
                self.cycle_of(block);
            }
        }
    }

    /// Simulates a cycle of the routers of block `number`. What they send has an effect on others in a later cycle only, so
    /// that blocks may be taken in any order.
    #[inline(always)]
    fn cycle_of(&mut self, number: usize) {
        let Self { config, layout, routing, flow, counter, ends, blocks, active, packets, scratch, traffic, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        let ready = block.ready(); // before anything is granted in this cycle
        if !block.unrouted().is_empty() {
            stage::route(layout, routing, block, packets);
        }
        if !block.requesting.is_empty() {
            stage::allocate_vcs(cycle, routing, block, scratch, ready);
        }
        let mut traversal = Traversal::<W, F, T>::new(cycle, counter, flow, ends, packets, traffic);
        stage::allocate_switch(layout, block, scratch, ready, &mut traversal);
        if !traversal.inputs.is_empty() {
            traversal.finish(block);
        }
        debug_assert!(block.is_consistent(layout), "block {number} in cycle {}", self.now);
        if !block.is_active() {
            block.listed = false;
            active.remove(number);
        }
    }

    /// Returns true if nothing happens until a source has a packet.
    fn is_quiet(&self) -> bool {
        self.sources.sending.is_empty()
            && self.active.is_empty()
            && self.injected.is_empty()
            && self.ends.is_empty()
            && self.flow.is_empty(self.now, &self.layout)
    }

    /// The packets that will never arrive, if there are any.
    #[cold]
    fn deadlock(&self) -> Option<Box<Deadlock>> {
        deadlock(&self.config, &self.layout, &self.blocks, &self.packets, self.now)
    }

    /// Flits that each port of each router has sent while they were counted, those of its nodes as one.
    fn carried(&self) -> Vec<u64> {
        let layout = &self.layout;
        let ports = (0..layout.routers).flat_map(|router| (0..=layout.links).map(move |port| (router, port)));
        let of_port = |router, port| {
            let (block, first) = layout.locate(router, port, 0).split();
            layout.port_set(first).into_iter().map(|vc| self.blocks[block].outputs[vc].carried).sum::<u64>()
        };
        let sum = |(router, port)| {
            let last = if port == layout.links { layout.ports } else { port + 1 };
            (port..last).map(|port| of_port(router, port)).sum()
        };
        ports.map(sum).collect()
    }
}
