//! The exchange schedule: steps of messages that carry blocks over a torus.
//!
//! In an all-to-all personalised exchange every node has a block for every node. A *step* is a set of messages, at most
//! one from and one to each node; a message carries blocks that its sender holds when the step begins, along prescribed
//! moves. An [`Exchange`] says all of this and nothing of time; it refuses to know who planned it. What it proves is
//! for [`Exchange::check`] to say.
//!
//! # Blocks
//!
//! Combined messages carry up to half of all blocks of a row of the machine, so their blocks are never listed one by
//! one. They are kept as *boxes*: all blocks whose source lies in one product of coordinate sets and whose destination
//! lies in another. A box takes a few words however many blocks it has, and the messages of every algorithm here are
//! one box or very few. Coordinates are those of the torus, or, for algorithms that number the nodes from 0 and know no
//! dimensions, that one number ([`Axes`]).
//!
//! # Message numbers
//!
//! Messages are numbered step by step, within a step by ascending sender.

mod boxes;
mod check;
mod planner;
mod sets;

pub use check::{ExchangeProof, ExchangeViolation};
pub use planner::Planner;
pub use sets::{Bits, SetId};

use crate::routing::Move;
use crate::topology::Coordinates;
use crate::units::{MessageId, NodeId, narrow};
use serde::Serialize;
use sets::Sets;
use std::ops::Range;

/// When a node may go on to the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// When every message of the step has been received by its destination: a barrier that costs nothing.
    Synchronous,
    /// When the node has received its own message of the step, at once if there is none.
    Asynchronous,
}

/// The coordinates in which an algorithm thinks of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// One per dimension of the torus.
    Dimensions,
    /// One: the node's number.
    Number,
}

/// The largest number of nodes: blocks of a message are counted, and their holders remembered, in few bits.
pub const MOST_NODES: usize = u16::MAX as usize;

/// An exchange schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    torus: Coordinates,
    axes: Coordinates,
    sets: Sets,
    /// Where each step's messages begin, and at the end how many there are.
    steps: Vec<u32>,
    src: Vec<NodeId>,
    dst: Vec<NodeId>,
    blocks: Vec<u32>,
    /// Where each message's moves begin, and at the end how many there are; boxes alike, in sets.
    moves: Ragged<Move>,
    boxes: Ragged<SetId>,
    /// Per message the links of its path, where that is the network's own and not that of its moves.
    links: Option<Vec<u32>>,
}

/// Lists of different lengths, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ragged<T> {
    items: Vec<T>,
    ends: Vec<u32>,
}

impl<T: Clone> Ragged<T> {
    fn new() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }

    fn push(&mut self, list: &[T]) {
        self.items.extend_from_slice(list);
        self.ends.push(MessageId::new(self.items.len()).0);
    }

    fn get(&self, at: usize) -> &[T] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.items[start..self.ends[at] as usize]
    }
}

/// One message of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeMessage<'a> {
    /// Its number.
    pub id: MessageId,
    /// Who sends it.
    pub src: NodeId,
    /// Who receives it: where its moves end.
    pub dst: NodeId,
    /// How many blocks it carries.
    pub blocks: u64,
    /// The way it takes on a torus.
    pub moves: &'a [Move],
    /// The links of its path, if that is the network's own.
    links: Option<u32>,
}

impl ExchangeMessage<'_> {
    /// Channels between routers on its way.
    pub fn hops(&self) -> u64 {
        let of_moves = || self.moves.iter().map(|step| u64::from(step.hops.unsigned_abs())).sum();
        self.links.map_or_else(of_moves, u64::from)
    }
}

/// What stands on the critical path of an exchange with a barrier between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// Steps.
    pub startups: u64,
    /// The sum over the steps of the largest message's blocks.
    pub blocks: u64,
}

/// What the messages of a step have at most, and together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepSummary {
    /// How many messages there are.
    pub messages: usize,
    /// The blocks of the largest message.
    pub max_blocks: u64,
    /// The blocks of the smallest.
    pub min_blocks: u64,
    /// The most hops of a message.
    pub max_hops: u64,
    /// The blocks of all.
    pub blocks: u64,
}

impl Exchange {
    /// An exchange without steps on a torus of `shape`.
    ///
    /// # Panics
    /// If the torus has no nodes or more than [`MOST_NODES`].
    pub fn new(shape: &[usize], axes: Axes) -> Self {
        let torus = Coordinates::new(shape, true);
        assert!((1..=MOST_NODES).contains(&torus.nodes()), "an exchange among {} nodes", torus.nodes());
        let axes = match axes {
            Axes::Dimensions => torus.clone(),
            Axes::Number => Coordinates::new(&[torus.nodes()], false),
        };
        Self {
            sets: Sets::new(axes.shape().iter().copied().max().unwrap_or(0)),
            torus,
            axes,
            steps: vec![0],
            src: Vec::new(),
            dst: Vec::new(),
            blocks: Vec::new(),
            moves: Ragged::new(),
            boxes: Ragged::new(),
            links: None,
        }
    }

    /// The same between the nodes of another network, whose paths messages take in place of their moves; `hops` says how
    /// many links a path has.
    #[must_use]
    pub fn on_paths(mut self, hops: impl Fn(NodeId, NodeId) -> usize) -> Self {
        let links = |(&src, &dst): (&NodeId, &NodeId)| narrow(hops(src, dst), "a path has fewer than 2^32 links");
        self.links = Some(self.src.iter().zip(&self.dst).map(links).collect());
        self
    }

    /// Adds a message to the step that is being made: `src` sends the block that each of `blocks` (source, destination)
    /// names along `moves`. Senders of a step ascend.
    ///
    /// This is for schedules of one's own and for algorithms that do not combine blocks; those that do have a
    /// [`Planner`]. What makes no sense is for [`Exchange::check`] to find.
    ///
    /// ```
    /// use flitwise::routing::Move;
    /// use flitwise::schedule::{Axes, Exchange};
    /// use flitwise::units::NodeId;
    /// // two nodes exchange their blocks
    /// let mut exchange = Exchange::new(&[2], Axes::Number);
    /// let [a, b] = [0, 1].map(NodeId);
    /// exchange.push(a, &[Move { dimension: 0, hops: 1 }], &[(a, b)]);
    /// exchange.push(b, &[Move { dimension: 0, hops: 1 }], &[(b, a)]);
    /// exchange.end_step();
    /// assert_eq!(exchange.check()?.blocks, 2);
    /// # Ok::<(), flitwise::schedule::ExchangeViolation>(())
    /// ```
    ///
    /// # Panics
    /// If a node is not on the torus, a move names a dimension that it does not have, or there are 2^32 blocks.
    pub fn push(&mut self, src: NodeId, moves: &[Move], blocks: &[(NodeId, NodeId)]) {
        let axes = self.axes.dimensions();
        let mut boxes = Vec::with_capacity(2 * axes * blocks.len());
        for &(source, destination) in blocks {
            for node in [source, destination] {
                assert!(node.index() < self.nodes(), "node {node} of {}", self.nodes());
                boxes.extend((0..axes).map(|axis| SetId::single(self.axes.coordinate(node, axis))));
            }
        }
        self.push_boxes(src, moves, &boxes);
    }

    fn push_boxes(&mut self, src: NodeId, moves: &[Move], boxes: &[SetId]) {
        let blocks: u64 = boxes.chunks_exact(2 * self.axes.dimensions()).map(|set| self.size(set)).sum();
        self.src.push(src);
        self.dst.push(self.landing(src, moves));
        self.blocks
            .push(narrow(blocks, "boxes of a message do not overlap, so that it has at most MOST_NODES^2 blocks"));
        self.moves.push(moves);
        self.boxes.push(boxes);
    }

    /// Where `moves` from `src` end.
    fn landing(&self, src: NodeId, moves: &[Move]) -> NodeId {
        let landing = moves.iter().fold(src.index(), |node, step| {
            let axis = step.dimension as usize;
            let stride = self.torus.stride(axis);
            let n = self.torus.shape()[axis];
            let at = node / stride % n;
            let hops = step.hops.unsigned_abs() as usize % n;
            let to = if step.hops < 0 { (at + n - hops) % n } else { (at + hops) % n };
            node - at * stride + to * stride
        });
        NodeId::new(landing)
    }

    /// Ends the step that is being made; one without messages is not kept.
    pub fn end_step(&mut self) {
        if self.steps.last().is_none_or(|&start| start as usize != self.src.len()) {
            self.steps.push(MessageId::new(self.src.len()).0);
        }
    }

    /// The number of blocks in a box.
    fn size(&self, sets: &[SetId]) -> u64 {
        sets.iter().map(|&set| self.sets.size(set)).product()
    }

    /// The number of nodes along each dimension of the torus.
    pub fn shape(&self) -> &[usize] {
        self.torus.shape()
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.torus.nodes()
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.src.len()
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.src.is_empty()
    }

    /// The number of steps: the start-ups on the critical path.
    pub fn steps(&self) -> usize {
        self.steps.len() - 1
    }

    /// The numbers of the messages of `step`, counted from 0; panics if there is no such step.
    pub fn step(&self, step: usize) -> Range<u32> {
        self.steps[step]..self.steps[step + 1]
    }

    /// The step that message `id` belongs to; panics if there is no such message.
    pub fn step_of(&self, id: MessageId) -> usize {
        self.steps.partition_point(|&start| start <= id.0) - 1
    }

    /// The message with number `id`; panics if there is no such message.
    pub fn message(&self, id: MessageId) -> ExchangeMessage<'_> {
        let at = id.index();
        ExchangeMessage {
            id,
            src: self.src[at],
            dst: self.dst[at],
            blocks: self.blocks[at].into(),
            moves: self.moves.get(at),
            links: self.links.as_ref().map(|links| links[at]),
        }
    }

    /// The messages of `step` by number; panics if there is no such step.
    pub fn messages(&self, step: usize) -> impl ExactSizeIterator<Item = ExchangeMessage<'_>> {
        self.step(step).map(|id| self.message(MessageId(id)))
    }

    /// The blocks of message `id`, as (source, destination), in ascending order; panics if there is no such message.
    pub fn blocks(&self, id: MessageId) -> Vec<(NodeId, NodeId)> {
        let mut blocks = Vec::new();
        for sets in self.boxes(id) {
            let (sources, destinations) = sets.split_at(self.axes.dimensions());
            let destinations = self.members(destinations);
            for source in self.members(sources) {
                blocks.extend(destinations.iter().map(|&destination| (source, destination)));
            }
        }
        blocks.sort_unstable();
        blocks
    }

    /// The boxes of message `id`: the sets of its sources, axis by axis, then of its destinations.
    fn boxes(&self, id: MessageId) -> impl Iterator<Item = &[SetId]> {
        self.boxes.get(id.index()).chunks_exact(2 * self.axes.dimensions())
    }

    /// The nodes with a coordinate in each of `sets`, ascending.
    fn members(&self, sets: &[SetId]) -> Vec<NodeId> {
        let mut numbers = vec![0];
        for (axis, &set) in sets.iter().enumerate() {
            let stride = self.axes.stride(axis);
            let further = |&number: &usize| self.sets.elements(set).map(move |at| number + at * stride);
            numbers = numbers.iter().flat_map(further).collect();
        }
        numbers.into_iter().map(NodeId::new).collect()
    }

    /// What the messages of `step` have at most; panics if there is no such step.
    pub fn summary(&self, step: usize) -> StepSummary {
        let mut summary = StepSummary { min_blocks: u64::MAX, ..StepSummary::default() };
        for message in self.messages(step) {
            summary.messages += 1;
            summary.max_blocks = summary.max_blocks.max(message.blocks);
            summary.min_blocks = summary.min_blocks.min(message.blocks);
            summary.max_hops = summary.max_hops.max(message.hops());
            summary.blocks += message.blocks;
        }
        summary
    }

    /// The blocks on the critical path: the sum over the steps of the largest message's.
    pub fn critical_blocks(&self) -> u64 {
        (0..self.steps()).map(|step| self.summary(step).max_blocks).sum()
    }

    /// The hops on the critical path: the sum over the steps of the most hops of a message.
    pub fn critical_hops(&self) -> u64 {
        (0..self.steps()).map(|step| self.summary(step).max_hops).sum()
    }
}
