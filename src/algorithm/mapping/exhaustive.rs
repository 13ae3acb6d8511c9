//! The best mapping there is.

use super::{Mapping, MappingError, TaskGraph};
use crate::cancel::{self, Pace};

/// The most tasks for [`exhaustive()`].
pub const MOST: usize = 16;

/// The mapping of least cost, by branch and bound over sets of bisections.
///
/// *Problem.* That of [`mrb`](super::mrb()), solved.
///
/// *Idea.* A mapping is n bisections of which each halves every class that those before it make; the cost is the sum of
/// their weights, in any order. All bisections with task 0 on side 0 are sorted by weight, and sets are built by rising
/// weight: where the weight so far and as many times the next as are missing are no less than the best, the rest is cut
/// off.
///
/// *Cost.* 16 tasks have 6435 bisections, and the search is exponential in their number at worst.
///
/// *Source.* The Korean paper on mapping to hypercubes counts 16! mappings for n = 4; there are that many, but 384
/// symmetries of the cube and the bound leave few.
///
/// ```
/// use flitwise::algorithm::mapping::{TaskGraph, exhaustive};
///
/// // a star with three leaves fits a 3-cube, although the best first cut would leave it on a face
/// let star = TaskGraph::new(8, &[(0, 3, 1), (1, 3, 1), (2, 3, 1)])?;
/// assert_eq!(star.cost(&exhaustive(&star)?), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MappingError::TooManyTasks`] for more than [`MOST`] tasks.
pub fn exhaustive(graph: &TaskGraph) -> Result<Mapping, MappingError> {
    let tasks = graph.size();
    if tasks > MOST {
        return Err(MappingError::TooManyTasks { name: "exhaustive", tasks: graph.tasks(), most: MOST });
    }
    let dimensions = graph.dimensions() as usize;
    let mut search = Search {
        bisections: bisections(graph),
        dimensions,
        least: u64::MAX,
        best: Vec::new(),
        chosen: Vec::new(),
        pace: Pace::default(),
    };
    search.extend(0, 0, &[u32::MAX >> (32 - tasks)]);
    let bit = |(at, side): (usize, &u32), task: usize| (side >> task & 1) << at;
    graph.mapping((0..tasks).map(|task| search.best.iter().enumerate().map(|each| bit(each, task)).sum()).collect())
}

/// Every bisection with task 0 on side 0: its weight, and the tasks on side 1 as bits; by weight.
fn bisections(graph: &TaskGraph) -> Vec<(u64, u32)> {
    let tasks = graph.size();
    let edges: Vec<(u32, u32, u32)> = graph.edges().collect();
    let halves = (0..1_u32 << (tasks - 1)).map(|half| half << 1).filter(|half| half.count_ones() as usize * 2 == tasks);
    let weight = |half: u32| {
        let cut = edges.iter().filter(|&&(one, other, _)| (half >> one ^ half >> other) & 1 == 1);
        cut.map(|&(_, _, weight)| u64::from(weight)).sum()
    };
    let mut list: Vec<(u64, u32)> = halves.map(|half| (weight(half), half)).collect();
    list.sort_unstable();
    list
}

struct Search {
    bisections: Vec<(u64, u32)>,
    dimensions: usize,
    least: u64,
    best: Vec<u32>,
    chosen: Vec<u32>,
    pace: Pace,
}

impl Search {
    /// Adds bisections from number `from` on to those chosen, which weigh `sum` and make `classes`.
    fn extend(&mut self, from: usize, sum: u64, classes: &[u32]) {
        let missing = self.dimensions - self.chosen.len();
        if missing == 0 {
            self.least = sum;
            self.best.clone_from(&self.chosen);
            return;
        }
        for at in from..self.bisections.len() {
            let (weight, half) = self.bisections[at];
            self.pace.step();
            if self.chosen.is_empty() {
                cancel::planned(at as u64, self.bisections.len() as u64);
            }
            if sum + missing as u64 * weight >= self.least {
                return;
            }
            if classes.iter().all(|class| (class & half).count_ones() * 2 == class.count_ones()) {
                let split: Vec<u32> = classes.iter().flat_map(|class| [class & !half, class & half]).collect();
                self.chosen.push(half);
                self.extend(at + 1, sum + weight, &split);
                self.chosen.pop();
            }
        }
    }
}
