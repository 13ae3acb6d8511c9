//! How the ports of routers are wired and numbered.
//!
//! Lanes are numbered with powers of two between them, so that shifts take numbers apart:
//! `lane = router << stride_bits | port << lane_bits | lane of the port`. An input lane and the output lane of the same
//! number have nothing in common but the number. Beyond the output lanes of routers come those of the sources.

use crate::routing::Lattice;
use crate::units::narrow;

/// Where nothing leads.
pub(super) const NOWHERE: u32 = u32::MAX;

pub(super) struct Fabric {
    pub(super) routers: u32,
    /// Ports of a router, that of its node last.
    pub(super) ports: u32,
    /// Lanes of a port.
    pub(super) lanes: u32,
    pub(super) lane_bits: u32,
    pub(super) stride_bits: u32,
    /// How many words of a set of lanes a router has, and which bits of each, from its first lane on.
    pub(super) words: u32,
    pub(super) mask: u64,
}

impl Fabric {
    pub(super) fn new(lattice: &Lattice, lanes: u8) -> Self {
        let routers = narrow(lattice.nodes(), "nodes are numbered with 32 bits");
        let ports: u32 = narrow(lattice.ports(), "a router has at most 64 ports");
        let lanes = u32::from(lanes);
        let lane_bits = lanes.next_power_of_two().ilog2();
        let stride_bits = (ports << lane_bits).next_power_of_two().ilog2();
        let (words, mask) = match stride_bits {
            wide @ 6.. => (1 << (wide - 6), u64::MAX),
            few => (1, (1 << (1 << few)) - 1),
        };
        Self { routers, ports, lanes, lane_bits, stride_bits, words, mask }
    }

    /// Lanes of all routers, numbers that none has included.
    pub(super) fn router_lanes(&self) -> usize {
        (self.routers as usize) << self.stride_bits
    }

    /// Lanes of all routers and sources.
    pub(super) fn all_lanes(&self) -> usize {
        self.router_lanes() + ((self.routers as usize) << self.lane_bits)
    }

    /// The first lane of `port` of `router`.
    #[inline]
    pub(super) fn lane(&self, router: u32, port: u32) -> u32 {
        router << self.stride_bits | port << self.lane_bits
    }

    /// The first lane of the source at `node`.
    pub(super) fn source(&self, node: u32) -> u32 {
        (self.routers << self.stride_bits) + (node << self.lane_bits)
    }

    /// The first input lane of a router that its node feeds.
    pub(super) fn entry(&self, node: u32) -> u32 {
        self.lane(node, self.ports - 1)
    }

    /// The router of a lane.
    #[inline]
    pub(super) fn router(&self, lane: u32) -> u32 {
        lane >> self.stride_bits
    }

    /// The port of a lane at its router.
    #[inline]
    pub(super) fn port(&self, lane: u32) -> u32 {
        (lane & ((1 << self.stride_bits) - 1)) >> self.lane_bits
    }

    /// The lane within its port.
    #[inline]
    pub(super) fn within(&self, lane: u32) -> u32 {
        lane & ((1 << self.lane_bits) - 1)
    }

    /// The input lane that output lane `lane` leads to; [`NOWHERE`] for nodes and the edge of a mesh.
    pub(super) fn down(&self, lane: u32, lattice: &Lattice) -> u32 {
        let port = self.port(lane);
        if port + 1 >= self.ports {
            return NOWHERE;
        }
        let to = lattice.neighbour(self.router(lane), port as usize);
        to.map_or(NOWHERE, |to| self.lane(to, port) | self.within(lane))
    }

    /// The output or source lane that feeds input lane `lane`.
    pub(super) fn up(&self, lane: u32, lattice: &Lattice) -> u32 {
        let router = self.router(lane);
        let port = self.port(lane);
        if port + 1 == self.ports {
            return self.source(router) | self.within(lane);
        }
        if port + 1 > self.ports {
            return NOWHERE;
        }
        // flits keep the number of their port, which says which way they travel
        let from = lattice.neighbour(router, port as usize ^ 1);
        from.map_or(NOWHERE, |from| self.lane(from, port) | self.within(lane))
    }
}
