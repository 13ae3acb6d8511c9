//! *Problem.* Exchange on any torus without combining blocks.
//!
//! *Idea.* In each step every node sends one block straight to its destination, the shortest way round, the last
//! dimension first. The algorithms differ in who sends to whom in a step: the node `t` numbers on (rotation), the node
//! at the same offset along every dimension (shift), or the node whose number differs by XOR `t` (pairwise).
//!
//! *Cost.* `P - 1` start-ups, `P - 1` blocks on the critical path, and contention: shifted by two hops or more, a
//! ring's messages overlap. With one virtual channel a single step can deadlock.
//!
//! *Source.* Folklore; as in Thakur and Choudhary, *All-to-all communication on meshes with wormhole routing*, IPPS 1994.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! use flitwise::schedule::dependency::loads;
//! use flitwise::topology::Torus;
//! for name in ["direct", "direct-shift", "pairwise"] {
//!     let exchange = Algorithm::named(name).unwrap().plan(&[8])?;
//!     let proof = exchange.check()?;
//!     assert_eq!((proof.startups, proof.critical_blocks), (7, 7));
//!     // half-way round, four messages share a channel
//!     assert_eq!(loads(&exchange, &Torus::new(&[8], 1, 1)?)[3].messages, 4);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::routing::{Move, shortest};
use crate::schedule::{Axes, CriticalPath, Exchange};
use crate::units::NodeId;

/// Rotation by `t` numbers in step `t`.
pub(super) fn rotation(shape: &[usize]) -> Exchange {
    let nodes: usize = shape.iter().product();
    one_block_each(shape, |node, step| (node + step) % nodes)
}

/// Shift by the coordinates of number `t` in step `t`.
pub(super) fn shift(shape: &[usize]) -> Exchange {
    one_block_each(shape, |node, step| {
        let mut stride: usize = shape.iter().product();
        shape.iter().fold(0, |to, &n| {
            stride /= n;
            to + (node / stride % n + step / stride % n) % n * stride
        })
    })
}

/// XOR with `t` in step `t`; the number of nodes is a power of two.
pub(super) fn pairwise(shape: &[usize]) -> Exchange {
    one_block_each(shape, |node, step| node ^ step)
}

fn one_block_each(shape: &[usize], to: impl Fn(usize, usize) -> usize) -> Exchange {
    let nodes: usize = shape.iter().product();
    let mut exchange = Exchange::new(shape, Axes::Number);
    for step in 1..nodes {
        for node in 0..nodes {
            let src = NodeId::new(node);
            let dst = NodeId::new(to(node, step));
            exchange.push(src, &shortest_moves(shape, src, dst), &[(src, dst)]);
        }
        exchange.end_step();
    }
    exchange
}

/// The shortest way from `src` to `dst`, the last dimension first.
pub(super) fn shortest_moves(shape: &[usize], src: NodeId, dst: NodeId) -> Vec<Move> {
    let mut stride = 1;
    let moves = shape.iter().enumerate().rev().map(|(dimension, &n)| {
        let [from, to] = [src, dst].map(|node| node.index() / stride % n);
        stride *= n;
        super::ring::along(dimension, shortest(from, to, n))
    });
    moves.filter(|step| step.hops != 0).collect()
}

/// One block in each step.
pub(super) fn costs(shape: &[usize]) -> CriticalPath {
    let others = shape.iter().map(|&n| n as u64).product::<u64>() - 1;
    CriticalPath { startups: others, blocks: others }
}
