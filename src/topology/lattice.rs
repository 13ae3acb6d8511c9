//! Coordinates: nodes on an integer lattice, whatever joins them.

use crate::units::NodeId;

/// Nodes on an integer lattice; ids are row-major with the first coordinate most significant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinates {
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Coordinates {
    pub(crate) fn new(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), strides: strides(shape) }
    }

    /// The number of nodes along each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.shape.len()
    }

    /// The number of nodes; saturates, as strides do.
    pub(crate) fn nodes(&self) -> usize {
        self.shape.iter().fold(1, |product: usize, &n| product.saturating_mul(n))
    }

    /// How far apart the ids of two neighbours along `dimension` are.
    pub fn stride(&self, dimension: usize) -> usize {
        self.strides[dimension]
    }

    /// The coordinate of `node` along `dimension`.
    pub fn coordinate(&self, node: NodeId, dimension: usize) -> usize {
        node.index() / self.strides[dimension] % self.shape[dimension]
    }

    /// All coordinates of `node`.
    pub fn coordinates(&self, node: NodeId) -> Vec<usize> {
        (0..self.dimensions()).map(|d| self.coordinate(node, d)).collect()
    }

    /// The coordinates of `node` as people write them, such as `(0,3)`.
    pub fn node_name(&self, node: NodeId) -> String {
        in_parentheses(&self.coordinates(node))
    }
}

/// How far apart the ids of neighbours along each dimension of a lattice of `shape` are; ids are row-major.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1_usize; shape.len()];
    for d in (1..shape.len()).rev() {
        // where a product saturates, so does that of all sides, and so many nodes are refused
        strides[d - 1] = strides[d].saturating_mul(shape[d]);
    }
    strides
}

pub(super) fn in_parentheses(coordinates: &[usize]) -> String {
    let parts: Vec<String> = coordinates.iter().map(ToString::to_string).collect();
    format!("({})", parts.join(","))
}
