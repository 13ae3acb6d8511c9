//! The channels and junctions of worms, which routers copy and combine: every message of a worm is granted the channels of its way,
//! and flits cross each of them once.

use super::traversals::{Crossing, Traversals};
use crate::engine::Program;
use crate::units::{ChannelId, Flits, MessageId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The channels that worms were granted.
pub(super) struct WormJunctions {
    /// By message, the first message of its worm. `None` of those that go by themselves.
    first: Vec<Option<MessageId>>,
    /// By message, its last channel.
    last: FxHashMap<MessageId, ChannelId>,
    /// By worm and channel, the channels by which its flits come.
    feeds: BTreeMap<(MessageId, ChannelId), BTreeSet<ChannelId>>,
}

impl WormJunctions {
    /// Creates the record of the worms of `program`, without channels.
    pub(super) fn new(program: &dyn Program) -> Self {
        let first = |id: MessageId| program.worm(id).map(|worm| MessageId(worm.messages.start));
        let first = (0..program.messages()).map(MessageId::new).map(first).collect();
        Self { first, last: FxHashMap::default(), feeds: BTreeMap::new() }
    }

    /// Returns true if `message` belongs to a worm.
    pub(super) fn contains(&self, message: MessageId) -> bool {
        self.first[message.index()].is_some()
    }

    /// Forgets all channels.
    pub(super) fn clear(&mut self) {
        self.last.clear();
        self.feeds.clear();
    }

    /// Notes that `message` is granted `channel`.
    pub(super) fn grant(&mut self, message: MessageId, channel: ChannelId) {
        let Some(worm) = self.first[message.index()] else { return };
        let feeds = self.feeds.entry((worm, channel)).or_default();
        feeds.extend(self.last.insert(message, channel));
    }

    /// Adds the flits that crossed channels, crossbars if `ports`, and joins. A join passes the crossbar as its first input.
    pub(super) fn add_to(&self, traversals: &mut Traversals, flits: &dyn Fn(MessageId) -> Flits, ports: bool) {
        let mut joins: BTreeSet<(MessageId, &BTreeSet<ChannelId>)> = BTreeSet::new();
        for (&(worm, channel), feeds) in &self.feeds {
            let flits = flits(worm).on_wire();
            traversals.add(channel, flits, 1);
            if let Some(&from) = feeds.first().filter(|_| ports) {
                traversals.cross(Crossing { from, to: channel }, flits);
            }
            if feeds.len() > 1 && joins.insert((worm, feeds)) {
                traversals.combine(channel, flits * (feeds.len() as u64 - 1));
            }
        }
    }
}
