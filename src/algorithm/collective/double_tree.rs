//! Two binary trees whose inner ranks are the leaves of the other.
//!
//! **Problem.** All-reduce of long vectors: in one tree the leaves, half of all ranks, send no more than they must while inner
//! ranks send twice as much.
//!
//! **Idea.** Each tree takes half of the vector, segment by segment. In tree 0 rank 0 is the root; a rank `r` with lowest set bit
//! `b` has the parent `(r xor b) | 2b`, or `r xor b` where that is no rank. Tree 1 is tree 0 with `r` renumbered `P-1-r`, or, where
//! `P` is odd, `r+1 mod P`. The broadcast follows the reduce by the height of the tree.
//!
//! **Cost.** About `2 ceil(log2 P) + K - 1` steps of a segment of each half.
//!
//! **Source.** Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009; the trees
//! of NCCL.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let trees = Algorithm::named("double-tree").ok_or("no such algorithm")?;
//! let allreduce = trees.plan(&Request { segment_flits: 16, ..Request::new(Operation::Allreduce, 8, 256) })?;
//! assert!(allreduce.check().is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::pipelined::{Overlap, Tree, along, extent};
use super::{Algorithm, Parts, Request};
use crate::references;
use crate::schedule::collective::{Collective, Operation};

pub(super) const DOUBLE_TREE: Algorithm = Algorithm {
    name: "double-tree",
    references: &[references::DOUBLE_TREE],
    summary: "two binary trees with half of the vector each; the inner ranks of one are leaves of the other",
    operations: &[Operation::Allreduce],
    parts: Parts::Fixed(2),
    pipelined: true,
    plan,
    extent: |request| extent(request, 2, u64::from(request.ranks.ilog2()) + 1),
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let ranks = request.ranks;
    let renumbered = |rank: usize| if ranks.is_multiple_of(2) { ranks - 1 - rank } else { (rank + 1) % ranks };
    let mut first = vec![None; ranks];
    let mut second = vec![None; ranks];
    for rank in 1..ranks {
        let parent = parent(rank, ranks);
        first[rank] = Some(parent);
        second[renumbered(rank)] = Some(renumbered(parent));
    }
    along(request, &[Tree::new(vec![first]), Tree::new(vec![second])], Overlap::Yes)
}

/// The parent of `rank`, which is not 0, in the first tree.
fn parent(rank: usize, ranks: usize) -> usize {
    let lowest = rank & rank.wrapping_neg();
    let above = rank ^ lowest;
    let beside = above | lowest << 1;
    if beside < ranks { beside } else { above }
}
