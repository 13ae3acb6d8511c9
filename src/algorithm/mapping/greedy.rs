//! Mapping one task after the other.

use super::tournament::{Gain, Tournament};
use super::{Distances, Mapping, MappingError, Processors, TaskGraph};
use crate::cancel::{self, Pace};
use crate::units::NodeId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// Variants of [`greedy()`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Growth {
    /// From the heaviest task at node 0: the task with most weight to mapped ones goes to the free node of least cost.
    #[default]
    Tasks,
    /// The edges by falling weight: free ends go to the first free pair of neighbours, one to the nearest free node.
    Edges,
    /// Breadth first from the heaviest task at node 0: its neighbours, by falling weight, go to free neighbours of its
    /// node, those first that have the fewest free neighbours themselves; without one, to the nearest free node.
    Breadth,
    /// In the order of [`Growth::Tasks`], each to the free node nearest to the mapped task it has most weight with.
    Nearest,
}

impl Growth {
    /// Every variant, by the name that scenarios use.
    pub const ALL: [(&str, Self); 4] =
        [("tasks", Self::Tasks), ("edges", Self::Edges), ("breadth", Self::Breadth), ("nearest", Self::Nearest)];
}

/// Puts task after task where it costs least, and never moves one again.
///
/// *Problem.* That of [`mrb`](super::mrb()).
///
/// *Idea.* [`Growth`]. Equal tasks go by weighted degree, then by number; equal nodes by number. Tasks that talk to no
/// other take the nodes that are left: the lowest, or with [`Growth::Edges`] and [`Growth::Breadth`] the nearest to
/// node 0.
///
/// *Several tasks a node.* A node is free while it has room, and the node nearest to a task is that task's own; the two
/// ends of an edge go to the first node with room for both, before any pair.
///
/// *Cost.* O(N^2 + E), nearly, memory linear in edges; off hypercubes O(N E), where neighbours are those that
/// [`Processors::neighbours`] names.
///
/// *Source.* The Korean paper on mapping to hypercubes compares with a greedy mapping that it does not describe; no
/// variant fits its tables closely.
///
/// ```
/// use flitwise::algorithm::mapping::{Growth, generate, greedy};
/// use flitwise::random::stream;
///
/// // both ends of a ring meet
/// let ring = generate::ring(1024, 1, &mut stream(1, "mapping", 0))?;
/// assert_eq!(ring.cost(&greedy(&ring, Growth::Breadth)?), 1024);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None that are known: the mapping is checked.
pub fn greedy(graph: &TaskGraph, growth: Growth) -> Result<Mapping, MappingError> {
    let room = vec![graph.size() / graph.nodes(); graph.nodes()];
    let mut placed = Placed { graph, processors: vec![None; graph.size()], room };
    match growth {
        Growth::Tasks => placed.tasks(Placed::cheapest),
        Growth::Nearest => placed.tasks(Placed::nearest),
        Growth::Edges => placed.edges(),
        Growth::Breadth => placed.breadth(),
    }
    placed.rest()
}

struct Placed<'a> {
    graph: &'a TaskGraph,
    processors: Vec<Option<u32>>,
    /// Of each node: how many more tasks it takes.
    room: Vec<usize>,
}

impl Placed<'_> {
    fn put(&mut self, task: u32, node: u32) {
        self.processors[task as usize] = Some(node);
        self.room[node as usize] -= 1;
    }

    fn is_free(&self, node: u32) -> bool {
        self.room[node as usize] > 0
    }

    fn nodes(&self) -> std::ops::Range<u32> {
        0..NodeId::new(self.room.len()).0
    }

    fn free(&self) -> impl Iterator<Item = u32> + '_ {
        self.nodes().filter(|&node| self.is_free(node))
    }

    fn free_neighbours(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.graph.processors().neighbours(node).filter(|&to| self.is_free(to))
    }

    /// `choose` says where a task goes, with costs to overwrite.
    fn tasks(&mut self, choose: fn(&Self, u32, &mut [i64]) -> Option<u32>) {
        let mut order: Vec<u32> = self.graph.ids().collect();
        order.sort_by_key(|&task| Reverse(self.graph.weighted_degree(task)));
        let mut ranks = vec![0; order.len()];
        let mut pulls = Tournament::<i64>::new();
        pulls.clear(order.len());
        for (rank, &task) in order.iter().enumerate() {
            ranks[task as usize] = rank;
            pulls.write(rank, 0);
        }
        let mut costs = vec![0; self.room.len()];
        let mut placed = 0;
        while let Some(rank) = pulls.first(0, order.len()) {
            let task = order[rank];
            let Some(node) = choose(self, task, &mut costs) else { return };
            placed += 1;
            cancel::planned(placed, order.len() as u64);
            self.put(task, node);
            pulls.set(rank, i64::NONE);
            for &(end, weight) in self.graph.neighbours(task) {
                let rank = ranks[end as usize];
                pulls.set(rank, pulls.get(rank).plus(weight.into()));
            }
        }
    }

    /// The free node where the task adds least to the cost.
    fn cheapest(&self, task: u32, costs: &mut [i64]) -> Option<u32> {
        self.price(task, costs);
        self.free().min_by_key(|&node| costs[node as usize])
    }

    /// The free node nearest to the mapped task with most weight to this one.
    fn nearest(&self, task: u32, _: &mut [i64]) -> Option<u32> {
        let mapped = self.graph.neighbours(task).iter().filter(|&&(end, _)| self.processors[end as usize].is_some());
        let strongest = mapped.max_by_key(|&&(end, weight)| (weight, Reverse(end)));
        match strongest.and_then(|&(end, _)| self.processors[end as usize]) {
            Some(node) => self.free_near(node),
            None => self.free().next(),
        }
    }

    /// What the task adds to the cost at each node, but for a sum that is the same at all.
    fn price(&self, task: u32, costs: &mut [i64]) {
        costs.fill(0);
        match self.graph.processors() {
            Processors::Cube(dimensions) => self.price_by_bits(task, *dimensions, costs),
            Processors::Network(distances) => self.price_by_rows(task, distances, costs),
        }
    }

    /// The mapped tasks that `task` talks to: where they are, and the weights.
    fn mapped_neighbours(&self, task: u32) -> impl Iterator<Item = (u32, i64)> + '_ {
        let row = self.graph.neighbours(task).iter();
        row.filter_map(|&(end, weight)| Some((self.processors[end as usize]?, i64::from(weight))))
    }

    /// [`Self::price`] on a hypercube, less what it is at node 0: the bits of the node add up.
    fn price_by_bits(&self, task: u32, dimensions: u32, costs: &mut [i64]) {
        for (node, weight) in self.mapped_neighbours(task) {
            costs[node as usize] += weight;
        }
        // bit by bit from the highest, the nodes with it are folded onto those without it
        let mut bits = vec![0; dimensions as usize];
        for (bit, more) in bits.iter_mut().enumerate().rev() {
            let (without, with) = costs[..2 << bit].split_at_mut(1 << bit);
            for (sum, &with) in without.iter_mut().zip(with.iter()) {
                *more += *sum - with;
                *sum += with;
            }
        }
        costs[0] = 0;
        for (bit, more) in bits.into_iter().enumerate() {
            let (without, with) = costs[..2 << bit].split_at_mut(1 << bit);
            with.iter_mut().zip(without).for_each(|(cost, without)| *cost = *without + more);
        }
    }

    /// [`Self::price`] elsewhere.
    fn price_by_rows(&self, task: u32, distances: &Distances, costs: &mut [i64]) {
        for (node, weight) in self.mapped_neighbours(task) {
            let far = costs.iter_mut().zip(distances.row(node));
            far.for_each(|(cost, &links)| *cost += weight * i64::from(links));
        }
    }

    fn edges(&mut self) {
        let mut edges: Vec<(u32, u32, u32)> = self.graph.edges().collect();
        edges.sort_by_key(|&(_, _, weight)| Reverse(weight));
        let mut from = 0;
        let mut pace = Pace::default();
        for (one, other, _) in edges {
            pace.step();
            match (self.processors[one as usize], self.processors[other as usize]) {
                (Some(_), Some(_)) => {}
                (Some(node), None) => self.put_near(other, node),
                (None, Some(node)) => self.put_near(one, node),
                (None, None) => self.put_pair(one, other, &mut from),
            }
        }
    }

    fn free_near(&self, node: u32) -> Option<u32> {
        self.free().min_by_key(|&at| self.graph.processors().apart(node, at))
    }

    fn put_near(&mut self, task: u32, node: u32) {
        if let Some(nearest) = self.free_near(node) {
            self.put(task, nearest);
        }
    }

    /// The first node with room for both or with a free neighbour, else the first free node and the nearest.
    fn put_pair(&mut self, one: u32, other: u32, from: &mut u32) {
        let partner = |node: u32| match self.room[node as usize] {
            0 => None,
            1 => self.free_neighbours(node).min(),
            _ => Some(node),
        };
        let pair = (*from..self.nodes().end).find_map(|node| partner(node).map(|to| (node, to)));
        if let Some((node, to)) = pair {
            // a node without a free neighbour will never have one
            *from = node;
            self.put(one, node);
            self.put(other, to);
        } else if let Some(node) = self.nodes().find(|&node| self.is_free(node)) {
            *from = self.nodes().end;
            self.put(one, node);
            self.put_near(other, node);
        }
    }

    fn breadth(&mut self) {
        let degree = |task: u32| (Reverse(self.graph.weighted_degree(task)), task);
        let mut seeds: Vec<u32> = self.graph.ids().collect();
        seeds.sort_by_key(|&task| degree(task));
        for seed in seeds {
            if self.processors[seed as usize].is_some() || self.graph.neighbours(seed).is_empty() {
                continue;
            }
            let Some(first) = self.free().next() else { return };
            self.put(seed, first);
            let mut queue = VecDeque::from([(seed, first)]);
            while let Some((task, node)) = queue.pop_front() {
                cancel::checkpoint();
                let mut row: Vec<(u32, u32)> = self.graph.neighbours(task).to_vec();
                row.sort_by_key(|&(end, weight)| (Reverse(weight), degree(end)));
                for (end, _) in row {
                    if self.processors[end as usize].is_none()
                        && let Some(to) = self.beside(node)
                    {
                        self.put(end, to);
                        queue.push_back((end, to));
                    }
                }
            }
        }
    }

    /// The node itself while it has room, else its free neighbour that has the fewest, else the nearest free node.
    fn beside(&self, node: u32) -> Option<u32> {
        if self.is_free(node) {
            return Some(node);
        }
        let scarcest = self.free_neighbours(node).min_by_key(|&to| (self.free_neighbours(to).count(), to));
        scarcest.or_else(|| self.free_near(node))
    }

    /// All other tasks take the free nodes, those near node 0 first.
    fn rest(self) -> Result<Mapping, MappingError> {
        let mut free: Vec<u32> = self.free().collect();
        free.sort_by_key(|&node| self.graph.processors().apart(0, node));
        let places = free.into_iter().flat_map(|node| std::iter::repeat_n(node, self.room[node as usize]));
        let mut places = places.collect::<Vec<u32>>().into_iter();
        let processors = self.processors.iter().map(|&node| node.or_else(|| places.next()).unwrap_or(u32::MAX));
        self.graph.mapping(processors.collect())
    }
}
