//! How many cycles virtual-channel routers take.

use serde::Serialize;

/// How many cycles things take, from the cycle of allocation on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timing {
    /// Until a flit stands in the next router's buffer.
    pub hop: u64,
    /// From a source until a flit stands in the buffer of its router.
    pub inject: u64,
    /// Until a flit has arrived at its node.
    pub eject: u64,
    /// Until the sender of a flit knows that its slot is free again.
    pub credit: u64,
    /// The same where a node takes the flit.
    pub sink_credit: u64,
    /// From a header's arrival in front of its buffer until it requests a virtual channel.
    pub routing: u64,
}

impl Timing {
    /// A cycle for allocation, one for the switch, `link` for the link.
    pub fn pipelined(link: u64, routing: u64) -> Self {
        let hop = 2 + link;
        Self { hop, inject: 1 + link, eject: hop, credit: 1 + link, sink_credit: hop + 1 + link, routing }
    }

    /// A cycle a hop.
    pub fn ideal(routing: u64) -> Self {
        Self { hop: 1, inject: 1, eject: 1, credit: 1, sink_credit: 1, routing }
    }

    /// The same with slots that can be used again in the very cycle in which their flit leaves: see
    /// [`crate::engine::router::RouterCosts::first_come`].
    pub fn wormhole(routing: u64) -> Self {
        Self { credit: 0, ..Self::ideal(routing) }
    }

    /// The fewest flits of a buffer behind a link with which one virtual channel fills it: they cover the way of a flit and of its
    /// credit over a link that takes `flit` cycles for a flit with such a `delay`.
    pub fn covering_buffer(&self, flit: u64, delay: u64) -> u64 {
        (self.hop + self.credit + flit - 1 + 2 * delay).div_ceil(flit)
    }

    /// The fewest flits of a buffer behind an injection channel with which one virtual channel fills it.
    pub fn covering_entry(&self, flit: u64, delay: u64) -> u64 {
        (self.inject + self.credit + flit - 1 + 2 * delay).div_ceil(flit)
    }

    /// Until the sender of a flit to a node knows that its slot is free again, over a channel that takes `flit` cycles for a
    /// flit with such a `delay`: of pipelined routers after the way there and back; ideal ones know when the next flit may
    /// follow.
    pub fn sink_credit_after(&self, flit: u64, delay: u64) -> u64 {
        let way = if self.is_pipelined() { 2 * delay } else { 0 };
        self.sink_credit + flit - 1 + way
    }

    /// Whether allocation, the switch and a link take a cycle each.
    pub fn is_pipelined(&self) -> bool {
        self.hop > 1
    }

    /// The most cycles from when a flit leaves until its slot can be used again: the way to where it goes, and of the credit back.
    pub fn longest_credit_loop(&self) -> u64 {
        let there = self.hop.max(self.inject).max(self.eject);
        there + self.credit.max(self.sink_credit)
    }

    /// What a packet of `flits` flits takes over `distance` links when nothing is in its way.
    pub fn unloaded(&self, distance: u64, flits: u64) -> u64 {
        self.inject + distance * self.hop + (distance + 1) * self.routing + self.eject + flits - 1
    }

    /// The most cycles that anything takes.
    pub fn longest(&self) -> u64 {
        let delays = [self.hop, self.inject, self.eject, self.credit, self.sink_credit, self.routing + 1];
        delays.into_iter().fold(0, u64::max)
    }
}
