//! The chain: every node passes the message on to the next.
//!
//! *Problem.* A multicast in which no node sends twice.
//!
//! *Idea.* Position `i` sends to position `i + 1` as soon as it has the message.
//!
//! *Cost.* `(k-1) t_end` for `k` nodes.
//!
//! *Source.* OPT-tree paper, Fig. 3(c).

use crate::schedule::Split;

/// Position `i` sends to position `i + 1`.
///
/// ```
/// use flitwise::algorithm::multicast::Chain;
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId};
/// let group: Vec<NodeId> = (0..4).map(NodeId).collect();
/// let tree = Schedule::split(&Chain { size: 4 }, &group, 4, Flits(1));
/// assert!(tree.messages().all(|message| message.dst.0 == message.src.0 + 1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// Nodes of the group, the source first.
    pub size: usize,
}

impl Split for Chain {
    /// The holder and the end of its block.
    type Block = (usize, usize);

    fn whole(&self) -> Self::Block {
        (0, self.size)
    }

    fn holder(&self, block: &Self::Block) -> usize {
        block.0
    }

    fn give(&self, (holder, end): &mut Self::Block) -> Option<Self::Block> {
        let part = (*holder + 1, *end);
        *end = *holder + 1;
        (part.0 < part.1).then_some(part)
    }
}
