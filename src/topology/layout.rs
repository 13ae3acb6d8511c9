//! Where the channels of a topology lie: those between nodes and routers, and the links of networks in which every node
//! keeps its channels side by side.

use super::{Origin, Ports, TopologyError};
use crate::units::{ChannelId, NodeId};

/// How many nodes and channels there are, and where those between nodes and routers lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Layout {
    pub(super) nodes: usize,
    pub(super) count: usize,
    pub(super) injection: Bank,
    pub(super) ejection: Bank,
}

/// Injection or ejection channels: `ports` consecutive ones of each node, `stride` after those of the node before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bank {
    pub(super) start: usize,
    pub(super) stride: usize,
    pub(super) ports: usize,
}

impl Bank {
    /// The first channel of `node`.
    pub(super) fn first(&self, node: NodeId) -> ChannelId {
        ChannelId::new(self.start + node.index() * self.stride)
    }
}

impl Layout {
    /// The channels that leave a node side by side: injection, ejection, then `links` links.
    pub(super) fn side_by_side(
        what: impl Fn() -> String,
        nodes: u128,
        ports: Ports,
        links: u128,
    ) -> Result<Self, TopologyError> {
        let (injection, ejection) = ports.numbers(links)?;
        let stride = (injection + ejection) as u128 + links;
        let count = numbered(&what, nodes.saturating_mul(stride))?;
        let stride = numbered(&what, stride)?;
        let ejection = Bank { start: injection, stride, ports: ejection };
        Ok(Self { nodes: count / stride, count, injection: Bank { start: 0, stride, ports: injection }, ejection })
    }

    /// Link number `link` of those that leave `node`.
    pub(super) fn link(&self, node: NodeId, link: usize) -> ChannelId {
        ChannelId::new(node.index() * self.injection.stride + self.ports() + link)
    }

    /// Channels of a node: so far apart are the same links of neighbours by number.
    pub(super) fn channels_per_node(&self) -> usize {
        self.injection.stride
    }

    /// The node that a channel leaves and the number of the link; none of a channel between a node and its router.
    pub(super) fn link_at(&self, channel: ChannelId) -> Option<(NodeId, usize)> {
        let slot = channel.index() % self.injection.stride;
        Some((NodeId::new(channel.index() / self.injection.stride), slot.checked_sub(self.ports())?))
    }

    /// Injection and ejection channels of a node.
    pub(super) fn ports(&self) -> usize {
        self.injection.ports + self.ejection.ports
    }

    /// The injection or ejection channels that `channel` is one of.
    fn bank_of(&self, channel: ChannelId) -> &Bank {
        let Bank { stride, ports, .. } = self.injection;
        let injects = channel.index() / stride < self.nodes && channel.index() % stride < ports;
        if injects { &self.injection } else { &self.ejection }
    }

    /// The node of an injection or ejection channel.
    pub(super) fn node_at(&self, channel: ChannelId) -> NodeId {
        let bank = self.bank_of(channel);
        NodeId::new((channel.index() - bank.start) / bank.stride)
    }

    /// Where a channel between a node and its router comes from.
    pub(super) fn port_origin(&self, channel: ChannelId) -> Origin {
        let node = self.node_at(channel);
        if *self.bank_of(channel) == self.injection { Origin::Injection(node) } else { Origin::Ejection(node) }
    }

    /// The name of a channel between a node and its router, with the port where there are several.
    pub(super) fn port_name(&self, channel: ChannelId, node_name: impl Fn(NodeId) -> String) -> String {
        let bank = self.bank_of(channel);
        let kind = if *bank == self.injection { "injection" } else { "ejection" };
        let node = node_name(self.node_at(channel));
        let port = (channel.index() - bank.start) % bank.stride;
        if bank.ports == 1 { format!("{kind} {node}") } else { format!("{kind} {node} port {port}") }
    }
}

/// `count` as an index, if channels and nodes can still be numbered with 32 bits.
pub(super) fn numbered(what: impl Fn() -> String, count: u128) -> Result<usize, TopologyError> {
    u32::try_from(count).map(|count| count as usize).map_err(|_| TopologyError::TooLarge { what: what(), count })
}

/// What [`Channels`](super::Channels) tells of a topology that has a `layout`.
macro_rules! by_layout {
    () => {
        fn nodes(&self) -> usize {
            self.layout.nodes
        }

        fn count(&self) -> usize {
            self.layout.count
        }

        fn ports(&self) -> usize {
            self.layout.injection.ports
        }

        fn ejection_ports(&self) -> usize {
            self.layout.ejection.ports
        }

        fn injection(&self, node: NodeId) -> ChannelId {
            self.layout.injection.first(node)
        }

        fn ejection(&self, node: NodeId) -> ChannelId {
            self.layout.ejection.first(node)
        }
    };
}

pub(super) use by_layout;
