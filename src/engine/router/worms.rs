//! The messages of a program that go as worms: the trees of their packets, and the messages that an event is about.

use super::trees::{PacketTree, Passing};
use crate::engine::program::{MessageSet, Worm};
use crate::routing::Network;
use crate::routing::tree::Tree;
use crate::units::{ChannelId, MessageId, NodeId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The trees of a program.
pub(super) struct WormTrees<'a> {
    /// The network whose channels the trees lead over.
    network: &'a dyn Network,
    /// By the address of a tree, which worms may share, what routers need of it.
    plans: FxHashMap<usize, Arc<WormPlan>>,
}

/// What routers need of worms that share a tree. Messages are counted from the first one of their worm.
pub(super) struct WormPlan {
    pub(super) tree: Arc<PacketTree>,
    /// By node, the message that it sends, and the one that it receives. Only those of trees with several sources or destinations.
    from: FxHashMap<NodeId, u32>,
    to: FxHashMap<NodeId, u32>,
    /// By message, the number of links.
    pub(super) hops: Vec<u32>,
}

impl<'a> WormTrees<'a> {
    /// Creates no trees, on `network`.
    pub(super) fn new(network: &'a dyn Network) -> Self {
        Self { network, plans: FxHashMap::default() }
    }

    /// The plan of `worm` of `program`.
    pub(super) fn plan(&mut self, worm: &Worm<'_>, program: &dyn MessageSet) -> Arc<WormPlan> {
        let address = std::ptr::from_ref(worm.tree).addr();
        let create = || Arc::new(WormPlan::new(worm, program, self.network));
        Arc::clone(self.plans.entry(address).or_insert_with(create))
    }

    /// The tree of a packet to one node over `channels`.
    pub(super) fn path(&self, channels: &[ChannelId]) -> Arc<PacketTree> {
        Arc::new(PacketTree::new(Tree::path(channels.iter().copied()), self.network.channels()))
    }

    /// Replaces `channels` by the path of message `id` of `program`.
    pub(super) fn route(&self, id: MessageId, program: &dyn MessageSet, channels: &mut Vec<ChannelId>) {
        channels.clear();
        program.path(id, self.network, channels);
    }
}

impl WormPlan {
    fn new(worm: &Worm<'_>, program: &dyn MessageSet, network: &dyn Network) -> Self {
        let tree = PacketTree::new(worm.tree.clone(), network.channels());
        let ends = || worm.messages().map(|id| program.message(id));
        let from = (0..).zip(ends()).map(|(at, (src, ..))| (src, at)).collect();
        let to = (0..).zip(ends()).map(|(at, (_, dst, _))| (dst, at)).collect();
        let hops = if tree.is_reduction() && !tree.is_multicast() {
            ends().map(|(src, ..)| tree.hops_from(src)).collect()
        } else {
            let by_node: FxHashMap<NodeId, u32> = tree.hops_to_nodes().collect();
            ends().map(|(_, dst, _)| by_node.get(&dst).copied().unwrap_or(0)).collect()
        };
        Self { tree: Arc::new(tree), from, to, hops }
    }

    /// The number of channels of the way of `message` before the channel at `place`: the longest one, if a join has several.
    pub(super) fn hop(&self, message: u32, place: u32) -> u32 {
        let _ = message;
        self.tree.depth(place)
    }

    /// The messages that are delivered when their packet arrives at `node`.
    pub(super) fn delivered(&self, node: NodeId) -> Vec<u32> {
        if self.tree.is_reduction() {
            return (0..).take(self.hops.len()).collect();
        }
        self.to.get(&node).copied().into_iter().collect()
    }

    /// The messages that pass the channel at `place`.
    pub(super) fn passing(&self, place: u32) -> Vec<u32> {
        let of = |messages: &FxHashMap<NodeId, u32>, nodes: Vec<NodeId>| {
            nodes.into_iter().filter_map(|node| messages.get(&node).copied()).collect()
        };
        match self.tree.passing(place) {
            Passing::To(_) if self.tree.is_reduction() => (0..).take(self.hops.len()).collect(),
            Passing::To(nodes) => of(&self.to, nodes),
            Passing::From(nodes) => of(&self.from, nodes),
        }
    }
}
