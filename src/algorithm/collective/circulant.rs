//! Circulant graphs: fewest steps and fewest flits at once, for every number of ranks.
//!
//! **Problem.** Reduce-scatter, backwards allgather, and both for an all-reduce.
//!
//! **Idea.** With `s = P` at first, and `s' = ceil(s/2)`, rank `r` sends to `r + s'` the blocks `r+s' .. r+s-1`, all modulo `P`; then `s'` takes
//! the place of `s`, until it is 1.
//!
//! **Cost.** `ceil(log2 P)` steps and `(P-1) V/P` flits, both as few as there can be, whatever `P` is; twice that for an
//! all-reduce.
//!
//! **Source.** Traeff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms", arXiv 2410.14234.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let circulant = Algorithm::named("circulant").ok_or("no such algorithm")?;
//! let scattered = circulant.plan(&Request::new(Operation::ReduceScatter, 5, 5))?;
//! let largest: Vec<u64> = (0..3).filter_map(|step| scattered.messages(step).map(|m| m.flits.0).max()).collect();
//! assert_eq!(largest, [2, 1, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::counterpart::{doublings, set_of};
use super::ring::OF_SHARES;
use super::{Algorithm, Request};
use crate::references;
use crate::schedule::collective::{Collective, Move, Phase};

pub(super) const CIRCULANT: Algorithm = Algorithm {
    name: "circulant",
    references: &[references::CIRCULANT],
    summary: "each step sends half of the remaining blocks, half as far as the step before",
    operations: OF_SHARES,
    plan,
    extent: |request| request.extent_of_halves(doublings(request.ranks) as u64, 1),
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let ranks = request.ranks;
    let mut planner = request.planner(1, ranks);
    let mut reduce_scatter = Phase::default();
    let mut span = ranks;
    while span > 1 {
        let half = span.div_ceil(2);
        let step = reduce_scatter.len();
        for src in 0..ranks {
            let set = set_of(&mut planner, 0, (src + half..src + span).map(|block| block % ranks).collect());
            reduce_scatter.send(step, Move { part: 0, src, dst: (src + half) % ranks, set });
        }
        span = half;
    }
    request.by_allgather(planner, &reduce_scatter.reversed())
}
