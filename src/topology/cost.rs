//! What channels take that is not what every channel does, and what there is to say of all of them together.

use crate::costs::Buffer;
use crate::units::{LinkId, NodeId, Ticks};

/// What a channel takes, where that is said of it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkCost {
    /// The time for a flit to cross it.
    pub flit_time: Ticks,
    /// What a flit is on its way beyond that, and what news of room in the buffer behind it is on its way back.
    pub delay: Ticks,
}

impl LinkCost {
    /// Of a channel that takes `flit_time` ticks a flit without delay.
    pub fn without_delay(flit_time: u64) -> Self {
        Self { flit_time: Ticks(flit_time), delay: Ticks::ZERO }
    }

    /// The time from the start of a flit to its arrival at the other end.
    pub fn crossing(self) -> Ticks {
        self.flit_time + self.delay
    }

    /// The fewest flits of a buffer behind the channel with which flits follow each other without a gap: it covers the round
    /// trip of a flit and of the news that its place is free again, `B c >= c + 2 d`.
    pub fn covering_buffer(self) -> u64 {
        1 + (2 * self.delay.0).div_ceil(self.flit_time.0)
    }

    /// The flits that the buffer behind the channel holds.
    pub fn buffer(self, buffer: Buffer) -> u64 {
        match buffer {
            Buffer::Flits(flits) => flits,
            Buffer::RoundTrip => self.covering_buffer(),
        }
    }

    /// The larger of each of the two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { flit_time: self.flit_time.max(other.flit_time), delay: self.delay.max(other.delay) }
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

/// What there is to say of all costs of a network's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnCosts<P> {
    /// The cost of all parts that have one, if it is the same.
    alike: Option<LinkCost>,
    /// The largest flit time and the largest delay of any part.
    pub largest: LinkCost,
    /// The least flit time of any part.
    pub least_flit_time: Ticks,
    /// The first part whose buffer has to be the largest, to cover its round trip.
    pub farthest: P,
    /// What that part takes.
    pub farthest_cost: LinkCost,
}

impl<P> OwnCosts<P> {
    /// Of `costs`, each of one part; none if there are none.
    pub fn new(costs: impl Iterator<Item = (P, LinkCost)>) -> Option<Self> {
        costs.map(|(part, cost)| Self::of_one(part, cost)).reduce(Self::and)
    }

    fn of_one(part: P, cost: LinkCost) -> Self {
        let alike = Some(cost);
        Self { alike, largest: cost, least_flit_time: cost.flit_time, farthest: part, farthest_cost: cost }
    }

    /// The summary of the parts of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let alike = self.alike.filter(|_| self.alike == other.alike);
        let largest = self.largest.max(other.largest);
        let least_flit_time = self.least_flit_time.min(other.least_flit_time);
        let [here, there] = [&self, &other].map(|costs| costs.farthest_cost.covering_buffer());
        let farther = if here < there { other } else { self };
        Self { alike, largest, least_flit_time, ..farther }
    }

    /// The same with parts by another name.
    pub fn with_parts<Q>(self, name: impl FnOnce(P) -> Q) -> OwnCosts<Q> {
        let Self { alike, largest, least_flit_time, farthest, farthest_cost } = self;
        OwnCosts { alike, largest, least_flit_time, farthest: name(farthest), farthest_cost }
    }

    /// Whether all parts take `flit_time` ticks a flit without delay.
    pub fn is_even(&self, flit_time: u64) -> bool {
        self.alike == Some(LinkCost::without_delay(flit_time))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn cost(flit_time: u64, delay: u64) -> LinkCost {
        LinkCost { flit_time: Ticks(flit_time), delay: Ticks(delay) }
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
}
