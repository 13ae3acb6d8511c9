//! Notices when two virtual channels of one physical channel are owned at the same time.
//!
//! A channel is owned from the tick in which a header is granted it to the tick in which it is released; a release and
//! a grant in the same tick do not overlap. When a header is granted a channel whose sibling is held by a message whose
//! release is not certain yet, that is noted, and decided when the release becomes certain.

use super::flight::{AWAITED, HELD};
use crate::topology::Channels;
use crate::units::{ChannelId, Ticks};

#[derive(Debug)]
pub(super) struct Siblings {
    /// Per channel, the first of those that share its physical channel, and how many there are at most.
    physical: Vec<ChannelId>,
    vcs: u32,
    /// Held channels beside which another was granted, and when that first happened.
    suspects: Vec<(ChannelId, Ticks)>,
    shared: Option<(ChannelId, Ticks)>,
}

impl Siblings {
    /// Watches `channels`; none if no physical channel is shared.
    pub(super) fn watch(channels: &dyn Channels) -> Option<Self> {
        let vcs = ChannelId::new(channels.virtual_channels()).0;
        let physical = || (0..channels.count()).map(|channel| channels.physical(ChannelId::new(channel))).collect();
        (vcs > 1).then(|| Self { physical: physical(), vcs, suspects: Vec::new(), shared: None })
    }

    /// `channel` is granted at `now`; `free_from` tells of every other channel when it is free.
    pub(super) fn granted(&mut self, channel: ChannelId, now: Ticks, free_from: &[u64]) {
        let first = self.physical[channel.index()];
        for sibling in (first.0..first.0 + self.vcs).map(ChannelId) {
            if sibling == channel || self.physical.get(sibling.index()) != Some(&first) {
                continue;
            }
            match free_from[sibling.index()] {
                HELD | AWAITED if self.suspects.iter().all(|(suspect, _)| *suspect != sibling) => {
                    self.suspects.push((sibling, now));
                }
                HELD | AWAITED => {}
                certain if certain > now.0 => self.note(channel, now),
                _ => {}
            }
        }
    }

    /// It is certain that `channel` is released at `at`.
    pub(super) fn released(&mut self, channel: ChannelId, at: Ticks) {
        if let Some(place) = self.suspects.iter().position(|(suspect, _)| *suspect == channel) {
            let (_, since) = self.suspects.swap_remove(place);
            if at > since {
                self.note(channel, since);
            }
        }
    }

    fn note(&mut self, channel: ChannelId, at: Ticks) {
        self.shared.get_or_insert((self.physical[channel.index()], at));
    }

    /// Whether two were certainly owned at the same time.
    pub(super) fn shared(&self) -> bool {
        self.shared.is_some()
    }

    /// The first known instance when nothing more happens: what is held then is held for ever.
    pub(super) fn first_shared(&self) -> Option<(ChannelId, Ticks)> {
        let suspect = self.suspects.first().map(|(channel, at)| (self.physical[channel.index()], *at));
        self.shared.or(suspect)
    }
}
