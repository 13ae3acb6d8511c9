//! The folder of a finished run: its manifest, and what is to be said of a folder that has none.

use super::Usage;
use super::show::{manifest, no_run, runs_in};
use super::status::Progress;
use super::ui::Ui;
use anyhow::{Context, Result};
use flitwise::draw::auto::Data;
use flitwise::output::SummaryCsv;
use flitwise::scenario::{Tick, TickLength};
use serde_json::Value;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A folder with the files of a whole run.
pub(super) struct Finished {
    folder: PathBuf,
    manifest: Value,
}

impl Finished {
    /// The run in `folder`, or in the only folder in it that has one. A run that goes on there, or has not ended, is told.
    pub(super) fn open(folder: &Path, ui: &Ui) -> Result<Self> {
        let runs = runs_in(folder)?;
        let place = folder.display();
        let run = match runs.as_slice() {
            [run] => run,
            [] => return Err(unfinished(folder)?.into()),
            [first, ..] => {
                let names: Vec<String> = runs.iter().map(|run| run.display().to_string()).collect();
                let accepted = names.join(", ");
                let hint = format!("name one of them, such as {}", first.display());
                return Err(Usage(format!("{place} has several runs; {hint}\naccepted: {accepted}")).into());
            }
        };
        if let Some(progress) = Progress::read(run)?.filter(|progress| !progress.done) {
            ui.warn(&format!("{}: {}", run.display(), progress.told));
        }
        Ok(Self { folder: run.clone(), manifest: manifest(run)? })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the scenario.
    pub(super) fn name(&self) -> &str {
        self.text("name").unwrap_or_default()
    }

    /// What the manifest says under `key`, if that is text.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.manifest[key].as_str()
    }

    /// The length of a tick.
    pub(super) fn tick_length(&self) -> TickLength {
        let first = &self.manifest["resolved"];
        let is_cycle = first["channel"]["flit_time"] == 1 && first["workload"]["traffic"].is_object();
        match self.text("tick").and_then(Tick::parse) {
            Some(tick) => TickLength::Time(tick),
            None if is_cycle => TickLength::Cycle,
            None => TickLength::Unknown,
        }
    }

    /// What `manifest.json` says.
    pub(super) fn manifest(&self) -> &Value {
        &self.manifest
    }
}

/// The table in `folder`, whose ticks have this length.
pub(super) fn table(folder: &Path, ticks: TickLength) -> Result<Data> {
    let path = folder.join(SummaryCsv::NAME);
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let data = Data::from_csv(BufReader::new(file));
    let mut data = data.map_err(|error| Usage(format!("{} is damaged: {error}", path.display())))?;
    // the manifest has the flit time of the first point
    let is_mixed = ticks == TickLength::Cycle && data.swept.iter().any(|key| key == "channel.flit_time");
    data.ticks = if is_mixed { TickLength::Unknown } else { ticks };
    Ok(data)
}

/// That `folder` has no finished run, and how far the one is that it has.
pub(super) fn unfinished(folder: &Path) -> Result<Usage> {
    let Some(Progress { told, hint, .. }) = Progress::read(folder)? else { return Ok(no_run(folder)) };
    Ok(Usage(format!("the run in {} is not finished: {told}\n{hint}", folder.display())))
}
