//! The dragonfly: groups of routers that are all joined to each other, and links between all groups.
//!
//! A group has `a` routers, each with `p` nodes, a link to each other router of its group and `h` global links. Of `g` groups
//! each pair has `a h / (g - 1)` global links. Router `r` of group `G` has number `G a + r`. Links are numbered by the router
//! that they leave: its local links by the router they lead to, then its global links.
//!
//! ```text
//!   group G                                        group t
//!   r = 0   1   2  .. a-1     global port q = r h + j     q' = copy (g - 1) + place of G
//!   | | |                     place = q mod (g - 1)       router q' / h of the group
//!   j = 0 .. h-1              copy  = q / (g - 1)
//! ```
//!
//! Global port `q` of group `G` leads to the group that stands in `place` among the others, and is that `copy` of the pair's
//! links; it arrives where the same copy leads back.
//!
//! Source: Kim, Dally, Scott and Abts, *Technology-driven, highly-scalable dragonfly topology*, ISCA 2008; the arrangement of
//! global links is the absolute one, with equal copies where there are fewer groups.

use super::layout::numbered;
use super::{GroupCosts, LinkCost, Links, OwnCosts, Part, TopologyError};
use crate::units::{LinkId, NodeId, RouterId};

/// How large a dragonfly is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragonflySize {
    /// Nodes of a router, `p`.
    pub nodes: usize,
    /// Routers of a group, `a`.
    pub routers: usize,
    /// Global links of a router, `h`.
    pub global: usize,
    /// Groups, `g`.
    pub groups: usize,
}

/// The names of the classes of links within groups and between them.
pub(crate) const DRAGONFLY_CLASSES: [&str; 2] = ["local", "global"];

/// A dragonfly.
#[derive(Clone, Debug)]
pub struct Dragonfly {
    size: DragonflySize,
    /// Costs of local and of global links.
    costs: GroupCosts,
}

/// What the links of a dragonfly take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragonflyCosts {
    /// Those within a group.
    pub local: LinkCost,
    /// Those between groups.
    pub global: LinkCost,
}

impl From<DragonflyCosts> for GroupCosts {
    fn from(DragonflyCosts { local, global }: DragonflyCosts) -> Self {
        vec![local, global].into()
    }
}

impl Dragonfly {
    /// The dragonfly of such a `size`; `what` is the network in a few words.
    ///
    /// # Errors
    /// If there are no nodes, routers or global links, global links cannot be shared among two or more groups alike, or
    /// channels cannot be numbered with 32 bits.
    pub fn new(size: DragonflySize, what: impl Fn() -> String) -> Result<Self, TopologyError> {
        let DragonflySize { nodes, routers, global, groups } = size;
        let ports = routers as u128 * global as u128;
        let others = (groups as u128).saturating_sub(1);
        if nodes == 0 || others == 0 || ports == 0 || !ports.is_multiple_of(others) {
            return Err(TopologyError::Groups);
        }
        let all = groups as u128 * routers as u128;
        let of_router = 2 * nodes as u128 + (routers - 1) as u128 + global as u128;
        numbered(&what, all.saturating_mul(of_router))?;
        Ok(Self { size, costs: GroupCosts::default() })
    }

    /// Sets the costs of local and of global links, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: impl Into<GroupCosts>) -> Self {
        Self { costs: costs.into(), ..self }
    }

    /// The group of `router`.
    pub fn group(&self, router: RouterId) -> usize {
        router.index() / self.size.routers
    }

    /// The link from `from` to another router of its group.
    pub fn local(&self, from: RouterId, to: RouterId) -> LinkId {
        let own = from.index() % self.size.routers;
        let other = to.index() % self.size.routers;
        LinkId::new(from.index() * self.ports() + if other > own { other - 1 } else { other })
    }

    /// The global link from `group` to group `other` that `chooser` selects: its number mod the links between two groups.
    pub fn between(&self, group: usize, other: usize, chooser: usize) -> GlobalPort {
        self.port(group, other, chooser % self.copies())
    }

    /// The number of global links from a group to each other one.
    pub fn copies(&self) -> usize {
        self.size.routers * self.size.global / (self.size.groups - 1)
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.size.groups
    }

    /// The global link of `port`.
    pub fn global(&self, port: GlobalPort) -> LinkId {
        let place = self.size.routers - 1 + port.number % self.size.global;
        LinkId::new(self.router(port).index() * self.ports() + place)
    }

    /// The router that has `port`.
    pub fn router(&self, port: GlobalPort) -> RouterId {
        RouterId::new(port.group * self.size.routers + port.number / self.size.global)
    }

    /// The port that the global link of `port` arrives at.
    pub fn other_end(&self, port: GlobalPort) -> GlobalPort {
        let others = self.size.groups - 1;
        let place = port.number % others;
        let to = if place >= port.group { place + 1 } else { place };
        self.port(to, port.group, port.number / others)
    }

    /// Links that leave a router.
    fn ports(&self) -> usize {
        self.size.routers - 1 + self.size.global
    }

    /// The port with that `copy` of the links between two groups.
    fn port(&self, group: usize, to: usize, copy: usize) -> GlobalPort {
        let place = if to > group { to - 1 } else { to };
        GlobalPort { group, number: copy * (self.size.groups - 1) + place }
    }
}

/// A global port of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalPort {
    /// The group.
    pub group: usize,
    /// Its number among those of the group, from 0.
    pub number: usize,
}

impl Links for Dragonfly {
    fn nodes(&self) -> usize {
        self.routers() * self.size.nodes
    }

    fn routers(&self) -> usize {
        self.size.groups * self.size.routers
    }

    fn count(&self) -> usize {
        self.routers() * self.ports()
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        RouterId::new(node.index() / self.size.nodes)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let from = RouterId::new(link.index() / self.ports());
        let port = link.index() % self.ports();
        let own = from.index() % self.size.routers;
        let Some(global) = port.checked_sub(self.size.routers - 1) else {
            let other = if port >= own { port + 1 } else { port };
            return (from, RouterId::new(from.index() - own + other));
        };
        let port = GlobalPort { group: self.group(from), number: own * self.size.global + global };
        (from, self.router(self.other_end(port)))
    }

    fn classes(&self) -> Vec<String> {
        DRAGONFLY_CLASSES.map(str::to_owned).to_vec()
    }

    fn class(&self, link: LinkId) -> usize {
        usize::from(link.index() % self.ports() >= self.size.routers - 1)
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        self.costs.link(self.class(link))
    }

    fn node_cost(&self, _node: NodeId) -> Option<LinkCost> {
        self.costs.node
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        // those of the first router: its local links, then its global ones
        let links = (0..self.ports()).map(LinkId::new).map(|link| (Part::Link(link), self.class(link)));
        self.costs.summary(links, Part::Node(NodeId(0)))
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        let first = router.index() * self.ports();
        Box::new((first..first + self.ports()).map(LinkId::new))
    }

    /// Every link has one back.
    fn most_arriving(&self) -> usize {
        self.ports()
    }

    fn most_nodes(&self) -> usize {
        self.size.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dragonfly(nodes: usize, routers: usize, global: usize, groups: usize) -> Result<Dragonfly, TopologyError> {
        Dragonfly::new(DragonflySize { nodes, routers, global, groups }, || "a dragonfly".to_owned())
    }

    #[test]
    fn links_are_numbered_as_documented() -> Result<(), TopologyError> {
        let network = dragonfly(2, 4, 2, 5)?;
        assert_eq!((network.nodes(), network.routers(), network.count()), (40, 20, 100));
        // router 1 of group 1: local links to 4, 6, 7; global ports 2, 3 lead to groups 3, 4
        let ends: Vec<_> = network.leaving(RouterId(5)).map(|link| (link.0, network.ends(link).1.0)).collect();
        assert_eq!(ends, [(25, 4), (26, 6), (27, 7), (28, 12), (29, 16)]);
        Ok(())
    }

    #[test]
    fn every_link_has_one_back_and_groups_are_joined_alike() -> Result<(), TopologyError> {
        for [routers, global, groups] in [[1, 4, 5], [2, 1, 3], [4, 2, 9], [4, 2, 3], [3, 2, 2], [4, 3, 7]] {
            let network = dragonfly(1, routers, global, groups)?;
            let mut between = vec![0; groups * groups];
            for link in (0..network.count()).map(LinkId::new) {
                let (from, to) = network.ends(link);
                let here = network.leaving(from).filter(|&other| network.ends(other).1 == to).count();
                let back = network.leaving(to).filter(|&back| network.ends(back).1 == from).count();
                assert_eq!(here, back, "{routers} {global} {groups}: {from} {to}");
                assert!(network.leaving(from).any(|other| other == link) && from != to);
                between[network.group(from) * groups + network.group(to)] += 1;
            }
            for (pair, &links) in between.iter().enumerate() {
                let inside = pair / groups == pair % groups;
                let expected = if inside { routers * (routers - 1) } else { routers * global / (groups - 1) };
                assert_eq!(links, expected);
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_no_dragonfly_or_too_large_is_refused() {
        for [nodes, routers, global, groups] in [[0, 2, 1, 3], [1, 0, 1, 2], [1, 2, 0, 2], [1, 2, 1, 1], [1, 4, 2, 4]] {
            assert_eq!(dragonfly(nodes, routers, global, groups).err(), Some(TopologyError::Groups));
        }
        for huge in [1 << 20, 1 << 40] {
            let error = dragonfly(1, huge, 1, huge + 1).err();
            assert!(matches!(error, Some(TopologyError::TooLarge { .. })), "{error:?}");
        }
    }
}
