//! `flitwise figures`.

use super::memory::Memory;
use super::output::quoted;
use super::ui::Ui;
use super::work::Work;
use super::{Interrupted, Usage, at_least_one, threads};
use anyhow::{Context, Error, Result};
use clap::{Args, ValueHint};
use flitwise::config::closest;
use flitwise::figures::{
    Cover, Entry, FigureFile, Judgement, PlotError, Tables, Verdict, diagrams, file_name, judge, page, plot,
};
use flitwise::output::Folder;
use flitwise::run::WorkerPool;
use flitwise::scenario::{Figure, LoadError, Options, Scenario};
use flitwise::sweep::{Mode, Plan, Shard, Store, gather};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Figures {
    /// Which figures, by the names of their scenarios [default: all]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Folder of results: README.md, and paper/ with tables and plots; of other scenarios all in a folder that is
    /// called like theirs
    #[arg(short, long, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Folder of scenarios
    #[arg(long, value_name = "DIR", default_value = PAPERS)]
    scenarios: PathBuf,
    /// Run nothing: judge and draw what tables there are
    #[arg(long)]
    no_run: bool,
    /// Threads that compute rows, at most four for each core; every number gives the same bytes [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    memory: Memory,
    /// Go on with the figure that was interrupted; those before it are run again unless they are left out
    #[arg(long, conflicts_with = "no_run")]
    resume: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

/// The scenarios of the papers.
const PAPERS: &str = "scenarios/paper";

/// The folder, beside the tables, of journals of figures that are being computed.
const RUNS: &str = ".runs";

/// The name of the page of verdicts.
const PAGE: &str = "README.md";

/// Where what is written goes.
struct Places {
    tables: PathBuf,
    page: PathBuf,
    cover: Cover,
}

impl Figures {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let all = self.load()?;
        let known = || all.iter().map(|scenario| scenario.name.as_str());
        if let Some(id) = self.ids.iter().find(|id| !known().any(|name| name == *id)) {
            let hint = closest(id, known()).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let all = known().collect::<Vec<_>>().join(", ");
            return Err(Usage(format!("no figure is called `{id}`{hint}\naccepted: {all}")).into());
        }
        let places = self.places()?;
        let tables = &places.tables;
        let mut entries = Vec::new();
        for scenario in &all {
            let wanted = self.ids.is_empty() || self.ids.contains(&scenario.name);
            if wanted && !self.no_run {
                if !self.quiet {
                    ui.note(&scenario.name);
                }
                self.run(ui, scenario, tables)?;
            }
            if let Some(entry) = entry(scenario, tables)? {
                if wanted {
                    draw(scenario, &entry.figure, tables)?;
                }
                entries.push(entry);
            }
        }
        let folder = Folder::open(&places.page)?;
        write(&folder, PAGE, &page(&places.cover, &entries))?;
        folder.commit(&[PAGE], &[])?;
        if self.quiet { Ok(()) } else { ui.print(&summary(&entries, &places.page)) }
    }

    /// Those of the papers have their page above their tables, others beside them.
    fn places(&self) -> Result<Places> {
        let found = self.found()?;
        if std::fs::canonicalize(PAPERS).is_ok_and(|papers| papers == found) {
            return Ok(Places { tables: self.out.join("paper"), page: self.out.clone(), cover: Cover::papers() });
        }
        let Some(name) = found.file_name() else {
            let root = self.scenarios.display();
            return Err(Usage(format!("`{root}` has no name that its results could be called by")).into());
        };
        let tables = self.out.join(name);
        let path: PathBuf = self.scenarios.components().collect();
        let cover = Cover::scenarios(&name.to_string_lossy(), &path.to_string_lossy());
        Ok(Places { page: tables.clone(), tables, cover })
    }

    /// The folder of scenarios by its full name.
    fn found(&self) -> Result<PathBuf> {
        std::fs::canonicalize(&self.scenarios).with_context(|| self.unreadable())
    }

    fn unreadable(&self) -> String {
        format!("cannot read the scenarios in {}", self.scenarios.display())
    }

    fn load(&self) -> Result<Vec<Scenario>> {
        let read = || self.unreadable();
        let paths = std::fs::read_dir(&self.scenarios).with_context(read)?;
        let mut paths: Vec<PathBuf> =
            paths.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>().with_context(read)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        let options = Options { memory: Some(self.memory.limit()), ..Options::default() };
        let mut scenarios = Vec::new();
        for path in paths {
            let scenario = Scenario::load(&path, &options)?;
            if scenario.figure.is_some() {
                scenarios.push(scenario);
            }
        }
        Ok(scenarios)
    }

    /// Computes the rows of `scenario` into a journal, writes its tables, and removes the journal.
    fn run(&self, ui: &Ui, scenario: &Scenario, place: &Path) -> Result<()> {
        let plan = Plan::new(scenario, false)?;
        let runs = place.join(RUNS);
        let journal = runs.join(&scenario.name);
        let mode = if self.resume { Mode::Resume } else { Mode::Force };
        let mut store = Store::open(&journal, &plan, Shard::WHOLE, mode)?;
        let advice = self.how_to_go_on();
        let keeps = ui.interrupts().keep(journal.join(Shard::WHOLE.journal()), advice);
        let missing = store.missing();
        let rows: u64 = missing.iter().map(|&unit| plan.units[unit].rows).sum();
        let memory = self.memory.limit().bytes.saturating_sub(scenario.memory());
        let pool = WorkerPool { threads: threads(self.jobs), memory };
        let work = Work { scenario, plan: &plan, messages: false, pool, quiet: self.quiet };
        let done = work.run(ui, &mut store, &missing)?;
        if done < rows {
            let name = &scenario.name;
            let kept = format!("interrupted while {name} was computed; what is done of it is kept");
            return Err(Interrupted(format!("{kept}; {}", self.how_to_go_on())).into());
        }
        write_tables(scenario, place, &tables_of(scenario, &plan, &mut store)?)?;
        drop(keeps);
        drop(store);
        std::fs::remove_dir_all(&journal).with_context(|| format!("cannot remove {}", journal.display()))?;
        // other figures may have been interrupted, and keep theirs
        let _ = std::fs::remove_dir(&runs);
        Ok(())
    }

    fn how_to_go_on(&self) -> String {
        let mut command = quoted(std::env::args_os());
        if !self.resume {
            command += " --resume";
        }
        format!("go on with\n  {command}")
    }
}

pub(super) fn tables_of(scenario: &Scenario, plan: &Plan, store: &mut Store) -> Result<Vec<FigureFile>> {
    let mut tables = Tables::new(scenario);
    let summaries = gather(plan, store, |file, lines| {
        tables.add(file, lines);
        Ok(())
    })?;
    Ok(tables.finish(&summaries)?)
}

pub(super) fn judged(scenario: &Scenario, figure: &Figure, files: &[FigureFile]) -> Result<Vec<Judgement>> {
    let judged = judge(figure, files, &axes(scenario));
    Ok(judged.map_err(|wrong| LoadError::Rejected(scenario.reject(vec![wrong])))?)
}

/// Writes the tables of `scenario`, all or none.
fn write_tables(scenario: &Scenario, place: &Path, files: &[FigureFile]) -> Result<()> {
    let folder = Folder::open(place)?;
    let mut names = Vec::new();
    for (table, text) in files {
        names.push(file_name(&scenario.name, *table));
        write(&folder, &file_name(&scenario.name, *table), text)?;
    }
    Ok(folder.commit(&names.iter().map(String::as_str).collect::<Vec<_>>(), &[])?)
}

/// Writes the picture of `scenario`, if it has one: the plot of its summary in `place`, or diagrams of what it plans.
fn draw(scenario: &Scenario, figure: &Figure, place: &Path) -> Result<()> {
    let svg = if let Some(drawn) = &figure.plot {
        let summary = std::fs::read_to_string(place.join(file_name(&scenario.name, None)))?;
        plot(drawn, figure, &summary, &axes(scenario)).map_err(|error| match error {
            PlotError::Table(error) => Error::new(error).context(scenario.name.clone()),
            wrong => LoadError::Rejected(scenario.reject_figure(wrong.to_string())).into(),
        })?
    } else if let Some(svg) = diagrams(scenario).with_context(|| scenario.name.clone())? {
        svg
    } else {
        return Ok(());
    };
    let name = format!("{}.svg", scenario.name);
    let folder = Folder::open(place)?;
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

/// What became of the claims of `scenario` by its tables in `place`; none if it has not been run.
fn entry(scenario: &Scenario, place: &Path) -> Result<Option<Entry>> {
    let Some(figure) = &scenario.figure else { return Ok(None) };
    if !place.join(file_name(&scenario.name, None)).exists() {
        return Ok(None);
    }
    let files = written(scenario, figure, place)?;
    let judgements = judged(scenario, figure, &files)?;
    let mut names: Vec<String> = files.iter().map(|(table, _)| file_name(&scenario.name, *table)).collect();
    names.extend(figure.is_drawn().then(|| format!("{}.svg", scenario.name)));
    Ok(Some(Entry { id: scenario.name.clone(), figure: figure.clone(), judgements, files: names }))
}

fn written(scenario: &Scenario, figure: &Figure, place: &Path) -> Result<Vec<FigureFile>> {
    let tables = std::iter::once(None).chain(figure.tables.iter().copied().map(Some));
    let read = |table| {
        let path = place.join(file_name(&scenario.name, table));
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
