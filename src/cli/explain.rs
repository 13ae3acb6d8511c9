//! `flitwise explain`.

use super::memory::Memory;
use super::progress::{Progress, patient};
use super::ui::Ui;
use super::{Source, Usage, at_least_one, threads, told};
use anyhow::{Error, Result};
use clap::{Args, ValueEnum};
use flitwise::kind::{Keep, MEASURED, RowError, RowId};
use flitwise::memory::{Limit, in_words};
use flitwise::output::Explained;
use flitwise::recording::Recording;
use flitwise::run::{
    Selector, Unit, WorkerPool, in_order, most_telling, recorded, recording_memory, selected, units, why_not_recorded,
};
use flitwise::scenario::Scenario;
use serde_json::{Value, json};
use std::num::NonZeroUsize;

#[derive(Args)]
pub(super) struct Explain {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    rows: RowChoice,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Threads that compute rows [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    memory: Memory,
}

/// Which rows are looked at hop by hop.
#[derive(Args, Clone)]
pub(super) struct RowChoice {
    /// Which rows: `all`, or `point=P,algorithm=A,repetition=R` of which any part may be left out; may be given again
    /// [default: the median repetitions of the point whose algorithms differ most]
    #[arg(long = "rows", value_name = "SEL")]
    selectors: Vec<String>,
}

impl RowChoice {
    /// Whether rows are asked for.
    pub(super) fn is_given(&self) -> bool {
        !self.selectors.is_empty()
    }

    /// What is asked for of the rows of `scenario`.
    pub(super) fn selectors(&self, scenario: &Scenario) -> Result<Vec<Selector>, Usage> {
        let parse = |text: &String| Selector::parse(text, scenario).map_err(|wrong| Usage(wrong.to_string()));
        self.selectors.iter().map(parse).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Sentences, the critical path, and the largest part of the blame
    Text,
    /// All of it: {"rows": [{"point", "algorithm", "repetition", "completion", "path", "shares", "waits", "blame", "words"}]}
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
        let again = Again { ui, scenario: &scenario, limit, quiet: false };
        match self.format {
            Format::Text => print_text(&again, &ids),
            Format::Json => print_json(&again, &ids),
        }
    }
}

fn print_text(again: &Again<'_>, ids: &[RowId]) -> Result<()> {
    for (at, &id) in ids.iter().enumerate() {
        let Some(explained) = again.explained(id)? else { continue };
        let between = if at > 0 { "\n" } else { "" };
        let text = explained.text(again.ui.width());
        again.ui.print(&format!("{between}{}{text}", heading(again.scenario, id)))?;
    }
    Ok(())
}

fn print_json(again: &Again<'_>, ids: &[RowId]) -> Result<()> {
    let mut rows: Vec<Value> = Vec::new();
    for &id in ids {
        rows.extend(again.explained(id)?.map(|explained| explained.json()));
    }
    again.ui.print(&format!("{:#}\n", json!({ "rows": rows })))
}

/// Says which row it is, where the scenario has several of an algorithm.
fn heading(scenario: &Scenario, id: RowId) -> String {
    let point = &scenario.points[id.point];
    let settings =
        scenario.axes.iter().zip(point.settings.iter()).map(|(axis, value)| format!("{} = {value}", axis.key));
    let mut parts: Vec<String> = settings.collect();
    if point.experiment.repetitions > 1 {
        parts.push(format!("repetition {}", id.repetition));
    }
    if parts.is_empty() { String::new() } else { format!("{}\n", parts.join(", ")) }
}

/// Rows of a scenario that are run once more, hop by hop.
pub(super) struct Again<'a> {
    pub(super) ui: &'a Ui,
    pub(super) scenario: &'a Scenario,
    /// What a recording may take.
    pub(super) limit: Limit,
    /// Whether nothing is said meanwhile.
    pub(super) quiet: bool,
}

impl<'a> Again<'a> {
    /// The row `id`; none where nothing moves over channels.
    pub(super) fn recording(&self, id: RowId) -> Result<Option<Recording<'a>>> {
        let Self { ui, scenario, quiet, .. } = *self;
        self.refuse_large(id)?;
        let run = || ui.interrupts().token().run(|| recorded(scenario, id));
        let ended = patient(ui, "running a row again, hop by hop", quiet, run)?;
        ended.map_err(|error: Box<RowError>| told(scenario, Error::new(*error)))
    }

    /// Refuses a row whose hops do not fit into memory.
    fn refuse_large(&self, id: RowId) -> Result<(), Usage> {
        let needed = recording_memory(&self.scenario.points[id.point].experiment, id.algorithm);
        if needed <= self.limit.bytes {
            return Ok(());
        }
        let Limit { bytes, why } = self.limit;
        let needed = in_words(needed);
        let there = in_words(bytes);
        let row = format!("all hops of a row at point {} take about {needed} of memory; {there} are {why}", id.point);
        Err(Usage(format!("{row}\n--hops writes them without keeping them; --rows chooses other rows")))
    }

    /// Why the row `id` took as long as it did; none where nothing moves over channels.
    pub(super) fn explained(&self, id: RowId) -> Result<Option<Explained<'a>>> {
        let Some(recording) = self.recording(id)? else { return Ok(None) };
        let explain = || Explained::new(self.scenario, id, recording);
        Ok(Some(patient(self.ui, "looking for who blocked whom", self.quiet, explain)))
    }
}

/// Refuses scenarios of which no row moves over channels.
pub(super) fn refuse_unexplained(scenario: &Scenario) -> Result<(), Usage> {
    let reasons: Vec<Option<&str>> = scenario.points.iter().map(|point| why_not_recorded(&point.experiment)).collect();
    match reasons.first() {
        Some(Some(why)) if reasons.iter().all(Option::is_some) => {
            Err(Usage(format!("there is nothing to see hop by hop: {why}")))
        }
        _ => Ok(()),
    }
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
