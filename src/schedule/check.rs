//! What a schedule proves without being run.

use super::{NOTHING, Schedule};
use crate::cancel;
use crate::units::{MessageId, NodeId};
use thiserror::Error;

/// What [`Schedule::check`] has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// The number of destinations, each of which receives the message exactly once.
    pub destinations: usize,
    /// The number of messages, each of which is held by its sender before it is sent.
    pub messages: usize,
    /// The longest chain of messages from the source to a destination.
    pub depth: usize,
    /// The most sends of one node; they follow one another, at most one at a time on each of its ports.
    pub fan_out: usize,
}

/// What is wrong with a schedule.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A node sends to itself.
    #[error("message {message}: node {node} sends to itself")]
    ToItself {
        /// The message.
        message: MessageId,
        /// Its sender and receiver.
        node: NodeId,
    },
    /// A node receives what it already has.
    #[error("message {message}: node {node} receives the message a second time{}", first_receipt(*first))]
    Twice {
        /// The second message.
        message: MessageId,
        /// The receiver.
        node: NodeId,
        /// The first message, or none if the receiver is the source.
        first: Option<MessageId>,
    },
    /// A node sends what it never receives.
    #[error("message {message}: node {node} sends the message but never receives it")]
    NeverHeld {
        /// The message.
        message: MessageId,
        /// The sender.
        node: NodeId,
    },
    /// A destination is left out.
    #[error("destination {node} never receives the message")]
    LeftOut {
        /// The destination.
        node: NodeId,
    },
    /// The tree of a worm ends at other nodes than the receivers of its messages.
    #[error("worm {worm}: its tree does not lead to each destination exactly once")]
    Tree {
        /// The index of the worm.
        worm: usize,
    },
    /// The message reaches a node that is neither a destination nor the source.
    #[error("message {message}: node {node} receives the message but is not a destination")]
    Stranger {
        /// The message.
        message: MessageId,
        /// The receiver.
        node: NodeId,
    },
}

fn first_receipt(first: Option<MessageId>) -> String {
    first.map_or_else(|| ", but it is the source".to_owned(), |id| format!(" (first in message {id})"))
}

impl Schedule {
    /// Proves, from the schedule alone, that every node of `destinations` receives the message exactly once and no
    /// other node does, that each sender holds the message before it sends, and that no node sends to itself. A node's
    /// sends form one sequence, so a port never carries two at once.
    ///
    /// O(messages + nodes) time.
    ///
    /// # Errors
    /// The first violation in the order of message numbers, then of `destinations`.
    ///
    /// # Panics
    /// If a destination is not below [`Schedule::nodes`].
    pub fn check(&self, destinations: &[NodeId]) -> Result<Proof, Violation> {
        let mut wanted = vec![false; self.nodes()];
        for node in destinations {
            wanted[node.index()] = true;
        }
        let mut received = vec![NOTHING; self.nodes()];
        let mut depths = vec![0_usize; self.len()];
        cancel::checkpoint();
        for message in self.messages() {
            let held = message.src == self.source || received[message.src.index()] != NOTHING;
            if !held {
                return Err(Violation::NeverHeld { message: message.id, node: message.src });
            }
            if message.src == message.dst {
                return Err(Violation::ToItself { message: message.id, node: message.src });
            }
            let first = received[message.dst.index()];
            if message.dst == self.source || first != NOTHING {
                let first = (first != NOTHING).then_some(MessageId(first));
                return Err(Violation::Twice { message: message.id, node: message.dst, first });
            }
            if !wanted[message.dst.index()] {
                return Err(Violation::Stranger { message: message.id, node: message.dst });
            }
            received[message.dst.index()] = message.id.0;
            depths[message.id.index()] = 1 + message.after.map_or(0, |after| depths[after.index()]);
        }
        if let Some(&node) = destinations.iter().find(|node| received[node.index()] == NOTHING) {
            return Err(Violation::LeftOut { node });
        }
        self.check_worms()?;
        Ok(Proof {
            destinations: destinations.len(),
            messages: self.len(),
            depth: depths.into_iter().fold(0, usize::max),
            fan_out: match self.has_worms() {
                true => self.packets(),
                false => self.sends.iter().map(|&(_, count)| count as usize).fold(0, usize::max),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Flits;

    fn check(sends: &[(u32, u32)], destinations: &[u32]) -> Result<Proof, String> {
        let sends: Vec<_> = sends.iter().map(|&(s, d)| (NodeId(s), NodeId(d))).collect();
        let destinations: Vec<_> = destinations.iter().map(|&d| NodeId(d)).collect();
        Schedule::new(5, NodeId(0), Flits(1), &sends).check(&destinations).map_err(|v| v.to_string())
    }

    #[test]
    fn proves_a_tree() {
        let proof = Proof { destinations: 3, messages: 3, depth: 2, fan_out: 2 };
        assert_eq!(check(&[(0, 2), (0, 1), (2, 4)], &[1, 2, 4]), Ok(proof));
        assert_eq!(check(&[], &[]), Ok(Proof { destinations: 0, messages: 0, depth: 0, fan_out: 0 }));
    }

    #[test]
    fn finds_each_violation() {
        type Case = (&'static [(u32, u32)], &'static [u32], &'static str);
        let cases: [Case; 7] = [
            (&[(0, 1), (1, 1)], &[1], "message 1: node 1 sends to itself"),
            (
                &[(0, 1), (0, 2), (1, 2)],
                &[1, 2],
                "message 2: node 2 receives the message a second time (first in message 1)",
            ),
            (&[(0, 1), (1, 0)], &[1], "message 1: node 0 receives the message a second time, but it is the source"),
            (&[(0, 1), (3, 2)], &[1, 2], "message 1: node 3 sends the message but never receives it"),
            (&[(1, 2), (2, 1)], &[1, 2], "message 0: node 1 sends the message but never receives it"),
            (&[(0, 1)], &[1, 4], "destination 4 never receives the message"),
            (&[(0, 1), (1, 3)], &[1], "message 1: node 3 receives the message but is not a destination"),
        ];
        for (sends, destinations, message) in cases {
            assert_eq!(check(sends, destinations), Err(message.to_owned()));
        }
    }
}
