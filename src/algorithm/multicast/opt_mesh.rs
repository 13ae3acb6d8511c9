//! OPT-mesh: the optimal tree placed on a chain so that its messages do not contend.
//!
//! *Problem.* The optimal tree's shape leaves open which node stands where; put badly, its messages block each other.
//!
//! *Idea.* Sort the group into the dimension-ordered chain. The holder of a stretch of `i` keeps the side of `j_i` it
//! lies in and sends to the nearest node of the other side, which takes that side over. Messages of disjoint
//! stretches share no channel (Theorem 3.1, cases i to iii), and two messages of one sender are `t_hold` apart.
//!
//! *Cost.* O(k) after the sort; completion `t[k]` plus the path lengths, without blocking as long as `t_hold` is at
//! least the time a worm occupies a channel.
//!
//! *Source.* OPT-mesh paper, Algorithm 2 with its misprints repaired (`l`, `r`, `rec`). It needs `2 j_i >= i`, which
//! `t_hold <= t_end` ensures. The same recursion on the leaf addresses of a bmin is OPT-min.

use super::OptTable;
use crate::schedule::Split;

/// The optimal tree over a chain, the source anywhere in it.
///
/// ```
/// use flitwise::algorithm::multicast::{OptMesh, OptTable};
/// use flitwise::model::Parameterised;
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId, Ticks};
/// let chain: Vec<NodeId> = (0..8).map(NodeId).collect();
/// let model = Parameterised { t_hold: Ticks(20), t_end: Ticks(55) };
/// let rule = OptMesh { table: OptTable::new(8, model, 1), source: 2 };
/// let tree = Schedule::split(&rule, &chain, 8, Flits(1));
/// let receivers: Vec<u32> = tree.messages().filter(|m| m.src == NodeId(2)).map(|m| m.dst.0).collect();
/// assert_eq!(receivers, [5, 3, 0, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct OptMesh {
    /// As long as the chain.
    pub table: OptTable,
    /// The position of the source.
    pub source: usize,
}

/// Positions `first..=last` of a chain, held by one of them.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) holder: usize,
}

impl Stretch {
    /// A whole chain of `size` positions.
    pub(super) fn whole(size: usize, holder: usize) -> Self {
        Self { first: 0, last: size - 1, holder }
    }

    /// Gives the positions from `receiver` to the end away from the holder to `receiver`.
    pub(super) fn give_to(&mut self, receiver: usize) -> Self {
        if receiver > self.holder {
            let part = Self { first: receiver, last: self.last, holder: receiver };
            self.last = receiver - 1;
            part
        } else {
            let part = Self { first: self.first, last: receiver, holder: receiver };
            self.first = receiver + 1;
            part
        }
    }
}

impl Split for OptMesh {
    type Block = Stretch;

    fn whole(&self) -> Stretch {
        Stretch::whole(self.table.size(), self.source)
    }

    fn holder(&self, stretch: &Stretch) -> usize {
        stretch.holder
    }

    fn give(&self, stretch: &mut Stretch) -> Option<Stretch> {
        let size = stretch.last - stretch.first + 1;
        (size > 1).then(|| {
            let kept = self.table.kept(size);
            let upper = stretch.first + kept;
            let receiver = if stretch.holder < upper { upper } else { stretch.last - kept };
            stretch.give_to(receiver)
        })
    }
}
