//! The binary hypercube: nodes whose ids differ in one bit are neighbours.
//!
//! The channels that leave node `v` are numbered `v * (p + q + d) + slot`: `p` injection channels, `q` ejection
//! channels, then the link of each bit, least significant first.

use super::layout::{Layout, by_layout};
use super::{Channels, Coordinates, GroupCosts, Hop, LinkCost, Origin, OwnCosts, Ports, TopologyError};
use crate::units::{ChannelId, NodeId, RouterId};
use std::ops::Deref;

/// A hypercube of `2^dimension` nodes.
#[derive(Clone, Debug)]
pub struct Hypercube {
    coordinates: Coordinates,
    layout: Layout,
    /// Costs by dimension of the lattice.
    costs: GroupCosts,
}

impl Hypercube {
    /// A hypercube of `2^dimension` nodes; dimension 0 is a single node.
    ///
    /// # Errors
    /// If the ports are zero or the channels cannot be numbered with 32 bits.
    pub fn new(dimension: usize, ports: impl Into<Ports>) -> Result<Self, TopologyError> {
        let nodes = u32::try_from(dimension).ok().and_then(|d| 1_u128.checked_shl(d)).unwrap_or(u128::MAX);
        let what = || format!("a hypercube of dimension {dimension}");
        let layout = Layout::side_by_side(what, nodes, ports.into(), dimension as u128)?;
        // what has too many nodes has been refused
        Ok(Self { coordinates: Coordinates::new(&vec![2; dimension], false), layout, costs: GroupCosts::default() })
    }

    /// Sets the costs of links by dimension of the lattice, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: GroupCosts) -> Self {
        Self { costs, ..self }
    }

    /// The number of bits in a node id.
    pub fn dimension(&self) -> usize {
        self.dimensions()
    }

    /// The link that leaves `node` and flips `bit`.
    pub fn link(&self, node: NodeId, bit: usize) -> ChannelId {
        self.layout.link(node, bit)
    }
}

/// A hypercube is the lattice of its nodes, two along each dimension; the last coordinate is the least significant bit.
impl Deref for Hypercube {
    type Target = Coordinates;

    fn deref(&self) -> &Coordinates {
        &self.coordinates
    }
}

impl Channels for Hypercube {
    by_layout!();

    /// The last dimension of the lattice is that of the least significant bit, and leads to larger coordinates where it
    /// is 0.
    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        let (node, bit) = self.layout.link_at(channel)?;
        let port = 2 * (self.dimension() - 1 - bit) + (node.index() >> bit & 1);
        Some(Hop { port: u16::try_from(port).ok()?, vc: 0 })
    }

    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        Some(self.link(NodeId(router.0), (self.dimension() - 1).checked_sub(port / 2)?))
    }

    /// The first dimension of the lattice is that of the most significant bit.
    fn class(&self, channel: ChannelId) -> Option<usize> {
        self.layout.link_at(channel).map(|(_, bit)| self.dimension() - 1 - bit)
    }

    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        self.class(channel).map_or(self.costs.node, |dimension| self.costs.link(dimension))
    }

    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        let links = (0..self.dimension()).map(|bit| (self.link(NodeId(0), bit), self.dimension() - 1 - bit));
        self.costs.summary(links, self.injection(NodeId(0)))
    }

    /// Every node has a router of its own, with its number.
    fn origin(&self, channel: ChannelId) -> Origin {
        match self.layout.link_at(channel) {
            Some((node, _)) => Origin::Link(RouterId(node.0)),
            None => self.layout.port_origin(channel),
        }
    }

    fn name(&self, channel: ChannelId) -> String {
        match self.layout.link_at(channel) {
            Some((node, bit)) => format!("{node}->{}", node.0 ^ 1 << bit),
            None => self.layout.port_name(channel, |node| node.to_string()),
        }
    }
}
