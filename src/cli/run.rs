//! `flitwise run`.

use super::again::{Existing, existing};
use super::figures::{judged, picture_name, refuse_surprises, rehearsed, tables_of, verdict_in_words, write_picture};
use super::kept::KeptFlags;
use super::looks::Looks;
use super::memory::Memory;
use super::output::{announce, planned, publish, quoted};
use super::progress::{now, patient};
use super::rerun::Rerun;
use super::ui::{Ui, warn_of_machines};
use super::verbose::details;
use super::work::{Work, not_written};
use super::{Interrupted, Source, Usage, all_cores, at_least_one, run_failure, threads, told};
use anyhow::{Context, Error, Result};
use clap::{Args, ValueHint};
use flitwise::output::{
    RunInfo, Summaries, Summary, SummaryCsv, clear, remarks, short_buffers, summary_json, table, whole_table,
};
use flitwise::run::{WorkerPool, check_memory, run};
use flitwise::scenario::{Figure, LoadError, Scenario};
use flitwise::sweep::{Ending, Entry, HopParts, Mode, Plan, Shard, Store, gather, network_mount};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Run {
    #[command(flatten)]
    source: Source,
    /// Output directory. Files go to DIR/NAME, where NAME is the name of the scenario
    #[arg(short, long, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Number of threads, limited to four per core. Results do not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// Number of threads of a row on pipelined routers, or auto. Replaces `engine.threads`. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = ThreadsOfRow::parse)]
    threads: Option<ThreadsOfRow>,
    #[command(flatten)]
    memory: Memory,
    /// Continue an interrupted run, or start one if there is none
    #[arg(long)]
    resume: bool,
    /// Overwrite existing results. By default, complete results are reused and results of another scenario are moved to
    /// NAME.previous
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Run only part I of N, counted from 1, to be joined by `flitwise merge`
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    kept: KeptFlags,
    #[command(flatten)]
    looks: Looks,
    /// Judge the claims of the scenario, and exit with code 1 if one fails
    #[arg(long, conflicts_with = "shard")]
    claims: bool,
    /// Print all lines of the table
    #[arg(long)]
    all: bool,
    /// Print JSON instead of the table (fields are listed below)
    #[arg(long, conflicts_with_all = ["quiet", "shard"])]
    json: bool,
    /// Also print the selected engine with the reason, the run time and the number of threads
    #[arg(short, long, conflicts_with_all = ["quiet", "shard"])]
    verbose: bool,
    /// Print only errors and warnings
    #[arg(short, long)]
    quiet: bool,
}

impl Run {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let started = now();
        let limit = self.memory.limit();
        let mut scenario = patient(ui, "reading the scenario", self.quiet, || self.source.load(limit))?;
        if let Some(ThreadsOfRow(threads)) = self.threads {
            scenario.set_threads(threads);
        }
        if !scenario.kind().not_run.is_empty() {
            return Err(Usage(scenario.kind().not_run.to_owned()).into());
        }
        let memory = limit.bytes.saturating_sub(scenario.memory());
        let kept = self.kept.checked(ui, &scenario)?;
        self.looks.check(&scenario)?;
        if self.claims {
            refuse_no_claims(&scenario)?;
        }
        warn_of_buffers(ui, &scenario);
        if !self.quiet {
            warn_of_machines(ui, &scenario)?;
        }
        let draws = self.draws(ui, &scenario)?;
        let plan = patient(ui, "planning", self.quiet, || planned(&scenario, &self.source, kept))?;
        check_memory(&plan.units, memory, limit).map_err(|error| Usage(error.to_string()))?;
        let folder = self.out.join(&scenario.name);
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let mut mode = self.mode();
        if mode == Mode::Fresh {
            match existing(ui, &folder, &plan, shard)? {
                Existing::Complete(store) if !shard.is_whole() => {
                    return self.tell_of_unchanged_shard(ui, shard, &store);
                }
                Existing::Complete(mut store) => {
                    return self.tell_unchanged(ui, &scenario, &plan, &mut store, draws);
                }
                Existing::Rows(reason) => {
                    ui.note(&format!(
                        "{}: {reason}; the files are written again from the finished rows",
                        folder.display()
                    ));
                    mode = Mode::Resume;
                }
                Existing::Nothing => {}
            }
        }
        let mut store = Store::open(&folder, &plan, shard, mode)?;
        for damage in store.damage() {
            ui.warn(&format!("{damage}; its rows are computed again"));
        }
        self.warn_of_mount(ui, &store);
        let interrupts = ui.interrupts();
        let _keeps = interrupts.keep(folder.join(shard.journal()), &self.how_to_go_on());
        let share = shard.share(&plan.units);
        let parts = kept.hops.then(|| HopParts::new(&folder));
        let tasks: Vec<usize> = share.iter().copied().filter(|&unit| !store.has(unit)).collect();
        let rows = |units: &[usize]| units.iter().map(|&unit| plan.units[unit].rows).sum::<u64>();
        let all = rows(&share);
        let todo = rows(&tasks);
        let pool = WorkerPool { threads: rows_at_once(&scenario, threads(self.jobs)), memory };
        let work =
            Work { scenario: &scenario, plan: &plan, details: kept, hops: parts.as_ref(), pool, quiet: self.quiet };
        let done = work.run(ui, &mut store, &tasks)?;
        let interrupted = || self.interrupted(all - todo + done, all);
        if done < todo {
            return Err(interrupted());
        }
        let ran = RunInfo {
            jobs: threads(self.jobs).get(),
            wall_time_seconds: started.elapsed().as_secs_f64(),
            resumed_rows: all - todo,
            shards: 1,
        };
        let ending = Ending { rows: todo, jobs: ran.jobs, seconds: ran.wall_time_seconds };
        let said = store.say(&Entry::Ended(ending)).and_then(|()| store.sync());
        said.with_context(|| not_written(&store))?;
        if !shard.is_whole() {
            return self.tell_of_shard(ui, shard, all, &store);
        }
        let files = || interrupts.token().run(|| publish(&plan, &mut store, ran));
        let summaries = patient(ui, "writing the files", self.quiet, files).map_err(|_| interrupted())??;
        let complete = || format!("{} is complete, but", folder.display());
        let drawn = if draws { write_picture(&scenario, &folder, SummaryCsv::NAME) } else { Ok(Vec::new()) };
        let rerun = Rerun { ui, scenario: &scenario, limit, quiet: self.quiet };
        let looked = self.looks.write(&rerun, &folder).with_context(complete);
        let drawn = drawn.with_context(complete);
        let more = drawn.iter().chain(&looked).flatten().cloned().collect::<Vec<String>>();
        self.report(ui, &scenario, &summaries, &announce(&folder, &plan, &more)).with_context(complete)?;
        drawn?;
        looked?;
        self.report_details(ui, &scenario, &folder, Some(ran))?;
        if self.claims { self.judge_claims(ui, &scenario, &plan, &mut store) } else { Ok(()) }
    }

    /// Prints what came out, and `last` below it.
    fn report(&self, ui: &Ui, scenario: &Scenario, summaries: &[Summary], last: &str) -> Result<()> {
        if self.json {
            return ui.print(&format!("{:#}\n", summary_json(scenario, summaries)));
        }
        if self.quiet {
            return Ok(());
        }
        warn_of_doubts(ui, scenario, summaries);
        let print = if self.all { whole_table } else { table };
        ui.print(&(print(scenario, summaries, ui.width()) + &ui.folded(last)))
    }

    /// Says that nothing was run, because all of it is there; draws the figure again if `draws`.
    fn tell_unchanged(&self, ui: &Ui, scenario: &Scenario, plan: &Plan, store: &mut Store, draws: bool) -> Result<()> {
        let place = store.folder().display().to_string();
        // what a run left that was killed when all rows were there; where it cannot be removed, it stays
        let _ = clear(store.folder());
        let summaries = gather(plan, store, |_, _| Ok(()))?;
        // no row depends on how it is drawn
        let picture = if draws { redrawn(scenario, store.folder())? } else { None };
        let rerun = Rerun { ui, scenario, limit: self.memory.limit(), quiet: self.quiet };
        let looked = self.looks.write(&rerun, store.folder())?;
        let drawn = picture.map(|picture| format!("{picture} was plotted again"));
        let made = looked.into_iter().map(|name| format!("{name} was written"));
        let done: Vec<String> = drawn.into_iter().chain(made).collect();
        let last = match done.as_slice() {
            [] => format!("{place}: unchanged, nothing to do; --force runs it again\n"),
            done => format!("{place}: {}, no row has changed; --force runs it again\n", done.join(", ")),
        };
        self.report(ui, scenario, &summaries, &last)?;
        self.report_details(ui, scenario, store.folder(), None)?;
        if self.claims { self.judge_claims(ui, scenario, plan, store) } else { Ok(()) }
    }

    /// Reports with `--verbose` how the rows in `directory` were computed.
    fn report_details(&self, ui: &Ui, scenario: &Scenario, directory: &Path, ran: Option<RunInfo>) -> Result<()> {
        if self.verbose {
            ui.note(details(scenario, directory, ran)?.trim_end());
        }
        Ok(())
    }

    fn judge_claims(&self, ui: &Ui, scenario: &Scenario, plan: &Plan, store: &mut Store) -> Result<()> {
        let Some(figure) = &scenario.figure else { return Ok(()) };
        let judgements = judged(scenario, figure, &tables_of(scenario, plan, store)?)?;
        let judged = figure.claims.iter().zip(&judgements);
        if !self.quiet {
            let text: String = judged.clone().map(|(claim, judgement)| verdict_in_words(claim, judgement)).collect();
            if self.json { ui.note(text.trim_end()) } else { ui.print(&text)? }
        }
        refuse_surprises(judged)
    }

    /// Whether the figure of `scenario` will be drawn: not of a part of its rows, nor where what is set on the command line
    /// has taken away what it shows.
    fn draws(&self, ui: &Ui, scenario: &Scenario) -> Result<bool> {
        if !scenario.figure.as_ref().is_some_and(Figure::is_drawn) || self.shard.is_some() {
            return Ok(false);
        }
        let found = scenario.check_picture().map_err(|wrong| LoadError::Rejected(wrong).into());
        match found.and_then(|()| rehearsed(scenario)) {
            Err(error) if !self.source.set.is_empty() || !self.source.unset.is_empty() => {
                if !self.quiet {
                    let reason = first_message(&error);
                    ui.note(&format!("no picture: [figure] cannot be drawn with the keys that are set: {reason}"));
                }
                Ok(false)
            }
            found => found.map(|()| true),
        }
    }

    fn mode(&self) -> Mode {
        match (self.resume, self.force) {
            (true, _) => Mode::Resume,
            (_, true) => Mode::Force,
            _ => Mode::Fresh,
        }
    }

    fn interrupted(&self, done: u64, all: u64) -> Error {
        Interrupted(format!("interrupted: {done} of {all} rows are finished and kept; {}", self.how_to_go_on())).into()
    }

    fn how_to_go_on(&self) -> String {
        let mut command = quoted(std::env::args_os());
        if !self.resume {
            command = command.replace(" --force", "") + " --resume";
        }
        format!("continue with\n  {command}")
    }

    /// Says that nothing was run, because all rows of `shard` are there.
    fn tell_of_unchanged_shard(&self, ui: &Ui, shard: Shard, store: &Store) -> Result<()> {
        if self.quiet {
            return Ok(());
        }
        ui.print(&format!("{}: all rows of shard {shard} are finished, nothing to do\n", store.folder().display()))
    }

    /// Says that all `rows` of `shard` are done.
    fn tell_of_shard(&self, ui: &Ui, shard: Shard, rows: u64, store: &Store) -> Result<()> {
        if self.quiet {
            return Ok(());
        }
        let folder = store.folder().display();
        ui.print(&format!(
            "Shard {shard}: {rows} rows written to {folder}. When all shards are finished: `flitwise merge {folder}`\n"
        ))
    }

    fn warn_of_mount(&self, ui: &Ui, store: &Store) {
        let Some((kind, options)) = network_mount(store.folder()).filter(|_| !self.quiet) else { return };
        let folder = store.folder().display();
        if options.split(',').any(|option| option == "nolock" || option.starts_with("local_lock=")) {
            ui.warn(&format!(
                "{folder} is on {kind} without locks between machines: make sure that no other run writes to it"
            ));
        } else {
            ui.note(&format!(
                "{folder} is on {kind}; locks protect it from other runs only if the file server supports them"
            ));
        }
    }
}

/// Draws the figure of `scenario` again beside its tables in `folder`; the name of its file, if that has changed.
fn redrawn(scenario: &Scenario, folder: &Path) -> Result<Option<String>> {
    let picture = folder.join(picture_name(scenario));
    let before = std::fs::read(&picture).ok();
    let names = write_picture(scenario, folder, SummaryCsv::NAME)?;
    Ok(names.into_iter().next().filter(|_| std::fs::read(&picture).ok() != before))
}

/// The number of rows of `scenario` that are computed at once by `threads` threads, each of which may take several.
fn rows_at_once(scenario: &Scenario, threads: NonZeroUsize) -> NonZeroUsize {
    let of_row = scenario.points.iter().filter_map(|point| point.experiment.machine.threads).max();
    let rows = of_row.and_then(|of_row| NonZeroUsize::new(threads.get() / of_row));
    if of_row.is_some() { rows.unwrap_or(NonZeroUsize::MIN) } else { threads }
}

/// The number of threads of a row. `None` if it follows from the size of the network.
#[derive(Clone, Copy)]
struct ThreadsOfRow(Option<NonZeroUsize>);

impl ThreadsOfRow {
    fn parse(text: &str) -> Result<Self, String> {
        let number = || text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= 1024);
        match (text, number()) {
            ("auto", _) => Ok(Self(None)),
            (_, Some(threads)) => Ok(Self(Some(threads))),
            (_, None) => Err("must be a whole number from 1 to 1024, or auto".to_owned()),
        }
    }
}

/// Warns of buffers that are too short for full rate.
pub(super) fn warn_of_buffers(ui: &Ui, scenario: &Scenario) {
    short_buffers(scenario).iter().for_each(|warning| ui.warn(warning));
}

/// Warns of numbers that are not to be relied on, unless the table with the same words goes to the same terminal.
pub(super) fn warn_of_doubts(ui: &Ui, scenario: &Scenario, summaries: &[Summary]) {
    if ui.shows_both() {
        return;
    }
    for remark in remarks(scenario, summaries).iter().filter(|remark| remark.is_warning()) {
        ui.warn(&remark.text);
    }
}

/// The message of the first error.
fn first_message(error: &Error) -> String {
    match error.downcast_ref::<LoadError>() {
        Some(LoadError::Rejected(rejected)) => {
            rejected.diagnostics.first().map_or_else(String::new, |first| first.message.clone())
        }
        _ => error.to_string(),
    }
}

/// Refuses to judge where nothing is claimed, or what claims are about will not be there.
fn refuse_no_claims(scenario: &Scenario) -> Result<()> {
    if scenario.figure.as_ref().is_none_or(|figure| figure.claims.is_empty()) {
        return Err(Usage("--claims requires a [[claim]], and the scenario has none".to_owned()).into());
    }
    Ok(scenario.check_figure().map_err(LoadError::Rejected)?)
}

/// The default scenario's table, with nothing written.
pub(super) fn preview(ui: &Ui) -> Result<()> {
    let scenario = Source::default().load(Memory::default().limit())?;
    let mut summaries = Summaries::new(&scenario);
    run(&scenario, all_cores(), false, |row| {
        summaries.add(&row);
        Ok::<(), Error>(())
    })
    .map_err(|error| told(&scenario, run_failure(error)))?;
    ui.print(&table(&scenario, &summaries.finish(), ui.width()))?;
    ui.print(
        "Next: `flitwise new multicast > mine.toml`, then `flitwise mine.toml`. `flitwise guide first-steps` is a tutorial.\n",
    )
}
