//! What a run measured, and how to watch it happen.

use super::{Engine, Program};
use crate::units::{ChannelId, MessageId, NodeId, Ticks};

/// What happened to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageOutcome {
    /// Its sender.
    pub src: NodeId,
    /// Its receiver.
    pub dst: NodeId,
    /// Channels between routers on its path.
    pub hops: u32,
    /// When it requested its injection channel.
    pub requested: Ticks,
    /// When it was granted its injection channel.
    pub injected: Ticks,
    /// When its last flit had crossed the ejection channel.
    pub delivered: Ticks,
    /// When the receive overhead was done.
    pub received: Ticks,
    /// How often its header had to wait for a channel.
    pub blocked_headers: u32,
    /// How long its header waited for channels in all.
    pub blocked_time: Ticks,
}

/// What happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Every message by number.
    pub messages: Vec<MessageOutcome>,
    /// When the last message was received, and the program had nothing more to do; zero without messages.
    pub completion: Ticks,
    /// Messages whose header waited at least once.
    pub blocked_messages: u64,
    /// Times that a header waited.
    pub blocked_headers: u64,
    /// How long headers waited in all.
    pub blocked_time: Ticks,
    /// Events that the engine processed.
    pub events: u64,
    /// The engine that ran: never [`Engine::Auto`].
    pub engine: Engine,
}

impl Outcome {
    /// The outcome of a run, totals included.
    pub(super) fn new<P: Program>(messages: Vec<MessageOutcome>, program: &P, events: u64, engine: Engine) -> Self {
        let received = messages.iter().map(|m| m.received).fold(Ticks::ZERO, Ticks::max);
        Self {
            completion: program.completion(received),
            blocked_messages: messages.iter().filter(|m| m.blocked_headers > 0).count() as u64,
            blocked_headers: messages.iter().map(|m| u64::from(m.blocked_headers)).sum(),
            blocked_time: messages.iter().map(|m| m.blocked_time).sum(),
            messages,
            events,
            engine,
        }
    }
}

/// Watches a run. Each method is told of one thing and does nothing by default; `()` watches nothing at no cost.
pub trait Observer {
    /// The run begins again on the other engine: what has been told so far has not happened.
    fn restarted(&mut self) {}

    /// The header of `message` is granted its path's channel number `hop` (0 is the injection channel), which is
    /// `channel`, at `start` after having requested it at `requested`.
    fn granted(&mut self, message: MessageId, hop: usize, channel: ChannelId, requested: Ticks, start: Ticks) {
        let _ = (message, hop, channel, requested, start);
    }

    /// A flit of the owner of `channel` starts to cross it at `at`. Only the flit engine, which moves flits, tells this.
    fn started(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        let _ = (message, hop, channel, at);
    }

    /// The channel that `message` was granted as number `hop` of its path is released at `at`. The worm engine tells
    /// this as soon as it is certain, which may be before `at`.
    fn released(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        let _ = (message, hop, channel, at);
    }
}

impl Observer for () {}
