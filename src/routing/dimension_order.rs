//! Dimension-ordered routing on meshes and tori: along one dimension after the other, on a torus the shortest way round
//! unless a message says which way.

use super::{Network, Order, OrderError, Stretch, permutation};
use crate::topology::{Channels, Coordinates, Direction, Grid, Mesh, Torus};
use crate::units::{ChannelId, NodeId, narrow};

/// A prescribed stretch of a path: so many hops along a dimension, towards larger coordinates if positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The dimension, from 0.
    pub dimension: u32,
    /// Hops, with a sign; less than once round the ring.
    pub hops: i32,
}

/// A mesh or torus whose messages resolve the coordinates in a fixed order.
#[derive(Clone, Debug)]
pub struct DimensionOrder<G = Mesh> {
    grid: G,
    order: Vec<usize>,
}

/// A torus whose messages resolve the coordinates in a fixed order, each the shortest way round (half-way round: towards
/// larger coordinates).
///
/// With two virtual channels a message enters every ring on the first and changes to the second where it crosses the
/// dateline, the link between the largest coordinate and 0 (Dally and Seitz 1987): no cycle of dependencies can close.
/// With one, a ring full of messages that turn the same way can deadlock.
pub type Rings = DimensionOrder<Torus>;

impl<G: Grid> DimensionOrder<G> {
    /// Routing that resolves the first coordinate first.
    pub fn first_coordinate_first(grid: G) -> Self {
        Self { order: (0..grid.dimensions()).collect(), grid }
    }

    /// Routing that resolves the coordinates in `order`.
    ///
    /// # Errors
    /// If `order` is not a permutation of the dimensions.
    pub fn new(grid: G, order: Vec<usize>) -> Result<Self, OrderError> {
        permutation(&order, grid.dimensions())?;
        Ok(Self { grid, order })
    }
}

/// The hops from `from` to `to` the shortest way round a ring of `n` nodes; half-way round they are positive.
pub fn shortest(from: usize, to: usize, n: usize) -> i32 {
    let ahead = (to + n - from) % n;
    let hops = if 2 * ahead <= n { ahead.cast_signed() } else { ahead.cast_signed() - n.cast_signed() };
    narrow(hops, "half a ring has fewer than 2^31 nodes")
}

/// The hops along `dimension` from coordinate `from` to coordinate `to`, the shortest way.
#[inline]
fn resolve(grid: &Coordinates, dimension: usize, from: usize, to: usize) -> i32 {
    if grid.wraps() {
        return shortest(from, to, grid.shape()[dimension]);
    }
    narrow(to.cast_signed() - from.cast_signed(), "a mesh has fewer than 2^31 nodes along a dimension")
}

/// Appends the links that `moves` take from `src` to `path`, and returns where they end. The virtual channel changes at
/// the dateline of every ring as [`Rings`] says.
pub fn follow<G: Grid>(grid: &G, src: NodeId, moves: &[Move], path: &mut Vec<ChannelId>) -> NodeId {
    moves.iter().fold(src, |at, &Move { dimension, hops }| {
        let dimension = dimension as usize;
        let place = grid.coordinate(at, dimension);
        walk(grid, at, dimension, place, hops, &mut |stretch| path.extend(stretch.channels()))
    })
}

/// Calls `tell` with the links of `hops` hops along `dimension` from `at`, whose coordinate there is `place`. Returns the node
/// where they end.
#[inline]
fn walk<G: Grid>(
    grid: &G,
    at: NodeId,
    dimension: usize,
    place: usize,
    hops: i32,
    tell: &mut impl FnMut(Stretch),
) -> NodeId {
    if hops == 0 {
        return at;
    }
    let last = grid.shape()[dimension] - 1;
    let stride = grid.stride(dimension).cast_signed();
    let (direction, step, to_edge) =
        if hops < 0 { (Direction::Minus, -stride, place) } else { (Direction::Plus, stride, last - place) };
    let mut straight = |from: usize, length: u32, vc: usize| {
        let first = grid.virtual_link(NodeId::new(from), dimension, direction, vc);
        let stride = narrow(step * grid.links_apart().cast_signed(), "channels are numbered with 32 bits");
        tell(Stretch { first, stride, length });
        from.wrapping_add_signed(step * length as isize)
    };
    let hops = hops.unsigned_abs();
    if hops as usize <= to_edge {
        return NodeId::new(straight(at.index(), hops, 0));
    }
    let to_edge = narrow(to_edge, "it is less than the hops");
    let edge = if to_edge > 0 { straight(at.index(), to_edge, 0) } else { at.index() };
    // the link round the edge is the dateline; less than once round, it is crossed once
    let dateline = grid.virtual_channels() - 1;
    straight(edge, 1, dateline);
    let beyond = edge.wrapping_add_signed(-step * last.cast_signed());
    let rest = hops - to_edge - 1;
    NodeId::new(if rest > 0 { straight(beyond, rest, dateline) } else { beyond })
}

impl<G: Grid> DimensionOrder<G> {
    /// Calls `tell` with each stretch of the path from `src` to `dst`.
    #[inline]
    fn tell_path(&self, src: NodeId, dst: NodeId, mut tell: impl FnMut(Stretch)) {
        tell(Stretch::of(self.grid.injection(src)));
        let mut at = src;
        for &dimension in &self.order {
            let from = self.grid.coordinate(src, dimension);
            let to = self.grid.coordinate(dst, dimension);
            let hops = resolve(&self.grid, dimension, from, to);
            at = walk(&self.grid, at, dimension, from, hops, &mut tell);
        }
        tell(Stretch::of(self.grid.ejection(dst)));
    }
}

impl<G: Grid + Send + Sync> Network for DimensionOrder<G> {
    fn channels(&self) -> &dyn Channels {
        &self.grid
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        self.tell_path(src, dst, |stretch| path.extend(stretch.channels()));
    }

    fn stretches(&self, src: NodeId, dst: NodeId, stretches: &mut Vec<Stretch>) -> bool {
        self.tell_path(src, dst, |stretch| stretches.push(stretch));
        true
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let hops = |dimension| {
            let [from, to] = [src, dst].map(|node| self.grid.coordinate(node, dimension));
            resolve(&self.grid, dimension, from, to).unsigned_abs() as usize
        };
        (0..self.grid.dimensions()).map(hops).sum()
    }

    fn order(&self) -> Order {
        if self.grid.wraps() { Order::None } else { Order::Dimension }
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        if self.grid.wraps() || self.order.is_sorted() {
            return u64::from(node.0); // ids are row-major
        }
        let place = |rank, &d: &usize| rank * self.grid.shape()[d] as u64 + self.grid.coordinate(node, d) as u64;
        self.order.iter().fold(0, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Failure = Box<dyn std::error::Error>;

    fn names(network: &dyn Network, src: u32, dst: u32) -> Vec<String> {
        let mut path = Vec::new();
        network.route(NodeId(src), NodeId(dst), &mut path);
        assert_eq!(path.len(), network.hops(NodeId(src), NodeId(dst)) + 2);
        path.into_iter().map(|c| network.channels().name(c)).collect()
    }

    #[test]
    fn a_mesh_resolves_coordinates_in_order() -> Result<(), Failure> {
        let first = DimensionOrder::first_coordinate_first(Mesh::new(&[3, 3], 1)?);
        assert_eq!(names(&first, 0, 4), ["injection (0,0)", "(0,0)->(1,0)", "(1,0)->(1,1)", "ejection (1,1)"]);
        let second = DimensionOrder::new(Mesh::new(&[3, 3], 1)?, vec![1, 0])?;
        assert_eq!(names(&second, 4, 0), ["injection (1,1)", "(1,1)->(1,0)", "(1,0)->(0,0)", "ejection (0,0)"]);
        assert_eq!(names(&first, 4, 4), ["injection (1,1)", "ejection (1,1)"]);
        Ok(())
    }

    #[test]
    fn ranks_nodes_by_the_coordinate_resolved_first() -> Result<(), Failure> {
        let mesh = Mesh::new(&[2, 3], 1)?;
        let second = DimensionOrder::new(mesh.clone(), vec![1, 0])?;
        let ranks: Vec<u64> = (0..6).map(|v| second.chain_rank(NodeId(v))).collect();
        assert_eq!(ranks, [0, 2, 4, 1, 3, 5]);
        assert!(DimensionOrder::new(mesh, vec![0, 0]).is_err());
        Ok(())
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
    fn a_torus_resolves_coordinates_in_the_order_asked_for() -> Result<(), Failure> {
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
