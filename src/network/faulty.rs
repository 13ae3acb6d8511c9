//! A network with failures and slow links: the description, and the channels.
//!
//! Failures replace the routing ([`Rerouting`]), slow links only the costs of channels. Routers, nodes, links and their names are
//! those of the intact network.

use super::layout::Arrangement;
use super::rerouted::{RerouteError, Rerouted, Rerouting};
use super::{BuiltNetwork, ClosedForm, Cycle, Idle, NetworkError, NetworkSpec, Parameter, Remedy};
use crate::costs::Factor;
use crate::routing::tree::{HamiltonianLabels, TreePaths, link_of};
use crate::routing::{Lattice, LinkRouting, Network, Order};
use crate::topology::{
    Channels, Failures, Graph, Hop, LinkCost, Links, Origin, OwnCosts, Ports, RouterPair, SlowLinks, Torus,
};
use crate::units::{ChannelId, LinkId, Millionths, NodeId, RouterId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Slow pairs of routers, whose links take longer for a flit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlowPairs {
    /// The pairs.
    pub pairs: BTreeSet<RouterPair>,
    /// The factor by which flit times are longer.
    pub factor: Factor,
}

/// A network with failures and slow links.
#[derive(Debug)]
struct FaultySpec {
    intact: Arc<dyn NetworkSpec>,
    rerouting: Option<Rerouting>,
    /// The paths round failures, if links or routers can fail.
    rerouted: Option<Rerouted>,
    slow_pairs: SlowPairs,
    /// The links, of which some may be slow.
    links: Arc<SlowLinks>,
}

impl BuiltNetwork {
    /// This network with `failures`, on paths of `rerouting` round them, and with slow links. Links without a cost of their own take
    /// `flit_time` ticks a flit. Without a routing round failures it keeps its own, and nothing fails.
    ///
    /// # Errors
    /// If the routing does not suit what survives.
    pub fn with_faults(
        &self,
        rerouting: Option<&Rerouting>,
        failures: Failures,
        slow: SlowPairs,
        flit_time: u64,
    ) -> Result<Self, RerouteError> {
        let links = self.spec.links()?;
        let rerouted = match rerouting {
            Some(rerouting) => Some(rerouting.paths_round(links.as_ref(), Arc::new(failures))?),
            None => None,
        };
        let spec = FaultySpec {
            intact: Arc::clone(&self.spec),
            rerouting: rerouting.cloned(),
            rerouted,
            links: Arc::new(SlowLinks::new(links, &slow.pairs, slow.factor, flit_time)),
            slow_pairs: slow,
        };
        let network = spec.channels(rerouting.map(Rerouting::ports), &self.network)?;
        Ok(Self { kind: self.kind, spec: Arc::new(spec), network })
    }
}

impl FaultySpec {
    /// The channels with the routing of this network, those of the slow links slower. `intact` has them without faults.
    fn channels(&self, ports: Option<Ports>, intact: &Arc<dyn Network>) -> Result<Arc<dyn Network>, NetworkError> {
        let network: Arc<dyn Network> = match (&self.rerouted, ports) {
            (Some(rerouted), Some(ports)) => {
                let links = self.intact.links()?;
                Arc::new(Rerouting::network(links, rerouted, ports, || self.title())?)
            }
            _ => Arc::clone(intact),
        };
        if self.slow_pairs.pairs.is_empty() {
            return Ok(network);
        }
        let lattice = self.lattice();
        Ok(Arc::new(SlowNetwork::new(network, &self.links, lattice.as_ref())))
    }

    fn is_rerouted(&self) -> bool {
        self.rerouted.is_some()
    }

    fn unless_rerouted<T>(&self, value: impl FnOnce(&dyn NetworkSpec) -> Option<T>) -> Option<T> {
        if self.is_rerouted() { None } else { value(self.intact.as_ref()) }
    }
}

/// Pairs as the arrays of a scenario.
fn rows<'a>(pairs: impl IntoIterator<Item = &'a RouterPair>) -> Parameter {
    Parameter::Rows(pairs.into_iter().map(|pair| vec![pair.low.0.into(), pair.high.0.into()]).collect())
}

impl NetworkSpec for FaultySpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = self.intact.parameters();
        if let (Some(rerouting), Some(rerouted)) = (&self.rerouting, &self.rerouted) {
            const OF_ROUTINGS: [&str; 7] =
                ["routing", "root", "weight", "classes", "table", "parallel", "virtual_channels"];
            parameters.retain(|(name, _)| !OF_ROUTINGS.contains(name));
            parameters.extend(rerouting.parameters());
            parameters.push(("virtual_channels", Parameter::Integer(rerouted.virtual_channels)));
            let Failures { pairs, routers } = &*rerouted.failures;
            parameters.push(("failed_links", rows(pairs)));
            let routers = routers.iter().map(|router| router.0.into()).collect();
            parameters.push(("failed_routers", Parameter::Integers(routers)));
        }
        let SlowPairs { pairs, factor } = &self.slow_pairs;
        if !pairs.is_empty() {
            parameters.push(("slow_links", rows(pairs)));
            parameters.push(("slowdown", Parameter::Text(factor.to_string())));
        }
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let intact = self.intact.build(ports)?;
        self.channels(Some(ports), &intact)
    }

    fn title(&self) -> String {
        self.intact.title()
    }

    fn routing(&self) -> &'static str {
        self.rerouted.as_ref().map_or_else(|| self.intact.routing(), |rerouted| rerouted.routing)
    }

    fn shape(&self) -> Vec<u32> {
        self.intact.shape()
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        self.intact.router_shape()
    }

    fn lattice_of_nodes(&self) -> Option<Vec<u32>> {
        self.intact.lattice_of_nodes()
    }

    fn group_nodes(&self) -> Option<u32> {
        self.intact.group_nodes()
    }

    fn longest_path(&self) -> u64 {
        self.rerouted.as_ref().map_or_else(|| self.intact.longest_path(), |rerouted| 2 + rerouted.longest)
    }

    fn shortest_distance(&self) -> u64 {
        self.intact.shortest_distance()
    }

    fn mean_path(&self) -> u64 {
        self.rerouted.as_ref().map_or_else(|| self.intact.mean_path(), |rerouted| 2 + rerouted.mean)
    }

    fn virtual_channels(&self) -> u64 {
        self.rerouted.as_ref().map_or_else(|| self.intact.virtual_channels(), |rerouted| rerouted.virtual_channels)
    }

    fn own_virtual_channels(&self) -> Option<u64> {
        self.rerouted.as_ref().map(|rerouted| rerouted.paths.classes().into())
    }

    fn choosing(&self) -> Result<Option<Arc<dyn LinkRouting>>, NetworkError> {
        if self.is_rerouted() { Ok(None) } else { self.intact.choosing() }
    }

    fn cycle(&self) -> Option<Cycle> {
        match &self.rerouted {
            Some(rerouted) => rerouted.cycle(self.links.as_ref()),
            None => self.intact.cycle(),
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        let Some(rerouted) = &self.rerouted else { return self.intact.remedies() };
        let up_down =
            Remedy::set("router.routing", "up-down", "one virtual channel is enough, but paths can be longer");
        match rerouted.routing {
            "table" => vec![up_down.unset("router.table")],
            "shortest" => {
                let effect = "shortest paths with a virtual channel for each link of a path";
                vec![up_down, Remedy::set("router.classes", "hops", effect)]
            }
            _ => Vec::new(),
        }
    }

    fn parallel_advice(&self, idle: Idle) -> Option<&'static str> {
        self.unless_rerouted(|intact| intact.parallel_advice(idle))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::clone(&self.links) as Arc<dyn Links>)
    }

    fn intact_links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        self.intact.links()
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        self.unless_rerouted(|intact| intact.closed_form())
    }

    fn arrangement(&self) -> Arrangement {
        self.intact.arrangement()
    }

    fn lattice(&self) -> Option<Lattice> {
        self.unless_rerouted(|intact| intact.lattice())
    }

    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        if self.is_rerouted() { Ok(TreePaths::Unchecked) } else { self.intact.multicast_paths() }
    }

    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        if self.is_rerouted() { Ok(TreePaths::Network) } else { self.intact.reduction_paths() }
    }

    fn labels(&self) -> Option<HamiltonianLabels> {
        self.unless_rerouted(|intact| intact.labels())
    }

    fn torus(&self, ports: Ports) -> Option<Torus> {
        self.unless_rerouted(|intact| intact.torus(ports))
    }

    fn is_hypercube(&self) -> bool {
        !self.is_rerouted() && self.intact.is_hypercube()
    }

    fn surviving(&self) -> Option<Surviving> {
        let rerouted = self.rerouted.as_ref()?;
        let intact = self.intact.links().ok()?;
        Some(Surviving {
            failures: Arc::clone(&rerouted.failures),
            graph: Arc::clone(&rerouted.graph),
            connected_pairs: rerouted.paths.connected_pairs(),
            intact,
        })
    }

    fn slow_links(&self) -> Option<Arc<SlowLinks>> {
        (!self.slow_pairs.pairs.is_empty()).then(|| Arc::clone(&self.links))
    }
}

/// The surviving part of a network.
#[derive(Clone, Debug)]
pub struct Surviving {
    /// The failures.
    pub failures: Arc<Failures>,
    /// The surviving network. Failed links have their numbers, but leave and reach no router.
    pub graph: Arc<Graph>,
    /// The links of the intact network.
    pub intact: Arc<dyn Links>,
    /// Ordered pairs of different nodes with a path.
    pub connected_pairs: u128,
}

impl Surviving {
    /// The part of the ordered pairs of different nodes of the intact network that have a path, in millionths: all of one node.
    pub fn connected(&self) -> Millionths {
        let nodes = self.intact.nodes() as u128;
        connected(self.connected_pairs, nodes * nodes.saturating_sub(1))
    }

    /// Links that have not failed.
    pub fn link_count(&self) -> usize {
        let is_left = |link: &LinkId| !self.failures.is_failed(self.intact.as_ref(), *link);
        (0..self.intact.count()).map(LinkId::new).filter(is_left).count()
    }
}

/// The part that `pairs` are of `all`, rounded to millionths: all if there are none.
pub(crate) fn connected(pairs: u128, all: u128) -> Millionths {
    if all == 0 {
        return Millionths(1_000_000);
    }
    Millionths(u64::try_from((pairs * 2_000_000 + all) / (2 * all)).unwrap_or(u64::MAX))
}

/// A network with other costs of some channels. Everything else is that of the network.
struct SlowNetwork {
    network: Arc<dyn Network>,
    /// By the physical channel.
    costs: FxHashMap<ChannelId, LinkCost>,
    own_costs: Option<OwnCosts<ChannelId>>,
}

impl SlowNetwork {
    fn new(network: Arc<dyn Network>, links: &SlowLinks, lattice: Option<&Lattice>) -> Self {
        let channels = network.channels();
        let mut costs: Vec<(ChannelId, LinkCost)> = Vec::new();
        for channel in
            (0..channels.count()).map(ChannelId::new).filter(|&channel| channels.physical(channel) == channel)
        {
            let link = link_of(channels, links, lattice, channel);
            costs.extend(link.and_then(|link| links.slow_cost(link)).map(|cost| (channel, cost)));
        }
        let of_slow = OwnCosts::new(costs.iter().copied());
        let own_costs = [channels.own_costs(), of_slow].into_iter().flatten().reduce(OwnCosts::and);
        Self { costs: costs.into_iter().collect(), own_costs, network }
    }

    fn inner(&self) -> &dyn Channels {
        self.network.channels()
    }
}

impl fmt::Debug for SlowNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlowNetwork").field("costs", &self.costs).finish_non_exhaustive()
    }
}

impl Network for SlowNetwork {
    fn channels(&self) -> &dyn Channels {
        self
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        self.network.route(src, dst, path);
    }

    fn reaches(&self, src: NodeId, dst: NodeId) -> bool {
        self.network.reaches(src, dst)
    }

    fn paths(&self) -> Option<Arc<dyn LinkRouting>> {
        self.network.paths()
    }

    fn classes(&self) -> u8 {
        self.network.classes()
    }

    fn tree_class(&self) -> Option<u8> {
        self.network.tree_class()
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        self.network.hops(src, dst)
    }

    fn order(&self) -> Order {
        self.network.order()
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.network.chain_rank(node)
    }
}

impl Channels for SlowNetwork {
    fn nodes(&self) -> usize {
        self.inner().nodes()
    }

    fn count(&self) -> usize {
        self.inner().count()
    }

    fn ports(&self) -> usize {
        self.inner().ports()
    }

    fn ejection_ports(&self) -> usize {
        self.inner().ejection_ports()
    }

    fn injection(&self, node: NodeId) -> ChannelId {
        self.inner().injection(node)
    }

    fn ejection(&self, node: NodeId) -> ChannelId {
        self.inner().ejection(node)
    }

    fn virtual_channels(&self) -> usize {
        self.inner().virtual_channels()
    }

    fn physical(&self, channel: ChannelId) -> ChannelId {
        self.inner().physical(channel)
    }

    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        self.inner().hop(channel)
    }

    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        self.inner().leaving(router, port)
    }

    fn origin(&self, channel: ChannelId) -> Origin {
        self.inner().origin(channel)
    }

    fn class(&self, channel: ChannelId) -> Option<usize> {
        self.inner().class(channel)
    }

    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        let slow = self.costs.get(&self.inner().physical(channel)).copied();
        slow.or_else(|| self.inner().cost(channel))
    }

    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        self.own_costs
    }

    fn name(&self, channel: ChannelId) -> String {
        self.inner().name(channel)
    }
}
