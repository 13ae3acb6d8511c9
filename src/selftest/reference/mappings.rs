//! Mappings word by word: what one costs, the best of all, and recursive bipartition by maximum cuts of the modified graph.

use crate::algorithm::mapping::TaskGraph;
use std::cmp::Reverse;

/// Links between any two nodes, by node and node.
#[derive(Clone, Debug)]
pub struct Links(pub Vec<Vec<u32>>);

impl Links {
    /// Those of a hypercube: the bits in which numbers differ.
    pub fn of_cube(dimensions: u32) -> Self {
        let nodes = 1_u32 << dimensions;
        Self((0..nodes).map(|one| (0..nodes).map(|other| (one ^ other).count_ones()).collect()).collect())
    }

    /// The sum over `edges` of weight times hops, there and back, where task `i` is on `nodes[i]`.
    pub fn there_and_back(&self, edges: &[(u32, u32, u32)], nodes: &[u32]) -> u64 {
        let at = |task: u32| nodes[task as usize] as usize;
        let hops = |one: usize, other: usize| if one == other { 0 } else { u64::from(self.0[one][other]) };
        let both = |one: usize, other: usize| hops(one, other) + hops(other, one);
        edges.iter().map(|&(one, other, weight)| u64::from(weight) * both(at(one), at(other))).sum()
    }

    /// The least of that, over all ways to put `tasks` tasks on nodes, at most `room` on each.
    pub fn least(&self, edges: &[(u32, u32, u32)], tasks: usize, room: usize) -> u64 {
        let mut nodes = Vec::new();
        let mut left = vec![room; self.0.len()];
        self.search(edges, tasks, &mut nodes, &mut left)
    }

    fn search(&self, edges: &[(u32, u32, u32)], tasks: usize, nodes: &mut Vec<u32>, left: &mut [usize]) -> u64 {
        if nodes.len() == tasks {
            return self.there_and_back(edges, nodes);
        }
        let mut least = u64::MAX;
        for (node, number) in (0..left.len()).zip(0..) {
            if left[node] > 0 {
                left[node] -= 1;
                nodes.push(number);
                least = least.min(self.search(edges, tasks, nodes, left));
                nodes.pop();
                left[node] += 1;
            }
        }
        least
    }
}

/// Recursive bipartition as its paper has it, on a hypercube: the modified graph as a matrix, with R above the sum of weights.
/// `initial` says on which side each task starts, bit by bit; the node of each task.
pub fn by_maximum_cuts(graph: &TaskGraph, initial: &[Vec<bool>]) -> Vec<u32> {
    let size = graph.size();
    let r = graph.total_weight().cast_signed() + 1;
    let mut class = vec![0_u32; size];
    let mut nodes = vec![0_u32; size];
    for (bit, sides) in initial.iter().enumerate() {
        let weight = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|task| crate::units::NodeId::new(task).0);
            i64::from(graph.weight(one, other))
        };
        let modified = |one: usize, other: usize| match class[one] == class[other] {
            _ if one == other => 0,
            true => r - weight(one, other),
            false => -weight(one, other),
        };
        let matrix: Vec<Vec<i64>> =
            (0..size).map(|one| (0..size).map(|other| modified(one, other)).collect()).collect();
        let side = maximum_cut(&matrix, sides.clone());
        for task in 0..size {
            nodes[task] |= u32::from(side[task]) << bit;
            class[task] = 2 * class[task] + u32::from(side[task]);
        }
    }
    nodes
}

/// Passes in which every task moves once, the best of all first and the lowest among equals; of each the prefix of greatest gain
/// is kept, the shortest among equals; until one gains nothing.
fn maximum_cut(matrix: &[Vec<i64>], mut side: Vec<bool>) -> Vec<bool> {
    let gain = |side: &[bool], task: usize| -> i64 {
        let row = matrix[task].iter().zip(side);
        row.map(|(&weight, &other)| if other == side[task] { weight } else { -weight }).sum()
    };
    loop {
        let mut moving = side.clone();
        let mut left: Vec<usize> = (0..side.len()).collect();
        let mut sum = 0;
        let mut most = 0;
        let mut best = side.clone();
        while let Some(at) = (0..left.len()).max_by_key(|&at| (gain(&moving, left[at]), Reverse(left[at]))) {
            let task = left.remove(at);
            sum += gain(&moving, task);
            moving[task] ^= true;
            if sum > most {
                most = sum;
                best.clone_from(&moving);
            }
        }
        if most == 0 {
            return side;
        }
        side = best;
    }
}
