//! TTO: three trees on a square mesh, repaired and as published.
//!
//! **Problem.** All-reduce of long vectors on an `n x n` mesh, with more than two links of a node busy.
//!
//! **Idea.** Each tree takes a third of the vector, segment by segment; it reduces completely, then broadcasts. Tree 0 has its root at
//! `(0,0)`: a node's parent is its left neighbour, in the first column the upper one. Tree 2 has its root at `(n-1,n-1)`: the lower
//! neighbour, in the last row the right one. Tree 1 has its root at `(0,n-1)`: stair `i = 0..n-2` stands at `(i, n-1-i)`; left of it in its
//! row a node's parent is the right neighbour, below it in its column the upper one; stair `i+1` hangs under the left neighbour
//! of stair `i`.
//!
//! **What is wrong with it.** So defined, as in the code that was published with the paper, tree 1 does not reach the corner
//! `(n-1, 0)`: a third of the vector lacks its contribution, and it lacks a third of the result. `tto-as-published` keeps that, and runs
//! only where `unproved = true`. `tto` hangs the corner under `(n-2,0)` for even segments and under `(n-1,1)` for odd ones; its two
//! links then carry more than those of other nodes.
//!
//! **Cost.** `2 (H + K - 1)` steps of a segment of each third, with `H = 2 (n-1)`.
//!
//! **Source.** Laskar, Majhi, Kim, Mahmud, Muzahid, Kim, "Enhancing Collective Communication in MCM Accelerators for Deep
//! Learning Training", HPCA 2024.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let mesh = Request { shape: vec![4, 4], ..Request::new(Operation::Allreduce, 16, 48) };
//! assert!(Algorithm::named("tto").ok_or("no such algorithm")?.plan(&mesh)?.check().is_ok());
//! let published = Algorithm::named("tto-as-published").ok_or("no such algorithm")?.plan(&mesh)?;
//! assert!(published.check().is_err_and(|wrong| wrong.to_string().contains("rank 12 is missing")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::pipelined::{Overlap, Tree, along, extent};
use super::{Algorithm, Parts, Request};
use crate::references;
use crate::schedule::collective::{Collective, Operation};

pub(super) const TTO: Algorithm = Algorithm {
    name: "tto",
    references: &[references::TTO],
    summary: "three trees on a square mesh with a third of the vector each, including the corner that the published trees omit",
    operations: &[Operation::Allreduce],
    takes: "shapes n x n with n of at least 3",
    parts: Parts::Fixed(3),
    pipelined: true,
    admits: |request| matches!(request.shape[..], [rows, columns] if rows == columns && rows >= 3),
    plan: |request| plan(request, Corner::Reached),
    extent: |request| extent(request, 3, 4 * request.shape.first().map_or(1, |&side| side as u64)),
    ..Algorithm::DEFAULT
};

pub(super) const TTO_AS_PUBLISHED: Algorithm = Algorithm {
    name: "tto-as-published",
    references: &[references::TTO],
    summary: "as tto, but the middle tree omits a corner, so the result is not an all-reduce",
    unproved: true,
    plan: |request| plan(request, Corner::LeftOut),
    ..TTO
};

/// What becomes of the corner `(n-1, 0)` in the middle tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Corner {
    Reached,
    LeftOut,
}

fn plan(request: &Request<'_>, corner: Corner) -> Collective {
    let side = request.shape[0];
    let at = |row: usize, column: usize| row * side + column;
    let last = side - 1;
    let mut upper_left = vec![None; side * side];
    let mut lower_right = vec![None; side * side];
    for row in 0..side {
        for column in 0..side {
            upper_left[at(row, column)] = match (row, column) {
                (0, 0) => None,
                (row, 0) => Some(at(row - 1, 0)),
                (row, column) => Some(at(row, column - 1)),
            };
            lower_right[at(row, column)] = match (row, column) {
                _ if row == last && column == last => None,
                (row, column) if row == last => Some(at(last, column + 1)),
                (row, column) => Some(at(row + 1, column)),
            };
        }
    }
    let middle = middle(side);
    let turns = match corner {
        Corner::LeftOut => vec![middle],
        Corner::Reached => {
            let mut even = middle.clone();
            let mut odd = middle;
            even[at(last, 0)] = Some(at(last - 1, 0));
            odd[at(last, 0)] = Some(at(last, 1));
            vec![even, odd]
        }
    };
    let trees = [Tree::new(vec![upper_left]), Tree::new(turns), Tree::new(vec![lower_right])];
    along(request, &trees, Overlap::No)
}

/// The parents of the tree along the stairs, which does not reach the corner `(side-1, 0)`.
fn middle(side: usize) -> Vec<Option<usize>> {
    let at = |row: usize, column: usize| row * side + column;
    let mut parents = vec![None; side * side];
    for stair in 0..side - 1 {
        let column = side - 1 - stair;
        for left in 0..column {
            parents[at(stair, left)] = Some(at(stair, left + 1));
        }
        for below in stair + 1..side {
            parents[at(below, column)] = Some(at(below - 1, column));
        }
        if stair > 0 {
            // the left neighbour of the stair before stands above it
            parents[at(stair, column)] = Some(at(stair - 1, column));
        }
    }
    parents
}
