//! Messages at fixed times.

use super::{MessageSet, Program, Requests, Signal};
use crate::routing::{Network, Stretch};
use crate::units::{Flits, MessageId, NodeId, Ticks};

/// A message of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceMessage {
    /// Who sends it.
    pub src: NodeId,
    /// Who receives it.
    pub dst: NodeId,
    /// Its length.
    pub flits: Flits,
    /// When it requests its injection channel.
    pub start: Ticks,
}

/// Messages at fixed times, without node overheads.
#[derive(Clone, Copy, Debug)]
pub struct TraceProgram<'a> {
    messages: &'a [TraceMessage],
}

impl<'a> TraceProgram<'a> {
    /// A program that requests each message at its time; positions are message numbers.
    pub fn new(messages: &'a [TraceMessage]) -> Self {
        Self { messages }
    }
}

impl MessageSet for TraceProgram<'_> {
    fn messages(&self) -> usize {
        self.messages.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let message = self.messages[id.index()];
        (message.src, message.dst, message.flits)
    }

    fn stretches(&self, id: MessageId, network: &dyn Network, stretches: &mut Vec<Stretch>) -> bool {
        let (src, dst, _) = self.message(id);
        network.stretches(src, dst, stretches)
    }

    fn receive_time(&self, _: MessageId) -> Ticks {
        Ticks::ZERO
    }
}

impl Program for TraceProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.start(requests),
            Signal::Requested { .. }
            | Signal::Departed { .. }
            | Signal::Left { .. }
            | Signal::Delivered { .. }
            | Signal::Timer { .. }
            | Signal::KeepCauses => {}
        }
    }
}

impl TraceProgram<'_> {
    fn start(&mut self, requests: &mut Requests) {
        for (id, message) in self.messages.iter().enumerate() {
            requests.request(MessageId::new(id), message.start);
        }
    }
}
