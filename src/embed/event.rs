//! Events of an embedded network, and its errors.

use crate::engine::{Deadlock, LengthLimit, LiveError};
use crate::units::NodeId;
use thiserror::Error;

/// A message that has arrived, or a timer that is due. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// A message or a timer.
    pub kind: EventKind,
    /// The number of the message or timer.
    pub id: u64,
    /// The value that the host gave it.
    pub user: u64,
    /// The tick for which the message was sent, or at which the timer was set.
    pub requested: u64,
    /// The tick at which the head flit was granted the injection channel, or 0 for a timer.
    pub injected: u64,
    /// The tick at which the tail arrived, or the timer is due.
    pub delivered: u64,
    /// The time for which the head flit waited for channels, or 0 for a timer.
    pub blocked: u64,
    /// The part of it at the injection channel.
    pub queued: u64,
    /// The payload, or 0 for a timer.
    pub bytes: u64,
    /// The sender, or 0 for a timer.
    pub src: u32,
    /// The receiver, or 0 for a timer.
    pub dst: u32,
    /// Links between routers on the path, or 0 for a timer.
    pub hops: u32,
    /// The number of the class, or 0 for a timer.
    pub class: u32,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A message has arrived.
    Message,
    /// A timer is due.
    Timer,
}

impl Event {
    /// The event of timer `id`, which was set at the first of the `ticks` and is due at the second.
    pub(super) fn timer(id: u64, user: u64, [requested, delivered]: [u64; 2]) -> Self {
        Self {
            kind: EventKind::Timer,
            id,
            user,
            requested,
            delivered,
            injected: 0,
            blocked: 0,
            queued: 0,
            bytes: 0,
            src: 0,
            dst: 0,
            hops: 0,
            class: 0,
        }
    }
}

/// An error of a call, which has changed nothing.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The injection queue has no room now.
    #[error("the injection queue has room for {room} flits now, and the message of {bytes} bytes has {flits}")]
    Full {
        /// The payload of the message.
        bytes: u64,
        /// Its flits.
        flits: u64,
        /// Flits for which there is room.
        room: u32,
    },
    /// There is no such node.
    #[error("node {node} does not exist; nodes are numbered from 0 to {}", nodes - 1)]
    Node {
        /// The number that was passed.
        node: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// There is no class with this number.
    #[error("class {class} does not exist; classes are numbered from 0 to {}", classes - 1)]
    Class {
        /// The number that was passed.
        class: u32,
        /// The number of classes.
        classes: u8,
    },
    /// There is no class with this name.
    #[error("there is no class `{name}`; accepted: {}", accepted.join(", "))]
    ClassName {
        /// The name that was passed.
        name: String,
        /// The names of the classes.
        accepted: Vec<String>,
    },
    /// A message that can never be sent.
    #[error(
        "a message of {bytes} bytes, {flits} flits of {flit_bytes}, is too long: at most {most} flits are accepted, {limit}"
    )]
    Bytes {
        /// The payload of the message.
        bytes: u64,
        /// Its flits.
        flits: u64,
        /// Bytes of a flit.
        flit_bytes: u64,
        /// The most flits of a message.
        most: u32,
        /// The reason.
        limit: LengthLimit,
    },
    /// A time in the past, or too far in the future.
    #[error("tick {at} is not accepted: the time is {now}, and ticks from then on below 2^60 are accepted")]
    Time {
        /// The tick that was passed.
        at: u64,
        /// The time of the network.
        now: u64,
    },
    /// There are as many messages or timers as there are numbers for them.
    #[error("there are 2^32 - 1 messages or timers, the most of a network; open another one")]
    Limit,
    /// Messages are not held at their nodes.
    #[error("no message is held at a node: arrivals are events, unless the scenario has `ejection = \"held\"`")]
    Mode,
}

/// The end of an advance without events.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Messages wait for each other, and nothing moves any more. Time has advanced.
    #[error(transparent)]
    Deadlock(#[from] Box<Deadlock>),
    /// A time in the past, or too far in the future. Nothing has changed.
    #[error("the time cannot become tick {until}: it is {now}, and ticks from then on below 2^60 are accepted")]
    Time {
        /// The tick that was passed.
        until: u64,
        /// The time of the network.
        now: u64,
    },
}

impl Refused {
    /// The error of a call about a message of `bytes` bytes, on a network with flits of `flit_bytes`.
    pub(super) fn from_live(error: &LiveError, bytes: u64, flit_bytes: u64) -> Self {
        match *error {
            LiveError::Node { node: NodeId(node), nodes } => Self::Node { node, nodes },
            LiveError::Class { class, classes } => Self::Class { class, classes },
            LiveError::Length { flits, most, limit } => Self::Bytes { bytes, flits: flits.0, flit_bytes, most, limit },
            LiveError::Time { at, now } => Self::Time { at: at.0, now: now.0 },
            LiveError::Full { flits, room } => Self::Full { bytes, flits: flits.on_wire(), room },
            LiveError::NotHeld => Self::Mode,
            LiveError::Limit | LiveError::Deadlock(_) => Self::Limit,
        }
    }
}
