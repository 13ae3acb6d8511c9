//! Which channels a message takes from its source to its destination.
//!
//! A routing joins a topology with a rule and answers one question: the fixed path of channels between two nodes,
//! injection channel first and ejection channel last. It knows no message, no time and no contention.

pub mod certificate;
mod channel_load;
mod dependency;
mod dimension_order;
mod ecube;
pub mod graph;
pub mod lattice;
mod lattice_paths;
mod link;
mod link_relation;
mod loaded_channel;
pub mod one_way;
mod pace;
mod paths;
pub mod relation;
mod routers;
mod stretch;
pub mod tree;
mod turnaround;
mod wiring;

pub use channel_load::busiest_link;
pub use dependency::DependencyGraph;
pub use dimension_order::{DimensionOrder, Move, Rings, follow, shortest};
pub use ecube::ECube;
pub use lattice::Lattice;
pub use lattice_paths::{Dateline, LatticePaths};
pub use link::*;
pub use link_relation::LinkRelation;
pub use loaded_channel::{Flow, LoadedChannel};
pub use one_way::OneWay;
pub use pace::{ClockedPace, Pace};
pub use paths::{LinkNetwork, Step};
pub use relation::Relation;
pub use routers::{Head, Routing, Shortcut};
pub use stretch::Stretch;
pub use turnaround::{Turnaround, UpPort};
pub use wiring::{ChannelPlace, LinkPorts, MOST_PORTS, PortAt, TooManyPorts, Wiring};

use crate::topology::Channels;
use crate::units::{ChannelId, NodeId};
use std::sync::Arc;
use thiserror::Error;

/// A topology with a deterministic routing: what the engines run on.
pub trait Network: Sync + Send {
    /// The topology's channels.
    fn channels(&self) -> &dyn Channels;

    /// Appends the path from `src` to `dst` to `path`: `src`'s first injection channel, the channels between routers,
    /// `dst`'s first ejection channel. With `src == dst` the path is the injection and the ejection channel. No
    /// channel is twice in a path.
    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>);

    /// Returns true if there is a path from `src` to `dst`. Only links that fail make it false.
    fn reaches(&self, src: NodeId, dst: NodeId) -> bool {
        let _ = (src, dst);
        true
    }

    /// Appends the path that [`Self::route`] appends to `stretches`, if the network knows it as such; false if not.
    fn stretches(&self, src: NodeId, dst: NodeId, stretches: &mut Vec<Stretch>) -> bool {
        let _ = (src, dst, stretches);
        false
    }

    /// Its paths as lists of links, if its links are numbered ([`crate::topology::Links`]).
    fn paths(&self) -> Option<Arc<dyn LinkRouting>> {
        None
    }

    /// The links of the path from `src` to `dst`, with the class of virtual channels of each, if its links are numbered.
    fn steps(&self, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        self.paths()?.path(src, dst, &mut steps);
        Some(steps)
    }

    /// How many classes of virtual channels its paths need to be free of deadlock.
    fn classes(&self) -> u8 {
        1
    }

    /// The first class of virtual channels of messages that routers copy, if they do: its channels are so many behind those of a
    /// path.
    fn tree_class(&self) -> Option<u8> {
        None
    }

    /// The number of channels between routers from `src` to `dst`: of the path, unless the network knows it without.
    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let mut path = Vec::new();
        self.route(src, dst, &mut path);
        path.len() - 2
    }

    /// Which order of its nodes contention-free multicast trees can rest on; none unless the network knows one.
    fn order(&self) -> Order {
        Order::None
    }

    /// The place of `node` in that order; without one in some order in which nodes that are near each other stand together: of
    /// a graph from a file a depth-first walk, elsewhere that of their numbers.
    fn chain_rank(&self, node: NodeId) -> u64 {
        u64::from(node.0)
    }
}

/// An order of the nodes in which messages within disjoint stretches share no channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The dimension-ordered chain of meshes and hypercubes: the coordinate that is resolved first is the most
    /// significant (McKinley et al. 1994).
    Dimension,
    /// The order of leaf addresses of a bidirectional multistage network. Messages share no channel where the source's digits
    /// say the ports up; where the destination's do, some may ([`UpPort::Destination`], [`ModK::Destination`]).
    Leaf,
    /// No such order is known.
    None,
}

/// An order that does not name each dimension exactly once.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("an order of dimensions must contain each number from 0 to {} exactly once", dimensions - 1)]
pub struct OrderError {
    dimensions: usize,
}

/// Whether `order` names each of `dimensions` dimensions exactly once.
fn permutation(order: &[usize], dimensions: usize) -> Result<(), OrderError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted.into_iter().eq(0..dimensions) { Ok(()) } else { Err(OrderError { dimensions }) }
}

/// The nodes that a message from `from` to `to` passes on `network`, both ends included. The network's channels are
/// numbered router by router, as those of lattices are.
pub fn path_nodes(network: &dyn Network, from: NodeId, to: NodeId) -> Vec<u32> {
    let channels = network.channels();
    let mut path = Vec::new();
    network.route(from, to, &mut path);
    let router = |channel: &ChannelId| NodeId::new(channel.index() * channels.nodes() / channels.count()).0;
    // injection, links and ejection belong to the router that they leave
    let mut routers: Vec<u32> = path.iter().map(router).collect();
    routers.dedup();
    routers
}
