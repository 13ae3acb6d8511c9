//! The network of a scenario by itself, whatever else the scenario says or lacks.

use super::machine::is_on_grid;
use super::units::Units;
use super::{MOST_POINTS, Options, Rejected, decoded, keys, opened};
use crate::config::{Diagnostic, Document, Errors, Files, Reader, Sweep, listed};
use crate::kind::Copying;
use crate::machine::faults::{self, FaultBase, Present};
use crate::machine::{self, ChannelTable, Draw, Machine};
use crate::network::{self, BuiltNetwork, LinkClasses, Wanted, with_article};
use crate::routing::relation::{DIMENSION_ORDER, LatticeRouting, ROUTINGS};
use crate::workload::KINDS;
use std::path::Path;
use std::sync::Arc;

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
    /// The routing of virtual-channel routers, which lattices have: dimension order unless another is named.
    pub routing: &'static LatticeRouting,
    /// Whether the buffers of routers take a packet only when the last one has left them.
    pub atomic: bool,
}

impl NetworkAlone {
    /// True if nodes of the scenario in `bytes` admit a limited number of requests, for which its traffic has to be read, too.
    ///
    /// # Errors
    /// If the text is not TOML, or the options do not fit it.
    pub fn limits_requests(name: &str, bytes: Vec<u8>, folder: &Path, options: &Options) -> Result<bool, Rejected> {
        let (document, _) = opened(name, &decoded(name, bytes)?, folder, options)?;
        let errors = Errors::default();
        let root = Reader::root(&document.root, keys::root(), &errors);
        Ok(root.is_given(&["workload", "traffic", "reply_queue"]))
    }

    /// The need of routers that copy or combine packets of the scenario in `bytes`, as far as it is known without a machine.
    ///
    /// # Errors
    /// If the text is not TOML, or the options do not fit it.
    pub fn copying(name: &str, bytes: Vec<u8>, folder: &Path, options: &Options) -> Result<Copying, Rejected> {
        let (document, _) = opened(name, &decoded(name, bytes)?, folder, options)?;
        let errors = Errors::default();
        let root = Reader::root(&document.root, keys::root(), &errors);
        let mut sources = document.sources.clone();
        let mut files = Files::new(folder, &mut sources, options.memory);
        let kind = KINDS.iter().find(|kind| root.has_table(&["workload", kind.name]));
        let need = kind.and_then(|kind| kind.copying);
        Ok(need.map_or(Copying::Never, |need| need(&root, &Machine::default(), &mut files)))
    }

    /// The network that the scenario in `bytes` describes. It reads `[network]`, `[node]`, `[channel]`, `[router]` and `[faults]`. A sweep is left out, unless there are faults: those of the first point and repetition are the network's.
    ///
    /// # Errors
    /// What is wrong with these tables, or that there is no network of links.
    pub fn from_bytes(name: &str, bytes: Vec<u8>, folder: &Path, options: &Options) -> Result<Self, Rejected> {
        let (mut document, _) = opened(name, &decoded(name, bytes)?, folder, options)?;
        let errors = Errors::default();
        let mut sources = std::mem::take(&mut document.sources);
        let mut files = Files::new(folder, &mut sources, options.memory);
        set_first_point(&mut document, &errors);
        let units = Units::find(&mut document.root, &errors);
        let lowered = units.map(|units| units.lower(&document.root, &errors));
        let root = match &lowered {
            Some(lowered) => Reader::root(&lowered.root, keys::root(), &errors).measured(&lowered.measured),
            None => Reader::root(&document.root, keys::root(), &errors),
        };
        if !root.has("network") {
            root.missing("network", "a [network.*] table; see `flitwise list networks`");
        }
        let ports = machine::read_node(&root).ports();
        let ChannelTable { costs: channel, virtual_channels, flit_bits } = machine::read_channel(&root, true);
        let links = Arc::new(LinkClasses::read(&root, flit_bits, channel.flit_time));
        let table = machine::read_router(&root, true);
        let routing = table.routing;
        let flit_time = channel.flit_time;
        let paths = faults::paths(&root);
        let request = Wanted {
            ports,
            virtual_channels: None,
            flit_time,
            routing,
            keys: &table.keys,
            paths,
            link_classes: &links,
        };
        let own_values = network::read(&root, request, &mut files);
        let built = match own_values.as_ref().filter(|_| root.has("faults")) {
            Some(own_values) => FaultBase::read(&root, request, own_values, &mut files).and_then(|base| {
                let Present { failures, slow, .. } = base.draw(Draw { seed: root.integer(&keys::SEED), repetition: 0 });
                base.read_network(&root, &failures, &slow)
            }),
            None => own_values,
        };
        if is_on_grid(&root) {
            let message = "a grid has costs between nodes but no links";
            root.error(Diagnostic::at(root.place_within(&["network", "grid"]), message));
        }
        let named = routing.filter(|_| {
            built.as_ref().is_some_and(|built| built.kind.routings.is_empty() && built.spec.surviving().is_none())
        });
        let routing = built.as_ref().and_then(|built| on_lattice(&root, built, named));
        match (built.zip(routing), errors.into_inner()) {
            (Some((network, routing)), diagnostics) if diagnostics.is_empty() => {
                let chooses = named.filter(|&name| name != DIMENSION_ORDER.name);
                Ok(Self { network, virtual_channels, flit_time, chooses, routing, atomic: table.atomic })
            }
            (_, diagnostics) => Err(Rejected::new(diagnostics, sources)),
        }
    }
}

/// Gives the swept keys of `document` the values of its first point, if keys of `[faults]` are swept or there is such a table.
fn set_first_point(document: &mut Document, errors: &Errors) {
    let sweep = Sweep::read(&Reader::root(&document.root, keys::root(), errors), MOST_POINTS);
    let mut root = document.root.clone();
    if let Some(first) = sweep.combinations().next() {
        sweep.substitute(&mut root, &first);
    }
    if root.get("faults").is_some() {
        document.root = root;
    }
}

/// The routing of a lattice that is `named`, or dimension order; none if it is not one for `network`, which has been reported.
fn on_lattice(
    root: &Reader<'_>,
    network: &BuiltNetwork,
    named: Option<&'static str>,
) -> Option<&'static LatticeRouting> {
    let Some(name) = named else { return Some(&DIMENSION_ORDER) };
    let names = || ROUTINGS.iter().map(|routing| routing.name);
    let Some(routing) = ROUTINGS.iter().copied().find(|routing| routing.name == name) else {
        network.kind.refuse_routing(root, name, names());
        return None;
    };
    let lattice = network.spec.lattice();
    let Some(why) = lattice.as_ref().and_then(|lattice| (routing.unfit)(lattice)) else { return Some(routing) };
    let fits = |routing: &&&LatticeRouting| lattice.as_ref().is_some_and(|lattice| routing.fits(lattice));
    let fitting = ROUTINGS.iter().filter(fits).map(|routing| routing.name);
    let message = format!("`{name}` {why}, but the network is {}", with_article(&network.spec.title()));
    let wrong = Diagnostic::at(root.place_within(&["router", "routing"]), message);
    root.error(wrong.note(format!("accepted here: {}", listed(fitting))));
    None
}
