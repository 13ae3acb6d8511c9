//! Routing on a torus: along one ring after the other, the shortest way round unless a message says which way.

use super::{Network, Order, OrderError, permutation};
use crate::topology::{Channels, Direction, Torus};
use crate::units::{ChannelId, NodeId, narrow};

/// A prescribed stretch of a path: so many hops along a dimension, towards larger coordinates if positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The dimension, from 0.
    pub dimension: u32,
    /// Hops, with a sign; less than once round the ring.
    pub hops: i32,
}

/// A torus whose messages resolve the coordinates in a fixed order, each the shortest way round (half-way round: towards
/// larger coordinates).
///
/// With two virtual channels a message enters every ring on the first and changes to the second where it crosses the
/// dateline, the link between the largest coordinate and 0 (Dally and Seitz 1987): no cycle of dependencies can close.
/// With one, a ring full of messages that turn the same way can deadlock.
#[derive(Clone, Debug)]
pub struct Rings {
    torus: Torus,
    order: Vec<usize>,
}

impl Rings {
    /// Routing that resolves the first coordinate first.
    pub fn first_coordinate_first(torus: Torus) -> Self {
        Self { order: (0..torus.shape().len()).collect(), torus }
    }

    /// Routing that resolves the coordinates in `order`.
    ///
    /// # Errors
    /// If `order` is not a permutation of the torus's dimensions.
    pub fn new(torus: Torus, order: Vec<usize>) -> Result<Self, OrderError> {
        permutation(&order, torus.shape().len())?;
        Ok(Self { torus, order })
    }
}

/// The hops from `from` to `to` the shortest way round a ring of `n` nodes; half-way round they are positive.
pub fn shortest(from: usize, to: usize, n: usize) -> i32 {
    let ahead = (to + n - from) % n;
    let hops = if 2 * ahead <= n { ahead.cast_signed() } else { ahead.cast_signed() - n.cast_signed() };
    narrow(hops, "half a ring has fewer than 2^31 nodes")
}

/// Appends the links that `moves` take from `src` to `path`, and returns where they end. The virtual channel changes at
/// the dateline of every ring as [`Rings`] says.
pub fn follow(torus: &Torus, src: NodeId, moves: &[Move], path: &mut Vec<ChannelId>) -> NodeId {
    let last_lane = torus.virtual_channels() - 1;
    let mut at = src;
    for &Move { dimension, hops } in moves {
        let dimension = dimension as usize;
        let direction = if hops < 0 { Direction::Minus } else { Direction::Plus };
        let mut lane = 0;
        for _ in 0..hops.unsigned_abs() {
            let to = torus.neighbour(at, dimension, direction);
            let from = torus.coordinate(at, dimension);
            let next = torus.coordinate(to, dimension);
            let crosses = (direction == Direction::Plus) == (next <= from);
            if crosses {
                lane = last_lane;
            }
            path.push(torus.link(at, dimension, direction, lane));
            at = to;
        }
    }
    at
}

impl Network for Rings {
    fn channels(&self) -> &dyn Channels {
        &self.torus
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(self.torus.injection(src));
        let mut at = src;
        for &dimension in &self.order {
            let from = self.torus.coordinate(at, dimension);
            let to = self.torus.coordinate(dst, dimension);
            let hops = shortest(from, to, self.torus.shape()[dimension]);
            let dimension = narrow(dimension, "nodes are numbered with 32 bits, so dimensions are");
            at = follow(&self.torus, at, &[Move { dimension, hops }], path);
        }
        path.push(self.torus.ejection(dst));
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let distance = |d| {
            let from = self.torus.coordinate(src, d);
            let to = self.torus.coordinate(dst, d);
            shortest(from, to, self.torus.shape()[d]).unsigned_abs() as usize
        };
        (0..self.torus.shape().len()).map(distance).sum()
    }

    fn order(&self) -> Order {
        Order::None
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        u64::from(node.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Failure = Box<dyn std::error::Error>;

    fn names(network: &Rings, src: u32, dst: u32) -> Vec<String> {
        let mut path = Vec::new();
        network.route(NodeId(src), NodeId(dst), &mut path);
        assert_eq!(path.len(), network.hops(NodeId(src), NodeId(dst)) + 2);
        path.into_iter().map(|c| network.channels().name(c)).collect()
    }

    #[test]
    fn goes_the_shortest_way_round_and_changes_channel_at_the_dateline() -> Result<(), Failure> {
        let rings = Rings::first_coordinate_first(Torus::new(&[4, 5], 1, 2)?);
        let expected =
            ["injection (3,1)", "(3,1)->(0,1) vc 1", "(0,1)->(0,0) vc 0", "(0,0)->(0,4) vc 1", "ejection (0,4)"];
        assert_eq!(names(&rings, 16, 4), expected);
        let half_way = ["injection (0,0)", "(0,0)->(1,0) vc 0", "(1,0)->(2,0) vc 0", "ejection (2,0)"];
        assert_eq!(names(&rings, 0, 10), half_way);
        let beyond = ["injection (3,4)", "(3,4)->(3,0) vc 1", "(3,0)->(3,1) vc 1", "ejection (3,1)"];
        assert_eq!(names(&rings, 19, 16), beyond);
        Ok(())
    }

    #[test]
    fn resolves_coordinates_in_the_order_asked_for() -> Result<(), Failure> {
        let rings = Rings::new(Torus::new(&[4, 5], 1, 1)?, vec![1, 0])?;
        assert_eq!(names(&rings, 0, 6), ["injection (0,0)", "(0,0)->(0,1)", "(0,1)->(1,1)", "ejection (1,1)"]);
        assert!(Rings::new(Torus::new(&[4, 5], 1, 1)?, vec![1]).is_err());
        Ok(())
    }

    #[test]
    fn moves_go_the_way_they_are_told() -> Result<(), Failure> {
        let torus = Torus::new(&[1, 5], 1, 2)?;
        let mut path = Vec::new();
        assert_eq!(follow(&torus, NodeId(1), &[Move { dimension: 1, hops: -3 }], &mut path), NodeId(3));
        let names: Vec<String> = path.into_iter().map(|c| torus.name(c)).collect();
        assert_eq!(names, ["(0,1)->(0,0) vc 0", "(0,0)->(0,4) vc 1", "(0,4)->(0,3) vc 1"]);
        Ok(())
    }

    #[test]
    fn the_shortest_way_round() {
        let hops: Vec<i32> = (0..6).map(|to| shortest(4, to, 6)).collect();
        assert_eq!(hops, [2, 3, -2, -1, 0, 1]);
        assert_eq!((shortest(0, 1, 2), shortest(1, 0, 2), shortest(0, 0, 1)), (1, 1, 0));
    }
}
