//! `flitwise completions`.

use super::Cli;
use super::ui::Ui;
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

#[derive(Args)]
pub(super) struct Completions {
    /// Shell
    shell: Shell,
}

impl Completions {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "flitwise", &mut script);
        let script = String::from_utf8(script)?;
        ui.print(&match self.shell {
            Shell::Zsh => script.lines().map(|line| by_extension(line) + "\n").collect(),
            _ => script,
        })
    }
}

/// A line of the script for zsh; scenarios are completed by their extension.
fn by_extension(line: &str) -> String {
    match line.contains(":scenario -- ") {
        true => line.replace(":_files'", ":_files -g \"*.toml\"'"),
        false => line.to_owned(),
    }
}
