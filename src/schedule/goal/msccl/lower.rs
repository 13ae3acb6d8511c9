//! An algorithm as operations: up to three for a step.

use super::{Algorithm, Msccl, Step};
use crate::schedule::goal::{Goal, GoalBuilder, Operation};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The number of messages of each channel so far, by (sends, peer, channel).
type MessageCounts = FxHashMap<(bool, u32, u32), u64>;

/// A tag is the number of a message on its channel, and the channel in its lowest bits.
pub(super) const CHANNELS: u32 = 256;

/// The operations of a step: the first, and the one behind the last.
type Operations = Range<u32>;

impl Algorithm {
    /// Returns its operations, with the sizes and times of `msccl`.
    pub fn operations(&self, msccl: Msccl) -> Goal {
        let mut goal = GoalBuilder::default();
        for gpu in &self.gpus {
            goal.next_rank();
            let mut counts = MessageCounts::default();
            let steps = self.blocks[gpu.blocks.clone()].iter().flat_map(|block| block.steps.clone());
            let first = steps.clone().next().unwrap_or_default();
            let mut lowered: Vec<Operations> = Vec::new();
            for at in steps.clone() {
                let step = self.step(at, msccl, &mut counts, &mut goal);
                if let (1.., Some(before)) = (self.steps[at].number, lowered.last()) {
                    match self.steps[at - 1].kind.sends() {
                        true => goal.irequires(step.start, before.end - 1),
                        false => goal.requires(step.start, before.end - 1),
                    }
                }
                lowered.push(step);
            }
            for at in steps {
                if let Some(on) = self.steps[at].after {
                    goal.requires(lowered[at - first].start, lowered[on - first].end - 1);
                }
            }
        }
        goal.finish()
    }

    fn step(&self, at: usize, msccl: Msccl, counts: &mut MessageCounts, goal: &mut GoalBuilder) -> Operations {
        let Step { kind, count, block, line, .. } = self.steps[at];
        let block = &self.blocks[block];
        let bytes = self.bytes(count, msccl.buffer_bytes);
        let mut tag = |sends: bool, peer: u32| {
            let count = counts.entry((sends, peer, block.channel)).or_default();
            *count += 1;
            (*count - 1) * u64::from(CHANNELS) + u64::from(block.channel)
        };
        let received = block.receive.filter(|_| kind.receives());
        let received = received.map(|from| Operation::receive(bytes, from, tag(false, from)));
        let reduced = kind.reduces().then(|| Operation::compute(bytes.saturating_mul(msccl.reduce_per_byte)));
        let sent = block.send.filter(|_| kind.sends());
        let sent = sent.map(|to| Operation::send(bytes, to, tag(true, to)));
        let idle = (!kind.receives() && !kind.reduces() && !kind.sends()).then(|| Operation::compute(0));
        let first = goal.next();
        for operation in [received, reduced, sent, idle].into_iter().flatten() {
            let id = goal.push_step(operation, self.block_step(at), line);
            if id > first {
                goal.requires(id, id - 1);
            }
        }
        first..goal.next()
    }

    /// The bytes of `count` chunks of a buffer.
    fn bytes(&self, count: u64, buffer_bytes: u64) -> u64 {
        let bytes = u128::from(count) * u128::from(buffer_bytes);
        u64::try_from(bytes.div_ceil(u128::from(self.chunks))).unwrap_or(u64::MAX >> 1)
    }
}
