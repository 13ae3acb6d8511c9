//! Trees whose edges carry a vector segment by segment; the chain and the binary tree.
//!
//! **Problem.** Broadcast, reduce and all-reduce (to rank 0, then from it) of long vectors.
//!
//! **Idea.** A part is cut into `K` segments. In a broadcast segment `j` crosses an edge below a rank of depth `d` in step `j + d`;
//! in a reduce, along a tree of height `H`, in step `j + H - 1 - d`; an all-reduce does both, the broadcast `H` steps later. Ranks are
//! renumbered from the root, `v = rank - root mod P`. In a *chain* the parent of `v` is `v - 1`, in a *binary tree* `(v - 1) div 2`.
//!
//! **Cost.** `K - 1 + H` steps of a segment each, of an all-reduce `K - 1 + 2 H`; the chain has `H = P - 1`, the binary tree
//! `H = floor(log2 P)`.
//!
//! **Source.** Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience", 2007.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let chain = Algorithm::named("chain").ok_or("no such algorithm")?;
//! let broadcast = chain.plan(&Request { segment_flits: 8, ..Request::new(Operation::Broadcast, 5, 64) })?;
//! assert_eq!(broadcast.steps(), 8 - 1 + 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{Algorithm, Extent, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Layout, Move, Operation, Phase, Planner};

const OPERATIONS: &[Operation] = &[Operation::Broadcast, Operation::Reduce, Operation::Allreduce];

pub(super) const CHAIN: Algorithm = Algorithm {
    name: "chain",
    references: &[references::COLLECTIVES],
    summary: "each rank forwards segments to the next rank",
    operations: OPERATIONS,
    pipelined: true,
    plan: |request| plan(request, |v| v - 1),
    extent: |request| extent(request, 1, request.ranks as u64 - 1),
    ..Algorithm::DEFAULT
};

pub(super) const BINARY_TREE: Algorithm = Algorithm {
    name: "binary-tree",
    references: &[references::COLLECTIVES],
    summary: "each rank forwards segments to two other ranks",
    plan: |request| plan(request, |v| (v - 1) / 2),
    extent: |request| extent(request, 1, u64::from(request.ranks.ilog2())),
    ..CHAIN
};

/// The schedule along one tree, which says the parent of the rank `v` places from the root.
fn plan(request: &Request<'_>, parent: fn(usize) -> usize) -> Collective {
    let ranks = request.ranks;
    let root = if request.operation.has_root() { request.root } else { 0 };
    let rank = |v: usize| (v + root) % ranks;
    let mut parents = vec![None; ranks];
    for v in 1..ranks {
        parents[rank(v)] = Some(rank(parent(v)));
    }
    along(request, &[Tree::new(vec![parents])], Overlap::Yes)
}

/// The extent of a schedule along so many trees of such a height.
pub(super) fn extent(request: &Request<'_>, trees: u64, height: u64) -> Extent {
    let edges = request.ranks as u64 - 1;
    let part = request.flits.div_ceil(trees);
    let segments = if request.segment_flits == 0 { 1 } else { part.div_ceil(request.segment_flits).max(1) };
    let phases = request.halves();
    Extent {
        steps: phases * (height + segments),
        messages: (phases * trees * edges).saturating_mul(segments),
        vectors: phases * edges,
        pieces: trees * segments,
    }
}

/// A tree, or several that segments take in turn.
pub(super) struct Tree {
    /// Per turn and rank its parent; the root, and what is not in the tree, has none.
    parents: Vec<Vec<Option<usize>>>,
    /// Per turn and rank how many edges it is from the root.
    depths: Vec<Vec<usize>>,
}

impl Tree {
    pub(super) fn new(parents: Vec<Vec<Option<usize>>>) -> Self {
        let depths = parents.iter().map(|parents| (0..parents.len()).map(|rank| depth(parents, rank)).collect());
        Self { depths: depths.collect(), parents }
    }

    fn height(&self) -> usize {
        self.depths.iter().flatten().copied().fold(0, usize::max)
    }

    /// The edges that segment number `segment` crosses, each as the parent, the child and the parent's depth.
    fn edges(&self, segment: usize) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let turn = segment % self.parents.len();
        let parents = self.parents[turn].iter().enumerate();
        parents.filter_map(move |(child, parent)| Some(((*parent)?, child, self.depths[turn][(*parent)?])))
    }
}

fn depth(parents: &[Option<usize>], rank: usize) -> usize {
    std::iter::successors(Some(rank), |&rank| parents[rank]).count() - 1
}

/// Whether the broadcast of an all-reduce begins before all is reduced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    /// The height of the tree later.
    Yes,
    /// When the reduce is done.
    No,
}

/// The schedule along a tree for each part.
pub(super) fn along(request: &Request<'_>, trees: &[Tree], overlap: Overlap) -> Collective {
    let layout = Layout::of_segments(request.flits, trees.len(), request.segment_flits);
    let mut planner = Planner::new(request.operation, request.ranks, request.root, layout);
    let height = trees.iter().map(Tree::height).fold(0, usize::max);
    let mut up = Phase::default();
    let mut down = Phase::default();
    for (part, tree) in trees.iter().enumerate() {
        for segment in 0..planner.layout().blocks(part) {
            let set = planner.block(part, segment);
            for (parent, child, depth) in tree.edges(segment) {
                up.send(segment + height - 1 - depth, Move { part, src: child, dst: parent, set });
                down.send(segment + depth, Move { part, src: parent, dst: child, set });
            }
        }
    }
    if request.operation != Operation::Broadcast {
        planner.add(0, &up, Action::Reduce);
    }
    if request.operation != Operation::Reduce {
        let first = match (request.operation, overlap) {
            (Operation::Broadcast, _) => 0,
            (_, Overlap::Yes) => height,
            (_, Overlap::No) => up.len(),
        };
        planner.add(first, &down, Action::Copy);
    }
    planner.finish(0)
}
