//! The mesh of any dimensions: nodes on an integer lattice, a channel each way between neighbours.
//!
//! Node ids are row-major with the first coordinate most significant. The channels that leave node `v` are numbered
//! `v * (p + q + 2 n) + slot`: `p` injection channels, `q` ejection channels, then for each dimension the link towards
//! larger and the link towards smaller coordinates.

use super::layout::{Layout, by_layout};
use super::{
    Channels, Coordinates, Direction, Grid, GroupCosts, Hop, LinkCost, Origin, OwnCosts, Ports, TopologyError,
};
use crate::units::{ChannelId, NodeId, RouterId};
use std::ops::Deref;

/// A mesh of any dimensions.
///
/// ```
/// use flitwise::topology::{Channels, Mesh};
/// use flitwise::units::NodeId;
/// let mesh = Mesh::new(&[4, 6], 1)?;
/// assert_eq!(mesh.nodes(), 24);
/// assert_eq!(mesh.coordinates(NodeId(8)), [1, 2]);
/// # Ok::<(), flitwise::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    coordinates: Coordinates,
    layout: Layout,
    /// Costs by dimension.
    costs: GroupCosts,
}

impl Mesh {
    /// A mesh with `shape[d]` nodes along dimension `d` and `ports` ports a node.
    ///
    /// # Errors
    /// If the shape is empty, a dimension or the ports are zero, or the channels cannot be numbered with 32 bits.
    pub fn new(shape: &[usize], ports: impl Into<Ports>) -> Result<Self, TopologyError> {
        if shape.is_empty() || shape.contains(&0) {
            return Err(TopologyError::Empty("mesh"));
        }
        let coordinates = Coordinates::new(shape, false);
        let links = 2 * shape.len() as u128;
        let what = || format!("a mesh of {shape:?}");
        let layout = Layout::side_by_side(what, coordinates.nodes() as u128, ports.into(), links)?;
        Ok(Self { coordinates, layout, costs: GroupCosts::default() })
    }

    /// Sets the costs of links by dimension, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: impl Into<GroupCosts>) -> Self {
        Self { costs: costs.into(), ..self }
    }

    /// The link that leaves `node` along `dimension` in `direction`. At the edge of the mesh the number is not used.
    pub fn link(&self, node: NodeId, dimension: usize, direction: Direction) -> ChannelId {
        self.layout.link(node, 2 * dimension + direction.place())
    }
}

/// A mesh is the lattice of its nodes.
impl Deref for Mesh {
    type Target = Coordinates;

    fn deref(&self) -> &Coordinates {
        &self.coordinates
    }
}

impl Grid for Mesh {
    fn virtual_link(&self, node: NodeId, dimension: usize, direction: Direction, _: usize) -> ChannelId {
        self.link(node, dimension, direction)
    }

    fn links_apart(&self) -> usize {
        self.layout.channels_per_node()
    }
}

impl Channels for Mesh {
    by_layout!();

    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        let (_, link) = self.layout.link_at(channel)?;
        Some(Hop { port: u16::try_from(link).ok()?, vc: 0 })
    }

    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        Some(self.layout.link(NodeId(router.0), port))
    }

    fn class(&self, channel: ChannelId) -> Option<usize> {
        self.layout.link_at(channel).map(|(_, link)| link / 2)
    }

    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        self.class(channel).map_or(self.costs.node, |dimension| self.costs.link(dimension))
    }

    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        let links = self.dimensions_with_links(|dimension| self.link(NodeId(0), dimension, Direction::Plus));
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
            Some((node, link)) => self.link_name(node, link / 2, Direction::from_number(link)),
            None => self.layout.port_name(channel, |node| self.node_name(node)),
        }
    }
}
