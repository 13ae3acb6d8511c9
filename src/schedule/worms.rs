//! Messages of a multicast that go as worms, whose packets routers copy.

use super::{Schedule, Violation};
use crate::routing::tree::Tree;
use crate::units::{ChannelId, Flits, MessageId, NodeId, narrow};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A worm of a multicast, before its messages are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedWorm {
    /// The receivers, each of a message.
    pub destinations: Vec<NodeId>,
    /// The channels of its packet. `None` without a network.
    pub tree: Option<WormTree>,
}

/// The tree of a worm, with the places of its receivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WormTree {
    /// The channels.
    pub tree: Arc<Tree>,
    /// By message of the worm, the place of its ejection channel in the tree.
    pub ejections: Arc<[u32]>,
}

impl WormTree {
    /// Finds the ejection channels in `tree`: `ejections` has that of each message.
    ///
    /// # Panics
    /// If the tree does not end in one of them.
    pub fn new(tree: Tree, ejections: impl Iterator<Item = ChannelId>) -> Self {
        let number = |place: usize| narrow(place, "the places of a tree are numbered with 32 bits");
        let numbers: FxHashMap<ChannelId, u32> =
            tree.destinations().map(|end| (tree.channels()[end], number(end))).collect();
        let ejections = ejections.map(|ejection| numbers[&ejection]).collect();
        Self { tree: Arc::new(tree), ejections }
    }

    /// Appends the channels from the source to the receiver of the message number `member` of the worm to `path`.
    pub fn path(&self, member: usize, path: &mut Vec<ChannelId>) {
        let start = path.len();
        let mut next = Some(self.ejections[member]);
        while let Some(place) = next {
            path.push(self.tree.channels()[place as usize]);
            next = self.tree.feeds(place as usize).first().copied();
        }
        path[start..].reverse();
    }
}

/// A worm of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberedWorm {
    /// One past the number of its last message.
    end: u32,
    tree: Option<WormTree>,
}

/// A worm of a schedule, with the numbers of its messages.
#[derive(Clone, Debug)]
pub struct ScheduledWorm<'a> {
    /// Its index among those of the schedule, in the order in which the source sends them.
    pub index: usize,
    /// The numbers of its messages.
    pub messages: Range<u32>,
    /// The channels of its packet. `None` without a network.
    pub tree: Option<&'a WormTree>,
}

impl Schedule {
    /// The schedule in which `source` sends a packet for each of `worms`, which routers copy. Node ids run over `0..nodes`.
    ///
    /// ```
    /// use flitwise::schedule::{PlannedWorm, Schedule};
    /// use flitwise::units::{Flits, NodeId};
    /// let [up, down] = [vec![NodeId(7), NodeId(6)], vec![NodeId(2)]].map(|destinations| PlannedWorm { destinations, tree: None });
    /// let schedule = Schedule::of_worms(8, NodeId(5), Flits(4), vec![up, down]);
    /// assert_eq!(schedule.worms().map(|worm| worm.messages).collect::<Vec<_>>(), [0..2, 2..3]);
    /// ```
    ///
    /// # Panics
    /// If a node id is not below `nodes`.
    pub fn of_worms(nodes: usize, source: NodeId, flits: Flits, worms: Vec<PlannedWorm>) -> Self {
        let messages = worms.iter().map(|worm| worm.destinations.len()).sum();
        let mut schedule = Self::empty(nodes, source, flits, messages);
        for PlannedWorm { destinations, tree } in worms {
            for dst in destinations {
                schedule.push(source, dst, super::NOTHING);
            }
            schedule.worms.push(NumberedWorm { end: MessageId::new(schedule.len()).0, tree });
        }
        schedule.close(source, 0);
        schedule
    }

    /// True if routers copy its packets: all messages belong to worms.
    pub fn has_worms(&self) -> bool {
        !self.worms.is_empty()
    }

    /// The worms, in the order in which the source sends them. Empty if routers do not copy.
    pub fn worms(&self) -> impl ExactSizeIterator<Item = ScheduledWorm<'_>> {
        (0..self.worms.len()).map(|index| self.worm(index))
    }

    /// The worm with this `index`.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn worm(&self, index: usize) -> ScheduledWorm<'_> {
        let NumberedWorm { end, tree } = &self.worms[index];
        let start = index.checked_sub(1).map_or(0, |before| self.worms[before].end);
        ScheduledWorm { index, messages: start..*end, tree: tree.as_ref() }
    }

    /// The worm of message `id`. Returns `None` if routers do not copy.
    pub fn worm_of(&self, id: MessageId) -> Option<ScheduledWorm<'_>> {
        let index = self.worms.partition_point(|worm| worm.end <= id.0);
        (index < self.worms.len()).then(|| self.worm(index))
    }

    /// The number of packets that nodes send.
    pub fn packets(&self) -> usize {
        if self.has_worms() { self.worms.len() } else { self.len() }
    }

    /// Proves that the tree of each worm ends at the receivers of its messages, once at each.
    ///
    /// # Errors
    /// The first worm that does not.
    pub(super) fn check_worms(&self) -> Result<(), Violation> {
        for worm in self.worms() {
            let Some(WormTree { tree, ejections }) = worm.tree else { continue };
            let mut ends: Vec<u32> = ejections.to_vec();
            ends.sort_unstable();
            let found = tree.destinations().map(|end| end as u64);
            let has_one_source = tree.sources().count() == 1;
            if !has_one_source || !found.eq(ends.iter().map(|&end| u64::from(end))) {
                return Err(Violation::Tree { worm: worm.index });
            }
        }
        Ok(())
    }
}
