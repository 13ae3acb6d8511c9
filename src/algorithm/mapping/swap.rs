//! Mapping by exchanges of two tasks.

use super::distant::Distant;
use super::placement::Placement;
use super::pulls::Pulls;
use super::{Mapping, MappingError, Processors, TaskGraph};
use crate::cancel;
use rand_pcg::Pcg64;
use std::collections::VecDeque;

/// Exchanges two tasks of a random mapping until no exchange gains.
///
/// *Problem.* That of [`mrb`](super::mrb()).
///
/// *Idea.* [`descend`] from [`Mapping::drawn`].
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
    descend(graph, &Mapping::drawn(graph, random)?)
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
/// Memory O(N n + E). Off hypercubes O(N degree) for a task that waits, and O(degree) an exchange.
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
    match graph.processors() {
        Processors::Cube(_) => exchanged(graph, Pulls::new(graph, mapping)),
        Processors::Network(distances) => exchanged(graph, Distant::new(graph, distances, mapping)),
    }
}

/// [`descend`] from a placement.
fn exchanged<P: Placement>(graph: &TaskGraph, mut placement: P) -> Result<Mapping, MappingError> {
    let mut most = vec![0; graph.size()];
    for task in graph.ids() {
        most[placement.place(task)] = placement.most(task);
    }
    let (mut queue, mut waits): (VecDeque<u32>, _) = (graph.ids().collect(), vec![true; graph.size()]);
    let mut alone = vec![0; graph.size()];
    let mut tried = 0;
    while let Some(one) = queue.pop_front() {
        // all that is certain to be tried, with what has been
        tried += 1;
        cancel::planned(tried, tried + queue.len() as u64);
        waits[one as usize] = false;
        let Some(other) = placement.best(one, &most, &mut alone) else { continue };
        placement.exchange(one, other);
        for pair in [one, other] {
            for task in graph.neighbours(pair).iter().map(|&(end, _)| end).chain([pair]) {
                most[placement.place(task)] = placement.most(task);
                if !std::mem::replace(&mut waits[task as usize], true) {
                    queue.push_back(task);
                }
            }
        }
    }
    placement.mapping(graph)
}

/// What exchanges of two tasks, made one after the other, each add to the cost, and the mapping that they end with; for those
/// who hold this against sums over edges. The unit is that of [`super::Processors::apart`].
///
/// # Errors
/// None that are known: the mapping is checked.
#[cfg(feature = "selftest")]
pub(crate) fn changes(
    graph: &TaskGraph,
    mapping: &Mapping,
    exchanges: &[(u32, u32)],
) -> Result<(Vec<i64>, Mapping), MappingError> {
    match graph.processors() {
        Processors::Cube(_) => changed(graph, Pulls::new(graph, mapping), exchanges),
        Processors::Network(distances) => changed(graph, Distant::new(graph, distances, mapping), exchanges),
    }
}

/// [`changes`] of a placement.
#[cfg(feature = "selftest")]
fn changed<P: Placement>(
    graph: &TaskGraph,
    mut placement: P,
    exchanges: &[(u32, u32)],
) -> Result<(Vec<i64>, Mapping), MappingError> {
    let mut change = |&(one, other): &(u32, u32)| {
        let change = placement.change(one, other);
        placement.exchange(one, other);
        change
    };
    let changes = exchanges.iter().map(&mut change).collect();
    Ok((changes, placement.mapping(graph)?))
}
