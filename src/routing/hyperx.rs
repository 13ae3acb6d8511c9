//! Dimension-ordered routing on a hyperx: one coordinate after the other, each by one link. The number of the source selects
//! one of several parallel links.

use super::{LinkRouting, Step};
use crate::topology::{HyperXLinks, Links};
use crate::units::NodeId;
use std::sync::Arc;

/// A hyperx whose messages resolve the first coordinate first. Of parallel links they take number (source node) mod (their
/// count), so that the nodes of a router share them evenly. Since no message goes back to a dimension, one class is enough.
#[derive(Clone, Debug)]
pub struct HyperXPaths {
    links: Arc<HyperXLinks>,
}

impl HyperXPaths {
    /// Routing on `links`.
    pub fn new(links: Arc<HyperXLinks>) -> Self {
        Self { links }
    }

    /// The dimensions in which the routers of two nodes differ.
    fn differing(&self, src: NodeId, dst: NodeId) -> impl Iterator<Item = usize> + '_ {
        let [from, to] = [src, dst].map(|node| self.links.router_of(node));
        let differ = move |&d: &usize| self.links.coordinate(from, d) != self.links.coordinate(to, d);
        (0..self.links.coordinates().dimensions()).filter(differ)
    }
}

impl LinkRouting for HyperXPaths {
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let to = self.links.router_of(dst);
        let mut at = self.links.router_of(src);
        for dimension in self.differing(src, dst) {
            let coordinate = self.links.coordinate(to, dimension);
            let parallel = self.links.parallel_of(src, dimension);
            path.push(Step { link: self.links.link(at, dimension, coordinate, parallel), class: 0 });
            at = self.links.across(at, dimension, coordinate);
        }
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        self.differing(src, dst).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::TopologyError;

    #[test]
    fn the_source_selects_one_of_parallel_links() -> Result<(), TopologyError> {
        let links = Arc::new(HyperXLinks::new(&[3, 4], &[2, 3], 2)?);
        let paths = HyperXPaths::new(Arc::clone(&links));
        let names = |src, dst| {
            let mut path = Vec::new();
            paths.path(NodeId(src), NodeId(dst), &mut path);
            assert_eq!(path.len(), paths.hops(NodeId(src), NodeId(dst)));
            path.iter().map(|step| links.link_name(step.link)).collect::<Vec<_>>()
        };
        assert_eq!(names(0, 23), ["(0,0)->(2,0)", "(2,0)->(2,3)"]);
        assert_eq!(names(1, 23), ["(0,0)->(2,0) #1", "(2,0)->(2,3) #1"]);
        assert_eq!(names(23, 12), ["(2,3)->(1,3) #1", "(1,3)->(1,2) #2"]);
        assert!(names(6, 7).is_empty());
        Ok(())
    }
}
