//! Messages of a run that moves flits: what they request, what they are granted, who is in line, and what programs and
//! observers are told of it.
//!
//! The engines that move flits ([`super::flit`], [`super::sleep`]) tell it which channels are granted, released and crossed; it
//! refuses to know how flits move and how channels share wires.

use crate::engine::deadlock::{Deadlock, Waiting};
use crate::engine::outcome::Passage;
use crate::engine::window::Window;
use crate::engine::{Engine, Event, MessageOutcome, Observer, Outcome, Program, Requests, Signal, Stop};
use crate::events::{EventQueue, Kind, QueuedEvent};
use crate::routing::Network;
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A channel is granted to `owner`.
#[derive(Clone, Copy)]
pub(super) struct Grant {
    pub(super) owner: MessageId,
    /// The channel.
    pub(super) channel: ChannelId,
    /// Which channel of its path it is.
    pub(super) hop: u32,
    pub(super) flits: u64,
    /// The channel before it.
    pub(super) before: Option<ChannelId>,
    /// Whether it is the ejection channel.
    pub(super) last: bool,
}

/// Knows which channels have owners.
pub(super) trait Owners {
    /// Whether `channel` has none.
    fn is_free(&self, channel: ChannelId) -> bool;

    /// How many flits of the owner of `channel` have crossed it.
    fn crossed(&self, channel: ChannelId) -> u64;
}

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

    /// Returns true if its tail has arrived and all its channels are released.
    fn is_retired(&self) -> bool {
        self.is_delivered() && self.released == self.channels
    }

    /// What is known of it when it has been delivered.
    fn passage(&self) -> Passage {
        Passage {
            hops: self.channels - 2,
            requested: self.requested,
            injected: self.injected,
            delivered: self.delivered,
            blocked_headers: self.blocked_headers,
            blocked_time: self.blocked_time,
        }
    }
}

/// All messages of a run, and what is to happen besides flits that move.
pub(super) struct Messages<'a, Q, P, O> {
    network: &'a dyn Network,
    /// Injection and ejection channels of a node.
    ports: [usize; 2],
    pub(super) program: P,
    pub(super) observer: O,
    pub(super) queue: Q,
    requests: Requests,
    worms: Window<Worm>,
    /// Headers that wait for a channel, or for any of a node's ports by the first one, with the time of their requests.
    lines: FxHashMap<ChannelId, BinaryHeap<Reverse<(Ticks, MessageId)>>>,
    /// Per channel whether headers are in line for it, or for the ports of which it is the first.
    awaited: Vec<bool>,
    /// Messages whose last flit has arrived in this tick.
    arrived: Vec<MessageId>,
    /// Room for paths, from messages that have been delivered.
    spare: Vec<Vec<ChannelId>>,
    undelivered: usize,
}

/// The bytes that `messages` messages on so many channels need at most, paths aside.
pub(super) fn memory(channels: usize, messages: usize) -> u64 {
    let message = size_of::<Worm>() + size_of::<MessageId>() + size_of::<MessageOutcome>();
    (channels as u64).saturating_add((messages as u64).saturating_mul(message as u64))
}

impl<'a, Q: EventQueue, P: Program, O: Observer> Messages<'a, Q, P, O> {
    pub(super) fn new(network: &'a dyn Network, program: P, observer: O) -> Self {
        let channels = network.channels();
        Self {
            network,
            ports: [channels.ports(), channels.ejection_ports()],
            worms: Window::new(vec![Worm::default(); program.messages()]),
            lines: FxHashMap::default(),
            awaited: vec![false; channels.count()],
            arrived: Vec::new(),
            spare: Vec::new(),
            undelivered: program.messages(),
            program,
            observer,
            queue: Q::default(),
            requests: Requests::default(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.worms.count()
    }

    /// What nothing has to happen for.
    pub(super) fn start(&mut self) {
        self.program.signal(Signal::Start, &mut self.requests);
        self.take_requests();
    }

    /// Adds the last message of the program, which requests its injection channel at `at`.
    pub(super) fn add(&mut self, at: Ticks) {
        let id = self.worms.push(Worm::default());
        self.undelivered += 1;
        self.queue.push(QueuedEvent { time: at, kind: Kind::Request, number: id.0 });
    }

    /// Forgets messages before `before`, which have been delivered, up to the first whose channels are not all released. Returns the
    /// first one that is retained.
    pub(super) fn forget(&mut self, before: MessageId) -> MessageId {
        let first = self.worms.first_not(self.worms.first(), Worm::is_retired).min(before);
        self.worms.forget(first);
        first
    }

    /// The tick has come of which the program wanted to be told under the name `token`.
    pub(super) fn timer(&mut self, token: u32, now: Ticks) {
        self.program.signal(Signal::Timer { token, now }, &mut self.requests);
        self.take_requests();
    }

    fn take_requests(&mut self) {
        self.requests.take_to(&mut self.queue);
    }

    /// Flits that have arrived at their nodes, and all of the run.
    pub(super) fn progress(&self, owners: &impl Owners) -> (u64, u64) {
        let flits = |(id, _)| self.program.message(id).2.on_wire();
        let all = self.worms.numbered().map(flits).sum();
        let arrived = self.worms.records().iter().map(|worm| match worm.head {
            Some(_) if worm.is_delivered() => worm.wire_flits,
            // of a tail that is under way, the channel may be another's
            Some(ejection) if worm.granted == worm.channels => owners.crossed(ejection).min(worm.wire_flits),
            _ => 0,
        });
        (arrived.sum(), all)
    }

    /// The last flit of `id` has arrived in this tick.
    #[inline]
    pub(super) fn arrived(&mut self, id: MessageId) {
        self.arrived.push(id);
    }

    /// Delivers all messages that have arrived at `now`. Their order matters to programs: of several messages of a tick a
    /// receive takes the first that fits.
    pub(super) fn deliver_all(&mut self, now: Ticks) {
        let mut arrived = std::mem::take(&mut self.arrived);
        arrived.sort_unstable();
        for id in arrived.drain(..) {
            self.deliver(id, now);
        }
        self.arrived = arrived;
    }

    fn deliver(&mut self, id: MessageId, now: Ticks) {
        self.worms[id].delivered = now;
        self.undelivered -= 1;
        self.program.signal(Signal::Delivered { id, now }, &mut self.requests);
        self.take_requests();
        self.retire(id);
    }

    /// Takes back the path of `id` once it is delivered and all channels are released: news of the last free place may be
    /// longer on its way than the tail.
    fn retire(&mut self, id: MessageId) {
        let worm = &mut self.worms[id];
        if worm.is_retired() {
            let mut path = std::mem::take(&mut worm.path);
            path.clear();
            self.spare.push(path);
        }
    }

    /// A header requests the next channel on its path; the grant, if it need not wait.
    pub(super) fn request(&mut self, id: MessageId, now: Ticks, owners: &impl Owners) -> Option<Grant> {
        if self.worms[id].channels == 0 {
            self.launch(id, now);
        }
        let (first, width) = self.wanted(&self.worms[id]);
        match idle(owners, first, width) {
            Some(channel) if !self.awaited[first.index()] => Some(self.grant(id, channel, now, now)),
            _ => {
                self.awaited[first.index()] = true;
                self.lines.entry(first).or_default().push(Reverse((now, id)));
                None
            }
        }
    }

    /// The first request of a message: its path is laid out and its program told.
    fn launch(&mut self, id: MessageId, now: Ticks) {
        let worm = &mut self.worms[id];
        worm.path = self.spare.pop().unwrap_or_default();
        worm.wire_flits = self.program.message(id).2.on_wire();
        worm.requested = now;
        self.program.path(id, self.network, &mut worm.path);
        worm.channels = ChannelId::new(worm.path.len()).0;
        self.program.signal(Signal::Requested { id, now }, &mut self.requests);
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

    fn grant(&mut self, id: MessageId, channel: ChannelId, requested: Ticks, now: Ticks) -> Grant {
        let worm = &mut self.worms[id];
        let hop = worm.granted;
        if hop == 0 {
            worm.injected = now;
        }
        let before = worm.head.replace(channel);
        worm.granted += 1;
        worm.blocked_time += now - requested;
        worm.blocked_headers += u32::from(now > requested);
        self.observer.event(Event::Granted { message: id, hop: hop as usize, channel, requested, start: now });
        let last = worm.granted == worm.channels;
        Grant { owner: id, channel, hop, flits: worm.wire_flits, before, last }
    }

    /// What is granted to the first in line for what `first` stands for, if any of it is free.
    pub(super) fn wake(&mut self, first: ChannelId, now: Ticks, owners: &impl Owners) -> Option<Grant> {
        let line = self.lines.get(&first)?;
        let &Reverse((requested, waiting)) = line.peek()?;
        let (_, width) = self.wanted(&self.worms[waiting]);
        let channel = idle(owners, first, width)?;
        if let Some(line) = self.lines.get_mut(&first) {
            line.pop();
            self.awaited[first.index()] = !line.is_empty();
        }
        Some(self.grant(waiting, channel, requested, now))
    }

    /// The channel that `id` was granted as number `hop` of its path is free: those in line hear of it when all that arrives
    /// now has arrived.
    pub(super) fn released(&mut self, id: MessageId, hop: u32, channel: ChannelId, now: Ticks) {
        self.observer.event(Event::Released { message: id, hop: hop as usize, channel, at: now });
        if hop == 0 {
            self.program.signal(Signal::Left { id, at: now }, &mut self.requests);
            self.take_requests();
        }
        let worm = &mut self.worms[id];
        worm.released += 1;
        let first = worm.path[hop as usize];
        if self.awaited[first.index()] {
            self.queue.push(QueuedEvent { time: now, kind: Kind::Wake, number: first.0 });
        }
        self.retire(id);
    }

    /// What has happened after so many `events` of `engine`, when nothing happens any more; `held` are the owners of channels,
    /// each with which channel of its path that is.
    pub(super) fn finish(
        &self,
        held: impl Iterator<Item = (MessageId, u32)>,
        events: u64,
        engine: Engine,
    ) -> Result<Outcome, Stop> {
        if self.undelivered > 0 {
            return Err(Stop::of(self.deadlock(held), &self.program));
        }
        Outcome::of_program(&self.program, self.worms.records().iter().map(Worm::passage), events, engine)
    }

    /// How many have been delivered.
    pub(super) fn delivered(&self) -> usize {
        self.worms.count() - self.undelivered
    }

    /// What happened to message `id`, if it has been delivered.
    pub(super) fn message(&self, id: MessageId) -> Option<MessageOutcome> {
        let worm = self.worms.get(id).filter(|worm| worm.is_delivered())?;
        Some(MessageOutcome::new(&self.program, id, worm.passage()))
    }

    fn deadlock(&self, held: impl Iterator<Item = (MessageId, u32)>) -> Box<Deadlock> {
        let mut waiting = Vec::new();
        for (message, worm) in self.worms.numbered() {
            if let Some(&channel) = worm.path.get(worm.granted as usize) {
                waiting.push(Waiting { message, channel });
            }
        }
        let mut held = held.map(|(message, hop)| (self.worms[message].path[hop as usize], message));
        Deadlock::of_messages(waiting, &mut held, &|channel| self.network.channels().name(channel))
    }
}

/// The first of `width` channels from `first` on that has no owner.
fn idle(owners: &impl Owners, first: ChannelId, width: usize) -> Option<ChannelId> {
    let channels = first.index()..first.index() + width;
    channels.map(ChannelId::new).find(|&channel| owners.is_free(channel))
}
