//! The flit engine tick by tick.

use super::Machine;
use crate::costs::ChannelCosts;
use crate::engine::stepping::Stepping;
use crate::engine::{MessageOutcome, Observer, Outcome, Program, Stop};
use crate::events::EventQueue;
use crate::routing::Network;
use crate::units::{MessageId, Ticks};

impl<'a, P: Program, O: Observer, const UNEVEN: bool> Machine<'a, P, O, UNEVEN> {
    /// A run of which all is to come but what nothing has to happen for.
    pub(in crate::engine) fn started(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: O) -> Self {
        let mut machine = Self::new(network, costs, program, observer);
        machine.messages.start();
        machine
    }
}

impl<P: Program, O: Observer, const UNEVEN: bool> Stepping<O> for Machine<'_, P, O, UNEVEN> {
    fn next(&mut self) -> Option<Ticks> {
        // between ticks nothing is added to the queue, so that what is next stays it
        self.next = self.next.take().or_else(|| self.messages.queue.pop());
        self.next.map(|event| event.time)
    }

    fn run_through(&mut self, until: Ticks) {
        while let Some(event) = self.next.take().or_else(|| self.messages.queue.pop()) {
            if event.time > until {
                self.next = Some(event);
                return;
            }
            self.happen(event);
        }
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
        Machine::finish(self)
    }
}
