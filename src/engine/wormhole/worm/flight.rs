//! What the worm engine keeps about messages and channels.

use super::path::{Cursor, Slot};
use crate::units::{ChannelId, MessageId, Ticks};
use std::num::NonZeroU32;

/// Stands for no message in lists.
pub(super) const NO_HEADER: u32 = 0;
/// What is behind the last in a line.
pub(super) const LAST_IN_LINE: u32 = u32::MAX;

/// The owner of this channel has not got far enough for its release to be certain.
pub(super) const HELD: u64 = u64::MAX;
/// The same, and a header waits for the channel.
pub(super) const AWAITED: u64 = u64::MAX - 1;

/// From here on a channel's state is no tick: it is held, or reserved for the message whose number is the low half.
pub(super) const RESERVED: u64 = 1 << 63;

/// Who waits for each channel, in arrival order; message numbers plus one. Numbers apart and not pairs: the system hands out
/// zeros, and channels without waiters take no memory.
pub(super) struct Lines {
    heads: Vec<u32>,
    tails: Vec<u32>,
}

impl Lines {
    /// Bytes per channel.
    pub(super) const SIZE: usize = 2 * size_of::<u32>();

    pub(super) fn new(channels: usize) -> Self {
        Self { heads: vec![NO_HEADER; channels], tails: vec![NO_HEADER; channels] }
    }

    /// The first in the line of `channel`, plus one, or [`NO_HEADER`].
    #[inline]
    pub(super) fn head(&self, channel: ChannelId) -> u32 {
        self.heads[channel.index()]
    }

    /// The first in the line of `channel` has gone, and `head` comes after it.
    pub(super) fn advance(&mut self, channel: ChannelId, head: u32) {
        self.heads[channel.index()] = head;
    }

    /// Puts `id` at the end of the line of `channel`: who was the last before, plus one, or [`NO_HEADER`] if the line is empty.
    pub(super) fn join(&mut self, channel: ChannelId, id: MessageId) -> u32 {
        let joins = id.0 + 1;
        let last = std::mem::replace(&mut self.tails[channel.index()], joins);
        if self.head(channel) != NO_HEADER {
            return last;
        }
        self.heads[channel.index()] = joins;
        NO_HEADER
    }
}

/// A message under way: what every hop touches.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Flight {
    /// The channel that it requests next.
    pub(super) next: Cursor,
    /// Channels of its path, and how many of them have been granted or reserved ([`super::ahead`]).
    pub(super) channels: u32,
    pub(super) granted: u32,
    /// `q + 1`: on how many header starts behind a channel its release depends; capped at the path's length.
    pub(super) window: u32,
    /// The next in the line of waiters, plus one; or [`LAST_IN_LINE`], or [`NO_HEADER`] if it is in none.
    pub(super) behind: u32,
    pub(super) injected: Ticks,
    /// When it requests, or has requested, the next channel. After it has arrived: when the tail is delivered.
    pub(super) mark: Ticks,
    /// Its flits on the wire, from its first request on.
    pub(super) wire_flits: u64,
    /// The slot of its weights, if the header has been blocked on its way.
    pub(super) weights: Option<NonZeroU32>,
    /// How far behind the ones that the path names the injection and the ejection channel lie that it got.
    pub(super) ports: [u16; 2],
}

// a hop touches one cache line of the message
const _: () = assert!(size_of::<Flight>() == 64);

impl Flight {
    /// Whether the message is at least as long as the buffers of its path: then no channel of it is certainly released before
    /// the header has arrived.
    #[inline]
    pub(super) fn is_long(&self) -> bool {
        self.window + 1 >= self.channels
    }

    /// Whether the header waits in the line of a channel.
    pub(super) fn is_in_line(&self) -> bool {
        self.behind != NO_HEADER
    }

    /// Leaves the head of a line: who is the new one, plus one, or [`NO_HEADER`].
    pub(super) fn leave_line(&mut self) -> u32 {
        match std::mem::replace(&mut self.behind, NO_HEADER) {
            LAST_IN_LINE => NO_HEADER,
            behind => behind,
        }
    }

    /// How many channels the next on its path stands for, where nodes have so many to inject and to eject.
    pub(super) fn width(&self, [injection, ejection]: [u32; 2]) -> u32 {
        match self.granted {
            0 => injection,
            granted if granted + 1 == self.channels => ejection,
            _ => 1,
        }
    }

    /// How far the channel it got as number `hop` lies behind the one its path names.
    pub(super) fn port(&self, hop: u32) -> u32 {
        match hop {
            0 => u32::from(self.ports[0]),
            hop if hop + 1 == self.channels => u32::from(self.ports[1]),
            _ => 0,
        }
    }
}

/// A message: what only its beginning, its end and blocking touch.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) requested: Ticks,
    pub(super) blocked_time: Ticks,
    pub(super) blocked_headers: u32,
    /// How many channels of its path have been released, and the next one.
    pub(super) released: u32,
    pub(super) tail: Cursor,
    pub(super) slot: Slot,
}
