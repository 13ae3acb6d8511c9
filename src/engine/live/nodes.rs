//! The nodes of a live run, and the messages that they hold.

use super::LengthLimit;
use crate::engine::MessageOutcome;
use crate::units::MessageId;

/// The nodes of a live run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct LiveNodes {
    /// The number of nodes.
    pub(in crate::engine) nodes: usize,
    /// The number of classes of messages.
    pub(in crate::engine) classes: u8,
    /// Flits that the injection queue of a node and class holds, if they are limited.
    pub(in crate::engine) queue: Option<u32>,
    /// Slots of a node per virtual channel of its ejection channel, if messages wait there until they are taken.
    pub(in crate::engine) held: Option<u32>,
    /// The flits of the longest message that fits into buffers of whole messages.
    pub(in crate::engine) longest: Option<u32>,
}

impl LiveNodes {
    /// Nodes with unlimited queues that take in all messages, of one class.
    pub(in crate::engine) fn sinks(nodes: usize) -> Self {
        Self { nodes, classes: 1, queue: None, held: None, longest: None }
    }

    /// The most flits of a message, and the reason.
    pub(super) fn longest(&self) -> (u32, LengthLimit) {
        let limits = [
            (self.queue, LengthLimit::Queue),
            (self.held, LengthLimit::EjectionBuffer),
            (self.longest, LengthLimit::Buffer),
        ];
        let limits_in_use = limits.into_iter().filter_map(|(flits, limit)| Some((flits?, limit)));
        limits_in_use
            .chain([(u32::MAX, LengthLimit::Number)])
            .min_by_key(|&(flits, _)| flits)
            .unwrap_or((u32::MAX, LengthLimit::Number))
    }
}

/// A message that waits at its node until it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldMessage {
    /// The number of the message.
    pub message: MessageId,
    /// Its path and its times.
    pub outcome: MessageOutcome,
}
