//! `[network.grid]`: what links cost, and what the planner sees.

use super::matrix::matrix;
use super::wrong::{self, Wrong};
use crate::algorithm::broadcast::MOST_NODES;
use crate::config::Diagnostic;
use crate::config::Files;
use crate::config::Reader;
use crate::grid::{Clusters, Distribution, ForecastError, Generator, Links, Quantity, Ranges};
use crate::random;
use crate::topology::{CostError, CostMatrix, LARGEST_COST};
use serde::Serialize;
use std::sync::Arc;

/// A grid as a scenario describes it.
#[derive(Clone, Debug, Serialize)]
pub struct Grid {
    /// Where its costs come from.
    pub source: GridSource,
    /// How forecasts are wrong, if the planner does not see the truth.
    pub error: Option<Wrong>,
}

/// Where costs come from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GridSource {
    /// From files: what the run sees, and what the planner sees.
    Files {
        /// The files, as the scenario names them.
        names: [String; 2],
        /// What the run sees.
        #[serde(skip)]
        actual: Arc<CostMatrix>,
        /// What the planner sees.
        #[serde(skip)]
        predicted: Arc<CostMatrix>,
    },
    /// Drawn, a grid a repetition.
    Drawn(Generator),
}

/// What links cost in a repetition.
#[derive(Clone, Debug)]
pub struct Costs {
    /// What the run sees.
    pub actual: Arc<CostMatrix>,
    /// What the planner sees.
    pub predicted: Arc<CostMatrix>,
}

impl Grid {
    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        match &self.source {
            GridSource::Files { actual, .. } => actual.nodes(),
            GridSource::Drawn(generator) => generator.nodes,
        }
    }

    /// The largest cost that a link can have, forecasts aside.
    #[must_use]
    pub fn ceiling(&self) -> u64 {
        match &self.source {
            GridSource::Files { actual, predicted, .. } => {
                actual.costs().iter().chain(predicted.costs()).copied().max().unwrap_or(0)
            }
            GridSource::Drawn(generator) => generator.ceiling(),
        }
    }

    /// The costs in repetition `repetition`.
    ///
    /// # Errors
    /// If a cost comes out too large.
    pub fn costs(&self, seed: u64, repetition: u64) -> Result<Costs, CostError> {
        let generator = match &self.source {
            GridSource::Files { actual, predicted, .. } => {
                let predicted = match &self.error {
                    Some(Wrong::Drawn(error)) => {
                        Arc::new(forecast(error, &Links::of(actual), actual.least(), seed, repetition)?)
                    }
                    _ => Arc::clone(predicted),
                };
                return Ok(Costs { actual: Arc::clone(actual), predicted });
            }
            GridSource::Drawn(generator) => generator,
        };
        let links = generator.draw(&mut random::stream(seed, "grid", repetition));
        match &self.error {
            None => {
                let actual = Arc::new(links.costs()?);
                Ok(Costs { predicted: Arc::clone(&actual), actual })
            }
            Some(Wrong::Drawn(error)) => {
                let predicted = forecast(error, &links, generator.floor(), seed, repetition)?;
                Ok(Costs { actual: Arc::new(links.costs()?), predicted: Arc::new(predicted) })
            }
            Some(Wrong::Forecast(fluctuation)) => {
                let count = generator.nodes as u64 * generator.nodes as u64;
                let observe = |link: u64| fluctuation.observe(seed, repetition * count + link);
                let shares: Vec<(f64, f64)> = (0..count).map(observe).collect();
                let actual = links.costs_by(|link, latency, data| latency + data / shares[link].1)?;
                let predicted = links.costs_by(|link, latency, data| latency + data / shares[link].0)?;
                Ok(Costs { actual: Arc::new(actual), predicted: Arc::new(predicted) })
            }
        }
    }

    /// In words.
    #[must_use]
    pub fn title(&self) -> String {
        format!("grid of {} nodes", self.nodes())
    }
}

/// Forecasts of `links` that are wrong at random.
fn forecast(
    error: &ForecastError,
    links: &Links,
    floor: u64,
    seed: u64,
    repetition: u64,
) -> Result<CostMatrix, CostError> {
    error.forecast(links, floor, &mut random::stream(seed, "forecast error", repetition))
}

/// Reads `[network.grid]`, which has been entered, and `[error]`.
pub(super) fn read(root: &Reader<'_>, table: &Reader<'_>, files: &mut Files<'_>) -> Option<Grid> {
    let source = source(table, files);
    table.finish();
    let error = wrong::read(root);
    let source = source?;
    if let Some(error) = &error
        && matches!(source, GridSource::Files { .. })
    {
        if root.is_given(&["network", "grid", "predicted"]) {
            let message = "`predicted` is what the planner sees, so `error` would be ignored";
            root.error(Diagnostic::at(root.place_within(&["error"]), message));
        }
        match error {
            Wrong::Drawn(ForecastError { on: Quantity::Bandwidth, .. }) => {
                let message = "costs from a file have no bandwidth";
                let place = root.place_within(&["error", "on"]);
                root.error(Diagnostic::at(place, message).note("accepted: `on` = \"cost\""));
            }
            Wrong::Forecast(_) => {
                let message = "costs from a file do not fluctuate";
                let place = root.place_within(&["error", "forecast"]);
                root.error(Diagnostic::at(place, message).note("accepted: a grid that is drawn, or `sigma`"));
            }
            Wrong::Drawn(_) => {}
        }
    }
    Some(Grid { source, error })
}

fn source(table: &Reader<'_>, files: &mut Files<'_>) -> Option<GridSource> {
    if !table.has("actual") && !table.has("nodes") {
        table.missing("actual", "a square CSV of costs without a header, or `nodes`, `bytes`, `latency`, `bandwidth`");
        return None;
    }
    if table.has("actual") {
        let (actual, place) = table.string("actual")?;
        let (predicted, predicted_place) = table.string("predicted").unwrap_or((actual, place.clone()));
        let known = matrix(table, files, actual, &place);
        let seen = matrix(table, files, predicted, &predicted_place);
        let (known, seen) = (known?, seen?);
        if known.nodes() != seen.nodes() {
            let message = format!("`{predicted}` has {} nodes, but `{actual}` {}", seen.nodes(), known.nodes());
            table.error(Diagnostic::at(predicted_place, message));
            return None;
        }
        let names = [actual.to_owned(), predicted.to_owned()];
        return Some(GridSource::Files { names, actual: known, predicted: seen });
    }
    generator(table).map(GridSource::Drawn)
}

fn generator(table: &Reader<'_>) -> Option<Generator> {
    let nodes = table.required_integer("nodes", 1..=MOST_NODES as u64);
    let bytes = table.required_integer("bytes", 0..=1 << 50);
    let links = spread(table, "latency", "bandwidth");
    let choices = [("uniform", Distribution::Uniform), ("log-uniform", Distribution::LogUniform)];
    let distribution = table.choice("distribution", &choices, Distribution::default());
    let (symmetric, per_node) = (table.boolean("symmetric", false), table.boolean("per_node", false));
    if symmetric && per_node {
        let message = "links that are the same for a node and for both directions are the same for all";
        table.error(Diagnostic::at(table.place_of("per_node"), message));
    }
    let clusters = match table.optional_integer("clusters", 2..=MOST_NODES as u64) {
        None => {
            for key in ["between_latency", "between_bandwidth"] {
                table.skip(key);
                if table.has(key) {
                    let message =
                        format!("without `clusters` there is nothing between them, so `{key}` would be ignored");
                    table.error(Diagnostic::at(table.place_of(key), message));
                }
            }
            None
        }
        Some(count) => {
            let between = spread(table, "between_latency", "between_bandwidth");
            Some(Clusters { count: usize::try_from(count).unwrap_or(usize::MAX), between: between? })
        }
    };
    let generator = Generator {
        nodes: usize::try_from(nodes?).unwrap_or(usize::MAX),
        bytes: bytes?,
        links: links?,
        distribution,
        symmetric,
        per_node,
        clusters,
    };
    if generator.ceiling() >= LARGEST_COST {
        let message = format!("a link could cost more than {} ticks", LARGEST_COST - 1);
        table.error(Diagnostic::at(table.place_of("bandwidth"), message));
        return None;
    }
    Some(generator)
}

/// Two ranges.
fn spread(table: &Reader<'_>, latency: &'static str, bandwidth: &'static str) -> Option<Ranges> {
    let range = |key: &'static str, least: u64, what: &str| {
        let values = table.integers(key, least..=1 << 50);
        if !table.has(key) {
            table.missing(key, &format!("[least, largest] {what}"));
        }
        match values?.as_slice() {
            [(low, _), (high, _)] if low <= high => Some((*low, *high)),
            _ => {
                let message = format!("`{}` must be two numbers, the least and the largest", table.path_of(key));
                table.error(Diagnostic::at(table.place_of(key), message));
                None
            }
        }
    };
    let latency = range(latency, 0, "ticks");
    let bandwidth = range(bandwidth, 1, "bytes per million ticks: KB/s when a tick is a nanosecond");
    Some(Ranges { latency: latency?, bandwidth: bandwidth? })
}
