//! Why sends begin when they do.
//!
//! A send begins when the last of its requirements is met: what its node had to receive first, a port, a computation. Of
//! requirements that are met in the same tick the first in the order of [`Cause`] counts, then the one with the smallest
//! number. Programs with choices remember it only where that is asked for.

use crate::units::{MessageId, Ticks};

/// Why a send began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// It began at a time that was given, or at 0.
    Start,
    /// This message was received by its node; with a barrier, by any node.
    Received(MessageId),
    /// The time between two starts of sends of a port was over since the start of this message, or its node had done with
    /// sending it.
    Hold(MessageId),
    /// The tail of this message left the injection channel of its node.
    Left(MessageId),
    /// The computation with this number ended.
    Computed(u32),
}

impl Cause {
    /// What files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Received(_) => "received",
            Self::Hold(_) => "hold",
            Self::Left(_) => "left",
            Self::Computed(_) => "compute",
        }
    }

    /// The message that had to be received, sent or gone, if it was one.
    pub fn after(self) -> Option<MessageId> {
        match self {
            Self::Start | Self::Computed(_) => None,
            Self::Received(message) | Self::Hold(message) | Self::Left(message) => Some(message),
        }
    }
}

/// When a send began, and why then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Began {
    /// When: its injection channel is requested `t_send` later.
    pub at: Ticks,
    /// Why not before.
    pub cause: Cause,
}

impl Began {
    /// At a time that was given.
    pub fn at_start(at: Ticks) -> Self {
        Self { at, cause: Cause::Start }
    }
}

/// A computation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computation {
    /// Its operation, in a program of operations.
    pub operation: Option<u32>,
    /// When it began.
    pub from: Ticks,
    /// When it ended.
    pub to: Ticks,
    /// Why it did not begin before.
    pub cause: Cause,
}

/// Why everything began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Causes {
    /// By number of the message.
    pub sends: Vec<Began>,
    /// What nodes computed; [`Cause::Computed`] counts here.
    pub computations: Vec<Computation>,
    /// The receive that took each message, by number of the message, in a program of operations.
    pub receives: Vec<u32>,
    /// Why the nodes were done when they were, if that was later than the last message was received.
    pub end: Option<Cause>,
}

/// From when something can begin, and what it waited for last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub(super) at: Ticks,
    pub(super) cause: Cause,
}

impl Ready {
    /// From the start.
    pub(super) const START: Self = Self { at: Ticks::ZERO, cause: Cause::Start };

    /// Not before `other` either.
    pub(super) fn wait_for(&mut self, other: Self) {
        if other.at > self.at {
            *self = other;
        } else if other.at == self.at {
            self.cause = self.cause.min(other.cause);
        }
    }

    /// Not before `message` is received at `at`.
    pub(super) fn wait_to_receive(&mut self, message: MessageId, at: Ticks) {
        self.wait_for(Self { at, cause: Cause::Received(message) });
    }
}

/// The last send of a port, and from when the next may begin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastSend {
    /// None as long as the port has not sent.
    pub(super) message: Option<MessageId>,
    /// When `t_hold` ends.
    pub(super) held_until: Ticks,
    /// When its tail left, if that is known.
    pub(super) left: Ticks,
}

impl LastSend {
    /// From when the port is free.
    pub(super) fn free_from(&self) -> Ticks {
        self.held_until.max(self.left)
    }

    /// Why the next send begins at `at`, if nothing but the port and `ready` had to be waited for.
    pub(super) fn cause(&self, at: Ticks, ready: Ready) -> Cause {
        let of_port =
            self.message.map(|message| if self.held_until == at { Cause::Hold(message) } else { Cause::Left(message) });
        let of_port = of_port.filter(|_| self.free_from() == at);
        let of_ready = (ready.at == at).then_some(ready.cause);
        of_port.into_iter().chain(of_ready).min().unwrap_or(ready.cause)
    }
}

/// What a program remembers of why its sends began: nothing unless it is asked to.
#[derive(Clone, Debug, Default)]
pub(super) struct CauseLog {
    began: Vec<Began>,
}

impl CauseLog {
    /// Remembers the sends of so many messages from here on.
    pub(super) fn keep(&mut self, messages: usize) {
        self.began = vec![Began::at_start(Ticks::ZERO); messages];
    }

    /// The send of `message` begins at `at`, for the `cause` that is asked for only if it is remembered.
    #[inline]
    pub(super) fn note(&mut self, message: MessageId, at: Ticks, cause: impl FnOnce() -> Cause) {
        if let Some(began) = self.began.get_mut(message.index()) {
            *began = Began { at, cause: cause() };
        }
    }

    /// Why all sends began, by number of the message.
    pub(super) fn sends(&self) -> Vec<Began> {
        self.began.clone()
    }
}
