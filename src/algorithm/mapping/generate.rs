//! Task graphs to map: random ones, and regular ones with their tasks in random order.
//!
//! Weights are drawn from 1 to `heaviest`, all equally likely. In every function a weight of 0 is the error
//! [`GraphError::ZeroWeight`], and [`GraphError`] also says what sizes cannot be.

use super::graph::{WHAT, checked};
use super::{GraphError, TaskGraph};
use crate::cancel;
use crate::memory::{push, room};
use crate::random::uniform;
use crate::units::NodeId;
use rand::RngExt;
use rand::seq::{SliceRandom, index};
use rand_pcg::Pcg64;

/// G(N, p): every pair of tasks is an edge with this probability, independently.
///
/// The paper on mapping to hypercubes says that its graphs have so many edges; their costs are those of G(N, p) with p
/// of 0.3, 0.5 and 0.7.
///
/// *Cost.* O(N^2).
pub fn gnp(tasks: usize, probability: f64, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    let count = checked(tasks)?;
    let mut edges = room(expected_edges(tasks, probability), WHAT)?;
    for one in cancel::steps(0..count) {
        for other in one + 1..count {
            if uniform(random) <= probability {
                push(&mut edges, (one, other, draw(heaviest, random)), WHAT)?;
            }
        }
    }
    TaskGraph::new(tasks, &edges)
}

/// The most edges that a G(N, p) has, one in millions aside.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^47")]
pub fn expected_edges(tasks: usize, probability: f64) -> usize {
    let pairs = tasks as f64 * (tasks as f64 - 1.0).max(0.0) / 2.0;
    let deviation = (pairs * probability * (1.0 - probability)).max(0.0).sqrt();
    (pairs * probability + 5.0 * deviation).ceil() as usize
}

/// G(N, m): `edges` different pairs of tasks, every such set equally likely; all pairs if there are fewer.
///
/// *Cost.* O(m log m).
pub fn gnm(tasks: usize, edges: usize, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    checked(tasks)?;
    let pairs = tasks * (tasks - 1) / 2;
    let mut drawn = index::sample(random, pairs, edges.min(pairs)).into_vec();
    drawn.sort_unstable();
    let weighted = |pair| {
        let (one, other) = pair_of(pair);
        (one, other, draw(heaviest, random))
    };
    let mut weighted_edges = room(drawn.len(), WHAT)?;
    weighted_edges.extend(drawn.into_iter().map(weighted));
    TaskGraph::new(tasks, &weighted_edges)
}

/// The `pair`-th of (0, 1), (0, 2), (1, 2), (0, 3), ..
fn pair_of(pair: usize) -> (u32, u32) {
    // the greatest h with h (h - 1) / 2 <= pair
    let high = (8 * pair + 1).isqrt().div_ceil(2);
    (NodeId::new(pair - high * (high - 1) / 2).0, NodeId::new(high).0)
}

/// The hypercube of `dimensions` dimensions; the least cost is its total weight.
pub fn hypercube(dimensions: u32, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    mesh(&vec![2; dimensions as usize], heaviest, random)
}

/// The mesh of this shape; if all extents are powers of two, the least cost is its total weight.
pub fn mesh(shape: &[usize], heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    grid(shape, false, heaviest, random)
}

/// The torus of this shape: in each dimension of more than two, the last is also a neighbour of the first.
pub fn torus(shape: &[usize], heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    grid(shape, true, heaviest, random)
}

/// The ring; of an even number of tasks, the least cost is that number if weights are 1.
pub fn ring(tasks: usize, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    torus(&[tasks], heaviest, random)
}

/// The complete binary tree of so many levels, which has 2^levels - 1 tasks.
pub fn complete_binary_tree(levels: u32, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    let tasks = power(levels) - 1;
    let count = checked(tasks)?;
    relabelled(tasks, (1..count).map(|task| ((task - 1) / 2, task)), heaviest, random)
}

/// The binomial tree of 2^dimensions tasks; the least cost is its total weight, as it is part of the hypercube.
pub fn binomial_tree(dimensions: u32, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    let tasks = power(dimensions);
    let count = checked(tasks)?;
    relabelled(tasks, (1..count).map(|task| (task & (task - 1), task)), heaviest, random)
}

fn grid(shape: &[usize], wraps: bool, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError> {
    let tasks = shape.iter().fold(1_usize, |product, &extent| product.saturating_mul(extent));
    checked(tasks)?;
    let (mut edges, mut stride) = (Vec::new(), 1);
    for &extent in shape {
        for task in 0..tasks {
            let at = task / stride % extent;
            let neighbour = match (at + 1 < extent, wraps && extent > 2) {
                (true, _) => task + stride,
                (false, true) => task - at * stride,
                (false, false) => continue,
            };
            edges.push((NodeId::new(task).0, NodeId::new(neighbour).0));
        }
        stride *= extent;
    }
    relabelled(tasks, edges.into_iter(), heaviest, random)
}

/// The graph of these edges with weights, its tasks in random order.
fn relabelled<E>(tasks: usize, edges: E, heaviest: u32, random: &mut Pcg64) -> Result<TaskGraph, GraphError>
where
    E: Iterator<Item = (u32, u32)>,
{
    cancel::checkpoint();
    let mut labels: Vec<u32> = (0..NodeId::new(tasks).0).collect();
    labels.shuffle(random);
    let weighted = |(one, other)| (labels[one as usize], labels[other as usize], draw(heaviest, random));
    let edges: Vec<(u32, u32, u32)> = edges.map(weighted).collect();
    TaskGraph::new(tasks, &edges)
}

fn power(exponent: u32) -> usize {
    1_usize.checked_shl(exponent).unwrap_or(usize::MAX)
}

fn draw(heaviest: u32, random: &mut Pcg64) -> u32 {
    if heaviest == 0 { 0 } else { random.random_range(1..=heaviest) }
}
