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
            span: (costs.flit_time * costs.buffer.without_delay().min(wire_flits)).cast_signed(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::Buffer;
    use crate::units::saturated;

    /// A message whose header starts on each channel of its path when it does.
    struct Sent {
        costs: ChannelCosts,
        flits: u64,
        starts: Vec<u64>,
    }

    impl Sent {
        /// One that is held up by so many ticks before each channel but the first.
        fn held_up(costs: ChannelCosts, flits: u64, injected: u64, delays: &[u64]) -> Self {
            let mut starts = vec![injected];
            for delay in delays {
                starts.push(starts[starts.len() - 1] + costs.step().0 + delay);
            }
            Self { costs, flits, starts }
        }

        fn channels(&self) -> u32 {
            u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
        }

        fn window(&self) -> u32 {
            let reach = (self.flits - 1) / self.costs.buffer.without_delay().min(self.flits);
            u32::try_from(reach).unwrap_or(u32::MAX).min(self.channels()) + 1
        }

        /// By the rules, flit by flit: when the tail starts on each channel. A flit starts when the one before it has crossed,
        /// when it has arrived, and when there is room for it: a flit that starts leaves its place.
        fn tail_starts(&self) -> Vec<u64> {
            let ChannelCosts { flit_time, buffer, .. } = self.costs;
            let buffer = buffer.without_delay();
            let mut all: Vec<Vec<u64>> = vec![self.starts.clone()];
            for flit in 1..self.flits {
                let mut row: Vec<u64> = Vec::new();
                for hop in 0..self.starts.len() {
                    let mut start = all[all.len() - 1][hop] + flit_time;
                    if hop > 0 {
                        start = start.max(row[hop - 1] + flit_time);
                    }
                    if let Some(left) = flit.checked_sub(buffer).filter(|_| hop + 1 < self.starts.len()) {
                        start = start.max(all[saturated(left)][hop + 1]);
                    }
                    row.push(start);
                }
                all.push(row);
            }
            all.swap_remove(all.len() - 1)
        }

        /// As the engine does it for a header that has been blocked: in the order in which releases become certain.
        fn releases(&self) -> Vec<u64> {
            let certainty = Certainty::of(&self.costs, self.flits);
            let window = self.window();
            let channels = self.channels();
            let mut weights = Weights::default();
            let slot = weights.lay(channels);
            let mut releases = Vec::new();
            for (nth, &start) in (1..channels).zip(&self.starts) {
                let largest = weights.note(slot, nth, window, certainty.weight(nth, Ticks(start)));
                if nth > window {
                    releases.push(certainty.release(nth - window - 1, largest).0);
                }
            }
            let last = self.starts[self.starts.len() - 1];
            weights.close(slot, channels, window, certainty.weight(channels, Ticks(last)));
            for hop in self.count(&releases)..channels - 1 {
                releases.push(certainty.release(hop, weights.from(slot, hop + 2)).0);
            }
            releases
        }

        /// The same without stored weights, for a header that has not been blocked.
        fn smooth_releases(&self) -> Vec<u64> {
            let certainty = Certainty::of(&self.costs, self.flits);
            let window = self.window();
            let channels = self.channels();
            let injected = Ticks(self.starts[0]);
            let mut releases = Vec::new();
            for nth in window + 1..channels {
                let largest = certainty.smooth_max(injected, nth, window);
                releases.push(certainty.release(nth - window - 1, largest).0);
            }
            for hop in self.count(&releases)..channels - 1 {
                let end = channels.min(hop + 1 + window);
                releases.push(certainty.release(hop, certainty.smooth_max_between(injected, hop + 2, end)).0);
            }
            if window + 1 >= channels {
                let smooth = certainty.smooth_releases(injected, channels);
                assert_eq!((0..channels - 1).map(|hop| smooth.of(hop).0).collect::<Vec<_>>(), releases);
            }
            releases
        }

        fn count(&self, releases: &[u64]) -> u32 {
            u32::try_from(releases.len()).unwrap_or(u32::MAX)
        }
    }

    /// All lists of `length` of `values`.
    fn lists(values: &[u64], length: usize) -> Vec<Vec<u64>> {
        (0..length).fold(vec![Vec::new()], |lists, _| {
            let longer = |list: &Vec<u64>| values.iter().map(|&value| [list.as_slice(), &[value]].concat()).collect();
            lists.iter().flat_map(|list| -> Vec<Vec<u64>> { longer(list) }).collect()
        })
    }

    /// All costs below a bound.
    fn all_costs() -> impl Iterator<Item = ChannelCosts> {
        let shapes = (1..=2).flat_map(|flit_time| (1..=3).map(move |buffer| [flit_time, buffer]));
        shapes.flat_map(|[flit_time, buffer]| {
            let buffer = Buffer::Flits(buffer);
            (0..=2).map(move |routing_delay| ChannelCosts { flit_time, buffer, routing_delay })
        })
    }

    #[test]
    fn every_short_path_is_released_as_flit_by_flit() {
        let mut paths = 0;
        for costs in all_costs() {
            for flits in 1..=7 {
                for channels in 2..=6 {
                    for delays in lists(&[0, 1, 4], channels - 1) {
                        let sent = Sent::held_up(costs, flits, 3, &delays);
                        let tail = sent.tail_starts();
                        assert_eq!(sent.releases(), tail[1..], "{costs:?} {flits} {delays:?}");
                        if delays.iter().all(|&delay| delay == 0) {
                            assert_eq!(sent.smooth_releases(), tail[1..], "{costs:?} {flits} of {channels}");
                        }
                        paths += 1;
                    }
                }
            }
        }
        assert_eq!(paths, 18 * 7 * (3 + 9 + 27 + 81 + 243));
    }

    /// At the edge of what scenarios are accepted: offsets along a path, and what happens on it, below 2^62 ticks.
    #[test]
    fn the_longest_messages_do_not_overflow() {
        let edge = 1_i128 << 62;
        let mut held = 0;
        for flit_time in [1, 1 << 20, 1 << 32] {
            for [flits, buffer] in [[1 << 29, 1 << 40], [1 << 38, 1 << 38], [1 << 59, 1 << 59], [1 << 59, 3]] {
                for channels in [2, 3, 7] {
                    let costs = ChannelCosts { flit_time, buffer: Buffer::Flits(buffer), routing_delay: 1 << 32 };
                    let span = i128::from(flit_time) * i128::from(buffer.min(flits));
                    let path = i128::from(channels) * i128::from(costs.step().0);
                    let wire = i128::from(flit_time) * i128::from(flits);
                    if span * i128::from(channels) >= edge || wire + path >= edge {
                        continue;
                    }
                    let injected = u64::try_from(edge - 1 - wire - path).unwrap_or(0);
                    let sent = Sent::held_up(costs, flits, injected, &vec![0; channels as usize - 1]);
                    // the formula, in numbers that are wide enough for anything
                    let start = |at: u32| i128::from(sent.starts[at as usize - 1]);
                    let last = |from: u32| channels.min(from + sent.window() - 1);
                    let release = |hop: u32| {
                        let to = hop + 2..=last(hop + 2);
                        let of = to.map(|at| start(at) - span * i128::from(at - hop - 2)).max();
                        of.map(|largest| largest + i128::from(flit_time) * i128::from(flits - 1))
                    };
                    let expected: Vec<_> = (0..channels - 1).map(release).collect();
                    for found in [sent.releases(), sent.smooth_releases()] {
                        let found: Vec<_> = found.into_iter().map(|at| Some(i128::from(at))).collect();
                        assert_eq!(expected, found, "{costs:?} {flits} {channels}");
                    }
                    held += 1;
                }
            }
        }
        assert!(held >= 12, "{held}");
    }

    /// All orders of up to seven paths of three lengths that come and go: no two that are there share a place.
    #[test]
    fn slots_never_overlap() {
        for actions in lists(&[0, 1, 2, 3], 7) {
            let mut weights = Weights::default();
            let mut live: Vec<(NonZeroU32, u32)> = Vec::new();
            for action in actions {
                match u32::try_from(action) {
                    Ok(size @ 1..) => live.push((weights.lay(size * size), size * size)),
                    _ if live.is_empty() => {}
                    _ => {
                        let (slot, size) = live.remove(0);
                        weights.free(slot, size);
                    }
                }
                let mut places: Vec<[u32; 2]> =
                    live.iter().map(|(slot, size)| [slot.get(), slot.get() + size]).collect();
                places.sort_unstable();
                assert!(places.windows(2).all(|pair| pair[0][1] < pair[1][0]), "{places:?}");
                assert!(places.last().is_none_or(|[_, end]| (*end as usize) < weights.values.len()));
            }
        }
    }
}
