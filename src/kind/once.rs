//! Tree worms told as one message each: what links carry is counted once, to however many nodes it goes.
//!
//! An engine tells of a tree worm as of the messages that it is, one to each node, each of which is granted the channels of its
//! own way. Over what these ways have in common a flit goes once. It refuses to know what is made of it.

use crate::engine::{Observer, Program, Stopping};
use crate::units::{ChannelId, MessageId, Ticks};
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
            first.resize(program.worm_end(message).index(), message);
        }
        Self { observer, first, had: FxHashMap::default() }
    }
}

impl<O: Observer> Observer for OncePerWorm<O> {
    fn stops(&self) -> Stopping {
        self.observer.stops()
    }

    fn restarted(&mut self) {
        self.had.clear();
        self.observer.restarted();
    }

    fn granted(&mut self, message: MessageId, hop: usize, channel: ChannelId, requested: Ticks, start: Ticks) {
        let worm = self.first[message.index()];
        if self.had.insert(channel, worm) != Some(worm) {
            self.observer.granted(worm, hop, channel, requested, start);
        }
    }

    fn started(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        self.observer.started(self.first[message.index()], hop, channel, at);
    }

    fn left(&mut self, message: MessageId, channel: ChannelId, at: Ticks) {
        self.observer.left(self.first[message.index()], channel, at);
    }

    fn follows_flits(&self) -> bool {
        self.observer.follows_flits()
    }

    fn released(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        self.observer.released(self.first[message.index()], hop, channel, at);
    }
}
