//! Round-robin arbiters.

use super::super::super::matrix::Side;
use super::super::super::vcset::{VcArray, VcSet, short};
use super::Bank;

/// Each arbiter chooses the next member after the one that was granted last; at first it begins with the first member.
pub(crate) struct RoundRobin<const W: usize> {
    /// Per arbiter, the member that was granted last.
    last: VcArray<u16, W>,
}

impl<const W: usize> Bank<W> for RoundRobin<W> {
    fn new(_: &Side, _: usize) -> Self {
        // no member is after the last number, so that the first member is next
        Self { last: VcArray::filled(u16::MAX) }
    }

    #[inline(always)]
    fn choose(&self, arbiter: usize, among: VcSet<W>) -> usize {
        among.first_after(self.last[arbiter].into())
    }

    #[inline(always)]
    fn pass(&mut self, arbiter: usize, winner: usize) {
        self.last[arbiter] = short(winner);
    }
}
