//! What a sweep is cut into.

use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};

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

/// About how long a unit should take, in nanoseconds: long against the microseconds that a line of a journal costs, short
/// against the seconds that anybody waits for the last one.
const GRAIN: u64 = 4_000_000;

/// The most rows of a unit, whose lines are held in memory.
const MOST_ROWS: u64 = 1024;

/// The units of `scenario` in the order of its rows. They follow from the scenario alone.
#[must_use]
pub fn units(scenario: &Scenario) -> Vec<Unit> {
    let mut units = Vec::new();
    for (point, planned) in scenario.points.iter().enumerate() {
        let experiment = &planned.experiment;
        for algorithm in 0..experiment.workload.algorithms() {
            let estimate = experiment.estimate(algorithm);
            let most = (GRAIN / estimate.time.max(1)).clamp(1, MOST_ROWS);
            let mut from = 0;
            while from < experiment.repetitions {
                let rows = most.min(experiment.repetitions - from);
                let time = estimate.time.saturating_mul(rows);
                units.push(Unit { point, algorithm, from, rows, time, memory: estimate.memory });
                from += rows;
            }
        }
    }
    units
}
