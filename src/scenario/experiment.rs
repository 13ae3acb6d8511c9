//! One point of a scenario: everything that is needed to run it.

use super::keys;
use crate::config::{Diagnostic, Files, Reader};
use crate::kind::{Estimate, Job, Planned, Row, RowError, RowFailure, RowId, Setting, Workload};
use crate::machine::{self, BuiltNetwork, ChannelTable, Machine, NodeTable};
use crate::topology::{Ejection, Ports};
use crate::workload::KINDS;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// No time of a run may reach this many ticks: beyond, 64 bits are not certain to hold it.
const CLOCK: u128 = 1 << 62;

/// One point of a scenario, validated.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The seed of every random stream.
    pub seed: u64,
    /// How often the point is run, each time with its own placement.
    pub repetitions: u64,
    /// What it runs on.
    pub machine: Machine,
    /// What to run.
    pub workload: Arc<dyn Workload>,
}

impl Serialize for Experiment {
    /// As the manifest has it: a table for each part, the workload under the name of its kind.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Machine { network, channel, node, ejection, model, engine, .. } = &self.machine;
        let mut fields = serializer.serialize_struct("Experiment", 9)?;
        fields.serialize_field("seed", &self.seed)?;
        fields.serialize_field("repetitions", &self.repetitions)?;
        fields.serialize_field("machine", network)?;
        fields.serialize_field("channel", channel)?;
        fields.serialize_field("node", node)?;
        fields.serialize_field("ejection", ejection)?;
        fields.serialize_field("model", model)?;
        fields.serialize_field("engine", engine)?;
        fields.serialize_field("workload", &Named(self.workload.as_ref()))?;
        fields.end()
    }
}

/// A workload under the name of its kind.
struct Named<'a>(&'a dyn Workload);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0.kind().name, Erased(self.0))])
    }
}

/// A workload of whichever kind.
struct Erased<'a>(&'a dyn Workload);

impl Serialize for Erased<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        erased_serde::serialize(self.0, serializer)
    }
}

impl Experiment {
    /// What a row of a variant needs.
    ///
    /// # Panics
    /// If there is no such variant.
    #[must_use]
    pub fn estimate(&self, variant: usize) -> Estimate {
        self.workload.demand(&self.machine, variant).estimate()
    }

    /// Plans the row `id`.
    ///
    /// # Errors
    /// If its variant does not take the request, or what it makes is wrong.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn plan(&self, id: RowId) -> Result<Box<dyn Planned + '_>, Box<RowError>> {
        let Self { seed, ref machine, .. } = *self;
        let job = Job { machine, seed, variant: id.algorithm, repetition: id.repetition };
        self.workload.plan(job).map_err(|cause| self.failed(id, cause))
    }

    /// Computes the row `id`, with what happened to every message if `messages`.
    ///
    /// # Errors
    /// If the schedule proves wrong or the run ends in a deadlock.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn run(&self, id: RowId, messages: bool) -> Result<Row, Box<RowError>> {
        let planned = self.plan(id)?;
        let mut row = Row::new(id, self.workload.variant(id.algorithm), self.seed, self.workload.kind().columns);
        planned.run(&mut row, messages).map_err(|cause| self.failed(id, cause))?;
        Ok(row)
    }

    /// The error that says which row failed.
    ///
    /// # Panics
    /// If there is no such variant.
    #[must_use]
    pub fn failed(&self, id: RowId, cause: RowFailure) -> Box<RowError> {
        Box::new(RowError::new(id, self.workload.variant(id.algorithm), cause))
    }
}

/// Reads and validates one point; what is wrong has been reported. No row may take more than `memory` bytes.
pub(super) fn read(root: &Reader<'_>, files: &mut Files<'_>, memory: Option<u64>) -> Option<Experiment> {
    let before = root.error_count();
    let seed = root.integer(&keys::SEED);
    let repetitions = root.integer(&keys::REPETITIONS);
    let on_grid = root.is_given(&["network", "grid"]) || root.has_table(&["network", "grid"]);
    let (machine, processors) = if on_grid { (grid(root), None) } else { machine(root, files) };
    let setting = Setting { root, machine: &machine, repetitions };
    let workload = workload(&setting, on_grid, files);
    root.finish();
    let experiment = Experiment { seed, repetitions, machine, workload: workload? };
    reject_unread(root, &experiment);
    let taking_part = experiment.workload.participants() as u64;
    if let Some(processors) = processors.filter(|&processors| taking_part > processors) {
        let message = format!("the model has P = {processors} processors, but {taking_part} nodes take part");
        root.error(Diagnostic::at(root.place_within(&["model"]), message));
    }
    if root.error_count() == before {
        experiment.check(root, memory);
    }
    (root.error_count() == before).then_some(experiment)
}

/// The machine, and how many processors its model has, if that says so.
fn machine(root: &Reader<'_>, files: &mut Files<'_>) -> (Machine, Option<u64>) {
    let NodeTable { costs: node, ejection } = machine::read_node(root);
    let has_network = root.has("network");
    let ChannelTable { costs: channel, virtual_channels } = machine::read_channel(root, has_network);
    let ports = Ports { injection: node.ports, ejection: ejection.unwrap_or(Ejection::Channels(node.ports)) };
    let uses_routers = KINDS.iter().any(|kind| kind.uses_routers && root.has_table(&["workload", kind.name]));
    let router = machine::read_router(root, uses_routers);
    let network = machine::read_network(root, ports, virtual_channels, uses_routers, files);
    let network = network.map(|(spec, network)| BuiltNetwork { spec, network });
    let engine = machine::read_engine(root, has_network);
    let (model, processors) = machine::read_model(root).unzip();
    let machine = Machine { network, channel, node, ejection, model, engine, router, virtual_channels };
    (machine, processors.flatten())
}

/// A grid has no channels, no flits and no engines.
fn grid(root: &Reader<'_>) -> Machine {
    for key in ["node", "channel", "router", "engine", "model"] {
        if root.has(key) {
            let message = format!("a grid is nothing but costs of links, so `{key}` would be ignored");
            root.error(Diagnostic::at(root.place_within(&[key]), message));
        }
    }
    Machine::default()
}

/// Reads `[workload]`.
fn workload(setting: &Setting<'_>, on_grid: bool, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let root = setting.root;
    let on_grids: Vec<&str> = KINDS.iter().filter(|kind| kind.needs_grid).map(|kind| kind.name).collect();
    let Some(table) = root.table("workload") else {
        if !root.has("workload") {
            let all: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            let needed = if on_grid { &on_grids } else { &all };
            root.missing("workload", &format!("a [workload.*]: {}", needed.join(", ")));
        }
        return None;
    };
    let workload = table.only_table().and_then(|(name, inner)| {
        let kind = KINDS.iter().find(|kind| kind.name == name)?;
        if on_grid && !kind.needs_grid {
            let message = format!("on a [network.grid] only a [workload.{}] runs", on_grids.join("] or a [workload."));
            root.error(Diagnostic::at(inner.place(), message));
            return None;
        }
        let workload = (kind.read)(&inner, setting, files);
        inner.finish();
        workload
    });
    table.finish();
    workload
}

/// What nodes cost, ports aside.
const NODE_KEYS: [&str; 6] =
    ["send_setup", "send_per_flit", "receive_setup", "receive_per_flit", "hold_setup", "hold_per_flit"];

/// What is given and would be ignored.
fn reject_unread(root: &Reader<'_>, experiment: &Experiment) {
    let reject = |path: &[&str], why: &str| {
        let message = format!("{why}, so `{}` would be ignored", path.join("."));
        root.error(Diagnostic::at(root.place_within(path), message));
    };
    let machine = &experiment.machine;
    for unread in experiment.workload.unread(machine) {
        if root.is_given(unread.path) || root.has_table(unread.path) {
            reject(unread.path, unread.why);
        }
    }
    if machine.network.is_some() || experiment.workload.kind().needs_grid {
        return;
    }
    if root.is_given(&["node", "ejection_ports"]) && !root.has("network") {
        reject(&["node", "ejection_ports"], "without a [network.*] nothing is ejected");
    }
    if machine.model.is_none() {
        return;
    }
    let unread = [("node", &NODE_KEYS[..]), ("channel", &["flit_time"])];
    for (table, keys) in unread {
        for key in keys.iter().filter(|key| root.is_given(&[table, key])) {
            reject(&[table, key], "without a [network.*] the chosen [model.*] says what messages cost");
        }
    }
}

impl Experiment {
    /// What can only be said when everything is known: algorithms that do not fit, clocks and memory that overflow.
    fn check(&self, root: &Reader<'_>, memory: Option<u64>) {
        if let Some(worst) = self.workload.worst_case(&self.machine).filter(|worst| worst.ticks >= CLOCK) {
            let place = root.place_within(&["workload", self.workload.kind().name, worst.key]);
            let what = worst.what;
            let message =
                format!("{what} could take more than 2^62 ticks at these costs, which the clock does not hold");
            let note = "accepted: smaller costs, messages or groups, in longer ticks";
            return root.error(Diagnostic::at(place, message).note(note));
        }
        self.workload.check(root, &self.machine);
        let demands = (0..self.workload.variants().len()).map(|variant| self.workload.demand(&self.machine, variant));
        let Some(largest) = demands.max_by_key(crate::kind::Demand::memory) else { return };
        let Some(available) = memory.filter(|&available| largest.memory() > available) else { return };
        let (what, place) = self.workload.size_in_words(&self.machine, &largest);
        let needed = gigabytes(largest.memory());
        let message = format!("{what} needs {needed} of memory; {} are available", gigabytes(available));
        root.error(Diagnostic::at(root.place_within(&[place]), message));
    }
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn gigabytes(bytes: u64) -> String {
    if bytes < 1 << 30 { format!("{:.0} MB", bytes as f64 / 1e6) } else { format!("{:.1} GB", bytes as f64 / 1e9) }
}
