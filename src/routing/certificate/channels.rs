//! The channels that certificates name: links, and the injection and ejection channels of nodes.
//!
//! A certificate of packets that end at nodes numbers them like links, network by network: the links, then an injection and an
//! ejection channel for each node. Certificates of links alone have the numbers of the links.

use crate::topology::Links;
use crate::units::{LinkId, NodeId};
use std::fmt;

/// A channel on one of the physical networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NetworkChannel {
    pub(super) network: usize,
    pub(super) channel: Channel,
}

/// A channel of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Link(LinkId),
    /// The channel from a node to its router.
    Injection(NodeId),
    /// The channel from a router to one of its nodes.
    Ejection(NodeId),
}

impl NetworkChannel {
    /// Its number among the channels of networks that have the links `links` each.
    pub(super) fn number(self, links: &dyn Links) -> LinkId {
        let index = match self.channel {
            Channel::Link(link) => link.index(),
            Channel::Injection(node) => links.count() + node.index(),
            Channel::Ejection(node) => links.count() + links.nodes() + node.index(),
        };
        LinkId::new(self.network * per_network(links) + index)
    }

    /// The channel with this number.
    pub(super) fn numbered(number: LinkId, links: &dyn Links) -> Self {
        let network = number.index() / per_network(links);
        let index = number.index() % per_network(links);
        let channel = match index.checked_sub(links.count()) {
            None => Channel::Link(LinkId::new(index)),
            Some(node) if node < links.nodes() => Channel::Injection(NodeId::new(node)),
            Some(port) => Channel::Ejection(NodeId::new(port - links.nodes())),
        };
        Self { network, channel }
    }

    /// The routers that it leaves and leads to, `-` for a node.
    pub(super) fn ends(self, links: &dyn Links) -> [String; 2] {
        let router = |node| links.router_of(node).to_string();
        match self.channel {
            Channel::Link(link) => {
                let (from, to) = links.ends(link);
                [from.to_string(), to.to_string()]
            }
            Channel::Injection(node) => ["-".to_owned(), router(node)],
            Channel::Ejection(node) => [router(node), "-".to_owned()],
        }
    }

    /// Its name for people.
    pub(super) fn name(self, links: &dyn Links) -> String {
        let name = match self.channel {
            Channel::Link(link) => links.link_name(link),
            Channel::Injection(node) => format!("injection {}", links.node_name(node)),
            Channel::Ejection(node) => format!("ejection {}", links.node_name(node)),
        };
        if self.network == 0 { name } else { format!("{name} net {}", self.network) }
    }
}

/// The name in certificates, such as `17`, `i3` or `e3.1`: that of network 1.
impl fmt::Display for NetworkChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.channel {
            Channel::Link(link) => write!(f, "{link}")?,
            Channel::Injection(node) => write!(f, "i{node}")?,
            Channel::Ejection(node) => write!(f, "e{node}")?,
        }
        if self.network == 0 { Ok(()) } else { write!(f, ".{}", self.network) }
    }
}

fn per_network(links: &dyn Links) -> usize {
    links.count() + 2 * links.nodes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Coordinates, LatticeLinks};

    #[test]
    fn channels_of_all_networks_have_different_numbers() {
        let links = LatticeLinks::new(Coordinates::new(&[3, 2], false));
        let names: Vec<String> = (0..2 * per_network(&links))
            .map(|number| {
                let channel = NetworkChannel::numbered(LinkId::new(number), &links);
                assert_eq!(channel.number(&links), LinkId::new(number));
                channel.to_string()
            })
            .collect();
        assert_eq!(
            [0, 14, 20, 26, 40, 51].map(|number| names[number].as_str()),
            ["0", "i0", "e0", "0.1", "i0.1", "e5.1"]
        );
        let last = NetworkChannel::numbered(LinkId::new(51), &links);
        assert_eq!(last.name(&links), "ejection (2,1) net 1");
        assert_eq!(last.ends(&links), ["5", "-"]);
    }
}
