//! The binomial tree of recursive doubling.
//!
//! *Problem.* A multicast in the fewest steps when every send takes one.
//!
//! *Idea.* The holder of a block of `i` positions keeps the largest power of two below `i` and gives the rest away
//! (the textbook tree in mask order; the sender keeps the bigger part).
//!
//! *Cost.* `ceil(log2 k)` steps; optimal when `t_hold = t_end`.
//!
//! *Source.* OPT-tree paper, Figs. 3(b) and 6: its printed 120 for 7 nodes is of the tree whose *receiver* takes the
//! bigger half; this one costs 90.

use crate::schedule::Split;

/// Recursive doubling over positions.
///
/// ```
/// use flitwise::algorithm::multicast::Binomial;
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId};
/// let group: Vec<NodeId> = (0..8).map(NodeId).collect();
/// let tree = Schedule::split(&Binomial { size: 8 }, &group, 8, Flits(1));
/// let receivers: Vec<u32> = tree.messages().filter(|m| m.src == NodeId(0)).map(|m| m.dst.0).collect();
/// assert_eq!(receivers, [4, 2, 1]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Binomial {
    /// Nodes of the group, the source first.
    pub size: usize,
}

/// What the holder of `size` keeps in a binomial split: the largest power of two below `size`.
pub(super) fn kept(size: usize) -> usize {
    size.next_power_of_two() / 2
}

impl Split for Binomial {
    /// The holder and the size of its block.
    type Block = (usize, usize);

    fn whole(&self) -> Self::Block {
        (0, self.size)
    }

    fn holder(&self, block: &Self::Block) -> usize {
        block.0
    }

    fn give(&self, (holder, size): &mut Self::Block) -> Option<Self::Block> {
        (*size > 1).then(|| {
            let kept = kept(*size);
            let part = (*holder + kept, *size - kept);
            *size = kept;
            part
        })
    }
}
