//! Schedules that are damaged on purpose: what is wrong with them a proof must find, and nothing else.

use super::plan::number;
use crate::routing::Move;
use crate::schedule::collective::{Action, Collective, Layout, Move as Transfer, Operation, Planner};
use crate::schedule::{Axes, Exchange, Schedule};
use crate::selftest::features::Swarm;
use crate::selftest::reference::delivery::{Does, Sent};
use crate::selftest::reference::lists::Listed;
use crate::units::{NodeId, saturated};

/// Something that happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) how: How,
    /// Which message: this one, counted round and round.
    pub(super) at: usize,
    /// To whom, or how far: counted round and round, too.
    pub(super) by: usize,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// It is not sent.
    Dropped,
    /// It is sent a second time, in a step of its own behind all others.
    Doubled,
    /// It goes elsewhere.
    Redirected,
    /// It does not wait for the step before it.
    Early,
    /// It carries what stands next to what it should.
    Shifted,
    /// It replaces what it should be combined with, or the other way round.
    Mistaken,
}

impl How {
    pub(super) const ALL: [Self; 6] =
        [Self::Dropped, Self::Doubled, Self::Redirected, Self::Early, Self::Shifted, Self::Mistaken];

    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Dropped => "is dropped",
            Self::Doubled => "is sent twice",
            Self::Redirected => "is redirected",
            Self::Early => "is sent one step too early",
            Self::Shifted => "carries the adjacent data",
            Self::Mistaken => "replaces data instead of combining, or combines instead of replacing",
        }
    }
}

impl Damage {
    /// One damage or a few.
    pub(super) fn draw_some(swarm: &mut Swarm) -> Vec<Self> {
        let count = swarm.one_of(&[1, 1, 1, 2, 3]);
        let one = |_| Self { how: swarm.one_of(&How::ALL), at: swarm.draw(0..200), by: swarm.draw(0..40) };
        (0..count).map(one).collect()
    }

    /// Does it to a message of `listed`.
    pub(super) fn harm(self, listed: &mut Listed) {
        let count = listed.sent.len();
        if count == 0 {
            return;
        }
        let at = self.at % count;
        let last = listed.sent[count - 1].step;
        let items = listed.promise.matters.len() / listed.promise.ranks;
        let sent = &mut listed.sent[at];
        match self.how {
            How::Dropped => {
                listed.sent.remove(at);
                if !listed.moves.is_empty() {
                    listed.moves.remove(at);
                }
            }
            How::Doubled => {
                let again = Sent { step: last + 1, ..sent.clone() };
                listed.sent.push(again);
                listed.moves.extend(listed.moves.get(at).cloned());
            }
            How::Redirected => match listed.moves.get_mut(at) {
                Some(moves) => redirect(moves, self.by),
                None => sent.dst = self.by % (listed.promise.ranks + 1),
            },
            How::Early => sent.step = sent.step.saturating_sub(1),
            How::Shifted => {
                sent.items.iter_mut().for_each(|item| *item = (*item + 1 + self.by) % items);
                sent.items.sort_unstable();
            }
            How::Mistaken => {
                sent.does = match sent.does {
                    Does::Copy => Does::Add,
                    Does::Add => Does::Copy,
                    other => other,
                };
            }
        }
    }
}

/// Makes a message go further along its last dimension, back, or once round.
fn redirect(moves: &mut [Move], by: usize) {
    let Some(last) = moves.last_mut() else { return };
    last.hops += [1, 2, 3, 4, 5][by % 5];
}

/// The tree of these messages, in the order of their senders.
pub(super) fn tree(schedule: &Schedule, listed: &Listed) -> Schedule {
    let nodes = schedule.nodes();
    let mut sends: Vec<&Sent> = listed.sent.iter().filter(|sent| sent.dst < nodes).collect();
    sends.sort_by_key(|sent| sent.step);
    let sends: Vec<(NodeId, NodeId)> =
        sends.iter().map(|sent| (NodeId(number(sent.src)), NodeId(number(sent.dst)))).collect();
    Schedule::new(nodes, schedule.source(), schedule.flits(), &sends)
}

/// The exchange of these messages.
pub(super) fn exchange(shape: &[usize], listed: &Listed) -> Exchange {
    let nodes = listed.promise.ranks;
    let mut sends: Vec<(&Sent, &Vec<Move>)> = listed.sent.iter().zip(&listed.moves).collect();
    sends.sort_by_key(|(sent, _)| (sent.step, sent.src));
    let mut exchange = Exchange::new(shape, Axes::Number);
    for step in sends.chunk_by(|one, other| one.0.step == other.0.step) {
        for (sent, moves) in step {
            let block = |item: &usize| (NodeId(number(item / nodes)), NodeId(number(item % nodes)));
            let blocks: Vec<(NodeId, NodeId)> = sent.items.iter().map(block).collect();
            exchange.push(NodeId(number(sent.src)), moves, &blocks);
        }
        exchange.end_step();
    }
    exchange
}

/// The collective of these messages, each position a block of its own.
pub(super) fn collective(collective: &Collective, listed: &Listed) -> Collective {
    let operation = collective.operation();
    let layout = match operation {
        Operation::Barrier => Layout::of_signals(),
        _ => Layout::of_parts(collective.flits(), 1, saturated(collective.flits())),
    };
    let mut planner = Planner::new(operation, collective.ranks(), collective.root(), layout);
    for Sent { step, src, dst, does, items } in &listed.sent {
        let (set, action) = match does {
            Does::Signal => (planner.signal(), Action::Signal),
            Does::Copy => (planner.set(0, items.iter().map(|&item| item..item + 1)), Action::Copy),
            Does::Add | Does::Move => (planner.set(0, items.iter().map(|&item| item..item + 1)), Action::Reduce),
        };
        planner.send(*step, Transfer { part: 0, src: *src, dst: *dst, set }, action);
    }
    planner.finish(0)
}
