//! Rows computed into a journal: what `run` and `figures` have in common.

use super::progress::{Progress, now};
use super::told;
use super::ui::Ui;
use anyhow::{Context, Error, Result};
use flitwise::cancel::Cancelled;
use flitwise::kind::DetailFiles;
use flitwise::run::{WorkerPool, tasks};
use flitwise::scenario::Scenario;
use flitwise::sweep::{Entry, HopFile, HopParts, Line, Plan, Store, UnitError, record};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often what was appended to a journal is made to survive a loss of power.
const SYNC: Duration = Duration::from_secs(5);

/// What is computed, and by how many threads.
pub(super) struct Work<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) plan: &'a Plan,
    /// The details that are kept.
    pub(super) details: DetailFiles,
    /// Where every hop goes, if that is kept.
    pub(super) hops: Option<&'a HopParts>,
    pub(super) pool: WorkerPool,
    pub(super) quiet: bool,
}

/// The first row that failed, by its unit.
struct Failure {
    unit: usize,
    error: Error,
}

impl Work<'_> {
    /// Computes the units `chosen` and appends them to the journal of `store`. Returns how many rows were done: all, or
    /// those that were before the work was interrupted.
    pub(super) fn run(&self, ui: &Ui, store: &mut Store, chosen: &[usize]) -> Result<u64> {
        let units = &self.plan.units;
        let tasks = tasks(self.scenario, units, chosen);
        let progress =
            Progress::new(ui, self.scenario, units, tasks.iter().map(|task| (task.unit, task.time)), self.quiet);
        let stop = AtomicBool::new(false);
        let mut failure: Option<Failure> = None;
        let mut synced = now();
        let compute = |unit: usize| -> Result<Line, UnitError> {
            let hops = self.hops.map(|parts| HopFile { parts, unit });
            Ok(Line::new(record(self.scenario, &units[unit], self.details, hops)?)?)
        };
        let sink = |made| {
            let lines = keep(made, &stop, &mut failure);
            let done: Vec<usize> = lines.iter().map(|(unit, _)| *unit).collect();
            store.append(lines)?;
            progress.done(done.into_iter());
            if synced.elapsed() > SYNC {
                store.sync()?;
                synced = now();
            }
            Ok::<(), std::io::Error>(())
        };
        let work = || self.pool.work(tasks, &stop, compute, sink);
        let worked = progress.show(|| ui.interrupts().token().run(work));
        match worked {
            Ok(written) => written,
            Err(Cancelled) => {
                ui.interrupts().rows_ended();
                store.sync()
            }
        }
        .with_context(|| not_written(store))?;
        match failure {
            None => Ok(progress.rows()),
            Some(Failure { error, .. }) => {
                store.say(&Entry::Failed(error.to_string())).with_context(|| not_written(store))?;
                Err(told(self.scenario, error))
            }
        }
    }
}

/// The lines of units that did not fail; after a failure nothing more is begun.
fn keep(
    made: Vec<(usize, Result<Line, UnitError>)>,
    stop: &AtomicBool,
    failure: &mut Option<Failure>,
) -> Vec<(usize, Line)> {
    let mut lines = Vec::with_capacity(made.len());
    for (unit, line) in made {
        match line {
            Ok(line) => lines.push((unit, line)),
            Err(error) => {
                stop.store(true, Ordering::Relaxed);
                if failure.as_ref().is_none_or(|before| unit < before.unit) {
                    *failure = Some(Failure { unit, error: unit_failure(error) });
                }
            }
        }
    }
    lines
}

/// What it says where the journal of `store` takes no more.
pub(super) fn not_written(store: &Store) -> String {
    let folder = store.folder().display();
    format!("cannot write the journal in {folder}; --resume continues from its last complete line")
}

fn unit_failure(error: UnitError) -> Error {
    match error {
        UnitError::Row(row) => Error::new(*row),
        other => Error::new(other),
    }
}
