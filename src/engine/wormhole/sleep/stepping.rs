//! The sleep engine tick by tick.

use super::Machine;
use crate::costs::ChannelCosts;
use crate::engine::stepping::Stepping;
use crate::engine::{MessageOutcome, Observer, Outcome, Program, Stop};
use crate::routing::Network;
use crate::units::{MessageId, Ticks};

impl<'a, P: Program, O: Observer> Machine<'a, P, O> {
    /// A run of which all is to come but what nothing has to happen for.
    pub(in crate::engine) fn started(network: &'a dyn Network, costs: ChannelCosts, program: P, observer: O) -> Self {
        let mut machine = Self::new(network, costs, program, observer);
        machine.messages.start();
        machine
    }
}

impl<P: Program, O: Observer> Stepping<O> for Machine<'_, P, O> {
    fn next(&mut self) -> Option<Ticks> {
        let tick = self.flits.agenda.next_tick().map(Ticks);
        tick.into_iter().chain(self.messages.queue.next_time()).min()
    }

    fn run_through(&mut self, until: Ticks) {
        while let Some(at) = self.next()
            && at <= until
        {
            self.go_on();
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
