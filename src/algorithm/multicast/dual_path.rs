//! Multicast in routers by two worms along a Hamiltonian path.
//!
//! *Problem.* A multicast by packets that are longer than buffers, none of which can wait for another in a cycle.
//!
//! *Idea.* Labels number the routers along a Hamiltonian path. One worm visits the destinations with higher labels than the source in
//! rising order, another those with lower labels in falling order. Each takes short cuts that do not pass its next destination.
//!
//! *Cost.* Two start-ups, and the time of a unicast along the longer worm. Free of deadlock with two ejection channels a node.
//!
//! *Source.* X. Lin and L. M. Ni, Deadlock-free multicast wormhole routing in multicomputer networks, ISCA 1991, section 4. Ejection
//! channels: R. V. Boppana, S. Chalasani and C. S. Raghavendra, IEEE TPDS 9(6), 1998.

use super::copying::plan_route;
use super::{PlanError, Request};
use crate::routing::tree::MulticastRoute;
use crate::schedule::Schedule;

/// Plans a worm up and a worm down the labels of routers.
///
/// # Errors
/// Returns an error without a network, or if routers have no labels.
pub(super) fn dual_path(request: &Request<'_>) -> Result<Schedule, PlanError> {
    plan_route(MulticastRoute::DualPath, request)
}
