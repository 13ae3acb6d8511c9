//! Mapping of tasks that talk to each other onto the nodes of a hypercube, one each, so that little goes far.
//!
//! A mapper knows the graph of tasks and the cube's addresses. It refuses to know routes and time: what it makes cheap is
//! the sum over edges of weight times hops.
//!
//! Adding one: a file beside these, a line in [`ALGORITHMS`].
//!
//! *Source.* The Korean paper on mapping to hypercubes by recursive bipartition (MRB). Where it is wrong or silent, the
//! mapper's doc says what it prints and what we do.

mod anneal;
mod bound;
mod coarse;
mod cut;
mod exhaustive;
pub mod generate;
mod graph;
mod greedy;
mod mrb;
mod recursive;
mod swap;
mod tournament;

pub use anneal::anneal;
pub use bound::{MOST as MOST_FOR_BOUND, lower_bound};
pub use exhaustive::{MOST as MOST_FOR_EXHAUSTIVE, exhaustive};
pub use graph::{GraphError, MOST_TASKS, TaskGraph};
pub use greedy::{Growth, greedy};
pub use mrb::{Run, mrb, mrb_from};
pub use recursive::recursive;
pub use swap::{descend, swap};

use crate::units::NodeId;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use serde::Serialize;
use thiserror::Error;

/// Every mapper: the one list that whoever offers a choice reads.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "random",
        summary: "any mapping, all equally likely",
        most_tasks: MOST_TASKS,
        map: |graph, _, random| Mapping::random(graph.size(), random),
    },
    Algorithm {
        name: "greedy",
        summary: "task after task, or edge after edge, where it costs least (`growth`)",
        most_tasks: MOST_TASKS,
        map: |graph, options, _| greedy(graph, options.growth),
    },
    Algorithm {
        name: "recursive",
        summary: "halves the tasks, then each half alone, and so on",
        most_tasks: MOST_TASKS,
        map: |graph, _, random| recursive(graph, random),
    },
    Algorithm {
        name: "mrb",
        summary: "bit after bit, by a cut that halves all classes at once (`starts`, `multilevel`)",
        most_tasks: MOST_TASKS,
        map: mrb,
    },
    Algorithm {
        name: "swap",
        summary: "exchanges two tasks of a random mapping until no exchange gains",
        most_tasks: MOST_TASKS,
        map: |graph, _, random| swap(graph, random),
    },
    Algorithm {
        name: "anneal",
        summary: "simulated annealing from a random mapping, then exchanges (`proposals`)",
        most_tasks: MOST_TASKS,
        map: |graph, options, random| anneal(graph, options.proposals, random),
    },
    Algorithm {
        name: "exhaustive",
        summary: "the least cost there is, by branch and bound, for at most 16 tasks",
        most_tasks: MOST_FOR_EXHAUSTIVE,
        map: |graph, _, _| exhaustive(graph),
    },
];

/// A mapper in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name that users write.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The most tasks that it can do.
    pub most_tasks: usize,
    map: fn(&TaskGraph, &Options, &mut Pcg64) -> Result<Mapping, MappingError>,
}

/// Variants of the mappers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Options {
    /// Of `mrb`: of how many random starts each bipartition is the best.
    pub starts: usize,
    /// Of `mrb`: whether starts come from merged tasks (MRB-ML).
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
    /// The mapper called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
    }

    /// Maps the graph; the same draws make the same mapping.
    ///
    /// # Errors
    /// [`MappingError::TooManyTasks`] if there are more than [`Algorithm::most_tasks`].
    pub fn map(&self, graph: &TaskGraph, options: &Options, random: &mut Pcg64) -> Result<Mapping, MappingError> {
        if graph.tasks() > self.most_tasks {
            let (tasks, most) = (graph.tasks(), self.most_tasks);
            return Err(MappingError::TooManyTasks { name: self.name, tasks, most });
        }
        (self.map)(graph, options, random)
    }
}

/// Why there is no mapping.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MappingError {
    /// A cube has a power of two of nodes.
    #[error("{tasks} tasks do not fill a hypercube")]
    NotACube {
        /// How many tasks there are.
        tasks: usize,
    },
    /// A node outside the cube.
    #[error("task {task} is on node {node}, and there are {nodes}")]
    NoSuchNode {
        /// The task.
        task: usize,
        /// Its node.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A node with two tasks.
    #[error("task {task} is on node {node}, which has one already")]
    Shared {
        /// The later of the two tasks.
        task: usize,
        /// The node.
        node: u32,
    },
    /// Sides that are not those of the graph's bipartitions.
    #[error("the sides are not {dimensions} times {tasks}")]
    Sides {
        /// The dimensions of the cube.
        dimensions: usize,
        /// The tasks with the padding.
        tasks: usize,
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

/// Who goes where: a node of the hypercube for every task, a task for every node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    processors: Vec<u32>,
}

impl Mapping {
    /// The mapping that puts task i on `processors[i]`.
    ///
    /// # Errors
    /// [`MappingError`] if it is not one-to-one onto a hypercube.
    pub fn new(processors: Vec<u32>) -> Result<Self, MappingError> {
        let nodes = processors.len();
        if !nodes.is_power_of_two() {
            return Err(MappingError::NotACube { tasks: nodes });
        }
        let mut taken = vec![false; nodes];
        for (task, &node) in processors.iter().enumerate() {
            match taken.get_mut(node as usize) {
                None => return Err(MappingError::NoSuchNode { task, node, nodes }),
                Some(true) => return Err(MappingError::Shared { task, node }),
                Some(taken) => *taken = true,
            }
        }
        Ok(Self { processors })
    }

    /// Task i on node i.
    ///
    /// # Errors
    /// [`MappingError::NotACube`] if `tasks` is no power of two.
    pub fn identity(tasks: usize) -> Result<Self, MappingError> {
        Self::new((0..tasks).map(|task| NodeId::new(task).0).collect())
    }

    /// A mapping drawn from all, which are equally likely.
    ///
    /// # Errors
    /// [`MappingError::NotACube`] if `tasks` is no power of two.
    pub fn random(tasks: usize, random: &mut Pcg64) -> Result<Self, MappingError> {
        let mut mapping = Self::identity(tasks)?;
        mapping.processors.shuffle(random);
        Ok(mapping)
    }

    /// The node of each task.
    #[must_use]
    pub fn processors(&self) -> &[u32] {
        &self.processors
    }

    /// The node of a task.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
    pub fn processor(&self, task: u32) -> u32 {
        self.processors[task as usize]
    }
}
