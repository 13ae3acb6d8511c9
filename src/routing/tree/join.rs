//! The tree of a reduction: the paths to its root, each as far as it meets another.
//!
//! Two paths that come to the same channel are one from there on, whatever way the second would have gone. So every channel feeds one
//! other, and the channels are a tree whose root is the ejection channel of the root's node.

use super::{Tree, TreeChannel, TreeNetwork};
use crate::cancel;
use crate::units::{ChannelId, NodeId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Returns the tree of a reduction from `sources` to `root`, in time linear in the lengths of all paths. The path of the first source
/// leads on where paths meet. A source that is named twice counts once.
///
/// ```
/// use flitwise::network::{Axes, MeshSpec, NetworkSpec, tree_network};
/// use flitwise::routing::tree::join;
/// use flitwise::units::NodeId;
/// let spec = MeshSpec::new(Axes { shape: vec![4], order: vec![0] });
/// let mesh = tree_network(&spec, spec.build(1.into())?)?;
/// let tree = join(&mesh, &[0, 1, 3].map(NodeId), NodeId(2));
/// assert_eq!([tree.links(), tree.combinations()], [3, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn join(network: &TreeNetwork, sources: &[NodeId], root: NodeId) -> Tree {
    let mut merged = MergedPaths::default();
    let mut path = Vec::new();
    for &source in sources {
        cancel::checkpoint();
        path.clear();
        network.route_to_root(source, root, &mut path);
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

#[cfg(all(test, feature = "config"))]
mod tests {
    use super::*;
    use crate::network::{Axes, MeshSpec, NetworkError, NetworkSpec, TorusSpec, tree_network};
    use crate::topology::Direction;

    fn axis(side: u64) -> Axes {
        Axes { shape: vec![side], order: vec![0] }
    }

    fn view(spec: &dyn NetworkSpec) -> Result<TreeNetwork, NetworkError> {
        tree_network(spec, spec.build(1.into())?)
    }

    /// The channels of a tree by name, each with those that feed it.
    fn names(network: &TreeNetwork, tree: &Tree) -> Vec<String> {
        let name = |place: usize| network.channels().name(tree.channels()[place]);
        let feeds = |place: usize| tree.feeds(place).iter().map(|&feed| name(feed as usize)).collect::<Vec<_>>();
        (0..tree.len()).map(|place| format!("{} < {}", name(place), feeds(place).join(", "))).collect()
    }

    #[test]
    fn paths_are_one_from_where_they_meet_on() -> Result<(), NetworkError> {
        let network = view(&MeshSpec::new(axis(4)))?;
        let tree = join(&network, &[0, 1, 3].map(NodeId), NodeId(2));
        let expected = [
            "injection (0) < ",
            "(0)->(1) < injection (0)",
            "injection (1) < ",
            "(1)->(2) < (0)->(1), injection (1)",
            "injection (3) < ",
            "(3)->(2) < injection (3)",
            "ejection (2) < (1)->(2), (3)->(2)",
        ];
        let mut names = names(&network, &tree);
        names.sort_unstable();
        let mut expected = expected.map(str::to_owned).to_vec();
        expected.sort_unstable();
        assert_eq!(names, expected);
        Ok(())
    }

    #[test]
    fn a_root_contributes_through_its_injection_channel() -> Result<(), NetworkError> {
        let network = view(&MeshSpec::new(axis(4)))?;
        let tree = join(&network, &[0, 1].map(NodeId), NodeId(1));
        let junction = tree.junctions().last().map(|junction| (junction.inputs.len(), junction.outputs.len()));
        assert_eq!((junction, tree.combinations()), (Some((2, 1)), 1));
        Ok(())
    }

    /// The links of the reduction of all nodes of a ring of six to node 1, in order.
    fn ring(spec: &TorusSpec) -> Result<Vec<String>, NetworkError> {
        let network = view(spec)?;
        let tree = join(&network, &[0, 1, 2, 3, 4, 5].map(NodeId), NodeId(1));
        let links = tree.channels().iter().filter(|&&channel| network.link(channel).is_some());
        let mut links: Vec<String> = links.map(|&channel| network.channels().name(channel)).collect();
        links.sort_unstable();
        Ok(links)
    }

    #[test]
    fn packets_that_come_over_the_edge_of_a_ring_change_to_the_class_of_the_others() -> Result<(), NetworkError> {
        let ordinary = ["(0)->(1) vc 0", "(2)->(1) vc 0", "(3)->(2) vc 0", "(4)->(5) vc 1", "(5)->(0) vc 1"];
        assert_eq!(ring(&TorusSpec::new(axis(6), 2))?, ordinary);
        let one_way = TorusSpec { directions: vec![Some(Direction::Plus)], ..TorusSpec::new(axis(6), 2) };
        let round = ["(0)->(1) vc 1", "(2)->(3) vc 0", "(3)->(4) vc 0", "(4)->(5) vc 0", "(5)->(0) vc 0"];
        assert_eq!(ring(&one_way)?, round);
        Ok(())
    }
}
