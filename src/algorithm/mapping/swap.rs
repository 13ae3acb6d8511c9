//! Mapping by exchanges of two tasks.

use super::{Mapping, MappingError, TaskGraph};
use crate::cancel;
use rand_pcg::Pcg64;
use std::collections::VecDeque;

/// Exchanges two tasks of a random mapping until no exchange gains.
///
/// *Problem.* That of [`mrb`](super::mrb()).
///
/// *Idea.* [`descend`] from [`Mapping::random`].
///
/// *Cost.* That of [`descend`].
///
/// *Source.* Local search, the usual comparison of mappers.
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

/// Exchanges two tasks until no exchange gains: of the mapping it ends with, exchanging any two tasks costs no less.
///
/// *Problem.* Make a mapping better that another mapper or chance has made.
///
/// *Idea.* Tasks wait in a queue. The first is exchanged with the one it gains most with, on the lowest node among
/// equals, and those whose pull has changed wait again; two that do not wait cannot gain. What moving a task gains
/// alone is the sum over the dimensions that it crosses; with the most that the other could gain by moving anywhere,
/// that excludes most others without a look at them.
///
/// *Cost.* O(N) for a task that waits, all at first and all neighbours after an exchange, and O(degree n) an exchange.
/// Memory O(N n + E).
///
/// *Source.* The usual 2-exchange of the quadratic assignment problem, with the don't-look bits of J. L. Bentley, Fast
/// algorithms for geometric traveling salesman problems, ORSA Journal on Computing 4, 1992.
///
/// # Errors
/// None that are known: the mapping is checked.
///
/// # Panics
/// If the mapping is of another size.
pub fn descend(graph: &TaskGraph, mapping: &Mapping) -> Result<Mapping, MappingError> {
    let mut pulls = Pulls::new(graph, mapping);
    let mut most = vec![0; graph.size()];
    for task in graph.ids() {
        most[pulls.place(task)] = pulls.most(task);
    }
    let (mut queue, mut waits): (VecDeque<u32>, _) = (graph.ids().collect(), vec![true; graph.size()]);
    let mut alone = vec![0; graph.size()];
    let mut tried = 0;
    while let Some(one) = queue.pop_front() {
        // all that is certain to be tried, with what has been
        tried += 1;
        cancel::planned(tried, tried + queue.len() as u64);
        waits[one as usize] = false;
        let Some(other) = pulls.best(one, &most, &mut alone) else { continue };
        pulls.exchange(one, other);
        for pair in [one, other] {
            for task in graph.neighbours(pair).iter().map(|&(end, _)| end).chain([pair]) {
                most[pulls.place(task)] = pulls.most(task);
                if !std::mem::replace(&mut waits[task as usize], true) {
                    queue.push_back(task);
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
    /// Per task, its place: the node, and above its bits which of the node's tasks it is.
    places: Vec<u32>,
    /// The bits of a place that are the node.
    mask: u32,
    /// The task of each place.
    tasks: Vec<u32>,
    pulls: Vec<i64>,
}

impl<'a> Pulls<'a> {
    pub(super) fn new(graph: &'a TaskGraph, mapping: &Mapping) -> Self {
        let (dimensions, processors) = (graph.dimensions() as usize, mapping.processors().to_vec());
        assert_eq!(processors.len(), graph.size(), "a mapping of another size");
        assert_eq!(mapping.dimensions(), graph.dimensions(), "a mapping onto another cube");
        let nodes = u32::try_from(graph.nodes()).unwrap_or(u32::MAX); // not more than tasks
        let (mut tasks, mut pulls) = (vec![0; graph.size()], vec![0; dimensions * graph.size()]);
        let mut places = processors.clone();
        let mut next: Vec<u32> = (0..nodes).collect();
        for place in &mut places {
            let node = *place as usize;
            *place = next[node];
            next[node] += nodes;
        }
        for task in graph.ids() {
            tasks[places[task as usize] as usize] = task;
            for &(end, weight) in graph.neighbours(task) {
                for (bit, pull) in pulls[task as usize * dimensions..][..dimensions].iter_mut().enumerate() {
                    *pull += i64::from(weight) * sign(processors[end as usize] >> bit);
                }
            }
        }
        Self { graph, dimensions, places, mask: nodes - 1, tasks, pulls }
    }

    fn pulls(&self, task: u32) -> &[i64] {
        &self.pulls[task as usize * self.dimensions..][..self.dimensions]
    }

    /// With whom exchanging `one` gains most, if it gains: `most` is of each node [`Self::most`] of its task.
    ///
    /// `alone` is room for what moving `one` adds, by the dimensions crossed.
    fn best(&self, one: u32, most: &[i64], alone: &mut [i64]) -> Option<u32> {
        let node = self.node(one);
        alone[0] = 0;
        for (bit, pull) in self.pulls(one).iter().enumerate() {
            let (known, next) = alone[..2 << bit].split_at_mut(1 << bit);
            let crossing = pull * sign(node >> bit);
            for (sum, without) in next.iter_mut().zip(known) {
                *sum = *without + crossing;
            }
        }
        let (mut least, mut best) = (0, None);
        for (there, (&other, &most)) in self.tasks.iter().zip(most).enumerate() {
            if alone[(node as usize ^ there) & self.mask as usize] < least + most && other != one {
                let change = self.change(one, other);
                if change < least {
                    (least, best) = (change, Some(other));
                }
            }
        }
        best
    }

    /// The most that moving the task alone could gain: along each dimension that gains.
    fn most(&self, task: u32) -> i64 {
        let node = self.node(task);
        self.pulls(task).iter().enumerate().map(|(bit, pull)| (-pull * sign(node >> bit)).max(0)).sum()
    }

    fn node(&self, task: u32) -> u32 {
        self.places[task as usize] & self.mask
    }

    fn place(&self, task: u32) -> usize {
        self.places[task as usize] as usize
    }

    /// What exchanging two tasks adds to the cost.
    pub(super) fn change(&self, one: u32, other: u32) -> i64 {
        let hops = (self.node(one) ^ self.node(other)).count_ones();
        self.apart(one, other) + 2 * i64::from(hops) * i64::from(self.graph.weight(one, other))
    }

    /// The same as if each moved and the other stayed, so that an edge between them would become a loop: never more.
    fn apart(&self, one: u32, other: u32) -> i64 {
        let node = self.node(one);
        let mut differ = node ^ self.node(other);
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
        let (from, to) = (self.places[one as usize], self.places[other as usize]);
        self.relocate(one, from, to);
        self.relocate(other, to, from);
    }

    fn relocate(&mut self, task: u32, from: u32, to: u32) {
        self.places[task as usize] = to;
        self.tasks[to as usize] = task;
        let (from, to) = (from & self.mask, to & self.mask);
        for &(end, weight) in self.graph.neighbours(task) {
            let mut differ = from ^ to;
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                self.pulls[end as usize * self.dimensions + bit] += 2 * i64::from(weight) * sign(to >> bit);
                differ &= differ - 1;
            }
        }
    }

    /// The task on the neighbouring node along a dimension.
    pub(super) fn neighbour(&self, task: u32, bit: u32) -> u32 {
        self.tasks[self.place(task) ^ 1 << bit]
    }

    pub(super) fn copy_to(&self, nodes: &mut [u32]) {
        nodes.iter_mut().zip(&self.places).for_each(|(node, place)| *node = place & self.mask);
    }

    fn mapping(mut self) -> Result<Mapping, MappingError> {
        self.places.iter_mut().for_each(|place| *place &= self.mask);
        self.graph.mapping(self.places)
    }
}

/// 1 if the lowest bit is 1, else -1.
fn sign(bits: u32) -> i64 {
    if bits & 1 == 1 { 1 } else { -1 }
}
