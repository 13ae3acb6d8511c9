//! `flitwise run`.

use super::figures::{in_words, judged, refuse_surprises, rehearsed, tables_of, write_picture};
use super::output::{announce, publish, quoted};
use super::progress::now;
use super::ui::Ui;
use super::work::{Work, stop_when_interrupted};
use super::{Interrupted, Source, Usage, all_cores, available_memory, bytes, run_failure};
use anyhow::{Context, Error, Result};
use clap::Args;
use flitwise::output::{RunInfo, Summaries, Summary, SummaryCsv, remarks, table, whole_table};
use flitwise::run::{WorkerPool, run};
use flitwise::scenario::{Figure, LoadError, Scenario};
use flitwise::sweep::{Ending, Entry, Mode, Plan, Shard, Store, network_mount};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Run {
    #[command(flatten)]
    source: Source,
    /// Folder of outputs; they go to a folder in it that is named like the scenario
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Threads that compute rows; every number gives the same bytes [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Memory for all rows at work, such as 8G: no more are begun than fit [default: what is available]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    memory: Option<u64>,
    /// Go on with an output that was interrupted; begin one if there is none
    #[arg(long)]
    resume: bool,
    /// Begin an output again that exists
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Run the I-th of N parts, I from 1, and leave the rest to others; `flitwise merge` joins them
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Also write messages.csv, or events.csv of a broadcast: what happened to every message
    #[arg(long)]
    messages: bool,
    /// Judge the claims of the scenario by what was measured: exit code 1 if one fails
    #[arg(long, conflicts_with = "shard")]
    claims: bool,
    /// Print all lines of the table, however many
    #[arg(long)]
    all: bool,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

impl Run {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let started = now();
        let memory = self.memory.unwrap_or_else(available_memory);
        let scenario = self.source.load(memory)?;
        refuse_unkept(&scenario, self.messages)?;
        if self.claims {
            refuse_no_claims(&scenario)?;
        }
        let draws = self.draws(ui, &scenario)?;
        let plan = Plan::new(&scenario, self.messages)?;
        let folder = self.out.join(&scenario.name);
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let mut store = Store::open(&folder, &plan, shard, self.mode())?;
        for damage in store.damage() {
            ui.warn(&format!("{damage}; its rows are run again"));
        }
        self.warn_of_mount(ui, &store);
        let stop = stop_when_interrupted()?;
        let share = shard.share(&plan.units);
        let tasks: Vec<usize> = share.iter().copied().filter(|&unit| !store.has(unit)).collect();
        let rows = |units: &[usize]| units.iter().map(|&unit| plan.units[unit].rows).sum::<u64>();
        let (all, todo) = (rows(&share), rows(&tasks));
        let pool = WorkerPool { threads: self.jobs.unwrap_or_else(all_cores), memory };
        let work =
            Work { scenario: &scenario, plan: &plan, messages: self.messages, pool, quiet: self.quiet, stop: &stop };
        let done = work.run(ui, &mut store, &tasks)?;
        if done < todo {
            return Err(Interrupted(self.how_to_go_on(all - todo + done, all)).into());
        }
        let ran = RunInfo {
            jobs: pool.threads.get(),
            wall_time_seconds: started.elapsed().as_secs_f64(),
            resumed_rows: all - todo,
            shards: 1,
        };
        store.say(&Entry::Ended(Ending { rows: todo, jobs: ran.jobs, seconds: ran.wall_time_seconds }))?;
        store.sync()?;
        if !shard.is_whole() {
            return self.tell_of_shard(ui, (shard, all), &store);
        }
        let summaries = publish(&plan, &mut store, ran)?;
        let complete = || format!("{} is complete, but", folder.display());
        let drawn = if draws { write_picture(&scenario, &folder, SummaryCsv::NAME) } else { Ok(None) };
        let drawn = drawn.with_context(complete);
        let picture = drawn.as_ref().map_or(None, Option::as_deref);
        if !self.quiet {
            let print = if self.all { whole_table } else { table };
            warn_of_doubts(ui, &scenario, &summaries);
            let text = print(&scenario, &summaries, ui.width()) + &announce(&folder, &plan, picture);
            ui.print(&text).with_context(complete)?;
        }
        drawn?;
        if self.claims { self.judge_claims(ui, &scenario, &plan, &mut store) } else { Ok(()) }
    }

    fn judge_claims(&self, ui: &Ui, scenario: &Scenario, plan: &Plan, store: &mut Store) -> Result<()> {
        let Some(figure) = &scenario.figure else { return Ok(()) };
        let judgements = judged(scenario, figure, &tables_of(scenario, plan, store)?)?;
        let judged = figure.claims.iter().zip(&judgements);
        if !self.quiet {
            let said = judged.clone().map(|(claim, judgement)| in_words(claim, judgement));
            ui.print(&said.collect::<String>())?;
        }
        refuse_surprises(judged)
    }

    /// Whether the figure of `scenario` will be drawn: not of a part of its rows, nor where what is set on the command line
    /// has taken away what it shows.
    fn draws(&self, ui: &Ui, scenario: &Scenario) -> Result<bool> {
        if !scenario.figure.as_ref().is_some_and(Figure::is_drawn) || self.shard.is_some() {
            return Ok(false);
        }
        let found = scenario.check_figure().map_err(|wrong| LoadError::Rejected(wrong).into());
        match found.and_then(|()| rehearsed(scenario)) {
            Err(_) if !self.source.set.is_empty() => {
                if !self.quiet {
                    ui.note("no picture: with what is set, [figure] cannot be drawn");
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

    fn how_to_go_on(&self, done: u64, all: u64) -> String {
        let mut command = quoted(std::env::args_os());
        if !self.resume {
            command = command.replace(" --force", "") + " --resume";
        }
        format!("interrupted: {done} of {all} rows are done and kept; go on with\n  {command}")
    }

    fn tell_of_shard(&self, ui: &Ui, (shard, rows): (Shard, u64), store: &Store) -> Result<()> {
        if self.quiet {
            return Ok(());
        }
        let folder = store.folder().display();
        ui.print(&format!("Shard {shard}: {rows} rows are in {folder}; when all are, flitwise merge {folder}\n"))
    }

    fn warn_of_mount(&self, ui: &Ui, store: &Store) {
        let Some((kind, options)) = network_mount(store.folder()).filter(|_| !self.quiet) else { return };
        let folder = store.folder().display();
        if options.split(',').any(|option| option == "nolock" || option.starts_with("local_lock=")) {
            ui.warn(&format!(
                "{folder} is on {kind} without locks between machines: make sure that no other run writes it"
            ));
        } else {
            ui.note(&format!(
                "{folder} is on {kind}; its locks keep other runs out as far as the file server passes them on"
            ));
        }
    }
}

/// Warns of numbers that are not to be relied on, unless the table with the same words goes to the same terminal.
fn warn_of_doubts(ui: &Ui, scenario: &Scenario, summaries: &[Summary]) {
    if ui.shows_both() {
        return;
    }
    for remark in remarks(scenario, summaries).iter().filter(|remark| remark.is_warning()) {
        ui.warn(&remark.text);
    }
}

/// Refuses to judge where nothing is claimed, or what claims are about will not be there.
fn refuse_no_claims(scenario: &Scenario) -> Result<()> {
    if scenario.figure.as_ref().is_none_or(|figure| figure.claims.is_empty()) {
        return Err(Usage("--claims judges what [[claim]]s say, and the scenario has none".to_owned()).into());
    }
    Ok(scenario.check_figure().map_err(LoadError::Rejected)?)
}

/// Refuses to keep what happened to messages that are predicted but not run.
pub(super) fn refuse_unkept(scenario: &Scenario, messages: bool) -> Result<(), Usage> {
    let predicted = scenario.points.iter().any(|point| point.experiment.machine.network.is_none());
    if messages && predicted && scenario.kind().keeps_messages {
        let why = "--messages needs a [network.*]: without one, messages are predicted but not run";
        return Err(Usage(why.to_owned()));
    }
    Ok(())
}

/// The default scenario's table, with nothing written.
pub(super) fn preview(ui: &Ui) -> Result<()> {
    let scenario = Source::default().load(available_memory())?;
    let mut summaries = Summaries::new(&scenario);
    run(&scenario, all_cores(), false, |row| {
        summaries.add(&row);
        Ok::<(), Error>(())
    })
    .map_err(run_failure)?;
    ui.print(&table(&scenario, &summaries.finish(), ui.width()))?;
    ui.print("Next: `flitwise run SCENARIO.toml`; `flitwise list` names what there is.\n")
}
