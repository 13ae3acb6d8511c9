//! Which units are whose turn, balanced by what they cost.

use crate::run::Unit;
use priority_queue::PriorityQueue;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;
use thiserror::Error;

/// One of several parts of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "(usize, NonZeroUsize)", into = "(usize, NonZeroUsize)")]
pub struct Shard {
    /// From 0.
    index: usize,
    of: NonZeroUsize,
}

/// Why there is no such shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("must be I/N with I from 1 to N, such as 2/8")]
#[non_exhaustive]
pub struct ShardError;

/// The most shards: more than any machine starts.
const MOST: usize = 1_000_000;

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { index: 0, of: NonZeroUsize::MIN };

    /// The shard `number` of `of`, counted from 1.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(number: usize, of: NonZeroUsize) -> Result<Self, ShardError> {
        if (1..=of.get()).contains(&number) && of.get() <= MOST {
            Ok(Self { index: number - 1, of })
        } else {
            Err(ShardError)
        }
    }

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self.index + 1
    }

    /// How many there are.
    pub fn of(self) -> NonZeroUsize {
        self.of
    }

    /// Whether it is everything.
    pub fn is_whole(self) -> bool {
        self.of == NonZeroUsize::MIN
    }

    /// The name of its journal.
    pub fn journal(self) -> String {
        format!("journal-{}-of-{}.jsonl", self.number(), self.of)
    }

    /// The shard whose journal is at `path`, if that is called like one.
    pub fn of_journal(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (number, of) = name.strip_prefix("journal-")?.strip_suffix(".jsonl")?.split_once("-of-")?;
        Self::new(number.parse().ok()?, of.parse().ok()?).ok()
    }

    /// Which of `units` are its turn, in their order.
    pub fn share(self, units: &[Unit]) -> Vec<usize> {
        if self.is_whole() {
            return (0..units.len()).collect();
        }
        let all = shares(units, self.of);
        (0..units.len()).filter(|&unit| all[unit] == self.index).collect()
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number(), self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError)?;
        Self::new(number.parse().map_err(|_| ShardError)?, of.parse().map_err(|_| ShardError)?)
    }
}

impl TryFrom<(usize, NonZeroUsize)> for Shard {
    type Error = ShardError;

    fn try_from((number, of): (usize, NonZeroUsize)) -> Result<Self, ShardError> {
        Self::new(number, of)
    }
}

impl From<Shard> for (usize, NonZeroUsize) {
    fn from(shard: Shard) -> Self {
        (shard.number(), shard.of)
    }
}

/// The index of the shard, of `count`, whose turn each of `units` is: the longest first, each to the shard that has least
/// to do (Graham, Bounds on multiprocessing timing anomalies, 1969: at most 4/3 of the best there is). Of units that take
/// equally long the first goes first; of shards that have equally much to do the lowest takes it.
pub fn shares(units: &[Unit], count: NonZeroUsize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|&unit| Reverse(units[unit].time));
    let mut shards: PriorityQueue<usize, Reverse<Load>, FxBuildHasher> =
        (0..count.get()).map(|shard| (shard, Reverse(Load { time: 0, shard }))).collect();
    let mut turn = vec![0; units.len()];
    for unit in order {
        let Some((_, &Reverse(Load { time, shard }))) = shards.peek() else { break };
        turn[unit] = shard;
        shards.change_priority(&shard, Reverse(Load { time: time.saturating_add(units[unit].time), shard }));
    }
    turn
}

/// What a shard has to do, in nanoseconds; of equal loads that of the lower shard is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Load {
    time: u64,
    shard: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(time: u64) -> Unit {
        Unit { point: 0, algorithm: 0, from: 0, rows: 1, time, memory: 0 }
    }

    #[test]
    fn shards_are_balanced_by_cost_and_disjoint() -> Result<(), ShardError> {
        let units: Vec<Unit> = (0..1000).map(|at| unit(1 + at * at % 997)).collect();
        let total: u64 = units.iter().map(|unit| unit.time).sum();
        let mut seen = vec![0; units.len()];
        for number in 1..=7 {
            let share = Shard::from_str(&format!("{number}/7"))?.share(&units);
            let load: u64 = share.iter().map(|&at| units[at].time).sum();
            assert!(load.abs_diff(total / 7) <= 1000, "{load} of {total}");
            share.iter().for_each(|&at| seen[at] += 1);
        }
        assert!(seen.iter().all(|&times| times == 1));
        Ok(())
    }

    /// The definition, without a queue: every unit looks at every shard.
    fn scanned(units: &[Unit], count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_by_key(|&unit| Reverse(units[unit].time));
        let mut loads = vec![0_u64; count];
        let mut turn = vec![0; units.len()];
        for unit in order {
            // the first of equals
            turn[unit] = (0..count).min_by_key(|&shard| loads[shard]).unwrap_or(0);
            loads[turn[unit]] += units[unit].time;
        }
        turn
    }

    #[test]
    fn shares_are_those_of_a_scan_with_all_ties() {
        for count in [1, 2, 5, 16] {
            let units: Vec<Unit> = (0..300).map(|at| unit(at * 7 % 5)).collect();
            let shards = NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
            assert_eq!(shares(&units, shards), scanned(&units, count), "{count}");
        }
    }

    #[test]
    fn one_long_unit_does_not_drag_others_along() -> Result<(), ShardError> {
        let units: Vec<Unit> = [100, 1, 1, 1, 1].map(unit).to_vec();
        assert_eq!(Shard::from_str("1/2")?.share(&units), [0]);
        assert_eq!(Shard::from_str("2/2")?.share(&units), [1, 2, 3, 4]);
        Ok(())
    }

    #[test]
    fn shards_that_are_none() {
        for text in ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/99999999"] {
            assert_eq!(Shard::from_str(text), Err(ShardError), "{text}");
        }
    }
}
