//! `manifest.json`: what was run, by what, and how long it took.

use crate::scenario::{Experiment, Scenario, Value};
use serde::Serialize;
use std::time::Duration;

/// What only whoever ran the scenario knows.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// How many rows were computed.
    pub rows: usize,
    /// How many threads computed them.
    pub jobs: usize,
    /// How long it took.
    pub wall_time: Duration,
}

/// The content of `manifest.json`.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    name: &'a str,
    /// The version of flitwise.
    version: &'static str,
    /// SHA-256 of the resolved scenario and the files it names.
    hash: String,
    points: usize,
    rows: usize,
    jobs: usize,
    wall_time_seconds: f64,
    tick: Option<&'a str>,
    /// The scenario with what the command line set.
    scenario: serde_json::Value,
    /// The first point with every default.
    resolved: Option<&'a Experiment>,
}

impl<'a> Manifest<'a> {
    /// The manifest of `run` of `scenario`.
    #[must_use]
    pub fn new(scenario: &'a Scenario, run: Run) -> Self {
        Self {
            name: &scenario.name,
            version: env!("CARGO_PKG_VERSION"),
            hash: scenario.hash(),
            points: scenario.points.len(),
            rows: run.rows,
            jobs: run.jobs,
            wall_time_seconds: run.wall_time.as_secs_f64(),
            tick: scenario.tick.as_ref().map(|tick| tick.text.as_str()),
            scenario: Value::Table(scenario.document.root.clone()).json(),
            resolved: scenario.points.first().map(|point| &point.experiment),
        }
    }
}
