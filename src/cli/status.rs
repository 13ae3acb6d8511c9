//! `flitwise status`.

use super::Failed;
use super::show::no_run;
use super::slurm::{FOLDER as SCRIPTS, Submitted, Turn};
use super::ui::Ui;
use anyhow::{Context, Result};
use clap::{Args, ValueHint};
use flitwise::kind::words;
use flitwise::output::{Manifest, grid};
use flitwise::sweep::{Contents, Plan, Shard, is_being_written, journals};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The reason why a run has ended that did not fail and is not complete.
const INTERRUPTED: &str = "interrupted";

#[derive(Args)]
pub(super) struct Status {
    /// Directory of a run or of shards, DIR/NAME, or directory of several runs
    #[arg(value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

struct State {
    name: &'static str,
    done: u64,
    rows: Option<u64>,
    why: String,
}

impl Status {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        if !self.folder.is_dir() {
            return Err(no_run(&self.folder).into());
        }
        let shards = shards(&self.folder)?;
        if shards.is_empty() && self.folder.join(SCRIPTS).is_dir() {
            let directory = self.folder.display();
            return ui.print(&format!("{directory}: not submitted; the scripts are written\n"));
        }
        if shards.is_empty() {
            return self.list(ui);
        }
        ui.print(&table(&shards))?;
        ui.print(&verdict(&self.folder, &shards))?;
        match shards.values().filter(|state| state.name == "failed").count() {
            0 => Ok(()),
            _ if is_whole(&shards) => Err(Failed("the run did not finish".to_owned()).into()),
            failed => {
                let all = words::counted(shards.len() as u64, "shard");
                Err(Failed(format!("{failed} of {all} failed")).into())
            }
        }
    }

    /// Prints the progress of each run in the directory, in a line.
    fn list(&self, ui: &Ui) -> Result<()> {
        let unreadable = || format!("cannot read {}", self.folder.display());
        let entries = std::fs::read_dir(&self.folder).with_context(unreadable)?;
        let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
        let mut paths = paths.with_context(unreadable)?;
        paths.retain(|path| path.is_dir());
        paths.sort();
        let mut text = String::new();
        for path in paths {
            let shards = shards(&path)?;
            if !shards.is_empty() {
                text += &format!("{}: {}", path.display(), verdict(&path, &shards));
            }
        }
        if text.is_empty() { Err(no_run(&self.folder).into()) } else { ui.print(&text) }
    }
}

/// Returns the progress of each shard of the run in `folder`, or an empty map if there is no run.
fn shards(folder: &Path) -> Result<BTreeMap<Shard, State>> {
    let mut shards: BTreeMap<Shard, State> = BTreeMap::new();
    let submitted = Submitted::read(folder)?;
    let turns = submitted.as_ref().map(Submitted::turns).unwrap_or_default();
    for path in journals(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let contents = Contents::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // a journal whose first line is damaged is of the shard that its name says
        let began = contents.began.as_ref().map(|began| began.shard);
        let damaged = || if contents.damage.is_empty() { None } else { Shard::of_journal(&path) };
        if let Some(shard) = began.or_else(damaged) {
            let turn = turns.get(&shard).copied();
            shards.insert(shard, state(&contents, is_being_written(&path), turn));
        }
    }
    for shard in submitted.iter().flat_map(Submitted::shards) {
        let turn = turns.get(&shard).copied();
        shards.entry(shard).or_insert_with(|| state(&Contents::default(), false, turn));
    }
    if let Some(count) = number_of_shards(shards.keys()) {
        // a part without rows is never started
        let parts = Plan::read(folder).map_or(0, |plan| plan.units.len().min(count.get()));
        for shard in (1..=parts).filter_map(|number| Shard::new(number, count).ok()) {
            shards.entry(shard).or_insert_with(|| state(&Contents::default(), false, None));
        }
    }
    Ok(shards)
}

/// The parts of a sweep that have a journal in `folder`.
pub(super) fn journal_shards(folder: &Path) -> Vec<Shard> {
    journals(folder).unwrap_or_default().iter().filter_map(|path| Shard::of_journal(path)).collect()
}

/// Returns the number of parts of a sweep if all of `shards` have the same, and it is more than one.
pub(super) fn number_of_shards<'a>(mut shards: impl Iterator<Item = &'a Shard>) -> Option<NonZeroUsize> {
    let count = shards.next()?.of();
    (count > NonZeroUsize::MIN && shards.all(|shard| shard.of() == count)).then_some(count)
}

/// Returns true if `shards` is a single run that is not divided.
fn is_whole(shards: &BTreeMap<Shard, State>) -> bool {
    shards.len() == 1 && shards.keys().all(|shard| shard.is_whole())
}

/// How far the run in `folder` is by its journals; none if it has none.
pub(super) struct Progress {
    /// As `flitwise status` tells it.
    pub(super) told: String,
    /// Whether all that has begun is done.
    pub(super) done: bool,
    /// The way to the files of the run.
    pub(super) hint: String,
}

impl Progress {
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let shards = shards(folder)?;
        let told = verdict(folder, &shards).trim_end().to_owned();
        let done = shards.values().all(|state| state.name == "done");
        let hint = hint(folder, &shards);
        Ok((!shards.is_empty()).then_some(Self { told, done, hint }))
    }
}

/// Returns the way to the files of the run in `folder`, which has none yet.
fn hint(folder: &Path, shards: &BTreeMap<Shard, State>) -> String {
    let has = |names: &[&str]| shards.values().any(|state| names.contains(&state.name));
    let merge = format!("`flitwise merge {}`", folder.display());
    match has(&["failed", "not started"]) {
        _ if has(&["running", "queued"]) => "wait until the run has ended".to_owned(),
        true if is_whole(shards) => "continue the run with --resume".to_owned(),
        true => format!("run the other shards with --resume, then {merge}"),
        false if is_whole(shards) => "run it again with --resume, which writes the files".to_owned(),
        false => format!("merge the shards with {merge}"),
    }
}

/// How many of `shards` are in which state.
fn counted(shards: &BTreeMap<Shard, State>) -> String {
    let count = |name: &str| shards.values().filter(|state| state.name == name).count();
    let states = ["done", "running", "queued", "failed", "not started"].map(|name| (name, count(name)));
    let states = states.into_iter().filter(|(_, count)| *count > 0);
    states.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// How many shards of the run in `folder` are how far.
fn verdict(folder: &Path, shards: &BTreeMap<Shard, State>) -> String {
    let done = shards.values().filter(|state| state.name == "done").count();
    let files = match folder.join(Manifest::NAME).exists() {
        true if done < shards.len() => "the files are from an earlier run",
        true => "the files are written",
        false if done < shards.len() => "no files yet",
        false if shards.keys().all(|shard| shard.is_whole()) => "the files are missing: run it again with --resume",
        false => "not merged yet",
    };
    match shards.values().next() {
        Some(State { name, why, done, rows }) if is_whole(shards) => {
            let name = match why.as_str() {
                "" => (*name).to_owned(),
                INTERRUPTED => INTERRUPTED.to_owned(),
                why => format!("{name} ({why})"),
            };
            let rows = rows.filter(|rows| done < rows).map(|rows| format!(", {done} of {rows} rows are finished"));
            format!("{name}{}; {files}\n", rows.unwrap_or_default())
        }
        _ => format!("{}; {files}\n", counted(shards)),
    }
}

fn state(contents: &Contents, held: bool, turn: Option<Turn>) -> State {
    let rows = contents.began.as_ref().map(|began| began.rows);
    let done = contents.rows();
    let complete = rows.is_some_and(|rows| done >= rows) || !contents.ended.is_empty() && contents.damage.is_empty();
    let (name, why) = match turn {
        _ if complete => ("done", String::new()),
        _ if held => ("running", String::new()),
        Some(Turn::Running) => ("running", String::new()),
        Some(Turn::Queued) => ("queued", String::new()),
        None if rows.is_none() && contents.damage.is_empty() => ("not started", String::new()),
        None => ("failed", reason(contents)),
    };
    State { name, done, rows, why }
}

/// Why no run goes on with a journal that is not complete.
fn reason(contents: &Contents) -> String {
    let last = contents.damage.last().and_then(|damage| damage.line);
    let last = last.map(|line| format!("line {line} is incomplete"));
    let failed = contents.failed.as_ref().and_then(|why| why.lines().next()).map(str::to_owned);
    failed.or(last).unwrap_or_else(|| INTERRUPTED.to_owned())
}

fn table(shards: &BTreeMap<Shard, State>) -> String {
    let mut lines = vec![["shard", "state", "finished", "rows"].map(str::to_owned).to_vec()];
    let mut reasons = String::new();
    for (shard, State { name, done, rows, why }) in shards {
        let rows = rows.map_or_else(String::new, |rows| rows.to_string());
        lines.push(vec![shard.to_string(), (*name).to_owned(), done.to_string(), rows]);
        if !why.is_empty() && !is_whole(shards) {
            reasons += &format!("{shard} {name}: {why}\n");
        }
    }
    format!("{}\n{reasons}", grid(lines, 2))
}
