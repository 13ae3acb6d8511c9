//! Neighbour exchange: pairs of neighbours swap what came last.
//!
//! **Problem.** Allgather among an even number of ranks, between neighbours only.
//!
//! **Idea.** In step `s` even ranks meet `r+1` if `s` is even, else `r-1`; odd ranks the reverse. In step 0 they swap their own blocks, in
//! step 1 both blocks of their pair, later what came last.
//!
//! **Cost.** `P/2` steps and `(P-1) V/P` flits: half of the ring's steps.
//!
//! **Source.** Chen, Zhang, Zhang, Yuan, "Performance Evaluation of Allgather Algorithms on Terascale Linux Cluster with Fast
//! Ethernet", 2005.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let exchange = Algorithm::named("neighbour-exchange").ok_or("no such algorithm")?;
//! assert_eq!(exchange.plan(&Request::new(Operation::Allgather, 6, 6))?.steps(), 3);
//! assert!(exchange.admits(&Request::new(Operation::Allgather, 5, 5)).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{Algorithm, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation};

pub(super) const NEIGHBOUR_EXCHANGE: Algorithm = Algorithm {
    name: "neighbour-exchange",
    references: &[references::NEIGHBOUR_EXCHANGE],
    summary: "pairs of neighbours swap the blocks that they received last",
    operations: &[Operation::Allgather],
    takes: "an even number of ranks",
    admits: |request| request.ranks.is_multiple_of(2),
    plan,
    extent: |request| request.extent_of_halves(request.ranks as u64 / 2, 1),
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let ranks = request.ranks;
    let mut planner = request.planner(1, ranks);
    // the pair of blocks that each rank passes on in the next step, by its even rank
    let mut pair: Vec<usize> = (0..ranks).map(|rank| rank / 2 * 2).collect();
    for step in 0..ranks / 2 {
        let meets = |rank: usize| {
            let up = rank.is_multiple_of(2) == step.is_multiple_of(2);
            if up { (rank + 1) % ranks } else { (rank + ranks - 1) % ranks }
        };
        for (src, &first) in pair.iter().enumerate() {
            let blocks = if step == 0 { src..src + 1 } else { first..first + 2 };
            let set = planner.run(0, blocks);
            planner.send(step, Move { part: 0, src, dst: meets(src), set }, Action::Copy);
        }
        if step > 0 {
            pair = (0..ranks).map(|rank| pair[meets(rank)]).collect();
        }
    }
    planner.finish(request.segment_flits)
}
