//! U-mesh: recursive halving of a chain, free of contention.
//!
//! *Problem.* A multicast on a wormhole mesh in the fewest steps without contention.
//!
//! *Idea.* Sort the group into the dimension-ordered chain; the holder of a stretch sends to the nearest node of the
//! half it does not lie in, which takes that half over.
//!
//! *Cost.* `ceil(log2 k)` steps for any position of the source; optimal when `t_hold = t_end`.
//!
//! *Source.* McKinley, Xu, Esfahanian and Ni, IEEE TPDS 5(12), 1994. The same on the leaf addresses of a bmin is
//! U-min (Xu, Gui and Ni 1994; reconstructed).

use super::opt_mesh::Stretch;
use crate::schedule::Split;

/// Recursive halving of a chain, the source anywhere in it.
///
/// ```
/// use flitwise::algorithm::multicast::UMesh;
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId};
/// let chain: Vec<NodeId> = (0..6).map(NodeId).collect();
/// let tree = Schedule::split(&UMesh { size: 6, source: 1 }, &chain, 6, Flits(1));
/// let receivers: Vec<u32> = tree.messages().filter(|m| m.src == NodeId(1)).map(|m| m.dst.0).collect();
/// assert_eq!(receivers, [3, 0, 2]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct UMesh {
    /// Positions of the chain.
    pub size: usize,
    /// The position of the source.
    pub source: usize,
}

impl Split for UMesh {
    type Block = Stretch;

    fn whole(&self) -> Stretch {
        Stretch::whole(self.size, self.source)
    }

    fn holder(&self, stretch: &Stretch) -> usize {
        stretch.holder
    }

    fn give(&self, stretch: &mut Stretch) -> Option<Stretch> {
        let Stretch { first, last, holder } = *stretch;
        (first < last).then(|| {
            let receiver = match (2 * holder).cmp(&(first + last)) {
                std::cmp::Ordering::Less => first + (last - first).div_ceil(2),
                std::cmp::Ordering::Greater => first + (last - first) / 2,
                std::cmp::Ordering::Equal => holder - 1,
            };
            stretch.give_to(receiver)
        })
    }
}
