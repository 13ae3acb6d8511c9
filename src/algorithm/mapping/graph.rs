//! Who talks to whom, and how much: the graph of tasks that is to be mapped, and what a mapping of it costs.

use super::{Mapping, MappingError, Processors};
use crate::cancel::{self, Pace};
use crate::memory::{OutOfMemory, filled};
use crate::units::NodeId;
use thiserror::Error;

/// What memory is for.
pub(super) const WHAT: &str = "a task graph";

/// The most tasks of a graph.
pub const MOST_TASKS: usize = 1 << 24;

/// Why edges are no task graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// There is nothing to map.
    #[error("the graph has no tasks")]
    NoTasks,
    /// Identifiers or sums would not fit.
    #[error("{0} tasks are too many: at most {MOST_TASKS}")]
    TooManyTasks(usize),
    /// An edge ends at a task that does not exist.
    #[error("edge {edge} ends at task {task}, but tasks are numbered from 0 to {}", tasks - 1)]
    NoSuchTask {
        /// The edge's index in the list.
        edge: usize,
        /// The end.
        task: u32,
        /// How many tasks there are.
        tasks: usize,
    },
    /// A task talks to itself, which costs nothing wherever it is.
    #[error("edge {edge} connects task {task} with itself")]
    SelfLoop {
        /// The edge's index in the list.
        edge: usize,
        /// The task.
        task: u32,
    },
    /// An edge without traffic.
    #[error("edge {edge} has weight 0")]
    ZeroWeight {
        /// The edge's index in the list.
        edge: usize,
    },
    /// The tasks do not fit a cube that is numbered with so many bits.
    #[error("a hypercube of dimension {} is too large: at most {}", .0, MOST_TASKS.ilog2())]
    CubeTooLarge(u32),
    /// Two edges between the same tasks, in either direction.
    #[error("two edges connect tasks {low} and {high}")]
    Repeated {
        /// The lower of the two tasks.
        low: u32,
        /// The higher.
        high: u32,
    },
    /// It is too large for the memory that there is.
    #[error("{0}")]
    OutOfMemory(#[from] OutOfMemory),
}

/// How many tasks there are with the padding: a power of two where processors are one, else a multiple of them.
pub fn positions(tasks: usize, processors: usize) -> usize {
    if processors.is_power_of_two() {
        tasks.next_power_of_two().max(processors)
    } else {
        tasks.next_multiple_of(processors)
    }
}

/// How many tasks there are, if a graph may have so many.
pub(super) fn checked(tasks: usize) -> Result<u32, GraphError> {
    match tasks {
        0 => Err(GraphError::NoTasks),
        1..=MOST_TASKS => Ok(NodeId::new(tasks).0),
        _ => Err(GraphError::TooManyTasks(tasks)),
    }
}

/// An undirected graph of tasks with weights, sparse, and padded with tasks that talk to no other so that every processor
/// gets as many: to a power of two, or to a multiple of processors that are none.
///
/// The graph is to be mapped onto the cube that it fills, one task a node, unless [`TaskGraph::onto`] says another, or
/// [`TaskGraph::onto_network`] another network.
///
/// Memory: 16 bytes an edge, 8 a task.
///
/// ```
/// use flitwise::algorithm::mapping::{Mapping, TaskGraph};
///
/// // five tasks in a path, padded to the eight nodes of a 3-cube; in a row, 0-1 and 2-3 are neighbours but not 1-2, 3-4
/// let path = TaskGraph::new(5, &[(0, 1, 10), (1, 2, 10), (2, 3, 10), (3, 4, 10)])?;
/// assert_eq!((path.size(), path.dimensions()), (8, 3));
/// assert_eq!(path.cost(&Mapping::identity(8)?), 10 + 20 + 10 + 30);
/// // along a Gray code all are
/// assert_eq!(path.cost(&Mapping::new(vec![0, 1, 3, 2, 6, 4, 5, 7])?), 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskGraph {
    tasks: usize,
    /// What to map onto.
    processors: Processors,
    offsets: Vec<usize>,
    ends: Vec<(u32, u32)>,
}

impl TaskGraph {
    /// The graph of `tasks` tasks with these edges: two tasks and a weight each.
    ///
    /// # Errors
    /// [`GraphError`]; nothing is merged or dropped.
    pub fn new(tasks: usize, edges: &[(u32, u32, u32)]) -> Result<Self, GraphError> {
        checked(tasks)?;
        for (edge, &(one, other, weight)) in edges.iter().enumerate() {
            if let Some(task) = [one, other].into_iter().find(|&task| task as usize >= tasks) {
                return Err(GraphError::NoSuchTask { edge, task, tasks });
            } else if one == other {
                return Err(GraphError::SelfLoop { edge, task: one });
            } else if weight == 0 {
                return Err(GraphError::ZeroWeight { edge });
            }
        }
        let graph = Self::rows(tasks, edges)?;
        match graph.repeated() {
            Some((low, high)) => Err(GraphError::Repeated { low, high }),
            None => Ok(graph),
        }
    }

    /// The compressed rows of checked edges, each row by the other end.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn rows(tasks: usize, edges: &[(u32, u32, u32)]) -> Result<Self, OutOfMemory> {
        let mut offsets = filled(0, tasks.next_power_of_two() + 1, WHAT)?;
        for &(one, other, _) in edges {
            offsets[one as usize + 1] += 1;
            offsets[other as usize + 1] += 1;
        }
        for at in 1..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        let mut ends = filled((0, 0), 2 * edges.len(), WHAT)?;
        let mut next = offsets.clone();
        let mut pace = Pace::default();
        for &(one, other, weight) in edges {
            pace.step();
            for (from, to) in [(one, other), (other, one)] {
                ends[next[from as usize]] = (to, weight);
                next[from as usize] += 1;
            }
        }
        for bounds in offsets.windows(2) {
            cancel::checkpoint();
            ends[bounds[0]..bounds[1]].sort_unstable();
        }
        let processors = Processors::Cube(tasks.next_power_of_two().trailing_zeros());
        Ok(Self { tasks, processors, offsets, ends })
    }

    /// The same graph, to be mapped onto the cube of `dimensions` dimensions: with more padding where the cube is
    /// larger than the graph, and with as many tasks on each node as fill it, the padding included, where it is
    /// smaller.
    ///
    /// ```
    /// use flitwise::algorithm::mapping::{Options, TaskGraph, mrb};
    /// use flitwise::random::stream;
    ///
    /// // two triangles and an edge between them, on the two nodes of a 1-cube: only the edge is cut
    /// let edges = [(0, 1, 1), (1, 2, 1), (0, 2, 1), (2, 3, 1), (3, 4, 1), (4, 5, 1), (3, 5, 1)];
    /// let graph = TaskGraph::new(6, &edges)?.onto(1)?;
    /// assert_eq!((graph.size(), graph.nodes()), (8, 2));
    /// let options = Options { starts: 10, ..Options::default() };
    /// assert_eq!(graph.cost(&mrb(&graph, &options, &mut stream(1, "mapping", 0))?), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GraphError::CubeTooLarge`].
    pub fn onto(self, dimensions: u32) -> Result<Self, GraphError> {
        if dimensions > MOST_TASKS.ilog2() {
            return Err(GraphError::CubeTooLarge(dimensions));
        }
        Ok(self.onto_network(Processors::Cube(dimensions)))
    }

    /// The same graph, to be mapped onto these processors, as many tasks on each, the padding included.
    #[must_use]
    pub fn onto_network(mut self, processors: Processors) -> Self {
        self.offsets.resize(positions(self.tasks, processors.count()) + 1, self.ends.len());
        self.processors = processors;
        self
    }

    fn repeated(&self) -> Option<(u32, u32)> {
        let twice = |task| self.neighbours(task).windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0);
        self.ids().find_map(|task| twice(task).map(|other| (task.min(other), task.max(other))))
    }

    /// The tasks without the padding.
    pub fn tasks(&self) -> usize {
        self.tasks
    }

    /// The tasks with the padding: as many as there are processors, or several for each.
    pub fn size(&self) -> usize {
        self.offsets.len() - 1
    }

    /// What to map onto.
    pub fn processors(&self) -> &Processors {
        &self.processors
    }

    /// The dimensions of the cube to map onto, or the bits of the numbers of other processors.
    ///
    /// # Panics
    /// If there are other than a power of two.
    pub fn dimensions(&self) -> u32 {
        self.processors.bits()
    }

    /// Which bit of the numbers of processors those mappers decide in step `step` that decide one after the other: on a
    /// hypercube the least significant first, elsewhere the most significant.
    pub fn decided(&self, step: u32) -> u32 {
        match self.processors {
            Processors::Cube(_) => step,
            Processors::Network(_) => self.dimensions() - 1 - step,
        }
    }

    /// The processors to map onto.
    pub fn nodes(&self) -> usize {
        self.processors.count()
    }

    pub(super) fn mapping(&self, processors: Vec<u32>) -> Result<Mapping, MappingError> {
        Mapping::onto(processors, self.nodes())
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.ends.len() / 2
    }

    /// Every task, the padding included.
    pub(super) fn ids(&self) -> std::ops::Range<u32> {
        0..NodeId::new(self.size()).0
    }

    /// The tasks that `task` talks to, ascending, and the weights.
    pub fn neighbours(&self, task: u32) -> &[(u32, u32)] {
        &self.ends[self.offsets[task as usize]..self.offsets[task as usize + 1]]
    }

    /// The weight between two tasks, 0 if they do not talk.
    pub fn weight(&self, one: u32, other: u32) -> u32 {
        let row = self.neighbours(one);
        row.binary_search_by_key(&other, |&(end, _)| end).map_or(0, |at| row[at].1)
    }

    /// The sum of the weights at `task`.
    pub fn weighted_degree(&self, task: u32) -> u64 {
        self.neighbours(task).iter().map(|&(_, weight)| u64::from(weight)).sum()
    }

    /// The sum of all weights, which no mapping can cost less than that puts one task on a node.
    pub fn total_weight(&self) -> u64 {
        self.edges().map(|(_, _, weight)| u64::from(weight)).sum()
    }

    /// Every edge once: the lower task, the higher, the weight; ascending.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let row = |one| self.neighbours(one).iter().map(move |&(other, weight)| (one, other, weight));
        self.ids().flat_map(row).filter(|(one, other, _)| one < other)
    }

    /// The sum over edges of weight times hops; between tasks on the same node there are none. Where the way back has other
    /// links than the way there, hops are the mean of both, and the sum is rounded up.
    ///
    /// # Panics
    /// If the mapping is of another size.
    pub fn cost(&self, mapping: &Mapping) -> u64 {
        assert_eq!(mapping.processors().len(), self.size(), "a mapping of another size");
        match &self.processors {
            Processors::Cube(_) => self.sum(mapping, |one, other| (one ^ other).count_ones()),
            Processors::Network(links) => self.sum(mapping, |one, other| links.there_and_back(one, other)).div_ceil(2),
        }
    }

    /// The sum over edges of weight times what `links` says of the processors of the two tasks.
    fn sum(&self, mapping: &Mapping, links: impl Fn(u32, u32) -> u32) -> u64 {
        let between = |one, other| u64::from(links(mapping.processor(one), mapping.processor(other)));
        self.edges().map(|(one, other, weight)| u64::from(weight) * between(one, other)).sum()
    }

    /// The weight that crosses each bit of the numbers of processors, the least significant first; on a hypercube they sum
    /// to the cost.
    ///
    /// # Panics
    /// If the mapping is of another size, or not onto a power of two of processors.
    pub fn cuts(&self, mapping: &Mapping) -> Vec<u64> {
        assert_eq!(mapping.processors().len(), self.size(), "a mapping of another size");
        let mut cuts = vec![0; mapping.dimensions() as usize];
        for (one, other, weight) in self.edges() {
            let differ = mapping.processor(one) ^ mapping.processor(other);
            for (bit, cut) in cuts.iter_mut().enumerate() {
                *cut += u64::from(weight) * u64::from(differ >> bit & 1);
            }
        }
        cuts
    }
}
