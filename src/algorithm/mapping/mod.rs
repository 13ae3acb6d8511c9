//! Mapping of tasks that talk to each other onto the nodes of a network, one each, so that little goes far.
//!
//! A mapper knows the graph of tasks and how many links lie between processors ([`Processors`]): on a hypercube as many as
//! addresses have bits that differ, elsewhere what a table says. It refuses to know routes and time: what it makes cheap
//! is the sum over edges of weight times hops.
//!
//! Where there are too few processors for one task each ([`TaskGraph::onto`]), every one gets as many tasks as every other,
//! those of the padding included, and what stays on a node costs nothing. No mapper needs another idea for that: those
//! that decide bit after bit (`recursive`, `mrb`, `exhaustive`) stop after the cube's bits, `random` draws one of all
//! positions and drops the rest of its bits, `swap` and `anneal` exchange tasks of different nodes, and to `greedy` a
//! node is free while it has room.
//!
//! `recursive` and `mrb` halve node numbers, so processors must be a power of two. On a hypercube the least significant bit
//! is decided first, as all bits are alike; elsewhere nodes whose numbers differ in the highest bit are the farthest from
//! each other, and that one is decided first.
//!
//! Adding one: a file beside these, a line in [`ALGORITHMS`].
//!
//! ```
//! use flitwise::algorithm::mapping::{ALGORITHMS, Options, generate, lower_bound};
//! use flitwise::random::stream;
//! let ring = generate::ring(16, 1, &mut stream(1, "graph", 0))?;
//! for algorithm in ALGORITHMS {
//!     let mapping = algorithm.map(&ring, &Options::default(), &mut stream(1, algorithm.name, 0))?;
//!     assert!(Some(ring.cost(&mapping)) >= lower_bound(&ring), "{}", algorithm.name);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *Source.* The Korean paper on mapping to hypercubes by recursive bipartition (MRB). Where it is wrong or silent, the
//! mapper's doc says what it prints and what we do.

mod anneal;
mod bound;
mod coarse;
mod cut;
mod dense;
mod distant;
mod exhaustive;
pub mod generate;
mod graph;
mod greedy;
mod grow;
mod mrb;
mod orient;
mod placement;
mod processors;
mod pulls;
mod recursive;
mod side;
mod swap;
mod tournament;

pub use anneal::anneal;
pub use bound::{MOST as MOST_FOR_BOUND, lower_bound};
pub use exhaustive::{MOST as MOST_FOR_EXHAUSTIVE, MOST_OFF_CUBES, exhaustive};
pub use graph::{GraphError, MOST_TASKS, TaskGraph, positions};
pub use greedy::{Growth, greedy};
pub use mrb::{MANY as MANY_FOR_MRB, Run, mrb, mrb_from};
pub use processors::{Distances, MOST_PROCESSORS, Processors};
pub use recursive::recursive;
#[cfg(feature = "selftest")]
pub(crate) use swap::changes;
pub use swap::{descend, swap};

use crate::references::{self, Reference};
use crate::units::NodeId;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use serde::Serialize;
use thiserror::Error;

type Map = fn(&TaskGraph, &Options, &mut Pcg64) -> Result<Mapping, MappingError>;

const fn entry(name: &'static str, summary: &'static str, map: Map) -> Algorithm {
    Algorithm { name, summary, references: &[], most_tasks: MOST_TASKS, most_off_cubes: MOST_TASKS, halves: false, map }
}

/// Every mapper: the one list that scenarios, `list`, help and documentation read.
pub const ALGORITHMS: &[Algorithm] = &[
    entry("random", "a random mapping; all mappings are equally likely", |graph, _, random| {
        Mapping::drawn(graph, random)
    })
    .citing(&[references::MAPPING]),
    entry(
        "greedy",
        "places task after task, or edge after edge, where the cost grows least (`growth`)",
        |graph, options, _| greedy(graph, options.growth),
    )
    .citing(&[references::MAPPING]),
    entry("recursive", "recursive bisection: halves the tasks, then each half separately", |graph, _, random| {
        recursive(graph, random)
    })
    .citing(&[references::MAPPING])
    .halving(),
    entry(
        "mrb",
        "sets one address bit of all tasks at a time: half of the tasks with equal bits so far get a 1 (`starts`, `multilevel`)",
        mrb,
    )
    .citing(&[references::MAPPING])
    .halving(),
    entry(
        "swap",
        "exchanges pairs of tasks of a random mapping until no exchange lowers the cost",
        |graph, _, random| swap(graph, random),
    )
    .citing(&[references::DONT_LOOK_BITS]),
    entry(
        "anneal",
        "simulated annealing from a random mapping, then exchanges (`proposals`)",
        |graph, options, random| anneal(graph, options.proposals, random),
    )
    .citing(&[references::ANNEALING]),
    entry("exhaustive", "the minimum cost, by branch and bound, for at most 16 tasks", |graph, _, _| exhaustive(graph))
        .citing(&[references::MAPPING])
        .up_to(MOST_FOR_EXHAUSTIVE, MOST_OFF_CUBES),
];

/// A mapper in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name that users write.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The publications that it comes from, the first one first.
    pub references: &'static [Reference],
    /// The most tasks that it can do, on a hypercube.
    pub most_tasks: usize,
    /// The most tasks that it can do elsewhere.
    pub most_off_cubes: usize,
    /// Whether it halves the numbers of processors, which must then be a power of two.
    pub halves: bool,
    map: Map,
}

/// Variants of the mappers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Options {
    /// Of `mrb`: of how many random starts each bipartition is the best.
    pub starts: usize,
    /// Of `mrb`: whether starts come from merged tasks (MRB-ML); of more than [`MANY_FOR_MRB`] tasks some do anyhow.
    pub multilevel: bool,
    /// Of `greedy`.
    pub growth: Growth,
    /// Of `anneal`: the exchanges proposed, per task.
    pub proposals: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { starts: 1, multilevel: false, growth: Growth::default(), proposals: 2000 }
    }
}

impl Algorithm {
    const fn citing(self, references: &'static [Reference]) -> Self {
        Self { references, ..self }
    }

    const fn up_to(self, most_tasks: usize, most_off_cubes: usize) -> Self {
        Self { most_tasks, most_off_cubes, ..self }
    }

    const fn halving(self) -> Self {
        Self { halves: true, ..self }
    }

    /// Whether it maps onto so many processors.
    pub fn takes(&self, processors: usize) -> bool {
        !self.halves || processors.is_power_of_two()
    }

    /// The most tasks that it maps onto such processors.
    pub fn most_onto(&self, processors: &Processors) -> usize {
        match processors {
            Processors::Cube(_) => self.most_tasks,
            Processors::Network(_) => self.most_off_cubes,
        }
    }

    /// Maps the graph; the same draws make the same mapping.
    ///
    /// # Errors
    /// [`MappingError::TooManyTasks`] if there are more than [`Algorithm::most_onto`] says, [`MappingError::NotHalved`] if it does
    /// not take so many processors.
    pub fn map(&self, graph: &TaskGraph, options: &Options, random: &mut Pcg64) -> Result<Mapping, MappingError> {
        if !self.takes(graph.nodes()) {
            return Err(MappingError::NotHalved { name: self.name, processors: graph.nodes() });
        }
        let most = self.most_onto(graph.processors());
        let tasks = graph.tasks();
        if tasks > most {
            return Err(MappingError::TooManyTasks { name: self.name, tasks, most });
        }
        (self.map)(graph, options, random)
    }
}

/// Why there is no mapping.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MappingError {
    /// A cube has a power of two of nodes.
    #[error("{0} tasks do not fill a hypercube: the number must be a power of two")]
    NotACube(usize),
    /// A node outside the cube.
    #[error("task {task} is mapped to node {node}, but the network has only {nodes} node{}", if *nodes == 1 { "" } else { "s" })]
    NoSuchNode {
        /// The task.
        task: usize,
        /// Its node.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A node with more tasks than its share.
    #[error("task {task} is mapped to node {node}, which is already full")]
    Shared {
        /// The first task that is too many.
        task: usize,
        /// The node.
        node: u32,
    },
    /// Sides that are not those of the graph's bipartitions.
    #[error("the number of sides is not {dimensions} times {tasks}")]
    Sides {
        /// The dimensions of the cube.
        dimensions: usize,
        /// The tasks with the padding.
        tasks: usize,
    },
    /// Processors whose numbers cannot be halved again and again.
    #[error("`{name}` requires a power of two as the number of processors, not {processors}")]
    NotHalved {
        /// The mapper.
        name: &'static str,
        /// How many processors there are.
        processors: usize,
    },
    /// Tasks that cannot be shared out alike.
    #[error("{tasks} tasks cannot be divided equally among {processors} processors")]
    NotShared {
        /// The tasks with the padding.
        tasks: usize,
        /// How many processors there are.
        processors: usize,
    },
    /// More tasks than the mapper can do.
    #[error("{tasks} tasks are too many for {name}: at most {most}")]
    TooManyTasks {
        /// The mapper.
        name: &'static str,
        /// How many tasks there are.
        tasks: usize,
        /// The most it can do.
        most: usize,
    },
}

/// Who goes where: a node of the network for every task, and as many tasks for every node, mostly one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    processors: Vec<u32>,
    nodes: usize,
}

impl Mapping {
    /// The mapping that puts task i on `processors[i]`, one on each node.
    ///
    /// # Errors
    /// [`MappingError`] if it is not one-to-one onto a hypercube.
    pub fn new(processors: Vec<u32>) -> Result<Self, MappingError> {
        let dimensions = processors.len().checked_ilog2().unwrap_or(0);
        Self::clustered(processors, dimensions)
    }

    /// The mapping that puts task i on `processors[i]` of the cube of so many dimensions.
    ///
    /// # Errors
    /// [`MappingError`] if the tasks are not a power of two, or nodes do not all have the same number of them.
    pub fn clustered(processors: Vec<u32>, dimensions: u32) -> Result<Self, MappingError> {
        let tasks = processors.len();
        let nodes = 1_usize.checked_shl(dimensions).filter(|&nodes| tasks.is_power_of_two() && nodes <= tasks);
        Self::onto(processors, nodes.ok_or(MappingError::NotACube(tasks))?)
    }

    /// The mapping that puts task i on `processors[i]` of so many nodes.
    ///
    /// # Errors
    /// [`MappingError`] if nodes do not all have the same number of tasks.
    pub fn onto(processors: Vec<u32>, nodes: usize) -> Result<Self, MappingError> {
        let tasks = processors.len();
        if nodes == 0 || !tasks.is_multiple_of(nodes) {
            return Err(MappingError::NotShared { tasks, processors: nodes });
        }
        let mut room = vec![tasks / nodes; nodes];
        for (task, &node) in processors.iter().enumerate() {
            match room.get_mut(node as usize) {
                None => return Err(MappingError::NoSuchNode { task, node, nodes }),
                Some(0) => return Err(MappingError::Shared { task, node }),
                Some(room) => *room -= 1,
            }
        }
        Ok(Self { processors, nodes })
    }

    /// The mapping onto the cube of the first `dimensions` bits, if those are fewer: nodes that agree become one.
    #[must_use]
    pub fn folded(mut self, dimensions: u32) -> Self {
        if dimensions < self.dimensions() {
            self.nodes = 1 << dimensions;
            for node in &mut self.processors {
                *node &= (1 << dimensions) - 1;
            }
        }
        self
    }

    /// A mapping of `graph`, all equally likely: its tasks take places in a random order, and every so many-th place is of
    /// the same node.
    ///
    /// # Errors
    /// None that are known: the mapping is checked.
    pub fn drawn(graph: &TaskGraph, random: &mut Pcg64) -> Result<Self, MappingError> {
        let nodes = NodeId::new(graph.nodes()).0;
        let mut places: Vec<u32> = graph.ids().collect();
        places.shuffle(random);
        places.iter_mut().for_each(|place| *place %= nodes);
        Self::onto(places, graph.nodes())
    }

    /// Task i on node i.
    ///
    /// # Errors
    /// [`MappingError::NotACube`] if `tasks` is not a power of two.
    pub fn identity(tasks: usize) -> Result<Self, MappingError> {
        Self::new((0..tasks).map(|task| NodeId::new(task).0).collect())
    }

    /// A mapping drawn from all, which are equally likely.
    ///
    /// # Errors
    /// [`MappingError::NotACube`] if `tasks` is not a power of two.
    pub fn random(tasks: usize, random: &mut Pcg64) -> Result<Self, MappingError> {
        let mut mapping = Self::identity(tasks)?;
        mapping.processors.shuffle(random);
        Ok(mapping)
    }

    /// The node of each task.
    pub fn processors(&self) -> &[u32] {
        &self.processors
    }

    /// The dimensions of the cube, or the bits of the numbers of other nodes.
    ///
    /// # Panics
    /// If there are other than a power of two.
    pub fn dimensions(&self) -> u32 {
        assert!(self.nodes.is_power_of_two(), "bits are those of a power of two of nodes");
        self.nodes.ilog2()
    }

    /// The nodes of the network.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The node of a task; panics if there is no such task.
    pub fn processor(&self, task: u32) -> u32 {
        self.processors[task as usize]
    }
}
