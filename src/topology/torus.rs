//! The torus of any dimensions: a ring along every dimension, with one or two virtual channels on each link.
//!
//! Node ids are row-major with the first coordinate most significant. With `v` virtual channels, the channels that leave
//! node `u` are numbered `u * (p + q + 2 n v) + slot`: `p` injection channels, `q` ejection channels, then for each
//! dimension the `v` virtual channels of the link towards larger coordinates and the `v` of the link towards smaller
//! ones. Links of a dimension of one node are numbered and never used; a dimension of two nodes has two links each way
//! round.

use super::{Channels, Direction, Ports, Slot, TopologyError, coordinates_name, numbered, port_name, slot, strides};
use crate::units::{ChannelId, NodeId};

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
    shape: Vec<usize>,
    /// How far apart the ids of neighbours in each dimension are.
    strides: Vec<usize>,
    nodes: usize,
    count: usize,
    ports: usize,
    ejection: usize,
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
        let nodes = shape.iter().fold(1_u128, |product, &n| product.saturating_mul(n as u128));
        let links = (2 * shape.len() as u128).saturating_mul(virtual_channels as u128);
        let (ports, ejection) = ports.into().numbers(links)?;
        let slots = (ports + ejection) as u128 + links;
        let count = numbered(|| format!("a torus of {shape:?}"), nodes.saturating_mul(slots))?;
        let strides = strides(shape);
        Ok(Self {
            nodes: strides[0] * shape[0],
            shape: shape.to_vec(),
            strides,
            count,
            ports,
            ejection,
            virtual_channels,
        })
    }

    /// The number of nodes along each dimension.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How far apart the ids of two neighbours along `dimension` are.
    #[must_use]
    pub fn stride(&self, dimension: usize) -> usize {
        self.strides[dimension]
    }

    /// The coordinate of `node` along `dimension`.
    #[must_use]
    pub fn coordinate(&self, node: NodeId, dimension: usize) -> usize {
        node.index() / self.strides[dimension] % self.shape[dimension]
    }

    /// All coordinates of `node`.
    #[must_use]
    pub fn coordinates(&self, node: NodeId) -> Vec<usize> {
        (0..self.shape.len()).map(|d| self.coordinate(node, d)).collect()
    }

    /// The coordinates of `node` as people write them, such as `(0,3)`.
    #[must_use]
    pub fn node_name(&self, node: NodeId) -> String {
        coordinates_name(&self.coordinates(node))
    }

    /// The node one step from `node` along `dimension` in `direction`, round the edge.
    #[must_use]
    pub fn neighbour(&self, node: NodeId, dimension: usize, direction: Direction) -> NodeId {
        let at = self.coordinate(node, dimension);
        let n = self.shape[dimension];
        let stride = self.strides[dimension];
        let to = match direction {
            Direction::Plus if at + 1 == n => 0,
            Direction::Plus => at + 1,
            Direction::Minus if at == 0 => n - 1,
            Direction::Minus => at - 1,
        };
        NodeId::new(node.index() - at * stride + to * stride)
    }

    /// Virtual channel `lane` of the link that leaves `node` along `dimension` in `direction`.
    #[must_use]
    pub fn link(&self, node: NodeId, dimension: usize, direction: Direction, lane: usize) -> ChannelId {
        let way = 2 * dimension + usize::from(direction == Direction::Minus);
        ChannelId::new(node.index() * self.slots() + self.ports + self.ejection + way * self.virtual_channels + lane)
    }

    fn slots(&self) -> usize {
        self.ports + self.ejection + 2 * self.shape.len() * self.virtual_channels
    }
}

impl Channels for Torus {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn count(&self) -> usize {
        self.count
    }

    fn ports(&self) -> usize {
        self.ports
    }

    fn ejection_ports(&self) -> usize {
        self.ejection
    }

    fn injection(&self, node: NodeId) -> ChannelId {
        ChannelId::new(node.index() * self.slots())
    }

    fn ejection(&self, node: NodeId) -> ChannelId {
        ChannelId::new(node.index() * self.slots() + self.ports)
    }

    fn virtual_channels(&self) -> usize {
        self.virtual_channels
    }

    fn physical(&self, channel: ChannelId) -> ChannelId {
        match slot(channel.index() % self.slots(), self.ports, self.ejection) {
            Slot::Link(link) => ChannelId::new(channel.index() - link % self.virtual_channels),
            Slot::Injection(_) | Slot::Ejection(_) => channel,
        }
    }

    fn name(&self, channel: ChannelId) -> String {
        let node = NodeId::new(channel.index() / self.slots());
        let name = self.node_name(node);
        match slot(channel.index() % self.slots(), self.ports, self.ejection) {
            Slot::Injection(port) => port_name("injection", &name, port, self.ports),
            Slot::Ejection(port) => port_name("ejection", &name, port, self.ejection),
            Slot::Link(link) => {
                let way = link / self.virtual_channels;
                let lane = link % self.virtual_channels;
                let direction = if way % 2 == 1 { Direction::Minus } else { Direction::Plus };
                let to = self.node_name(self.neighbour(node, way / 2, direction));
                // in a ring of two, both links go to the same node
                let sign = match direction {
                    _ if self.shape[way / 2] > 2 => "",
                    Direction::Plus => " +",
                    Direction::Minus => " -",
                };
                let lane = if self.virtual_channels == 1 { String::new() } else { format!(" vc {lane}") };
                format!("{name}->{to}{sign}{lane}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_channels_as_documented() -> Result<(), TopologyError> {
        let torus = Torus::new(&[3, 4], 1, 2)?;
        assert_eq!(torus.count(), 12 * 10);
        let node = NodeId(7);
        assert_eq!([torus.injection(node), torus.ejection(node)], [ChannelId(70), ChannelId(71)]);
        assert_eq!(torus.link(node, 0, Direction::Plus, 1), ChannelId(73));
        assert_eq!(torus.link(node, 1, Direction::Minus, 0), ChannelId(78));
        assert_eq!(torus.name(ChannelId(76)), "(1,3)->(1,0) vc 0");
        assert_eq!(torus.name(ChannelId(73)), "(1,3)->(2,3) vc 1");
        assert_eq!(torus.name(ChannelId(70)), "injection (1,3)");
        Ok(())
    }

    #[test]
    fn virtual_channels_of_a_link_share_its_physical_channel() -> Result<(), TopologyError> {
        let torus = Torus::new(&[3, 4], 2, 2)?;
        for channel in (0..torus.count()).map(ChannelId::new) {
            let slot = channel.0 % 12;
            let shared = slot >= 4 && slot % 2 == 1;
            assert_eq!(torus.physical(channel).0, channel.0 - u32::from(shared));
        }
        Ok(())
    }

    #[test]
    fn rings_of_one_and_two_nodes() -> Result<(), TopologyError> {
        let torus = Torus::new(&[1, 2], 1, 1)?;
        assert_eq!(torus.neighbour(NodeId(1), 0, Direction::Plus), NodeId(1));
        assert_eq!(torus.neighbour(NodeId(1), 1, Direction::Plus), NodeId(0));
        assert_eq!(torus.name(torus.link(NodeId(1), 1, Direction::Minus, 0)), "(0,1)->(0,0) -");
        Ok(())
    }

    #[test]
    fn refuses_shapes_that_are_empty_or_too_large() {
        assert_eq!(Torus::new(&[], 1, 2).err(), Some(TopologyError::Empty("torus")));
        assert_eq!(Torus::new(&[4], 0, 2).err(), Some(TopologyError::NoPorts));
        assert_eq!(Torus::new(&[4], 1, 0).err(), Some(TopologyError::NoVirtualChannels));
        assert!(matches!(Torus::new(&[usize::MAX, 9], 1, 2), Err(TopologyError::TooLarge { .. })));
    }
}
