//! Virtual channels that cannot be held for ever, by rounds.
//!
//! A packet that never moves again may hold several virtual channels. Its header is at the front of one of them, blocked, and
//! has come there through the others. So a virtual channel from which no header, wherever it may have gone since, can be
//! blocked by virtual channels that may be held is itself not held for ever. Round by round such virtual channels leave. If
//! none is left nothing deadlocks, and no escape had to be named: wherever one proves as much, every round loses a virtual
//! channel (the extended dependencies of Duato 1993 without the names).

use super::remaining::Remaining;
use super::states::Lists;
use super::waits::Waits;
use crate::cancel;

/// Per virtual channel the round in which it leaves, from 0; none if some never do.
///
/// O(rounds * states) time. Begins every round with a [`checkpoint`](cancel::checkpoint).
pub(super) fn ranks(waits: &Waits) -> Option<Vec<u32>> {
    let origins = origins(waits);
    let mut remaining = Remaining::new(waits);
    let mut ranks = vec![0; waits.channels.used.len()];
    let mut left = ranks.len();
    for round in 0.. {
        cancel::checkpoint();
        if left == 0 {
            break;
        }
        let stuck = stuck(&remaining, &origins);
        let may_be_held = |channel: u32| waits.fronts.at(channel).iter().any(|&demand| stuck[demand as usize]);
        let leaving: Vec<u32> = remaining.channels().filter(|&channel| !may_be_held(channel)).collect();
        if leaving.is_empty() {
            return None;
        }
        left -= leaving.len();
        for channel in leaving {
            ranks[channel as usize] = round;
            remaining.remove(channel, |_| ());
        }
    }
    Some(ranks)
}

/// Per demand the demands, each with the number of a request, that lead to it.
fn origins(waits: &Waits) -> Lists<(u32, u32)> {
    let origin = |(from, request, to): (super::Demand, u32, super::Demand)| (to.0, (from.0, request));
    Lists::from_pairs(waits.states.numbers().len(), waits.states.leads().map(origin).collect())
}

/// Per demand whether a header with it is blocked, or may go on through virtual channels that remain until it is.
fn stuck(remaining: &Remaining<'_>, origins: &Lists<(u32, u32)>) -> Vec<bool> {
    let waits = remaining.waits;
    let demands = || waits.states.numbers().map(|demand| demand.0);
    let mut stuck: Vec<bool> = demands().map(|demand| remaining.blocks(demand)).collect();
    let mut open: Vec<u32> = demands().filter(|&demand| stuck[demand as usize]).collect();
    while let Some(demand) = open.pop() {
        for &(from, request) in origins.at(demand) {
            let request = waits.states.requests(super::Demand(from))[request as usize];
            if !stuck[from as usize] && waits.channels.of(request).any(|channel| remaining.has(channel)) {
                stuck[from as usize] = true;
                open.push(from);
            }
        }
    }
    stuck
}
