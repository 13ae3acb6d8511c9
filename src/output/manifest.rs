//! `manifest.json`: what was run, by what, and how long it took.

use crate::digest::Digest;
use crate::run::Rows;
use crate::scenario::{Experiment, Scenario};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// What `manifest.json` says of a scenario.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    name: &'a str,
    version: &'static str,
    /// A digest of the resolved scenario and the files it names.
    hash: Digest,
    points: usize,
    rows: usize,
    tick: Option<&'a str>,
    /// The files that the scenario includes, each with its digest; what they say stands in it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    included: &'a BTreeMap<String, Digest>,
    /// The scenario with what the command line set.
    scenario: serde_json::Value,
    /// The same as TOML, one that can be run where the files are that it names.
    toml: String,
    /// The first point with every default.
    resolved: Option<serde_json::Value>,
}

/// What it says of how the scenario was run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct RunInfo {
    /// How many threads computed rows, at most.
    pub jobs: usize,
    /// How long that took, of all shards together; without what an interrupted run spent.
    pub wall_time_seconds: f64,
    /// How many rows were there from runs before.
    pub resumed_rows: u64,
    /// How many journals were put together.
    pub shards: usize,
}

impl<'a> Manifest<'a> {
    /// The name of the file.
    pub const NAME: &'static str = "manifest.json";

    /// The manifest of `scenario`.
    ///
    /// # Errors
    /// If its first point is no JSON.
    pub fn new(scenario: &'a Scenario) -> serde_json::Result<Self> {
        let first = scenario.points.first().map(|point| &point.experiment);
        Ok(Self {
            name: &scenario.name,
            version: env!("CARGO_PKG_VERSION"),
            hash: scenario.hash(),
            points: scenario.points.len(),
            rows: Rows::new(scenario).count(),
            tick: scenario.tick.as_ref().map(|tick| tick.text.as_str()),
            included: scenario.included(),
            scenario: scenario.document.root.json(),
            toml: scenario.document.root.toml(),
            resolved: first.map(Experiment::to_json).transpose()?,
        })
    }
}

/// Writes `manifest`, as JSON, with how it was `run`.
///
/// # Errors
/// If it cannot be written.
pub fn write_manifest(output: impl Write, manifest: &serde_json::Value, run: RunInfo) -> serde_json::Result<()> {
    #[derive(Serialize)]
    struct Whole<'a> {
        #[serde(flatten)]
        manifest: &'a serde_json::Value,
        #[serde(flatten)]
        run: RunInfo,
    }
    serde_json::to_writer_pretty(output, &Whole { manifest, run })
}
