//! Packets, flits and cycles of traffic.

use super::{Mode, OpenLoop};
use crate::algorithm::traffic::{Arrivals, Latencies};
use crate::engine::program::TraceMessage;
use crate::kind::Demand;
use crate::machine::{Machine, Routers};
use crate::units::saturated;

/// Runs of a search for the rate at which a network saturates: half of them below it, half above.
const SEARCH: f64 = 10.0;

/// Cycles that no packet takes while the network is far from saturation.
const LONG_LATENCY: u64 = 1 << 17;

/// The wormhole engines number all packets. Routers hold the flits in their buffers, and latencies are counted by their value.
pub(super) fn demand(traffic: &OpenLoop, machine: &Machine) -> Demand {
    let nodes = machine.network_nodes();
    let each = saturated(traffic.packets_per_node());
    let messages = nodes.saturating_mul(each);
    let longest = traffic.lengths.longest().into();
    let latencies = |longest: u64| Latencies::memory(messages as u64, longest.min(traffic.longest_latency()));
    let lines = if traffic.details { 400 * nodes as u64 } else { 0 };
    let demand = Demand { nodes, messages, waits: machine.mean_waits(), ..Demand::default() };
    let Some(routers) = &traffic.routers else {
        let messages_in_a_growing_list = 2 * size_of::<TraceMessage>() as u64;
        let planning = messages_in_a_growing_list.saturating_mul(messages as u64);
        let planning = planning.saturating_add(latencies(u64::MAX)).saturating_add(lines);
        return Demand { planning, planning_time: 250 * messages as u64, ..demand }.run_on(machine, longest);
    };
    let load = Load::new(traffic, routers, machine);
    let memory = routers.memory(traffic.lengths.shortest().into(), load.under_way());
    let hop = routers.hop_nanoseconds(whole(traffic.lengths.mean().ceil()), memory);
    let moved = load.packets * load.hops * hop as f64;
    let planned = load.packets * 250.0 + load.cycles * nodes as f64 * 2.0;
    Demand {
        planning: latencies(load.longest_latency()) + size_of::<Arrivals>() as u64 * 2 * nodes as u64 + lines,
        planning_time: whole(planned),
        running: memory,
        running_time: whole(moved),
        ..demand
    }
}

/// What the network carries.
struct Load {
    /// Cycles of all runs.
    cycles: f64,
    /// Packets of all runs that reach their destination, or nearly.
    packets: f64,
    /// Channels of a packet's path.
    hops: f64,
    /// Packets that are under way at a time, if the network is far from what it can carry.
    few: Option<f64>,
}

impl Load {
    fn new(traffic: &OpenLoop, routers: &Routers, machine: &Machine) -> Self {
        let wiring = routers.routes.wiring();
        let nodes = wiring.nodes() as f64;
        let links = match (traffic.pattern.name, routers.routes.lattice()) {
            ("neighbor", Some(lattice)) => lattice.dimensions() as f64,
            _ => (machine.mean_path() - 2) as f64,
        };
        let ports_of_node = wiring.link_ports() as f64 * wiring.routers() as f64 / nodes;
        let length = traffic.lengths.mean();
        // half of what all links together could
        let most = (0.5 * ports_of_node / links.max(0.5)).min(1.0);
        let latency = 6.0 * links + 2.0 * length;
        let (cycles, rate) = match traffic.mode {
            Mode::Burst => (latency * 4.0, 0.0),
            Mode::Batch(plan) => (plan.packets_per_node() as f64 * length / most + latency * plan.batches as f64, most),
            Mode::Steady(phases) => {
                let drain = if traffic.rate > most { phases.drain as f64 } else { latency.min(phases.drain as f64) };
                ((phases.warmup + phases.measure) as f64 + drain, traffic.rate.min(most))
            }
            Mode::Saturation(phases) => {
                (SEARCH * ((phases.warmup + phases.measure) as f64 + phases.drain as f64 / 2.0), most)
            }
        };
        let packets = match traffic.mode {
            Mode::Burst => nodes,
            Mode::Batch(plan) => nodes * plan.packets_per_node() as f64,
            _ => nodes * cycles * rate / length,
        };
        let is_steady = matches!(traffic.mode, Mode::Steady(_));
        let few = (is_steady && rate < 0.9 * most).then_some(6.0 * nodes * rate / length * latency);
        Self { cycles, packets, hops: links + 2.0, few }
    }

    /// A bound on latencies, in cycles: small below saturation, unlimited where that may be exceeded.
    fn longest_latency(&self) -> u64 {
        self.few.map_or(u64::MAX, |_| LONG_LATENCY)
    }

    fn under_way(&self) -> u64 {
        self.few.map_or(u64::MAX, |few| whole(few).saturating_add(64))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is out of range ends at its ends")]
fn whole(value: f64) -> u64 {
    value as u64
}
