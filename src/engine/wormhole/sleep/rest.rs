//! What a wire that sleeps has promised and what it expects: starts that come again every period.
//!
//! Of each of its channels that has flits left it promises the starts of its last period, over and over, and expects those of the
//! channels before and after it on its owner's path. All are numbered, from 0, by the owner's flits.

use super::key::Key;
use super::state::State;

/// Starts that come again: `count` in a period, of which the first is start number `from` and follows those of the last period.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repeating {
    pub(super) from: u64,
    pub(super) count: u32,
}

impl Repeating {
    /// For start number `start`: which of the last period it repeats, and after how many periods.
    #[inline]
    fn place(self, start: u64) -> (u64, u64) {
        let ahead = start - self.from;
        match u64::from(self.count) {
            1 => (0, ahead + 1),
            count => (ahead % count, ahead / count + 1),
        }
    }
}

/// The starts of a channel and its neighbours in the last period.
#[derive(Clone, Copy, Default)]
pub(super) struct Windows {
    pub(super) vc: u32,
    pub(super) own: Repeating,
    pub(super) before: Repeating,
    pub(super) after: Repeating,
}

/// What the pending entries of the agenda are called that are about a channel asleep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Serials {
    pub(super) arrive: u32,
    pub(super) start: u32,
    pub(super) before_due: u32,
    pub(super) after_due: u32,
}

/// A channel asleep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rest {
    /// Whether it has flits left.
    pub(super) has_more: bool,
    /// Its own starts.
    pub(super) own: Repeating,
    /// The starts that it expects of the channels before and after it.
    pub(super) before: Repeating,
    pub(super) after: Repeating,
    pub(super) serials: Serials,
}

/// Of every channel, how it sleeps, if it does.
pub(super) struct Rests {
    rests: Vec<Rest>,
    /// Of each channel, the keys of a period of those before it, and of those after it.
    expected: Vec<Key>,
    longest: usize,
    serial: u32,
}

impl Rests {
    pub(super) fn new(state: &State) -> Self {
        let count = state.count();
        let longest = state.remembered.of_period;
        Self {
            rests: vec![Rest::default(); count],
            expected: vec![Key::default(); 2 * longest * count],
            longest,
            serial: 0,
        }
    }

    #[inline]
    pub(super) fn rest(&self, vc: u32) -> &Rest {
        &self.rests[vc as usize]
    }

    #[inline]
    pub(super) fn rest_mut(&mut self, vc: u32) -> &mut Rest {
        &mut self.rests[vc as usize]
    }

    /// A number that no entry of the agenda has.
    #[inline]
    pub(super) fn next_serial(&mut self) -> u32 {
        self.serial = self.serial.wrapping_add(1).max(1);
        self.serial
    }

    /// The keys that `vc` expects of the channel before it.
    #[inline]
    pub(super) fn before_keys(&mut self, vc: u32) -> &mut [Key] {
        let at = 2 * self.longest * vc as usize;
        &mut self.expected[at..at + self.longest]
    }

    /// The keys that `vc` expects of the channel after it.
    #[inline]
    pub(super) fn after_keys(&mut self, vc: u32) -> &mut [Key] {
        let at = (2 * vc as usize + 1) * self.longest;
        &mut self.expected[at..at + self.longest]
    }

    /// The key at which `vc` expects start number `start` of the channel before it, whose tick counts; none if it expects none.
    #[inline]
    pub(super) fn expected_before(&self, vc: u32, start: u64, period: u64) -> Option<Key> {
        let before = self.rest(vc).before;
        self.expected_start(2 * self.longest * vc as usize, before, start, period)
    }

    /// The key at which `vc` expects start number `start` of the channel after it; none if it expects none.
    #[inline]
    pub(super) fn expected_after(&self, vc: u32, start: u64, period: u64) -> Option<Key> {
        let after = self.rest(vc).after;
        self.expected_start((2 * vc as usize + 1) * self.longest, after, start, period)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a period has a few starts")]
    fn expected_start(&self, at: usize, starts: Repeating, start: u64, period: u64) -> Option<Key> {
        if starts.count == 0 {
            return None;
        }
        let (which, periods) = starts.place(start);
        Some(self.expected[at + which as usize].after(period * periods))
    }
}

/// The key of start number `start` of `vc`, one of the latest, or of those to come if it sleeps; none if it has none to come.
#[inline]
pub(super) fn start_of(state: &State, rests: &Rests, vc: u32, start: u64) -> Option<Key> {
    let wire = state.wire(state.vc(vc).wire);
    let rest = rests.rest(vc);
    if !wire.is_asleep || !rest.has_more || start < rest.own.from {
        return Some(state.kept_start(vc, start));
    }
    if rest.own.count == 0 {
        return None;
    }
    let (which, periods) = rest.own.place(start);
    let last = state.kept_start(vc, rest.own.from - u64::from(rest.own.count) + which);
    Some(last.after(wire.period * periods))
}

/// How many flits have started on `vc` up to `key`, which is now.
#[inline]
pub(super) fn starts_up_to(state: &State, rests: &Rests, vc: u32, key: Key) -> u64 {
    let this = state.vc(vc);
    let wire = state.wire(this.wire);
    let rest = rests.rest(vc);
    if !wire.is_asleep || !rest.has_more {
        return this.started;
    }
    let Repeating { from, count } = rest.own;
    let ticks = key.tick - wire.asleep_from.tick;
    // in full, if it is no earlier in its tick than when the wire fell asleep
    let periods = ticks / wire.period;
    let periods = periods - u64::from(ticks == periods * wire.period && key.place < wire.asleep_from.place);
    let rest_of_period = Key { tick: key.tick - periods * wire.period, place: key.place };
    let begun = (from - u64::from(count)..from)
        .filter(|&start| state.kept_start(vc, start).after(wire.period) <= rest_of_period)
        .count();
    from + periods * u64::from(count) + begun as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted one by one: the starts of a period again and again, numbered on.
    #[test]
    fn a_start_repeats_the_one_that_stands_in_its_place() {
        for from in 0..5 {
            for count in 1..6 {
                let repeated = (1..20).flat_map(|periods| (0..count).map(move |which| (u64::from(which), periods)));
                for (start, expected) in (from..).zip(repeated) {
                    assert_eq!(Repeating { from, count }.place(start), expected, "{start} from {from} of {count}");
                }
            }
        }
        assert_eq!(Repeating { from: 1, count: 1 }.place(u64::MAX), (0, u64::MAX));
        assert_eq!(Repeating { from: 0, count: 2 }.place(u64::MAX), (1, 1 << 63));
    }
}
