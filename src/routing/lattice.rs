//! Routers on a lattice, each with a node: meshes, tori and hypercubes seen as one family.
//!
//! A lattice knows coordinates, ports and which port leads where. It refuses to know virtual channels, buffers and
//! destinations. Ports are numbered as links are in [`crate::topology`]: for each dimension the one towards larger and
//! the one towards smaller coordinates, and last the port of the router's node. A flit that leaves by a port arrives at
//! the neighbour's input port of the same number: the number says which way it travels.

use crate::topology::{Direction, strides};
use crate::units::narrow;

/// Most dimensions of a lattice: a router has two ports for each and one for its node, and no more than 64.
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
    shape: Vec<u32>,
    strides: Vec<u32>,
    /// The dimensions, the one resolved first in front.
    order: Vec<usize>,
    wraps: bool,
    /// Per node, its coordinates.
    coordinates: Vec<u16>,
}

impl Lattice {
    /// A lattice with `shape[d]` nodes along dimension `d`, joined round the edges if it `wraps`; routing resolves the
    /// dimensions in `order`.
    ///
    /// # Panics
    /// If there are more than [`MOST_DIMENSIONS`], or more than 65,536 nodes along one.
    pub fn new(shape: &[usize], wraps: bool, order: &[usize]) -> Self {
        assert!(shape.len() <= MOST_DIMENSIONS, "more dimensions than a router has ports for");
        let number = |n: &usize| narrow(*n, "nodes are numbered with 32 bits");
        let steps = strides(shape);
        let nodes: usize = shape.iter().product();
        let along = |node: usize, d: usize| u16::try_from(node / steps[d] % shape[d]);
        let coordinates = (0..nodes).flat_map(|node| (0..shape.len()).map(move |d| (node, d)));
        #[expect(clippy::expect_used, reason = "asserted by the caller, as documented")]
        let coordinates = coordinates.map(|(node, d)| along(node, d).expect("at most 65,536 nodes along a dimension"));
        Self {
            coordinates: coordinates.collect(),
            shape: shape.iter().map(number).collect(),
            strides: steps.iter().map(number).collect(),
            order: order.to_vec(),
            wraps,
        }
    }

    /// The number of nodes, each with a router of its own.
    pub fn nodes(&self) -> usize {
        self.shape.iter().map(|&n| n as usize).product()
    }

    /// The number of nodes along each dimension.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.shape.len()
    }

    /// Whether neighbours are joined round the edges.
    pub fn wraps(&self) -> bool {
        self.wraps
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
        u32::from(self.coordinates[node as usize * self.shape.len() + dimension])
    }

    /// All coordinates of `node`.
    #[inline]
    pub fn coordinates(&self, node: u32) -> &[u16] {
        let dimensions = self.shape.len();
        let first = node as usize * dimensions;
        &self.coordinates[first..first + dimensions]
    }

    /// The node that `port` of the router of `node` leads to, if there is a link.
    pub fn neighbour(&self, node: u32, port: usize) -> Option<u32> {
        let dimension = port / 2;
        let at = self.coordinate(node, dimension);
        let n = self.shape[dimension];
        let stride = self.strides[dimension];
        let to = match direction(port) {
            Direction::Plus if at + 1 < n => at + 1,
            Direction::Minus if at > 0 => at - 1,
            _ if !self.wraps || n == 1 => return None,
            Direction::Plus => 0,
            Direction::Minus => n - 1,
        };
        Some(node - at * stride + to * stride)
    }

    /// The port of the router of `at` that leads towards `to` by dimension order, without going round an edge; if that is the
    /// same node, the port of the node.
    #[inline]
    pub fn towards(&self, at: u32, to: u32) -> usize {
        let from = self.coordinates(at);
        let to = self.coordinates(to);
        let next = self.order.iter().find(|&&d| from[d] != to[d]);
        next.map_or(self.local(), |&d| 2 * d + usize::from(to[d] < from[d]))
    }

    /// Links between `a` and `b` the shortest way.
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        let along = |d| {
            let apart = self.coordinate(a, d).abs_diff(self.coordinate(b, d));
            if self.wraps { apart.min(self.shape[d] - apart) } else { apart }
        };
        (0..self.dimensions()).map(along).sum()
    }

    /// The coordinates of `node` as people write them, such as `(0,3)`.
    pub fn node_name(&self, node: u32) -> String {
        let parts: Vec<String> = (0..self.dimensions()).map(|d| self.coordinate(node, d).to_string()).collect();
        format!("({})", parts.join(","))
    }

    /// The channel that leaves the router of `node` by `port`, as people write it.
    pub fn channel_name(&self, node: u32, port: usize) -> String {
        let name = self.node_name(node);
        if port == self.local() {
            return format!("ejection {name}");
        }
        let to = self.neighbour(node, port).map_or_else(|| "nowhere".to_owned(), |to| self.node_name(to));
        format!("{name}->{to}")
    }
}

/// Which way along its dimension a port leads.
pub fn direction(port: usize) -> Direction {
    if port.is_multiple_of(2) { Direction::Plus } else { Direction::Minus }
}

/// The port along `dimension` in `direction`.
#[inline]
pub fn port(dimension: usize, direction: Direction) -> usize {
    2 * dimension + usize::from(direction == Direction::Minus)
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
