//! A run in the caller's hands: tick by tick, up to a tick, to the end, or ended before.
//!
//! [`Simulation`] states what runs; [`Running`] is the run. Its outcome is the same to the last field however it is stepped, and
//! observers are reported the same events in the same order. This module does not depend on any engine.
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

use super::dispatch::CostedNetwork;
use super::running::{Restart, Running};
use super::stepping::{AnyObserver, AnyProgram};
use super::{Engine, Event, Observer, Outcome, Program, Requests, Signal, Stop};
use crate::cancel::Token;
use crate::costs::ChannelCosts;
use crate::routing::Network;

/// What runs: a program on a network. Channels cost what [`ChannelCosts::default`] says, the engine is [`Engine::Auto`] and
/// there is no observer, unless it is told otherwise.
#[must_use = "a simulation does nothing until it is run"]
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

    /// Runs it to its end, as [`Engine::run`] does unless there is a [token](Self::token).
    ///
    /// # Errors
    /// Those of [`Engine::run`]; [`Stop::Cancelled`] if the token is cancelled.
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
        let costed = CostedNetwork { network: self.network, costs: self.costs };
        let engine = costed.select(self.engine)?;
        let program: AnyProgram<'a> = Box::new(self.program);
        let restart = (engine == Engine::Auto).then(|| Restart::new(costed, program.clone()));
        let machine = costed.start(engine, program, self.observer);
        Ok(Running::new(machine, restart, self.token.unwrap_or_default()))
    }
}

impl Engine {
    /// Runs `program` on `network` to its end, by the rules of [`wormhole`](super::wormhole). The outcome is that of a [`Simulation`]
    /// that is started and finished.
    ///
    /// # Errors
    /// If messages are left that wait for each other's channels, or nodes that wait for messages; if this is
    /// [`Engine::Worm`] and virtual channels of one physical channel had two holders at the same time or a buffer does not
    /// cover its channel's delay; if this is [`Engine::Sleep`] and channels differ in what they cost; if this is
    /// [`Engine::Router`], which requires more than a network: [`run_program`](super::router::run_program) runs it; if the observer
    /// [ends it](super::Interest::stopping).
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
        let costed = CostedNetwork { network, costs };
        let engine = costed.select(self)?;
        if observer.interest().causes {
            program.signal(Signal::KeepCauses, &mut Requests::default());
        }
        let before = (engine == Self::Auto).then(|| program.clone());
        let outcome = match (costed.run(engine, &mut program, observer), before) {
            (Err(Stop::Shared { .. }), Some(before)) => {
                return Running::restarted(Restart::new(costed, Box::new(before)), Some(observer)).finish();
            }
            (ended, _) => ended?,
        };
        if observer.interest().causes {
            observer.event(Event::Ended(&program.causes(&outcome.messages)));
        }
        Ok(outcome)
    }
}
