//! The engine that runs a program, by name, and the start of a run on it.

use super::stepping::{AnyObserver, AnyProgram, GrowingMachine, Stepping as _};
use super::window::{Moving, Zero};
use super::wormhole::flit::{Clocked, Heterogeneous, Machine as FlitMachine, Uniform};
use super::wormhole::{sleep, worm};
use super::{ClockedLink, Engine, Observer, Outcome, Program, ShortBuffer, Stop};
use crate::costs::ChannelCosts;
use crate::events::RingQueue;
use crate::routing::Network;

/// The worm engine with the queue of events that all runs use.
type Worm<'a, P, O, F, const UNEVEN: bool> = worm::Worm<'a, RingQueue, P, O, F, UNEVEN>;

/// A network, and the costs of its channels, on which a wormhole engine runs.
#[derive(Clone, Copy)]
pub(super) struct CostedNetwork<'a> {
    pub(super) network: &'a dyn Network,
    pub(super) costs: ChannelCosts,
}

impl<'a> CostedNetwork<'a> {
    /// True if all channels cost the same.
    pub(super) fn is_even(self) -> bool {
        self.network.channels().is_even(self.costs.flit_time)
    }

    /// True if a link has a clock of its own.
    fn has_clocks(self) -> bool {
        self.network.channels().own_costs().is_some_and(|own| own.clocked.is_some())
    }

    /// Returns the engine that begins the run if `engine` is requested. A run that [`Engine::Auto`] begins on the worm engine may have
    /// to restart on another one.
    ///
    /// # Errors
    /// If the engine cannot run here, as [`Engine::run`] says.
    pub(super) fn select(self, engine: Engine) -> Result<Engine, Stop> {
        if let Some(clocked) = ClockedLink::find(self.network.channels()) {
            return match engine {
                Engine::Router => Err(Stop::NoRouters),
                Engine::Worm | Engine::Sleep => Err(clocked.into()),
                Engine::Flit | Engine::Auto => Ok(Engine::Flit),
            };
        }
        let short = ShortBuffer::of(self.network.channels(), &self.costs);
        match (engine, short) {
            (Engine::Router, _) => Err(Stop::NoRouters),
            (Engine::Worm, Some(short)) => Err(short.into()),
            (Engine::Sleep, _) if !self.is_even() => Err(Stop::Uneven),
            (Engine::Auto, Some(_)) => Ok(Engine::Flit),
            (engine, _) => Ok(engine),
        }
    }

    /// Starts `program` on an `engine` that has been [selected](Self::select), in the caller's hands. Engines are compiled once for
    /// all programs and observers, and apart for channels that differ, so that these do not slow the others.
    pub(super) fn start(
        self,
        engine: Engine,
        program: AnyProgram<'a>,
        observer: AnyObserver<'a>,
    ) -> GrowingMachine<'a> {
        let Self { network, costs } = self;
        match (engine, self.is_even()) {
            (Engine::Sleep, _) => Box::new(sleep::Machine::new(network, costs, program, observer).started()),
            (Engine::Flit, true) => {
                Box::new(FlitMachine::<_, _, Uniform>::new(network, costs, program, observer).started())
            }
            (Engine::Flit, false) if self.has_clocks() => {
                Box::new(FlitMachine::<_, _, Clocked>::new(network, costs, program, observer).started())
            }
            (Engine::Flit, false) => {
                Box::new(FlitMachine::<_, _, Heterogeneous>::new(network, costs, program, observer).started())
            }
            (_, true) => Box::new(Worm::<_, _, Moving, false>::new(network, costs, program, observer).started()),
            (_, false) => Box::new(Worm::<_, _, Moving, true>::new(network, costs, program, observer).started()),
        }
    }

    /// Runs `program` to its end on an `engine` that has been [selected](Self::select). The worm engine is compiled for every type of
    /// observer, as short runs and reports of hops would take some per cent longer otherwise, the others once for all.
    pub(super) fn run<O: Observer>(
        self,
        engine: Engine,
        program: &mut dyn Program,
        observer: &mut O,
    ) -> Result<Outcome, Stop> {
        let Self { network, costs } = self;
        let any: &mut dyn Observer = observer;
        match (engine, self.is_even()) {
            (Engine::Sleep, _) => sleep::Machine::new(network, costs, program, any).started().run_to_end(),
            (Engine::Flit, true) => {
                FlitMachine::<_, _, Uniform>::new(network, costs, program, any).started().run_to_end()
            }
            (Engine::Flit, false) if self.has_clocks() => {
                FlitMachine::<_, _, Clocked>::new(network, costs, program, any).started().run_to_end()
            }
            (Engine::Flit, false) => {
                FlitMachine::<_, _, Heterogeneous>::new(network, costs, program, any).started().run_to_end()
            }
            (_, true) => Worm::<_, _, Zero, false>::new(network, costs, program, observer).started().run_to_end(),
            (_, false) => Worm::<_, _, Zero, true>::new(network, costs, program, any).started().run_to_end(),
        }
    }
}
