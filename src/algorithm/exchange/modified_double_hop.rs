//! *Problem.* Exchange along a ring of any size in about half the steps of the naive way.
//!
//! *Idea.* As double-hop, with a seam where an odd ring closes: the even nodes `0, 2, .., n-1` form a ring upwards
//! whose last hop, from `n-1` to `0`, is a single one; the odd nodes form a ring downwards whose last hop, from `1` to
//! `n-2`, is three. Node `n-1` is a home of its own, and what odd sources have for node 0 waits at node 1. One hop up,
//! then one hop down from node 1 to node 0, end it. An even ring is double-hop's.
//!
//! *Cost.* For odd `n`, `(n+3)/2` start-ups; a ring's critical path carries `(n^2 + 4n - 1) / 4` blocks. On N x N:
//! `N + 3` start-ups, `N (N^2 + 4N - 1) / 2` blocks. At most one message a channel in every step.
//!
//! *Source.* All-to-all exchange paper, section 3.2, which prints `2 (floor(N/2) + 1)` start-ups; its Table 1 has
//! `2 (ceil(N/2) + 1)`, which is what the schedule takes. "Messages for node N-1 are sent to node 0" cannot work, for
//! nothing later goes from 0 to N-1: what is meant is that node N-1 sends to node 0. The variant that sends each block
//! the shorter way round is ours.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! let [naive, modified] = ["naive", "modified-double-hop"].map(|name| Algorithm::named(name).unwrap());
//! let proof = modified.plan(&[9, 9])?.check()?;
//! assert_eq!((proof.startups, proof.critical_blocks), (12, 522));
//! let proof = naive.plan(&[9, 9])?.check()?;
//! assert_eq!((proof.startups, proof.critical_blocks), (16, 648));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::double_hop;
use super::ring::{Pass, Program, halves};
use crate::schedule::Bits;

pub(super) fn one_way(n: usize) -> Program {
    if n.is_multiple_of(2) {
        return double_hop::one_way(n);
    }
    let seam = Seam { n };
    let hops_home = (n - 1) / 2;
    let pass = move |step, p| {
        if step >= hops_home {
            return seam.ending(step - hops_home, p);
        }
        Some(Pass { hops: seam.usual_way(p), what: Bits::all(n).without(seam.home(seam.place(p), p)) })
    };
    Program::new(hops_home + 2, (n * n + 4 * n - 1) / 4, pass)
}

/// In the usual direction the largest messages are those of even nodes if `n = 4k + 3` and of odd nodes, which serve
/// node 0 besides, if `n = 4k + 1`; in the other direction it is the other way about. The two last steps carry `n`.
pub(super) fn both_ways(n: usize) -> Program {
    if n.is_multiple_of(2) {
        return double_hop::both_ways(n);
    }
    let seam = Seam { n };
    let hops_home = (n - 1) / 2;
    // even and odd nodes turn round in the same step, so that they always go opposite ways
    let turn = halves(hops_home + 1).usual;
    let pass = move |step: usize, p| {
        if step >= hops_home {
            return seam.ending(step - hops_home, p);
        }
        if step >= turn {
            return Some(Pass { hops: seam.other_way(p), what: Bits::all(n).without(seam.home(seam.place(p), p)) });
        }
        let members = seam.members(p);
        // the parity with fewer members may have none left ahead a step before all turn round
        let ahead = halves(members).usual.saturating_sub(step);
        let places = (1..=ahead).map(|distance| seam.onward(p, distance));
        Some(Pass { hops: seam.usual_way(p), what: Bits::none(n).with(places.flat_map(|place| seam.home(place, p))) })
    };
    let k = n / 4;
    let on_the_way_home = if n % 4 == 1 { 2 * k * k + 3 * k } else { 2 * k * k + 5 * k + 2 };
    Program::new(hops_home + 2, on_the_way_home + n, pass)
}

/// A ring of an odd number of nodes, with its seam between `n-1` and `0`.
#[derive(Clone, Copy)]
struct Seam {
    n: usize,
}

impl Seam {
    /// How many nodes have the parity of `p`.
    fn members(self, p: usize) -> usize {
        if p.is_multiple_of(2) { self.n.div_ceil(2) } else { self.n / 2 }
    }

    /// The place of `p` among the nodes of its parity.
    fn place(self, p: usize) -> usize {
        p / 2
    }

    /// The place `distance` places on from `p`, in the usual direction of its parity.
    fn onward(self, p: usize, distance: usize) -> usize {
        let place = self.place(p);
        let members = self.members(p);
        if p.is_multiple_of(2) { (place + distance) % members } else { (place + members - distance) % members }
    }

    /// For whom what sources of the parity of `p` have waits at the node of that parity at `place`.
    fn home(self, place: usize, p: usize) -> Vec<usize> {
        let odd = p % 2;
        let node = 2 * place + odd;
        match node {
            1 => vec![0, 1, 2],
            node if node + 1 == self.n => vec![node],
            node => vec![node, node + 1],
        }
    }

    fn usual_way(self, p: usize) -> i32 {
        match p {
            p if p + 1 == self.n => 1,
            1 => -3,
            p if p.is_multiple_of(2) => 2,
            _ => -2,
        }
    }

    fn other_way(self, p: usize) -> i32 {
        match p {
            0 => -1,
            p if p + 2 == self.n => 3,
            p if p.is_multiple_of(2) => -2,
            _ => 2,
        }
    }

    /// The two steps that end it.
    fn ending(self, step: usize, p: usize) -> Option<Pass> {
        let (hops, to) = match step {
            0 if p + 1 < self.n => (1, p + 1),
            1 if p == 1 => (-1, 0),
            _ => return None,
        };
        Some(Pass { hops, what: Bits::none(self.n).with([to]) })
    }
}
