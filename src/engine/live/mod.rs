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

mod event;
mod nodes;
mod simulation;

pub use event::{Arrivals, LengthLimit, LiveError, LiveEvent};
pub use nodes::HeldMessage;
pub(super) use nodes::LiveNodes;
pub use simulation::LiveSimulation;

use super::Stop;
use super::program::{LiveMessage, LiveMessages};
use super::stepping::GrowingMachine;
use super::window::Window;
use crate::units::{Flits, MessageId, NodeId, Ticks};
use event::LATEST;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;

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
    /// The most flits that a message can have, and the reason.
    longest: (u32, LengthLimit),
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
            longest: nodes.longest(),
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
        let id = self.messages().send(LiveMessage { src, dst, flits, class, name: None });
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
                Some(at) if at <= until => self.drive(until),
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
        self.next = self.machine.next_event();
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

    /// The messages of the program.
    #[expect(clippy::expect_used, reason = "a live run is started with a program that has them")]
    fn messages(&mut self) -> &mut LiveMessages {
        self.machine.live().expect("the program of a live run grows")
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
        let (most, limit) = self.longest;
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

    /// Advances to the next event, but not past `until`, up to which the engine may have more to do.
    fn drive(&mut self, until: Ticks) {
        let limit = self.next_timer().map_or(until, |timer| timer.min(until));
        if self.under_way > 0 && self.next.is_some_and(|next| next <= limit) {
            self.reached = self.reached.max(self.machine.arrive(limit));
            self.next = self.machine.next_event();
            if self.collect_messages(self.reached) && self.reached < limit {
                return;
            }
        }
        while self.next_timer().is_some_and(|due| due <= limit) {
            let Some(Reverse((at, timer, set))) = self.timers.pop() else { return };
            self.unread.push_back(LiveEvent::Timer { timer, set, at });
            self.now = at;
        }
    }

    /// Moves the messages that arrive at `at` to those that are unread, or that are held. Returns true if there are any.
    fn collect_messages(&mut self, at: Ticks) -> bool {
        let mut arrived = std::mem::take(&mut self.arrived);
        self.messages().take_delivered(&mut arrived);
        arrived.sort_unstable();
        let has_arrived = !arrived.is_empty();
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
        has_arrived
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
            self.messages().forget(first);
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
