//! Chains of intervals from the start of the head flit of a message on one channel to the start of its tail on another.

use super::Hop;
use crate::machine::Machine;
use crate::topology::LinkCost;
use crate::units::Ticks;

/// A chain of intervals from the start of a head flit to that of a flit behind it, by their causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The channel of the path on which the head flit starts, from 0.
    pub(super) from: usize,
    /// The first channel of the path that the chain has passed.
    pub(super) lowest: usize,
    /// The start of the flit at its end.
    pub(super) end: Ticks,
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
    /// The empty chain of a head flit that starts on channel `from` of its path at `start`.
    pub(super) fn head(from: usize, start: Ticks) -> Self {
        let none = (Ticks::ZERO, from);
        Self { from, lowest: from, end: start, transmit: Ticks::ZERO, hop: Ticks::ZERO, credit: none, others: none }
    }

    /// Prepends the hops of the head flit since its start on channel `from` of its path, at `start`, after which it did not wait.
    pub(super) fn starting_at(self, from: usize, start: Ticks) -> Self {
        let spent = self.transmit + self.hop + self.credit.0 + self.others.0;
        Self { from, lowest: from, hop: self.hop + (self.end - spent - start), ..self }
    }

    /// Another flit follows after `ticks`.
    pub(super) fn transmitting(self, ticks: Ticks) -> Self {
        Self { end: self.end + ticks, transmit: self.transmit + ticks, ..self }
    }

    /// The flit has arrived after `ticks`.
    pub(super) fn hopping(self, ticks: Ticks) -> Self {
        Self { end: self.end + ticks, hop: self.hop + ticks, ..self }
    }

    /// A flit waits for a credit in front of channel `hop` until `until`, if that is to come.
    pub(super) fn waiting_for_credit(self, hop: usize, until: Ticks) -> Self {
        let lowest = self.lowest.min(hop);
        let ticks = until.0.saturating_sub(self.end.0);
        if ticks == 0 {
            return Self { lowest, ..self };
        }
        Self { end: until, lowest, credit: (self.credit.0 + Ticks(ticks), hop), ..self }
    }

    /// A flit waits for others in front of channel `hop` until `until`.
    pub(super) fn waiting_for_others(self, hop: usize, until: Ticks) -> Self {
        let ticks = until.0.saturating_sub(self.end.0);
        if ticks == 0 {
            return self;
        }
        Self { end: until, others: (self.others.0 + Ticks(ticks), hop), ..self }
    }

    /// Appends the credit of a flit that started on channel `hop` of the path, took `arrival` to the buffer behind it and left. The
    /// credit takes `credit` back. While it was out, the channel moved the flits of its buffer, which takes `full`; the rest of the
    /// round trip is a wait for the credit.
    pub(super) fn round_trip(self, hop: usize, arrival: Ticks, credit: Ticks, full: Ticks) -> Self {
        // with clocks, the flit of the chain may have taken less than the flit of the credit
        let arrival = arrival.min(self.hop);
        let round = arrival + credit;
        let transmit = full.min(round);
        let gone = Self { hop: self.hop - arrival, transmit: self.transmit + transmit, ..self };
        let waited = round - transmit;
        let channel = if waited == Ticks::ZERO { self.credit.1 } else { hop };
        Self { end: self.end + credit, credit: (self.credit.0 + waited, channel), ..gone }
    }
}

/// The chain to the start of the tail of a message of `flits` flits on channel `to` of its path if nothing but its own head flit
/// delayed it: the rules of the worm engine, applied to the starts of the head flit on the `hops` of its path. The buffers cover the
/// delays of their channels. Takes O(H^2) time for H channels.
pub(super) fn behind_head(hops: &[Hop], flits: u64, machine: &Machine, to: usize) -> Chain {
    let mut tail: Option<Chain> = None;
    let mut crossing = Ticks::ZERO;
    for at in 0..=to {
        let held = behind_heads(hops, flits, machine, at);
        let came = tail.map(|chain| chain.hopping(crossing));
        // if both are equally long, the one that begins farther on
        tail = Some(came.filter(|came| came.end > held.end).unwrap_or(held));
        crossing = cost(hops, machine, at).crossing();
    }
    tail.unwrap_or(Chain::head(0, Ticks::ZERO))
}

fn cost(hops: &[Hop], machine: &Machine, at: usize) -> LinkCost {
    machine.channel_cost(hops[at].channel)
}

/// The longest of the chains to the start of the tail on channel `at` that begin with a head flit there or farther on, as far as the
/// buffers between hold less than the message; the first of several.
fn behind_heads(hops: &[Hop], flits: u64, machine: &Machine, at: usize) -> Chain {
    let mut slowest = Ticks::ZERO;
    let mut delays = Ticks::ZERO;
    let mut left = flits - 1;
    let mut latest: Option<Chain> = None;
    for (hop, Hop { started, .. }) in hops.iter().enumerate().skip(at) {
        let cost = cost(hops, machine, hop);
        slowest = slowest.max(cost.flit_time);
        let moved = Chain::head(hop, *started).transmitting(slowest * left);
        let chain = moved.waiting_for_credit(at, moved.end + delays);
        if latest.is_none_or(|latest| chain.end > latest.end) {
            latest = Some(chain);
        }
        delays += cost.delay;
        let Some(fewer) = left.checked_sub(cost.buffer(machine.channel.buffer)) else { break };
        left = fewer;
    }
    latest.unwrap_or(Chain::head(at, Ticks::ZERO))
}
