//! The tree of an all-reduce: a reduction to the router of a root, and a multicast from there.
//!
//! The flits turn at the root's router without entering its node: the last channels of the reduction, the root's injection channel
//! among them, are the inputs, and the first channels of the multicast and the root's ejection channel the outputs of one junction.

use super::{Tree, TreeChannel};
use crate::units::{ChannelId, narrow};
use rustc_hash::FxHashSet;
use thiserror::Error;

/// A channel by which a tree leads both up to its root and down from it.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("channel {0} leads both to the root and from it")]
pub struct SharedChannel(pub ChannelId);

/// Joins the reduction `up` to a root and the multicast `down` from it to all other nodes, which is empty if there are none.
///
/// # Errors
/// Returns the channel with the lowest number that both have.
///
/// # Panics
/// If `up` has not one destination, or `down` has several sources.
pub fn turn(up: &Tree, down: &Tree) -> Result<Tree, SharedChannel> {
    assert!(down.sources().all(|source| source == 0), "a multicast begins with its only injection channel");
    let ejection = up.len() - 1;
    assert!(up.destinations().eq([ejection]), "a reduction ends with its only ejection channel");
    let of_up: FxHashSet<ChannelId> = up.channels().iter().copied().collect();
    if let Some(&shared) = down.channels().iter().skip(1).filter(|channel| of_up.contains(channel)).min() {
        return Err(SharedChannel(shared));
    }
    // behind the ejection channel of the root, which keeps its place, the others follow; the injection channel is left out
    let offset: u32 = narrow(ejection, "the places of a tree are numbered with 32 bits");
    let rest = (1..down.len()).map(|place| {
        let feeds = match down.feeds(place) {
            [0] => up.feeds(ejection).to_vec(),
            feeds => feeds.iter().map(|feed| feed + offset).collect(),
        };
        TreeChannel { channel: down.channels()[place], feeds }
    });
    Ok(Tree::new(up.entries().chain(rest)))
}

#[cfg(all(test, feature = "config"))]
mod tests {
    use super::*;
    use crate::network::{Axes, MeshSpec, NetworkSpec, tree_network};
    use crate::routing::tree::{join, union};
    use crate::units::NodeId;
    use std::error::Error;

    #[test]
    fn flits_turn_at_the_router_of_the_root() -> Result<(), Box<dyn Error>> {
        let spec = MeshSpec::new(Axes { shape: vec![3], order: vec![0] });
        let network = tree_network(&spec, spec.build(1.into())?)?;
        let up = join(&network, &[0, 1, 2].map(NodeId), NodeId(1));
        let tree = turn(&up, &union(&network, NodeId(1), &[NodeId(0), NodeId(2)])?)?;
        let names = |places: &[u32]| -> Vec<String> {
            places.iter().map(|&place| network.channels().name(tree.channels()[place as usize])).collect()
        };
        let at_root = tree.junctions().iter().find(|junction| junction.inputs.len() > 1);
        let ends = at_root.map(|junction| [names(&junction.inputs), names(&junction.outputs)]);
        let inputs = ["(0)->(1)", "injection (1)", "(2)->(1)"].map(str::to_owned).to_vec();
        let outputs = ["ejection (1)", "(1)->(2)", "(1)->(0)"].map(str::to_owned).to_vec();
        assert_eq!(ends, Some([inputs, outputs]));
        assert_eq!([tree.links(), tree.combinations(), tree.copies()], [4, 2, 2]);
        assert_eq!([tree.sources().count(), tree.destinations().count()], [3, 3]);
        Ok(())
    }

    #[test]
    fn a_link_up_and_down_is_refused() {
        let [injection, link, ejection, other] = [0, 1, 2, 3].map(ChannelId);
        let up = Tree::path([injection, link, ejection]);
        let down = Tree::path([other, link, ChannelId(4)]);
        assert_eq!(turn(&up, &down), Err(SharedChannel(link)));
    }

    #[test]
    fn a_node_alone_turns_its_own() {
        let up = Tree::path([ChannelId(0), ChannelId(1)]);
        assert_eq!(turn(&up, &Tree::new([])), Ok(up));
    }
}
