//! Which channels a message takes from its source to its destination.
//!
//! A routing joins a topology with a rule and answers one question: the fixed path of channels between two nodes,
//! injection channel first and ejection channel last. It knows no message, no time and no contention.

mod dimension_order;
mod ecube;
mod turnaround;

pub use dimension_order::{DimensionOrder, OrderError};
pub use ecube::ECube;
pub use turnaround::{Turnaround, UpPort};

use crate::topology::Channels;
use crate::units::{ChannelId, NodeId};

/// A topology with a deterministic routing: what the engines run on.
pub trait Network: Sync + Send {
    /// The topology's channels.
    fn channels(&self) -> &dyn Channels;

    /// Appends the path from `src` to `dst` to `path`: `src`'s first injection channel, the channels between routers,
    /// `dst`'s first ejection channel. With `src == dst` the path is the injection and the ejection channel. No
    /// channel stands twice in a path.
    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>);

    /// The number of channels between routers from `src` to `dst`.
    fn hops(&self, src: NodeId, dst: NodeId) -> usize;

    /// Which order of its nodes contention-free multicast trees can rest on.
    fn order(&self) -> Order;

    /// The place of `node` in that order.
    fn chain_rank(&self, node: NodeId) -> u64;
}

/// An order of the nodes in which messages within disjoint stretches share no channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The dimension-ordered chain of meshes and hypercubes: the coordinate that is resolved first is the most
    /// significant (McKinley et al. 1994).
    Dimension,
    /// The order of leaf addresses of a bidirectional multistage network.
    Leaf,
}
