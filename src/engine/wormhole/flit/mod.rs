//! The flit engine: the reference, which moves every flit.
//!
//! It follows the rules of [`super`] step by step: each channel knows its owner, how many flits have started on it and
//! how many have crossed; a flit starts when it has arrived, the channel is idle and the buffer behind it has room. No
//! closed form is used. Cost: one event per flit and channel.

mod channels;
mod crossings;
mod uneven;

use super::messages::{self, Grant, Messages};
use crate::cancel::{self, Counted};
use crate::costs::ChannelCosts;
use crate::engine::program::LiveMessages;
use crate::engine::stepping::{Growing, Stepping};
use crate::engine::{Engine, Event, MessageOutcome, Observer, Outcome, Program, Stop};
use crate::events::{EventQueue, Kind, QueuedEvent, RingQueue};
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId, Ticks};
use channels::{Started, VirtualChannels};
use crossings::Crossings;
use std::marker::PhantomData;
use uneven::{Uneven, What};

/// The bytes that a run of `messages` messages on `channels` needs at most, paths aside.
pub fn memory(channels: &dyn Channels, messages: usize, costs: &ChannelCosts) -> u64 {
    let under_way = match channels.own_costs().filter(|own| !own.is_even(costs.flit_time)) {
        Some(own) => Uneven::memory(channels.count(), own.largest, costs.buffer),
        None => Crossings::memory(channels.count(), costs.flit_time),
    };
    let of_messages = messages::memory(channels.count(), messages);
    VirtualChannels::memory(channels.count()).saturating_add(under_way).saturating_add(of_messages)
}

/// How many events pass before it looks up.
const LOOK: u64 = 1 << 16;

/// A kind of channels. Runs on each kind are compiled apart, so that none slows the others.
pub(in crate::engine) trait ChannelKind {
    /// True if channels may differ in their times and buffers.
    const HETEROGENEOUS: bool;
    /// True if links may have clocks of their own.
    const CLOCKED: bool;
}

/// Channels that take a flit time each, without delay.
pub(in crate::engine) struct Uniform;

/// Channels that differ.
pub(in crate::engine) struct Heterogeneous;

/// Channels that differ, some of which have clocks of their own.
pub(in crate::engine) struct Clocked;

impl ChannelKind for Uniform {
    const HETEROGENEOUS: bool = false;
    const CLOCKED: bool = false;
}

impl ChannelKind for Heterogeneous {
    const HETEROGENEOUS: bool = true;
    const CLOCKED: bool = false;
}

impl ChannelKind for Clocked {
    const HETEROGENEOUS: bool = true;
    const CLOCKED: bool = true;
}

/// A run on channels of the kind `K`.
pub(in crate::engine) struct Machine<'a, P, O, K> {
    /// Of the flits that will have crossed in a tick its queue has one event, by no number.
    pub(super) messages: Messages<'a, RingQueue, P, O>,
    costs: ChannelCosts,
    crossings: Crossings,
    /// What takes the place of `crossings` where channels differ.
    uneven: Uneven,
    vcs: VirtualChannels,
    /// Channels whose buffer has just been left by a flit.
    unsettled: Vec<ChannelId>,
    events: u64,
    /// How many events there are when it looks up next.
    look: u64,
    kind: PhantomData<K>,
}

impl<'a, P: Program, O: Observer, K: ChannelKind> Machine<'a, P, O, K> {
    /// A run before its first tick.
    pub(in crate::engine) fn new(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: O) -> Self {
        let channels = network.channels();
        Self {
            messages: Messages::new(network, program, observer),
            costs,
            vcs: VirtualChannels::new(channels, &costs),
            crossings: Crossings::new(channels.count()),
            uneven: if K::HETEROGENEOUS { Uneven::new(channels, costs.flit_time) } else { Uneven::default() },
            unsettled: Vec::new(),
            events: 0,
            look: LOOK,
            kind: PhantomData,
        }
    }

    /// Starts the run: requests the messages that depend on no event.
    #[inline(always)]
    pub(in crate::engine) fn started(mut self) -> Self {
        self.messages.start();
        self
    }

    pub(super) fn set_turns(&mut self, turns: &[u32]) {
        self.vcs.set_turns(turns);
    }

    /// Per physical channel, by its first virtual channel, the place of the one served last.
    pub(super) fn turns(&self) -> impl Iterator<Item = u32> + '_ {
        self.vcs.turns()
    }

    #[inline(always)]
    fn happen(&mut self, event: QueuedEvent) {
        if self.events >= self.look {
            self.look_up();
        }
        match event.kind {
            Kind::Deliver => return self.cross_all(event.time),
            Kind::Request => self.request(MessageId(event.number), event.time),
            Kind::Wake => self.wake(ChannelId(event.number), event.time),
            Kind::Timer => self.messages.timer(event.number, event.time),
        }
        self.events += 1;
        self.settle(event.time);
    }

    /// Tells how far the run is: flits that have arrived, against all.
    #[cold]
    #[inline(never)]
    fn look_up(&mut self) {
        let (arrived, all) = self.messages.progress(&self.vcs);
        cancel::ran((self.events, Counted::Flits), arrived, all);
        self.look = self.events + LOOK.max(8 * self.messages.count() as u64);
    }

    /// All flits that have crossed a channel at `now`, in the order of channels; then the deliveries that these make, in the
    /// order of messages.
    fn cross_all(&mut self, now: Ticks) {
        if K::HETEROGENEOUS {
            return self.happen_all(now);
        }
        let mut channels = self.crossings.take();
        while let Some(channel) = channels.pop_first() {
            self.events += 1;
            self.cross(channel, now);
            self.settle(now);
        }
        self.crossings.give_back(channels);
        self.messages.deliver_all(now);
    }

    /// The same where channels differ: all that happens on them at `now`.
    fn happen_all(&mut self, now: Ticks) {
        for happening in self.uneven.take() {
            let channel = ChannelId(happening.number);
            self.events += 1;
            match happening.what {
                What::Crossed => self.cross(channel, now),
                What::Arrived => self.arrive(channel, now),
                What::Idle => {
                    self.vcs.fall_idle(channel);
                    self.look(channel, now);
                }
                What::Edge => self.reach_edge(channel, now),
                What::Left => self.leave(channel),
                What::Delivered => self.messages.arrived(MessageId(happening.number)),
            }
            self.settle(now);
        }
        self.messages.deliver_all(now);
    }

    /// A flit has arrived in the buffer behind `channel`.
    fn arrive(&mut self, channel: ChannelId, now: Ticks) {
        if let Some(next) = self.vcs.arrive(channel) {
            self.move_flits(next, now);
        }
    }

    /// It is known that a flit has left the buffer behind `channel`.
    #[inline]
    fn leave(&mut self, channel: ChannelId) {
        self.vcs.leave(channel);
        self.unsettled.push(channel);
    }

    /// A flit has crossed `channel` and lies in the buffer behind it, or has left the network.
    #[inline]
    fn cross(&mut self, channel: ChannelId, now: Ticks) {
        let Some(crossed) = self.vcs.cross(channel) else {
            return; // a channel with flits on it has an owner
        };
        if crossed.has_arrived {
            self.release(channel, now);
            return self.arrive_at_node(crossed.owner, channel, now); // an ejection channel shares nothing
        }
        if let Some(next) = crossed.next {
            self.move_flits(next, now);
        }
        self.look(channel, now);
    }

    /// The physical channel of `channel` has fallen idle: the first of its virtual channels in turn that can starts a
    /// flit.
    #[inline]
    fn look(&mut self, channel: ChannelId, now: Ticks) {
        if let Some(vc) = self.vcs.next_in_turn(channel)
            && !(K::CLOCKED && self.waits_for_edge(vc, now))
        {
            self.start_flit(vc, now);
        }
    }

    /// The clock of `channel` has an edge, for which a flit has waited, unless another of its virtual channels has been served.
    fn reach_edge(&mut self, channel: ChannelId, now: Ticks) {
        if self.vcs.is_idle(channel) {
            self.look(channel, now);
        }
    }

    /// Returns true if a flit that can start on `channel` at `now` has to wait for an edge of the clock of the link, which is scheduled.
    #[inline]
    fn waits_for_edge(&mut self, channel: ChannelId, now: Ticks) -> bool {
        let Some(clock) = self.uneven.cost(channel).clock else { return false };
        let edge = clock.edge(now);
        if edge > now {
            self.schedule(channel, What::Edge, edge);
        }
        edge > now
    }

    /// The tail of `id` has crossed `channel`, behind which it may be under way for a while.
    fn arrive_at_node(&mut self, id: MessageId, channel: ChannelId, now: Ticks) {
        let delay = if K::HETEROGENEOUS { self.uneven.cost(channel).delay } else { Ticks::ZERO };
        if delay == Ticks::ZERO {
            return self.messages.arrived(id);
        }
        let time = now + delay;
        if self.uneven.deliver(id, time) {
            self.messages.queue.push(QueuedEvent { time, kind: Kind::Deliver, number: 0 });
        }
    }

    /// A header requests the next channel on its path.
    fn request(&mut self, id: MessageId, now: Ticks) {
        if let Some(grant) = self.messages.request(id, now, &self.vcs) {
            self.grant(&grant, now);
        }
    }

    /// Grants what is free of the channels that `first` stands for to those in line.
    fn wake(&mut self, first: ChannelId, now: Ticks) {
        while let Some(grant) = self.messages.wake(first, now, &self.vcs) {
            self.grant(&grant, now);
        }
    }

    fn grant(&mut self, grant: &Grant, now: Ticks) {
        self.vcs.grant(grant);
        self.move_flits(grant.channel, now);
    }

    /// Starts the next flit on `channel` if it can move and the physical channel is idle.
    #[inline]
    fn move_flits(&mut self, channel: ChannelId, now: Ticks) {
        if !(self.vcs.is_idle(channel) && self.vcs.can_move(channel)) {
            return;
        }
        if K::CLOCKED && self.uneven.cost(channel).clock.is_some() {
            // others may have waited for this edge
            return self.look(channel, now);
        }
        self.start_flit(channel, now);
    }

    /// Starts a flit on `channel`, which makes room in the buffer that it leaves.
    #[inline]
    fn start_flit(&mut self, channel: ChannelId, now: Ticks) {
        if K::HETEROGENEOUS {
            return self.start_uneven(channel, now);
        }
        let time = now + Ticks(self.costs.flit_time);
        if self.crossings.add(channel, time) {
            self.messages.queue.push(QueuedEvent { time, kind: Kind::Deliver, number: 0 });
        }
        let started = self.vcs.start(channel);
        self.tell_of(&started, channel, now, time);
        if let Some(before) = started.before {
            self.leave(before);
        }
    }

    /// The same where channels differ.
    fn start_uneven(&mut self, channel: ChannelId, now: Ticks) {
        let started = self.vcs.start(channel);
        let cost = self.uneven.cost(channel);
        let crossed = now + cost.flit_time;
        let arrival = match cost.clock {
            Some(clock) if K::CLOCKED => self.uneven.clocked_arrival(cost, clock, self.vcs.link(channel), now),
            _ => crossed + cost.delay,
        };
        if started.is_last || arrival == crossed {
            self.schedule(channel, What::Crossed, crossed);
        } else {
            self.schedule(channel, What::Idle, crossed);
            self.schedule(channel, What::Arrived, arrival);
        }
        self.tell_of(&started, channel, now, arrival);
        if let Some(before) = started.before {
            let cost = self.uneven.cost(before);
            let credit = if K::CLOCKED { cost.credit(now) } else { now + cost.delay };
            if credit == now { self.leave(before) } else { self.schedule(before, What::Left, credit) }
        }
    }

    /// On `channel`, `what` will happen at `time`, where channels differ.
    fn schedule(&mut self, channel: ChannelId, what: What, time: Ticks) {
        if self.uneven.add(channel, what, time) {
            self.messages.queue.push(QueuedEvent { time, kind: Kind::Deliver, number: 0 });
        }
    }

    /// A flit has started on `channel` at `now` and arrives at `arrival`: of a head flit, its next request is to come.
    #[inline]
    fn tell_of(&mut self, started: &Started, channel: ChannelId, now: Ticks, arrival: Ticks) {
        if started.is_header && !started.is_last {
            let time = arrival + Ticks(self.costs.routing_delay);
            self.messages.queue.push(QueuedEvent { time, kind: Kind::Request, number: started.owner.0 });
        }
        let (message, hop) = (started.owner, started.hop as usize);
        self.messages.observer.event(Event::Started { message, hop, channel, at: now });
    }

    /// Passes on, within the tick, the room that flits have made behind them.
    #[inline]
    fn settle(&mut self, now: Ticks) {
        while let Some(channel) = self.unsettled.pop() {
            if self.vcs.has_been_left(channel) { self.release(channel, now) } else { self.move_flits(channel, now) }
        }
    }

    /// The tail has left the buffer behind `channel`.
    fn release(&mut self, channel: ChannelId, now: Ticks) {
        if let Some((id, hop)) = self.vcs.release(channel) {
            self.messages.released(id, hop, channel, now);
        }
    }
}

impl<P: Program, O: Observer, K: ChannelKind> Stepping<O> for Machine<'_, P, O, K> {
    fn next(&mut self) -> Option<Ticks> {
        self.messages.queue.next_time()
    }

    fn run_through(&mut self, until: Ticks) {
        while let Some(event) = self.messages.queue.pop_through(until) {
            self.happen(event);
        }
    }

    fn delivered(&self) -> usize {
        self.messages.delivered()
    }

    fn message(&self, id: MessageId, _: Ticks) -> Option<MessageOutcome> {
        self.messages.message(id)
    }

    fn program(&self) -> &dyn Program {
        &self.messages.program
    }

    fn observer(&mut self) -> &mut O {
        &mut self.messages.observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        self.messages.finish(self.vcs.owners(), self.events, Engine::Flit)
    }
}

impl<P: Program, O: Observer, K: ChannelKind> Growing<O> for Machine<'_, P, O, K> {
    fn live(&mut self) -> Option<&mut LiveMessages> {
        self.messages.program.live()
    }

    fn add(&mut self, at: Ticks) {
        self.messages.add(at);
    }

    fn forget(&mut self, before: MessageId) -> MessageId {
        self.messages.forget(before)
    }
}
