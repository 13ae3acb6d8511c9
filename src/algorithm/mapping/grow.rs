//! Starts of bipartitions class after class, each beside those that are halved already.
//!
//! It decides in which order, and what a class is pulled by; how a class is halved alone is [`super::coarse`]'s.

use super::TaskGraph;
use super::coarse::halve;
use super::cut::NO_SIDE;
use super::side::random_sides;
use crate::cancel;
use crate::units::NodeId;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::collections::BinaryHeap;

/// How classes are halved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halving {
    /// From merged tasks, with what pulls them.
    Merged,
    /// By what pulls them alone; from merged tasks only where nothing does.
    Pulled,
}

/// Sides to start a bipartition of `classes` from: of all that are left, the class is next that has most to say to those
/// that are halved already, and is halved so that it fits them.
///
/// Halved all at once, classes far from each other are halved in ways that do not fit, and where they meet no exchange
/// inside classes helps: the columns of one block of a mesh, say, beside the rows of another.
///
/// All tasks are in `classes`.
pub(super) fn grow(graph: &TaskGraph, classes: &[u32], size: usize, how: Halving, random: &mut Pcg64) -> Vec<u8> {
    let count = NodeId::new(classes.len() / size).0;
    let mut growth = Growth::new(graph, classes, size);
    let first = random.random_range(0..count);
    for seed in std::iter::once(first).chain(0..count) {
        growth.waiting.push((0, seed));
        while let Some((_, class)) = growth.waiting.pop() {
            if growth.near[class as usize] != DONE && growth.add(class as usize, how, random).is_none() {
                return random_sides(graph.size(), random);
            }
        }
    }
    growth.sides
}

/// The class is halved.
const DONE: u64 = u64::MAX;

struct Growth<'a> {
    graph: &'a TaskGraph,
    classes: &'a [u32],
    size: usize,
    /// Where each task is in `classes`.
    places: Vec<u32>,
    sides: Vec<u8>,
    /// Of each class the weight to those that are halved, or [`DONE`].
    near: Vec<u64>,
    /// Classes with what they had to say to halved ones, which may be more by now.
    waiting: BinaryHeap<(u64, u32)>,
}

impl<'a> Growth<'a> {
    fn new(graph: &'a TaskGraph, classes: &'a [u32], size: usize) -> Self {
        let mut places = vec![u32::MAX; graph.size()];
        for (place, &task) in (0..).zip(classes) {
            places[task as usize] = place;
        }
        let sides = vec![NO_SIDE; graph.size()];
        Self { graph, classes, size, places, sides, near: vec![0; classes.len() / size], waiting: BinaryHeap::new() }
    }

    fn members(&self, class: usize) -> &'a [u32] {
        &self.classes[class * self.size..][..self.size]
    }

    /// Halves a class, if sums of weights are weights.
    fn add(&mut self, class: usize, how: Halving, random: &mut Pcg64) -> Option<()> {
        cancel::checkpoint();
        if how == Halving::Merged || self.near[class] == 0 {
            let halves = halve(&self.alone(class)?, self.size, random);
            for (&task, side) in self.members(class).iter().zip(halves) {
                self.sides[task as usize] = side;
            }
        } else {
            self.divide(class);
        }
        self.near[class] = DONE;
        self.call(class);
        Some(())
    }

    /// Puts those that are pulled most to side 1 there, and the others on side 0.
    fn divide(&mut self, class: usize) {
        let mut pulled: Vec<(i64, u32)> = Vec::with_capacity(self.size);
        for &task in self.members(class) {
            let pull =
                |&(end, weight): &(u32, u32)| i64::from(weight) * [-1, 1, 0][usize::from(self.sides[end as usize])];
            pulled.push((self.graph.neighbours(task).iter().map(pull).sum(), task));
        }
        pulled.sort_unstable();
        for (at, &(_, task)) in pulled.iter().enumerate() {
            self.sides[task as usize] = u8::from(at >= self.size / 2);
        }
    }

    /// Has the classes wait that have something to say to one.
    fn call(&mut self, class: usize) {
        for &task in self.members(class) {
            for &(end, weight) in self.graph.neighbours(task) {
                let other = self.places[end as usize] / NodeId::new(self.size).0;
                let near = &mut self.near[other as usize];
                if *near != DONE {
                    *near += u64::from(weight);
                    self.waiting.push((*near, other));
                }
            }
        }
    }

    /// The graph of a class, its tasks in their order, and after them two that stand for all halved ones on side 0 and 1.
    fn alone(&self, class: usize) -> Option<TaskGraph> {
        let members = self.members(class);
        let start = NodeId::new(class * self.size).0;
        let size = NodeId::new(self.size).0;
        let mut edges = Vec::new();
        for (at, &task) in (0..).zip(members) {
            let mut pulls = [0_u64; 3];
            for &(end, weight) in self.graph.neighbours(task) {
                let place = self.places[end as usize].wrapping_sub(start);
                if place >= size {
                    pulls[usize::from(self.sides[end as usize])] += u64::from(weight);
                } else if place > at {
                    edges.push((at, place, weight));
                }
            }
            let stronger = u32::from(pulls[1] > pulls[0]);
            let weight = u32::try_from(pulls[0].abs_diff(pulls[1])).ok()?;
            if weight > 0 {
                edges.push((at, size + stronger, weight));
            }
        }
        TaskGraph::rows(members.len() + 2, &edges).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::cut::weight;
    use super::*;
    use rand::SeedableRng;

    /// Blocks of four in a row, each a square, joined side by side: cut along the row or all across, they fit.
    #[test]
    fn classes_fit_those_beside_them() {
        let blocks = 64_u32;
        let column = |at: u32| [(2 * at, 2 * at + 1, 1), (2 * at, 2 * at + 2, 1), (2 * at + 1, 2 * at + 3, 1)];
        let mut edges: Vec<(u32, u32, u32)> = (0..2 * blocks - 1).flat_map(column).collect();
        edges.push((4 * blocks - 2, 4 * blocks - 1, 1));
        let graph = TaskGraph::new(4 * blocks as usize, &edges).unwrap();
        let classes: Vec<u32> = graph.ids().collect();
        for how in [Halving::Merged, Halving::Pulled] {
            for seed in 0..10 {
                let sides = grow(&graph, &classes, 4, how, &mut Pcg64::seed_from_u64(seed));
                let even = |class: &[u32]| class.iter().map(|&task| sides[task as usize]).sum::<u8>() == 2;
                assert!(classes.chunks(4).all(even));
                let cut = weight(&graph, &sides);
                let most = if how == Halving::Merged { 2 * blocks } else { 2 * blocks + 8 };
                assert!(cut <= u64::from(most), "{how:?} {seed}: {cut}");
            }
        }
    }

    #[test]
    fn what_has_no_neighbours_is_halved_too() {
        let graph = TaskGraph::new(64, &[(0, 63, u32::MAX), (0, 62, u32::MAX), (0, 61, u32::MAX)]).unwrap();
        let classes: Vec<u32> = graph.ids().collect();
        for how in [Halving::Merged, Halving::Pulled] {
            let sides = grow(&graph, &classes, 8, how, &mut Pcg64::seed_from_u64(1));
            assert!(sides.iter().all(|&side| side < NO_SIDE));
        }
    }
}
