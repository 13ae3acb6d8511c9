//! Sets of coordinates, each kept once.
//!
//! Sets are interned: equal sets have equal identifiers, so that boxes of blocks can be compared and merged by their
//! identifiers alone. A set of one coordinate is its own identifier and takes no memory.

use crate::units::narrow;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A set of coordinates in the collection of sets that its schedule keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(u32);

/// Marks identifiers that are a single coordinate.
const SINGLE: u32 = 1 << 31;

impl SetId {
    /// The set of `coordinate` alone.
    pub(super) fn single(coordinate: usize) -> Self {
        const { assert!(super::MOST_NODES < SINGLE as usize) }
        Self(SINGLE | narrow::<u32, _>(coordinate, "a coordinate is below the most nodes"))
    }

    /// The one coordinate, if there is just one.
    pub(super) fn as_single(self) -> Option<usize> {
        (self.0 & SINGLE != 0).then_some((self.0 & !SINGLE) as usize)
    }
}

/// A set as it is made, before it is interned: a bit for each coordinate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of coordinates below `size`.
    pub fn none(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    /// The set of all coordinates below `size`.
    pub fn all(size: usize) -> Self {
        Self::none(size).with(0..size)
    }

    /// The set with `coordinates` added.
    ///
    /// # Panics
    /// If a coordinate is not below the size the set was made for.
    #[must_use]
    pub fn with(mut self, coordinates: impl IntoIterator<Item = usize>) -> Self {
        for coordinate in coordinates {
            self.0[coordinate / 64] |= 1 << (coordinate % 64);
        }
        self
    }

    /// The set without `coordinates`.
    ///
    /// # Panics
    /// As [`Bits::with`].
    #[must_use]
    pub fn without(mut self, coordinates: impl IntoIterator<Item = usize>) -> Self {
        for coordinate in coordinates {
            self.0[coordinate / 64] &= !(1 << (coordinate % 64));
        }
        self
    }

    /// Whether `coordinate` is in the set.
    pub fn contains(&self, coordinate: usize) -> bool {
        self.0.get(coordinate / 64).is_some_and(|word| word >> (coordinate % 64) & 1 == 1)
    }
}

/// The sets of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sets {
    /// 64-bit words of each set.
    words: usize,
    bits: Vec<u64>,
    sizes: Vec<u32>,
    ids: FxHashMap<Box<[u64]>, u32>,
    scratch: Vec<u64>,
}

impl Sets {
    /// No sets yet; coordinates are below `size`.
    pub(super) fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self { words, bits: Vec::new(), sizes: Vec::new(), ids: FxHashMap::default(), scratch: vec![0; words] }
    }

    /// The identifier of `set`; none if it is empty.
    pub(super) fn intern(&mut self, set: &Bits) -> Option<SetId> {
        self.scratch.fill(0);
        self.scratch[..set.0.len()].copy_from_slice(&set.0);
        self.intern_scratch()
    }

    fn intern_scratch(&mut self) -> Option<SetId> {
        let size: u32 = self.scratch.iter().map(|word| word.count_ones()).sum();
        match size {
            0 => None,
            1 => elements(&self.scratch).next().map(SetId::single),
            _ => Some(SetId(match self.ids.get(self.scratch.as_slice()) {
                Some(&id) => id,
                None => self.add(size),
            })),
        }
    }

    fn add(&mut self, size: u32) -> u32 {
        let id = narrow(self.sizes.len(), "2^32 sets would not fit any memory");
        debug_assert!(id < SINGLE, "the highest bit marks sets of one coordinate");
        self.ids.insert(self.scratch.as_slice().into(), id);
        self.bits.extend_from_slice(&self.scratch);
        self.sizes.push(size);
        id
    }

    fn bits(&self, id: SetId) -> &[u64] {
        &self.bits[id.0 as usize * self.words..][..self.words]
    }

    /// How many coordinates a set has.
    pub(super) fn size(&self, id: SetId) -> u64 {
        if id.as_single().is_some() { 1 } else { u64::from(self.sizes[id.0 as usize]) }
    }

    pub(super) fn contains(&self, id: SetId, coordinate: usize) -> bool {
        match id.as_single() {
            Some(single) => single == coordinate,
            None => self.bits(id)[coordinate / 64] >> (coordinate % 64) & 1 == 1,
        }
    }

    /// The coordinates of a set, ascending.
    pub(super) fn elements(&self, id: SetId) -> impl Iterator<Item = usize> + '_ {
        let many = if id.as_single().is_some() { &[] } else { self.bits(id) };
        id.as_single().into_iter().chain(elements(many))
    }

    /// The coordinates of a set as runs of neighbours, ascending; a run may end where the next begins.
    pub(super) fn runs(&self, id: SetId) -> impl Iterator<Item = Range<usize>> + '_ {
        let one = id.as_single().map(|single| single..single + 1);
        let many = if one.is_some() { &[] } else { self.bits(id) };
        one.into_iter().chain(many.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let start = left.checked_ilog2().map(|_| left.trailing_zeros())?;
                let length = (left >> start).trailing_ones();
                let end = start + length;
                left = if end == 64 { 0 } else { left >> end << end };
                Some(64 * at + start as usize..64 * at + end as usize)
            })
        }))
    }

    /// What of `set` lies in `mask`, and what does not.
    pub(super) fn divide(&mut self, set: SetId, mask: SetId) -> (Option<SetId>, Option<SetId>) {
        if set == mask {
            return (Some(set), None);
        }
        if let Some(single) = set.as_single() {
            return if self.contains(mask, single) { (Some(set), None) } else { (None, Some(set)) };
        }
        let within = self.combine(set, mask, |a, b| a & b);
        let beyond = if within == Some(set) { None } else { self.combine(set, mask, |a, b| a & !b) };
        (within, beyond)
    }

    /// The union of two sets.
    pub(super) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        #[expect(clippy::expect_used, reason = "every set here has an element")]
        self.combine(a, b, |a, b| a | b).expect("a union has the elements of both sets")
    }

    fn combine(&mut self, a: SetId, b: SetId, operation: fn(u64, u64) -> u64) -> Option<SetId> {
        let mut scratch = std::mem::take(&mut self.scratch);
        for (word, out) in scratch.iter_mut().enumerate() {
            *out = operation(self.word(a, word), self.word(b, word));
        }
        self.scratch = scratch;
        self.intern_scratch()
    }

    fn word(&self, id: SetId, word: usize) -> u64 {
        match id.as_single() {
            Some(single) if single / 64 == word => 1 << (single % 64),
            Some(_) => 0,
            None => self.bits[id.0 as usize * self.words + word],
        }
    }
}

fn elements(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(at, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = left.checked_ilog2().map(|_| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(64 * at + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_equal_identifiers() {
        let mut sets = Sets::new(130);
        let some = sets.intern(&Bits::none(130).with([3, 64, 129]));
        assert_eq!(some, sets.intern(&Bits::all(130).without((0..130).filter(|c| ![3, 64, 129].contains(c)))));
        assert_eq!(sets.intern(&Bits::none(70).with([69])), Some(SetId::single(69)));
        assert_eq!(sets.intern(&Bits::none(70)), None);
        let Some(some) = some else { return };
        assert_eq!(sets.elements(some).collect::<Vec<_>>(), [3, 64, 129]);
        assert_eq!(sets.runs(some).collect::<Vec<_>>(), [3..4, 64..65, 129..130]);
        let Some(long) = sets.intern(&Bits::none(130).with((5..20).chain(60..130))) else { return };
        assert_eq!(sets.runs(long).collect::<Vec<_>>(), [5..20, 60..64, 64..128, 128..130]);
        assert_eq!((sets.size(some), sets.contains(some, 64), sets.contains(some, 65)), (3, true, false));
    }

    #[test]
    fn divides_and_unites() {
        let mut sets = Sets::new(100);
        let [Some(set), Some(mask)] = [0..10, 5..20].map(|range| sets.intern(&Bits::none(100).with(range))) else {
            return;
        };
        let (Some(within), Some(beyond)) = sets.divide(set, mask) else { return };
        assert_eq!(sets.elements(within).collect::<Vec<_>>(), (5..10).collect::<Vec<_>>());
        assert_eq!(sets.elements(beyond).collect::<Vec<_>>(), (0..5).collect::<Vec<_>>());
        assert_eq!(sets.union(within, beyond), set);
        assert_eq!(sets.divide(set, set), (Some(set), None));
        assert_eq!(sets.divide(SetId::single(7), mask), (Some(SetId::single(7)), None));
        assert_eq!(sets.divide(SetId::single(4), mask), (None, Some(SetId::single(4))));
    }
}
