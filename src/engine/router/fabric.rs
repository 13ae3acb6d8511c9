//! How the ports of routers are wired and numbered.
//!
//! Virtual channels are numbered with powers of two between them, so that shifts take numbers apart:
//! `vc = router << stride_bits | port << vc_bits | vc of the port`. An input vc and the output vc of the same
//! number have nothing in common but the number. Beyond the output vcs of routers come those of the sources.

use crate::routing::Lattice;
use crate::units::narrow;

/// Where nothing leads.
pub(super) const NOWHERE: u32 = u32::MAX;

pub(super) struct Fabric {
    pub(super) routers: u32,
    /// Ports of a router, that of its node last.
    pub(super) ports: u32,
    /// Virtual channels of a port.
    pub(super) vcs: u32,
    pub(super) vc_bits: u32,
    pub(super) stride_bits: u32,
    /// How many words of a set of vcs a router has, and which bits of each, from its first vc on.
    pub(super) words: u32,
    pub(super) mask: u64,
}

impl Fabric {
    pub(super) fn new(lattice: &Lattice, vcs: u8) -> Self {
        let routers = narrow(lattice.nodes(), "nodes are numbered with 32 bits");
        let ports: u32 = narrow(lattice.ports(), "a router has at most 64 ports");
        let vcs = u32::from(vcs);
        let vc_bits = vcs.next_power_of_two().ilog2();
        let stride_bits = (ports << vc_bits).next_power_of_two().ilog2();
        let (words, mask) = match stride_bits {
            wide @ 6.. => (1 << (wide - 6), u64::MAX),
            few => (1, (1 << (1 << few)) - 1),
        };
        Self { routers, ports, vcs, vc_bits, stride_bits, words, mask }
    }

    /// Virtual channels of all routers, numbers that none has included.
    pub(super) fn router_vcs(&self) -> usize {
        (self.routers as usize) << self.stride_bits
    }

    /// Virtual channels of all routers and sources.
    pub(super) fn all_vcs(&self) -> usize {
        self.router_vcs() + ((self.routers as usize) << self.vc_bits)
    }

    /// The first vc of `port` of `router`.
    #[inline]
    pub(super) fn vc(&self, router: u32, port: u32) -> u32 {
        router << self.stride_bits | port << self.vc_bits
    }

    /// The first vc of the source at `node`.
    pub(super) fn source(&self, node: u32) -> u32 {
        (self.routers << self.stride_bits) + (node << self.vc_bits)
    }

    /// The first input vc of a router that its node feeds.
    pub(super) fn entry(&self, node: u32) -> u32 {
        self.vc(node, self.ports - 1)
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
        if port + 1 >= self.ports {
            return NOWHERE;
        }
        let to = lattice.neighbour(self.router(vc), port as usize);
        to.map_or(NOWHERE, |to| self.vc(to, port) | self.within(vc))
    }

    /// The output or source vc that feeds input vc `vc`.
    pub(super) fn up(&self, vc: u32, lattice: &Lattice) -> u32 {
        let router = self.router(vc);
        let port = self.port(vc);
        if port + 1 == self.ports {
            return self.source(router) | self.within(vc);
        }
        if port + 1 > self.ports {
            return NOWHERE;
        }
        // flits keep the number of their port, which says which way they travel
        let from = lattice.neighbour(router, port as usize ^ 1);
        from.map_or(NOWHERE, |from| self.vc(from, port) | self.within(vc))
    }
}
