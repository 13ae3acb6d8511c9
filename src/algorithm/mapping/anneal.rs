//! Mapping by simulated annealing.

use super::distant::Distant;
use super::placement::Placement;
use super::pulls::Pulls;
use super::{Mapping, MappingError, Processors, TaskGraph, descend};
use crate::cancel::{self, Pace};
use crate::random::uniform;
use crate::units::NodeId;
use rand::RngExt;
use rand_pcg::Pcg64;

/// How many temperatures there are.
const STEPS: usize = 100;

/// How many times as hot the first is as the last.
const SPAN: f64 = 5.0;

/// The first temperature over the root of the mean sum of squared weights at a task: how its pulls deviate.
const HOT: f64 = 0.6;

/// Of so many proposals one is of any two tasks, the others are of two on neighbouring nodes.
const FAR: u32 = 10;

/// Exchanges random pairs, those that lose too while it is hot, and ends with [`descend`] from the best mapping seen.
///
/// *Problem.* That of [`mrb`](super::mrb()).
///
/// *Idea.* An exchange that adds d to the cost is made with probability exp(-d / temperature). Nine of ten proposals
/// are of two tasks on neighbouring nodes, which is how good mappings become better; one is of any two. A hundred
/// temperatures fall geometrically, from 0.6 of the root of the mean sum of squared weights at a task to a fifth of
/// that; each has the same number of proposals. It is never worse than its start, a random mapping. Off hypercubes
/// temperatures are as many times as high as there are links between neighbours.
///
/// *Cost.* `proposals` per task, O(n) each and O(degree n) if made; at least 200 000 in all. Memory O(N n + E). Off
/// hypercubes O(degree) each, made or not.
///
/// *Source.* S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Optimization by simulated annealing, Science 220, 1983.
///
/// ```
/// use flitwise::algorithm::mapping::{anneal, generate};
/// use flitwise::random::stream;
///
/// let random = &mut stream(1, "mapping", 0);
/// let ring = generate::ring(8, 1, random)?;
/// assert_eq!(ring.cost(&anneal(&ring, 10, random)?), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None that are known: the mapping is checked.
pub fn anneal(graph: &TaskGraph, proposals: usize, random: &mut Pcg64) -> Result<Mapping, MappingError> {
    let start = Mapping::drawn(graph, random)?;
    if graph.edge_count() == 0 || graph.nodes() == 1 {
        return Ok(start);
    }
    let best = match graph.processors() {
        Processors::Cube(_) => annealed(graph, Pulls::new(graph, &start), proposals, random),
        Processors::Network(distances) => annealed(graph, Distant::new(graph, distances, &start), proposals, random),
    };
    descend(graph, &best?)
}

/// The best mapping that is seen while `placement` cools down.
fn annealed<P: Placement>(
    graph: &TaskGraph,
    mut placement: P,
    proposals: usize,
    random: &mut Pcg64,
) -> Result<Mapping, MappingError> {
    let (mut cost, mut least, mut best) = (0, 0, vec![0; graph.size()]);
    placement.copy_to(&mut best);
    let each = (proposals.saturating_mul(graph.tasks()).max(200_000)) / STEPS;
    let nodes = NodeId::new(graph.size()).0;
    let cooling = libm::pow(SPAN, -1.0 / (STEPS - 1) as f64);
    let squares: f64 = graph.edges().map(|(_, _, weight)| 2.0 * f64::from(weight) * f64::from(weight)).sum();
    let mut temperature = f64::from(placement.step()) * HOT * (squares / graph.tasks() as f64).sqrt();
    let mut pace = Pace::default();
    for step in 0..STEPS {
        cancel::planned(step as u64, STEPS as u64 + 1);
        for _ in 0..each {
            pace.step();
            let one = random.random_range(0..nodes);
            let other = match random.random_range(0..FAR) {
                0 => (one + random.random_range(1..nodes)) % nodes,
                _ => placement.neighbour(one, random),
            };
            let change = placement.change(one, other);
            if change <= 0 || uniform(random) < libm::exp(-(change as f64) / temperature) {
                placement.exchange(one, other);
                cost += change;
                if cost < least {
                    least = cost;
                    placement.copy_to(&mut best);
                }
            }
        }
        temperature *= cooling;
    }
    graph.mapping(best)
}
