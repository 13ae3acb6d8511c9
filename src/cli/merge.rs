//! `flitwise merge`.

use super::output::{announce, publish};
use super::ui::Ui;
use super::{Failed, Usage};
use anyhow::Result;
use clap::{Args, ValueHint};
use flitwise::output::RunInfo;
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
        ui.print(&format!("{} rows of {} journals. {}", plan.rows(), ran.shards, announce(&self.folder, &plan, &[])))
    }
}

pub(super) fn read_plan(folder: &Path) -> Result<Plan> {
    Plan::read(folder).map_err(|error| match error {
        PlanError::Io(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let folder = folder.display();
            let why = format!(
                "there are no shards in {folder}: {PLAN} is missing; accepted: the directory DIR/NAME of `run --shard`"
            );
            Usage(why).into()
        }
        error @ PlanError::Damaged => {
            let folder = folder.display();
            Usage(format!("{folder}/{PLAN} is damaged: {error}; run any shard with --resume to write it again")).into()
        }
        error => anyhow::Error::new(error).context(format!("cannot read {}", folder.join(PLAN).display())),
    })
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
    Err(Failed(text + "\nrun their shards with --resume, then merge again"))
}
