//! Rabenseifner's all-reduce: recursive halving, then recursive doubling.
//!
//! **Problem.** All-reduce of long vectors in few steps.
//!
//! **Idea.** The vector is cut into `m` blocks, `m` the largest power of two up to `P`. In step `i` of the reduce-scatter `v` keeps the lower
//! half of its current range if bit `i` of `v` is 0, else the upper one, and sends the other half to `v xor 2^i`. Then, in reverse
//! order of `i`, `v` copies the range that it kept in step `i`, by then complete, to `v xor 2^i`. Other numbers of ranks are folded.
//!
//! **Cost.** `2 log2 m` steps (2 more with extra ranks) and `2 (m-1) V/m` flits on the critical path (`2 V` more).
//!
//! **Source.** Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let rabenseifner = Algorithm::named("rabenseifner").ok_or("no such algorithm")?;
//! let allreduce = rabenseifner.plan(&Request::new(Operation::Allreduce, 5, 10))?;
//! let first: Vec<_> = allreduce.messages(1).map(|m| (m.src, m.dst, m.flits.0)).collect();
//! assert_eq!(first, [(1, 2, 4), (2, 1, 6), (3, 4, 4), (4, 3, 6)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::fold::Fold;
use super::recursive_halving::extent;
use super::{Algorithm, Request};
use crate::references;
use crate::schedule::collective::{Action, Collective, Move, Operation, Phase};
use std::ops::Range;

pub(super) const RABENSEIFNER: Algorithm = Algorithm {
    name: "rabenseifner",
    references: &[references::RABENSEIFNER, references::MPICH],
    summary: "recursive halving, then recursive doubling",
    operations: &[Operation::Allreduce],
    plan,
    extent,
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let fold = Fold::of_ranks(request.ranks);
    let mut planner = request.planner(1, fold.inner);
    let steps = fold.doublings();
    let mut halving = Phase::default();
    let mut doubling = Phase::default();
    for step in 0..steps {
        for v in 0..fold.inner {
            let src = fold.rank(v);
            let dst = fold.rank(v ^ 1 << step);
            let kept = kept(v, step, fold.inner);
            let given = kept_by_partner(&kept, v >> step & 1 == 0);
            let set = planner.run(0, given);
            halving.send(step, Move { part: 0, src, dst, set });
            let set = planner.run(0, kept);
            doubling.send(steps - 1 - step, Move { part: 0, src, dst, set });
        }
    }
    let whole = planner.whole(0);
    let give = fold.give(whole);
    planner.add(0, &give, Action::Reduce);
    planner.add(1, &halving, Action::Reduce);
    planner.add(1 + steps, &doubling, Action::Copy);
    planner.add(1 + 2 * steps, &give.reversed(), Action::Copy);
    planner.finish(request.segment_flits)
}

/// The blocks that `v` keeps in step `step` of the halving.
fn kept(v: usize, step: usize, blocks: usize) -> Range<usize> {
    let halve = |range: Range<usize>, step: usize| {
        let middle = range.start.midpoint(range.end);
        if v >> step & 1 == 0 { range.start..middle } else { middle..range.end }
    };
    (0..=step).fold(0..blocks, halve)
}

/// The other half of the range that `kept` is the lower or the upper half of.
fn kept_by_partner(kept: &Range<usize>, is_lower: bool) -> Range<usize> {
    if is_lower { kept.end..kept.end + kept.len() } else { kept.start - kept.len()..kept.start }
}
