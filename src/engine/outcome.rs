//! The outcome of a run.

use super::{Engine, Program, Stop};
use crate::units::{MessageId, NodeId, Ticks};

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
    /// How often its header had to wait for a channel, its own injection channel included.
    pub blocked_headers: u32,
    /// How long its header waited for channels in all.
    pub blocked_time: Ticks,
}

impl MessageOutcome {
    /// Message `id` of `program`, which went as `passage` says.
    pub(super) fn new<P: Program + ?Sized>(program: &P, id: MessageId, passage: Passage) -> Self {
        let (src, dst, _) = program.message(id);
        let Passage { hops, requested, injected, delivered, blocked_headers, blocked_time } = passage;
        let received = delivered + program.receive_time(id);
        Self { src, dst, hops, requested, injected, delivered, received, blocked_headers, blocked_time }
    }

    /// How long its header waited for its own injection channel: on the wormhole engines a part of `blocked_time`.
    pub fn queued(&self) -> Ticks {
        self.injected - self.requested
    }
}

/// What happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Every message by number.
    pub messages: Vec<MessageOutcome>,
    /// When the last message was received, and the program had nothing more to do; zero without messages.
    pub completion: Ticks,
    /// Messages whose header waited for a channel at least once.
    pub blocked_messages: u64,
    /// Times that a header waited for a channel.
    pub blocked_headers: u64,
    /// How long headers waited for channels in all.
    pub blocked_time: Ticks,
    /// Messages whose header waited for its own injection channel. Each waits there at most once, so it is also how many
    /// of `blocked_headers` are such waits.
    pub queued_messages: u64,
    /// How long headers waited for their own injection channels in all, a part of `blocked_time`.
    pub queued_time: Ticks,
    /// The ends of the last operations of processors, rank by rank and the same number for each. Empty for programs without operations.
    pub ends: Vec<Ticks>,
    /// Events that the engine processed.
    pub events: u64,
    /// The engine that ran: never [`Engine::Auto`].
    pub engine: Engine,
}

/// What an engine knows of a message that has arrived; what else there is to say follows from its program.
#[derive(Clone, Copy, Default)]
pub(super) struct Passage {
    pub(super) hops: u32,
    pub(super) requested: Ticks,
    pub(super) injected: Ticks,
    pub(super) delivered: Ticks,
    pub(super) blocked_headers: u32,
    pub(super) blocked_time: Ticks,
}

impl Outcome {
    /// The outcome of a run of `program` in which all messages have arrived as `passages` say, by number.
    pub(super) fn of_program<P: Program>(
        program: &P,
        passages: impl Iterator<Item = Passage>,
        events: u64,
        engine: Engine,
    ) -> Result<Self, Stop> {
        if let Some(unfinished) = program.unfinished() {
            return Err(unfinished.into());
        }
        let messages =
            passages.enumerate().map(|(id, passage)| MessageOutcome::new(program, MessageId::new(id), passage));
        Ok(Self::new(messages.collect(), program, events, engine))
    }

    /// Adds the outcome of what ran later, whose messages come after these by number; when all is done is for the program
    /// to say.
    pub(super) fn append(&mut self, later: Self) {
        let Self { messages, completion, engine, .. } = later;
        self.messages.extend(messages);
        self.completion = self.completion.max(completion);
        self.blocked_messages += later.blocked_messages;
        self.blocked_headers += later.blocked_headers;
        self.blocked_time += later.blocked_time;
        self.queued_messages += later.queued_messages;
        self.queued_time += later.queued_time;
        self.events += later.events;
        if engine != Engine::Worm && self.engine != Engine::Flit {
            self.engine = engine; // the one that moves most flits
        }
    }

    /// The outcome of a run, totals included.
    fn new<P: Program>(messages: Vec<MessageOutcome>, program: &P, events: u64, engine: Engine) -> Self {
        let mut outcome = Self {
            messages: Vec::new(),
            completion: Ticks::ZERO,
            blocked_messages: 0,
            blocked_headers: 0,
            blocked_time: Ticks::ZERO,
            queued_messages: 0,
            queued_time: Ticks::ZERO,
            ends: program.ends(),
            events,
            engine,
        };
        let mut received = Ticks::ZERO;
        for message in &messages {
            received = received.max(message.received);
            outcome.blocked_messages += u64::from(message.blocked_headers > 0);
            outcome.blocked_headers += u64::from(message.blocked_headers);
            outcome.blocked_time += message.blocked_time;
            outcome.queued_messages += u64::from(message.queued() > Ticks::ZERO);
            outcome.queued_time += message.queued();
        }
        outcome.completion = program.completion(received);
        outcome.messages = messages;
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::program::TraceProgram;

    /// A message that requests its injection channel at tick 10, waits `queued` for it, and waits `beyond` for each of two
    /// other channels.
    fn message(queued: u64, beyond: u64) -> MessageOutcome {
        MessageOutcome {
            src: NodeId(0),
            dst: NodeId(1),
            hops: 1,
            requested: Ticks(10),
            injected: Ticks(10 + queued),
            delivered: Ticks(100),
            received: Ticks(110),
            blocked_headers: u32::from(queued > 0) + 2 * u32::from(beyond > 0),
            blocked_time: Ticks(queued + 2 * beyond),
        }
    }

    #[test]
    fn what_is_queued_is_a_part_of_what_is_blocked() {
        let messages = vec![message(0, 0), message(7, 0), message(0, 3), message(5, 4)];
        let outcome = Outcome::new(messages, &TraceProgram::new(&[]), 0, Engine::Worm);
        let blocked = (outcome.blocked_messages, outcome.blocked_headers, outcome.blocked_time);
        assert_eq!(blocked, (3, 1 + 2 + 3, Ticks(7 + 6 + 13)));
        assert_eq!((outcome.queued_messages, outcome.queued_time), (2, Ticks(12)));
        assert_eq!(outcome.messages.iter().map(MessageOutcome::queued).collect::<Vec<_>>(), [0, 7, 0, 5].map(Ticks));
    }
}
