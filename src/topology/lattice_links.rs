//! The links of a lattice: of a mesh, a torus or a hypercube.
//!
//! Routers are numbered row-major; each has one node of its number. Links are numbered by the router they leave and, within
//! it, per dimension towards larger and towards smaller coordinates; those that do not exist have no number.

use super::{Coordinates, Direction, Links};
use crate::units::{LinkId, NodeId, RouterId};

/// The links of a lattice.
#[derive(Clone, Debug)]
pub struct LatticeLinks {
    coordinates: Coordinates,
    /// Per router its first link, and their number.
    first: Vec<u32>,
}

impl LatticeLinks {
    /// The links between neighbours on `coordinates`.
    pub fn new(coordinates: Coordinates) -> Self {
        let mut first = vec![0];
        let mut links = 0;
        for router in 0..coordinates.nodes() {
            links += ports(&coordinates, RouterId::new(router)).count();
            first.push(LinkId::new(links).0);
        }
        Self { coordinates, first }
    }

    /// The link that leaves `router` by a port: for each dimension the one towards larger and the one towards smaller
    /// coordinates.
    pub fn by_port(&self, router: RouterId, port: usize) -> Option<LinkId> {
        let place = ports(&self.coordinates, router).position(|(other, _)| other == port)?;
        Some(LinkId::new(self.first[router.index()] as usize + place))
    }
}

/// The ports of `router` that links leave by, with where they lead.
fn ports(coordinates: &Coordinates, router: RouterId) -> impl Iterator<Item = (usize, RouterId)> + '_ {
    (0..2 * coordinates.dimensions()).filter_map(move |port| {
        let to = coordinates.neighbour(NodeId(router.0), port / 2, Direction::from_number(port))?;
        (to.0 != router.0).then_some((port, RouterId(to.0)))
    })
}

impl Links for LatticeLinks {
    fn nodes(&self) -> usize {
        self.coordinates.nodes()
    }

    fn routers(&self) -> usize {
        self.coordinates.nodes()
    }

    fn count(&self) -> usize {
        self.first.last().map_or(0, |&links| links as usize)
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        RouterId(node.0)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let router = self.first.partition_point(|&first| first <= link.0) - 1;
        let from = RouterId::new(router);
        let place = (link.0 - self.first[router]) as usize;
        let to = ports(&self.coordinates, from).nth(place).map_or(from, |(_, to)| to);
        (from, to)
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        Box::new((self.first[router.index()]..self.first[router.index() + 1]).map(LinkId))
    }

    fn router_name(&self, router: RouterId) -> String {
        let coordinates = self.coordinates.coordinates(NodeId(router.0));
        format!("({})", coordinates.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
    }
}
