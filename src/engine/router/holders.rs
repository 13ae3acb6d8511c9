//! Who holds which virtual channel, where an observer wants to know.
//!
//! A message holds a virtual channel of a link from its grant until the next one can be granted it: when its tail has left
//! for it, and where buffers are atomic, when the buffer behind it is empty. It holds an injection channel until its tail
//! has left its source, or longer: as long as the next message there waits for room in the buffer that it has filled.

use super::Granted;
use crate::units::{MessageId, Ticks};
use std::collections::BTreeMap;

/// That a message gives a channel back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Release {
    pub(super) message: MessageId,
    pub(super) hop: usize,
    pub(super) vc: u32,
    pub(super) at: Ticks,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    message: MessageId,
    hop: usize,
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
    /// What `granted` says happens; `waited` if that was not at once. The message that gives an injection channel back by it, if
    /// there is one.
    pub(super) fn grant(&mut self, granted: &Granted, at: Ticks, waited: bool) -> Option<Release> {
        let &Granted { number, hop, vc, .. } = granted;
        if hop == 0 {
            self.injections.insert(number, vc);
        }
        let holder = Holder { message: MessageId(number), hop: hop as usize, left: None };
        let before = self.by_channel.insert(vc, holder)?;
        // the next one has it, wherever the tail of the one before is
        let left = before.left.filter(|_| !waited).map_or(at, |left| left.min(at));
        Some(before.release(vc, left))
    }

    /// The tail of message `number` leaves its injection channel at `at`.
    pub(super) fn leave(&mut self, number: u32, at: Ticks) {
        if let Some(vc) = self.injections.remove(&number)
            && let Some(holder) = self.by_channel.get_mut(&vc).filter(|holder| holder.message.0 == number)
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
            let at = holder.left.unwrap_or_else(|| delivered(holder.message));
            holder.release(vc, at)
        };
        all.into_iter().map(release).collect()
    }
}

impl Holder {
    fn release(&self, vc: u32, at: Ticks) -> Release {
        Release { message: self.message, hop: self.hop, vc, at }
    }
}
