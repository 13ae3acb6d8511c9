//! Buckets: rings along the dimensions of a torus, one dimension after the other.
//!
//! **Problem.** As for a ring, on a torus of `D` dimensions, with all its links.
//!
//! **Idea.** Part `p` takes the dimensions in the order `d_i = (p + i) mod D`, towards larger coordinates, or for `p >= D` towards
//! smaller ones (mirrored). In phase `i` of a reduce-scatter all rings along `d_i` combine: in step `s` the node at coordinate `x`
//! sends to `x+1` the blocks whose coordinate `d_i` is `x-1-s` and whose coordinates `d_0..d_{i-1}` are its own. An
//! allgather takes the phases backwards.
//!
//! **Cost.** The sum of `n_d - 1` over the dimensions in steps, `(P-1) V/(P parts)` flits on the critical path; twice that for an
//! all-reduce. No two messages of a step share a link where all sides are equal and at least 3; with unequal sides parts
//! meet.
//!
//! **Source.** Jain, Sabharwal, "Optimal Bucket Algorithms for Large MPI Collectives on Torus Interconnects", 2010.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::schedule::collective::Operation;
//! let bucket = Algorithm::named("bucket").ok_or("no such algorithm")?;
//! let torus = Request { shape: vec![4, 4], ..Request::new(Operation::Allgather, 16, 640) };
//! assert_eq!(bucket.plan(&torus)?.steps(), 3 + 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::ring::OF_SHARES;
use super::{Algorithm, Parts, Request};
use crate::references;
use crate::schedule::collective::{Collective, Move, Phase, Planner, SetId};
use crate::topology::Coordinates;
use crate::units::NodeId;
use rustc_hash::FxHashMap;

pub(super) const BUCKET: Algorithm = Algorithm {
    name: "bucket",
    references: &[references::BUCKET],
    summary: "rings along the dimensions of a torus, one dimension after the other; parts use different orders",
    operations: OF_SHARES,
    takes: "any shape",
    parts: Parts::UpTo { per_dimension: 2, default: 2 },
    plan,
    extent: |request| {
        let steps: usize = request.shape.iter().map(|side| side - 1).sum();
        request.extent_of_halves(steps as u64, request.parts() as u64)
    },
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let parts = request.parts();
    let mut planner = request.planner(parts, request.ranks);
    let mut reduce_scatter = Phase::default();
    let mut allgather = Phase::default();
    for part in 0..parts {
        let mut bucket = Bucket::new(&request.shape, part);
        bucket.reduce_scatter(&mut planner, &mut reduce_scatter);
        bucket.allgather(&mut planner, &mut allgather);
    }
    request.by_both(planner, &reduce_scatter, &allgather)
}

/// How a part goes through the torus.
struct Bucket {
    part: usize,
    torus: Coordinates,
    /// The dimensions in order.
    order: Vec<usize>,
    mirrored: bool,
    /// The blocks with given coordinates along the first dimensions of the order.
    sets: FxHashMap<Vec<usize>, SetId>,
}

impl Bucket {
    fn new(shape: &[usize], part: usize) -> Self {
        let dimensions = shape.len();
        Self {
            part,
            torus: Coordinates::new(shape, true),
            order: (0..dimensions).map(|at| (part + at) % dimensions).collect(),
            mirrored: part >= dimensions,
            sets: FxHashMap::default(),
        }
    }

    fn reduce_scatter(&mut self, planner: &mut Planner, phase: &mut Phase) {
        let mut first = 0;
        for at in 0..self.order.len() {
            first = self.ring(planner, phase, first, at, 1);
        }
    }

    fn allgather(&mut self, planner: &mut Planner, phase: &mut Phase) {
        let mut first = 0;
        for at in (0..self.order.len()).rev() {
            first = self.ring(planner, phase, first, at, 0);
        }
    }

    /// The rings along dimension number `at` of the order: in step `s` each node passes on the blocks of the coordinate
    /// `behind + s` places behind its own. The step after the last.
    fn ring(&mut self, planner: &mut Planner, phase: &mut Phase, first: usize, at: usize, behind: usize) -> usize {
        let dimension = self.order[at];
        let side = self.torus.shape()[dimension];
        for step in 0..side - 1 {
            for node in 0..self.torus.nodes() {
                let mut own: Vec<usize> =
                    self.order[..=at].iter().map(|&d| self.torus.coordinate(NodeId::new(node), d)).collect();
                let coordinate = own[at];
                own[at] = self.stepped(coordinate, side, behind + step, !self.mirrored);
                let set = self.set(planner, own);
                let next = self.stepped(coordinate, side, 1, self.mirrored);
                let stride = self.torus.stride(dimension);
                let dst = node - coordinate * stride + next * stride;
                phase.send(first + step, Move { part: self.part, src: node, dst, set });
            }
        }
        first + side - 1
    }

    /// The coordinate `by` places behind, or ahead.
    fn stepped(&self, coordinate: usize, side: usize, by: usize, back: bool) -> usize {
        let by = by % side;
        if back { (coordinate + side - by) % side } else { (coordinate + by) % side }
    }

    /// The blocks whose coordinates along the first dimensions of the order are these.
    fn set(&mut self, planner: &mut Planner, coordinates: Vec<usize>) -> SetId {
        if let Some(&set) = self.sets.get(&coordinates) {
            return set;
        }
        let torus = &self.torus;
        let order = &self.order;
        let is_one = |block: &usize| {
            let along = order.iter().map(|&d| torus.coordinate(NodeId::new(*block), d));
            coordinates.iter().zip(along).all(|(wanted, along)| *wanted == along)
        };
        let set = planner.set(self.part, (0..torus.nodes()).filter(is_one).map(|block| block..block + 1));
        self.sets.insert(coordinates, set);
        set
    }
}
