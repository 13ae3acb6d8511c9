//! A run in the caller's hands: tick by tick, up to a tick, to the end, or ended before.
//!
//! [`Simulation`] says what runs; [`Running`] is the run. What comes out is what [`Engine::run`] gives, to the last field,
//! however it is stepped; observers are told the same, in the same order. This module knows nothing of how engines work.
//!
//! ```
//! use flitwise::prelude::*;
//!
//! let network = DimensionOrder::first_coordinate_first(Mesh::new(&[4, 4], 1)?);
//! let message = |src, dst| TraceMessage { src: NodeId(src), dst: NodeId(dst), flits: Flits(64), start: Ticks(0) };
//! let messages = [message(0, 15), message(3, 12)];
//!
//! let mut run = Simulation::new(&network, TraceProgram::new(&messages)).start()?;
//! run.run_until(Ticks(70));
//! assert_eq!((run.now(), run.delivered()), (Ticks(70), 0));
//! let tick = run.step().ok_or("both are under way")?; // what is next, whenever it is
//! assert_eq!((tick, run.delivered()), (Ticks(71), 2));
//! assert_eq!(run.message(MessageId(0)).map(|message| message.delivered), Some(Ticks(71)));
//! assert_eq!(run.finish()?.completion, Ticks(71));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::running::{Again, Running};
use super::stepping::{AnyMachine, AnyObserver, AnyProgram};
use super::wormhole::{flit, sleep, worm};
use super::{Engine, Observer, Outcome, Program, Requests, ShortBuffer, Signal, Stop};
use crate::cancel::Token;
use crate::costs::ChannelCosts;
use crate::events::RingQueue;
use crate::routing::Network;

/// What runs: a program on a network. Channels cost what [`ChannelCosts::default`] says, the engine is [`Engine::Auto`] and
/// there is no observer, unless it is told otherwise.
#[must_use = "it says what runs, and does not run"]
pub struct Simulation<'a, P> {
    network: &'a dyn Network,
    program: P,
    costs: ChannelCosts,
    engine: Engine,
    observer: AnyObserver<'a>,
    token: Option<Token>,
}

impl<'a, P: Program + Clone + 'a> Simulation<'a, P> {
    /// A run of `program` on `network`.
    pub fn new(network: &'a dyn Network, program: P) -> Self {
        let costs = ChannelCosts::default();
        Self { network, program, costs, engine: Engine::Auto, observer: None, token: None }
    }

    /// Channels take what `costs` say.
    pub fn costs(self, costs: ChannelCosts) -> Self {
        Self { costs, ..self }
    }

    /// On `engine`.
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// Tells `observer` what happens, and ends where it [says so](super::Interest::stopping).
    pub fn observer(self, observer: &'a mut dyn Observer) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Ends at the next tick when `token` is cancelled, by any thread; see [`Running::token`].
    pub fn token(self, token: &Token) -> Self {
        Self { token: Some(token.clone()), ..self }
    }

    /// Runs it to its end, as fast as [`Engine::run`] does unless there is a [token](Self::token).
    ///
    /// # Errors
    /// Those of [`Engine::run`]; [`Stop::Cancelled`] if the token is.
    pub fn run(self) -> Result<Outcome, Stop> {
        if self.token.is_some() {
            return self.start()?.finish();
        }
        match self.observer {
            Some(mut observer) => self.engine.run(self.network, self.costs, self.program, &mut observer),
            None => self.engine.run(self.network, self.costs, self.program, &mut ()),
        }
    }

    /// The run before its first tick.
    ///
    /// # Errors
    /// If the engine cannot run it, as [`Engine::run`] says.
    pub fn start(mut self) -> Result<Running<'a>, Stop> {
        if self.observer.interest().causes {
            self.program.signal(Signal::KeepCauses, &mut Requests::default());
        }
        let short = ShortBuffer::of(self.network.channels(), &self.costs);
        let is_even = self.network.channels().is_even(self.costs.flit_time);
        let engine = match (self.engine, short) {
            (Engine::Router, _) => return Err(Stop::NoRouters),
            (Engine::Worm, Some(short)) => return Err(short.into()),
            (Engine::Sleep, _) if !is_even => return Err(Stop::Uneven),
            (Engine::Auto, Some(_)) => Engine::Flit,
            (engine, _) => engine,
        };
        let program: AnyProgram<'a> = Box::new(self.program);
        let on = On { network: self.network, costs: self.costs };
        let again = (engine == Engine::Auto).then(|| Again::new(on, program.clone()));
        Ok(Running::new(on.machine(engine, program, self.observer), again, self.token.unwrap_or_default()))
    }
}

/// What a wormhole run is on.
#[derive(Clone, Copy)]
pub(super) struct On<'a> {
    pub(super) network: &'a dyn Network,
    pub(super) costs: ChannelCosts,
}

impl<'a> On<'a> {
    /// `program` on `engine`, which can run it; on the worm engine if it is `auto`.
    pub(super) fn machine(self, engine: Engine, program: AnyProgram<'a>, observer: AnyObserver<'a>) -> AnyMachine<'a> {
        let Self { network, costs } = self;
        let is_even = network.channels().is_even(costs.flit_time);
        match (engine, is_even) {
            (Engine::Sleep, _) => Box::new(sleep::Machine::started(network, costs, program, observer)),
            (Engine::Flit, true) => Box::new(flit::Machine::<_, _, false>::started(network, costs, program, observer)),
            (Engine::Flit, false) => Box::new(flit::Machine::<_, _, true>::started(network, costs, program, observer)),
            (_, true) => Box::new(worm::Worm::<RingQueue, _, _, false>::started(network, costs, program, observer)),
            (_, false) => Box::new(worm::Worm::<RingQueue, _, _, true>::started(network, costs, program, observer)),
        }
    }
}
