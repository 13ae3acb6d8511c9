//! What a run measured, and how to watch it happen.

use super::program::Causes;
use super::{Engine, Program, Stop};
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

/// Whether an observer ends a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopping {
    /// It never does; it is not asked again.
    #[default]
    Never,
    /// Not at this tick.
    NotYet,
    /// Here: with this tick the run ends.
    Now,
}

/// Watches a run. Each method is told of one thing and does nothing by default; `()` watches nothing at no cost.
pub trait Observer {
    /// Whether it wants to be told anything.
    fn watches(&self) -> bool {
        true
    }

    /// Whether it ends the run: asked before the run, and if it may, whenever all has happened that happens at a tick (on
    /// routers, in a cycle). A run that it ends stops with [`Stop::Stopped`]. One that says [`Stopping::Never`] costs the
    /// run nothing; others have it go on tick by tick ([`super::Running`]).
    fn stops(&self) -> Stopping {
        Stopping::Never
    }

    /// The run begins again on the other engine: what has been told so far has not happened.
    fn restarted(&mut self) {}

    /// The head flit of `message` is granted its path's channel number `hop` (0 is the injection channel), which is
    /// `channel`, at `start` after having requested it at `requested`. Routers number virtual channels in their own way
    /// ([`super::router::channel_name`]).
    fn granted(&mut self, message: MessageId, hop: usize, channel: ChannelId, requested: Ticks, start: Ticks) {
        let _ = (message, hop, channel, requested, start);
    }

    /// A flit of the owner of `channel` starts to cross it at `at`. Only the flit engine, which moves flits, tells this of
    /// all; the sleep engine tells it of head flits, and if it is [asked](Self::follows_flits) of all, of those that it has
    /// skipped later than others; routers tell it of head flits, see [`super::router`].
    fn started(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        let _ = (message, hop, channel, at);
    }

    /// A flit of `message` starts on virtual channel `channel` at `at`. Only routers report this, each flit after those that it
    /// waited for.
    fn left(&mut self, message: MessageId, channel: ChannelId, at: Ticks) {
        let _ = (message, channel, at);
    }

    /// Whether it wants to be told of every flit's start by engines that need not move every flit.
    fn follows_flits(&self) -> bool {
        false
    }

    /// The channel that `message` was granted as number `hop` of its path is released at `at`. The worm engine and routers
    /// tell this as soon as it is certain, which may be before `at`.
    fn released(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        let _ = (message, hop, channel, at);
    }

    /// Whether it wants to know why sends began: programs do not remember it otherwise.
    fn asks_why(&self) -> bool {
        false
    }

    /// The run has come to its end, and sends began for such `causes`. Told only if it [asks](Self::asks_why).
    fn ended(&mut self, causes: Causes) {
        let _ = causes;
    }
}

impl Observer for () {
    fn watches(&self) -> bool {
        false
    }
}

/// Two observers, which are told the same.
pub struct Both<'a, 'b, A>(pub &'a mut A, pub Option<&'b mut dyn Observer>);

impl<A: Observer> Both<'_, '_, A> {
    fn each(&mut self, tell: impl Fn(&mut dyn Observer)) {
        tell(self.0);
        if let Some(other) = &mut self.1 {
            tell(*other);
        }
    }
}

impl<A: Observer> Observer for Both<'_, '_, A> {
    fn watches(&self) -> bool {
        self.0.watches() || self.1.as_ref().is_some_and(Observer::watches)
    }

    fn stops(&self) -> Stopping {
        let other = self.1.as_ref().map_or(Stopping::Never, Observer::stops);
        match (self.0.stops(), other) {
            (Stopping::Now, _) | (_, Stopping::Now) => Stopping::Now,
            (Stopping::Never, Stopping::Never) => Stopping::Never,
            _ => Stopping::NotYet,
        }
    }

    fn restarted(&mut self) {
        self.each(|observer| observer.restarted());
    }

    fn granted(&mut self, message: MessageId, hop: usize, channel: ChannelId, requested: Ticks, start: Ticks) {
        self.each(|observer| observer.granted(message, hop, channel, requested, start));
    }

    fn started(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        self.each(|observer| observer.started(message, hop, channel, at));
    }

    fn left(&mut self, message: MessageId, channel: ChannelId, at: Ticks) {
        self.each(|observer| observer.left(message, channel, at));
    }

    fn follows_flits(&self) -> bool {
        self.0.follows_flits() || self.1.as_ref().is_some_and(Observer::follows_flits)
    }

    fn released(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        self.each(|observer| observer.released(message, hop, channel, at));
    }

    fn asks_why(&self) -> bool {
        self.0.asks_why() || self.1.as_ref().is_some_and(Observer::asks_why)
    }

    fn ended(&mut self, causes: Causes) {
        self.each(|observer| {
            if observer.asks_why() {
                observer.ended(causes.clone());
            }
        });
    }
}

/// An observer by reference, for engines that are compiled once for all.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn watches(&self) -> bool {
        (**self).watches()
    }

    fn stops(&self) -> Stopping {
        (**self).stops()
    }

    fn restarted(&mut self) {
        (**self).restarted();
    }

    fn granted(&mut self, message: MessageId, hop: usize, channel: ChannelId, requested: Ticks, start: Ticks) {
        (**self).granted(message, hop, channel, requested, start);
    }

    fn started(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        (**self).started(message, hop, channel, at);
    }

    fn left(&mut self, message: MessageId, channel: ChannelId, at: Ticks) {
        (**self).left(message, channel, at);
    }

    fn follows_flits(&self) -> bool {
        (**self).follows_flits()
    }

    fn released(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        (**self).released(message, hop, channel, at);
    }

    fn asks_why(&self) -> bool {
        (**self).asks_why()
    }

    fn ended(&mut self, causes: Causes) {
        (**self).ended(causes);
    }
}

/// Tells `observer` why sends began in the run that has `ended`, of `program`, if it asks.
pub(super) fn tell_causes<P: Program, O: Observer>(
    program: &P,
    ended: Result<Outcome, Stop>,
    observer: &mut O,
) -> Result<Outcome, Stop> {
    if observer.asks_why()
        && let Ok(outcome) = &ended
    {
        observer.ended(program.causes(&outcome.messages));
    }
    ended
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
