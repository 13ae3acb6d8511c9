//! Starts of bipartitions from merged tasks (MRB-ML).

use super::TaskGraph;
use super::cut::{Bipartition, NO_SIDE};
use super::orient::orient;
use super::side::random_sides;
use crate::cancel::{self, Pace};
use crate::units::NodeId;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Classes of this size are two halves, and are only turned.
const LEAST_CLASS: usize = 2;

/// No partner yet, no merged task yet.
const NONE: u32 = u32::MAX;

/// Sides to start a bipartition of `classes` from: those of a bipartition of the graph in which the tasks of each class
/// are merged in pairs, itself started so until classes have two tasks, of which [`orient`] decides.
///
/// Classes have a power of two of tasks, so the pairs are a perfect matching, merged tasks are all equal, and the
/// smaller problem is the same problem. Nothing is merged where weights would add up to more than a weight can be; the
/// sides are then random.
pub(super) fn start(graph: &TaskGraph, classes: &[u32], size: usize, random: &mut Pcg64) -> Vec<u8> {
    if size <= LEAST_CLASS {
        return orient(graph, classes, random);
    }
    cancel::checkpoint();
    let partners = matching(graph, classes, size, random);
    let (merged, merged_classes) = merge(graph, classes, &partners);
    let Some(small) = merged_graph(graph, &merged, merged_classes.len()) else {
        return random_sides(graph.size(), random);
    };
    let mut sides = start(&small, &merged_classes, size / 2, random);
    Bipartition::hasty(&small).improve(&merged_classes, size / 2, &mut sides);
    merged.into_iter().map(|task| sides[task as usize]).collect()
}

/// Sides of the first `size` tasks of a graph, which are one class; the two after them are on side 0 and on side 1.
pub(super) fn halve(graph: &TaskGraph, size: usize, random: &mut Pcg64) -> Vec<u8> {
    let class: Vec<u32> = (0..NodeId::new(size).0).collect();
    let mut sides = random_sides(size, random);
    if size > LEAST_CLASS {
        let partners = matching(graph, &class, size, random);
        let (mut merged, _) = merge(graph, &class, &partners);
        let count = size / 2;
        merged[size] = NodeId::new(count).0;
        merged[size + 1] = NodeId::new(count + 1).0;
        if let Some(small) = merged_graph(graph, &merged, count + 2) {
            let small = halve(&small, count, random);
            sides = class.iter().map(|&task| small[merged[task as usize] as usize]).collect();
        }
    }
    sides.extend([0, 1]);
    sides.resize(graph.size(), NO_SIDE);
    Bipartition::hasty(graph).improve(&class, size, &mut sides);
    sides
}

/// Every task's partner in its class: over the heaviest edge to a free task, else a neighbour's neighbour, else any.
fn matching(graph: &TaskGraph, classes: &[u32], size: usize, random: &mut Pcg64) -> Vec<u32> {
    let mut class = vec![usize::MAX; graph.size()];
    for (at, &task) in classes.iter().enumerate() {
        class[task as usize] = at / size;
    }
    let mut partners = vec![NONE; graph.size()];
    let mut order = classes.to_vec();
    order.shuffle(random);
    let mut pace = Pace::default();
    for near in [true, false] {
        for &task in &order {
            pace.step();
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

/// The graph of `count` merged tasks, with the weights between the same two added; none if a sum is beyond a weight.
fn merged_graph(graph: &TaskGraph, merged: &[u32], count: usize) -> Option<TaskGraph> {
    let mut pairs = vec![[NONE; 2]; count];
    for (task, &into) in graph.ids().zip(merged) {
        // tasks of the padding, which talk to no other, may be in no class
        let Some(pair) = pairs.get_mut(into as usize) else { continue };
        pair[usize::from(pair[0] != NONE)] = task;
    }
    let mut edges: Vec<(u32, u32, u32)> = Vec::with_capacity(graph.edge_count());
    // of each merged task the last edge to it
    let mut last = vec![usize::MAX; pairs.len()];
    for (one, pair) in graph.ids().zip(&pairs) {
        for &(end, weight) in pair.iter().filter(|&&task| task != NONE).flat_map(|&task| graph.neighbours(task)) {
            let other = merged[end as usize];
            match edges.get_mut(last[other as usize]) {
                _ if other <= one => {}
                Some(edge) if edge.0 == one => edge.2 = edge.2.checked_add(weight)?,
                _ => {
                    last[other as usize] = edges.len();
                    edges.push((one, other, weight));
                }
            }
        }
    }
    #[expect(clippy::expect_used, reason = "it is half as large as the graph that it is made of, at most")]
    Some(TaskGraph::rows(count, &edges).expect("a graph of merged tasks is small"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn merged_weights_are_sums() {
        let graph = TaskGraph::new(8, &[(0, 1, 9), (0, 2, 1), (1, 3, 2), (0, 3, 4), (3, 6, 5), (4, 5, 7)]).unwrap();
        let merged = merged_graph(&graph, &[0, 0, 1, 1, 2, 3, 2, 3], 4).unwrap();
        assert_eq!(merged.edges().collect::<Vec<_>>(), [(0, 1, 7), (1, 2, 5), (2, 3, 7)]);
    }

    #[test]
    fn sums_beyond_a_weight_are_not_merged() {
        let heavy = |weight| TaskGraph::new(4, &[(0, 2, u32::MAX - 3), (1, 3, weight)]).unwrap();
        let merged = |weight| merged_graph(&heavy(weight), &[0, 0, 1, 1], 2);
        assert_eq!(merged(3).unwrap().weight(0, 1), u32::MAX);
        assert_eq!(merged(4), None);
        // a start there is none the less
        let cycle: Vec<(u32, u32, u32)> = (0..16).map(|task| (task, (task + 1) % 16, u32::MAX)).collect();
        let cycle = TaskGraph::new(16, &cycle).unwrap();
        let classes: Vec<u32> = cycle.ids().collect();
        let sides = start(&cycle, &classes, 16, &mut Pcg64::seed_from_u64(1));
        assert!(sides.len() == 16 && sides.iter().all(|&side| side < 2));
    }
}
