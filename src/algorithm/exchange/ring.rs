//! Exchanges that work on one dimension after the other, the last first: in a phase every ring of that dimension runs
//! the same program.
//!
//! A ring program for `n` nodes is a list of steps; in a step, node `p` passes on all it holds for some coordinates so
//! many hops round the ring. On a torus of several dimensions a phase brings every block to its destination's
//! coordinate along its dimension, so that the phases together bring it home: the cost is that of the rings, start-ups
//! added up and blocks multiplied by the number of nodes that share a ring's destination, `P / n`.

use crate::routing::Move;
use crate::schedule::{Axes, Bits, CriticalPath, Exchange, Planner, SetId};
use crate::units::{NodeId, narrow};

/// What a node of a ring passes on in a step, and how far.
pub(super) struct Pass {
    /// Hops round the ring, with a sign.
    pub(super) hops: i32,
    /// The destinations' coordinates.
    pub(super) what: Bits,
}

/// What the nodes of a ring do.
pub(super) struct Program {
    steps: usize,
    /// The blocks on the critical path, in closed form.
    blocks: usize,
    /// What a node passes on in a step from 0.
    pub(super) pass: Box<dyn Fn(usize, usize) -> Option<Pass>>,
}

impl Program {
    pub(super) fn new(steps: usize, blocks: usize, pass: impl Fn(usize, usize) -> Option<Pass> + 'static) -> Self {
        Self { steps, blocks, pass: Box::new(pass) }
    }
}

/// The exchange that runs `program` along every dimension of a torus of `shape`, the last first.
pub(super) fn along_dimensions(shape: &[usize], program: fn(usize) -> Program) -> Exchange {
    let mut planner = Planner::new(shape, Axes::Dimensions);
    for (dimension, &n) in shape.iter().enumerate().rev() {
        if n == 1 {
            continue; // a node alone has nothing to exchange
        }
        let program = program(n);
        let stride: usize = shape[dimension + 1..].iter().product();
        let nodes: usize = shape.iter().product();
        for step in 0..program.steps {
            let mut pass = |p| prepare(&mut planner, dimension, &(program.pass)(step, p)?);
            let passes: Vec<_> = (0..n).map(&mut pass).collect();
            for node in 0..nodes {
                if let Some((way, what)) = passes[node / stride % n] {
                    planner.send(NodeId::new(node), &[way], dimension, what);
                }
            }
            planner.end_step();
        }
    }
    planner.finish()
}

/// A pass as the planner takes it; none if there is nothing to pass on.
pub(super) fn prepare(planner: &mut Planner, dimension: usize, pass: &Pass) -> Option<(Move, SetId)> {
    Some((along(dimension, pass.hops), planner.set(&pass.what)?))
}

pub(super) fn along(dimension: usize, hops: i32) -> Move {
    Move { dimension: narrow(dimension, "there are fewer dimensions than nodes"), hops }
}

pub(super) fn signed(hops: usize) -> i32 {
    narrow(hops, "a ring has at most 2^16 nodes")
}

/// The coordinates from `first` on, `count` of them, round a ring of `n`.
pub(super) fn arc(n: usize, first: usize, count: usize) -> impl Iterator<Item = usize> {
    (first..first + count).map(move |at| at % n)
}

/// The cost of `program` along every dimension of a torus of `shape`.
pub(super) fn costs(shape: &[usize], program: fn(usize) -> Program) -> CriticalPath {
    let nodes: usize = shape.iter().product();
    shape.iter().filter(|&&n| n > 1).fold(CriticalPath::default(), |sum, &n| {
        let Program { steps, blocks, .. } = program(n);
        CriticalPath { startups: sum.startups + steps as u64, blocks: sum.blocks + (nodes / n * blocks) as u64 }
    })
}

/// How many members of a ring a member reaches each way when every block goes the shorter way round.
pub(super) struct Halves {
    /// The usual way, half-way round included.
    pub(super) usual: usize,
    /// The other way.
    pub(super) other: usize,
}

/// The halves of a ring of `members`, of which there is at least one: the other members, divided.
pub(super) fn halves(members: usize) -> Halves {
    debug_assert!(members > 0, "a ring has a member");
    let usual = members / 2;
    Halves { usual, other: members - 1 - usual }
}
