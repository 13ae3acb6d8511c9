//! What an exchange proves without being run.

use super::sets::SetId;
use super::{Exchange, MOST_NODES};
use crate::units::{MessageId, NodeId};
use std::ops::Range;
use thiserror::Error;

/// What [`Exchange::check`] has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeProof {
    /// The number of blocks, each of which ends at its destination.
    pub blocks: u64,
    /// The number of messages, each of which carries only what its sender holds when the step begins.
    pub messages: usize,
    /// The number of steps; in each a node sends at most once and receives at most once.
    pub startups: usize,
    /// The sum over the steps of the largest message's blocks.
    pub critical_blocks: u64,
    /// The sum over the steps of the most hops of a message.
    pub critical_hops: u64,
}

/// What is wrong with an exchange.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ExchangeViolation {
    /// A message goes nowhere.
    #[error("step {step}, message {message}: node {node} sends to itself")]
    ToItself {
        /// The step, from 0.
        step: usize,
        /// The message.
        message: MessageId,
        /// Its sender and receiver.
        node: NodeId,
    },
    /// A message goes once round a ring, or further.
    #[error("step {step}, message {message}: {hops} hops along dimension {dimension} go once round its {ring} nodes")]
    RoundAndRound {
        /// The step, from 0.
        step: usize,
        /// The message.
        message: MessageId,
        /// The dimension, from 0.
        dimension: u32,
        /// The hops asked for.
        hops: i32,
        /// The number of nodes along it.
        ring: usize,
    },
    /// A node sends, or receives, more than once in a step.
    #[error("step {step}: node {node} {} twice, messages {first} and {second}", if *sends { "sends" } else { "receives" })]
    Twice {
        /// The step, from 0.
        step: usize,
        /// The node.
        node: NodeId,
        /// Whether it sends twice rather than receives twice.
        sends: bool,
        /// One message.
        first: MessageId,
        /// The other.
        second: MessageId,
    },
    /// A message carries a block that its sender does not hold when the step begins.
    #[error("step {step}, message {message}: node {node} sends block {}>{}, which {}", .block.0, .block.1, whereabouts(*.holder))]
    NotHeld {
        /// The step, from 0.
        step: usize,
        /// The message.
        message: MessageId,
        /// Its sender.
        node: NodeId,
        /// The block.
        block: (NodeId, NodeId),
        /// Who holds it; none if this step's messages carry it already.
        holder: Option<NodeId>,
    },
    /// A block does not end where it should.
    #[error("block {}>{} ends at node {holder}", .block.0, .block.1)]
    Undelivered {
        /// The block.
        block: (NodeId, NodeId),
        /// Who holds it in the end.
        holder: NodeId,
    },
}

fn whereabouts(holder: Option<NodeId>) -> String {
    holder.map_or_else(|| "is in a message of this step already".to_owned(), |holder| format!("node {holder} holds"))
}

/// Marks a block that this step's messages carry.
const CARRIED: u16 = u16::MAX;

/// Holders remembered at once, two bytes each: blocks are followed in groups of sources that fit.
const HOLDERS: usize = 32 << 20;

impl Exchange {
    /// Proves, from the schedule alone, that a node sends at most once and receives at most once in each step, that each
    /// message carries only blocks that its sender holds when the step begins, none of them twice, and that in the end
    /// every block is at its destination. A block has one holder at any time, so it is delivered exactly once.
    ///
    /// Every block is followed through every message that carries it, a run of neighbouring blocks at a time:
    /// O(blocks carried) time, 64 MB.
    ///
    /// # Errors
    /// The first violation: of the ports, then of the blocks of the first group of sources, and so on.
    pub fn check(&self) -> Result<ExchangeProof, ExchangeViolation> {
        self.check_moves()?;
        self.check_ports()?;
        let nodes = self.nodes();
        let group = (HOLDERS / nodes).clamp(1, nodes);
        let mut holders = Holders::new(self, group);
        for first in (0..nodes).step_by(group) {
            holders.follow(first..nodes.min(first + group))?;
        }
        Ok(ExchangeProof {
            blocks: (nodes * (nodes - 1)) as u64,
            messages: self.len(),
            startups: self.steps(),
            critical_blocks: self.critical_blocks(),
            critical_hops: self.critical_hops(),
        })
    }

    fn check_moves(&self) -> Result<(), ExchangeViolation> {
        for step in 0..self.steps() {
            for message in self.messages(step) {
                if message.src == message.dst {
                    return Err(ExchangeViolation::ToItself { step, message: message.id, node: message.src });
                }
                let ring = |dimension: u32| self.shape()[dimension as usize];
                let round = |part: &&crate::routing::Move| part.hops.unsigned_abs() as usize >= ring(part.dimension);
                if let Some(part) = message.moves.iter().find(round) {
                    let (dimension, hops) = (part.dimension, part.hops);
                    let ring = ring(dimension);
                    return Err(ExchangeViolation::RoundAndRound { step, message: message.id, dimension, hops, ring });
                }
            }
        }
        Ok(())
    }

    fn check_ports(&self) -> Result<(), ExchangeViolation> {
        const NEVER: (usize, MessageId) = (usize::MAX, MessageId(0));
        let mut last = [vec![NEVER; self.nodes()], vec![NEVER; self.nodes()]];
        for step in 0..self.steps() {
            for message in self.messages(step) {
                for (node, sends) in [(message.src, true), (message.dst, false)] {
                    let before = std::mem::replace(&mut last[usize::from(sends)][node.index()], (step, message.id));
                    if before.0 == step {
                        let (first, second) = (before.1, message.id);
                        return Err(ExchangeViolation::Twice { step, node, sends, first, second });
                    }
                }
            }
        }
        Ok(())
    }
}

/// Who holds each block of a group of sources, step by step.
struct Holders<'a> {
    exchange: &'a Exchange,
    /// By source within the group, then by destination with its first coordinate varying fastest: the blocks of a
    /// message that works along one dimension then lie in long runs, whether it has not been or has been to the others.
    holders: Vec<u16>,
    /// The place of every destination among those of a source.
    places: Vec<u32>,
    runs: Vec<Range<usize>>,
}

impl<'a> Holders<'a> {
    fn new(exchange: &'a Exchange, group: usize) -> Self {
        let (nodes, axes) = (exchange.nodes(), &exchange.axes);
        let place = |node: usize| {
            let reversed = (0..axes.axes()).rev();
            let number = reversed.fold(0, |number, axis| number * axes.shape()[axis] + axes.coordinate(node, axis));
            NodeId::new(number).0
        };
        let places = (0..nodes).map(place).collect();
        Self { exchange, holders: vec![0; group * nodes], places, runs: Vec::new() }
    }

    /// Follows the blocks of `sources` through all steps.
    fn follow(&mut self, sources: Range<usize>) -> Result<(), ExchangeViolation> {
        let nodes = self.exchange.nodes();
        for (row, source) in sources.clone().enumerate() {
            self.holders[row * nodes..][..nodes].fill(short(source));
        }
        for step in 0..self.exchange.steps() {
            for id in self.exchange.step(step) {
                self.take(step, MessageId(id), &sources)?;
            }
            for id in self.exchange.step(step) {
                self.deliver(MessageId(id), &sources);
            }
        }
        for source in sources.clone() {
            for destination in 0..nodes {
                let holder = self.holders[(source - sources.start) * nodes + self.places[destination] as usize];
                if usize::from(holder) != destination {
                    let block = (NodeId::new(source), NodeId::new(destination));
                    return Err(ExchangeViolation::Undelivered { block, holder: NodeId(holder.into()) });
                }
            }
        }
        Ok(())
    }

    /// Marks the blocks of a message as carried, if its sender holds all of them.
    fn take(&mut self, step: usize, id: MessageId, sources: &Range<usize>) -> Result<(), ExchangeViolation> {
        let (exchange, nodes) = (self.exchange, self.exchange.nodes());
        let sender = exchange.message(id).src;
        let held = short(sender.index());
        for sets in exchange.boxes(id) {
            let members = self.enter(sets, sources);
            for source in members {
                let row = &mut self.holders[(source.index() - sources.start) * nodes..][..nodes];
                for run in &self.runs {
                    let holders = &mut row[run.clone()];
                    // no early exit: this way the comparison takes many holders at a time
                    if holders.iter().fold(0, |differ, &holder| differ | (holder ^ held)) != 0 {
                        let wrong = holders.iter().position(|&holder| holder != held).unwrap_or(0);
                        let (place, holder) = (run.start + wrong, holders[wrong]);
                        let destination = self.places.iter().position(|&p| p as usize == place).unwrap_or(0);
                        let holder = (holder != CARRIED).then_some(NodeId(holder.into()));
                        let block = (source, NodeId::new(destination));
                        return Err(ExchangeViolation::NotHeld { step, message: id, node: sender, block, holder });
                    }
                    holders.fill(CARRIED);
                }
            }
        }
        Ok(())
    }

    fn deliver(&mut self, id: MessageId, sources: &Range<usize>) {
        let (exchange, nodes) = (self.exchange, self.exchange.nodes());
        let receiver = short(exchange.message(id).dst.index());
        for sets in exchange.boxes(id) {
            for source in self.enter(sets, sources) {
                let row = &mut self.holders[(source.index() - sources.start) * nodes..][..nodes];
                for run in &self.runs {
                    row[run.clone()].fill(receiver);
                }
            }
        }
    }

    /// Lays out the destinations of a box as runs; its sources within the group.
    fn enter(&mut self, sets: &[SetId], sources: &Range<usize>) -> Vec<NodeId> {
        let (from, to) = sets.split_at(self.exchange.axes.axes());
        let mut members = self.exchange.members(from);
        members.retain(|source| sources.contains(&source.index()));
        self.runs.clear();
        if !members.is_empty() {
            self.lay(to, to.len(), 0);
        }
        members
    }

    /// Appends the runs of the destinations whose last coordinates, from `axis` on, have been chosen: `start` is what
    /// those contribute to the place.
    fn lay(&mut self, sets: &[SetId], axis: usize, start: usize) {
        let Some(axis) = axis.checked_sub(1) else {
            return match self.runs.last_mut() {
                Some(run) if run.end == start => run.end += 1,
                _ => self.runs.push(start..start + 1),
            };
        };
        let exchange = self.exchange;
        let stride: usize = exchange.axes.shape()[..axis].iter().product();
        for at in exchange.sets.elements(sets[axis]) {
            self.lay(sets, axis, start + at * stride);
        }
    }
}

/// A node's number in the few bits that holders are remembered in.
fn short(node: usize) -> u16 {
    const { assert!(MOST_NODES <= CARRIED as usize) };
    u16::try_from(node).unwrap_or(CARRIED)
}
