//! The network of a scenario by itself, whatever else the scenario says or lacks.

use super::{Options, Rejected, keys};
use crate::config::{Changes, Document, Errors, Files, Reader, Source, decode};
use crate::machine::{self, ChannelTable, NodeTable};
use crate::network::{self, BuiltNetwork, Wanted};
use crate::routing::relation::{DimensionOrder, Routing};
use crate::topology::{Ejection, Ports};
use std::path::Path;

/// The network of a scenario.
#[derive(Clone, Debug)]
pub struct NetworkAlone {
    /// The network, with as many virtual channels as its routing makes use of.
    pub network: BuiltNetwork,
    /// The virtual channels of a link, if the scenario says how many.
    pub virtual_channels: Option<u64>,
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
        let rejected = |diagnostics, sources| Rejected { diagnostics, sources };
        let text = decode(bytes).map_err(|wrong| rejected(vec![wrong.diagnostic(0)], vec![wrong.source(name)]))?;
        let document = Document::parse(name, &text);
        let mut document = document.map_err(|diagnostics| rejected(diagnostics, vec![Source::new(name, &text)]))?;
        let changes = Changes { set: &options.set, unset: &options.unset, declared: keys::root() };
        if let Err(diagnostics) = document.change(folder, changes) {
            return Err(rejected(diagnostics, document.sources));
        }
        let errors = Errors::default();
        let mut sources = std::mem::take(&mut document.sources);
        let mut files = Files::new(folder, &mut sources, options.memory);
        let root = Reader::root(&document.root, keys::root(), &errors);
        if !root.has("network") {
            root.missing("network", "a [network.*]; see `flitwise list networks`");
        }
        let NodeTable { costs, ejection } = machine::read_node(&root);
        let ports = Ports { injection: costs.ports, ejection: ejection.unwrap_or(Ejection::Channels(costs.ports)) };
        let ChannelTable { costs: channel, virtual_channels } = machine::read_channel(&root, true);
        let table = machine::read_router(&root, true);
        let routing = table.routing;
        let flit_time = channel.flit_time;
        let wanted = Wanted { ports, virtual_channels: None, flit_time, routing, keys: &table.keys };
        let built = network::read(&root, wanted, &mut files);
        match (built, errors.into_inner()) {
            (Some(network), diagnostics) if diagnostics.is_empty() => {
                let is_lattice = network.kind.routings.is_empty();
                let chooses = routing.filter(|&name| is_lattice && name != DimensionOrder.name());
                Ok(Self { network, virtual_channels, chooses })
            }
            (_, diagnostics) => Err(rejected(diagnostics, sources)),
        }
    }
}
