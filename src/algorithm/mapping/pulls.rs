//! Exchanges of tasks on a hypercube, whose cost is known dimension by dimension.

use super::placement::{Placement, Places};
use super::{Mapping, TaskGraph};
use crate::units::NodeId;
use rand::RngExt;
use rand_pcg::Pcg64;

/// A mapping, and for each task and dimension the weight of the neighbours whose bit is 1 less that of those with 0.
pub(super) struct Pulls<'a> {
    graph: &'a TaskGraph,
    dimensions: usize,
    places: Places,
    /// How many bits of a place are the node, and which.
    bits: u32,
    mask: u32,
    pulls: Vec<i64>,
}

impl<'a> Pulls<'a> {
    pub(super) fn new(graph: &'a TaskGraph, mapping: &Mapping) -> Self {
        let places = Places::new(graph, mapping);
        let processors = mapping.processors();
        let dimensions = graph.dimensions() as usize;
        let mut pulls = vec![0; dimensions * graph.size()];
        for task in graph.ids() {
            for &(end, weight) in graph.neighbours(task) {
                for (bit, pull) in pulls[task as usize * dimensions..][..dimensions].iter_mut().enumerate() {
                    *pull += i64::from(weight) * sign(processors[end as usize] >> bit);
                }
            }
        }
        Self { graph, dimensions, places, bits: graph.dimensions(), mask: NodeId::new(graph.nodes()).0 - 1, pulls }
    }

    fn pulls(&self, task: u32) -> &[i64] {
        &self.pulls[task as usize * self.dimensions..][..self.dimensions]
    }

    fn node(&self, task: u32) -> u32 {
        self.places.place(task) & self.mask
    }

    /// What exchanging two tasks adds to the cost as if each moved and the other stayed, so that an edge between them would
    /// become a loop: never more.
    fn apart(&self, one: u32, other: u32) -> i64 {
        let node = self.node(one);
        let mut differ = node ^ self.node(other);
        let ours = self.pulls(one);
        let theirs = self.pulls(other);
        let mut sum = 0;
        while differ != 0 {
            let bit = differ.trailing_zeros() as usize;
            sum += sign(node >> bit) * (ours[bit] - theirs[bit]);
            differ &= differ - 1;
        }
        sum
    }

    fn relocate(&mut self, task: u32, from: u32, to: u32) {
        self.places.put(task, to);
        let crossed = (from ^ to) & self.mask;
        for &(end, weight) in self.graph.neighbours(task) {
            let mut differ = crossed;
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                self.pulls[end as usize * self.dimensions + bit] += 2 * i64::from(weight) * sign(to >> bit);
                differ &= differ - 1;
            }
        }
    }
}

impl Placement for Pulls<'_> {
    fn step(&self) -> u32 {
        1
    }

    fn place(&self, task: u32) -> usize {
        self.places.place(task) as usize
    }

    #[inline]
    fn change(&self, one: u32, other: u32) -> i64 {
        let hops = (self.node(one) ^ self.node(other)).count_ones();
        self.apart(one, other) + 2 * i64::from(hops) * i64::from(self.graph.weight(one, other))
    }

    #[inline]
    fn exchange(&mut self, one: u32, other: u32) {
        let from = self.places.place(one);
        let to = self.places.place(other);
        self.relocate(one, from, to);
        self.relocate(other, to, from);
    }

    #[inline]
    fn neighbour(&self, task: u32, random: &mut Pcg64) -> u32 {
        let bit = random.random_range(0..self.bits);
        self.places.task(self.place(task) ^ 1 << bit)
    }

    /// Along each dimension that gains.
    fn most(&self, task: u32) -> i64 {
        let node = self.node(task);
        self.pulls(task).iter().enumerate().map(|(bit, pull)| (-pull * sign(node >> bit)).max(0)).sum()
    }

    /// What moving `one` alone adds is told by the dimensions crossed.
    fn best(&self, one: u32, most: &[i64], alone: &mut [i64]) -> Option<u32> {
        let node = self.node(one);
        alone[0] = 0;
        for (bit, pull) in self.pulls(one).iter().enumerate() {
            let (known, next) = alone[..2 << bit].split_at_mut(1 << bit);
            let crossing = pull * sign(node >> bit);
            for (sum, without) in next.iter_mut().zip(known) {
                *sum = *without + crossing;
            }
        }
        let (mut least, mut best) = (0, None);
        for (there, (&other, &most)) in self.places.tasks().iter().zip(most).enumerate() {
            if alone[(node as usize ^ there) & self.mask as usize] < least + most && other != one {
                let change = self.change(one, other);
                if change < least {
                    (least, best) = (change, Some(other));
                }
            }
        }
        best
    }

    fn copy_to(&self, nodes: &mut [u32]) {
        nodes.iter_mut().zip(self.places.of_tasks()).for_each(|(node, place)| *node = place & self.mask);
    }
}

/// 1 if the lowest bit is 1, else -1.
fn sign(bits: u32) -> i64 {
    if bits & 1 == 1 { 1 } else { -1 }
}
