//! A finished run: its rows, its files as the command writes them, plots and explanations.

use crate::columns::{Column, Table, from_csv, into_python};
use crate::errors::Failure;
use crate::patience::patiently;
use crate::scenario::Scenario;
use flitwise::draw::auto::{Data, Range, View, Wanted, plots};
use flitwise::draw::draw_timeline;
use flitwise::kind::{Detail, DetailFiles, Keep, LINKS, MEASURED, Row, RowError, RowId};
use flitwise::memory::in_words;
use flitwise::output::{
    Explained, Folder, Labels, Manifest, RowFiles, RunInfo, Summaries, Summary, SummaryCsv, outputs, table, verdict,
    whole_table, write_manifest,
};
use flitwise::report::{Front, Report};
use flitwise::run::{
    Selector, most_telling, predicted_timeline, recorded, recording_memory, selected, why_not_recorded,
};
use flitwise::scenario as core;
use flitwise::sweep::Plan;
use flitwise::timeline::Timeline;
use flitwise::units::Ticks;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The file of all messages.
const MESSAGES: &str = "messages.csv";

/// A finished run.
#[pyclass(frozen, module = "flitwise._native")]
pub(crate) struct Run {
    scenario: Arc<core::Scenario>,
    limit: flitwise::memory::Limit,
    rows: Vec<Row>,
    summaries: Vec<Summary>,
    /// True if messages are recorded.
    messages: bool,
    /// The files that rows add lines to, in reading order. The file of messages has only its header here.
    texts: Vec<(&'static str, String)>,
}

impl Run {
    /// Creates the run from all `rows` of a scenario.
    pub(crate) fn new(scenario: &Scenario, mut rows: Vec<Row>, messages: bool) -> Result<Self, Failure> {
        let Scenario { inner: scenario, limit } = scenario;
        let mut summaries = Summaries::new(scenario);
        rows.iter().for_each(|row| summaries.add(row));
        let headers = RowFiles::new(scenario, DetailFiles { messages, ..DetailFiles::default() })
            .headers()
            .map_err(Failure::usage)?;
        let mut texts: Vec<(&str, String)> = headers.into_iter().map(|header| (header.file, header.text)).collect();
        for lines in RowFiles::new(scenario, DetailFiles::default()).lines(&mut rows).map_err(Failure::usage)? {
            if let Some((_, text)) = texts.iter_mut().find(|(name, _)| *name == lines.file) {
                text.push_str(&lines.text);
            }
        }
        let summaries = summaries.finish();
        Ok(Self { scenario: Arc::clone(scenario), limit: *limit, rows, summaries, messages, texts })
    }
}

#[pymethods]
impl Run {
    /// The names of its files in reading order, without the manifest.
    #[getter]
    fn files(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.texts.iter().map(|(name, _)| *name).collect();
        names.insert(1, SummaryCsv::NAME);
        names
    }

    /// Returns the contents of the file `name`, or `None` if it does not exist.
    fn text(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        patiently(py, None, || self.file(name))?.map_err(|failure| failure.raise(py))
    }

    /// Returns the columns of the file `name`, or `None` if it does not exist.
    fn columns<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        let read = || -> Result<Option<Table>, Failure> {
            if name == MESSAGES && self.messages && self.scenario.kind().keeps_messages {
                return Ok(Some(self.message_table()));
            }
            let text = self.file(name)?;
            text.map(|text| from_csv(&text)).transpose().map_err(Failure::usage)
        };
        let table = patiently(py, None, read)?.map_err(|failure| failure.raise(py))?;
        table.map(|table| into_python(py, table)).transpose()
    }

    /// Returns the table of the command, at most `width` columns wide. Unless `all` is set, a long table is shortened.
    fn table(&self, width: Option<u16>, all: bool) -> String {
        let print = if all { whole_table } else { table };
        print(&self.scenario, &self.summaries, width)
    }

    /// Returns the best algorithm, its margin, and whether the difference is significant, as a sentence.
    fn verdict(&self) -> String {
        verdict(&self.scenario, &self.summaries)
    }

    /// Explains the completion times of the selected rows: as texts, and as JSON.
    fn explain(&self, py: Python<'_>, rows: Vec<String>, width: Option<u16>) -> PyResult<(Vec<String>, String)> {
        let explain = || -> Result<(Vec<String>, String), Failure> {
            let mut texts = Vec::new();
            let mut values = Vec::new();
            for id in self.chosen(&rows)? {
                if let Some(explained) = self.explained(id)? {
                    texts.push(explained.text(width));
                    values.push(explained.json());
                }
            }
            if texts.is_empty() {
                let experiments = self.scenario.points.iter().map(|point| &point.experiment);
                let why = experiments.filter_map(why_not_recorded).next().unwrap_or("no row is selected");
                return Err(Failure::usage(format!("there are no hops to show: {why}")));
            }
            Ok((texts, json!({ "rows": values }).to_string()))
        };
        patiently(py, None, explain)?.map_err(|failure| failure.raise(py))
    }

    /// Returns the page of the run: its table, plots, and a replay of the selected rows.
    fn report(&self, py: Python<'_>, rows: Vec<String>) -> PyResult<String> {
        let made = || -> Result<String, Failure> {
            let links = self.file(LINKS.name)?;
            let links = links.as_ref().map(String::as_bytes);
            let front = Front::new(&self.scenario, &self.summaries, self.data()?, links).map_err(Failure::usage)?;
            let mut report = Report::new(&self.scenario, front);
            for id in self.chosen(&rows)? {
                if let Some(explained) = self.explained(id)? {
                    report.add(&explained);
                } else if let Some((timeline, completion)) = self.predicted(id)? {
                    report.add_predicted(id, &timeline, completion);
                }
            }
            Ok(report.html())
        };
        patiently(py, None, made)?.map_err(|failure| failure.raise(py))
    }

    /// Returns the timeline of the first selected row, as SVG.
    fn plot_timeline(&self, py: Python<'_>, rows: Vec<String>) -> PyResult<String> {
        let drawn = || -> Result<String, Failure> {
            let ids = self.chosen(&rows)?;
            let Some(&id) = ids.first() else { return Err(Failure::usage("no row is selected")) };
            let keep = Keep { timeline: true, ..Keep::default() };
            let row = self.scenario.points[id.point].experiment.run(id, keep);
            let row = row.map_err(|error| Failure::row(&self.scenario, &error))?;
            match row.timeline {
                Some(timeline) => Ok(draw_timeline(&self.scenario, id, &timeline)),
                None => Err(Failure::usage("this workload runs no operations of ranks, so it has no timeline")),
            }
        };
        patiently(py, None, drawn)?.map_err(|failure| failure.raise(py))
    }

    /// Returns the maximum memory for recording the rows of a report, in bytes.
    fn report_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        let ids = self.chosen(&[]).map_err(|failure| failure.raise(py))?;
        let bytes = |id: &RowId| recording_memory(&self.scenario.points[id.point].experiment, id.algorithm);
        Ok(ids.iter().map(bytes).fold(0, u64::saturating_add))
    }

    /// Returns curves of the summary with error bars, as SVG.
    fn plot(&self, py: Python<'_>, wanted: PlotOptions) -> PyResult<String> {
        let drawn = || -> Result<String, Failure> {
            let data = Data { name: Some(self.scenario.name.clone()), ..self.data()? };
            let plots = plots(&data, &wanted.into_options()).map_err(Failure::Scenario)?;
            Ok(plots.document())
        };
        patiently(py, None, drawn)?.map_err(|failure| failure.raise(py))
    }

    /// Writes the files to the directory `folder`, either all of them or none.
    fn save(&self, py: Python<'_>, folder: &str, beside: &str, jobs: usize, seconds: f64) -> PyResult<()> {
        let ran = RunInfo { jobs, wall_time_seconds: seconds, resumed_rows: 0, shards: 1 };
        let write = || self.write(Path::new(folder), beside, ran);
        patiently(py, None, write)?.map_err(|failure| failure.raise(py))
    }
}

/// The options of a plot, by the names of `Run.plot` in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PlotOptions {
    x: Option<String>,
    y: Option<String>,
    conditions: Vec<String>,
    curve_keys: Vec<String>,
    /// Minimum and maximum of the x axis, then of the y axis.
    limits: [Option<f64>; 4],
    /// The logarithmic axes: x, y.
    log: Option<[bool; 2]>,
    title: Option<String>,
}

impl PlotOptions {
    fn into_options(self) -> Wanted {
        let Self { x, y, conditions, curve_keys, limits: [x_min, x_max, y_min, y_max], log, title } = self;
        let range = |least, most| Range { least, most };
        let view = View { x: range(x_min, x_max), y: range(y_min, y_max), cut: None };
        Wanted { x, y, conditions, curve_keys, view, log, title }
    }
}

impl Run {
    /// Returns the contents of the file `name`.
    fn file(&self, name: &str) -> Result<Option<String>, Failure> {
        if name == SummaryCsv::NAME {
            return Ok(Some(self.summary()?));
        }
        let Some((_, text)) = self.texts.iter().find(|(file, _)| *file == name) else { return Ok(None) };
        if name == MESSAGES { Ok(Some(text.clone() + &self.message_lines()?)) } else { Ok(Some(text.clone())) }
    }

    /// Returns the lines of all messages.
    fn message_lines(&self) -> Result<String, Failure> {
        let files = RowFiles::new(&self.scenario, DetailFiles { messages: true, ..DetailFiles::default() });
        let mut text = String::new();
        for row in &self.rows {
            let lines = files.lines(&mut [row.clone()]).map_err(Failure::usage)?;
            lines.iter().filter(|lines| lines.file == MESSAGES).for_each(|lines| text.push_str(&lines.text));
        }
        Ok(text)
    }

    fn summary(&self) -> Result<String, Failure> {
        let labels = Labels::new(&self.scenario);
        let bytes = SummaryCsv::write(&labels, &self.summaries, Vec::new()).map_err(Failure::usage)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn data(&self) -> Result<Data, Failure> {
        let mut data = Data::from_csv(self.summary()?.as_bytes()).map_err(Failure::usage)?;
        data.ticks = self.scenario.tick_length();
        Ok(data)
    }

    /// Returns the columns of `messages.csv`, converted from the records without a text in between.
    fn message_table(&self) -> Table {
        let has_queued = self.rows.iter().any(|row| row.value("queued_time").is_some());
        let names: Vec<&str> = self.rows.iter().flat_map(|row| row.details.iter().map(|_| row.algorithm)).collect();
        let of_rows = |value: fn(&Row) -> u64| self.integers(|row, _| value(row));
        let of_messages = |value: fn(&Detail) -> u64| self.integers(|_, detail| value(detail));
        let times = |value: fn(&Detail) -> Ticks| self.integers(|_, detail| value(detail).0);
        let mut table: Vec<(&str, Column)> = vec![
            ("point", of_rows(|row| row.id.point as u64)),
            ("algorithm", Column::Texts(names.into_iter().map(str::to_owned).collect())),
            ("repetition", of_rows(|row| row.id.repetition)),
            ("id", of_messages(|detail| detail.id)),
            ("src", of_messages(|detail| detail.outcome.src.0.into())),
            ("dst", of_messages(|detail| detail.outcome.dst.0.into())),
            ("flits", of_messages(|detail| detail.flits.0)),
            ("requested", times(|detail| detail.outcome.requested)),
            ("injected", times(|detail| detail.outcome.injected)),
            ("delivered", times(|detail| detail.outcome.delivered)),
            ("received", times(|detail| detail.outcome.received)),
            ("hops", of_messages(|detail| detail.outcome.hops.into())),
            ("blocked", times(|detail| detail.outcome.blocked_time)),
        ];
        if has_queued {
            table.push(("queued", times(|detail| detail.outcome.queued())));
        }
        table.push(("began", times(|detail| detail.began.at)));
        table.push(("cause", self.causes()));
        table.push(("after", self.predecessors()));
        table.into_iter().map(|(name, column)| (name.to_owned(), column)).collect()
    }

    fn details(&self) -> impl Iterator<Item = (&Row, &Detail)> {
        self.rows.iter().flat_map(|row| row.details.iter().map(move |detail| (row, detail)))
    }

    #[expect(clippy::cast_possible_wrap, reason = "times are below 2^62, and numbers of messages below 2^63")]
    fn integers(&self, value: impl Fn(&Row, &Detail) -> u64) -> Column {
        Column::Integers(self.details().map(|(row, detail)| value(row, detail) as i64).collect())
    }

    fn causes(&self) -> Column {
        Column::Texts(self.details().map(|(_, detail)| detail.began.cause.name().to_owned()).collect())
    }

    /// Returns the message after which each send began, or NaN if there is none.
    #[expect(clippy::cast_precision_loss, reason = "there are no 2^53 messages")]
    fn predecessors(&self) -> Column {
        let after = |(row, detail): (&Row, &Detail)| {
            let before = detail.began.cause.after();
            before.map_or(f64::NAN, |before| row.details[before.index()].id as f64)
        };
        Column::Numbers(self.details().map(after).collect())
    }

    /// Returns the rows that `rows` select. Without selectors, returns the median rows of the point that differs most.
    fn chosen(&self, rows: &[String]) -> Result<Vec<RowId>, Failure> {
        if rows.is_empty() {
            let measured: Vec<Option<u64>> = self.rows.iter().map(|row| row.value(MEASURED.name)).collect();
            return Ok(most_telling(&self.scenario, &measured));
        }
        let parse = |text: &String| Selector::parse(text, &self.scenario).map_err(Failure::usage);
        Ok(selected(&self.scenario, &rows.iter().map(parse).collect::<Result<Vec<_>, _>>()?))
    }

    fn explained(&self, id: RowId) -> Result<Option<Explained<'_>>, Failure> {
        let needed = recording_memory(&self.scenario.points[id.point].experiment, id.algorithm);
        if needed > self.limit.bytes {
            let flitwise::memory::Limit { bytes, why } = self.limit;
            let needed = in_words(needed);
            let there = in_words(bytes);
            let row = format!("all hops of a row at point {} need about {needed} of memory", id.point);
            return Err(Failure::usage(format!("{row}; {there} are {why}")));
        }
        let recording = recorded(&self.scenario, id);
        let recording = recording.map_err(|error: Box<RowError>| Failure::row(&self.scenario, &error))?;
        Ok(recording.map(|recording| Explained::new(&self.scenario, id, recording)))
    }

    /// Returns the timeline of a row under the model and its completion, or `None` for rows that ran on a network.
    fn predicted(&self, id: RowId) -> Result<Option<(Box<Timeline>, Ticks)>, Failure> {
        predicted_timeline(&self.scenario, id).map_err(|error: Box<RowError>| Failure::row(&self.scenario, &error))
    }

    fn write(&self, target: &Path, beside: &str, ran: RunInfo) -> Result<(), Failure> {
        let unwritten = |error: io::Error| Failure::io(error, format!("cannot write to {}", target.display()));
        if let Some(name) = outputs().into_iter().find(|name| target.join(name).exists()) {
            let message = format!("{name} already exists; save to another directory");
            return Err(unwritten(io::Error::new(io::ErrorKind::AlreadyExists, message)));
        }
        let kept = DetailFiles { messages: self.messages, ..DetailFiles::default() };
        let mut manifest = Plan::new(&self.scenario, kept).map_err(Failure::usage)?.manifest;
        manifest["folder"] = beside.into();
        let folder = Folder::open(target).map_err(unwritten)?;
        let mut names = self.files();
        for name in &names {
            let text = self.file(name)?.unwrap_or_default();
            let mut output = folder.output(name).map_err(unwritten)?;
            output.write_all(text.as_bytes()).and_then(|()| Folder::close(output)).map_err(unwritten)?;
        }
        names.push(Manifest::NAME);
        let mut output = folder.output(Manifest::NAME).map_err(unwritten)?;
        write_manifest(&mut output, &manifest, ran).map_err(|error| unwritten(error.into()))?;
        Folder::close(output).map_err(unwritten)?;
        folder.commit(&names, &[]).map_err(unwritten)
    }
}
