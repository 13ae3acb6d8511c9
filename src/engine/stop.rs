//! Reasons for which a run does not come to its end.

use super::deadlock::Deadlock;
use super::program::Program;
use crate::costs::ChannelCosts;
use crate::schedule::goal::GoalViolation;
use crate::topology::{Channels, LinkClock, LinkCost};
use crate::units::{Flits, MessageId, NodeId, Ticks};
use thiserror::Error;

/// Why a run did not come to its end.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Messages or packets wait for each other's channels for ever.
    #[error(transparent)]
    Deadlock(#[from] Box<Deadlock>),
    /// Nodes wait for messages that never come.
    #[error("{0}")]
    Unfinished(#[from] GoalViolation),
    /// The worm engine would be wrong from here on.
    #[error(
        "two messages held virtual channels of {channel} at tick {at}, which the worm engine does not simulate exactly; \
         use engine.kind = \"auto\", \"flit\" or \"sleep\""
    )]
    Shared {
        /// The name of the first virtual channel of the physical channel.
        channel: String,
        /// When both were first owned.
        at: Ticks,
    },
    /// The worm engine would be wrong.
    #[error(transparent)]
    ShortBuffer(#[from] ShortBuffer),
    /// A live run on the worm engine might have to restart.
    #[error(
        "virtual channels share physical channels, so a live run on the worm engine might have to restart; \
         use engine.kind = \"auto\", \"flit\" or \"sleep\""
    )]
    MayShare,
    /// The engine does not support links with clocks of their own.
    #[error(transparent)]
    Clocked(#[from] ClockedLink),
    /// The sleep engine would be wrong.
    #[error(
        "channels have different flit times or delays, which the sleep engine does not support; \
         use engine.kind = \"auto\" or \"flit\""
    )]
    Uneven,
    /// The router engine was asked for, and it is not said what routers are like.
    #[error("the engine `router` requires virtual-channel routers, which this simulation does not specify")]
    NoRouters,
    /// A message is too long for virtual-channel routers.
    #[error("message {message} has {flits} flits; on virtual-channel routers it must have fewer than 2^32 flits")]
    TooLong {
        /// Which message.
        message: MessageId,
        /// Its length.
        flits: Flits,
    },
    /// A message does not fit into a buffer of routers whose packets have to.
    #[error(
        "message {message} has {flits} flits and does not fit into a buffer of {buffer} flits, which `router.switching` requires; \
         use a larger channel.buffer, shorter messages, or router.switching = \"wormhole\""
    )]
    NoRoom {
        /// The message.
        message: MessageId,
        /// Its length.
        flits: Flits,
        /// The flits of one packet that a buffer holds.
        buffer: u32,
    },
    /// Two nodes exchange a message, and links that failed leave no path between them.
    #[error(transparent)]
    NoPath(#[from] Box<NoPath>),
    /// The observer has ended the run.
    #[error("the observer ended the run at tick {at}")]
    Stopped {
        /// The tick with which it ended: all that happens at it has happened.
        at: Ticks,
    },
    /// The run was told to end.
    #[error("cancelled at tick {at}")]
    Cancelled {
        /// The tick up to which all has happened.
        at: Ticks,
    },
}

/// Two nodes that exchange a message, and between which no path leads.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}no path leads from node {src} to node {dst}: {reason}", in_repetition(*.repetition))]
pub struct NoPath {
    /// The source.
    pub src: NodeId,
    /// The destination.
    pub dst: NodeId,
    /// The failures that cause it, in a sentence.
    pub reason: String,
    /// The repetition, if it has drawn the failures.
    pub repetition: Option<u64>,
}

fn in_repetition(repetition: Option<u64>) -> String {
    repetition.map_or_else(String::new, |repetition| format!("in repetition {repetition}, "))
}

/// A buffer that does not cover the delay of its channel, so that flits follow each other with gaps even where nothing is in
/// their way. The worm engine does not know such gaps.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{channel} has a flit time of {} and a delay of {} ticks, which `channel.buffer` = {buffer} does not cover: the worm \
     engine requires a buffer of {} flits; use a larger buffer, or engine.kind = \"auto\" or \"flit\"",
    cost.flit_time,
    cost.delay,
    cost.covering_buffer()
)]
#[non_exhaustive]
pub struct ShortBuffer {
    /// The name of the channel that needs the largest buffer.
    pub channel: String,
    /// What it takes.
    pub cost: LinkCost,
    /// The flits that its buffer holds.
    pub buffer: u64,
}

/// A link with a clock of its own, which only the flit engine and pipelined routers support.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{channel} has a clock of its own: a cycle of {} ticks, where `channel.flit_time` is {}; only the flit engine and pipelined routers \
     support links that cross clocks; use engine.kind = \"auto\" or \"flit\"",
    clock.period,
    clock.cycle
)]
#[non_exhaustive]
pub struct ClockedLink {
    /// The name of the link.
    pub channel: String,
    /// Its clock.
    pub clock: LinkClock,
    /// The index of its class.
    pub class: Option<usize>,
}

impl ClockedLink {
    /// The first of `channels` that has a clock of its own, if any has.
    pub fn find(channels: &dyn Channels) -> Option<Self> {
        let (channel, clock) = channels.own_costs()?.clocked?;
        Some(Self { channel: channels.physical_name(channel), clock, class: channels.class(channel) })
    }
}

impl ShortBuffer {
    /// The one of `channels` that needs the largest buffer, if that is larger than `costs` say.
    pub fn of(channels: &dyn Channels, costs: &ChannelCosts) -> Option<Self> {
        let own = channels.own_costs()?;
        let farthest = Some((own.farthest, own.farthest_cost));
        let mut parts = farthest.into_iter().chain(own.short);
        let (part, cost) = parts.find(|(_, cost)| cost.buffer(costs.buffer) < cost.covering_buffer())?;
        Some(Self { channel: channels.name(part), cost, buffer: cost.buffer(costs.buffer) })
    }
}

impl Stop {
    /// Why messages are left: channels that they wait for, or a program that never requested them.
    pub(super) fn of<P: Program>(deadlock: Box<Deadlock>, program: &P) -> Self {
        match program.unfinished() {
            Some(unfinished) if deadlock.waiting.is_empty() => Self::Unfinished(unfinished),
            _ => Self::Deadlock(deadlock),
        }
    }
}
