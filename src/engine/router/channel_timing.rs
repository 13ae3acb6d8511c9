//! Times and buffers of the channels of routers, for observers that follow flits.

use super::RouterCosts;
use super::channels::Channels;
use super::layout::Layout;
use crate::costs::Timing;
use crate::routing::{ClockedPace, Routing};
use crate::units::ChannelId;

/// Times of a channel, in cycles, and its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelCycles {
    /// From the start of a flit to that of the next, at least.
    pub flit: u64,
    /// From the start of a flit until it can start on the next channel, or has arrived at its node.
    pub arrival: u64,
    /// From the departure of a flit from the buffer behind the channel until its slot can be used again, or from
    /// the start of the flit on an ejection channel.
    pub credit: u64,
    /// Flits of the buffer behind it.
    pub buffer: u32,
    /// True of an ejection channel.
    pub ejects: bool,
    /// The clock of the link, if it has one of its own. Then the other times are bounds.
    clocked: Option<(ClockedPace, Timing)>,
}

impl ChannelCycles {
    /// Returns true if the link has a clock of its own.
    pub fn has_clock(&self) -> bool {
        self.clocked.is_some()
    }

    /// The first cycle in which the next flit can start after one that started in the cycle `start`.
    pub fn next_start(&self, start: u64) -> u64 {
        let Some((clocked, timing)) = self.clocked else { return start + self.flit };
        clocked.next_departure(start + timing.until_link()) - timing.until_link()
    }

    /// The cycle in which a flit that started in the cycle `start` can start on the next channel, or has arrived at its node.
    pub fn arrival_after(&self, start: u64) -> u64 {
        let Some((clocked, timing)) = self.clocked else { return start + self.arrival };
        clocked.arrival(start + timing.until_link(), timing.wires())
    }

    /// The cycle in which the slot of a flit can be used again that left the buffer in the cycle `left`.
    pub fn credit_after(&self, left: u64) -> u64 {
        let Some((clocked, timing)) = self.clocked else { return left + self.credit };
        clocked.credit_after(&timing, left)
    }
}

/// Times and buffers of all channels of routers.
pub struct ChannelTiming {
    /// The numbering of the widest routers, which numbers narrow ones as well.
    layout: Layout<WIDEST>,
    channels: Channels,
    timing: Timing,
}

/// Words of the widest routers.
const WIDEST: usize = 64;

impl ChannelTiming {
    /// Collects those of routers with these `routes` and `costs`.
    pub fn new(routes: &dyn Routing, costs: RouterCosts) -> Self {
        let layout = Layout::new(routes.wiring(), &costs, routes.virtual_channels());
        let channels = Channels::new(&layout, routes.wiring(), costs, None);
        Self { layout, channels, timing: costs.timing }
    }

    /// The times of `channel`, in the numbering of the engine.
    pub fn cycles(&self, channel: ChannelId) -> ChannelCycles {
        let Self { layout, channels, timing } = self;
        let place = layout.place(channel.0);
        let pace = channels.pace(layout, place);
        let (_, vc) = place.split();
        let ejects = !place.is_node() && layout.of_nodes.contains(vc);
        let (time, credit) = match (place.is_node(), ejects) {
            (true, _) => (timing.inject, timing.credit + u64::from(pace.delay)),
            (_, true) => (timing.eject, timing.sink_credit_after(pace.flit.into(), pace.delay.into())),
            _ => (timing.hop, timing.credit + u64::from(pace.delay)),
        };
        let buffer = channels.buffer(layout, place);
        let clocked = pace.clocked.map(|clocked| (clocked, *timing));
        ChannelCycles { flit: pace.flit.into(), arrival: time + pace.longer(), credit, buffer, ejects, clocked }
    }
}
