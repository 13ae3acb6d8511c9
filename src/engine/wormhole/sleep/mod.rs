//! The sleep engine: every flit where virtual channels share wires as on the flit engine, without moving those of wires that
//! repeat themselves.
//!
//! A *wire* is a physical channel. While two worms share one, its flits soon go in a pattern that comes again after a few ticks, and
//! so do those of the wires before and after it on their paths. Each wire by itself notices that it repeats itself and *sleeps*;
//! it is woken at the very point within the tick at which a neighbour does something else than it expects, or at which a
//! counter comes to where something would be decided another way. Periods are guessed and never trusted: what comes out is what the
//! flit engine says, start by start.
//!
//! ```text
//!   key         the tick of a start and its place in the order of the tick, which decides who wins a wire
//!   agenda      what is to happen, by key
//!   state       what is counted of channels and wires: flits that have started and crossed, keys of the latest starts
//!   decisions   what a wire decided lately, and for how many periods that would stay so
//!   moving      awake: tries, looks in turn, starts, credits
//!   asleep      falling asleep: the last period was as the one before, and what decides stays so for a while
//!   rest        asleep: starts that a wire promises, and those that it expects of its neighbours, as repeated sequences
//!   neighbours  asleep: what sleepers tell neighbours awake, and what wakes them
//!   waking      awake again: counters, the flit under way, the neighbours
//!   patience    how long a wire waits before it tries to fall asleep
//! ```
//!
//! # Why it is exact
//!
//! What a wire does follows from which of its channels was served last, from when it falls idle, and from flits and room: from
//! counters and the keys of its neighbours' starts. Awake, it follows the rules of the flit engine, and what sleepers tell it are
//! promises. When it falls asleep it stands as one period before: the same channel has just started a flit at the same place of the
//! order within the tick. What its neighbours do is what they did a period before: each of their starts is compared as it comes,
//! one that does not come is missed at its *deadline*, and neighbours that sleep have agreed for ever. So it tries and looks at the
//! same places, and what it decides there depends on counters that have moved by as much as in every period, until the first
//! decision that they turn, for which its *alarm* is set. Grants, head flits, tails, releases and deliveries never happen to a
//! channel asleep, so observers and programs hear of them in the order of the flit engine.
//!
//! # What it costs
//!
//! Something changes when a worm is granted a channel, when its tail passes, and when a buffer fills or drains, and each time the wires
//! that are touched by it are awake for two or three periods. With two virtual channels a worm that shares a wire gets half of it,
//! all periods are one or two flit times, and about eight flits are moved for each channel of a message's path, whatever its length.
//! With more of them periods grow, and with many busy for long a wire may repeat itself too rarely: the cost then grows with the
//! length of messages, and `patience` keeps it near that of moving every flit.

mod agenda;
mod asleep;
mod decisions;
mod key;
mod moving;
mod neighbours;
mod patience;
mod rest;
mod state;
mod waking;

use super::messages::{self, Messages};
use crate::cancel::{self, Counted};
use crate::costs::ChannelCosts;
use crate::engine::program::LiveMessages;
use crate::engine::stepping::{Growing, Stepping};
use crate::engine::{Engine, Event, MessageOutcome, Observer, Outcome, Program, Stop};
use crate::events::{EventQueue, HeapQueue, Kind, QueuedEvent};
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId, Ticks};
use key::Phase;
use moving::{Flits, News};

/// The bytes that a run of `messages` messages on `channels` needs at most, paths aside.
pub fn memory(channels: &dyn Channels, messages: usize) -> u64 {
    let of_channel = Flits::bytes_of_channel(channels.virtual_channels()) as u64;
    let of_channels = (channels.count() as u64).saturating_mul(of_channel);
    of_channels.saturating_add(messages::memory(channels.count(), messages))
}

/// How many events pass before it looks up.
const LOOK: u64 = 1 << 16;

/// A run.
pub(in crate::engine) struct Machine<'a, P, O> {
    pub(super) messages: Messages<'a, HeapQueue, P, O>,
    flits: Flits,
    costs: ChannelCosts,
    /// How many events there are when it looks up next.
    look: u64,
}

impl<'a, P: Program, O: Observer> Machine<'a, P, O> {
    /// A run before its first tick, on uniform links.
    pub(in crate::engine) fn new(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: O) -> Self {
        let follows_all = observer.interest().flits;
        Self {
            flits: Flits::new(network.channels(), costs.buffer.without_delay(), costs.flit_time, follows_all),
            messages: Messages::new(network, program, observer),
            costs,
            look: LOOK,
        }
    }

    /// Starts the run: requests the messages that depend on no event.
    #[inline(always)]
    pub(in crate::engine) fn started(mut self) -> Self {
        self.messages.start();
        self
    }

    /// Simulates the next event, if it does not lie after tick `until`; false if it does.
    #[inline(always)]
    fn advance(&mut self, until: Ticks) -> bool {
        if self.flits.events >= self.look {
            self.look_up();
        }
        let tick = self.flits.agenda.next_tick();
        let time = self.messages.queue.next_time();
        match (tick, time) {
            (Some(tick), time) if time.is_none_or(|time| tick <= time.0) => {
                if tick > until.0 {
                    return false;
                }
                self.cross_all(tick);
            }
            _ => match self.messages.queue.pop_through(until) {
                Some(event) => self.happen(event),
                None => return false,
            },
        }
        true
    }

    pub(super) fn set_turns(&mut self, turns: &[u32]) {
        self.flits.state.set_turns(turns);
    }

    /// Per physical channel, by its first virtual channel, the place of the one served last.
    pub(super) fn turns(&self) -> impl Iterator<Item = u32> + '_ {
        self.flits.state.turns()
    }

    /// Tells how far the run is: flits that have arrived, against all.
    #[cold]
    #[inline(never)]
    fn look_up(&mut self) {
        let (done, all) = self.messages.progress(&self.flits.state);
        cancel::ran((self.flits.events, Counted::Flits), done, all);
        self.look = self.flits.events + LOOK.max(8 * self.messages.count() as u64);
    }

    /// What flits that have crossed lead to at `tick`, and the deliveries that these make.
    fn cross_all(&mut self, tick: u64) {
        self.flits.cross_all(tick);
        self.tell(Ticks(tick));
        self.messages.deliver_all(Ticks(tick));
    }

    fn happen(&mut self, event: QueuedEvent) {
        let now = event.time;
        self.flits.events += 1;
        match event.kind {
            Kind::Deliver => {}
            Kind::Timer => self.messages.timer(event.number, now),
            Kind::Request => {
                if let Some(grant) = self.messages.request(MessageId(event.number), now, &self.flits.state) {
                    self.flits.grant(&grant, Phase::Request, event.number, now.0);
                }
            }
            Kind::Wake => {
                while let Some(grant) = self.messages.wake(ChannelId(event.number), now, &self.flits.state) {
                    self.flits.grant(&grant, Phase::Wake, event.number, now.0);
                }
            }
        }
        self.flits.settle();
        self.tell(now);
    }

    /// Tells messages what has happened to them at `now`.
    fn tell(&mut self, now: Ticks) {
        for news in self.flits.news.drain(..) {
            match news {
                News::Started { owner, hop, channel, at, calls } => {
                    if calls {
                        let time = Ticks(at + self.costs.flit_time + self.costs.routing_delay);
                        self.messages.queue.push(QueuedEvent { time, kind: Kind::Request, number: owner.0 });
                    }
                    let hop = hop as usize;
                    self.messages.observer.event(Event::Started { message: owner, hop, channel, at: Ticks(at) });
                }
                News::Released { owner, hop, channel } => self.messages.released(owner, hop, channel, now),
                News::Arrived(owner) => self.messages.arrived(owner),
            }
        }
    }
}

impl<P: Program, O: Observer> Stepping<O> for Machine<'_, P, O> {
    fn next(&mut self) -> Option<Ticks> {
        let tick = self.flits.agenda.next_tick().map(Ticks);
        tick.into_iter().chain(self.messages.queue.next_time()).min()
    }

    fn run_through(&mut self, until: Ticks) {
        while self.advance(until) {}
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
        self.messages.finish(self.flits.state.owners(), self.flits.events, Engine::Sleep)
    }
}

impl<P: Program, O: Observer> Growing<O> for Machine<'_, P, O> {
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
