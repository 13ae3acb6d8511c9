//! The best of many gains, and the first among equals, where gains change one at a time or all at once.

/// How many entries play for one of the level above.
const WIDTH: usize = 32;

/// A gain as it is stored: narrow ones are compared many at a time and fit into a cache.
pub(super) trait Gain: Copy + Ord {
    /// An entry without a gain, below all gains.
    const NONE: Self;

    /// The gain of this weight, which must fit.
    fn new(weight: i64) -> Self;

    fn weight(self) -> i64;

    /// The gain with this much more, which must fit; [`Self::NONE`] stays.
    fn plus(self, change: i64) -> Self;
}

impl Gain for i16 {
    const NONE: Self = Self::MIN;

    fn new(weight: i64) -> Self {
        let [low, high, ..] = weight.to_le_bytes();
        Self::from_le_bytes([low, high])
    }

    fn weight(self) -> i64 {
        Self::into(self)
    }

    fn plus(self, change: i64) -> Self {
        let sum = self.wrapping_add(Self::new(change));
        if self == Self::NONE { self } else { sum }
    }
}

impl Gain for i64 {
    const NONE: Self = Self::MIN;

    fn new(weight: i64) -> Self {
        weight
    }

    fn weight(self) -> i64 {
        self
    }

    fn plus(self, change: i64) -> Self {
        let sum = self.wrapping_add(change);
        if self == Self::NONE { self } else { sum }
    }
}

/// A tree over entries in which each node is the best of [`WIDTH`] below it.
///
/// Changing one is O(1) nearly always, as it is seldom the best of its [`WIDTH`]; asking is a look at every level.
#[derive(Debug, Default)]
pub(super) struct Tournament<G> {
    /// The entries, then ever fewer winners; each is filled up to a multiple of [`WIDTH`] but the last.
    levels: Vec<Vec<G>>,
    /// Whether entries were written without playing for the levels above.
    stale: bool,
}

impl<G: Gain> Tournament<G> {
    pub(super) fn new() -> Self {
        Self { levels: vec![Vec::new()], stale: false }
    }

    /// Makes it one of `count` entries, all without a gain.
    pub(super) fn clear(&mut self, count: usize) {
        let (mut length, mut level) = (count, 0);
        loop {
            let filled = length.next_multiple_of(WIDTH);
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].clear();
            self.levels[level].resize(filled, G::NONE);
            level += 1;
            if length <= WIDTH {
                break;
            }
            length = filled / WIDTH;
        }
        self.levels.truncate(level);
        self.stale = false;
    }

    pub(super) fn get(&self, entry: usize) -> G {
        self.levels[0][entry]
    }

    /// Changes an entry; all games are played again before the next answer.
    pub(super) fn write(&mut self, entry: usize, gain: G) {
        self.levels[0][entry] = gain;
        self.stale = true;
    }

    /// All entries, to be changed as by [`Self::write`].
    pub(super) fn entries(&mut self) -> &mut [G] {
        self.stale = true;
        &mut self.levels[0]
    }

    /// Changes an entry and plays its games.
    pub(super) fn set(&mut self, entry: usize, gain: G) {
        let (mut at, mut new) = (entry, gain);
        let mut old = std::mem::replace(&mut self.levels[0][at], new);
        if self.stale {
            return;
        }
        for level in 1..self.levels.len() {
            at /= WIDTH;
            let winner = self.levels[level][at];
            if new < winner {
                if old < winner {
                    return;
                }
                new = best(&self.levels[level - 1][at * WIDTH..][..WIDTH]);
            }
            if new == winner {
                return;
            }
            old = std::mem::replace(&mut self.levels[level][at], new);
        }
    }

    /// The first of the best of `count` entries from `start` on, if any has a gain.
    ///
    /// Both are multiples of a power of [`WIDTH`] that leaves at most [`WIDTH`] winners, as `start` a multiple of
    /// `count` and `count` a power of two are.
    pub(super) fn first(&mut self, start: usize, count: usize) -> Option<usize> {
        if self.stale {
            self.play();
        }
        let (mut start, mut count, mut level) = (start, count, 0);
        while count > WIDTH {
            (start, count, level) = (start / WIDTH, count / WIDTH, level + 1);
        }
        let winner = best(&self.levels[level][start..start + count]);
        if winner == G::NONE {
            return None;
        }
        let mut at = start + position(&self.levels[level][start..start + count], winner);
        for below in self.levels[..level].iter().rev() {
            at = at * WIDTH + position(&below[at * WIDTH..][..WIDTH], winner);
        }
        Some(at)
    }

    fn play(&mut self) {
        self.stale = false;
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            for (winner, entries) in above[0].iter_mut().zip(below[level - 1].chunks_exact(WIDTH)) {
                *winner = best(entries);
            }
        }
    }
}

fn best<G: Gain>(entries: &[G]) -> G {
    entries.iter().fold(G::NONE, |best, &entry| best.max(entry))
}

fn position<G: Gain>(entries: &[G], winner: G) -> usize {
    entries.iter().take_while(|&&entry| entry != winner).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Whatever is changed and however, the first of the best is that of a look at all.
    fn agrees<G: Gain>(count: usize, span: i64) {
        let mut random = Pcg64::seed_from_u64(count as u64);
        let mut tournament = Tournament::<G>::new();
        // a larger one before it leaves nothing behind
        tournament.clear(4 * count);
        tournament.write(0, G::new(span));
        tournament.clear(count);
        let mut plain = vec![G::NONE; count];
        for step in 0..2000 {
            let (entry, gain) = (random.random_range(0..count), G::new(random.random_range(-span..=span)));
            let gain = if random.random_bool(0.3) { G::NONE } else { gain };
            plain[entry] = gain;
            let change = if step % 50 == 0 { Tournament::write } else { Tournament::set };
            change(&mut tournament, entry, gain);
            let range = count >> random.random_range(0..=count.trailing_zeros());
            let start = random.random_range(0..count / range) * range;
            let wanted = (start..start + range)
                .filter(|&at| plain[at] > G::NONE)
                .max_by_key(|&at| (plain[at], std::cmp::Reverse(at)));
            assert_eq!(tournament.first(start, range), wanted, "{range} from {start} of {count}");
        }
    }

    #[test]
    fn the_first_of_the_best_wins() {
        for count in [1, 2, 16, 32, 64, 1024, 2048, 65_536] {
            agrees::<i16>(count, 3);
            agrees::<i64>(count, 1 << 40);
        }
    }

    #[test]
    fn an_entry_without_a_gain_stays_without() {
        assert_eq!((i16::NONE.plus(7), i64::NONE.plus(-7)), (i16::NONE, i64::NONE));
        assert_eq!((i16::new(-5).plus(7).weight(), i64::new(-5).plus(7).weight()), (2, 2));
    }
}
