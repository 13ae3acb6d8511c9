//! A run that accepts messages between its ticks, for simulators that embed the network.
//!
//! The outcome of every message is that of a run of a [trace](super::program::TraceProgram) of the same messages, to the tick, however
//! the run is stepped. That holds because a message that is sent at tick t has a larger number than those before it: in a run that
//! knew it from the start, its request would be the last event of tick t, too.
//!
//! On routers nodes can have finite injection queues, and hold messages until the caller takes them ([`LiveRouters`](super::router::LiveRouters)): then the flits of
//! a message leave their slots when it is taken, and routers wait for these.
//!
//! ```
//! use flitwise::prelude::*;
//!
//! // node 0 pings node 15, which answers each message 40 ticks after it has arrived
//! let network = DimensionOrder::first_coordinate_first(Mesh::new(&[4, 4], 1)?);
//! let mut net = Simulation::live(&network).start()?;
//! net.send(NodeId(0), NodeId(15), Flits(4), Ticks(0))?;
//! let mut arrivals = Vec::new();
//! while arrivals.len() < 3 && net.advance(Ticks::MAX)? > 0 {
//!     while let Some(event) = net.poll() {
//!         let LiveEvent::Delivered { outcome, .. } = event else { continue };
//!         arrivals.push(outcome.delivered);
//!         net.send(outcome.dst, outcome.src, Flits(4), net.now() + Ticks(40))?;
//!     }
//! }
//! assert_eq!(arrivals, [11, 62, 113].map(Ticks));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::deadlock::Deadlock;
use super::dispatch::CostedNetwork;
use super::program::{LiveMessage, LiveMessages};
use super::stepping::GrowingMachine;
use super::window::Window;
use super::{Engine, MessageOutcome, Simulation, Stop};
use crate::costs::ChannelCosts;
use crate::routing::Network;
use crate::units::{Flits, MessageId, NodeId, Ticks};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use thiserror::Error;

/// The network of a [`Live`] run on a wormhole engine, its costs and its engine.
#[must_use = "it runs only when it is started"]
pub struct LiveSimulation<'a> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    engine: Engine,
}

impl<'a> Simulation<'a, ()> {
    /// A run on `network` that accepts messages between its ticks. Costs and engine are those of [`Simulation::new`] unless they are
    /// set.
    pub fn live(network: &'a dyn Network) -> LiveSimulation<'a> {
        LiveSimulation { network, costs: ChannelCosts::default(), engine: Engine::Auto }
    }
}

impl<'a> LiveSimulation<'a> {
    /// Sets the costs of channels.
    pub fn costs(self, costs: ChannelCosts) -> Self {
        Self { costs, ..self }
    }

    /// Sets the engine. [`Engine::Auto`] is the first of the worm, the sleep and the flit engine that is exact whatever is sent: a live
    /// run cannot restart.
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// The engine that runs.
    ///
    /// # Errors
    /// If the engine cannot run it: those of [`Engine::run`] before its first tick; [`Stop::MayShare`] for [`Engine::Worm`] where
    /// virtual channels share physical ones.
    pub fn selected(&self) -> Result<Engine, Stop> {
        let costed = CostedNetwork { network: self.network, costs: self.costs };
        let shares = self.network.channels().virtual_channels() > 1;
        match (self.engine, costed.select(self.engine)?) {
            (_, Engine::Worm) if shares => Err(Stop::MayShare),
            (_, Engine::Auto) if !shares => Ok(Engine::Worm),
            (Engine::Auto, _) if costed.is_even() => Ok(Engine::Sleep),
            (Engine::Auto, _) => Ok(Engine::Flit),
            (_, engine) => Ok(engine),
        }
    }

    /// Starts the run, at tick 0.
    ///
    /// # Errors
    /// Those of [`Self::selected`].
    pub fn start(self) -> Result<Live<'a>, Stop> {
        let engine = self.selected()?;
        let costed = CostedNetwork { network: self.network, costs: self.costs };
        let machine = costed.start(engine, Box::new(LiveMessages::default()), None);
        Ok(Live::new(machine, LiveNodes::sinks(self.network.channels().nodes())))
    }
}

/// The nodes of a live run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiveNodes {
    /// The number of nodes.
    pub(super) nodes: usize,
    /// The number of classes of messages.
    pub(super) classes: u8,
    /// Flits that the injection queue of a node and class holds, if they are limited.
    pub(super) queue: Option<u32>,
    /// Slots of a node per virtual channel of its ejection channel, if messages wait there until they are taken.
    pub(super) held: Option<u32>,
    /// The flits of the longest message that fits into buffers of whole messages.
    pub(super) longest: Option<u32>,
}

impl LiveNodes {
    /// Nodes with unlimited queues that take in all messages, of one class.
    pub(super) fn sinks(nodes: usize) -> Self {
        Self { nodes, classes: 1, queue: None, held: None, longest: None }
    }

    /// The most flits of a message, and the reason.
    fn longest(&self) -> (u32, LengthLimit) {
        let limits = [
            (self.queue, LengthLimit::Queue),
            (self.held, LengthLimit::EjectionBuffer),
            (self.longest, LengthLimit::Buffer),
        ];
        let limits_in_use = limits.into_iter().filter_map(|(flits, limit)| Some((flits?, limit)));
        limits_in_use
            .chain([(u32::MAX, LengthLimit::Number)])
            .min_by_key(|&(flits, _)| flits)
            .unwrap_or((u32::MAX, LengthLimit::Number))
    }
}

/// An event of a live run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveEvent {
    /// The tail of a message has arrived at its node.
    Delivered {
        /// The number of the message.
        message: MessageId,
        /// Its path and its times.
        outcome: MessageOutcome,
    },
    /// A timer is due.
    Timer {
        /// The number of the timer.
        timer: u32,
        /// The tick at which it was set.
        set: Ticks,
        /// The tick at which it is due.
        at: Ticks,
    },
}

/// The reason why a message can be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthLimit {
    /// Messages have fewer than 2^32 flits.
    Number,
    /// The message has to fit into its injection queue.
    Queue,
    /// The message has to fit into the ejection buffer of its node.
    EjectionBuffer,
    /// The message has to fit into the buffers of routers.
    Buffer,
}

impl fmt::Display for LengthLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "the largest number of flits of a message",
            Self::Queue => "the injection queue",
            Self::EjectionBuffer => "the ejection buffer",
            Self::Buffer => "a buffer of routers that hold whole messages",
        })
    }
}

/// An error of a live run. Only [`Self::Deadlock`] has changed the run: its time has advanced.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveError {
    /// There is no such node.
    #[error("node {node} does not exist; nodes are numbered from 0 to {}", nodes - 1)]
    Node {
        /// The number that was passed.
        node: NodeId,
        /// The number of nodes.
        nodes: usize,
    },
    /// There is no such class.
    #[error("class {class} does not exist; classes are numbered from 0 to {}", classes - 1)]
    Class {
        /// The number that was passed.
        class: u32,
        /// The number of classes.
        classes: u8,
    },
    /// A message that is too long.
    #[error("a message of {flits} flits is too long; it must have at most {most} flits, {limit}")]
    Length {
        /// The length that was passed.
        flits: Flits,
        /// The most flits of a message.
        most: u32,
        /// The reason.
        limit: LengthLimit,
    },
    /// A time in the past, or too far in the future.
    #[error("tick {at} is before tick {now}, the time of the run, or is not less than {}", LATEST)]
    Time {
        /// The tick that was passed.
        at: Ticks,
        /// The time of the run.
        now: Ticks,
    },
    /// There are as many messages or timers as there are numbers for them.
    #[error("a run must have fewer than 2^32 messages and fewer than 2^32 timers")]
    Limit,
    /// The injection queue has no room now.
    #[error("the injection queue has room for {room} flits now, and the message has {flits}")]
    Full {
        /// The length that was passed.
        flits: Flits,
        /// Flits for which there is room.
        room: u32,
    },
    /// Nodes take in all messages.
    #[error("messages are not held at their nodes, so that none can be taken; they are events")]
    NotHeld,
    /// Messages wait for each other's channels, and no event is left.
    #[error(transparent)]
    Deadlock(#[from] Box<Deadlock>),
}

/// No time of a live run may reach this.
const LATEST: Ticks = Ticks(1 << 60);

/// The least number of messages that are forgotten at once.
const FORGOTTEN: usize = 256;

/// A message that has been sent.
#[derive(Clone, Copy, Debug)]
struct SentMessage {
    requested: Ticks,
    class: u8,
    /// True if its event has been polled, or it has been taken.
    is_read: bool,
}

/// Messages of a class that have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrivals {
    /// The number of messages.
    pub messages: u64,
    /// The sum of their latencies in ticks, from the request of the injection channel to the arrival.
    pub latency: u128,
    /// The largest latency.
    pub largest: Ticks,
}

impl Arrivals {
    /// Adds a message with this `latency`.
    fn add(&mut self, latency: Ticks) {
        self.messages += 1;
        self.latency += u128::from(latency.0);
        self.largest = self.largest.max(latency);
    }

    /// Adds the messages of another class.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.latency += other.latency;
        self.largest = self.largest.max(other.largest);
    }
}

/// A message that waits at its node until it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldMessage {
    /// The number of the message.
    pub message: MessageId,
    /// Its path and its times.
    pub outcome: MessageOutcome,
}

/// Messages that wait at their nodes.
#[derive(Debug, Default)]
struct Held {
    /// By node and class, in the order of arrival.
    lines: Vec<VecDeque<HeldMessage>>,
    count: u64,
}

/// A run that accepts messages between its ticks.
///
/// Its time is [`Self::now`]: all events before it have happened, and the arrivals and timers of the tick itself. Messages
/// requested at `now`, and flits that start at `now`, come after it. Messages are forgotten some time after their events have been
/// polled, in the order of their numbers.
///
/// Events come in the order of ticks; those of a tick are messages by number, then timers by number.
pub struct Live<'a> {
    machine: GrowingMachine<'a>,
    nodes: LiveNodes,
    sent: Window<SentMessage>,
    /// The first message whose event has not been polled.
    first_unread: MessageId,
    /// Messages that have not arrived.
    under_way: usize,
    /// Timers: the tick at which each is due, its number, and the tick at which it was set.
    timers: BinaryHeap<Reverse<(Ticks, u32, Ticks)>>,
    timers_set: u32,
    /// Events that have happened and have not been polled.
    unread: VecDeque<LiveEvent>,
    held: Held,
    now: Ticks,
    /// The tick through which the engine has been driven. It is later than `now` only if messages are left that nothing but the caller
    /// could release, after an advance without a limit.
    reached: Ticks,
    /// The next tick at which anything happens in the engine.
    next: Option<Ticks>,
    /// Messages that have just arrived.
    arrived: Vec<MessageId>,
    /// By class, the messages that have arrived.
    arrivals: Vec<Arrivals>,
}

impl fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Live");
        shown.field("now", &self.now).field("sent", &self.sent.count()).field("under_way", &self.under_way);
        shown.finish_non_exhaustive()
    }
}

impl<'a> Live<'a> {
    /// A run without messages so far.
    pub(super) fn new(machine: GrowingMachine<'a>, nodes: LiveNodes) -> Self {
        let lines = if nodes.held.is_some() { nodes.nodes * usize::from(nodes.classes) } else { 0 };
        Self {
            machine,
            nodes,
            sent: Window::new(Vec::new()),
            first_unread: MessageId(0),
            under_way: 0,
            timers: BinaryHeap::new(),
            timers_set: 0,
            unread: VecDeque::new(),
            held: Held { lines: vec![VecDeque::new(); lines], count: 0 },
            now: Ticks::ZERO,
            reached: Ticks::ZERO,
            next: None,
            arrived: Vec::new(),
            arrivals: vec![Arrivals::default(); nodes.classes.into()],
        }
    }

    /// The tick at hand, 0 at first.
    #[inline]
    pub fn now(&self) -> Ticks {
        self.now
    }

    /// Sends a message of `flits` flits from `src` to `dst`, which requests its injection channel at `at`. Returns its number: messages
    /// are numbered from 0 in the order of calls.
    ///
    /// # Errors
    /// If there is no such node, the message is too long, `at` lies before [`Self::now`] or is 2^60 or more, there are 2^32 - 1
    /// messages, or the injection queue has no room. The run is unchanged.
    pub fn send(&mut self, src: NodeId, dst: NodeId, flits: Flits, at: Ticks) -> Result<MessageId, LiveError> {
        self.send_in_class(0, [src, dst], flits, at)
    }

    /// Sends a message of class `class` from the first of `ends` to the second, as [`Self::send`] does.
    ///
    /// # Errors
    /// Those of [`Self::send`], and if there is no such class.
    pub fn send_in_class(
        &mut self,
        class: u32,
        ends: [NodeId; 2],
        flits: Flits,
        at: Ticks,
    ) -> Result<MessageId, LiveError> {
        let class = self.check(class, &ends, flits)?;
        self.check_time(at)?;
        if self.sent.count() >= u32::MAX as usize {
            return Err(LiveError::Limit);
        }
        let [src, dst] = ends;
        self.check_room(src, class, flits)?;
        let Some(messages) = self.machine.live() else { return Err(LiveError::Limit) };
        let id = messages.send(LiveMessage { src, dst, flits, class, name: None });
        let requested = at.max(self.reached);
        self.machine.add(requested);
        self.sent.push(SentMessage { requested: at, class, is_read: false });
        self.under_way += 1;
        self.next = Some(self.next.map_or(requested, |next| next.min(requested)));
        Ok(id)
    }

    /// Returns true if [`Self::send_in_class`] would accept a message of `flits` flits from `src` now, false if its injection queue has
    /// no room.
    ///
    /// # Errors
    /// If there is no such node or class, or the message is too long.
    pub fn can_send(&self, class: u32, src: NodeId, flits: Flits) -> Result<bool, LiveError> {
        let class = self.check(class, &[src], flits)?;
        Ok(self.check_room(src, class, flits).is_ok())
    }

    /// Sets a timer for `at`, and returns its number: timers are numbered from 0 in the order of calls. One that is set for
    /// [`Self::now`] is an event of the next call of [`Self::advance`] that finds no unread events.
    ///
    /// # Errors
    /// If `at` lies before [`Self::now`] or is 2^60 or more, or there are 2^32 - 1 timers. The run is unchanged.
    pub fn timer(&mut self, at: Ticks) -> Result<u32, LiveError> {
        self.check_time(at)?;
        let timer = self.timers_set;
        self.timers_set = timer.checked_add(1).ok_or(LiveError::Limit)?;
        self.timers.push(Reverse((at, timer, self.now)));
        Ok(timer)
    }

    /// Returns [`Self::now`] if there are unread events or a timer is due. Otherwise returns a later tick before which no event comes,
    /// which may lie before the first event. Returns `None` if no event comes unless messages are sent, timers set or messages taken.
    #[inline]
    pub fn next(&self) -> Option<Ticks> {
        if self.unread.is_empty() { self.next_tick() } else { Some(self.now) }
    }

    /// Advances to the first tick with events up to `until`, or else to `until`, and returns the number of unread events. If there are
    /// unread events, it only returns their number. With [`Ticks::MAX`] it advances until there are events or none is to come: then the
    /// time is that of the last message that is held, if that is later.
    ///
    /// # Errors
    /// If `until` lies before [`Self::now`], or is 2^60 or more and not [`Ticks::MAX`]; [`LiveError::Deadlock`] in place of 0 if
    /// messages are left, none of them is held, and nothing moves any more.
    #[inline]
    pub fn advance(&mut self, until: Ticks) -> Result<usize, LiveError> {
        if until != Ticks::MAX {
            self.check_time(until)?;
        }
        while self.unread.is_empty() {
            match self.next_tick() {
                Some(at) if at <= until => self.drive(at, until),
                _ => return self.wait(until),
            }
        }
        Ok(self.unread.len())
    }

    /// Removes and returns the first unread event.
    pub fn poll(&mut self) -> Option<LiveEvent> {
        let event = self.unread.pop_front()?;
        if let LiveEvent::Delivered { message, .. } = event {
            self.read(message);
        }
        Some(event)
    }

    /// The number of unread events.
    pub fn unread(&self) -> usize {
        self.unread.len()
    }

    /// The number of messages that wait at their nodes.
    #[inline]
    pub fn held(&self) -> u64 {
        self.held.count
    }

    /// The number of messages that have been sent and neither been polled nor taken.
    pub fn pending(&self) -> u64 {
        let of_messages = |event: &&LiveEvent| matches!(event, LiveEvent::Delivered { .. });
        self.under_way as u64 + self.held.count + self.unread.iter().filter(of_messages).count() as u64
    }

    /// Returns the message of class `class` that waits at `node` and whose tail arrived first, of several at one tick the one with the
    /// smallest number.
    ///
    /// # Errors
    /// If there is no such node or class, or messages are not held.
    pub fn peek(&self, node: NodeId, class: u32) -> Result<Option<HeldMessage>, LiveError> {
        Ok(self.held.lines[self.line(node, class)?].front().copied())
    }

    /// Takes the message that [`Self::peek`] returns: its flits leave the slots of its node in the tick at hand.
    ///
    /// # Errors
    /// Those of [`Self::peek`].
    pub fn take(&mut self, node: NodeId, class: u32) -> Result<Option<HeldMessage>, LiveError> {
        let line = self.line(node, class)?;
        let Some(held) = self.held.lines[line].pop_front() else { return Ok(None) };
        self.held.count -= 1;
        self.machine.release(held.message, self.now.max(self.reached));
        self.next = self.machine.next();
        self.read(held.message);
        Ok(Some(held))
    }

    /// By class, the messages that have arrived.
    pub fn arrivals(&self) -> &[Arrivals] {
        &self.arrivals
    }

    /// The first message that is retained: earlier ones have been forgotten.
    pub fn first_retained(&self) -> MessageId {
        self.sent.first()
    }

    /// The line of held messages of `node` and `class`.
    fn line(&self, node: NodeId, class: u32) -> Result<usize, LiveError> {
        let class = self.check(class, &[node], Flits(0))?;
        if self.nodes.held.is_none() {
            return Err(LiveError::NotHeld);
        }
        Ok(node.index() * usize::from(self.nodes.classes) + usize::from(class))
    }

    /// The next tick at which a message may arrive or a timer is due. A message that is requested now takes a tick at least.
    #[inline]
    fn next_tick(&self) -> Option<Ticks> {
        let after = self.now.max(self.reached) + Ticks(1);
        let engine = self.next.filter(|_| self.under_way > 0).map(|at| at.max(after));
        match (engine, self.next_timer()) {
            (Some(engine), Some(timer)) => Some(engine.min(timer)),
            (engine, timer) => engine.or(timer),
        }
    }

    #[inline]
    fn next_timer(&self) -> Option<Ticks> {
        self.timers.peek().map(|&Reverse((at, ..))| at)
    }

    /// Checks that class, nodes and length of a message are possible. Returns the class.
    fn check(&self, class: u32, nodes: &[NodeId], flits: Flits) -> Result<u8, LiveError> {
        let LiveNodes { nodes: count, classes, .. } = self.nodes;
        if let Some(&node) = nodes.iter().find(|node| node.index() >= count) {
            return Err(LiveError::Node { node, nodes: count });
        }
        let number = u8::try_from(class).ok().filter(|&class| class < classes);
        let number = number.ok_or(LiveError::Class { class, classes })?;
        let (most, limit) = self.nodes.longest();
        if flits.on_wire() > most.into() {
            return Err(LiveError::Length { flits, most, limit });
        }
        Ok(number)
    }

    /// Checks that `at` is neither past nor too far ahead.
    #[inline]
    fn check_time(&self, at: Ticks) -> Result<(), LiveError> {
        if at < self.now || at >= LATEST {
            return Err(LiveError::Time { at, now: self.now });
        }
        Ok(())
    }

    /// Checks that the injection queue of `src` has room.
    fn check_room(&self, src: NodeId, class: u8, flits: Flits) -> Result<(), LiveError> {
        let Some(queue) = self.nodes.queue else { return Ok(()) };
        let room = queue.saturating_sub(self.machine.queued(src, class, self.now));
        if flits.on_wire() > room.into() { Err(LiveError::Full { flits, room }) } else { Ok(()) }
    }

    /// Advances the engine to `at`, the next tick, in an advance up to `until`.
    fn drive(&mut self, at: Ticks, until: Ticks) {
        if self.next.is_some_and(|next| next <= at) && self.under_way > 0 {
            let horizon = self.next_timer().map_or(until, |timer| timer.min(until));
            self.machine.arrive(at, horizon);
            self.reached = at;
            self.next = self.machine.next();
            self.collect_messages(at);
        }
        while self.next_timer().is_some_and(|due| due <= at) {
            let Some(Reverse((at, timer, set))) = self.timers.pop() else { return };
            self.unread.push_back(LiveEvent::Timer { timer, set, at });
            self.now = at;
        }
    }

    /// Moves the messages that arrive at `at` to those that are unread, or that are held.
    fn collect_messages(&mut self, at: Ticks) {
        let mut arrived = std::mem::take(&mut self.arrived);
        if let Some(messages) = self.machine.live() {
            messages.take_delivered(&mut arrived);
        }
        arrived.sort_unstable();
        for message in arrived.drain(..) {
            #[expect(clippy::expect_used, reason = "the engine has just reported the delivery")]
            let mut outcome = self.machine.message(message, at).expect("a delivered message has an outcome");
            let SentMessage { requested, class, .. } = self.sent[message];
            outcome.blocked_time += outcome.requested - requested;
            outcome.requested = requested;
            self.arrivals[usize::from(class)].add(outcome.delivered - requested);
            self.under_way -= 1;
            self.now = at;
            if self.nodes.held.is_some() {
                let line = outcome.dst.index() * usize::from(self.nodes.classes) + usize::from(class);
                self.held.lines[line].push_back(HeldMessage { message, outcome });
                self.held.count += 1;
            } else {
                self.unread.push_back(LiveEvent::Delivered { message, outcome });
            }
        }
        self.arrived = arrived;
    }

    /// Marks `message` as read, and forgets the first messages if enough of them are.
    fn read(&mut self, message: MessageId) {
        self.sent[message].is_read = true;
        if message != self.first_unread {
            return;
        }
        self.first_unread = self.sent.first_not(message, |sent| sent.is_read);
        let retained = self.sent.records().len();
        let read = self.first_unread.index() + retained - self.sent.count();
        if read >= FORGOTTEN && 2 * read >= retained {
            let first = self.machine.forget(self.first_unread);
            self.sent.forget(first);
            if let Some(messages) = self.machine.live() {
                messages.forget(first);
            }
        }
    }

    /// Advances to `until`, up to which no event comes.
    fn wait(&mut self, until: Ticks) -> Result<usize, LiveError> {
        if until != Ticks::MAX {
            self.now = until;
        }
        if self.under_way > 0
            && self.held.count == 0
            && self.next.is_none()
            && let Err(Stop::Deadlock(deadlock)) = self.machine.finish()
        {
            return Err(deadlock.into());
        }
        Ok(0)
    }
}
