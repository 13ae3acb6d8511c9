//! The key `node_grid` of networks with routers in two dimensions: the nodes of a router as a rectangle.

use super::axes::node_shape;
use super::{Parameter, narrow};
use crate::config::{Diagnostic, Reader};
use crate::topology::RouterNodes;
use crate::units::{Key, saturated};

pub(super) const NODE_GRID: Key = Key::integers("node_grid", 1..=u32::MAX as u64)
    .or_else("nodes are numbered router by router")
    .says(
        "rows and columns of the nodes of a router, such as [2, 2], on two dimensions: node ids are row-major over the grid of \
         all nodes, on which `tornado`, `neighbor` and `transpose` act",
    );

/// Nodes of routers of a two-dimensional network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeGrid {
    /// Nodes of a router along each dimension.
    pub sides: [u64; 2],
}

impl NodeGrid {
    /// Reads the grid of the nodes of a router of a network of such a `shape`. Returns `None` if there is none, or if it is wrong,
    /// which has been reported.
    pub(super) fn read(table: &Reader<'_>, shape: &[u64], concentration: u64) -> Option<Self> {
        let entries: Vec<u64> = table.integers(&NODE_GRID)?.into_iter().map(|(side, _)| side).collect();
        let error = |message: String| Diagnostic::at(table.place_of(NODE_GRID.name), message);
        let Ok(sides) = <[u64; 2]>::try_from(entries.as_slice()) else {
            let message = format!("`node_grid` has {} entries, but is for 2 dimensions", entries.len());
            table.error(error(message).note("accepted: two integers whose product is `concentration`"));
            return None;
        };
        if shape.len() != 2 {
            let message = format!("`node_grid` is for 2 dimensions, but the shape has {}", shape.len());
            table.error(error(message).note("accepted: a `shape` of two integers, or no `node_grid`"));
            return None;
        }
        let [rows, columns] = sides;
        let nodes = rows * columns;
        if nodes != concentration {
            let message =
                format!("`node_grid` has {rows} x {columns} = {nodes} nodes, but `concentration` is {concentration}");
            let error = error(message).note("accepted: two integers whose product is `concentration`");
            table.error(error.hint(format!("set `concentration` to {nodes}, or change `node_grid`")));
            return None;
        }
        (nodes > 1).then_some(Self { sides })
    }

    /// Nodes along each dimension of a network of such a `shape` of routers.
    fn nodes_along(self, shape: &[u64]) -> Vec<u32> {
        shape.iter().zip(self.sides).map(|(&routers, nodes)| narrow(routers.saturating_mul(nodes))).collect()
    }
}

/// Nodes of each router of a network of such a `shape`.
pub(super) fn router_nodes(grid: Option<NodeGrid>, shape: &[u64], concentration: u64) -> RouterNodes {
    match (grid, shape) {
        (Some(NodeGrid { sides }), &[_, routers]) => RouterNodes::on_grid(saturated(routers), sides.map(saturated)),
        _ => RouterNodes::router_by_router(saturated(concentration)),
    }
}

/// Nodes along each dimension of a network of such a `shape` of routers: all along one if routers have several and no grid.
pub(super) fn shape_of_nodes(grid: Option<NodeGrid>, shape: &[u64], concentration: u64) -> Vec<u32> {
    grid.map_or_else(|| node_shape(shape, concentration), |grid| grid.nodes_along(shape))
}

/// The grid of all nodes, if there is one.
pub(super) fn lattice_of_nodes(grid: Option<NodeGrid>, shape: &[u64]) -> Option<Vec<u32>> {
    grid.map(|grid| grid.nodes_along(shape))
}

/// The parameter of a grid.
pub(super) fn parameter(grid: Option<NodeGrid>) -> Option<(&'static str, Parameter)> {
    grid.map(|grid| (NODE_GRID.name, Parameter::Integers(grid.sides.to_vec())))
}
