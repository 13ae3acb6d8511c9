//! Rows computed into a journal: what `run` and `figures` have in common.

use super::progress::{Progress, Share, now};
use super::told;
use super::ui::Ui;
use anyhow::{Context, Error, Result};
use flitwise::run::{Task, Unit, WorkerPool, tasks};
use flitwise::scenario::Scenario;
use flitwise::sweep::{Entry, Line, Plan, Store, UnitError, record};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often what was appended to a journal is made to survive a loss of power.
const SYNC: Duration = Duration::from_secs(5);

/// What is computed, and by how many threads.
pub(super) struct Work<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) plan: &'a Plan,
    /// Whether what happened to every message is kept.
    pub(super) messages: bool,
    pub(super) pool: WorkerPool,
    pub(super) quiet: bool,
    /// Set by the first interrupt.
    pub(super) stop: &'a AtomicBool,
}

/// The first row that failed, by its unit.
struct Failure {
    unit: usize,
    error: Error,
}

impl Work<'_> {
    /// Computes the units `chosen` and appends them to the journal of `store`. Returns how many rows were done: all, or
    /// those before the work was interrupted.
    pub(super) fn run(&self, ui: &Ui, store: &mut Store, chosen: &[usize]) -> Result<u64> {
        let units = &self.plan.units;
        let tasks = tasks(self.scenario, units, chosen);
        let shares = shares(units, &tasks);
        let mut progress = Progress::new(ui, chosen.iter().map(|&unit| shares[unit]), self.quiet);
        let mut failure: Option<Failure> = None;
        let mut synced = now();
        let compute = |unit: usize| -> Result<Line, UnitError> {
            Ok(Line::new(record(self.scenario, &units[unit], self.messages)?)?)
        };
        let worked = self.pool.work(tasks, self.stop, compute, |made| {
            let lines = self.keep(made, &mut failure);
            let done: Vec<usize> = lines.iter().map(|(unit, _)| *unit).collect();
            store.append(lines)?;
            done.iter().for_each(|unit| progress.done(shares[*unit]));
            if synced.elapsed() > SYNC {
                store.sync()?;
                synced = now();
            }
            progress.show(ui);
            Ok::<(), std::io::Error>(())
        });
        let done = progress.finish();
        worked.with_context(|| not_written(store))?;
        match failure {
            None => Ok(done),
            Some(Failure { error, .. }) => {
                store.say(&Entry::Failed(error.to_string())).with_context(|| not_written(store))?;
                Err(told(self.scenario, error))
            }
        }
    }

    /// The lines of units that did not fail; after a failure nothing more is begun.
    fn keep(&self, made: Vec<(usize, Result<Line, UnitError>)>, failure: &mut Option<Failure>) -> Vec<(usize, Line)> {
        let mut lines = Vec::with_capacity(made.len());
        for (unit, line) in made {
            match line {
                Ok(line) => lines.push((unit, line)),
                Err(error) => {
                    self.stop.store(true, Ordering::Relaxed);
                    if failure.as_ref().is_none_or(|before| unit < before.unit) {
                        *failure = Some(Failure { unit, error: unit_failure(error) });
                    }
                }
            }
        }
        lines
    }
}

/// The share of each unit: its rows and, if it is among `tasks`, its work.
fn shares(units: &[Unit], tasks: &[Task]) -> Vec<Share> {
    let mut shares: Vec<Share> = units.iter().map(|unit| Share { rows: unit.rows, work: 0 }).collect();
    tasks.iter().for_each(|task| shares[task.unit].work = task.time);
    shares
}

fn not_written(store: &Store) -> String {
    let folder = store.folder().display();
    format!("cannot go on writing the journal in {folder}; with --resume the next run goes on from there")
}

fn unit_failure(error: UnitError) -> Error {
    match error {
        UnitError::Row(row) => Error::new(*row),
        other => Error::new(other),
    }
}

/// The first interrupt, or a batch system's request, lets what is at work come to its end; the second ends the process.
pub(super) fn stop_when_interrupted() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        seen.store(true, Ordering::Relaxed);
    })?;
    Ok(stop)
}
