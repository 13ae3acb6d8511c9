//! Failed pairs of routers and failed routers, and the network that survives them.
//!
//! The unit of failure is a *pair*: two routers and all links between them. A router fails with its pairs and its nodes.
//! The surviving network keeps the numbers of routers, nodes and links of the intact one, so that paths and channels of both can
//! be compared. It does not depend on the kind of network, or on how failures are selected.

use super::{Attachment, Graph, Joint, LinkCost, Links};
use crate::units::{LinkId, NodeId, RouterId};
use serde::Serialize;
use std::collections::BTreeSet;

/// Two routers that links join, the lower number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RouterPair {
    /// The router with the lower number.
    pub low: RouterId,
    /// The router with the higher number.
    pub high: RouterId,
}

impl RouterPair {
    /// The pair of two routers, in whichever order.
    pub fn new(a: RouterId, b: RouterId) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }

    /// The pair that `link` joins.
    pub fn of_link(links: &dyn Links, link: LinkId) -> Self {
        let (from, to) = links.ends(link);
        Self::new(from, to)
    }

    /// Returns all pairs of `links` in ascending order.
    pub fn all(links: &dyn Links) -> Vec<Self> {
        let mut pairs: Vec<Self> = (0..links.count()).map(LinkId::new).map(|link| Self::of_link(links, link)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// Failed pairs and routers.
///
/// ```
/// use flitwise::topology::{Coordinates, Failures, LatticeLinks, RouterPair};
/// use flitwise::units::{LinkId, RouterId};
///
/// let line = LatticeLinks::new(Coordinates::mesh(&[3]));
/// let pairs = [RouterPair::new(RouterId(2), RouterId(1))].into_iter().collect();
/// let failures = Failures { pairs, ..Failures::default() };
/// // links 0 and 2 join routers 0 and 1, links 1 and 3 routers 1 and 2
/// assert_eq!([0, 1, 2, 3].map(|link| failures.is_failed(&line, LinkId(link))), [false, true, false, true]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// The failed pairs, apart from those that failed with a router.
    pub pairs: BTreeSet<RouterPair>,
    /// The failed routers.
    pub routers: BTreeSet<RouterId>,
}

impl Failures {
    /// Returns true if nothing has failed.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.routers.is_empty()
    }

    /// Returns true if `link` has failed, by itself or with a router.
    pub fn is_failed(&self, links: &dyn Links, link: LinkId) -> bool {
        self.has_pair(RouterPair::of_link(links, link))
    }

    fn has_pair(&self, pair: RouterPair) -> bool {
        let has_router = [pair.low, pair.high].iter().any(|router| self.routers.contains(router));
        has_router || self.pairs.contains(&pair)
    }
}

impl Graph {
    /// The part of `links` that survives `failures`, with the numbers of the intact network. Links whose cost is that of every channel take
    /// `flit_time` ticks a flit. Failed links keep their numbers, but leave and reach no router.
    pub fn surviving(links: &dyn Links, failures: &Failures, flit_time: u64) -> Self {
        let usual = LinkCost::without_delay(flit_time);
        let node = |node| Attachment { router: links.router_of(node), cost: links.node_cost(node).unwrap_or(usual) };
        let joint = |link| {
            let (from, to) = links.ends(link);
            Joint { from, to, cost: links.cost(link).unwrap_or(usual) }
        };
        let nodes = (0..links.nodes()).map(NodeId::new).map(node).collect();
        let joints = (0..links.count()).map(LinkId::new).map(joint).collect();
        let survives = |joint: &Joint| !failures.has_pair(RouterPair::new(joint.from, joint.to));
        Self::with_links_that(links.routers(), nodes, joints, survives)
    }
}
