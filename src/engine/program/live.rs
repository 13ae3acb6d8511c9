//! Messages that are sent between the ticks of a run.
//!
//! The program requests nothing by itself: the caller that drives the run ([`crate::engine::Live`]) adds messages and takes
//! deliveries.

use super::{MessageSet, Program, Requests, Signal};
use crate::engine::window::Window;
use crate::routing::{Network, Stretch};
use crate::units::{Flits, MessageId, NodeId, Ticks};

/// A message that a caller sends during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct LiveMessage {
    /// The sender.
    pub(in crate::engine) src: NodeId,
    /// The receiver.
    pub(in crate::engine) dst: NodeId,
    /// The length.
    pub(in crate::engine) flits: Flits,
    /// The class of packets, from 0.
    pub(in crate::engine) class: u8,
    /// The number by which reports name it, if that is not its own, as on several networks.
    pub(in crate::engine) name: Option<MessageId>,
}

/// A program that grows: the messages sent so far, and those delivered since they were last taken.
#[derive(Clone, Debug, Default)]
pub struct LiveMessages {
    sent: Window<LiveMessage>,
    delivered: Vec<MessageId>,
}

impl LiveMessages {
    /// Adds a message, and returns its number.
    pub(in crate::engine) fn send(&mut self, message: LiveMessage) -> MessageId {
        self.sent.push(message)
    }

    /// Returns true if messages have been delivered since they were last taken.
    pub(in crate::engine) fn has_delivered(&self) -> bool {
        !self.delivered.is_empty()
    }

    /// Moves the messages that have been delivered to `taken`, which is empty, in the order in which the engine reported them.
    pub(in crate::engine) fn take_delivered(&mut self, taken: &mut Vec<MessageId>) {
        std::mem::swap(&mut self.delivered, taken);
    }

    /// Forgets the messages before `before`.
    pub(in crate::engine) fn forget(&mut self, before: MessageId) {
        self.sent.forget(before);
    }
}

impl MessageSet for LiveMessages {
    fn messages(&self) -> usize {
        self.sent.count()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let LiveMessage { src, dst, flits, .. } = self.sent[id];
        (src, dst, flits)
    }

    fn stretches(&self, id: MessageId, network: &dyn Network, stretches: &mut Vec<Stretch>) -> bool {
        let (src, dst, _) = self.message(id);
        network.stretches(src, dst, stretches)
    }

    fn class(&self, id: MessageId) -> u8 {
        self.sent[id].class
    }

    fn name(&self, id: MessageId) -> MessageId {
        self.sent[id].name.unwrap_or(id)
    }

    fn receive_time(&self, _: MessageId) -> Ticks {
        Ticks::ZERO
    }
}

impl Program for LiveMessages {
    fn signal(&mut self, signal: Signal, _: &mut Requests) {
        match signal {
            Signal::Delivered { id, .. } => self.delivered.push(id),
            Signal::Start
            | Signal::Requested { .. }
            | Signal::Departed { .. }
            | Signal::Left { .. }
            | Signal::Timer { .. }
            | Signal::KeepCauses => {}
        }
    }

    fn live(&mut self) -> Option<&mut LiveMessages> {
        Some(self)
    }
}
