//! *Problem.* Exchange among any number of nodes with the fewest start-ups.
//!
//! *Idea.* The distance from source to destination, in node numbers modulo P, is written in binary: in step
//! `t` all blocks whose distance has bit `t` set go `2^t` numbers on.
//!
//! *Cost.* `ceil(log2 P)` start-ups; in step `t` a message carries as many blocks as there are distances below P with
//! bit `t` set, about `P/2`. The messages take the shortest way, the last dimension first, and contend.
//!
//! *Source.* Bruck, Ho, Kipnis, Upfal and Weathersby, *Efficient Algorithms for All-to-All Communications in
//! Multiport Message-Passing Systems*, IEEE TPDS 8(11), 1997.
//!
//! ```
//! use flitwise::algorithm::exchange::Algorithm;
//! let proof = Algorithm::named("bruck").unwrap().plan(&[3, 4])?.check()?;
//! // of the distances 1 to 11, six have bit 0 set, six bit 1, four bit 2 and four bit 3
//! assert_eq!((proof.startups, proof.critical_blocks), (4, 6 + 6 + 4 + 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::direct::shortest_moves;
use crate::schedule::{Axes, Bits, CriticalPath, Exchange, Planner};
use crate::units::NodeId;

pub(super) fn plan(shape: &[usize]) -> Exchange {
    let nodes: usize = shape.iter().product();
    let mut planner = Planner::new(shape, Axes::Number);
    for bit in 0..nodes.next_power_of_two().ilog2() {
        for node in 0..nodes {
            // a block that is here has come as far as its distance's lower bits say, which are not to go any more
            let further = (0..nodes).filter(|ahead| ahead >> bit & 1 == 1).map(|ahead| (node + ahead) % nodes);
            let Some(further) = planner.set(&Bits::none(nodes).with(further)) else { continue };
            let src = NodeId::new(node);
            let dst = NodeId::new((node + (1 << bit)) % nodes);
            planner.send(src, &shortest_moves(shape, src, dst), 0, further);
        }
        planner.end_step();
    }
    planner.finish()
}

pub(super) fn costs(shape: &[usize]) -> CriticalPath {
    let nodes: u64 = shape.iter().map(|&n| n as u64).product();
    let steps = u64::from(nodes.next_power_of_two().ilog2());
    let with_bit = |bit: u64| {
        // of every `period` distances the upper half has the bit set; the last period may end before its upper half
        let period = 2 << bit;
        let half = 1 << bit;
        nodes / period * half + (nodes % period).saturating_sub(half)
    };
    CriticalPath { startups: steps, blocks: (0..steps).map(with_bit).sum() }
}
