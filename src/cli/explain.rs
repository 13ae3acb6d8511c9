//! `flitwise explain`.

use super::memory::Memory;
use super::progress::{Progress, patient};
use super::rerun::{Rerun, RowChoice, refuse_unexplained};
use super::ui::Ui;
use super::{Source, at_least_one, threads, told};
use anyhow::{Error, Result};
use clap::{Args, ValueEnum};
use flitwise::kind::{Keep, MEASURED, RowError, RowId};
use flitwise::run::{Unit, WorkerPool, in_order, most_telling, selected, units};
use flitwise::scenario::Scenario;
use serde_json::{Value, json};
use std::num::NonZeroUsize;

#[derive(Args)]
pub(super) struct Explain {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    rows: RowChoice,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Number of threads [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    memory: Memory,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Sentences, the critical path, and the largest parts of the blame
    Text,
    /// JSON with all details (fields are listed below)
    Json,
}

impl Explain {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let limit = self.memory.limit();
        let scenario = patient(ui, "reading the scenario", false, || self.source.load(limit))?;
        refuse_unexplained(&scenario)?;
        let selectors = self.rows.selectors(&scenario)?;
        let memory = limit.bytes.saturating_sub(scenario.memory());
        let pool = WorkerPool { threads: threads(self.jobs), memory };
        let ids = match self.rows.is_given() {
            true => selected(&scenario, &selectors),
            false => most_telling(&scenario, &measured(ui, &scenario, pool)?),
        };
        let rerun = Rerun { ui, scenario: &scenario, limit, quiet: false };
        match self.format {
            Format::Text => print_text(&rerun, &ids),
            Format::Json => print_json(&rerun, &ids),
        }
    }
}

fn print_text(rerun: &Rerun<'_>, ids: &[RowId]) -> Result<()> {
    for (at, &id) in ids.iter().enumerate() {
        let Some(explained) = rerun.explained(id)? else { continue };
        let between = if at > 0 { "\n" } else { "" };
        let text = explained.text(rerun.ui.width());
        rerun.ui.print(&format!("{between}{}{text}", heading(rerun.scenario, id)))?;
    }
    Ok(())
}

fn print_json(rerun: &Rerun<'_>, ids: &[RowId]) -> Result<()> {
    let mut rows: Vec<Value> = Vec::new();
    for &id in ids {
        rows.extend(rerun.explained(id)?.map(|explained| explained.json()));
    }
    rerun.ui.print(&format!("{:#}\n", json!({ "rows": rows })))
}

/// Says which row it is, where the scenario has several of an algorithm.
fn heading(scenario: &Scenario, id: RowId) -> String {
    let point = &scenario.points[id.point];
    let settings =
        scenario.axes.iter().zip(point.written().iter()).map(|(axis, value)| format!("{} = {value}", axis.key));
    let mut parts: Vec<String> = settings.collect();
    if point.experiment.repetitions > 1 {
        parts.push(format!("repetition {}", id.repetition));
    }
    if parts.is_empty() { String::new() } else { format!("{}\n", parts.join(", ")) }
}

/// How long every row of `scenario` took, in order.
fn measured(ui: &Ui, scenario: &Scenario, pool: WorkerPool) -> Result<Vec<Option<u64>>> {
    let units = units(scenario);
    let tasks = units.iter().enumerate().map(|(number, unit)| (number, unit.time));
    let progress = Progress::new(ui, scenario, &units, tasks, false);
    let mut measured = Vec::new();
    let mut done = 0;
    let run = |unit: &Unit| {
        let rows = unit.ids().map(|id| scenario.points[id.point].experiment.run(id, Keep::default()));
        rows.map(|row| row.map(|row| row.value(MEASURED.name))).collect::<Result<Vec<_>, _>>()
    };
    let take = |rows: Result<Vec<Option<u64>>, Box<RowError>>| {
        progress.done(std::iter::once(done));
        done += 1;
        measured.extend(rows.map_err(|error| told(scenario, Error::new(*error)))?);
        Ok::<(), Error>(())
    };
    let work = || in_order(pool, &units, run, take);
    progress.show(|| ui.interrupts().token().run(work))??;
    Ok(measured)
}
