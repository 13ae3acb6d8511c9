//! One-way tori side by side: as many networks on chips have, one for each direction, with nothing in common but the places of
//! their routers.

use super::{Direction, LatticeLinks, Links};
use crate::units::{LinkId, NodeId, RouterId};

/// One-way tori of one shape, whose routers and links are numbered one torus after the other, each router with a node.
#[derive(Clone, Debug)]
pub struct SideBySide {
    tori: Vec<LatticeLinks>,
}

impl SideBySide {
    /// The torus of `links` alone or, if it is `mirrored`, beside another one with all links the other way round.
    pub fn new(links: LatticeLinks, mirrored: bool) -> Self {
        let dimensions = links.coordinates().dimensions();
        let opposite = |dimension| match links.direction(dimension) {
            Some(Direction::Plus) => Some(Direction::Minus),
            Some(Direction::Minus) => Some(Direction::Plus),
            None => None,
        };
        let mirror = links.clone().with_directions((0..dimensions).map(opposite).collect());
        Self { tori: if mirrored { vec![links, mirror] } else { vec![links] } }
    }

    /// How many tori there are.
    pub fn tori(&self) -> usize {
        self.tori.len()
    }

    /// The torus with this number.
    ///
    /// # Panics
    /// If there is no such torus.
    pub fn torus(&self, number: usize) -> &LatticeLinks {
        &self.tori[number]
    }

    /// Routers of a torus.
    pub fn routers_each(&self) -> usize {
        self.tori[0].routers()
    }

    /// Links of a torus.
    fn links_each(&self) -> usize {
        self.tori[0].count()
    }

    /// The torus of `router`, and its number there.
    pub fn place(&self, router: RouterId) -> (usize, RouterId) {
        let each = self.routers_each();
        (router.index() / each, RouterId::new(router.index() % each))
    }

    /// The router with the number `router` in torus `torus`.
    pub fn router(&self, torus: usize, router: RouterId) -> RouterId {
        RouterId::new(torus * self.routers_each() + router.index())
    }

    /// The link from `router` along `dimension` the only way, and the router that it leads to; none along a dimension of one
    /// router.
    pub fn hop(&self, router: RouterId, dimension: usize) -> Option<(LinkId, RouterId)> {
        let (number, at) = self.place(router);
        let torus = &self.tori[number];
        let (link, to) = torus.hop(at, dimension, torus.direction(dimension)?)?;
        Some((LinkId::new(number * self.links_each() + link.index()), self.router(number, to)))
    }

    /// The torus of `link`, and its number there.
    pub fn link_at(&self, link: LinkId) -> (usize, LinkId) {
        let each = self.links_each();
        (link.index() / each, LinkId::new(link.index() % each))
    }

    fn named(&self, number: usize, name: String) -> String {
        if self.tori.len() == 1 { name } else { format!("noc {number} {name}") }
    }
}

impl Links for SideBySide {
    fn nodes(&self) -> usize {
        self.routers()
    }

    fn routers(&self) -> usize {
        self.tori.len() * self.routers_each()
    }

    fn count(&self) -> usize {
        self.tori.len() * self.links_each()
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        RouterId(node.0)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let (number, link) = self.link_at(link);
        let (from, to) = self.tori[number].ends(link);
        (self.router(number, from), self.router(number, to))
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        let (number, at) = self.place(router);
        let first = number * self.links_each();
        Box::new(self.tori[number].leaving(at).map(move |link| LinkId::new(first + link.index())))
    }

    fn arrival(&self, link: LinkId) -> u32 {
        let (number, link) = self.link_at(link);
        self.tori[number].arrival(link)
    }

    fn classes(&self) -> Vec<String> {
        self.tori[0].classes()
    }

    fn class(&self, link: LinkId) -> usize {
        let (number, link) = self.link_at(link);
        self.tori[number].class(link)
    }

    fn most_arriving(&self) -> usize {
        self.tori[0].most_arriving()
    }

    fn most_nodes(&self) -> usize {
        1
    }

    fn node_name(&self, node: NodeId) -> String {
        self.router_name(RouterId(node.0))
    }

    fn router_name(&self, router: RouterId) -> String {
        let (number, at) = self.place(router);
        self.named(number, self.tori[number].router_name(at))
    }

    fn link_name(&self, link: LinkId) -> String {
        let (number, link) = self.link_at(link);
        self.named(number, self.tori[number].link_name(link))
    }
}
