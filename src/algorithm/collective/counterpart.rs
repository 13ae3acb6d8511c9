//! What all algorithms here have in common: planners for a request, and an operation made of another.

use super::{Extent, Request};
use crate::schedule::collective::{Action, Collective, Layout, Move, Operation, Phase, Planner, SetId};

impl Request<'_> {
    /// The number of parts.
    pub(super) fn parts(&self) -> usize {
        self.parts.unwrap_or(1)
    }

    /// A planner for `parts` parts, each of `blocks` blocks; where ranks have shares, a block is theirs.
    pub(super) fn planner(&self, parts: usize, blocks: usize) -> Planner {
        let layout = match self.operation {
            Operation::Barrier => Layout::of_signals(),
            operation if operation.has_shares() => Layout::of_shares(self.flits, self.ranks, parts),
            _ => Layout::of_parts(self.flits, parts, blocks),
        };
        Planner::new(self.operation, self.ranks, self.root, layout)
    }

    /// The schedule of an allgather, or of what it makes: backwards it is a reduce-scatter, and both an all-reduce.
    pub(super) fn by_allgather(&self, mut planner: Planner, allgather: &Phase) -> Collective {
        if self.operation != Operation::Allgather {
            planner.add(0, &allgather.reversed(), Action::Reduce);
        }
        if self.operation != Operation::ReduceScatter {
            let first = if self.operation == Operation::Allreduce { allgather.len() } else { 0 };
            planner.add(first, allgather, Action::Copy);
        }
        planner.finish(self.segment_flits)
    }

    /// The schedule of a reduce-scatter and of an allgather, one of them or one after the other.
    pub(super) fn by_both(&self, mut planner: Planner, reduce_scatter: &Phase, allgather: &Phase) -> Collective {
        if self.operation != Operation::Allgather {
            planner.add(0, reduce_scatter, Action::Reduce);
        }
        if self.operation != Operation::ReduceScatter {
            let first = if self.operation == Operation::Allreduce { reduce_scatter.len() } else { 0 };
            planner.add(first, allgather, Action::Copy);
        }
        planner.finish(self.segment_flits)
    }

    /// How many of the two halves of an all-reduce there are: both, or the one that is asked for.
    pub(super) fn halves(&self) -> u64 {
        if self.operation == Operation::Allreduce { 2 } else { 1 }
    }

    /// The extent of an allgather or of what it makes, of so many steps in each of which each rank sends as many messages.
    pub(super) fn extent_of_halves(&self, steps: u64, each: u64) -> Extent {
        let ranks = self.ranks as u64;
        Extent {
            steps: self.halves() * steps,
            messages: (self.halves() * steps * ranks).saturating_mul(each),
            vectors: self.halves() * ranks.saturating_sub(1),
            pieces: ranks * self.parts() as u64,
        }
    }
}

/// A tree of a rooted operation: which rank sends to which in which step of a broadcast, and the ranks behind each edge.
pub(super) struct Edge {
    /// The step of a broadcast.
    pub(super) step: usize,
    /// The rank nearer to the root.
    pub(super) parent: usize,
    /// The other.
    pub(super) child: usize,
    /// The child and all that are behind it.
    pub(super) behind: Vec<usize>,
}

impl Request<'_> {
    /// The schedule of a rooted operation along a tree, of an all-reduce (to rank 0, then back) or of a barrier.
    pub(super) fn along_tree(&self, edges: Vec<Edge>) -> Collective {
        let mut planner = self.planner(1, 1);
        let shares = matches!(self.operation, Operation::Scatter | Operation::Gather);
        let whole = if self.operation == Operation::Barrier { planner.signal() } else { planner.whole(0) };
        let mut down = Phase::default();
        for Edge { step, parent, child, behind } in edges {
            let set = if shares { set_of(&mut planner, 0, behind) } else { whole };
            down.send(step, Move { part: 0, src: parent, dst: child, set });
        }
        let up = down.reversed();
        match self.operation {
            Operation::Gather => planner.add(0, &up, Action::Copy),
            Operation::Reduce => planner.add(0, &up, Action::Reduce),
            Operation::Allreduce => {
                planner.add(0, &up, Action::Reduce);
                planner.add(up.len(), &down, Action::Copy);
            }
            Operation::Barrier => {
                planner.add(0, &up, Action::Signal);
                planner.add(up.len(), &down, Action::Signal);
            }
            _ => planner.add(0, &down, Action::Copy),
        }
        planner.finish(self.segment_flits)
    }
}

/// The set of `blocks` of `part`, in any order.
pub(super) fn set_of(planner: &mut Planner, part: usize, mut blocks: Vec<usize>) -> SetId {
    blocks.sort_unstable();
    planner.set(part, blocks.into_iter().map(|block| block..block + 1))
}

/// The smallest number of doublings that make `ranks` of one: `ceil(log2 P)`.
pub(super) fn doublings(ranks: usize) -> usize {
    ranks.next_power_of_two().trailing_zeros() as usize
}
