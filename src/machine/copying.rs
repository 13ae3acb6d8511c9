//! The routers of a machine that copy and combine packets.

use super::{Machine, Routers};
use crate::engine::Engine;
use crate::engine::router::Combining;
use crate::model::TreeTime;
use crate::routing::Network;
use crate::routing::tree::{TreeNetwork, TreePaths};
use thiserror::Error;

/// Bytes of a channel of a tree, with those of the tables by which it is made.
const CHANNEL_BYTES: u64 = 250;

/// A reason why no routers of a machine copy or combine packets. Messages follow the name of an algorithm.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyingError {
    /// The machine is a chip.
    #[error("requires virtual-channel routers, but the machine is a chip; accepted there: `tree-worm`")]
    Chip,
    /// There is no network.
    #[error("requires a table [network.*], whose routers copy and combine packets")]
    NoNetwork,
    /// The scenario selects another engine.
    #[error("requires the router engine, but `engine.kind` is \"{0}\"; accepted: `auto`, `router`")]
    Engine(&'static str),
    /// The routing draws or adapts.
    #[error(
        "requires a routing with one path for each pair of nodes, but `router.routing` is \"{routing}\"; accepted: `{accepted}`"
    )]
    Routing {
        /// The name of the routing.
        routing: &'static str,
        /// The name of a routing with one path.
        accepted: &'static str,
    },
    /// Routers have options that packets on trees do not support.
    #[error("requires routers with default options, but `[router]` changes {0}; accepted: the defaults of these keys")]
    Options(String),
    /// Links cannot be numbered.
    #[error("requires links that can be numbered: {0}")]
    Links(String),
}

impl Machine {
    /// The most ticks that joins can add to `packets` packets of `flits` flits together if these go one after the other: each junction on
    /// the path of a head flit may be a join, and the other flits may wait in turn for the latency and the interval of one.
    pub fn combining_time(&self, packets: u128, flits: u128) -> u128 {
        let Combining { latency, interval } = self.tree_time().combining;
        let [latency, interval] = [latency, interval].map(u128::from);
        let heads = packets * u128::from(self.longest_path()) * latency;
        (heads + flits * (latency + interval)) * u128::from(self.channel.flit_time)
    }

    /// The times of packets that routers copy or combine.
    pub fn tree_time(&self) -> TreeTime {
        let combining = self.routers.as_ref().map_or_else(Combining::default, |routers| routers.costs.combining);
        TreeTime { network: self.network_time(), combining, buffer: Some(self.smallest_buffer()) }
    }

    /// A bound on the bytes that the trees between a node and `ends` others on `network` take while they are made.
    pub fn tree_memory(&self, network: &dyn Network, ends: usize) -> u64 {
        let nodes = network.channels().nodes() as u64;
        let spread = (ends as u64).saturating_mul(self.longest_path());
        // worms visit each router once at most
        let channels = spread.max(2 * nodes).min(network.channels().count() as u64);
        channels.saturating_mul(CHANNEL_BYTES)
    }

    /// The network as trees of packets use it that its routers copy or combine.
    ///
    /// # Errors
    /// Returns an error if there are no such routers.
    pub fn copying_network(&self) -> Result<TreeNetwork, CopyingError> {
        if self.device.is_some() {
            return Err(CopyingError::Chip);
        }
        let network = self.network.as_ref().ok_or(CopyingError::NoNetwork)?;
        if matches!(self.engine, Engine::Worm | Engine::Flit | Engine::Sleep) {
            return Err(CopyingError::Engine(self.engine.name()));
        }
        if let Some(changed) = self.routers.as_ref().and_then(unsupported) {
            return Err(CopyingError::Options(changed));
        }
        let view = network.tree_network().map_err(|error| CopyingError::Links(error.to_string()))?;
        match &self.routers {
            Some(routers) if !routers.fixes_paths && !matches!(view.paths(), TreePaths::Any(_)) => {
                let accepted = network.kind.routings.first().map_or("dimension-order", |(name, _)| *name);
                Err(CopyingError::Routing { routing: routers.routing, accepted })
            }
            _ => Ok(view),
        }
    }
}

/// The names of the parts of `routers` with options that packets on trees do not support.
fn unsupported(routers: &Routers) -> Option<String> {
    let mut changed = routers.costs.changed_parts();
    if routers.networks > 1 {
        changed.push("the number of networks");
    }
    (!changed.is_empty()).then(|| changed.join(", "))
}
