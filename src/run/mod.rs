//! Running a scenario: every point, algorithm and repetition, in parallel, in order.
//!
//! A row is computed from its experiment alone, so rows do not depend on how many threads compute them; they are handed
//! on in the order of (point, algorithm, repetition). This floor knows neither files nor terminals.

mod alike;
mod broadcast;
mod examine;
mod exchange;
mod mapping;
mod operations;
mod row;
mod traffic;

pub use alike::Repeats;
pub use broadcast::{BroadcastCounts, BroadcastDetails, BroadcastFindings, plan as broadcast_plan};
pub use examine::{Contention, Examination, OperationFindings, RoutingFindings, examine};
pub use exchange::{ExchangeCounts, ExchangeFindings, model as exchange_model, plan as exchange_plan};
pub use mapping::{CutDetails, MappingCounts, MappingDetails, plan as mapping_plan};
pub use row::{Blocked, Measured, Row, RowError, RowFailure, Runner, schedule};
pub use traffic::{LinkLoad, TrafficCounts};

use crate::scenario::Scenario;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use thiserror::Error;

/// Which row: a point, an algorithm of its workload, a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowId {
    /// Index into the scenario's points.
    pub point: usize,
    /// Index into the workload's algorithms; 0 for workloads without any.
    pub algorithm: usize,
    /// From 0.
    pub repetition: u64,
}

/// All rows of a scenario in order.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Where each point's rows begin, and at the end how many rows there are.
    starts: Vec<usize>,
    repetitions: Vec<usize>,
}

impl Rows {
    /// The rows of `scenario`.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let mut rows = Self { starts: vec![0], repetitions: Vec::new() };
        for point in &scenario.points {
            let repetitions = usize::try_from(point.experiment.repetitions).unwrap_or(usize::MAX);
            let count = repetitions.saturating_mul(point.experiment.workload.algorithms());
            let start = rows.starts.last().copied().unwrap_or(0);
            rows.starts.push(start.saturating_add(count));
            rows.repetitions.push(repetitions);
        }
        rows
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The `index`-th.
    #[must_use]
    pub fn get(&self, index: usize) -> RowId {
        let point = self.starts.partition_point(|&start| start <= index) - 1;
        let within = index - self.starts[point];
        let repetitions = self.repetitions[point];
        RowId { point, algorithm: within / repetitions, repetition: (within % repetitions) as u64 }
    }
}

/// Why a scenario was not run to its end.
#[derive(Debug, Error)]
pub enum RunError<E> {
    /// A row failed.
    #[error(transparent)]
    Row(Box<RowError>),
    /// Whoever takes the rows refused one.
    #[error(transparent)]
    Sink(E),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Computes every row of `scenario` on `threads` threads and hands them to `sink` in order; with what happened to every
/// message if `details`.
///
/// # Errors
/// The first row, in order, that fails, or the first that `sink` refuses; rows before it have been handed on.
pub fn run<E>(
    scenario: &Scenario,
    threads: NonZeroUsize,
    details: bool,
    sink: impl FnMut(Row) -> Result<(), E>,
) -> Result<(), RunError<E>> {
    let most = if details { 1 } else { most_at_once(scenario) };
    let runner = Runner::new(scenario);
    in_parallel(&Rows::of(scenario), threads, most, |id| runner.compute(id, details), sink)
}

/// How many rows a thread may compute before it hands them on: enough for short rows not to be about handing on.
const MOST_AT_ONCE: usize = 64;

/// How long they may take by their estimate, in nanoseconds: short against what anybody waits for the last.
const LONGEST_BATCH: u64 = 20_000_000;

/// How many rows of `scenario` a thread takes at once.
fn most_at_once(scenario: &Scenario) -> usize {
    let experiments = scenario.points.iter().map(|point| &point.experiment);
    let times = experiments.flat_map(|experiment| {
        (0..experiment.workload.algorithms()).map(|algorithm| experiment.estimate(algorithm).time)
    });
    let longest = times.max().unwrap_or(0).max(1);
    usize::try_from(LONGEST_BATCH / longest).unwrap_or(MOST_AT_ONCE).clamp(1, MOST_AT_ONCE)
}

/// As [`run`], but hands on what `compute` makes of each row; a thread takes up to `most` rows at once.
///
/// # Errors
/// As [`run`].
pub fn in_parallel<T: Send, E>(
    rows: &Rows,
    threads: NonZeroUsize,
    most: usize,
    compute: impl Fn(RowId) -> Result<T, Box<RowError>> + Sync,
    mut sink: impl FnMut(T) -> Result<(), E>,
) -> Result<(), RunError<E>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build()?;
    // small enough that all threads are busy to the end
    let size = (rows.count() / (16 * threads.get())).clamp(1, most.max(1));
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::sync_channel(4 * threads.get());
    std::thread::scope(|scope| {
        let (next, stop, compute) = (&next, &stop, &compute);
        scope.spawn(move || {
            pool.broadcast(|_| {
                while !stop.load(Ordering::Relaxed) {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    let indices = (batch * size).min(rows.count())..((batch + 1) * size).min(rows.count());
                    let done = indices.is_empty();
                    let computed: Vec<_> = indices.map(|index| compute(rows.get(index))).collect();
                    if done || sender.send((batch, computed)).is_err() {
                        return;
                    }
                }
            });
        });
        let taken = in_order(&receiver, |row| sink(row.map_err(RunError::Row)?).map_err(RunError::Sink));
        stop.store(true, Ordering::Relaxed);
        drop(receiver); // lets threads that wait to hand on rows go
        taken
    })
}

/// The number of a batch of rows, and the rows.
type Batch<T> = (usize, Vec<Result<T, Box<RowError>>>);

/// Passes on the rows that arrive in the order of their batches.
fn in_order<T, E>(
    receiver: &mpsc::Receiver<Batch<T>>,
    mut take: impl FnMut(Result<T, Box<RowError>>) -> Result<(), E>,
) -> Result<(), E> {
    let mut early = BTreeMap::new();
    let mut expected = 0;
    for (batch, rows) in receiver {
        early.insert(batch, rows);
        while let Some(rows) = early.remove(&expected) {
            rows.into_iter().try_for_each(&mut take)?;
            expected += 1;
        }
    }
    Ok(())
}
