//! The roots of all waits of a run at once.
//!
//! At any time the head flits that wait are a forest: each hangs on the owner of the channel that it waits for, and an owner
//! that waits itself hangs on another one. Between two events the owner at the root of a tree gains a tick of blame per tick
//! for every head flit in it. So it is enough to keep, per channel, how many head flits stand behind it, directly and
//! indirectly, and an event changes these numbers only on the way to a root.

use super::blame::{Blame, Root, largest_first};
use super::{Hop, Recording};
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;

/// The roots of all waits of `recording`, whose owners `blame` has, from the largest on.
pub(super) fn all_roots(recording: &Recording<'_>, blame: &Blame<'_>) -> Vec<Root> {
    let mut forest = Forest::new(recording);
    for event in events(recording, &forest) {
        forest.happen(event);
        if forest.has_cycle {
            return one_by_one(recording, blame);
        }
    }
    ranked(forest.gained)
}

/// The same where head flits wait for each other for a while, so that they are no forest: each wait by itself.
fn one_by_one(recording: &Recording<'_>, blame: &Blame<'_>) -> Vec<Root> {
    let mut gained: FxHashMap<(MessageId, ChannelId), Ticks> = FxHashMap::default();
    for hop in recording.numbers().flat_map(|message| recording.hops(message)) {
        for root in blame.roots(hop.channel, hop.requested..hop.granted) {
            *gained.entry((root.message, root.channel)).or_default() += root.ticks;
        }
    }
    ranked(gained)
}

fn ranked(gained: FxHashMap<(MessageId, ChannelId), Ticks>) -> Vec<Root> {
    largest_first(gained.into_iter().map(|((message, channel), ticks)| Root { message, channel, ticks }))
}

/// What happens, in the order in which it does within a tick: head flits that are granted leave the forest while the owners
/// are the old ones, and those that request enter it when they are the new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    WaitEnds,
    Released,
    Granted,
    WaitBegins,
}

/// Something happens to a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Ticks,
    what: What,
    message: MessageId,
    channel: ChannelId,
}

/// All events on channels that head flits wait for, in order.
fn events(recording: &Recording<'_>, forest: &Forest<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    for message in recording.numbers() {
        for &Hop { channel, requested, granted, released, .. } in recording.hops(message) {
            if !forest.channels.contains_key(&channel) {
                continue;
            }
            let mut add = |at, what| events.push(Event { at, what, message, channel });
            add(granted, What::Granted);
            add(released, What::Released);
            if granted > requested {
                add(requested, What::WaitBegins);
                add(granted, What::WaitEnds);
            }
        }
    }
    events.sort_unstable();
    events
}

/// A channel that head flits wait for.
#[derive(Clone, Copy, Debug, Default)]
struct Awaited {
    owner: Option<MessageId>,
    /// Head flits that stand behind it, directly and indirectly.
    behind: u64,
    /// Since when that is so, if its owner moves.
    since: Ticks,
}

struct Forest<'a> {
    recording: &'a Recording<'a>,
    channels: FxHashMap<ChannelId, Awaited>,
    /// Per message the channel that its head flit waits for.
    waits_for: Vec<Option<ChannelId>>,
    gained: FxHashMap<(MessageId, ChannelId), Ticks>,
    /// Whether head flits have come to wait for each other: from then on nothing of this holds.
    has_cycle: bool,
}

impl<'a> Forest<'a> {
    fn new(recording: &'a Recording<'a>) -> Self {
        let hops = recording.numbers().flat_map(|message| recording.hops(message));
        let awaited = hops.filter(|hop| hop.granted > hop.requested);
        Self {
            recording,
            channels: awaited.map(|hop| (hop.channel, Awaited::default())).collect(),
            waits_for: vec![None; recording.messages.len()],
            gained: FxHashMap::default(),
            has_cycle: false,
        }
    }

    fn happen(&mut self, event: Event) {
        let Event { at, what, message, channel } = event;
        match what {
            What::WaitEnds => self.end_wait(message, channel, at),
            What::Released => self.release(message, channel, at),
            What::Granted => self.grant(message, channel, at),
            What::WaitBegins => self.begin_wait(message, channel, at),
        }
    }

    /// Gives the owner of `channel`, which moves, what it has gained so far.
    fn settle(&mut self, channel: ChannelId, now: Ticks) {
        let Some(awaited) = self.channels.get_mut(&channel) else { return };
        let ticks = Ticks((now - awaited.since).0 * awaited.behind);
        awaited.since = now;
        if let Some(owner) = awaited.owner.filter(|_| ticks > Ticks::ZERO) {
            *self.gained.entry((owner, channel)).or_default() += ticks;
        }
    }

    /// `count` head flits come to stand behind `channel`, or go if it is negative.
    fn change(&mut self, mut channel: ChannelId, count: i64, now: Ticks) {
        loop {
            let owner = self.channels.get(&channel).and_then(|awaited| awaited.owner);
            let next = owner.and_then(|owner| self.waits_for[owner.index()]);
            if next.is_none() {
                self.settle(channel, now);
            }
            let Some(awaited) = self.channels.get_mut(&channel) else { return };
            #[expect(clippy::expect_used, reason = "as many go as have come")]
            let behind = awaited.behind.checked_add_signed(count).expect("head flits that go have come");
            awaited.behind = behind;
            match next {
                Some(next) => channel = next,
                None => return,
            }
        }
    }

    /// The channels that `message` owns and that head flits wait for.
    fn owned(&self, message: MessageId) -> Vec<ChannelId> {
        let owns = |channel: &ChannelId| {
            self.channels.get(channel).is_some_and(|awaited| awaited.owner == Some(message) && awaited.behind > 0)
        };
        self.recording.hops(message).iter().map(|hop| hop.channel).filter(owns).collect()
    }

    /// How many head flits stand behind the channels `owned`, and that of their owner.
    fn size(&self, owned: &[ChannelId]) -> i64 {
        let behind = owned.iter().filter_map(|channel| self.channels.get(channel)).map(|awaited| awaited.behind);
        1 + behind.sum::<u64>().cast_signed()
    }

    fn begin_wait(&mut self, message: MessageId, channel: ChannelId, now: Ticks) {
        if self.leads_to(channel, message) {
            self.has_cycle = true;
            return;
        }
        let owned = self.owned(message);
        owned.iter().for_each(|&channel| self.settle(channel, now));
        self.waits_for[message.index()] = Some(channel);
        self.change(channel, self.size(&owned), now);
    }

    /// Whether the way from `channel` to its root leads over `message`.
    fn leads_to(&self, channel: ChannelId, message: MessageId) -> bool {
        let next = |&channel: &ChannelId| {
            let owner = self.channels.get(&channel)?.owner?;
            self.waits_for[owner.index()]
        };
        let owns =
            |channel: ChannelId| self.channels.get(&channel).is_some_and(|awaited| awaited.owner == Some(message));
        std::iter::successors(Some(channel), next).any(owns)
    }

    fn end_wait(&mut self, message: MessageId, channel: ChannelId, now: Ticks) {
        let owned = self.owned(message);
        self.change(channel, -self.size(&owned), now);
        self.waits_for[message.index()] = None;
        for channel in owned {
            if let Some(awaited) = self.channels.get_mut(&channel) {
                awaited.since = now;
            }
        }
    }

    /// Head flits that wait for `channel` do not stand behind `message` any more.
    fn release(&mut self, message: MessageId, channel: ChannelId, now: Ticks) {
        let Some(&Awaited { owner, behind, .. }) = self.channels.get(&channel) else { return };
        if owner != Some(message) {
            return;
        }
        match self.waits_for[message.index()] {
            Some(next) => self.change(next, -behind.cast_signed(), now),
            None => self.settle(channel, now),
        }
        self.give(channel, None, now);
    }

    fn grant(&mut self, message: MessageId, channel: ChannelId, now: Ticks) {
        self.give(channel, Some(message), now);
    }

    fn give(&mut self, channel: ChannelId, owner: Option<MessageId>, now: Ticks) {
        if let Some(awaited) = self.channels.get_mut(&channel) {
            awaited.owner = owner;
            awaited.since = now;
        }
    }
}
