//! What links take, where a scenario says it of a network's links by dimension, or by the gap between two levels.

use super::Parameter;
use crate::config::{Diagnostic, Reader};
use crate::topology::LinkCost;
use crate::units::Key;

/// The time for a flit to cross some links, in ticks.
pub(super) const fn flit_time(name: &'static str) -> Key {
    Key::integer(name, FLIT_TIMES.0..=FLIT_TIMES.1).or_else("`channel.flit_time`").unit("ticks")
}

/// What a flit is on its way over some links beyond that, in ticks.
pub(super) const fn delay(name: &'static str) -> Key {
    Key::integer(name, 0..=LONGEST_DELAY).or(0).unit("ticks")
}

/// The longest flit time and delay of a link, in ticks.
pub(super) const LONGEST_FLIT_TIME: u64 = 1 << 32;
pub(super) const LONGEST_DELAY: u64 = 1 << 40;

const FLIT_TIMES: (u64, u64) = (1, LONGEST_FLIT_TIME);

/// The keys of links that differ by dimension or by gap.
pub(super) struct CostKeys {
    pub(super) flit_time: Key,
    pub(super) delay: Key,
    /// What has as many entries, such as "the shape".
    pub(super) counted: &'static str,
}

impl CostKeys {
    /// Keys that say what links take `per` dimension or gap, of which there are as many as `counted` has entries.
    pub(super) const fn new(flit_time: &'static str, delay: &'static str, counted: &'static str) -> Self {
        let times = Key::integers("flit_time", FLIT_TIMES.0..=FLIT_TIMES.1);
        let delays = Key::integers("delay", 0..=LONGEST_DELAY);
        Self {
            flit_time: times.or_else("`channel.flit_time` for all").unit("ticks").says(flit_time),
            delay: delays.or_else("0 for all").unit("ticks").says(delay),
            counted,
        }
    }

    /// What the links of each of so many `entries` take; empty if that is what every channel does, `flit_time` ticks a flit
    /// without delay. What is wrong has been reported.
    pub(super) fn read(&self, table: &Reader<'_>, entries: usize, flit_time: u64) -> Vec<LinkCost> {
        let flit_times = self.entries(table, &self.flit_time, entries).unwrap_or_else(|| vec![flit_time; entries]);
        let delays = self.entries(table, &self.delay, entries).unwrap_or_else(|| vec![0; entries]);
        let pairs = flit_times.into_iter().zip(delays);
        let costs: Vec<LinkCost> = pairs.map(|(flit_time, delay)| LinkCost::new(flit_time, delay)).collect();
        let even = LinkCost::without_delay(flit_time);
        if costs.iter().all(|&cost| cost == even) { Vec::new() } else { costs }
    }

    /// The integers that `key` gives, one for each of `entries` dimensions or gaps. Returns `None` if
    /// the key is not given or wrong, which has been reported.
    pub(super) fn entries(&self, table: &Reader<'_>, key: &Key, entries: usize) -> Option<Vec<u64>> {
        let given: Vec<u64> = table.integers(key)?.into_iter().map(|(number, _)| number).collect();
        if given.len() == entries {
            return Some(given);
        }
        let words = if given.len() == 1 { "entry" } else { "entries" };
        let message = format!("`{}` has {} {words}, but {} {entries}", key.name, given.len(), self.counted);
        let wrong = Diagnostic::at(table.place_of(key.name), message);
        let integers = if entries == 1 { "integer" } else { "integers" };
        table.error(wrong.note(format!("accepted: {entries} {integers}")));
        None
    }
}

/// What `costs` say, as a network is known by it: nothing, if its links are like every channel.
pub(super) fn parameters(costs: &[LinkCost]) -> Vec<(&'static str, Parameter)> {
    if costs.is_empty() {
        return Vec::new();
    }
    let flit_times = costs.iter().map(|cost| cost.flit_time.0).collect();
    let delays = costs.iter().map(|cost| cost.delay.0).collect();
    vec![("flit_time", Parameter::Integers(flit_times)), ("delay", Parameter::Integers(delays))]
}
