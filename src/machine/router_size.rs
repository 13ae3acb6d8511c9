//! The ports and virtual channels of a router, which the router engine numbers together.
//!
//! Each port takes numbers for its virtual channels, rounded up to a power of two, and a router has [`MOST_ROUTER_VCS`] numbers.

use crate::config::{Diagnostic, Reader};
use crate::engine::router::MOST_ROUTER_VCS;
use crate::network::BuiltNetwork;

/// The size of the routers of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouterSize {
    /// Ports for links.
    pub(super) links: usize,
    /// Nodes of a router.
    pub(super) nodes: usize,
    /// Ports of a node.
    pub(super) node_ports: usize,
    /// Virtual channels of a port.
    pub(super) virtual_channels: u64,
}

impl RouterSize {
    fn ports_of_nodes(self) -> u64 {
        (self.nodes as u64).saturating_mul(self.node_ports as u64)
    }

    fn ports(self) -> u64 {
        self.ports_of_nodes().saturating_add(self.links as u64)
    }

    /// The most ports with these virtual channels.
    fn most_ports(self) -> u64 {
        MOST_ROUTER_VCS / self.virtual_channels.next_power_of_two()
    }

    /// The most ports of a node, next to those for links.
    fn most_node_ports(self) -> u64 {
        self.most_ports().saturating_sub(self.links as u64) / self.nodes.max(1) as u64
    }

    /// The most virtual channels of each of these ports, a power of two, or `None` if there are too many ports for one.
    fn most_virtual_channels(self) -> Option<u64> {
        let each = MOST_ROUTER_VCS / self.ports().max(1);
        each.checked_ilog2().map(|bits| 1 << bits)
    }

    /// True if the engine has a number for every virtual channel.
    fn fits(self) -> bool {
        self.ports() <= self.most_ports()
    }

    /// Reports routers that are too large: at the ports of nodes if nodes with one port each fit, or else at the virtual channels
    /// if the scenario gives their number, or else at the network, which is of kind `network`.
    pub(super) fn refuse(self, root: &Reader<'_>, network: &str) {
        if self.fits() {
            return;
        }
        let single = Self { node_ports: 1, ..self };
        let channels = ["channel", "virtual_channels"];
        let most = single.most_virtual_channels().filter(|_| root.is_given(&channels));
        let (path, accepted) = match most {
            _ if single.fits() => (["node", node_ports_key(root)], format!("1 to {}", self.most_node_ports())),
            Some(most) => (channels, format!("1 to {most}")),
            None => (["network", network], format!("routers with at most {} ports", self.most_ports())),
        };
        let diagnostic = Diagnostic::at(root.place_within(&path), self.message());
        root.error(
            diagnostic.note(format!("accepted: {accepted}; the virtual channels of a port count as a power of two")),
        );
    }

    fn message(self) -> String {
        let Self { links, virtual_channels, .. } = self;
        let [ports, of_nodes] = [self.ports(), self.ports_of_nodes()];
        format!(
            "virtual-channel routers have at most {MOST_ROUTER_VCS} virtual channels, but {ports} ports ({links} for links and \
             {of_nodes} for nodes) with {virtual_channels} per port need more"
        )
    }
}

/// The ports of a node of `network`: injection or ejection channels, whichever are more.
pub(super) fn node_ports(network: &BuiltNetwork) -> usize {
    let channels = network.network.channels();
    channels.ports().max(channels.ejection_ports())
}

/// The key of `[node]` that gives the ports of a node.
pub(super) fn node_ports_key(root: &Reader<'_>) -> &'static str {
    if root.is_given(&["node", "ejection_ports"]) { "ejection_ports" } else { "ports" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(links: usize, nodes: usize, node_ports: usize, virtual_channels: u64) -> RouterSize {
        RouterSize { links, nodes, node_ports, virtual_channels }
    }

    #[test]
    fn a_router_has_4096_numbers() {
        for (fitting, too_large) in [
            (size(4, 1, 1, 512), size(4, 1, 1, 513)),
            (size(4095, 1, 1, 1), size(4095, 2, 1, 1)),
            (size(4, 2, 14, 65), size(4, 2, 15, 65)),
            (size(0, 1, 1, 4096), size(1, 1, 1, 4096)),
        ] {
            assert!(fitting.fits(), "{fitting:?}");
            assert!(!too_large.fits(), "{too_large:?}");
        }
    }

    #[test]
    fn the_most_that_fits_is_accepted_and_one_more_is_not() {
        for links in [0, 4, 63, 500] {
            for virtual_channels in [1, 2, 3, 72, 512] {
                let size = size(links, 2, 1, virtual_channels);
                let node_ports = usize::try_from(size.most_node_ports()).unwrap_or_default();
                assert!(node_ports == 0 || RouterSize { node_ports, ..size }.fits());
                assert!(!RouterSize { node_ports: node_ports + 1, ..size }.fits());
                let most = size.most_virtual_channels().unwrap_or_default();
                assert!(RouterSize { virtual_channels: most, ..size }.fits());
                assert!(!RouterSize { virtual_channels: most + 1, ..size }.fits());
            }
        }
        assert_eq!(size(4000, 97, 1, 1).most_virtual_channels(), None);
    }
}
