//! Tree worms told as one message each: what links carry is counted once, to however many nodes it goes.
//!
//! An engine tells of a tree worm as of the messages that it is, one to each node, each of which is granted the channels of its
//! own way. Over what these ways have in common a flit goes once. It refuses to know what is made of it.

use crate::engine::{Event, Interest, Observer, Program};
use crate::units::{ChannelId, MessageId};
use rustc_hash::FxHashMap;

/// Tells an observer that does not ask why, of each worm as of its first message. A channel that several of its messages are
/// granted is told to be granted once, and as often as them to be released: the last time is when it was.
#[derive(Debug)]
pub(crate) struct OncePerWorm<O> {
    /// Who is told.
    pub observer: O,
    /// Per message the first one of its worm.
    first: Vec<MessageId>,
    /// Per channel which worm had it last.
    had: FxHashMap<ChannelId, MessageId>,
}

impl<O: Observer> OncePerWorm<O> {
    /// Tells `observer` of a run of `program`.
    pub(crate) fn new(observer: O, program: &dyn Program) -> Self {
        let mut first = Vec::with_capacity(program.messages());
        while first.len() < program.messages() {
            let message = MessageId::new(first.len());
            let end = program.worm(message).map_or(program.worm_end(message), |worm| MessageId(worm.messages.end));
            first.resize(end.index(), message);
        }
        Self { observer, first, had: FxHashMap::default() }
    }
}

impl<O: Observer> Observer for OncePerWorm<O> {
    fn interest(&self) -> Interest {
        self.observer.interest()
    }

    fn event(&mut self, event: Event<'_>) {
        let of_worm = |message: MessageId| self.first[message.index()];
        let event = match event {
            Event::Restarted => {
                self.had.clear();
                event
            }
            Event::Granted { message, hop, channel, requested, start } => {
                let message = of_worm(message);
                if self.had.insert(channel, message) == Some(message) {
                    return;
                }
                Event::Granted { message, hop, channel, requested, start }
            }
            Event::Started { message, hop, channel, at } => {
                Event::Started { message: of_worm(message), hop, channel, at }
            }
            Event::Left { message, channel, at } => Event::Left { message: of_worm(message), channel, at },
            Event::Released { message, hop, channel, at } => {
                Event::Released { message: of_worm(message), hop, channel, at }
            }
            Event::Ended(_) => event,
        };
        self.observer.event(event);
    }
}
