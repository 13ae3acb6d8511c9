//! Paths over a graph that use all parallel links: number (source node) mod (their count) of those at each router.
//!
//! The routers of a path are those of the routing below, and so are its classes. A routing whose links are ordered by their
//! ends, such as up-down, stays free of deadlock.

use super::super::{LinkRouting, Order, Step};
use super::Weight;
use crate::topology::{Graph, ParallelLinks};
use crate::units::NodeId;
use std::sync::Arc;

/// A routing whose messages share parallel links by their sources.
#[derive(Clone, Debug)]
pub struct Spread {
    paths: Arc<dyn LinkRouting>,
    parallel: ParallelLinks,
}

impl Spread {
    /// The paths of `paths` over `graph`, each link replaced by one of those that are parallel to it and, by `weight`, as long.
    pub fn new(paths: Arc<dyn LinkRouting>, graph: &Graph, weight: Weight) -> Self {
        let parallel = ParallelLinks::new(graph, |link| weight.of_joint(&graph.link(link)));
        Self { paths, parallel }
    }
}

impl LinkRouting for Spread {
    fn classes(&self) -> u8 {
        self.paths.classes()
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let before = path.len();
        self.paths.path(src, dst, path);
        for step in &mut path[before..] {
            let bundle = self.parallel.bundle(step.link);
            step.link = bundle[src.index() % bundle.len()];
        }
    }

    fn tree_class(&self) -> Option<u8> {
        self.paths.tree_class()
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        self.paths.hops(src, dst)
    }

    fn order(&self) -> Order {
        self.paths.order()
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.paths.chain_rank(node)
    }
}
