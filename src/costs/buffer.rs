//! How many flits the buffers behind channels hold.

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
    /// The same behind every channel, at least 1.
    Flits(u64),
    /// As many as the round trip of a flit and its credit takes where the channel has a delay, else 1.
    #[default]
    RoundTrip,
}

impl Buffer {
    /// Behind a channel without delay.
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
