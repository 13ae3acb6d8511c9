//! How the ports of routers are wired and numbered.
//!
//! Virtual channels are numbered with powers of two between them, so that shifts take numbers apart:
//! `vc = router << stride_bits | port << vc_bits | vc of the port`. An input vc and the output vc of the same
//! number have nothing in common but the number. Beyond the output vcs of routers come those of the sources.

use super::RouterCosts;
use crate::routing::{Lattice, Relation};
use crate::units::{ChannelId, narrow};

/// Where nothing leads.
pub(super) const NOWHERE: u32 = u32::MAX;

pub(super) struct Fabric {
    pub(super) routers: u32,
    /// Ports of a router, those of its node last.
    pub(super) ports: u32,
    /// The first port of its node.
    pub(super) local: u32,
    /// Injection and ejection channels of a node: ports from `local` on, one numbering for both.
    pub(super) injections: u32,
    pub(super) ejections: u32,
    /// Virtual channels of a port.
    pub(super) vcs: u32,
    pub(super) vc_bits: u32,
    pub(super) stride_bits: u32,
    /// How many words of a set of vcs a router has, and which bits of each, from its first vc on.
    pub(super) words: u32,
    pub(super) mask: u64,
}

impl Fabric {
    pub(super) fn new(relation: &Relation, costs: &RouterCosts) -> Self {
        let lattice = relation.lattice();
        let routers = narrow(lattice.nodes(), "nodes are numbered with 32 bits");
        let local: u32 = narrow(lattice.local(), "a router has at most 64 ports");
        let injections = costs.injection_ports;
        let ejections = costs.ejection_ports;
        let ports = local + injections.max(ejections);
        let vcs = u32::from(relation.virtual_channels());
        let vc_bits = vcs.next_power_of_two().ilog2();
        let stride_bits = (ports << vc_bits).next_power_of_two().ilog2();
        let (words, mask) = match stride_bits {
            wide @ 6.. => (1 << (wide - 6), u64::MAX),
            few => (1, (1 << (1 << few)) - 1),
        };
        Self { routers, ports, local, injections, ejections, vcs, vc_bits, stride_bits, words, mask }
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
        self.routers as usize * self.injections as usize
    }

    /// The node of a source.
    #[inline]
    pub(super) fn node(&self, source: u32) -> u32 {
        if self.injections == 1 { source } else { source / self.injections }
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
        self.vc(node, self.local + source - node * self.injections)
    }

    /// The router of a vc.
    #[inline]
    pub(super) fn router(&self, vc: u32) -> u32 {
        vc >> self.stride_bits
    }

    /// The port of a vc at its router.
    #[inline]
    pub(super) fn port(&self, vc: u32) -> u32 {
        (vc & ((1 << self.stride_bits) - 1)) >> self.vc_bits
    }

    /// The vc within its port.
    #[inline]
    pub(super) fn within(&self, vc: u32) -> u32 {
        vc & ((1 << self.vc_bits) - 1)
    }

    /// The input vc that output vc `vc` leads to; [`NOWHERE`] for nodes and the edge of a mesh.
    pub(super) fn down(&self, vc: u32, lattice: &Lattice) -> u32 {
        let port = self.port(vc);
        if port >= self.local {
            return NOWHERE;
        }
        let to = lattice.neighbour(self.router(vc), port as usize);
        to.map_or(NOWHERE, |to| self.vc(to, port) | self.within(vc))
    }

    /// The output or source vc that feeds input vc `vc`.
    pub(super) fn up(&self, vc: u32, lattice: &Lattice) -> u32 {
        let router = self.router(vc);
        let port = self.port(vc);
        if port >= self.local {
            let channel = port - self.local;
            let feeds = channel < self.injections;
            let source = router * self.injections + channel;
            return if feeds { self.source(source) | self.within(vc) } else { NOWHERE };
        }
        // flits keep the number of their port, which says which way they travel
        let from = lattice.neighbour(router, port as usize ^ 1);
        from.map_or(NOWHERE, |from| self.vc(from, port) | self.within(vc))
    }
}

/// The name of a channel as the engine numbers virtual channels, as people write it: of a link, of an injection or of an
/// ejection channel.
pub fn channel_name(relation: &Relation, costs: &RouterCosts, channel: ChannelId) -> String {
    let fabric = Fabric::new(relation, costs);
    let lattice = relation.lattice();
    let numbered = |kind: &str, node: u32, at: u32, all: u32| {
        let port = if all > 1 { format!(" port {at}") } else { String::new() };
        format!("{kind} {}{port}", lattice.node_name(node))
    };
    let vc = channel.0;
    if channel.index() >= fabric.router_vcs() {
        let source = (vc - fabric.source(0)) >> fabric.vc_bits;
        let node = fabric.node(source);
        return numbered("injection", node, source - node * fabric.injections, fabric.injections);
    }
    let router = fabric.router(vc);
    match fabric.port(vc) {
        port if port >= fabric.local => numbered("ejection", router, port - fabric.local, fabric.ejections),
        port => relation.channel_name(router, port as usize, fabric.within(vc)),
    }
}
