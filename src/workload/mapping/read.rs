//! `[workload.mapping]`: tasks that talk to each other, put on the nodes of a hypercube, one each where it has enough.

use crate::algorithm::mapping::{
    ALGORITHMS, Algorithm, GraphError, Growth, MOST_FOR_BOUND, MOST_TASKS, Options, TaskGraph, generate,
};
use crate::config::Diagnostic;
use crate::config::Files;
use crate::config::Place;
use crate::config::Reader;
use crate::random;
use crate::units::Flits;
use crate::workload::multicast::LONGEST;
use serde::Serialize;
use std::sync::Arc;

/// A mapping workload.
#[derive(Clone, Debug, Serialize)]
pub struct Mapping {
    /// The algorithms to compare.
    #[serde(serialize_with = "names")]
    pub algorithms: Vec<&'static Algorithm>,
    /// The tasks.
    pub graph: GraphSource,
    /// Variants of the algorithms.
    pub options: Options,
    /// Whether a bound that no mapping can cost less than is computed.
    pub bound: bool,
    /// The traffic to run, if it is to be run.
    pub traffic: Option<Traffic>,
    /// Whether mappings and their cuts are written.
    pub details: bool,
}

/// Where task graphs come from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphSource {
    /// From a file.
    File {
        /// The file, as the scenario names it.
        name: String,
        /// Tasks, the dummies aside.
        tasks: usize,
        /// The graph.
        #[serde(skip)]
        graph: Arc<TaskGraph>,
    },
    /// Drawn, a graph a repetition.
    Drawn {
        /// Tasks.
        tasks: usize,
        /// Of the hypercube.
        #[serde(skip)]
        dimension: u32,
        /// What they are like.
        kind: Kind,
        /// Weights are drawn from 1 to this.
        weights: u32,
    },
}

/// Kinds of drawn graphs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Every pair is joined with this probability.
    Gnp(f64),
    /// So many pairs are joined.
    Gnm(usize),
    /// A hypercube, relabelled, as all that follow.
    Hypercube,
    /// A mesh of this shape.
    Mesh(Vec<usize>),
    /// A torus of this shape.
    Torus(Vec<usize>),
    /// A ring.
    Ring,
    /// A complete binary tree; a task is left over.
    Tree,
    /// A binomial tree.
    BinomialTree,
}

/// Traffic: of every edge as many packets each way as it weighs, all at time 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// The length of a packet.
    pub flits: Flits,
    /// The order in which a node sends.
    pub order: Order,
}

/// The order in which a node sends its packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// By receiving task.
    #[default]
    Idx,
    /// By receiving task, from the sender's own on.
    Rot,
    /// At random.
    Shuf,
}

impl GraphSource {
    /// How many tasks there are, the dummies aside.
    #[must_use]
    pub fn tasks(&self) -> usize {
        match self {
            Self::File { tasks, .. } | Self::Drawn { tasks, .. } => *tasks,
        }
    }

    /// No graph weighs more, edges in all.
    pub(super) fn most_weight(&self) -> u64 {
        let (tasks, kind, weights) = match self {
            Self::File { graph, .. } => return graph.total_weight(),
            Self::Drawn { tasks, kind, weights, .. } => (*tasks as u64, kind, u64::from(*weights)),
        };
        let edges = match kind {
            Kind::Gnp(_) => tasks * tasks / 2,
            Kind::Gnm(edges) => (*edges as u64).min(tasks * tasks / 2),
            Kind::Mesh(shape) | Kind::Torus(shape) => tasks * shape.len() as u64,
            Kind::Hypercube => tasks * u64::from(tasks.ilog2()) / 2,
            Kind::Ring | Kind::Tree | Kind::BinomialTree => tasks,
        };
        edges * weights
    }

    /// The graph of repetition `repetition`.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn graph(&self, seed: u64, repetition: u64) -> Result<Arc<TaskGraph>, GraphError> {
        let (tasks, dimension, kind, weights) = match self {
            Self::File { graph, .. } => return Ok(Arc::clone(graph)),
            Self::Drawn { tasks, dimension, kind, weights } => (*tasks, *dimension, kind, *weights),
        };
        let mut random = random::stream(seed, "task graph", repetition);
        let random = &mut random;
        let dimensions = tasks.ilog2();
        let graph = match kind {
            Kind::Gnp(density) => generate::gnp(tasks, *density, weights, random)?,
            Kind::Gnm(edges) => generate::gnm(tasks, *edges, weights, random)?,
            Kind::Hypercube => generate::hypercube(dimensions, weights, random)?,
            Kind::Mesh(shape) => generate::mesh(shape, weights, random)?,
            Kind::Torus(shape) => generate::torus(shape, weights, random)?,
            Kind::Ring => generate::ring(tasks, weights, random)?,
            Kind::Tree => generate::complete_binary_tree(dimensions, weights, random)?,
            Kind::BinomialTree => generate::binomial_tree(dimensions, weights, random)?,
        };
        graph.onto(dimension).map(Arc::new)
    }
}

fn names<S: serde::Serializer>(algorithms: &[&'static Algorithm], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(algorithms.iter().map(|algorithm| algorithm.name))
}

/// Which algorithms read a key.
const READERS: &[(&str, &str)] =
    &[("starts", "mrb"), ("multilevel", "mrb"), ("growth", "greedy"), ("proposals", "anneal")];

/// Reads the workload on a hypercube of `nodes` nodes.
pub(super) fn read(table: &Reader<'_>, nodes: Option<usize>, files: &mut Files<'_>) -> Option<Mapping> {
    let registered: Vec<_> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
    let written = table.registered("algorithms", "mapping algorithm", &registered);
    for (key, reader) in READERS {
        if table.has(key) && !written.iter().any(|&(_, at)| ALGORITHMS[at].name == *reader) {
            let message = format!("only `{reader}` reads `{key}`, and is not among the algorithms");
            table.error(Diagnostic::at(table.place_of(key), message));
        }
    }
    let count = |key, default| usize::try_from(table.integer(key, default, 1..=1 << 20)).unwrap_or(1);
    let defaults = Options::default();
    let options = Options {
        starts: count("starts", 1),
        multilevel: table.boolean("multilevel", defaults.multilevel),
        growth: table.choice("growth", &Growth::ALL, defaults.growth),
        proposals: count("proposals", defaults.proposals as u64),
    };
    let traffic = traffic(table);
    let bound = table.boolean("bound", false);
    let details = table.boolean("details", true);
    let graph = source(table, nodes, files);
    let graph = graph?;
    // those of the padding included
    let positions = graph.tasks().next_power_of_two().max(nodes?);
    if bound && positions > MOST_FOR_BOUND {
        let message = format!("a bound is computed for at most {MOST_FOR_BOUND} tasks, not {positions}");
        table.error(Diagnostic::at(table.place_of("bound"), message).note("accepted here: false"));
    }
    let mut algorithms = Vec::new();
    for (position, at) in written {
        let algorithm = &ALGORITHMS[at];
        if positions > algorithm.most_tasks {
            let message = format!("`{}` takes at most {} tasks, not {positions}", algorithm.name, algorithm.most_tasks);
            table.error(Diagnostic::at(table.place_within_array(&["algorithms"], position), message));
        }
        algorithms.push(algorithm);
    }
    Some(Mapping { algorithms, graph, options, bound, traffic, details })
}

fn traffic(table: &Reader<'_>) -> Option<Traffic> {
    let simulate = table.boolean("simulate", false);
    let flits = table.integer("packet_flits", 16, 0..=LONGEST);
    let orders = [("idx", Order::Idx), ("rot", Order::Rot), ("shuf", Order::Shuf)];
    let order = table.choice("order", &orders, Order::default());
    for key in ["packet_flits", "order"].into_iter().filter(|key| !simulate && table.has(key)) {
        let message = format!("without `simulate = true` nothing is sent, so `{key}` would be ignored");
        table.error(Diagnostic::at(table.place_of(key), message));
    }
    simulate.then_some(Traffic { flits: Flits(flits), order })
}

fn source(table: &Reader<'_>, nodes: Option<usize>, files: &mut Files<'_>) -> Option<GraphSource> {
    for key in ["graph", "generator", "density", "edges", "shape", "weights"] {
        table.skip(key);
    }
    let tasks = table.optional_integer("tasks", 1..=1 << 24);
    let tasks = tasks.map(|tasks| usize::try_from(tasks).unwrap_or(usize::MAX));
    if table.has("graph") == table.has("generator") {
        table.missing("graph", "a CSV file with the columns a,b,weight; or instead `generator`");
        return None;
    }
    if let Some(nodes) = nodes.filter(|&nodes| nodes > MOST_TASKS) {
        let message = format!("a hypercube of {nodes} nodes is too large for mapping: at most {MOST_TASKS}");
        table.error(Diagnostic::at(table.place(), message));
        return None;
    }
    match table.string("graph") {
        Some((name, place)) => file(table, (name, &place), (tasks, nodes?), files),
        None => drawn(table, (tasks.or(nodes)?, nodes?)),
    }
}

/// A graph of `tasks` tasks to draw for a hypercube of `nodes` nodes.
fn drawn(table: &Reader<'_>, (tasks, nodes): (usize, usize)) -> Option<GraphSource> {
    let names = ["gnp", "gnm", "hypercube", "mesh", "torus", "ring", "tree", "binomial-tree"].map(|name| (name, name));
    let name = table.choice("generator", &names, "gnp");
    let density = table.optional_number("density", 0.0..=1.0);
    let edges = table.optional_integer("edges", 0..=1 << 32);
    let shape = table.integers("shape", 1..=1 << 24);
    let weights = table.integer("weights", 1, 1..=1 << 20);
    let wanted = match name {
        "gnp" => Some("density"),
        "gnm" => Some("edges"),
        "mesh" | "torus" => Some("shape"),
        _ => None,
    };
    for key in ["density", "edges", "shape"] {
        if table.has(key) && wanted != Some(key) {
            let message = format!("a graph of `generator` = \"{name}\" does not read `{key}`");
            table.error(Diagnostic::at(table.place_of(key), message));
        }
    }
    if let Some(key) = wanted.filter(|key| !table.has(key)) {
        table.missing(key, &format!("what a graph of `generator` = \"{name}\" is made from"));
        return None;
    }
    let shape: Vec<usize> =
        shape.unwrap_or_default().into_iter().map(|(n, _)| usize::try_from(n).unwrap_or(usize::MAX)).collect();
    let kind = match name {
        "gnp" => Kind::Gnp(density?),
        "gnm" => Kind::Gnm(usize::try_from(edges?).unwrap_or(usize::MAX)),
        "hypercube" => Kind::Hypercube,
        "mesh" => Kind::Mesh(shape),
        "torus" => Kind::Torus(shape),
        "ring" => Kind::Ring,
        "tree" => Kind::Tree,
        _ => Kind::BinomialTree,
    };
    let size = match &kind {
        Kind::Mesh(shape) | Kind::Torus(shape) => {
            Some(shape.iter().copied().fold(1_usize, usize::saturating_mul)).filter(|&size| size != tasks)
        }
        Kind::Hypercube | Kind::Tree | Kind::BinomialTree if !tasks.is_power_of_two() => {
            Some(tasks.next_power_of_two())
        }
        _ => None,
    };
    if let Some(size) = size {
        let message = format!("a {name} graph of {size} tasks, where {tasks} are asked for");
        table.error(Diagnostic::at(table.place_of("generator"), message));
        return None;
    }
    let weights = u32::try_from(weights).unwrap_or(u32::MAX);
    Some(GraphSource::Drawn { tasks, dimension: nodes.ilog2(), kind, weights })
}

/// The graph in a file, with dummy tasks up to the number of nodes, or several tasks a node.
fn file(
    table: &Reader<'_>,
    (name, place): (&str, &Place),
    (tasks, nodes): (Option<usize>, usize),
    files: &mut Files<'_>,
) -> Option<GraphSource> {
    for key in ["density", "edges", "shape", "weights"].into_iter().filter(|key| table.has(key)) {
        let message = format!("a graph from a file does not read `{key}`");
        table.error(Diagnostic::at(table.place_of(key), message));
    }
    let source = files.open(table, name, place)?;
    let wrong = |line: usize, message: String| {
        let text = &files.source(source).text;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let length = text[start.min(text.len())..].lines().next().map_or(0, str::len);
        let place = Place { source, span: start..start + length };
        table.error(Diagnostic::at(place, format!("`{name}`, line {}: {message}", line + 1)));
    };
    let (lines, edges) = match parse(&files.source(source).text) {
        Ok(parsed) => parsed,
        Err((line, message)) => {
            wrong(line, message);
            return None;
        }
    };
    let largest = edges.iter().map(|&(a, b, _)| a.max(b) as usize + 1).max().unwrap_or(1);
    let tasks = tasks.unwrap_or(largest);
    if let Some(at) = edges.iter().position(|&(a, b, _)| a.max(b) as usize >= tasks) {
        wrong(lines[at], format!("a task beyond the last, which is {}", tasks - 1));
        return None;
    }
    match TaskGraph::new(tasks.max(nodes), &edges).and_then(|graph| graph.onto(nodes.ilog2())) {
        Ok(graph) => Some(GraphSource::File { name: name.to_owned(), tasks, graph: Arc::new(graph) }),
        Err(error) => {
            let line = match &error {
                GraphError::SelfLoop { edge, .. } | GraphError::ZeroWeight { edge } => lines[*edge],
                GraphError::NoSuchTask { edge, .. } => lines[*edge],
                GraphError::Repeated { low, high } => {
                    let same = |&(a, b, _): &(u32, u32, u32)| (a.min(b), a.max(b)) == (*low, *high);
                    edges.iter().rposition(same).map_or(0, |at| lines[at])
                }
                GraphError::NoTasks | GraphError::TooManyTasks { .. } | GraphError::CubeTooLarge { .. } => 0,
            };
            wrong(line, error.to_string());
            None
        }
    }
}

/// Edges with the lines that they stand in, counted from 0; what is wrong with a line.
type Edges = (Vec<usize>, Vec<(u32, u32, u32)>);

fn parse(text: &str) -> Result<Edges, (usize, String)> {
    let (mut lines, mut edges) = (Vec::new(), Vec::new());
    let mut content = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    match content.next() {
        Some((_, header)) if header.split(',').map(str::trim).eq(["a", "b", "weight"]) => {}
        other => {
            return Err((other.map_or(0, |(line, _)| line), "the first line must be `a,b,weight`".to_owned()));
        }
    }
    for (number, line) in content {
        let fields: Vec<Option<u32>> = line.split(',').map(|field| field.trim().parse().ok()).collect();
        let [Some(a), Some(b), Some(weight)] = fields[..] else {
            let message = format!("\"{}\" is no edge; accepted: two tasks and a weight, integers", line.trim());
            return Err((number, message));
        };
        lines.push(number);
        edges.push((a, b, weight));
    }
    if edges.is_empty() {
        return Err((0, "a graph without edges has nothing to map".to_owned()));
    }
    Ok((lines, edges))
}
