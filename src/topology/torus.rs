//! The torus of any dimensions: a ring along every dimension, with one or two virtual channels on each link.
//!
//! Node ids are row-major with the first coordinate most significant. With `v` virtual channels, the channels that
//! leave node `u` are numbered `u * (p + q + 2 n v) + slot`: `p` injection channels, `q` ejection channels, then for
//! each dimension the `v` virtual channels of the link towards larger coordinates and the `v` of the link towards
//! smaller ones. Links of a dimension of one node are numbered and never used; a dimension of two nodes has two links
//! each way round.

use super::layout::{Layout, by_layout};
use super::{Channels, Coordinates, Direction, Ports, TopologyError};
use crate::units::{ChannelId, NodeId};
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
        let coordinates = Coordinates::new(shape);
        let links = (2 * shape.len() as u128).saturating_mul(virtual_channels as u128);
        let what = || format!("a torus of {shape:?}");
        let layout = Layout::side_by_side(what, coordinates.nodes() as u128, ports.into(), links)?;
        Ok(Self { coordinates, layout, virtual_channels })
    }

    /// The node one step from `node` along `dimension` in `direction`, round the edge.
    pub fn neighbour(&self, node: NodeId, dimension: usize, direction: Direction) -> NodeId {
        let at = self.coordinate(node, dimension);
        let n = self.shape()[dimension];
        let stride = self.stride(dimension);
        let to = match direction {
            Direction::Plus if at + 1 == n => 0,
            Direction::Plus => at + 1,
            Direction::Minus if at == 0 => n - 1,
            Direction::Minus => at - 1,
        };
        NodeId::new(node.index() - at * stride + to * stride)
    }

    /// Virtual channel `lane` of the link that leaves `node` along `dimension` in `direction`.
    pub fn link(&self, node: NodeId, dimension: usize, direction: Direction, lane: usize) -> ChannelId {
        let way = 2 * dimension + usize::from(direction == Direction::Minus);
        self.layout.link(node, way * self.virtual_channels + lane)
    }
}

/// A torus is the lattice of its nodes.
impl Deref for Torus {
    type Target = Coordinates;

    fn deref(&self) -> &Coordinates {
        &self.coordinates
    }
}

impl Channels for Torus {
    by_layout!();

    fn virtual_channels(&self) -> usize {
        self.virtual_channels
    }

    fn physical(&self, channel: ChannelId) -> ChannelId {
        let lane = self.layout.link_at(channel).map_or(0, |(_, link)| link % self.virtual_channels);
        ChannelId::new(channel.index() - lane)
    }

    fn name(&self, channel: ChannelId) -> String {
        let Some((node, link)) = self.layout.link_at(channel) else {
            return self.layout.port_name(channel, |node| self.node_name(node));
        };
        let way = link / self.virtual_channels;
        let direction = if way % 2 == 1 { Direction::Minus } else { Direction::Plus };
        let to = self.node_name(self.neighbour(node, way / 2, direction));
        // in a ring of two, both links go to the same node
        let sign = match direction {
            _ if self.shape()[way / 2] > 2 => "",
            Direction::Plus => " +",
            Direction::Minus => " -",
        };
        let lane = match self.virtual_channels {
            1 => String::new(),
            lanes => format!(" vc {}", link % lanes),
        };
        format!("{}->{to}{sign}{lane}", self.node_name(node))
    }
}
