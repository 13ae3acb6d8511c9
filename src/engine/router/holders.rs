//! Who holds which virtual channel, where an observer wants to know.
//!
//! A message holds a virtual channel of a link from its grant until the next one can be granted it: when its tail has left
//! for it, and where buffers are atomic, when the buffer behind it is empty. It holds an injection channel until its tail
//! has left its source, or longer: as long as the next message there waits for room in the buffer that it has filled.

use crate::units::{MessageId, Ticks};
use std::collections::BTreeMap;

/// A message that takes a channel, and which channel of its path this is: 0 is the injection channel.
pub(super) type Passing = (MessageId, usize);

/// The release of a channel.
#[derive(Clone, Debug)]
pub(super) struct Release {
    /// The messages that have held it: several, if they go as one worm.
    pub(super) messages: Vec<Passing>,
    pub(super) vc: u32,
    pub(super) at: Ticks,
}

#[derive(Clone, Debug)]
struct Holder {
    messages: Vec<Passing>,
    /// Of an injection channel, when its tail left, if it has.
    left: Option<Ticks>,
}

/// The holders of all virtual channels.
#[derive(Debug, Default)]
pub(super) struct Holders {
    /// In the order in which what is left is told of at the end.
    by_channel: BTreeMap<u32, Holder>,
    /// Per message the injection channel that its tail has not left yet.
    injections: BTreeMap<u32, u32>,
}

impl Holders {
    /// Channel `vc` is granted to `messages` at `at`, after they have `waited`, if they have. Returns the release of an injection
    /// channel that this shows, if there is one.
    pub(super) fn grant(&mut self, messages: &[Passing], vc: u32, at: Ticks, waited: bool) -> Option<Release> {
        for (message, _) in messages.iter().filter(|&&(_, hop)| hop == 0) {
            self.injections.insert(message.0, vc);
        }
        let holder = Holder { messages: messages.to_vec(), left: None };
        let before = self.by_channel.insert(vc, holder)?;
        // the next one has it, wherever the tail of the one before is
        let left = before.left.filter(|_| !waited).map_or(at, |left| left.min(at));
        Some(before.release(vc, left))
    }

    /// The tail of message `number` leaves its injection channel at `at`.
    pub(super) fn leave(&mut self, number: u32, at: Ticks) {
        if let Some(vc) = self.injections.remove(&number)
            && let Some(holder) = self.by_channel.get_mut(&vc).filter(|holder| holder.holds(number))
        {
            holder.left = Some(at);
        }
    }

    /// Channel `vc` can be granted again from `at` on; the message that has held it, if one has.
    pub(super) fn free(&mut self, vc: u32, at: Ticks) -> Option<Release> {
        Some(self.by_channel.remove(&vc)?.release(vc, at))
    }

    /// What is left at the end, when messages were `delivered`: injection channels, and buffers of which it is not known yet that
    /// they are empty.
    pub(super) fn rest(&mut self, delivered: &dyn Fn(MessageId) -> Ticks) -> Vec<Release> {
        let all = std::mem::take(&mut self.by_channel);
        let release = |(vc, holder): (u32, Holder)| {
            let last = || holder.messages.iter().map(|&(message, _)| delivered(message)).max().unwrap_or_default();
            let released = holder.left.unwrap_or_else(last);
            holder.release(vc, released)
        };
        all.into_iter().map(release).collect()
    }
}

impl Holder {
    fn holds(&self, number: u32) -> bool {
        self.messages.iter().any(|(message, _)| message.0 == number)
    }

    fn release(self, vc: u32, at: Ticks) -> Release {
        Release { messages: self.messages, vc, at }
    }
}
