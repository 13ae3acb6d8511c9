//! `flitwise report`.

use super::finished::unfinished;
use super::looks::{chosen, write_report};
use super::memory::Memory;
use super::rerun::{Rerun, RowChoice};
use super::show::{runs_in, scenario_of};
use super::ui::Ui;
use anyhow::Result;
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Report {
    /// Directories of finished runs: DIR/NAME, or DIR for all runs in it
    #[arg(value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    rows: RowChoice,
    #[command(flatten)]
    memory: Memory,
    /// Print only errors
    #[arg(short, long)]
    quiet: bool,
}

impl Report {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        for folder in &self.folders {
            let runs = runs_in(folder)?;
            if runs.is_empty() {
                return Err(unfinished(folder)?.into());
            }
            runs.iter().try_for_each(|run| self.write(ui, run))?;
        }
        Ok(())
    }

    /// Writes the page of the run in `folder`.
    fn write(&self, ui: &Ui, folder: &Path) -> Result<()> {
        let scenario = scenario_of(folder)?;
        let ids = chosen(&scenario, folder, &self.rows)?;
        let rerun = Rerun { ui, scenario: &scenario, limit: self.memory.limit(), quiet: self.quiet };
        let name = write_report(&rerun, folder, &ids)?;
        if self.quiet { Ok(()) } else { ui.print(&format!("Written to {}: {name}\n", folder.display())) }
    }
}
