//! What happens when messages meet on a network, to the tick.
//!
//! ```text
//!   program    what nodes want: a schedule under node overheads, an exchange, operations of ranks, messages at fixed times
//!   wormhole   three engines for one set of rules: a message owns a channel until its tail has left it
//!     worm       O(hops) events per message, whatever its length
//!     flit       every flit moves: the reference
//!     sleep      as flit, but what channels repeat is skipped
//!   router     virtual-channel routers with credits and pipelines, cycle by cycle; open-loop traffic, too
//!   simulation what runs, in the caller's hands: `running`, tick by tick, whatever the engine (`stepping`)
//!   unloaded   an engine without channels, for models: every message takes the time that it is told
//!   grid       an engine of its own: links that have costs and no flits
//! ```
//!
//! Every [`Program`] runs on the wormhole engines and on routers. Ideal routers with atomic buffers follow the rules of
//! [`wormhole`], and agree to the tick. Engines refuse to know how a schedule was made, what a node does with its processor
//! and what a model predicted.

pub mod deadlock;
pub mod grid;
mod observer;
pub mod outcome;
pub mod program;
pub mod router;
mod running;
mod simulation;
mod stepping;
pub mod unloaded;
pub mod wormhole;

pub use deadlock::Deadlock;
pub use observer::{Both, Event, Interest, Observer, Stopping};
use outcome::report_causes;
pub use outcome::{MessageOutcome, Outcome};
pub use program::{Program, Requests};
pub use running::Running;
pub use simulation::Simulation;

use crate::costs::ChannelCosts;
use crate::routing::Network;
use crate::schedule::goal::GoalViolation;
use crate::topology::{Channels, LinkCost};
use crate::units::{Flits, MessageId, Ticks};
use serde::Serialize;
use thiserror::Error;
use wormhole::{flit, shared, sleep, stages, worm};

/// Which engine runs a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// O(hops) events per message.
    Worm,
    /// Every flit moves.
    Flit,
    /// Every flit, but of channels that repeat themselves not one by one.
    Sleep,
    /// The worm engine wherever it is exact: everywhere but where virtual channels of one physical channel have two
    /// owners at the same time, or a buffer does not cover the delay of its channel ([`ShortBuffer`]). In the first case the
    /// run, or where there are barriers the part between two, begins again, on the flit engine if messages are short or
    /// channels differ and on the sleep engine if not; in the second it begins on the flit engine. Where a scenario asks for routers that these two do not know, the router engine.
    #[default]
    Auto,
    /// Virtual-channel routers, cycle by cycle: see [`router`].
    Router,
}

impl Engine {
    /// Every engine, with the name that scenarios use and what it is.
    pub const ALL: [(Self, &str, &str); 5] = [
        (Self::Worm, "worm", "exact, O(hops) events per message whatever its length"),
        (Self::Flit, "flit", "moves every flit: the reference, slow on long messages"),
        (
            Self::Sleep,
            "sleep",
            "as flit, but skips what channels repeat: long messages whose virtual channels share physical ones",
        ),
        (
            Self::Auto,
            "auto",
            "worm; where virtual channels share a physical one flit for short and sleep for long messages; router where only it will do (default)",
        ),
        (Self::Router, "router", "virtual-channel routers, cycle by cycle: any [router], on lattices"),
    ];

    /// The name that scenarios use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worm => "worm",
            Self::Flit => "flit",
            Self::Sleep => "sleep",
            Self::Auto => "auto",
            Self::Router => "router",
        }
    }

    /// Runs `program` on `network` to its end, by the rules of [`wormhole`].
    ///
    /// # Errors
    /// If messages are left that wait for each other's channels, or nodes that wait for messages; if this is
    /// [`Engine::Worm`] and virtual channels of one physical channel had two owners at the same time or a buffer does not
    /// cover its channel's delay; if this is [`Engine::Sleep`] and channels differ in what they take; if this is
    /// [`Engine::Router`], which wants more than a network: [`router::run_program`] runs it; if the observer
    /// [ends it](Interest::stopping).
    pub fn run<P: Program + Clone, O: Observer>(
        self,
        network: &dyn Network,
        costs: ChannelCosts,
        mut program: P,
        observer: &mut O,
    ) -> Result<Outcome, Stop> {
        if observer.interest().may_stop() {
            return Simulation::new(network, program).costs(costs).engine(self).observer(observer).start()?.finish();
        }
        if observer.interest().causes {
            program.keep_causes();
        }
        let short = ShortBuffer::of(network.channels(), &costs);
        // Engines are compiled once for all programs, and the slow ones for all observers, too.
        let ended = match self {
            Self::Auto if short.is_some() => return Self::Flit.run(network, costs, program, observer),
            Self::Flit => {
                let mut observer: &mut dyn Observer = observer;
                flit::run(network, costs, &mut program as &mut dyn Program, &mut observer)
            }
            Self::Sleep if !network.channels().is_even(costs.flit_time) => Err(Stop::Uneven),
            Self::Sleep => {
                let mut observer: &mut dyn Observer = observer;
                sleep::run(network, costs, &mut program as &mut dyn Program, &mut observer)
            }
            Self::Worm => match short {
                Some(short) => Err(short.into()),
                None => worm::run(network, costs, &mut program as &mut dyn Program, observer),
            },
            Self::Router => Err(Stop::NoRouters),
            Self::Auto => {
                let before = program.clone();
                match worm::run(network, costs, &mut program as &mut dyn Program, observer) {
                    Err(Stop::Shared { .. }) => return Self::run_shared(network, costs, before, observer),
                    ended => ended,
                }
            }
        };
        report_causes(&program, ended, observer)
    }

    /// Runs `program` where virtual channels share physical ones at the same time.
    fn run_shared<P: Program + Clone, O: Observer>(
        network: &dyn Network,
        costs: ChannelCosts,
        program: P,
        observer: &mut O,
    ) -> Result<Outcome, Stop> {
        // between stages news of free places may still be on its way over channels with delays
        let has_stages = !observer.interest().hops && network.channels().is_even(costs.flit_time);
        if has_stages {
            let mut attempt = program.clone();
            if let Some(outcome) = stages::run(network, costs, &mut attempt) {
                return report_causes(&attempt, Ok(outcome), observer);
            }
        }
        observer.event(Event::Restarted);
        shared::engine(network, &costs, &program).run(network, costs, program, observer)
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
         engine.kind = \"auto\", \"flit\" or \"sleep\" takes it"
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
    /// The sleep engine would be wrong.
    #[error(
        "channels differ in what they take, which the sleep engine does not know; engine.kind = \"auto\" or \"flit\" takes them"
    )]
    Uneven,
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

/// A buffer that does not cover the delay of its channel, so that flits follow each other with gaps even where nothing is in
/// their way. The worm engine does not know such gaps.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{channel} takes {} ticks a flit with a delay of {}, which `channel.buffer` = {buffer} does not cover: the worm engine \
     needs {} there; engine.kind = \"auto\" or \"flit\" takes it",
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

impl ShortBuffer {
    /// The one of `channels` that needs the largest buffer, if that is larger than `costs` say.
    pub fn of(channels: &dyn Channels, costs: &ChannelCosts) -> Option<Self> {
        let own = channels.own_costs()?;
        let cost = own.farthest_cost;
        let buffer = cost.buffer(costs.buffer);
        (buffer < cost.covering_buffer()).then(|| Self { channel: channels.name(own.farthest), cost, buffer })
    }
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
