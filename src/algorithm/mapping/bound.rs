//! What no mapping can cost less than.

use super::TaskGraph;
use crate::cancel;

/// The most tasks, padding included, for [`lower_bound`].
pub const MOST: usize = 1024;

/// A lower bound on the cost of every mapping, from eigenvalues; none for more than [`MOST`] tasks.
///
/// *Problem.* How far from the best a mapping can be, where the best is out of reach.
///
/// *Idea.* The n bits of the addresses, as vectors of +1 and -1 over the tasks, are orthogonal to each other and to the
/// vector of ones, and the cut of bit b is b' L b / 4 with L the graph's Laplacian. So the cost is at least N / 4 times
/// the sum of the n smallest eigenvalues of L on the vectors orthogonal to ones. To L any diagonal that sums to nothing
/// may be added: none is tight for hypercubes, and mean less own degree is good for dense random graphs. The greater of
/// the two, rounded up, as costs are integers; an allowance for rounding errors is taken off before.
///
/// *Cost.* O(N^3) time and O(N^2) memory.
///
/// *Source.* The sum of smallest eigenvalues is Ky Fan's (1949); W. E. Donath, A. J. Hoffman, Lower bounds for the
/// partitioning of graphs, IBM J. Res. Dev. 17, 1973, for the diagonal.
///
/// ```
/// use flitwise::algorithm::mapping::{generate, lower_bound};
/// use flitwise::random::stream;
///
/// let cube = generate::hypercube(4, 1, &mut stream(1, "mapping", 0))?;
/// assert_eq!(lower_bound(&cube), Some(32));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lower_bound(graph: &TaskGraph) -> Option<u64> {
    if graph.size() > MOST {
        return None;
    }
    let degrees: Vec<f64> = graph.ids().map(|task| graph.weighted_degree(task) as f64).collect();
    let mean = vec![degrees.iter().sum::<f64>() / degrees.len() as f64; degrees.len()];
    let heaviest = degrees.iter().copied().fold(1.0, f64::max);
    let allowance = 1e-9 * heaviest * (graph.size() * graph.size()) as f64 / 16.0;
    let best = smallest_sum(graph, &degrees, heaviest).max(smallest_sum(graph, &mean, heaviest));
    let bound = (graph.size() as f64 / 4.0 * best - allowance).ceil().max(0.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cost, and not negative")]
    Some(bound as u64)
}

/// The sum of the n smallest eigenvalues, on the vectors orthogonal to ones, of this diagonal less the weights.
fn smallest_sum(graph: &TaskGraph, diagonal: &[f64], heaviest: f64) -> f64 {
    let size = graph.size();
    let mut matrix = vec![vec![0.0; size]; size];
    for (row, &value) in diagonal.iter().enumerate() {
        matrix[row][row] = value;
    }
    for (one, other, weight) in graph.edges() {
        matrix[one as usize][other as usize] = -f64::from(weight);
        matrix[other as usize][one as usize] = -f64::from(weight);
    }
    // project, and put ones itself above all
    let means: Vec<f64> = matrix.iter().map(|row| row.iter().sum::<f64>() / size as f64).collect();
    let mean = means.iter().sum::<f64>() / size as f64;
    for (row, at) in matrix.iter_mut().zip(&means) {
        for (value, other) in row.iter_mut().zip(&means) {
            *value += mean + 4.0 * heaviest / size as f64 - at - other;
        }
    }
    let (main, beside) = tridiagonal(&mut matrix);
    (0..graph.dimensions() as usize).map(|rank| eigenvalue(&main, &beside, rank, 8.0 * heaviest)).sum()
}

/// Householder's reduction of a symmetric matrix: the diagonal, and the one below it.
fn tridiagonal(matrix: &mut [Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let size = matrix.len();
    let mut beside = vec![0.0; size.saturating_sub(1)];
    for step in 0..size.saturating_sub(1) {
        cancel::checkpoint();
        let mut mirror: Vec<f64> = (step + 1..size).map(|row| matrix[row][step]).collect();
        let norm = dot(&mirror, &mirror).sqrt();
        beside[step] = if mirror[0] > 0.0 { -norm } else { norm };
        mirror[0] -= beside[step];
        let square = dot(&mirror, &mirror);
        if square <= 0.0 {
            continue;
        }
        // A - v w' - w v' with w = p - (v'p / v'v) v and p = 2 A v / v'v
        let rest = &mut matrix[step + 1..];
        let mut image: Vec<f64> = rest.iter().map(|row| 2.0 / square * dot(&row[step + 1..], &mirror)).collect();
        let along = dot(&mirror, &image) / square;
        for (value, part) in image.iter_mut().zip(&mirror) {
            *value -= along * part;
        }
        for (row, (&own, &moved)) in rest.iter_mut().zip(mirror.iter().zip(&image)) {
            for (value, (part, shift)) in row[step + 1..].iter_mut().zip(mirror.iter().zip(&image)) {
                *value -= own * shift + moved * part;
            }
        }
    }
    ((0..size).map(|row| matrix[row][row]).collect(), beside)
}

/// The eigenvalue with `rank` below it, by bisection of [-limit, limit] with Sturm's count.
fn eigenvalue(main: &[f64], beside: &[f64], rank: usize, limit: f64) -> f64 {
    let (mut low, mut high) = (-limit, limit);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if below(main, beside, middle) > rank { high = middle } else { low = middle }
    }
    low
}

/// How many eigenvalues are less than `value`.
fn below(main: &[f64], beside: &[f64], value: f64) -> usize {
    let (mut count, mut pivot) = (0, 1.0_f64);
    for (at, entry) in main.iter().enumerate() {
        let coupling = if at == 0 { 0.0 } else { beside[at - 1] * beside[at - 1] };
        pivot = entry - value - coupling / pivot;
        if pivot == 0.0 {
            pivot = -f64::MIN_POSITIVE.sqrt();
        }
        count += usize::from(pivot < 0.0);
    }
    count
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
