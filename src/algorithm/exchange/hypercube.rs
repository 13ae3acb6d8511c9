//! *Problem.* Exchange among a power of two of nodes with the fewest start-ups.
//!
//! *Idea.* Recursive halving: for each bit of the node number, the highest first, nodes that differ in that bit alone
//! swap all blocks that belong to the other half.
//!
//! *Cost.* `log2 P` start-ups of `P/2` blocks each. On a torus the partners are `2^b` hops apart and contend: in a step
//! up to `2^b` messages share a channel, fewer on a torus that sends half of them round the edge.
//!
//! *Source.* The hypercube exchange, as Bokhari and Berryman embed it in meshes (*Complete exchange on a circuit
//! switched mesh*, SHPCC 1992), without their measures against contention.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! use flitwise::schedule::dependency::loads;
//! use flitwise::topology::Torus;
//! let exchange = Algorithm::named("hypercube-mesh").unwrap().plan(&[8])?;
//! let proof = exchange.check()?;
//! assert_eq!((proof.startups, proof.critical_blocks), (3, 3 * 4));
//! let loads = loads(&exchange, &Torus::new(&[8], 1, 1)?);
//! assert_eq!(loads.iter().map(|step| step.messages).collect::<Vec<_>>(), [4, 2, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::direct::shortest_moves;
use super::ring::{along, signed};
use crate::routing::Move;
use crate::schedule::{Axes, Bits, CriticalPath, Exchange, Planner};
use crate::units::NodeId;

/// How partners reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The shortest way round; half-way round, towards larger coordinates.
    Shortest,
    /// Straight, without the links that close the rings: half-way round, each its own way.
    WithinTheMesh,
}

impl Way {
    /// The bits of a node's number in the order in which they are halved.
    fn order(self, shape: &[usize]) -> Vec<u32> {
        let bits: u32 = shape.iter().map(|n| n.ilog2()).sum();
        match self {
            Self::Shortest => (0..bits).rev().collect(),
            Self::WithinTheMesh => {
                let mut lowest = 0;
                let per_dimension = shape.iter().rev().flat_map(|n| {
                    lowest += n.ilog2();
                    (lowest - n.ilog2()..lowest).rev()
                });
                per_dimension.collect()
            }
        }
    }
}

/// The exchange on a torus of `shape`, all sides powers of two.
pub(super) fn plan(shape: &[usize], way: Way) -> Exchange {
    let nodes: usize = shape.iter().product();
    let mut planner = Planner::new(shape, Axes::Number);
    for bit in way.order(shape) {
        for node in 0..nodes {
            let partner = node ^ 1 << bit;
            let other_half = (0..nodes).filter(|to| (to ^ node) >> bit & 1 == 1);
            let Some(other_half) = planner.set(&Bits::none(nodes).with(other_half)) else { continue };
            let src = NodeId::new(node);
            let dst = NodeId::new(partner);
            let moves = match way {
                Way::Shortest => shortest_moves(shape, src, dst),
                Way::WithinTheMesh => vec![straight(shape, node, bit)],
            };
            planner.send(src, &moves, 0, other_half);
        }
        planner.end_step();
    }
    planner.finish()
}

/// From `node` to its partner in `bit` without going round the edge.
fn straight(shape: &[usize], node: usize, bit: u32) -> Move {
    // the bits of the last dimension's coordinate are the lowest
    let mut dimension = shape.len() - 1;
    let mut bit_of_coordinate = bit;
    while bit_of_coordinate >= shape[dimension].ilog2() {
        bit_of_coordinate -= shape[dimension].ilog2();
        dimension -= 1; // a node's number has no more bits than its coordinates together
    }
    let hops = signed(1 << bit_of_coordinate);
    along(dimension, if node >> bit & 1 == 1 { -hops } else { hops })
}

pub(super) fn costs(shape: &[usize]) -> CriticalPath {
    let nodes: u64 = shape.iter().map(|&n| n as u64).product();
    let startups = u64::from(nodes.ilog2());
    CriticalPath { startups, blocks: startups * nodes / 2 }
}
