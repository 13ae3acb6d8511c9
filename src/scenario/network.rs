//! The network of a scenario by itself, whatever else the scenario says or lacks.

use super::{Options, Rejected, keys};
use crate::config::{Changes, Document, Errors, Files, Reader, Source, decode};
use crate::machine::{self, NodeTable};
use crate::network::{self, BuiltNetwork};
use crate::topology::{Ejection, Ports};
use std::path::Path;

impl BuiltNetwork {
    /// The network that the scenario in `bytes` describes, with as many virtual channels as its routing makes use of. Of the
    /// scenario `[network]`, `[node]` and `[router]` are read; a sweep is left out.
    ///
    /// # Errors
    /// What is wrong with these tables, or that there is no network of links.
    pub fn of_scenario(name: &str, bytes: Vec<u8>, folder: &Path, options: &Options) -> Result<Self, Rejected> {
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
        let routing = machine::read_router(&root, true).routing;
        let built = network::read(&root, ports, None, routing, &mut files);
        match (built, errors.into_inner()) {
            (Some(built), diagnostics) if diagnostics.is_empty() => Ok(built),
            (_, diagnostics) => Err(rejected(diagnostics, sources)),
        }
    }
}
