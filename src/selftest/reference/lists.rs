//! Schedules as plain lists of messages, and what they promise: what [`delivered`] takes, word by
//! word from what the operations say they do.

use super::delivery::{Delivered, Does, Holdings, Promise, Sent, delivered};
use crate::routing::Move;
use crate::schedule::collective::{Action, Collective, Holding, Operation, cut};
use crate::schedule::{Exchange, Schedule};
use crate::units::{NodeId, saturated};

/// A schedule as a list of its messages.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What it promises.
    pub promise: Promise,
    /// By number.
    pub sent: Vec<Sent>,
    /// Of an exchange the ways of its messages.
    pub moves: Vec<Vec<Move>>,
}

/// A message from the source of `schedule` to each of `reached`: a second receipt would count twice.
///
/// # Panics
/// If the schedule has no such node.
pub fn tree(schedule: &Schedule, reached: &[NodeId]) -> Listed {
    let ranks = schedule.nodes();
    let mut before = Holdings::nothing(ranks, 1, 1);
    before.of_mut(schedule.source().index(), 0)[0] = 1;
    let mut after = before.clone();
    reached.iter().for_each(|node| after.of_mut(node.index(), 0)[0] = 1);
    // a message for itself: what its sender holds then is what it carries
    let sent = schedule.messages().map(|message| Sent {
        step: message.id.index(),
        src: message.src.index(),
        dst: message.dst.index(),
        does: Does::Add,
        items: vec![0],
    });
    let promise = Promise { ranks, before, after, matters: vec![true; ranks], one_port: false };
    Listed { promise, sent: sent.collect(), moves: Vec::new() }
}

/// Block `source * nodes + destination` from each to each, one message from and to a node in a step.
pub fn exchange(exchange: &Exchange) -> Listed {
    let nodes = exchange.nodes();
    let mut before = Holdings::nothing(nodes, nodes * nodes, 1);
    let mut after = before.clone();
    for block in 0..nodes * nodes {
        before.of_mut(block / nodes, block)[0] = 1;
        after.of_mut(block % nodes, block)[0] = 1;
    }
    let mut sent = Vec::new();
    let mut moves = Vec::new();
    for step in 0..exchange.steps() {
        for message in exchange.messages(step) {
            let blocks = exchange.blocks(message.id);
            let items = blocks.iter().map(|(source, destination)| source.index() * nodes + destination.index());
            let dst = landing(exchange.shape(), message.src.index(), message.moves);
            sent.push(Sent { step, src: message.src.index(), dst, does: Does::Move, items: items.collect() });
            moves.push(message.moves.to_vec());
        }
    }
    let matters = vec![true; nodes * nodes * nodes];
    let promise = Promise { ranks: nodes, before, after, matters, one_port: true };
    Listed { promise, sent, moves }
}

/// Where `moves` lead from `src` on a torus: nodes are numbered row by row, the last coordinate counts fastest.
fn landing(shape: &[usize], src: usize, moves: &[Move]) -> usize {
    let mut place: Vec<usize> = vec![0; shape.len()];
    let mut rest = src;
    for (at, side) in place.iter_mut().zip(shape).rev() {
        *at = rest % side;
        rest /= side;
    }
    for step in moves {
        let dimension = step.dimension as usize;
        for _ in 0..step.hops.unsigned_abs() {
            let on = if step.hops > 0 { 1 } else { shape[dimension] - 1 };
            place[dimension] = (place[dimension] + on) % shape[dimension];
        }
    }
    place.iter().zip(shape).fold(0, |number, (at, side)| number * side + at)
}

/// The positions of the vector, each with the contributions of ranks.
pub fn collective(collective: &Collective) -> Listed {
    let ranks = collective.ranks();
    let operation = collective.operation();
    let is_barrier = operation == Operation::Barrier;
    let items: usize = if is_barrier { 1 } else { saturated(collective.flits()) };
    let mut before = Holdings::nothing(ranks, items, ranks);
    let mut after = before.clone();
    let mut matters = Vec::new();
    for rank in 0..ranks {
        for item in 0..items {
            let share = share_of(collective, item);
            let wanted = operation.after(rank, share, collective.root());
            hold(before.of_mut(rank, item), operation.before(rank, share, collective.root()));
            hold(after.of_mut(rank, item), wanted);
            matters.push(wanted != Holding::Nothing);
        }
    }
    let mut sent = Vec::new();
    for step in 0..collective.steps() {
        for message in collective.messages(step) {
            let positions = || collective.positions(message.id).flatten().map(saturated).collect();
            let (does, items) = match message.action {
                Action::Copy => (Does::Copy, positions()),
                Action::Reduce => (Does::Add, positions()),
                Action::Signal => (Does::Signal, vec![0]),
            };
            sent.push(Sent { step, src: message.src, dst: message.dst, does, items });
        }
    }
    let promise = Promise { ranks, before, after, matters, one_port: false };
    Listed { promise, sent, moves: Vec::new() }
}

/// The rank in whose share a position is.
fn share_of(collective: &Collective, item: usize) -> usize {
    let ranks = collective.ranks();
    let within = |&rank: &usize| cut(collective.flits(), ranks, rank).contains(&(item as u64));
    (0..ranks).find(within).unwrap_or_default() // of a barrier, which has no positions, any
}

fn hold(counts: &mut [u64], holding: Holding) {
    match holding {
        Holding::Nothing => {}
        Holding::One(rank) => counts[rank] = 1,
        Holding::All => counts.fill(1),
    }
}

impl Listed {
    /// Follows the messages, and sees whether the promise is kept.
    ///
    /// # Errors
    /// If it is not, in words: what is wrong first.
    pub fn delivered(&self) -> Result<Delivered, String> {
        delivered(&self.promise, &self.sent)
    }

    /// Whether a message goes once round a ring of a torus of this shape, or further.
    ///
    /// # Panics
    /// If a message goes along a dimension that the shape does not have.
    pub fn goes_round(&self, shape: &[usize]) -> bool {
        let is_long = |step: &Move| step.hops.unsigned_abs() as usize >= shape[step.dimension as usize];
        self.moves.iter().flatten().any(is_long)
    }

    /// Items, of the largest message of each step, added up.
    pub fn critical_items(&self) -> u64 {
        let largest = |step: &[Sent]| step.iter().map(|message| message.items.len()).max().unwrap_or_default();
        self.sent.chunk_by(|one, other| one.step == other.step).map(|step| largest(step) as u64).sum()
    }

    /// The longest chain of messages of which each sender had to receive the one before.
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::new();
        for message in &self.sent {
            let before = depths.iter().zip(&self.sent).filter(|(_, earlier)| earlier.dst == message.src);
            depths.push(1 + before.map(|(depth, _)| *depth).max().unwrap_or_default());
        }
        depths.into_iter().max().unwrap_or_default()
    }

    /// The most messages of one sender.
    pub fn fan_out(&self) -> usize {
        let sends = |rank| self.sent.iter().filter(|message| message.src == rank).count();
        (0..self.promise.ranks).map(sends).max().unwrap_or_default()
    }
}
