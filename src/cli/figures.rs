//! `flitwise figures`.

use super::ui::Ui;
use super::{Usage, all_cores, available_memory, load};
use anyhow::{Context, Error, Result};
use clap::Args;
use flitwise::config::closest;
use flitwise::figures::{
    Entry, FigureError, FigureFile, Verdict, compute_watched, diagrams, file_name, judge, page, plot,
};
use flitwise::report::Folder;
use flitwise::run::Rows;
use flitwise::scenario::{Figure, LoadError, Options, Rejected, Scenario};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Figures {
    /// Which figures, by the names of their scenarios [default: all]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Folder of results: README.md, and paper/ with tables and plots
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Folder of scenarios
    #[arg(long, value_name = "DIR", default_value = "scenarios/paper")]
    scenarios: PathBuf,
    /// Run nothing: judge and draw what tables there are
    #[arg(long)]
    no_run: bool,
    /// Threads that compute rows; every number gives the same bytes [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// The name of the page of verdicts.
const PAGE: &str = "README.md";

impl Figures {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let all = self.load()?;
        let known = || all.iter().map(|scenario| scenario.name.as_str());
        if let Some(id) = self.ids.iter().find(|id| !known().any(|name| name == *id)) {
            let hint = closest(id, known()).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let all = known().collect::<Vec<_>>().join(", ");
            return Err(Usage(format!("no figure is called `{id}`{hint}\naccepted: {all}")).into());
        }
        let paper = self.out.join("paper");
        let mut entries = Vec::new();
        for scenario in &all {
            let wanted = self.ids.is_empty() || self.ids.contains(&scenario.name);
            if wanted && !self.no_run {
                ui.note(&scenario.name);
                self.run(ui, scenario, &paper)?;
            }
            if let Some(entry) = entry(scenario, &paper)? {
                if wanted {
                    draw(scenario, &entry.figure, &paper)?;
                }
                entries.push(entry);
            }
        }
        let folder = Folder::open(&self.out)?;
        write(&folder, PAGE, &page(&entries))?;
        folder.commit(&[PAGE], &[])?;
        ui.print(&summary(&entries, &self.out))
    }

    /// Every scenario with a figure, by name.
    fn load(&self) -> Result<Vec<Scenario>> {
        let read = || format!("cannot read the scenarios in {}", self.scenarios.display());
        let paths = std::fs::read_dir(&self.scenarios).with_context(read)?;
        let mut paths: Vec<PathBuf> =
            paths.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>().with_context(read)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        let options = Options { set: Vec::new(), memory: Some(available_memory()) };
        let mut scenarios = Vec::new();
        for path in paths {
            let scenario = load(&path, &options)?;
            if scenario.figure.is_some() {
                scenarios.push(scenario);
            }
        }
        Ok(scenarios)
    }

    /// Writes the tables of `scenario`.
    fn run(&self, ui: &Ui, scenario: &Scenario, paper: &Path) -> Result<()> {
        let bar = ui.progress(Rows::of(scenario).count(), false);
        let computed = compute_watched(scenario, self.jobs.unwrap_or_else(all_cores), || bar.inc(1));
        bar.finish_and_clear();
        let files = computed.map_err(|error| match error {
            FigureError::Row(row) => Error::new(*row),
            other => Error::new(other),
        })?;
        let folder = Folder::open(paper)?;
        let mut names = Vec::new();
        for (table, text) in &files {
            names.push(file_name(&scenario.name, *table));
            write(&folder, &file_name(&scenario.name, *table), text)?;
        }
        Ok(folder.commit(&names.iter().map(String::as_str).collect::<Vec<_>>(), &[])?)
    }
}

/// Writes the picture of `scenario`, if it has one: the plot of its summary in `paper`, or diagrams of what it plans.
fn draw(scenario: &Scenario, figure: &Figure, paper: &Path) -> Result<()> {
    let svg = if let Some(drawn) = &figure.plot {
        let summary = std::fs::read_to_string(paper.join(file_name(&scenario.name, None)))?;
        plot(drawn, figure, &summary, &axes(scenario)).with_context(|| scenario.name.clone())?
    } else if let Some(svg) = diagrams(scenario).with_context(|| scenario.name.clone())? {
        svg
    } else {
        return Ok(());
    };
    let name = format!("{}.svg", scenario.name);
    let folder = Folder::open(paper)?;
    write(&folder, &name, &svg)?;
    Ok(folder.commit(&[&name], &[])?)
}

fn axes(scenario: &Scenario) -> Vec<&str> {
    scenario.axes.iter().map(|axis| axis.key.as_str()).collect()
}

fn write(folder: &Folder, name: &str, text: &str) -> Result<()> {
    let mut output = folder.output(name)?;
    output.write_all(text.as_bytes())?;
    Ok(Folder::close(output)?)
}

/// What became of the claims of `scenario` by its tables in `paper`; none if it has not been run.
fn entry(scenario: &Scenario, paper: &Path) -> Result<Option<Entry>> {
    let Some(figure) = &scenario.figure else { return Ok(None) };
    if !paper.join(file_name(&scenario.name, None)).exists() {
        return Ok(None);
    }
    let files = tables(scenario, figure, paper)?;
    let judgements = judge(figure, &files, &axes(scenario)).map_err(|wrong| {
        let sources = scenario.document.sources.clone();
        LoadError::Rejected(Rejected { diagnostics: vec![wrong], sources })
    })?;
    let mut names: Vec<String> = files.iter().map(|(table, _)| file_name(&scenario.name, *table)).collect();
    names.extend(figure.is_drawn().then(|| format!("{}.svg", scenario.name)));
    Ok(Some(Entry { id: scenario.name.clone(), figure: figure.clone(), judgements, files: names }))
}

fn tables(scenario: &Scenario, figure: &Figure, paper: &Path) -> Result<Vec<FigureFile>> {
    let tables = std::iter::once(None).chain(figure.tables.iter().copied().map(Some));
    let read = |table| {
        let path = paper.join(file_name(&scenario.name, table));
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((table, text))
    };
    tables.map(read).collect()
}

/// How many claims came out how, and which fail.
fn summary(entries: &[Entry], out: &Path) -> String {
    let mut text = String::new();
    let count = |verdict| {
        let judged = entries.iter().flat_map(|entry| &entry.judgements);
        judged.filter(|judgement| judgement.verdict == verdict).count()
    };
    for entry in entries {
        for (claim, judgement) in entry.figure.claims.iter().zip(&entry.judgements) {
            if judgement.verdict == Verdict::Fails {
                text += &format!("{}: fails: {}\n  measured: {}\n", entry.id, claim.says, judgement.measured);
            }
        }
    }
    let counts = [Verdict::Holds, Verdict::Fails, Verdict::Irreproducible].map(count);
    let [holds, fails, lost] = counts;
    text + &format!("{} claims hold, {fails} fail, {lost} cannot be reproduced: {}\n", holds, out.join(PAGE).display())
}
