//! A network inside another simulator, the *host*.
//!
//! The host opens a [`Network`] with a scenario, sends messages while simulated time advances, and receives an [`Event`] when a
//! message arrives or a timer is due. Or messages wait at their nodes until the host takes them, and hold the others back
//! (`ejection = "held"`). The C library of the crate `ffi` has a function for each method, and the rules are in
//! `flitwise guide embed`.
//!
//! The times of every message are those of a run of a trace of the same messages, however the host sends them and advances. A host
//! that waits costs nothing: a tick at which nothing happens takes no time in the network.
//!
//! ```
//! use flitwise::embed::Network;
//!
//! let mut net = Network::open("[network.mesh]\nshape = [4, 4]\n[workload.embed]\nflit_bytes = 16\n")?;
//! net.send(0, 15, 0, 128, 0, 7)?; // 128 bytes, eight flits, from node 0 to node 15 in class 0 at tick 0
//! assert_eq!(net.advance(None)?, 1);
//! let arrived = net.poll().ok_or("an event is there")?;
//! assert_eq!((arrived.user, arrived.delivered, arrived.hops), (7, 15, 6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Networks are independent of each other. A network belongs to one thread.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method of `Live` is not one function for all lifetimes"
)]

mod booksim;
mod event;
mod open;
mod running;
mod stats;

pub use event::{Event, EventKind, Refused, Stop};
pub use open::OpenError;

use crate::engine::{HeldMessage, LiveError, LiveEvent, MessageOutcome, Window};
use crate::units::{Flits, MessageId, NodeId, Ticks};
use running::Running;
use rustc_hash::FxHashMap;
use stats::SentTotals;

/// A network that a host drives.
#[derive(Debug)]
pub struct Network {
    running: Running,
    facts: Facts,
    /// The payloads of messages that the run retains.
    payloads: Window<Payload>,
    /// The `user` value of each timer that has not been polled.
    timers: FxHashMap<u32, u64>,
    /// By class, the totals of messages that have been sent.
    sent: Vec<SentTotals>,
}

/// The properties of a network that do not change.
#[derive(Clone, Debug)]
struct Facts {
    nodes: u32,
    classes: Vec<String>,
    flit_bytes: u64,
    cycle: u64,
    tick_fs: u64,
    engine: &'static str,
}

/// The values that a host passes with a message.
#[derive(Clone, Copy, Debug)]
struct Payload {
    user: u64,
    bytes: u64,
    class: u32,
}

impl Network {
    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.facts.nodes
    }

    /// The names of the classes of messages, by number.
    pub fn classes(&self) -> &[String] {
        &self.facts.classes
    }

    /// The number of the class called `name`.
    ///
    /// # Errors
    /// If there is no such class.
    pub fn class(&self, name: &str) -> Result<u32, Refused> {
        let found = (0..).zip(&self.facts.classes).find(|(_, class)| *class == name);
        let unknown = || Refused::ClassName { name: name.to_owned(), accepted: self.facts.classes.clone() };
        found.map(|(number, _)| number).ok_or_else(unknown)
    }

    /// Bytes of a flit. A message of `bytes` bytes has `bytes` / `flit_bytes` flits, rounded up, and at least one on the wire.
    pub fn flit_bytes(&self) -> u64 {
        self.facts.flit_bytes
    }

    /// Ticks for a flit to cross a channel.
    pub fn cycle(&self) -> u64 {
        self.facts.cycle
    }

    /// Femtoseconds of a tick, or 0 if the scenario does not state the length of a tick or it is not a whole number of them.
    pub fn tick_fs(&self) -> u64 {
        self.facts.tick_fs
    }

    /// Returns true if [`Self::send`] would accept a message of `bytes` bytes from `src` now, false if its injection queue has no room.
    ///
    /// # Errors
    /// If there is no such node or class, or the message is too long to be sent at any time.
    pub fn can_send(&self, src: u32, class: u32, bytes: u64) -> Result<bool, Refused> {
        let flits = self.flits(bytes);
        self.running.read(|live| live.can_send(class, NodeId(src), flits)).map_err(|error| self.refused(&error, bytes))
    }

    /// Sends a message of `bytes` bytes from `src` to `dst`, which requests its injection channel at tick `at`. Returns its number:
    /// messages are numbered from 0 in the order of calls. Its event has `user`.
    ///
    /// # Errors
    /// If there is no such node or class, the message is too long, `at` lies before [`Self::now`] or is 2^60 or more, there are
    /// 2^32 - 1 messages, or the injection queue has no room. The network is unchanged.
    pub fn send(&mut self, src: u32, dst: u32, class: u32, bytes: u64, at: u64, user: u64) -> Result<u64, Refused> {
        let flits = self.flits(bytes);
        let ends = [src, dst].map(NodeId);
        let sent = self.running.change(|live| live.send_in_class(class, ends, flits, Ticks(at)));
        let id = sent.map_err(|error| self.refused(&error, bytes))?;
        self.payloads.push(Payload { user, bytes, class });
        self.sent[class as usize].add(flits, bytes);
        Ok(u64::from(id.0))
    }

    /// Sets a timer for tick `at`, and returns its number: timers are numbered from 0 in the order of calls. Its event has `user`.
    ///
    /// # Errors
    /// If `at` lies before [`Self::now`] or is 2^60 or more, or there are 2^32 - 1 timers. The network is unchanged.
    pub fn timer(&mut self, at: u64, user: u64) -> Result<u64, Refused> {
        let timer = self.running.change(|live| live.timer(Ticks(at))).map_err(|error| self.refused(&error, 0))?;
        self.timers.insert(timer, user);
        Ok(u64::from(timer))
    }

    /// The tick at hand, 0 at first. All that happens before it has happened, and the arrivals and timers of the tick itself.
    #[inline]
    pub fn now(&self) -> u64 {
        self.running.read(|live| live.now()).0
    }

    /// Returns [`Self::now`] if there are unread events or a timer is due. Otherwise returns a later tick before which no event comes,
    /// which may lie before the first event. Returns `None` if no event comes unless the host does something.
    #[inline]
    pub fn next(&self) -> Option<u64> {
        self.running.read(|live| live.next()).map(|at| at.0)
    }

    /// Advances to the first tick with events up to `until`, or else to `until`, and returns the number of unread events. If there are
    /// unread events, it only returns their number. With `None` it advances until there are events or none is to come: then the time
    /// is that of the last message that is held, if that is later.
    ///
    /// # Errors
    /// If `until` lies before [`Self::now`] or is 2^60 or more; [`Stop::Deadlock`] in place of 0 if messages are left, none of them is
    /// held, and nothing moves any more.
    #[inline]
    pub fn advance(&mut self, until: Option<u64>) -> Result<u64, Stop> {
        let limit = until.map_or(Ticks::MAX, Ticks);
        self.running
            .change(|live| live.advance(limit))
            .map(|events| events as u64)
            .map_err(|error| self.stop(error, limit))
    }

    /// The number of unread events.
    #[inline]
    pub fn unread(&self) -> u64 {
        self.running.read(|live| live.unread()) as u64
    }

    /// Removes and returns the next unread event. Events are in the order of ticks; those of a tick are messages by number, then timers
    /// by number.
    #[inline]
    pub fn poll(&mut self) -> Option<Event> {
        Some(match self.running.change(|live| live.poll())? {
            LiveEvent::Delivered { message, outcome } => {
                let event = self.arrival(message, &outcome);
                self.forget();
                event
            }
            LiveEvent::Timer { timer, set, at } => {
                let user = self.timers.remove(&timer).unwrap_or_default();
                Event::timer(u64::from(timer), user, [set, at].map(|ticks| ticks.0))
            }
        })
    }

    /// The number of messages that wait at their nodes.
    #[inline]
    pub fn held(&self) -> u64 {
        self.running.read(|live| live.held())
    }

    /// Returns the message of class `class` that waits at `node` and whose tail arrived first, of several at one tick the one with the
    /// smallest number.
    ///
    /// # Errors
    /// If there is no such node or class, or the scenario does not have `ejection = "held"`.
    pub fn peek(&self, node: u32, class: u32) -> Result<Option<Event>, Refused> {
        let held = self.running.read(|live| live.peek(NodeId(node), class)).map_err(|error| self.refused(&error, 0))?;
        Ok(held.map(|HeldMessage { message, outcome }| self.arrival(message, &outcome)))
    }

    /// Takes the message that [`Self::peek`] returns: its flits leave the buffer of its node in the tick at hand.
    ///
    /// # Errors
    /// Those of [`Self::peek`].
    pub fn take(&mut self, node: u32, class: u32) -> Result<Option<Event>, Refused> {
        let held =
            self.running.change(|live| live.take(NodeId(node), class)).map_err(|error| self.refused(&error, 0))?;
        Ok(held.map(|HeldMessage { message, outcome }| {
            let event = self.arrival(message, &outcome);
            self.forget();
            event
        }))
    }

    /// The number of messages that have been sent and neither been polled nor taken.
    pub fn pending(&self) -> u64 {
        self.running.read(|live| live.pending())
    }

    /// The flits of a message of `bytes` bytes.
    fn flits(&self, bytes: u64) -> Flits {
        Flits(bytes.div_ceil(self.facts.flit_bytes))
    }

    /// The event of a message that has arrived.
    fn arrival(&self, message: MessageId, outcome: &MessageOutcome) -> Event {
        let Payload { user, bytes, class } = self.payloads[message];
        Event {
            kind: EventKind::Message,
            id: message.0.into(),
            user,
            requested: outcome.requested.0,
            injected: outcome.injected.0,
            delivered: outcome.delivered.0,
            blocked: outcome.blocked_time.0,
            queued: outcome.queued().0,
            bytes,
            src: outcome.src.0,
            dst: outcome.dst.0,
            hops: outcome.hops,
            class,
        }
    }

    /// Forgets the payloads of messages that the run has forgotten.
    fn forget(&mut self) {
        let first = self.running.read(|live| live.first_retained());
        self.payloads.forget(first);
    }

    /// The error of a call about a message of `bytes` bytes.
    #[cold]
    fn refused(&self, error: &LiveError, bytes: u64) -> Refused {
        Refused::from_live(error, bytes, self.facts.flit_bytes)
    }

    /// The error of an advance to `until`.
    #[cold]
    fn stop(&self, error: LiveError, until: Ticks) -> Stop {
        match error {
            LiveError::Deadlock(deadlock) => Stop::Deadlock(deadlock),
            _ => Stop::Time { until: until.0, now: self.now() },
        }
    }
}
