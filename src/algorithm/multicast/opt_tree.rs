//! OPT-tree: the optimal multicast tree of the parameterised model, nodes in the order given.
//!
//! *Problem.* Reach `k` nodes in the least time when sends of one port are `t_hold` apart and a message takes `t_end`.
//!
//! *Idea.* The holder of `i` positions keeps the first `j_i` and gives the rest to `p` receivers, in parts that
//! differ by one at most; `j_i` comes from [`OptTable`].
//!
//! *Cost.* O(k); completion `t[k]`, the least possible in the model. The tree says nothing of where nodes are, so on
//! a network its messages may contend.
//!
//! *Source.* OPT-tree paper, section 2.2; p ports: Lee et al. 1996 announce it, the form is ours.

use super::OptTable;
use crate::schedule::Split;

/// The optimal tree over positions.
///
/// ```
/// use flitwise::algorithm::multicast::{OptTable, OptTree};
/// use flitwise::model::Parameterised;
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId, Ticks};
/// let group: Vec<NodeId> = (0..9).map(NodeId).collect();
/// let table = OptTable::new(9, Parameterised { t_hold: Ticks(20), t_end: Ticks(55) }, 1);
/// let tree = Schedule::split(&OptTree { table }, &group, 9, Flits(1));
/// let receivers: Vec<u32> = tree.messages().filter(|m| m.src == NodeId(0)).map(|m| m.dst.0).collect();
/// assert_eq!(receivers, [6, 4, 3, 2, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct OptTree {
    /// As large as the group, the source first.
    pub table: OptTable,
}

/// Positions from `holder` on: some are the holder's for good, some are being given away in this round.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    holder: usize,
    kept: usize,
    giving: usize,
    receivers: usize,
}

impl Split for OptTree {
    type Block = Round;

    fn whole(&self) -> Round {
        Round { holder: 0, kept: self.table.size(), giving: 0, receivers: 0 }
    }

    fn holder(&self, round: &Round) -> usize {
        round.holder
    }

    fn give(&self, round: &mut Round) -> Option<Round> {
        if round.giving == 0 {
            if round.kept == 1 {
                return None;
            }
            let kept = self.table.kept(round.kept);
            round.giving = round.kept - kept;
            round.receivers = self.table.ports().min(round.giving);
            round.kept = kept;
        }
        let part = round.giving.div_ceil(round.receivers);
        round.giving -= part;
        round.receivers -= 1;
        let holder = round.holder + round.kept + round.giving;
        Some(Round { holder, kept: part, giving: 0, receivers: 0 })
    }
}
