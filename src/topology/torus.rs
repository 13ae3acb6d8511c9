//! The torus of any dimensions: a ring along every dimension, with one or two virtual channels on each link.
//!
//! Node ids are row-major with the first coordinate most significant. With `v` virtual channels, the channels that
//! leave node `u` are numbered `u * (p + q + 2 n v) + slot`: `p` injection channels, `q` ejection channels, then for
//! each dimension the `v` virtual channels of the link towards larger coordinates and the `v` of the link towards
//! smaller ones. Links of a dimension of one node are numbered and never used; a dimension of two nodes has two links
//! each way round.

use super::layout::{Layout, by_layout};
use super::{
    Channels, Coordinates, Direction, Grid, GroupCosts, Hop, LinkCost, Origin, OwnCosts, Ports, TopologyError,
};
use crate::units::{ChannelId, NodeId, RouterId};
use std::ops::Deref;

/// A torus of any dimensions with `v` virtual channels a link.
///
/// ```
/// use flitwise::topology::{Channels, Direction, Torus};
/// use flitwise::units::NodeId;
/// let torus = Torus::new(&[4, 6], 1, 2)?;
/// assert_eq!(torus.nodes(), 24);
/// assert_eq!(torus.name(torus.link(NodeId(5), 1, Direction::Plus, 1)), "(0,5)->(0,0) vc 1");
/// # Ok::<(), flitwise::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Torus {
    coordinates: Coordinates,
    layout: Layout,
    virtual_channels: usize,
    /// Costs by dimension.
    costs: GroupCosts,
}

impl Torus {
    /// A torus with `shape[d]` nodes along dimension `d`, `ports` ports a node and `virtual_channels` a link.
    ///
    /// # Errors
    /// If the shape is empty, a dimension, the ports or the virtual channels are zero, or the channels cannot be
    /// numbered with 32 bits.
    pub fn new(shape: &[usize], ports: impl Into<Ports>, virtual_channels: usize) -> Result<Self, TopologyError> {
        if shape.is_empty() || shape.contains(&0) {
            return Err(TopologyError::Empty("torus"));
        }
        if virtual_channels == 0 {
            return Err(TopologyError::NoVirtualChannels);
        }
        let coordinates = Coordinates::new(shape, true);
        let links = (2 * shape.len() as u128).saturating_mul(virtual_channels as u128);
        let what = || format!("a torus of {shape:?}");
        let layout = Layout::side_by_side(what, coordinates.nodes() as u128, ports.into(), links)?;
        Ok(Self { coordinates, layout, virtual_channels, costs: GroupCosts::default() })
    }

    /// Sets the costs of links by dimension, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: impl Into<GroupCosts>) -> Self {
        Self { costs: costs.into(), ..self }
    }

    /// Virtual channel `vc` of the link that leaves `node` along `dimension` in `direction`.
    pub fn link(&self, node: NodeId, dimension: usize, direction: Direction, vc: usize) -> ChannelId {
        let link = 2 * dimension + direction.place();
        self.layout.link(node, link * self.virtual_channels + vc)
    }
}

/// A torus is the lattice of its nodes.
impl Deref for Torus {
    type Target = Coordinates;

    fn deref(&self) -> &Coordinates {
        &self.coordinates
    }
}

impl Grid for Torus {
    fn virtual_link(&self, node: NodeId, dimension: usize, direction: Direction, vc: usize) -> ChannelId {
        self.link(node, dimension, direction, vc)
    }

    fn links_apart(&self) -> usize {
        self.layout.channels_per_node()
    }
}

impl Channels for Torus {
    by_layout!();

    fn virtual_channels(&self) -> usize {
        self.virtual_channels
    }

    fn physical(&self, channel: ChannelId) -> ChannelId {
        let vc = self.layout.link_at(channel).map_or(0, |(_, link)| link % self.virtual_channels);
        ChannelId::new(channel.index() - vc)
    }

    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        let (_, link) = self.layout.link_at(channel)?;
        let [port, vc] = [link / self.virtual_channels, link % self.virtual_channels].map(u16::try_from);
        Some(Hop { port: port.ok()?, vc: vc.ok()? })
    }

    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        Some(self.layout.link(NodeId(router.0), port * self.virtual_channels))
    }

    fn class(&self, channel: ChannelId) -> Option<usize> {
        self.layout.link_at(channel).map(|(_, link)| link / (2 * self.virtual_channels))
    }

    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        self.class(channel).map_or(self.costs.node, |dimension| self.costs.link(dimension))
    }

    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        let links = self.dimensions_with_links(|dimension| self.link(NodeId(0), dimension, Direction::Plus, 0));
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
        let Some((node, link)) = self.layout.link_at(channel) else {
            return self.layout.port_name(channel, |node| self.node_name(node));
        };
        let physical = link / self.virtual_channels;
        let direction = Direction::from_number(physical);
        // in a ring of two, both links go to the same node
        let sign = match direction {
            _ if self.shape()[physical / 2] > 2 => "",
            Direction::Plus => " +",
            Direction::Minus => " -",
        };
        let vc = match self.virtual_channels {
            1 => String::new(),
            vcs => format!(" vc {}", link % vcs),
        };
        format!("{}{sign}{vc}", self.link_name(node, physical / 2, direction))
    }
}
