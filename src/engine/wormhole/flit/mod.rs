//! The flit engine: the reference, which moves every flit.
//!
//! It follows the rules of [`super`] step by step: each channel knows its owner, how many flits have started on it and
//! how many have crossed; a flit starts when it has arrived, the channel is idle and the buffer behind it has room. No
//! closed form is used. Cost: one event per flit and channel.

mod channels;
mod crossings;
mod uneven;

use crate::cancel::{self, Counted};
use crate::costs::ChannelCosts;
use crate::engine::deadlock::{Deadlock, Waiting};
use crate::engine::outcome::Passage;
use crate::engine::{Engine, MessageOutcome, Observer, Outcome, Program, Requests, Stop};
use crate::events::{Event, EventQueue, Kind, RingQueue};
use crate::routing::Network;
use crate::topology::{Channels, LinkCost};
use crate::units::{ChannelId, MessageId, Ticks};
use channels::{Grant, Started, VirtualChannels};
use crossings::Crossings;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use uneven::{Uneven, What};

/// Runs `program` on `network` to its end.
///
/// # Errors
/// If messages are left that wait for each other's channels, or nodes that wait for messages.
pub fn run<P: Program, O: Observer>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    observer: &mut O,
) -> Result<Outcome, Stop> {
    if !network.channels().is_even(costs.flit_time) {
        return run_uneven(network, costs, program, observer);
    }
    let mut machine = Machine::<P, O, false>::new(network, costs, program, observer);
    machine.run();
    machine.finish()
}

/// As [`run`], on channels that differ.
#[inline(never)]
fn run_uneven<P: Program, O: Observer>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    observer: &mut O,
) -> Result<Outcome, Stop> {
    let mut machine = Machine::<P, O, true>::new(network, costs, program, observer);
    machine.run();
    machine.finish()
}

/// As [`run`], on channels that are all alike; `turns` says which virtual channel of each physical channel was served last, by
/// place, before and after.
pub(super) fn run_in_turn<P: Program>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    turns: &mut Vec<u32>,
) -> Result<Outcome, Stop> {
    let mut unobserved: &mut dyn Observer = &mut ();
    let mut machine = Machine::<P, _, false>::new(network, costs, program, &mut unobserved);
    machine.vcs.set_turns(turns);
    machine.run();
    *turns = machine.vcs.turns().collect();
    machine.finish()
}

/// The bytes that a run of `messages` messages on `channels` needs at most, paths aside.
pub fn memory(channels: &dyn Channels, messages: usize, costs: &ChannelCosts) -> u64 {
    let message = size_of::<Worm>() + size_of::<MessageId>() + size_of::<MessageOutcome>();
    let under_way = match channels.own_costs().filter(|own| !own.is_even(costs.flit_time)) {
        Some(own) => Uneven::memory(channels.count(), own.largest, costs.buffer),
        None => Crossings::memory(channels.count(), costs.flit_time),
    };
    VirtualChannels::memory(channels.count()).saturating_add(under_way).saturating_add((messages * message) as u64)
}

/// How many events pass before it looks up.
const LOOK: u64 = 1 << 16;

/// A message.
#[derive(Clone, Default)]
struct Worm {
    wire_flits: u64,
    /// Its path, from its first request until it is delivered and all channels are released.
    path: Vec<ChannelId>,
    /// How many channels its path has, how many it has been granted, and how many of them have been released.
    channels: u32,
    granted: u32,
    released: u32,
    /// The channel that it was granted last.
    head: Option<ChannelId>,
    requested: Ticks,
    injected: Ticks,
    delivered: Ticks,
    blocked_headers: u32,
    blocked_time: Ticks,
}

impl Worm {
    /// Whether its tail has arrived at its node, which takes a tick at least.
    fn is_delivered(&self) -> bool {
        self.delivered > Ticks::ZERO
    }
}

/// A run, on channels that take different times if `UNEVEN`: the two are compiled apart, so that neither slows the other.
struct Machine<'a, P, O, const UNEVEN: bool> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    /// Injection and ejection channels of a node.
    ports: [usize; 2],
    program: P,
    observer: &'a mut O,
    /// What is to happen. Of the flits that will have crossed in a tick there is one event, by no number.
    queue: RingQueue,
    crossings: Crossings,
    /// What takes the place of `crossings` where channels differ.
    uneven: Uneven,
    requests: Requests,
    worms: Vec<Worm>,
    vcs: VirtualChannels,
    /// Headers that wait for a channel, or for any of a node's ports by the first one, with the time of their requests.
    lines: FxHashMap<ChannelId, BinaryHeap<Reverse<(Ticks, MessageId)>>>,
    /// Channels whose buffer has just been left by a flit.
    unsettled: Vec<ChannelId>,
    /// Messages whose last flit has arrived in this tick.
    arrived: Vec<MessageId>,
    /// Room for paths, from messages that have been delivered.
    spare: Vec<Vec<ChannelId>>,
    undelivered: usize,
    events: u64,
    /// How many events there are when it looks up next.
    look: u64,
}

impl<'a, P: Program, O: Observer, const UNEVEN: bool> Machine<'a, P, O, UNEVEN> {
    fn new(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: &'a mut O) -> Self {
        let channels = network.channels();
        Self {
            network,
            costs,
            ports: [channels.ports(), channels.ejection_ports()],
            worms: vec![Worm::default(); program.messages()],
            vcs: VirtualChannels::new(channels, costs.buffer),
            crossings: Crossings::new(channels.count()),
            uneven: if UNEVEN { Uneven::new(channels, costs.flit_time) } else { Uneven::default() },
            lines: FxHashMap::default(),
            unsettled: Vec::new(),
            arrived: Vec::new(),
            spare: Vec::new(),
            undelivered: program.messages(),
            program,
            observer,
            queue: RingQueue::default(),
            requests: Requests::default(),
            events: 0,
            look: LOOK,
        }
    }

    fn run(&mut self) {
        self.program.start(&mut self.requests);
        self.take_requests();
        while let Some(event) = self.queue.pop() {
            if self.events >= self.look {
                self.look_up();
            }
            match event.kind {
                Kind::Deliver => {
                    self.cross_all(event.time);
                    continue;
                }
                Kind::Request => self.request(MessageId(event.number), event.time),
                Kind::Wake => self.wake(ChannelId(event.number), event.time),
                Kind::Timer => {
                    self.program.timer(event.number, event.time, &mut self.requests);
                    self.take_requests();
                }
            }
            self.events += 1;
            self.settle(event.time);
        }
    }

    /// Tells how far the run is: flits that have arrived, against all.
    #[cold]
    #[inline(never)]
    fn look_up(&mut self) {
        let flits = |id| self.program.message(MessageId::new(id)).2.on_wire();
        let all = (0..self.worms.len()).map(flits).sum();
        let arrived = self.worms.iter().map(|worm| match worm.head {
            Some(_) if worm.is_delivered() => worm.wire_flits,
            // of a tail that is under way, the channel may be another's
            Some(ejection) if worm.granted == worm.channels => self.vcs.crossed(ejection).min(worm.wire_flits),
            _ => 0,
        });
        cancel::ran((self.events, Counted::Flits), arrived.sum(), all);
        self.look = self.events + LOOK.max(8 * self.worms.len() as u64);
    }

    fn take_requests(&mut self) {
        self.requests.take_to(&mut self.queue);
    }

    /// All flits that have crossed a channel at `now`, in the order of channels; then the deliveries that these make, in the
    /// order of messages.
    fn cross_all(&mut self, now: Ticks) {
        if UNEVEN {
            return self.happen_all(now);
        }
        let mut channels = self.crossings.take();
        while let Some(channel) = channels.pop_first() {
            self.events += 1;
            self.cross(channel, now);
            self.settle(now);
        }
        self.crossings.give_back(channels);
        self.deliver_all(now);
    }

    /// All messages that have arrived at `now`. Their order matters to programs: of several messages of a tick a receive
    /// takes the first that fits.
    fn deliver_all(&mut self, now: Ticks) {
        let mut arrived = std::mem::take(&mut self.arrived);
        arrived.sort_unstable();
        for id in arrived.drain(..) {
            self.deliver(id, now);
        }
        self.arrived = arrived;
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
                What::Left => self.leave(channel),
                What::Delivered => self.arrived.push(MessageId(happening.number)),
            }
            self.settle(now);
        }
        self.deliver_all(now);
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
        if let Some(vc) = self.vcs.next_in_turn(channel) {
            self.start_flit(vc, now);
        }
    }

    /// The tail of `id` has crossed `channel`, behind which it may be under way for a while.
    fn arrive_at_node(&mut self, id: MessageId, channel: ChannelId, now: Ticks) {
        let delay = if UNEVEN { self.uneven.cost(channel).delay } else { Ticks::ZERO };
        if delay == Ticks::ZERO {
            return self.arrived.push(id);
        }
        let time = now + delay;
        if self.uneven.deliver(id, time) {
            self.queue.push(Event { time, kind: Kind::Deliver, number: 0 });
        }
    }

    fn deliver(&mut self, id: MessageId, now: Ticks) {
        self.worms[id.index()].delivered = now;
        self.undelivered -= 1;
        self.program.delivered(id, now, &mut self.requests);
        self.take_requests();
        self.retire(id);
    }

    /// Takes back the path of `id` once it is delivered and all channels are released: news of the last free place may be
    /// longer on its way than the tail.
    fn retire(&mut self, id: MessageId) {
        let worm = &mut self.worms[id.index()];
        if worm.is_delivered() && worm.released == worm.channels {
            let mut path = std::mem::take(&mut worm.path);
            path.clear();
            self.spare.push(path);
        }
    }

    /// A header requests the next channel on its path.
    fn request(&mut self, id: MessageId, now: Ticks) {
        if self.worms[id.index()].channels == 0 {
            self.launch(id, now);
        }
        let (first, width) = self.wanted(&self.worms[id.index()]);
        match self.vcs.idle(first, width) {
            Some(channel) if !self.vcs.is_awaited(first) => self.grant(id, channel, now, now),
            _ => {
                self.vcs.set_awaited(first, true);
                self.lines.entry(first).or_default().push(Reverse((now, id)));
            }
        }
    }

    /// The first request of a message: its path is laid out and its program told.
    fn launch(&mut self, id: MessageId, now: Ticks) {
        let worm = &mut self.worms[id.index()];
        worm.path = self.spare.pop().unwrap_or_default();
        worm.wire_flits = self.program.message(id).2.on_wire();
        worm.requested = now;
        self.program.path(id, self.network, &mut worm.path);
        worm.channels = ChannelId::new(worm.path.len()).0;
        self.program.requested(id, now, &mut self.requests);
        self.take_requests();
    }

    /// The next channel on a path, and how many channels it stands for.
    fn wanted(&self, worm: &Worm) -> (ChannelId, usize) {
        let width = match worm.granted {
            0 => self.ports[0],
            hop if hop + 1 == worm.channels => self.ports[1],
            _ => 1,
        };
        (worm.path[worm.granted as usize], width)
    }

    fn grant(&mut self, id: MessageId, channel: ChannelId, requested: Ticks, now: Ticks) {
        let worm = &mut self.worms[id.index()];
        let hop = worm.granted;
        if hop == 0 {
            worm.injected = now;
        }
        let before = worm.head.replace(channel);
        worm.granted += 1;
        worm.blocked_time += now - requested;
        worm.blocked_headers += u32::from(now > requested);
        self.observer.granted(id, hop as usize, channel, requested, now);
        let last = worm.granted == worm.channels;
        self.vcs.grant(channel, &Grant { owner: id, hop, flits: worm.wire_flits, before, last });
        self.move_flits(channel, now);
    }

    /// Starts the next flit on `channel` if it can move and the physical channel is idle.
    #[inline]
    fn move_flits(&mut self, channel: ChannelId, now: Ticks) {
        if self.vcs.is_idle(channel) && self.vcs.can_move(channel) {
            self.start_flit(channel, now);
        }
    }

    /// Starts a flit on `channel`, which makes room in the buffer that it leaves.
    #[inline]
    fn start_flit(&mut self, channel: ChannelId, now: Ticks) {
        if UNEVEN {
            return self.start_uneven(channel, now);
        }
        let time = now + Ticks(self.costs.flit_time);
        if self.crossings.add(channel, time) {
            self.queue.push(Event { time, kind: Kind::Deliver, number: 0 });
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
        let LinkCost { flit_time, delay } = self.uneven.cost(channel);
        let crossed = now + flit_time;
        let arrival = crossed + delay;
        if started.is_last || delay == Ticks::ZERO {
            self.schedule(channel, What::Crossed, crossed);
        } else {
            self.schedule(channel, What::Idle, crossed);
            self.schedule(channel, What::Arrived, arrival);
        }
        self.tell_of(&started, channel, now, arrival);
        if let Some(before) = started.before {
            match self.uneven.cost(before).delay {
                Ticks::ZERO => self.leave(before),
                delay => self.schedule(before, What::Left, now + delay),
            }
        }
    }

    /// On `channel`, `what` will happen at `time`, where channels differ.
    fn schedule(&mut self, channel: ChannelId, what: What, time: Ticks) {
        if self.uneven.add(channel, what, time) {
            self.queue.push(Event { time, kind: Kind::Deliver, number: 0 });
        }
    }

    /// A flit has started on `channel` at `now` and arrives at `arrival`: of a head flit, its next request is to come.
    #[inline]
    fn tell_of(&mut self, started: &Started, channel: ChannelId, now: Ticks, arrival: Ticks) {
        if started.is_header && !started.is_last {
            let time = arrival + Ticks(self.costs.routing_delay);
            self.queue.push(Event { time, kind: Kind::Request, number: started.owner.0 });
        }
        self.observer.started(started.owner, started.hop as usize, channel, now);
    }

    /// Passes on, within the tick, the room that flits have made behind them.
    #[inline]
    fn settle(&mut self, now: Ticks) {
        while let Some(channel) = self.unsettled.pop() {
            if self.vcs.has_been_left(channel) { self.release(channel, now) } else { self.move_flits(channel, now) }
        }
    }

    /// The tail has left the buffer behind `channel`: those in line hear of it when all that arrives now has arrived.
    fn release(&mut self, channel: ChannelId, now: Ticks) {
        let Some((id, hop)) = self.vcs.release(channel) else {
            return;
        };
        self.observer.released(id, hop as usize, channel, now);
        if hop == 0 {
            self.program.left(id, now, &mut self.requests);
            self.take_requests();
        }
        let worm = &mut self.worms[id.index()];
        worm.released += 1;
        let first = worm.path[hop as usize];
        if self.vcs.is_awaited(first) {
            self.queue.push(Event { time: now, kind: Kind::Wake, number: first.0 });
        }
        self.retire(id);
    }

    /// Grants what is free of the channels that `first` stands for to those in line.
    fn wake(&mut self, first: ChannelId, now: Ticks) {
        while let Some(&Reverse((requested, waiting))) = self.lines.get(&first).and_then(BinaryHeap::peek) {
            let (_, width) = self.wanted(&self.worms[waiting.index()]);
            let Some(channel) = self.vcs.idle(first, width) else {
                return;
            };
            if let Some(line) = self.lines.get_mut(&first) {
                line.pop();
                self.vcs.set_awaited(first, !line.is_empty());
            }
            self.grant(waiting, channel, requested, now);
        }
    }

    fn finish(self) -> Result<Outcome, Stop> {
        if self.undelivered > 0 {
            return Err(Stop::of(self.deadlock(), &self.program));
        }
        let passage = |worm: &Worm| Passage {
            hops: worm.channels - 2,
            requested: worm.requested,
            injected: worm.injected,
            delivered: worm.delivered,
            blocked_headers: worm.blocked_headers,
            blocked_time: worm.blocked_time,
        };
        Outcome::of_program(&self.program, self.worms.iter().map(passage), self.events, Engine::Flit)
    }

    fn deadlock(&self) -> Box<Deadlock> {
        let mut waiting = Vec::new();
        for (id, worm) in self.worms.iter().enumerate() {
            let message = MessageId::new(id);
            if let Some(&channel) = worm.path.get(worm.granted as usize) {
                waiting.push(Waiting { message, channel });
            }
        }
        let held = self.vcs.owners().map(|(message, hop)| (self.worms[message.index()].path[hop as usize], message));
        Deadlock::of_messages(waiting, &held.collect(), |channel| self.network.channels().name(channel))
    }
}
