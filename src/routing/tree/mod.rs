//! Trees of channels, for packets that routers copy or combine.
//!
//! A *tree* leads from the injection channels of its sources over links to the ejection channels of its destinations. Where it has
//! several outputs at a router, the router copies flits (a *fork*); where it has several inputs, the router combines them (a *join*).
//! Such a place is a *junction*: every output takes its flits from all inputs. A tree with one source and one destination is a path.
//!
//! ```
//! use flitwise::routing::tree::{Tree, TreeChannel};
//! use flitwise::units::ChannelId;
//! // a source, two links behind it, and a node at the end of each
//! let channel = |number, feeds: &[u32]| TreeChannel { channel: ChannelId(number), feeds: feeds.to_vec() };
//! let tree = Tree::new([channel(0, &[]), channel(7, &[0]), channel(9, &[0]), channel(3, &[1]), channel(4, &[2])]);
//! assert_eq!((tree.len(), tree.junctions().len()), (5, 3));
//! let fork = &tree.junctions()[0];
//! assert_eq!((fork.inputs.as_slice(), fork.outputs.as_slice()), ([0].as_slice(), [1, 2].as_slice()));
//! assert_eq!([tree.copies(), tree.combinations()], [1, 0]);
//! ```

mod edges;
mod fork;
mod join;
mod labels;
mod network;
mod proof;
mod turn;

pub use edges::{EdgeError, EdgeProblem, TreeEdge, tree_of_edges};
pub use fork::{Fork, MulticastRoute, MulticastTree, TreeError, multicast_trees, union};
pub use join::join;
pub use labels::HamiltonianLabels;
pub use network::{TreeNetwork, TreePaths, link_of};
pub use proof::{TreeProof, TreeViolation};
pub use turn::{SharedChannel, turn};

use crate::units::{ChannelId, narrow};
use rustc_hash::FxHashMap;

/// A channel of a tree, with what feeds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChannel {
    /// The channel, as [`crate::topology::Channels`] numbers them.
    pub channel: ChannelId,
    /// The places in the tree of the channels that feed it, in rising order. Empty for injection channels.
    pub feeds: Vec<u32>,
}

/// A place in a router where a tree has inputs, the channels that end there, and outputs, the channels that begin there. Both are
/// places in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Junction {
    /// The inputs, in rising order.
    pub inputs: Vec<u32>,
    /// The outputs, in rising order.
    pub outputs: Vec<u32>,
}

/// The ejection channels that the packets of a tree take where nodes have several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EjectionClass {
    /// Any of them.
    #[default]
    Any,
    /// Those with an even number, for worms that go up a Hamiltonian labelling.
    Up,
    /// Those with an odd number, for worms that go down.
    Down,
}

/// A set of channels by which packets go from sources to destinations, each channel after those that feed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    channels: Vec<ChannelId>,
    /// By channel, the end of its part of `feeds`.
    ends: Vec<u32>,
    feeds: Vec<u32>,
    junctions: Vec<Junction>,
    /// By channel, the junction of which it is an input, or [`NO_JUNCTION`].
    leads_to: Vec<u32>,
    /// The ejection channels of its destinations.
    pub ejection: EjectionClass,
}

const NO_JUNCTION: u32 = u32::MAX;

impl Tree {
    /// Creates the tree of `channels`.
    ///
    /// # Panics
    /// If a channel is fed by one that does not precede it, or by a part of the inputs of a junction.
    pub fn new(channels: impl IntoIterator<Item = TreeChannel>) -> Self {
        let mut tree = Self {
            channels: Vec::new(),
            ends: Vec::new(),
            feeds: Vec::new(),
            junctions: Vec::new(),
            leads_to: Vec::new(),
            ejection: EjectionClass::Any,
        };
        let mut of_inputs: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for (place, TreeChannel { channel, feeds }) in channels.into_iter().enumerate() {
            let place: u32 = narrow(place, "the places of a tree are numbered with 32 bits");
            assert!(feeds.iter().all(|&feed| feed < place), "channel {place} is fed by one that does not precede it");
            tree.channels.push(channel);
            tree.leads_to.push(NO_JUNCTION);
            tree.feeds.extend(&feeds);
            tree.ends.push(narrow(tree.feeds.len(), "the places of a tree are numbered with 32 bits"));
            if !feeds.is_empty() {
                let number = *of_inputs.entry(feeds).or_insert_with_key(|inputs| tree.open(inputs));
                tree.junctions[number as usize].outputs.push(place);
            }
        }
        tree
    }

    /// Adds a junction without outputs, and returns its number.
    fn open(&mut self, inputs: &[u32]) -> u32 {
        let number = narrow(self.junctions.len(), "the places of a tree are numbered with 32 bits");
        for &input in inputs {
            let leads_to = std::mem::replace(&mut self.leads_to[input as usize], number);
            assert!(leads_to == NO_JUNCTION, "channel {input} is an input of two junctions");
        }
        self.junctions.push(Junction { inputs: inputs.to_vec(), outputs: Vec::new() });
        number
    }

    /// The channels with those that feed them, of which [`Self::new`] makes the same tree.
    pub fn entries(&self) -> impl Iterator<Item = TreeChannel> + '_ {
        (0..self.len()).map(|place| TreeChannel { channel: self.channels[place], feeds: self.feeds(place).to_vec() })
    }

    /// Creates the path of `channels`.
    pub fn path(channels: impl IntoIterator<Item = ChannelId>) -> Self {
        let feeds = |place: u32| place.checked_sub(1).into_iter().collect();
        Self::new((0..).zip(channels).map(|(place, channel)| TreeChannel { channel, feeds: feeds(place) }))
    }

    /// Returns the tree with the ejection channels of `class`.
    #[must_use]
    pub fn ejecting(self, class: EjectionClass) -> Self {
        Self { ejection: class, ..self }
    }

    /// The number of channels.
    pub fn len(&self) -> usize {
        self.channels.len()
    }

    /// Returns true if there are no channels.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// The channels, each after those that feed it.
    pub fn channels(&self) -> &[ChannelId] {
        &self.channels
    }

    /// The places of the channels that feed the channel at `place`, in rising order.
    pub fn feeds(&self, place: usize) -> &[u32] {
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.feeds[begin..self.ends[place] as usize]
    }

    /// The junctions, in the order of their first outputs.
    pub fn junctions(&self) -> &[Junction] {
        &self.junctions
    }

    /// The number of the junction at the end of the channel at `place`, or `None` for ejection channels.
    pub fn leads_to(&self, place: usize) -> Option<usize> {
        let junction = self.leads_to[place];
        (junction != NO_JUNCTION).then_some(junction as usize)
    }

    /// The places of the channels that the channel at `place` feeds, in rising order.
    pub fn outputs(&self, place: usize) -> &[u32] {
        self.leads_to(place).map_or(&[], |junction| &self.junctions[junction].outputs)
    }

    /// The places of the channels that nothing feeds: the injection channels.
    pub fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&place| self.feeds(place).is_empty())
    }

    /// The places of the channels that feed nothing: the ejection channels.
    pub fn destinations(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&place| self.leads_to(place).is_none())
    }

    /// The places on a path from the `source`, an injection channel, to the `destination`, an ejection channel: forwards to where the
    /// tree forks, and backwards to where it joins.
    pub fn route(&self, source: usize, destination: usize) -> Vec<u32> {
        let number = |place: usize| -> u32 { narrow(place, "the places of a tree are numbered with 32 bits") };
        let mut path = vec![number(source)];
        while let [next] = *self.outputs(path[path.len() - 1] as usize) {
            path.push(next);
        }
        let mut back = Vec::new();
        let mut last = Some(number(destination));
        while let Some(next) = last.filter(|next| !path.contains(next)) {
            back.push(next);
            last = if let [feed] = *self.feeds(next as usize) { Some(feed) } else { None };
        }
        path.extend(back.into_iter().rev());
        path
    }

    /// The number of links from the injection channel at `source` to the first destination behind it.
    pub fn links_from(&self, source: usize) -> usize {
        let next = |&place: &usize| self.outputs(place).first().map(|&next| next as usize);
        std::iter::successors(Some(source), next).count().saturating_sub(2)
    }

    /// The number of links.
    pub fn links(&self) -> usize {
        self.len() - self.sources().count() - self.destinations().count()
    }

    /// The number of copies of a flit that routers make: the outputs of each junction less one.
    pub fn copies(&self) -> usize {
        self.junctions.iter().map(|junction| junction.outputs.len() - 1).sum()
    }

    /// The number of flits that routers combine with another for a flit that arrives: the inputs of each junction less one.
    pub fn combinations(&self) -> usize {
        self.junctions.iter().map(|junction| junction.inputs.len() - 1).sum()
    }

    /// The most links, and joins, between a source and the channel at each place: for each, the path with the largest sum of
    /// `link` for a link and `join` for a join.
    pub fn depths(&self, link: u64, join: u64) -> Vec<u64> {
        let mut depths: Vec<u64> = Vec::with_capacity(self.len());
        for place in 0..self.len() {
            let feeds = self.feeds(place);
            let before = feeds.iter().map(|&feed| depths[feed as usize]).max();
            let is_join = feeds.len() > 1;
            let of_channel = if self.leads_to(place).is_some() { link } else { 0 };
            depths.push(before.map_or(0, |before| before + of_channel + if is_join { join } else { 0 }));
        }
        depths
    }
}
