//! What engines and the runs that callers hold ([`super::Running`]) know of each other: a run that goes on tick by tick, its
//! program and its observer, whatever their types.
//!
//! [`Stepping`] is the only way to drive an engine. A run to the end is a step through [`Ticks::MAX`], in which the queue of events
//! compares ticks only where a new one begins.

use super::program::LiveMessages;
use super::{MessageOutcome, Observer, Outcome, Program, Stop};
use crate::units::{MessageId, NodeId, Ticks};

/// A run of an engine, observed by `O`, that advances tick by tick.
pub(super) trait Stepping<O> {
    /// The next tick at which anything happens. Returns `None` at the end, and if the engine would be wrong from here on.
    fn next(&mut self) -> Option<Ticks>;

    /// Simulates all events up to and including tick `until`.
    fn run_through(&mut self, until: Ticks);

    /// True if the engine would be wrong from here on, or has been.
    fn is_refused(&self) -> bool {
        false
    }

    /// The number of messages that have been delivered.
    fn delivered(&self) -> usize;

    /// The outcome of message `id`, if it has been delivered by `now`, the tick through which all events have been simulated.
    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome>;

    /// The program.
    fn program(&self) -> &dyn Program;

    /// The observer.
    fn observer(&mut self) -> &mut O;

    /// The outcome of the run, when nothing happens any more.
    fn finish(&mut self) -> Result<Outcome, Stop>;

    /// Simulates all events, and returns the outcome.
    fn run_to_end(&mut self) -> Result<Outcome, Stop> {
        self.run_through(Ticks::MAX);
        self.finish()
    }
}

/// A run of an engine whose program gets messages between its ticks.
pub(super) trait Growing<O>: Stepping<O> {
    /// The messages of its program, which has some.
    fn live(&mut self) -> Option<&mut LiveMessages>;

    /// Adds the last message of the program, which requests its injection channel at `at`.
    fn add(&mut self, at: Ticks);

    /// The next tick at which anything happens, if nothing is added. It may be later than [`Stepping::next`], which may stand for the
    /// first of several ticks at which nothing happens.
    fn next_event(&mut self) -> Option<Ticks> {
        self.next()
    }

    /// Simulates events up to the first tick with deliveries, but not past `limit`. Returns the last tick that it has simulated: its
    /// deliveries, and as much of the rest as messages that are added at this tick cannot change.
    fn arrive(&mut self, limit: Ticks) -> Ticks {
        let mut reached = Ticks::ZERO;
        while let Some(next) = self.next().filter(|&next| next <= limit) {
            // requests of the tick may be granted, too: a message that is added later has a larger number, so that it comes after them
            self.run_through(next);
            reached = next;
            if self.live().is_some_and(|messages| messages.has_delivered()) {
                break;
            }
        }
        reached
    }

    /// Forgets messages before `before`, which have been delivered, as far as nothing depends on them any more. Returns the first one
    /// that is retained, or `before` if that is earlier.
    fn forget(&mut self, before: MessageId) -> MessageId;

    /// Flits in the injection queue of `node` and `class`: those of messages that have been added and whose flits have not started over
    /// the injection channel before `now`. Only routers with finite queues count them.
    fn queued(&self, node: NodeId, class: u8, now: Ticks) -> u32 {
        let _ = (node, class, now);
        0
    }

    /// Returns the slots of a message that its node has held to the routers, at tick `now`.
    fn release(&mut self, message: MessageId, now: Ticks) {
        let _ = (message, now);
    }
}

/// A run of a wormhole engine.
pub(super) type GrowingMachine<'a> = Box<dyn Growing<AnyObserver<'a>> + 'a>;

/// A run of any engine.
pub(super) type AnyMachine<'a> = Box<dyn Stepping<AnyObserver<'a>> + 'a>;

/// A program that can be run again from its beginning, of any type.
pub(super) trait Restartable: Program {
    /// Returns a copy of the program in its present state.
    fn again<'a>(&self) -> Box<dyn Restartable + 'a>
    where
        Self: 'a;
}

impl<P: Program + Clone> Restartable for P {
    fn again<'a>(&self) -> Box<dyn Restartable + 'a>
    where
        Self: 'a,
    {
        Box::new(self.clone())
    }
}

/// A program of any type.
pub(super) type AnyProgram<'a> = Box<dyn Restartable + 'a>;

impl Clone for AnyProgram<'_> {
    fn clone(&self) -> Self {
        (**self).again()
    }
}

/// An observer of any type, or none.
pub(super) type AnyObserver<'a> = Option<&'a mut dyn Observer>;
