//! *Problem.* Exchange along a ring of any size.
//!
//! *Idea.* In each step every node passes everything that is not for itself to its neighbour.
//!
//! *Cost.* `n - 1` start-ups; a ring's critical path carries `n (n-1) / 2` blocks. On N x N: `2 (N-1)` start-ups and
//! `N^2 (N-1)` blocks. At most one message a channel in every step.
//!
//! *Source.* All-to-all exchange paper, sections 2 and 4 ("naive method"). The variant that sends each block the
//! shorter way round, first all that go up, then all that go down, is ours: as many start-ups, about half the blocks.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! let [one_way, both_ways] = ["naive", "naive-bidirectional"].map(|name| Algorithm::named(name).unwrap());
//! let proof = one_way.plan(&[3, 5])?.check()?;
//! // 15 nodes: five rings of 3 carry 3 blocks each for every node of the other dimension, three rings of 5 carry 10
//! assert_eq!((proof.startups, proof.critical_blocks), (2 + 4, 5 * 3 + 3 * 10));
//! let proof = both_ways.plan(&[3, 5])?.check()?;
//! assert_eq!((proof.startups, proof.critical_blocks), (2 + 4, 5 * 2 + 3 * 6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::ring::{Halves, Pass, Program, arc, halves};
use crate::schedule::Bits;

pub(super) fn one_way(n: usize) -> Program {
    let pass = move |_, p| Some(Pass { hops: 1, what: Bits::all(n).without([p]) });
    Program::new(n - 1, n * (n - 1) / 2, pass)
}

pub(super) fn both_ways(n: usize) -> Program {
    let Halves { usual: up, other: down } = halves(n);
    let pass = move |step, p| {
        // none are left ahead from the step on in which all turn round
        let ahead = up.saturating_sub(step);
        Some(match ahead {
            0 => Pass { hops: -1, what: Bits::all(n).without([p]) },
            _ => Pass { hops: 1, what: Bits::none(n).with(arc(n, p + 1, ahead)) },
        })
    };
    Program::new(up + down, (up * (up + 1) + down * (down + 1)) / 2, pass)
}
