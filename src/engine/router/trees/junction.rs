//! An open junction: the packets that are at its inputs, and its branches.

use super::super::vcset::VcSet;
use super::plan::{PacketTree, PlannedOutput, Target};
use std::collections::VecDeque;
use std::sync::Arc;

/// A packet at an input of a junction.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenInput {
    /// The input VC.
    pub(super) vc: usize,
    /// The number of the packet.
    pub(super) packet: u32,
}

/// An output of a junction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch<const W: usize> {
    pub(super) planned: PlannedOutput,
    /// The output VCs that it may be granted.
    pub(super) candidates: VcSet<W>,
    /// The output VC that it has been granted.
    pub(super) output: Option<usize>,
    /// The packet that leaves by it, once it has been granted an output VC.
    pub(super) packet: u32,
    /// Flits that it has sent.
    pub(super) sent: u32,
    /// The cycle of its request, once there is one.
    pub(super) requested: Option<u64>,
    /// The first cycle in which it may send its next flit.
    pub(super) next: u64,
}

impl<const W: usize> Branch<W> {
    /// Returns true if it leads to a node.
    pub(super) fn is_to_node(&self) -> bool {
        matches!(self.planned.target, Target::Node(_))
    }
}

/// Flits that have come by all inputs, and that can leave.
#[derive(Clone, Debug)]
struct Operands {
    /// Flits that have come by every input.
    complete: u32,
    /// The number of these that can leave.
    ripe: u32,
    /// The cycles from which more flits can leave, and their number then.
    ripening: VecDeque<(u64, u32)>,
}

/// An open junction.
#[derive(Debug)]
pub(super) struct Junction<const W: usize> {
    pub(super) tree: Arc<PacketTree>,
    /// Its number in the tree.
    pub(super) number: u32,
    /// The first message of the worm.
    pub(super) worm: u32,
    /// Flits of the packets.
    pub(super) flits: u32,
    /// The packets that have come, in the order of their input VCs.
    pub(super) inputs: Vec<OpenInput>,
    /// The number of inputs that it needs.
    needed: usize,
    /// The branches, those to nodes first.
    pub(super) branches: Vec<Branch<W>>,
    /// Flits that all branches have sent.
    pub(super) gone: u32,
    operands: Operands,
}

impl<const W: usize> Junction<W> {
    /// Opens junction `number` of `tree` for the worm that begins with message `worm`, without inputs.
    pub(super) fn new(
        (tree, worm): (Arc<PacketTree>, u32),
        (number, needed): (u32, u32),
        branches: Vec<Branch<W>>,
        flits: u32,
    ) -> Self {
        let operands = Operands { complete: 0, ripe: 0, ripening: VecDeque::new() };
        let needed = needed as usize;
        Self { tree, number, worm, flits, inputs: Vec::with_capacity(needed), needed, branches, gone: 0, operands }
    }

    /// Adds the packet of an input.
    pub(super) fn add(&mut self, input: OpenInput) {
        let index = self.inputs.partition_point(|other| other.vc < input.vc);
        self.inputs.insert(index, input);
    }

    /// The input VC as which it requests and takes turns: the lowest one.
    pub(super) fn lead(&self) -> usize {
        self.inputs[0].vc
    }

    /// Returns true if it has several inputs.
    pub(super) fn is_join(&self) -> bool {
        self.needed > 1
    }

    /// Returns true if packets have come by all inputs.
    pub(super) fn is_complete(&self) -> bool {
        self.inputs.len() == self.needed
    }

    /// Counts the flits that have come: `here` is the number of flits of the packet in the buffer of an input VC. A flit can leave
    /// `latency` cycles after it has come by the last input.
    pub(super) fn count(&mut self, now: u64, latency: u64, here: impl Fn(usize) -> u32) {
        let Operands { complete, ripe, ripening } = &mut self.operands;
        if self.inputs.len() == self.needed {
            let fewest = self.inputs.iter().map(|input| here(input.vc)).min().unwrap_or(0);
            let all = self.flits.min(self.gone + fewest);
            if all > *complete {
                *complete = all;
                ripening.push_back((now + if self.needed > 1 { latency } else { 0 }, all));
            }
        }
        while let Some(&(at, all)) = ripening.front().filter(|&&(at, _)| at <= now) {
            debug_assert!(at <= now, "flits ripen in order");
            *ripe = all;
            ripening.pop_front();
        }
    }

    /// Flits that can leave, of those that have come since the packets began.
    pub(super) fn ripe(&self) -> u32 {
        self.operands.ripe
    }

    /// Returns true if flits can leave later that have come.
    pub(super) fn is_ripening(&self) -> bool {
        !self.operands.ripening.is_empty()
    }

    /// Returns true if it requests output VCs: its head flits can leave, and a branch has none.
    pub(super) fn requests(&self) -> bool {
        self.ripe() > 0 && self.branches.iter().any(|branch| branch.output.is_none())
    }

    /// The branches that request an output VC, where `is_free` returns true for those to nodes to which one is free: those to nodes up
    /// to the first without, and links if there is none.
    pub(super) fn requesting(&self, is_free: impl Fn(&Branch<W>) -> bool) -> Vec<usize> {
        let mut requesting = Vec::new();
        for (at, branch) in self.branches.iter().enumerate().filter(|(_, branch)| branch.output.is_none()) {
            let free = is_free(branch);
            if free {
                requesting.push(at);
            } else if branch.is_to_node() {
                break;
            }
        }
        requesting
    }

    /// The branch that may be granted output VC `output`.
    pub(super) fn branch_for(&self, output: usize) -> Option<usize> {
        self.branches.iter().position(|branch| branch.output.is_none() && branch.candidates.contains(output))
    }

    /// The branches that keep their grants, in their order, if a cycle grants those in `granted`: the ones before which all branches to
    /// nodes are granted.
    pub(super) fn keep_grants(&self, granted: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let mut grants = Vec::new();
        for (at, branch) in self.branches.iter().enumerate() {
            if branch.output.is_some() {
                continue;
            }
            match granted.iter().find(|&&(granted, _)| granted == at) {
                Some(&grant) => grants.push(grant),
                None if branch.is_to_node() => break,
                None => {}
            }
        }
        grants
    }

    /// The branches that have a flit to send in cycle `now`, if they have a credit.
    pub(super) fn sending(&self, now: u64) -> impl Iterator<Item = (usize, usize)> + '_ {
        let ripe = self.ripe();
        let branches = self.branches.iter().enumerate();
        branches.filter_map(move |(at, branch)| {
            let output = branch.output?;
            (branch.sent < ripe && branch.next <= now).then_some((at, output))
        })
    }

    /// Records the flits that all branches have sent, and returns their number.
    pub(super) fn release(&mut self) -> u32 {
        let sent = self.branches.iter().map(|branch| branch.sent).min().unwrap_or(0);
        sent - std::mem::replace(&mut self.gone, sent)
    }

    /// Returns true if all flits have left.
    pub(super) fn is_over(&self) -> bool {
        self.gone == self.flits
    }
}
