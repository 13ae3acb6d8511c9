//! Trivance: ranks exchange with two peers at once, and what they hold triples.
//!
//! **Problem.** All-reduce (and for long vectors its halves) on tori with two links a dimension.
//!
//! **Idea.** In step `k` of a dimension of `n` nodes coordinate `x` exchanges with `x + 3^k` and `x - 3^k`. For short vectors it sends them
//! all of a part, which takes powers of three: elsewhere contributions count twice. For long vectors the allgather is a flood
//! in reverse order of the steps, the last of which has the distance `ceil((n - 3^(K-1)) / 2)`, `K = ceil(log3 n)`.
//!
//! **Cost.** The sum of `ceil(log3 n_d)` steps, of `V / parts` flits each or `(P-1) V/(P parts)` in all each way.
//!
//! **Source.** Trivance, arXiv 2602.17254. With the peers of the code that was published with it the variant for short vectors
//! counts contributions twice unless every side is a power of three (rings of 8 and 64: twice; 16 and 32: three times), so
//! other sizes are not taken.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let trivance = Algorithm::named("trivance-latency").ok_or("no such algorithm")?;
//! assert_eq!(trivance.plan(&Request::new(Operation::Allreduce, 9, 1))?.steps(), 2);
//! assert!(trivance.admits(&Request::new(Operation::Allreduce, 8, 1)).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::butterfly::{Turn, turns};
use super::flood::Flood;
use super::ring::OF_SHARES;
use super::{Algorithm, Extent, Parts, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation, Phase};
use crate::topology::Coordinates;
use crate::units::NodeId;

pub(super) const TRIVANCE_LATENCY: Algorithm = Algorithm {
    name: "trivance-latency",
    references: &[references::TRIVANCE],
    summary: "peers at distances 1, 3, 9, .. in both directions exchange all data, dimension by dimension",
    operations: &[Operation::Allreduce],
    takes: "shapes whose sides are powers of three",
    parts: Parts::UpTo { per_dimension: 1, default: 0 },
    admits: |request| request.shape.iter().all(|&side| power(triplings(side)) == side),
    plan: latency,
    extent: |request| {
        let ranks = request.ranks as u64;
        let steps = steps(request);
        let parts = request.parts() as u64;
        Extent { steps, messages: 2 * steps * ranks * parts, vectors: 2 * steps * ranks, pieces: parts }
    },
    ..Algorithm::DEFAULT
};

pub(super) const TRIVANCE_BANDWIDTH: Algorithm = Algorithm {
    name: "trivance-bandwidth",
    references: &[references::TRIVANCE],
    summary: "as trivance-latency, but each block is sent only where it is needed",
    operations: OF_SHARES,
    takes: "any shape",
    admits: |_| true,
    plan: bandwidth,
    extent: |request| request.extent_of_halves(steps(request), 2 * request.parts() as u64),
    ..TRIVANCE_LATENCY
};

/// The smallest number of triplings that make `side` of one: `ceil(log3 n)`.
fn triplings(side: usize) -> usize {
    (0..side).find(|&k| power(k) >= side).unwrap_or(side)
}

/// `3^k`.
fn power(k: usize) -> usize {
    (0..k).fold(1, |power, _| 3 * power)
}

fn steps(request: &Request<'_>) -> u64 {
    request.shape.iter().map(|&side| triplings(side) as u64).sum()
}

/// Per step of a part the peers above, and those below, of each rank; `distance` says how far.
fn peers(torus: &Coordinates, part: usize, distance: fn(usize, usize) -> usize) -> Vec<[Vec<usize>; 2]> {
    let along = |Turn { dimension, step }: Turn| {
        let side = torus.shape()[dimension];
        let stride = torus.stride(dimension);
        let by = distance(side, step) % side;
        [by, side - by].map(|by| {
            let peer = |rank: usize| {
                let from = torus.coordinate(NodeId::new(rank), dimension);
                rank - from * stride + (from + by) % side * stride
            };
            (0..torus.nodes()).map(peer).collect()
        })
    };
    turns(torus, part, triplings).into_iter().map(along).collect()
}

/// The distance in step `step` of a dimension of `side` nodes.
fn tripled(_side: usize, step: usize) -> usize {
    power(step)
}

/// The same, the last step no farther than it has to go.
fn tripled_to_the_end(side: usize, step: usize) -> usize {
    if step + 1 == triplings(side) { (side - power(step)).div_ceil(2) } else { tripled(side, step) }
}

fn latency(request: &Request<'_>) -> Collective {
    let parts = request.parts();
    let mut planner = request.planner(parts, 1);
    let torus = Coordinates::new(&request.shape, true);
    for part in 0..parts {
        let set = planner.whole(part);
        for (step, both) in peers(&torus, part, tripled).into_iter().enumerate() {
            for peers in both {
                for (src, dst) in peers.into_iter().enumerate() {
                    planner.send(step, Move { part, src, dst, set }, Action::Reduce);
                }
            }
        }
    }
    planner.finish(request.segment_flits)
}

fn bandwidth(request: &Request<'_>) -> Collective {
    let parts = request.parts();
    let mut planner = request.planner(parts, request.ranks);
    let torus = Coordinates::new(&request.shape, true);
    let mut allgather = Phase::default();
    for part in 0..parts {
        let mut flood = Flood::new(request.ranks);
        for (step, both) in peers(&torus, part, tripled_to_the_end).into_iter().rev().enumerate() {
            for sending in flood.step(&both) {
                let set = planner.set(part, sending.blocks);
                allgather.send(step, Move { part, src: sending.src, dst: sending.dst, set });
            }
        }
    }
    request.by_allgather(planner, &allgather)
}
