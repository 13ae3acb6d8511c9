//! Scenario files: as written, validated, and as points to run.
//!
//! [`Scenario::load`] reads a TOML file, applies `--set`, substitutes every combination of the `[sweep]`, and validates
//! each resulting point. Everything that is wrong is reported at once, each with its place. What comes out is a list of
//! [`Experiment`]s that can be run without further checks. This floor knows files and keys; it never prints.

mod claim;
mod column_names;
mod columns;
mod decision_map;
mod embedded;
mod experiment;
mod failure;
mod faults;
mod figure;
mod figure_table;
mod identity;
mod keys;
mod label;
mod machine;
mod network;
mod presets;
mod schema;
mod sizes;
mod text;
mod units;
mod warnings;

use crate::cancel;
#[cfg(feature = "plots")]
pub(crate) use claim::COURSES;
pub use claim::{Claim, Column, Course, Printed, Test};
pub use columns::PARETO;
#[cfg(feature = "plots")]
pub(crate) use columns::plain;
pub use decision_map::{DecisionMap, Quantity};
pub use experiment::Experiment;
use experiment::PointReader;
pub use figure::{Figure, Joining, Plot};
pub use figure_table::FigureTable;
pub use identity::PointId;
use identity::PointIds;
pub(crate) use keys::find as key_named;
pub use keys::{KeyTable, tables};
pub use label::{Label, dimensions, key_name, setting_name, title_of};
pub use network::NetworkAlone;
pub use schema::schema;

use crate::config::{
    Axis, Changes, Diagnostic, Document, Errors, Files, Included, Reader, Source, Sweep, decode, no_room, read_regular,
};
use crate::digest::Digest;
use crate::engine::program::TraceMessage;
use crate::kind::words::counted;
use crate::kind::{ACTIVITY, Columns, Kind, RowError, RowFailure, RowFile, RowId};
use crate::machine::{Machine, PRESETS};
use crate::memory::Limit;
use crate::workload::KINDS;
pub use sizes::Sizes;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use units::Units;

/// The scenario that runs when none is given.
pub const DEFAULT: &str = include_str!("../../scenarios/default.toml");

/// Points beyond this number are refused: they would take years, and a typing error makes them easily.
const MOST_POINTS: usize = 1_000_000;

/// A validated scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name, which also names its folder of outputs.
    pub name: String,
    /// How long a tick is, if the scenario says so.
    pub tick: Option<Tick>,
    /// The swept keys, slowest first.
    pub axes: Vec<Axis>,
    /// Every combination of the swept values, the last key fastest; one point without a sweep.
    pub points: Vec<Point>,
    /// How it is drawn, and what it claims, if it says so.
    pub figure: Option<Figure>,
    /// The document with what the command line set.
    pub document: Document,
    /// True if values have units, so that tables show times and sizes with units.
    pub shows_units: bool,
    /// Warnings about times that are rounded to ticks.
    rounded: Vec<String>,
    /// The digest of each file that it names, by name.
    digests: BTreeMap<String, Digest>,
    /// The digest of each file that it includes, by name.
    included: Included,
    /// Bytes that it and a run of it take, rows at work aside.
    memory: u64,
}

/// The value of each axis at a point, as a column shows it; points share the texts.
pub type Settings = Arc<[Arc<str>]>;

/// One combination of swept values.
#[derive(Clone, Debug)]
pub struct Point {
    /// The value of each axis, as a column shows it.
    pub settings: Settings,
    /// The values as the scenario writes them, such as `64KiB`, if they have units.
    written: Option<Settings>,
    /// What to run.
    pub experiment: Experiment,
    /// What it is known by, whichever scenario it stands in and wherever.
    pub id: PointId,
}

impl Point {
    /// The value of each axis as the scenario writes it, such as `64KiB`.
    pub fn written(&self) -> &Settings {
        self.written.as_ref().unwrap_or(&self.settings)
    }
}

/// The length of a tick, for reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// As written, such as `10ns`.
    pub text: String,
    /// In nanoseconds.
    pub nanoseconds: f64,
}

impl Tick {
    /// How long a tick may be at most, in nanoseconds: 1000 s.
    const LONGEST: f64 = 1e12;

    /// The tick that `text` spells: a number above zero and a unit, one of `ps`, `ns`, `us`, `ms`, `s`; at most 1000 s.
    pub fn parse(text: &str) -> Option<Self> {
        const UNITS: [(&str, f64); 6] = [("ps", 1e-3), ("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
        let (number, scale) = UNITS.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))?;
        let number: f64 = number.trim_end().parse().ok()?;
        let nanoseconds = number * scale;
        (nanoseconds > 0.0 && nanoseconds <= Self::LONGEST).then(|| Self { text: text.to_owned(), nanoseconds })
    }
}

/// The length of a tick, as axes of time need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TickLength {
    /// The scenario does not state it.
    #[default]
    Unknown,
    /// A cycle of the routers of open-loop traffic: a flit crosses a channel in a tick.
    Cycle,
    /// A time.
    Time(Tick),
}

impl TickLength {
    /// The length as text; `None` if it is unknown.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Unknown => None,
            Self::Cycle => Some("cycle"),
            Self::Time(tick) => Some(&tick.text),
        }
    }
}

impl Scenario {
    /// Sets the number of threads of a row, which no result depends on. With `None`, it follows from the size of the network.
    pub fn set_threads(&mut self, threads: Option<NonZeroUsize>) {
        let mut last: Option<[Arc<Machine>; 2]> = None;
        for Point { experiment, .. } in &mut self.points {
            let before = Arc::clone(&experiment.machine);
            let after = match last {
                Some([ref last, ref after]) if Arc::ptr_eq(last, &before) => Arc::clone(after), // points share machines
                _ => Arc::new(Machine { threads, ..Machine::clone(&before) }),
            };
            experiment.machine = Arc::clone(&after);
            last = Some([before, after]);
        }
    }

    /// The length of a tick, for axes.
    pub fn tick_length(&self) -> TickLength {
        let is_cycle = |point: &Point| point.experiment.machine.channel.flit_time == 1;
        match &self.tick {
            Some(tick) => TickLength::Time(tick.clone()),
            None if self.kind().open_loop && self.points.iter().all(is_cycle) => TickLength::Cycle,
            None => TickLength::Unknown,
        }
    }
}

/// Everything that is wrong with a scenario that cannot be run, or with a run of it, and the texts that it is in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejected {
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: Vec<Source>,
}

impl Rejected {
    /// With what is wrong, and the texts that it is in.
    pub fn new(diagnostics: Vec<Diagnostic>, sources: Vec<Source>) -> Self {
        Self { diagnostics, sources }
    }
}

/// Why a scenario was not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read the scenario `{0}`: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// It is wrong.
    #[error("the scenario has {}", counted(.0.diagnostics.len() as u64, "error"))]
    Rejected(Rejected),
}

/// What a loaded scenario may use, and what the command line sets in it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `KEY=VALUE` assignments.
    pub set: Vec<String>,
    /// Dotted keys and tables that are taken away before anything is set.
    pub unset: Vec<String>,
    /// The memory that a run may take; none for no limit.
    pub memory: Option<Limit>,
    /// Whether the figure may read what no table has: one that is neither drawn nor judged.
    pub any_figure: bool,
    /// What a scenario is called that does not say; one without a name is wrong otherwise.
    pub name: Option<String>,
    /// The messages of a `[workload.trace]` without a file, by number.
    pub messages: Option<Arc<[TraceMessage]>>,
    /// True for a network inside another simulator: `[workload.embed]` may be missing, and no other workload is accepted.
    pub embedded: bool,
}

impl Scenario {
    /// Loads the scenario in the regular file `path`; files that it names are looked up beside it.
    ///
    /// # Errors
    /// If the file cannot be read, or with everything that is wrong with it.
    pub fn load(path: &Path, options: &Options) -> Result<Self, LoadError> {
        let unreadable = |error| LoadError::Unreadable(path.to_owned(), error);
        let bytes = read_regular(path).map_err(unreadable)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::from_bytes(&path.display().to_string(), bytes, folder, options).map_err(LoadError::Rejected)
    }

    /// The scenario that `bytes` spell, which are UTF-8 text; otherwise as [`Self::parse`].
    ///
    /// # Errors
    /// Everything that is wrong with it, or that it is another encoding.
    pub fn from_bytes(name: &str, bytes: Vec<u8>, folder: &Path, options: &Options) -> Result<Self, Rejected> {
        let text = decoded(name, bytes)?;
        Self::parse(name, &text, folder, options)
    }

    /// The scenario that `text` spells; `name` stands for it in diagnostics, and files that it names are looked up in
    /// `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(name: &str, text: &str, folder: &Path, options: &Options) -> Result<Self, Rejected> {
        let (document, included) = opened(name, text, folder, options)?;
        Self::validate(document, included, folder, options)
    }

    fn validate(
        mut document: Document,
        included: Included,
        folder: &Path,
        options: &Options,
    ) -> Result<Self, Rejected> {
        let errors = Errors::default();
        let mut sources = std::mem::take(&mut document.sources);
        let units = Units::find(&mut document.root, &errors);
        let (name, tick, figure, sweep) = {
            let root = Reader::root(&document.root, keys::root(), &errors);
            let tick = tick(&root);
            let figure = figure::read(&root);
            (name(&root), tick, figure, Sweep::read(&root, MOST_POINTS))
        };
        let mut reader = PointReader::new(Files::new(folder, &mut sources, options.memory), &sweep, options);
        let mut ids = PointIds::default();
        let mut points = Vec::new();
        let mut root = document.root.clone();
        for combination in sweep.combinations() {
            cancel::checkpoint();
            sweep.substitute(&mut root, &combination);
            let lowered = units.as_ref().map(|units| Box::new(units.lower(&root, &errors)));
            let (root, measured) = match &lowered {
                Some(lowered) => (&lowered.root, Some(&lowered.measured)),
                None => (&root, None),
            };
            if !sweep.admits(root, &errors) {
                continue;
            }
            let machine = sweep.part_within(&machine::MACHINE, &combination);
            let table = Reader::root(root, keys::root(), &errors);
            let table = match measured {
                Some(measured) => table.measured(measured),
                None => table,
            };
            if let Some(point) = reader.read(&table, machine) {
                if let Some(refusal) = reader.count(&point, &sweep) {
                    errors.borrow_mut().push(refusal);
                    break;
                }
                let experiment = point.experiment;
                let id = ids.of(&experiment, root, reader.files.digests());
                let written = sweep.settings(&combination);
                let (settings, written) = match measured {
                    Some(_) => (sweep.settings_in(root, &combination), Some(written)),
                    None => (written, None),
                };
                points.push(Point { settings, written, experiment, id });
            }
            if errors.borrow().len() > 100 {
                break; // enough to go on with; a sweep repeats its errors at every point
            }
        }
        if points.is_empty() && errors.borrow().is_empty() {
            sweep.reject_nothing(&errors);
        }
        let digests = reader.files.digests().clone();
        let memory = reader.memory();
        document.sources = sources;
        match (distinct(errors.into_inner()), name) {
            (diagnostics, Some(name)) if diagnostics.is_empty() => {
                let axes = sweep.axes();
                let shows_units = units.as_ref().is_some_and(|units| units.are_shown);
                let rounded = units.map_or_else(Vec::new, Units::into_warnings);
                let mut scenario = Self {
                    name,
                    tick,
                    axes,
                    points,
                    figure,
                    document,
                    shows_units,
                    rounded,
                    digests,
                    included,
                    memory,
                };
                scenario.name_columns();
                // what the command line sets may take away what claims are about, which are then not judged
                match options.set.is_empty() && options.unset.is_empty() {
                    _ if options.any_figure => {}
                    true => scenario.check_figure()?,
                    false => scenario.check_set_figure()?,
                }
                Ok(scenario)
            }
            (diagnostics, _) => Err(Rejected { diagnostics, sources: document.sources }),
        }
    }

    /// Which kind of workload it runs. A sweep cannot change that.
    pub fn kind(&self) -> &'static Kind {
        // a scenario without points is rejected
        self.points.first().map_or(KINDS[0], |point| point.experiment.workload.kind())
    }

    /// The columns of its results: those of its kind, and sizes and bandwidths if it states the size of a flit.
    pub fn result_columns(&self) -> Columns {
        self.points.first().map_or(Columns::of_kind(self.kind().columns), |point| point.experiment.columns())
    }

    /// The experiment of which `id` is a row.
    pub(crate) fn experiment_of(&self, id: RowId) -> Result<&Experiment, Box<RowError>> {
        let experiment = self.points.get(id.point).map(|point| &point.experiment);
        let has_row = |experiment: &&Experiment| {
            id.algorithm < experiment.workload.variants().len() && id.repetition < experiment.repetitions
        };
        let no_such_row = || Box::new(RowError::new(id, self.kind().name, RowFailure::NoSuchRow));
        experiment.filter(has_row).ok_or_else(no_such_row)
    }

    /// What a point says in a column of text; nothing where it says nothing.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn text(&self, point: usize, column: &str) -> String {
        self.points[point].experiment.workload.text(column).unwrap_or_default()
    }

    /// Bytes that it takes, and what a run of it keeps of its points, whatever rows at work take.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The files that rows add lines to, with what happened to every message if `messages`: those of any point.
    pub fn row_files(&self, messages: bool) -> Vec<&'static RowFile> {
        let written: Vec<_> = self.points.iter().map(|point| point.experiment.workload.writes(messages)).collect();
        let is_written = |file: &&RowFile| written.iter().any(|files| files.contains(file));
        let mut files: Vec<&'static RowFile> = self.kind().files.iter().filter(is_written).collect();
        let energies = self.points.iter().filter_map(|point| point.experiment.machine.energy.as_deref());
        if energies.into_iter().any(|energy| energy.activity) {
            files.push(&ACTIVITY);
        }
        files.extend(self.fault_file());
        files
    }

    /// Whether a key that ends in `part`, or begins with it if it ends in a dot, differs from point to point.
    pub fn is_swept(&self, part: &str) -> bool {
        let is_part = |key: &str| if part.ends_with('.') { key.starts_with(part) } else { key.ends_with(part) };
        self.axes.iter().any(|axis| is_part(&axis.key))
    }

    /// A fingerprint of everything that the results depend on: the digest of the resolved scenario and of the files it names.
    pub fn hash(&self) -> Digest {
        identity::hash(&self.document.root, &self.digests)
    }

    /// Every key that is given, dotted, with its value as TOML, but for those that no result depends on.
    pub fn keys(&self) -> BTreeMap<String, String> {
        identity::keys(&self.document.root)
    }

    /// Every file that is included, with its digest.
    pub fn included(&self) -> &BTreeMap<String, Digest> {
        &self.included
    }

    /// Every file that is named, with its digest.
    pub fn files(&self) -> &BTreeMap<String, Digest> {
        &self.digests
    }
}

/// The text that `bytes` spell.
fn decoded(name: &str, bytes: Vec<u8>) -> Result<String, Rejected> {
    decode(bytes).map_err(|wrong| Rejected::new(vec![wrong.diagnostic(0)], vec![wrong.source(name)]))
}

/// The document that `text` spells, with what it includes and what the command line changes in it.
fn opened(name: &str, text: &str, folder: &Path, options: &Options) -> Result<(Document, Included), Rejected> {
    if let Some(refusal) = no_room(name, text, 0, options.memory) {
        return Err(Rejected::new(vec![refusal], Vec::new()));
    }
    let document = Document::parse(name, text);
    let mut document = document.map_err(|diagnostics| Rejected::new(diagnostics, vec![Source::new(name, text)]))?;
    let changes = Changes {
        set: &options.set,
        unset: &options.unset,
        declared: keys::root(),
        presets: &PRESETS,
        memory: options.memory,
    };
    let changed = document.change(folder, changes).and_then(|included| {
        if let Some(name) = options.name.as_ref().filter(|_| document.root.get("name").is_none()) {
            document.set(&format!("name={name}"), keys::root()).map_err(|wrong| vec![wrong])?;
        }
        if options.embedded {
            embedded::complete(&mut document)?;
        }
        presets::drop_unread(&mut document);
        Ok(included)
    });
    match changed {
        Ok(included) => Ok((document, included)),
        Err(diagnostics) => Err(Rejected::new(diagnostics, document.sources)),
    }
}

/// Errors in the order in which they stand in the file, each once however many points repeat it.
fn distinct(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut diagnostics: Vec<Diagnostic> = diagnostics.into_iter().filter(|d| seen.insert(d.clone())).collect();
    diagnostics.sort_by_key(|d| d.place.as_ref().map(|place| (place.source, place.span.start)));
    diagnostics
}

fn name(root: &Reader<'_>) -> Option<String> {
    if !root.has("name") {
        root.missing("name", "name = \"...\", which also names the output directory");
    }
    let (name, place) = root.string(&keys::NAME)?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(plain) {
        let message = format!("`name` cannot be \"{name}\"");
        let note = "accepted: lower-case letters, digits and `-`; the output directory has the same name";
        root.error(Diagnostic::at(place.clone(), message).note(note));
    } else if is_device(name) {
        let message = format!("`name` cannot be \"{name}\", the name of a device on Windows");
        root.error(Diagnostic::at(place.clone(), message).hint("choose a longer name"));
    } else if name.len() > LONGEST_NAME {
        let message = format!("`name` has {} characters", name.len());
        root.error(Diagnostic::at(place.clone(), message).note(format!("accepted: at most {LONGEST_NAME} characters")));
    }
    Some(name.to_owned())
}

/// The most letters of a name: file systems take 255 bytes, of which pictures and tables that are called like it need some.
const LONGEST_NAME: usize = 200;

/// Whether Windows takes a folder of this name, in lower-case letters, for a device.
fn is_device(name: &str) -> bool {
    let numbered = |name: &str| ["com", "lpt"].iter().any(|device| name.strip_prefix(device).is_some_and(is_digit));
    matches!(name, "con" | "prn" | "aux" | "nul") || numbered(name)
}

fn is_digit(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9'])
}

fn tick(root: &Reader<'_>) -> Option<Tick> {
    let (text, place) = root.string(&keys::TICK)?;
    let tick = Tick::parse(text);
    if tick.is_none() {
        let message = format!("`tick` cannot be \"{text}\"");
        let note = "accepted: a number above 0 with a unit (`ps`, `ns`, `us`, `ms` or `s`), such as \"10ns\"; at \
                    most 1000s";
        root.error(Diagnostic::at(place.clone(), message).note(note));
    }
    tick
}
