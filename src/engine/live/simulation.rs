//! The start of a live run on a wormhole engine.

use super::{Live, LiveNodes};
use crate::costs::ChannelCosts;
use crate::engine::dispatch::CostedNetwork;
use crate::engine::program::LiveMessages;
use crate::engine::{Engine, Simulation, Stop};
use crate::routing::Network;

/// The network of a [`Live`] run on a wormhole engine, its costs and its engine.
#[must_use = "it runs only when it is started"]
pub struct LiveSimulation<'a> {
    network: &'a dyn Network,
    costs: ChannelCosts,
    engine: Engine,
}

impl<'a> Simulation<'a, ()> {
    /// A run on `network` that accepts messages between its ticks. Costs and engine are those of [`Simulation::new`] unless they are
    /// set.
    pub fn live(network: &'a dyn Network) -> LiveSimulation<'a> {
        LiveSimulation { network, costs: ChannelCosts::default(), engine: Engine::Auto }
    }
}

impl<'a> LiveSimulation<'a> {
    /// Sets the costs of channels.
    pub fn costs(self, costs: ChannelCosts) -> Self {
        Self { costs, ..self }
    }

    /// Sets the engine. [`Engine::Auto`] is the first of the worm, the sleep and the flit engine that is exact whatever is sent: a live
    /// run cannot restart.
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// The engine that runs.
    ///
    /// # Errors
    /// If the engine cannot run it: those of [`Engine::run`] before its first tick; [`Stop::MayShare`] for [`Engine::Worm`] where
    /// virtual channels share physical ones.
    pub fn selected(&self) -> Result<Engine, Stop> {
        let costed = CostedNetwork { network: self.network, costs: self.costs };
        let shares = self.network.channels().virtual_channels() > 1;
        match (self.engine, costed.select(self.engine)?) {
            (_, Engine::Worm) if shares => Err(Stop::MayShare),
            (_, Engine::Auto) if !shares => Ok(Engine::Worm),
            (Engine::Auto, _) if costed.is_even() => Ok(Engine::Sleep),
            (Engine::Auto, _) => Ok(Engine::Flit),
            (_, engine) => Ok(engine),
        }
    }

    /// Starts the run, at tick 0.
    ///
    /// # Errors
    /// Those of [`Self::selected`].
    pub fn start(self) -> Result<Live<'a>, Stop> {
        let engine = self.selected()?;
        let costed = CostedNetwork { network: self.network, costs: self.costs };
        let machine = costed.start(engine, Box::new(LiveMessages::default()), None);
        Ok(Live::new(machine, LiveNodes::sinks(self.network.channels().nodes())))
    }
}
