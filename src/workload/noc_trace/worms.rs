//! Whether the tree worms of a trace can wait for each other for ever.
//!
//! A worm takes the channels of its tree from the source on, those of different branches in any order, and keeps each until its
//! tail has passed. Two worms from different places are safe if the channels that both take follow each other on one way from
//! the source, in the same order in both trees: then who is first on the first of them is first on all.

use super::prepare::Prepared;
use super::reads::in_words;
use crate::engine::program::NocProgram;
use crate::engine::{MessageSet, Program};
use crate::kind::words::counted;
use crate::routing::Network;
use crate::units::{ChannelId, MessageId, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The channels of a worm, each with the one before it.
struct Tree {
    core: NodeId,
    /// Its first message.
    message: MessageId,
    before: FxHashMap<ChannelId, ChannelId>,
}

impl Tree {
    fn new(program: &NocProgram<'_>, network: &dyn Network, message: MessageId) -> Self {
        let mut before = FxHashMap::default();
        let mut path = Vec::new();
        for number in message.0..program.worm_end(message).0 {
            path.clear();
            program.path(MessageId(number), network, &mut path);
            before.extend(path.windows(2).map(|pair| (pair[1], pair[0])));
        }
        Self { core: program.message(message).0, message, before }
    }

    /// How many channels lead from the source to `channel`.
    fn depth(&self, channel: ChannelId) -> usize {
        std::iter::successors(self.before.get(&channel), |channel| self.before.get(channel)).count()
    }

    /// Whether the way from the source to `channel` leads over `other`.
    fn leads_over(&self, other: ChannelId, channel: ChannelId) -> bool {
        std::iter::successors(self.before.get(&channel), |channel| self.before.get(channel))
            .any(|&passed| passed == other)
    }

    /// Whether it and `other` can wait for each other.
    fn can_block(&self, other: &Self) -> bool {
        let common = self.before.keys().copied().filter(|channel| other.before.contains_key(channel));
        let mut common: Vec<ChannelId> = common.collect();
        common.sort_unstable_by_key(|&channel| (self.depth(channel), channel));
        let in_order = |pair: &[ChannelId]| self.leads_over(pair[0], pair[1]) && other.leads_over(pair[0], pair[1]);
        self.core != other.core && !common.windows(2).all(in_order)
    }
}

/// Which multicasts of a trace can wait for each other for ever, if any can.
pub(super) fn that_can_block(prepared: &Prepared, program: &NocProgram<'_>, network: &dyn Network) -> Option<String> {
    let mut known: BTreeSet<(NodeId, &[NodeId])> = BTreeSet::new();
    let mut trees: Vec<Tree> = Vec::new();
    for (transfer, number) in prepared.transfers.iter().zip(0..).filter(|(transfer, _)| transfer.is_multicast) {
        let ends = &prepared.ends[transfer.ends.start as usize..transfer.ends.end as usize];
        if known.insert((transfer.core, ends)) {
            trees.push(Tree::new(program, network, program.first_message(number)));
        }
    }
    let mut first: Option<[MessageId; 2]> = None;
    let mut pairs = 0;
    let mut involved: FxHashSet<MessageId> = FxHashSet::default();
    for (at, one) in trees.iter().enumerate() {
        for other in trees[at + 1..].iter().filter(|other| one.can_block(other)) {
            pairs += 1;
            involved.extend([one.message, other.message]);
            first.get_or_insert([one.message, other.message]);
        }
    }
    let [one, other] = first?.map(|message| in_words(prepared, program, message));
    Some(format!(
        "{} of {} can deadlock if they overlap in time, for example the {one} and the {other}; a chip that reserves paths \
         prevents this",
        counted(pairs, "pair"),
        counted(involved.len() as u64, "multicast"),
    ))
}
