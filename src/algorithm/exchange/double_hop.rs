//! *Problem.* Exchange along a ring of an even number of nodes in half the steps of the naive way.
//!
//! *Idea.* Nodes `{e, e+1}` are the home of even sources, `{o, o+1}` that of odd ones. Even nodes pass everything that
//! is not at home two hops up, odd nodes two hops down: the two never meet on a channel. After `n/2 - 1` steps all is
//! home, and one hop up ends it.
//!
//! *Cost.* `n/2` start-ups; a ring's critical path carries `n^2 / 4` blocks. On N x N: N start-ups, `N^3 / 2` blocks.
//! At most one message a channel in every step, and an acyclic channel dependency graph with one virtual channel.
//!
//! *Source.* All-to-all exchange paper, section 2. It prints the transmission time as `N^2 (N-2) / 2 + 2`: the last
//! step of a phase carries `N^2 / 2` blocks, not one. The figures of the rows FDH and BDH contradict the text in
//! places; what is built here is what its Figs. 1 and 8 show. The variant that sends each block the shorter way round
//! is ours.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! let [naive, double_hop] = ["naive", "double-hop"].map(|name| Algorithm::named(name).unwrap());
//! let proof = double_hop.plan(&[6, 6])?.check()?;
//! assert_eq!((proof.startups, proof.critical_blocks), (6, 6 * 6 * 6 / 2));
//! let proof = naive.plan(&[6, 6])?.check()?;
//! assert_eq!((proof.startups, proof.critical_blocks), (2 * 5, 6 * 6 * 5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::ring::{Halves, Pass, Program, arc, halves, signed};
use crate::schedule::{Bits, CriticalPath};

pub(super) fn one_way(n: usize) -> Program {
    let pass = move |step, p| {
        if step == n / 2 - 1 {
            return Some(last_hop(n, p));
        }
        Some(Pass { hops: usual_way(p), what: Bits::all(n).without([p, (p + 1) % n]) })
    };
    Program::new(n / 2, n * n / 4, pass)
}

/// For an N x N torus as the paper prints it (section 4).
pub(super) fn printed(n: u64) -> CriticalPath {
    CriticalPath { startups: n, blocks: n * n * (n - 2) / 2 + 2 }
}

pub(super) fn both_ways(n: usize) -> Program {
    let Halves { usual, other } = halves(n / 2);
    let pass = move |step: usize, p| {
        if step == n / 2 - 1 {
            return Some(last_hop(n, p));
        }
        // none are left ahead from the step on in which all turn round
        let pairs = usual.saturating_sub(step);
        Some(match pairs {
            0 => Pass { hops: -usual_way(p), what: Bits::all(n).without([p, (p + 1) % n]) },
            // the homes of the next `pairs` nodes of the same parity
            _ if p % 2 == 0 => Pass { hops: 2, what: Bits::none(n).with(arc(n, p + 2, 2 * pairs)) },
            _ => Pass { hops: -2, what: Bits::none(n).with(arc(n, p + n - 2 * pairs, 2 * pairs)) },
        })
    };
    Program::new(usual + other + 1, usual * (usual + 1) + other * (other + 1) + n / 2, pass)
}

fn usual_way(p: usize) -> i32 {
    if p.is_multiple_of(2) { signed(2) } else { -signed(2) }
}

fn last_hop(n: usize, p: usize) -> Pass {
    Pass { hops: 1, what: Bits::none(n).with([(p + 1) % n]) }
}
