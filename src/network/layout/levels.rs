//! Trees: a row for each level, the switches that nodes hang on below, and the nodes below them.

use super::{Place, Shape};

/// Steps between two rows, at least, and of how wide the picture is.
const LEAST_ROW: f64 = 3.0;
const ROW: f64 = 1.0 / 10.0;
/// Steps between the nodes and their switches.
const HANG: f64 = 2.0;

/// Each row is as wide as the nodes, and in the order of numbers.
pub(super) fn places(shape: &Shape) -> Vec<Place> {
    let with_nodes = (0..shape.nodes_on.len()).filter(|&router| !shape.nodes_on[router].is_empty());
    let levels = shape.distances(with_nodes);
    let wide = shape.routers_of.len() as f64;
    let high = (wide * ROW).max(LEAST_ROW);
    let mut counts = vec![0; levels.len() + 1];
    levels.iter().for_each(|&level| counts[level] += 1);
    let mut next = vec![0; levels.len() + 1];
    let place = |&level: &usize| {
        let x = wide * (f64::from(next[level]) + 0.5) / f64::from(counts[level]) - 0.5;
        next[level] += 1;
        Place { x, y: -high * level as f64 }
    };
    let nodes = (0..shape.routers_of.len()).map(|node| Place { x: node as f64, y: HANG });
    levels.iter().map(place).chain(nodes).collect()
}
