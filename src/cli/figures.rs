//! `flitwise figures`.

use super::memory::Memory;
use super::output::quoted;
use super::ui::Ui;
use super::work::Work;
use super::{Failed, Interrupted, Usage, at_least_one, threads};
use anyhow::{Context, Error, Result};
use clap::{Args, ValueHint};
use flitwise::config::closest;
use flitwise::figures::{
    Cover, DecisionPicture, Entry, FigureFile, Judgement, MapError, Tables, Verdict, decision_map, diagrams, file_name,
    judge, map_name, page, plot, rehearse, rehearse_map,
};
use flitwise::kind::words::counted;
use flitwise::output::Folder;
use flitwise::run::WorkerPool;
use flitwise::scenario::{Claim, Figure, LoadError, Options, Scenario};
use flitwise::sweep::{DetailFiles, Mode, Plan, Shard, Store, gather};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Figures {
    /// Figures, by the name of the scenario or of its file [default: all]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Output directory. Tables and plots go to DIR/paper, or to DIR/NAME for scenarios in another directory NAME
    #[arg(short, long, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Directory of scenarios
    #[arg(long, value_name = "DIR", default_value = PAPERS)]
    scenarios: PathBuf,
    /// Judge and plot the existing tables without running anything
    #[arg(long)]
    no_run: bool,
    /// Number of threads, at most four per core. Results do not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    memory: Memory,
    /// Continue an interrupted command. Figures that were complete are computed again unless IDs exclude them
    #[arg(long, conflicts_with = "no_run")]
    resume: bool,
    /// Print only errors
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

/// A scenario with a figure, or claims.
struct Candidate {
    /// The name of its file, without `.toml`.
    stem: String,
    scenario: Scenario,
    wanted: bool,
}

impl Candidate {
    /// Whether it is called `id`, by its name or that of its file.
    fn is_called(&self, id: &str) -> bool {
        self.scenario.name == id || self.stem == id.strip_suffix(".toml").unwrap_or(id)
    }
}

impl Figures {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let all = self.load(ui)?;
        let places = self.places()?;
        let tables = &places.tables;
        let mut entries = Vec::new();
        let mut judged = Vec::new();
        for candidate in all.iter().filter(|candidate| candidate.wanted) {
            rehearsed(&candidate.scenario)?;
        }
        for Candidate { scenario, wanted, .. } in &all {
            if *wanted && !self.no_run {
                if !self.quiet {
                    ui.note(&scenario.name);
                }
                self.run(ui, scenario, tables)?;
            }
            if let Some(entry) = entry(scenario, tables)? {
                if *wanted {
                    draw(scenario, tables)?;
                    judged.push(entry.clone());
                }
                entries.push(entry);
            }
        }
        write_all(&places.page, &[(PAGE, &page(&places.cover, &entries))])?;
        if !self.quiet {
            ui.print(&summary(&judged, &places.page))?;
        }
        refuse_surprises(judged.iter().flat_map(|entry| entry.figure.claims.iter().zip(&entry.judgements)))
    }

    /// Those of the papers have their page above their tables, others beside them.
    fn places(&self) -> Result<Places> {
        let found = self.found()?;
        if std::fs::canonicalize(PAPERS).is_ok_and(|papers| papers == found) {
            return Ok(Places { tables: self.out.join("paper"), page: self.out.clone(), cover: Cover::papers() });
        }
        let Some(name) = found.file_name() else {
            let root = self.scenarios.display();
            return Err(Usage(format!("`{root}` has no name, so the directory of its results cannot be named")).into());
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
        let place = self.scenarios.display();
        match self.scenarios == Path::new(PAPERS) {
            true => format!("cannot read {place}, which is in the source repository; --scenarios selects a directory"),
            false => format!("cannot read the scenarios in {place}"),
        }
    }

    /// All that can be read, if there are any, and which of them are wanted. A mistake in a scenario that is not asked for is
    /// only warned of.
    fn load(&self, ui: &Ui) -> Result<Vec<Candidate>> {
        let options = Options { memory: Some(self.memory.limit()), ..Options::default() };
        let mut all = Vec::new();
        let mut wrong = Vec::new();
        for path in self.paths()? {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match Scenario::load(&path, &options) {
                Ok(scenario) if scenario.figure.is_some() => {
                    all.push(Candidate { stem, scenario, wanted: self.ids.is_empty() });
                }
                Ok(_) => {}
                Err(error) if self.ids.is_empty() || self.ids.contains(&stem) => return Err(error.into()),
                Err(_) => wrong.push(path),
            }
        }
        for id in &self.ids {
            let mut called = all.iter_mut().filter(|candidate| candidate.is_called(id)).peekable();
            if called.peek().is_none() {
                drop(called);
                return Err(self.unknown(id, &all, &wrong));
            }
            called.for_each(|candidate| candidate.wanted = true);
        }
        if all.is_empty() {
            let folder = self.scenarios.display();
            return Err(
                Usage(format!("no scenario in {folder} has a [figure] or a [[claim]]; nothing is written")).into()
            );
        }
        for path in wrong {
            let path = path.display();
            ui.warn(&format!("{path} has errors and is skipped; `flitwise check {path}` shows them"));
        }
        Ok(all)
    }

    /// The files of scenarios, by name.
    fn paths(&self) -> Result<Vec<PathBuf>> {
        let read = || self.unreadable();
        let paths = std::fs::read_dir(&self.scenarios).with_context(read)?;
        let mut paths: Vec<PathBuf> =
            paths.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>().with_context(read)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        Ok(paths)
    }

    /// That no figure is called `id`, among `all` and those in files that are `wrong`.
    fn unknown(&self, id: &str, all: &[Candidate], wrong: &[PathBuf]) -> Error {
        let names = || all.iter().map(|candidate| candidate.scenario.name.as_str());
        let hint = closest(id, names()).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        let accepted = names().collect::<Vec<_>>().join(", ");
        let mut text = format!("no figure is called `{id}`{hint}\naccepted: {accepted}");
        for path in wrong {
            text += &format!("\nnot read because of errors: {}", path.display());
        }
        Usage(text).into()
    }

    /// Computes the rows of `scenario` into a journal, writes its tables, and removes the journal.
    fn run(&self, ui: &Ui, scenario: &Scenario, place: &Path) -> Result<()> {
        let plan = Plan::new(scenario, DetailFiles::default())?;
        let runs = place.join(RUNS);
        let journal = runs.join(&scenario.name);
        let mode = if self.resume { Mode::Resume } else { Mode::Force };
        let mut store = Store::open(&journal, &plan, Shard::WHOLE, mode)?;
        let advice = self.how_to_go_on();
        let keeps = ui.interrupts().keep(journal.join(Shard::WHOLE.journal()), &advice);
        let missing = store.missing();
        let rows: u64 = missing.iter().map(|&unit| plan.units[unit].rows).sum();
        let memory = self.memory.limit().bytes.saturating_sub(scenario.memory());
        let pool = WorkerPool { threads: threads(self.jobs), memory };
        let work = Work { scenario, plan: &plan, details: DetailFiles::default(), hops: None, pool, quiet: self.quiet };
        let done = work.run(ui, &mut store, &missing)?;
        if done < rows {
            let name = &scenario.name;
            let kept = format!("interrupted while computing {name}; its finished rows are kept");
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
        format!("continue with\n  {command}")
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
    let named: Vec<(String, &str)> =
        files.iter().map(|(table, text)| (file_name(&scenario.name, *table), text.as_str())).collect();
    write_all(place, &named.iter().map(|(name, text)| (name.as_str(), *text)).collect::<Vec<_>>())
}

/// Refuses a plot or a map of `scenario` that cannot be drawn, as far as that can be told before it has run.
pub(super) fn rehearsed(scenario: &Scenario) -> Result<()> {
    let Some(figure) = &scenario.figure else { return Ok(()) };
    let plot = figure.plot.as_ref().and_then(|plot| rehearse(plot, scenario).err());
    let map = || figure.map.as_ref().and_then(|map| rehearse_map(map, scenario).err());
    let wrong = plot.or_else(map);
    wrong.map_or(Ok(()), |wrong| Err(LoadError::Rejected(scenario.reject(vec![wrong])).into()))
}

/// The name of the file of the picture of `scenario`.
pub(super) fn picture_name(scenario: &Scenario) -> String {
    format!("{}.svg", scenario.name)
}

/// Names of all files of the picture of `scenario`: of a map also that of its numbers.
pub(super) fn picture_files(scenario: &Scenario) -> Vec<String> {
    let figure = scenario.figure.as_ref();
    let picture = figure.is_some_and(Figure::is_drawn).then(|| picture_name(scenario));
    let numbers = figure.and_then(|figure| figure.map.as_ref()).map(|_| map_name(&scenario.name));
    picture.into_iter().chain(numbers).collect()
}

/// Writes the picture of `scenario`, if it has one, to files in `place` that are called like it: the plot or the map of the
/// table in the file `summary`, or diagrams of what it plans. Names of the files.
pub(super) fn write_picture(scenario: &Scenario, place: &Path, summary: &str) -> Result<Vec<String>> {
    let names = picture_files(scenario);
    if names.is_empty() {
        return Ok(names);
    }
    let texts = picture(scenario, &place.join(summary))?;
    let named = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str()));
    write_all(place, &named.collect::<Vec<_>>())?;
    Ok(names)
}

/// What is in the files of the picture of `scenario`, whose summary is in the file `summary`.
fn picture(scenario: &Scenario, summary: &Path) -> Result<Vec<String>> {
    let Some(figure) = &scenario.figure else { return Ok(Vec::new()) };
    let text = || std::fs::read_to_string(summary);
    let rejected = |wrong| LoadError::Rejected(scenario.reject(vec![wrong])).into();
    if let Some(drawn) = &figure.plot {
        let svg = plot(drawn, figure, &text()?, &axes(scenario)).map_err(|error| error.diagnostic(drawn));
        return match svg {
            Ok(svg) => Ok(vec![svg]),
            Err(Ok(wrong)) => Err(rejected(wrong)),
            Err(Err(error)) => Err(Error::new(error).context(scenario.name.clone())),
        };
    }
    if let Some(map) = &figure.map {
        return match decision_map(map, figure, &text()?, &axes(scenario)) {
            Ok(DecisionPicture { svg, csv }) => Ok(vec![svg, csv]),
            Err(MapError::Wrong(wrong)) => Err(rejected(wrong)),
            Err(error) => Err(Error::new(error).context(scenario.name.clone())),
        };
    }
    Ok(diagrams(scenario).with_context(|| scenario.name.clone())?.into_iter().collect())
}

/// Writes the picture of `scenario`, if it has one, beside its tables in `place`.
fn draw(scenario: &Scenario, place: &Path) -> Result<()> {
    write_picture(scenario, place, &file_name(&scenario.name, None)).map(|_| ())
}

/// Refuses claims that fail, but for those of which that is expected.
pub(super) fn refuse_surprises<'a>(judged: impl Iterator<Item = (&'a Claim, &'a Judgement)> + Clone) -> Result<()> {
    let all = judged.clone().count();
    let failing = judged.filter(|(claim, judgement)| judgement.verdict == Verdict::Fails && !claim.fails).count();
    match failing {
        0 => Ok(()),
        1 => Err(Failed(format!("1 of {} fails", counted(all as u64, "claim"))).into()),
        _ => Err(Failed(format!("{failing} of {} fail", counted(all as u64, "claim"))).into()),
    }
}

/// What became of `claim`, and whether that is what was expected.
pub(super) fn verdict_in_words(claim: &Claim, judgement: &Judgement) -> String {
    let Judgement { verdict, measured } = judgement;
    let expected = match (verdict, claim.fails) {
        (Verdict::Fails, true) => ", as expected",
        (Verdict::Holds, true) => ", although it is expected to fail",
        _ => "",
    };
    let found = if *verdict == Verdict::Irreproducible { "because" } else { "result" };
    format!("{}{expected}: {}\n  {found}: {measured}\n", verdict.in_words(), claim.says)
}

fn axes(scenario: &Scenario) -> Vec<&str> {
    scenario.axes.iter().map(|axis| axis.column.as_str()).collect()
}

/// Writes texts to files of these names in `place`, all or none.
fn write_all(place: &Path, files: &[(&str, &str)]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let folder = Folder::open(place)?;
        for (name, text) in files {
            let mut output = folder.output(name)?;
            output.write_all(text.as_bytes())?;
            Folder::close(output)?;
        }
        folder.commit(&files.iter().map(|(name, _)| *name).collect::<Vec<_>>(), &[])
    };
    write().with_context(|| format!("no file was written to {}", place.display()))
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
    names.extend(picture_files(scenario));
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

/// How many claims came out how, which fail, and which hold against expectation.
fn summary(entries: &[Entry], out: &Path) -> String {
    let mut text = String::new();
    let judged = || entries.iter().flat_map(|entry| entry.figure.claims.iter().zip(&entry.judgements));
    let count = |verdict| judged().filter(|(_, judgement)| judgement.verdict == verdict).count();
    for entry in entries {
        for (claim, judgement) in entry.figure.claims.iter().zip(&entry.judgements) {
            if judgement.verdict == Verdict::Fails || judgement.verdict == Verdict::Holds && claim.fails {
                text += &format!("{}: {}", entry.id, verdict_in_words(claim, judgement));
            }
        }
    }
    let [holds, fails, lost] = [Verdict::Holds, Verdict::Fails, Verdict::Irreproducible].map(count);
    let known = judged().filter(|(claim, judgement)| judgement.verdict == Verdict::Fails && claim.fails).count();
    let known = match known {
        0 => String::new(),
        _ if known == fails => " as expected".to_owned(),
        _ => format!(" ({known} as expected)"),
    };
    let page = out.join(PAGE);
    let page = page.display();
    if entries.is_empty() {
        return format!("there are no results yet; run without --no-run first; see {page}\n");
    }
    if judged().next().is_none() {
        return format!("no claims; see {page}\n");
    }
    let [hold, fail] = [(holds, "hold"), (fails, "fail")].map(|(count, verb)| match count {
        1 => format!("1 {verb}s"),
        _ => format!("{count} {verb}"),
    });
    let claims = counted(judged().count() as u64, "claim");
    text + &format!("{claims}: {hold}, {fail}{known}, {lost} cannot be reproduced; see {page}\n")
}
