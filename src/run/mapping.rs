//! Rows of mappings: tasks put on nodes, what that costs, and the traffic that it causes.

use super::RowId;
use super::row::{Row, RowFailure, measure};
use crate::algorithm::mapping::{self, TaskGraph};
use crate::engine::program::{TraceMessage, TraceProgram};
use crate::random::stream;
use crate::scenario::{Experiment, Mapping, MappingOrder, Traffic};
use crate::units::{NodeId, Ticks};
use rand::seq::SliceRandom;

/// What is counted of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappingCounts {
    /// The sum over edges of weight times hops.
    pub cost: u64,
    /// The most packets that cross a link, if every edge sends its weight in packets each way.
    pub link_load: u64,
    /// The most packets that a node sends, or receives.
    pub port_load: u64,
}

pub(super) fn row(experiment: &Experiment, work: &Mapping, id: RowId, details: bool) -> Result<Row, RowFailure> {
    let graph = work.graph.graph(experiment.seed, id.repetition)?;
    let algorithm = work.algorithms[id.algorithm];
    let mut random = stream(experiment.seed, &format!("mapping/{}", algorithm.name), id.repetition);
    let mapping = algorithm.map(&graph, &work.options, &mut random)?;
    let counts = MappingCounts {
        cost: graph.cost(&mapping),
        link_load: link_load(&graph, &mapping),
        port_load: (0..graph.size()).map(|task| graph.weighted_degree(NodeId::new(task).0)).max().unwrap_or(0),
    };
    let messages = match work.traffic {
        Some(traffic) => packets(&graph, &mapping, traffic, experiment.seed, id.repetition),
        None => Vec::new(),
    };
    // every packet of the busiest port or link follows the one before it
    let bound = |traffic: Traffic| {
        Ticks(counts.link_load.max(counts.port_load) * traffic.flits.0 * experiment.channel.flit_time)
    };
    let row = Row {
        id,
        algorithm: algorithm.name,
        seed: experiment.seed,
        nodes: graph.size(),
        messages: messages.len(),
        predicted: work.traffic.map(bound),
        measured: None,
        exchange: None,
        broadcast: None,
        spread: None,
        mapping: Some(counts),
        processors: if work.details { mapping.processors().to_vec() } else { Vec::new() },
        hosts: Vec::new(),
        details: Vec::new(),
    };
    let Some(traffic) = work.traffic else {
        return Ok(row);
    };
    let name = |message: usize| (message as u64, traffic.flits);
    measure(experiment, row, TraceProgram::new(&messages), details.then_some(&name))
}

/// The most packets that cross a link under e-cube routing, the least significant bit first.
fn link_load(graph: &TaskGraph, mapping: &mapping::Mapping) -> u64 {
    let dimensions = graph.dimensions() as usize;
    let mut loads = vec![0_u64; graph.size() * dimensions.max(1)];
    for (one, other, weight) in graph.edges() {
        for (from, to) in [(one, other), (other, one)] {
            let (mut at, to) = (mapping.processor(from), mapping.processor(to));
            while at != to {
                let bit = (at ^ to).trailing_zeros();
                loads[at as usize * dimensions + bit as usize] += u64::from(weight);
                at ^= 1 << bit;
            }
        }
    }
    loads.into_iter().max().unwrap_or(0)
}

/// The packets of all tasks, each node's in the order in which it sends them.
fn packets(
    graph: &TaskGraph,
    mapping: &mapping::Mapping,
    traffic: Traffic,
    seed: u64,
    repetition: u64,
) -> Vec<TraceMessage> {
    let tasks = NodeId::new(graph.size()).0;
    let mut random = stream(seed, "packets", repetition);
    let mut packets = Vec::new();
    for task in 0..tasks {
        let mut to: Vec<(u32, u32)> = graph.neighbours(task).to_vec();
        match traffic.order {
            MappingOrder::Idx => to.sort_unstable(),
            MappingOrder::Rot => to.sort_unstable_by_key(|&(other, _)| (other + tasks - task) % tasks),
            MappingOrder::Shuf => to.sort_unstable(),
        }
        let mut all: Vec<u32> =
            to.into_iter().flat_map(|(other, weight)| std::iter::repeat_n(other, weight as usize)).collect();
        if traffic.order == MappingOrder::Shuf {
            all.shuffle(&mut random);
        }
        let src = NodeId(mapping.processor(task));
        packets.extend(all.into_iter().map(|other| TraceMessage {
            src,
            dst: NodeId(mapping.processor(other)),
            flits: traffic.flits,
            start: Ticks::ZERO,
        }));
    }
    packets
}
