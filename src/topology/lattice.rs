//! Coordinates: nodes on an integer lattice, whatever joins them.

use super::{Channels, Direction};
use crate::units::{ChannelId, NodeId};
use std::ops::Deref;

/// A network whose links join neighbours on a lattice.
pub trait Grid: Channels + Deref<Target = Coordinates> {
    /// Virtual channel `vc` of the link that leaves `node` along `dimension` in `direction`.
    fn virtual_link(&self, node: NodeId, dimension: usize, direction: Direction, vc: usize) -> ChannelId;

    /// How far the same links of two nodes that follow each other are apart: channels are numbered node by node.
    fn links_apart(&self) -> usize;
}

/// The name of the class of links along `dimension`.
pub(crate) fn dimension_class(dimension: usize) -> String {
    format!("dim{dimension}")
}

/// Nodes on an integer lattice; ids are row-major with the first coordinate most significant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinates {
    shape: Vec<usize>,
    strides: Vec<usize>,
    wraps: bool,
}

impl Coordinates {
    /// `shape[d]` nodes along dimension `d`, joined round the edges if they `wrap`.
    pub(crate) fn new(shape: &[usize], wraps: bool) -> Self {
        Self { shape: shape.to_vec(), strides: strides(shape), wraps }
    }

    /// `shape[d]` nodes along dimension `d`, each of at least one, with an edge at both ends.
    pub fn mesh(shape: &[usize]) -> Self {
        Self::new(shape, false)
    }

    /// `shape[d]` nodes along dimension `d`, each of at least one, joined round the edges.
    pub fn torus(shape: &[usize]) -> Self {
        Self::new(shape, true)
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
    pub fn nodes(&self) -> usize {
        self.shape.iter().fold(1, |product: usize, &n| product.saturating_mul(n))
    }

    /// Each dimension with links, with one of these links.
    pub(super) fn dimensions_with_links<P>(&self, link: impl Fn(usize) -> P) -> impl Iterator<Item = (P, usize)> {
        let several = (0..self.dimensions()).filter(|&dimension| self.shape[dimension] > 1);
        several.map(move |dimension| (link(dimension), dimension))
    }

    /// The names of the classes of links along each dimension.
    pub(super) fn dimension_names(&self) -> impl Iterator<Item = String> + use<> {
        (0..self.dimensions()).map(dimension_class)
    }

    /// Whether neighbours are joined round the edges.
    pub fn wraps(&self) -> bool {
        self.wraps
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

    /// The node one step from `node` along `dimension` in `direction`; none beyond an edge that nothing joins.
    pub fn neighbour(&self, node: NodeId, dimension: usize, direction: Direction) -> Option<NodeId> {
        let at = self.coordinate(node, dimension);
        let last = self.shape[dimension] - 1;
        let span = last * self.strides[dimension];
        let to = match direction {
            Direction::Plus if at < last => node.index() + self.strides[dimension],
            Direction::Minus if at > 0 => node.index() - self.strides[dimension],
            _ if !self.wraps => return None,
            Direction::Plus => node.index() - span,
            Direction::Minus => node.index() + span,
        };
        Some(NodeId::new(to))
    }

    /// The coordinates of `node` as people write them, such as `(0,3)`.
    pub fn node_name(&self, node: NodeId) -> String {
        let mut name = String::new();
        self.push_node_name(node, &mut name);
        name
    }

    /// Adds that name to `text`: networks have millions of channels to be named.
    fn push_node_name(&self, node: NodeId, text: &mut String) {
        let mut digits = itoa::Buffer::new();
        for dimension in 0..self.dimensions() {
            text.push(if dimension == 0 { '(' } else { ',' });
            text.push_str(digits.format(self.coordinate(node, dimension)));
        }
        text.push(')');
    }

    /// The link that leaves `node` along `dimension` in `direction` as people write it, such as `(0,3)->(0,4)`.
    pub fn link_name(&self, node: NodeId, dimension: usize, direction: Direction) -> String {
        let mut name = String::new();
        self.push_node_name(node, &mut name);
        name.push_str("->");
        match self.neighbour(node, dimension, direction) {
            Some(to) => self.push_node_name(to, &mut name),
            None => name.push_str("nowhere"),
        }
        name
    }
}

/// How far apart the ids of neighbours along each dimension of a lattice of `shape` are; ids are row-major.
fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1_usize; shape.len()];
    for d in (1..shape.len()).rev() {
        // where a product saturates, so does that of all sides, and so many nodes are refused
        strides[d - 1] = strides[d].saturating_mul(shape[d]);
    }
    strides
}
