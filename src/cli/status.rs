//! `flitwise status`.

use super::slurm::{Submitted, Turn};
use super::ui::Ui;
use super::{Failed, Usage};
use anyhow::{Context, Result};
use clap::Args;
use flitwise::output::{Manifest, grid};
use flitwise::sweep::{Contents, Shard, is_being_written, journals};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Status {
    /// The folder of a run or of shards, DIR/NAME
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
        let folder = self.folder.display();
        let mut shards: BTreeMap<Shard, State> = BTreeMap::new();
        let submitted = Submitted::read(&self.folder)?;
        let turns = submitted.as_ref().map(Submitted::turns).unwrap_or_default();
        for path in journals(&self.folder).with_context(|| format!("cannot read {folder}"))? {
            let contents = Contents::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if let Some(began) = &contents.began {
                let turn = turns.get(&began.shard).copied();
                shards.insert(began.shard, state(&contents, is_being_written(&path), turn));
            }
        }
        for shard in submitted.iter().flat_map(Submitted::shards) {
            let turn = turns.get(&shard).copied();
            shards.entry(shard).or_insert_with(|| state(&Contents::default(), false, turn));
        }
        if shards.is_empty() {
            return Err(Usage(format!("no run is in {folder}: there is no journal; it is the folder DIR/NAME")).into());
        }
        ui.print(&table(&shards))?;
        ui.print(&self.verdict(&shards))?;
        match shards.values().filter(|state| state.name == "failed").count() {
            0 => Ok(()),
            failed => Err(Failed(format!("{failed} of {} shards failed", shards.len())).into()),
        }
    }

    fn verdict(&self, shards: &BTreeMap<Shard, State>) -> String {
        let count = |name: &str| shards.values().filter(|state| state.name == name).count();
        let states = ["done", "running", "queued", "failed", "not begun"].map(|name| (name, count(name)));
        let states = states.into_iter().filter(|(_, count)| *count > 0);
        let states: Vec<String> = states.map(|(name, count)| format!("{count} {name}")).collect();
        let files = match self.folder.join(Manifest::NAME).exists() {
            true if count("done") < shards.len() => "the files are those of a run before",
            true => "the files are in place",
            false if count("done") < shards.len() => "no files yet",
            false if shards.keys().all(|shard| shard.is_whole()) => "the files are not in place: run it with --resume",
            false => "not merged yet",
        };
        format!("{}; {files}\n", states.join(", "))
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
        None if rows.is_none() => ("not begun", String::new()),
        None => ("failed", reason(contents)),
    };
    State { name, done, rows, why }
}

/// Why nobody goes on with a journal that is not complete.
fn reason(contents: &Contents) -> String {
    let last = contents.damage.last().map(|damage| format!("line {} is not whole", damage.line));
    let failed = contents.failed.as_ref().and_then(|why| why.lines().next()).map(str::to_owned);
    failed.or(last).unwrap_or_else(|| "it ended before all was done".to_owned())
}

fn table(shards: &BTreeMap<Shard, State>) -> String {
    let mut lines = vec![["shard", "state", "why", "done", "rows"].map(str::to_owned).to_vec()];
    for (shard, State { name, done, rows, why }) in shards {
        let rows = rows.map_or_else(String::new, |rows| rows.to_string());
        lines.push(vec![shard.to_string(), (*name).to_owned(), why.clone(), done.to_string(), rows]);
    }
    if shards.values().all(|state| state.why.is_empty()) {
        lines.iter_mut().for_each(|line| drop(line.remove(2)));
        return format!("{}\n", grid(lines, 2));
    }
    format!("{}\n", grid(lines, 3))
}
