//! The engine that runs a program, by name, and the start of a run on it.

use super::stepping::{AnyProgram, GrowingMachine, Unwatched, Watch};
use super::wormhole::{flit, sleep, worm};
use super::{Engine, ShortBuffer, Stop};
use crate::costs::ChannelCosts;
use crate::events::RingQueue;
use crate::routing::Network;

/// A network, and the costs of its channels, on which a wormhole engine runs.
#[derive(Clone, Copy)]
pub(super) struct On<'a> {
    pub(super) network: &'a dyn Network,
    pub(super) costs: ChannelCosts,
}

impl<'a> On<'a> {
    /// True if all channels cost the same.
    pub(super) fn is_even(self) -> bool {
        self.network.channels().is_even(self.costs.flit_time)
    }

    /// Returns the engine that begins the run if `engine` is requested. A run that [`Engine::Auto`] begins on the worm engine may have
    /// to begin again, on another one.
    ///
    /// # Errors
    /// If the engine cannot run here, as [`Engine::run`] says.
    pub(super) fn select(self, engine: Engine) -> Result<Engine, Stop> {
        let short = ShortBuffer::of(self.network.channels(), &self.costs);
        match (engine, short) {
            (Engine::Router, _) => Err(Stop::NoRouters),
            (Engine::Worm, Some(short)) => Err(short.into()),
            (Engine::Sleep, _) if !self.is_even() => Err(Stop::Uneven),
            (Engine::Auto, Some(_)) => Ok(Engine::Flit),
            (engine, _) => Ok(engine),
        }
    }

    /// Starts `program` on an `engine` that has been [selected](Self::select). Engines are compiled once for all programs and
    /// observers, and apart for channels that differ, so that these do not slow the others.
    pub(super) fn start(self, engine: Engine, program: AnyProgram<'a>, watch: Watch<'a>) -> GrowingMachine<'a> {
        let Self { network, costs } = self;
        match (engine, self.is_even()) {
            (Engine::Sleep, _) => Box::new(sleep::Machine::new(network, costs, program, watch).started()),
            (Engine::Flit, true) => {
                Box::new(flit::Machine::<_, _, false>::new(network, costs, program, watch).started())
            }
            (Engine::Flit, false) => {
                Box::new(flit::Machine::<_, _, true>::new(network, costs, program, watch).started())
            }
            (_, true) if watch.reports_hops() => {
                Box::new(worm::Worm::<RingQueue, _, Watch<'a>, false>::new(network, costs, program, watch).started())
            }
            (_, true) => {
                let watch = Unwatched(watch);
                Box::new(worm::Worm::<RingQueue, _, _, false>::new(network, costs, program, watch).started())
            }
            (_, false) => {
                Box::new(worm::Worm::<RingQueue, _, Watch<'a>, true>::new(network, costs, program, watch).started())
            }
        }
    }
}
