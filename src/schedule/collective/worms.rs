//! Collectives whose packets routers copy and combine.

use super::cut;
use crate::routing::tree::Tree;
use crate::units::{Flits, MessageId, NodeId, narrow, saturated};
use std::ops::Range;

/// A collective whose packets routers copy and combine: each source sends a packet for each segment of the vector, and all packets
/// take the channels of one tree.
///
/// Messages are numbered packet by packet. Each has a source and a destination: a broadcast one for each destination, a reduction one
/// for each source, and an all-reduce one for each rank, from the rank to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeCollective {
    tree: Tree,
    ends: Vec<(NodeId, NodeId)>,
    /// The messages of a segment that sources send as packets of their own.
    senders: usize,
    flits: u64,
    segments: usize,
}

impl TreeCollective {
    /// Creates a collective on a vector of `flits` flits in segments of at most `segment_flits` flits, or whole if that is 0. `ends` has
    /// the source and the destination of each message of a segment.
    pub fn new(tree: Tree, ends: Vec<(NodeId, NodeId)>, flits: u64, segment_flits: u64) -> Self {
        let segments = saturated(Self::segment_count(flits, segment_flits));
        let is_multicast = tree.sources().nth(1).is_none();
        let senders = if is_multicast { ends.len().min(1) } else { ends.len() };
        Self { tree, ends, senders, flits, segments }
    }

    /// The number of segments of at most `segment_flits` flits, or of any length if that is 0, of a vector of `flits` flits.
    pub fn segment_count(flits: u64, segment_flits: u64) -> u64 {
        if segment_flits == 0 { 1 } else { flits.div_ceil(segment_flits).max(1) }
    }

    /// The channels of its packets.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The source and the destination of each message of a segment.
    pub fn ends(&self) -> &[(NodeId, NodeId)] {
        &self.ends
    }

    /// The number of messages of a segment that sources send as packets of their own: one if they have the same source.
    pub fn senders(&self) -> usize {
        self.senders
    }

    /// The number of segments.
    pub fn segments(&self) -> usize {
        self.segments
    }

    /// The positions of the vector in a segment.
    pub fn positions(&self, segment: usize) -> Range<u64> {
        cut(self.flits, self.segments, segment)
    }

    /// The length of the packets of a segment.
    pub fn flits(&self, segment: usize) -> Flits {
        let positions = self.positions(segment);
        Flits(positions.end - positions.start)
    }

    /// The length of the vector.
    pub fn vector(&self) -> Flits {
        Flits(self.flits)
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.ends.len() * self.segments
    }

    /// Returns true if there are no messages, as in a collective of one rank.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The segment of message `id`, and its number among the messages of the segment.
    pub fn position(&self, id: MessageId) -> [usize; 2] {
        [id.index() / self.ends.len(), id.index() % self.ends.len()]
    }

    /// The messages of a segment.
    pub fn messages(&self, segment: usize) -> Range<u32> {
        let first = segment * self.ends.len();
        let [start, end] = [first, first + self.ends.len()];
        let number = |index| narrow(index, "messages are numbered with 32 bits");
        number(start)..number(end)
    }
}
