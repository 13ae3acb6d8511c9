//! What engines and the runs that callers hold ([`super::Running`]) know of each other: a run that goes on tick by tick, its
//! program and its observer, whatever their types.
//!
//! [`Stepping`] is the only way to drive an engine. Runs to the end are steps through [`Ticks::MAX`], in which the queue of events
//! compares ticks only where a new one begins.

use super::{Event, Interest, MessageOutcome, Observer, Outcome, Program, Stop};
use crate::units::{MessageId, Ticks};

/// A run of an engine, observed by `O`, that goes on tick by tick.
pub(super) trait Stepping<O> {
    /// The next tick at which anything happens; none when nothing does any more, or the engine would be wrong from here on.
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
}

/// A run of an engine whose program gets messages between its ticks.
pub(super) trait Growing<O>: Stepping<O> {
    /// Adds message `id`, the last of the program, which requests its injection channel at `at`.
    fn add(&mut self, id: MessageId, at: Ticks);

    /// Simulates all events before `at`, and the deliveries at `at`. Nothing is added before `horizon`, or the first delivery if that is
    /// earlier.
    fn arrive(&mut self, at: Ticks, horizon: Ticks);
}

/// A run of a wormhole engine.
pub(super) type GrowingMachine<'a> = Box<dyn Growing<Watch<'a>> + 'a>;

/// A run of any engine.
pub(super) type AnyMachine<'a> = Box<dyn Stepping<Watch<'a>> + 'a>;

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

/// An observer of any type, or none, as an engine sees it. Engines are compiled once for all observers; one without an interest in
/// hops costs a comparison per hop.
#[derive(Default)]
pub(super) struct Watch<'a> {
    observer: AnyObserver<'a>,
    /// True if it is interested in grants, starts and releases.
    reports_hops: bool,
}

impl<'a> Watch<'a> {
    /// Returns `observer` as engines see it.
    pub(super) fn new(observer: AnyObserver<'a>) -> Self {
        let interest = observer.interest();
        Self { observer, reports_hops: interest.hops || interest.flits }
    }

    /// True if hops are reported to it.
    pub(super) fn reports_hops(&self) -> bool {
        self.reports_hops
    }

    /// Reports an event of the run as a whole, which every observer takes.
    pub(super) fn notify(&mut self, event: Event<'_>) {
        self.observer.event(event);
    }
}

impl Observer for Watch<'_> {
    fn interest(&self) -> Interest {
        self.observer.interest()
    }

    #[inline]
    fn event(&mut self, event: Event<'_>) {
        if self.reports_hops {
            self.observer.event(event);
        }
    }
}

impl<'a> AsMut<Self> for Watch<'a> {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

/// An observer without an interest in hops, for an engine that is compiled without reports of them: the comparisons of [`Watch`] are
/// 2 % of the instructions of the worm engine where messages are short.
pub(super) struct Unwatched<'a>(pub(super) Watch<'a>);

impl Observer for Unwatched<'_> {
    fn interest(&self) -> Interest {
        self.0.interest()
    }

    #[inline]
    fn event(&mut self, _: Event<'_>) {}
}

impl<'a> AsMut<Watch<'a>> for Unwatched<'a> {
    fn as_mut(&mut self) -> &mut Watch<'a> {
        &mut self.0
    }
}
