//! Multicast in hardware: the source sends once, and routers copy.
//!
//! *Problem.* A multicast on a chip whose routers can send a flit to several of their neighbours at once.
//!
//! *Idea.* One message goes to all destinations; it is copied where their ways part.
//!
//! *Cost.* `t_end`, however many nodes there are. A flit moves only when it can to all branches, so one branch that is kept
//! keeps all, and two such multicasts can wait for each other for ever.
//!
//! *Source.* X. Lin and L. M. Ni, Deadlock-free multicast wormhole routing in multicomputer networks, ISCA 1991, which calls
//! such messages multicast trees.

use super::{Request, Sequential};
use crate::schedule::Schedule;

/// One worm from the source of `request` to its other nodes.
///
/// ```
/// use flitwise::algorithm::multicast::{ALGORITHMS, Inside, Request};
/// use flitwise::model::Parameterised;
/// use flitwise::units::{Flits, NodeId, Ticks};
/// let group: Vec<NodeId> = (0..8).map(NodeId).collect();
/// let model = Parameterised { t_hold: Ticks(20), t_end: Ticks(55) };
/// let flits = Flits(64);
/// let inside = Inside::Flat;
/// let request = Request { group: &group, nodes: 8, network: None, flits, model, ports: 1, block: 4, inside };
/// let worm = flitwise::algorithm::multicast::tree_worm(&request);
/// assert!(worm.is_one_worm());
/// assert_eq!(model.price(&worm, 1).completion, Ticks(55));
/// ```
pub fn tree_worm(request: &Request<'_>) -> Schedule {
    let sequential = Sequential { size: request.group.len() };
    Schedule::split(&sequential, request.group, request.nodes, request.flits).as_one_worm()
}
