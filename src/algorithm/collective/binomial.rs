//! Binomial tree: who has it passes it on, and the number of those doubles.
//!
//! **Problem.** Broadcast, reduce, scatter, gather; all-reduce (to rank 0, then from it) and barrier.
//!
//! **Idea.** Ranks are renumbered from the root, `v = rank - root mod P`. In step `i`, with `mask = 2^(ceil(log2 P)-1-i)`, every
//! `v` that is a multiple of `2 mask` sends to `v + mask`, if there is such a rank: in a scatter the blocks of all behind it.
//!
//! **Cost.** `ceil(log2 P)` steps and `V ceil(log2 P)` flits on the critical path, of a scatter or a gather `(P-1) V/P`;
//! an all-reduce twice that.
//!
//! **Source.** The folklore of MPI; Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
//! MPICH", 2005, section 4.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let binomial = Algorithm::named("binomial").ok_or("no such algorithm")?;
//! let broadcast = binomial.plan(&Request::new(Operation::Broadcast, 11, 8))?;
//! assert_eq!((broadcast.steps(), broadcast.len()), (4, 10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::counterpart::{Edge, doublings};
use super::{Algorithm, Extent, Request};
use crate::references;
use crate::schedule::collective::Operation;

pub(super) const BINOMIAL: Algorithm = Algorithm {
    name: "binomial",
    references: &[references::MPICH],
    summary: "a tree in which the number of ranks that hold the data doubles in each step",
    operations: &[
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Scatter,
        Operation::Gather,
        Operation::Allreduce,
        Operation::Barrier,
    ],
    plan: |request| request.along_tree(edges(request)),
    extent,
    ..Algorithm::DEFAULT
};

/// The edges of the tree from the root.
pub(super) fn edges(request: &Request<'_>) -> Vec<Edge> {
    let ranks = request.ranks;
    let steps = doublings(ranks);
    let root = if request.operation.has_root() { request.root } else { 0 };
    let rank = |v: usize| (v + root) % ranks;
    let mut edges = Vec::with_capacity(ranks);
    for step in 0..steps {
        let mask = 1 << (steps - 1 - step);
        for v in (0..ranks).step_by(2 * mask).filter(|v| v + mask < ranks) {
            let behind = (v + mask..ranks.min(v + 2 * mask)).map(rank).collect();
            edges.push(Edge { step, parent: rank(v), child: rank(v + mask), behind });
        }
    }
    edges
}

/// That of a tree of `ceil(log2 P)` steps.
pub(super) fn extent(request: &Request<'_>) -> Extent {
    let ranks = request.ranks as u64;
    let twice = if request.operation.has_root() { 1 } else { 2 };
    let steps = twice * doublings(request.ranks) as u64;
    let shares = matches!(request.operation, Operation::Scatter | Operation::Gather);
    // a share goes over as many edges as its rank is deep
    let vectors = if shares { steps } else { twice * (ranks - 1) };
    Extent { steps, messages: twice * (ranks - 1), vectors, pieces: ranks }
}
