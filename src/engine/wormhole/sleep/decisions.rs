//! What wires have decided: at each try, and of each channel looked at in turn, whether it could start a flit, and for how
//! many periods of sleep that would stay so.

use super::key::Key;
use std::collections::VecDeque;

/// Whether the next flit of a channel could start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) key: Key,
    pub(super) vc: u32,
    /// Flits that had arrived and not started, and places that were free for them; no more than can be counted, which only ends a
    /// sleep before it need be.
    pub(super) flits: u32,
    pub(super) room: u32,
}

/// How flits and free places change from period to period.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drift {
    pub(super) flits: i64,
    pub(super) room: i64,
}

/// The latest decisions of a wire.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    /// From when on all are known.
    from: Key,
    latest: VecDeque<Decision>,
    /// How many are kept.
    most: usize,
}

impl Decisions {
    /// None yet, of which so many will be kept.
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// From when on all are known.
    #[inline]
    pub(super) fn from(&self) -> Key {
        self.from
    }

    /// Forgets those up to `key`.
    #[inline]
    pub(super) fn forget(&mut self, key: Key) {
        self.from = key;
        self.latest.clear();
    }

    #[inline]
    pub(super) fn add(&mut self, decision: Decision) {
        if self.latest.len() == self.most
            && let Some(oldest) = self.latest.pop_front()
        {
            self.from = oldest.key;
        } else if self.latest.capacity() == 0 {
            self.latest.reserve_exact(self.most); // at once: most wires come to keep as many
        }
        self.latest.push_back(decision);
    }

    /// Those after `key`.
    #[inline]
    pub(super) fn after(&self, key: Key) -> impl Iterator<Item = &Decision> {
        self.latest.iter().rev().take_while(move |decision| decision.key > key)
    }
}

impl Decision {
    /// After how many periods, one at least, of such `drift` it would first be another; none if never.
    pub(super) fn turns_after(&self, drift: Drift) -> Option<u64> {
        let flits = Positive::new(self.flits.into(), drift.flits);
        let room = Positive::new(self.room.into(), drift.room);
        let first = flits.first.max(room.first);
        let last = flits.last.min(room.last);
        if self.flits > 0 && self.room > 0 {
            // it is true from 0 to the last, and stays false from there
            return (last < u64::MAX).then(|| last + 1);
        }
        let first = first.max(1);
        (first <= last).then_some(first)
    }
}

/// For which numbers of periods a quantity is above zero.
struct Positive {
    first: u64,
    last: u64,
}

impl Positive {
    fn new(value: u64, drift: i64) -> Self {
        let step = drift.unsigned_abs();
        match (value, drift.signum()) {
            (0, 1) => Self { first: 1, last: u64::MAX },
            (0, _) => Self { first: u64::MAX, last: 0 },
            (_, -1) => Self { first: 0, last: value.div_ceil(step) - 1 },
            _ => Self { first: 0, last: u64::MAX },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_turn_when_counters_say_so() {
        for flits in 0..7_u32 {
            for room in 0..7_u32 {
                for (of_flits, of_room) in (-3..=3).flat_map(|one| (-3..=3).map(move |other| (one, other))) {
                    let decision = Decision { key: Key::default(), vc: 0, flits, room };
                    let can = |periods: i64| {
                        i64::from(flits) + periods * of_flits > 0 && i64::from(room) + periods * of_room > 0
                    };
                    let turn = (1..100).find(|&periods| can(periods) != can(0));
                    let drift = Drift { flits: of_flits, room: of_room };
                    let expected = turn.map(i64::unsigned_abs);
                    assert_eq!(decision.turns_after(drift), expected, "{flits} {room} {of_flits} {of_room}");
                }
            }
        }
    }

    /// The number of periods is the first whose counters say otherwise, however large they are.
    #[test]
    fn decisions_turn_at_the_edges_of_counters_too() {
        let values = [0, 1, 2, u32::MAX - 1, u32::MAX];
        let most = i64::from(u32::MAX);
        let drifts = [-most, -most + 1, -2, -1, 0, 1, 2, most];
        for (flits, room) in values.iter().flat_map(|&flits| values.map(|room| (flits, room))) {
            for (of_flits, of_room) in drifts.iter().flat_map(|&one| drifts.map(|other| (one, other))) {
                let can = |periods: u64| {
                    let after = |value: u32, drift: i64| i128::from(value) + i128::from(periods) * i128::from(drift);
                    after(flits, of_flits) > 0 && after(room, of_room) > 0
                };
                let decision = Decision { key: Key::default(), vc: 0, flits, room };
                match decision.turns_after(Drift { flits: of_flits, room: of_room }) {
                    Some(turn) => {
                        assert!(turn > 0 && can(turn) != can(0), "{flits} {room} {of_flits} {of_room}: {turn}");
                        // it stays the same up to there: where it has turned once, it does not turn back before
                        assert!([1, turn / 2, turn - 1].iter().all(|&at| at >= turn || can(at) == can(0)));
                    }
                    None => {
                        let far = [1, 2, 3, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 33, 1 << 62];
                        assert!(far.iter().all(|&at| can(at) == can(0)), "{flits} {room} {of_flits} {of_room}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_kept_is_not_known() {
        let mut decisions = Decisions::new(2);
        for tick in 1..=3 {
            decisions.add(Decision { key: Key { tick, ..Key::default() }, vc: 0, flits: 1, room: 1 });
        }
        assert_eq!(decisions.from().tick, 1);
        assert_eq!(decisions.after(decisions.from()).count(), 2);
        decisions.forget(Key { tick: 9, ..Key::default() });
        assert_eq!((decisions.from().tick, decisions.after(Key::default()).count()), (9, 0));
    }
}
