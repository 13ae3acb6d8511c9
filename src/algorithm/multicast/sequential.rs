//! Separate addressing: the source sends to every destination itself.
//!
//! *Problem.* A multicast in which no destination has to send.
//!
//! *Idea.* The source sends to one destination after the other, in the order given.
//!
//! *Cost.* `(k-2) t_hold + t_end` for `k` nodes.
//!
//! *Source.* OPT-tree paper, Fig. 3(a).

use crate::schedule::Split;

/// The source sends to positions 1, 2, .. in order.
///
/// ```
/// use flitwise::algorithm::multicast::Sequential;
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId};
/// let group: Vec<NodeId> = (0..4).map(NodeId).collect();
/// let tree = Schedule::split(&Sequential { size: 4 }, &group, 4, Flits(1));
/// assert!(tree.messages().all(|message| message.src == NodeId(0)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sequential {
    /// Nodes of the group, the source first.
    pub size: usize,
}

impl Split for Sequential {
    /// The holder, and the positions it has yet to send to.
    type Block = (usize, usize, usize);

    fn whole(&self) -> Self::Block {
        (0, 1, self.size)
    }

    fn holder(&self, block: &Self::Block) -> usize {
        block.0
    }

    fn give(&self, (_, next, end): &mut Self::Block) -> Option<Self::Block> {
        (*next < *end).then(|| {
            *next += 1;
            (*next - 1, *next, *next)
        })
    }
}
