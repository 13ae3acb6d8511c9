//! Butterflies on a logical torus: with whom a rank exchanges in each step, and how sizes that do not fit are folded.
//!
//! Part `p` begins with dimension `p mod D` and takes the dimensions in turn, one step each, leaving out those whose
//! `ceil(log2 n)` steps are used up. Parts from `D` on are mirrored: distances are negated. In step number `s` of a dimension
//! of `n` nodes the peer of coordinate `x` is, modulo `n`,
//!
//! - *swing*: `x + rho(s)` if `x` is even, `x - rho(s)` if it is odd, `rho(s) = (1 - (-2)^(s+1)) / 3 = 1, -1, 3, -5, 11, -21, ..`;
//! - *doubling*: `x xor 2^s`.
//!
//! A dimension of `n` nodes is folded to a core of `c`: the largest power of two, or the largest even number (or 1). Dimension by
//! dimension, ranks inside all cores so far with a coordinate of at least `c` give what they have to the rank `n - c` below,
//! and are given their result last.
//!
//! Source: De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting Rings for Higher Bandwidth Allreduce", NSDI 2024 (arXiv
//! 2401.09356).

use super::counterpart::doublings;
use crate::topology::Coordinates;
use crate::units::{NodeId, narrow};

/// Who exchanges with whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Swing,
    Doubling,
}

/// To which sizes dimensions are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Core {
    PowerOfTwo,
    Even,
}

impl Core {
    fn of_side(self, side: usize) -> usize {
        match self {
            Self::PowerOfTwo => 1 << side.ilog2(),
            Self::Even if side == 1 => 1,
            Self::Even => side / 2 * 2,
        }
    }
}

/// A rank outside the core, and the rank that answers for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    pub(super) rank: usize,
    pub(super) onto: usize,
}

/// A logical torus and its core.
pub(super) struct Butterfly {
    family: Family,
    all: Coordinates,
    core: Coordinates,
}

impl Butterfly {
    pub(super) fn new(shape: &[usize], family: Family, core: Core) -> Self {
        let sides: Vec<usize> = shape.iter().map(|&side| core.of_side(side)).collect();
        Self { family, all: Coordinates::new(shape, true), core: Coordinates::new(&sides, true) }
    }

    /// The number of ranks in the core.
    pub(super) fn core_ranks(&self) -> usize {
        self.core.nodes()
    }

    /// The rank that number `at` of the core stands for, both row-major.
    pub(super) fn rank(&self, at: usize) -> usize {
        let dimensions = 0..self.core.dimensions();
        dimensions.map(|d| self.core.coordinate(NodeId::new(at), d) * self.all.stride(d)).sum()
    }

    /// The ranks that are folded, step by step.
    pub(super) fn folding(&self) -> Vec<Vec<Folded>> {
        let dimensions = 0..self.all.dimensions();
        dimensions.filter(|&d| self.core.shape()[d] < self.all.shape()[d]).map(|d| self.folded_along(d)).collect()
    }

    fn folded_along(&self, dimension: usize) -> Vec<Folded> {
        let coordinate = |rank: usize, d: usize| self.all.coordinate(NodeId::new(rank), d);
        let side = |d: usize| self.core.shape()[d];
        let inside = |&rank: &usize| {
            (0..dimension).all(|d| coordinate(rank, d) < side(d)) && coordinate(rank, dimension) >= side(dimension)
        };
        let by = (self.all.shape()[dimension] - side(dimension)) * self.all.stride(dimension);
        (0..self.all.nodes()).filter(inside).map(|rank| Folded { rank, onto: rank - by }).collect()
    }

    /// The steps of a part: per step the peer of each number of the core.
    pub(super) fn peers(&self, part: usize) -> Vec<Vec<usize>> {
        let turns = turns(&self.core, part, doublings);
        turns.into_iter().map(|turn| self.peers_along(turn, part >= self.core.dimensions())).collect()
    }

    fn peers_along(&self, turn: Turn, mirrored: bool) -> Vec<usize> {
        let side = self.core.shape()[turn.dimension];
        let stride = self.core.stride(turn.dimension);
        let peer = |at: usize| {
            let from = self.core.coordinate(NodeId::new(at), turn.dimension);
            let to = self.peer(from, side, turn.step, mirrored);
            at - from * stride + to * stride
        };
        (0..self.core.nodes()).map(peer).collect()
    }

    /// The peer of coordinate `x` among `side`, in a dimension's step number `step`.
    fn peer(&self, x: usize, side: usize, step: usize, mirrored: bool) -> usize {
        let from = x as i64;
        let distance = match self.family {
            Family::Swing => {
                let power = (0..=step).fold(1_i64, |power, _| -2 * power);
                let rho = (1 - power) / 3;
                if x.is_multiple_of(2) { rho } else { -rho }
            }
            Family::Doubling => (x ^ 1 << step) as i64 - from,
        };
        let to = if mirrored { from - distance } else { from + distance };
        narrow(to.rem_euclid(side as i64), "a remainder is not negative")
    }
}

/// A step along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) dimension: usize,
    /// Its number among those of the dimension.
    pub(super) step: usize,
}

/// The steps of part `part`: the dimensions in turn, each as often as `steps` says of its side.
pub(super) fn turns(torus: &Coordinates, part: usize, steps: fn(usize) -> usize) -> Vec<Turn> {
    let dimensions = torus.dimensions();
    let most = torus.shape().iter().map(|&side| steps(side)).max().unwrap_or_default();
    let round = |step: usize| (0..dimensions).map(move |at| Turn { dimension: (part + at) % dimensions, step });
    let turns = (0..most).flat_map(round);
    turns.filter(|turn| turn.step < steps(torus.shape()[turn.dimension])).collect()
}
