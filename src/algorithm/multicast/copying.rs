//! Multicasts whose packets routers copy.

use super::{PlanError, Request};
use crate::routing::tree::{MulticastRoute, MulticastTree, TreeEdge, TreeNetwork, multicast_trees};
use crate::schedule::{PlannedWorm, Schedule, WormTree};

/// A network whose routers copy packets.
#[derive(Clone, Copy, Debug)]
pub struct CopyingNetwork<'a> {
    /// The network.
    pub network: &'a TreeNetwork,
    /// The edges of the tree of `tree-file`, if the scenario has one.
    pub edges: Option<&'a [TreeEdge]>,
}

/// Plans the packets that take `route`.
pub(super) fn plan_route(route: MulticastRoute, request: &Request<'_>) -> Result<Schedule, PlanError> {
    let network = request.copying.ok_or(PlanError::NoNetwork)?.network;
    let trees = multicast_trees(route, network, request.group[0], &request.group[1..])?;
    Ok(schedule(request, trees.into_iter().map(|tree| packet(network, tree)).collect()))
}

/// The packet of a multicast tree on `network`.
pub(super) fn packet(network: &TreeNetwork, MulticastTree { tree, destinations }: MulticastTree) -> PlannedWorm {
    let ejections = destinations.iter().map(|&dst| network.channels().ejection(dst));
    let tree = Some(WormTree::new(tree, ejections));
    PlannedWorm { destinations, tree }
}

/// The schedule of `packets` from the source of `request`. There are none without destinations.
pub(super) fn schedule(request: &Request<'_>, packets: Vec<PlannedWorm>) -> Schedule {
    let packets = packets.into_iter().filter(|packet| !packet.destinations.is_empty()).collect();
    Schedule::of_worms(request.nodes, request.group[0], request.flits, packets)
}
