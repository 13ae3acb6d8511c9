//! `flitwise merge`.

use super::output::{announce, publish};
use super::status::{journal_shards, number_of_shards};
use super::ui::Ui;
use super::{Failed, Usage};
use anyhow::Result;
use clap::{Args, ValueHint};
use flitwise::kind::words::counted;
use flitwise::output::{Manifest, RunInfo, ranges};
use flitwise::sweep::{PLAN, Plan, PlanError, Store};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Merge {
    /// Directory of the shards, DIR/NAME
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Print only errors
    #[arg(short, long)]
    quiet: bool,
}

/// How many missing units are named.
const NAMED: usize = 20;

impl Merge {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let plan = read_plan(&self.folder)?;
        let mut store = Store::to_merge(&self.folder, &plan)?;
        for damage in store.damage() {
            ui.warn(&damage.to_string());
        }
        refuse_gaps(&plan, &store)?;
        let ran = RunInfo {
            jobs: store.endings().iter().map(|ending| ending.jobs).max().unwrap_or(0),
            wall_time_seconds: store.endings().iter().map(|ending| ending.seconds).sum(),
            resumed_rows: plan.rows(),
            shards: store.journals(),
        };
        publish(&plan, &mut store, ran)?;
        if self.quiet {
            return Ok(());
        }
        ui.print(&format!(
            "{} with {} merged. {}",
            counted(ran.shards as u64, "shard"),
            counted(plan.rows(), "row"),
            announce(&self.folder, &plan, &[])
        ))
    }
}

pub(super) fn read_plan(folder: &Path) -> Result<Plan> {
    Plan::read(folder).map_err(|error| match error {
        PlanError::Io(error) if error.kind() == std::io::ErrorKind::NotFound => no_shards(folder).into(),
        error @ PlanError::Damaged => {
            let folder = folder.display();
            Usage(format!("{folder}/{PLAN} is damaged: {error}; run any shard with --resume to write it again")).into()
        }
        error => anyhow::Error::new(error).context(format!("cannot read {}", folder.join(PLAN).display())),
    })
}

/// The error that `folder` has no shards, with the reason.
fn no_shards(folder: &Path) -> Usage {
    let directory = folder.display();
    let accepted = "accepted: the directory DIR/NAME of `run --shard`";
    Usage(if !folder.exists() {
        format!("there is no directory {directory}; {accepted}")
    } else if folder.join(Manifest::NAME).exists() {
        format!("there are no shards in {directory}, which has the files of a complete run; {accepted}")
    } else {
        format!("there are no shards in {directory}; {accepted}")
    })
}

/// Names the shards that have no journal, such as `shards 2-3 of 3`, if there are any.
fn missing_shards(plan: &Plan, store: &Store) -> Option<String> {
    let shards = journal_shards(store.folder());
    let count = number_of_shards(shards.iter())?;
    let parts = plan.units.len().min(count.get());
    let numbers: Vec<usize> =
        (1..=parts).filter(|number| shards.iter().all(|shard| shard.number() != *number)).collect();
    let noun = if numbers.len() == 1 { "shard" } else { "shards" };
    (!numbers.is_empty()).then(|| format!("{noun} {} of {count}", ranges(&numbers, ", ")))
}

fn refuse_gaps(plan: &Plan, store: &Store) -> Result<(), Failed> {
    let missing = store.missing();
    if missing.is_empty() {
        return Ok(());
    }
    let rows: u64 = missing.iter().map(|&unit| plan.units[unit].rows).sum();
    let mut points: Vec<usize> = missing.iter().map(|&unit| plan.units[unit].point).collect();
    points.dedup();
    let mut text =
        format!("{rows} of {} rows are missing, at {} of {} points:", plan.rows(), points.len(), plan.points.len());
    for &unit in missing.iter().take(NAMED) {
        text += &format!("\n  {}", plan.in_words(&plan.units[unit]));
    }
    if missing.len() > NAMED {
        text += &format!("\n  and {} more", missing.len() - NAMED);
    }
    if let Some(shards) = missing_shards(plan, store) {
        text += &format!("\n{shards} not started");
    }
    Err(Failed(text + "\nrun their shards with `flitwise run FILE --shard I/N --resume`, then merge again"))
}
