//! `flitwise run`.

use super::output::{announce, publish, quoted};
use super::progress::{Progress, now};
use super::ui::Ui;
use super::{Interrupted, Source, Usage, all_cores, available_memory, bytes, run_failure};
use anyhow::{Context, Error, Result};
use clap::Args;
use flitwise::report::{Run as Ran, Summaries, table};
use flitwise::run::{Repeats, Runner, run};
use flitwise::scenario::Scenario;
use flitwise::sweep::{
    Crew, Ending, Entry, Mode, Plan, Shard, Store, Task, Unit, UnitError, encode, network_mount, record,
};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

/// How often what was appended to a journal is made to survive a loss of power.
const SYNC: Duration = Duration::from_secs(5);

/// By how much less work a row that repeats another is taken to be.
const REPEAT: u64 = 16;

impl Run {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let started = now();
        let memory = self.memory.unwrap_or_else(available_memory);
        let scenario = self.source.load(memory)?;
        refuse_unkept(&scenario, self.messages)?;
        let plan = Plan::of(&scenario, self.messages)?;
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
        let crew = Crew { threads: self.jobs.unwrap_or_else(all_cores), memory };
        let done = self.work(ui, (&scenario, &plan), &mut store, &tasks, (crew, &stop))?;
        if done < todo {
            return Err(Interrupted(self.how_to_go_on(all - todo + done, all)).into());
        }
        let ran = Ran {
            jobs: crew.threads.get(),
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
        if !self.quiet {
            let text = table(&scenario, &summaries, ui.width()) + &announce(&folder, &plan);
            ui.print(&text).with_context(|| format!("{} is complete, but", folder.display()))?;
        }
        Ok(())
    }

    fn mode(&self) -> Mode {
        match (self.resume, self.force) {
            (true, _) => Mode::Resume,
            (_, true) => Mode::Force,
            _ => Mode::Fresh,
        }
    }

    /// Computes the units `tasks` and appends them to the journal. Returns how many rows were done: all, or those before
    /// the run was interrupted.
    fn work(
        &self,
        ui: &Ui,
        (scenario, plan): (&Scenario, &Plan),
        store: &mut Store,
        tasks: &[usize],
        (crew, stop): (Crew, &AtomicBool),
    ) -> Result<u64> {
        let units = &plan.units;
        let mut repeats = Repeats::default();
        let mut task = |&unit: &usize| {
            let Unit { point, algorithm, time, memory, .. } = units[unit];
            // what repeats others is begun when those are long done
            let is_repeat = repeats.is_repeat(&scenario.points[point].experiment, algorithm);
            Task { unit, time: if is_repeat { time / REPEAT } else { time }, memory }
        };
        let tasks: Vec<Task> = tasks.iter().map(&mut task).collect();
        let shares: BTreeMap<usize, (u64, u64)> =
            tasks.iter().map(|task| (task.unit, (units[task.unit].rows, task.time))).collect();
        let mut progress = Progress::new(ui, shares.values().copied(), self.quiet);
        let mut failed: Option<(usize, Error)> = None;
        let mut synced = now();
        let runner = Runner::new(scenario);
        let compute = |unit: usize| -> Result<Vec<u8>, UnitError> {
            Ok(encode(&Entry::Done(record(&runner, &units[unit], self.messages)?))?)
        };
        let worked = crew.work(tasks, stop, compute, |made| {
            let mut lines = Vec::with_capacity(made.len());
            for (unit, line) in made {
                match line {
                    Ok(line) => lines.push((unit, line)),
                    Err(error) => {
                        stop.store(true, Ordering::Relaxed);
                        if failed.as_ref().is_none_or(|(before, _)| unit < *before) {
                            failed = Some((unit, unit_failure(error)));
                        }
                    }
                }
            }
            store.append(&lines)?;
            if synced.elapsed() > SYNC {
                store.sync()?;
                synced = now();
            }
            lines.iter().for_each(|(unit, _)| progress.done(shares[unit]));
            progress.show(ui);
            Ok::<(), std::io::Error>(())
        });
        let done = progress.finish();
        worked.with_context(|| self.not_written(store))?;
        match failed {
            None => Ok(done),
            Some((_, error)) => {
                store.say(&Entry::Failed(error.to_string())).with_context(|| self.not_written(store))?;
                Err(error)
            }
        }
    }

    fn not_written(&self, store: &Store) -> String {
        let folder = store.folder().display();
        format!("cannot go on writing the journal in {folder}; with --resume the next run goes on from there")
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

/// Refuses to keep what happened to messages that have a price but no history.
pub(super) fn refuse_unkept(scenario: &Scenario, messages: bool) -> Result<(), Usage> {
    let priced = scenario.points.iter().any(|point| point.experiment.machine.is_none());
    if messages && priced && !scenario.is_broadcast() {
        let why = "--messages needs a [network.*]: without one, messages have a price but no history";
        return Err(Usage(why.to_owned()));
    }
    Ok(())
}

fn unit_failure(error: UnitError) -> Error {
    match error {
        UnitError::Row(row) => Error::new(*row),
        other => Error::new(other),
    }
}

/// The first interrupt, or a batch system's request, lets what is at work come to its end; the second ends the process.
fn stop_when_interrupted() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (seen, asked) = (Arc::clone(&stop), AtomicBool::new(false));
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        seen.store(true, Ordering::Relaxed);
    })?;
    Ok(stop)
}

/// The default scenario's table, with nothing written.
pub(super) fn preview(ui: &Ui) -> Result<()> {
    let scenario = Source::default().load(available_memory())?;
    let mut summaries = Summaries::default();
    run(&scenario, all_cores(), false, |row| {
        summaries.add(&row);
        Ok::<(), Error>(())
    })
    .map_err(run_failure)?;
    ui.print(&table(&scenario, &summaries.finish(), ui.width()))?;
    ui.print("Next: `flitwise run SCENARIO.toml`; `flitwise list` names what there is.\n")
}
