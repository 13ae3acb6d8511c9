//! The network of a scenario by itself, whatever else the scenario says or lacks.

use super::experiment::is_on_grid;
use super::{Options, Rejected, decoded, keys, opened};
use crate::config::{Diagnostic, Errors, Files, Reader};
use crate::machine::{self, ChannelTable};
use crate::network::{self, BuiltNetwork, Wanted};
use crate::routing::relation::{DimensionOrder, Routing};
use std::path::Path;

/// The network of a scenario.
#[derive(Clone, Debug)]
pub struct NetworkAlone {
    /// The network, with as many virtual channels as its routing makes use of.
    pub network: BuiltNetwork,
    /// The virtual channels of a link, if the scenario says how many.
    pub virtual_channels: Option<u64>,
    /// The time for a flit to cross a channel of which nothing else is said, in ticks.
    pub flit_time: u64,
    /// A routing of lattices that the scenario names and that gives packets a choice or draws, if it does.
    pub chooses: Option<&'static str>,
}

impl NetworkAlone {
    /// The network that the scenario in `bytes` describes. Of the scenario `[network]`, `[node]`, `[channel]` and
    /// `[router]` are read; a sweep is left out.
    ///
    /// # Errors
    /// What is wrong with these tables, or that there is no network of links.
    pub fn from_bytes(name: &str, bytes: Vec<u8>, folder: &Path, options: &Options) -> Result<Self, Rejected> {
        let (mut document, _) = opened(name, &decoded(name, bytes)?, folder, options)?;
        let errors = Errors::default();
        let mut sources = std::mem::take(&mut document.sources);
        let mut files = Files::new(folder, &mut sources, options.memory);
        let root = Reader::root(&document.root, keys::root(), &errors);
        if !root.has("network") {
            root.missing("network", "a [network.*]; see `flitwise list networks`");
        }
        let ports = machine::read_node(&root).ports();
        let ChannelTable { costs: channel, virtual_channels } = machine::read_channel(&root, true);
        let table = machine::read_router(&root, true);
        let routing = table.routing;
        let flit_time = channel.flit_time;
        let wanted = Wanted { ports, virtual_channels: None, flit_time, routing, keys: &table.keys };
        let built = network::read(&root, wanted, &mut files);
        if is_on_grid(&root) {
            let message = "a grid is nothing but costs between nodes, and has no links";
            root.error(Diagnostic::at(root.place_within(&["network", "grid"]), message));
        }
        match (built, errors.into_inner()) {
            (Some(network), diagnostics) if diagnostics.is_empty() => {
                let is_lattice = network.kind.routings.is_empty();
                let chooses = routing.filter(|&name| is_lattice && name != DimensionOrder.name());
                Ok(Self { network, virtual_channels, flit_time, chooses })
            }
            (_, diagnostics) => Err(Rejected::new(diagnostics, sources)),
        }
    }
}
