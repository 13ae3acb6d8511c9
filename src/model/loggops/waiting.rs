//! Who waits for a processor or an interface.
//!
//! The classic simulator puts an event whose resources are busy back into its queue, for when they are free; then all
//! who wait come back at once, one goes on, and the others are put back again. Those who wait for the same resources go
//! on in the order in which they were created, so it is enough to let the first one come back, and its successor when
//! it has gone on. That makes the work linear and changes no time: to come back earlier or later than one could go on
//! has no effect.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Who waits for one combination of resources: events by creation number.
struct Line {
    /// The one that is in the queue of events.
    comes_back: u32,
    others: BinaryHeap<Reverse<u32>>,
}

#[derive(Default)]
pub(super) struct Waiting {
    lines: FxHashMap<u64, Line>,
}

impl Waiting {
    /// Event `event` finds the resources `key` busy. Whether it has to come back by itself; else it is kept.
    pub(super) fn wait(&mut self, key: u64, event: u32) -> bool {
        let line = self.lines.entry(key).or_insert_with(|| Line { comes_back: event, others: BinaryHeap::new() });
        if event <= line.comes_back {
            line.comes_back = event;
            return true;
        }
        line.others.push(Reverse(event));
        false
    }

    /// Event `event` has taken the resources `key`: who is to come back next.
    pub(super) fn went_on(&mut self, key: u64, event: u32) -> Option<u32> {
        let line = self.lines.get_mut(&key)?;
        if line.comes_back != event {
            return None;
        }
        match line.others.pop() {
            Some(Reverse(next)) => {
                line.comes_back = next;
                Some(next)
            }
            None => {
                self.lines.remove(&key);
                None
            }
        }
    }
}
