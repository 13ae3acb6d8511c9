//! Reading, checking, listing and running of scenarios.

use crate::columns::{self, into_python};
use crate::errors::{Failure, unreadable};
use crate::patience::{Done, Progress, patiently};
use crate::room::{Staying, limit};
use crate::run::Run;
use flitwise::config::{Misencoded, closest, decode, render};
use flitwise::draw::draw;
use flitwise::embed::{Network, OpenError};
use flitwise::engine::program::TraceMessage;
use flitwise::kind::words::counted;
use flitwise::kind::{DetailFiles, Diagram, Format, Keep, LINKS, RowError, RowId};
use flitwise::memory::Limit;
use flitwise::output::{FindingsText, Listing, ListingError, RowFiles, findings_json, write_dot};
use flitwise::run::{
    Examination, Rows, Unit, WorkerPool, deadlock_freedom, examine, in_order, rows_of_point, units, units_keeping,
};
use flitwise::scenario::{self as core, Options, Rejected};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

/// A validated scenario.
#[pyclass(frozen, module = "flitwise._native")]
pub(crate) struct Scenario {
    pub(crate) inner: Arc<core::Scenario>,
    pub(crate) limit: Limit,
}

/// A selection of rows of a point. Without algorithms or repetition, all of them are selected.
struct Wanted<'a> {
    point: usize,
    algorithms: &'a [String],
    repetition: Option<u64>,
}

/// Rows to compute, the number of threads, and the number of finished rows.
struct Work<'a> {
    units: &'a [Unit],
    threads: NonZeroUsize,
    done: Done,
}

impl<'a> Work<'a> {
    fn new(units: &'a [Unit], threads: NonZeroUsize) -> Self {
        Self { units, threads, done: Done::default() }
    }

    fn progress(&self, tell: Option<Py<PyAny>>) -> Progress<'_> {
        Progress { tell, done: &self.done, all: self.units.iter().map(|unit| unit.rows).sum() }
    }

    fn pool(&self, memory: u64) -> WorkerPool {
        WorkerPool { threads: self.threads, memory }
    }
}

/// Returns the requested number of threads, at most four per core. The default is one per core.
pub(crate) fn threads(jobs: Option<usize>) -> Result<NonZeroUsize, Failure> {
    let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    match jobs.map(NonZeroUsize::new) {
        None => Ok(cores),
        Some(Some(jobs)) => Ok(jobs.min(cores.saturating_mul(NonZeroUsize::MIN.saturating_add(3)))),
        Some(None) => Err(Failure::usage("`jobs` must be a whole number, at least 1")),
    }
}

/// The text of a scenario, with changes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Text {
    /// The name of the text in messages.
    name: String,
    /// The name of the scenario, if its text does not set one.
    called: Option<String>,
    /// The scenario in TOML.
    text: Vec<u8>,
    /// The directory of the files that it names.
    folder: String,
    /// `KEY=VALUE`, as for `--set` of the command.
    set: Vec<String>,
    /// Keys and tables that are removed first.
    unset: Vec<String>,
    /// The memory limit, such as `8G`.
    memory: Option<String>,
}

impl Text {
    /// Reads the scenario. `messages` are those of a trace without a file.
    pub(crate) fn read(self, py: Python<'_>, messages: Option<Arc<[TraceMessage]>>) -> PyResult<Scenario> {
        let limit = limit(self.memory.as_deref()).map_err(|failure| failure.raise(py))?;
        let Self { name, called, text, folder, set, unset, .. } = self;
        let memory = Some(limit);
        let options = Options { set, unset, memory, name: called, messages, ..Options::default() };
        let read = || core::Scenario::from_bytes(&name, text, Path::new(&folder), &options);
        let inner = patiently(py, None, read)?.map_err(|rejected| Failure::Scenario(rejected).raise(py))?;
        Ok(Scenario { inner: Arc::new(inner), limit })
    }

    /// Opens the network of the scenario, for a program that drives it.
    pub(crate) fn open(self, py: Python<'_>) -> PyResult<Network> {
        let memory = Some(limit(self.memory.as_deref()).map_err(|failure| failure.raise(py))?);
        let Self { name, called, text, folder, set, unset, .. } = self;
        let misencoded = |wrong: Box<Misencoded>| Rejected::new(vec![wrong.diagnostic(0)], vec![wrong.source(&name)]);
        let text = decode(text).map_err(|wrong| Failure::Scenario(misencoded(wrong)).raise(py))?;
        let options = Options { set, unset, memory, name: called, ..Options::default() };
        opened(py, Network::open_with(&text, Path::new(&folder), options), &name)
    }
}

/// Returns the network if it has been opened. `name` is the name of the scenario in messages.
pub(crate) fn opened(py: Python<'_>, opened: Result<Network, OpenError>, name: &str) -> PyResult<Network> {
    opened.map_err(|error| match error.rejected() {
        Ok(mut rejected) => {
            let unnamed = rejected.sources.iter_mut().filter(|source| source.name == "scenario");
            unnamed.for_each(|source| name.clone_into(&mut source.name));
            Failure::Scenario(rejected).raise(py)
        }
        Err(error) => unreadable(&error),
    })
}

#[pymethods]
impl Scenario {
    #[new]
    fn new(py: Python<'_>, text: Text) -> PyResult<Self> {
        text.read(py, None)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The length of a tick as text, or `None` if the scenario does not set it.
    #[getter]
    fn tick(&self) -> Option<&str> {
        self.inner.tick.as_ref().map(|tick| tick.text.as_str())
    }

    /// The kind of its workload.
    #[getter]
    fn kind(&self) -> &str {
        self.inner.kind().name
    }

    /// The swept keys.
    #[getter]
    fn axes(&self) -> Vec<&str> {
        self.inner.axes.iter().map(|axis| axis.key.as_str()).collect()
    }

    /// The number of points.
    #[getter]
    fn points(&self) -> usize {
        self.inner.points.len()
    }

    /// The number of rows.
    #[getter]
    fn rows(&self) -> usize {
        Rows::new(&self.inner).count()
    }

    /// The algorithms of the first point.
    #[getter]
    fn algorithms(&self) -> Vec<&str> {
        self.inner.points[0].experiment.workload.variants()
    }

    /// Returns the values of each swept key, one per point.
    fn settings(&self) -> Vec<Vec<String>> {
        let values = |at: usize| self.inner.points.iter().map(move |point| point.settings[at].to_string()).collect();
        (0..self.inner.axes.len()).map(values).collect()
    }

    /// Raises an exception if the point, an algorithm or the repetition does not exist.
    fn check_choice(
        &self,
        py: Python<'_>,
        point: usize,
        algorithms: Vec<String>,
        repetition: Option<u64>,
    ) -> PyResult<()> {
        let wanted = Wanted { point, algorithms: &algorithms, repetition };
        self.chosen(&wanted).map(|_| ()).map_err(|failure| failure.raise(py))
    }

    /// Computes all rows on `jobs` threads.
    fn run(&self, py: Python<'_>, jobs: Option<usize>, messages: bool, progress: Option<Py<PyAny>>) -> PyResult<Run> {
        let threads = threads(jobs).map_err(|failure| failure.raise(py))?;
        let units = units_keeping(&self.inner, DetailFiles { messages, ..DetailFiles::default() });
        self.refuse_large(&units, messages).map_err(|failure| failure.raise(py))?;
        let work = Work::new(&units, threads);
        let compute = |id: RowId| self.inner.points[id.point].experiment.run(id, Keep::messages(messages));
        let rows = patiently(py, Some(work.progress(progress)), || self.of_rows(&work, compute))?;
        let rows = rows.map_err(|error| Failure::row(&self.inner, &error).raise(py))?;
        patiently(py, None, || Run::new(self, rows, messages))?.map_err(|failure| failure.raise(py))
    }

    /// Returns the load of each link in each row as columns, or `None` if links are not used.
    fn links<'py>(&self, py: Python<'py>, jobs: Option<usize>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let threads = threads(jobs).map_err(|failure| failure.raise(py))?;
        let units = units(&self.inner);
        self.refuse_many(Staying::Links, &units).map_err(|failure| failure.raise(py))?;
        let work = Work::new(&units, threads);
        let compute = |id: RowId| {
            let keep = Keep { links: true, ..Keep::default() };
            let row = self.inner.points[id.point].experiment.run(id, keep)?;
            Ok(row
                .files
                .into_iter()
                .filter(|(name, _)| *name == LINKS.name)
                .map(|(_, lines)| lines)
                .collect::<String>())
        };
        let lines = patiently(py, None, || self.of_rows(&work, compute))?;
        let lines = lines.map_err(|error| Failure::row(&self.inner, &error).raise(py))?;
        if lines.iter().all(String::is_empty) {
            return Ok(None);
        }
        let table = columns::from_lines(&LINKS, &lines.concat()).map_err(|error| Failure::usage(error).raise(py))?;
        into_python(py, table).map(Some)
    }

    /// Returns the lines of `timeline.csv` of all rows as columns, or `None` if the workload runs no operations.
    fn timeline<'py>(&self, py: Python<'py>, jobs: Option<usize>) -> PyResult<Option<Bound<'py, PyDict>>> {
        if !self.inner.points.iter().all(|point| point.experiment.workload.runs_operations()) {
            return Ok(None);
        }
        let threads = threads(jobs).map_err(|failure| failure.raise(py))?;
        let kept = DetailFiles { timeline: true, ..DetailFiles::default() };
        let units = units_keeping(&self.inner, kept);
        self.refuse_large(&units, false).map_err(|failure| failure.raise(py))?;
        let work = Work::new(&units, threads);
        let files = RowFiles::new(&self.inner, kept);
        let compute = |id: RowId| {
            let row = self.inner.points[id.point].experiment.run(id, Keep::from_files(kept))?;
            Ok(files.timeline_lines(&row))
        };
        let lines = patiently(py, None, || self.of_rows(&work, compute))?;
        let lines = lines.map_err(|error| Failure::row(&self.inner, &error).raise(py))?;
        let text = files.timeline_header().map_err(|error| Failure::usage(error).raise(py))? + &lines.concat();
        let table = columns::from_csv(&text).map_err(|error| Failure::usage(error).raise(py))?;
        into_python(py, table).map(Some)
    }

    /// Returns the findings of `flitwise check` as text and as JSON.
    fn check(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<(String, String)> {
        let units = units(&self.inner);
        let threads = threads(None).map_err(|failure| failure.raise(py))?;
        let work = Work::new(&units, threads);
        let look = |id: RowId| examine(&self.inner, id);
        let shown = patiently(py, Some(work.progress(progress)), || self.of_rows(&work, look))?;
        let shown = shown.map_err(|error| Failure::row(&self.inner, &error).raise(py))?;
        let freedom = patiently(py, None, || deadlock_freedom(&self.inner))?;
        let groups = shown.chunk_by(|a, b| (a.id.point, a.id.algorithm) == (b.id.point, b.id.algorithm));
        let mut text = FindingsText::new(&self.inner, &freedom);
        let mut checks = Vec::new();
        for group in groups {
            text.add(group);
            let point = group.first().and_then(|first| freedom[first.id.point].as_deref());
            checks.extend(findings_json(&self.inner, point, group));
        }
        let stops = |one: &Examination| one.contention.as_ref().is_some_and(|c| c.blocked_headers.is_err());
        let stopped = shown.iter().filter(|one| stops(one)).count();
        let refused = text.refused();
        let errors = refused.as_ref().map(|refused| render(&refused.diagnostics, &refused.sources, false));
        let deadlocks: Vec<&str> =
            refused.iter().flat_map(|refused| &refused.diagnostics).map(|d| d.message.as_str()).collect();
        let found = json!({ "checks": checks, "stopped": stopped, "deadlocks": deadlocks });
        Ok((text.text() + &errors.unwrap_or_default(), found.to_string()))
    }

    /// Returns the schedules of a point: one line per message, or the holdings of each node after each step.
    fn listing<'py>(
        &self,
        py: Python<'py>,
        point: usize,
        algorithms: Vec<String>,
        repetition: Option<u64>,
        holdings: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let wanted = Wanted { point, algorithms: &algorithms, repetition };
        let listing = if holdings { Listing::Holdings } else { Listing::Schedule };
        let text = patiently(py, None, || self.lines(&wanted, listing))?.map_err(|failure| failure.raise(py))?;
        let table = columns::from_csv(&text).map_err(|error| Failure::usage(error).raise(py))?;
        into_python(py, table)
    }

    /// Returns diagrams of the schedules of a point in one SVG. Without names, returns all legible diagrams.
    fn diagrams(
        &self,
        py: Python<'_>,
        point: usize,
        algorithms: Vec<String>,
        repetition: Option<u64>,
        diagrams: Vec<String>,
    ) -> PyResult<String> {
        let wanted = Wanted { point, algorithms: &algorithms, repetition };
        let drawn = || {
            let ids = self.chosen(&wanted)?;
            self.offers(Format::Svg, wanted.point)?;
            let diagrams: Vec<Diagram> = diagrams.iter().map(|name| diagram(name)).collect::<Result<_, _>>()?;
            draw(&self.inner, &ids, &diagrams).map(|drawing| drawing.svg).map_err(|error| match error {
                flitwise::draw::DrawError::Row(row) => Failure::row(&self.inner, &row),
                none => Failure::usage(none),
            })
        };
        patiently(py, None, drawn)?.map_err(|failure| failure.raise(py))
    }

    /// Returns the graph of each schedule, for Graphviz.
    fn dot(&self, py: Python<'_>, point: usize, algorithms: Vec<String>, repetition: Option<u64>) -> PyResult<String> {
        let wanted = Wanted { point, algorithms: &algorithms, repetition };
        let mut text = Vec::new();
        let mut write = || -> Result<(), Failure> {
            self.offers(Format::Dot, wanted.point)?;
            for id in self.chosen(&wanted)? {
                let experiment = &self.inner.points[id.point].experiment;
                let experiment = experiment.in_repetition(id).map_err(|row| Failure::row(&self.inner, &row))?;
                let planned = experiment.plan(id).map_err(|row| Failure::row(&self.inner, &row))?;
                let title = format!("{} {}", experiment.workload.variant(id.algorithm), id.repetition);
                if let Some(graph) = planned.graph() {
                    write_dot(&mut text, &title, &graph).map_err(|error| Failure::io(error, "cannot write a graph"))?;
                }
            }
            Ok(())
        };
        write().map_err(|failure| failure.raise(py))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns the operations of one schedule in GOAL.
    fn goal(
        &self,
        py: Python<'_>,
        point: usize,
        algorithms: Vec<String>,
        repetition: Option<u64>,
        flit_bytes: Option<u64>,
    ) -> PyResult<String> {
        let wanted = Wanted { point, algorithms: &algorithms, repetition };
        let written = || -> Result<Vec<u8>, Failure> {
            self.offers(Format::Goal, wanted.point)?;
            let id = self.chosen(&wanted)?[0];
            let experiment = self.inner.points[id.point].experiment.in_repetition(id);
            let experiment = experiment.map_err(|row| Failure::row(&self.inner, &row))?;
            let planned = experiment.plan(id);
            let planned = planned.map_err(|row| Failure::row(&self.inner, &row))?;
            let mut text = Vec::new();
            if let Some(goal) = planned.goal(flit_bytes) {
                let goal = goal.map_err(Failure::usage)?;
                goal.write_text(&mut text).map_err(|error| Failure::io(error, "cannot write operations"))?;
            }
            Ok(text)
        };
        let text = patiently(py, None, written)?.map_err(|failure| failure.raise(py))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Scenario {
    /// Returns the results of `compute` for every row, in order.
    fn of_rows<T: Send>(
        &self,
        work: &Work<'_>,
        compute: impl Fn(RowId) -> Result<T, Box<RowError>> + Sync,
    ) -> Result<Vec<T>, Box<RowError>> {
        let of_unit = |unit: &Unit| unit.ids().map(&compute).collect::<Result<Vec<T>, Box<RowError>>>();
        let mut all = Vec::new();
        in_order(work.pool(self.memory()), work.units, of_unit, |made| {
            let made = made?;
            work.done.add(made.len() as u64);
            all.extend(made);
            Ok::<(), Box<RowError>>(())
        })?;
        Ok(all)
    }

    fn lines(&self, wanted: &Wanted<'_>, listing: Listing) -> Result<String, Failure> {
        let format = if listing == Listing::Holdings { Format::Holdings } else { Format::Csv };
        let ids = self.chosen(wanted)?;
        self.offers(format, wanted.point)?;
        let mut lines = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        lines.write_record(listing.header(self.inner.kind())).map_err(Failure::usage)?;
        for id in ids {
            let experiment = &self.inner.points[id.point].experiment;
            listing.write(&mut lines, experiment, id).map_err(|error| match error {
                ListingError::Row(row) => Failure::row(&self.inner, &row),
                other => Failure::usage(other),
            })?;
        }
        let bytes = lines.into_inner().map_err(Failure::usage)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns an error if the workload of a point does not support `format`.
    fn offers(&self, format: Format, point: usize) -> Result<(), Failure> {
        let kind = self.inner.points[point].experiment.workload.kind();
        if kind.formats().contains(&format) {
            return Ok(());
        }
        let accepted: Vec<&str> = kind.formats().iter().map(|format| format.names()).collect();
        Err(Failure::usage(match accepted.as_slice() {
            [] => format!(
                "{} has no schedule to show: its messages are generated during the run, or are given",
                kind.in_words
            ),
            accepted => format!("{} has no {}\naccepted: {}", kind.in_words, format.names(), accepted.join(", ")),
        }))
    }

    /// Returns the selected rows of a point, at least one.
    fn chosen(&self, wanted: &Wanted<'_>) -> Result<Vec<RowId>, Failure> {
        let points = self.inner.points.len();
        if wanted.point >= points {
            let has = counted(points as u64, "point");
            let accepted = format!("0 to {}", points - 1);
            let point = wanted.point;
            return Err(Failure::usage(format!(
                "there is no point {point}: the scenario has {has}\naccepted: {accepted}"
            )));
        }
        let experiment = &self.inner.points[wanted.point].experiment;
        let variants = experiment.workload.variants();
        if let Some(name) = wanted.algorithms.iter().find(|name| !variants.contains(&name.as_str())) {
            let near = closest(name, variants.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_default();
            let accepted = variants.join(", ");
            return Err(Failure::usage(format!("the scenario has no `{name}`{near}\naccepted: {accepted}")));
        }
        if let Some(repetition) = wanted.repetition.filter(|&repetition| repetition >= experiment.repetitions) {
            let has = counted(experiment.repetitions, "repetition");
            let message = format!("there is no repetition {repetition}: a point has {has}, counted from 0");
            return Err(Failure::usage(message));
        }
        let is_wanted = |id: &RowId| {
            let algorithm = variants[id.algorithm];
            (wanted.algorithms.is_empty() || wanted.algorithms.iter().any(|name| name == algorithm))
                && wanted.repetition.is_none_or(|repetition| repetition == id.repetition)
        };
        Ok(rows_of_point(&self.inner, wanted.point).into_iter().filter(is_wanted).collect())
    }
}

fn diagram(name: &str) -> Result<Diagram, Failure> {
    let known = Diagram::ALL.into_iter().find(|(known, _)| *known == name);
    let names = Diagram::ALL.map(|(name, _)| name).join(", ");
    known
        .map(|(_, diagram)| diagram)
        .ok_or_else(|| Failure::usage(format!("there is no diagram `{name}`\naccepted: {names}")))
}
