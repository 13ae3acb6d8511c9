//! Routers, the nodes that hang on them, and the directed links between routers.
//!
//! Links are numbered from 0; those of generated networks by the router they leave and, within it, by port. A link knows
//! no virtual channels: what engines run on are channels ([`super::Channels`]), of which a link may have several.

use super::{LINK_CLASS, LinkCost, OwnCosts, Part};
use crate::units::{LinkId, NodeId, RouterId};
use rustc_hash::FxHashMap;
use std::fmt;

/// Links of a class that cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkGroup {
    /// The index of the class.
    pub class: usize,
    /// Their cost, if it is not that of every channel.
    pub cost: Option<LinkCost>,
    /// The link with the lowest number.
    pub first: LinkId,
    /// The number of links.
    pub count: usize,
}

/// Routers with their nodes and links.
pub trait Links: fmt::Debug + Send + Sync {
    /// The number of nodes.
    fn nodes(&self) -> usize;

    /// The number of routers.
    fn routers(&self) -> usize;

    /// The number of links.
    fn count(&self) -> usize;

    /// The router that `node` hangs on.
    fn router_of(&self, node: NodeId) -> RouterId;

    /// The router that `link` leaves and the one that it leads to.
    fn ends(&self, link: LinkId) -> (RouterId, RouterId);

    /// The links that leave `router`, in the order of their numbers; found among all unless the topology knows them.
    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        Box::new((0..self.count()).map(LinkId::new).filter(move |&link| self.ends(link).0 == router))
    }

    /// The place of `link` among those that lead to the same router, in an order of them.
    fn arrival(&self, link: LinkId) -> u32 {
        link.0
    }

    /// All links in groups, each of links of one class that cost the same, in the order of their first links. Found by visiting all
    /// links unless the topology is regular.
    fn groups(&self) -> Vec<LinkGroup> {
        let mut groups: Vec<LinkGroup> = Vec::new();
        let mut indices: FxHashMap<(usize, Option<LinkCost>), usize> = FxHashMap::default();
        for link in (0..self.count()).map(LinkId::new) {
            let class = self.class(link);
            let cost = self.cost(link);
            let index = *indices.entry((class, cost)).or_insert(groups.len());
            match groups.get_mut(index) {
                Some(group) => group.count += 1,
                None => groups.push(LinkGroup { class, cost, first: link, count: 1 }),
            }
        }
        groups
    }

    /// The most links that lead to a router, or a bound on it.
    fn most_arriving(&self) -> usize {
        self.count()
    }

    /// The most nodes that hang on a router, or a bound on it.
    fn most_nodes(&self) -> usize {
        self.nodes()
    }

    /// What people call `node`: its number, or its coordinates in brackets where each router has one.
    fn node_name(&self, node: NodeId) -> String {
        let router = self.router_name(self.router_of(node));
        if self.most_nodes() == 1 && router.starts_with('(') { router } else { format!("n{node}") }
    }

    /// The names of the classes of links, such as `dim0` and `dim1`, in the order of their indices. All links are of one class
    /// unless the topology has several.
    fn classes(&self) -> Vec<String> {
        vec![LINK_CLASS.to_owned()]
    }

    /// The index of the class of `link` in [`Self::classes`].
    fn class(&self, link: LinkId) -> usize {
        let _ = link;
        0
    }

    /// What `link` takes, if it is not what every channel does.
    fn cost(&self, _link: LinkId) -> Option<LinkCost> {
        None
    }

    /// What injection and ejection of `node` take, if it is not what every channel does.
    fn node_cost(&self, _node: NodeId) -> Option<LinkCost> {
        None
    }

    /// What there is to say of these costs; none if no part has one of its own.
    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        None
    }

    /// What people call `router`: its number, or its coordinates in brackets.
    fn router_name(&self, router: RouterId) -> String {
        router.to_string()
    }

    /// What people call `link`, such as `(0)->(3)`; of parallel links the second is `(0)->(3) #1`.
    fn link_name(&self, link: LinkId) -> String {
        let (from, to) = self.ends(link);
        let before = self.leaving(from).take_while(|&other| other != link).filter(|&other| self.ends(other).1 == to);
        let [start, end] = [from, to].map(|router| bracketed(&self.router_name(router)));
        let name = format!("{start}->{end}");
        match before.count() {
            0 => name,
            parallel => format!("{name} #{parallel}"),
        }
    }
}

/// The name of a router as names of links have it: coordinates such as `(0,1)` and `i(0,1)` as they are, others in brackets.
pub(crate) fn bracketed(name: &str) -> String {
    if name.starts_with('(') || name.ends_with(')') { name.to_owned() } else { format!("({name})") }
}
