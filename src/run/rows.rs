//! The rows of a scenario, and the units that they are computed in.

use crate::cancel;
use crate::kind::{DetailFiles, Keep, Row, RowError, RowId};
use crate::memory::{Limit, in_words};
use crate::scenario::Scenario;
use crate::units::saturated;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The rows of `scenario` in order, each computed on the caller's thread when it is asked for and the error of the row if
/// that fails; [`run`](super::run) computes them on all cores.
pub fn rows(scenario: &Scenario) -> impl Iterator<Item = Result<Row, Box<RowError>>> {
    let ids = Rows::new(scenario);
    (0..ids.count()).map(move |index| {
        let id = ids.get(index);
        scenario.points[id.point].experiment.run(id, Keep::default())
    })
}

/// Which rows a scenario has, in order.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Where each point's rows begin, and at the end how many rows there are.
    starts: Vec<usize>,
    repetitions: Vec<usize>,
}

impl Rows {
    /// The rows of `scenario`.
    pub fn new(scenario: &Scenario) -> Self {
        let mut rows = Self { starts: vec![0], repetitions: Vec::new() };
        let mut end: usize = 0;
        for point in &scenario.points {
            // more rows than memory has addresses are never run
            let repetitions = saturated(point.experiment.repetitions);
            end = end.saturating_add(repetitions.saturating_mul(point.experiment.workload.variants().len()));
            rows.starts.push(end);
            rows.repetitions.push(repetitions);
        }
        rows
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The `index`-th.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn get(&self, index: usize) -> RowId {
        let point = self.starts.partition_point(|&start| start <= index) - 1;
        let within = index - self.starts[point];
        let repetitions = self.repetitions[point];
        RowId { point, algorithm: within / repetitions, repetition: (within % repetitions) as u64 }
    }
}

/// Some repetitions of one algorithm at one point: what a thread takes at once, and a line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Index of the point.
    pub point: usize,
    /// Index of the algorithm.
    pub algorithm: usize,
    /// The first repetition.
    pub from: u64,
    /// How many.
    pub rows: u64,
    /// Roughly how long it takes, in nanoseconds of one core.
    #[serde(skip)]
    pub time: u64,
    /// The most memory that it takes, in bytes.
    #[serde(skip)]
    pub memory: u64,
}

impl Unit {
    /// Its rows.
    pub fn ids(&self) -> impl Iterator<Item = RowId> + use<> {
        let Self { point, algorithm, from, rows, .. } = *self;
        (from..from + rows).map(move |repetition| RowId { point, algorithm, repetition })
    }
}

/// Bytes that a row takes for each message of which it is kept what happened to it: as data, and as a line.
const DETAIL: u64 = 250;

/// The units of `scenario` in the order of its rows. They follow from the scenario alone.
pub fn units(scenario: &Scenario) -> Vec<Unit> {
    units_keeping(scenario, DetailFiles::default())
}

/// Returns the units of `scenario` with the memory for the details that are `kept`.
pub fn units_keeping(scenario: &Scenario, kept: DetailFiles) -> Vec<Unit> {
    let mut units = Vec::new();
    for (point, planned) in scenario.points.iter().enumerate() {
        cancel::checkpoint();
        let experiment = &planned.experiment;
        for algorithm in 0..experiment.workload.variants().len() {
            let demand = experiment.demand(algorithm);
            let estimate = demand.estimate();
            let most = estimate.rows_at_once();
            let of_messages = if kept.messages { (demand.messages as u64).saturating_mul(DETAIL) } else { 0 };
            let of_timeline = if kept.timeline { demand.timeline() } else { 0 };
            let of_activity = experiment.machine.energy.as_ref().map_or(0, |energy| energy.activity_memory());
            let details = of_messages.saturating_add(of_timeline).saturating_add(of_activity);
            let mut from = 0;
            while from < experiment.repetitions {
                let rows = most.min(experiment.repetitions - from);
                let time = estimate.time.saturating_mul(rows);
                let memory = estimate.memory.saturating_add(details.saturating_mul(rows));
                units.push(Unit { point, algorithm, from, rows, time, memory });
                from += rows;
            }
        }
    }
    units
}

/// Rows of so many bytes are never refused for what is kept of their messages.
const LEAST: u64 = 64 << 20;

/// A row that does not fit with what is kept of its messages; without that it fits.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("storing all messages of a row requires {} of memory; {} are {}", in_words(*.needed), in_words(.limit.bytes), .limit.why)]
#[non_exhaustive]
pub struct RowTooLarge {
    /// The bytes that it takes.
    pub needed: u64,
    /// How many there are.
    pub limit: Limit,
}

/// Whether each of `units` fits into `memory`, which is what a scenario leaves of `limit`, in bytes.
///
/// # Errors
/// If one does not.
pub fn check_memory(units: &[Unit], memory: u64, limit: Limit) -> Result<(), RowTooLarge> {
    let needed = units.iter().map(|unit| unit.memory).max().unwrap_or(0);
    if needed <= memory.max(LEAST) { Ok(()) } else { Err(RowTooLarge { needed, limit }) }
}
