//! The outline of a program: counts and a sample, which stay while the program itself is made again for each row.

use super::Program;
use crate::machine::Machine;
use crate::schedule::goal::{Action, AmbiguousTags, Operation};
use crate::units::{Flits, NodeId, narrow};
use std::collections::BTreeMap;

/// Counts of a program, and a sample of its messages.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The number of ranks.
    pub ranks: usize,
    /// The number of operations.
    pub operations: usize,
    /// The number of messages.
    pub messages: usize,
    /// The ticks of all computations.
    pub computed: u128,
    /// The ticks of the longest computation.
    pub longest: u64,
    /// The number of messages of each size, in bytes. Some sizes are rounded up if there are many.
    sizes: BTreeMap<u64, u64>,
    /// Messages from all parts of the program: sender, receiver and bytes.
    sample: Vec<(u32, u32, u64)>,
    /// Tags that LogGOPSim would confuse.
    pub(super) ambiguous: Option<AmbiguousTags>,
}

/// An average message.
pub(super) struct Average {
    /// Channels of its path, both ends included. 0 without a network.
    pub(super) hops: u64,
    /// Its flits on the wire.
    pub(super) flits: u64,
}

/// The number of messages in a sample.
const SAMPLED: usize = 64;

/// The number of sizes that are counted exactly.
const SIZES: usize = 1 << 12;

impl Outline {
    /// Returns the outline of `program`.
    pub fn new(program: &Program) -> Self {
        let goal = &program.goal;
        let mut sizes = BTreeMap::new();
        match goal.bytes_of_all() {
            Some(bytes) => {
                sizes.insert(bytes, goal.messages() as u64);
            }
            None => {
                for send in goal.operations().iter().filter(|operation| operation.action == Action::Send) {
                    let is_known = sizes.len() < SIZES || sizes.contains_key(&send.size);
                    let size =
                        if is_known { send.size } else { send.size.checked_next_power_of_two().unwrap_or(u64::MAX) };
                    *sizes.entry(size).or_insert(0) += 1;
                }
            }
        }
        Self {
            ranks: goal.ranks(),
            operations: goal.operations().len(),
            messages: goal.messages(),
            computed: goal.computed(),
            longest: goal.longest_computation(),
            sizes,
            sample: sample(program),
            ambiguous: goal.ambiguous_tags(),
        }
    }

    /// The sizes of messages in bytes, and the number of messages of each.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sizes.iter().map(|(&size, &count)| (size, count))
    }

    /// The average message of the sample, of ranks on `nodes` of `machine`.
    pub(super) fn average(&self, machine: &Machine, nodes: &[NodeId], flit_bytes: u64) -> Average {
        let mut path = Vec::new();
        let (mut hops, mut flits) = (0, 0);
        for &(src, dst, bytes) in &self.sample {
            flits += Flits::from_bytes(bytes, flit_bytes).on_wire();
            let Some(network) = machine.network() else { continue };
            let [src, dst] = [src, dst].map(|rank| nodes[rank as usize]);
            if src != dst {
                path.clear();
                network.route(src, dst, &mut path);
                hops += path.len() as u64;
            }
        }
        let mean = |sum: u64| sum.div_ceil(self.sample.len().max(1) as u64);
        Average { hops: mean(hops), flits: mean(flits) }
    }
}

/// Messages from all parts of `program`: those between neighbours cost much less than those between distant nodes.
fn sample(program: &Program) -> Vec<(u32, u32, u64)> {
    let goal = &program.goal;
    let operations = goal.operations();
    let step = operations.len().div_ceil(4 * SAMPLED).max(1);
    let sends = operations.iter().enumerate().step_by(step).filter(|(_, operation)| operation.action == Action::Send);
    let message = |(id, &Operation { peer, size, .. }): (usize, &Operation)| {
        (goal.rank_of(narrow(id, "operations are numbered with 32 bits")), peer, size)
    };
    sends.take(SAMPLED).map(message).collect()
}
