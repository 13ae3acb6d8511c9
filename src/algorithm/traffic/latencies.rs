//! Latencies counted by their value, so that memory follows from how different they are and not from how many.

use std::collections::BTreeMap;

/// Latencies below this are counted in a table: 512 KiB at most.
const TABLE: usize = 1 << 16;

/// Latencies, in any order.
///
/// *Cost.* Time O(1) for a latency below 65,536, O(log n) for a longer one. Memory follows from the values that differ.
///
/// ```
/// use flitwise::algorithm::traffic::Latencies;
///
/// let mut latencies = Latencies::default();
/// [30, 10, 20, 1 << 40].into_iter().for_each(|latency| latencies.add(latency));
/// assert_eq!((latencies.count(), latencies.quantile(500), latencies.quantile(1000)), (4, 20, 1 << 40));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    count: u64,
    /// The number of packets with each latency below [`TABLE`], up to the largest one seen.
    short: Vec<u64>,
    /// The number of packets with each longer latency.
    long: BTreeMap<u64, u64>,
}

impl Latencies {
    /// Adds a latency.
    pub fn add(&mut self, latency: u64) {
        self.count += 1;
        match usize::try_from(latency).ok().filter(|&latency| latency < TABLE) {
            Some(at) => {
                if at >= self.short.len() {
                    self.short.resize(at + 1, 0);
                }
                self.short[at] += 1;
            }
            None => *self.long.entry(latency).or_default() += 1,
        }
    }

    /// Adds all latencies of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.short.resize(self.short.len().max(other.short.len()), 0);
        for (times, other) in self.short.iter_mut().zip(&other.short) {
            *times += other;
        }
        for (&latency, &times) in &other.long {
            *self.long.entry(latency).or_default() += times;
        }
    }

    /// The number of latencies.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The quantile in thousandths: the latency of rank `ceil(thousandths count / 1000)`, for 0 thousandths the least one. It is 0
    /// without latencies.
    pub fn quantile(&self, thousandths: u64) -> u64 {
        let rank = (u128::from(thousandths) * u128::from(self.count)).div_ceil(1000).max(1);
        let short = (0..).zip(self.short.iter().copied());
        let long = self.long.iter().map(|(&latency, &times)| (latency, times));
        let mut seen = 0;
        let reached = short.chain(long).find(|&(_, times)| {
            seen += u128::from(times);
            seen >= rank
        });
        reached.map_or(0, |(latency, _)| latency)
    }

    /// The most bytes that `count` latencies up to `longest` take.
    pub fn memory(count: u64, longest: u64) -> u64 {
        let table = 16 * longest.min(TABLE as u64);
        // two words, in nodes that are half full at least
        let tree = count.min(longest.saturating_sub(TABLE as u64)).saturating_mul(40);
        tree.saturating_add(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use rand::RngExt;

    /// The quantiles of the sorted list, short and long latencies mixed.
    #[test]
    fn quantiles_are_those_of_the_sorted_list() {
        let mut random = random::stream(1, "test", 0);
        for count in [1, 2, 3, 999, 1000, 1001] {
            let mut latencies = Latencies::default();
            let mut draw = || {
                let bits = random.random_range(1..20);
                random.random_range(1..1_u64 << bits)
            };
            let mut list: Vec<u64> = (0..count).map(|_| draw()).collect();
            list.iter().for_each(|&latency| latencies.add(latency));
            list.sort_unstable();
            for thousandths in [0, 1, 500, 990, 999, 1000] {
                let rank = (thousandths * list.len()).div_ceil(1000).max(1);
                assert_eq!(latencies.quantile(thousandths as u64), list[rank - 1], "{thousandths} of {count}");
            }
            assert_eq!(latencies.count(), list.len() as u64);
        }
        assert_eq!(Latencies::default().quantile(500), 0);
    }
}
