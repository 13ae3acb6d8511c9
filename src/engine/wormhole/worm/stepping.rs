//! The worm engine tick by tick, and its outcome.

use super::flight::{Flight, Tally};
use super::{Siblings, Worm};
use crate::engine::deadlock::{Deadlock, Waiting};
use crate::engine::outcome::Passage;
use crate::engine::program::LiveMessages;
use crate::engine::stepping::{Growing, Stepping};
use crate::engine::window::{FirstNumber, Moving};
use crate::engine::{Engine, MessageOutcome, Observer, Outcome, Program, Stop};
use crate::events::{EventQueue, Kind, QueuedEvent};
use crate::units::{MessageId, Ticks};

impl<Q: EventQueue, P: Program, O: Observer, F: FirstNumber, const UNEVEN: bool> Stepping<O>
    for Worm<'_, Q, P, O, F, UNEVEN>
{
    fn next(&mut self) -> Option<Ticks> {
        self.queue.next_time().filter(|_| !self.shares())
    }

    fn run_through(&mut self, until: Ticks) {
        while let Some(event) = self.queue.pop_through(until) {
            self.happen(event);
            if self.shares() {
                return;
            }
        }
    }

    /// At the end, what is held beside others is held for ever, too.
    fn is_refused(&self) -> bool {
        let siblings = self.siblings.as_ref();
        self.shares() || (self.queue.next_time().is_none() && siblings.and_then(Siblings::first_shared).is_some())
    }

    fn delivered(&self) -> usize {
        self.flights.count() - self.undelivered
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        let flight = self.flights.get(id)?;
        // a header that has arrived has had its tail's delivery noted, which may be to come
        let is_delivered = flight.channels > 0 && flight.granted == flight.channels && flight.mark <= now;
        let tally = &self.tallies[id];
        is_delivered.then(|| MessageOutcome::new(&self.program, id, passage(flight, tally)))
    }

    fn program(&self) -> &dyn Program {
        &self.program
    }

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        if let Some((channel, at)) = self.siblings.as_ref().and_then(Siblings::first_shared) {
            return Err(Stop::Shared { channel: self.network.channels().name(channel), at });
        }
        if self.undelivered > 0 {
            return Err(Stop::of(self.deadlock(), &self.program));
        }
        let passages =
            self.flights.records().iter().zip(self.tallies.records()).map(|(flight, tally)| passage(flight, tally));
        Outcome::of_program(&self.program, passages, self.look - self.left, Engine::Worm)
    }
}

impl<Q: EventQueue, P: Program, O: Observer, const UNEVEN: bool> Growing<O> for Worm<'_, Q, P, O, Moving, UNEVEN> {
    fn live(&mut self) -> Option<&mut LiveMessages> {
        self.program.live()
    }

    fn add(&mut self, at: Ticks) {
        let id = self.flights.push(Flight::default());
        self.tallies.push(Tally::default());
        self.undelivered += 1;
        self.queue.push(QueuedEvent { time: at, kind: Kind::Request, number: id.0 });
    }

    /// Simulates event after event, and after a delivery only those of its tick.
    fn arrive(&mut self, limit: Ticks) -> Ticks {
        let mut end = limit;
        let mut reached = Ticks::ZERO;
        while !self.shares()
            && let Some(event) = self.queue.pop_through(end)
        {
            reached = event.time;
            if event.kind == Kind::Deliver {
                end = reached;
            }
            self.happen(event);
        }
        reached
    }

    fn forget(&mut self, before: MessageId) -> MessageId {
        self.flights.forget(before);
        self.tallies.forget(before);
        before
    }
}

impl<Q: EventQueue, P: Program, O: Observer, F: FirstNumber, const UNEVEN: bool> Worm<'_, Q, P, O, F, UNEVEN> {
    /// The messages in line, and the channels that each message in flight holds.
    fn deadlock(&self) -> Box<Deadlock> {
        let mut waiting = Vec::new();
        let mut held = Vec::new();
        for ((message, flight), tally) in self.flights.numbered().zip(self.tallies.records()) {
            if flight.granted == flight.channels {
                continue; // not requested yet, or arrived
            }
            waiting.push(Waiting { message, channel: flight.next.channel() });
            let mut holds = tally.tail;
            for _ in tally.released..flight.granted {
                held.push((holds.channel(), message));
                self.paths.step(&mut holds);
            }
        }
        Deadlock::of_messages(waiting, &mut held.into_iter(), &|channel| self.network.channels().name(channel))
    }
}

/// The passage of a message whose head flit has arrived.
#[inline]
fn passage(flight: &Flight, tally: &Tally) -> Passage {
    Passage {
        hops: flight.channels - 2,
        requested: tally.requested,
        injected: flight.injected,
        delivered: flight.mark,
        blocked_headers: tally.blocked_headers,
        blocked_time: tally.blocked_time,
    }
}
