//! Blocks or sources with something to do.

use super::vcset::WORD;

/// A set of numbers, read a group of 64 at a time so that it may change while its members are visited.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveSet(Vec<u64>);

impl ActiveSet {
    /// Creates an empty set of numbers below `size`.
    pub(crate) fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(WORD)])
    }

    /// Adds `member`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, member: usize) {
        self.0[member / WORD] |= 1 << (member % WORD);
    }

    /// Removes `member`.
    #[inline(always)]
    pub(crate) fn remove(&mut self, member: usize) {
        self.0[member / WORD] &= !(1 << (member % WORD));
    }

    /// Returns true if `member` is one.
    #[inline(always)]
    pub(crate) fn contains(&self, member: usize) -> bool {
        self.0[member / WORD] >> (member % WORD) & 1 != 0
    }

    /// Moves all members of `other` to this set, which has been created for numbers as large.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.0.iter_mut().zip(&mut other.0).for_each(|(word, other)| *word |= std::mem::take(other));
    }

    /// Returns true if there are no members.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.0.len()
    }

    /// Members of a group as they are now, in ascending order.
    #[inline(always)]
    pub(crate) fn members(&self, group: usize) -> impl Iterator<Item = usize> + use<> {
        let mut bits = self.0[group];
        std::iter::from_fn(move || {
            let member = group * WORD + bits.trailing_zeros() as usize;
            let more = bits != 0;
            bits &= bits.wrapping_sub(1);
            more.then_some(member)
        })
    }
}
