//! The messages of a program that go as worms: the trees of their packets, and the messages that an event is about.

use super::holders::Passing;
use super::nodes::Nodes;
use super::trees::{PacketTree, WayEnds};
use super::{Delivery, Granted, TreeEvent, TreePacket, TreeStep};
use crate::engine::program::{MessageSet, Worm};
use crate::engine::{Event, Observer, Program};
use crate::events::{EventQueue, Kind, QueuedEvent};
use crate::routing::Network;
use crate::routing::tree::Tree;
use crate::units::{ChannelId, MessageId, NodeId, Ticks};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The trees of a program.
pub(super) struct WormTrees<'a> {
    /// The network whose channels the trees lead over.
    network: &'a dyn Network,
    /// By the address of a tree, which worms may share, what routers need of it.
    plans: FxHashMap<usize, Arc<WormPlan>>,
}

/// The properties that routers need of worms that share a tree. Messages are counted from the first one of their worm.
pub(super) struct WormPlan {
    tree: Arc<PacketTree>,
    /// By node, the message that it sends, and the one that it receives. Only those of trees with several sources or destinations.
    from: FxHashMap<NodeId, u32>,
    to: FxHashMap<NodeId, u32>,
    /// By message, the number of links.
    hops: Vec<u32>,
    /// By message, the number of channels of its way that do not carry the flits of all sources.
    before: Vec<u32>,
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
        let before = ends().map(|(src, ..)| tree.before_complete(src)).collect();
        Self { tree: Arc::new(tree), from, to, hops, before }
    }

    /// The messages that are delivered when their packet arrives at `node`.
    fn delivered(&self, node: NodeId) -> Vec<u32> {
        if self.tree.is_reduction() {
            return (0..).take(self.hops.len()).collect();
        }
        self.to.get(&node).copied().into_iter().collect()
    }

    /// The messages that pass the channel at `place`, each with the number of channels of its way before that.
    fn passing(&self, place: u32) -> Vec<(u32, u32)> {
        let WayEnds { ends, is_complete } = self.tree.way_ends(place);
        let all = || (0..).take(self.hops.len());
        if is_complete && self.tree.is_reduction() {
            return all().map(|message| (message, self.before[message as usize] + self.tree.depth(place))).collect();
        }
        let messages = if is_complete { &self.to } else { &self.from };
        let hop = |(node, distance): (NodeId, u32)| {
            let &message = messages.get(&node)?;
            let hop = if is_complete { self.before[message as usize] + self.tree.depth(place) } else { distance };
            Some((message, hop))
        };
        ends.into_iter().filter_map(hop).collect()
    }

    /// One of the messages that pass the channel at `place`, with the number of channels of its way before that.
    fn one_passing(&self, place: u32) -> Option<(u32, u32)> {
        if self.tree.is_multicast() {
            let message = *self.to.get(&self.tree.some_destination(place))?;
            return Some((message, self.tree.depth(place)));
        }
        self.passing(place).into_iter().next()
    }
}

impl<P: Program, O: Observer> Nodes<'_, P, O> {
    /// The first message of the worm of message `number`, and the plan of the worm, if it goes as one.
    fn plan(&mut self, number: u32) -> Option<(u32, Arc<WormPlan>)> {
        let worm = self.program.worm(MessageId(number))?;
        let plan = self.worms.as_mut()?.plan(&worm, &self.program);
        Some((worm.messages.start, plan))
    }

    /// The packet of message `number`, which sets out. The other messages of a multicast are requested with it.
    pub(super) fn tree_packet(&mut self, number: u32) -> Option<TreePacket> {
        let id = MessageId(number);
        let Some((worm, plan)) = self.plan(number) else {
            let worms = self.worms.as_ref()?;
            worms.route(id, &self.program, &mut self.channels);
            return Some(TreePacket { tree: worms.path(&self.channels), place: 0, worm: number });
        };
        if plan.tree.is_multicast() {
            let requested = self.passages[id].requested;
            for (companion, _) in (worm..).zip(&plan.hops) {
                self.passages[MessageId(companion)].requested = requested;
            }
        }
        let (src, ..) = self.program.message(id);
        let entry = plan.tree.entry(src)?;
        Some(TreePacket { tree: Arc::clone(&plan.tree), place: entry, worm })
    }

    /// The packet of a message has been granted its injection channel, and with it the other messages of a multicast.
    pub(super) fn source_granted(&mut self, granted: Granted) {
        let Granted { number, vc, requested, granted, .. } = granted;
        let messages: Vec<Passing> = self.sent_as(number).into_iter().map(|message| (message, 0)).collect();
        self.granted_to(&messages, vc, [requested, granted]);
    }

    /// The messages that the packet of message `number` carries: all messages of a multicast.
    fn sent_as(&mut self, number: u32) -> Vec<MessageId> {
        match self.plan(number).filter(|(_, plan)| plan.tree.is_multicast()) {
            Some((first, plan)) => (first..).zip(&plan.hops).map(|(id, _)| MessageId(id)).collect(),
            None => vec![MessageId(number)],
        }
    }

    /// The messages that pass channel number `place` of the tree of the worm that begins with message `worm`: all of them, or one if
    /// nothing depends on the others.
    fn passing(&mut self, worm: u32, place: u32, all: bool) -> Vec<Passing> {
        let Some((first, plan)) = self.plan(worm) else { return vec![(MessageId(worm), place as usize)] };
        let passing = if all { plan.passing(place) } else { plan.one_passing(place).into_iter().collect() };
        passing.into_iter().map(|(message, hop)| (MessageId(first + message), hop as usize)).collect()
    }

    /// Something happens on a channel of a tree.
    pub(super) fn tree_event(&mut self, event: TreeEvent) {
        let TreeEvent { worm, place, vc, step } = event;
        let is_watched = self.holders.is_some();
        match step {
            TreeStep::Granted { requested, granted } => {
                let messages = self.passing(worm, place, is_watched || granted > requested);
                self.granted_to(&messages, vc, [requested, granted]);
            }
            TreeStep::Started { at } => {
                let start = self.tick(at);
                for (message, hop) in self.passing(worm, place, is_watched) {
                    self.observer.event(Event::Started { message, hop, channel: ChannelId(vc), at: start });
                }
            }
        }
    }

    /// The packets of a worm arrive at a node. Returns false if the packet does not belong to a worm.
    pub(super) fn deliver_worm(&mut self, delivery: &Delivery, delivered: Ticks) -> bool {
        let Some((first, plan)) = self.plan(delivery.number) else { return false };
        for message in plan.delivered(NodeId(delivery.dst)) {
            let number = first + message;
            let passage = &mut self.passages[MessageId(number)];
            passage.delivered = delivered;
            passage.hops = plan.hops[message as usize];
            self.queue.push(QueuedEvent { time: delivered, kind: Kind::Deliver, number });
        }
        true
    }
}
