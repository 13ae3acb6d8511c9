//! How the ports of routers are wired and numbered.
//!
//! Virtual channels are numbered with powers of two between them, so that shifts take numbers apart:
//! `vc = router << stride_bits | port << vc_bits | vc of the port`. An input vc and the output vc of the same
//! number have nothing in common but the number. Beyond the output vcs of routers come those of the sources.

use super::RouterCosts;
use crate::routing::{Pace, PortAt, Routing, Wiring};
use crate::topology::Origin;
use crate::units::{ChannelId, NodeId, RouterId, narrow};

/// Where nothing leads.
pub(super) const NOWHERE: u32 = u32::MAX;

pub(super) struct Fabric {
    pub(super) routers: u32,
    /// Ports of a router, those of its nodes last.
    pub(super) ports: u32,
    /// The first port of its nodes.
    pub(super) local: u32,
    /// Injection and ejection channels of a node: ports from `local` on, one numbering for both.
    pub(super) injections: u32,
    pub(super) ejections: u32,
    nodes: u32,
    /// Per node its router and its first port there; empty where node and router have one number, and `local` is the port.
    places: Vec<PortAt>,
    /// Per output port, and then per source, what its channel takes; empty where all take a cycle.
    paces: Vec<Pace>,
    /// Flits of the buffer behind a channel that takes a cycle, and of the largest buffer.
    buffer: u32,
    pub(super) largest_buffer: u32,
    /// Buffer sizes by channel, in the order of the paces. Empty if all are equal.
    buffers: Vec<u32>,
    /// Virtual channels of a port.
    pub(super) vcs: u32,
    pub(super) vc_bits: u32,
    pub(super) stride_bits: u32,
    /// The bits of a vc that say which of its router it is, and which of its port.
    pub(super) mask_of_router: u32,
    pub(super) mask_within: u32,
    /// How many words of a set of vcs a router has, and which bits of each, from its first vc on.
    pub(super) words: u32,
    pub(super) mask: u64,
    /// The same of a port, from its first vc on.
    pub(super) port_mask: u64,
}

impl Fabric {
    pub(super) fn new(routes: &dyn Routing, costs: &RouterCosts) -> Self {
        let wiring = routes.wiring();
        let fabric = Self::numbered(routes, costs);
        let place = |node| {
            let PortAt { router, port } = wiring.place(node);
            PortAt { router, port: fabric.local + port * fabric.of_node() }
        };
        let alike = (0..fabric.nodes).all(|node| wiring.place(node) == PortAt { router: node, port: 0 });
        let places = if alike { Vec::new() } else { (0..fabric.nodes).map(place).collect() };
        let fabric = Self { places, ..fabric };
        let paces = if wiring.is_even() { Vec::new() } else { fabric.paces(wiring) };
        let mut buffers: Vec<u32> = paces.iter().map(|&pace| costs.buffer_behind(pace)).collect();
        let largest_buffer = buffers.iter().copied().fold(fabric.buffer, u32::max);
        if buffers.iter().all(|&buffer| buffer == fabric.buffer) {
            buffers.clear();
        }
        Self { paces, buffers, largest_buffer, ..fabric }
    }

    fn paces(&self, wiring: &dyn Wiring) -> Vec<Pace> {
        let mut paces = vec![Pace::EVEN; self.all_vcs() >> self.vc_bits];
        for router in 0..self.routers {
            for port in 0..self.local {
                paces[(self.vc(router, port) >> self.vc_bits) as usize] = wiring.pace(PortAt { router, port });
            }
        }
        for node in 0..self.nodes {
            let pace = wiring.node_pace(node);
            let PortAt { router, port } = self.place(node);
            let ejections = (0..self.ejections).map(|at| self.vc(router, port + at));
            let injections = (0..self.injections).map(|at| self.source(node * self.injections + at));
            for vc in ejections.chain(injections) {
                paces[(vc >> self.vc_bits) as usize] = pace;
            }
        }
        paces
    }

    /// Whether every channel takes a cycle for a flit, without delay.
    #[inline]
    pub(super) fn is_even(&self) -> bool {
        self.paces.is_empty()
    }

    /// What the channel takes of output or source vc `vc`.
    #[inline]
    pub(super) fn pace(&self, vc: u32) -> Pace {
        if self.is_even() { Pace::EVEN } else { self.paces[(vc >> self.vc_bits) as usize] }
    }

    /// Flits that the buffer behind output or source vc `vc` holds.
    #[inline]
    pub(super) fn buffer(&self, vc: u32) -> u32 {
        if self.has_one_buffer() { self.buffer } else { self.buffers[(vc >> self.vc_bits) as usize] }
    }

    /// True if all buffers hold equally many flits.
    #[inline]
    pub(super) fn has_one_buffer(&self) -> bool {
        self.buffers.is_empty()
    }

    /// The most cycles that a channel takes for a flit, and the longest delay of one.
    pub(super) fn slowest(&self) -> Pace {
        let slower = |a: Pace, b: &Pace| Pace { flit: a.flit.max(b.flit), delay: a.delay.max(b.delay) };
        self.paces.iter().fold(Pace::EVEN, slower)
    }

    /// What numbers follow from, without the places of nodes.
    fn numbered(routes: &dyn Routing, costs: &RouterCosts) -> Self {
        let wiring = routes.wiring();
        let routers = narrow(wiring.routers(), "routers are numbered with 32 bits");
        let nodes = narrow(wiring.nodes(), "nodes are numbered with 32 bits");
        let few = |ports: usize| narrow::<u32, _>(ports, "a router has at most 64 ports");
        let local = few(wiring.link_ports());
        let injections = costs.injection_ports;
        let ejections = costs.ejection_ports;
        let of_node = injections.max(ejections);
        let ports = local + few(wiring.most_nodes()) * of_node;
        let vcs = u32::from(routes.virtual_channels());
        let vc_bits = vcs.next_power_of_two().ilog2();
        let stride_bits = (ports << vc_bits).next_power_of_two().ilog2();
        let (words, mask) = match stride_bits {
            wide @ 6.. => (1 << (wide - 6), u64::MAX),
            few => (1, (1 << (1 << few)) - 1),
        };
        let places = Vec::new();
        let paces = Vec::new();
        let buffer = costs.buffer_behind(Pace::EVEN);
        Self {
            routers,
            ports,
            local,
            injections,
            ejections,
            nodes,
            places,
            paces,
            buffer,
            largest_buffer: buffer,
            buffers: Vec::new(),
            vcs,
            vc_bits,
            stride_bits,
            mask_of_router: (1 << stride_bits) - 1,
            mask_within: (1 << vc_bits) - 1,
            words,
            mask,
            port_mask: u64::MAX >> (64 - vcs.next_power_of_two().min(64)),
        }
    }

    /// Virtual channels of all routers, numbers that none has included.
    pub(super) fn router_vcs(&self) -> usize {
        (self.routers as usize) << self.stride_bits
    }

    /// Virtual channels of all routers and sources.
    pub(super) fn all_vcs(&self) -> usize {
        self.router_vcs() + (self.sources() << self.vc_bits)
    }

    /// Sources: one for each injection channel, those of a node side by side.
    pub(super) fn sources(&self) -> usize {
        self.nodes as usize * self.injections as usize
    }

    /// Whether every router has a node, which has its number.
    #[inline]
    pub(super) fn has_a_node_each(&self) -> bool {
        self.places.is_empty()
    }

    /// The router of `node`, and the first of its ports there.
    #[inline]
    pub(super) fn place(&self, node: u32) -> PortAt {
        match self.places.get(node as usize) {
            Some(&place) => place,
            None => PortAt { router: node, port: self.local },
        }
    }

    /// The node of a source.
    #[inline]
    pub(super) fn node(&self, source: u32) -> u32 {
        if self.injections == 1 { source } else { source / self.injections }
    }

    /// Which injection channel of its node a source is.
    #[inline]
    pub(super) fn channel(&self, source: u32) -> u32 {
        if self.injections == 1 { 0 } else { source % self.injections }
    }

    /// The first vc of `port` of `router`.
    #[inline]
    pub(super) fn vc(&self, router: u32, port: u32) -> u32 {
        router << self.stride_bits | port << self.vc_bits
    }

    /// The first vc of a source.
    pub(super) fn source(&self, source: u32) -> u32 {
        (self.routers << self.stride_bits) + (source << self.vc_bits)
    }

    /// The first input vc of a router that a source feeds.
    pub(super) fn entry(&self, source: u32) -> u32 {
        let node = self.node(source);
        let PortAt { router, port } = self.place(node);
        self.vc(router, port + source - node * self.injections)
    }

    /// The router of a vc.
    #[inline]
    pub(super) fn router(&self, vc: u32) -> u32 {
        vc >> self.stride_bits
    }

    /// The port of a vc at its router.
    #[inline]
    pub(super) fn port(&self, vc: u32) -> u32 {
        (vc & self.mask_of_router) >> self.vc_bits
    }

    /// The vcs of the port that bit `at` of a word of vcs belongs to, in that word.
    #[inline]
    pub(super) fn same_port(&self, at: u32) -> u64 {
        self.port_mask << (at >> self.vc_bits << self.vc_bits)
    }

    /// The vc within its port.
    #[inline]
    pub(super) fn within(&self, vc: u32) -> u32 {
        vc & self.mask_within
    }

    /// The first vc of the router of `vc`.
    #[inline]
    pub(super) fn first_of_router(&self, vc: u32) -> u32 {
        vc & !self.mask_of_router
    }

    /// The word of a set of vcs that those of `router` are in, and which of its bits they are; where all are in one.
    #[inline]
    pub(super) fn bits_of(&self, router: u32) -> (u32, u64) {
        let first = router << self.stride_bits;
        (first / u64::BITS, self.mask << (first % u64::BITS))
    }

    /// The first vc of the port of `vc`.
    #[inline]
    pub(super) fn first_of_port(&self, vc: u32) -> usize {
        (vc & !self.mask_within) as usize
    }

    fn port_of(&self, vc: u32) -> PortAt {
        PortAt { router: self.router(vc), port: self.port(vc) }
    }

    /// The input vc that output vc `vc` leads to; [`NOWHERE`] for nodes and ports without a link.
    pub(super) fn down(&self, vc: u32, wiring: &dyn Wiring) -> u32 {
        if self.port(vc) >= self.local {
            return NOWHERE;
        }
        self.number(wiring.leads_to(self.port_of(vc)), vc)
    }

    /// The output vc that feeds input vc `vc` by a link; [`NOWHERE`] where none does.
    pub(super) fn up(&self, vc: u32, wiring: &dyn Wiring) -> u32 {
        if self.port(vc) >= self.local {
            return NOWHERE;
        }
        self.number(wiring.comes_from(self.port_of(vc)), vc)
    }

    /// The vc at `place` that is what `vc` is within its port.
    fn number(&self, place: Option<PortAt>, vc: u32) -> u32 {
        place.map_or(NOWHERE, |PortAt { router, port }| self.vc(router, port) | self.within(vc))
    }

    /// Ports that a node has in the numbering of either.
    fn of_node(&self) -> u32 {
        self.injections.max(self.ejections)
    }

    /// The node that leaves by the port of `vc`, which is none of a link, and by which of its channels.
    fn channel_of_node(&self, vc: u32, wiring: &dyn Wiring) -> Option<(u32, u32)> {
        let PortAt { router, port } = self.port_of(vc);
        let at = port - self.local;
        let node = wiring.node_at(PortAt { router, port: at / self.of_node() })?;
        Some((node, at % self.of_node()))
    }
}

/// The name of a channel as the engine numbers virtual channels, as people write it: of a link, of an injection or of an
/// ejection channel.
pub fn channel_name(routes: &dyn Routing, costs: &RouterCosts, channel: ChannelId) -> String {
    let fabric = Fabric::numbered(routes, costs);
    let wiring = routes.wiring();
    let numbered = |kind: &str, node: u32, at: u32, all: u32| {
        let port = if all > 1 { format!(" port {at}") } else { String::new() };
        format!("{kind} {}{port}", wiring.node_name(node))
    };
    let vc = channel.0;
    if channel.index() >= fabric.router_vcs() {
        let source = (vc - fabric.source(0)) >> fabric.vc_bits;
        let node = fabric.node(source);
        return numbered("injection", node, source - node * fabric.injections, fabric.injections);
    }
    if fabric.port(vc) >= fabric.local {
        let named =
            fabric.channel_of_node(vc, wiring).map(|(node, at)| numbered("ejection", node, at, fabric.ejections));
        return named.unwrap_or_default();
    }
    link_name(routes, fabric.port_of(vc), fabric.within(vc))
}

/// How many numbers of virtual channels there are, those that are no channel's included.
pub fn channel_count(routes: &dyn Routing, costs: &RouterCosts) -> usize {
    Fabric::numbered(routes, costs).all_vcs()
}

/// Where a channel comes from, as the engine numbers virtual channels; none of a number that no channel has.
pub fn origin(routes: &dyn Routing, costs: &RouterCosts, channel: ChannelId) -> Option<Origin> {
    let fabric = Fabric::numbered(routes, costs);
    let vc = channel.0;
    if channel.index() >= fabric.router_vcs() {
        let source = (vc - fabric.source(0)) >> fabric.vc_bits;
        return Some(Origin::Injection(NodeId(fabric.node(source))));
    }
    if fabric.port(vc) < fabric.local {
        return Some(Origin::Link(RouterId(fabric.router(vc))));
    }
    let (node, _) = fabric.channel_of_node(vc, routes.wiring())?;
    Some(Origin::Ejection(NodeId(node)))
}

/// The name of virtual channel `vc` of the link that leaves by `out`.
pub(super) fn link_name(routes: &dyn Routing, out: PortAt, vc: u32) -> String {
    let link = routes.wiring().link_name(out);
    if routes.virtual_channels() == 1 { link } else { format!("{link} vc {vc}") }
}
