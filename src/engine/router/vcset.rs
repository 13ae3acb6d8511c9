//! Sets of virtual channels, and arrays with an entry per virtual channel.
//!
//! Virtual channels are numbered within a *block* ([`super::layout`]). A block has `64 * W` numbers: `W = 1` covers a router
//! of up to 64 virtual channels, or several small routers side by side; a router with more takes a larger `W`.
//! Round-robin arbitration of routers is [`VcSet::first_after`].

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Index, IndexMut, Sub, SubAssign};

/// Bits of a word.
pub(crate) const WORD: usize = 64;

/// The number of a virtual channel in 16 bits, which records of virtual channels keep.
#[expect(clippy::cast_possible_truncation, reason = "a block has at most 4,096 numbers")]
#[inline(always)]
pub(crate) fn short(vc: usize) -> u16 {
    vc as u16
}

/// A set of virtual channels of one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VcSet<const W: usize>([u64; W]);

impl<const W: usize> VcSet<W> {
    /// The empty set.
    pub(crate) const EMPTY: Self = Self([0; W]);

    /// The set of `vc` alone.
    #[inline(always)]
    pub(crate) fn single(vc: usize) -> Self {
        Self::mask_at(1, vc)
    }

    /// The set with the bits of `mask` from number `first` on, all in one word.
    #[inline(always)]
    pub(crate) fn mask_at(mask: u64, first: usize) -> Self {
        let mut set = Self::EMPTY;
        set.0[first / WORD % W] = mask << (first % WORD);
        set
    }

    /// The set of `count` numbers from `first` on, at least one.
    #[inline(always)]
    pub(crate) fn range(first: usize, count: usize) -> Self {
        let mut set = Self::EMPTY;
        let last = first + count - 1;
        for (word, bits) in set.0.iter_mut().enumerate() {
            let word_start = word * WORD;
            if W == 1 || (first < word_start + WORD && last >= word_start) {
                let from = first.max(word_start) - word_start;
                let to = last.min(word_start + WORD - 1) - word_start;
                *bits = u64::MAX << from & u64::MAX >> (WORD - 1 - to);
            }
        }
        set
    }

    /// Adds `vc`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, vc: usize) {
        self.0[vc / WORD % W] |= 1 << (vc % WORD);
    }

    /// The set with `vc` added.
    #[inline(always)]
    pub(crate) fn with(mut self, vc: usize) -> Self {
        self.insert(vc);
        self
    }

    /// Removes `vc`.
    #[inline(always)]
    pub(crate) fn remove(&mut self, vc: usize) {
        self.0[vc / WORD % W] &= !(1 << (vc % WORD));
    }

    /// Returns true if `vc` is a member.
    #[inline(always)]
    pub(crate) fn contains(self, vc: usize) -> bool {
        self.0[vc / WORD % W] >> (vc % WORD) & 1 != 0
    }

    /// Returns true if there are no members.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The number of members.
    #[inline(always)]
    pub(crate) fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The least member, if there is one.
    #[inline(always)]
    pub(crate) fn first(self) -> Option<usize> {
        self.into_iter().next()
    }

    /// The only member, if there is exactly one.
    #[inline(always)]
    pub(crate) fn single_member(self) -> Option<usize> {
        self.first().filter(|&vc| self == Self::single(vc))
    }

    /// The least member of a set that is not empty.
    #[inline(always)]
    pub(crate) fn first_or_wrap(self) -> usize {
        let mut first = 0;
        for (word, &bits) in self.0.iter().enumerate().rev() {
            if W == 1 || bits != 0 {
                first = word * WORD + bits.trailing_zeros() as usize;
            }
        }
        first
    }

    /// Round-robin arbitration: the least member above `last`, or the least of all if there is none.
    ///
    /// The set must not be empty.
    #[inline(always)]
    pub(crate) fn first_after(self, last: usize) -> usize {
        let mut above = self;
        let boundary = last / WORD % W;
        for (word, bits) in above.0.iter_mut().enumerate() {
            if word < boundary {
                *bits = 0;
            } else if word == boundary {
                *bits &= !1 << (last % WORD);
            }
        }
        let set = if above.is_empty() { self } else { above };
        set.first_or_wrap()
    }

    /// The least member from `first` on, or the least of all if there is none.
    ///
    /// The set must not be empty.
    #[inline(always)]
    pub(crate) fn first_from(self, first: usize) -> usize {
        let from = if first == 0 { self } else { self & Self::range(first, WORD * W - first) };
        let set = if from.is_empty() { self } else { from };
        set.first_or_wrap()
    }

    /// The members with `by` added to each number, without those beyond the block.
    #[inline(always)]
    pub(crate) fn shifted(self, by: usize) -> Self {
        let words = by / WORD;
        let bits = by % WORD;
        let mut shifted = Self::EMPTY;
        for word in words..W {
            shifted.0[word] = self.0[word - words] << bits;
            if W > 1 && bits > 0 && word > words {
                shifted.0[word] |= self.0[word - words - 1] >> (WORD - bits);
            }
        }
        shifted
    }
}

impl<const W: usize> FromIterator<usize> for VcSet<W> {
    #[inline(always)]
    fn from_iter<I: IntoIterator<Item = usize>>(members: I) -> Self {
        members.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl<const W: usize> BitAnd for VcSet<W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        self &= other;
        self
    }
}

impl<const W: usize> BitOr for VcSet<W> {
    type Output = Self;
    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

/// Set difference.
impl<const W: usize> Sub for VcSet<W> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

impl<const W: usize> BitAndAssign for VcSet<W> {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
    }
}

impl<const W: usize> BitOrAssign for VcSet<W> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }
}

impl<const W: usize> SubAssign for VcSet<W> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= !other);
    }
}

/// Members of a [`VcSet`] in ascending order.
#[derive(Clone)]
pub(crate) struct Members<const W: usize>(VcSet<W>);

impl<const W: usize> Iterator for Members<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        for (word, bits) in self.0.0.iter_mut().enumerate() {
            if *bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                return Some(word * WORD + bit);
            }
        }
        None
    }
}

impl<const W: usize> IntoIterator for VcSet<W> {
    type Item = usize;
    type IntoIter = Members<W>;

    #[inline(always)]
    fn into_iter(self) -> Members<W> {
        Members(self)
    }
}

/// An entry per virtual channel of a block. Indices wrap at the size of the block.
///
/// The entries of the first word are in place, so that no access of a block of one word has to be checked or needs a pointer.
/// Those of further words are on the heap: a wide block has megabytes of them, which no stack holds while they are built.
#[derive(Clone, Debug)]
pub(crate) struct VcArray<T, const W: usize> {
    first: [T; WORD],
    others: Vec<[T; WORD]>,
}

impl<T: Copy, const W: usize> VcArray<T, W> {
    /// Creates an array with `value` everywhere.
    pub(crate) fn filled(value: T) -> Self {
        Self { first: [value; WORD], others: vec![[value; WORD]; W - 1] }
    }
}

impl<const W: usize> VcArray<u16, W> {
    /// Creates an array with the number `number(vc)` for each virtual channel `vc`.
    pub(crate) fn numbered(number: impl Fn(usize) -> usize) -> Self {
        let mut array = Self::filled(0);
        (0..WORD * W).for_each(|vc| array[vc] = short(number(vc)));
        array
    }
}

impl<T, const W: usize> Index<usize> for VcArray<T, W> {
    type Output = T;
    #[inline(always)]
    fn index(&self, vc: usize) -> &T {
        match vc / WORD % W {
            0 => &self.first[vc % WORD],
            word => &self.others[word - 1][vc % WORD],
        }
    }
}

impl<T, const W: usize> IndexMut<usize> for VcArray<T, W> {
    #[inline(always)]
    fn index_mut(&mut self, vc: usize) -> &mut T {
        match vc / WORD % W {
            0 => &mut self.first[vc % WORD],
            word => &mut self.others[word - 1][vc % WORD],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBERS: [usize; 4] = [3, 64, 100, 191];

    fn set<const W: usize>(members: &[usize]) -> VcSet<W> {
        members.iter().fold(VcSet::EMPTY, |set, &vc| set | VcSet::single(vc))
    }

    #[test]
    fn first_after_is_round_robin() {
        let members = set::<3>(&MEMBERS);
        for last in 0..192 {
            let next = MEMBERS.iter().copied().find(|&vc| vc > last).unwrap_or(3);
            assert_eq!(members.first_after(last), next);
        }
        assert!(members.into_iter().eq(MEMBERS));
        assert_eq!((members.len(), members.first(), members.single_member()), (4, Some(3), None));
        assert_eq!(set::<3>(&[100]).single_member(), Some(100));
    }

    #[test]
    fn sets_shift_across_words() {
        for by in 0..192 {
            let expected: Vec<usize> = MEMBERS.iter().map(|vc| vc + by).filter(|&vc| vc < 192).collect();
            assert_eq!(set::<3>(&MEMBERS).shifted(by), set::<3>(&expected), "by {by}");
        }
        assert_eq!(set::<1>(&[0, 5, 63]).shifted(3), set::<1>(&[3, 8]));
    }

    #[test]
    fn a_range_has_all_numbers_from_its_first_on() {
        for (first, count) in [(0, 1), (0, 64), (64, 64), (70, 3), (127, 1), (3, 90), (0, 128)] {
            let expected: Vec<usize> = (first..first + count).collect();
            assert_eq!(VcSet::<2>::range(first, count), set::<2>(&expected));
        }
    }
}
