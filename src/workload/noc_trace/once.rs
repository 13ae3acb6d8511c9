//! Tree worms told as one message each: what links carry is counted once, to however many ends it goes.
//!
//! An engine tells of a tree worm as of the messages that it is, one to each end, each of which is granted the channels of its
//! own way. Over what these ways have in common a flit goes once. Refuses to know what is made of it.

use crate::engine::program::NocProgram;
use crate::engine::{Observer, Program};
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;

/// Tells an observer that does not ask why, of each worm as of its first message. A channel that several of its messages are
/// granted is told to be granted once, and as often as them to be released: the last time is when it was.
pub(super) struct OncePerWorm<'a, O> {
    observer: &'a mut O,
    /// Per message the first one of its worm.
    first: Vec<MessageId>,
    /// Per channel which worm had it last.
    had: FxHashMap<ChannelId, MessageId>,
}

impl<'a, O: Observer> OncePerWorm<'a, O> {
    /// Tells `observer` of a run of `program`.
    pub(super) fn new(observer: &'a mut O, program: &NocProgram<'_>) -> Self {
        let mut first = Vec::with_capacity(program.messages());
        while first.len() < program.messages() {
            let message = MessageId::new(first.len());
            first.resize(program.worm_end(message).index(), message);
        }
        Self { observer, first, had: FxHashMap::default() }
    }
}

impl<O: Observer> Observer for OncePerWorm<'_, O> {
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

    fn released(&mut self, message: MessageId, hop: usize, channel: ChannelId, at: Ticks) {
        self.observer.released(self.first[message.index()], hop, channel, at);
    }
}
