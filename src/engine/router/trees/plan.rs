//! Trees as routers see them.

use crate::routing::tree::{EjectionClass, Tree};
use crate::topology::{Channels, Hop, Origin};
use crate::units::{ChannelId, NodeId, narrow};
use std::sync::Arc;

/// The target of an output of a junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A node, by an ejection channel.
    Node(u32),
    /// Another router, by a link.
    Link(Hop),
}

/// An output of a junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlannedOutput {
    /// The place of its channel in the tree.
    pub(crate) place: u32,
    pub(crate) target: Target,
}

/// A junction of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedJunction {
    /// The number of inputs.
    pub(crate) inputs: u32,
    /// The outputs in the order of their requests: to nodes in the order of nodes, then by links.
    pub(crate) outputs: Vec<PlannedOutput>,
}

/// The tree of the packets of a worm.
#[derive(Debug)]
pub(crate) struct PacketTree {
    tree: Tree,
    junctions: Vec<PlannedJunction>,
    /// By place, the number of sources whose flits the channel carries.
    sources: Vec<u32>,
    /// By place of an injection or ejection channel, its node.
    nodes: Vec<NodeId>,
    source_count: u32,
    destination_count: u32,
}

/// A packet that a node sends on a tree.
#[derive(Clone, Debug)]
pub struct TreePacket {
    /// The tree.
    pub(crate) tree: Arc<PacketTree>,
    /// The place of the channel by which the packet goes.
    pub(crate) place: u32,
    /// The first message of its worm.
    pub(crate) worm: u32,
}

/// The limit of the size of a tree, for the message of a panic.
const PLACES: &str = "the places of a tree are numbered with 32 bits";

/// A number of places of a tree.
fn number(places: usize) -> u32 {
    narrow(places, PLACES)
}

impl PacketTree {
    /// Creates the packet tree of `tree`, whose channels are those of `channels`.
    ///
    /// # Panics
    /// If a link of it leaves its router by no port.
    pub(crate) fn new(tree: Tree, channels: &dyn Channels) -> Self {
        let mut sources: Vec<u32> = Vec::with_capacity(tree.len());
        for place in 0..tree.len() {
            let feeds = tree.feeds(place);
            let of_feeds = feeds.iter().map(|&feed| sources[feed as usize]).sum();
            sources.push(if feeds.is_empty() { 1 } else { of_feeds });
        }
        let node = |&channel: &ChannelId| match channels.origin(channel) {
            Origin::Injection(node) | Origin::Ejection(node) => node,
            Origin::Link(_) => NodeId(u32::MAX),
        };
        let nodes: Vec<NodeId> = tree.channels().iter().map(node).collect();
        let output = |&place: &u32| {
            let channel = tree.channels()[place as usize];
            let target = match tree.leads_to(place as usize) {
                None => Target::Node(nodes[place as usize].0),
                Some(_) => Target::Link(hop(channels, channel)),
            };
            PlannedOutput { place, target }
        };
        let junction = |junction: &crate::routing::tree::Junction| {
            let mut outputs: Vec<PlannedOutput> = junction.outputs.iter().map(output).collect();
            outputs.sort_by_key(|output| match output.target {
                Target::Node(node) => (0, node),
                Target::Link(_) => (1, output.place),
            });
            PlannedJunction { inputs: number(junction.inputs.len()), outputs }
        };
        let junctions = tree.junctions().iter().map(junction).collect();
        let source_count = number(tree.sources().count());
        let destination_count = number(tree.destinations().count());
        Self { tree, junctions, sources, nodes, source_count, destination_count }
    }

    /// The junction at the end of the channel at `place`, which is not an ejection channel, with its number.
    pub(crate) fn junction(&self, place: u32) -> Option<(u32, &PlannedJunction)> {
        let number = self.tree.leads_to(place as usize)?;
        Some((self::number(number), &self.junctions[number]))
    }

    /// The ejection channels of its packets.
    pub(crate) fn ejection(&self) -> EjectionClass {
        self.tree.ejection
    }

    /// The place of the injection channel of `node`, which is a source.
    pub(crate) fn entry(&self, node: NodeId) -> Option<u32> {
        self.tree.sources().find(|&place| self.nodes[place] == node).map(number)
    }

    /// Returns true if it has one source, so that all messages of a worm are sent as one packet.
    pub(crate) fn is_multicast(&self) -> bool {
        self.source_count == 1
    }

    /// Returns true if it has one destination, where all messages of a worm are delivered together.
    pub(crate) fn is_reduction(&self) -> bool {
        self.destination_count == 1
    }

    /// The nodes at the ends of the ways that pass the channel at `place`, each with the number of channels between.
    pub(crate) fn way_ends(&self, place: u32) -> WayEnds {
        let is_complete = self.is_complete(place);
        let mut ends = Vec::new();
        let mut left = vec![(place, 0)];
        while let Some((place, distance)) = left.pop() {
            let next = if is_complete { self.tree.outputs(place as usize) } else { self.tree.feeds(place as usize) };
            if next.is_empty() {
                ends.push((self.nodes[place as usize], distance));
            }
            left.extend(next.iter().map(|&next| (next, distance + 1)));
        }
        WayEnds { ends, is_complete }
    }

    /// Returns true if the channel at `place` carries the flits of all sources.
    fn is_complete(&self, place: u32) -> bool {
        self.sources[place as usize] == self.source_count
    }

    /// The node at the end of one of the ways that pass the channel at `place`.
    pub(crate) fn some_destination(&self, place: u32) -> NodeId {
        let mut current = place;
        while let Some(&next) = self.tree.outputs(current as usize).first() {
            current = next;
        }
        self.nodes[current as usize]
    }

    /// The number of channels of the way from `source` that do not carry the flits of all sources.
    pub(crate) fn before_complete(&self, source: NodeId) -> u32 {
        let mut before = 0;
        let mut current = self.entry(source);
        while let Some(place) = current.filter(|&place| !self.is_complete(place)) {
            before += 1;
            current = self.tree.outputs(place as usize).first().copied();
        }
        before
    }

    /// The destinations, each with the number of links from a source: on the longest way, if there are several.
    pub(crate) fn hops_to_nodes(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        let hops = self.tree.depths(1, 0);
        self.tree.destinations().map(move |place| (self.nodes[place], narrow(hops[place], PLACES)))
    }

    /// The number of channels that carry the flits of all sources before the channel at `place`, which does too.
    pub(crate) fn depth(&self, place: u32) -> u32 {
        let mut depth = 0;
        let mut current = place;
        while let Some(&feed) = self.tree.feeds(current as usize).first().filter(|&&feed| self.is_complete(feed)) {
            depth += 1;
            current = feed;
        }
        depth
    }

    /// The number of links from `source` to the only destination.
    pub(crate) fn hops_from(&self, source: NodeId) -> u32 {
        let hops = self.entry(source).map_or(0, |place| self.tree.links_from(place as usize));
        narrow(hops, PLACES)
    }
}

/// The ends of the ways that pass a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WayEnds {
    /// Destinations if the channel carries the flits of all sources, else the sources whose flits it carries, each with its distance.
    pub(crate) ends: Vec<(NodeId, u32)>,
    /// True if the channel carries the flits of all sources.
    pub(crate) is_complete: bool,
}

/// The port by which link `channel` leaves.
fn hop(channels: &dyn Channels, channel: ChannelId) -> Hop {
    #[expect(clippy::expect_used, reason = "routers are made only for networks whose links leave by ports")]
    channels.hop(channel).expect("a tree leads over links that leave by ports")
}
