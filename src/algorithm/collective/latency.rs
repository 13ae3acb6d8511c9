//! Butterflies for short vectors: everything in every step.
//!
//! **Problem.** All-reduce of short vectors on tori.
//!
//! **Idea.** Ranks exchange all of a part with the peer of each step of a butterfly ([`super::butterfly`]), *swing* or *doubling*; sides
//! that are no power of two are folded. Swing's peers are a third nearer.
//!
//! **Cost.** The sum of `log2 c_d` steps (2 more for each dimension that is folded) of `V / parts` flits each.
//!
//! **Source.** Swing, NSDI 2024 (arXiv 2401.09356), sections 3 and 4.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let swing = Algorithm::named("swing-latency").ok_or("no such algorithm")?;
//! let torus = Request { shape: vec![4, 6], ..Request::new(Operation::Allreduce, 24, 8) };
//! assert_eq!(swing.plan(&torus)?.steps(), 2 + 2 + 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::butterfly::{Butterfly, Core, Family};
use super::{Algorithm, Extent, Parts, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation, Phase};

pub(super) const SWING_LATENCY: Algorithm = Algorithm {
    name: "swing-latency",
    references: &[references::SWING],
    summary: "peers at distances 1, 1, 3, 5, 11, .. in alternating directions exchange all data, dimension by dimension",
    operations: &[Operation::Allreduce],
    takes: "any shape",
    parts: Parts::UpTo { per_dimension: 2, default: 0 },
    plan: |request| plan(request, Family::Swing),
    extent,
    ..Algorithm::DEFAULT
};

pub(super) const DOUBLING_LATENCY: Algorithm = Algorithm {
    name: "doubling-latency",
    references: &[references::SWING, references::MPICH],
    summary: "peers at distances 1, 2, 4, .. exchange all data, dimension by dimension",
    plan: |request| plan(request, Family::Doubling),
    ..SWING_LATENCY
};

/// The steps of a butterfly on the shape, those of folding included.
pub(super) fn steps(request: &Request<'_>) -> u64 {
    let each = |&side: &usize| super::counterpart::doublings(side) as u64 + 2;
    request.shape.iter().map(each).sum()
}

fn extent(request: &Request<'_>) -> Extent {
    let ranks = request.ranks as u64;
    let steps = steps(request);
    let parts = request.parts() as u64;
    Extent { steps, messages: steps * ranks * parts, vectors: steps * ranks, pieces: parts }
}

fn plan(request: &Request<'_>, family: Family) -> Collective {
    let parts = request.parts();
    let mut planner = request.planner(parts, 1);
    let butterfly = Butterfly::new(&request.shape, family, Core::PowerOfTwo);
    let mut fold = Phase::default();
    let mut exchange = Phase::default();
    for part in 0..parts {
        let set = planner.whole(part);
        for (step, folded) in butterfly.folding().into_iter().enumerate() {
            for one in folded {
                fold.send(step, Move { part, src: one.rank, dst: one.onto, set });
            }
        }
        for (step, peers) in butterfly.peers(part).into_iter().enumerate() {
            for (at, peer) in peers.into_iter().enumerate() {
                exchange.send(step, Move { part, src: butterfly.rank(at), dst: butterfly.rank(peer), set });
            }
        }
    }
    planner.add(0, &fold, Action::Reduce);
    planner.add(fold.len(), &exchange, Action::Reduce);
    planner.add(fold.len() + exchange.len(), &fold.reversed(), Action::Copy);
    planner.finish(request.segment_flits)
}
