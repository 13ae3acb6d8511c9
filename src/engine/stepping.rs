//! What engines and the runs that callers hold ([`super::Running`]) know of each other: a run that goes on tick by tick, its
//! program and its observer, whatever their types.
//!
//! Engines are compiled once for these, apart from the loops that run to the end at once, which they must not slow.

use super::{MessageOutcome, Observer, Outcome, Program, Stop};
use crate::units::{MessageId, Ticks};

/// A run of an engine, told to `O`, that goes on tick by tick.
pub(super) trait Stepping<O> {
    /// The next tick at which anything happens; none when nothing does any more, or the engine would be wrong from here on.
    fn next(&mut self) -> Option<Ticks>;

    /// Does what happens up to tick `until` and in it.
    fn run_through(&mut self, until: Ticks);

    /// Whether the engine would be wrong from here on, or has been.
    fn is_refused(&self) -> bool {
        false
    }

    /// How many messages have been delivered.
    fn delivered(&self) -> usize;

    /// What happened to message `id`, if it has been delivered by `now`, up to which all has happened.
    fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome>;

    /// The program.
    fn program(&self) -> &dyn Program;

    /// The observer.
    fn observer(&mut self) -> &mut O;

    /// What has happened, when nothing happens any more.
    fn finish(&mut self) -> Result<Outcome, Stop>;
}

/// A run of any engine.
pub(super) type AnyMachine<'a> = Box<dyn Stepping<AnyObserver<'a>> + 'a>;

/// A program that can be run again from its beginning, of any type.
pub(super) trait Restartable: Program {
    /// The same, as it stands.
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
