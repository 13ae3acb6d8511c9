//! The flit engine: the reference, which moves every flit.
//!
//! It follows the rules of [`super`] step by step: each channel knows its owner, how many flits have started on it and
//! how many have crossed; a flit starts when it has arrived, the channel is idle and the buffer behind it has room. No
//! closed form is used. Cost: one event per flit and channel.

use super::deadlock::{Deadlock, Waiting};
use super::outcome::{MessageOutcome, Observer, Outcome};
use super::program::{Program, Requests};
use super::queue::{Event, EventQueue, Kind, RingQueue};
use super::{ChannelCosts, Engine, Stop};
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    let channels = network.channels();
    let mut machine = Machine {
        network,
        costs,
        ports: [channels.ports(), channels.ejection_ports()],
        worms: vec![Worm::default(); program.messages()],
        lanes: vec![Lane::default(); channels.count()],
        wires: Wires::of(channels),
        lines: FxHashMap::default(),
        unsettled: Vec::new(),
        undelivered: program.messages(),
        program,
        observer,
        queue: RingQueue::default(),
        requests: Requests::default(),
        events: 0,
    };
    machine.run();
    machine.finish()
}

/// The bytes that a run of `messages` messages on `channels` channels needs at most, paths aside.
#[must_use]
pub fn memory(channels: usize, messages: usize) -> u64 {
    (channels * size_of::<Lane>() + messages * (size_of::<Worm>() + size_of::<MessageOutcome>())) as u64
}

/// A message, with the channels it has been granted so far.
#[derive(Clone, Default)]
struct Worm {
    flits: u64,
    path: Vec<ChannelId>,
    granted: Vec<ChannelId>,
    requested: Ticks,
    injected: Ticks,
    delivered: Ticks,
    blocked_headers: u32,
    blocked_time: Ticks,
}

/// A channel with the buffer at its downstream end.
#[derive(Clone, Copy, Default)]
struct Lane {
    /// The message that owns it, and which channel of that message's path it is.
    owner: Option<(MessageId, usize)>,
    /// Flits of the owner that have started to cross, and that have crossed.
    started: u64,
    crossed: u64,
}

/// The physical channels, where virtual channels share them.
struct Wires {
    /// Virtual channels of a physical channel, at most.
    lanes: u32,
    /// Per channel, the first that shares its physical channel; empty if none is shared.
    first: Vec<ChannelId>,
    /// Per first channel, the place of the one served last.
    served: Vec<u32>,
}

impl Wires {
    fn of(channels: &dyn Channels) -> Self {
        let lanes = ChannelId::new(channels.virtual_channels()).0;
        let shared = if lanes > 1 { channels.count() } else { 0 };
        let first = (0..shared).map(|channel| channels.physical(ChannelId::new(channel))).collect();
        Self { lanes, first, served: vec![0; shared] }
    }

    /// The channels that share the physical channel of `channel`, the one whose turn it is first.
    fn in_turn(&self, channel: ChannelId) -> impl Iterator<Item = ChannelId> + '_ {
        let first = self.first.get(channel.index()).copied();
        let alone = if first.is_none() { Some(channel) } else { None };
        let sharing = first.into_iter().flat_map(move |first| {
            let served = self.served[first.index()];
            let places = (1..=self.lanes).map(move |turn| ChannelId(first.0 + (served + turn) % self.lanes));
            places.filter(move |lane| self.first.get(lane.index()) == Some(&first))
        });
        alone.into_iter().chain(sharing)
    }

    /// A flit has started on `channel`.
    fn serve(&mut self, channel: ChannelId) {
        if let Some(&first) = self.first.get(channel.index()) {
            self.served[first.index()] = channel.0 - first.0;
        }
    }
}

struct Machine<'a, P, O> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    /// Injection and ejection channels of a node.
    ports: [usize; 2],
    program: P,
    observer: &'a mut O,
    queue: RingQueue,
    requests: Requests,
    worms: Vec<Worm>,
    lanes: Vec<Lane>,
    wires: Wires,
    /// Headers that wait for a channel, or for any of a node's ports by the first one, with the time they asked.
    lines: FxHashMap<ChannelId, BinaryHeap<Reverse<(Ticks, MessageId)>>>,
    /// Channels whose buffer has just been left by a flit.
    unsettled: Vec<ChannelId>,
    undelivered: usize,
    events: u64,
}

impl<P: Program, O: Observer> Machine<'_, P, O> {
    fn run(&mut self) {
        self.program.start(&mut self.requests);
        self.take_requests();
        while let Some(event) = self.queue.pop() {
            self.events += 1;
            match event.kind {
                Kind::Deliver => self.cross(ChannelId(event.number), event.time),
                Kind::Request => self.request(MessageId(event.number), event.time),
                Kind::Wake => self.wake(ChannelId(event.number), event.time),
                Kind::Timer => {
                    self.program.timer(event.number, event.time, &mut self.requests);
                    self.take_requests();
                }
            }
            self.settle(event.time);
        }
    }

    fn take_requests(&mut self) {
        self.requests.take_to(&mut self.queue);
    }

    /// A flit has crossed `channel` and lies in the buffer behind it, or has left the network.
    fn cross(&mut self, channel: ChannelId, now: Ticks) {
        let lane = &mut self.lanes[channel.index()];
        lane.crossed += 1;
        let crossed = lane.crossed;
        let Some((id, hop)) = lane.owner else {
            return; // a channel with flits on it has an owner
        };
        let worm = &self.worms[id.index()];
        if hop + 1 == worm.path.len() {
            if crossed == worm.flits {
                self.deliver(id, channel, now);
                return; // an ejection channel shares nothing
            }
        } else if crossed == 1 {
            let time = now + Ticks(self.costs.routing_delay);
            self.queue.push(Event { time, kind: Kind::Request, number: id.0 });
        } else if let Some(&next) = worm.granted.get(hop + 1) {
            self.move_flits(next, now);
        }
        self.look(channel, now);
    }

    /// The physical channel of `channel` has fallen idle: the first of its virtual channels in turn that can starts a
    /// flit.
    fn look(&mut self, channel: ChannelId, now: Ticks) {
        let next = self.wires.in_turn(channel).find(|&lane| self.can_move(lane));
        if let Some(lane) = next {
            self.start_flit(lane, now);
        }
    }

    fn deliver(&mut self, id: MessageId, channel: ChannelId, now: Ticks) {
        self.worms[id.index()].delivered = now;
        self.undelivered -= 1;
        self.program.delivered(id, now, &mut self.requests);
        self.take_requests();
        self.release(channel, now);
    }

    /// A header asks for the next channel on its path.
    fn request(&mut self, id: MessageId, now: Ticks) {
        if self.worms[id.index()].path.is_empty() {
            let worm = &mut self.worms[id.index()];
            worm.flits = self.program.message(id).2.0;
            worm.requested = now;
            self.program.path(id, self.network, &mut worm.path);
            self.program.requested(id, now, &mut self.requests);
            self.take_requests();
        }
        let worm = &self.worms[id.index()];
        let (first, width) = self.wanted(worm);
        let nobody_waits = self.lines.get(&first).is_none_or(BinaryHeap::is_empty);
        match self.idle(first, width) {
            Some(channel) if nobody_waits => self.grant(id, channel, now, now),
            _ => self.lines.entry(first).or_default().push(Reverse((now, id))),
        }
    }

    /// The next channel on a path, and how many channels it stands for.
    fn wanted(&self, worm: &Worm) -> (ChannelId, usize) {
        let hop = worm.granted.len();
        let width = match hop {
            0 => self.ports[0],
            hop if hop + 1 == worm.path.len() => self.ports[1],
            _ => 1,
        };
        (worm.path[hop], width)
    }

    fn idle(&self, first: ChannelId, width: usize) -> Option<ChannelId> {
        let channels = first.index()..first.index() + width;
        channels.map(ChannelId::new).find(|c| self.lanes[c.index()].owner.is_none())
    }

    fn grant(&mut self, id: MessageId, channel: ChannelId, asked: Ticks, now: Ticks) {
        let worm = &mut self.worms[id.index()];
        let hop = worm.granted.len();
        if hop == 0 {
            worm.injected = now;
        }
        worm.granted.push(channel);
        worm.blocked_time += now - asked;
        worm.blocked_headers += u32::from(now > asked);
        self.observer.granted(id, hop, channel, asked, now);
        self.lanes[channel.index()] = Lane { owner: Some((id, hop)), started: 0, crossed: 0 };
        self.move_flits(channel, now);
    }

    /// Starts the next flit on `channel` if it can move and the physical channel is idle.
    fn move_flits(&mut self, channel: ChannelId, now: Ticks) {
        let idle = |lane: ChannelId| self.lanes[lane.index()].started == self.lanes[lane.index()].crossed;
        if self.wires.in_turn(channel).all(idle) && self.can_move(channel) {
            self.start_flit(channel, now);
        }
    }

    /// Whether the next flit of the owner of `channel` has arrived and there is room for it.
    fn can_move(&self, channel: ChannelId) -> bool {
        let lane = &self.lanes[channel.index()];
        let Some((id, hop)) = lane.owner else {
            return false;
        };
        let worm = &self.worms[id.index()];
        let arrived = match hop {
            0 => worm.flits,
            hop => self.lanes[worm.granted[hop - 1].index()].crossed,
        };
        let left = match worm.granted.get(hop + 1) {
            Some(next) => self.lanes[next.index()].started,
            None if hop + 1 == worm.path.len() => lane.crossed,
            None => 0,
        };
        let room = hop + 1 == worm.path.len() || lane.started - left < self.costs.buffer;
        room && lane.started < worm.flits && lane.started < arrived
    }

    /// A flit starts on `channel`, which makes room in the buffer that it leaves.
    fn start_flit(&mut self, channel: ChannelId, now: Ticks) {
        let lane = &mut self.lanes[channel.index()];
        lane.started += 1;
        let lane = *lane;
        self.wires.serve(channel);
        let time = now + Ticks(self.costs.flit_time);
        self.queue.push(Event { time, kind: Kind::Deliver, number: channel.0 });
        let Some((id, hop)) = lane.owner else {
            return; // a flit belongs to an owner
        };
        self.observer.started(id, hop, channel, now);
        if hop > 0 {
            self.unsettled.push(self.worms[id.index()].granted[hop - 1]);
        }
    }

    /// Passes on, within the tick, the room that flits have made behind them.
    fn settle(&mut self, now: Ticks) {
        while let Some(channel) = self.unsettled.pop() {
            let Some((id, hop)) = self.lanes[channel.index()].owner else {
                continue;
            };
            let worm = &self.worms[id.index()];
            let tail_left = self.lanes[worm.granted[hop + 1].index()].started == worm.flits;
            if tail_left { self.release(channel, now) } else { self.move_flits(channel, now) }
        }
    }

    /// The tail has left the buffer behind `channel`: those in line hear of it when all that arrives now has arrived.
    fn release(&mut self, channel: ChannelId, now: Ticks) {
        let Some((id, hop)) = self.lanes[channel.index()].owner.take() else {
            return;
        };
        self.observer.released(id, hop, channel, now);
        if hop == 0 {
            self.program.left(id, now, &mut self.requests);
            self.take_requests();
        }
        let first = self.worms[id.index()].path[hop];
        if self.lines.get(&first).is_some_and(|line| !line.is_empty()) {
            self.queue.push(Event { time: now, kind: Kind::Wake, number: first.0 });
        }
    }

    /// Grants what is free of the channels that `first` stands for to those in line.
    fn wake(&mut self, first: ChannelId, now: Ticks) {
        while let Some(&Reverse((asked, waiting))) = self.lines.get(&first).and_then(BinaryHeap::peek) {
            let (_, width) = self.wanted(&self.worms[waiting.index()]);
            let Some(channel) = self.idle(first, width) else {
                return;
            };
            self.lines.get_mut(&first).and_then(BinaryHeap::pop);
            self.grant(waiting, channel, asked, now);
        }
    }

    fn finish(self) -> Result<Outcome, Stop> {
        if self.undelivered > 0 {
            return Err(Stop::of(self.deadlock(), &self.program));
        }
        if let Some(unfinished) = self.program.unfinished() {
            return Err(unfinished.into());
        }
        let outcome = |(id, worm): (usize, &Worm)| {
            let id = MessageId::new(id);
            let (src, dst, _) = self.program.message(id);
            MessageOutcome {
                src,
                dst,
                hops: ChannelId::new(worm.path.len()).0 - 2,
                requested: worm.requested,
                injected: worm.injected,
                delivered: worm.delivered,
                received: worm.delivered + self.program.receive_time(id),
                blocked_headers: worm.blocked_headers,
                blocked_time: worm.blocked_time,
            }
        };
        let messages = self.worms.iter().enumerate().map(outcome).collect();
        Ok(Outcome::new(messages, &self.program, self.events, Engine::Flit))
    }

    fn deadlock(&self) -> Box<Deadlock> {
        let mut waiting = Vec::new();
        let mut held = FxHashMap::default();
        for (id, worm) in self.worms.iter().enumerate() {
            let message = MessageId::new(id);
            if let Some(&channel) = worm.path.get(worm.granted.len()) {
                waiting.push(Waiting { message, channel });
            }
        }
        for lane in &self.lanes {
            if let Some((message, hop)) = lane.owner {
                held.insert(self.worms[message.index()].path[hop], message);
            }
        }
        Deadlock::find(waiting, &held, |channel| self.network.channels().name(channel))
    }
}
