//! Two Hamiltonian cycles of a torus that share no link, each both ways round.
//!
//! **Problem.** As for a ring, on a torus of two dimensions, with all four links of a node.
//!
//! **Idea.** On a shape of `k1 x k0`, cycle 0 visits in place `X = x1 k0 + x0` the node `(x1 mod k1, x0 + (k0-1) x1 mod k0)`,
//! cycle 1 the node `(x0 + (k0-1) x1 mod k1, x1 mod k0)`. Four parts go round: cycle 0, reversed, cycle 1, reversed.
//!
//! **Cost.** The steps of a ring and a quarter of its flits on the critical path.
//!
//! **Source.** The motif of HxMesh in SST's Ember; Bae, AlBdaiwi, Bose, "Edge-disjoint Hamiltonian cycles in
//! two-dimensional torus", 2004. Unless `gcd(k1, k0-1) = 1` cycle 1 visits some nodes several times and others never, on 12x4
//! 16 of 48 three times each, so such shapes are not taken.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let rings = Algorithm::named("hamiltonian-rings").ok_or("no such algorithm")?;
//! let torus = Request { shape: vec![4, 4], ..Request::new(Operation::Allreduce, 16, 640) };
//! let largest = rings.plan(&torus)?.messages(0).map(|message| message.flits.0).max();
//! assert_eq!(largest, Some(640 / 4 / 16));
//! assert!(rings.admits(&Request { shape: vec![12, 4], ..Request::new(Operation::Allreduce, 48, 1) }).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::ring::{OF_SHARES, along};
use super::{Algorithm, Parts, Request};
use crate::references;

pub(super) const HAMILTONIAN_RINGS: Algorithm = Algorithm {
    name: "hamiltonian-rings",
    references: &[references::HXMESH, references::HAMILTONIAN_CYCLES],
    summary: "two Hamiltonian cycles of a torus that share no link, each used in both directions",
    operations: OF_SHARES,
    takes: "shapes k1 x k0: k0 is at least 3 and divides k1, and k0-1 and k1 are coprime",
    parts: Parts::Fixed(4),
    admits,
    plan: |request| along(request, orders(request)),
    extent: |request| request.extent_of_halves(request.ranks as u64 - 1, 4),
    ..Algorithm::DEFAULT
};

fn admits(request: &Request<'_>) -> bool {
    let [rows, columns] = request.shape[..] else { return false };
    columns >= 3 && rows.is_multiple_of(columns) && greatest_common_divisor(rows, columns - 1) == 1
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The four orders in which ranks are visited.
fn orders(request: &Request<'_>) -> Vec<Vec<usize>> {
    let [rows, columns] = request.shape[..] else { return Vec::new() };
    let place = |at: usize| {
        let major = at / columns;
        let minor = at % columns;
        (major, minor + (columns - 1) * major)
    };
    let first: Vec<usize> = (0..rows * columns)
        .map(|at| {
            let (major, slanted) = place(at);
            major % rows * columns + slanted % columns
        })
        .collect();
    let second: Vec<usize> = (0..rows * columns)
        .map(|at| {
            let (major, slanted) = place(at);
            slanted % rows * columns + major % columns
        })
        .collect();
    let back = |order: &[usize]| order.iter().rev().copied().collect();
    vec![first.clone(), back(&first), second.clone(), back(&second)]
}
