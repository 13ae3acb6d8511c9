//! Virtual channels that packets can hold for ever, each one that fits into it.

use super::remaining::Remaining;
use super::waits::{Edge, Waits};
use super::{DependencyGraph, VirtualChannel};

/// A cycle of virtual channels, each of which is held by a packet that waits for the next; none if packets that hold a virtual
/// channel each cannot block each other.
///
/// A virtual channel without a blocked header at its front cannot be held, and what waits for it alone is free. What is left
/// when all those are gone can be held, by headers that are all blocked. The cycle is of virtual channels that a header must
/// wait for, as it stands behind another packet or has no other; where there is none, of virtual channels that are all held
/// among which a header has the choice.
///
/// O(states + requests) time.
pub(super) fn held(waits: &Waits) -> Option<Vec<VirtualChannel>> {
    let remaining = blocked_ends(waits);
    remaining.channels().next()?;
    let must = |demand: u32, edge: &Edge| !edge.empty || remaining.waits.requested.at(demand).len() == 1;
    let cycle = shortest(&remaining, must);
    cycle.or_else(|| shortest(&remaining, |demand, edge| !edge.empty || remaining.holds_all(demand)))
}

/// The virtual channels at each of whose fronts a header is blocked by the others.
fn blocked_ends(waits: &Waits) -> Remaining<'_> {
    let mut remaining = Remaining::new(waits);
    let is_blocked = |demand: &&u32| remaining.blocks(**demand);
    let blocked = |channel: u32| waits.fronts.at(channel).iter().filter(is_blocked).count();
    let mut blocked: Vec<usize> = waits.all_channels().map(blocked).collect();
    let mut open: Vec<u32> = waits.all_channels().filter(|&channel| blocked[channel as usize] == 0).collect();
    while let Some(channel) = open.pop() {
        remaining.remove(channel, |demand| {
            for &holder in waits.holders.at(demand) {
                blocked[holder as usize] -= 1;
                if blocked[holder as usize] == 0 {
                    open.push(holder);
                }
            }
        });
    }
    remaining
}

/// A virtual channel, or a demand at its front.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Place {
    Channel(u32),
    Front(u32),
}

/// A shortest cycle of virtual channels that remain, by demands and `accepted` requests.
fn shortest(remaining: &Remaining<'_>, accepted: impl Fn(u32, &Edge) -> bool) -> Option<Vec<VirtualChannel>> {
    let waits = remaining.waits;
    let mut graph = DependencyGraph::default();
    for channel in remaining.channels() {
        graph.number(Place::Channel(channel));
    }
    for channel in remaining.channels() {
        let fronts = waits.fronts.at(channel).iter();
        graph.extend(fronts.map(|&demand| (Place::Channel(channel), Place::Front(demand))));
    }
    for demand in waits.states.numbers().map(|demand| demand.0) {
        let waited_for =
            waits.requested.at(demand).iter().filter(|edge| remaining.has(edge.to) && accepted(demand, edge));
        graph.extend(waited_for.map(|edge| (Place::Front(demand), Place::Channel(edge.to))));
    }
    let channel = |place| match place {
        Place::Channel(channel) => Some(waits.channels.used[channel as usize]),
        Place::Front(_) => None,
    };
    Some(graph.shortest_cycle()?.into_iter().filter_map(channel).collect())
}
