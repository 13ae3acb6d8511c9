//! *Problem.* Exchange on an N x N torus with odd N, by way of an algorithm for even sizes.
//!
//! *Idea.* Let `M = N-1` and `g = M/2`. The last row and the last column are set apart; *split*: double-hop runs on the
//! even M x M part, and along the last row and the last column, as if they were not there (a hop over them is one
//! longer), with what is for the last column or row going to column or row `g` instead. Then *merge*: in every row the
//! node in the last column scatters what it holds over its row by recursive halving, while column `g` gives it what is
//! for the last column; then the same in every column.
//!
//! *Cost.* `N + 2 ceil(log2 N)` start-ups as published, one fewer without the redundant step. At most one message a
//! channel in every step.
//!
//! *Source.* All-to-all exchange paper, section 3.1, which prints `N + 2 log (N-1)` start-ups; its Table 1 has
//! `N + 2 ceil(log2 N)`. Before the merge the paper sends, in a step of its own, what the last column holds for the
//! corner (it must mean: for the whole last row) to the corner; [`Variant::Lean`] leaves that step out, and the blocks
//! ride along with the merge.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! let [published, lean] = ["split-and-merge", "split-and-merge-lean"].map(|name| Algorithm::named(name).unwrap());
//! assert_eq!(published.plan(&[5, 5])?.check()?.startups, 5 + 2 * 3);
//! assert_eq!(lean.plan(&[5, 5])?.check()?.startups, 5 + 2 * 3 - 1);
//! assert!(lean.admits(&[4, 4]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::double_hop;
use super::ring::{Pass, along, signed};
use crate::schedule::{Axes, Bits, CriticalPath, Exchange, Planner, SetId};
use crate::units::NodeId;
use std::ops::RangeInclusive;

/// Rows are dimension 0, and a move along it changes the row.
const ROWS: usize = 0;
const COLUMNS: usize = 1;

/// With or without the redundant step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Published,
    Lean,
}

/// The exchange on an `n` x `n` torus, `n` odd and at least 3.
pub(super) fn plan(n: usize, variant: Variant) -> Exchange {
    let mut split = Split::new(n);
    for step in 0..split.last / 2 {
        split.along_rows(step);
    }
    for step in 0..split.last / 2 {
        split.along_columns(step);
    }
    if variant == Variant::Published {
        split.send_into_the_corner();
    }
    split.merge(COLUMNS);
    split.merge(ROWS);
    split.planner.finish()
}

/// What a node of a ring of N passes on, and how far.
#[derive(Clone, Copy)]
struct Onward {
    hops: i32,
    what: SetId,
}

/// A send from a position of a line to another, the same in all lines.
struct LineSend {
    from: usize,
    to: usize,
    what: SetId,
}

/// An exchange in the making on an N x N torus.
struct Split {
    planner: Planner,
    n: usize,
    /// N-1: the row and the column set apart.
    last: usize,
    /// The row and the column that stand in for them.
    stand_in: usize,
}

impl Split {
    fn new(n: usize) -> Self {
        let planner = Planner::new(&[n, n], Axes::Dimensions);
        Self { planner, n, last: n - 1, stand_in: (n - 1) / 2 }
    }

    fn node(&self, row: usize, column: usize) -> NodeId {
        NodeId::new(row * self.n + column)
    }

    /// Double-hop along rows, the last row included, and along the last column.
    fn along_rows(&mut self, step: usize) {
        let passes = self.passes(step);
        for row in 0..self.last {
            for (column, pass) in passes.iter().enumerate() {
                self.send(row, column, COLUMNS, *pass);
            }
            self.send(row, self.last, ROWS, passes[row]);
        }
        for (column, pass) in passes.iter().enumerate() {
            self.send(self.last, column, COLUMNS, *pass);
        }
        self.planner.end_step();
    }

    /// Double-hop along the columns of the even part.
    fn along_columns(&mut self, step: usize) {
        let passes = self.passes(step);
        for (row, pass) in passes.iter().enumerate() {
            for column in 0..self.last {
                self.send(row, column, ROWS, *pass);
            }
        }
        self.planner.end_step();
    }

    fn send(&mut self, row: usize, column: usize, dimension: usize, pass: Option<Onward>) {
        if let Some(Onward { hops, what }) = pass {
            self.planner.send(self.node(row, column), &[along(dimension, hops)], dimension, what);
        }
    }

    /// What each member of a ring of M nodes, embedded in one of N, passes on in a step of double-hop.
    fn passes(&mut self, step: usize) -> Vec<Option<Onward>> {
        let n = self.n;
        let m = self.last;
        let program = double_hop::one_way(m);
        let pass = |p: usize| {
            let Pass { hops, what } = (program.pass)(step, p)?;
            let to = (p + m).checked_add_signed(hops as isize)? % m;
            // over the position set apart it is one hop more
            let hops = if hops > 0 && to < p { hops + 1 } else { hops };
            let hops = if hops < 0 && to > p { hops - 1 } else { hops };
            let stood_in_for = what.contains(self.stand_in).then_some(m);
            let what = Bits::none(n).with((0..m).filter(|&at| what.contains(at))).with(stood_in_for);
            Some(Onward { hops, what: self.planner.set(&what)? })
        };
        (0..m).map(pass).collect()
    }

    /// What the last column holds for the last row goes to the corner.
    fn send_into_the_corner(&mut self) {
        if let Some(last_row) = self.only(self.last..=self.last) {
            let way = along(ROWS, signed(self.last - self.stand_in));
            self.planner.send(self.node(self.stand_in, self.last), &[way], ROWS, last_row);
        }
        self.planner.end_step();
    }

    /// Scatters along `dimension` what its last nodes hold; the stand-ins give them what is theirs.
    fn merge(&mut self, dimension: usize) {
        let Some(theirs) = self.only(self.last..=self.last) else { return };
        for (step, scatters) in scatter(self.last).into_iter().enumerate() {
            let mut sends: Vec<LineSend> = Vec::new();
            for Scatter { from, to, part } in scatters {
                sends.extend(self.only(part).map(|what| LineSend { from, to, what }));
            }
            if step == 0 {
                sends.push(LineSend { from: self.stand_in, to: self.last, what: theirs });
            }
            self.send_in_all_lines(dimension, &sends);
        }
    }

    /// In every line along `dimension`, positions send to positions what is for a set of positions.
    fn send_in_all_lines(&mut self, dimension: usize, sends: &[LineSend]) {
        let place = |line, from| if dimension == COLUMNS { (line, from) } else { (from, line) };
        let mut all: Vec<((usize, usize), Onward)> = Vec::new();
        for line in 0..self.n {
            let onward = |send: &LineSend| Onward { hops: signed(send.to) - signed(send.from), what: send.what };
            all.extend(sends.iter().map(|send| (place(line, send.from), onward(send))));
        }
        // senders of a step ascend; a node that sends twice keeps the order of its sends
        all.sort_by_key(|(place, _)| *place);
        for ((row, column), onward) in all {
            self.send(row, column, dimension, Some(onward));
        }
        self.planner.end_step();
    }

    fn only(&mut self, positions: RangeInclusive<usize>) -> Option<SetId> {
        self.planner.set(&Bits::none(self.n).with(positions))
    }
}

/// One send of a scatter: what is for the positions `part`.
struct Scatter {
    from: usize,
    to: usize,
    part: RangeInclusive<usize>,
}

/// A scatter from position `last` to all before it by recursive halving, step by step. A holder always stands at the
/// upper end of the stretch `l..=r` that it is responsible for, gives `l..=c` to `c = l + (r-l)/2` and keeps the rest
/// (U-mesh).
fn scatter(last: usize) -> Vec<Vec<Scatter>> {
    let mut steps = Vec::new();
    let mut stretches = vec![(0, last)];
    while stretches.iter().any(|(l, r)| l < r) {
        let mut sends = Vec::new();
        let mut halved = Vec::new();
        for (l, r) in stretches {
            let c = l + (r - l) / 2;
            if l < r {
                sends.push(Scatter { from: r, to: c, part: l..=c });
                halved.extend([(l, c), (c + 1, r)]);
            } else {
                halved.push((l, r));
            }
        }
        steps.push(sends);
        stretches = halved;
    }
    steps
}

/// In closed form, with `M = N-1` and `s_1 = ceil(N/2)`, `s_(t+1) = ceil(s_t / 2)` down to 1 the largest parts of the
/// scatter.
pub(super) fn costs(n: usize, variant: Variant) -> CriticalPath {
    let n = n as u64;
    let m = n - 1;
    let rounds = u64::from(n.next_power_of_two().ilog2());
    let parts: Vec<u64> = std::iter::successors(Some(n.div_ceil(2)), |s| (*s > 1).then(|| s.div_ceil(2))).collect();
    let first = parts[0];
    let rest: u64 = parts[1..].iter().sum();
    let inner: u64 = (1..m / 2).map(|k| n - 2 * k).sum();
    let rows = n * inner + m * n;
    let columns = 2 * m * inner + 2 * m * m;
    let merge = match variant {
        Variant::Published => {
            let held = 2 * m + 1;
            m * n + (2 * m * m).max(held * first) + held * rest + (m * m).max(n * first) + n * rest
        }
        Variant::Lean => {
            let held = 2 * m;
            (2 * m * m).max(held * first) + held * rest + (m * m + m).max(n * first) + n * rest
        }
    };
    let extra = u64::from(variant == Variant::Published);
    CriticalPath { startups: m + extra + 2 * rounds, blocks: rows + columns + merge }
}
