//! When a channel's release is certain: the maxima of `w_j = s_j - c_d B j` over windows of header starts.
//!
//! The release of channel `h` is `c_d (m-1 + (h+1) B)` plus the largest `w_j` of the window `h+1 ..= min(H, h+1+q)`.
//! Channels are counted from 1 here, as in the formula. The maxima of all windows of a path take O(H) time: `w` is kept
//! in blocks of the window's length, and a block that is complete is replaced by its suffix maxima in place; a window is
//! then a suffix of one block and a prefix of the next.

use super::path::SlotSizes;
use crate::costs::ChannelCosts;
use crate::units::{MessageId, Ticks};
use std::num::NonZeroU32;

/// What the releases of one message are computed from.
#[derive(Clone, Copy)]
pub(super) struct Certainty {
    /// `c_d (m-1)`.
    tail: i64,
    /// `c_d B`, with a buffer no longer than the message.
    span: i64,
    /// Between two starts of a header that is not blocked.
    step: i64,
}

impl Certainty {
    /// Of a message with so many flits on the wire, one at least.
    #[inline]
    pub(super) fn of(costs: &ChannelCosts, wire_flits: u64) -> Self {
        Self {
            tail: (costs.flit_time * (wire_flits - 1)).cast_signed(),
            span: (costs.flit_time * costs.buffer.min(wire_flits)).cast_signed(),
            step: costs.step().0.cast_signed(),
        }
    }

    /// `w` of the `nth` channel, on which the header starts at `start`.
    pub(super) fn weight(&self, nth: u32, start: Ticks) -> i64 {
        start.0.cast_signed() - self.span * i64::from(nth)
    }

    /// `w` of the `nth` channel of a header that was injected at `injected` and not blocked since.
    #[inline]
    pub(super) fn smooth_weight(&self, injected: Ticks, nth: u32) -> i64 {
        injected.0.cast_signed() + self.step * i64::from(nth - 1) - self.span * i64::from(nth)
    }

    /// The largest `w` of the channels `from ..= to` of a header that has not been blocked: at one end, for `w` is linear.
    #[inline]
    pub(super) fn smooth_max_between(&self, injected: Ticks, from: u32, to: u32) -> i64 {
        self.smooth_weight(injected, if self.step > self.span { to } else { from })
    }

    /// The largest `w` of the last `window` channels up to the `granted`-th, or of fewer if there are not so many.
    pub(super) fn smooth_max(&self, injected: Ticks, granted: u32, window: u32) -> i64 {
        self.smooth_max_between(injected, granted.saturating_sub(window) + 1, granted)
    }

    /// The releases of a header on a path of `channels` channels that was injected at `injected` and not blocked since.
    pub(super) fn smooth_releases(&self, injected: Ticks, channels: u32) -> SmoothReleases {
        let first = self.release(0, self.smooth_max_between(injected, 2, channels));
        // the largest w is that of the next channel or, if w grows along the path, always that of the last
        SmoothReleases { first: first.0.cast_signed(), apart: self.step.min(self.span) }
    }

    /// The release of the channel with number `hop`, counted from 0, given the largest `w` of its window.
    #[inline]
    pub(super) fn release(&self, hop: u32, largest: i64) -> Ticks {
        Ticks((self.tail + self.span * i64::from(hop + 2) + largest).cast_unsigned())
    }
}

/// The releases of a header that has not been blocked, of a message at least as long as the buffers of its path: a fixed time
/// apart.
#[derive(Clone, Copy)]
pub(super) struct SmoothReleases {
    first: i64,
    apart: i64,
}

impl SmoothReleases {
    /// The release of the channel with number `hop`, counted from 0, not the last.
    #[inline]
    pub(super) fn of(self, hop: u32) -> Ticks {
        Ticks((self.first + self.apart * i64::from(hop)).cast_unsigned())
    }
}

/// The `w` of all messages whose headers have been blocked, in slots that are used again.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// Of each slot: the largest `w` of the block being filled, then `w` or suffix maxima by channel.
    values: Vec<i64>,
    spare: SlotSizes,
}

impl Weights {
    /// A slot for a path of `channels` channels.
    pub(super) fn lay(&mut self, channels: u32) -> NonZeroU32 {
        let size = channels as usize + 1;
        let start = self.spare.take(size).unwrap_or_else(|| {
            let start = self.values.len().max(1); // place 0 is never used
            self.values.resize(start + size.next_power_of_two(), 0);
            start
        });
        #[expect(clippy::expect_used, reason = "the first slot starts at place 1")]
        NonZeroU32::new(MessageId::new(start).0).expect("place 0 is never used")
    }

    pub(super) fn free(&mut self, slot: NonZeroU32, channels: u32) {
        self.spare.give(slot.get() as usize, channels as usize + 1);
    }

    /// Notes the `nth` channel's `w`; the largest of the last `window` channels up to it.
    pub(super) fn note(&mut self, slot: NonZeroU32, nth: u32, window: u32, weight: i64) -> i64 {
        let nth = nth as usize;
        let window = window as usize;
        let values = &mut self.values[slot.get() as usize..];
        let place = (nth - 1) % window;
        let block_max = if place == 0 { weight } else { values[0].max(weight) };
        values[0] = block_max;
        values[nth] = weight;
        if place + 1 == window {
            suffix_maxima(&mut values[nth + 1 - window..=nth]);
            block_max
        } else if nth > window {
            block_max.max(values[nth + 1 - window])
        } else {
            block_max
        }
    }

    /// Sets the `nth` channel's `w`, of a message that is at least as long as the buffers of its path: only the maxima that
    /// [`Weights::close`] makes matter.
    #[inline]
    pub(super) fn set(&mut self, slot: NonZeroU32, nth: u32, weight: i64) {
        self.values[(slot.get() + nth) as usize] = weight;
    }

    /// The header has arrived on its last channel, the `channels`-th: replaces the `w` of the channels whose windows
    /// are cut short by the end of the path with the maxima from each to the end.
    pub(super) fn close(&mut self, slot: NonZeroU32, channels: u32, window: u32, weight: i64) {
        let channels = channels as usize;
        let window = window as usize;
        let values = &mut self.values[slot.get() as usize..];
        values[channels] = weight;
        // channels of the last complete block hold maxima within their block already, which changes nothing
        suffix_maxima(&mut values[(channels + 1).saturating_sub(window).max(1)..=channels]);
    }

    /// After [`Weights::close`]: the largest `w` from the `nth` channel to the end of the path.
    pub(super) fn from(&self, slot: NonZeroU32, nth: u32) -> i64 {
        self.values[(slot.get() + nth) as usize]
    }
}

fn suffix_maxima(values: &mut [i64]) {
    for at in (1..values.len()).rev() {
        values[at - 1] = values[at - 1].max(values[at]);
    }
}
