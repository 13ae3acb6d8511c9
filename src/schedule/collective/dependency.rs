//! Which messages a message needs where no barrier stands between steps.

use super::{Collective, MessageId};
use crate::cancel;

/// Per message those of earlier steps that bring its source something that it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependencies {
    /// Where each message's needs end.
    ends: Vec<u32>,
    needs: Vec<MessageId>,
}

/// Ends a list of messages.
const NONE: u32 = u32::MAX;

/// A message that brought a rank a piece, and the one before it.
#[derive(Clone, Copy, Debug)]
struct Brought {
    message: u32,
    before: u32,
}

impl Dependencies {
    /// Those of `collective`: a message needs every message of an earlier step into its source that has a position in
    /// common with it. O(messages * pieces of a message * times that a piece is brought to a rank) time.
    pub fn new(collective: &Collective) -> Self {
        let pieces = collective.pieces();
        // per rank and piece the message that brought it last
        let mut last = vec![NONE; collective.ranks * pieces];
        let mut brought: Vec<Brought> = Vec::new();
        let mut seen = vec![NONE; collective.len()];
        let mut all = Self { ends: Vec::with_capacity(collective.len()), needs: Vec::new() };
        let mut pace = cancel::Pace::default();
        for step in 0..collective.steps() {
            for message in collective.messages(step) {
                pace.step();
                let row = &last[message.src * pieces..][..pieces];
                let first = all.needs.len();
                for piece in collective.runs(message.id).iter().cloned().flatten() {
                    let mut at = row[piece as usize];
                    while at != NONE {
                        let Brought { message: needed, before } = brought[at as usize];
                        if std::mem::replace(&mut seen[needed as usize], message.id.0) != message.id.0 {
                            all.needs.push(MessageId(needed));
                        }
                        at = before;
                    }
                }
                all.needs[first..].sort_unstable();
                all.ends.push(MessageId::new(all.needs.len()).0);
            }
            for message in collective.messages(step) {
                for piece in collective.runs(message.id).iter().cloned().flatten() {
                    let place = &mut last[message.dst * pieces + piece as usize];
                    brought.push(Brought { message: message.id.0, before: *place });
                    *place = MessageId::new(brought.len() - 1).0;
                }
            }
        }
        all
    }

    /// The messages that message `id` needs, by number.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn needs(&self, id: MessageId) -> &[MessageId] {
        let start = id.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.needs[start..self.ends[id.index()] as usize]
    }
}
