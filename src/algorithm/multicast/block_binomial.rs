//! The block-based binomial tree, after the one that MPI-F used on the IBM SP.
//!
//! *Problem.* Fewer long-distance steps than binomial when sends are cheap.
//!
//! *Idea.* Blocks of `b` consecutive positions; a binomial tree over the blocks' leaders first, then each leader
//! serves its own block, one after the other (`flat`) or by a binomial tree.
//!
//! *Cost.* `ceil(log2(k/b))` steps and up to `b-1` more sends.
//!
//! *Source.* The OPT-tree paper (section 4.1, Fig. 10) names it without defining it; this is a reconstruction. Of the
//! variants tried, `b = 4` with `flat` is the one that consistently lies between binomial and OPT-tree, as in Fig. 10.

use super::binomial::kept;
use crate::schedule::Split;
use serde::Serialize;

/// How a leader serves its own block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Inside {
    /// The leader sends to every member itself.
    #[default]
    Flat,
    /// By a binomial tree.
    Binomial,
}

/// A binomial tree over the leaders of blocks, then inside the blocks.
///
/// ```
/// use flitwise::algorithm::multicast::{BlockBinomial, Inside};
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId};
/// let group: Vec<NodeId> = (0..10).map(NodeId).collect();
/// let rule = BlockBinomial { size: 10, block: 4, inside: Inside::Flat };
/// let tree = Schedule::split(&rule, &group, 10, Flits(1));
/// let receivers: Vec<u32> = tree.messages().filter(|m| m.src == NodeId(0)).map(|m| m.dst.0).collect();
/// assert_eq!(receivers, [8, 4, 1, 2, 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BlockBinomial {
    /// Nodes of the group, the source first.
    pub size: usize,
    /// Positions of a block; none is one.
    pub block: usize,
    /// How a leader serves its block.
    pub inside: Inside,
}

/// What a holder is responsible for: itself, and `size - 1` positions from `next` on.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    holder: usize,
    next: usize,
    size: usize,
}

impl Share {
    fn from_holder(holder: usize, size: usize) -> Self {
        Self { holder, next: holder + 1, size }
    }
}

impl Split for BlockBinomial {
    type Block = Share;

    fn whole(&self) -> Share {
        Share::from_holder(0, self.size)
    }

    fn holder(&self, share: &Share) -> usize {
        share.holder
    }

    fn give(&self, share: &mut Share) -> Option<Share> {
        if share.size <= 1 {
            return None;
        }
        let block = self.block.max(1);
        let blocks = share.size.div_ceil(block);
        let kept = match self.inside {
            _ if share.next == share.holder + 1 && blocks > 1 => kept(blocks) * block,
            Inside::Binomial => kept(share.size),
            Inside::Flat => {
                share.next += 1;
                share.size -= 1;
                return Some(Share::from_holder(share.next - 1, 1));
            }
        };
        let part = Share::from_holder(share.holder + kept, share.size - kept);
        share.size = kept;
        Some(part)
    }
}
