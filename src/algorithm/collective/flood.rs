//! Floods: every block spreads from its rank, step by step, to peers that lack it.
//!
//! An allgather by exchanges with peers takes the steps of a butterfly in reverse order: in each, every holder of a block copies
//! it to its peer, if that lacks it. Who holds which blocks is kept as bits, so that a step takes `P^2 / 64` operations.

use std::ops::Range;

/// Who holds which blocks.
pub(super) struct Flood {
    words: usize,
    held: Vec<u64>,
}

/// What one rank of a flood sends another.
pub(super) struct Sending {
    pub(super) src: usize,
    pub(super) dst: usize,
    /// The blocks, as ascending runs.
    pub(super) blocks: Vec<Range<usize>>,
}

impl Flood {
    /// Each of so many ranks holds its own block.
    pub(super) fn new(ranks: usize) -> Self {
        let words = ranks.div_ceil(64);
        let mut held = vec![0; words * ranks];
        for rank in 0..ranks {
            held[rank * words + rank / 64] |= 1 << (rank % 64);
        }
        Self { words, held }
    }

    /// A step in which each rank has the peers that `peers` lists for each, those listed first before the others: what the
    /// ranks send, and from now on hold. What two offer is taken from the first, by peer and then by rank.
    pub(super) fn step(&mut self, peers: &[Vec<usize>]) -> Vec<Sending> {
        let words = self.words;
        let mut taken = self.held.clone();
        let mut all = Vec::new();
        for of_rank in peers {
            for (src, &dst) in of_rank.iter().enumerate() {
                let offered = &self.held[src * words..][..words];
                let has = &mut taken[dst * words..][..words];
                let news: Vec<u64> = offered.iter().zip(&*has).map(|(offered, has)| offered & !has).collect();
                let blocks = runs(&news);
                if !blocks.is_empty() {
                    has.iter_mut().zip(&news).for_each(|(has, news)| *has |= news);
                    all.push(Sending { src, dst, blocks });
                }
            }
        }
        self.held = taken;
        all
    }
}

/// The runs of ones in `bits`.
fn runs(bits: &[u64]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, &word) in bits.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let start = rest.trailing_zeros();
            let length = (!(rest >> start)).trailing_zeros().min(64 - start);
            let first = 64 * at + start as usize;
            match runs.last_mut() {
                Some(last) if last.end == first => last.end = first + length as usize,
                _ => runs.push(first..first + length as usize),
            }
            rest = if start + length == 64 { 0 } else { rest >> (start + length) << (start + length) };
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_those_of_ones() {
        assert_eq!(runs(&[0b1011, 0]), [0..2, 3..4]);
        assert_eq!(runs(&[1 << 63, 0b110]), [63..64, 65..67]);
        assert_eq!(runs(&[u64::MAX, 1, u64::MAX]), [0..65, 128..192]);
        assert!(runs(&[0, 0]).is_empty());
    }
}
