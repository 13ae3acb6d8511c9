//! What happens when messages meet on a network, to the tick.
//!
//! Two engines implement one set of rules and must agree on every header start, release and delivery: [`flit`] moves
//! every flit, [`worm`] needs O(hops) events per message whatever its length. Both know a [`Network`], the cost of its
//! channels and a [`Program`] that says which messages are wanted when. They refuse to know how a schedule was made,
//! what a node does with its processor (that is [`node`] and [`exchange`]) and what a model predicted.
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

use crate::routing::Network;
use crate::schedule::goal::GoalViolation;
use crate::units::{Flits, Ticks};
use serde::Serialize;
use thiserror::Error;

/// What a channel costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ChannelCosts {
    /// Ticks for a flit to cross a channel, at least 1 (`c_d`).
    pub flit_time: u64,
    /// Flits that the buffer at a channel's downstream end holds, at least 1 (`B`).
    pub buffer: u64,
    /// Ticks from a header's arrival to its request for the next channel (`d_r`).
    pub routing_delay: u64,
}

impl Default for ChannelCosts {
    fn default() -> Self {
        Self { flit_time: 1, buffer: 1, routing_delay: 0 }
    }
}

impl ChannelCosts {
    /// The time that the flits of a message of `flits` flits take to cross a channel one after the other (`m c_d`).
    pub fn wire_time(&self, flits: Flits) -> Ticks {
        Ticks(flits.on_wire() * self.flit_time)
    }

    /// The time a message of `flits` flits occupies its injection channel when nothing blocks it: from its header's
    /// start to the release, on a path of `channels` channels. The largest occupancy of any channel on the path.
    ///
    /// Source: re-derivation of Theorem 3.2 of the OPT-mesh paper; with `d_r = 0` it is `m c_d` for every buffer.
    pub fn occupancy(&self, flits: Flits, channels: usize) -> Ticks {
        let wire = self.wire_time(flits);
        if channels < 2 {
            return wire;
        }
        // a buffer makes up for the delay at most, however large it is
        let lag = self.routing_delay.saturating_sub((self.buffer - 1).saturating_mul(self.flit_time));
        let distance = (channels as u64 - 2).min((flits.on_wire() - 1) / self.buffer);
        wire + Ticks(self.routing_delay + distance * lag)
    }

    /// The time from a message's request of its injection channel to its delivery when nothing blocks it.
    pub fn unloaded(&self, flits: Flits, channels: usize) -> Ticks {
        let hops = channels as u64 - 1;
        Ticks(hops * (self.flit_time + self.routing_delay)) + self.wire_time(flits)
    }
}

/// Which engine runs a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// O(hops) events per message.
    Worm,
    /// Every flit moves.
    Flit,
    /// The worm engine wherever it is exact: everywhere but where virtual channels of one physical channel have two
    /// owners at the same time. Then the run begins again on the flit engine.
    #[default]
    Auto,
}

impl Engine {
    /// Every engine, with the name that scenarios use and what it is.
    pub const ALL: [(Self, &str, &str); 3] = [
        (Self::Worm, "worm", "exact, O(hops) events per message whatever its length"),
        (Self::Flit, "flit", "moves every flit: the reference, slow on long messages"),
        (Self::Auto, "auto", "worm, and flit where virtual channels share a physical one at the same time (default)"),
    ];

    /// The name that scenarios use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worm => "worm",
            Self::Flit => "flit",
            Self::Auto => "auto",
        }
    }

    /// Runs `program` on `network` to its end.
    ///
    /// # Errors
    /// If messages are left that wait for each other's channels, or nodes that wait for messages; if this is [`Engine::Worm`] and virtual channels of one
    /// physical channel had two owners at the same time.
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
