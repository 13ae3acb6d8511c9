//! Bine trees: binomial trees whose edges are a third shorter.
//!
//! **Problem.** Broadcast, reduce, scatter, gather on a ring or a torus.
//!
//! **Idea.** Coordinates are taken relative to the root on the logical shape. The vector floods from coordinate 0 along the steps of
//! a swing butterfly ([`super::butterfly`]) in reverse order; odd sides are folded, and folded ranks have it from their partners
//! last. On `2^k` ranks in a row that is the negabinary tree of the paper: in step `i` the holders, their number `v` written in base
//! -2, send to `v xor (2^(k-i) - 1)`.
//!
//! **Cost.** The steps of a binomial tree, with distances that are a third shorter in all.
//!
//! **Source.** De Sensi et al., "Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality", SC 2025
//! (arXiv 2508.17311).
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let bine = Algorithm::named("bine").ok_or("no such algorithm")?;
//! let broadcast = bine.plan(&Request::new(Operation::Broadcast, 8, 1))?;
//! let sends: Vec<_> = (0..3).flat_map(|step| broadcast.messages(step)).map(|m| (m.src, m.dst)).collect();
//! assert_eq!(sends, [(0, 3), (0, 7), (3, 4), (0, 1), (3, 2), (4, 5), (7, 6)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::butterfly::{Butterfly, Core, Family};
use super::counterpart::Edge;
use super::flat::ROOTED;
use super::{Algorithm, Request, binomial};
use crate::references;
use crate::topology::Coordinates;
use crate::units::NodeId;

pub(super) const BINE: Algorithm = Algorithm {
    name: "bine",
    references: &[references::BINE],
    summary: "a binomial tree whose edges are a third shorter on rings and tori",
    operations: ROOTED,
    takes: "any shape",
    plan: |request| request.along_tree(edges(request)),
    extent: |request| {
        let more = 2 * request.shape.len() as u64;
        let all = binomial::extent(request);
        super::Extent { steps: all.steps + more, vectors: all.vectors + more * request.ranks as u64, ..all }
    },
    ..Algorithm::DEFAULT
};

/// The edges of the tree from the root.
fn edges(request: &Request<'_>) -> Vec<Edge> {
    let mut edges = edges_from_zero(&request.shape);
    // the ranks behind an edge: children come after their parents, so that those of a child are known when it is looked at
    let mut behind: Vec<Vec<usize>> = (0..request.ranks).map(|rank| vec![rank]).collect();
    for edge in edges.iter_mut().rev() {
        edge.behind = behind[edge.child].clone();
        let more = edge.behind.clone();
        behind[edge.parent].extend(more);
    }
    let torus = Coordinates::new(&request.shape, true);
    let moved = |rank: usize| from_root(&torus, rank, request.root);
    for edge in &mut edges {
        edge.parent = moved(edge.parent);
        edge.child = moved(edge.child);
        edge.behind.iter_mut().for_each(|rank| *rank = moved(*rank));
    }
    edges
}

/// The edges of the tree from rank 0, without what is behind them.
fn edges_from_zero(shape: &[usize]) -> Vec<Edge> {
    let butterfly = Butterfly::new(shape, Family::Swing, Core::Even);
    let mut edges = Vec::new();
    let mut holds = vec![false; butterfly.core_ranks()];
    holds[0] = true;
    let mut step = 0;
    let mut add = |step: usize, parent: usize, child: usize| {
        edges.push(Edge { step, parent, child, behind: Vec::new() });
    };
    for peers in butterfly.peers(0).into_iter().rev() {
        let holders: Vec<usize> = (0..holds.len()).filter(|&at| holds[at]).collect();
        for at in holders {
            if !holds[peers[at]] {
                holds[peers[at]] = true;
                add(step, butterfly.rank(at), butterfly.rank(peers[at]));
            }
        }
        step += 1;
    }
    for folded in butterfly.folding().into_iter().rev() {
        for one in folded {
            add(step, one.onto, one.rank);
        }
        step += 1;
    }
    edges
}

/// The rank at the coordinates of `rank`, counted from those of `root`.
fn from_root(torus: &Coordinates, rank: usize, root: usize) -> usize {
    let along = |d: usize| {
        let sum = torus.coordinate(NodeId::new(rank), d) + torus.coordinate(NodeId::new(root), d);
        sum % torus.shape()[d] * torus.stride(d)
    };
    (0..torus.dimensions()).map(along).sum()
}
