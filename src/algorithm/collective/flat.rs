//! Flat: the root serves all others, one after the other.
//!
//! **Problem.** Broadcast, reduce, scatter, gather among `P` ranks.
//!
//! **Idea.** In step `i` the root sends to rank `root + 1 + i`; for a reduce and a gather backwards.
//!
//! **Cost.** `P - 1` steps; `(P-1) V` flits on the critical path, of a scatter or a gather `(P-1) V/P`.
//!
//! **Source.** The yardstick of all others.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let flat = Algorithm::named("flat").ok_or("no such algorithm")?;
//! let scatter = flat.plan(&Request::new(Operation::Scatter, 5, 10))?;
//! assert_eq!((scatter.steps(), scatter.len()), (4, 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::counterpart::Edge;
use super::{Algorithm, Extent, Request};
use crate::references;
use crate::schedule::collective::{Collective, Operation};

pub(super) const ROOTED: &[Operation] =
    &[Operation::Broadcast, Operation::Reduce, Operation::Scatter, Operation::Gather];

pub(super) const FLAT: Algorithm = Algorithm {
    name: "flat",
    references: &[references::COLLECTIVES],
    summary: "the root communicates with all other ranks, one after the other",
    operations: ROOTED,
    plan,
    extent: |request| {
        let others = request.ranks as u64 - 1;
        Extent { steps: others, messages: others, vectors: others, pieces: request.ranks as u64 }
    },
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let edge = |step: usize| {
        let child = (request.root + 1 + step) % request.ranks;
        Edge { step, parent: request.root, child, behind: vec![child] }
    };
    request.along_tree((0..request.ranks - 1).map(edge).collect())
}
