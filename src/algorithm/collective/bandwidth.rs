//! Butterflies for long vectors: each block goes only where it is needed.
//!
//! **Problem.** Allgather, backwards reduce-scatter, and both for an all-reduce of long vectors on tori.
//!
//! **Idea.** In the allgather every block spreads from its rank along the steps of a butterfly ([`super::butterfly`]) in reverse order:
//! holders copy it to peers that lack it. Sides that do not fit (odd ones with *swing*, those that are no power of two with
//! *doubling*) are folded: a rank of the core answers for those folded onto it.
//!
//! **Cost.** The sum of `ceil(log2 c_d)` steps each way; `(P-1) V/(P parts)` flits each way on the critical path for powers of two.
//! On the busiest link of a 64x64 torus swing puts 1.18 times what the bound asks for, doubling 1.5 times.
//!
//! **Source.** Swing, NSDI 2024 (arXiv 2401.09356), section 4; with *swing* also the butterfly of Bine trees (SC 2025, arXiv
//! 2508.17311).
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let swing = Algorithm::named("swing-bandwidth").ok_or("no such algorithm")?;
//! let scattered = swing.plan(&Request::new(Operation::ReduceScatter, 8, 8))?;
//! let of_rank_0: Vec<_> = (0..3).flat_map(|step| scattered.messages(step)).filter(|m| m.src == 0).collect();
//! let carried: Vec<_> = of_rank_0.iter().map(|m| (m.dst, m.flits.0)).collect();
//! assert_eq!(carried, [(1, 4), (7, 2), (3, 1)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::butterfly::{Butterfly, Core, Family};
use super::counterpart::set_of;
use super::flood::Flood;
use super::latency::steps;
use super::ring::OF_SHARES;
use super::{Algorithm, Parts, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation, Phase, Planner, SetId};
use std::ops::Range;

pub(super) const SWING_BANDWIDTH: Algorithm = Algorithm {
    name: "swing-bandwidth",
    references: &[references::SWING],
    summary: "as swing-latency, but each block is sent only where it is needed",
    operations: OF_SHARES,
    takes: "any shape",
    parts: Parts::UpTo { per_dimension: 2, default: 0 },
    plan: |request| plan(request, Family::Swing, Core::Even),
    extent: |request| {
        let all = request.extent_of_halves(steps(request), request.parts() as u64);
        // folded ranks give and are given all
        super::Extent { vectors: all.vectors + 2 * request.ranks as u64, ..all }
    },
    ..Algorithm::DEFAULT
};

pub(super) const DOUBLING_BANDWIDTH: Algorithm = Algorithm {
    name: "doubling-bandwidth",
    references: &[references::SWING, references::RABENSEIFNER],
    summary: "as doubling-latency, but each block is sent only where it is needed",
    plan: |request| plan(request, Family::Doubling, Core::PowerOfTwo),
    ..SWING_BANDWIDTH
};

fn plan(request: &Request<'_>, family: Family, core: Core) -> Collective {
    let parts = request.parts();
    let butterfly = Butterfly::new(&request.shape, family, core);
    let mut planner = request.planner(parts, butterfly.core_ranks());
    let answers = Answers::new(request, &butterfly);
    let mut give = Phase::default();
    let mut allgather = Phase::default();
    let mut take = Phase::default();
    for part in 0..parts {
        answers.fold(&mut planner, part, &mut give, &mut take);
        flood(&mut planner, &butterfly, &answers, part, &mut allgather);
    }
    let combines = request.operation != Operation::Allgather;
    let gathers = request.operation != Operation::ReduceScatter;
    planner.add(0, &give, if combines { Action::Reduce } else { Action::Copy });
    let mut next = give.len();
    if combines {
        planner.add(next, &allgather.reversed(), Action::Reduce);
        next += allgather.len();
    }
    if gathers {
        planner.add(next, &allgather, Action::Copy);
        next += allgather.len();
    }
    planner.add(next, &take, Action::Copy);
    planner.finish(request.segment_flits)
}

/// Adds the allgather of a part among the ranks of the core.
fn flood(planner: &mut Planner, butterfly: &Butterfly, answers: &Answers<'_>, part: usize, phase: &mut Phase) {
    let mut flood = Flood::new(butterfly.core_ranks());
    for (step, peers) in butterfly.peers(part).into_iter().rev().enumerate() {
        for sending in flood.step(&[peers]) {
            let set = answers.set(planner, part, sending.blocks);
            let src = butterfly.rank(sending.src);
            let dst = butterfly.rank(sending.dst);
            phase.send(step, Move { part, src, dst, set });
        }
    }
}

/// The blocks that ranks answer for.
struct Answers<'a> {
    request: &'a Request<'a>,
    butterfly: &'a Butterfly,
    /// Where ranks have shares and some are folded: per number of the core the blocks of its rank and of all folded onto it.
    of_core: Option<Vec<Vec<usize>>>,
}

impl<'a> Answers<'a> {
    fn new(request: &'a Request<'a>, butterfly: &'a Butterfly) -> Self {
        let folding = butterfly.folding();
        let of_core = (request.operation.has_shares() && !folding.is_empty()).then(|| {
            let mut of_rank: Vec<Vec<usize>> = (0..request.ranks).map(|rank| vec![rank]).collect();
            for one in folding.iter().flatten() {
                let given = of_rank[one.rank].clone();
                of_rank[one.onto].extend(given);
            }
            (0..butterfly.core_ranks()).map(|at| of_rank[butterfly.rank(at)].clone()).collect()
        });
        Self { request, butterfly, of_core }
    }

    /// The set of what the ranks of the core with these numbers answer for.
    fn set(&self, planner: &mut Planner, part: usize, core: Vec<Range<usize>>) -> SetId {
        match &self.of_core {
            None => planner.set(part, core),
            Some(of_core) => {
                let blocks = core.into_iter().flatten().flat_map(|at| of_core[at].iter().copied()).collect();
                set_of(planner, part, blocks)
            }
        }
    }

    /// What folded ranks give first and are given last.
    fn fold(&self, planner: &mut Planner, part: usize, give: &mut Phase, take: &mut Phase) {
        let folding = self.butterfly.folding();
        let steps = folding.len();
        let mut own: Vec<Vec<usize>> = (0..self.request.ranks).map(|rank| vec![rank]).collect();
        for (step, folded) in folding.into_iter().enumerate() {
            for one in folded {
                let answered = own[one.rank].clone();
                let (gives, takes) = self.exchanged(planner, part, &answered);
                give.send(step, Move { part, src: one.rank, dst: one.onto, set: gives });
                take.send(steps - 1 - step, Move { part, src: one.onto, dst: one.rank, set: takes });
                own[one.onto].extend(answered);
            }
        }
    }

    /// What a rank that answers for the blocks `own` gives, and is given.
    fn exchanged(&self, planner: &mut Planner, part: usize, own: &[usize]) -> (SetId, SetId) {
        match self.request.operation {
            Operation::Allgather => {
                let others = (0..self.request.ranks).filter(|block| !own.contains(block)).collect();
                (set_of(planner, part, own.to_vec()), set_of(planner, part, others))
            }
            Operation::ReduceScatter => (planner.whole(part), set_of(planner, part, own.to_vec())),
            _ => (planner.whole(part), planner.whole(part)),
        }
    }
}
