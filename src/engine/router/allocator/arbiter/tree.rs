//! Arbiters in two levels: neighbours form groups, each group arbitrates, and then the groups.

use super::super::super::matrix::Side;
use super::super::super::vcset::{VcSet, WORD};
use super::Bank;

/// Trees of arbiters of kind `B`.
pub(crate) struct Tree<B> {
    /// Per number of a router, its group.
    group_of: Vec<usize>,
    /// The arbiters of all groups.
    leaves: Vec<B>,
    /// The arbiters among groups, which stand for their winners.
    top: B,
    in_router: usize,
}

impl<B> Tree<B> {
    fn group(&self, member: usize) -> usize {
        self.group_of[member & self.in_router]
    }
}

impl<const W: usize, B: Bank<W>> Bank<W> for Tree<B> {
    fn new(side: &Side, groups: usize) -> Self {
        let size = side.count().div_ceil(groups);
        let in_router = side.in_router();
        let mut group_of = vec![0; in_router + 1];
        side.numbers().enumerate().for_each(|(index, number)| group_of[number] = index / size);
        Self { group_of, leaves: (0..groups).map(|_| B::new(side, 1)).collect(), top: B::new(side, 1), in_router }
    }

    fn choose(&self, arbiter: usize, among: VcSet<W>) -> usize {
        let mut members = vec![VcSet::EMPTY; self.leaves.len()];
        let mut groups = VcSet::<W>::EMPTY;
        for member in among {
            members[self.group(member)].insert(member);
            groups.insert(self.group(member));
        }
        let group = self.top.choose(arbiter, groups);
        debug_assert!(group < WORD * W);
        self.leaves[group].choose(arbiter, members[group])
    }

    fn pass(&mut self, arbiter: usize, winner: usize) {
        let group = self.group(winner);
        self.leaves[group].pass(arbiter, winner);
        self.top.pass(arbiter, group);
    }
}
