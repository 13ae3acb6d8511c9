//! Where the blocks of the vector lie that an algorithm sends.

use std::ops::Range;

/// Piece `at` of `length` cut into `pieces` consecutive pieces whose lengths differ by at most one, the longer ones first.
///
/// ```
/// use flitwise::schedule::collective::cut;
/// assert_eq!([0, 1, 2, 3].map(|at| cut(10, 4, at)), [0..3, 3..6, 6..8, 8..10]);
/// ```
///
/// # Panics
/// If there are no pieces.
pub fn cut(length: u64, pieces: usize, at: usize) -> Range<u64> {
    let pieces = pieces as u64;
    let each = length / pieces;
    let longer = length % pieces;
    let start = |at: u64| at * each + at.min(longer);
    start(at as u64)..start(at as u64 + 1)
}

/// The blocks that an algorithm sends: parts of the vector that travel independently, each of blocks numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The length of the vector.
    pub(super) flits: u64,
    /// Per part its blocks, by ascending position.
    pub(super) parts: Vec<Vec<Range<u64>>>,
}

impl Layout {
    /// Block `b` of part `p` is piece `p` of rank `b`'s share: for operations with shares.
    pub fn of_shares(flits: u64, ranks: usize, parts: usize) -> Self {
        let block = |part: usize, rank: usize| {
            let share = cut(flits, ranks, rank);
            let piece = cut(share.end - share.start, parts, part);
            share.start + piece.start..share.start + piece.end
        };
        let parts = (0..parts).map(|part| (0..ranks).map(|rank| block(part, rank)).collect()).collect();
        Self { flits, parts }
    }

    /// Part `p` is piece `p` of the vector, cut into `blocks` blocks.
    pub fn of_parts(flits: u64, parts: usize, blocks: usize) -> Self {
        Self::with_blocks(flits, parts, |_| blocks)
    }

    /// Part `p` is piece `p` of the vector, cut into as few segments as there are with no more than `segment` flits; into
    /// one if `segment` is 0.
    pub fn of_segments(flits: u64, parts: usize, segment: u64) -> Self {
        Self::with_blocks(flits, parts, |length| {
            let segments = if segment == 0 { 1 } else { length.div_ceil(segment) };
            crate::units::saturated(segments.max(1))
        })
    }

    fn with_blocks(flits: u64, parts: usize, blocks: impl Fn(u64) -> usize) -> Self {
        let cut_part = |part: usize| {
            let part = cut(flits, parts, part);
            let length = part.end - part.start;
            let blocks = blocks(length);
            let block = |at: usize| {
                let block = cut(length, blocks, at);
                part.start + block.start..part.start + block.end
            };
            (0..blocks).map(block).collect()
        };
        Self { flits, parts: (0..parts).map(cut_part).collect() }
    }

    /// No vector at all: for barriers, whose messages are signals.
    pub fn of_signals() -> Self {
        Self { flits: 0, parts: vec![vec![0..0]] }
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// How many blocks a part has.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn blocks(&self, part: usize) -> usize {
        self.parts[part].len()
    }
}
