//! How the ports of routers are wired and numbered.
//!
//! Ports and lanes are numbered with powers of two between them, so that shifts take numbers apart:
//! `port = router << port_bits | port of router`, `lane = port << lane_bits | lane of port`. An input lane and the output
//! lane of the same number have nothing in common but the number. Beyond the output ports of routers come the sources,
//! one port each.

use crate::routing::Lattice;

/// Where nothing leads.
pub(super) const NOWHERE: u32 = u32::MAX;

pub(super) struct Fabric {
    pub(super) routers: u32,
    /// Ports of a router.
    pub(super) ports: u32,
    /// Lanes of a port.
    pub(super) lanes: u32,
    pub(super) port_bits: u32,
    pub(super) lane_bits: u32,
    /// The port of a router that leads to its node.
    pub(super) local: u32,
    /// Per output port, the input port it leads to; [`NOWHERE`] for nodes and the edge of a mesh.
    pub(super) down: Vec<u32>,
    /// Per input port, the output port or source that feeds it.
    pub(super) up: Vec<u32>,
}

impl Fabric {
    pub(super) fn new(lattice: &Lattice, lanes: u8) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(NOWHERE); // checked by whoever asks for memory
        let (routers, ports, lanes) = (narrow(lattice.nodes()), narrow(lattice.ports()), u32::from(lanes));
        let (port_bits, lane_bits) = (ports.next_power_of_two().ilog2(), lanes.next_power_of_two().ilog2());
        let mut fabric = Self {
            routers,
            ports,
            lanes,
            port_bits,
            lane_bits,
            local: narrow(lattice.local()),
            down: vec![NOWHERE; (routers as usize) << port_bits],
            up: vec![NOWHERE; (routers as usize) << port_bits],
        };
        for router in 0..routers {
            for port in 0..fabric.local {
                if let Some(to) = lattice.neighbour(router, port as usize) {
                    let (from, to) = (fabric.port(router, port), fabric.port(to, port));
                    fabric.down[from as usize] = to;
                    fabric.up[to as usize] = from;
                }
            }
            let entry = fabric.port(router, fabric.local);
            fabric.up[entry as usize] = fabric.source(router);
        }
        fabric
    }

    pub(super) fn port(&self, router: u32, port: u32) -> u32 {
        router << self.port_bits | port
    }

    /// The port of the source at `node`.
    pub(super) fn source(&self, node: u32) -> u32 {
        (self.routers << self.port_bits) + node
    }

    /// Ports of routers, numbers that none has included.
    pub(super) fn router_ports(&self) -> usize {
        (self.routers as usize) << self.port_bits
    }

    /// The router of the port `port`.
    pub(super) fn router(&self, port: u32) -> u32 {
        port >> self.port_bits
    }
}
