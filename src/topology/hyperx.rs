//! The hyperx: routers on a lattice, of which any two that differ in one coordinate are joined (Ahn, Binkert, Davis, McLaren
//! and Schreiber 2009). With one dimension it is a full mesh, with one link between two routers a flattened butterfly (Kim,
//! Dally and Abts 2007).
//!
//! Routers are numbered row-major; nodes as [`RouterNodes`] says. Links are numbered by the router they leave and, within it, per
//! dimension by the coordinate where they lead, ascending, then by parallel link.

use super::{Coordinates, GroupCosts, LinkCost, Links, OwnCosts, Part, RouterNodes, TopologyError, layout};
use crate::units::{LinkId, NodeId, RouterId, Ticks};

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
    nodes: RouterNodes,
    /// Costs by dimension.
    costs: GroupCosts,
    /// Ticks of a link of each dimension for each step between coordinates. A delay does not include the first tick. Empty if
    /// the links of a dimension are alike.
    steps: Vec<u64>,
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
        let nodes = RouterNodes::router_by_router(concentration);
        let parallel = parallel.to_vec();
        let costs = GroupCosts::default();
        Ok(Self { coordinates, parallel, before, ports, nodes, costs, steps: Vec::new() })
    }

    /// Replaces the numbering of nodes by `nodes`, with as many for each router as before.
    #[must_use]
    pub fn with_nodes(self, nodes: RouterNodes) -> Self {
        Self { nodes, ..self }
    }

    /// Lets the delay of links grow with their length. A link along dimension `d` between coordinates `a` and `b` has
    /// a delay of `steps[d] |a - b| - 1` ticks beyond its cost.
    ///
    /// # Panics
    /// Panics if the links have no costs ([`Self::with_costs`]), or a step is 0.
    #[must_use]
    pub fn with_steps(self, steps: Vec<u64>) -> Self {
        assert!(steps.is_empty() || self.costs.links.len() == steps.len(), "each dimension has a cost");
        assert!(!steps.contains(&0), "a step takes a tick or more");
        Self { steps, ..self }
    }

    /// The cost of a link along `dimension` between coordinates that differ by `distance`.
    fn cost_along(&self, dimension: usize, distance: usize) -> Option<LinkCost> {
        let cost = self.costs.link(dimension)?;
        let Some(step) = self.steps.get(dimension) else { return Some(cost) };
        let delay = step.saturating_mul(distance as u64) - 1;
        Some(LinkCost { delay: cost.delay + Ticks(delay), ..cost })
    }

    /// Parts with every cost that links have: one link of each dimension, and with steps one of each length.
    fn parts_by_cost(&self) -> impl Iterator<Item = (Part, LinkCost)> + '_ {
        let lengths = |dimension: usize| {
            let longest = self.coordinates.shape()[dimension] - 1;
            1..=if self.steps.is_empty() { longest.min(1) } else { longest }
        };
        let links =
            (0..self.costs.links.len()).flat_map(move |dimension| lengths(dimension).map(move |to| (dimension, to)));
        links.filter_map(|(dimension, to)| {
            let link = self.link(RouterId(0), dimension, to, 0);
            Some((Part::Link(link), self.cost_along(dimension, to)?))
        })
    }

    /// Sets the costs of links by dimension, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: impl Into<GroupCosts>) -> Self {
        Self { costs: costs.into(), ..self }
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
        self.coordinates.nodes() * self.nodes.concentration()
    }

    fn routers(&self) -> usize {
        self.coordinates.nodes()
    }

    fn count(&self) -> usize {
        self.routers() * self.ports
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        self.nodes.router_of(node)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let from = RouterId::new(link.index() / self.ports);
        let port = link.index() % self.ports;
        let dimension = self.dimension(port);
        let place = (port - self.before[dimension]) / self.parallel[dimension];
        let to = place + usize::from(place >= self.coordinate(from, dimension));
        (from, self.across(from, dimension, to))
    }

    fn classes(&self) -> Vec<String> {
        self.coordinates.dimension_names().collect()
    }

    fn class(&self, link: LinkId) -> usize {
        self.dimension(link.index() % self.ports)
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        let dimension = self.dimension(link.index() % self.ports);
        if self.steps.is_empty() {
            return self.costs.link(dimension); // where the link leads need not be looked up
        }
        let (from, to) = self.ends(link);
        let [from, to] = [from, to].map(|router| self.coordinate(router, dimension));
        self.cost_along(dimension, from.abs_diff(to))
    }

    fn node_cost(&self, _node: NodeId) -> Option<LinkCost> {
        self.costs.node
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        let node = self.costs.node.map(|cost| (Part::Node(NodeId(0)), cost));
        OwnCosts::new(self.parts_by_cost().chain(node))
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        let first = router.index() * self.ports;
        Box::new((first..first + self.ports).map(LinkId::new))
    }

    fn most_arriving(&self) -> usize {
        self.ports
    }

    fn most_nodes(&self) -> usize {
        self.nodes.concentration()
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

    /// A line of four routers with 2 ticks for each step.
    #[test]
    fn delays_grow_with_the_length_of_a_link() -> Result<(), TopologyError> {
        let cost = LinkCost::without_delay(3);
        let links = HyperXLinks::new(&[4, 2], &[1, 1], 1)?.with_costs(vec![cost; 2]).with_steps(vec![2, 1]);
        let delay = |router, dimension, to| {
            links.cost(links.link(RouterId(router), dimension, to, 0)).map(|cost| (cost.flit_time.0, cost.delay.0))
        };
        assert_eq!([1, 2, 3].map(|to| delay(0, 0, to)), [Some((3, 1)), Some((3, 3)), Some((3, 5))]);
        assert_eq!([delay(6, 0, 1), delay(0, 1, 1)], [Some((3, 3)), Some((3, 0))]);
        let largest = links.own_costs().map(|costs| (costs.largest.delay.0, costs.farthest));
        assert_eq!(largest, Some((5, Part::Link(links.link(RouterId(0), 0, 3, 0)))));
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
