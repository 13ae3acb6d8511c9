//! Links of which some take longer for a flit than the network has it.

use super::{LinkCost, Links, OwnCosts, Part, RouterPair};
use crate::costs::Factor;
use crate::units::{LinkId, NodeId, RouterId, Ticks};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The links of a network with other costs of some of them. Everything else is that of the network.
#[derive(Clone, Debug)]
pub struct SlowLinks {
    links: Arc<dyn Links>,
    /// The costs of the slow links.
    costs: FxHashMap<LinkId, LinkCost>,
    own_costs: Option<OwnCosts<Part>>,
}

impl SlowLinks {
    /// `links`, where flits take `factor` times as long over those of the `slow` pairs, rounded up to ticks. Links whose cost is that
    /// of every channel take `flit_time` ticks a flit otherwise.
    pub fn new(links: Arc<dyn Links>, slow: &BTreeSet<RouterPair>, factor: Factor, flit_time: u64) -> Self {
        let is_slow = |link: &LinkId| slow.contains(&RouterPair::of_link(links.as_ref(), *link));
        let slowed = |link| {
            let LinkCost { flit_time, delay } = links.cost(link).unwrap_or(LinkCost::without_delay(flit_time));
            (link, LinkCost { flit_time: Ticks(factor.times(flit_time.0)), delay })
        };
        let listed: Vec<(LinkId, LinkCost)> = (0..links.count()).map(LinkId::new).filter(is_slow).map(slowed).collect();
        let of_slow = OwnCosts::new(listed.iter().map(|&(link, cost)| (Part::Link(link), cost)));
        let own_costs = [links.own_costs(), of_slow].into_iter().flatten().reduce(OwnCosts::and);
        Self { links, costs: listed.into_iter().collect(), own_costs }
    }

    /// The slow links with their costs, in no particular order.
    pub fn slow(&self) -> impl Iterator<Item = (LinkId, LinkCost)> + '_ {
        self.costs.iter().map(|(&link, &cost)| (link, cost))
    }

    /// The cost of `link`, if it is slow.
    pub fn slow_cost(&self, link: LinkId) -> Option<LinkCost> {
        self.costs.get(&link).copied()
    }
}

impl Links for SlowLinks {
    fn nodes(&self) -> usize {
        self.links.nodes()
    }

    fn routers(&self) -> usize {
        self.links.routers()
    }

    fn count(&self) -> usize {
        self.links.count()
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        self.links.router_of(node)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        self.links.ends(link)
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        self.links.leaving(router)
    }

    fn arrival(&self, link: LinkId) -> u32 {
        self.links.arrival(link)
    }

    fn most_arriving(&self) -> usize {
        self.links.most_arriving()
    }

    fn most_nodes(&self) -> usize {
        self.links.most_nodes()
    }

    fn node_name(&self, node: NodeId) -> String {
        self.links.node_name(node)
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        self.slow_cost(link).or_else(|| self.links.cost(link))
    }

    fn node_cost(&self, node: NodeId) -> Option<LinkCost> {
        self.links.node_cost(node)
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        self.own_costs
    }

    fn router_name(&self, router: RouterId) -> String {
        self.links.router_name(router)
    }

    fn link_name(&self, link: LinkId) -> String {
        self.links.link_name(link)
    }
}
