//! Channels of which not all take the same time: what will have happened on them, by tick.
//!
//! ```text
//!   start            c                    c + d            the flit behind it starts on the next channel, d
//!     |--------------|----------------------|                     ..|------------|
//!     a flit starts  the channel falls      the flit arrives        its place is known to be free
//!                    idle                   in the buffer           where it came from
//! ```
//!
//! Without delay a channel falls idle as its flit arrives, and news of the place takes no time: that happens as it does where
//! all channels are alike. Within a tick it is the order of channels that counts, then that of [`What`].
//!
//! On a link with a [clock](crate::topology::LinkClock) of its own flits start at edges of that clock. A link that is idle while a flit
//! can start between two edges is served at the next one, in turn. Flits leave the link no closer than a cycle of the routers.

use crate::costs::Buffer;
use crate::topology::{Channels, LinkClock, LinkCost};
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What happens to a channel or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// A flit arrives behind a channel as the channel falls idle, or leaves the network.
    Crossed,
    /// A flit arrives in the buffer behind a channel.
    Arrived,
    /// A channel falls idle while its flit is under way.
    Idle,
    /// The clock of a channel has an edge, for which flits have waited.
    Edge,
    /// It is known where a flit came from that it has left the buffer behind the channel.
    Left,
    /// The tail of a message has arrived at its node.
    Delivered,
}

/// Something that happens, by the number of the channel or the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Happening {
    pub(super) number: u32,
    pub(super) what: What,
}

/// What channels take, and what is to happen on them.
#[derive(Debug, Default)]
pub(super) struct Uneven {
    costs: Vec<LinkCost>,
    /// The arrival of the last flit, by link with a clock of its own.
    last_arrivals: FxHashMap<ChannelId, Ticks>,
    ticks: BTreeMap<Ticks, Vec<Happening>>,
}

impl Uneven {
    /// Of `channels`; those of which nothing else is said take `flit_time`.
    pub(super) fn new(channels: &dyn Channels, flit_time: u64) -> Self {
        let cost = |channel| channels.cost_among(channel, flit_time);
        let costs = (0..channels.count()).map(ChannelId::new).map(cost).collect();
        Self { costs, ..Self::default() }
    }

    /// The bytes that `channels` need, of which not all are alike: of each, flits that arrive and places that become free, as
    /// many as its `buffer` holds.
    pub(super) fn memory(channels: usize, largest: LinkCost, buffer: Buffer) -> u64 {
        let most = match buffer {
            Buffer::Flits(flits) => flits.max(largest.own_buffer.map_or(0, |flits| flits.get().into())),
            Buffer::RoundTrip => u64::MAX,
        };
        let under_way = most.min(1 + largest.delay.0).saturating_mul(2);
        let of_one = under_way.saturating_add(1).saturating_mul(size_of::<Happening>() as u64);
        (channels as u64).saturating_mul(of_one.saturating_add(size_of::<LinkCost>() as u64))
    }

    /// What `channel` takes.
    pub(super) fn cost(&self, channel: ChannelId) -> LinkCost {
        self.costs[channel.index()]
    }

    /// The tick at which a flit arrives that starts at `start` on a channel with this `cost` and `clock`, a virtual channel of `link`. The
    /// flit is expected to start.
    pub(super) fn clocked_arrival(&mut self, cost: LinkCost, clock: LinkClock, link: ChannelId, start: Ticks) -> Ticks {
        let last = self.last_arrivals.entry(link).or_default();
        let arrival = cost.arrival(start).max(*last + Ticks(clock.cycle.into()));
        *last = arrival;
        arrival
    }

    /// On `channel`, `what` will happen at `at`. Whether it is the first of that tick.
    pub(super) fn add(&mut self, channel: ChannelId, what: What, at: Ticks) -> bool {
        self.insert(Happening { number: channel.0, what }, at)
    }

    /// The tail of `message` will have arrived at `at`. Whether it is the first of that tick.
    pub(super) fn deliver(&mut self, message: MessageId, at: Ticks) -> bool {
        self.insert(Happening { number: message.0, what: What::Delivered }, at)
    }

    fn insert(&mut self, happening: Happening, at: Ticks) -> bool {
        let tick = self.ticks.entry(at).or_default();
        tick.push(happening);
        tick.len() == 1
    }

    /// What happens in the earliest tick, in order.
    pub(super) fn take(&mut self) -> Vec<Happening> {
        #[expect(clippy::expect_used, reason = "the event is queued with the first of its tick")]
        let (_, mut happenings) =
            self.ticks.pop_first().expect("there is one event for each tick in which something happens");
        happenings.sort_unstable();
        happenings
    }
}
