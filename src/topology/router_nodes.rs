//! Numbering of the nodes of routers on a lattice.
//!
//! Nodes are numbered router by router, or row-major over the grid of all nodes if the nodes of a router form a rectangle:
//!
//! ```text
//! routers 2 x 2, each with 2 x 2 nodes      node grid 4 x 4
//!     r0 r1                                  0  1 |  2  3
//!     r2 r3                                  4  5 |  6  7
//!                                           ------+------
//!                                            8  9 | 10 11
//!                                           12 13 | 14 15
//! ```

use crate::units::{NodeId, RouterId};

/// Number and numbering of the nodes of each router.
///
/// ```
/// use flitwise::topology::RouterNodes;
/// use flitwise::units::{NodeId, RouterId};
/// let nodes = RouterNodes::on_grid(2, [2, 2]);
/// assert_eq!([1, 2, 6, 12].map(|node| nodes.router_of(NodeId(node))), [0, 1, 1, 2].map(RouterId));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterNodes {
    /// Nodes of a router.
    concentration: usize,
    grid: Option<NodeGrid>,
}

/// Nodes of a router as a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodeGrid {
    /// Nodes of a router along the first and the second dimension.
    sides: [usize; 2],
    /// Routers along the second dimension.
    routers: usize,
}

impl RouterNodes {
    /// Nodes that are numbered router by router, `concentration` for each.
    pub fn router_by_router(concentration: usize) -> Self {
        Self { concentration, grid: None }
    }

    /// Nodes that are numbered row-major over the grid of all nodes. Each router has `sides[0]` by `sides[1]` of them.
    /// `routers` is the number of routers along the second dimension.
    pub fn on_grid(routers: usize, sides: [usize; 2]) -> Self {
        Self { concentration: sides[0].saturating_mul(sides[1]), grid: Some(NodeGrid { sides, routers }) }
    }

    /// Nodes of a router.
    pub fn concentration(&self) -> usize {
        self.concentration
    }

    /// The router of `node`.
    pub fn router_of(&self, node: NodeId) -> RouterId {
        let Some(NodeGrid { sides: [rows, columns], routers }) = self.grid else {
            return RouterId::new(node.index() / self.concentration);
        };
        let width = routers * columns;
        let row = node.index() / width;
        let column = node.index() % width;
        RouterId::new(row / rows * routers + column / columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_grid_belong_to_the_router_of_their_rectangle() {
        let routers = |sides, routers, nodes: u32| {
            let grid = RouterNodes::on_grid(routers, sides);
            (0..nodes).map(|node| grid.router_of(NodeId(node)).0).collect::<Vec<u32>>()
        };
        assert_eq!(routers([1, 2], 3, 12), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(routers([2, 1], 3, 12), [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
        assert_eq!(routers([2, 3], 2, 12), [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn each_router_has_as_many_nodes() {
        for nodes in [RouterNodes::router_by_router(6), RouterNodes::on_grid(4, [2, 3])] {
            let mut counts = [0; 12];
            (0..72).for_each(|node| counts[nodes.router_of(NodeId(node)).index()] += 1);
            assert_eq!((counts, nodes.concentration()), ([6; 12], 6));
        }
    }
}
