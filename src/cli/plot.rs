//! `flitwise plot`.

use super::Told;
use super::finished::{Finished, table};
use super::target::write_whole;
use super::ui::Ui;
use anyhow::Result;
use clap::{Args, ValueHint};
use flitwise::draw::auto::{Wanted, plots};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Plot {
    /// The folder of a finished run, DIR/NAME
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// What is along the x axis: a swept key, or the end of its name; or `algorithm` [default: the key with most numbers]
    #[arg(long, value_name = "KEY")]
    x: Option<String>,
    /// What is up the y axis: a column of summary.csv; `X` is `X_mean` [default: `measured_mean`, or what the run is for]
    #[arg(long, value_name = "COLUMN")]
    y: Option<String>,
    /// Plot only where this condition on swept keys holds, as in "channel.buffer >= 4"; several must all hold
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<String>,
    /// Write to this file, which appears whole or not at all, instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

impl Plot {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let run = Finished::open(&self.folder, ui)?;
        let data = table(run.folder(), run.text("tick"))?;
        let wanted = Wanted { x: self.x.clone(), y: self.y.clone(), conditions: self.conditions.clone() };
        let plots = plots(&data, &wanted).map_err(Told::from_options)?;
        let svg = plots.document(run.name());
        match &self.out {
            None => ui.print(&svg),
            Some(path) => write_whole(path, svg.as_bytes()),
        }
    }
}
