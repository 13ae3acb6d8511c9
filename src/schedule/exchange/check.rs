//! What an exchange proves without being run.

use super::sets::SetId;
use super::{Exchange, MOST_NODES};
use crate::cancel::{self, Pace};
use crate::units::{MessageId, NodeId, narrow};
use std::ops::Range;
use thiserror::Error;

/// What [`Exchange::check`] has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
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
    #[error(
        "step {step}, message {message}: {hops} hops along dimension {dimension} go round its whole ring of {ring} nodes"
    )]
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
    #[error("step {step}: node {node} {} twice, in messages {first} and {second}", if *sends { "sends" } else { "receives" })]
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
    #[error("block {}>{} ends at node {holder}, not at its destination", .block.0, .block.1)]
    Undelivered {
        /// The block.
        block: (NodeId, NodeId),
        /// Who holds it in the end.
        holder: NodeId,
    },
}

fn whereabouts(holder: Option<NodeId>) -> String {
    holder.map_or_else(
        || "another message of this step already carries".to_owned(),
        |holder| format!("node {holder} holds"),
    )
}

/// Marks a block that this step's messages carry.
const CARRIED: u16 = u16::MAX;

/// Holders remembered at once, two bytes each: blocks are followed in groups of sources that about fit a processor's
/// cache.
const HOLDERS: usize = 1 << 20;

impl Exchange {
    /// Proves, from the schedule alone, that a node sends at most once and receives at most once in each step, that
    /// each message carries only blocks that its sender holds when the step begins, none of them twice, and that in the
    /// end every block is at its destination. A block has one holder at any time, so it is delivered exactly once.
    ///
    /// Every block is followed through every message that carries it, a run of neighbouring blocks at a time:
    /// O(blocks carried) time, a few MB.
    ///
    /// # Errors
    /// The first violation: of the ports, then of the blocks of the first group of sources, and so on.
    pub fn check(&self) -> Result<ExchangeProof, ExchangeViolation> {
        self.check_moves()?;
        self.check_ports()?;
        let nodes = self.nodes();
        // whole slices of the first axis, so that a message's sources are within a group or not at a glance
        let slices = self.axes.shape()[0];
        let slice = self.axes.stride(0);
        let group = (HOLDERS / nodes / slice).clamp(1, slices);
        let mut holders = Holders::new(self, group * slice);
        for first in cancel::steps((0..slices).step_by(group)) {
            holders.follow(first..slices.min(first + group))?;
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
                    let crate::routing::Move { dimension, hops } = *part;
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
                        let first = before.1;
                        return Err(ExchangeViolation::Twice { step, node, sends, first, second: message.id });
                    }
                }
            }
        }
        Ok(())
    }
}

impl Exchange {
    /// Whether some source of the box `sets` is in `slices` of the first axis.
    fn touches(&self, sets: &[SetId], slices: &Range<usize>) -> bool {
        match sets[0].as_single() {
            Some(slice) => slices.contains(&slice),
            None => self.sets.elements(sets[0]).any(|slice| slices.contains(&slice)),
        }
    }

    /// Appends the nodes with a coordinate in each of `sets` from `axis` on; those before amount to `number`.
    fn extend_members(&self, sets: &[SetId], axis: usize, number: usize, members: &mut Vec<u32>) {
        if axis == sets.len() {
            return members.push(NodeId::new(number).0);
        }
        for at in self.sets.elements(sets[axis]) {
            self.extend_members(sets, axis + 1, number + at * self.axes.stride(axis), members);
        }
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
    /// Of the box in hand: its sources within the group, and the runs of its destinations.
    sources: Vec<u32>,
    runs: Vec<Range<usize>>,
}

impl<'a> Holders<'a> {
    fn new(exchange: &'a Exchange, group: usize) -> Self {
        let nodes = exchange.nodes();
        let axes = &exchange.axes;
        let place = |node: NodeId| {
            let reversed = (0..axes.dimensions()).rev();
            let number = reversed.fold(0, |number, axis| number * axes.shape()[axis] + axes.coordinate(node, axis));
            NodeId::new(number).0
        };
        let places = (0..nodes).map(NodeId::new).map(place).collect();
        Self { exchange, holders: vec![0; group * nodes], places, sources: Vec::new(), runs: Vec::new() }
    }

    /// Follows the blocks of the sources in `slices` of the first axis through all steps.
    fn follow(&mut self, slices: Range<usize>) -> Result<(), ExchangeViolation> {
        let nodes = self.exchange.nodes();
        let slice = self.exchange.axes.stride(0);
        let sources = slices.start * slice..slices.end * slice;
        for (row, source) in sources.clone().enumerate() {
            self.holders[row * nodes..][..nodes].fill(short(source));
        }
        let mut pace = Pace::default();
        for step in 0..self.exchange.steps() {
            for id in self.exchange.step(step) {
                pace.step();
                self.take(step, MessageId(id), &slices)?;
            }
            for id in self.exchange.step(step) {
                self.deliver(MessageId(id), &slices);
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
    fn take(&mut self, step: usize, id: MessageId, slices: &Range<usize>) -> Result<(), ExchangeViolation> {
        let exchange = self.exchange;
        let nodes = exchange.nodes();
        let first = slices.start * exchange.axes.stride(0);
        let node = exchange.message(id).src;
        let held = short(node.index());
        for sets in exchange.boxes(id).filter(|sets| exchange.touches(sets, slices)) {
            self.enter(sets, slices);
            for &source in &self.sources {
                let row = &mut self.holders[(source as usize - first) * nodes..][..nodes];
                for run in &self.runs {
                    let holders = &mut row[run.clone()];
                    // no early exit: this way the comparison takes many holders at a time
                    if holders.iter().fold(0, |differ, &holder| differ | (holder ^ held)) != 0 {
                        let wrong = holders.iter().take_while(|&&holder| holder == held).count();
                        let holder = (holders[wrong] != CARRIED).then_some(NodeId(holders[wrong].into()));
                        let block = (NodeId(source), self.destination_at(run.start + wrong));
                        return Err(ExchangeViolation::NotHeld { step, message: id, node, block, holder });
                    }
                    holders.fill(CARRIED);
                }
            }
        }
        Ok(())
    }

    /// The destination whose place this is.
    #[expect(clippy::expect_used, reason = "places are a permutation of the nodes")]
    fn destination_at(&self, place: usize) -> NodeId {
        let destination = self.places.iter().position(|&at| at as usize == place);
        NodeId::new(destination.expect("every place is a destination's"))
    }

    fn deliver(&mut self, id: MessageId, slices: &Range<usize>) {
        let exchange = self.exchange;
        let nodes = exchange.nodes();
        let first = slices.start * exchange.axes.stride(0);
        let receiver = short(exchange.message(id).dst.index());
        for sets in exchange.boxes(id).filter(|sets| exchange.touches(sets, slices)) {
            self.enter(sets, slices);
            for &source in &self.sources {
                let row = &mut self.holders[(source as usize - first) * nodes..][..nodes];
                for run in &self.runs {
                    row[run.clone()].fill(receiver);
                }
            }
        }
    }

    /// Lays out the sources of a box that are in `slices`, and its destinations as runs.
    fn enter(&mut self, sets: &[SetId], slices: &Range<usize>) {
        let exchange = self.exchange;
        let axes = exchange.axes.dimensions();
        self.sources.clear();
        for slice in exchange.sets.elements(sets[0]).filter(|slice| slices.contains(slice)) {
            exchange.extend_members(&sets[..axes], 1, slice * exchange.axes.stride(0), &mut self.sources);
        }
        self.runs.clear();
        self.lay(&sets[axes..], axes, 0);
    }

    /// Appends the runs of the destinations whose last coordinates, from `axis` on, have been chosen: `start` is what
    /// those contribute to the place.
    fn lay(&mut self, sets: &[SetId], axis: usize, start: usize) {
        let exchange = self.exchange;
        if axis > 1 {
            let stride: usize = exchange.axes.shape()[..axis - 1].iter().product();
            for at in exchange.sets.elements(sets[axis - 1]) {
                self.lay(sets, axis - 1, start + at * stride);
            }
            return;
        }
        for run in exchange.sets.runs(sets[0]) {
            match self.runs.last_mut() {
                Some(last) if last.end == start + run.start => last.end = start + run.end,
                _ => self.runs.push(start + run.start..start + run.end),
            }
        }
    }
}

/// A node's number in the few bits that holders are remembered in.
fn short(node: usize) -> u16 {
    const { assert!(MOST_NODES <= CARRIED as usize) };
    narrow(node, "an exchange has at most MOST_NODES nodes")
}
