//! Mappings whose tasks change places, which those mappers work on that exchange tasks.

use super::{Mapping, MappingError, TaskGraph};
use crate::units::NodeId;
use rand_pcg::Pcg64;

/// A mapping whose tasks change places, and what that does to its cost.
///
/// Costs are in whatever unit [`super::Processors::apart`] has.
pub(super) trait Placement {
    /// How much moving a task to a neighbouring node changes its distance from another, at most.
    fn step(&self) -> u32;

    /// The place of a task.
    fn place(&self, task: u32) -> usize;

    /// What exchanging two tasks adds to the cost.
    fn change(&self, one: u32, other: u32) -> i64;

    /// Exchanges two tasks.
    fn exchange(&mut self, one: u32, other: u32);

    /// A task on a node next to that of `task`, all such nodes equally likely.
    fn neighbour(&self, task: u32, random: &mut Pcg64) -> u32;

    /// The most that moving the task alone could gain.
    fn most(&self, task: u32) -> i64;

    /// With whom exchanging `one` gains most, if it gains: `most` is of each place [`Self::most`] of its task, `alone` is room
    /// for what moving `one` alone adds to the cost.
    fn best(&self, one: u32, most: &[i64], alone: &mut [i64]) -> Option<u32>;

    /// Writes the node of each task.
    fn copy_to(&self, nodes: &mut [u32]);

    /// The mapping.
    fn mapping(&self, graph: &TaskGraph) -> Result<Mapping, MappingError> {
        let mut nodes = vec![0; graph.size()];
        self.copy_to(&mut nodes);
        graph.mapping(nodes)
    }
}

/// Where tasks stand. Of n nodes, places p, p + n, p + 2 n .. are of node p.
pub(super) struct Places {
    /// Per task, its place.
    places: Vec<u32>,
    /// Per place, its task.
    tasks: Vec<u32>,
}

impl Places {
    /// Those of `mapping`: the tasks of a node in their order.
    ///
    /// # Panics
    /// If it is none of `graph`.
    pub(super) fn new(graph: &TaskGraph, mapping: &Mapping) -> Self {
        assert_eq!(mapping.processors().len(), graph.size(), "a mapping of another size");
        assert_eq!(mapping.nodes(), graph.nodes(), "a mapping onto another network");
        let nodes = NodeId::new(graph.nodes()).0;
        let mut next: Vec<u32> = (0..nodes).collect();
        let mut places = mapping.processors().to_vec();
        let mut tasks = vec![0; graph.size()];
        for (task, place) in graph.ids().zip(&mut places) {
            let node = *place as usize;
            *place = next[node];
            next[node] += nodes;
            tasks[*place as usize] = task;
        }
        Self { places, tasks }
    }

    #[inline]
    pub(super) fn place(&self, task: u32) -> u32 {
        self.places[task as usize]
    }

    /// The task of a place.
    #[inline]
    pub(super) fn task(&self, place: usize) -> u32 {
        self.tasks[place]
    }

    /// The place of each task.
    pub(super) fn of_tasks(&self) -> &[u32] {
        &self.places
    }

    /// The task of each place.
    pub(super) fn tasks(&self) -> &[u32] {
        &self.tasks
    }

    #[inline]
    pub(super) fn put(&mut self, task: u32, place: u32) {
        self.places[task as usize] = place;
        self.tasks[place as usize] = task;
    }
}
