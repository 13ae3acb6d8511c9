//! Multicasts whose packets routers copy: their trees, and the times that they take alone in the network.

use super::{Multicast, Plan};
use crate::algorithm::multicast::{Algorithm, CopyingNetwork, PlanError, Request};
use crate::cancel;
use crate::config::{Diagnostic, Reader};
use crate::kind::{PacketCounts, TreeLine, tell_tree};
use crate::machine::{CopyingError, Machine};
use crate::model::{Parameterised, Prices, price};
use crate::routing::tree::{TreeNetwork, TreePaths};
use crate::schedule::{Message, Schedule, WormTree};
use crate::units::{NodeId, saturated};
use thiserror::Error;

/// A reason why an algorithm does not support a machine.
#[derive(Debug, Error)]
pub(super) enum Inadmissible {
    /// No routers copy packets.
    #[error(transparent)]
    Copying(#[from] CopyingError),
    /// The algorithm is not defined for the machine.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// A group for which an algorithm has no trees.
#[derive(Debug)]
pub(super) struct Unplanned {
    pub(super) error: PlanError,
    /// The repetition of the group.
    pub(super) repetition: u64,
}

/// The group of a row, and the network that it is on.
pub(super) struct Site<'a> {
    /// The source, then the destinations.
    pub(super) group: &'a [NodeId],
    pub(super) machine: &'a Machine,
    /// The network, if its routers copy packets.
    pub(super) routers: Option<&'a TreeNetwork>,
}

impl Multicast {
    /// Checks that `algorithm` is defined for `machine`.
    pub(super) fn admits(&self, algorithm: &Algorithm, machine: &Machine) -> Result<(), Inadmissible> {
        let routers = copying_network(algorithm, machine)?;
        let times = self.times(machine);
        algorithm.admits(machine.network(), routers.as_ref(), times, machine.node.ports)?;
        if algorithm.reads_tree() && self.tree.is_none() { Err(PlanError::NoTree.into()) } else { Ok(()) }
    }

    /// Reports the trees that `algorithm`, which is number `position` of the scenario `root`, has not for the groups of all repetitions.
    pub(super) fn refuse_trees(&self, root: &Reader<'_>, machine: &Machine, position: usize) {
        let algorithm = self.algorithms[position];
        let Some(Unplanned { error, repetition }) = self.unplanned(algorithm, machine) else { return };
        if let (PlanError::Edges(errors), Some(tree)) = (&error, &self.tree) {
            errors.iter().for_each(|error| root.error(tree.diagnostic(error)));
            return;
        }
        let source = root.place_within_array(&["workload", "multicast", "algorithms"], position);
        let group = if repetition > 0 { format!(" in repetition {repetition}") } else { String::new() };
        root.error(Diagnostic::at(source, format!("`{}`{group}: {error}", algorithm.name)));
    }

    /// A bound on the bytes that the trees of a row of a variant take while they are made.
    pub(super) fn tree_memory(&self, machine: &Machine, variant: usize) -> u64 {
        let algorithm = self.algorithms[variant];
        let network = machine.network().filter(|_| algorithm.needs_routers());
        network.map_or(0, |network| machine.tree_memory(network, self.group.size()))
    }

    /// The schedule of `algorithm` for a group.
    pub(super) fn schedule(&self, algorithm: &Algorithm, site: &Site<'_>) -> Result<Schedule, PlanError> {
        let Site { group, machine, routers } = *site;
        let edges = self.tree.as_ref().map(|tree| &*tree.edges);
        let named = || group.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        algorithm.plan(&Request {
            group,
            nodes: machine.nodes().unwrap_or_else(named),
            network: machine.network(),
            copying: routers.map(|network| CopyingNetwork { network, edges }),
            flits: self.flits,
            model: self.times(machine),
            ports: machine.node.ports,
            block: self.block,
            inside: self.inside,
        })
    }

    /// The first group of the repetitions for which `algorithm`, which the machine admits, has no trees.
    pub(super) fn unplanned(&self, algorithm: &Algorithm, machine: &Machine) -> Option<Unplanned> {
        let routers = copying_network(algorithm, machine).ok().flatten()?;
        if !algorithm.reads_tree() && matches!(routers.paths(), TreePaths::Network | TreePaths::Any(_)) {
            return None;
        }
        let nodes = machine.nodes().unwrap_or(0);
        (0..self.rows.repetitions).find_map(|repetition| {
            cancel::checkpoint();
            let group = self.group.members(self.rows.seed, repetition, nodes, true);
            let site = Site { group: &group, machine, routers: Some(&routers) };
            self.schedule(algorithm, &site).err().map(|error| Unplanned { error, repetition })
        })
    }
}

/// The network of `machine` as `algorithm` uses it, if it runs on routers that copy packets.
///
/// # Errors
/// Returns an error if it does and there are none.
pub(super) fn copying_network(algorithm: &Algorithm, machine: &Machine) -> Result<Option<TreeNetwork>, CopyingError> {
    algorithm.needs_routers().then(|| machine.copying_network()).transpose()
}

impl Plan<'_> {
    /// The times of packets alone in the network, each destination as if the packet went there alone.
    pub(super) fn tree_prices(&self) -> Prices {
        let machine = self.job.machine;
        let flits = self.schedule.flits();
        let time = machine.network_time();
        let overheads = machine.node.send(flits) + machine.node.receive(flits);
        let Parameterised { t_hold, .. } = Parameterised::derived(&machine.node, time, flits);
        let hops = self.tree_hops();
        price(&self.schedule, machine.node.ports, t_hold, |message: Message| {
            overheads + time.unloaded(flits, hops[message.id.index()])
        })
    }

    /// By message, the number of links from the source in the tree. Empty if routers copy nothing.
    pub(super) fn tree_hops(&self) -> Vec<usize> {
        let trees = self.schedule.worms().filter_map(|worm| worm.tree);
        let hops = |WormTree { tree, ejections }: &WormTree| {
            let depths = tree.depths(1, 0);
            ejections.iter().map(|&end| saturated(depths[end as usize])).collect::<Vec<_>>()
        };
        trees.flat_map(hops).collect()
    }

    /// The packets, and the copies that routers make of them.
    pub(super) fn packet_counts(&self) -> PacketCounts {
        let mut counts = PacketCounts::default();
        for worm in self.schedule.worms().filter_map(|worm| worm.tree) {
            counts.add_tree(&worm.tree, self.schedule.flits());
        }
        counts
    }

    /// Calls `tell` with the channels of its trees.
    pub(super) fn tell_trees(&self, tell: &mut dyn FnMut(&TreeLine)) {
        let Some(network) = self.job.machine.network.as_ref().and_then(|network| network.tree_network().ok()) else {
            return;
        };
        for worm in self.schedule.worms() {
            if let Some(tree) = worm.tree {
                tell_tree(&network, worm.index, &tree.tree, tell);
            }
        }
    }

    /// True if routers copy its packets in flight, and the times of that follow from the costs of the machine.
    pub(super) fn has_tree_times(&self) -> bool {
        let Self { workload, job, .. } = self;
        let derived = job.machine.model.is_none() && workload.t_hold.is_none() && workload.t_end.is_none();
        derived && workload.algorithms[job.variant].needs_routers()
    }
}
