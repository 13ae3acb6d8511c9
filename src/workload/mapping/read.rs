//! `[workload.mapping]`: tasks that talk to each other, put on the nodes of a network, one each where it has enough.

use crate::algorithm::mapping::{
    ALGORITHMS, Algorithm, Distances, GraphError, Growth, MOST_FOR_BOUND, MOST_PROCESSORS, MOST_TASKS, Options,
    Processors, TaskGraph, generate, positions,
};
use crate::config::{Columns, Diagnostic, Fault, Files, Place, Reader, each_row};
use crate::kind::words::counted;
use crate::kind::{Admitted, LeftOut, Selection, Setting, Unfit, Workload};
use crate::machine::Machine;
use crate::memory::OutOfMemory;
use crate::random;
use crate::routing::Network;
use crate::units::{Flits, Key, NodeId, narrow, saturated};
use crate::workload::LONGEST;
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;

/// A mapping workload.
#[derive(Clone, Debug, Serialize)]
pub struct Mapping {
    /// The algorithms to compare.
    pub algorithms: Vec<&'static Algorithm>,
    /// What is named and left out, as there are too many tasks for it.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
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
        /// A remark on its numbers, if they look as if they counted from 1.
        #[serde(skip)]
        remark: Option<String>,
    },
    /// Drawn, a graph a repetition.
    Drawn {
        /// Tasks.
        tasks: usize,
        /// What they are mapped onto.
        #[serde(skip)]
        processors: Processors,
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
    /// What tasks are mapped onto.
    pub fn processors(&self) -> &Processors {
        match self {
            Self::File { graph, .. } => graph.processors(),
            Self::Drawn { processors, .. } => processors,
        }
    }

    /// A remark on the numbers of its tasks, if they look as if they counted from 1, with the name of the file.
    pub(super) fn remark(&self) -> Option<String> {
        match self {
            Self::File { name, remark, .. } => remark.as_ref().map(|remark| format!("{name}: {remark}")),
            Self::Drawn { .. } => None,
        }
    }

    /// How many tasks there are, the dummies aside.
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

    /// The most edges that a graph has, one drawn in millions aside.
    pub(super) fn most_edges(&self) -> u64 {
        match self {
            Self::File { graph, .. } => graph.edge_count() as u64,
            Self::Drawn { tasks, kind: Kind::Gnp(density), .. } => generate::expected_edges(*tasks, *density) as u64,
            Self::Drawn { weights, .. } => self.most_weight() / u64::from(*weights).max(1),
        }
    }

    /// The mean weight of an edge.
    pub(super) fn mean_weight(&self) -> f64 {
        match self {
            Self::File { graph, .. } => graph.total_weight() as f64 / (graph.edge_count() as f64).max(1.0),
            Self::Drawn { weights, .. } => f64::midpoint(1.0, f64::from(*weights)),
        }
    }

    /// What it takes to have the graph of a repetition: bytes while it is made, and nanoseconds.
    pub(super) fn demand(&self) -> (u64, u64) {
        let Self::Drawn { tasks, kind, .. } = self else { return (0, 0) };
        let tasks = *tasks as u64;
        let edges = self.most_edges();
        let pairs = tasks.saturating_mul(tasks) / 2;
        match kind {
            Kind::Gnp(_) => (12 * edges, 12 * pairs + 50 * edges),
            // numbers are drawn into a set, or from a list of all pairs if that is not much longer
            Kind::Gnm(_) => (24 * edges + if pairs < 36 * edges { 4 * pairs } else { 0 }, 300 * edges),
            _ => (12 * edges + 4 * tasks, 150 * (edges + tasks)),
        }
    }

    /// The graph of repetition `repetition`.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn graph(&self, seed: u64, repetition: u64) -> Result<Arc<TaskGraph>, GraphError> {
        let (tasks, processors, kind, weights) = match self {
            Self::File { graph, .. } => return Ok(Arc::clone(graph)),
            Self::Drawn { tasks, processors, kind, weights } => (*tasks, processors, kind, *weights),
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
        Ok(Arc::new(graph.onto_network(processors.clone())))
    }
}

/// The largest of counts of graphs: tasks, or nodes along a dimension of one.
const MOST: u64 = 1 << 24;

const ALGORITHMS_KEY: Key = Key::names("algorithms", "mapping algorithm", Algorithm::name_at)
    .says("algorithms to compare; see `flitwise list algorithms`");
const GRAPH: Key = Key::file("graph")
    .or_else("generated: `generator`")
    .unless("generator")
    .says("CSV file of the edges of the task graph, with the columns a,b,weight; alternative to `generator`");
const TASKS: Key = Key::integer("tasks", 1..=MOST)
    .or_else("largest task in the file + 1, or the number of nodes for a generated graph")
    .says("number of tasks; nodes hold several tasks each if there are more tasks than nodes");
const GENERATORS: [&str; 8] = ["gnp", "gnm", "hypercube", "mesh", "torus", "ring", "tree", "binomial-tree"];
const GENERATOR: Key = Key::word("generator", |at| GENERATORS.get(at).copied())
    .or_else("from a file: `graph`")
    .says("type of the task graph generated for each repetition");
const DENSITY: Key = Key::number("density", 0.0..=1.0).read_if("generator", &["gnp"]).says("probability of an edge");
const EDGES: Key = Key::integer("edges", 0..=1 << 32).read_if("generator", &["gnm"]).says("number of edges");
const SHAPE: Key = Key::integers("shape", 1..=MOST)
    .read_if("generator", &["mesh", "torus"])
    .says("number of tasks along each dimension");
const WEIGHTS: Key = Key::integer("weights", 1..=1 << 20)
    .or(1)
    .beside(&["generator"])
    .says("largest weight of an edge; weights are uniform from 1 to this value");
const STARTS: Key =
    Key::integer("starts", 1..=1 << 20).or(1).read_by(&["mrb"]).says("number of random starts per step");
const MULTILEVEL: Key = Key::boolean("multilevel")
    .or_boolean(false)
    .read_by(&["mrb"])
    .says("multilevel scheme, which starts from a graph of merged tasks");
const GROWTH: Key = Key::word("growth", |at| Growth::ALL.get(at).map(|(name, _)| *name))
    .or_word("tasks")
    .read_by(&["greedy"])
    .says("rule that selects the next task; tasks: largest weight to placed tasks, on the free node of least cost; edges: \
         ends of the heaviest edge; breadth: neighbours of placed tasks, breadth first; nearest: as tasks, on the free \
         node nearest to its heaviest placed neighbour");
const PROPOSALS: Key =
    Key::integer("proposals", 1..=1 << 20).or(2000).read_by(&["anneal"]).says("number of proposed exchanges per task");
const SIMULATE: Key = Key::boolean("simulate")
    .or_boolean(false)
    .says("simulation of the traffic: one packet per unit of weight and direction of every edge, all at time 0");
const PACKET_FLITS: Key = Key::integer("packet_flits", 0..=LONGEST)
    .called("packet length")
    .or(16)
    .unit("flits")
    .read_if("simulate", &["true"])
    .because("nothing is sent without `simulate = true`")
    .says("length of a packet");
const ORDERS: [(&str, Order); 3] = [("idx", Order::Idx), ("rot", Order::Rot), ("shuf", Order::Shuf)];
const ORDER: Key = Key::word("order", |at| ORDERS.get(at).map(|(name, _)| *name))
    .or_word("idx")
    .read_if("simulate", &["true"])
    .because("nothing is sent without `simulate = true`")
    .says("order of the packets of a node: by receiving task (idx), the same but beginning with the number of the sending task (rot), or random (shuf)");
const BOUND: Key = Key::boolean("bound")
    .or_boolean(false)
    .says("computation of a lower bound on the cost of mappings onto a hypercube, for at most 1024 tasks");
const DETAILS: Key = Key::boolean("details")
    .or_boolean(true)
    .says("output of mapping.csv, of cuts.csv on a hypercube, and of links.csv for simulated traffic");
const UNFIT: Key =
    Unfit::KEY.says("treatment of algorithms that do not support the number of tasks: reject (an error) or skip");

pub(crate) const KEYS: &[Key] = &[
    ALGORITHMS_KEY,
    GRAPH,
    TASKS,
    GENERATOR,
    DENSITY,
    EDGES,
    SHAPE,
    WEIGHTS,
    STARTS,
    MULTILEVEL,
    GROWTH,
    PROPOSALS,
    SIMULATE,
    PACKET_FLITS,
    ORDER,
    BOUND,
    DETAILS,
    UNFIT,
];

/// A mapping needs a network; its packets are requested at the injection channel.
pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let machine = setting.machine;
    setting.demand_network(table, machine.network().is_some(), "a mapping needs a [network.*] with channels");
    setting.reject_node_costs("packets of a mapping have no node overheads");
    let selection = Selection::read(table, &ALGORITHMS_KEY, &UNFIT);
    let options = Options {
        starts: table.count(&STARTS),
        multilevel: table.boolean(&MULTILEVEL),
        growth: table.choice(&GROWTH, &Growth::ALL),
        proposals: table.count(&PROPOSALS),
    };
    let traffic = traffic(table);
    let bound = table.boolean(&BOUND);
    let details = table.boolean(&DETAILS);
    let graph = source(table, machine, files)?;
    let fit = Fit::new(&graph);
    if bound && let Some(why) = fit.no_bound() {
        table.error(Diagnostic::at(table.place_of("bound"), why).note("accepted here: false"));
    }
    let none = format!("none of `algorithms` supports {}", fit.in_words());
    let admits = |algorithm: &Algorithm| fit.refusal(algorithm).map_or(Ok(()), Err);
    let explain = |refusal: Diagnostic| match graph.remark() {
        Some(remark) => refusal.note(remark),
        None => refusal,
    };
    let Admitted { algorithms, left_out } = selection.admit(ALGORITHMS, |one| one.name, admits, explain, &none);
    Some(Arc::new(Mapping { algorithms, left_out, graph, options, bound, traffic, details }))
}

/// What algorithms have to fit.
struct Fit<'a> {
    processors: &'a Processors,
    /// The tasks, those of the padding included.
    positions: usize,
}

impl<'a> Fit<'a> {
    fn new(graph: &'a GraphSource) -> Self {
        let processors = graph.processors();
        Self { processors, positions: positions(graph.tasks(), processors.count()) }
    }

    fn is_cube(&self) -> bool {
        matches!(self.processors, Processors::Cube(_))
    }

    /// Why there is no bound, if there is none.
    fn no_bound(&self) -> Option<String> {
        let positions = self.positions;
        if !self.is_cube() {
            return Some("`bound` is available only for mappings onto hypercubes".to_owned());
        }
        let message = || format!("`bound` supports at most {MOST_FOR_BOUND} tasks, not {positions}");
        (positions > MOST_FOR_BOUND).then(message)
    }

    /// Why `algorithm` does not map this, if it does not.
    fn refusal(&self, algorithm: &Algorithm) -> Option<String> {
        if !algorithm.takes(self.processors.count()) {
            return Some(format!(
                "bisects the nodes and requires a power of two of nodes, not {}",
                self.processors.count()
            ));
        }
        let positions = self.positions;
        let most = algorithm.most_onto(self.processors);
        let off = if most < algorithm.most_tasks { " on networks other than hypercubes" } else { "" };
        (positions > most).then(|| format!("supports at most {most} tasks{off}, not {positions}"))
    }

    fn in_words(&self) -> String {
        let positions = self.positions;
        match self.processors.count() {
            nodes if nodes.is_power_of_two() => counted(positions as u64, "task"),
            nodes => format!("{} on {nodes} nodes", counted(positions as u64, "task")),
        }
    }
}

/// The nodes of `network`, whose distances are the links of its paths. Nodes without a path are farther from each other than any
/// others.
///
/// # Errors
/// If there is no memory for the distances.
pub(super) fn distances_on(network: &dyn Network) -> Result<Processors, OutOfMemory> {
    const FEWER: &str = "a path is shorter than channels are many";
    let channels = network.channels();
    let links = |from, to| match [NodeId(from), NodeId(to)] {
        [from, to] if network.reaches(from, to) => narrow(network.hops(from, to), FEWER),
        // a quarter, so that the distance there and back is a number of 32 bits
        _ => narrow::<u32, usize>(channels.count(), "channels are numbered with 32 bits") / 4,
    };
    Distances::new(channels.nodes(), links).map(Processors::from)
}

/// The nodes of the network, and how far they are from each other; none of what is too large, which has been reported.
fn processors(table: &Reader<'_>, machine: &Machine, files: &mut Files<'_>) -> Option<Processors> {
    let network = machine.network()?;
    let spec = machine.spec()?;
    let nodes = network.channels().nodes();
    let is_cube = spec.is_hypercube();
    let (what, most) = if is_cube { ("hypercube", MOST_TASKS) } else { ("network", MOST_PROCESSORS) };
    if nodes > most {
        let message = format!("a {what} of {nodes} nodes is too large for mapping; the limit is {most} nodes");
        table.error(Diagnostic::at(table.place(), message));
        return None;
    }
    if is_cube {
        return Some(Processors::Cube(nodes.ilog2()));
    }
    // all points on the same network share what is known of it
    let key = format!("distances {:?} {}", spec.parameters(), spec.routing());
    let distances = files.shared(&key, |_| distances_on(network));
    distances.map_err(|error| table.error(Diagnostic::at(table.place(), error.to_string()))).ok()
}

fn traffic(table: &Reader<'_>) -> Option<Traffic> {
    let simulate = table.boolean(&SIMULATE);
    let flits = table.integer(&PACKET_FLITS);
    let order = table.choice(&ORDER, &ORDERS);
    simulate.then_some(Traffic { flits: Flits(flits), order })
}

fn source(table: &Reader<'_>, machine: &Machine, files: &mut Files<'_>) -> Option<GraphSource> {
    let tasks = table.optional_count(&TASKS);
    if !table.gives(&GRAPH) && !table.gives(&GENERATOR) {
        table.missing("graph", "a CSV file with the columns a,b,weight, or `generator`");
        return None;
    }
    let processors = processors(table, machine, files);
    let drawn = drawn(table, tasks, processors.as_ref());
    match table.string(&GRAPH).filter(|_| !table.gives(&GENERATOR)) {
        Some(named) => file(table, named, tasks, &processors?, files),
        None => drawn,
    }
}

/// A graph of `tasks` tasks to draw, or of as many as there are `processors`.
fn drawn(table: &Reader<'_>, tasks: Option<usize>, processors: Option<&Processors>) -> Option<GraphSource> {
    let density = table.optional_number(&DENSITY);
    let edges = table.optional_count(&EDGES);
    let shape = table.integers(&SHAPE);
    let weights = table.integer(&WEIGHTS);
    let name = table.word(&GENERATOR)?;
    match name {
        "gnp" => table.demand(&DENSITY),
        "gnm" => table.demand(&EDGES),
        "mesh" | "torus" => table.demand(&SHAPE),
        _ => {}
    }
    let processors = processors?.clone();
    let tasks = tasks.unwrap_or_else(|| processors.count());
    let shape = shape.map(|shape| shape.into_iter().map(|(n, _)| saturated(n)).collect());
    let kind = match name {
        "gnp" => Kind::Gnp(density?),
        "gnm" => Kind::Gnm(edges?),
        "hypercube" => Kind::Hypercube,
        "mesh" => Kind::Mesh(shape?),
        "torus" => Kind::Torus(shape?),
        "ring" => Kind::Ring,
        "tree" => Kind::Tree,
        _ => Kind::BinomialTree,
    };
    let size = match &kind {
        Kind::Mesh(shape) | Kind::Torus(shape) => shape.iter().copied().fold(1_usize, usize::saturating_mul),
        Kind::Hypercube | Kind::Tree | Kind::BinomialTree => tasks.next_power_of_two(),
        _ => tasks,
    };
    if size != tasks {
        let message = format!("a {name} graph cannot have {}", counted(tasks as u64, "task"));
        let note = format!("accepted here: `tasks` = {size}");
        table.error(Diagnostic::at(table.place_of("generator"), message).note(note));
        return None;
    }
    let weights = u32::try_from(weights).unwrap_or(u32::MAX);
    Some(GraphSource::Drawn { tasks, processors, kind, weights })
}

/// The graph in a file, with dummy tasks up to the number of nodes, or several tasks a node.
fn file(
    table: &Reader<'_>,
    (name, place): (&str, &Place),
    tasks: Option<usize>,
    processors: &Processors,
    files: &mut Files<'_>,
) -> Option<GraphSource> {
    let source = files.open(table, name, place)?;
    let text = &files.source(source).text;
    let read = parse(text).and_then(|edges| {
        let beyond = edges.iter().map(Edge::beyond).max().unwrap_or(1);
        let hint = counts_from_one(&edges);
        let graph = graph(&edges, tasks.unwrap_or(beyond), processors);
        let graph = graph.map_err(|fault| vec![Fault { hint: fault.hint.or(hint.clone()), ..fault }])?;
        Ok((graph, if tasks.is_none() { hint } else { None }, tasks.unwrap_or(beyond)))
    });
    match read {
        Ok((graph, remark, tasks)) => {
            Some(GraphSource::File { name: name.to_owned(), tasks, graph: Arc::new(graph), remark })
        }
        Err(faults) => {
            faults.into_iter().for_each(|fault| table.error(fault.of_file(name, source)));
            None
        }
    }
}

/// An edge and where it stands.
struct Edge {
    ends: [u32; 2],
    weight: u32,
    /// The bytes of its line.
    line: Range<usize>,
}

impl Edge {
    /// One more than its larger end.
    fn beyond(&self) -> usize {
        self.ends[0].max(self.ends[1]) as usize + 1
    }
}

/// A remark on edges that leave out task 0, as those of a file do that counts from 1.
fn counts_from_one(edges: &[Edge]) -> Option<String> {
    let least = edges.iter().flat_map(|edge| edge.ends).min()?;
    let most = edges.iter().map(Edge::beyond).max()? - 1;
    (least == 1).then(|| {
        format!("no edge has task 0; if the file numbers its {most} tasks from 1, subtract 1 from each number")
    })
}

/// The edges in `text`.
fn parse(text: &str) -> Result<Vec<Edge>, Vec<Fault>> {
    let columns = Columns { names: &["a", "b", "weight"], required: 3 };
    let mut edges = Vec::new();
    let mut faults = Vec::new();
    let read = each_row(text, columns, |row| {
        let edge = row.and_then(|row| {
            let number = |column, most| {
                let number = row.number(column, 0..=most)?;
                Ok(narrow(number, "it is in a range of 32 bits"))
            };
            let ends = [number(0, u64::from(u32::MAX) - 1)?, number(1, u64::from(u32::MAX) - 1)?];
            Ok(Edge { ends, weight: number(2, u64::from(u32::MAX))?, line: row.line() })
        });
        edge.map(|edge| edges.push(edge)).map_err(|fault| faults.push(fault))
    });
    faults.extend(read.err());
    if faults.is_empty() && edges.is_empty() {
        faults.push(Fault::of_all(text, "the graph has no edges"));
    }
    if faults.is_empty() { Ok(edges) } else { Err(faults) }
}

/// The graph of `tasks` tasks, for these processors.
fn graph(edges: &[Edge], tasks: usize, processors: &Processors) -> Result<TaskGraph, Fault> {
    if let Some(edge) = edges.iter().find(|edge| edge.beyond() > tasks) {
        return Err(Fault::new(
            edge.line.clone(),
            format!("task {} does not exist; the last task is {}", edge.beyond() - 1, tasks - 1),
        ));
    }
    let weighted: Vec<(u32, u32, u32)> = edges.iter().map(|edge| (edge.ends[0], edge.ends[1], edge.weight)).collect();
    let graph = TaskGraph::new(tasks.max(processors.count()), &weighted);
    graph.map(|graph| graph.onto_network(processors.clone())).map_err(|error| {
        let line = match &error {
            GraphError::SelfLoop { edge, .. } | GraphError::ZeroWeight { edge } => edges[*edge].line.clone(),
            GraphError::NoSuchTask { edge, .. } => edges[*edge].line.clone(),
            GraphError::Repeated { low, high } => {
                let same = |edge: &&Edge| edge.ends == [*low, *high] || edge.ends == [*high, *low];
                edges.iter().rfind(same).map_or(0..0, |edge| edge.line.clone())
            }
            GraphError::NoTasks
            | GraphError::TooManyTasks { .. }
            | GraphError::CubeTooLarge { .. }
            | GraphError::OutOfMemory(_) => 0..0,
        };
        // the line shows which edge
        Fault::new(
            line,
            match error {
                GraphError::SelfLoop { task, .. } => format!("the edge joins task {task} with itself"),
                GraphError::ZeroWeight { .. } => "the weight of the edge is 0".to_owned(),
                other => other.to_string(),
            },
        )
    })
}
