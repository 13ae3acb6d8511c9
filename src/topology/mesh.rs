//! The mesh of any dimensions: nodes on an integer lattice, a channel each way between neighbours.
//!
//! Node ids are row-major with the first coordinate most significant. The channels that leave node `v` are numbered
//! `v * (p + q + 2 n) + slot`: `p` injection channels, `q` ejection channels, then for each dimension the link towards
//! larger and the link towards smaller coordinates.

use super::{Channels, Direction, Ports, Slot, TopologyError, coordinates_name, numbered, port_name, slot, strides};
use crate::units::{ChannelId, NodeId};

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
    shape: Vec<usize>,
    /// How far apart the ids of neighbours in each dimension are.
    strides: Vec<usize>,
    nodes: usize,
    count: usize,
    ports: usize,
    ejection: usize,
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
        let (ports, ejection) = ports.into().numbers(2 * shape.len() as u128)?;
        let what = || format!("a mesh of {shape:?}");
        let nodes = shape.iter().fold(1_u128, |product, &n| product.saturating_mul(n as u128));
        let slots = (ports + ejection) as u128 + 2 * shape.len() as u128;
        let count = numbered(what, nodes.saturating_mul(slots))?;
        let strides = strides(shape);
        Ok(Self { nodes: strides[0] * shape[0], shape: shape.to_vec(), strides, count, ports, ejection })
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

    /// The link that leaves `node` along `dimension` in `direction`. At the edge of the mesh the number is not used.
    #[must_use]
    pub fn link(&self, node: NodeId, dimension: usize, direction: Direction) -> ChannelId {
        let way = usize::from(direction == Direction::Minus);
        ChannelId::new(node.index() * self.slots() + self.ports + self.ejection + 2 * dimension + way)
    }

    fn slots(&self) -> usize {
        self.ports + self.ejection + 2 * self.shape.len()
    }

    fn node_name(&self, node: NodeId) -> String {
        coordinates_name(&self.coordinates(node))
    }
}

impl Channels for Mesh {
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

    fn name(&self, channel: ChannelId) -> String {
        let node = NodeId::new(channel.index() / self.slots());
        let name = self.node_name(node);
        match slot(channel.index() % self.slots(), self.ports, self.ejection) {
            Slot::Injection(port) => port_name("injection", &name, port, self.ports),
            Slot::Ejection(port) => port_name("ejection", &name, port, self.ejection),
            Slot::Link(link) => {
                let mut to = self.coordinates(node);
                let d = link / 2;
                let minus = link % 2 == 1;
                to[d] = if minus { to[d].wrapping_sub(1) } else { to[d] + 1 };
                format!("{name}->{}", coordinates_name(&to))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_channels_as_documented() -> Result<(), TopologyError> {
        let mesh = Mesh::new(&[3, 4], 1)?;
        assert_eq!(mesh.count(), 12 * 6);
        let node = NodeId(5);
        assert_eq!(mesh.injection(node), ChannelId(30));
        assert_eq!(mesh.ejection(node), ChannelId(31));
        assert_eq!(mesh.link(node, 0, Direction::Plus), ChannelId(32));
        assert_eq!(mesh.link(node, 1, Direction::Minus), ChannelId(35));
        assert_eq!(mesh.name(ChannelId(32)), "(1,1)->(2,1)");
        assert_eq!(mesh.name(ChannelId(35)), "(1,1)->(1,0)");
        assert_eq!(mesh.name(ChannelId(30)), "injection (1,1)");
        Ok(())
    }

    #[test]
    fn refuses_shapes_that_are_empty_or_too_large() {
        assert_eq!(Mesh::new(&[], 1).err(), Some(TopologyError::Empty("mesh")));
        assert_eq!(Mesh::new(&[4, 0], 1).err(), Some(TopologyError::Empty("mesh")));
        assert_eq!(Mesh::new(&[4], 0).err(), Some(TopologyError::NoPorts));
        assert!(matches!(Mesh::new(&[usize::MAX, usize::MAX, 9], 1), Err(TopologyError::TooLarge { .. })));
    }
}
