//! Sets of contributions: rows of bits, one for each rank whose contribution may be there.

/// Sets of ranks, each a row of bits.
#[derive(Clone, Debug)]
pub(super) struct Contributions {
    /// Words of 64 bits of a set.
    words: usize,
    bits: Vec<u64>,
}

impl Contributions {
    /// So many empty sets of ranks of which there are `ranks`.
    pub(super) fn new(sets: usize, ranks: usize) -> Self {
        let words = ranks.div_ceil(64);
        Self { words, bits: vec![0; words * sets] }
    }

    /// The words of set number `at`.
    pub(super) fn set(&self, at: usize) -> &[u64] {
        &self.bits[at * self.words..][..self.words]
    }

    pub(super) fn set_mut(&mut self, at: usize) -> &mut [u64] {
        &mut self.bits[at * self.words..][..self.words]
    }

    pub(super) fn insert(&mut self, at: usize, contributor: usize) {
        self.set_mut(at)[contributor / 64] |= 1 << (contributor % 64);
    }
}

/// Whether `contributor` is in a set.
pub(super) fn contains(set: &[u64], contributor: usize) -> bool {
    set[contributor / 64] >> (contributor % 64) & 1 == 1
}

/// How many ranks are in a set.
pub(super) fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// Adds all of `more` to a set.
pub(super) fn unite(set: &mut [u64], more: &[u64]) {
    set.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
}

/// The first rank that is in both sets.
pub(super) fn common(a: &[u64], b: &[u64]) -> Option<usize> {
    let both = a.iter().zip(b).map(|(a, b)| a & b);
    both.enumerate().find(|(_, word)| *word != 0).map(|(at, word)| 64 * at + word.trailing_zeros() as usize)
}

/// The ranks in a set, by number.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let of_word =
        |(at, &word): (usize, &u64)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * at + bit);
    set.iter().enumerate().flat_map(of_word)
}
