//! Bruck: the number of blocks that a rank has doubles in each step, for any number of ranks.
//!
//! **Problem.** Allgather, and backwards reduce-scatter, in few steps.
//!
//! **Idea.** In step `i` rank `r` sends to `r - 2^i` its blocks `r .. r + min(2^i, P - 2^i) - 1`, all modulo `P`.
//!
//! **Cost.** `ceil(log2 P)` steps and `(P-1) V/P` flits.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient Algorithms for All-to-All Communications in Multiport
//! Message-Passing Systems", 1997.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let bruck = Algorithm::named("bruck").ok_or("no such algorithm")?;
//! assert_eq!(bruck.plan(&Request::new(Operation::Allgather, 11, 110))?.steps(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::counterpart::{doublings, set_of};
use super::{Algorithm, Request};
use crate::references;
use crate::schedule::collective::{Collective, Move, Operation, Phase};

pub(super) const BRUCK: Algorithm = Algorithm {
    name: "bruck",
    references: &[references::BRUCK],
    summary: "in step i each rank sends to the rank 2^i below, twice as many blocks in each step",
    operations: &[Operation::Allgather, Operation::ReduceScatter],
    plan,
    extent: |request| request.extent_of_halves(doublings(request.ranks) as u64, 1),
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let ranks = request.ranks;
    let mut planner = request.planner(1, ranks);
    let mut allgather = Phase::default();
    for step in 0..doublings(ranks) {
        let distance = 1 << step;
        let count = distance.min(ranks - distance);
        for src in 0..ranks {
            let set = set_of(&mut planner, 0, (src..src + count).map(|block| block % ranks).collect());
            allgather.send(step, Move { part: 0, src, dst: (src + ranks - distance) % ranks, set });
        }
    }
    request.by_allgather(planner, &allgather)
}
