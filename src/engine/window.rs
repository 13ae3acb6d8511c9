//! Records of messages by number, of which the first ones can be forgotten.

use crate::units::MessageId;
use std::ops::{Index, IndexMut};

/// Records of messages with consecutive numbers, the last of which belongs to the message that was added last.
///
/// A run that accepts messages for a long time forgets the first ones ([`Window::forget`]), and takes memory only for those in
/// flight. The records are contiguous: an index costs a subtraction, except where the first number is always 0 ([`Zero`]).
#[derive(Clone, Debug)]
pub(crate) struct Window<T, F = Moving> {
    first: F,
    records: Vec<T>,
}

/// The number of the first record.
pub(crate) trait FirstNumber: Copy + Default {
    /// The number.
    fn get(self) -> usize;
}

/// The first number of records of which none is forgotten.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Zero;

/// The first number of records of which the first ones are forgotten.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moving(usize);

impl FirstNumber for Zero {
    #[inline(always)]
    fn get(self) -> usize {
        0
    }
}

impl FirstNumber for Moving {
    #[inline(always)]
    fn get(self) -> usize {
        self.0
    }
}

impl<T, F: FirstNumber> Window<T, F> {
    /// The records of the messages from number 0 on.
    pub(crate) fn new(records: Vec<T>) -> Self {
        Self { first: F::default(), records }
    }

    /// The number of messages that have been added, those that are forgotten included.
    pub(crate) fn count(&self) -> usize {
        self.first.get() + self.records.len()
    }

    /// Adds the record of the next message, and returns the number of the message.
    pub(crate) fn push(&mut self, record: T) -> MessageId {
        self.records.push(record);
        MessageId::new(self.count() - 1)
    }

    /// The record of message `id`. Returns `None` if the message has not been added or is forgotten.
    pub(crate) fn get(&self, id: MessageId) -> Option<&T> {
        self.records.get(id.index().checked_sub(self.first.get())?)
    }

    /// The retained records.
    pub(crate) fn records(&self) -> &[T] {
        &self.records
    }

    /// The retained records with the numbers of their messages.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (MessageId, &T)> {
        self.records.iter().enumerate().map(|(index, record)| (MessageId::new(self.first.get() + index), record))
    }
}

impl<T> Window<T> {
    /// The first message from `from` on that is not `done`, or one past the last message if there is none.
    pub(crate) fn first_not(&self, from: MessageId, done: impl Fn(&T) -> bool) -> MessageId {
        let later = &self.records[from.index().saturating_sub(self.first.0)..];
        MessageId::new(from.index().max(self.first.0) + later.iter().take_while(|record| done(record)).count())
    }

    /// The number of the first retained message.
    pub(crate) fn first(&self) -> MessageId {
        MessageId::new(self.first.0)
    }

    /// Forgets the messages before `before`. Takes time in proportion to the records that remain: callers forget many at once.
    pub(crate) fn forget(&mut self, before: MessageId) {
        let gone = before.index().saturating_sub(self.first.0);
        if gone == 0 {
            return;
        }
        self.records.drain(..gone);
        self.first.0 += gone;
    }
}

impl<T, F: FirstNumber> Default for Window<T, F> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<T, F: FirstNumber> Index<MessageId> for Window<T, F> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: MessageId) -> &T {
        &self.records[id.index() - self.first.get()]
    }
}

impl<T, F: FirstNumber> IndexMut<MessageId> for Window<T, F> {
    #[inline(always)]
    fn index_mut(&mut self, id: MessageId) -> &mut T {
        &mut self.records[id.index() - self.first.get()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_on_when_the_first_records_are_forgotten() {
        let mut window: Window<usize> = Window::default();
        assert!((0..10).all(|number| window.push(number) == MessageId::new(number)));
        window.forget(MessageId(4));
        window.forget(MessageId(2));
        assert_eq!((window.first(), window.count(), window.records().len()), (MessageId(4), 10, 6));
        assert_eq!((window.get(MessageId(3)), window.get(MessageId(10)), window[MessageId(9)]), (None, None, 9));
        assert!(window.numbered().all(|(id, &number)| id.index() == number));
        assert_eq!(window.first_not(MessageId(0), |&number| number < 7), MessageId(7));
        assert_eq!(window.first_not(MessageId(5), |_| true), MessageId(10));
        assert_eq!(window.push(10), MessageId(10));
    }
}
