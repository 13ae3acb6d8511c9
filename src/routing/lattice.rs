//! Routers on a lattice, each with a node: meshes, tori and hypercubes seen as one family.
//!
//! A lattice knows coordinates, ports and which port leads where. It refuses to know virtual channels, buffers and
//! destinations. Ports are numbered as links are in [`crate::topology`]: for each dimension the one towards larger and
//! the one towards smaller coordinates, and last the port of the router's node. A flit that leaves by a port arrives at
//! the neighbour's input port of the same number: the number says which way it travels.

use crate::topology::{Coordinates, Direction};
use crate::units::NodeId;
use std::ops::Deref;

/// Most dimensions of a lattice: the random bits of a packet are one for each, and one for their order.
pub const MOST_DIMENSIONS: usize = 31;

/// A lattice of routers.
///
/// ```
/// use flitwise::routing::Lattice;
/// let torus = Lattice::new(&[4, 5], true, &[0, 1]);
/// assert_eq!(torus.nodes(), 20);
/// assert_eq!(torus.neighbour(0, 3), Some(4)); // port 3: dimension 1, towards smaller coordinates, round the edge
/// assert_eq!(torus.local(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct Lattice {
    grid: Coordinates,
    /// The dimensions, the one resolved first in front.
    order: Vec<usize>,
    /// Per node, its coordinates, which routers look at all the time.
    coordinates: Vec<u16>,
    /// The same in one number each, that of the dimension resolved first in the lowest bits; of up to [`PACKED`] dimensions.
    packed: Vec<u64>,
}

/// Most dimensions whose coordinates are kept in one number.
const PACKED: usize = (u64::BITS / u16::BITS) as usize;

/// A lattice is that of its nodes.
impl Deref for Lattice {
    type Target = Coordinates;

    fn deref(&self) -> &Coordinates {
        &self.grid
    }
}

impl Lattice {
    /// A lattice with `shape[d]` nodes along dimension `d`, joined round the edges if it `wraps`; routing resolves the
    /// dimensions in `order`.
    ///
    /// # Panics
    /// If there are more than [`MOST_DIMENSIONS`], or more than 65,536 nodes along one.
    pub fn new(shape: &[usize], wraps: bool, order: &[usize]) -> Self {
        assert!(shape.len() <= MOST_DIMENSIONS, "more dimensions than a router has ports for");
        let grid = Coordinates::new(shape, wraps);
        #[expect(clippy::expect_used, reason = "asserted by the caller, as documented")]
        let number = |at: usize| u16::try_from(at).expect("at most 65,536 nodes along a dimension");
        let along = |node: usize| (0..shape.len()).map(move |d| (NodeId::new(node), d));
        let coordinates: Vec<u16> =
            (0..grid.nodes()).flat_map(along).map(|(node, d)| number(grid.coordinate(node, d))).collect();
        let pack = |of: &[u16]| order.iter().rev().fold(0, |packed, &d| packed << u16::BITS | u64::from(of[d]));
        let few = (1..=PACKED).contains(&shape.len());
        let packed = if few { coordinates.chunks(shape.len()).map(pack).collect() } else { Vec::new() };
        Self { grid, order: order.to_vec(), coordinates, packed }
    }

    /// The same, if routers can have so many ports and coordinates can be counted.
    pub fn checked(shape: &[usize], wraps: bool, order: &[usize]) -> Option<Self> {
        let fits = shape.len() <= MOST_DIMENSIONS && shape.iter().all(|&n| n <= 1 << 16);
        fits.then(|| Self::new(shape, wraps, order))
    }

    /// The number of nodes along `dimension`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most 65,536 nodes along a dimension, as documented")]
    pub fn side(&self, dimension: usize) -> u32 {
        self.shape()[dimension] as u32
    }

    /// The dimensions, the one resolved first in front.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Ports of a router, that of its node among them.
    pub fn ports(&self) -> usize {
        2 * self.dimensions() + 1
    }

    /// The port of a router's node: in, what the node sends; out, what it receives.
    pub fn local(&self) -> usize {
        2 * self.dimensions()
    }

    /// The coordinate of `node` along `dimension`.
    #[inline]
    pub fn coordinate(&self, node: u32, dimension: usize) -> u32 {
        u32::from(self.coordinates[node as usize * self.dimensions() + dimension])
    }

    /// All coordinates of `node`.
    #[inline]
    pub fn coordinates(&self, node: u32) -> &[u16] {
        let dimensions = self.dimensions();
        let first = node as usize * dimensions;
        &self.coordinates[first..first + dimensions]
    }

    /// The node that `port` of the router of `node` leads to, if there is a link.
    pub fn neighbour(&self, node: u32, port: usize) -> Option<u32> {
        let to = self.grid.neighbour(NodeId(node), port / 2, Direction::from_number(port))?;
        (to.0 != node).then_some(to.0)
    }

    /// The port of the router of `at` that leads towards `to` by dimension order, without going round an edge; if that
    /// is the same node, the port of the node.
    #[inline]
    pub fn towards(&self, at: u32, to: u32) -> usize {
        if self.packed.is_empty() { self.towards_unpacked(at, to) } else { self.towards_packed(at, to) }
    }

    /// The same of any number of dimensions.
    #[inline(never)]
    fn towards_unpacked(&self, at: u32, to: u32) -> usize {
        let from = self.coordinates(at);
        let to = self.coordinates(to);
        let next = self.order.iter().find(|&&d| from[d] != to[d]);
        next.map_or(self.local(), |&d| 2 * d + usize::from(to[d] < from[d]))
    }

    /// The same of few dimensions.
    #[inline(always)]
    fn towards_packed(&self, at: u32, to: u32) -> usize {
        let from = self.packed[at as usize];
        let to = self.packed[to as usize];
        if from == to {
            return self.local();
        }
        let place = (from ^ to).trailing_zeros() / u16::BITS;
        // what is below is the same
        let first = u64::MAX >> (u64::BITS - u16::BITS) << (place * u16::BITS);
        2 * self.order[place as usize] + usize::from(to & first < from & first)
    }

    /// The number of values of [`Lattice::direction`], or 0 on rings and with many dimensions, where it cannot be called.
    pub fn directions(&self) -> usize {
        if self.packed.is_empty() || self.wraps() { 0 } else { 1 << (2 * self.dimensions()) }
    }

    /// The side of `at` on which the node `to` lies along each dimension, two bits each.
    #[inline]
    pub fn direction(&self, at: u32, to: u32) -> usize {
        const LOWEST: u64 = u64::MAX >> (u64::BITS - u16::BITS);
        let mut from = self.packed[at as usize];
        let mut to = self.packed[to as usize];
        let mut direction = 0;
        for _ in &self.order {
            let ahead = usize::from(to & LOWEST > from & LOWEST);
            let behind = usize::from(to & LOWEST < from & LOWEST);
            direction = direction << 2 | ahead << 1 | behind;
            from >>= u16::BITS;
            to >>= u16::BITS;
        }
        direction
    }

    /// The first dimension along which `at` and `target`, which differ, do so: in order, or `reversed`.
    #[inline]
    pub(super) fn next_dimension(&self, at: u32, target: u32, reversed: bool) -> usize {
        debug_assert!(at != target, "a header at its target has no dimension left to resolve");
        let from = self.coordinates(at);
        let to = self.coordinates(target);
        let differs = |d: &usize| from[*d] != to[*d];
        let mut order = self.order.iter().copied();
        let found = if reversed { order.rev().find(differs) } else { order.find(differs) };
        found.unwrap_or(0) // the nodes differ, as asserted above; a branch that panics would cost the router time
    }

    /// The dimensions along which `at` and `target` differ.
    #[inline]
    pub(super) fn differing(&self, at: u32, target: u32) -> impl Iterator<Item = usize> + Clone {
        let from = self.coordinates(at);
        let to = self.coordinates(target);
        (0..self.dimensions()).filter(move |&d| from[d] != to[d])
    }

    /// The ports of the router of `at` that lead closer to `target`, without going round an edge.
    #[inline]
    pub(super) fn closer(&self, at: u32, target: u32) -> impl Iterator<Item = usize> + Clone {
        let along = self.coordinates(at).iter().zip(self.coordinates(target)).enumerate();
        let differing = along.filter(|(_, (from, to))| from != to);
        differing.map(|(d, (from, to))| port(d, if from < to { Direction::Plus } else { Direction::Minus }))
    }

    /// Which way along `dimension` leads from `at` to `target` without going round an edge.
    #[inline]
    pub(super) fn straight(&self, at: u32, target: u32, dimension: usize) -> Direction {
        let ahead = self.coordinate(at, dimension) < self.coordinate(target, dimension);
        if ahead { Direction::Plus } else { Direction::Minus }
    }

    /// Which way round the ring of `dimension` is the shortest; where both are, `prefers_minus` decides.
    pub(super) fn round(&self, at: u32, target: u32, dimension: usize, prefers_minus: bool) -> Direction {
        let n = self.side(dimension);
        let ahead = (self.coordinate(target, dimension) + n - self.coordinate(at, dimension)) % n;
        let plus = 2 * ahead < n || 2 * ahead == n && !prefers_minus;
        if plus { Direction::Plus } else { Direction::Minus }
    }

    /// Whether a packet that goes from `at` to `target` by port `out` crosses the dateline of its ring.
    pub(super) fn crosses_dateline(&self, at: u32, target: u32, out: usize) -> bool {
        let dimension = out / 2;
        let from = self.coordinate(at, dimension);
        let to = self.coordinate(target, dimension);
        if out.is_multiple_of(2) { from > to } else { from < to }
    }

    /// Classes of virtual channels that rings need, so that packets that go round one cannot wait for each other.
    pub(super) fn ring_classes(&self) -> u16 {
        if self.wraps() { 2 } else { 1 }
    }

    /// Whether it is a mesh of two dimensions.
    pub(super) fn is_plane_mesh(&self) -> bool {
        self.dimensions() == 2 && !self.wraps()
    }

    /// Links between `a` and `b` the shortest way.
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        let along = |d| {
            let apart = self.coordinate(a, d).abs_diff(self.coordinate(b, d));
            if self.wraps() { apart.min(self.side(d) - apart) } else { apart }
        };
        (0..self.dimensions()).map(along).sum()
    }

    /// The coordinates of `node` as people write them, such as `(0,3)`.
    pub fn node_name(&self, node: u32) -> String {
        self.grid.node_name(NodeId(node))
    }

    /// The channel that leaves the router of `node` by `port`, as people write it.
    pub fn channel_name(&self, node: u32, port: usize) -> String {
        if port == self.local() {
            return format!("ejection {}", self.node_name(node));
        }
        self.link_name(NodeId(node), port / 2, Direction::from_number(port))
    }
}

/// The port along `dimension` in `direction`.
#[inline]
pub fn port(dimension: usize, direction: Direction) -> usize {
    2 * dimension + direction.place()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_lead_to_neighbours_and_back() {
        for lattice in [Lattice::new(&[3, 4], true, &[0, 1]), Lattice::new(&[3, 4, 2], false, &[0, 1, 2])] {
            for node in 0..12 {
                for out in 0..lattice.local() {
                    let Some(to) = lattice.neighbour(node, out) else { continue };
                    assert_eq!(lattice.neighbour(to, out ^ 1), Some(node));
                    assert_eq!(lattice.distance(node, to), 1);
                }
            }
        }
    }

    #[test]
    fn a_mesh_ends_at_its_edges() {
        let mesh = Lattice::new(&[2, 3], false, &[0, 1]);
        assert_eq!([0, 1, 2, 3].map(|port| mesh.neighbour(2, port)), [Some(5), None, None, Some(1)]);
        assert_eq!(mesh.distance(0, 5), 3);
        assert_eq!(mesh.channel_name(2, 0), "(0,2)->(1,2)");
    }
}
