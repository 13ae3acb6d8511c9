//! The tree of a reduction: the paths to its root, each as far as it meets another.
//!
//! Two paths that come to the same channel are one from there on, whatever way the second would have gone. So every channel feeds one
//! other, and the channels are a tree whose root is the ejection channel of the root's node.

use super::{Tree, TreeChannel, TreeKind};
use crate::cancel;
use crate::routing::Network;
use crate::units::{ChannelId, NodeId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Returns the tree of a reduction from `sources` to `root`, in time linear in the lengths of all paths. Of paths that meet, that of
/// the first source leads on. A source that is named twice counts once.
///
/// ```
/// use flitwise::routing::DimensionOrder;
/// use flitwise::routing::tree::join;
/// use flitwise::topology::Mesh;
/// use flitwise::units::NodeId;
/// let network = DimensionOrder::first_coordinate_first(Mesh::new(&[4], 1)?);
/// let tree = join(&network, &[0, 1, 3].map(NodeId), NodeId(2));
/// assert_eq!([tree.links(), tree.combinations()], [3, 2]);
/// # Ok::<(), flitwise::topology::TopologyError>(())
/// ```
pub fn join(network: &dyn Network, sources: &[NodeId], root: NodeId) -> Tree {
    let mut merged = MergedPaths::default();
    let mut path = Vec::new();
    for &source in sources {
        cancel::checkpoint();
        path.clear();
        network.tree_path(source, root, TreeKind::Reduction, &mut path);
        merged.add(&path);
    }
    merged.tree()
}

/// Paths that are one from where they meet on.
#[derive(Default)]
struct MergedPaths {
    channels: Vec<MergedChannel>,
    indices: FxHashMap<ChannelId, usize>,
}

struct MergedChannel {
    channel: ChannelId,
    /// The index of the channel that it feeds, or `None` at the root.
    feeds: Option<usize>,
    /// The number of channels from here to the root.
    depth: usize,
}

impl MergedPaths {
    /// Adds `path` up to the first channel that is there.
    fn add(&mut self, path: &[ChannelId]) {
        let met = path.iter().position(|channel| self.indices.contains_key(channel));
        let new = &path[..met.unwrap_or(path.len())];
        let mut feeds = met.map(|met| self.indices[&path[met]]);
        for &channel in new.iter().rev() {
            let index = self.channels.len();
            let depth = feeds.map_or(0, |fed| self.channels[fed].depth + 1);
            self.channels.push(MergedChannel { channel, feeds, depth });
            self.indices.insert(channel, index);
            feeds = Some(index);
        }
    }

    /// The tree, the channels farthest from its root first: so every channel follows those that feed it.
    fn tree(self) -> Tree {
        let mut order: Vec<usize> = (0..self.channels.len()).collect();
        order.sort_by_key(|&index| Reverse(self.channels[index].depth));
        let mut feeds: Vec<Vec<u32>> = vec![Vec::new(); self.channels.len()];
        Tree::new(order.into_iter().zip(0..).map(|(index, place)| {
            let merged = &self.channels[index];
            if let Some(fed) = merged.feeds {
                feeds[fed].push(place);
            }
            TreeChannel { channel: merged.channel, feeds: std::mem::take(&mut feeds[index]) }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::{DimensionOrder, Rings};
    use crate::topology::{Channels, Mesh, TopologyError, Torus};

    /// The channels of a tree with what feeds them, by name.
    fn names(network: &dyn Network, tree: &Tree) -> Vec<String> {
        let name = |place: usize| network.channels().name(tree.channels()[place]);
        let fed = |place: usize| tree.feeds(place).iter().map(|&feed| name(feed as usize)).collect::<Vec<_>>();
        (0..tree.len()).map(|place| format!("{} < {}", name(place), fed(place).join(", "))).collect()
    }

    #[test]
    fn paths_are_one_from_where_they_meet_on() -> Result<(), TopologyError> {
        let network = DimensionOrder::first_coordinate_first(Mesh::new(&[4], 1)?);
        let tree = join(&network, &[0, 1, 3].map(NodeId), NodeId(2));
        let expected = [
            "injection 0 port 0 < ",
            "0->1 < injection 0 port 0",
            "injection 1 port 0 < ",
            "injection 3 port 0 < ",
            "1->2 < 0->1, injection 1 port 0",
            "3->2 < injection 3 port 0",
            "ejection 2 port 0 < 1->2, 3->2",
        ];
        assert_eq!(names(&network, &tree), expected);
        Ok(())
    }

    #[test]
    fn a_root_contributes_through_its_injection_channel() -> Result<(), TopologyError> {
        let network = DimensionOrder::first_coordinate_first(Mesh::new(&[4], 1)?);
        let tree = join(&network, &[0, 1].map(NodeId), NodeId(1));
        let junction = tree.junctions().last().map(|junction| (junction.inputs.len(), junction.outputs.len()));
        assert_eq!((junction, tree.combinations()), (Some((2, 1)), 1));
        Ok(())
    }

    /// Towards 1: from 4, 5 and 0 up to the edge in class 1, and the rest of the way in class 0.
    #[test]
    fn rings_are_entered_in_class_1_before_their_edge() -> Result<(), TopologyError> {
        let network = Rings::first_coordinate_first(Torus::new(&[6], 1, 2)?);
        let tree = join(&network, &[0, 1, 2, 3, 4, 5].map(NodeId), NodeId(1));
        let links = names(&network, &tree).into_iter().filter(|name| !name.contains("jection ") || name.contains("->"));
        let links: Vec<String> = links.map(|name| name.split(" < ").next().unwrap_or_default().to_owned()).collect();
        for link in ["4->5 vc 1", "5->0 vc 1", "0->1 vc 0", "3->2 vc 0", "2->1 vc 0"] {
            assert!(links.iter().any(|name| name.contains(link)), "{link} in {links:?}");
        }
        assert_eq!(tree.links(), 5);
        assert!(tree.channels().iter().all(|&channel| channel.index() < network.channels().count()));
        Ok(())
    }
}
