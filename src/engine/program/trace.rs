//! Messages at fixed times.

use super::{MessageSet, Program, Requests, Signal, Worm};
use crate::routing::tree::Tree;
use crate::routing::{Network, Stretch};
use crate::units::{Flits, MessageId, NodeId, Ticks};
use std::ops::Range;
use std::sync::Arc;

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

/// Messages of a trace that go as one worm.
#[derive(Clone, Debug)]
pub struct TraceWorm {
    /// The channels of its packets.
    pub tree: Arc<Tree>,
    /// The numbers of the messages.
    pub messages: Range<u32>,
}

/// Messages at fixed times, without node overheads.
#[derive(Clone, Copy, Debug)]
pub struct TraceProgram<'a> {
    messages: &'a [TraceMessage],
    /// The worms, in the order of their messages.
    worms: &'a [TraceWorm],
    /// By message, the id by which reports name it. Empty if that is its number.
    ids: &'a [u64],
}

impl<'a> TraceProgram<'a> {
    /// A program that requests each message at its time; positions are message numbers.
    pub fn new(messages: &'a [TraceMessage]) -> Self {
        Self { messages, worms: &[], ids: &[] }
    }

    /// Makes worms of some of the messages, which are in the order of these. Reports name messages by `ids`.
    #[must_use]
    pub fn with_worms(self, worms: &'a [TraceWorm], ids: &'a [u64]) -> Self {
        Self { worms, ids, ..self }
    }

    /// The worm of message `id`, if it goes as one.
    fn trace_worm(&self, id: MessageId) -> Option<&'a TraceWorm> {
        let index = self.worms.partition_point(|worm| worm.messages.end <= id.0);
        self.worms.get(index).filter(|worm| worm.messages.start <= id.0)
    }

    /// Returns true if the source of message `id` sends a packet for it: the first for one of those of a multicast.
    fn sends_packet(&self, id: MessageId) -> bool {
        let is_first = |worm: &TraceWorm| worm.messages.start == id.0;
        let src = |number: u32| self.messages[number as usize].src;
        self.trace_worm(id).is_none_or(|worm| is_first(worm) || src(id.0 - 1) != src(id.0))
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

    fn has_worms(&self) -> bool {
        !self.worms.is_empty()
    }

    fn worm(&self, id: MessageId) -> Option<Worm<'_>> {
        let TraceWorm { tree, messages } = self.trace_worm(id)?;
        Some(Worm { tree, messages: messages.clone() })
    }

    fn name(&self, id: MessageId) -> MessageId {
        let name = self.ids.get(id.index()).and_then(|&name| u32::try_from(name).ok());
        name.map_or(id, MessageId)
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
            let id = MessageId::new(id);
            if self.sends_packet(id) {
                requests.request(id, message.start);
            }
        }
    }
}
