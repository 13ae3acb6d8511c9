//! Paths as straight stretches of channels.
//!
//! Channels that a message takes one after the other mostly lie a constant distance apart (along a row of a mesh), so a path of
//! any length is a few stretches. A stretch knows numbers, and no network.

use crate::units::{ChannelId, narrow};

/// Channels that follow each other on a path: `length` of them from `first` on, `stride` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first channel.
    pub first: ChannelId,
    /// How far the next channel's number is from one's own.
    pub stride: i32,
    /// How many channels, at least 1.
    pub length: u32,
}

impl Stretch {
    /// One channel.
    pub fn of(channel: ChannelId) -> Self {
        Self { first: channel, stride: 0, length: 1 }
    }

    /// The stretch of this channel and the one `after` it, if each is one channel and they are not too far apart.
    pub fn fused(self, after: Self) -> Option<Self> {
        if self.length != 1 || after.length != 1 {
            return None;
        }
        let stride = apart(self.first, after.first)?;
        Some(Self { first: self.first, stride, length: 2 })
    }

    /// The longest stretch that `channels` begin with; they are not empty.
    pub fn at_head(channels: &[ChannelId]) -> Self {
        let first = channels[0];
        let Some(stride) = channels.get(1).and_then(|&next| apart(first, next)) else {
            return Self::of(first);
        };
        let goes_on = |pair: &&[ChannelId]| pair[0].0.wrapping_add_signed(stride) == pair[1].0;
        let steps = channels.windows(2).take_while(goes_on).count();
        Self { first, stride, length: narrow(steps + 1, "channels of a path are numbered with 32 bits") }
    }

    /// Its channels.
    #[inline]
    pub fn channels(self) -> impl ExactSizeIterator<Item = ChannelId> {
        let Self { first, stride, length } = self;
        (0..length).map(move |place| ChannelId(first.0.wrapping_add_signed(stride.wrapping_mul(place.cast_signed()))))
    }

    /// How many of its channels come before `channel`, if that is one of them.
    pub fn place(self, channel: ChannelId) -> Option<u32> {
        let distance = i64::from(channel.0) - i64::from(self.first.0);
        let stride = i64::from(self.stride);
        let place = if distance == 0 { 0 } else { distance.checked_div(stride)? };
        let is_on = place * stride == distance && (0..i64::from(self.length)).contains(&place);
        is_on.then(|| narrow(place, "below the length"))
    }
}

/// How far `to` lies behind `from`, if a stride can be so long.
#[inline]
fn apart(from: ChannelId, to: ChannelId) -> Option<i32> {
    i32::try_from(i64::from(to.0) - i64::from(from.0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(numbers: &[u32]) -> Vec<ChannelId> {
        numbers.iter().copied().map(ChannelId).collect()
    }

    #[test]
    fn a_path_is_its_stretches() {
        let path = channels(&[7, 9, 11, 13, 10, 7, 4, 40, u32::MAX, 3]);
        let mut rest = path.as_slice();
        let mut stretches = Vec::new();
        while !rest.is_empty() {
            let stretch = Stretch::at_head(rest);
            rest = &rest[stretch.length as usize..];
            stretches.push(stretch);
        }
        let lengths: Vec<u32> = stretches.iter().map(|stretch| stretch.length).collect();
        assert_eq!(lengths, [4, 3, 1, 1, 1]);
        assert_eq!(stretches.iter().flat_map(|stretch| stretch.channels()).collect::<Vec<_>>(), path);
    }

    #[test]
    fn knows_the_places_of_its_channels() {
        let down = Stretch { first: ChannelId(20), stride: -5, length: 4 };
        let places = [20, 15, 10, 5, 0, 25, 14].map(|channel| down.place(ChannelId(channel)));
        assert_eq!(places, [Some(0), Some(1), Some(2), Some(3), None, None, None]);
        assert_eq!([8, 9].map(|channel| Stretch::of(ChannelId(8)).place(ChannelId(channel))), [Some(0), None]);
    }
}
