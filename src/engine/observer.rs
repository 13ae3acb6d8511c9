//! Events of a run, and the observers to which engines report them.

use super::program::Causes;
use crate::units::{ChannelId, MessageId, Ticks};

/// Something that happened in a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The run begins again on another engine: events reported so far have not happened.
    Restarted,
    /// A head flit is granted a channel.
    Granted {
        /// The message.
        message: MessageId,
        /// The number of the channel on its path; 0 is the injection channel.
        hop: usize,
        /// The channel. Routers number virtual channels in their own way ([`super::router::channel_name`]).
        channel: ChannelId,
        /// The tick of the request.
        requested: Ticks,
        /// The tick of the grant.
        start: Ticks,
    },
    /// A flit of the owner of a channel starts to cross it. The flit engine, which moves flits, reports all of them. The sleep
    /// engine reports head flits, and all flits to an observer with an [interest](Interest::flits) in them, those that it skipped
    /// later than others. Routers report head flits, see [`super::router`].
    Started {
        /// The owner.
        message: MessageId,
        /// The number of the channel on its path.
        hop: usize,
        /// The channel.
        channel: ChannelId,
        /// The tick of the start.
        at: Ticks,
    },
    /// A flit starts on a virtual channel. Only routers report it, each flit after those that it waited for.
    Left {
        /// The message of the flit.
        message: MessageId,
        /// The virtual channel.
        channel: ChannelId,
        /// The tick of the start.
        at: Ticks,
    },
    /// A channel is released by the message that it was granted to. The worm engine and routers report it as soon as it is certain,
    /// which may be before `at`.
    Released {
        /// The message.
        message: MessageId,
        /// The number of the channel on its path.
        hop: usize,
        /// The channel.
        channel: ChannelId,
        /// The tick of the release.
        at: Ticks,
    },
    /// The run has come to its end, and its sends began for these causes. Reported only to an observer with an
    /// [interest](Interest::causes) in them.
    Ended(&'a Causes),
}

/// The events that an observer uses, and the end that it may put to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// Grants, starts of head flits and releases. Without it engines may leave them out.
    pub hops: bool,
    /// The starts of all flits, of engines that need not move every flit.
    pub flits: bool,
    /// The causes of sends, which programs do not remember otherwise.
    pub causes: bool,
    /// The end of the run.
    pub stopping: Stopping,
}

/// An end that an observer puts to a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopping {
    /// Never, for the whole run.
    #[default]
    Never,
    /// Not at this tick.
    NotYet,
    /// At this tick, which is the last.
    Now,
}

impl Interest {
    /// No events.
    pub const NOTHING: Self = Self { hops: false, flits: false, causes: false, stopping: Stopping::Never };
    /// Grants, starts of head flits and releases.
    pub const HOPS: Self = Self { hops: true, ..Self::NOTHING };
    /// Those, and the starts of all flits.
    pub const FLITS: Self = Self { flits: true, ..Self::HOPS };

    /// Returns the interest of two observers together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let stopping = match (self.stopping, other.stopping) {
            (Stopping::Now, _) | (_, Stopping::Now) => Stopping::Now,
            (Stopping::Never, Stopping::Never) => Stopping::Never,
            _ => Stopping::NotYet,
        };
        Self {
            hops: self.hops || other.hops,
            flits: self.flits || other.flits,
            causes: self.causes || other.causes,
            stopping,
        }
    }

    /// True if the observer may end the run.
    pub(super) fn may_stop(self) -> bool {
        self.stopping != Stopping::Never
    }
}

/// Watches a run; `()` watches nothing at no cost.
pub trait Observer {
    /// Returns the events that it uses. Engines call it before the run, and, if it [may end the run](Interest::stopping), whenever
    /// all that happens at a tick (on routers, in a cycle) has happened. A run that it ends returns
    /// [`Stop::Stopped`](super::Stop::Stopped). An observer that never ends the run costs it nothing; others have it go on tick by tick
    /// ([`super::Running`]).
    fn interest(&self) -> Interest;

    /// Takes note of an event.
    fn event(&mut self, event: Event<'_>);
}

impl Observer for () {
    fn interest(&self) -> Interest {
        Interest::NOTHING
    }

    fn event(&mut self, _: Event<'_>) {}
}

/// An observer by reference, for engines that are compiled once for all.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn interest(&self) -> Interest {
        (**self).interest()
    }

    fn event(&mut self, event: Event<'_>) {
        (**self).event(event);
    }
}

/// An observer if there is one.
impl<O: Observer> Observer for Option<O> {
    fn interest(&self) -> Interest {
        self.as_ref().map_or(Interest::NOTHING, Observer::interest)
    }

    fn event(&mut self, event: Event<'_>) {
        if let Some(observer) = self {
            observer.event(event);
        }
    }
}

/// Two observers of the same events.
pub struct Both<A, B>(pub A, pub B);

impl<A: Observer, B: Observer> Observer for Both<A, B> {
    fn interest(&self) -> Interest {
        self.0.interest().and(self.1.interest())
    }

    fn event(&mut self, event: Event<'_>) {
        self.0.event(event);
        self.1.event(event);
    }
}
