//! `flitwise show`.

use super::Usage;
use super::finished::unfinished;
use super::ui::Ui;
use anyhow::{Context, Result};
use clap::{Args, ValueHint};
use flitwise::config::{Preset, closest};
use flitwise::kind::words::counted;
use flitwise::machine::PRESETS;
use flitwise::output::{Manifest, Summary, read_parts, read_rows, summary_json, table, whole_table};
use flitwise::scenario::{Options, Scenario};
use flitwise::sweep::is_backup;
use serde_json::Value;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Show {
    /// Directory of a run (DIR/NAME), directory of several runs to list, or `preset:NAME` to print
    #[arg(value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Print JSON instead of the table (fields are listed below)
    #[arg(long)]
    json: bool,
    /// Print all lines of the table
    #[arg(long)]
    all: bool,
}

impl Show {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        if let Some(name) = self.folder.to_str().and_then(Preset::name_in) {
            return self.print_preset(preset(name)?, ui);
        }
        let runs = runs_in(&self.folder)?;
        let folder = match runs.as_slice() {
            [] => return Err(unfinished(&self.folder)?.into()),
            [run] => run,
            several if self.json => {
                let names: Vec<String> = several.iter().map(|run| run.display().to_string()).collect();
                return ui.print(&format!("{}\n", serde_json::json!({ "runs": names })));
            }
            several => return list(ui, several),
        };
        let manifest = manifest(folder)?;
        let scenario = scenario(folder, &manifest)?;
        let summaries = summaries(folder, &scenario)?;
        if self.json {
            return ui.print(&format!("{:#}\n", summary_json(&scenario, &summaries)));
        }
        let version = &manifest["version"];
        let seconds = manifest["wall_time_seconds"].as_f64().unwrap_or_default();
        let ran = format!(
            "{}: written by flitwise {} in {seconds:.1} s\n",
            folder.display(),
            version.as_str().unwrap_or("?")
        );
        let print = if self.all { whole_table } else { table };
        ui.print(&(print(&scenario, &summaries, ui.width()) + &ran))
    }

    fn print_preset(&self, preset: &Preset, ui: &Ui) -> Result<()> {
        if self.json {
            let json = serde_json::json!({ "name": preset.name, "summary": preset.summary(), "toml": preset.text });
            return ui.print(&format!("{json:#}\n"));
        }
        ui.print(preset.text)
    }
}

/// Returns the preset called `name`.
///
/// # Errors
/// Returns an error with the names of all presets if there is none.
fn preset(name: &str) -> Result<&'static Preset, Usage> {
    Preset::find(&PRESETS, name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let meant = closest(name, names.iter().copied());
        let hint = meant.map(|meant| format!("; did you mean `preset:{meant}`?")).unwrap_or_default();
        Usage(format!("there is no preset `{name}`; accepted: {}{hint}", names.join(", ")))
    })
}

/// The folders of finished runs in `folder`: itself, or those in it, by name.
pub(super) fn runs_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_run = |folder: &Path| folder.join(Manifest::NAME).is_file();
    if is_run(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return Err(no_run(folder).into()) };
    let mut runs = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        if is_run(&path) {
            runs.push(path);
        }
    }
    runs.sort();
    // a backup is shown if it is named
    runs.retain(|run| !is_backup(run));
    Ok(runs)
}

/// The error that `directory` does not hold the results of a run, with the first thing to do.
pub(super) fn no_run(directory: &Path) -> Usage {
    let place = directory.display();
    let accepted = "accepted: the directory DIR/NAME of a run, or DIR";
    let first =
        "`flitwise FILE` runs a scenario and writes to results/NAME; `flitwise new` lists templates of scenarios";
    Usage(if directory.is_dir() {
        format!("there is no run in {place}; {accepted}\n{first}")
    } else if directory.exists() {
        format!("{place} is not the directory of a run; {accepted}")
    } else {
        format!("there is no directory {place}\n{first}")
    })
}

/// The way to replace a damaged file of a run.
const WRITE_AGAIN: &str = "run the scenario with --resume, which writes the files again from the finished rows";

pub(super) fn manifest(folder: &Path) -> Result<Value> {
    let path = folder.join(Manifest::NAME);
    let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&text)
        .map_err(|error| Usage(format!("{} is damaged: {error}\n{WRITE_AGAIN}", path.display())).into())
}

/// The scenario that was run in `folder`.
pub(super) fn scenario_of(folder: &Path) -> Result<Scenario> {
    scenario(folder, &manifest(folder)?)
}

/// The scenario that was run, as the manifest tells it.
fn scenario(folder: &Path, manifest: &Value) -> Result<Scenario> {
    let numbers = format!("its results are in {}", folder.join("summary.csv").display());
    let Some(text) = manifest["toml"].as_str() else {
        return Err(Usage(format!(
            "{} was written by an earlier version, which did not store the scenario; {numbers}",
            folder.display()
        ))
        .into());
    };
    let beside = Path::new(manifest["folder"].as_str().unwrap_or_default());
    let options = Options { any_figure: true, ..Options::default() };
    Scenario::parse(&folder.join(Manifest::NAME).display().to_string(), text, beside, &options).map_err(|rejected| {
        let why: Vec<String> = rejected.diagnostics.into_iter().map(|wrong| wrong.message).collect();
        Usage(format!("the scenario of {} can no longer be read: {}; {numbers}", folder.display(), why.join("; ")))
            .into()
    })
}

pub(super) fn summaries(folder: &Path, scenario: &Scenario) -> Result<Vec<Summary>> {
    let path = folder.join("rows.csv");
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut summaries = read_rows(scenario, BufReader::new(file))
        .map_err(|error| Usage(format!("{}: {error}\n{WRITE_AGAIN}", folder.display())))?;
    if let Some(parts) = &scenario.kind().parts {
        let path = folder.join(parts.file.name);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        read_parts(scenario, &mut summaries, &text);
    }
    Ok(summaries)
}

fn list(ui: &Ui, runs: &[PathBuf]) -> Result<()> {
    let mut text = String::new();
    for run in runs {
        let manifest = manifest(run)?;
        let number = |key: &str| manifest[key].as_u64().unwrap_or_default();
        let rows = counted(number("rows"), "row");
        text += &format!("{}: {rows} at {}\n", run.display(), counted(number("points"), "point"));
    }
    ui.print(&text)
}
