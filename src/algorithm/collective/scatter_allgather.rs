//! Scatter and allgather for a long broadcast, reduce-scatter and gather for a long reduce.
//!
//! **Problem.** Broadcast and reduce of vectors that are long for the number of ranks.
//!
//! **Idea.** The root scatters the vector along a binomial tree, then all ranks pass their shares on round a ring. A reduce
//! goes the other way: reduce-scatter round the ring, then a gather along the tree. As published, ranks take in shares that
//! they have already: those flits are counted as redundant.
//!
//! **Cost.** `ceil(log2 P) + P - 1` steps; `2 (P-1) V/P` flits on the critical path.
//!
//! **Source.** Barnett, Shuler, van de Geijn et al., "Interprocessor Collective Communication Library (InterCom)", 1994;
//! Thakur, Rabenseifner, Gropp 2005, section 4.2.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let algorithm = Algorithm::named("scatter-allgather").ok_or("no such algorithm")?;
//! let broadcast = algorithm.plan(&Request::new(Operation::Broadcast, 8, 64))?;
//! assert_eq!(broadcast.steps(), 3 + 7);
//! assert!(broadcast.check()?.redundant_flits > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::counterpart::{doublings, set_of};
use super::ring::Ring;
use super::{Algorithm, Extent, Request, binomial};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation, Phase, Planner};

pub(super) const SCATTER_ALLGATHER: Algorithm = Algorithm {
    name: "scatter-allgather",
    references: &[references::INTERCOM, references::MPICH],
    summary: "a binomial scatter, then a ring all-gather",
    operations: &[Operation::Broadcast],
    plan: broadcast,
    extent,
    ..Algorithm::DEFAULT
};

pub(super) const REDUCE_SCATTER_GATHER: Algorithm = Algorithm {
    name: "reduce-scatter-gather",
    references: &[references::RABENSEIFNER, references::MPICH],
    summary: "a ring reduce-scatter, then a binomial gather",
    operations: &[Operation::Reduce],
    plan: reduce,
    ..SCATTER_ALLGATHER
};

fn extent(request: &Request<'_>) -> Extent {
    let ranks = request.ranks as u64;
    let steps = doublings(request.ranks) as u64;
    Extent { steps: steps + ranks - 1, messages: (ranks - 1) * (ranks + 1), vectors: steps + ranks - 1, pieces: ranks }
}

fn broadcast(request: &Request<'_>) -> Collective {
    let mut planner = request.planner(1, request.ranks);
    let scatter = scatter(request, &mut planner);
    let mut allgather = Phase::default();
    Ring::of_ranks(&mut planner, 0, (0..request.ranks).collect()).allgather(0, &mut allgather);
    planner.add(0, &scatter, Action::Copy);
    planner.add(scatter.len(), &allgather, Action::Copy);
    planner.finish(request.segment_flits)
}

fn reduce(request: &Request<'_>) -> Collective {
    let mut planner = request.planner(1, request.ranks);
    let gather = scatter(request, &mut planner).reversed();
    let mut reduce_scatter = Phase::default();
    Ring::of_ranks(&mut planner, 0, (0..request.ranks).collect()).reduce_scatter(0, &mut reduce_scatter);
    planner.add(0, &reduce_scatter, Action::Reduce);
    planner.add(reduce_scatter.len(), &gather, Action::Copy);
    planner.finish(request.segment_flits)
}

/// The scatter along a binomial tree.
fn scatter(request: &Request<'_>, planner: &mut Planner) -> Phase {
    let mut scatter = Phase::default();
    for edge in binomial::edges(request) {
        let set = set_of(planner, 0, edge.behind);
        scatter.send(edge.step, Move { part: 0, src: edge.parent, dst: edge.child, set });
    }
    scatter
}
