//! Multicast in the routers of a chip: the source sends once, and routers copy.
//!
//! *Problem.* A multicast on a chip whose routers can send a flit to several of their neighbours at once.
//!
//! *Idea.* One message goes to all destinations. Routers copy it where paths part.
//!
//! *Cost.* `t_end`, whatever the number of nodes is. A flit moves only when it can to all branches, so that a blocked branch blocks all,
//! and two such multicasts can wait for each other forever.
//!
//! *Source.* X. Lin and L. M. Ni, Deadlock-free multicast wormhole routing in multicomputer networks, ISCA 1991, which calls
//! such messages multicast trees.

use super::copying::schedule;
use super::{PlanError, Request};
use crate::routing::Network;
use crate::routing::tree::{Fork, TreeError};
use crate::schedule::{PlannedWorm, Schedule, WormTree};
use crate::units::NodeId;

/// Plans one worm from the source of `request` to its other nodes.
///
/// # Errors
/// Returns an error if the paths of the network make no tree.
///
/// ```
/// use flitwise::algorithm::multicast::{ALGORITHMS, Inside, Request};
/// use flitwise::model::Parameterised;
/// use flitwise::units::{Flits, NodeId, Ticks};
/// let group: Vec<NodeId> = (0..8).map(NodeId).collect();
/// let model = Parameterised { t_hold: Ticks(20), t_end: Ticks(55) };
/// let flits = Flits(64);
/// let inside = Inside::Flat;
/// let copying = None;
/// let request = Request { group: &group, nodes: 8, network: None, copying, flits, model, ports: 1, block: 4, inside };
/// let worm = flitwise::algorithm::multicast::tree_worm(&request)?;
/// assert!(worm.has_worms());
/// assert_eq!(model.price(&worm, 1).completion, Ticks(55));
/// # Ok::<(), flitwise::algorithm::multicast::PlanError>(())
/// ```
pub fn tree_worm(request: &Request<'_>) -> Result<Schedule, PlanError> {
    let (source, destinations) = (request.group[0], &request.group[1..]);
    let tree = request.network.map(|network| tree(network, source, destinations)).transpose()?;
    Ok(schedule(request, vec![PlannedWorm { destinations: destinations.to_vec(), tree }]))
}

/// The paths of `network` from `src` to `dsts`, on the virtual channels of its class for worms.
fn tree(network: &dyn Network, src: NodeId, dsts: &[NodeId]) -> Result<WormTree, TreeError> {
    let class = u32::from(network.tree_class().unwrap_or_default());
    let mut fork = Fork::default();
    let mut path = Vec::new();
    for &dst in dsts {
        path.clear();
        network.route(src, dst, &mut path);
        let links = path.len() - 1;
        path[1..links].iter_mut().for_each(|channel| channel.0 += class);
        let name = |channel| network.channels().name(channel);
        fork.add(&path).map_err(|channel| TreeError::MeetsAgain { src, channel: name(channel) })?;
    }
    Ok(WormTree::new(fork.finish(), dsts.iter().map(|&dst| network.channels().ejection(dst))))
}
