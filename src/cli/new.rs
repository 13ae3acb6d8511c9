//! `flitwise new`: scenarios to begin with, which run as they are.

use super::Usage;
use super::ui::Ui;
use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueHint};
use flitwise::kind::Template;
use flitwise::workload::KINDS;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct New {
    /// Workload, or another template [default: list the templates]
    #[arg(value_parser = kinds(), hide_possible_values = true)]
    kind: Option<String>,
    /// Directory for the scenario and the files that it names
    #[arg(short, long, value_name = "DIR", requires = "kind", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

/// What can be begun.
struct Choice {
    name: &'static str,
    summary: &'static str,
    template: Template,
}

/// Templates of what is no workload.
const OTHERS: [Choice; 3] = [
    Choice {
        name: "sweep",
        summary: "a scenario with many points",
        template: Template { scenario: include_str!("templates/sweep.toml"), files: &[] },
    },
    Choice {
        name: "figure",
        summary: "a sweep with a plot and a claim",
        template: Template { scenario: include_str!("templates/figure.toml"), files: &[] },
    },
    Choice {
        name: "machine",
        summary: "a machine file that scenarios include",
        template: Template { scenario: include_str!("templates/machine.toml"), files: &[] },
    },
];

fn choices() -> impl Iterator<Item = Choice> {
    let workloads = KINDS.iter().map(|kind| Choice { name: kind.name, summary: kind.summary, template: kind.template });
    workloads.chain(OTHERS)
}

fn kinds() -> PossibleValuesParser {
    choices().map(|choice| PossibleValue::new(choice.name).help(choice.summary)).collect::<Vec<_>>().into()
}

impl New {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let wanted = |choice: &Choice| self.kind.as_deref() == Some(choice.name);
        let Some(Choice { name, template, .. }) = choices().find(wanted) else { return ui.print(&list()) };
        let Some(out) = &self.out else {
            if let [(file, _), ..] = template.files {
                ui.note(&format!(
                    "note: this scenario needs {file}; `flitwise new {name} --out DIR` writes all its files"
                ));
            }
            return ui.print(template.scenario);
        };
        std::fs::create_dir_all(out).with_context(|| format!("cannot create the directory {}", out.display()))?;
        let scenario = format!("{name}.toml");
        let files =
            std::iter::once((scenario.as_str(), template.scenario.as_bytes())).chain(template.files.iter().copied());
        let mut written = Vec::new();
        for (file, bytes) in files {
            let path = out.join(file);
            write_new(&path, bytes)?;
            written.push(path.display().to_string());
        }
        ui.print(&format!("Written: {}\n", written.join(", ")))
    }
}

/// Writes a file that must not be there.
fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(bytes));
    match written {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Usage(format!("{} already exists; choose another --out", path.display())).into())
        }
        written => written.with_context(|| format!("cannot write {}", path.display())),
    }
}

fn list() -> String {
    let width = choices().map(|choice| choice.name.len()).max().unwrap_or(0);
    let line = |choice: Choice| format!("  {:width$}  {}\n", choice.name, choice.summary);
    let lines: String = choices().map(line).collect();
    format!("Templates with comments:\n{lines}\nflitwise new KIND > mine.toml\n")
}
