//! Running a scenario: every point, variant and repetition, on all cores, in order.
//!
//! A row is computed from its experiment alone, so rows do not depend on how many threads compute them. One pool of
//! threads serves everything that goes through rows: runs, figures, checks and previews. This floor knows neither files
//! nor terminals.

mod check;
mod pool;
mod recorded;
mod rows;
mod selection;

pub use check::{Examination, deadlock_freedom, examine};
use pool::longest_first;
pub use pool::{Task, WorkerPool};
pub use recorded::{predicted_timeline, recorded, recording_memory, why_not_recorded};
pub use rows::{RowTooLarge, Rows, Unit, check_memory, rows, units, units_keeping};
pub use selection::{SelectionError, Selector, most_telling, selected};

use crate::kind::{Keep, Row, RowError, RowId};
use crate::scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// Why a scenario was not run to its end: one side or the other, and never a third.
#[derive(Debug, Error)]
pub enum RunError<E> {
    /// A row failed.
    #[error(transparent)]
    Row(Box<RowError>),
    /// What takes the rows refused one.
    #[error(transparent)]
    Sink(E),
}

/// Computes every row of `scenario` on `threads` threads and hands them to `sink` in order; with what happened to every
/// message if `messages`. Within a [`Token`](crate::cancel::Token) that is cancelled, it ends the rows at work and unwinds.
///
/// # Errors
/// The first row, in order, that fails, or the first that `sink` refuses; rows before it have been handed on.
pub fn run<E>(
    scenario: &Scenario,
    threads: NonZeroUsize,
    messages: bool,
    mut sink: impl FnMut(Row) -> Result<(), E>,
) -> Result<(), RunError<E>> {
    let pool = WorkerPool { threads, memory: u64::MAX };
    let rows = |unit: &Unit| {
        unit.ids().map(|id| scenario.points[id.point].experiment.run(id, Keep::messages(messages))).collect()
    };
    in_order(pool, &units(scenario), rows, |all: Vec<Result<Row, Box<RowError>>>| {
        all.into_iter().try_for_each(|row| sink(row.map_err(RunError::Row)?).map_err(RunError::Sink))
    })
}

/// Computes something of each of `units` and hands it to `sink` in their order. Within a [`Token`](crate::cancel::Token)
/// that is cancelled, it ends what is at work and unwinds.
///
/// # Errors
/// The first of `sink`, after which nothing is handed on.
pub fn in_order<T: Send, E>(
    pool: WorkerPool,
    units: &[Unit],
    compute: impl Fn(&Unit) -> T + Sync,
    mut sink: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    // begun in their order, so that little has to be kept until its turn comes
    let task = |(unit, of): (usize, &Unit)| Task { unit, time: of.time, memory: of.memory };
    let tasks = units.iter().enumerate().map(task).collect();
    let mut early = BTreeMap::new();
    let mut expected = 0;
    pool.work(
        tasks,
        &AtomicBool::new(false),
        |unit| compute(&units[unit]),
        |made| {
            early.extend(made);
            while let Some(next) = early.remove(&expected) {
                sink(next)?;
                expected += 1;
            }
            Ok(())
        },
    )
}

/// By how much less work a row that repeats another is taken to be.
const REPEAT: u64 = 16;

/// The tasks of those `units` whose numbers are `chosen`, the longest first; those that repeat the work of others are
/// begun when those are long done.
pub fn tasks(scenario: &Scenario, units: &[Unit], chosen: &[usize]) -> Vec<Task> {
    let mut seen = BTreeSet::new();
    let mut task = |&unit: &usize| {
        let Unit { point, algorithm, time, memory, .. } = units[unit];
        let experiment = &scenario.points[point].experiment;
        let work = experiment.workload.shared_work(&experiment.machine, algorithm);
        let is_repeat = work.is_some_and(|work| !seen.insert(work));
        Task { unit, time: if is_repeat { time / REPEAT } else { time }, memory }
    };
    longest_first(chosen.iter().map(&mut task).collect())
}

/// All rows of the point with index `point`; none if there is no such point.
pub fn rows_of_point(scenario: &Scenario, point: usize) -> Vec<RowId> {
    let Some(experiment) = scenario.points.get(point).map(|point| &point.experiment) else { return Vec::new() };
    let of_variant =
        |algorithm| (0..experiment.repetitions).map(move |repetition| RowId { point, algorithm, repetition });
    (0..experiment.workload.variants().len()).flat_map(of_variant).collect()
}
