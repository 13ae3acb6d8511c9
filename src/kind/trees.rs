//! Trees of packets that routers copy or combine, as lists have them.

use crate::routing::tree::{Tree, TreeNetwork};
use crate::topology::Origin;
use crate::units::{ChannelId, LinkId};

/// The header of lists of the channels of trees.
pub(crate) const TREES_HEADER: [&str; 10] =
    ["algorithm", "repetition", "tree", "id", "kind", "link", "vc", "from", "to", "after"];

/// A channel of a tree as lists have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLine {
    /// The number of the tree among those of the row.
    pub tree: usize,
    /// The number of the channel in the tree.
    pub id: usize,
    /// The nodes or routers that it joins.
    pub ends: TreeEnds,
    /// The numbers of the channels that feed it.
    pub after: Vec<u32>,
}

/// The ends of a channel of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEnds {
    /// From a node to its router.
    Injection {
        /// The node.
        from: u32,
        /// The router.
        to: u32,
    },
    /// From a router to another.
    Link {
        /// The link.
        link: LinkId,
        /// The number of its virtual channel.
        vc: u16,
        /// The router that it leaves.
        from: u32,
        /// The router that it leads to.
        to: u32,
    },
    /// From a router to a node.
    Ejection {
        /// The router.
        from: u32,
        /// The node.
        to: u32,
    },
}

impl TreeEnds {
    /// The word of lists.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Injection { .. } => "injection",
            Self::Link { .. } => "link",
            Self::Ejection { .. } => "ejection",
        }
    }

    /// The link and its virtual channel, if it is one.
    pub fn link(self) -> Option<(LinkId, u16)> {
        if let Self::Link { link, vc, .. } = self { Some((link, vc)) } else { None }
    }

    /// The node or router that it leaves, and the one that it leads to.
    pub fn numbers(self) -> [u32; 2] {
        match self {
            Self::Injection { from, to } | Self::Link { from, to, .. } | Self::Ejection { from, to } => [from, to],
        }
    }

    /// The ends of `channel` on `network`.
    fn new(network: &TreeNetwork, channel: ChannelId) -> Self {
        match network.channels().origin(channel) {
            Origin::Injection(node) => Self::Injection { from: node.0, to: network.router_of(node).0 },
            Origin::Ejection(node) => Self::Ejection { from: network.router_of(node).0, to: node.0 },
            Origin::Link(router) => {
                #[expect(clippy::expect_used, reason = "trees are made of the links of their network")]
                let (link, vc) = network.link(channel).expect("a channel that leaves a router is a link");
                Self::Link { link, vc, from: router.0, to: network.links().ends(link).1.0 }
            }
        }
    }
}

/// Calls `tell` with the channels of `tree` on `network`, which has this `number` among the trees of a row.
pub(crate) fn tell_tree(network: &TreeNetwork, number: usize, tree: &Tree, tell: &mut dyn FnMut(&TreeLine)) {
    for (id, &channel) in tree.channels().iter().enumerate() {
        let ends = TreeEnds::new(network, channel);
        tell(&TreeLine { tree: number, id, ends, after: tree.feeds(id).to_vec() });
    }
}
