//! What happens when messages meet on a network, to the tick.
//!
//! What nodes want is a [`Program`]: a schedule under node overheads ([`node`]), an exchange ([`exchange`]), operations of
//! ranks ([`goal`]), messages at fixed times ([`program`]). Every program runs on every engine:
//!
//! - two *wormhole* engines implement the rules below and must agree on every header start, release and delivery: [`flit`]
//!   moves every flit, [`worm`] needs O(hops) events per message whatever its length. Both know a [`Network`] and the cost of
//!   its channels;
//! - [`router`] runs virtual-channel routers with credits and pipelines, cycle by cycle, and open-loop traffic on them. Its
//!   ideal routers with atomic buffers follow the same rules, and agree to the tick.
//!
//! They refuse to know how a schedule was made, what a node does with its processor and what a model predicted.
//! [`mod@broadcast`] is an engine of its own, for grids of links that have costs and no flits.
//!
//! # The rules
//!
//! A message of `m` flits on the wire ([`Flits::on_wire`]) travels the fixed path of channels `h = 1..H`; channel 1 is an
//! injection channel of its source, channel `H` an ejection channel of its destination. Every channel moves one flit per
//! `flit_time` ticks into the buffer of `buffer` flits at its downstream end. One worm at a time owns a channel together
//! with that buffer.
//!
//! - A header *requests* channel `h` when it has arrived at the head of channel `h-1`'s buffer and `routing_delay`
//!   ticks have passed. It requests channel 1 when its program says so.
//! - A free channel is *granted* to the waiting header with the smallest (request time, message number).
//! - Flit `i` starts on channel `h` no earlier than: flit `i-1` started on `h`, plus `flit_time`; flit `i` started on
//!   `h-1`, plus `flit_time`; flit `i-buffer` started on `h+1`.
//! - A channel is *released* when the tail leaves its downstream buffer, that is, starts on channel `h+1` (the
//!   ejection channel: when the tail has crossed it). The next worm may start in that very tick.
//!
//! Virtual channels are channels in all of this, each with its owner and its buffer, but those of one physical channel
//! move one flit at a time between them. A physical channel that falls idle looks at its virtual channels in turn, the
//! one after the last served first, and starts a flit of the first that has one able to move; when idle, it also starts
//! a flit as soon as one becomes able to. Only the flit engine does this.
//!
//! A header takes any free one of the injection channels of its source and of the ejection channels of its destination
//! ([`crate::topology::Ports`]), the lowest first. Waiters are granted channels when everything that arrives in that tick
//! has arrived.
//!
//! # Events at the same tick
//!
//! Events happen in the order of (time, kind, number); the kinds in the order of [`queue::Kind`]: deliveries before
//! what nodes set themselves a time for, those before channels that wake their waiters, and those before requests;
//! deliveries and requests by message number.

pub mod broadcast;
pub mod deadlock;
pub mod exchange;
pub mod faults;
pub mod flit;
pub mod goal;
pub mod node;
pub mod outcome;
pub mod program;
pub mod queue;
pub mod router;
pub mod worm;

pub use deadlock::Deadlock;
pub use outcome::{MessageOutcome, Observer, Outcome};
pub use program::{Program, Requests};

use crate::costs::ChannelCosts;
use crate::routing::Network;
use crate::schedule::goal::GoalViolation;
use crate::units::{Flits, MessageId, Ticks};
use serde::Serialize;
use thiserror::Error;

/// Which engine runs a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// O(hops) events per message.
    Worm,
    /// Every flit moves.
    Flit,
    /// The worm engine wherever it is exact: everywhere but where virtual channels of one physical channel have two
    /// owners at the same time. Then the run begins again on the flit engine. Where a scenario asks for routers that these
    /// two do not know, the router engine.
    #[default]
    Auto,
    /// Virtual-channel routers, cycle by cycle: see [`router`].
    Router,
}

impl Engine {
    /// Every engine, with the name that scenarios use and what it is.
    pub const ALL: [(Self, &str, &str); 4] = [
        (Self::Worm, "worm", "exact, O(hops) events per message whatever its length"),
        (Self::Flit, "flit", "moves every flit: the reference, slow on long messages"),
        (
            Self::Auto,
            "auto",
            "worm, flit where virtual channels share a physical one, router where only it will do (default)",
        ),
        (Self::Router, "router", "virtual-channel routers, cycle by cycle: any [router], on lattices"),
    ];

    /// The name that scenarios use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worm => "worm",
            Self::Flit => "flit",
            Self::Auto => "auto",
            Self::Router => "router",
        }
    }

    /// Runs `program` on `network` to its end, by the rules above.
    ///
    /// # Errors
    /// If messages are left that wait for each other's channels, or nodes that wait for messages; if this is
    /// [`Engine::Worm`] and virtual channels of one physical channel had two owners at the same time; if this is
    /// [`Engine::Router`], which wants more than a network: [`router::run_program`] runs it.
    pub fn run<P: Program + Clone, O: Observer>(
        self,
        network: &dyn Network,
        costs: ChannelCosts,
        program: P,
        observer: &mut O,
    ) -> Result<Outcome, Stop> {
        match self {
            Self::Flit => flit::run(network, costs, program, observer),
            Self::Worm => worm::run(network, costs, program, observer),
            Self::Router => Err(Stop::NoRouters),
            Self::Auto => match worm::run(network, costs, program.clone(), observer) {
                Err(Stop::Shared { .. }) => {
                    observer.restarted();
                    Self::Flit.run(network, costs, program, observer)
                }
                ended => ended,
            },
        }
    }
}

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
        "virtual channels of {channel} had two owners at tick {at}, where the worm engine is not exact; \
         engine.kind = \"auto\" or \"flit\" takes it"
    )]
    Shared {
        /// The name of the first virtual channel of the physical channel.
        channel: String,
        /// When both were first owned.
        at: Ticks,
    },
    /// The router engine was asked for, and it is not said what routers are like.
    #[error("the engine `router` runs on virtual-channel routers, and it is not said what they are like")]
    NoRouters,
    /// A message is too long for virtual-channel routers.
    #[error("message {message} has {flits} flits; on virtual-channel routers a message has fewer than 2^32")]
    TooLong {
        /// Which message.
        message: MessageId,
        /// Its length.
        flits: Flits,
    },
}

impl Stop {
    /// Why messages are left: channels that they wait for, or a program that never requested them.
    fn of<P: Program>(deadlock: Box<Deadlock>, program: &P) -> Self {
        match program.unfinished() {
            Some(unfinished) if deadlock.waiting.is_empty() => Self::Unfinished(unfinished),
            _ => Self::Deadlock(deadlock),
        }
    }
}
