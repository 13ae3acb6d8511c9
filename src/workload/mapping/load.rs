//! What the traffic of a mapping asks of the network: loads of links, ports and nodes, and the packets themselves.

use super::read::{Order, Traffic};
use crate::algorithm::mapping::{self, TaskGraph};
use crate::cancel::Pace;
use crate::engine::program::TraceMessage;
use crate::random::stream;
use crate::routing::Network;
use crate::units::{NodeId, Ticks};
use rand::seq::SliceRandom;

/// The most that a node has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeLoad {
    /// Packets that it sends to others, or receives.
    pub(super) packets: u64,
    /// Tasks on it, the padding aside.
    pub(super) tasks: u64,
}

/// The most that a node has to do where the first `tasks` tasks of `graph` are no padding.
pub(super) fn node_load(graph: &TaskGraph, mapping: &mapping::Mapping, tasks: usize) -> NodeLoad {
    let mut sent = vec![0_u64; mapping.nodes()];
    let mut placed = vec![0_u64; mapping.nodes()];
    for (task, &node) in mapping.processors().iter().enumerate() {
        placed[node as usize] += u64::from(task < tasks);
        let away = graph.neighbours(NodeId::new(task).0).iter().filter(|&&(end, _)| mapping.processor(end) != node);
        sent[node as usize] += away.map(|&(_, weight)| u64::from(weight)).sum::<u64>();
    }
    let packets = sent.into_iter().max().unwrap_or(0);
    NodeLoad { packets, tasks: placed.into_iter().max().unwrap_or(0) }
}

/// A bipartition: the tasks whose node's address has one value of a bit, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The weight between the two sides.
    pub(super) weight: u64,
    /// How many classes this bit and those before it make.
    pub(super) classes: usize,
    /// The tasks of the smallest class, the padding included.
    pub(super) smallest: usize,
    pub(super) largest: usize,
}

/// The cut of each bit of the addresses, the least significant first, and how evenly it and those before it divide the
/// tasks.
pub(super) fn cuts(graph: &TaskGraph, mapping: &mapping::Mapping) -> Vec<Cut> {
    let cut = |(bit, weight): (usize, u64)| {
        let classes = 2_usize << bit;
        let mut sizes = vec![0; classes];
        for &node in mapping.processors() {
            sizes[node as usize % classes] += 1;
        }
        // a bit makes two classes at least
        let smallest = sizes.iter().min().copied().unwrap_or(0);
        let largest = sizes.iter().max().copied().unwrap_or(0);
        Cut { weight, classes, smallest, largest }
    };
    graph.cuts(mapping).into_iter().enumerate().map(cut).collect()
}

/// The most packets that cross a link of a hypercube under e-cube routing, the least significant bit first.
pub(super) fn link_load(graph: &TaskGraph, mapping: &mapping::Mapping) -> u64 {
    let nodes = mapping.nodes();
    let dimensions = mapping.dimensions() as usize;
    // by the bit that a link changes, then by the node that it leaves
    let mut loads = vec![0_u64; nodes * dimensions];
    let mut sent = vec![0; nodes];
    for task in 0..NodeId::new(graph.size()).0 {
        let from = mapping.processor(task) as usize;
        let row = graph.neighbours(task);
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

/// The most packets that cross a link along the paths of `network`.
pub(super) fn routed_load(graph: &TaskGraph, mapping: &mapping::Mapping, network: &dyn Network) -> u64 {
    let channels = network.channels();
    let mut loads = vec![0_u64; channels.count()];
    let mut path = Vec::new();
    let mut pace = Pace::default();
    for (one, other, weight) in graph.edges() {
        pace.step();
        let one = NodeId(mapping.processor(one));
        let other = NodeId(mapping.processor(other));
        for (from, to) in [(one, other), (other, one)] {
            path.clear();
            network.route(from, to, &mut path);
            for &channel in &path[1..path.len() - 1] {
                loads[channels.physical(channel).index()] += u64::from(weight);
            }
        }
    }
    loads.into_iter().max().unwrap_or(0)
}

/// Adds what a node sends, by destination, to the loads of links, all routes at once. Overwrites what it sends.
///
/// What crosses bit `b` has been routed by the bits below it: it stands where those are the destination's and the
/// others still the source's. So it is enough to know what goes to destinations that agree in the bits up to `b`.
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

/// As many packets as it weighs, from a task to another.
struct Edge {
    src: u32,
    dst: u32,
    weight: u32,
}

/// The packets between tasks of different nodes, each node's in the order in which it sends them; nodes in the order of
/// their lowest tasks. What tasks of the same node tell each other never leaves it.
pub(super) fn packets(
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
        let away = |&src: &u32| {
            let row = graph.neighbours(src).iter();
            row.filter(move |&&(dst, _)| mapping.processor(dst) != mapping.processor(src))
                .map(move |&(dst, weight)| Edge { src, dst, weight })
        };
        let mut edges: Vec<Edge> = group.iter().flat_map(away).collect();
        edges.sort_unstable_by_key(|&Edge { src, dst, .. }| match traffic.order {
            Order::Idx | Order::Shuf => (dst, src),
            Order::Rot => ((dst + tasks - src) % tasks, src),
        });
        let each = edges.iter().flat_map(|edge| std::iter::repeat_n(edge, edge.weight as usize));
        let mut each: Vec<&Edge> = each.collect();
        if traffic.order == Order::Shuf {
            each.shuffle(&mut random);
        }
        packets.extend(each.into_iter().map(|edge| TraceMessage {
            src: NodeId(mapping.processor(edge.src)),
            dst: NodeId(mapping.processor(edge.dst)),
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
