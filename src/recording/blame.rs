//! Who made a head flit wait.
//!
//! One message owns a channel from its grant to its release, and a released channel is granted in the same tick if a head
//! flit waits for it: every tick of a wait has exactly one holder. *Direct blame* of a wait for a channel are its owners while it
//! lasted. *Root blame* follows the holder's own head flit, tick by tick:
//!
//! ```text
//!   roots(c, a, b):  for each owner x of c over [a',b'), the part of its ownership within [a,b):
//!                      for each wait of x itself, for c' in [r',g'), let [u,v) be its part within [a',b'):
//!                          if not empty, add roots(c', u, v)
//!                      the ticks of [a',b') in no wait of x belong to (x, c)
//! ```
//!
//! It adds up to `b - a`: `(x, c)` moved, and all behind it stood. On virtual-channel routers a virtual channel that is free is
//! not always granted at once: such ticks have no holder. Where paths can close a cycle of channels, head flits may for a while
//! wait for each other's tails, which is no deadlock yet: such ticks have no root.

use super::{Hop, Recording};
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A message that had a channel while another one waited for it, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The owner of the channel.
    pub message: MessageId,
    /// For how many ticks of the wait.
    pub ticks: Ticks,
}

/// A message that moved on a channel while all behind it stood, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The message.
    pub message: MessageId,
    /// The channel that the head flits behind it waited for.
    pub channel: ChannelId,
    /// Ticks of waits.
    pub ticks: Ticks,
}

/// `roots` from the largest on; of equals the smallest number first.
pub(super) fn largest_first(roots: impl IntoIterator<Item = Root>) -> Vec<Root> {
    let mut roots: Vec<Root> = roots.into_iter().collect();
    roots.sort_unstable_by_key(|root| (std::cmp::Reverse(root.ticks), root.message, root.channel));
    roots
}

/// A stretch of time in which a message owned a channel.
#[derive(Clone, Copy, Debug)]
struct Owner {
    from: Ticks,
    to: Ticks,
    message: MessageId,
}

/// A stretch of time in which a head flit waited for a channel.
#[derive(Clone, Copy)]
struct Stretch {
    channel: ChannelId,
    from: Ticks,
    to: Ticks,
}

/// A stretch that others behind it waited for, too.
struct Link {
    stretch: Stretch,
    /// Whose head flit waited; none of the first of a chain, which is not looked for.
    message: Option<MessageId>,
    /// How many waits are behind it.
    behind: usize,
}

/// The messages of a chain of waits, the first one first.
#[derive(Default)]
struct Chain {
    messages: Vec<MessageId>,
    has: FxHashSet<MessageId>,
}

impl Chain {
    /// Goes on with `link`, behind which as many messages stay as it says.
    fn follow(&mut self, link: &Link) {
        for message in self.messages.drain(link.behind.saturating_sub(1).min(self.messages.len())..) {
            self.has.remove(&message);
        }
        if let Some(message) = link.message {
            self.messages.push(message);
            self.has.insert(message);
        }
    }
}

/// Who owned which channel when, in a recorded run.
pub struct Blame<'a> {
    recording: &'a Recording<'a>,
    /// All owners by channel, then in time.
    owners: Vec<Owner>,
    /// Per channel where its owners begin, and at the end how many there are.
    first: Vec<usize>,
}

impl<'a> Blame<'a> {
    /// Of `recording`.
    pub fn new(recording: &'a Recording<'a>) -> Self {
        let all = recording.numbers().flat_map(|message| recording.hops(message).iter().map(move |hop| (message, hop)));
        let owner =
            |(message, hop): (MessageId, &Hop)| (hop.channel, Owner { from: hop.granted, to: hop.released, message });
        let mut owners: Vec<(ChannelId, Owner)> = all.map(owner).collect();
        owners.sort_unstable_by_key(|(channel, owner)| (*channel, owner.from, owner.message));
        // the messages of a worm own a channel together, and the first of them stands for all
        owners.dedup_by_key(|(channel, owner)| (*channel, owner.from));
        let channels = owners.last().map_or(0, |(channel, _)| channel.index() + 1);
        let mut first = vec![0; channels + 1];
        owners.iter().for_each(|(channel, _)| first[channel.index() + 1] += 1);
        for channel in 0..channels {
            first[channel + 1] += first[channel];
        }
        let owners = owners.into_iter().map(|(_, owner)| owner).collect();
        Self { recording, owners, first }
    }

    fn owners(&self, channel: ChannelId) -> &[Owner] {
        &self.owners[self.first[channel.index()]..self.first[channel.index() + 1]]
    }

    /// The parts of `stretch` that its channel had an owner in, in time.
    fn parts(&self, stretch: Stretch) -> impl Iterator<Item = Owner> + '_ {
        let owners = self.owners(stretch.channel);
        let begin = owners.partition_point(|owner| owner.to <= stretch.from);
        let within = owners[begin..].iter().take_while(move |owner| owner.from < stretch.to);
        within.map(move |owner| Owner {
            from: owner.from.max(stretch.from),
            to: owner.to.min(stretch.to),
            message: owner.message,
        })
    }

    /// Who had `channel` during `wait`, in order of time.
    pub fn holders(&self, channel: ChannelId, wait: Range<Ticks>) -> Vec<Held> {
        let stretch = Stretch { channel, from: wait.start, to: wait.end };
        self.parts(stretch).map(|owner| Held { message: owner.message, ticks: owner.to - owner.from }).collect()
    }

    /// The roots of a wait for `channel`, from the largest on.
    pub fn roots(&self, channel: ChannelId, wait: Range<Ticks>) -> Vec<Root> {
        let mut ticks: FxHashMap<(MessageId, ChannelId), Ticks> = FxHashMap::default();
        // a chain of waits can be as long as there are messages: too long for a recursion
        let first = Stretch { channel, from: wait.start, to: wait.end };
        let mut open = vec![Link { stretch: first, message: None, behind: 0 }];
        let mut chain = Chain::default();
        while let Some(link) = open.pop() {
            chain.follow(&link);
            for owner in self.parts(link.stretch).filter(|owner| !chain.has.contains(&owner.message)) {
                let mut moved = owner.to - owner.from;
                for stretch in self.own_waits(owner) {
                    moved = moved - (stretch.to - stretch.from);
                    open.push(Link { stretch, message: Some(owner.message), behind: link.behind + 1 });
                }
                if moved > Ticks::ZERO {
                    *ticks.entry((owner.message, link.stretch.channel)).or_default() += moved;
                }
            }
        }
        largest_first(ticks.into_iter().map(|((message, channel), ticks)| Root { message, channel, ticks }))
    }

    /// The waits of an owner's own head flit while it owned.
    fn own_waits(&self, owner: Owner) -> impl Iterator<Item = Stretch> + '_ {
        let hops = self.recording.hops(owner.message);
        let begin = hops.partition_point(|hop| hop.granted <= owner.from);
        let within = hops[begin..].iter().take_while(move |hop| hop.requested < owner.to);
        within.filter(|hop| hop.granted > hop.requested).filter_map(move |hop| {
            let from = hop.requested.max(owner.from);
            let to = hop.granted.min(owner.to);
            (from < to).then_some(Stretch { channel: hop.channel, from, to })
        })
    }
}
