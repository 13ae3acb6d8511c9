//! Trees of multicasts.
//!
//! A tree is the union of the paths from its source to its destinations, shared as far as they are the same from the source on. Paths
//! that part and meet again in a channel make no tree.

use super::labels::{PathWorms, path_worms};
use super::{Tree, TreeChannel, TreeNetwork};
use crate::units::{ChannelId, NodeId, narrow};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::VecDeque;
use thiserror::Error;

/// The trees that the packets of a multicast take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MulticastRoute {
    /// One tree: the union of the paths of the network.
    RouterTree,
    /// Two worms along a Hamiltonian labelling of the routers, one up and one down.
    DualPath,
    /// Up to four such worms, two on each side of the source.
    MultiPath,
}

impl MulticastRoute {
    /// All of them, with the names that scenarios use.
    pub const ALL: [(&'static str, Self); 3] =
        [("router-tree", Self::RouterTree), ("dual-path", Self::DualPath), ("multi-path", Self::MultiPath)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// A packet of a multicast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MulticastTree {
    /// Its channels.
    pub tree: Tree,
    /// Its destinations, in the order of the list of the multicast.
    pub destinations: Vec<NodeId>,
}

/// An error of a multicast that has no tree.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// Paths part and meet again.
    #[error("no tree: the paths from node {src} part and meet again in {channel}")]
    MeetsAgain {
        /// The source.
        src: NodeId,
        /// The name of the channel where they meet.
        channel: String,
    },
    /// Routers have no Hamiltonian labels.
    #[error("requires a mesh, a torus or a hypercube")]
    NoLabels,
    /// Routers do not form a mesh of two dimensions.
    #[error("requires a mesh of 2 dimensions")]
    NoPlane,
    /// No link leads on along the labelling.
    #[error("no tree: no link of router {from} leads towards router {to} along the labels of routers")]
    NoNextHop {
        /// The name of the router.
        from: String,
        /// The name of the router of the next destination.
        to: String,
    },
}

/// The trees by which packets go from `src` to all of `dsts`, a packet each, in the order in which they are sent.
///
/// # Errors
/// Returns an error if there are no such trees on `network`.
///
/// ```
/// use flitwise::network::{Axes, MeshSpec, NetworkSpec, tree_network};
/// use flitwise::routing::tree::{MulticastRoute, multicast_trees};
/// use flitwise::units::NodeId;
/// let spec = MeshSpec::new(Axes { shape: vec![4, 4], order: vec![0, 1] });
/// let mesh = tree_network(&spec, spec.build(1.into())?)?;
/// let trees = multicast_trees(MulticastRoute::RouterTree, &mesh, NodeId(5), &[NodeId(0), NodeId(7), NodeId(10)])?;
/// assert_eq!((trees.len(), trees[0].tree.links(), trees[0].tree.copies()), (1, 6, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn multicast_trees(
    route: MulticastRoute,
    network: &TreeNetwork,
    src: NodeId,
    dsts: &[NodeId],
) -> Result<Vec<MulticastTree>, TreeError> {
    match route {
        MulticastRoute::RouterTree => {
            Ok(vec![MulticastTree { tree: union(network, src, dsts)?, destinations: dsts.to_vec() }])
        }
        MulticastRoute::DualPath => path_worms(PathWorms::Dual, network, src, dsts),
        MulticastRoute::MultiPath => path_worms(PathWorms::Multi, network, src, dsts),
    }
}

/// The union of the paths from `src` to `dsts`.
///
/// # Errors
/// Returns an error if two of them part and meet again in a channel.
pub fn union(network: &TreeNetwork, src: NodeId, dsts: &[NodeId]) -> Result<Tree, TreeError> {
    let mut fork = Fork::default();
    let mut path = Vec::new();
    for &dst in dsts {
        path.clear();
        network.route(src, dst, &mut path);
        fork.add(&path).map_err(|channel| TreeError::MeetsAgain { src, channel: network.channels().name(channel) })?;
    }
    Ok(fork.finish())
}

/// A tree that grows by paths from one source.
#[derive(Debug, Default)]
pub struct Fork {
    branches: Vec<Branch>,
    /// By channel, its place among the branches.
    places: FxHashMap<ChannelId, u32>,
}

/// A channel of a growing tree.
#[derive(Clone, Copy, Debug)]
struct Branch {
    channel: ChannelId,
    /// The place of the channel that feeds it, or [`NO_FEED`].
    feed: u32,
    is_ejection: bool,
}

/// The feed of an injection channel.
const NO_FEED: u32 = u32::MAX;

impl Fork {
    /// Adds `path`, an injection channel, links and an ejection channel.
    ///
    /// # Errors
    /// Returns the channel in which the path meets the tree again after it has left it.
    pub fn add(&mut self, path: &[ChannelId]) -> Result<(), ChannelId> {
        let mut feed = NO_FEED;
        for (index, &channel) in path.iter().enumerate() {
            let next = narrow(self.branches.len(), "the places of a tree are numbered with 32 bits");
            let entry = *self.places.entry(channel).or_insert(next);
            if entry == next {
                self.branches.push(Branch { channel, feed, is_ejection: index + 1 == path.len() });
            } else if self.branches[entry as usize].feed != feed {
                return Err(channel);
            }
            feed = entry;
        }
        Ok(())
    }

    /// The tree, junction by junction from the source on. The outputs of a junction are ejection channels, then links, in the order of
    /// their numbers, so that the same set of paths is the same tree.
    pub fn finish(self) -> Tree {
        let outputs = self.outputs();
        let mut channels = Vec::with_capacity(self.branches.len());
        let mut queue: VecDeque<(u32, Option<u32>)> = outputs.fed_by(NO_FEED).map(|place| (place, None)).collect();
        while let Some((place, feed)) = queue.pop_front() {
            let number = narrow(channels.len(), "the places of a tree are numbered with 32 bits");
            channels.push(TreeChannel {
                channel: self.branches[place as usize].channel,
                feeds: feed.into_iter().collect(),
            });
            queue.extend(outputs.fed_by(place).map(|output| (output, Some(number))));
        }
        Tree::new(channels)
    }

    fn outputs(&self) -> Outputs {
        let mut order: Vec<u32> = (0..).take(self.branches.len()).collect();
        let key = |place: u32| {
            let Branch { channel, feed, is_ejection } = self.branches[place as usize];
            (feed, !is_ejection, channel)
        };
        order.sort_unstable_by_key(|&place| key(place));
        Outputs { feeds: order.iter().map(|&place| key(place).0).collect(), places: order }
    }
}

/// The channels that each channel feeds.
struct Outputs {
    /// The places of the channels, in the order of their feeds.
    places: Vec<u32>,
    /// The place that feeds each of them, in rising order.
    feeds: Vec<u32>,
}

impl Outputs {
    fn fed_by(&self, feed: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.feeds.partition_point(|&other| other < feed);
        let end = self.feeds.partition_point(|&other| other <= feed);
        self.places[start..end].iter().copied()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn tree(paths: &[&[u32]]) -> Result<Tree, ChannelId> {
        let mut fork = Fork::default();
        for path in paths {
            fork.add(&path.iter().copied().map(ChannelId).collect::<Vec<_>>())?;
        }
        Ok(fork.finish())
    }

    #[test]
    fn paths_share_what_they_have_in_common_from_the_source_on() {
        let tree = tree(&[&[0, 5, 6, 30], &[0, 5, 20], &[0, 7, 10], &[0, 5, 6, 9, 21]]).unwrap();
        let channels: Vec<u32> = tree.channels().iter().map(|channel| channel.0).collect();
        assert_eq!(channels, [0, 5, 7, 20, 6, 10, 30, 9, 21]);
        let feeds: Vec<Option<u32>> = (0..tree.len()).map(|place| tree.feeds(place).first().copied()).collect();
        assert_eq!(feeds, [None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(4), Some(4), Some(7)]);
        assert_eq!((tree.copies(), tree.combinations(), tree.links()), (3, 0, 4));
    }

    /// Two packets with the same channels are compared by their trees.
    #[test]
    fn the_order_of_paths_does_not_change_a_tree() {
        let paths: [&[u32]; 3] = [&[0, 5, 6, 30], &[0, 5, 20], &[0, 7, 10]];
        let backwards: Vec<&[u32]> = paths.iter().rev().copied().collect();
        assert_eq!(tree(&paths), tree(&backwards));
    }

    #[test]
    fn paths_that_part_and_meet_again_make_no_tree() {
        assert_eq!(tree(&[&[0, 1, 3, 10], &[0, 2, 3, 11]]), Err(ChannelId(3)));
        assert_eq!(tree(&[&[0, 1, 10], &[0, 2, 3, 10]]), Err(ChannelId(10)));
        assert!(tree(&[&[0, 1, 10], &[0, 1, 10]]).is_ok());
    }
}
