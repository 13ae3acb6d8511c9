//! Rings: every rank passes a block on to the next one in each step.
//!
//! **Problem.** Allgather, reduce-scatter, and one after the other for an all-reduce, of long vectors.
//!
//! **Idea.** Ranks stand in a ring `q[0..P-1]`, and blocks belong to ranks. In step `s` of a reduce-scatter `q[x]` sends the
//! block of `q[x-1-s]` to `q[x+1]`, which combines it with its own; in step `s` of an allgather the block of `q[x-s]`. With
//! both directions each has half of the vector.
//!
//! **Cost.** `P - 1` steps and `(P-1) V/P` flits on the critical path, half as many flits in both directions; twice that for
//! an all-reduce. No two messages of a step share a link where neighbours in the ring are neighbours in the network.
//!
//! **Source.** Patarasuk, Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations", 2009.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let ring = Algorithm::named("ring").ok_or("no such algorithm")?;
//! let allreduce = ring.plan(&Request::new(Operation::Allreduce, 6, 60))?;
//! assert_eq!((allreduce.steps(), allreduce.len()), (10, 60));
//! assert!(allreduce.check().is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{Algorithm, Parts, Request};
use crate::references;
use crate::schedule::collective::{Collective, Move, Operation, Phase, Planner, SetId};

pub(super) const OF_SHARES: &[Operation] = &[Operation::Allgather, Operation::ReduceScatter, Operation::Allreduce];

pub(super) const RING: Algorithm = Algorithm {
    name: "ring",
    references: &[references::RING],
    summary: "each rank forwards a block to the next rank",
    operations: OF_SHARES,
    plan: |request| along(request, vec![(0..request.ranks).collect()]),
    extent: |request| request.extent_of_halves(request.ranks as u64 - 1, 1),
    ..Algorithm::DEFAULT
};

pub(super) const RING_BIDIRECTIONAL: Algorithm = Algorithm {
    name: "ring-bidirectional",
    references: &[references::RING],
    summary: "as ring, with half of the vector in each direction",
    parts: Parts::Fixed(2),
    plan: |request| along(request, vec![(0..request.ranks).collect(), (0..request.ranks).rev().collect()]),
    extent: |request| request.extent_of_halves(request.ranks as u64 - 1, 2),
    ..RING
};

/// The schedule of an operation along a ring of all ranks for each part.
pub(super) fn along(request: &Request<'_>, orders: Vec<Vec<usize>>) -> Collective {
    let mut planner = request.planner(orders.len(), request.ranks);
    let mut reduce_scatter = Phase::default();
    let mut allgather = Phase::default();
    for (part, order) in orders.into_iter().enumerate() {
        let ring = Ring::of_ranks(&mut planner, part, order);
        ring.reduce_scatter(0, &mut reduce_scatter);
        ring.allgather(0, &mut allgather);
    }
    request.by_both(planner, &reduce_scatter, &allgather)
}

/// Ranks in a ring, each with a block.
pub(super) struct Ring {
    part: usize,
    order: Vec<usize>,
    /// By place in the ring.
    blocks: Vec<SetId>,
}

impl Ring {
    /// Ranks with the blocks that have their numbers.
    pub(super) fn of_ranks(planner: &mut Planner, part: usize, order: Vec<usize>) -> Self {
        let blocks = order.iter().map(|&rank| planner.block(part, rank)).collect();
        Self { part, order, blocks }
    }

    /// Ranks with these blocks.
    pub(super) fn with_blocks(part: usize, order: Vec<usize>, blocks: Vec<SetId>) -> Self {
        Self { part, order, blocks }
    }

    /// The ranks in a row.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The block of the rank `back` places behind place `at`.
    pub(super) fn block_behind(&self, at: usize, back: usize) -> SetId {
        let ranks = self.len();
        self.blocks[(at + back.div_ceil(ranks) * ranks - back) % ranks]
    }

    /// Adds the steps of a reduce-scatter from step `first` on.
    pub(super) fn reduce_scatter(&self, first: usize, phase: &mut Phase) {
        self.pass(first, phase, 1);
    }

    /// Adds the steps of an allgather from step `first` on.
    pub(super) fn allgather(&self, first: usize, phase: &mut Phase) {
        self.pass(first, phase, 0);
    }

    /// In step `s` each passes on the block of the rank `behind + s` places behind.
    fn pass(&self, first: usize, phase: &mut Phase, behind: usize) {
        let ranks = self.len();
        for step in 0..ranks.saturating_sub(1) {
            for at in 0..ranks {
                let set = self.block_behind(at, behind + step);
                let dst = self.order[(at + 1) % ranks];
                phase.send(first + step, Move { part: self.part, src: self.order[at], dst, set });
            }
        }
    }
}
