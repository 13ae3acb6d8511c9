//! `flitwise completions`.

use super::Cli;
use super::ui::Ui;
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

#[derive(Args)]
#[command(after_help = "Examples:
  flitwise completions bash > ~/.local/share/bash-completion/completions/flitwise
  flitwise completions zsh > ~/.zfunc/_flitwise
  flitwise completions fish > ~/.config/fish/completions/flitwise.fish")]
pub(super) struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "flitwise", &mut script);
        let script = String::from_utf8(script)?;
        ui.print(&match self.shell {
            // scenarios by their extension
            Shell::Zsh => script.replace("_files'", "_files -g \"*.toml\"'"),
            _ => script,
        })
    }
}
