//! What the events to come need, fetched from memory before they happen.
//!
//! The state of many ranks is more than a cache holds, and each event would wait for a few places of it, one after the other:
//! a broadcast to a million ranks takes two thirds of the time. It refuses to know what events do.

use super::rules::Rules;
use super::{Happening, MESSAGE, Run};
use crate::events::EventQueue;
use crate::model::MessageTimes;

/// The state of fewer operations than these is in a cache anyway; 100 bytes an operation.
const FEW: usize = 1 << 17;

impl<C: Fn(u64) -> MessageTimes, R: Rules> Run<'_, C, R> {
    /// Touches what the events to come need, each kind of place for all of them at a time, so that their cache misses
    /// overlap; for how many events, this one included, that is all that can be done.
    pub(super) fn fetch_ahead(&mut self) -> usize {
        if self.operations.len() < FEW {
            return usize::MAX;
        }
        let Self { queue, events, ahead, .. } = self;
        ahead.clear();
        ahead.extend(queue.announce().map(|event| events[event.number as usize]));
        if !self.ahead.is_empty() {
            std::hint::black_box(self.touch_ahead());
        }
        self.ahead.len()
    }

    fn touch_ahead(&self) -> u64 {
        let is_message = |happening: &&Happening| happening.what & MESSAGE != 0;
        let mut touched = 0;
        for happening in &self.ahead {
            touched ^= self.resources.touch(happening.rank);
            touched ^= match happening.what & MESSAGE {
                0 if self.goal.is_awaited(happening.what) => {
                    self.operations[happening.what as usize].size ^ u64::from(self.goal.waits_of(happening.what))
                }
                0 => self.operations[happening.what as usize].size,
                _ => self.messages[(happening.what & !MESSAGE) as usize].size ^ self.matching.touch(happening.rank),
            };
        }
        let messages = self.ahead.iter().filter(is_message);
        let receives = messages.filter_map(|message| self.matching.first_posted(message.rank));
        for receive in receives.clone() {
            touched ^= self.operations[receive as usize].size ^ u64::from(self.goal.waits_of(receive));
        }
        for waiting in receives.filter_map(|receive| self.goal.after_finish(receive).last()) {
            touched ^= self.operations[*waiting as usize].size ^ u64::from(self.goal.waits_of(*waiting));
        }
        touched
    }
}
