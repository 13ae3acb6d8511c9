//! Messages that go as one worm, whose packets routers copy and combine.

use crate::routing::tree::Tree;
use crate::units::MessageId;
use std::ops::Range;

/// Messages that go as one worm: one for each source and destination, so that those of a multicast have one source, and those of a
/// reduction one destination.
///
/// Each source sends a packet, as the first message of the worm that it sends. The other messages are not requested. Every message to
/// a destination is delivered when the packet has arrived there.
#[derive(Clone, Debug)]
pub struct Worm<'a> {
    /// The channels of the packets.
    pub tree: &'a Tree,
    /// The numbers of the messages.
    pub messages: Range<u32>,
}

impl Worm<'_> {
    /// The messages.
    pub fn messages(&self) -> impl Iterator<Item = MessageId> + use<> {
        self.messages.clone().map(MessageId)
    }
}
