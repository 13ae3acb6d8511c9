//! The schedule: who sends to whom, in what order, after what.
//!
//! A schedule is the common language of the house: every algorithm returns one, every engine and model takes one. A
//! [`Schedule`] brings one message to a group, a multicast or one tree of a broadcast: it knows nodes, messages and their
//! order, and refuses to know networks, routes and time. An [`Exchange`] takes a block from every node to every other in steps on a torus: it knows which
//! blocks a message carries and which way it goes, and refuses to know lengths and time. A [`Collective`](collective::Collective)
//! copies and combines parts of vectors in steps. All are proved before they
//! run; what an exchange's routes let wait for what is in [`dependency`]. Other tools' schedules, and ours for other
//! tools, are operations of ranks: [`goal`].
//!
//! # Message numbers of a multicast
//!
//! Messages are numbered from 0, statically: a node numbers all its own sends in order, then the numbering recurses
//! into its receivers in that order. Numbers break ties between simultaneous requests, so they are part of what a
//! schedule means. A node's sends therefore have consecutive numbers, and a message's number is larger than that of the
//! message it waits for.
//!
//! # Size
//!
//! 12 bytes a message and 8 bytes a node of the machine: a multicast to a million nodes takes some 20 MB. Worms that routers copy
//! ([`ScheduledWorm`]) have a tree of channels each, and 4 more bytes a message.

pub(crate) mod chakra;
mod check;
pub mod collective;
pub mod dependency;
mod exchange;
pub mod goal;
pub mod mpi;
pub mod netrace;
mod split;
mod worms;

pub use check::{Proof, Violation};
pub use exchange::{
    Axes, Bits, CriticalPath, Exchange, ExchangeMessage, ExchangeProof, ExchangeViolation, MOST_NODES, Pace, Planner,
    SetId, StepSummary,
};
pub use split::Split;
pub use worms::{PlannedWorm, ScheduledWorm, WormTree};

use crate::units::{Flits, MessageId, NodeId};
use std::ops::Range;
use worms::NumberedWorm;

/// Stands for "after nothing" in the compact arrays.
const NOTHING: u32 = u32::MAX;

/// A multicast schedule: one message content, which the source holds at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    source: NodeId,
    flits: Flits,
    src: Vec<NodeId>,
    dst: Vec<NodeId>,
    after: Vec<u32>,
    /// Per node of the machine: the first of its sends and how many there are.
    sends: Vec<(u32, u32)>,
    /// The worms to which all messages belong, if routers copy.
    worms: Vec<NumberedWorm>,
}

impl Schedule {
    /// The schedule in which every node sends to its receivers in the order in which `sends` lists them; all messages
    /// carry `flits` flits and ids run over `0..nodes`.
    ///
    /// `sends` may list senders in any order and need not make sense: what is wrong with it is for
    /// [`Schedule::check`] to say. Messages of nodes that never receive are numbered last.
    ///
    /// ```
    /// use flitwise::schedule::Schedule;
    /// use flitwise::units::{Flits, NodeId};
    /// let [a, b, c, d] = [0, 1, 2, 3].map(NodeId);
    /// let schedule = Schedule::new(4, a, Flits(8), &[(a, c), (c, d), (a, b)]);
    /// assert_eq!(schedule.messages().map(|m| m.dst).collect::<Vec<_>>(), [c, b, d]);
    /// assert!(schedule.check(&[b, c, d]).is_ok());
    /// ```
    ///
    /// # Panics
    /// If a node id is not below `nodes`.
    pub fn new(nodes: usize, source: NodeId, flits: Flits, sends: &[(NodeId, NodeId)]) -> Self {
        let mut receivers: Vec<Vec<NodeId>> = vec![Vec::new(); nodes];
        for &(src, dst) in sends {
            receivers[src.index()].push(dst);
        }
        let mut schedule = Self::empty(nodes, source, flits, sends.len());
        let roots = std::iter::once(source).chain((0..nodes).map(NodeId::new));
        for root in roots {
            let mut holders = vec![(root, NOTHING)];
            while let Some((holder, after)) = holders.pop() {
                let first = schedule.src.len();
                for dst in std::mem::take(&mut receivers[holder.index()]) {
                    schedule.push(holder, dst, after);
                }
                schedule.close(holder, first);
                let sent = first..schedule.src.len();
                holders.extend(sent.rev().map(|id| (schedule.dst[id], MessageId::new(id).0)));
            }
        }
        schedule
    }

    fn empty(nodes: usize, source: NodeId, flits: Flits, messages: usize) -> Self {
        assert!(source.index() < nodes, "the source {source} is not one of the {nodes} nodes");
        Self {
            source,
            flits,
            src: Vec::with_capacity(messages),
            dst: Vec::with_capacity(messages),
            after: Vec::with_capacity(messages),
            sends: vec![(0, 0); nodes],
            worms: Vec::new(),
        }
    }

    fn push(&mut self, src: NodeId, dst: NodeId, after: u32) {
        self.src.push(src);
        self.dst.push(dst);
        self.after.push(after);
    }

    /// Records that the messages from `first` on are `holder`'s sends; a second visit that adds none changes nothing.
    fn close(&mut self, holder: NodeId, first: usize) {
        let count = self.src.len() - first;
        if count > 0 {
            self.sends[holder.index()] = (MessageId::new(first).0, MessageId::new(count).0);
        }
    }

    /// The node that holds the message at the start.
    pub fn source(&self) -> NodeId {
        self.source
    }

    /// The length of every message.
    pub fn flits(&self) -> Flits {
        self.flits
    }

    /// The same messages, each of `flits` flits.
    #[must_use]
    pub fn with_flits(self, flits: Flits) -> Self {
        Self { flits, ..self }
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.src.len()
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.src.is_empty()
    }

    /// One more than the largest node id the schedule can speak of.
    pub fn nodes(&self) -> usize {
        self.sends.len()
    }

    /// The message with number `id`; panics if there is no such message.
    pub fn message(&self, id: MessageId) -> Message {
        let after = self.after[id.index()];
        Message {
            id,
            src: self.src[id.index()],
            dst: self.dst[id.index()],
            flits: self.flits,
            after: (after != NOTHING).then_some(MessageId(after)),
        }
    }

    /// The send `ahead` places after `id` in its sender's order, if there are so many.
    ///
    /// # Panics
    /// If there is no message `id`.
    #[inline]
    pub fn send_after(&self, id: MessageId, ahead: u32) -> Option<MessageId> {
        // a node's sends have consecutive numbers
        let next = id.0.checked_add(ahead)?;
        (self.src.get(next as usize) == Some(&self.src[id.index()])).then_some(MessageId(next))
    }

    /// All messages by number.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = Message> + '_ {
        (0..self.len()).map(|id| self.message(MessageId::new(id)))
    }

    /// The numbers of `node`'s sends, in the order in which it sends them.
    ///
    /// # Panics
    /// If `node` is not below [`Schedule::nodes`].
    pub fn sends(&self, node: NodeId) -> Range<u32> {
        let (first, count) = self.sends[node.index()];
        first..first + count
    }
}

/// One message of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number.
    pub id: MessageId,
    /// Who sends it.
    pub src: NodeId,
    /// Who receives it.
    pub dst: NodeId,
    /// Its length.
    pub flits: Flits,
    /// The message whose receipt lets the sender start its sends; none if the sender may send from the start.
    pub after: Option<MessageId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_a_nodes_sends_before_its_receivers() {
        let n = NodeId;
        let sends = [(n(1), n(5)), (n(0), n(1)), (n(0), n(2)), (n(2), n(3)), (n(1), n(4)), (n(5), n(6))];
        let schedule = Schedule::new(7, n(0), Flits(1), &sends);
        let order: Vec<(u32, u32)> = schedule.messages().map(|m| (m.src.0, m.dst.0)).collect();
        assert_eq!(order, [(0, 1), (0, 2), (1, 5), (1, 4), (5, 6), (2, 3)]);
        assert_eq!(schedule.sends(n(1)), 2..4);
        assert_eq!(schedule.sends(n(6)), 0..0);
        assert_eq!(schedule.send_after(MessageId(2), 1), Some(MessageId(3)));
        assert_eq!([(2, 2), (3, 1), (5, 1)].map(|(id, ahead)| schedule.send_after(MessageId(id), ahead)), [None; 3]);
        assert_eq!(schedule.message(MessageId(4)).after, Some(MessageId(2)));
    }
}
