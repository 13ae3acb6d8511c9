//! What a row of a point will need: memory, and roughly how long it takes.
//!
//! Both follow from the scenario alone, never from the machine or the clock: shards are balanced by them, and every
//! machine must cut the same shards. Memory is an upper bound that a run relies on. Time is a guess within a small
//! factor, from measurements of one machine; it decides who goes first, never what comes out.

use super::exchange::Exchange;
use super::experiment::{Experiment, Machine, Workload};
use super::mapping::Mapping;
use super::traffic::OpenLoop;
use crate::engine::{Engine, flit, router, worm};
use crate::units::Flits;

/// What a row needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Roughly how long it takes, in nanoseconds of one core.
    pub time: u64,
    /// The most memory that it takes, in bytes.
    pub memory: u64,
}

/// What a row of a point asks of planner and engine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demand {
    /// Nodes that are numbered.
    pub(super) nodes: usize,
    /// Messages that are sent.
    pub(super) messages: usize,
    /// Flits of a message on the wire, on average.
    flits: u64,
    /// Bytes that planning takes.
    planning: u64,
    /// Bytes that running takes.
    running: u64,
    /// Nanoseconds that planning takes.
    planning_time: u64,
}

impl Demand {
    /// All bytes.
    pub(super) fn memory(&self) -> u64 {
        self.planning.saturating_add(self.running)
    }
}

/// What a row takes however small it is: a thread's stack and buffers, in bytes; and its bookkeeping, in nanoseconds.
const LEAST: Estimate = Estimate { time: 5_000, memory: 1 << 20 };

impl Experiment {
    /// What a row of the `algorithm`-th algorithm needs.
    ///
    /// # Panics
    /// If there is no such algorithm.
    #[must_use]
    pub fn estimate(&self, algorithm: usize) -> Estimate {
        let demand = self.demand(algorithm);
        let time = LEAST.time.saturating_add(demand.planning_time).saturating_add(self.running_time(&demand));
        Estimate { time, memory: LEAST.memory.saturating_add(demand.memory()) }
    }

    /// The demand of the algorithm that takes most memory.
    pub(super) fn most_demanding(&self) -> Demand {
        let demands = (0..self.workload.algorithms()).map(|algorithm| self.demand(algorithm));
        demands.max_by_key(Demand::memory).unwrap_or_default()
    }

    fn demand(&self, algorithm: usize) -> Demand {
        let machine = self.machine.as_ref().map_or(0, Machine::nodes);
        let demand = match &self.workload {
            Workload::Multicast(multicast) => {
                let nodes = self.machine.as_ref().map_or_else(|| multicast.group.span(), Machine::nodes);
                let size = multicast.group.size();
                Demand {
                    nodes,
                    messages: size,
                    flits: multicast.flits.on_wire(),
                    planning: 8 * nodes as u64 + 48 * size as u64,
                    planning_time: 2 * nodes as u64 + 150 * size as u64,
                    ..Demand::default()
                }
            }
            Workload::Exchange(exchange) => exchange_demand(exchange, algorithm),
            Workload::Broadcast(broadcast) => {
                let nodes = broadcast.grid.nodes();
                let squares = (nodes as u64).saturating_mul(nodes as u64);
                let trees = broadcast.options.trees.max(1) as u64;
                Demand {
                    nodes,
                    messages: nodes,
                    // as it is drawn, its costs, forecasts, and the rows that planners sort
                    planning: squares.saturating_mul(6 * size_of::<u64>() as u64),
                    planning_time: squares.saturating_mul(60 + 40 * trees),
                    ..Demand::default()
                }
            }
            Workload::Mapping(mapping) => mapping_demand(mapping, machine, algorithm),
            Workload::Traffic(traffic) => {
                return traffic_demand(traffic, machine, |packets| self.network_memory(packets));
            }
            Workload::Operations(operations) => {
                let (goal, all) = (&operations.goal, operations.goal.operations().len() as u64);
                Demand {
                    nodes: goal.ranks(),
                    messages: goal.messages(),
                    flits: 64,
                    planning: 150 * all,
                    planning_time: 150 * all,
                    ..Demand::default()
                }
            }
            Workload::Trace(trace) => {
                let messages = trace.messages.len();
                let flits: u64 =
                    trace.messages.iter().map(|message| message.flits.on_wire()).fold(0, u64::saturating_add);
                let (planning, planning_time) = (48 * messages as u64, 50 * messages as u64);
                let flits = flits / (messages as u64).max(1);
                Demand { nodes: machine, messages, flits, planning, planning_time, ..Demand::default() }
            }
        };
        Demand { running: self.network_memory(demand.messages), ..demand }
    }

    /// Bytes that the engine takes for so many messages.
    fn network_memory(&self, messages: usize) -> u64 {
        let Some(machine) = &self.machine else { return 0 };
        let channels = machine.network.channels().count();
        if self.moves_flits() {
            flit::memory(channels, messages, &self.channel).max(worm::memory(channels, messages))
        } else {
            worm::memory(channels, messages)
        }
    }

    /// Whether the flit engine runs, or may have to.
    fn moves_flits(&self) -> bool {
        let shares = self.network().is_some_and(|network| network.channels().virtual_channels() > 1);
        match self.engine {
            Engine::Flit => true,
            Engine::Worm => false,
            Engine::Auto => shares,
        }
    }

    /// Nanoseconds that the engine takes.
    fn running_time(&self, demand: &Demand) -> u64 {
        let Some(machine) = &self.machine else { return 0 };
        if let Workload::Traffic(OpenLoop { routers: Some(_), .. }) = &self.workload {
            let hops =
                (demand.messages as u64).saturating_mul(demand.flits).saturating_mul(self.longest_path() / 3 + 2);
            return hops.saturating_mul(40);
        }
        let (channels, messages) = (machine.network.channels().count() as u64, demand.messages as u64);
        // a message crosses about a third of the longest path, but in large networks trees are made of near nodes
        let hops = (self.longest_path() / 3).min(50) + 2;
        let headers = messages.saturating_mul(100 + 40 * hops);
        let flits = match self.engine {
            Engine::Flit => messages.saturating_mul(demand.flits).saturating_mul(12 * hops),
            _ => 0,
        };
        channels.saturating_add(headers).saturating_add(flits)
    }
}

fn exchange_demand(exchange: &Exchange, algorithm: usize) -> Demand {
    let shape = exchange.torus.shape();
    let nodes: usize = shape.iter().product();
    let Ok(path) = exchange.algorithms[algorithm].critical_path(shape) else { return Demand::default() };
    let messages = usize::try_from(path.startups).unwrap_or(usize::MAX).saturating_mul(nodes);
    let moves = path.blocks.saturating_mul(nodes as u64);
    let demand = Demand { nodes, messages, planning_time: 200 * messages as u64, ..Demand::default() };
    if !exchange.simulate {
        return demand;
    }
    Demand {
        flits: Flits(path.blocks.saturating_mul(exchange.block_flits.0) / path.startups.max(1)).on_wire(),
        // a message with its boxes and moves, what is held, and the holders that `check` remembers
        planning: (100 * messages as u64).saturating_add(128 << 20),
        planning_time: demand.planning_time.saturating_add(moves.saturating_mul(3) / 2),
        ..demand
    }
}

fn mapping_demand(mapping: &Mapping, nodes: usize, algorithm: usize) -> Demand {
    let packets = match mapping.traffic {
        Some(_) => usize::try_from(2 * u128::from(mapping.graph.most_weight())).unwrap_or(usize::MAX / 1024),
        None => 0,
    };
    let (tasks, edges) = (mapping.graph.tasks() as u64, mapping.graph.most_weight());
    let squares = tasks.saturating_mul(tasks);
    let planning_time = match mapping.algorithms[algorithm].name {
        "exhaustive" => tasks.min(16).pow(6),
        "anneal" => (mapping.options.proposals as u64).saturating_mul(60 * tasks),
        "mrb" | "recursive" => (mapping.options.starts as u64).saturating_mul(300 * (tasks + edges)),
        _ => 20 * squares,
    };
    Demand {
        nodes,
        messages: packets,
        flits: mapping.traffic.map_or(0, |traffic| traffic.flits.on_wire()),
        planning: 40 * packets as u64,
        planning_time: planning_time.saturating_add(20 * squares),
        ..Demand::default()
    }
}

/// Packets are numbered where the wormhole engines run them, and times kept of those that are measured; routers hold what
/// their buffers hold.
fn traffic_demand(traffic: &OpenLoop, nodes: usize, wormhole: impl FnOnce(usize) -> u64) -> Demand {
    let each = usize::try_from(traffic.packets_per_node()).unwrap_or(usize::MAX);
    let messages = nodes.saturating_mul(each);
    let flits = traffic.lengths.longest().into();
    let kept = 8 * messages as u64;
    let (planning, running) = match &traffic.routers {
        Some(routers) => {
            let (ports, lanes) = (routers.relation.lattice().ports() as u64, u64::from(routers.virtual_channels));
            let (buffer, shortest) = (routers.costs.buffer.into(), traffic.lengths.shortest().into());
            (kept, router::memory(nodes as u64, ports, lanes, buffer, shortest))
        }
        None => (kept.saturating_mul(6), wormhole(messages)),
    };
    Demand { nodes, messages, flits, planning, running, planning_time: 200 * messages as u64 }
}
