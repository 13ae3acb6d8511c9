//! Proofs that a tree brings a copy of the flits of each source to every destination.
//!
//! Each source has a random residue modulo the prime 2^61 - 1. A channel carries the sum of the residues that come to it, and how many
//! they are: a destination with one copy of each source's flits has the sum of all residues and the number of sources. A tree that
//! brings the flits of a source twice and leaves out those of another agrees with a probability below 2^-60. A destination that differs
//! is examined again, source by source.

use super::{Tree, TreeNetwork};
use crate::random;
use crate::topology::Origin;
use crate::units::{ChannelId, NodeId};
use rand::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

/// The size of a tree that has been proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeProof {
    /// Links.
    pub links: usize,
    /// Copies of a flit that routers make.
    pub copies: usize,
    /// Flits that routers combine with another for a flit that arrives.
    pub combinations: usize,
}

/// An error of a tree that does not bring a copy of the flits of each source to every destination.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeViolation {
    /// A channel is in the tree twice.
    #[error("channel {channel} is twice in the tree")]
    ChannelTwice {
        /// The name of the channel.
        channel: String,
    },
    /// A channel does not begin where one ends that feeds it.
    #[error("channel {channel} does not begin where {feed} ends")]
    Gap {
        /// The name of the channel.
        channel: String,
        /// The name of the other one.
        feed: String,
    },
    /// The tree begins or ends at other nodes than it should.
    #[error("node {node} is {actual}a {end} of the tree, but {expected} of the packet")]
    OtherEnd {
        /// The node.
        node: NodeId,
        /// The end: a source or a destination.
        end: &'static str,
        /// Words on the tree.
        actual: &'static str,
        /// Words on the packet.
        expected: &'static str,
    },
    /// A destination receives the flits of a source several times, or not at all.
    #[error("node {destination} {}", received(*copies, *source_node))]
    Copies {
        /// The destination.
        destination: NodeId,
        /// The source.
        source_node: NodeId,
        /// The number of copies.
        copies: u64,
    },
}

fn received(copies: u64, source: NodeId) -> String {
    match copies {
        0 => format!("does not receive the flits of node {source}"),
        2 => format!("receives the flits of node {source} twice"),
        _ => format!("receives the flits of node {source} {copies} times"),
    }
}

/// The modulus of residues: a Mersenne prime, so that a sum is reduced by a subtraction.
const PRIME: u64 = (1 << 61) - 1;

/// The flits that come to a channel: the sum of the residues of their sources, and how many these are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contributions {
    residues: u64,
    count: u64,
}

impl Contributions {
    fn combined(self, other: Self) -> Self {
        let sum = self.residues + other.residues;
        let residues = if sum >= PRIME { sum - PRIME } else { sum };
        Self { residues, count: self.count.saturating_add(other.count) }
    }
}

impl Tree {
    /// Proves that it brings a copy of the flits of each of `sources` to each of `destinations`, in time linear in its channels.
    ///
    /// # Errors
    /// Returns the first violation.
    pub fn prove(
        &self,
        network: &TreeNetwork,
        sources: &[NodeId],
        destinations: &[NodeId],
    ) -> Result<TreeProof, TreeViolation> {
        self.refuse_gaps(network)?;
        self.refuse_other_ends(network, sources, destinations)?;
        let contributions = self.contributions();
        let of_sources = self.sources().map(|place| contributions[place]);
        let all = of_sources.fold(Contributions::default(), Contributions::combined);
        if let Some(place) = self.destinations().find(|&place| contributions[place] != all) {
            return Err(self.explain(network, place));
        }
        Ok(TreeProof { links: self.links(), copies: self.copies(), combinations: self.combinations() })
    }

    /// Refuses channels that are twice in the tree, or do not begin where those end that feed them.
    fn refuse_gaps(&self, network: &TreeNetwork) -> Result<(), TreeViolation> {
        let name = |channel: ChannelId| network.channels().name(channel);
        let mut seen = FxHashSet::default();
        for (place, &channel) in self.channels().iter().enumerate() {
            if !seen.insert(channel) {
                return Err(TreeViolation::ChannelTwice { channel: name(channel) });
            }
            let start = network.begins_at(channel);
            let feeds = self.feeds(place).iter().map(|&feed| self.channels()[feed as usize]);
            if let Some(feed) = feeds.into_iter().find(|&feed| network.ends_at(feed) != start || start.is_none()) {
                return Err(TreeViolation::Gap { channel: name(channel), feed: name(feed) });
            }
        }
        Ok(())
    }

    /// Refuses sources and destinations other than those of the packets.
    fn refuse_other_ends(
        &self,
        network: &TreeNetwork,
        sources: &[NodeId],
        destinations: &[NodeId],
    ) -> Result<(), TreeViolation> {
        let origins = |places: &mut dyn Iterator<Item = usize>| -> Vec<Origin> {
            places.map(|place| network.channels().origin(self.channels()[place])).collect()
        };
        let begins: Vec<NodeId> = origins(&mut self.sources())
            .into_iter()
            .filter_map(|origin| if let Origin::Injection(node) = origin { Some(node) } else { None })
            .collect();
        let ends: Vec<NodeId> = origins(&mut self.destinations())
            .into_iter()
            .filter_map(|origin| if let Origin::Ejection(node) = origin { Some(node) } else { None })
            .collect();
        refuse_other_nodes("source", &begins, sources)?;
        refuse_other_nodes("destination", &ends, destinations)
    }

    /// The contributions that come to each channel.
    fn contributions(&self) -> Vec<Contributions> {
        let mut stream = random::stream(0, "contributions", 1);
        let mut contributions: Vec<Contributions> = Vec::with_capacity(self.len());
        for place in 0..self.len() {
            let feeds = self.feeds(place).iter().map(|&feed| contributions[feed as usize]);
            let combined = feeds.reduce(Contributions::combined);
            let contribution = || Contributions { residues: stream.next_u64() % PRIME, count: 1 };
            contributions.push(combined.unwrap_or_else(contribution));
        }
        contributions
    }

    /// The first source whose flits do not come once to the ejection channel at `end`.
    fn explain(&self, network: &TreeNetwork, end: usize) -> TreeViolation {
        let mut copies = vec![0_u64; end + 1];
        copies[end] = 1;
        for place in (0..=end).rev() {
            for &feed in self.feeds(place) {
                copies[feed as usize] = copies[feed as usize].saturating_add(copies[place]);
            }
        }
        let copies = |place: usize| copies.get(place).copied().unwrap_or(0);
        let source = self.sources().find(|&place| copies(place) != 1).unwrap_or_default();
        let node = |place: usize| network.node(self.channels()[place]);
        TreeViolation::Copies { destination: node(end), source_node: node(source), copies: copies(source) }
    }
}

/// Refuses that `actual` are other nodes than `expected`.
fn refuse_other_nodes(end: &'static str, actual: &[NodeId], expected: &[NodeId]) -> Result<(), TreeViolation> {
    let mut difference: FxHashMap<NodeId, i64> = FxHashMap::default();
    actual.iter().for_each(|&node| *difference.entry(node).or_default() += 1);
    expected.iter().for_each(|&node| *difference.entry(node).or_default() -= 1);
    let differing = difference.into_iter().filter(|&(_, difference)| difference != 0);
    differing.min_by_key(|&(node, _)| node).map_or(Ok(()), |(node, difference)| {
        let (actual, expected) = if difference > 0 { ("", "not") } else { ("not ", "one") };
        Err(TreeViolation::OtherEnd { node, end, actual, expected })
    })
}

#[cfg(all(test, feature = "config"))]
mod tests {
    use super::*;
    use crate::network::{Axes, MeshSpec, NetworkError, NetworkSpec, tree_network};
    use crate::routing::tree::{TreeChannel, join, turn, union};

    fn line() -> Result<TreeNetwork, NetworkError> {
        let spec = MeshSpec::new(Axes { shape: vec![4], order: vec![0] });
        tree_network(&spec, spec.build(1.into())?)
    }

    fn nodes(numbers: &[u32]) -> Vec<NodeId> {
        numbers.iter().copied().map(NodeId).collect()
    }

    #[test]
    fn reductions_multicasts_and_all_reduces_are_proved() -> Result<(), NetworkError> {
        let network = line()?;
        let up = join(&network, &nodes(&[0, 1, 2, 3]), NodeId(2));
        let expected = Ok(TreeProof { links: 3, copies: 0, combinations: 3 });
        assert_eq!(up.prove(&network, &nodes(&[3, 1, 2, 0]), &nodes(&[2])), expected);
        let down = union(&network, NodeId(2), &nodes(&[0, 1, 3])).map_err(|error| error.to_string());
        let tree = down.and_then(|down| turn(&up, &down).map_err(|shared| shared.to_string()));
        let all = nodes(&[0, 1, 2, 3]);
        let proof = tree.map(|tree| tree.prove(&network, &all, &all));
        assert_eq!(proof, Ok(Ok(TreeProof { links: 6, copies: 3, combinations: 3 })));
        Ok(())
    }

    #[test]
    fn other_ends_and_gaps_are_refused() -> Result<(), NetworkError> {
        let network = line()?;
        let tree = join(&network, &nodes(&[0, 1, 3]), NodeId(2));
        let words = |sources: &[u32], root: u32| {
            let refused = tree.prove(&network, &nodes(sources), &nodes(&[root]));
            refused.map_err(|violation| violation.to_string())
        };
        assert_eq!(words(&[0, 1], 2), Err("node 3 is a source of the tree, but not of the packet".to_owned()));
        assert_eq!(
            words(&[0, 1, 2, 3], 2),
            Err("node 2 is not a source of the tree, but one of the packet".to_owned())
        );
        assert_eq!(
            words(&[0, 1, 3], 1),
            Err("node 1 is not a destination of the tree, but one of the packet".to_owned())
        );
        let mut path = Vec::new();
        network.route(NodeId(0), NodeId(3), &mut path);
        path.remove(2);
        let refused = Tree::path(path).prove(&network, &nodes(&[0]), &nodes(&[3]));
        assert_eq!(
            refused.map_err(|violation| violation.to_string()),
            Err("channel (2)->(3) does not begin where (0)->(1) ends".to_owned())
        );
        Ok(())
    }

    #[test]
    fn flits_that_come_twice_or_not_at_all_are_refused() -> Result<(), NetworkError> {
        let spec = MeshSpec::new(Axes { shape: vec![2, 2], order: vec![0, 1] });
        let other = MeshSpec::new(Axes { shape: vec![2, 2], order: vec![1, 0] });
        let network = tree_network(&spec, spec.build(1.into())?)?;
        let route = |network: &TreeNetwork| {
            let mut path = Vec::new();
            network.route(NodeId(0), NodeId(3), &mut path);
            path
        };
        let [path, around] = [route(&network), route(&tree_network(&other, other.build(1.into())?)?)];
        let entry = |channel, feeds: &[u32]| TreeChannel { channel, feeds: feeds.to_vec() };
        let part = [entry(path[0], &[]), entry(path[1], &[0]), entry(around[1], &[0]), entry(path[2], &[1])];
        let twice = Tree::new(part.into_iter().chain([entry(around[2], &[2]), entry(path[3], &[3, 4])]));
        let refused = twice.prove(&network, &nodes(&[0]), &nodes(&[3])).map_err(|error| error.to_string());
        assert_eq!(refused, Err("node 3 receives the flits of node 0 twice".to_owned()));
        let injection = network.channels().injection(NodeId(1));
        let separate = [entry(injection, &[]), entry(network.channels().ejection(NodeId(1)), &[4])];
        let lacking =
            Tree::new(path.iter().zip(0..).map(|(&channel, place)| entry(channel, &before(place))).chain(separate));
        let refused = lacking.prove(&network, &nodes(&[0, 1]), &nodes(&[3, 1])).map_err(|error| error.to_string());
        assert_eq!(refused, Err("node 3 does not receive the flits of node 1".to_owned()));
        Ok(())
    }

    fn before(place: u32) -> Vec<u32> {
        place.checked_sub(1).into_iter().collect()
    }
}
