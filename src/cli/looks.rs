//! Rows looked at hop by hop when a run has ended: its page, and its traces.

use super::Usage;
use super::finished::table;
use super::progress::patient;
use super::rerun::{Rerun, RowChoice, refuse_unexplained};
use super::show::summaries;
use super::target::{write_file, write_whole};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use flitwise::kind::{LINKS, MEASURED, PREDICTED, RowId};
use flitwise::output::{TRACE, clear, write_perfetto};
use flitwise::report::{Front, REPORT, Report};
use flitwise::run::{most_telling, selected};
use flitwise::scenario::Scenario;
use std::fs::File;
use std::path::Path;

/// Options for the page and the traces of rows that are simulated again.
#[derive(Args)]
pub(super) struct Looks {
    /// Also write report.html: result, plots, and a replay that shows which messages blocked which
    #[arg(long, conflicts_with = "shard")]
    html: bool,
    /// Also write a hop-by-hop trace for an external viewer, one file per row
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "shard")]
    trace: Option<Trace>,
    #[command(flatten)]
    rows: RowChoice,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Trace {
    /// Trace for https://ui.perfetto.dev, in ALGORITHM-pPOINT-rREPETITION.pftrace
    Perfetto,
}

impl Looks {
    /// Refuses what `scenario` cannot show, and rows that it does not have.
    pub(super) fn check(&self, scenario: &Scenario) -> Result<(), Usage> {
        self.rows.selectors(scenario)?;
        if self.rows.is_given() && !self.html && self.trace.is_none() {
            return Err(Usage("--rows requires --html or --trace".to_owned()));
        }
        if self.trace.is_some() { refuse_unexplained(scenario) } else { Ok(()) }
    }

    /// Looks at rows of the finished run in `folder`, and writes what is asked for there; the names of the files.
    pub(super) fn write(&self, rerun: &Rerun<'_>, folder: &Path) -> Result<Vec<String>> {
        let mut names = Vec::new();
        if !self.html && self.trace.is_none() {
            return Ok(names);
        }
        // what a run left that was killed; what cannot be removed stays, and is in the way of nothing
        let _ = clear(folder);
        let ids = chosen(rerun.scenario, folder, &self.rows)?;
        if self.html {
            names.push(write_report(rerun, folder, &ids)?);
        }
        if self.trace.is_some() {
            for &id in &ids {
                names.extend(write_trace(rerun, folder, id)?);
            }
        }
        Ok(names)
    }
}

/// The rows that are looked at: those that are asked for, or else those that tell most.
pub(super) fn chosen(scenario: &Scenario, folder: &Path, rows: &RowChoice) -> Result<Vec<RowId>> {
    if rows.is_given() {
        return Ok(selected(scenario, &rows.selectors(scenario)?));
    }
    let measured = times(folder, MEASURED.name)?;
    if measured.iter().any(Option::is_some) {
        return Ok(most_telling(scenario, &measured));
    }
    Ok(most_telling(scenario, &times(folder, PREDICTED.name)?))
}

/// The times in the column `name` of `rows.csv` in `folder`, row by row. Empty if there is no such column.
fn times(folder: &Path, name: &str) -> Result<Vec<Option<u64>>> {
    let path = folder.join("rows.csv");
    let unread = || format!("cannot read {}", path.display());
    let mut csv = csv::Reader::from_path(&path).with_context(unread)?;
    let Some(place) = csv.headers().with_context(unread)?.iter().position(|column| column == name) else {
        return Ok(Vec::new());
    };
    let value = |record: csv::Result<csv::StringRecord>| Ok(record?[place].parse().ok());
    csv.records().map(value).collect::<csv::Result<_>>().with_context(unread)
}

/// Writes the page of the run in `folder`, with the rows `ids` to replay; the name of the file.
pub(super) fn write_report(rerun: &Rerun<'_>, folder: &Path, ids: &[RowId]) -> Result<String> {
    let mut report = Report::new(rerun.scenario, front(rerun.scenario, folder)?);
    for &id in ids {
        if let Some(explained) = rerun.explained(id)? {
            report.add(&explained);
        } else if let Some((timeline, completion)) = rerun.predicted(id)? {
            report.add_predicted(id, &timeline, completion);
        }
    }
    let html = patient(rerun.ui, "writing the page", rerun.quiet, || report.html());
    write_whole(&folder.join(REPORT), html.as_bytes())?;
    Ok(REPORT.to_owned())
}

/// What the page shows beside replays.
fn front(scenario: &Scenario, folder: &Path) -> Result<Front> {
    let path = folder.join(LINKS.name);
    let unread = || format!("cannot read {}", path.display());
    let links = if path.is_file() { Some(File::open(&path).with_context(unread)?) } else { None };
    Front::new(scenario, &summaries(folder, scenario)?, table(folder, scenario.tick_length())?, links)
        .with_context(unread)
}

/// Writes the trace of the row `id`; the name of the file, if anything moved.
fn write_trace(rerun: &Rerun<'_>, folder: &Path, id: RowId) -> Result<Option<String>> {
    let Some(recording) = rerun.recording(id)? else { return Ok(None) };
    let scenario = rerun.scenario;
    let algorithm = scenario.points[id.point].experiment.workload.variant(id.algorithm);
    let name = format!("{algorithm}-p{}-r{}{TRACE}", id.point, id.repetition);
    let tick = scenario.tick.as_ref();
    write_file(&folder.join(&name), |out| Ok(write_perfetto(out, &recording, tick)?))?;
    Ok(Some(name))
}
