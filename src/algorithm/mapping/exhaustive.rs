//! The best mapping there is.

use super::{Distances, Mapping, MappingError, Processors, TaskGraph};
use crate::cancel::{self, Pace};
use crate::units::NodeId;
use std::cmp::Reverse;

/// The most tasks for [`exhaustive()`], on a hypercube.
pub const MOST: usize = 16;

/// The most tasks for [`exhaustive()`] elsewhere.
pub const MOST_OFF_CUBES: usize = 10;

/// The mapping of least cost, by branch and bound over sets of bisections.
///
/// *Problem.* That of [`mrb`](super::mrb()), solved.
///
/// *Idea.* A mapping is n bisections of which each halves every class that those before it make; the cost is the sum of
/// their weights, in any order. All bisections with task 0 on side 0 are sorted by weight, and sets are built by rising
/// weight: where the weight so far and as many times the next as are missing are no less than the best, the rest is cut
/// off.
///
/// *Other networks.* Tasks are put down one after the other, those with most weight first, each on every node that has
/// room. A beginning is cut off where what it costs, what each further task adds at its best free node, and the edges
/// among these at the least distance, are no less than the best.
///
/// *Cost.* 16 tasks have 6435 bisections, and the search is exponential in their number at worst. Elsewhere 10 tasks have
/// 10! mappings.
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
/// [`MappingError::TooManyTasks`] for more than [`MOST`] or [`MOST_OFF_CUBES`] tasks.
pub fn exhaustive(graph: &TaskGraph) -> Result<Mapping, MappingError> {
    let most = match graph.processors() {
        Processors::Cube(_) => MOST,
        Processors::Network(_) => MOST_OFF_CUBES,
    };
    if graph.size() > most {
        return Err(MappingError::TooManyTasks { name: "exhaustive", tasks: graph.size(), most });
    }
    match graph.processors() {
        Processors::Cube(_) => by_bisections(graph),
        Processors::Network(distances) => graph.mapping(Placing::new(graph, distances).best()),
    }
}

fn by_bisections(graph: &TaskGraph) -> Result<Mapping, MappingError> {
    let tasks = graph.size();
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

/// A search over all mappings, task after task.
struct Placing<'a> {
    graph: &'a TaskGraph,
    distances: &'a Distances,
    /// The tasks in the order in which they are put down.
    order: Vec<u32>,
    /// Of each node: how many more tasks it takes.
    room: Vec<usize>,
    /// Of each task that is put down, its node.
    nodes: Vec<Option<u32>>,
    /// By how many tasks are put down: what the edges among the others cost at least.
    least_among: Vec<u64>,
    least: u64,
    best: Vec<u32>,
    pace: Pace,
}

impl<'a> Placing<'a> {
    fn new(graph: &'a TaskGraph, distances: &'a Distances) -> Self {
        let mut order: Vec<u32> = graph.ids().collect();
        order.sort_by_key(|&task| Reverse(graph.weighted_degree(task)));
        let closest = closest(graph, distances);
        let among = |tasks: &[u32]| {
            let edges = graph.edges().filter(|(one, other, _)| tasks.contains(one) && tasks.contains(other));
            edges.map(|(_, _, weight)| u64::from(weight) * closest).sum()
        };
        Self {
            graph,
            distances,
            room: vec![graph.size() / graph.nodes(); graph.nodes()],
            nodes: vec![None; graph.size()],
            least_among: (0..=order.len()).map(|down| among(&order[down..])).collect(),
            least: u64::MAX,
            best: Vec::new(),
            pace: Pace::default(),
            order,
        }
    }

    /// The node of each task in a mapping of least cost.
    fn best(mut self) -> Vec<u32> {
        self.extend(0, 0);
        self.best
    }

    /// Puts down the tasks from `down` on in all ways that may cost less than the best; those before cost `sum`.
    fn extend(&mut self, down: usize, sum: u64) {
        self.pace.step();
        let Some(&task) = self.order.get(down) else {
            if sum < self.least {
                self.least = sum;
                self.best = self.nodes.iter().copied().flatten().collect();
            }
            return;
        };
        for node in 0..NodeId::new(self.room.len()).0 {
            if down == 0 {
                cancel::planned(node.into(), self.room.len() as u64);
            }
            if self.room[node as usize] == 0 {
                continue;
            }
            let more = sum + self.price(task, node);
            self.put(task, Some(node));
            if more + self.least_beyond(down + 1) < self.least {
                self.extend(down + 1, more);
            }
            self.put(task, None);
        }
    }

    /// Puts a task on a node, or takes it off again.
    fn put(&mut self, task: u32, node: Option<u32>) {
        if let Some(before) = std::mem::replace(&mut self.nodes[task as usize], node) {
            self.room[before as usize] += 1;
        }
        if let Some(node) = node {
            self.room[node as usize] -= 1;
        }
    }

    /// What a task adds to the cost at a node, with the tasks that are put down.
    fn price(&self, task: u32, node: u32) -> u64 {
        let row = self.distances.row(node);
        let edges = self.graph.neighbours(task).iter();
        let down = edges.filter_map(|&(end, weight)| Some((self.nodes[end as usize]?, weight)));
        down.map(|(at, weight)| u64::from(weight) * u64::from(row[at as usize])).sum()
    }

    /// What the tasks from `down` on add at least.
    fn least_beyond(&self, down: usize) -> u64 {
        let at_best = |&task: &u32| {
            let free = (0..).zip(&self.room).filter(|&(_, &room)| room > 0);
            #[expect(clippy::expect_used, reason = "there are as many places as tasks")]
            free.map(|(node, _)| self.price(task, node)).min().expect("a task that is not put down has a place left")
        };
        self.least_among[down] + self.order[down..].iter().map(at_best).sum::<u64>()
    }
}

/// The least distance between two tasks: none where a node has several.
fn closest(graph: &TaskGraph, distances: &Distances) -> u64 {
    if graph.size() > graph.nodes() {
        return 0;
    }
    let pairs = graph.ids().flat_map(|one| (0..one).map(move |other| distances.there_and_back(one, other)));
    pairs.min().unwrap_or(0).into()
}
