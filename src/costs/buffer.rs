//! The size of the buffers behind channels.

use serde::{Serialize, Serializer};

/// The flits that the buffer behind a channel holds.
///
/// ```
/// use flitwise::costs::Buffer;
///
/// // a link without delay has its credit back when the next flit is ready
/// assert_eq!(Buffer::RoundTrip.without_delay(), 1);
/// assert_eq!(Buffer::Flits(4).without_delay(), 4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// This number behind every channel, at least 1.
    Flits(u64),
    /// The number that covers the round trip of a flit and its credit if the channel has a delay, else 1.
    #[default]
    RoundTrip,
}

impl Buffer {
    /// The flits of a buffer behind a channel without delay.
    pub fn without_delay(self) -> u64 {
        match self {
            Self::Flits(flits) => flits,
            Self::RoundTrip => 1,
        }
    }
}

/// A number, or the words `round trip`.
impl Serialize for Buffer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Flits(flits) => serializer.serialize_u64(*flits),
            Self::RoundTrip => serializer.serialize_str("round trip"),
        }
    }
}
