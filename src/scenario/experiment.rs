//! One point of a scenario: everything that is needed to run it.

use super::machine::{MACHINE, ReadMachine, is_on_grid};
use super::{Options, Sizes, keys};
use crate::cancel;
use crate::config::{Diagnostic, Errors, Files, Reader, Sweep};
use crate::engine::program::TraceMessage;
use crate::engine::{ClockedLink, Engine, Stop};
use crate::kind::{
    Combining, Copying, Demand, Estimate, Job, Keep, Kind, Planned, Read, Row, RowError, RowFailure, RowId, Setting,
    Workload, WorstCase,
};
use crate::machine::Machine;
use crate::machine::buffers::ClassBuffers;
use crate::memory::Limit;
use crate::units::Ticks;
use crate::units::key::Readers;
use crate::workload::{KINDS, application};
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// One point of a scenario, validated.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The seed of every random stream.
    pub seed: u64,
    /// How often the point is run, each time with its own placement.
    pub repetitions: u64,
    /// What it runs on, mostly the same for all points.
    pub machine: Arc<Machine>,
    /// The machine with virtual-channel routers, for rows in which routers copy or combine packets, if `machine` itself has none.
    pub copying: Option<Arc<Machine>>,
    /// What to run.
    pub workload: Arc<dyn Workload>,
    /// The lengths of flits and ticks, if results have sizes and bandwidths.
    pub sizes: Option<Box<Sizes>>,
}

impl Experiment {
    /// As the manifest has it: a table for each part, the workload under the name of its kind.
    ///
    /// # Errors
    /// If it is no JSON.
    pub fn to_json(&self) -> serde_json::Result<Json> {
        let Self { seed, repetitions, machine, copying: _, workload, sizes: _ } = self;
        let Machine {
            network,
            channel,
            links,
            node,
            ejection,
            model,
            dependency_rule,
            engine,
            threads: _,
            routers,
            deadlock: _,
            device,
            energy,
            faults,
        } = &**machine;
        let mut json = json!({
            "seed": seed,
            "repetitions": repetitions,
            "machine": network,
            "channel": channel,
            "node": node,
            "ejection": ejection,
            "model": model,
            "engine": engine,
            "workload": { workload.kind().name: workload.to_json()? },
        });
        // open-loop traffic tells its own
        if let Some(routers) = routers.as_ref().filter(|_| !workload.kind().open_loop) {
            json["routers"] = serde_json::to_value(routers)?;
        }
        let buffers = machine.class_buffers();
        if !links.is_empty() || buffers.iter().any(|class| class.defaults.is_some()) {
            for ClassBuffers { class, least, largest, .. } in &buffers {
                json["buffers"][class] = json!({ "least": least, "largest": largest });
            }
        }
        if !links.is_empty() {
            json["flit_bits"] = links.flit_bits.into();
            json["links"] = serde_json::to_value(links.as_ref())?;
        }
        if let Some(faults) = faults {
            // the machine has those of the first repetition
            json["machine"] = serde_json::to_value(faults.own_network())?;
            json["faults"] = serde_json::to_value(faults.spec())?;
        }
        if let Some(dependency_rule) = dependency_rule {
            json["model"]["across_processors"] = serde_json::to_value(dependency_rule)?;
        }
        if let Some(device) = device {
            json["device"] = serde_json::to_value(device)?;
        }
        if let Some(energy) = energy {
            json["energy"] =
                json!({ "preset": energy.preset.map(|preset| preset.name), "flit_bits": energy.scale.flit_bits });
        }
        Ok(json)
    }

    /// What a row of a variant asks of its planner and of the engine.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn demand(&self, variant: usize) -> Demand {
        self.workload.demand(self.machine_of(variant), variant)
    }

    /// The machine of the rows of a variant, without the faults of their repetitions.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn machine_of(&self, variant: usize) -> &Arc<Machine> {
        let copying = self.copying.as_ref().filter(|_| self.workload.copies(variant));
        copying.unwrap_or(&self.machine)
    }

    /// What a row of a variant needs.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn estimate(&self, variant: usize) -> Estimate {
        self.demand(variant).estimate()
    }

    /// A bound on the time of any row. Routers that copy packets take no less than the channels of the same machine without them.
    pub fn worst_case(&self) -> Option<WorstCase> {
        self.workload.worst_case(self.copying.as_ref().unwrap_or(&self.machine))
    }

    /// Plans the row `id` on the machine of this experiment: that of its repetition, if faults differ
    /// ([`Self::in_repetition`]).
    ///
    /// # Errors
    /// If its variant does not take the request, or what it makes is wrong.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn plan(&self, id: RowId) -> Result<Box<dyn Planned + '_>, Box<RowError>> {
        self.plan_keeping(id, false)
    }

    fn plan_keeping(&self, id: RowId, timeline: bool) -> Result<Box<dyn Planned + '_>, Box<RowError>> {
        let Self { seed, ref machine, .. } = *self;
        let job = Job { machine, seed, variant: id.algorithm, repetition: id.repetition, timeline };
        self.workload.plan(job).map_err(|cause| self.failed(id, cause))
    }

    /// Computes the row `id`, with what is to be kept of its messages; begins with a
    /// [`checkpoint`](crate::cancel::checkpoint).
    ///
    /// # Errors
    /// If the schedule proves wrong or the run ends in a deadlock.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn run(&self, id: RowId, keep: Keep<'_>) -> Result<Row, Box<RowError>> {
        cancel::checkpoint();
        let experiment = self.in_repetition(id)?;
        let planned = experiment.plan_keeping(id, keep.timeline)?;
        let mut row = self.empty_row(id);
        planned.run(&mut row, keep).map_err(|cause| self.failed(id, cause))?;
        experiment.add_faults(&mut row)?;
        self.set_bandwidths(&mut row);
        Ok(row)
    }

    pub(super) fn empty_row(&self, id: RowId) -> Row {
        Row::new(id, self.workload.variant(id.algorithm), self.seed, self.columns())
    }

    /// The error that says which row failed.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn failed(&self, id: RowId, cause: RowFailure) -> Box<RowError> {
        Box::new(RowError::new(id, self.workload.variant(id.algorithm), cause))
    }
}

/// Reads one point after another, and what they share once.
pub(super) struct PointReader<'a> {
    pub(super) files: Files<'a>,
    /// The most bytes that a run may take, if there is a limit.
    limit: Option<Limit>,
    /// Messages that stand for a file of them, if any do.
    messages: Option<Arc<[TraceMessage]>>,
    /// Whether other points may have the machine of a point.
    shares_machines: bool,
    /// How many settings a point has.
    axes: usize,
    /// The machines that have been read, by the values of the swept keys that say what they are.
    machines: FxHashMap<Vec<usize>, ReadMachine>,
    /// The machines with routers that copy packets.
    copying: FxHashMap<Vec<usize>, Arc<Machine>>,
    /// Bytes of all points so far.
    points: u64,
}

/// A point as it was read.
pub(super) struct ReadPoint {
    pub(super) experiment: Experiment,
    /// Bytes that it takes, and what a run keeps of it until its end.
    bytes: u64,
}

impl<'a> PointReader<'a> {
    /// Of the points of `sweep`, with what `files` has and `options` say.
    pub(super) fn new(files: Files<'a>, sweep: &Sweep, options: &Options) -> Self {
        let shares_machines = !sweep.is_all_within(&MACHINE);
        let axes = sweep.axes_count();
        let limit = options.memory;
        let messages = options.messages.clone();
        let (machines, copying) = (FxHashMap::default(), FxHashMap::default());
        Self { files, limit, messages, shares_machines, axes, machines, copying, points: 0 }
    }

    /// Bytes that files and points take so far, and what a run keeps of them.
    pub(super) fn memory(&self) -> u64 {
        self.files.memory().saturating_add(self.points)
    }

    /// Counts what a point of `sweep` takes; what is to be said if so many points are too many for the memory that there
    /// is.
    pub(super) fn count(&mut self, point: &ReadPoint, sweep: &Sweep) -> Option<Diagnostic> {
        let (points, is_filtered) = sweep.size();
        let before = self.points;
        self.points = before.saturating_add(point.bytes);
        let all = if before == 0 && !is_filtered { self.points.saturating_mul(points as u64) } else { self.points };
        let needed = self.files.memory().saturating_add(all);
        let limit = self.limit.filter(|limit| points > 1 && needed > limit.bytes)?;
        let message = format!("a sweep of {points} points {}", limit.refusal(needed));
        Some(Diagnostic::at(sweep.place().clone(), message).hint("split the sweep into several scenarios"))
    }

    /// Reads and validates the point that `root` spells; what is wrong has been reported.
    /// The swept keys of its machine have the values with the indices `swept`.
    pub(super) fn read(&mut self, root: &Reader<'_>, swept: Vec<usize>) -> Option<ReadPoint> {
        let before = root.error_count();
        let seed = root.integer(&keys::SEED);
        let repetitions = root.integer(&keys::REPETITIONS);
        let on_grid = is_on_grid(root);
        let ReadMachine { machine, processors } = self.machine(root, on_grid, swept.clone());
        let copying = if root.error_count() > before { None } else { self.copying(root, &machine, swept) };
        reject_clocks(root, &machine);
        reject_short_buffers(root, &machine);
        reject_uneven(root, &machine);
        let messages = self.messages.clone();
        let copies = copying.as_ref().unwrap_or(&machine);
        let setting = Setting {
            root,
            machine: &machine,
            copying: copies.routers.as_ref().map(|_| &**copies),
            seed,
            repetitions,
            messages: messages.as_ref(),
        };
        let workload = workload(&setting, on_grid, &mut self.files);
        root.finish();
        let workload = workload?;
        let sizes = Sizes::read(root, workload.as_ref(), &machine).map(Box::new);
        let experiment = Experiment { seed, repetitions, machine, copying, workload, sizes };
        reject_unread(root, &experiment);
        let taking_part = experiment.workload.participants() as u64;
        if let Some(processors) = processors.filter(|&processors| taking_part > processors) {
            let message = format!("the model has P = {processors} processors, but {taking_part} nodes take part");
            root.error(Diagnostic::at(root.place_within(&["model"]), message));
        }
        if root.error_count() > before || !experiment.check_clock(root) {
            return None;
        }
        experiment.workload.check(root, &experiment.machine);
        let demands: Vec<Demand> = experiment.demands().collect();
        experiment.check_memory(root, &demands, self.limit, self.memory());
        let bytes = experiment.memory(&demands, self.axes, self.shares_machines);
        (root.error_count() == before).then_some(ReadPoint { experiment, bytes })
    }

    fn machine(&mut self, root: &Reader<'_>, on_grid: bool, swept: Vec<usize>) -> ReadMachine {
        if let Some(known) = self.machines.get(&swept) {
            return known.clone();
        }
        let before = root.error_count();
        let read = ReadMachine::read(root, on_grid, &mut self.files);
        if self.shares_machines && root.error_count() == before {
            self.machines.insert(swept, read.clone());
        }
        read
    }

    /// The machine with routers that copy packets, if the workload needs one and `machine`, which has been read, runs without routers.
    fn copying(&mut self, root: &Reader<'_>, machine: &Machine, swept: Vec<usize>) -> Option<Arc<Machine>> {
        let kind = KINDS.iter().find(|kind| root.has_table(&["workload", kind.name]))?;
        let can_run = machine.engine == Engine::Auto && machine.routers.is_none() && machine.device.is_none();
        // messages that the caller gives go from one node to one other
        let needed = kind.copying.filter(|_| can_run && machine.network.is_some() && self.messages.is_none())?;
        let needed = needed(root, machine, &mut self.files);
        if needed == Copying::Never {
            return None;
        }
        if let Some(known) = self.copying.get(&swept) {
            return Some(Arc::clone(known));
        }
        let errors = Errors::default();
        let quiet = root.with_errors(&errors);
        let root = if needed == Copying::Required { root } else { &quiet };
        let before = root.error_count();
        let read = ReadMachine::on_routers(root, &mut self.files).machine;
        if root.error_count() > before || read.routers.is_none() {
            return None;
        }
        let copying = Arc::new(Machine { engine: Engine::Auto, ..Machine::clone(&read) });
        if self.shares_machines {
            self.copying.insert(swept, Arc::clone(&copying));
        }
        Some(copying)
    }
}

fn workload(setting: &Setting<'_>, on_grid: bool, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let root = setting.root;
    let fitting = |on_grid: bool| {
        let kinds = KINDS.iter().filter(move |kind| kind.needs_grid || !on_grid);
        kinds.map(|kind| kind.name).collect::<Vec<&str>>()
    };
    let Some(table) = root.table("workload") else {
        // a [multicast] is told what it should be called
        if !root.has("workload") && !KINDS.iter().any(|kind| root.has(kind.name)) {
            let kinds = fitting(on_grid).join(", ");
            let needed =
                format!("a table [workload.*], one of {kinds}; to use a machine file, include it in a scenario");
            root.missing("workload", &needed);
        }
        return None;
    };
    let workload = table.only_table().and_then(|(name, inner)| {
        let kind = KINDS.iter().find(|kind| kind.name == name)?;
        if on_grid && !kind.needs_grid {
            let runs = fitting(true).join("] or [workload.");
            let message = format!("[network.grid] supports only [workload.{runs}]");
            root.error(Diagnostic::at(inner.place(), message));
            return None;
        }
        let workload = match kind.read {
            Read::Workload(read) => read(&inner, setting, files),
            Read::Source(read) => application::read(&inner, setting, files, read),
        };
        inner.finish();
        workload
    });
    table.finish();
    workload
}

/// What nodes cost, ports aside.
const NODE_KEYS: [&str; 6] =
    ["send_setup", "send_per_flit", "receive_setup", "receive_per_flit", "hold_setup", "hold_per_flit"];

/// What combining costs nodes.
const REDUCE_KEYS: [&str; 2] = ["reduce_setup", "reduce_per_flit"];

/// Links with clocks of their own run on the flit engine and on pipelined routers.
fn reject_clocks(root: &Reader<'_>, machine: &Machine) {
    let can_run = match &machine.routers {
        Some(routers) => routers.costs.timing.is_pipelined(),
        None => matches!(machine.engine, Engine::Flit | Engine::Auto),
    };
    let Some(clocked) = machine.clocked_link().filter(|_| !can_run) else { return };
    let class =
        machine.link_class_name(clocked.class).map_or_else(String::new, |class| format!(" of the class `{class}`"));
    let unfit = match &machine.routers {
        Some(_) => "ideal routers do".to_owned(),
        None => format!("the engine `{}` does", machine.engine.name()),
    };
    let ClockedLink { channel, clock, .. } = clocked;
    let message = format!(
        "{unfit} not support links that cross clocks, but {channel}{class} has a clock of {} ticks, and `channel.flit_time` is {}",
        clock.period, clock.cycle
    );
    let diagnostic = Diagnostic::at(root.place_within(&["engine", "kind"]), message);
    root.error(diagnostic.note("accepted: `engine.kind` = \"auto\" or \"flit\", or `router.model` = \"pipelined\""));
}

/// The worm engine is exact for links of different delays only where buffers cover them.
fn reject_short_buffers(root: &Reader<'_>, machine: &Machine) {
    if machine.routers.is_none()
        && machine.engine == Engine::Worm
        && machine.clocked_link().is_none()
        && let Some(short) = machine.short_buffer()
    {
        root.error(Diagnostic::at(root.place_within(&["engine", "kind"]), short.to_string()));
    }
}

/// The sleep engine is exact only for channels that are all alike.
fn reject_uneven(root: &Reader<'_>, machine: &Machine) {
    if machine.routers.is_none()
        && machine.engine == Engine::Sleep
        && machine.is_uneven()
        && machine.clocked_link().is_none()
    {
        root.error(Diagnostic::at(root.place_within(&["engine", "kind"]), Stop::Uneven.to_string()));
    }
}

/// The tables of the kinds that `fit`, for messages.
fn list_kinds(fit: impl Fn(&Kind) -> bool) -> String {
    let fitting = KINDS.iter().filter(|kind| fit(kind)).map(|kind| format!("[workload.{}]", kind.name));
    fitting.collect::<Vec<_>>().join(", ")
}

/// What is given and would be ignored.
fn reject_unread(root: &Reader<'_>, experiment: &Experiment) {
    let reject = |path: &[&str], why: &str| {
        // the name that is written, where a key in another unit is
        let named = match path {
            [table, key] => root.table(table).map(|table| table.path_of(key)),
            _ => None,
        };
        let message = format!("`{}` has no effect: {why}", named.unwrap_or_else(|| path.join(".")));
        root.error(Diagnostic::at(root.place_within(path), message));
    };
    let machine = &experiment.machine;
    for unread in experiment.workload.unread(machine) {
        if root.is_given(unread.path) || root.has_table(unread.path) {
            reject(unread.path, unread.why);
        }
    }
    let kind = experiment.workload.kind();
    let is_combining =
        kind.combining.applies(|key, word| root.text_within(&["workload", kind.name, key]) == Some(word));
    for key in REDUCE_KEYS.iter().filter(|key| !is_combining && root.is_given(&["node", key])) {
        let reason = match kind.combining {
            Combining::With { key, word } => {
                format!("messages are combined only with `workload.{}.{key}` = \"{word}\"", kind.name)
            }
            Combining::Never | Combining::Always => {
                format!("only {} combine messages", list_kinds(|kind| kind.combining != Combining::Never))
            }
        };
        reject(&["node", key], &reason);
    }
    // the other tables name the keys that they need
    for table in keys::of_kinds().iter().filter(|table| table.readers == Readers::All && root.has(table.name)) {
        let reads = |kind: &Kind| kind.tables.iter().any(|own| own.name == table.name);
        if !reads(kind) {
            reject(&[table.name], &format!("only {} read it", list_kinds(reads)));
        }
    }
    if machine.network.is_some() || kind.needs_grid {
        return;
    }
    if root.is_given(&["node", "ejection_ports"]) && !root.has("network") {
        reject(&["node", "ejection_ports"], "ejection needs a [network.*]");
    }
    if machine.model.is_none() {
        return;
    }
    let unread = [("node", &NODE_KEYS[..]), ("channel", &["flit_time"])];
    for (table, keys) in unread {
        for key in keys.iter().filter(|key| root.is_given(&[table, key])) {
            reject(&[table, key], "without a [network.*], the costs of messages come from [model.*]");
        }
    }
}

impl Experiment {
    /// What a row of each variant demands.
    fn demands(&self) -> impl Iterator<Item = Demand> {
        (0..self.workload.variants().len()).map(|variant| self.demand(variant))
    }

    /// Whether the clock holds every time of a run; an error where it may not.
    fn check_clock(&self, root: &Reader<'_>) -> bool {
        let Some(worst) = self.worst_case().filter(|worst| worst.ticks >= Ticks::END.0.into()) else { return true };
        let place = root.place_within(&["workload", self.workload.kind().name, worst.key]);
        let what = worst.what;
        let message = format!("{what} could take more than 2^62 ticks at these costs, the limit of the clock");
        let note = "accepted: lower costs, shorter messages, smaller groups, or longer ticks";
        root.error(Diagnostic::at(place, message).note(note));
        false
    }

    /// An error if a row, which demands one of `demands`, takes more than `limit` with the bytes that are `held` already.
    fn check_memory(&self, root: &Reader<'_>, demands: &[Demand], limit: Option<Limit>, held: u64) {
        let Some(largest) = demands.iter().max_by_key(|demand| demand.memory()) else { return };
        let needed = largest.memory().saturating_add(held);
        let Some(limit) = limit.filter(|limit| needed > limit.bytes) else { return };
        let (what, place) = self.workload.size_in_words(&self.machine, largest);
        let message = format!("{what} {}", limit.refusal(needed));
        root.error(Diagnostic::at(root.place_within(&[place]), message));
    }

    /// Bytes that a point with so many settings takes, and what a run keeps of it until its end: its units, and the
    /// summary of each variant, whose rows demand `demands`.
    fn memory(&self, demands: &[Demand], settings: usize, shares_machine: bool) -> u64 {
        let variants = demands.len();
        let machine = if shares_machine { 0 } else { size_of::<Machine>() + MACHINE_PARTS };
        let own = POINT + 16 * settings + size_of_val(&*self.workload) + 8 * variants + machine;
        let columns = self.columns().iter().count();
        let summaries = variants * (SUMMARY + 16 * columns);
        let rows_at_once = demands.iter().map(|demand| demand.estimate().rows_at_once());
        let units: u64 = rows_at_once.map(|rows| self.repetitions.div_ceil(rows)).sum();
        ((own + summaries) as u64).saturating_add(units.saturating_mul(UNIT))
    }
}

/// Bytes of a point besides its workload and machine: itself in lists that grow, its settings, and what its journal's plan
/// says of it.
const POINT: usize = 300;

/// Bytes of what a machine points to.
const MACHINE_PARTS: usize = 300;

/// Bytes of the summary of a variant besides its values.
const SUMMARY: usize = 150;

/// Bytes that a run keeps of a unit: what it is, when its turn is, and where its lines are.
const UNIT: u64 = 300;
