//! What the tail of a message was held up by on its way: a chain of intervals from the start of its head flit on one channel to its
//! own start on another.

use super::Hop;
use crate::machine::Machine;
use crate::topology::LinkCost;
use crate::units::Ticks;

/// A chain of intervals from the start of a head flit to that of a flit behind it, by what they were spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The channel of the path on which the head flit starts, from 0.
    pub(super) from: usize,
    /// When the flit at its end starts.
    pub(super) at: Ticks,
    /// Flits followed each other.
    pub(super) transmit: Ticks,
    /// Flits went from channel to channel.
    pub(super) hop: Ticks,
    /// Flits waited for a credit, and for the last time in front of this channel of the path.
    pub(super) credit: (Ticks, usize),
    /// Flits waited for others on the link or in the switch, and for the last time in front of this channel of the path.
    pub(super) others: (Ticks, usize),
}

impl Chain {
    /// Of a head flit that starts on channel `from` of its path.
    pub(super) fn head(from: usize, at: Ticks) -> Self {
        let none = (Ticks::ZERO, from);
        Self { from, at, transmit: Ticks::ZERO, hop: Ticks::ZERO, credit: none, others: none }
    }

    /// The same from the start of the head flit on channel `from` of its path, at `at`, from which it came here without waiting.
    pub(super) fn starting_at(self, from: usize, at: Ticks) -> Self {
        let spent = self.transmit + self.hop + self.credit.0 + self.others.0;
        Self { from, hop: self.hop + (self.at - spent - at), ..self }
    }

    /// Another flit follows after `ticks`.
    pub(super) fn transmitting(self, ticks: Ticks) -> Self {
        Self { at: self.at + ticks, transmit: self.transmit + ticks, ..self }
    }

    /// The flit has arrived after `ticks`.
    pub(super) fn hopping(self, ticks: Ticks) -> Self {
        Self { at: self.at + ticks, hop: self.hop + ticks, ..self }
    }

    /// A flit waits for a credit in front of channel `hop` until `at`, if that is to come.
    pub(super) fn waiting_for_credit(self, hop: usize, at: Ticks) -> Self {
        let ticks = at.0.saturating_sub(self.at.0);
        if ticks == 0 {
            return self;
        }
        Self { at, credit: (self.credit.0 + Ticks(ticks), hop), ..self }
    }

    /// A flit waits for others in front of channel `hop` until `at`.
    pub(super) fn waiting_for_others(self, hop: usize, at: Ticks) -> Self {
        let ticks = at.0.saturating_sub(self.at.0);
        if ticks == 0 {
            return self;
        }
        Self { at, others: (self.others.0 + Ticks(ticks), hop), ..self }
    }

    /// The flit has come over a channel with a buffer, and its place is known to be free again after `credit`: a round trip, which
    /// began when another flit started on that channel, `hop` of the path, and of which `arrival` was spent on the way there. As
    /// many flits as the buffer holds went over the channel meanwhile, which takes `full`.
    pub(super) fn round_trip(self, hop: usize, arrival: Ticks, credit: Ticks, full: Ticks) -> Self {
        let round = arrival + credit;
        let transmit = full.min(round);
        let gone = Self { hop: self.hop - arrival, transmit: self.transmit + transmit, ..self };
        let waited = round - transmit;
        let on = if waited == Ticks::ZERO { self.credit.1 } else { hop };
        Self { at: self.at + credit, credit: (self.credit.0 + waited, on), ..gone }
    }
}

/// The chain to the start of the tail of a message of so many `flits` on channel `to` of its path, if nothing but its own head flit
/// held it up: the rules of the worm engine, by when its head flit started on the `hops` of its path. Every buffer covers the
/// delay of its channel. O(H^2) time for H channels.
pub(super) fn behind_head(hops: &[Hop], flits: u64, machine: &Machine, to: usize) -> Chain {
    let mut tail: Option<Chain> = None;
    let mut crossing = Ticks::ZERO;
    for at in 0..=to {
        let held = behind_heads(hops, flits, machine, at);
        let came = tail.map(|chain| chain.hopping(crossing));
        // of equals the one that is anchored farthest on
        tail = Some(came.filter(|came| came.at > held.at).unwrap_or(held));
        crossing = cost(hops, machine, at).crossing();
    }
    tail.unwrap_or(Chain::head(0, Ticks::ZERO))
}

fn cost(hops: &[Hop], machine: &Machine, at: usize) -> LinkCost {
    machine.channel_cost(hops[at].channel)
}

/// The latest of the chains to the start of the tail on channel `at` that begin on that channel or farther on, where there was room
/// behind for so many flits as the buffers between hold; of equals the nearest.
fn behind_heads(hops: &[Hop], flits: u64, machine: &Machine, at: usize) -> Chain {
    let mut slowest = Ticks::ZERO;
    let mut delays = Ticks::ZERO;
    let mut left = flits - 1;
    let mut latest: Option<Chain> = None;
    for (hop, Hop { started, .. }) in hops.iter().enumerate().skip(at) {
        let cost = cost(hops, machine, hop);
        slowest = slowest.max(cost.flit_time);
        let moved = Chain::head(hop, *started).transmitting(slowest * left);
        let chain = moved.waiting_for_credit(at, moved.at + delays);
        if latest.is_none_or(|latest| chain.at > latest.at) {
            latest = Some(chain);
        }
        delays += cost.delay;
        let Some(fewer) = left.checked_sub(cost.buffer(machine.channel.buffer)) else { break };
        left = fewer;
    }
    latest.unwrap_or(Chain::head(at, Ticks::ZERO))
}
