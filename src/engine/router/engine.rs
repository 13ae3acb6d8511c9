//! The engine: its parts and the main loop.
//!
#![doc = include_str!("cycle.md")]

use super::active::ActiveSet;
use super::blocks::Blocks;
use super::config::{Config, Scratch, Speculation};
use super::delay::{DelayLine, Run, Wheel};
use super::discipline::{Discipline, InTurn};
use super::flow::{Arriving, Counter, Flow, HeterogeneousLinks, SlotReturn};
use super::held_slots::HeldSlots;
use super::layout::{Layout, Place};
use super::packets::{Packet, Packets};
use super::routing::{Routing, TreeWorms};
use super::source::Sources;
use super::stage::{self, Cycle, FirstCome, FullCrossbar, OutputGrants, Routed, Traversal, grant_event};
use super::state::Block;
use super::strips::{Entering, Mail, Outgoing};
use super::traffic::{Endpoints, Event};
use super::trees::WaitForVc;
use super::watchdog::{Schedule, Waits};
use crate::engine::Deadlock;
use crate::engine::deadlock::Waiting;
use crate::engine::router::Ended;
use crate::engine::router::{Traffic, channel_name};
use crate::units::{ChannelId, MessageId};

/// A simulation: routers, sources, and flits in flight.
pub(crate) struct Engine<'a, const W: usize, R, D: Discipline<W>, F, T> {
    pub(crate) config: Config<'a>,
    pub(crate) layout: Layout<W>,
    pub(crate) routing: R,
    /// Sources of packets, and observer.
    pub(crate) traffic: Endpoints<T>,
    pub(crate) now: u64,
    /// State of the order in which requests are served.
    pub(crate) discipline: D,
    pub(crate) blocks: Blocks<W, D::Arbiters>,
    pub(crate) active: ActiveSet,
    pub(crate) packets: Packets,
    pub(crate) sources: Sources,
    pub(crate) flow: F,
    pub(crate) counter: Counter,
    /// Slots of nodes that messages keep until they are taken, if nodes hold messages.
    pub(crate) held: Option<HeldSlots>,
    /// Input VCs of runs, by the cycle after their last flit.
    pub(crate) ends: Wheel<Place>,
    /// Head flits whose routes are computed, if that takes a cycle or more.
    pub(crate) routed: Option<Routed<W>>,
    pub(crate) scratch: Scratch<W>,
    pub(crate) schedule: Schedule,
}

/// The state of a run after a cycle.
pub(crate) enum Progress {
    /// Another cycle follows.
    Next,
    /// The last cycle has been simulated. Holds the packets that will never arrive, if there are any.
    End(Option<Box<Deadlock>>),
}

/// An engine of any parts, between two cycles.
pub(crate) trait AnyEngine<T> {
    /// Runs until the traffic ends the run, nothing is left to do, or packets are left that will never arrive.
    fn run(&mut self) -> Ended;

    /// The end of a run in which the packets of `deadlock`, if there are any, will never arrive.
    fn ended(&self, deadlock: Option<Box<Deadlock>>) -> Ended;

    /// Simulates a cycle, and advances to the next one in which something may happen.
    fn step(&mut self) -> Progress;

    /// The next cycle.
    fn now(&self) -> u64;

    /// Flits that have passed the switch of a router.
    fn moved(&self) -> u64;

    /// Continues at cycle `at`, when nothing happened until the next cycle but in the traffic.
    fn continue_at(&mut self, at: u64);

    /// The next cycle in which anything happens, if the traffic does not change.
    fn next_cycle(&self) -> Option<u64>;

    /// Returns `slots` slots of a node behind output VC `vc` in cycle `now`.
    fn return_slots(&mut self, vc: u32, slots: u32, now: u64);

    /// The first part of cycle `now`: all that is due happens. What arrives at other strips is added to `outgoing`.
    fn begin_cycle(&mut self, outgoing: &mut Outgoing<'_>);

    /// Takes what arrives from other strips in this cycle.
    fn receive(&mut self, mail: &mut Mail);

    /// The second part of the cycle: nodes act, sources send, and routers serve their requests.
    fn end_cycle(&mut self);

    /// The traffic.
    fn traffic(&self) -> &T;

    /// The traffic, to be changed.
    fn traffic_mut(&mut self) -> &mut T;
}

/// The part of a cycle that follows when flits and credits have arrived and sources have sent, for each discipline.
pub(crate) trait ServeRouters {
    /// Routes head flits, allocates VCs and the switch, and sends flits.
    fn serve_routers(&mut self);
}

impl<const W: usize, R: Routing<W>, D: Discipline<W>, F: Flow<W>, T: Traffic> AnyEngine<T> for Engine<'_, W, R, D, F, T>
where
    Self: ServeRouters,
{
    fn run(&mut self) -> Ended {
        let mut deadlock = None;
        while self.traffic.nodes.goes_on(self.now) {
            if let Progress::End(found) = self.advance() {
                deadlock = found;
                break;
            }
        }
        self.ended(deadlock)
    }

    fn ended(&self, deadlock: Option<Box<Deadlock>>) -> Ended {
        Ended { cycles: self.now, carried: self.carried(), moved: self.counter.moved, deadlock }
    }

    fn step(&mut self) -> Progress {
        self.advance()
    }

    fn now(&self) -> u64 {
        self.now
    }

    fn moved(&self) -> u64 {
        self.counter.moved
    }

    fn continue_at(&mut self, at: u64) {
        self.now = at;
    }

    fn next_cycle(&self) -> Option<u64> {
        if self.is_quiet() { self.next_event().map(|at| at.max(self.now)) } else { Some(self.now) }
    }

    fn return_slots(&mut self, vc: u32, slots: u32, now: u64) {
        let (block, vc) = self.layout.split(vc);
        let output = self.layout.place_in(block, vc);
        let delay = self.flow.pace(&self.layout, output).delay;
        if let Some(held) = &mut self.held {
            held.release(output, slots, now.max(self.now), delay.into());
        }
    }

    fn begin_cycle(&mut self, outgoing: &mut Outgoing<'_>) {
        self.start_cycle();
        self.flow.advance(self.now);
        self.arrive(self.flow.arriving(self.now));
        let Self { blocks, active, packets, routing, layout, .. } = self;
        blocks.send_arrivals(layout, active, outgoing);
        packets.take_leaving(|vc, number, &packet| {
            let (block, vc) = layout.split(vc);
            let to = layout.global_place(layout.place_in(block, vc));
            let path = routing.take_path(number);
            outgoing.mail_to(to.split().0).packets.push(Entering { to, packet, path });
        });
    }

    fn receive(&mut self, mail: &mut Mail) {
        let Self { config, layout, blocks, active, packets, routing, traffic, .. } = self;
        for Entering { to, packet, path } in mail.packets.drain(..) {
            let number = packets.add(packet);
            packets.send(layout.number(to), number);
            routing.set_path(number, path);
        }
        for Run { to, flits } in mail.flits.drain(..) {
            let (block, vc) = to.split();
            blocks[block].arrive(vc, flits, active);
        }
        let cycle = Cycle { now: self.now, config, layout };
        for Run { to, flits: credits } in mail.credits.drain(..) {
            let (block, vc) = to.split();
            stage::credit_arrives::<W, R, D::Arbiters>(
                cycle,
                &mut blocks[block],
                (vc, credits),
                active,
                |block, vc| {
                    report_emptied(cycle, block, vc, packets, traffic);
                },
            );
        }
    }

    fn end_cycle(&mut self) {
        let Self { traffic, sources, layout, .. } = self;
        traffic.nodes.advance(self.now, &mut sources.woken);
        sources.wake_all(self.now, layout.numbering.injections);
        self.serve();
        self.now += 1;
    }

    fn traffic(&self) -> &T {
        &self.traffic.nodes
    }

    fn traffic_mut(&mut self) -> &mut T {
        &mut self.traffic.nodes
    }
}

impl<const W: usize, R: Routing<W>, D: Discipline<W>, F: Flow<W>, T: Traffic> Engine<'_, W, R, D, F, T>
where
    Self: ServeRouters,
{
    /// Takes the first packet of every source.
    pub(crate) fn take_first_packets(&mut self) {
        for source in 0..self.layout.sources() {
            if !self.blocks.contains(self.layout.entry(source, 0).split().0) {
                continue;
            }
            let (node, channel) = self.layout.channel_of(source);
            let queues = self.traffic.nodes.queues();
            for (queue, number) in (channel * queues..).take(queues as usize).enumerate() {
                self.sources.sources[source].queues[queue].next = self.traffic.next(node, number);
            }
            self.sources.deactivate(0, source);
        }
    }

    /// Simulates a cycle, and advances to the next one in which something may happen.
    #[inline(always)]
    fn advance(&mut self) -> Progress {
        self.cycle();
        self.now += 1;
        if self.schedule.reports(self.counter.moved) {
            self.schedule.report(self.counter.moved, self.traffic.nodes.progress(self.now));
        }
        if self.is_at_rest() {
            self.await_arrivals();
            if self.is_quiet() {
                match self.next_event() {
                    Some(at) => self.now = self.now.max(at),
                    None => return Progress::End(self.deadlock_at_rest()),
                }
            }
        }
        if self.schedule.watches(self.now)
            && let Some(deadlock) = self.deadlock().or_else(|| self.stall())
        {
            return Progress::End(Some(deadlock));
        }
        Progress::Next
    }

    /// Simulates cycles in which arriving flits and credits are the only events, with the work that they cause.
    fn await_arrivals(&mut self) {
        let mut end = self.next_interruption();
        while self.now < end
            && self.is_at_rest()
            && let Some(next) = self.flow.next_arrival(self.now, &self.layout)
        {
            if next >= end {
                self.now = end;
                return;
            }
            self.now = next;
            self.flow.advance(next);
            let arriving = self.flow.arriving(next);
            if arriving.any() && self.move_flits(arriving) {
                end = self.next_interruption();
            }
            self.now += 1;
        }
    }

    /// The next cycle in which something may happen that arriving flits and credits do not cause: this one if the traffic has no
    /// horizon.
    fn next_interruption(&self) -> u64 {
        let horizon = self.traffic.nodes.horizon();
        horizon.map_or(self.now, |horizon| self.next_event().unwrap_or(horizon).min(self.schedule.watch()))
    }

    /// The packets that wait, if they did at the last call and no flit has moved since, nor is one in flight: they wait for each other
    /// through nodes, shared buffers or useless speculative requests, which [`Waits::deadlock`] does not see.
    #[cold]
    fn stall(&mut self) -> Option<Box<Deadlock>> {
        let is_pending = self.routed.as_ref().is_some_and(|routed| !routed.is_empty())
            || !self.flow.is_empty(self.now, &self.layout)
            || self.traffic.nodes.next_event().is_some()
            || self.held.is_some();
        let waits = !is_pending && self.blocks.iter().any(|block| !block.occupied.is_empty());
        if self.schedule.has_stalled(waits.then_some(self.counter.moved)) { self.stalled() } else { None }
    }

    /// The next cycle in which something happens while the routers are quiet, but not later than the horizon of the traffic. Returns
    /// `None` if nothing happens any more.
    fn next_event(&self) -> Option<u64> {
        let of_nodes = self.traffic.nodes.next_event().unwrap_or(u64::MAX);
        let of_sources = self.sources.next(self.now).unwrap_or(u64::MAX);
        let of_slots = self.held.as_ref().and_then(HeldSlots::next).unwrap_or(u64::MAX);
        let next = of_nodes.min(of_sources).min(of_slots);
        (next < u64::MAX).then(|| next.min(self.traffic.nodes.horizon().unwrap_or(u64::MAX)))
    }

    /// Simulates a cycle.
    #[inline(always)]
    fn cycle(&mut self) {
        self.start_cycle();
        self.flow.advance(self.now);
        self.move_flits(self.flow.arriving(self.now));
    }

    /// The first part of a cycle: events that are due, flits and credits in flight aside.
    fn start_cycle(&mut self) {
        let Self { config, layout, traffic, blocks, active, packets, sources, ends, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        traffic.nodes.advance(cycle.now, &mut sources.woken);
        sources.wake_all(cycle.now, layout.numbering.injections);
        sources.advance(cycle.now);
        if ends.is_due(cycle.now) {
            stage::runs_end(cycle, ends, blocks, active, packets, traffic);
        }
        self.slots_return();
    }

    /// The second part of a cycle: the flits and credits that are `arriving` do so, sources send, and routers serve their requests.
    /// Returns false if there were no packets to send and no requests.
    #[inline(always)]
    fn move_flits(&mut self, arriving: Arriving) -> bool {
        self.arrive(arriving);
        self.serve()
    }

    /// Lets the flits and credits arrive that are `arriving`.
    #[inline(always)]
    fn arrive(&mut self, arriving: Arriving) {
        self.counter.advance(self.now);
        if let Some(routed) = &mut self.routed {
            routed.advance();
        }
        if arriving.flits {
            self.flits_arrive();
        }
        if arriving.credits {
            self.credits_arrive();
        }
        if arriving.node_credits {
            self.node_credits_arrive();
        }
    }

    /// Lets sources send and routers serve their requests. Returns false if there are neither packets to send nor requests.
    #[inline(never)] // so that it is compiled once for runs and for strips
    fn serve(&mut self) -> bool {
        if !self.has_work() {
            return false;
        }
        if !self.sources.sending.is_empty() {
            self.inject();
        }
        self.serve_routers();
        true
    }

    /// Adds the flits that arrive to their buffers.
    #[inline(always)]
    fn flits_arrive(&mut self) {
        let Self { config, layout, blocks, active, flow, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        stage::flits_arrive(cycle, flow, blocks, active);
    }

    /// Adds the credits that arrive to outputs of links and to sources.
    #[inline(always)]
    pub(super) fn credits_arrive(&mut self) {
        let Self { config, layout, traffic, blocks, active, packets, sources, flow, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        stage::credits_arrive::<W, R, D::Arbiters, F>(cycle, flow, blocks, active, sources, |block, vc| {
            report_emptied(cycle, block, vc, packets, traffic);
        });
    }

    /// Adds the credits for slots of nodes that arrive, unless messages keep their slots.
    #[inline(always)]
    fn node_credits_arrive(&mut self) {
        let Self { config, layout, traffic, blocks, active, packets, flow, held, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        if held.is_some() {
            flow.node_credits(cycle.now, layout, blocks, |_, _, _| ()); // they are read, and come when messages return slots
            return;
        }
        stage::node_credits_arrive::<W, R, D::Arbiters, F>(cycle, flow, blocks, active, |block, vc| {
            report_emptied(cycle, block, vc, packets, traffic);
        });
    }

    /// Adds the credits for slots of nodes that messages have kept.
    #[inline(always)]
    fn slots_return(&mut self) {
        let Self { config, layout, traffic, blocks, active, packets, held, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let Some(held) = held else { return };
        while let Some((place, slots)) = held.arrive(cycle.now) {
            let (block, vc) = place.split();
            stage::credit_arrives::<W, R, D::Arbiters>(cycle, &mut blocks[block], (vc, slots), active, |block, vc| {
                report_emptied(cycle, block, vc, packets, traffic);
            });
        }
    }

    /// Lets sources send.
    #[inline(always)]
    pub(super) fn inject(&mut self) {
        let Self { config, layout, routing, traffic, packets, sources, flow, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        stage::inject(cycle, routing, flow, sources, packets, traffic);
    }

    /// Routes the head flits whose routes have been computed.
    #[inline(always)]
    fn end_routes(&mut self) {
        let Self { config, layout, routing, blocks, active, packets, routed, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        if let Some(routed) = routed {
            stage::end_routes(cycle, routed, routing, blocks, active, packets);
        }
    }

    /// Returns true if a source or a router may have something to do in this cycle.
    #[inline(always)]
    fn has_work(&self) -> bool {
        !self.sources.sending.is_empty()
            || !self.active.is_empty()
            || self.routed.as_ref().is_some_and(|routed| !routed.leaving().is_empty())
    }

    /// Returns true if nothing happens until a source has a packet.
    fn is_quiet(&self) -> bool {
        self.is_at_rest() && self.flow.is_empty(self.now, &self.layout)
    }

    /// Returns true if nothing happens until a flit or a credit arrives, or a source has a packet.
    #[inline(always)]
    fn is_at_rest(&self) -> bool {
        self.sources.sending.is_empty()
            && self.active.is_empty()
            && self.ends.is_empty()
            && self.routed.as_ref().is_none_or(DelayLine::is_empty)
    }

    /// The packets that will never arrive, if there are any, when nothing moves any more.
    #[cold]
    fn deadlock_at_rest(&self) -> Option<Box<Deadlock>> {
        let Self { config, layout, routing, traffic, blocks, packets, .. } = self;
        let name = |message: u32| MessageId(traffic.nodes.name(message));
        let wait = |wait: WaitForVc| {
            let WaitForVc { message, vc, holder } = wait;
            (Waiting { message: name(message), channel: ChannelId(vc) }, name(holder))
        };
        let waits: Vec<_> = routing.waits(layout, blocks, packets).into_iter().map(wait).collect();
        let has_waits = !waits.is_empty();
        let channel = |channel| channel_name(config.routes, &config.costs, channel);
        let deadlock = Deadlock::of_holders(waits, &channel).or_else(|| self.deadlock());
        // packets on trees that wait in another way, such as for an operand that has not left its source
        deadlock.or_else(|| if has_waits { self.stalled() } else { None })
    }

    /// All packets at the front of a buffer, when no flit can move any more.
    #[cold]
    fn stalled(&self) -> Option<Box<Deadlock>> {
        let Self { config, layout, routing, traffic, blocks, packets, .. } = self;
        let waits = Waits { config, layout, routing, blocks, packets };
        waits.stalled(&|packet: &Packet| traffic.message(packet), self.now)
    }

    /// The packets that will never arrive, if there are any.
    #[cold]
    fn deadlock(&self) -> Option<Box<Deadlock>> {
        let Self { config, layout, routing, traffic, blocks, packets, .. } = self;
        let waits = Waits { config, layout, routing, blocks, packets };
        waits.deadlock(&|packet: &Packet| traffic.message(packet), self.now)
    }

    /// Flits that each port of each router has sent while they were counted, those of its nodes as one.
    fn carried(&self) -> Vec<u64> {
        let layout = &self.layout;
        let ports = (0..layout.numbering.routers)
            .flat_map(|router| (0..=layout.numbering.links).map(move |port| (router, port)));
        let of_port = |router, port| {
            let (block, first) = layout.locate(router, port, 0).split();
            if !self.blocks.contains(block) {
                return 0;
            }
            layout.port_set(first).into_iter().map(|vc| self.blocks[block].outputs[vc].carried).sum::<u64>()
        };
        let sum = |(router, port)| {
            let last = if port == layout.numbering.links { layout.numbering.ports } else { port + 1 };
            (port..last).map(|port| of_port(router, port)).sum()
        };
        ports.map(sum).collect()
    }
}

impl<const W: usize, R: Routing<W>, F: Flow<W>, T: Traffic> ServeRouters for Engine<'_, W, R, InTurn, F, T> {
    #[inline(always)]
    fn serve_routers(&mut self) {
        self.end_routes();
        for group in 0..self.active.groups() {
            for block in self.active.members(group) {
                self.cycle_of(block);
            }
        }
    }
}

impl<const W: usize, R: Routing<W>, F: Flow<W>, T: Traffic> Engine<'_, W, R, InTurn, F, T> {
    /// Simulates a cycle of the routers of block `number`. What they send has an effect on others in a later cycle only, so
    /// that blocks may be taken in any order.
    #[inline(always)]
    fn cycle_of(&mut self, number: usize) {
        let Self { config, layout, routing, traffic, blocks, active, packets, .. } = self;
        let Self { flow, counter, ends, routed, scratch, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        let bids = if F::ONE_VC { Speculation::Off } else { config.speculation };
        let usable = block.usable(layout, flow.ports_in_use(layout, number), bids); // before anything is granted in this cycle
        stage::route_heads(cycle, routing, block, packets, routed);
        if !block.waiting.requesting.is_empty() {
            stage::allocate_vcs(cycle, routing, block, scratch, usable, |block, input, output| {
                traffic.event(grant_event(cycle, flow, block, input, output), packets);
            });
        }
        let mut traversal = Traversal::<W, F, T>::new(cycle, counter, flow, ends, packets, traffic);
        if F::ONE_VC {
            stage::grant_all(block, usable.ready, config.speculation, &mut traversal);
        } else {
            stage::allocate_switch(layout, block, scratch, usable.ready, &mut traversal);
        }
        if !traversal.inputs.is_empty() {
            traversal.finish(block);
        }
        debug_assert!(block.is_consistent(layout), "block {number} in cycle {}", self.now);
        if !block.is_active() {
            block.listed = false;
            active.remove(number);
        }
    }
}

/// Reports that output VC `vc`, whose buffer is known to be empty from this cycle on, can be granted again, if no packet holds it.
fn report_emptied<const W: usize, A, T: Traffic>(
    cycle: Cycle<'_, W>,
    block: &Block<W, A>,
    vc: usize,
    packets: &Packets,
    traffic: &mut Endpoints<T>,
) {
    if cycle.config.costs.atomic && block.free.contains(vc) {
        let vc = cycle.layout.join(block.number, vc);
        traffic.event(Event::Freed { vc, at: cycle.now }, packets);
    }
}

impl<const W: usize, R: Routing<W>, F: Flow<W> + SlotReturn, T: Traffic> ServeRouters
    for Engine<'_, W, R, FirstCome<W>, F, T>
{
    /// A cycle has rounds, as long as a flit can move that has not moved in it.
    fn serve_routers(&mut self) {
        let due = self.routed.as_ref().map_or(0, |routed| routed.leaving().len());
        for at in 0..due {
            let block = self.routed.as_ref().map(|routed| routed.leaving()[at].0);
            block.into_iter().for_each(|block| self.grant_in_order(block));
        }
        self.end_routes();
        loop {
            self.discipline.sources.append(&mut self.sources.sending);
            for group in 0..self.active.groups() {
                for block in self.active.members(group) {
                    self.round_of(block);
                }
            }
            self.flow.return_slots();
            self.credits_arrive();
            self.traffic.nodes.advance(self.now, &mut self.sources.woken);
            self.sources.wake_all(self.now, self.layout.numbering.injections);
            if self.active.is_empty() && self.sources.sending.is_empty() {
                break;
            }
            self.inject();
        }
        self.sources.sending.append(&mut self.discipline.sources);
        for group in 0..self.discipline.served.groups() {
            for block in self.discipline.served.members(group) {
                self.discipline.end_cycle(block);
                if self.blocks[block].is_active() {
                    self.blocks[block].wake(&mut self.active);
                }
            }
        }
    }
}

impl<const W: usize, R: Routing<W>, F: Flow<W> + SlotReturn, T: Traffic> Engine<'_, W, R, FirstCome<W>, F, T> {
    /// Simulates a round of the routers of block `number`, which takes part in the next round only if more can move.
    fn round_of(&mut self, number: usize) {
        self.discipline.served.insert(number);
        self.grant_in_order(number);
        if !self.blocks[number].unrouted().is_empty() {
            self.route_heads(number);
            self.grant_in_order(number); // head flits that are routed see those before them granted
        }
        let Self { config, layout, discipline, traffic, blocks, active, packets, .. } = self;
        let Self { flow, counter, ends, scratch, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        block.listed = false;
        active.remove(number);
        let usable = block.usable(layout, flow.ports_in_use(layout, number), Speculation::Off);
        let ready = discipline.unsent(block, usable.ready);
        if ready.is_empty() {
            return;
        }
        let mut traversal = Traversal::<W, F, T>::new(cycle, counter, flow, ends, packets, traffic);
        stage::allocate_switch(layout, block, scratch, ready, &mut traversal);
        discipline.note(layout, block, traversal.inputs);
        traversal.finish(block);
        debug_assert!(block.is_consistent(layout), "block {number} in cycle {}", self.now);
        let unsent = discipline.unsent(block, block.ready());
        if !(unsent | block.waiting.requesting).is_empty() {
            block.wake(active);
        }
    }

    /// Routes the head flits of block `number` that have come to the front of their buffers.
    fn route_heads(&mut self, number: usize) {
        let Self { config, layout, routing, blocks, packets, routed, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        stage::route_heads(cycle, routing, &mut blocks[number], packets, routed);
    }

    /// Grants output VCs to head flits of block `number` in the order of their requests.
    fn grant_in_order(&mut self, number: usize) {
        let Self { config, layout, routing, discipline, traffic, blocks, packets, flow, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        if block.waiting.requesting.is_empty() {
            return;
        }
        let queue = discipline.queue(block, packets, traffic);
        stage::grant_in_order(layout, routing, block, queue, |block, input, output| {
            traffic.event(grant_event(cycle, flow, block, input, output), packets);
        });
    }
}

impl<const W: usize, T: Traffic> ServeRouters
    for Engine<'_, W, TreeWorms<'_, W>, FullCrossbar<W>, HeterogeneousLinks<W>, T>
{
    fn serve_routers(&mut self) {
        self.end_routes();
        for group in 0..self.active.groups() {
            for block in self.active.members(group) {
                self.cycle_of_outputs(block);
            }
        }
    }
}

impl<const W: usize, T: Traffic> Engine<'_, W, TreeWorms<'_, W>, FullCrossbar<W>, HeterogeneousLinks<W>, T> {
    /// Simulates a cycle of the routers of block `number`, whose outputs decide by themselves.
    fn cycle_of_outputs(&mut self, number: usize) {
        let Self { config, layout, routing, discipline, traffic, blocks, active, packets, .. } = self;
        let Self { flow, counter, ends, routed, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        stage::route_heads(cycle, routing, block, packets, routed);
        if !block.waiting.requesting.is_empty() {
            OutputGrants { cycle, routing, flow, packets, traffic }.grant_all(block, discipline);
        }
        let mut traversal = Traversal::new(cycle, counter, flow, ends, packets, traffic);
        stage::send_by_outputs(routing, block, discipline, &mut traversal);
        if !traversal.inputs.is_empty() {
            traversal.finish(block);
        }
        if !block.is_active() {
            block.listed = false;
            active.remove(number);
        }
    }
}
