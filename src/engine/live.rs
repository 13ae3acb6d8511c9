//! A run that accepts messages between its ticks, for simulators that embed the network.
//!
//! The outcome of every message is that of a run of a [trace](super::program::TraceProgram) of the same messages, to the tick, however
//! the run is stepped. That holds because a message that is sent at tick t has a larger number than those before it: in a run that
//! knew it from the start, its request would be the last event of tick t, too.
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
use super::program::LiveProgram;
use super::stepping::GrowingMachine;
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

    /// Sets the engine. [`Engine::Auto`] is the worm engine where it is exact whatever is sent, and the flit engine elsewhere: a live
    /// run cannot restart.
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// Starts the run, at tick 0.
    ///
    /// # Errors
    /// If the engine cannot run it: those of [`Engine::run`] before its first tick; [`Stop::MayShare`] for [`Engine::Worm`] where
    /// virtual channels share physical ones.
    pub fn start(self) -> Result<Live<'a>, Stop> {
        let costed = CostedNetwork { network: self.network, costs: self.costs };
        let shares = self.network.channels().virtual_channels() > 1;
        let engine = match costed.select(self.engine)? {
            Engine::Worm if shares => return Err(Stop::MayShare),
            Engine::Auto if shares => Engine::Flit,
            engine => engine,
        };
        let program = LiveProgram::default();
        let machine = costed.start(engine, Box::new(program.clone()), None);
        let nodes = self.network.channels().nodes();
        Ok(Live::new(machine, program, nodes))
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
        /// The tick at which it is due.
        at: Ticks,
    },
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
    /// A message that is too long.
    #[error("a message of {flits} flits is too long; it must have fewer than 2^32 flits")]
    Length {
        /// The length that was passed.
        flits: Flits,
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
    /// Messages wait for each other's channels, and no event is left.
    #[error(transparent)]
    Deadlock(#[from] Box<Deadlock>),
}

/// No time of a live run may reach this.
const LATEST: Ticks = Ticks(1 << 60);

/// A run that accepts messages between its ticks.
///
/// Its time is [`Self::now`]: all events before it have happened, and the arrivals and timers of the tick itself. Messages
/// requested at `now`, and flits that start at `now`, come after it. Messages are retained for the whole run.
///
/// Events come in the order of ticks; those of a tick are messages by number, then timers by number.
pub struct Live<'a> {
    machine: GrowingMachine<'a>,
    program: LiveProgram,
    nodes: usize,
    sent: usize,
    timers: BinaryHeap<Reverse<(Ticks, u32)>>,
    timers_set: u32,
    /// Events that have happened and have not been polled.
    unread: VecDeque<LiveEvent>,
    now: Ticks,
}

impl fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Live");
        shown.field("now", &self.now).field("sent", &self.sent).field("delivered", &self.machine.delivered());
        shown.finish_non_exhaustive()
    }
}

impl<'a> Live<'a> {
    /// A run of `program`, without messages so far, on the given number of `nodes`.
    pub(super) fn new(machine: GrowingMachine<'a>, program: LiveProgram, nodes: usize) -> Self {
        Self {
            machine,
            program,
            nodes,
            sent: 0,
            timers: BinaryHeap::new(),
            timers_set: 0,
            unread: VecDeque::new(),
            now: Ticks::ZERO,
        }
    }

    /// The tick at hand, 0 at first.
    pub fn now(&self) -> Ticks {
        self.now
    }

    /// Sends a message of `flits` flits from `src` to `dst`, which requests its injection channel at `at`. Returns its number: messages
    /// are numbered from 0 in the order of calls.
    ///
    /// # Errors
    /// If there is no such node, `flits` is 2^32 or more, `at` lies before [`Self::now`] or is 2^60 or more, or there are 2^32 - 1
    /// messages. The run is unchanged.
    pub fn send(&mut self, src: NodeId, dst: NodeId, flits: Flits, at: Ticks) -> Result<MessageId, LiveError> {
        for node in [src, dst] {
            if node.index() >= self.nodes {
                return Err(LiveError::Node { node, nodes: self.nodes });
            }
        }
        if u32::try_from(flits.on_wire()).is_err() {
            return Err(LiveError::Length { flits });
        }
        self.check_time(at)?;
        if self.sent >= u32::MAX as usize {
            return Err(LiveError::Limit);
        }
        let id = self.program.send(src, dst, flits);
        self.machine.add(id, at);
        self.sent += 1;
        Ok(id)
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
        self.timers.push(Reverse((at, timer)));
        Ok(timer)
    }

    /// Returns [`Self::now`] if there are unread events or a timer is due. Otherwise returns a later tick before which no event comes,
    /// which may lie before the first event. Returns `None` if no event comes unless messages are sent or timers set.
    #[expect(clippy::should_implement_trait, reason = "a tick, which stays the next one until the run advances")]
    pub fn next(&mut self) -> Option<Ticks> {
        if !self.unread.is_empty() {
            return Some(self.now);
        }
        self.next_tick()
    }

    /// Advances to the first tick with events up to `until`, or else to `until`, and returns the number of unread events. If there are
    /// unread events, it only returns their number. With [`Ticks::MAX`] it advances until there are events or none is to come, and
    /// then stays at the last tick that it has reached.
    ///
    /// # Errors
    /// If `until` lies before [`Self::now`], or is 2^60 or more and not [`Ticks::MAX`]; [`LiveError::Deadlock`] in place of 0 if
    /// messages are left and nothing moves any more.
    pub fn advance(&mut self, until: Ticks) -> Result<usize, LiveError> {
        if until != Ticks::MAX {
            self.check_time(until)?;
        }
        while self.unread.is_empty() {
            let Some(at) = self.next_tick().filter(|&at| at <= until) else { return self.wait(until) };
            let horizon = self.next_timer().map_or(until, |timer| timer.min(until));
            self.machine.arrive(at, horizon);
            self.now = at;
            self.collect();
        }
        Ok(self.unread.len())
    }

    /// Removes and returns the first unread event.
    pub fn poll(&mut self) -> Option<LiveEvent> {
        self.unread.pop_front()
    }

    /// The next tick at which a message may arrive or a timer is due. A message that is requested now takes a tick at least.
    fn next_tick(&mut self) -> Option<Ticks> {
        let engine = self.machine.next().map(|at| at.max(self.now + Ticks(1)));
        engine.into_iter().chain(self.next_timer()).min()
    }

    fn next_timer(&self) -> Option<Ticks> {
        self.timers.peek().map(|&Reverse((at, _))| at)
    }

    /// Checks that `at` is neither past nor too far ahead.
    fn check_time(&self, at: Ticks) -> Result<(), LiveError> {
        if at < self.now || at >= LATEST {
            return Err(LiveError::Time { at, now: self.now });
        }
        Ok(())
    }

    /// Moves the events of the tick at hand to those that are unread.
    fn collect(&mut self) {
        for message in self.program.take_delivered() {
            #[expect(clippy::expect_used, reason = "the engine has just reported the delivery")]
            let outcome = self.machine.message(message, self.now).expect("a delivered message has an outcome");
            self.unread.push_back(LiveEvent::Delivered { message, outcome });
        }
        while self.next_timer().is_some_and(|at| at <= self.now) {
            let Some(Reverse((at, timer))) = self.timers.pop() else { return };
            self.unread.push_back(LiveEvent::Timer { timer, at });
        }
    }

    /// Advances to `until`, up to which no event comes.
    fn wait(&mut self, until: Ticks) -> Result<usize, LiveError> {
        if until != Ticks::MAX {
            self.now = until;
        }
        if self.machine.next().is_none()
            && self.machine.delivered() < self.sent
            && let Err(Stop::Deadlock(deadlock)) = self.machine.finish()
        {
            return Err(deadlock.into());
        }
        Ok(0)
    }
}
