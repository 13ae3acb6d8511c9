//! The hyperx: routers on a lattice, of which any two that differ in one coordinate are joined (Ahn, Binkert, Davis, McLaren
//! and Schreiber 2009). With one dimension it is a full mesh, with one link between two routers a flattened butterfly (Kim,
//! Dally and Abts 2007).
//!
//! Routers are numbered row-major; nodes router by router. Links are numbered by the router they leave and, within it, per
//! dimension by the coordinate where they lead, ascending, then by parallel link.

use super::{Coordinates, LinkCost, Links, OwnCosts, Part, TopologyError, layout};
use crate::units::{LinkId, NodeId, RouterId};

/// The links of a hyperx.
///
/// ```
/// use flitwise::topology::{HyperXLinks, Links};
/// use flitwise::units::LinkId;
/// let hyperx = HyperXLinks::new(&[4, 3], &[1, 2], 2)?;
/// assert_eq!((hyperx.nodes(), hyperx.routers(), hyperx.count()), (24, 12, 84));
/// assert_eq!(hyperx.link_name(LinkId(4)), "(0,0)->(0,1) #1");
/// # Ok::<(), flitwise::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HyperXLinks {
    coordinates: Coordinates,
    /// Per dimension, links from one router to another.
    parallel: Vec<usize>,
    /// Per dimension, the links of a router along the dimensions before it.
    before: Vec<usize>,
    /// The links that leave a router.
    ports: usize,
    /// Nodes of a router.
    concentration: usize,
    /// Per dimension what its links take; empty if that is what every channel does.
    costs: Vec<LinkCost>,
}

impl HyperXLinks {
    /// Routers with `shape[d]` along dimension `d`, joined by `parallel[d]` links each way, with so many nodes each.
    ///
    /// # Errors
    /// If the shape is empty or a dimension of no routers, or nodes or links cannot be numbered with 32 bits.
    ///
    /// # Panics
    /// If there are not as many numbers of links as dimensions.
    pub fn new(shape: &[usize], parallel: &[usize], concentration: usize) -> Result<Self, TopologyError> {
        assert_eq!(shape.len(), parallel.len(), "links per dimension");
        if shape.is_empty() || shape.contains(&0) {
            return Err(TopologyError::Empty("hyperx"));
        }
        let routers = shape.iter().fold(1_u128, |product, &n| product.saturating_mul(n as u128));
        let along = shape.iter().zip(parallel).map(|(&n, &links)| (n as u128 - 1).saturating_mul(links as u128));
        let ports = along.fold(0_u128, u128::saturating_add);
        let nodes = routers.saturating_mul(concentration as u128);
        layout::numbered(|| format!("a hyperx of {shape:?}"), routers.saturating_mul(ports).max(nodes))?;
        let mut before = Vec::new();
        let mut ports = 0;
        for (&n, &links) in shape.iter().zip(parallel) {
            before.push(ports);
            ports += (n - 1) * links;
        }
        let coordinates = Coordinates::new(shape, false);
        Ok(Self { coordinates, parallel: parallel.to_vec(), before, ports, concentration, costs: Vec::new() })
    }

    /// The same with links that take what `costs` says of their dimension.
    #[must_use]
    pub fn with_costs(self, costs: Vec<LinkCost>) -> Self {
        Self { costs, ..self }
    }

    /// Where the routers stand.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// How many links lead from one router to another along `dimension`.
    pub fn parallel(&self, dimension: usize) -> usize {
        self.parallel[dimension]
    }

    /// The one of the parallel links along `dimension` that a message from `src` takes: its number mod their count.
    pub fn parallel_of(&self, src: NodeId, dimension: usize) -> usize {
        src.index() % self.parallel[dimension]
    }

    /// The coordinate of `router` along `dimension`.
    pub fn coordinate(&self, router: RouterId, dimension: usize) -> usize {
        self.coordinates.coordinate(NodeId(router.0), dimension)
    }

    /// The link number `parallel` from `router` to the one that has coordinate `to` along `dimension`, another than its own.
    pub fn link(&self, router: RouterId, dimension: usize, to: usize, parallel: usize) -> LinkId {
        let place = to - usize::from(to > self.coordinate(router, dimension));
        let port = self.before[dimension] + place * self.parallel[dimension] + parallel;
        LinkId::new(router.index() * self.ports + port)
    }

    /// The dimension of `port`.
    fn dimension(&self, port: usize) -> usize {
        // dimensions of one router have no ports: the last that begins here has
        self.before.partition_point(|&before| before <= port) - 1
    }

    /// The router that has coordinate `to` along `dimension` and else those of `router`.
    pub fn across(&self, router: RouterId, dimension: usize, to: usize) -> RouterId {
        let stride = self.coordinates.stride(dimension);
        RouterId::new(router.index() - self.coordinate(router, dimension) * stride + to * stride)
    }
}

impl Links for HyperXLinks {
    fn nodes(&self) -> usize {
        self.coordinates.nodes() * self.concentration
    }

    fn routers(&self) -> usize {
        self.coordinates.nodes()
    }

    fn count(&self) -> usize {
        self.routers() * self.ports
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        RouterId::new(node.index() / self.concentration)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let from = RouterId::new(link.index() / self.ports);
        let port = link.index() % self.ports;
        let dimension = self.dimension(port);
        let place = (port - self.before[dimension]) / self.parallel[dimension];
        let to = place + usize::from(place >= self.coordinate(from, dimension));
        (from, self.across(from, dimension, to))
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        self.costs.get(self.dimension(link.index() % self.ports)).copied()
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        let first = |dimension| Part::Link(self.link(RouterId(0), dimension, 1, 0));
        OwnCosts::new(self.coordinates.along_dimensions(&self.costs, first))
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        let first = router.index() * self.ports;
        Box::new((first..first + self.ports).map(LinkId::new))
    }

    fn most_arriving(&self) -> usize {
        self.ports
    }

    fn most_nodes(&self) -> usize {
        self.concentration
    }

    fn router_name(&self, router: RouterId) -> String {
        self.coordinates.node_name(NodeId(router.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_numbered_by_dimension_coordinate_and_parallel_link() -> Result<(), TopologyError> {
        for (shape, parallel) in [([4, 3, 2], [1, 1, 1]), ([1, 5, 2], [3, 2, 4]), ([3, 1, 1], [2, 5, 5])] {
            let links = HyperXLinks::new(&shape, &parallel, 2)?;
            let mut next = 0;
            for router in (0..links.routers()).map(RouterId::new) {
                let leaving = links.leaving(router).collect::<Vec<_>>();
                assert_eq!(leaving.first().map_or(next, |link| link.index()), next);
                for dimension in 0..3 {
                    for to in (0..shape[dimension]).filter(|&to| to != links.coordinate(router, dimension)) {
                        for number in 0..parallel[dimension] {
                            let link = links.link(router, dimension, to, number);
                            assert_eq!(link, LinkId::new(next));
                            assert_eq!(links.ends(link), (router, links.across(router, dimension, to)));
                            next += 1;
                        }
                    }
                }
            }
            assert_eq!(links.count(), next);
        }
        Ok(())
    }

    #[test]
    fn impossible_ones_are_refused() {
        assert!(HyperXLinks::new(&[], &[], 1).is_err());
        assert!(HyperXLinks::new(&[4, 0], &[1, 1], 1).is_err());
        assert!(HyperXLinks::new(&[1 << 20, 1 << 20, 1 << 62], &[1, 1, 1], 1).is_err());
        assert!(HyperXLinks::new(&[4], &[usize::MAX], 1).is_err());
        assert!(HyperXLinks::new(&[2], &[1], usize::MAX).is_err());
    }
}
