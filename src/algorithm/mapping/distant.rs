//! Exchanges of tasks on any network, whose cost is looked up in a table of distances.

use super::placement::{Placement, Places};
use super::{Distances, Mapping, TaskGraph};
use rand::RngExt;
use rand_pcg::Pcg64;

/// A mapping onto processors with such distances.
pub(super) struct Distant<'a> {
    graph: &'a TaskGraph,
    distances: &'a Distances,
    places: Places,
    /// The node of each task.
    nodes: Vec<u32>,
    step: u32,
}

impl<'a> Distant<'a> {
    pub(super) fn new(graph: &'a TaskGraph, distances: &'a Distances, mapping: &Mapping) -> Self {
        let places = Places::new(graph, mapping);
        let links = (1..distances.count()).map(|other| distances.row(0)[other]).filter(|&links| links > 0);
        // where all are on one router no exchange changes the cost
        let step = links.min().unwrap_or(1);
        Self { graph, distances, places, nodes: mapping.processors().to_vec(), step }
    }

    /// What the edges of a task add to the cost where it is at `node`.
    fn price(&self, task: u32, node: u32) -> i64 {
        let row = self.distances.row(node);
        let price = |&(end, weight): &(u32, u32)| i64::from(weight) * i64::from(row[self.node(end) as usize]);
        self.graph.neighbours(task).iter().map(price).sum()
    }

    /// [`Self::price`] at every node, less what it is where the task is.
    fn prices(&self, task: u32, prices: &mut [i64]) {
        prices.fill(-self.price(task, self.node(task)));
        for &(end, weight) in self.graph.neighbours(task) {
            let row = self.distances.row(self.node(end));
            prices.iter_mut().zip(row).for_each(|(price, &links)| *price += i64::from(weight) * i64::from(links));
        }
    }

    fn node(&self, task: u32) -> u32 {
        self.nodes[task as usize]
    }
}

impl Placement for Distant<'_> {
    fn step(&self) -> u32 {
        self.step
    }

    fn place(&self, task: u32) -> usize {
        self.places.place(task) as usize
    }

    /// As if each moved and the other stayed, but that an edge between them does not become a loop.
    fn change(&self, one: u32, other: u32) -> i64 {
        let here = self.node(one);
        let there = self.node(other);
        let moved = |task, from, to| self.price(task, to) - self.price(task, from);
        let edge = i64::from(self.graph.weight(one, other)) * i64::from(self.distances.there_and_back(here, there));
        moved(one, here, there) + moved(other, there, here) + 2 * edge
    }

    fn exchange(&mut self, one: u32, other: u32) {
        let from = self.places.place(one);
        let to = self.places.place(other);
        self.places.put(one, to);
        self.places.put(other, from);
        self.nodes.swap(one as usize, other as usize);
    }

    /// On the other node as many of its tasks stand before it as before `task` on its own.
    fn neighbour(&self, task: u32, random: &mut Pcg64) -> u32 {
        let node = self.node(task);
        let next = self.distances.neighbours(node);
        let beside = next[random.random_range(0..next.len())];
        self.places.task(self.place(task) - node as usize + beside as usize)
    }

    /// All that its edges cost.
    fn most(&self, task: u32) -> i64 {
        self.price(task, self.node(task))
    }

    fn best(&self, one: u32, most: &[i64], alone: &mut [i64]) -> Option<u32> {
        let alone = &mut alone[..self.graph.nodes()];
        self.prices(one, alone);
        let (mut least, mut best) = (0, None);
        for (place, (&other, &most)) in self.places.tasks().iter().zip(most).enumerate() {
            if alone[place % alone.len()] < least + most && other != one {
                let change = self.change(one, other);
                if change < least {
                    (least, best) = (change, Some(other));
                }
            }
        }
        best
    }

    fn copy_to(&self, nodes: &mut [u32]) {
        nodes.copy_from_slice(&self.nodes);
    }
}
