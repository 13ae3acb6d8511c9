//! A set of trees with the messages that use them, and its verdict.

use super::order::StateRanks;
use super::states::StateGraph;
use super::{MOST_STATES, SetProof, TooManyStates, TreeCertificate, cycle, order, waits};
use crate::random::mixed;
use crate::routing::DependencyGraph;
use crate::routing::tree::{EjectionClass, Tree};
use crate::units::{ChannelId, Flits, narrow};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The ejection channels of a node, as far as packets wait for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EjectionChannels {
    /// Each node has one.
    One,
    /// Each node has several, some of them for worms that go up a labelling and some for those that go down.
    Several,
    /// No packet ever waits for one.
    Unlimited,
}

/// Trees that packets use at the same time, in any order, on channels with buffers of one size.
#[derive(Clone, Debug)]
pub struct TreeSet<'a> {
    /// The flits of the smallest buffer of a channel.
    buffer: u64,
    ejection: EjectionChannels,
    trees: Vec<UsedTree<'a>>,
    /// The numbers of trees by a digest of their channels.
    known: FxHashMap<u64, Vec<u32>>,
}

/// A tree with the messages that use it.
#[derive(Clone, Debug)]
pub(super) struct UsedTree<'a> {
    pub(super) tree: Cow<'a, Tree>,
    /// The flits of the longest message on the wire.
    pub(super) flits: u64,
    /// The number of messages.
    pub(super) messages: u64,
    /// The first message that was added.
    pub(super) first: u64,
    /// By place, true if the channel feeds a join, directly or not. Empty without joins.
    leading_to_joins: Vec<bool>,
}

impl UsedTree<'_> {
    /// Returns true if the channel at `place` feeds a join, directly or not.
    pub(super) fn leads_to_join(&self, place: usize) -> bool {
        self.leading_to_joins.get(place).copied().unwrap_or(false)
    }
}

/// A channel for which trees compete: one of the network, or one of two kinds of ejection channels of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SharedChannel {
    channel: ChannelId,
    /// 1 for the ejection channels of worms that go down, where nodes have several, and 0 for all else.
    pub(super) class: u8,
}

impl<'a> TreeSet<'a> {
    /// Creates a set without trees. The smallest buffer of a channel holds `buffer` flits.
    ///
    /// # Panics
    /// If buffers hold nothing.
    pub fn new(buffer: u64, ejection: EjectionChannels) -> Self {
        assert!(buffer > 0, "a buffer holds a flit");
        Self { buffer, ejection, trees: Vec::new(), known: FxHashMap::default() }
    }

    /// Adds a message of `flits` flits with this number that uses `tree`.
    pub fn add(&mut self, tree: &'a Tree, flits: Flits, message: u64) {
        self.add_messages(Cow::Borrowed(tree), flits, message, 1);
    }

    /// Adds `messages` messages of up to `flits` flits that use `tree`, the first of them with the number `first`.
    pub fn add_messages(&mut self, tree: Cow<'a, Tree>, flits: Flits, first: u64, messages: u64) {
        self.join_ejection_channels(&tree);
        let digest = digest(&tree);
        let candidates = self.known.get(&digest).into_iter().flatten();
        let equal = candidates.copied().find(|&number| are_equal(&self.trees[number as usize].tree, &tree));
        match equal {
            Some(number) => {
                let known = &mut self.trees[number as usize];
                known.flits = known.flits.max(flits.on_wire());
                known.messages += messages;
            }
            None => {
                let number = narrow(self.trees.len(), "the trees of a set are numbered with 32 bits");
                self.known.entry(digest).or_default().push(number);
                let leading_to_joins = waits::leading_to_joins(&tree);
                self.trees.push(UsedTree { tree, flits: flits.on_wire(), messages, first, leading_to_joins });
            }
        }
    }

    /// Makes one resource of the ejection channels of a node, if a packet of `tree` may hold any of them while others wait for it.
    ///
    /// Packets with one destination hold none: whatever else they wait for is before it. They wait for an ejection channel forever only
    /// if all are held forever, so that those of one class stand for all.
    fn join_ejection_channels(&mut self, tree: &Tree) {
        let holds_any = tree.ejection == EjectionClass::Any && tree.destinations().nth(1).is_some();
        if holds_any && self.ejection == EjectionChannels::Several {
            self.ejection = EjectionChannels::One;
        }
    }

    /// Returns the set with other buffers.
    #[must_use]
    pub fn with_buffer(&self, buffer: u64) -> Self {
        Self { buffer, ..self.clone() }
    }

    /// Returns the set with other ejection channels.
    #[must_use]
    pub fn with_ejection(&self, ejection: EjectionChannels) -> Self {
        let mut changed = Self { ejection, ..self.clone() };
        self.trees.iter().for_each(|used| changed.join_ejection_channels(&used.tree));
        changed
    }

    /// The flits of the smallest buffer.
    pub fn buffer(&self) -> u64 {
        self.buffer
    }

    /// The number of different trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Returns true if there are no trees.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The flits of the longest message.
    pub fn longest(&self) -> Flits {
        Flits(self.trees.iter().map(|used| used.flits).max().unwrap_or(0))
    }

    /// Returns true if a packet is copied.
    pub fn has_forks(&self) -> bool {
        self.trees.iter().any(|used| used.tree.copies() > 0)
    }

    /// Returns true if packets are combined.
    pub fn has_joins(&self) -> bool {
        self.trees.iter().any(|used| used.tree.combinations() > 0)
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        let count = |used: &UsedTree<'_>| waits::may_hold(self, used).into_iter().filter(|&may_hold| may_hold).count();
        self.trees.iter().map(|used| count(used) as u64).sum()
    }

    /// The verdict with its proof.
    ///
    /// # Errors
    /// Returns an error if there are more than [`MOST_STATES`] states and the verdict does not follow without them.
    pub fn certificate(self) -> Result<TreeCertificate<'a>, TooManyStates> {
        self.certificate_within(MOST_STATES)
    }

    /// The verdict with its proof, unless that takes more than `most` states.
    pub(super) fn certificate_within(self, most: u64) -> Result<TreeCertificate<'a>, TooManyStates> {
        let proof = self.proof(most)?;
        Ok(TreeCertificate { set: self, proof })
    }

    fn proof(&self, most: u64) -> Result<SetProof, TooManyStates> {
        if self.trees.len() <= 1 {
            return Ok(SetProof::Ranks(StateRanks::default()));
        }
        if let Some(ranks) = self.cut_through_ranks() {
            return Ok(SetProof::Ranks(ranks));
        }
        let states = self.states();
        if states > most {
            return Err(TooManyStates { states });
        }
        let mut graph = StateGraph::new(self);
        Ok(match order::ranks(&mut graph) {
            Ok(ranks) => SetProof::Ranks(ranks),
            Err(connected) => SetProof::Cycle(cycle::shortest(&mut graph, &connected)),
        })
    }

    /// The ranks of states if every message fits into a buffer, none is combined, and channels do not depend on each other in a cycle.
    /// Then each tree waits only for channels that it feeds by those that it holds, whatever states there are.
    fn cut_through_ranks(&self) -> Option<StateRanks> {
        let fits = |used: &UsedTree<'_>| used.flits <= self.buffer && used.tree.combinations() == 0;
        if !self.trees.iter().all(fits) {
            return None;
        }
        let mut dependencies: DependencyGraph<ChannelId> = DependencyGraph::default();
        for UsedTree { tree, .. } in &self.trees {
            let links = (0..tree.len()).filter(|&place| tree.leads_to(place).is_some());
            let channel = |place: usize| tree.channels()[place];
            let feeds = links.filter_map(|place| Some((channel(*tree.feeds(place).first()? as usize), channel(place))));
            dependencies.extend(feeds);
        }
        let order = dependencies.ranks()?;
        Some(StateRanks::by_channel(self.trees.iter().map(|used| used.tree.channels()), &order))
    }

    pub(super) fn trees(&self) -> &[UsedTree<'a>] {
        &self.trees
    }

    /// The largest number of buffers that hold less than a packet of this tree.
    pub(super) fn reach(&self, used: &UsedTree<'_>) -> u64 {
        (used.flits - 1) / self.buffer
    }

    /// The channel at `place` of a tree as others compete for it, or `None` if no packet waits for it.
    pub(super) fn shared_channel(&self, used: &UsedTree<'_>, place: usize) -> Option<SharedChannel> {
        let tree = &used.tree;
        let shared = SharedChannel { channel: tree.channels()[place], class: 0 };
        if tree.leads_to(place).is_some() {
            return Some(shared);
        }
        match self.ejection {
            EjectionChannels::One => Some(shared),
            EjectionChannels::Several => {
                Some(SharedChannel { class: u8::from(tree.ejection == EjectionClass::Down), ..shared })
            }
            EjectionChannels::Unlimited => is_only_output_of_join(tree, place).then_some(shared),
        }
    }
}

/// Returns true if the inputs of a junction are combined for this ejection channel alone. Then it couples them even if no packet waits
/// for it.
fn is_only_output_of_join(tree: &Tree, place: usize) -> bool {
    let inputs = tree.feeds(place);
    inputs.len() > 1 && tree.outputs(inputs[0] as usize).len() == 1
}

/// A number that trees with equal channels have in common, in whatever order they list them.
fn digest(tree: &Tree) -> u64 {
    let bits = |channel: ChannelId| mixed(0, channel.0.into());
    let of_place = |place: usize| {
        let feeds = tree.feeds(place).iter().map(|&feed| bits(tree.channels()[feed as usize]));
        mixed(feeds.fold(0, u64::wrapping_add), tree.channels()[place].0.into())
    };
    (0..tree.len()).map(of_place).fold(tree.ejection as u64, u64::wrapping_add)
}

/// Returns true if two trees have equal channels, in whatever order they list them.
fn are_equal(one: &Tree, other: &Tree) -> bool {
    one == other || (one.ejection == other.ejection && one.len() == other.len() && sorted(one) == sorted(other))
}

/// The channels of `tree` in the order of their numbers, each with those that feed it.
fn sorted(tree: &Tree) -> Vec<(ChannelId, Vec<ChannelId>)> {
    let entry = |place: usize| {
        let mut feeds: Vec<ChannelId> = tree.feeds(place).iter().map(|&feed| tree.channels()[feed as usize]).collect();
        feeds.sort_unstable();
        (tree.channels()[place], feeds)
    };
    let mut entries: Vec<_> = (0..tree.len()).map(entry).collect();
    entries.sort_unstable();
    entries
}
