//! The worm engine: exact, with O(hops) events per message whatever its length.
//!
//! # Why it is exact
//!
//! The rules of [`super`] are max-plus linear. With `s_h` the start of the header on channel `h`, following the rules
//! back from flit `i` on channel `h` gives its start as
//!
//! ```text
//! S(i,h) = max over 0 <= d <= min(H-h, i / B) of  s_{h+d} + c_d (i - d B)
//! ```
//!
//! so that, with `q = (m-1) / B` and `w_j = s_j - c_d B j`, a channel is released at
//!
//! ```text
//! release(h) = S(m-1,h+1) = c_d (m-1 + (h+1) B) + max over j in h+1 ..= min(H, h+1+q) of w_j       (h < H)
//! release(H) = s_H + c_d m
//! ```
//!
//! The release of channel `h` is certain once the header is granted channel `min(H, h+1+q)` and not before, and it
//! never lies before that grant. So granting channel `g < H` makes channel `g-1-q` certain, and granting `H` all the
//! rest. The window maxima cost O(1) amortised: `w` is kept in blocks of `q+1`, and a block that is complete is
//! replaced by its suffix maxima in place.
//!
//! # What makes it fast
//!
//! A release needs no event unless somebody waits: the channel only remembers the tick from which it is free. A header
//! that is never blocked costs one event a hop. Waiters of a channel form a list in arrival order, which is the order
//! of (request time, message number) because that is the order in which requests are popped.

use super::deadlock::{Deadlock, Waiting};
use super::outcome::{MessageOutcome, Observer, Outcome};
use super::program::{Program, Requests};
use super::queue::{Event, EventQueue, Kind, RingQueue};
use super::ChannelCosts;
use crate::routing::Network;
use crate::units::{ChannelId, MessageId, NodeId, Ticks};
use rustc_hash::FxHashMap;

/// Runs `program` on `network` to its end.
///
/// # Errors
/// If messages are left that wait for each other's channels.
pub fn run<P: Program, O: Observer>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    observer: &mut O,
) -> Result<Outcome, Box<Deadlock>> {
    run_on::<RingQueue, P, O>(network, costs, program, observer)
}

/// As [`run`], on a queue of the caller's choice.
///
/// # Errors
/// If messages are left that wait for each other's channels.
pub fn run_on<Q: EventQueue, P: Program, O: Observer>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    observer: &mut O,
) -> Result<Outcome, Box<Deadlock>> {
    let mut worm = Worm::<Q, P, O>::new(network, costs, program, observer);
    worm.run();
    worm.finish()
}

/// The bytes that a run of `messages` messages on `channels` channels needs at most, paths aside.
#[must_use]
pub fn memory(channels: usize, messages: usize) -> u64 {
    let flight = size_of::<Flight>() + size_of::<MessageOutcome>();
    (channels as u64) * (size_of::<u64>() + size_of::<Line>()) as u64 + (messages * flight) as u64
}

/// Stands for no message in lists.
const NOBODY: u32 = 0;

/// The owner of this channel has not got far enough for its release to be certain.
const HELD: u64 = u64::MAX;
/// The same, and somebody waits for the channel.
const AWAITED: u64 = u64::MAX - 1;

/// Waiters of a channel, in arrival order; message numbers plus one.
#[derive(Clone, Copy, Default)]
struct Line {
    head: u32,
    tail: u32,
}

/// A message under way.
#[derive(Clone, Copy)]
struct Flight {
    flits: u64,
    requested: Ticks,
    injected: Ticks,
    /// While the header waits: since when. After it has arrived: when the tail is delivered.
    mark: Ticks,
    blocked_time: Ticks,
    /// The largest `w` of the block of `window` channels being filled.
    block_max: i64,
    /// `c_d B`, with a buffer no longer than the message.
    span: i64,
    /// Where its path and its `w` begin.
    slot: usize,
    /// Channels of its path, and how many of them have been granted.
    channels: u32,
    granted: u32,
    /// `q + 1`: on how many header starts behind a channel its release depends; capped at the path's length.
    window: u32,
    blocked_headers: u32,
    /// The next in the line of waiters, plus one.
    behind: u32,
    /// Which of the source's injection and the destination's ejection channels it got.
    injection_port: u32,
    ejection_port: u32,
}

impl Flight {
    const NONE: Self = Self {
        flits: 0,
        requested: Ticks::ZERO,
        injected: Ticks::ZERO,
        mark: Ticks::ZERO,
        blocked_time: Ticks::ZERO,
        block_max: i64::MIN,
        span: 0,
        slot: 0,
        channels: 0,
        granted: 0,
        window: 0,
        blocked_headers: 0,
        behind: NOBODY,
        injection_port: 0,
        ejection_port: 0,
    };

    /// Whether channel number `hop` of its path stands for all ports of a node.
    fn at_ports(&self, hop: u32) -> bool {
        hop == 0 || hop + 1 == self.channels
    }

    /// How far the channel it got as number `hop` lies behind the one its path names.
    fn port(&self, hop: usize) -> u32 {
        match hop {
            0 => self.injection_port,
            hop if hop + 1 == self.channels as usize => self.ejection_port,
            _ => 0,
        }
    }
}

struct Worm<'a, Q, P, O> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    ports: u32,
    program: P,
    observer: &'a mut O,
    queue: Q,
    requests: Requests,
    flights: Vec<Flight>,
    paths: Paths,
    /// Per channel: the tick from which it is free, or [`HELD`] or [`AWAITED`].
    free_from: Vec<u64>,
    /// Per channel, or per first channel of a node's ports: who waits.
    lines: Vec<Line>,
    undelivered: usize,
    events: u64,
}

impl<'a, Q: EventQueue, P: Program, O: Observer> Worm<'a, Q, P, O> {
    fn new(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: &'a mut O) -> Self {
        let channels = network.channels();
        Self {
            network,
            costs,
            ports: ChannelId::new(channels.ports()).0,
            queue: Q::default(),
            requests: Requests::default(),
            flights: vec![Flight::NONE; program.messages()],
            paths: Paths::default(),
            free_from: vec![0; channels.count()],
            lines: vec![Line::default(); channels.count()],
            undelivered: program.messages(),
            program,
            observer,
            events: 0,
        }
    }

    fn run(&mut self) {
        self.program.start(&mut self.requests);
        self.take_requests();
        while let Some(event) = self.queue.pop() {
            self.events += 1;
            match event.kind {
                Kind::Request => self.request(MessageId(event.number), event.time),
                Kind::Wake => self.wake(ChannelId(event.number), event.time),
                Kind::Deliver => self.deliver(MessageId(event.number), event.time),
            }
        }
    }

    fn take_requests(&mut self) {
        for (time, id) in self.requests.pending.drain(..) {
            self.queue.push(Event { time, kind: Kind::Request, number: id.0 });
        }
    }

    fn deliver(&mut self, id: MessageId, now: Ticks) {
        self.undelivered -= 1;
        self.program.delivered(id, now, &mut self.requests);
        self.take_requests();
    }

    /// A header asks for the next channel on its path.
    fn request(&mut self, id: MessageId, now: Ticks) {
        if self.flights[id.index()].channels == 0 {
            self.launch(id, now);
        }
        let flight = &self.flights[id.index()];
        let first = self.paths.channels[flight.slot + flight.granted as usize];
        let width = if flight.at_ports(flight.granted) { self.ports } else { 1 };
        match self.free_port(first, width, now) {
            Some(port) => self.grant(id, first, port, now, now),
            None => self.wait(id, first, width, now),
        }
    }

    /// The first request of a message: its path is laid out and its program told.
    fn launch(&mut self, id: MessageId, now: Ticks) {
        let (src, dst, flits) = self.program.message(id);
        let (slot, channels) = self.paths.lay(self.network, src, dst);
        let buffer = self.costs.buffer.min(flits.0);
        let reach = (flits.0 - 1) / buffer;
        let flight = &mut self.flights[id.index()];
        flight.flits = flits.0;
        flight.requested = now;
        flight.span = (self.costs.flit_time * buffer).cast_signed();
        flight.slot = slot;
        flight.channels = channels;
        flight.window = u32::try_from(reach).unwrap_or(u32::MAX).min(channels) + 1;
        self.program.requested(id, now, &mut self.requests);
        self.take_requests();
    }

    /// Which of the `width` channels from `first` a header may start on at `now`; none if others wait already.
    fn free_port(&self, first: ChannelId, width: u32, now: Ticks) -> Option<u32> {
        let free_from = self.free_from[first.index()];
        if width == 1 && free_from < now.0 {
            return Some(0); // nobody can wait for a channel that has been free for a while
        }
        if self.lines[first.index()].head != NOBODY {
            return None;
        }
        self.idle_port(first, width, now)
    }

    /// The lowest of the `width` channels from `first` that nobody owns at `now`.
    fn idle_port(&self, first: ChannelId, width: u32, now: Ticks) -> Option<u32> {
        let first = first.index();
        (0..width).find(|&port| self.free_from[first + port as usize] <= now.0)
    }

    /// Puts a header in line. The first in line sees to it that the releases it waits for wake it.
    fn wait(&mut self, id: MessageId, first: ChannelId, width: u32, now: Ticks) {
        let flight = &mut self.flights[id.index()];
        flight.blocked_headers += 1;
        flight.mark = now;
        let line = &mut self.lines[first.index()];
        if line.head != NOBODY {
            let last = std::mem::replace(&mut line.tail, id.0 + 1);
            self.flights[last as usize - 1].behind = id.0 + 1;
            return;
        }
        *line = Line { head: id.0 + 1, tail: id.0 + 1 };
        for port in 0..width {
            let free_from = &mut self.free_from[(first.0 + port) as usize];
            match *free_from {
                HELD => *free_from = AWAITED,
                AWAITED => {}
                certain => self.queue.push(Event { time: Ticks(certain), kind: Kind::Wake, number: first.0 }),
            }
        }
    }

    /// One of the channels that `first` stands for may have become free: those in line get what there is.
    fn wake(&mut self, first: ChannelId, now: Ticks) {
        while let Some(waiting) = self.lines[first.index()].head.checked_sub(1) {
            let flight = &self.flights[waiting as usize];
            let width = if flight.at_ports(flight.granted) { self.ports } else { 1 };
            let Some(port) = self.idle_port(first, width, now) else {
                return;
            };
            let flight = &mut self.flights[waiting as usize];
            let asked = flight.mark;
            flight.blocked_time += now - asked;
            self.lines[first.index()].head = std::mem::replace(&mut flight.behind, NOBODY);
            self.grant(MessageId(waiting), first, port, asked, now);
        }
    }

    /// The header of `id` starts on the next channel of its path, the one `port` behind `first`.
    fn grant(&mut self, id: MessageId, first: ChannelId, port: u32, asked: Ticks, now: Ticks) {
        let channel = ChannelId(first.0 + port);
        let flight = &mut self.flights[id.index()];
        let hop = flight.granted;
        self.observer.granted(id, hop as usize, channel, asked, now);
        let free_from = &mut self.free_from[channel.index()];
        // a channel taken at the very tick of its release, or one of several ports, may leave others in line
        let others_wait = (*free_from == now.0 || self.ports > 1) && self.lines[first.index()].head != NOBODY;
        *free_from = if others_wait { AWAITED } else { HELD };
        flight.granted += 1;
        if hop == 0 {
            flight.injected = now;
            flight.injection_port = port;
        }
        if flight.granted == flight.channels {
            flight.ejection_port = port;
            self.arrive(id, now);
        } else {
            let next = now + Ticks(self.costs.flit_time + self.costs.routing_delay);
            self.queue.push(Event { time: next, kind: Kind::Request, number: id.0 });
            self.advance(id, now);
        }
    }

    /// The header has started on a channel that is not its last: notes `w` and releases what became certain.
    fn advance(&mut self, id: MessageId, now: Ticks) {
        let flight = &mut self.flights[id.index()];
        let (granted, window) = (flight.granted as usize, flight.window as usize);
        let weights = &mut self.paths.weights[flight.slot..];
        let weight = flight.weight(granted, now);
        weights[granted - 1] = weight;
        if window + 1 >= flight.channels as usize {
            return; // nothing becomes certain before the header arrives
        }
        let place = (granted - 1) % window;
        flight.block_max = if place == 0 { weight } else { flight.block_max.max(weight) };
        let mut largest = flight.block_max;
        if place + 1 == window {
            for at in (granted - window..granted - 1).rev() {
                weights[at] = weights[at].max(weights[at + 1]);
            }
        } else if granted > window {
            largest = largest.max(weights[granted - window]);
        }
        if granted > window {
            let hop = granted - window - 1;
            let at = flight.release(hop, largest, self.costs.flit_time);
            self.release(id, hop, at);
        }
    }

    /// The header has started on the ejection channel: the rest of its path becomes certain.
    fn arrive(&mut self, id: MessageId, now: Ticks) {
        let flight = &mut self.flights[id.index()];
        let delivered = now + Ticks(flight.flits * self.costs.flit_time);
        flight.mark = delivered;
        self.queue.push(Event { time: delivered, kind: Kind::Deliver, number: id.0 });
        let flight = *flight;
        let last = flight.channels as usize - 1;
        let first_uncertain = last.saturating_sub(flight.window as usize);
        let mut largest = flight.weight(last + 1, now);
        self.release(id, last, delivered);
        for hop in (first_uncertain..last).rev() {
            if hop + 1 < last {
                largest = largest.max(self.paths.weights[flight.slot + hop + 1]);
            }
            let at = flight.release(hop, largest, self.costs.flit_time);
            self.release(id, hop, at);
        }
        self.paths.free(flight.slot, last + 1);
    }

    /// It is certain that the channel with number `hop` on the path of `id` is free from `at`.
    fn release(&mut self, id: MessageId, hop: usize, at: Ticks) {
        let flight = &self.flights[id.index()];
        let first = self.paths.channels[flight.slot + hop];
        let channel = ChannelId(first.0 + flight.port(hop));
        let awaited = std::mem::replace(&mut self.free_from[channel.index()], at.0) == AWAITED;
        if awaited {
            self.queue.push(Event { time: at, kind: Kind::Wake, number: first.0 });
        }
        self.observer.released(id, hop, channel, at);
    }

    fn finish(self) -> Result<Outcome, Box<Deadlock>> {
        if self.undelivered > 0 {
            return Err(self.deadlock());
        }
        let outcome = |(id, flight): (usize, &Flight)| {
            let id = MessageId::new(id);
            let (src, dst, _) = self.program.message(id);
            MessageOutcome {
                src,
                dst,
                hops: flight.channels - 2,
                requested: flight.requested,
                injected: flight.injected,
                delivered: flight.mark,
                received: flight.mark + self.program.receive_time(id),
                blocked_headers: flight.blocked_headers,
                blocked_time: flight.blocked_time,
            }
        };
        Ok(Outcome::new(self.flights.iter().enumerate().map(outcome).collect(), self.events))
    }

    /// The messages in line, and what each message that is under way holds.
    fn deadlock(&self) -> Box<Deadlock> {
        let mut waiting = Vec::new();
        let mut held = FxHashMap::default();
        for (id, flight) in self.flights.iter().enumerate() {
            if flight.granted == flight.channels {
                continue; // not requested yet, or arrived
            }
            let (message, granted) = (MessageId::new(id), flight.granted as usize);
            waiting.push(Waiting { message, channel: self.paths.channels[flight.slot + granted] });
            for hop in granted.saturating_sub(flight.window as usize)..granted {
                held.insert(self.paths.channels[flight.slot + hop], message);
            }
        }
        Deadlock::find(waiting, &held, |channel| self.network.channels().name(channel))
    }
}

impl Flight {
    /// `w` of the `nth` channel of its path, counted from 1, on which the header starts at `start`.
    fn weight(&self, nth: usize, start: Ticks) -> i64 {
        start.0.cast_signed() - self.span * (nth as u64).cast_signed()
    }

    /// The release of the channel with number `hop`, given the largest `w` of the channels that it depends on.
    fn release(&self, hop: usize, largest: i64, flit_time: u64) -> Ticks {
        let offset = ((self.flits - 1) * flit_time).cast_signed() + self.span * (hop as u64 + 2).cast_signed();
        Ticks((offset + largest).cast_unsigned())
    }
}

/// Paths of the messages under way and their headers' `w`, in slots that are used again.
#[derive(Default)]
struct Paths {
    channels: Vec<ChannelId>,
    weights: Vec<i64>,
    /// Free slots by the power of two that is their size.
    spare: Vec<Vec<usize>>,
    route: Vec<ChannelId>,
}

impl Paths {
    /// Lays out the path from `src` to `dst`: where it begins, and its number of channels.
    fn lay(&mut self, network: &dyn Network, src: NodeId, dst: NodeId) -> (usize, u32) {
        self.route.clear();
        network.route(src, dst, &mut self.route);
        let channels = self.route.len();
        let slot = self.class(channels).pop().unwrap_or_else(|| {
            let slot = self.channels.len();
            let end = slot + channels.next_power_of_two();
            self.channels.resize(end, ChannelId(0));
            self.weights.resize(end, 0);
            slot
        });
        self.channels[slot..slot + channels].copy_from_slice(&self.route);
        (slot, ChannelId::new(channels).0)
    }

    fn free(&mut self, slot: usize, channels: usize) {
        self.class(channels).push(slot);
    }

    fn class(&mut self, channels: usize) -> &mut Vec<usize> {
        let class = channels.next_power_of_two().trailing_zeros() as usize;
        if self.spare.len() <= class {
            self.spare.resize_with(class + 1, Vec::new);
        }
        &mut self.spare[class]
    }
}
