//! Dissemination: a barrier in which each rank has heard of twice as many others after each step.
//!
//! **Problem.** Barrier.
//!
//! **Idea.** In step `i` rank `r` signals rank `r + 2^i mod P`.
//!
//! **Cost.** `ceil(log2 P)` steps of one signal from and to each rank.
//!
//! **Source.** Hensgen, Finkel, Manber, "Two Algorithms for Barrier Synchronization", 1988.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let dissemination = Algorithm::named("dissemination").ok_or("no such algorithm")?;
//! let barrier = dissemination.plan(&Request::new(Operation::Barrier, 9, 0))?;
//! assert_eq!((barrier.steps(), barrier.len()), (4, 36));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::counterpart::doublings;
use super::{Algorithm, Extent, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation};

pub(super) const DISSEMINATION: Algorithm = Algorithm {
    name: "dissemination",
    references: &[references::DISSEMINATION],
    summary: "in step i each rank signals the rank 2^i above",
    operations: &[Operation::Barrier],
    plan,
    extent: |request| {
        let steps = doublings(request.ranks) as u64;
        Extent { steps, messages: steps * request.ranks as u64, vectors: 0, pieces: 1 }
    },
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let ranks = request.ranks;
    let mut planner = request.planner(1, 1);
    let set = planner.signal();
    for step in 0..doublings(ranks) {
        for src in 0..ranks {
            let dst = (src + (1 << step)) % ranks;
            planner.send(step, Move { part: 0, src, dst, set }, Action::Signal);
        }
    }
    planner.finish(0)
}
