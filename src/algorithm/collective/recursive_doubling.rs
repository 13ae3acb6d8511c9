//! Recursive doubling: ranks swap all that they have with ranks twice as far away in each step.
//!
//! **Problem.** All-reduce of short vectors; allgather among a power of two of ranks.
//!
//! **Idea.** In step `i` ranks `v` and `v xor 2^i` exchange everything. Numbers of ranks that are no power of two are folded: extra
//! ranks give their vector to a partner first and are given the result last.
//!
//! **Cost.** `log2 m` steps (2 more with extra ranks) of `V` flits each, `m` the largest power of two up to `P`; an allgather
//! `log2 P` steps and `(P-1) V/P` flits.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, sections
//! 4.1 and 4.5.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let doubling = Algorithm::named("recursive-doubling").ok_or("no such algorithm")?;
//! assert_eq!(doubling.plan(&Request::new(Operation::Allreduce, 8, 1))?.steps(), 3);
//! assert_eq!(doubling.plan(&Request::new(Operation::Allreduce, 9, 1))?.steps(), 5);
//! assert!(doubling.admits(&Request::new(Operation::Allgather, 9, 1)).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::fold::Fold;
use super::{Algorithm, Extent, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation, Phase};

pub(super) const RECURSIVE_DOUBLING: Algorithm = Algorithm {
    name: "recursive-doubling",
    references: &[references::MPICH],
    summary: "ranks whose numbers differ in one bit exchange all data, bit by bit",
    operations: &[Operation::Allreduce, Operation::Allgather],
    takes: "any number of ranks for an all-reduce, a power of two for an allgather",
    admits: |request| request.operation == Operation::Allreduce || request.ranks.is_power_of_two(),
    plan: |request| if request.operation == Operation::Allreduce { allreduce(request) } else { allgather(request) },
    extent: |request| {
        let ranks = request.ranks as u64;
        let steps = Fold::of_ranks(request.ranks).steps();
        let vectors = if request.operation == Operation::Allreduce { steps * ranks } else { ranks };
        Extent { steps, messages: steps * ranks, vectors, pieces: ranks }
    },
    ..Algorithm::DEFAULT
};

fn allreduce(request: &Request<'_>) -> Collective {
    let mut planner = request.planner(1, 1);
    let fold = Fold::of_ranks(request.ranks);
    let set = planner.whole(0);
    let give = fold.give(set);
    planner.add(0, &give, Action::Reduce);
    for step in 0..fold.doublings() {
        for v in 0..fold.inner {
            let src = fold.rank(v);
            let dst = fold.rank(v ^ 1 << step);
            planner.send(1 + step, Move { part: 0, src, dst, set }, Action::Reduce);
        }
    }
    planner.add(1 + fold.doublings(), &give.reversed(), Action::Copy);
    planner.finish(request.segment_flits)
}

fn allgather(request: &Request<'_>) -> Collective {
    let mut planner = request.planner(1, request.ranks);
    let mut phase = Phase::default();
    for step in 0..Fold::of_ranks(request.ranks).doublings() {
        let held = 1 << step;
        for first in (0..request.ranks).step_by(held) {
            let set = planner.run(0, first..first + held);
            for src in first..first + held {
                phase.send(step, Move { part: 0, src, dst: src ^ held, set });
            }
        }
    }
    planner.add(0, &phase, Action::Copy);
    planner.finish(request.segment_flits)
}
