//! Multicast in routers, along the paths of unicasts.
//!
//! *Problem.* A multicast on a network whose routers can send a flit to several outputs.
//!
//! *Idea.* One packet takes the union of the paths to the destinations, and routers copy it where paths part. Each branch reads the
//! buffer by itself, so that it runs ahead of a blocked one by as many flits as the buffer holds.
//!
//! *Cost.* One start-up, and the time of a unicast to the farthest destination, whatever the number of destinations is. Two packets can
//! wait for each other unless buffers hold a packet.
//!
//! *Source.* X. Lin and L. M. Ni, Deadlock-free multicast wormhole routing in multicomputer networks, ISCA 1991, which calls such
//! packets multicast trees.

use super::copying::plan_route;
use super::{PlanError, Request};
use crate::routing::tree::MulticastRoute;
use crate::schedule::Schedule;

/// Plans one packet that takes the union of the paths to the destinations of `request`.
///
/// # Errors
/// Returns an error without a network, or if the paths make no tree.
pub(super) fn router_tree(request: &Request<'_>) -> Result<Schedule, PlanError> {
    plan_route(MulticastRoute::RouterTree, request)
}
