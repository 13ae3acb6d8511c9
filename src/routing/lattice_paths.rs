//! Dimension-ordered routing on lattices that are more than neighbours with a node each: twisted and one-way tori, meshes
//! with express links, and several nodes a router.
//!
//! On a twisted torus crossing an edge shifts another coordinate, so that the shortest way along one dimension depends on the
//! way along the others. A message goes by a vector, hops with a sign per dimension: of those that lead there the one of the
//! fewest hops (twisted tori: Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez and Navaridas 2010).

use super::{LinkRouting, OrderError, Step, permutation};
use crate::topology::{Direction, LatticeLinks, Links, Twist};
use crate::units::{NodeId, RouterId};
use std::cmp::Ordering;
use std::sync::Arc;

/// The place where messages change their class of virtual channels, in every dimension of a torus anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dateline {
    /// On the link that crosses the edge, from class 0 to 1, as on a torus with a node a router ([`Rings`](super::Rings)).
    OnTheEdge,
    /// After it, from class 0 to 1: twisted and one-way tori.
    BehindTheEdge,
    /// After it, from this class, 0 or 1, to the other one, which messages have all the way that do not cross the edge: those that do
    /// can be combined with them behind it.
    Merging(u8),
}

/// The classes of virtual channels along a dimension. A mesh has no edges to cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EdgeClasses {
    /// The links of a message that does not cross the edge.
    inside: u8,
    /// The links before the one that crosses it.
    before: u8,
    /// That link.
    edge: u8,
    /// The links after it.
    after: u8,
}

impl Dateline {
    const fn classes(self) -> EdgeClasses {
        match self {
            Self::OnTheEdge => EdgeClasses { inside: 0, before: 0, edge: 1, after: 1 },
            Self::BehindTheEdge => EdgeClasses { inside: 0, before: 0, edge: 0, after: 1 },
            Self::Merging(class) => EdgeClasses { inside: 1 - class, before: class, edge: class, after: 1 - class },
        }
    }
}

/// A lattice whose messages resolve the coordinates in a fixed order.
///
/// On a torus two classes keep it free of deadlock, except with twists that make it shorter to cross an edge twice than to go
/// along the dimension that it shifts, such as 5 of 16 across an edge of 4: the second crossing is in class 1 as well.
#[derive(Clone, Debug)]
pub struct LatticePaths {
    links: Arc<LatticeLinks>,
    order: Vec<usize>,
    dateline: Dateline,
    /// The dimensions with twisted edges, ascending.
    twisted: Vec<usize>,
}

impl LatticePaths {
    /// Routing on `links` that resolves the coordinates in `order`, a dimension with twisted edges always before those that it
    /// shifts: where the order says otherwise, right before the first of them.
    ///
    /// # Errors
    /// If `order` is not a permutation of the dimensions.
    pub fn new(links: Arc<LatticeLinks>, order: &[usize], dateline: Dateline) -> Result<Self, OrderError> {
        permutation(order, links.coordinates().dimensions())?;
        let mut twisted: Vec<usize> = links.twists().iter().map(|twist| twist.across).collect();
        twisted.sort_unstable();
        twisted.dedup();
        let mut untwisting = Vec::new();
        for &dimension in order {
            let shifts = |&&across: &&usize| {
                links.twists().iter().any(|twist| twist.across == across && twist.shifts == dimension)
            };
            let first: Vec<usize> = order.iter().filter(shifts).copied().collect();
            for next in first.into_iter().chain([dimension]) {
                if !untwisting.contains(&next) {
                    untwisting.push(next);
                }
            }
        }
        Ok(Self { links, order: untwisting, dateline, twisted })
    }

    /// The hops along each dimension, with a sign, by which messages go from router `from` to router `to`.
    fn vector(&self, from: RouterId, to: RouterId) -> Vec<isize> {
        let dimensions = 0..self.links.coordinates().dimensions();
        let apart = |d| self.links.coordinate(to, d).cast_signed() - self.links.coordinate(from, d).cast_signed();
        let apart: Vec<isize> = dimensions.map(apart).collect();
        if self.twisted.is_empty() {
            return apart.iter().enumerate().map(|(d, &apart)| self.along(d, apart)).collect();
        }
        let mut search = Search { paths: self, apart: &apart, rounds: Vec::new(), best: None };
        search.extend(0);
        search.best.map_or(apart, |best| best.vector)
    }

    /// The hops along `dimension` to a coordinate so far `apart`, the shortest way that its links lead; half-way round
    /// they are positive.
    fn along(&self, dimension: usize, apart: isize) -> isize {
        if !self.links.coordinates().wraps() {
            return apart;
        }
        let n = self.side(dimension);
        let ahead = apart.rem_euclid(n);
        match self.links.direction(dimension) {
            Some(Direction::Plus) => ahead,
            Some(Direction::Minus) if ahead > 0 => ahead - n,
            None if 2 * ahead > n => ahead - n,
            _ => ahead,
        }
    }

    fn side(&self, dimension: usize) -> isize {
        self.links.coordinates().shape()[dimension].cast_signed()
    }

    /// True if `hops` hops along `dimension` from `at` cross its edge.
    fn crosses_edge(&self, at: RouterId, dimension: usize, hops: isize) -> bool {
        let end = self.links.coordinate(at, dimension).cast_signed() + hops;
        end < 0 || end >= self.side(dimension)
    }

    /// Appends the steps of `hops` hops along `dimension` from `at`, and returns where they end.
    fn walk(&self, at: RouterId, dimension: usize, hops: isize, path: &mut Vec<Step>) -> RouterId {
        let direction = if hops < 0 { Direction::Minus } else { Direction::Plus };
        let mut left = hops.unsigned_abs();
        let mut classes = self.dateline.classes();
        let mut class = if self.crosses_edge(at, dimension, hops) { classes.before } else { classes.inside };
        let mut at = at;
        while left > 0 {
            let express = self.links.express().filter(|&express| express <= left);
            let express = express.and_then(|length| Some((self.links.express_hop(at, dimension, direction)?, length)));
            let neighbour = || Some((self.links.hop(at, dimension, direction)?, 1));
            // vectors keep to the links that there are
            let Some(((link, next), length)) = express.or_else(neighbour) else { break };
            let is_edge = self.links.is_edge(at, dimension, direction);
            path.push(Step { link, class: if is_edge { classes.edge } else { class } });
            if is_edge {
                class = classes.after;
                classes.edge = classes.after; // with twists an edge may be crossed twice
            }
            left -= length;
            at = next;
        }
        at
    }
}

impl LinkRouting for LatticePaths {
    fn classes(&self) -> u8 {
        if self.links.coordinates().wraps() { 2 } else { 1 }
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let mut at = self.links.router_of(src);
        let to = self.links.router_of(dst);
        if at == to {
            return;
        }
        let vector = self.vector(at, to);
        for &dimension in &self.order {
            at = self.walk(at, dimension, vector[dimension], path);
        }
        debug_assert_eq!(at, to, "the vector leads there");
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        if self.links.express().is_some() {
            let mut path = Vec::new();
            self.path(src, dst, &mut path);
            return path.len();
        }
        let vector = self.vector(self.links.router_of(src), self.links.router_of(dst));
        vector.iter().map(|hops| hops.unsigned_abs()).sum()
    }
}

/// The search for the shortest vector: how often a message goes round each of the twisted dimensions decides all the rest.
struct Search<'a> {
    paths: &'a LatticePaths,
    /// The differences of the coordinates.
    apart: &'a [isize],
    /// How often it crosses the edges of the twisted dimensions so far, upwards if positive.
    rounds: Vec<isize>,
    best: Option<Vector>,
}

/// Hops along each dimension, with a sign.
struct Vector {
    vector: Vec<isize>,
    hops: usize,
}

impl Search<'_> {
    /// Tries all rounds of the twisted dimensions from the next one on, after so many hops along those before.
    fn extend(&mut self, hops: usize) {
        let Some(&dimension) = self.paths.twisted.get(self.rounds.len()) else {
            self.close();
            return;
        };
        let n = self.paths.side(dimension);
        for rounds in 0.. {
            // the more rounds, the longer the shorter of the two ways; a dimension of one router has no links
            let fewest = (rounds * n - self.apart[dimension].abs()).unsigned_abs();
            if rounds > 0 && (n == 1 || hops + fewest > self.bound()) {
                return;
            }
            for rounds in if rounds == 0 { vec![0] } else { vec![rounds, -rounds] } {
                let along = (self.apart[dimension] + rounds * n).unsigned_abs();
                if hops + along <= self.bound() {
                    self.rounds.push(rounds);
                    self.extend(hops + along);
                    self.rounds.pop();
                }
            }
        }
    }

    /// The hops that are enough for all pairs, or that the best vector so far has.
    fn bound(&self) -> usize {
        let shape = self.paths.links.coordinates().shape();
        self.best.as_ref().map_or_else(|| shape.iter().map(|&n| n / 2).sum(), |best| best.hops)
    }

    /// Keeps the vector that goes these rounds if it is the best so far.
    fn close(&mut self) {
        let twisted = || self.paths.twisted.iter().copied().zip(self.rounds.iter().copied());
        let rounds = |dimension| twisted().find(|(twisted, _)| *twisted == dimension).map(|(_, rounds)| rounds);
        let along = |(dimension, &apart): (usize, &isize)| match rounds(dimension) {
            Some(rounds) => apart + rounds * self.paths.side(dimension),
            None => {
                let twists = self.paths.links.twists().iter().filter(|twist| twist.shifts == dimension);
                let n = self.paths.side(dimension).unsigned_abs();
                let shift = |twist: &Twist| Some(rounds(twist.across)? * (twist.by % n).cast_signed());
                self.paths.along(dimension, apart - twists.filter_map(shift).sum::<isize>())
            }
        };
        let vector: Vec<isize> = self.apart.iter().enumerate().map(along).collect();
        let hops = vector.iter().map(|hops| hops.unsigned_abs()).sum();
        let found = Vector { vector, hops };
        if self.best.as_ref().is_none_or(|best| found.precedes(best)) {
            self.best = Some(found);
        }
    }
}

impl Vector {
    /// Whether messages take it rather than `other`: fewer hops; as many, fewer along the first dimension, or the first in which
    /// they differ; as many in all, towards larger coordinates in the first in which they differ.
    fn precedes(&self, other: &Self) -> bool {
        let lengths = |vector: &Self| vector.vector.iter().map(|hops| hops.unsigned_abs()).collect::<Vec<_>>();
        let backwards = |vector: &Self| vector.vector.iter().map(|&hops| hops < 0).collect::<Vec<_>>();
        let order = self.hops.cmp(&other.hops).then_with(|| lengths(self).cmp(&lengths(other)));
        order.then_with(|| backwards(self).cmp(&backwards(other))) == Ordering::Less
    }
}
