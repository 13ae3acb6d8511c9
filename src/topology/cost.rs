//! Times and buffers of channels that differ from those of other channels, and a summary of all of them.

use super::clock::LinkClock;
use crate::costs::Buffer;
use crate::units::{LinkId, NodeId, Ticks};
use std::num::NonZeroU32;

/// The times and the buffer of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkCost {
    /// The time for a flit to cross it.
    pub flit_time: Ticks,
    /// The additional time of a flit, and the time of a returning credit, without those of a clock.
    pub delay: Ticks,
    /// The clock of the link, if flits cross clocks at its ends.
    pub clock: Option<LinkClock>,
    /// Flits of the buffer behind it, for each virtual channel, if the channel has a size of its own.
    pub own_buffer: Option<NonZeroU32>,
}

impl LinkCost {
    /// Creates the cost of a channel that takes `flit_time` ticks for a flit, with a `delay` and without a clock of its own.
    pub fn new(flit_time: u64, delay: u64) -> Self {
        Self { flit_time: Ticks(flit_time), delay: Ticks(delay), clock: None, own_buffer: None }
    }

    /// Creates the cost of a channel that takes `flit_time` ticks a flit without delay.
    pub fn without_delay(flit_time: u64) -> Self {
        Self::new(flit_time, 0)
    }

    /// The time from the start of a flit to its arrival at the other end, of a channel without a clock of its own.
    pub fn crossing(self) -> Ticks {
        self.flit_time + self.delay
    }

    /// The first tick from `at` on at which a flit can start.
    #[inline]
    pub fn start(self, at: Ticks) -> Ticks {
        self.clock.map_or(at, |clock| clock.edge(at))
    }

    /// The tick at which a flit that starts at `start` has arrived, if it is not too close behind another one.
    #[inline]
    pub fn arrival(self, start: Ticks) -> Ticks {
        let end = start + self.flit_time + self.delay;
        self.clock.map_or(end, |clock| clock.leave(end))
    }

    /// The tick at which the credit of a flit that leaves the buffer at `left` is back.
    #[inline]
    pub fn credit(self, left: Ticks) -> Ticks {
        let Some(clock) = self.clock else { return left + self.delay };
        clock.leave(clock.edge(left) + self.delay)
    }

    /// The fewest flits of a buffer behind the channel with which flits follow each other without a gap. It covers the round
    /// trip of a flit and its credit, `B c >= c + 2 d`. With a clock, each way takes its stages and at most two waits for an edge.
    pub fn covering_buffer(&self) -> u64 {
        let Self { flit_time, delay, clock, .. } = *self;
        let Some(clock) = clock else { return 1 + (2 * delay.0).div_ceil(flit_time.0) };
        let round_trip = 2 * (delay.0 + clock.latency()) + clock.waits();
        (flit_time.0 + round_trip).div_ceil(flit_time.0.max(clock.cycle.into()))
    }

    /// The flits of the buffer behind the channel, where others have a `buffer`.
    pub fn buffer(self, buffer: Buffer) -> u64 {
        match (self.own_buffer, buffer) {
            (Some(flits), _) => u64::from(flits.get()),
            (None, Buffer::Flits(flits)) => flits,
            (None, Buffer::RoundTrip) => self.covering_buffer(),
        }
    }

    /// A channel without a clock of its own on which a flit waits for no edge, and takes no longer than on this one.
    #[must_use]
    pub fn without_waits(self) -> Self {
        let latency = self.clock.map_or(0, LinkClock::latency);
        Self { delay: self.delay + Ticks(latency), clock: None, ..self }
    }

    /// A channel without a clock of its own on which nothing is faster: with the longest waits for edges.
    fn bound(self) -> Self {
        let Self { flit_time, delay, clock, own_buffer } = self;
        let Some(clock) = clock else { return self };
        let slowest = clock.edge(flit_time).0.max(clock.cycle.into());
        Self { own_buffer, ..Self::new(slowest, delay.0 + clock.latency() + clock.waits()) }
    }

    /// The larger of each of the values of two channels without clocks of their own.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            flit_time: self.flit_time.max(other.flit_time),
            delay: self.delay.max(other.delay),
            clock: None,
            own_buffer: self.own_buffer.max(other.own_buffer),
        }
    }
}

/// Costs of links by the dimension, gap or kind that their topology distinguishes, and of the channels of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupCosts {
    /// The cost of each group of links. Empty if all links cost what every channel does.
    pub links: Vec<LinkCost>,
    /// The cost of injection and ejection channels, if they differ from every channel.
    pub node: Option<LinkCost>,
}

impl From<Vec<LinkCost>> for GroupCosts {
    fn from(links: Vec<LinkCost>) -> Self {
        Self { links, node: None }
    }
}

impl GroupCosts {
    /// The cost of the links of a `group`, if they have one.
    pub(super) fn link(&self, group: usize) -> Option<LinkCost> {
        self.links.get(group).copied()
    }

    /// Summarises the costs of the groups of `links`, each with a link of the group, and of `node`.
    pub(super) fn summary<P: Copy>(&self, links: impl Iterator<Item = (P, usize)>, node: P) -> Option<OwnCosts<P>> {
        if self.links.is_empty() && self.node.is_none() {
            return None;
        }
        let links = links.filter_map(|(part, group)| Some((part, self.link(group)?)));
        OwnCosts::new(links.chain(self.node.map(|cost| (node, cost))))
    }
}

/// A part of a network that may have a cost of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A link between routers.
    Link(LinkId),
    /// The injection and the ejection channels of a node.
    Node(NodeId),
}

/// A summary of all costs of a network's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnCosts<P> {
    /// The cost of all parts that have one, if it is the same.
    alike: Option<LinkCost>,
    /// The largest flit time, delay and own buffer of any part. A link with a clock counts with its longest waits.
    pub largest: LinkCost,
    /// The least flit time of any part.
    pub least_flit_time: Ticks,
    /// The first part that requires the largest buffer to cover its round trip, among those without an own buffer if there are any.
    pub farthest: P,
    /// The cost of that part.
    pub farthest_cost: LinkCost,
    /// The first part whose own buffer does not cover its round trip, with its cost.
    pub short: Option<(P, LinkCost)>,
    /// The first part with a clock of its own, and the clock.
    pub clocked: Option<(P, LinkClock)>,
}

impl<P: Copy> OwnCosts<P> {
    /// Summarises `costs`, each of one part. Returns `None` if there are none.
    pub fn new(costs: impl Iterator<Item = (P, LinkCost)>) -> Option<Self> {
        costs.map(|(part, cost)| Self::of_one(part, cost)).reduce(Self::and)
    }

    fn of_one(part: P, cost: LinkCost) -> Self {
        let is_short = cost.own_buffer.is_some_and(|flits| u64::from(flits.get()) < cost.covering_buffer());
        Self {
            alike: Some(cost),
            largest: cost.bound(),
            least_flit_time: cost.flit_time,
            farthest: part,
            farthest_cost: cost,
            short: is_short.then_some((part, cost)),
            clocked: cost.clock.map(|clock| (part, clock)),
        }
    }

    /// The summary of the parts of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let needs = |costs: &Self| (costs.farthest_cost.own_buffer.is_none(), costs.farthest_cost.covering_buffer());
        let farther = if needs(&self) < needs(&other) { other } else { self };
        Self {
            alike: self.alike.filter(|_| self.alike == other.alike),
            largest: self.largest.max(other.largest),
            least_flit_time: self.least_flit_time.min(other.least_flit_time),
            farthest: farther.farthest,
            farthest_cost: farther.farthest_cost,
            short: self.short.or(other.short),
            clocked: self.clocked.or(other.clocked),
        }
    }

    /// Returns the same summary with parts by another name.
    pub fn with_parts<Q>(self, name: impl Fn(P) -> Q) -> OwnCosts<Q> {
        let Self { alike, largest, least_flit_time, farthest, farthest_cost, short, clocked } = self;
        OwnCosts {
            alike,
            largest,
            least_flit_time,
            farthest: name(farthest),
            farthest_cost,
            short: short.map(|(part, cost)| (name(part), cost)),
            clocked: clocked.map(|(part, clock)| (name(part), clock)),
        }
    }

    /// Returns true if all parts take `flit_time` ticks a flit without delay, and have the buffers of every channel.
    pub fn is_even(&self, flit_time: u64) -> bool {
        self.alike == Some(LinkCost::without_delay(flit_time))
    }

    /// Returns true if a part has a delay or a clock of its own, so that its default buffer depends on them.
    pub fn has_round_trip(&self) -> bool {
        self.largest.delay > Ticks::ZERO || self.clocked.is_some()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn cost(flit_time: u64, delay: u64) -> LinkCost {
        LinkCost::new(flit_time, delay)
    }

    #[test]
    fn a_buffer_covers_a_round_trip_if_flits_follow_without_a_gap() {
        for (flit_time, delay, flits) in [(1, 0, 1), (7, 0, 1), (1, 1, 3), (2, 1, 2), (2, 3, 4), (4, 6, 4), (3, 1, 2)] {
            assert_eq!(cost(flit_time, delay).covering_buffer(), flits);
        }
    }

    #[test]
    fn costs_are_summed_up() {
        assert_eq!(OwnCosts::<Part>::new(std::iter::empty()), None);
        let costs = |costs: &[LinkCost]| {
            let own = OwnCosts::new(costs.iter().copied().enumerate()).unwrap();
            let even = [1, 2, 3].map(|flit_time| own.is_even(flit_time));
            (own.farthest, own.largest, own.least_flit_time.0, even)
        };
        assert_eq!(costs(&[cost(2, 0); 3]), (0, cost(2, 0), 2, [false, true, false]));
        assert_eq!(costs(&[cost(2, 0), cost(1, 0)]), (0, cost(2, 0), 1, [false; 3]));
        assert_eq!(costs(&[cost(9, 3), cost(1, 2), cost(2, 4)]), (1, cost(9, 4), 1, [false; 3]));
    }

    #[test]
    fn own_buffers_and_clocks_are_summed_up() {
        let buffered = |flits, cost| LinkCost { own_buffer: NonZeroU32::new(flits), ..cost };
        let own_values =
            OwnCosts::new([buffered(3, cost(1, 9)), cost(1, 2), buffered(9, cost(2, 0))].into_iter().enumerate());
        let own_values = own_values.unwrap();
        assert_eq!(
            (own_values.farthest, own_values.short.map(|(part, _)| part), own_values.clocked),
            (1, Some(0), None)
        );
        assert_eq!(own_values.largest, buffered(9, cost(2, 9)));
        assert!(!OwnCosts::new([(0, buffered(1, cost(1, 0)))].into_iter()).unwrap().is_even(1));
    }
}
