//! *Problem.* Exchange on an R x C torus whose sides are multiples of four, with half the start-ups of double-hop.
//!
//! *Idea.* Nodes fall into four classes by `(row + column) mod 4`; moves by four keep the class. In the first phase
//! classes 0 and 2 work along rows, one each way, while 1 and 3 work along columns; in the second they change places.
//! Then every block is in the 4x4 submesh of its destination: a step of two hops along each dimension brings it into
//! the 2x2 submesh, a step of one hop along each brings it home.
//!
//! *Cost.* `L/2 + 2` start-ups with `L` the longer side, `R C (L + 4) / 4` blocks on the critical path. At most one
//! message a channel in every step. With one virtual channel, nodes that run ahead can deadlock if the sides differ:
//! those that work along the shorter side are done with a phase sooner.
//!
//! *Source.* Suh and Shin, *All-to-All Personalized Communication in Multidimensional Torus and Mesh Networks*, IEEE
//! TPDS 12(1), 2001, rebuilt from the scheme as published; its costs come out as printed there. The variant that sends
//! each block the shorter way round is ours.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! use flitwise::schedule::dependency::loads;
//! use flitwise::topology::Torus;
//! let exchange = Algorithm::named("suh-shin").unwrap().plan(&[8, 4])?;
//! let proof = exchange.check()?;
//! assert_eq!((proof.startups, proof.critical_blocks), (8 / 2 + 2, 8 * 4 * (8 + 4) / 4));
//! assert!(loads(&exchange, &Torus::new(&[8, 4], 1, 1)?).iter().all(|step| step.messages == 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::ring::{Pass, arc, halves, prepare};
use crate::schedule::{Axes, Bits, CriticalPath, Exchange, Planner};
use crate::units::NodeId;

const ROWS: usize = 0;
const COLUMNS: usize = 1;

/// Whether blocks go round a ring of submeshes one way or the shorter way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ways {
    One,
    Both,
}

/// The exchange on a torus of `shape`, both sides multiples of four.
pub(super) fn plan(shape: &[usize], ways: Ways) -> Exchange {
    let mut planner = Planner::new(shape, Axes::Dimensions);
    let rounds = longer(shape) / 4 - 1;
    for first_phase in [true, false] {
        for step in 0..rounds {
            in_step(&mut planner, shape, |row, column| {
                let class = (row + column) % 4;
                let dimension = if class.is_multiple_of(2) == first_phase { COLUMNS } else { ROWS };
                let n = shape[dimension];
                let p = [row, column][dimension];
                let sign = if class < 2 { 1 } else { -1 };
                Some((dimension, by_fours(n, p, step, sign, ways)?))
            });
        }
    }
    for first in [true, false] {
        in_step(&mut planner, shape, |row, column| {
            let dimension = if ((row + column) % 2 == 0) == first { COLUMNS } else { ROWS };
            let n = shape[dimension];
            let p = [row, column][dimension];
            let (hops, start) = if p % 4 < 2 { (2, p - p % 2 + 2) } else { (-2, p - p % 2 - 2) };
            Some((dimension, Pass { hops, what: Bits::none(n).with([start, start + 1]) }))
        });
    }
    for dimension in [COLUMNS, ROWS] {
        in_step(&mut planner, shape, |row, column| {
            let n = shape[dimension];
            let p = [row, column][dimension];
            let hops = if p.is_multiple_of(2) { 1 } else { -1 };
            Some((dimension, Pass { hops, what: Bits::none(n).with([p ^ 1]) }))
        });
    }
    planner.finish()
}

/// What a node at `p` of a ring of `n` passes on by fours in a step; `sign` is its class's usual way.
fn by_fours(n: usize, p: usize, step: usize, sign: i32, ways: Ways) -> Option<Pass> {
    let submesh = |index: usize| arc(n, 4 * index, 4);
    let at = p / 4;
    let submeshes = n / 4;
    let elsewhere = || Bits::all(n).without(submesh(at));
    // none are left ahead from the step on in which the class turns round
    let ahead = halves(submeshes).usual.saturating_sub(step);
    match ways {
        Ways::One => Some(Pass { hops: 4 * sign, what: elsewhere() }),
        Ways::Both if ahead == 0 => Some(Pass { hops: -4 * sign, what: elsewhere() }),
        Ways::Both => {
            let next = |distance| if sign > 0 { at + distance } else { at + submeshes - distance };
            Some(Pass { hops: 4 * sign, what: Bits::none(n).with((1..=ahead).flat_map(|d| submesh(next(d)))) })
        }
    }
}

/// A step in which the node at each row and column passes on what `pass` says along the dimension it says.
fn in_step(planner: &mut Planner, shape: &[usize], pass: impl Fn(usize, usize) -> Option<(usize, Pass)>) {
    for row in 0..shape[ROWS] {
        for column in 0..shape[COLUMNS] {
            let Some((dimension, pass)) = pass(row, column) else { continue };
            if let Some((way, what)) = prepare(planner, dimension, &pass) {
                planner.send(NodeId::new(row * shape[COLUMNS] + column), &[way], dimension, what);
            }
        }
    }
    planner.end_step();
}

/// As published; for the variant that goes both ways, the larger of the two dimensions' messages in every step.
pub(super) fn costs(shape: &[usize], ways: Ways) -> CriticalPath {
    let nodes: usize = shape.iter().product();
    let longer = longer(shape);
    let blocks = match ways {
        Ways::One => nodes * (longer + 4) / 4,
        Ways::Both => {
            let along = |n: usize, step| nodes / n * 4 * submeshes_ahead(n / 4, step);
            let in_step = |step| along(shape[ROWS], step).max(along(shape[COLUMNS], step));
            2 * (0..longer / 4 - 1).map(in_step).sum::<usize>() + 2 * nodes
        }
    };
    CriticalPath { startups: longer as u64 / 2 + 2, blocks: blocks as u64 }
}

fn longer(shape: &[usize]) -> usize {
    shape[ROWS].max(shape[COLUMNS])
}

/// How many submeshes a class serves with what it passes on in a step, of a ring of `submeshes`.
fn submeshes_ahead(submeshes: usize, step: usize) -> usize {
    let usual = halves(submeshes).usual;
    // the shorter side is done when the longer one still has steps to go
    if step < usual { usual - step } else { (submeshes - 1).saturating_sub(step) }
}
