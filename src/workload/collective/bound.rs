//! What no schedule of an operation can go below.
//!
//! *Start-ups*: with `k` ports the ranks that have heard of one grow at most `1+k`-fold in a step in which every port sends
//! once. Between barriers that is the step of all schedules that are compared, and those whose ports send several times in a
//! step may need fewer. Without barriers a port sends again as soon as it can. *Flits*: a node sends and receives no more at a time than its channels and its links carry; and what one half
//! of a mesh or torus needs of the other must cross the links between them.

use super::Collective;
use crate::algorithm::multicast::OptTable;
use crate::machine::Machine;
use crate::model::Parameterised;
use crate::network::NetworkSpec;
use crate::routing::Lattice;
use crate::schedule::Pace;
use crate::schedule::collective::{Operation, cut};
use crate::topology::Ejection;
use crate::units::{Flits, Ticks};
use std::ops::Range;

/// Lower bounds of an operation on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// Steps.
    pub(super) startups: u64,
    /// Flits that must follow one another over some channel.
    pub(super) flits: u64,
    /// The time.
    pub(super) ticks: Ticks,
}

impl Bound {
    pub(super) fn new(workload: &Collective, machine: &Machine) -> Self {
        let ranks = involved(workload);
        let ports = machine.node.ports;
        let arrivals = match machine.ports().ejection {
            Ejection::Channels(channels) => channels,
            Ejection::Unlimited => ranks.max(1),
        };
        let startups = startups(ranks, ports);
        let flits = flits(workload, Channels { sends: ports, arrivals });
        let one = one_flit(machine);
        // what goes to a root spreads backwards from it
        let (apart, width) = match workload.operation {
            Operation::Reduce | Operation::Gather => (arriving(machine, one), arrivals.min(ranks)),
            _ => (one, ports),
        };
        let informed = match workload.pace {
            Pace::Synchronous => one.t_end * startups,
            Pace::Asynchronous => Ticks(OptTable::new(ranks, apart, width).time(ranks)),
        };
        let crossed = if machine.network.is_some() { Ticks(flits * machine.least_flit_time()) } else { Ticks::ZERO };
        Self { startups, flits, ticks: informed.max(crossed) }
    }
}

/// The ranks that must hear of the root, or it of them: a rank without a share is sent nothing.
fn involved(workload: &Collective) -> usize {
    let Collective { flits, root, .. } = *workload;
    let ranks = workload.ranks();
    match workload.operation {
        Operation::Scatter | Operation::Gather => {
            (0..ranks).filter(|&rank| rank == root || !cut(flits, ranks, rank).is_empty()).count()
        }
        _ => ranks,
    }
}

/// The smallest `s` with `(1 + k)^s >= P`.
fn startups(ranks: usize, ports: usize) -> u64 {
    let mut informed: usize = 1;
    let mut steps = 0;
    while informed < ranks {
        informed = informed.saturating_mul(1 + ports);
        steps += 1;
    }
    steps
}

/// The least that a message of one flit takes, and its port before the next send.
fn one_flit(machine: &Machine) -> Parameterised {
    let flit = Flits(1);
    if machine.network.is_none() {
        return machine.times(flit);
    }
    // a signal has no payload and costs a node less
    let node = &machine.node;
    let flit_time = machine.least_flit_time();
    let links = machine.spec().map_or(1, NetworkSpec::shortest_distance);
    let network = (1 + links) * (flit_time + machine.channel.routing_delay) + flit_time;
    Parameterised {
        t_hold: Ticks(node.hold_setup.max(node.send_setup + flit_time)),
        t_end: Ticks(node.send_setup + node.receive_setup + network),
    }
}

/// The same where all goes to a root: its ejection channels alone keep messages apart, and in a model nothing does.
fn arriving(machine: &Machine, one: Parameterised) -> Parameterised {
    let apart = if machine.network.is_some() { machine.least_flit_time() } else { 0 };
    Parameterised { t_hold: Ticks(apart), ..one }
}

/// Channels of a node.
#[derive(Clone, Copy, Debug)]
struct Channels {
    sends: usize,
    arrivals: usize,
}

/// The flits that must follow one another.
fn flits(workload: &Collective, Channels { sends, arrivals }: Channels) -> u64 {
    let ranks = workload.ranks();
    if ranks < 2 || workload.operation == Operation::Barrier {
        return 0;
    }
    let lattice = workload.lattice.as_ref();
    let width = |rank, channels: usize| lattice.map_or(channels, |lattice| links(lattice, rank).min(channels)) as u64;
    let at_nodes = at_nodes(workload, |rank| width(rank, sends), |rank| width(rank, arrivals));
    let cuts = lattice.into_iter().flat_map(|lattice| (0..lattice.dimensions()).map(|d| across(workload, lattice, d)));
    cuts.fold(at_nodes, u64::max)
}

/// The links that leave a node of a mesh or torus; a side of two nodes has one.
fn links(lattice: &Lattice, rank: usize) -> usize {
    let along = |dimension: usize| {
        let side = lattice.shape()[dimension];
        let at = rank / lattice.stride(dimension) % side;
        match side {
            1 => 0,
            2 => 1,
            _ if lattice.wraps() => 2,
            _ => usize::from(at > 0) + usize::from(at + 1 < side),
        }
    };
    (0..lattice.dimensions()).map(along).sum()
}

/// What some node must send over `out` channels at once, or receive over `into`.
fn at_nodes(workload: &Collective, out: impl Fn(usize) -> u64, into: impl Fn(usize) -> u64) -> u64 {
    let Collective { flits, root, .. } = *workload;
    let ranks = workload.ranks();
    let share = |rank: usize| length(&cut(flits, ranks, rank));
    let others = || (0..ranks).filter(|&rank| rank != root);
    // what all ranks must send, `vectors` whole ones together
    let together = |vectors: usize| {
        let sum: u128 = (0..ranks).map(|rank| u128::from(out(rank))).sum();
        u64::try_from((vectors as u128 * u128::from(flits)).div_ceil(sum)).unwrap_or(u64::MAX)
    };
    let alone = match workload.operation {
        Operation::Scatter => Some((flits - share(root)).div_ceil(out(root))),
        Operation::Gather => Some((flits - share(root)).div_ceil(into(root))),
        Operation::Allgather => (0..ranks).map(|rank| (flits - share(rank)).div_ceil(into(rank))).max(),
        Operation::ReduceScatter => (0..ranks).map(|rank| (flits - share(rank)).div_ceil(out(rank))).max(),
        Operation::Broadcast => {
            others().map(|rank| flits.div_ceil(into(rank))).chain([flits.div_ceil(out(root))]).max()
        }
        Operation::Reduce => others().map(|rank| flits.div_ceil(out(rank))).chain([flits.div_ceil(into(root))]).max(),
        Operation::Allreduce => (0..ranks).map(|rank| flits.div_ceil(out(rank).min(into(rank)))).max(),
        Operation::Barrier => None,
    };
    let all = match workload.operation {
        Operation::Allgather => together(ranks - 1),
        Operation::Allreduce => together(2 * (ranks - 1)),
        _ => 0,
    };
    alone.unwrap_or_default().max(all)
}

/// What must cross the links between the two halves of a dimension, for each of them.
fn across(workload: &Collective, lattice: &Lattice, dimension: usize) -> u64 {
    let side = lattice.shape()[dimension];
    if side < 2 {
        return 0;
    }
    let Collective { flits, root, .. } = *workload;
    let ranks = workload.ranks();
    let is_low = |rank: usize| rank / lattice.stride(dimension) % side < side / 2;
    let shares_where = |wanted: &dyn Fn(usize) -> bool| -> u64 {
        (0..ranks).filter(|&rank| wanted(rank)).map(|rank| length(&cut(flits, ranks, rank))).sum()
    };
    let crossing = match workload.operation {
        Operation::Broadcast | Operation::Reduce | Operation::Allreduce => flits,
        Operation::Allgather | Operation::ReduceScatter => {
            let low = shares_where(&is_low);
            low.max(flits - low)
        }
        Operation::Scatter | Operation::Gather => shares_where(&|rank| is_low(rank) != is_low(root)),
        Operation::Barrier => 0,
    };
    let links = ranks / side * if lattice.wraps() && side > 2 { 2 } else { 1 };
    crossing.div_ceil(links as u64)
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}
