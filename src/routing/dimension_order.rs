//! Dimension-ordered routing on a mesh: one coordinate after the other is brought to the destination's.

use super::{Network, Order, OrderError, permutation};
use crate::topology::{Channels, Direction, Mesh};
use crate::units::{ChannelId, NodeId};

/// A mesh whose messages resolve the coordinates in a fixed order.
#[derive(Clone, Debug)]
pub struct DimensionOrder {
    mesh: Mesh,
    order: Vec<usize>,
}

impl DimensionOrder {
    /// Routing that resolves the first coordinate first.
    pub fn first_coordinate_first(mesh: Mesh) -> Self {
        Self { order: (0..mesh.shape().len()).collect(), mesh }
    }

    /// Routing that resolves the coordinates in `order`.
    ///
    /// # Errors
    /// If `order` is not a permutation of the mesh's dimensions.
    pub fn new(mesh: Mesh, order: Vec<usize>) -> Result<Self, OrderError> {
        permutation(&order, mesh.shape().len())?;
        Ok(Self { mesh, order })
    }
}

impl Network for DimensionOrder {
    fn channels(&self) -> &dyn Channels {
        &self.mesh
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(self.mesh.injection(src));
        let mut at = src.index();
        for &d in &self.order {
            let from = self.mesh.coordinate(src, d);
            let to = self.mesh.coordinate(dst, d);
            let stride = self.mesh.stride(d);
            for _ in from..to {
                path.push(self.mesh.link(NodeId::new(at), d, Direction::Plus));
                at += stride;
            }
            for _ in to..from {
                path.push(self.mesh.link(NodeId::new(at), d, Direction::Minus));
                at -= stride;
            }
        }
        path.push(self.mesh.ejection(dst));
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let distance = |d| self.mesh.coordinate(src, d).abs_diff(self.mesh.coordinate(dst, d));
        (0..self.mesh.shape().len()).map(distance).sum()
    }

    fn order(&self) -> Order {
        Order::Dimension
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        let place = |rank, &d: &usize| rank * self.mesh.shape()[d] as u64 + self.mesh.coordinate(node, d) as u64;
        self.order.iter().fold(0, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(network: &DimensionOrder, src: u32, dst: u32) -> Vec<String> {
        let mut path = Vec::new();
        network.route(NodeId(src), NodeId(dst), &mut path);
        assert_eq!(path.len(), network.hops(NodeId(src), NodeId(dst)) + 2);
        path.into_iter().map(|c| network.channels().name(c)).collect()
    }

    #[test]
    fn resolves_coordinates_in_order() -> Result<(), Box<dyn std::error::Error>> {
        let first = DimensionOrder::first_coordinate_first(Mesh::new(&[3, 3], 1)?);
        assert_eq!(names(&first, 0, 4), ["injection (0,0)", "(0,0)->(1,0)", "(1,0)->(1,1)", "ejection (1,1)"]);
        let second = DimensionOrder::new(Mesh::new(&[3, 3], 1)?, vec![1, 0])?;
        assert_eq!(names(&second, 4, 0), ["injection (1,1)", "(1,1)->(1,0)", "(1,0)->(0,0)", "ejection (0,0)"]);
        assert_eq!(names(&first, 4, 4), ["injection (1,1)", "ejection (1,1)"]);
        Ok(())
    }

    #[test]
    fn ranks_nodes_by_the_coordinate_resolved_first() -> Result<(), Box<dyn std::error::Error>> {
        let mesh = Mesh::new(&[2, 3], 1)?;
        let second = DimensionOrder::new(mesh.clone(), vec![1, 0])?;
        let ranks: Vec<u64> = (0..6).map(|v| second.chain_rank(NodeId(v))).collect();
        assert_eq!(ranks, [0, 2, 4, 1, 3, 5]);
        assert!(DimensionOrder::new(mesh, vec![0, 0]).is_err());
        Ok(())
    }
}
