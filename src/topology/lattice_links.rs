//! The links of a lattice: of a mesh, a torus or a hypercube, with twists, one-way rings, express links, and several nodes a
//! router.
//!
//! Routers are numbered row-major; nodes as [`RouterNodes`] says. Links are numbered by the router they leave and, within it, per
//! dimension towards larger and towards smaller coordinates, then by express links in the same directions; those that do not
//! exist (beyond an edge, against the direction of a ring, along a dimension of one router) have no number. There are no
//! tables: how many links leave the routers before one follows from its coordinates.

use super::{
    Coordinates, Direction, GroupCosts, LinkCost, LinkGroup, Links, OwnCosts, Part, RouterNodes, TopologyError,
};
use crate::units::{LinkId, NodeId, RouterId};

/// Ways to leave a router along a dimension: towards larger and towards smaller coordinates, each to the neighbour and by an
/// express link.
const WAYS: usize = 4;

/// The name of the class of express links.
pub(crate) const EXPRESS_CLASS: &str = "express";

/// The first of the ways by express links.
const EXPRESS_WAY: usize = 2;

/// The edge of one dimension that shifts another coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Twist {
    /// The dimension whose edge is crossed.
    pub across: usize,
    /// The dimension whose coordinate is shifted.
    pub shifts: usize,
    /// What is added to that coordinate where the edge is crossed upwards, and taken off downwards.
    pub by: usize,
}

/// The links of a lattice.
///
/// ```
/// use flitwise::topology::{Coordinates, Direction, LatticeLinks, Links, Twist};
/// use flitwise::units::RouterId;
/// let torus = LatticeLinks::new(Coordinates::torus(&[4, 8])).with_twists(vec![Twist { across: 0, shifts: 1, by: 4 }]);
/// let up = torus.hop(RouterId(24), 0, Direction::Plus).map(|(link, _)| torus.link_name(link));
/// assert_eq!(up.as_deref(), Some("(3,0)->(0,4)"));
/// ```
#[derive(Clone, Debug)]
pub struct LatticeLinks {
    coordinates: Coordinates,
    twists: Vec<Twist>,
    /// Per dimension the only direction of its links; none where they lead both ways.
    directions: Vec<Option<Direction>>,
    /// How far apart the routers are that express links join, if there are such links.
    express: Option<usize>,
    nodes: RouterNodes,
    /// Costs by dimension, and behind them those of express links by dimension if these differ.
    costs: GroupCosts,
}

impl LatticeLinks {
    /// The links between neighbours on `coordinates`, each with one node.
    pub fn new(coordinates: Coordinates) -> Self {
        let directions = vec![None; coordinates.dimensions()];
        let nodes = RouterNodes::router_by_router(1);
        Self { coordinates, twists: Vec::new(), directions, express: None, nodes, costs: GroupCosts::default() }
    }

    /// The same with `twists` of its edges, on which neighbours are joined.
    #[must_use]
    pub fn with_twists(self, twists: Vec<Twist>) -> Self {
        Self { twists, ..self }
    }

    /// The same with links in these `directions` alone, per dimension; none stands for both.
    #[must_use]
    pub fn with_directions(self, directions: Vec<Option<Direction>>) -> Self {
        Self { directions, ..self }
    }

    /// The same with links between routers whose coordinates are multiples of `express` and that follow each other.
    #[must_use]
    pub fn with_express(self, express: usize) -> Self {
        Self { express: Some(express), ..self }
    }

    /// The same with so many nodes a router.
    #[must_use]
    pub fn with_concentration(self, concentration: usize) -> Self {
        self.with_nodes(RouterNodes::router_by_router(concentration))
    }

    /// Replaces the number and the numbering of nodes by `nodes`.
    #[must_use]
    pub fn with_nodes(self, nodes: RouterNodes) -> Self {
        Self { nodes, ..self }
    }

    /// Sets the costs of links by dimension, and of the channels of nodes. Costs of express links, by dimension too, may follow those
    /// of the other links.
    #[must_use]
    pub fn with_costs(self, costs: impl Into<GroupCosts>) -> Self {
        Self { costs: costs.into(), ..self }
    }

    /// The group of the costs of the links along `dimension` that way.
    fn cost_group(&self, dimension: usize, way: usize) -> usize {
        let dimensions = self.coordinates.dimensions();
        let has_own_group = way >= EXPRESS_WAY && self.costs.links.len() > dimensions;
        if has_own_group { dimensions + dimension } else { dimension }
    }

    /// The same, if nodes and links can be numbered with 32 bits; `what` is the network in a few words.
    ///
    /// # Errors
    /// If they cannot.
    pub fn numbered(self, what: impl Fn() -> String) -> Result<Self, TopologyError> {
        let routers = self.coordinates.shape().iter().fold(1_u128, |product, &n| product.saturating_mul(n as u128));
        let nodes = routers.saturating_mul(self.nodes.concentration() as u128);
        // the links are counted only where routers are few enough to count them
        let count = if u32::try_from(nodes).is_ok() { self.count() as u128 } else { nodes.saturating_mul(2) };
        super::layout::numbered(what, count.max(nodes))?;
        Ok(self)
    }

    /// Where the routers stand.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// The twists of its edges.
    pub fn twists(&self) -> &[Twist] {
        &self.twists
    }

    /// The only direction of the links along `dimension`; none where they lead both ways.
    pub fn direction(&self, dimension: usize) -> Option<Direction> {
        self.directions[dimension]
    }

    /// How far apart the routers are that express links join, if there are such links.
    pub fn express(&self) -> Option<usize> {
        self.express
    }

    /// The coordinate of `router` along `dimension`.
    pub fn coordinate(&self, router: RouterId, dimension: usize) -> usize {
        self.coordinates.coordinate(NodeId(router.0), dimension)
    }

    /// The link from `router` to its neighbour along `dimension` in `direction`, and that neighbour.
    pub fn hop(&self, router: RouterId, dimension: usize, direction: Direction) -> Option<(LinkId, RouterId)> {
        self.by_way(router, dimension, direction.place())
    }

    /// The express link that leaves `router` along `dimension` in `direction`, and where it leads.
    pub fn express_hop(&self, router: RouterId, dimension: usize, direction: Direction) -> Option<(LinkId, RouterId)> {
        self.by_way(router, dimension, 2 + direction.place())
    }

    fn by_way(&self, router: RouterId, dimension: usize, way: usize) -> Option<(LinkId, RouterId)> {
        if !self.has(router, dimension, way) {
            return None;
        }
        let before = self.ways(router).take_while(|&other| other != (dimension, way)).count();
        Some((LinkId::new(self.first(router.index()) + before), self.end(router, dimension, way)))
    }

    /// The dimensions and ways by which links leave `router`, in the order of their numbers.
    fn ways(&self, router: RouterId) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = (0..self.coordinates.dimensions() * WAYS).map(|number| (number / WAYS, number % WAYS));
        all.filter(move |&(dimension, way)| self.has(router, dimension, way))
    }

    fn has(&self, router: RouterId, dimension: usize, way: usize) -> bool {
        let at = self.coordinate(router, dimension);
        self.with_way(dimension, way, at + 1) > self.with_way(dimension, way, at)
    }

    /// How many of the first `end` coordinates along `dimension` have a link that way.
    fn with_way(&self, dimension: usize, way: usize, end: usize) -> usize {
        let n = self.coordinates.shape()[dimension];
        let only = self.directions[dimension];
        if n == 1 || only.is_some_and(|only| only != Direction::from_number(way)) {
            return 0;
        }
        match (way, self.express) {
            (0 | 1, _) if self.coordinates.wraps() => end,
            (0, _) => end.min(n - 1),
            (1, _) => end.saturating_sub(1),
            // at 0, e, 2e, .., but not at the last of them
            (2, Some(express)) => end.div_ceil(express).min((n - 1) / express),
            // at e, 2e, ..
            (3, Some(express)) => end.saturating_sub(1) / express,
            _ => 0,
        }
    }

    /// How many links leave the routers before `router`: the number of its own first one.
    fn first(&self, router: usize) -> usize {
        let along = |dimension: usize| {
            let n = self.coordinates.shape()[dimension];
            let stride = self.coordinates.stride(dimension);
            // whole lines of this dimension side by side, then whole layers of equal coordinates, then part of one
            let lines = router / (stride * n) * stride;
            let layers = router / stride % n;
            let rest = router % stride;
            let links = |way| {
                let whole = self.with_way(dimension, way, layers);
                let next = self.with_way(dimension, way, layers + 1) - whole;
                lines * self.with_way(dimension, way, n) + stride * whole + rest * next
            };
            (0..WAYS).map(links).sum::<usize>()
        };
        (0..self.coordinates.dimensions()).map(along).sum()
    }

    /// The router that `link` leaves, with the dimension and the way.
    fn origin(&self, link: LinkId) -> (RouterId, Option<(usize, usize)>) {
        // the last router whose first link is this one or one before it; routers without links come before it
        let mut from = 0;
        let mut end = self.coordinates.nodes();
        while end - from > 1 {
            let middle = usize::midpoint(from, end);
            if self.first(middle) <= link.index() { from = middle } else { end = middle }
        }
        let place = link.index() - self.first(from);
        let from = RouterId::new(from);
        (from, self.ways(from).nth(place))
    }

    /// Where the link that leaves `router` that way leads.
    fn end(&self, router: RouterId, dimension: usize, way: usize) -> RouterId {
        let at = NodeId(router.0);
        let direction = Direction::from_number(way);
        let stride = self.coordinates.stride(dimension);
        if let Some(express) = self.express.filter(|_| way >= 2) {
            let to = match direction {
                Direction::Plus => at.index() + express * stride,
                Direction::Minus => at.index() - express * stride,
            };
            return RouterId::new(to);
        }
        let to = self.coordinates.neighbour(at, dimension, direction).map_or(at.index(), NodeId::index);
        if self.is_edge(router, dimension, direction) {
            return RouterId::new(self.shifted(to, dimension, direction));
        }
        RouterId::new(to)
    }

    /// Whether the link from `router` along `dimension` in `direction` crosses the edge.
    pub fn is_edge(&self, router: RouterId, dimension: usize, direction: Direction) -> bool {
        let edge = match direction {
            Direction::Plus => self.coordinates.shape()[dimension] - 1,
            Direction::Minus => 0,
        };
        self.coordinate(router, dimension) == edge
    }

    /// Where a message is that would be at `router` without twists, after it has crossed the edge of `dimension`.
    fn shifted(&self, router: usize, dimension: usize, direction: Direction) -> usize {
        let twists = self.twists.iter().filter(|twist| twist.across == dimension);
        twists.fold(router, |router, twist| {
            let n = self.coordinates.shape()[twist.shifts];
            let stride = self.coordinates.stride(twist.shifts);
            let at = router / stride % n;
            let by = match direction {
                Direction::Plus => twist.by % n,
                Direction::Minus => n - twist.by % n,
            };
            router - at * stride + (at + by) % n * stride
        })
    }
}

impl Links for LatticeLinks {
    fn nodes(&self) -> usize {
        self.coordinates.nodes() * self.nodes.concentration()
    }

    fn routers(&self) -> usize {
        self.coordinates.nodes()
    }

    fn count(&self) -> usize {
        self.first(self.coordinates.nodes())
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        self.nodes.router_of(node)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let (from, way) = self.origin(link);
        let to = way.map_or(from, |(dimension, way)| self.end(from, dimension, way));
        (from, to)
    }

    /// Without express links by the way they lead.
    fn arrival(&self, link: LinkId) -> u32 {
        match self.origin(link) {
            (_, Some((dimension, way))) if self.express.is_none() => LinkId::new(dimension * WAYS + way).0,
            _ => link.0,
        }
    }

    /// A class for each dimension, and one for express links.
    fn classes(&self) -> Vec<String> {
        let express = self.express.map(|_| EXPRESS_CLASS.to_owned());
        self.coordinates.dimension_names().chain(express).collect()
    }

    fn class(&self, link: LinkId) -> usize {
        match self.origin(link) {
            (_, Some((dimension, way))) if way < EXPRESS_WAY => dimension,
            _ => self.coordinates.dimensions(),
        }
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        if self.costs.links.is_empty() {
            return None; // where the link leads need not be looked up
        }
        let (_, way) = self.origin(link);
        way.and_then(|(dimension, way)| self.costs.link(self.cost_group(dimension, way)))
    }

    fn node_cost(&self, _node: NodeId) -> Option<LinkCost> {
        self.costs.node
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        // links along every dimension that has some leave the first router, with the first numbers
        let links = self.ways(RouterId(0)).enumerate();
        let links =
            links.map(|(link, (dimension, way))| (Part::Link(LinkId::new(link)), self.cost_group(dimension, way)));
        self.costs.summary(links, Part::Node(NodeId(0)))
    }

    /// Links of each dimension and way leave the first router that has one, and as many others as follow from the shape.
    fn groups(&self) -> Vec<LinkGroup> {
        let shape = self.coordinates.shape();
        let mut groups: Vec<LinkGroup> = Vec::new();
        for (dimension, way) in (0..shape.len()).flat_map(|dimension| (0..WAYS).map(move |way| (dimension, way))) {
            let links = self.with_way(dimension, way, shape[dimension]);
            let coordinate = (0..shape[dimension]).find(|&at| self.with_way(dimension, way, at + 1) > 0);
            let router = coordinate.map(|at| RouterId::new(at * self.coordinates.stride(dimension)));
            let Some((first, _)) = router.and_then(|router| self.by_way(router, dimension, way)) else { continue };
            let count = links * (self.coordinates.nodes() / shape[dimension]);
            let class = if way < EXPRESS_WAY { dimension } else { shape.len() };
            let cost = self.costs.link(self.cost_group(dimension, way));
            match groups.iter_mut().find(|group| (group.class, group.cost) == (class, cost)) {
                Some(group) => (group.first, group.count) = (group.first.min(first), group.count + count),
                None => groups.push(LinkGroup { class, cost, first, count }),
            }
        }
        groups.sort_by_key(|group| group.first);
        groups
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        let first = self.first(router.index());
        Box::new((first..self.first(router.index() + 1)).map(LinkId::new))
    }

    fn most_arriving(&self) -> usize {
        self.coordinates.dimensions() * if self.express.is_some() { WAYS } else { 2 }
    }

    fn most_nodes(&self) -> usize {
        self.nodes.concentration()
    }

    fn router_name(&self, router: RouterId) -> String {
        self.coordinates.node_name(NodeId(router.0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    /// A lattice of each kind.
    fn lattices() -> Vec<LatticeLinks> {
        let mesh = |shape: &[usize]| LatticeLinks::new(Coordinates::new(shape, false));
        let torus = |shape: &[usize]| LatticeLinks::new(Coordinates::new(shape, true));
        let twist = |across, shifts, by| Twist { across, shifts, by };
        vec![
            mesh(&[1]),
            mesh(&[3, 1, 4]),
            mesh(&[2, 2, 2]).with_concentration(3),
            mesh(&[13, 5]).with_express(3),
            mesh(&[9, 4, 8]).with_express(4),
            torus(&[4, 1, 5]),
            torus(&[2, 3]),
            torus(&[4, 4, 8]).with_twists(vec![twist(0, 2, 4), twist(1, 2, 4)]),
            torus(&[3, 4, 5]).with_directions(vec![Some(Direction::Plus), None, Some(Direction::Minus)]),
        ]
    }

    #[test]
    fn links_are_numbered_router_by_router() {
        for links in lattices() {
            let mut next = 0;
            for router in (0..links.routers()).map(RouterId::new) {
                assert_eq!(links.first(router.index()), next, "{links:?}");
                for (dimension, way) in links.ways(router) {
                    let link = links.by_way(router, dimension, way);
                    let to = links.end(router, dimension, way);
                    assert_eq!(link, Some((LinkId::new(next), to)));
                    assert!(to != router && to.index() < links.routers(), "{links:?}");
                    assert_eq!(links.ends(LinkId::new(next)), (router, to));
                    next += 1;
                }
                assert_eq!(links.leaving(router).last().map_or(next, |link| link.index() + 1), next);
            }
            assert_eq!(links.count(), next);
        }
    }

    #[test]
    fn every_link_that_may_lead_back_has_one_back() {
        for links in lattices().iter().filter(|links| links.directions.iter().all(Option::is_none)) {
            for router in (0..links.routers()).map(RouterId::new) {
                for (dimension, way) in links.ways(router) {
                    let to = links.end(router, dimension, way);
                    assert!(links.has(to, dimension, way ^ 1), "{links:?}");
                    assert_eq!(links.end(to, dimension, way ^ 1), router, "{links:?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_numbered_is_refused() {
        let torus = |shape: &[usize]| LatticeLinks::new(Coordinates::new(shape, true));
        let refused = |links: LatticeLinks| links.numbered(|| "a torus".to_owned()).is_err();
        assert!(refused(torus(&[1 << 20, 1 << 20, 1 << 40])));
        assert!(refused(torus(&[1 << 30, 2])));
        assert!(refused(torus(&[4]).with_concentration(usize::MAX)));
        assert!(!refused(torus(&[1 << 10, 1 << 10])));
    }

    #[test]
    fn routers_and_links_are_called_by_their_coordinates() {
        let links = LatticeLinks::new(Coordinates::new(&[9, 2], false)).with_express(4);
        let (express, end) = links.express_hop(RouterId(8), 0, Direction::Plus).unwrap();
        assert_eq!((links.link_name(express).as_str(), end), ("(4,0)->(8,0)", RouterId(16)));
        assert_eq!(links.node_name(NodeId(3)), "(1,1)");
        assert_eq!(links.with_concentration(2).node_name(NodeId(3)), "n3");
    }
}
