//! Mapping by exchanges of two tasks.

use super::{Mapping, MappingError, TaskGraph};
use rand_pcg::Pcg64;

/// Exchanges two tasks of a random mapping until no exchange gains: [`descend`] from [`Mapping::random`].
///
/// ```
/// use flitwise::algorithm::mapping::{generate, swap};
/// use flitwise::random::stream;
///
/// let random = &mut stream(1, "mapping", 0);
/// let ring = generate::ring(8, 1, random)?;
/// assert!((8..=12).contains(&ring.cost(&swap(&ring, random)?)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None that are known: the mapping is checked.
pub fn swap(graph: &TaskGraph, random: &mut Pcg64) -> Result<Mapping, MappingError> {
    descend(graph, &Mapping::random(graph.size(), random)?.folded(graph.dimensions()))
}

/// Exchanges two tasks until no exchange gains.
///
/// *Idea.* All pairs in order, again and again; an exchange that gains is made at once. What one gains is read off a table
/// of each task's pull along each dimension.
///
/// *Cost.* O(N^2 n) a sweep over the pairs and O(degree n) an exchange; memory O(N n + E).
///
/// *Source.* The usual 2-exchange of the quadratic assignment problem.
///
/// # Errors
/// None that are known: the mapping is checked.
///
/// # Panics
/// If the mapping is of another size.
pub fn descend(graph: &TaskGraph, mapping: &Mapping) -> Result<Mapping, MappingError> {
    let mut pulls = Pulls::new(graph, mapping);
    let mut gains = true;
    while gains {
        gains = false;
        for one in graph.ids() {
            for other in one + 1..graph.ids().end {
                if pulls.apart(one, other) < 0 && pulls.change(one, other) < 0 {
                    pulls.exchange(one, other);
                    gains = true;
                }
            }
        }
    }
    pulls.mapping()
}

/// A mapping, and for each task and dimension the weight of the neighbours whose bit is 1 less that of those with 0.
pub(super) struct Pulls<'a> {
    graph: &'a TaskGraph,
    dimensions: usize,
    processors: Vec<u32>,
    pulls: Vec<i64>,
}

impl<'a> Pulls<'a> {
    pub(super) fn new(graph: &'a TaskGraph, mapping: &Mapping) -> Self {
        let (dimensions, processors) = (graph.dimensions() as usize, mapping.processors().to_vec());
        assert_eq!(processors.len(), graph.size(), "a mapping of another size");
        assert_eq!(mapping.dimensions(), graph.dimensions(), "a mapping onto another cube");
        let mut pulls = vec![0; dimensions * graph.size()];
        for task in graph.ids() {
            for &(end, weight) in graph.neighbours(task) {
                for (bit, pull) in pulls[task as usize * dimensions..][..dimensions].iter_mut().enumerate() {
                    *pull += i64::from(weight) * sign(processors[end as usize] >> bit);
                }
            }
        }
        Self { graph, dimensions, processors, pulls }
    }

    fn pulls(&self, task: u32) -> &[i64] {
        &self.pulls[task as usize * self.dimensions..][..self.dimensions]
    }

    /// What exchanging two tasks adds to the cost.
    pub(super) fn change(&self, one: u32, other: u32) -> i64 {
        let hops = (self.processors[one as usize] ^ self.processors[other as usize]).count_ones();
        self.apart(one, other) + 2 * i64::from(hops) * i64::from(self.graph.weight(one, other))
    }

    /// The same as if each moved and the other stayed, so that an edge between them would become a loop: never more.
    fn apart(&self, one: u32, other: u32) -> i64 {
        let node = self.processors[one as usize];
        let mut differ = node ^ self.processors[other as usize];
        let (ours, theirs) = (self.pulls(one), self.pulls(other));
        let mut sum = 0;
        while differ != 0 {
            let bit = differ.trailing_zeros() as usize;
            sum += sign(node >> bit) * (ours[bit] - theirs[bit]);
            differ &= differ - 1;
        }
        sum
    }

    pub(super) fn exchange(&mut self, one: u32, other: u32) {
        let (from, to) = (self.processors[one as usize], self.processors[other as usize]);
        self.relocate(one, from, to);
        self.relocate(other, to, from);
    }

    fn relocate(&mut self, task: u32, from: u32, to: u32) {
        self.processors[task as usize] = to;
        for &(end, weight) in self.graph.neighbours(task) {
            let mut differ = from ^ to;
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                self.pulls[end as usize * self.dimensions + bit] += 2 * i64::from(weight) * sign(to >> bit);
                differ &= differ - 1;
            }
        }
    }

    pub(super) fn processors(&self) -> &[u32] {
        &self.processors
    }

    fn mapping(self) -> Result<Mapping, MappingError> {
        self.graph.mapping(self.processors)
    }
}

/// 1 if the lowest bit is 1, else -1.
fn sign(bits: u32) -> i64 {
    if bits & 1 == 1 { 1 } else { -1 }
}
