//! Which flits have moved in the last cycles, a word of virtual channels at a time.
//!
//! What has moved is noted once, and looked at by others when it shows to them: some cycles later by the next router, by the
//! one before, and by nodes. Refuses to know what they make of it.

use crate::costs::Timing;
use crate::units::narrow;

/// The flits of a cycle that have left buffers of the vcs of a word.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    pub(super) word: u32,
    /// The input vcs that they have left, one flit each.
    pub(super) left: u64,
    /// The output vcs by which they have.
    pub(super) by: u64,
}

/// What has moved in a cycle.
#[derive(Default)]
pub(super) struct Past {
    at: u64,
    pub(super) moves: Vec<Moves>,
}

/// What has moved in the last cycles.
pub(super) struct History {
    /// By the low bits of the cycle; those that have not been written over may be long past.
    cycles: Vec<Past>,
    /// What moves in this cycle.
    pub(super) moves: Vec<Moves>,
    /// The last cycle in which something shows that has moved.
    shows_until: u64,
}

impl History {
    /// A history that reaches `longest` cycles back.
    pub(super) fn new(longest: u64) -> Self {
        let cycles = narrow::<usize, _>(longest + 1, "delays are limited where they are read").next_power_of_two();
        // of no cycle yet
        let cycles = (0..cycles).map(|_| Past { at: u64::MAX, moves: Vec::new() }).collect();
        Self { cycles, moves: Vec::new(), shows_until: 0 }
    }

    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    fn slot(&mut self, at: u64) -> &mut Past {
        let mask = self.cycles.len() - 1;
        &mut self.cycles[at as usize & mask]
    }

    /// This cycle was `now`; `of_nodes` are the vcs of each word by which flits leave for nodes.
    pub(super) fn end_cycle(&mut self, now: u64, timing: &Timing, of_nodes: u64) {
        if self.moves.is_empty() {
            return;
        }
        let by = self.moves.iter().fold(0, |by, moves| by | moves.by);
        let hop = if by & !of_nodes == 0 { 0 } else { timing.hop };
        let ejection = if by & of_nodes == 0 { 0 } else { timing.sink_credit };
        self.shows_until = self.shows_until.max(now + timing.credit.max(hop).max(ejection));
        let mut moves = std::mem::take(&mut self.moves);
        let slot = self.slot(now);
        slot.at = now;
        std::mem::swap(&mut slot.moves, &mut moves);
        moves.clear();
        self.moves = moves;
    }

    /// What moved in the cycle `at`.
    pub(super) fn take(&mut self, at: u64) -> Past {
        let slot = self.slot(at);
        if slot.at == at { std::mem::take(slot) } else { Past { at, moves: Vec::new() } }
    }

    /// Gives back what has been taken and may be taken again.
    pub(super) fn give_back(&mut self, past: Past) {
        if !past.moves.is_empty() {
            let at = past.at;
            *self.slot(at) = past;
        }
    }

    /// Whether all that has moved shows before the cycle `now`.
    pub(super) fn is_past(&self, now: u64) -> bool {
        self.shows_until < now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: Timing = Timing { hop: 3, inject: 2, eject: 3, credit: 2, sink_credit: 5, routing: 0 };

    /// What moves is seen after every delay within reach, as often as it is asked for, and nothing else, also where cycles are
    /// left out; and it is past when the last of those it shows to has seen it.
    #[test]
    fn every_move_is_seen_after_each_delay() {
        const OF_NODES: u64 = 0xf0;
        for pause in [1, 2, 7, 8, 9, 100] {
            let mut history = History::new(5);
            let mut moved: Vec<u64> = Vec::new();
            let mut due = 0_u64;
            for now in (0_u64..40).chain((0..40).map(|step| 40 + step * pause)) {
                for ago in 0..6 {
                    let at = now.wrapping_sub(ago);
                    let past = history.take(at);
                    let seen: Vec<u64> = past.moves.iter().map(|moves| moves.left).collect();
                    history.give_back(past);
                    let expected: Vec<u64> = moved.iter().copied().filter(|&cycle| cycle == at).collect();
                    assert_eq!(seen, expected, "{now} - {ago}, pauses of {pause}");
                }
                assert_eq!(history.is_past(now + 1), due < now + 1);
                if now % 3 != 1 && !moved.contains(&now) {
                    let by = if now % 2 == 0 { 0x0f } else { 0x10 };
                    history.moves.push(Moves { word: 1, left: now, by });
                    moved.push(now);
                    due = due.max(now + if by & OF_NODES == 0 { TIMING.hop } else { TIMING.sink_credit });
                }
                history.end_cycle(now, &TIMING, OF_NODES);
            }
        }
    }
}
