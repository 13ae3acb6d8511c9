//! Records of messages by number, of which the first ones can be forgotten.

use crate::units::MessageId;
use std::ops::{Index, IndexMut};

/// Records of messages with consecutive numbers, the last of which belongs to the message that was added last.
///
/// All are retained unless [`Window::forget`] is called, so that a run that accepts messages for a long time takes memory only for
/// those in flight. The records are contiguous: an index costs a subtraction.
#[derive(Clone, Debug)]
pub(super) struct Window<T> {
    /// The number of the first record.
    first: usize,
    records: Vec<T>,
}

impl<T> Window<T> {
    /// The records of the messages from number 0 on.
    pub(super) fn new(records: Vec<T>) -> Self {
        Self { first: 0, records }
    }

    /// The number of messages that have been added, those that are forgotten included.
    pub(super) fn count(&self) -> usize {
        self.first + self.records.len()
    }

    /// Adds the record of the next message, and returns the number of the message.
    pub(super) fn push(&mut self, record: T) -> MessageId {
        self.records.push(record);
        MessageId::new(self.count() - 1)
    }

    /// The record of message `id`. Returns `None` if the message has not been added or is forgotten.
    pub(super) fn get(&self, id: MessageId) -> Option<&T> {
        self.records.get(id.index().checked_sub(self.first)?)
    }

    /// The retained records.
    pub(super) fn records(&self) -> &[T] {
        &self.records
    }

    /// The retained records with the numbers of their messages.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (MessageId, &T)> {
        self.records.iter().enumerate().map(|(at, record)| (MessageId::new(self.first + at), record))
    }

    /// The first message from `from` on that is not `done`, or one past the last message if there is none.
    pub(super) fn first_not(&self, from: MessageId, done: impl Fn(&T) -> bool) -> MessageId {
        let later = &self.records[from.index().saturating_sub(self.first)..];
        MessageId::new(from.index().max(self.first) + later.iter().take_while(|record| done(record)).count())
    }

    /// The number of the first retained message.
    pub(super) fn first(&self) -> MessageId {
        MessageId::new(self.first)
    }

    /// Forgets the messages before `before`. Takes time in proportion to the records that remain: callers forget many at once.
    pub(super) fn forget(&mut self, before: MessageId) {
        let gone = before.index().saturating_sub(self.first);
        self.records.drain(..gone);
        self.first += gone;
    }
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<T> Index<MessageId> for Window<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: MessageId) -> &T {
        &self.records[id.index() - self.first]
    }
}

impl<T> IndexMut<MessageId> for Window<T> {
    #[inline(always)]
    fn index_mut(&mut self, id: MessageId) -> &mut T {
        &mut self.records[id.index() - self.first]
    }
}
