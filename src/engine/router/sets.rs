//! Sets of small numbers, a bit each.

/// A set of small numbers.
pub(super) struct BitSet {
    pub(super) words: Vec<u64>,
}

impl BitSet {
    pub(super) fn new(size: usize) -> Self {
        Self { words: vec![0; size.div_ceil(64)] }
    }

    /// Whether it is the first member of its word.
    #[inline]
    pub(super) fn insert(&mut self, at: u32) -> bool {
        let word = &mut self.words[at as usize / 64];
        let first = *word == 0;
        *word |= 1 << (at % 64);
        first
    }

    #[inline]
    pub(super) fn remove(&mut self, at: u32) {
        self.words[at as usize / 64] &= !(1 << (at % 64));
    }

    /// The members in word `word` as it is now.
    #[inline]
    pub(super) fn members(&self, word: usize) -> impl Iterator<Item = u32> + use<> {
        #[expect(clippy::cast_possible_truncation, reason = "a set of numbers of 32 bits")]
        Self::of(word as u32, self.words[word])
    }

    /// The members that word `word` would stand for.
    #[inline]
    pub(super) fn of(word: u32, mut bits: u64) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            let at = word * 64 + bits.trailing_zeros();
            let more = bits != 0;
            bits &= bits.wrapping_sub(1);
            more.then_some(at)
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}
