//! Who waits for a processor or an interface.
//!
//! The classic simulator puts an event whose resources are busy back into its queue, for when they are free; then all
//! who wait come back at once, one goes on, and the others are put back again. Those who wait for the same resources go
//! on in the order in which they were created, so it is enough to let the first one come back, and its successor when
//! it has gone on. That makes the work linear and changes no time: to come back earlier or later than one could go on
//! has no effect. For the same reason an event that is created for when its resources are free, behind another that is
//! still to try them, need not try them itself.
//!
//! ```text
//!   processor ──▶ line: first in it, in the queue of events ──▶ line for another interface ──▶ ..
//!                   └─ others: a pairing heap by number (Fredman, Sedgewick, Sleator, Tarjan 1986)
//! ```
//!
//! Lines and nodes of heaps that are done with are used again.

use crate::units::narrow;

/// No node.
const NONE: u32 = u32::MAX;

/// What those in a line wait for, besides the processor: an interface by its place, or nothing.
pub(super) type Interface = u32;

/// The lines of a processor: one more than the number of the first, and 0 if there is none.
pub(super) type Lines = u64;

/// Who waits for one combination of resources: events by creation number.
#[derive(Clone, Copy, Debug)]
struct Line {
    interface: Interface,
    /// The one that is in the queue of events.
    comes_back: u32,
    /// The root of the heap of the others.
    others: u32,
    /// The next line of the processor, or the next that is not used.
    next: Lines,
}

/// An event in a heap.
#[derive(Clone, Copy, Debug)]
struct Node {
    event: u32,
    /// The first of those below it.
    child: u32,
    /// The next below the same, or the next that is not used.
    sibling: u32,
}

/// All lines of all processors.
#[derive(Debug)]
pub(super) struct Waiting {
    lines: Vec<Line>,
    unused_lines: Lines,
    nodes: Vec<Node>,
    unused_node: u32,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { lines: Vec::new(), unused_lines: 0, nodes: Vec::new(), unused_node: NONE }
    }
}

impl Waiting {
    /// Event `event` finds its resources busy. Whether it has to come back by itself; else it is kept.
    pub(super) fn wait(&mut self, of: &mut Lines, interface: Interface, event: u32) -> bool {
        let Some(line) = self.find(*of, interface) else {
            self.open(of, interface, event);
            return true;
        };
        let comes_back = &mut self.line(line).comes_back;
        if event <= *comes_back {
            *comes_back = event;
            return true;
        }
        self.push(line, event);
        false
    }

    /// Event `event` has been created for when its resources are free. Whether it has to come by itself; else it is kept,
    /// behind those that wait for the same.
    pub(super) fn join(&mut self, of: Lines, interface: Interface, event: u32) -> bool {
        match self.find(of, interface) {
            Some(line) => {
                self.push(line, event);
                false
            }
            None => true,
        }
    }

    /// Opens a line of those that wait for the same as `event`, which comes by itself.
    pub(super) fn open(&mut self, of: &mut Lines, interface: Interface, event: u32) {
        let line = Line { interface, comes_back: event, others: NONE, next: *of };
        if self.unused_lines == 0 {
            self.lines.push(line);
            *of = self.lines.len() as u64;
        } else {
            *of = self.unused_lines;
            self.unused_lines = std::mem::replace(self.line(*of), line).next;
        }
    }

    /// Event `event` has taken its resources: who is to come back next.
    pub(super) fn went_on(&mut self, of: &mut Lines, interface: Interface, event: u32) -> Option<u32> {
        let line = self.find(*of, interface)?;
        let Line { comes_back, others, .. } = *self.line(line);
        if comes_back != event {
            return None;
        }
        if others == NONE {
            self.close(of, line);
            return None;
        }
        let Node { event: next, child, .. } = self.nodes[others as usize];
        self.nodes[others as usize].sibling = std::mem::replace(&mut self.unused_node, others);
        let others = self.merge_siblings(child);
        let line = self.line(line);
        line.others = others;
        line.comes_back = next;
        Some(next)
    }

    /// The line, among those of a processor, of those that wait for `interface` too.
    fn find(&self, of: Lines, interface: Interface) -> Option<Lines> {
        let mut at = of;
        while at != 0 {
            let line = &self.lines[place(at)];
            if line.interface == interface {
                return Some(at);
            }
            at = line.next;
        }
        None
    }

    fn line(&mut self, line: Lines) -> &mut Line {
        &mut self.lines[place(line)]
    }

    /// Takes a line out of those of its processor.
    fn close(&mut self, of: &mut Lines, line: Lines) {
        let unused = std::mem::replace(&mut self.unused_lines, line);
        let next = std::mem::replace(&mut self.line(line).next, unused);
        let mut at = *of;
        if at == line {
            *of = next;
            return;
        }
        while self.line(at).next != line {
            at = self.line(at).next;
        }
        self.line(at).next = next;
    }

    /// Adds an event to the others of a line.
    fn push(&mut self, line: Lines, event: u32) {
        let node = Node { event, child: NONE, sibling: NONE };
        let at = match self.nodes.get_mut(self.unused_node as usize) {
            Some(unused) => {
                let next = std::mem::replace(unused, node).sibling;
                std::mem::replace(&mut self.unused_node, next)
            }
            None => {
                self.nodes.push(node);
                narrow(self.nodes.len() - 1, "events are numbered with 32 bits, and each waits in one line at most")
            }
        };
        let others = self.line(line).others;
        self.line(line).others = self.merge(others, at);
    }

    /// The root of two heaps made one; neither has siblings.
    fn merge(&mut self, one: u32, other: u32) -> u32 {
        if one == NONE {
            return other;
        }
        if other == NONE {
            return one;
        }
        let is_first = self.nodes[one as usize].event < self.nodes[other as usize].event;
        let root = if is_first { one } else { other };
        let below = if is_first { other } else { one };
        let child = std::mem::replace(&mut self.nodes[root as usize].child, below);
        self.nodes[below as usize].sibling = child;
        root
    }

    /// The root of all heaps from `first` on made one: in pairs from the first to the last, then from the last pair back.
    fn merge_siblings(&mut self, first: u32) -> u32 {
        let mut pairs = NONE;
        let mut at = first;
        while at != NONE {
            let one = at;
            let other = std::mem::replace(&mut self.nodes[one as usize].sibling, NONE);
            at = NONE;
            if other != NONE {
                at = std::mem::replace(&mut self.nodes[other as usize].sibling, NONE);
            }
            let pair = self.merge(one, other);
            self.nodes[pair as usize].sibling = pairs;
            pairs = pair;
        }
        let mut root = NONE;
        while pairs != NONE {
            let next = std::mem::replace(&mut self.nodes[pairs as usize].sibling, NONE);
            root = self.merge(root, pairs);
            pairs = next;
        }
        root
    }
}

/// Where the first of `lines` is; panics if there is none.
#[expect(clippy::cast_possible_truncation, reason = "the number of a line in memory, and one")]
fn place(lines: Lines) -> usize {
    lines as usize - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Those in a line go on in the order of their numbers, whatever the order in which they came.
        #[test]
        fn a_line_goes_on_by_number(steps in prop::collection::vec((0..60_u32, 0..3_u32, 0..3_u32), 1..200)) {
            let mut waiting = Waiting::default();
            let mut lines: Lines = 0;
            let mut expected: [(Option<u32>, BTreeSet<u32>); 3] = Default::default();
            for (at, (number, interface, goes)) in (0..).zip(steps) {
                let (first, others) = &mut expected[interface as usize];
                let event = number * 1000 + at; // each once
                let comes_back = waiting.wait(&mut lines, interface, event);
                prop_assert_eq!(comes_back, first.is_none_or(|first| event < first));
                if comes_back {
                    *first = Some(event);
                } else {
                    others.insert(event);
                }
                for _ in 0..goes {
                    let Some(event) = *first else { break };
                    *first = others.pop_first();
                    prop_assert_eq!(waiting.went_on(&mut lines, interface, event), *first);
                }
            }
        }
    }
}
