//! When channels are released where they do not all take the same time.
//!
//! Channel `h` takes `c_h` ticks a flit, which is on its way for `d_h` more; news that a place in the buffer behind it is free
//! takes `d_h` too. While every buffer covers that round trip, `B_h c_h >= c_h + 2 d_h`, following the rules back from flit `i` on
//! channel `h` gives its start as the largest of
//!
//! ```text
//! s_{h'} + max(c_h .. c_{h'}) (i - B_h - .. - B_{h'-1}) + d_h + .. + d_{h'-1}      for h' >= h with B_h + .. + B_{h'-1} <= i
//! S(i,h-1) + c_{h-1} + d_{h-1}
//! ```
//!
//! In the first line the flit waits for room behind it, and that for the slowest channel up to where the header was; in the
//! second it comes as soon as it can. A way back that goes up and down the path again gains nothing: to go on by one channel and
//! come back takes `c_h + 2 d_h` for the `B_h` flits that channel `h` itself moves in `B_h c_h` or more.
//!
//! As where channels are alike, channel `h < H` is certain to be released at `S(m-1,h+1) + d_h` once the header has been
//! granted a channel `g` with `B_{h+1} + .. + B_g >= m`, or the last one. The work for a path of `H` channels is O(H^2).

use crate::costs::ChannelCosts;
use crate::engine::unloaded::Passage;
use crate::routing::Network;
use crate::topology::{Channels, LinkCost};
use crate::units::{ChannelId, MessageId, NodeId, Ticks};
use rustc_hash::FxHashMap;

/// A channel of a path, once the header has started on it.
#[derive(Clone, Copy, Debug)]
struct Hop {
    cost: LinkCost,
    /// Flits of the buffer behind it.
    buffer: u64,
    start: Ticks,
}

/// A message under way over channels that differ.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// The number of its tail, from 0.
    tail: u64,
    /// The channels on which its header has started.
    hops: Vec<Hop>,
    /// When its tail starts on the channels of which that is known.
    tails: Vec<Ticks>,
}

impl Course {
    fn new(wire_flits: u64) -> Self {
        Self { tail: wire_flits - 1, hops: Vec::new(), tails: Vec::new() }
    }

    /// True if the release of channel `hop` of its path, from 0, does not depend on channels that the head flit has not reached.
    pub(super) fn is_certain(&self, hop: usize) -> bool {
        let started = self.hops.get(hop + 1..).unwrap_or_default();
        started.iter().map(|hop| hop.buffer).sum::<u64>() > self.tail
    }

    /// When its tail starts on the next channel of which that is not known yet; all headers that it depends on have started.
    fn next_tail(&self) -> Ticks {
        let at = self.tails.len();
        let in_turn = self.tails.last().map(|&before| before + self.hops[at - 1].cost.crossing());
        self.behind_headers(at).max(in_turn.unwrap_or_default())
    }

    /// When its tail can start on channel `at` because of those headers that have started there or farther on.
    fn behind_headers(&self, at: usize) -> Ticks {
        let mut slowest = Ticks::ZERO;
        let mut delays = Ticks::ZERO;
        let mut latest = Ticks::ZERO;
        let mut flits = Some(self.tail);
        for Hop { cost, buffer, start } in &self.hops[at..] {
            let Some(left) = flits else { break };
            slowest = slowest.max(cost.flit_time);
            latest = latest.max(*start + delays + slowest * left);
            delays += cost.delay;
            flits = left.checked_sub(*buffer);
        }
        latest
    }

    /// When channel `hop` of its path, from 0 and not the last, is released; asked once of each, in order.
    pub(super) fn release(&mut self, hop: usize) -> Ticks {
        while self.tails.len() < hop + 2 {
            let tail = self.next_tail();
            self.tails.push(tail);
        }
        self.tails[hop + 1] + self.hops[hop].cost.delay
    }

    /// The header has started on the last channel of the path: when that is released, and when the tail is delivered. Asked
    /// after all other releases.
    pub(super) fn end(&self) -> End {
        let last = self.hops.len() - 1;
        let LinkCost { flit_time, delay, .. } = self.hops[last].cost;
        let released = self.tails[last] + flit_time;
        End { released, delivered: released + delay }
    }
}

/// How a message leaves the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// When its ejection channel is free.
    pub(super) released: Ticks,
    pub(super) delivered: Ticks,
}

/// The time of a message with `wire_flits` flits on the wire over a `path` of channels with these costs, without contention. If a
/// buffer does not cover the round trip of its channel, or a link has a clock of its own, it is a lower bound.
fn passage(path: impl Iterator<Item = LinkCost>, wire_flits: u64, costs: &ChannelCosts) -> Passage {
    let mut course = Course::new(wire_flits);
    let mut start = Ticks::ZERO;
    for cost in path {
        let buffer = cost.buffer(costs.buffer);
        let cost = cost.without_waits();
        course.hops.push(Hop { cost, buffer, start });
        start += cost.crossing() + Ticks(costs.routing_delay);
    }
    let left = course.release(0);
    for hop in 1..course.hops.len() - 1 {
        course.release(hop);
    }
    Passage { left, delivered: course.end().delivered }
}

/// What `network`, whose channels differ, takes for a message with so many flits on the wire from `src` to `dst` where nothing is
/// in its way; no more than that, where a buffer does not cover its channel's round trip ([`crate::engine::ShortBuffer`]).
pub fn alone(network: &dyn Network, src: NodeId, dst: NodeId, wire_flits: u64, costs: &ChannelCosts) -> Passage {
    let mut path = Vec::new();
    network.route(src, dst, &mut path);
    let cost = |&channel| network.channels().cost_among(channel, costs.flit_time);
    passage(path.iter().map(cost), wire_flits, costs)
}

/// The courses of all messages under way.
#[derive(Debug)]
pub(super) struct Courses {
    costs: ChannelCosts,
    under_way: FxHashMap<MessageId, Course>,
}

impl Courses {
    /// Bytes of a message under way, its path aside.
    pub(super) const SIZE: usize = 2 * size_of::<(MessageId, Course)>();

    pub(super) fn new(costs: ChannelCosts) -> Self {
        Self { costs, under_way: FxHashMap::default() }
    }

    /// A message with so many flits on the wire sets out.
    pub(super) fn set_out(&mut self, id: MessageId, wire_flits: u64) {
        self.under_way.insert(id, Course::new(wire_flits));
    }

    /// The header of `id` starts on `channel` at `start`; when it requests the next one, if there is one.
    pub(super) fn start(&mut self, id: MessageId, channel: ChannelId, channels: &dyn Channels, start: Ticks) -> Ticks {
        let cost = channels.cost_among(channel, self.costs.flit_time);
        let buffer = cost.buffer(self.costs.buffer);
        self.of(id).hops.push(Hop { cost, buffer, start });
        start + cost.crossing() + Ticks(self.costs.routing_delay)
    }

    /// That of `id`, which has set out and not arrived.
    #[expect(clippy::expect_used, reason = "a message sets out at its first request, and arrives once")]
    pub(super) fn of(&mut self, id: MessageId) -> &mut Course {
        self.under_way.get_mut(&id).expect("a message that is under way has set out")
    }

    /// `id` has arrived.
    pub(super) fn arrived(&mut self, id: MessageId) {
        self.under_way.remove(&id);
    }
}
