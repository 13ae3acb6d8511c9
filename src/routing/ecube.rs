//! E-cube routing on a hypercube: differing bits are corrected one by one, least significant first.

use super::{Network, Order};
use crate::topology::{Channels, Hypercube};
use crate::units::{ChannelId, NodeId};

/// A hypercube with e-cube routing.
#[derive(Clone, Debug)]
pub struct ECube {
    cube: Hypercube,
}

impl ECube {
    /// E-cube routing on `cube`.
    pub fn new(cube: Hypercube) -> Self {
        Self { cube }
    }
}

impl Network for ECube {
    fn channels(&self) -> &dyn Channels {
        &self.cube
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(self.cube.injection(src));
        let mut at = src;
        for bit in 0..self.cube.dimension() {
            if (at.0 ^ dst.0) >> bit & 1 == 1 {
                path.push(self.cube.link(at, bit));
                at.0 ^= 1 << bit;
            }
        }
        path.push(self.cube.ejection(dst));
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        (src.0 ^ dst.0).count_ones() as usize
    }

    fn order(&self) -> Order {
        Order::Dimension
    }

    /// The least significant bit is resolved first, so it is the most significant in the chain: ids bit-reversed.
    fn chain_rank(&self, node: NodeId) -> u64 {
        (0..self.cube.dimension()).fold(0, |rank, bit| rank << 1 | u64::from(node.0 >> bit & 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrects_the_least_significant_bit_first() -> Result<(), Box<dyn std::error::Error>> {
        let network = ECube::new(Hypercube::new(3, 1)?);
        let mut path = Vec::new();
        network.route(NodeId(1), NodeId(6), &mut path);
        let names: Vec<String> = path.into_iter().map(|c| network.channels().name(c)).collect();
        assert_eq!(names, ["injection 1", "1->0", "0->2", "2->6", "ejection 6"]);
        assert_eq!(network.chain_rank(NodeId(1)), 4);
        Ok(())
    }
}
