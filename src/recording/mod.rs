//! What a run was, hop by hop: who held which channel when, who waited for whom, and why it took as long as it did.
//!
//! ```text
//!   Recorder     watches a run and hands on the hops of every message that has passed
//!   Recording    all hops of a run by message, when its messages were sent and received, and why then
//!   Blame        who made a head flit wait: directly, and at the root
//!   critical     one chain of intervals from 0 to the completion
//!   Explanation  both, and the sentences that say them
//! ```
//!
//! It says what was, never what would have been. It knows machines and messages, and refuses to know which algorithm made
//! them, how rows are chosen, and what is drawn or written of them.

mod blame;
mod chain;
mod critical;
mod explanation;
mod flits;
mod forest;
mod recorder;
mod words;

pub use blame::{Blame, Held, Root};
pub use critical::{Interval, IntervalKind, critical_path};
pub use explanation::{Explanation, PathWait};
pub use flits::Track;
pub use recorder::HopSink;
pub(crate) use recorder::Recorder;
pub use words::ShownTimes;

use crate::engine::program::{Began, Cause, Computation};
use crate::kind::Detail;
use crate::machine::Machine;
use crate::timeline::Timeline;
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;

/// A head flit and a channel of its path, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The channel, as the engine that ran numbers them.
    pub channel: ChannelId,
    /// When the head flit asked for it.
    pub requested: Ticks,
    /// When it was granted it.
    pub granted: Ticks,
    /// When it started on it: when it was granted, unless virtual channels share a link, or routers do more than that. On
    /// routers the latest time that fits its request of the next channel: what it waits behind other messages in the buffer
    /// there counts as time before its start.
    pub started: Ticks,
    /// When the message gave it back.
    pub released: Ticks,
}

impl Hop {
    /// How long the head flit waited.
    pub fn waited(&self) -> Ticks {
        self.granted - self.requested
    }

    /// By when it had started. A message that is so short that all of it waits in the buffer behind the channel has given
    /// that back before what is taken for its start.
    pub fn started_by(&self) -> Ticks {
        self.started.min(self.released)
    }
}

/// The hops of messages, in the order in which they were told of.
#[derive(Clone, Debug, Default)]
pub struct HopTable {
    hops: Vec<Hop>,
    places: Vec<Range<usize>>,
    tracks: FxHashMap<MessageId, Track>,
}

impl HopTable {
    /// The hops of `message`; none if it has not passed.
    pub fn of(&self, message: MessageId) -> &[Hop] {
        self.places.get(message.index()).map_or(&[], |place| &self.hops[place.clone()])
    }

    /// The causes of the delays of `message`, if its flits were followed.
    fn track(&self, message: MessageId) -> Option<&Track> {
        self.tracks.get(&message)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.hops.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.hops.is_empty()
    }
}

impl HopSink for HopTable {
    fn passed(&mut self, message: MessageId, hops: &[Hop], track: Option<Track>) {
        self.tracks.extend(track.map(|track| (message, track)));
        if message.index() >= self.places.len() {
            self.places.resize(message.index() + 1, 0..0);
        }
        self.places[message.index()] = self.hops.len()..self.hops.len() + hops.len();
        self.hops.extend_from_slice(hops);
    }

    fn restarted(&mut self) {
        *self = Self::default();
    }
}

/// A run that was recorded.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    /// What it ran on.
    pub machine: Cow<'a, Machine>,
    /// When the nodes had done all they had to do.
    pub completion: Ticks,
    /// What happened to every message, by number, and why its send began when it did.
    pub messages: Vec<Detail>,
    /// The hops of every message.
    pub hops: HopTable,
    /// What nodes computed, by number.
    pub computations: Vec<Computation>,
    /// The time of each rank, in a run of operations.
    pub timeline: Option<Box<Timeline>>,
    /// Why the nodes were done when they were, if that was later than the last message was received.
    pub end: Option<Cause>,
}

impl Recording<'_> {
    /// The hops of `message`.
    pub fn hops(&self, message: MessageId) -> &[Hop] {
        self.hops.of(message)
    }

    /// The starts of the head flit of `message` on the channels of its path. On routers they precede [`Hop::started`] by the time that
    /// the head flit was behind other messages in the next buffer.
    pub fn head_starts(&self, message: MessageId) -> Vec<Ticks> {
        match self.hops.track(message) {
            Some(track) => track.heads.iter().map(|head| head.start).collect(),
            None => self.hops(message).iter().map(|hop| hop.started).collect(),
        }
    }

    /// All messages by number.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = MessageId> + use<> {
        (0..self.messages.len()).map(MessageId::new)
    }

    /// The message that was received last; of equals the smallest number.
    pub fn last(&self) -> Option<MessageId> {
        let received = |&message: &MessageId| self.messages[message.index()].outcome.received;
        self.numbers().rev().max_by_key(received)
    }

    /// When the send of `message` began, and why then.
    pub fn began(&self, message: MessageId) -> Began {
        self.messages[message.index()].began
    }

    /// What files call `message`.
    pub fn id(&self, message: MessageId) -> u64 {
        self.messages[message.index()].id
    }
}
