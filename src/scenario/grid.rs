//! `[network.grid]` and `[error]`: what links cost, and what the planner sees.

use super::diagnostic::Diagnostic;
use super::document::Place;
use super::files::Files;
use super::reader::Reader;
use crate::algorithm::broadcast::MOST_NODES;
use crate::random;
use crate::topology::grid::{
    Clusters, Distribution, ForecastError, Generator, LARGEST_COST, Links, Quantity, Ranges, Truncation,
};
use crate::topology::{CostError, CostMatrix};
use serde::Serialize;
use std::sync::Arc;

/// A grid as a scenario describes it.
#[derive(Clone, Debug, Serialize)]
pub struct Grid {
    /// Where its costs come from.
    pub source: GridSource,
    /// How forecasts are wrong, if the planner sees forecasts drawn at random.
    pub error: Option<ForecastError>,
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
        let (actual, predicted, links, floor) = match &self.source {
            GridSource::Files { actual, predicted, .. } => {
                let links = self.error.map(|_| Links::of(actual));
                (Arc::clone(actual), Arc::clone(predicted), links, actual.least())
            }
            GridSource::Drawn(generator) => {
                let links = generator.draw(&mut random::stream(seed, "grid", repetition));
                let actual = Arc::new(links.costs()?);
                (Arc::clone(&actual), actual, Some(links), generator.floor())
            }
        };
        let predicted = match (&self.error, links) {
            (Some(error), Some(links)) => {
                let mut random = random::stream(seed, "forecast error", repetition);
                Arc::new(error.forecast(&links, floor, &mut random)?)
            }
            _ => predicted,
        };
        Ok(Costs { actual, predicted })
    }

    /// In words.
    #[must_use]
    pub fn title(&self) -> String {
        format!("grid of {} nodes", self.nodes())
    }
}

/// Reads `[network.grid]`, which has been entered, and `[error]`.
pub(super) fn read(root: &Reader<'_>, table: &Reader<'_>, files: &mut Files<'_>) -> Option<Grid> {
    let source = source(table, files);
    table.finish();
    let error = error(root);
    let source = source?;
    if let Some(error) = error
        && matches!(source, GridSource::Files { .. })
    {
        if root.is_given(&["network", "grid", "predicted"]) {
            let message = "`predicted` is what the planner sees, so `error` would be ignored";
            root.error(Diagnostic::at(root.place_within(&["error"]), message));
        }
        if error.on == Quantity::Bandwidth {
            let message = "costs from a file have no bandwidth";
            let place = root.place_within(&["error", "on"]);
            root.error(Diagnostic::at(place, message).note("accepted: `on` = \"cost\""));
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

fn error(root: &Reader<'_>) -> Option<ForecastError> {
    let table = root.table("error")?;
    let sigma = table.optional_number("sigma", 0.0..=100.0);
    if !table.has("sigma") {
        table.missing("sigma", "the standard deviation of the relative error of a forecast");
    }
    let on = table.choice("on", &[("cost", Quantity::Cost), ("bandwidth", Quantity::Bandwidth)], Quantity::default());
    let choices = [
        ("floor", Truncation::Floor),
        ("resample", Truncation::Resample),
        ("abs", Truncation::Abs),
        ("clip", Truncation::Clip),
        ("lognormal", Truncation::Lognormal),
    ];
    let truncation = table.choice("truncation", &choices, Truncation::default());
    let clip = table.optional_number("clip", 0.0..=1.0);
    if clip.is_some() && truncation != Truncation::Clip {
        let message = "only `truncation` = \"clip\" reads `clip`";
        table.error(Diagnostic::at(table.place_of("clip"), message));
    }
    table.finish();
    Some(ForecastError { sigma: sigma?, on, truncation, clip: clip.unwrap_or(0.0) })
}

/// The costs in a file: a square of integers, a row a line.
fn matrix(table: &Reader<'_>, files: &mut Files<'_>, name: &str, place: &Place) -> Option<Arc<CostMatrix>> {
    if let Some(known) = files.matrix(name) {
        return known;
    }
    let source = files.open(table, name, place)?;
    let parsed = parse(&files.source(source).text);
    let matrix = match parsed {
        Ok(matrix) => Some(Arc::new(matrix)),
        Err((span, message)) => {
            let span = span.unwrap_or(0..files.source(source).text.lines().next().map_or(0, str::len));
            table.error(Diagnostic::at(Place { source, span }, format!("`{name}`: {message}")));
            None
        }
    };
    files.keep_matrix(name, matrix.clone());
    matrix
}

type Wrong = (Option<std::ops::Range<usize>>, String);

fn parse(text: &str) -> Result<CostMatrix, Wrong> {
    let rows = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let nodes = rows().count();
    let mut costs = Vec::with_capacity(nodes * nodes);
    for (row, (number, line)) in rows().enumerate() {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let columns = line.split(',').count();
        if columns != nodes {
            let message = format!("line {}: {columns} costs in row {row}, but there are {nodes} rows", number + 1);
            return Err((Some(start..start + line.len()), message));
        }
        let mut at = start;
        for (column, written) in line.split(',').enumerate() {
            let span = at..at + written.len();
            at = span.end + 1;
            let wrong = |what: &str| {
                let written = written.trim();
                let message = format!("line {}, row {row}, column {column}: \"{written}\" {what}", number + 1);
                (Some(span.clone()), message)
            };
            let cost: u64 = written.trim().parse().map_err(|_| wrong("is no cost; accepted: integers"))?;
            if row == column && cost != 0 {
                return Err(wrong("on the diagonal; from a node to itself costs 0"));
            }
            if row != column && !(1..LARGEST_COST).contains(&cost) {
                return Err(wrong(&format!("cannot be; accepted: 1 to {}", LARGEST_COST - 1)));
            }
            costs.push(cost);
        }
    }
    CostMatrix::new(nodes, costs).map_err(|error| (None, error.to_string()))
}
