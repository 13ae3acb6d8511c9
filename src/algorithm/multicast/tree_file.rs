//! Multicast in routers along a tree of the user.
//!
//! *Problem.* A multicast along a tree that no routing of the network gives.
//!
//! *Idea.* The scenario lists the links of the tree by the routers that they join, and one packet takes them.
//!
//! *Cost.* That of [`router_tree`](super::router_tree()) with other paths.
//!
//! *Source.* X. Lin and L. M. Ni, Deadlock-free multicast wormhole routing in multicomputer networks, ISCA 1991, for packets that take a
//! tree. The tree is the user's.

use super::copying::{packet, schedule};
use super::{PlanError, Request};
use crate::routing::tree::{MulticastTree, tree_of_edges};
use crate::schedule::Schedule;

/// Plans one packet along the tree of the scenario.
///
/// # Errors
/// Returns an error without a network or a tree, or if the tree does not lead from the source to the destinations.
pub(super) fn tree_file(request: &Request<'_>) -> Result<Schedule, PlanError> {
    let copying = request.copying.ok_or(PlanError::NoNetwork)?;
    let edges = copying.edges.ok_or(PlanError::NoTree)?;
    let (source, destinations) = (request.group[0], &request.group[1..]);
    let tree = tree_of_edges(copying.network, edges, source, destinations).map_err(PlanError::Edges)?;
    let packet = packet(copying.network, MulticastTree { tree, destinations: destinations.to_vec() });
    Ok(schedule(request, vec![packet]))
}
