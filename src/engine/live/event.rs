//! Events of a live run, its errors, and totals of the messages that have arrived.

use crate::engine::{Deadlock, MessageOutcome};
use crate::units::{Flits, MessageId, NodeId, Ticks};
use std::fmt;
use thiserror::Error;

/// No time of a live run may reach this.
pub(super) const LATEST: Ticks = Ticks(1 << 60);

/// An event of a live run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveEvent {
    /// The tail of a message has arrived at its node.
    Delivered {
        /// The number of the message.
        message: MessageId,
        /// Its path and its times.
        outcome: MessageOutcome,
    },
    /// A timer is due.
    Timer {
        /// The number of the timer.
        timer: u32,
        /// The tick at which it was set.
        set: Ticks,
        /// The tick at which it is due.
        at: Ticks,
    },
}

/// The reason why a message can be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthLimit {
    /// Messages have fewer than 2^32 flits.
    Number,
    /// The message has to fit into its injection queue.
    Queue,
    /// The message has to fit into the ejection buffer of its node.
    EjectionBuffer,
    /// The message has to fit into the buffers of routers.
    Buffer,
}

impl fmt::Display for LengthLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "the largest number of flits of a message",
            Self::Queue => "the injection queue",
            Self::EjectionBuffer => "the ejection buffer",
            Self::Buffer => "a buffer of routers that hold whole messages",
        })
    }
}

/// An error of a live run. Only [`Self::Deadlock`] has changed the run: its time has advanced.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveError {
    /// There is no such node.
    #[error("node {node} does not exist; nodes are numbered from 0 to {}", nodes - 1)]
    Node {
        /// The number that was passed.
        node: NodeId,
        /// The number of nodes.
        nodes: usize,
    },
    /// There is no such class.
    #[error("class {class} does not exist; classes are numbered from 0 to {}", classes - 1)]
    Class {
        /// The number that was passed.
        class: u32,
        /// The number of classes.
        classes: u8,
    },
    /// A message that is too long.
    #[error("a message of {flits} flits is too long; it must have at most {most} flits, {limit}")]
    Length {
        /// The length that was passed.
        flits: Flits,
        /// The most flits of a message.
        most: u32,
        /// The reason.
        limit: LengthLimit,
    },
    /// A time in the past, or too far in the future.
    #[error("tick {at} is before tick {now}, the time of the run, or is not less than {}", LATEST)]
    Time {
        /// The tick that was passed.
        at: Ticks,
        /// The time of the run.
        now: Ticks,
    },
    /// There are as many messages or timers as there are numbers for them.
    #[error("a run must have fewer than 2^32 messages and fewer than 2^32 timers")]
    Limit,
    /// The injection queue has no room now.
    #[error("the injection queue has room for {room} flits now, and the message has {flits}")]
    Full {
        /// The length that was passed.
        flits: Flits,
        /// Flits for which there is room.
        room: u32,
    },
    /// Nodes take in all messages.
    #[error("messages are not held at their nodes, so that none can be taken; they are events")]
    NotHeld,
    /// Messages wait for each other's channels, and no event is left.
    #[error(transparent)]
    Deadlock(#[from] Box<Deadlock>),
}

/// Messages of a class that have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrivals {
    /// The number of messages.
    pub messages: u64,
    /// The sum of their latencies in ticks, from the request of the injection channel to the arrival.
    pub latency: u128,
    /// The largest latency.
    pub largest: Ticks,
}

impl Arrivals {
    /// Adds a message with this `latency`.
    pub(super) fn add(&mut self, latency: Ticks) {
        self.messages += 1;
        self.latency += u128::from(latency.0);
        self.largest = self.largest.max(latency);
    }

    /// Adds the messages of another class.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.latency += other.latency;
        self.largest = self.largest.max(other.largest);
    }
}
