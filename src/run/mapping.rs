//! Rows of mappings: tasks put on nodes, what that costs, and the traffic that it causes.

use super::RowId;
use super::row::{Row, RowFailure, measure};
use crate::algorithm::mapping::{self, TaskGraph, lower_bound};
use crate::engine::program::{TraceMessage, TraceProgram};
use crate::random::stream;
use crate::scenario::{Experiment, Mapping, MappingOrder, Traffic};
use crate::units::{NodeId, Ticks};
use rand::seq::SliceRandom;
use std::sync::Arc;

/// What is counted of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappingCounts {
    /// The sum over edges of weight times hops.
    pub cost: u64,
    /// What no mapping of this graph can cost less than, where that was asked for.
    pub bound: Option<u64>,
    /// The most packets that cross a link, if every edge sends its weight in packets each way.
    pub link_load: u64,
    /// The most packets that a node sends to others, or receives.
    pub port_load: u64,
    /// The most tasks on a node, the padding aside.
    pub task_load: u64,
}

/// Where the tasks of a mapping are, and what each bit of the nodes' addresses cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingDetails {
    /// The node of each task, the padding included.
    pub processors: Vec<u32>,
    /// Of each bit, the least significant first.
    pub cuts: Vec<CutDetails>,
}

/// A bipartition: the tasks whose node's address has one value of a bit, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutDetails {
    /// The weight between the two sides.
    pub weight: u64,
    /// How many classes this bit and those before it make.
    pub classes: usize,
    /// The tasks of the smallest class, the padding included.
    pub smallest: usize,
    /// The tasks of the largest class.
    pub largest: usize,
}

/// The graph of the row `id`, and where its tasks are put.
///
/// # Errors
/// If the graph cannot be drawn or the algorithm does not take it.
///
/// # Panics
/// If there is no such row.
pub fn plan(
    experiment: &Experiment,
    work: &Mapping,
    id: RowId,
) -> Result<(Arc<TaskGraph>, mapping::Mapping), RowFailure> {
    let graph = work.graph.graph(experiment.seed, id.repetition)?;
    let algorithm = work.algorithms[id.algorithm];
    let mut random = stream(experiment.seed, &format!("mapping/{}", algorithm.name), id.repetition);
    let mapping = algorithm.map(&graph, &work.options, &mut random)?;
    Ok((graph, mapping))
}

pub(super) fn row(experiment: &Experiment, work: &Mapping, id: RowId, details: bool) -> Result<Row, RowFailure> {
    let (graph, mapping) = plan(experiment, work, id)?;
    let counts = counts(&graph, &mapping, work);
    let messages = match work.traffic {
        Some(traffic) => packets(&graph, &mapping, traffic, experiment.seed, id.repetition),
        None => Vec::new(),
    };
    let row = Row {
        nodes: graph.nodes(),
        messages: messages.len(),
        predicted: work.traffic.map(|traffic| bound(experiment, &counts, traffic)),
        mapping: Some(counts),
        placed: work
            .details
            .then(|| MappingDetails { processors: mapping.processors().to_vec(), cuts: cuts(&graph, &mapping) }),
        ..Row::new(id, work.algorithms[id.algorithm].name, experiment.seed)
    };
    let Some(traffic) = work.traffic else {
        return Ok(row);
    };
    let name = |message: usize| (message as u64, traffic.flits);
    measure(experiment, row, TraceProgram::new(&messages), details.then_some(&name))
}

fn counts(graph: &TaskGraph, mapping: &mapping::Mapping, work: &Mapping) -> MappingCounts {
    let (mut sent, mut tasks) = (vec![0_u64; mapping.nodes()], vec![0_u64; mapping.nodes()]);
    for (task, &node) in mapping.processors().iter().enumerate() {
        tasks[node as usize] += u64::from(task < work.graph.tasks());
        let away = graph.neighbours(NodeId::new(task).0).iter().filter(|&&(end, _)| mapping.processor(end) != node);
        sent[node as usize] += away.map(|&(_, weight)| u64::from(weight)).sum::<u64>();
    }
    MappingCounts {
        cost: graph.cost(mapping),
        bound: if work.bound { lower_bound(graph) } else { None },
        link_load: link_load(graph, mapping),
        port_load: sent.into_iter().max().unwrap_or(0),
        task_load: tasks.into_iter().max().unwrap_or(0),
    }
}

/// Every packet of the busiest link follows the one before it, and the busiest node has only so many ports.
fn bound(experiment: &Experiment, counts: &MappingCounts, traffic: Traffic) -> Ticks {
    let ports = experiment.network().map_or(1, |network| {
        let channels = network.channels();
        channels.ports().min(channels.ejection_ports()) as u64
    });
    experiment.channel.wire_time(traffic.flits) * counts.link_load.max(counts.port_load.div_ceil(ports))
}

/// The cut of each bit of the addresses, and how evenly it and those before it divide the tasks.
fn cuts(graph: &TaskGraph, mapping: &mapping::Mapping) -> Vec<CutDetails> {
    let cut = |(bit, weight): (usize, u64)| {
        let classes = 2_usize << bit;
        let mut sizes = vec![0; classes];
        for &node in mapping.processors() {
            sizes[node as usize % classes] += 1;
        }
        let (smallest, largest) = (sizes.iter().min().copied(), sizes.iter().max().copied());
        let (smallest, largest) = (smallest.unwrap_or(0), largest.unwrap_or(0));
        CutDetails { weight, classes, smallest, largest }
    };
    graph.cuts(mapping).into_iter().enumerate().map(cut).collect()
}

/// The most packets that cross a link under e-cube routing, the least significant bit first.
fn link_load(graph: &TaskGraph, mapping: &mapping::Mapping) -> u64 {
    let (nodes, dimensions) = (mapping.nodes(), mapping.dimensions() as usize);
    // by the bit that a link changes, then by the node that it leaves
    let mut loads = vec![0_u64; nodes * dimensions];
    let mut sent = vec![0; nodes];
    for task in 0..NodeId::new(graph.size()).0 {
        let (from, row) = (mapping.processor(task) as usize, graph.neighbours(task));
        if row.len() * dimensions > nodes {
            sent.fill(0);
            row.iter().for_each(|&(end, weight)| sent[mapping.processor(end) as usize] += u64::from(weight));
            spread(from, &mut sent, &mut loads);
            continue;
        }
        for &(end, weight) in row {
            let (mut at, to) = (from, mapping.processor(end) as usize);
            while at != to {
                let bit = (at ^ to).trailing_zeros();
                loads[bit as usize * nodes + at] += u64::from(weight);
                at ^= 1 << bit;
            }
        }
    }
    loads.into_iter().max().unwrap_or(0)
}

/// Adds what a node sends, by destination, to the loads of links, all routes at once. Overwrites what it sends.
///
/// What crosses bit `b` has been routed by the bits below it: it stands where those are the destination's and the others
/// still the source's. So it is enough to know what goes to destinations that agree in the bits up to `b`.
fn spread(from: usize, sent: &mut [u64], loads: &mut [u64]) {
    let nodes = sent.len();
    for (bit, loads) in loads.chunks_exact_mut(nodes).enumerate().rev() {
        let half = 1 << bit;
        let (without, with) = sent[..2 * half].split_at_mut(half);
        let crossing = if from & half == 0 { &*with } else { &*without };
        let standing = &mut loads[from / half * half..][..half];
        standing.iter_mut().zip(crossing).for_each(|(load, more)| *load += more);
        without.iter_mut().zip(&*with).for_each(|(sum, more)| *sum += more);
    }
}

/// The packets between tasks of different nodes, each node's in the order in which it sends them; nodes in the order of
/// their lowest tasks. What tasks of the same node tell each other never leaves it.
fn packets(
    graph: &TaskGraph,
    mapping: &mapping::Mapping,
    traffic: Traffic,
    seed: u64,
    repetition: u64,
) -> Vec<TraceMessage> {
    let tasks = NodeId::new(graph.size()).0;
    let mut random = stream(seed, "packets", repetition);
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); mapping.nodes()];
    for task in 0..tasks {
        groups[mapping.processor(task) as usize].push(task);
    }
    groups.sort_unstable_by_key(|group| group.first().copied());
    let mut packets = Vec::new();
    for group in groups {
        let away = |&task: &u32| {
            let row = graph.neighbours(task).iter();
            row.filter(move |&&(other, _)| mapping.processor(other) != mapping.processor(task))
                .map(move |&(other, weight)| (task, other, weight))
        };
        let mut edges: Vec<(u32, u32, u32)> = group.iter().flat_map(away).collect();
        match traffic.order {
            MappingOrder::Idx | MappingOrder::Shuf => edges.sort_unstable_by_key(|&(task, other, _)| (other, task)),
            MappingOrder::Rot => {
                edges.sort_unstable_by_key(|&(task, other, _)| ((other + tasks - task) % tasks, task));
            }
        }
        let each = |(task, other, weight)| std::iter::repeat_n((task, other), weight as usize);
        let mut all: Vec<(u32, u32)> = edges.into_iter().flat_map(each).collect();
        if traffic.order == MappingOrder::Shuf {
            all.shuffle(&mut random);
        }
        packets.extend(all.into_iter().map(|(task, other)| TraceMessage {
            src: NodeId(mapping.processor(task)),
            dst: NodeId(mapping.processor(other)),
            flits: traffic.flits,
            start: Ticks::ZERO,
        }));
    }
    packets
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::algorithm::mapping::generate;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;
    use std::collections::BTreeMap;

    /// Routes of dense rows are added up all at once, those of sparse rows one by one: both as they are walked.
    #[test]
    fn loads_are_those_of_all_routes() {
        for seed in 0..40_usize {
            let random = &mut Pcg64::seed_from_u64(seed as u64);
            let (edges, dimensions) = ([10, 60, 400][seed % 3], [3, 4, 5, 6][seed % 4]);
            let graph = generate::gnm(40, edges, 9, random).unwrap().onto(dimensions).unwrap();
            let mapping = mapping::Mapping::random(graph.size(), random).unwrap().folded(graph.dimensions());
            let mut loads = BTreeMap::<(u32, u32), u64>::new();
            for (one, other, weight) in graph.edges() {
                for (from, to) in [(one, other), (other, one)] {
                    let (mut at, to) = (mapping.processor(from), mapping.processor(to));
                    while at != to {
                        let next = at ^ 1 << (at ^ to).trailing_zeros();
                        *loads.entry((at, next)).or_default() += u64::from(weight);
                        at = next;
                    }
                }
            }
            assert_eq!(link_load(&graph, &mapping), loads.into_values().max().unwrap());
        }
    }
}
