//! `[network.grid]`: what links cost. It has no channels, so no engine runs on it: a broadcast reads it.

use super::NetworkKind;
use crate::algorithm::broadcast::MOST_NODES;
use crate::config::{Diagnostic, Fault, Files, Place, Reader, Square, square};
use crate::grid::{Clusters, Distribution, Generator, Ranges};
use crate::topology::{CostMatrix, LARGEST_COST};
use crate::units::Key;
use serde::Serialize;
use std::sync::Arc;

/// The grid in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "grid",
    summary: "cost for every ordered pair of nodes; one-port model, for broadcasts",
    keys: KEYS,
    ..NetworkKind::DEFAULT
};

/// Where costs come from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GridSource {
    /// From files.
    Files {
        /// The files, as the scenario names them: what the run sees, and what the planner sees.
        names: [String; 2],
        /// The size of the message, if it is told.
        #[serde(skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// What stands in them.
        #[serde(skip)]
        costs: Costs,
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

impl GridSource {
    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        match self {
            Self::Files { costs, .. } => costs.actual.nodes(),
            Self::Drawn(generator) => generator.nodes,
        }
    }

    /// The size of the message, if it is known.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Files { bytes, .. } => *bytes,
            Self::Drawn(generator) => Some(generator.bytes),
        }
    }
}

const ACTUAL: Key = Key::file("actual")
    .or_else("random; see `nodes`")
    .says("costs in the run: square CSV in ticks without a header, row = sender, column = receiver; or `nodes`");
const PREDICTED: Key = Key::file("predicted")
    .or_else("actual")
    .beside(&["actual"])
    .says("costs that the planner sees, in the format of `actual`");

/// A key of grids that are drawn.
const fn drawn(key: Key) -> Key {
    key.unless("actual").because("the costs of `actual` are not random")
}

const NODES: Key = drawn(Key::integer("nodes", 1..=MOST_NODES as u64))
    .or_else("from the file `actual`")
    .says("number of nodes of a random grid, which differs between repetitions");
const BYTES: Key = Key::integer("bytes", 0..=1 << 50)
    .or_else("required with `nodes`; with `actual`, only for `schedule --format goal`")
    .unit("bytes")
    .says("size of the message");
const LATENCY: Key =
    drawn(Key::integers("latency", 0..=1 << 50)).unit("ticks").says("latency of a link, as [smallest, largest]");
const BANDWIDTH: Key = drawn(Key::integers("bandwidth", 1..=1 << 50))
    .unit("bytes per million ticks")
    .says("bandwidth of a link, as [smallest, largest]; in kB/s if a tick is 1 ns");
const DISTRIBUTIONS: [(&str, Distribution); 2] =
    [("uniform", Distribution::Uniform), ("log-uniform", Distribution::LogUniform)];
const DISTRIBUTION: Key = drawn(Key::word("distribution", |at| DISTRIBUTIONS.get(at).map(|(name, _)| *name)))
    .or_word("uniform")
    .says("distribution of random latencies and bandwidths");
const SYMMETRIC: Key = drawn(Key::boolean("symmetric"))
    .or_boolean(false)
    .says("true if both directions between two nodes have the same cost");
const PER_NODE: Key =
    drawn(Key::boolean("per_node")).or_boolean(false).says("true if all links that leave a node have the same cost");
const CLUSTERS: Key = drawn(Key::integer("clusters", 2..=MOST_NODES as u64))
    .or_else("none")
    .says("number of groups of consecutive nodes; links between groups have other costs");

/// A key of links between clusters.
const fn between(key: Key) -> Key {
    key.beside(&["clusters"]).because("there are no links between clusters")
}

const BETWEEN_LATENCY: Key = between(Key::integers("between_latency", 0..=1 << 50))
    .unit("ticks")
    .says("latency of a link between clusters, as [smallest, largest]");
const BETWEEN_BANDWIDTH: Key = between(Key::integers("between_bandwidth", 1..=1 << 50))
    .unit("bytes per million ticks")
    .says("bandwidth of a link between clusters, as [smallest, largest]");

const KEYS: &[Key] = &[
    ACTUAL,
    PREDICTED,
    NODES,
    BYTES,
    LATENCY,
    BANDWIDTH,
    DISTRIBUTION,
    SYMMETRIC,
    PER_NODE,
    CLUSTERS,
    BETWEEN_LATENCY,
    BETWEEN_BANDWIDTH,
];

/// Reads `[network.grid]`, which has been entered.
pub(crate) fn read(table: &Reader<'_>, files: &mut Files<'_>) -> Option<GridSource> {
    if !table.gives(&ACTUAL) && !table.gives(&NODES) {
        table.missing(
            "actual",
            "a square CSV of costs without a header, or `nodes`, `bytes`, `latency` and `bandwidth`",
        );
        return None;
    }
    if table.gives(&ACTUAL) {
        let (actual, place) = table.string(&ACTUAL)?;
        let (predicted, predicted_place) = table.string(&PREDICTED).unwrap_or((actual, place));
        let names = [actual.to_owned(), predicted.to_owned()];
        let bytes = table.optional_integer(&BYTES);
        let actual = matrix(table, files, actual, place);
        let predicted = matrix(table, files, predicted, predicted_place);
        let costs = Costs { actual: actual?, predicted: predicted? };
        let [known, seen] = [costs.actual.nodes(), costs.predicted.nodes()];
        if known != seen {
            let message = format!("`{}` has {seen} nodes, but `{}` has {known}", names[1], names[0]);
            table.error(Diagnostic::at(predicted_place.clone(), message));
            return None;
        }
        return Some(GridSource::Files { names, bytes, costs });
    }
    generator(table).map(GridSource::Drawn)
}

fn generator(table: &Reader<'_>) -> Option<Generator> {
    table.demand(&NODES);
    let nodes = table.optional_count(&NODES);
    let bytes = table.required_integer(&BYTES);
    let links = ranges(table, &LATENCY, &BANDWIDTH);
    let distribution = table.choice(&DISTRIBUTION, &DISTRIBUTIONS);
    let symmetric = table.boolean(&SYMMETRIC);
    let per_node = table.boolean(&PER_NODE);
    if symmetric && per_node {
        let message = "`symmetric` and `per_node` together would make all links the same";
        table.error(Diagnostic::at(table.place_of(PER_NODE.name), message));
    }
    let clusters = match table.optional_count(&CLUSTERS) {
        None => None,
        Some(count) => {
            let between = ranges(table, &BETWEEN_LATENCY, &BETWEEN_BANDWIDTH);
            Some(Clusters { count, between: between? })
        }
    };
    let generator =
        Generator { nodes: nodes?, bytes: bytes?, links: links?, distribution, symmetric, per_node, clusters };
    if generator.ceiling() >= LARGEST_COST {
        let message = format!("a link could cost more than {} ticks", LARGEST_COST - 1);
        table.error(Diagnostic::at(table.place_of("bandwidth"), message));
        return None;
    }
    Some(generator)
}

fn ranges(table: &Reader<'_>, latency: &Key, bandwidth: &Key) -> Option<Ranges> {
    let latency = range(table, latency);
    let bandwidth = range(table, bandwidth);
    Some(Ranges { latency: latency?, bandwidth: bandwidth? })
}

/// The least and the largest of the range that `key` gives; what is wrong with one of them has been reported.
fn range(table: &Reader<'_>, key: &Key) -> Option<(u64, u64)> {
    table.demand(key);
    let before = table.error_count();
    let read = table.integers(key)?;
    let wrong = match read.as_slice() {
        _ if table.error_count() > before => return None,
        [(low, _), (high, _)] if low <= high => return Some((*low, *high)),
        [_, _] => "has its largest value first".to_owned(),
        other => format!("has {} values", other.len()),
    };
    let message = format!("`{}` {wrong}", table.path_of(key.name));
    let wrong = Diagnostic::at(table.place_of(key.name), message);
    table.error(wrong.note("accepted: two values, the smallest and the largest, such as [1, 5]"));
    None
}

/// The costs in a file: a square of integers, a row a line.
fn matrix(table: &Reader<'_>, files: &mut Files<'_>, name: &str, place: &Place) -> Option<Arc<CostMatrix>> {
    files.shared(name, |files| {
        let source = files.open(table, name, place)?;
        let parsed = costs(&files.source(source).text);
        parsed.map_err(|fault| table.error(fault.of_file(name, source))).ok().map(Arc::new)
    })
}

fn costs(text: &str) -> Result<CostMatrix, Fault> {
    let Square { size, values } = square(text, None, "cost", cost)?;
    CostMatrix::new(size, values).map_err(|error| Fault::of_all(text, error.to_string()))
}

fn cost(row: usize, column: usize, written: &str) -> Result<u64, String> {
    let accepted = |problem| format!("{problem}; accepted: an integer from 1 to {}", LARGEST_COST - 1);
    let has_fraction = || written.parse().is_ok_and(|cost: f64| cost.fract() != 0.0);
    let problem = || if has_fraction() { "has a fraction, but costs are integers" } else { "is not a cost" };
    let cost: u64 = written.parse().map_err(|_| accepted(problem()))?;
    if row == column && cost != 0 {
        return Err("is on the diagonal, where the cost must be 0".to_owned());
    }
    if row != column && !(1..LARGEST_COST).contains(&cost) {
        return Err(accepted("is out of range"));
    }
    Ok(cost)
}
