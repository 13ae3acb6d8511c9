//! Multicast in routers by up to four worms along a Hamiltonian path of a mesh.
//!
//! *Problem.* As that of dual-path, with shorter worms.
//!
//! *Idea.* Each worm of dual-path is two: one for the destinations whose second coordinate is less than that of the source, and one for
//! the others.
//!
//! *Cost.* Up to four start-ups, which overlap if the source has as many injection channels. A worm visits a quarter of the mesh.
//!
//! *Source.* X. Lin and L. M. Ni, Deadlock-free multicast wormhole routing in multicomputer networks, ISCA 1991, section 4.

use super::copying::plan_route;
use super::{PlanError, Request};
use crate::routing::tree::MulticastRoute;
use crate::schedule::Schedule;

/// Plans up to two worms up and two worms down the labels of routers.
///
/// # Errors
/// Returns an error without a network, or if the network is not a mesh of two dimensions.
pub(super) fn multi_path(request: &Request<'_>) -> Result<Schedule, PlanError> {
    plan_route(MulticastRoute::MultiPath, request)
}
