//! Matrix arbiters, which serve the least recently served member (W. J. Dally and B. Towles 2004, section 18.5).
//!
//! A matrix of bits in which the winner loses to all others is an order by the time of the last grant. It is kept as these times.

use super::super::super::matrix::Side;
use super::super::super::vcset::{VcSet, WORD};
use super::Bank;

/// Each arbiter chooses the member that was granted least recently. The last one of those that were never granted comes first.
pub(crate) struct LeastRecent {
    /// Per arbiter that has granted something, the number of its last grant to each member, 0 for none.
    granted: Vec<Vec<u64>>,
    /// Per arbiter, its grants.
    grants: Vec<u64>,
}

impl<const W: usize> Bank<W> for LeastRecent {
    fn new(_: &Side, _: usize) -> Self {
        Self { granted: vec![Vec::new(); WORD * W], grants: vec![0; WORD * W] }
    }

    #[expect(clippy::expect_used, reason = "an allocator calls an arbiter only if something is requested")]
    fn choose(&self, arbiter: usize, among: VcSet<W>) -> usize {
        let granted = &self.granted[arbiter];
        let time = |member: usize| granted.get(member).copied().unwrap_or(0);
        let next = among.into_iter().min_by_key(|&member| (time(member), usize::MAX - member));
        next.expect("an arbiter chooses among one member or more")
    }

    fn pass(&mut self, arbiter: usize, winner: usize) {
        let granted = &mut self.granted[arbiter];
        granted.resize(granted.len().max(winner + 1), 0);
        self.grants[arbiter] += 1;
        granted[winner] = self.grants[arbiter];
    }
}
