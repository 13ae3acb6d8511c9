//! Recursive halving: ranks swap halves of what is left, and keep the other half.
//!
//! **Problem.** Reduce-scatter.
//!
//! **Idea.** In step `i`, with `d = m / 2^(i+1)`, `v` sends to `u = v xor d` the blocks of the `d` new numbers from `(u div d) d` on, where a
//! new number stands for its rank and its extra one. Extra ranks give all to their partners first and are given their share
//! last.
//!
//! **Cost.** `log2 m` steps (2 more with extra ranks); `(P-1) V/P` flits for a power of two.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, section
//! 4.3.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let halving = Algorithm::named("recursive-halving").ok_or("no such algorithm")?;
//! let scattered = halving.plan(&Request::new(Operation::ReduceScatter, 8, 64))?;
//! let largest: Vec<u64> = (0..3).filter_map(|step| scattered.messages(step).map(|m| m.flits.0).max()).collect();
//! assert_eq!(largest, [32, 16, 8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::counterpart::set_of;
use super::fold::Fold;
use super::{Algorithm, Extent, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation};

pub(super) const RECURSIVE_HALVING: Algorithm = Algorithm {
    name: "recursive-halving",
    references: &[references::MPICH],
    summary: "ranks whose numbers differ in one bit swap halves of the remaining data",
    operations: &[Operation::ReduceScatter],
    plan,
    extent,
    ..Algorithm::DEFAULT
};

/// That of a butterfly of halves.
pub(super) fn extent(request: &Request<'_>) -> Extent {
    let ranks = request.ranks as u64;
    let steps = request.halves() * Fold::of_ranks(request.ranks).steps();
    Extent { steps, messages: steps * ranks, vectors: (request.halves() + 2) * ranks, pieces: ranks }
}

fn plan(request: &Request<'_>) -> Collective {
    let mut planner = request.planner(1, request.ranks);
    let fold = Fold::of_ranks(request.ranks);
    let whole = planner.whole(0);
    planner.add(0, &fold.give(whole), Action::Reduce);
    let steps = fold.doublings();
    for step in 0..steps {
        let distance = fold.inner >> (step + 1);
        for first in (0..fold.inner).step_by(distance) {
            let blocks = (first..first + distance).flat_map(|v| fold.stands_for(v)).collect();
            let set = set_of(&mut planner, 0, blocks);
            for v in first..first + distance {
                let transfer = Move { part: 0, src: fold.rank(v ^ distance), dst: fold.rank(v), set };
                planner.send(1 + step, transfer, Action::Reduce);
            }
        }
    }
    for extra in 0..fold.extras {
        let set = planner.block(0, 2 * extra);
        planner.send(1 + steps, Move { part: 0, src: 2 * extra + 1, dst: 2 * extra, set }, Action::Copy);
    }
    planner.finish(request.segment_flits)
}
