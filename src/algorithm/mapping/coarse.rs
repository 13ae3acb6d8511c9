//! Starts of bipartitions from merged tasks (MRB-ML).

use super::TaskGraph;
use super::cut::Bipartition;
use super::mrb::coins;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use std::collections::BTreeMap;

/// Classes of this size start from random sides.
pub(super) const LEAST_CLASS: usize = 4;

/// No partner yet, no merged task yet.
const NONE: u32 = u32::MAX;

/// Sides to start a bipartition of `classes` from: those of a bipartition of the graph in which the tasks of each class are
/// merged in pairs, itself started so until classes have [`LEAST_CLASS`] tasks.
///
/// Classes have a power of two of tasks, so the pairs are a perfect matching, merged tasks are all equal, and the smaller
/// problem is the same problem.
pub(super) fn start(graph: &TaskGraph, classes: &[u32], size: usize, random: &mut Pcg64) -> Vec<u8> {
    if size <= LEAST_CLASS {
        return coins(graph.size(), random);
    }
    let partners = matching(graph, classes, size, random);
    let (merged, merged_classes) = merge(graph, classes, &partners);
    let small = merged_graph(graph, &merged);
    let mut sides = start(&small, &merged_classes, size / 2, random);
    Bipartition::new(&small).improve(&merged_classes, size / 2, &mut sides);
    merged.into_iter().map(|task| sides[task as usize]).collect()
}

/// Everybody's partner in the own class: over the heaviest edge to somebody free, else a neighbour's neighbour, else anybody.
fn matching(graph: &TaskGraph, classes: &[u32], size: usize, random: &mut Pcg64) -> Vec<u32> {
    let mut class = vec![0; graph.size()];
    for (at, &task) in classes.iter().enumerate() {
        class[task as usize] = at / size;
    }
    let mut partners = vec![NONE; graph.size()];
    let mut order = classes.to_vec();
    order.shuffle(random);
    for near in [true, false] {
        for &task in &order {
            let free = |&&(end, _): &&(u32, u32)| {
                end != task && class[end as usize] == class[task as usize] && partners[end as usize] == NONE
            };
            if partners[task as usize] != NONE {
                continue;
            }
            let row = graph.neighbours(task);
            let partner = if near {
                row.iter().filter(free).max_by_key(|&&(end, weight)| (weight, !end))
            } else {
                row.iter().find_map(|&(via, _)| graph.neighbours(via).iter().find(free))
            };
            if let Some(&(partner, _)) = partner {
                partners[task as usize] = partner;
                partners[partner as usize] = task;
            }
        }
    }
    for class in classes.chunks(size) {
        let left: Vec<u32> = class.iter().copied().filter(|&task| partners[task as usize] == NONE).collect();
        for pair in left.chunks_exact(2) {
            partners[pair[0] as usize] = pair[1];
            partners[pair[1] as usize] = pair[0];
        }
    }
    partners
}

/// Of each task what it is merged into, numbered class by class, and the classes of the merged.
fn merge(graph: &TaskGraph, classes: &[u32], partners: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut merged, mut count) = (vec![NONE; graph.size()], 0);
    for &task in classes {
        if merged[task as usize] == NONE {
            merged[task as usize] = count;
            merged[partners[task as usize] as usize] = count;
            count += 1;
        }
    }
    (merged, (0..count).collect())
}

/// The graph of the merged tasks: weights between the same two are added, and as heavy as they can be where they overflow.
fn merged_graph(graph: &TaskGraph, merged: &[u32]) -> TaskGraph {
    let mut weights: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (one, other, weight) in graph.edges() {
        let (one, other) = (merged[one as usize], merged[other as usize]);
        if one != other {
            let sum = weights.entry((one.min(other), one.max(other))).or_default();
            *sum = sum.saturating_add(weight);
        }
    }
    let edges: Vec<(u32, u32, u32)> = weights.into_iter().map(|((one, other), weight)| (one, other, weight)).collect();
    TaskGraph::rows(graph.size() / 2, &edges)
}
