//! The worm engine tick by tick.

use super::{Siblings, Worm, passage};
use crate::engine::stepping::Stepping;
use crate::engine::{MessageOutcome, Observer, Outcome, Program, Stop};
use crate::events::EventQueue;
use crate::routing::Network;
use crate::units::{MessageId, Ticks};

impl<'a, Q: EventQueue, P: Program, O: Observer, const UNEVEN: bool> Worm<'a, Q, P, O, UNEVEN> {
    /// A run of which all is to come but what nothing has to happen for.
    pub(in crate::engine) fn started(
        network: &'a dyn Network,
        costs: crate::costs::ChannelCosts,
        program: P,
        observer: O,
    ) -> Self {
        let mut worm = Self::new(network, costs, program, observer);
        worm.start();
        worm
    }
}

impl<Q: EventQueue, P: Program, O: Observer, const UNEVEN: bool> Stepping<O> for Worm<'_, Q, P, O, UNEVEN> {
    fn next(&mut self) -> Option<Ticks> {
        if self.shares() {
            return None;
        }
        // between ticks nothing is added to the queue, so that what is next stays it
        self.next = self.next.take().or_else(|| self.queue.pop());
        self.next.map(|event| event.time)
    }

    fn run_through(&mut self, until: Ticks) {
        while let Some(event) = self.next.take().or_else(|| self.queue.pop()) {
            if event.time > until {
                self.next = Some(event);
                return;
            }
            self.happen(event);
            if self.shares() {
                return;
            }
        }
    }

    /// At the end, what is held beside others is held for ever, too.
    fn is_refused(&self) -> bool {
        let siblings = self.siblings.as_ref();
        self.shares() || (self.next.is_none() && siblings.and_then(Siblings::first_shared).is_some())
    }

    fn delivered(&self) -> usize {
        self.flights.len() - self.undelivered
    }

    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        let flight = self.flights.get(id.index())?;
        // a header that has arrived has had its tail's delivery noted, which may be to come
        let is_delivered = flight.channels > 0 && flight.granted == flight.channels && flight.mark <= now;
        let tally = &self.tallies[id.index()];
        is_delivered.then(|| MessageOutcome::new(&self.program, id, passage(flight, tally)))
    }

    fn program(&self) -> &dyn Program {
        &self.program
    }

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn finish(&mut self) -> Result<Outcome, Stop> {
        Worm::finish(self)
    }
}
