//! The sleep engine: every flit on shared wires as on the flit engine, without moving those of wires that repeat themselves.

mod agenda;
mod asleep;
mod decisions;
mod key;
mod moving;
mod neighbours;
mod rest;
mod state;
mod waking;

use super::messages::{self, Messages};
use crate::cancel::{self, Counted};
use crate::costs::ChannelCosts;
use crate::engine::{Engine, Observer, Outcome, Program, Stop};
use crate::events::{Event, EventQueue, HeapQueue, Kind};
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId, Ticks};
use key::Phase;
use moving::{Flits, News};

/// Runs `program` on `network`, whose channels are all alike, to its end.
///
/// # Errors
/// If messages are left that wait for each other's channels, or nodes that wait for messages.
pub fn run<P: Program, O: Observer>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    observer: &mut O,
) -> Result<Outcome, Stop> {
    let mut machine = Machine::new(network, costs, program, observer);
    machine.run();
    machine.finish()
}

/// As [`run`]; `turns` says which virtual channel of each physical channel was served last, by place, before and after.
pub(super) fn run_in_turn<P: Program, O: Observer>(
    network: &dyn Network,
    costs: ChannelCosts,
    program: P,
    observer: &mut O,
    turns: &mut Vec<u32>,
) -> Result<Outcome, Stop> {
    let mut machine = Machine::new(network, costs, program, observer);
    machine.flits.state.set_turns(turns);
    machine.run();
    *turns = machine.flits.state.turns().collect();
    machine.finish()
}

/// The bytes that a run of `messages` messages on `channels` needs at most, paths aside.
pub fn memory(channels: &dyn Channels, messages: usize) -> u64 {
    let of_channel = Flits::bytes_of_channel(channels.virtual_channels()) as u64;
    let of_channels = (channels.count() as u64).saturating_mul(of_channel);
    of_channels.saturating_add(messages::memory(channels.count(), messages))
}

/// How many events pass before it looks up.
const LOOK: u64 = 1 << 16;

/// A run.
struct Machine<'a, P, O> {
    messages: Messages<'a, HeapQueue, P, O>,
    flits: Flits,
    costs: ChannelCosts,
    /// How many events there are when it looks up next.
    look: u64,
}

impl<'a, P: Program, O: Observer> Machine<'a, P, O> {
    fn new(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: &'a mut O) -> Self {
        let follows_all = observer.follows_flits();
        Self {
            flits: Flits::new(network.channels(), costs.buffer, costs.flit_time, follows_all),
            messages: Messages::new(network, program, observer),
            costs,
            look: LOOK,
        }
    }

    fn run(&mut self) {
        self.messages.start();
        loop {
            if self.flits.events >= self.look {
                self.look_up();
            }
            let tick = self.flits.agenda.next_tick();
            let time = self.messages.queue.next_time();
            match (tick, time) {
                (Some(tick), time) if time.is_none_or(|time| tick <= time.0) => self.cross_all(tick),
                _ => match self.messages.queue.pop() {
                    Some(event) => self.happen(event),
                    None => return,
                },
            }
        }
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

    fn happen(&mut self, event: Event) {
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
                        self.messages.queue.push(Event { time, kind: Kind::Request, number: owner.0 });
                    }
                    self.messages.observer.started(owner, hop as usize, channel, Ticks(at));
                }
                News::Released { owner, hop, channel } => self.messages.released(owner, hop, channel, now),
                News::Arrived(owner) => self.messages.arrived(owner),
            }
        }
    }

    fn finish(self) -> Result<Outcome, Stop> {
        let Self { messages, flits, .. } = self;
        messages.finish(flits.state.owners(), flits.events, Engine::Sleep)
    }
}
