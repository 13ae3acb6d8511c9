//! The buffers behind the channels of a machine, compared with the sizes that full rate needs.

use super::{Machine, Routers};
use crate::costs::Buffer;
use crate::routing::{Pace, PortAt};
use crate::topology::{Channels, Origin};
use crate::units::{ChannelId, narrow};

/// Flits of the buffer behind a channel.
#[derive(Clone, Copy)]
struct BufferSize {
    /// The flits that it holds.
    flits: u64,
    /// The flits with which one virtual channel fills the channel.
    needed: u64,
    /// True if the channel has a delay.
    delayed: bool,
}

impl BufferSize {
    fn is_short(self) -> bool {
        self.flits < self.needed
    }
}

/// True if the first of two buffers, each with its flits and those that it needs, covers a smaller part of its need.
fn covers_less([[flits, needed], [other_flits, other_needed]]: [[u64; 2]; 2]) -> bool {
    u128::from(flits) * u128::from(other_needed) < u128::from(other_flits) * u128::from(needed)
}

/// A channel with a buffer behind it.
enum BufferedChannel {
    Channel(ChannelId),
    Link(PortAt),
    Injection(u32),
}

/// Buffers that do not cover the round trip of a flit and its credit, so that their channels lose bandwidth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortBuffers {
    /// The name of the channel whose buffer covers the smallest part of its need, the first of several.
    pub channel: String,
    /// The flits that it needs.
    pub needed: u64,
    /// The flits that it holds.
    pub flits: u64,
    /// The number of other links with such a buffer, or of other injection channels if it is one.
    pub more: usize,
}

impl ShortBuffers {
    /// True if its buffer covers a smaller part of its need than that of `other`.
    pub fn is_shorter(&self, other: &Self) -> bool {
        covers_less([self, other].map(|short| [short.flits, short.needed]))
    }
}

/// The sizes of buffers that follow from the delays of their channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultBuffers {
    /// The fewest.
    pub least: u64,
    /// The most.
    pub largest: u64,
    /// The number of their channels.
    pub channels: usize,
}

impl Machine {
    /// The buffers that are too short for full rate, if any are.
    pub fn short_buffers(&self) -> Option<ShortBuffers> {
        let mut short: Option<(BufferedChannel, BufferSize)> = None;
        let mut counts = [0; 2];
        self.visit_buffers(&mut |place, behind| {
            if !behind.is_short() {
                return;
            }
            counts[usize::from(self.is_of_node(&place))] += 1;
            if short
                .as_ref()
                .is_none_or(|(_, shortest)| covers_less([behind, *shortest].map(|size| [size.flits, size.needed])))
            {
                short = Some((place, behind));
            }
        });
        let (place, BufferSize { flits, needed, .. }) = short?;
        let others = counts[usize::from(self.is_of_node(&place))] - 1;
        Some(ShortBuffers { channel: self.place_name(&place), needed, flits, more: others })
    }

    /// The buffers that cover the delays of their channels because the scenario sets no size.
    pub fn default_buffers(&self) -> Option<DefaultBuffers> {
        if self.channel.buffer != Buffer::RoundTrip {
            return None;
        }
        let mut all: Option<DefaultBuffers> = None;
        self.visit_buffers(&mut |_, BufferSize { flits, delayed, .. }| {
            if !delayed {
                return;
            }
            let DefaultBuffers { least, largest, channels } =
                all.unwrap_or(DefaultBuffers { least: flits, largest: flits, channels: 0 });
            all = Some(DefaultBuffers { least: least.min(flits), largest: largest.max(flits), channels: channels + 1 });
        });
        all
    }

    /// Passes `visit` every link between routers and every injection channel.
    fn visit_buffers(&self, visit: &mut dyn FnMut(BufferedChannel, BufferSize)) {
        match (&self.routers, self.network()) {
            (Some(routers), _) => routers.visit_buffers(visit),
            (None, Some(network)) => self.visit_channels(network.channels(), visit),
            (None, None) => {}
        }
    }

    /// Passes `visit` the channels of the wormhole engines, on which only a channel with a delay needs more than a flit.
    fn visit_channels(&self, channels: &dyn Channels, visit: &mut dyn FnMut(BufferedChannel, BufferSize)) {
        if channels.own_costs().is_none_or(|own| own.largest.delay.0 == 0) {
            return;
        }
        let physical =
            (0..channels.count()).map(ChannelId::new).filter(|&channel| channels.physical(channel) == channel);
        let buffered = physical.filter(|&channel| !matches!(channels.origin(channel), Origin::Ejection(_)));
        for channel in buffered {
            let cost = channels.cost_among(channel, self.channel.flit_time);
            let flits = cost.buffer(self.channel.buffer);
            let delayed = cost.delay.0 > 0;
            visit(BufferedChannel::Channel(channel), BufferSize { flits, needed: cost.covering_buffer(), delayed });
        }
    }

    /// True of an injection channel.
    fn is_of_node(&self, place: &BufferedChannel) -> bool {
        match *place {
            BufferedChannel::Link(_) => false,
            BufferedChannel::Injection(_) => true,
            BufferedChannel::Channel(channel) => matches!(self.channel_origin(channel), Some(Origin::Injection(_))),
        }
    }

    fn place_name(&self, place: &BufferedChannel) -> String {
        match (place, &self.routers, self.network()) {
            (BufferedChannel::Channel(channel), _, Some(network)) => {
                let name = network.channels().physical_name(*channel);
                if self.is_of_node(place) { name } else { format!("link {name}") }
            }
            (BufferedChannel::Link(port), Some(routers), _) => {
                format!("link {}", routers.routes.wiring().link_name(*port))
            }
            (BufferedChannel::Injection(node), Some(routers), _) => {
                format!("injection {}", routers.routes.wiring().node_name(*node))
            }
            _ => String::new(),
        }
    }
}

impl Routers {
    /// Passes `visit` every link and every injection channel, unless none has a delay or a short buffer because all are alike.
    /// Chips are left out: they have buffers of their own.
    fn visit_buffers(&self, visit: &mut dyn FnMut(BufferedChannel, BufferSize)) {
        if self.interfaces.is_some() {
            return;
        }
        let wiring = self.routes.wiring();
        let timing = self.costs.timing;
        let size = |pace: Pace, needed| BufferSize {
            flits: self.costs.buffer_behind(pace).into(),
            needed,
            delayed: pace.delay > 0,
        };
        let of_link = |pace: Pace| size(pace, timing.covering_buffer(pace.flit.into(), pace.delay.into()));
        let of_entry = |pace: Pace| size(pace, timing.covering_entry(pace.flit.into(), pace.delay.into()));
        if wiring.is_even() && ![of_link(Pace::EVEN), of_entry(Pace::EVEN)].into_iter().any(BufferSize::is_short) {
            return;
        }
        let number = |at: usize| narrow(at, "routers, ports and nodes are numbered with 32 bits");
        for router in (0..wiring.routers()).map(number) {
            let ports = (0..wiring.link_ports()).map(|port| PortAt { router, port: number(port) });
            for port in ports.filter(|&port| wiring.leads_to(port).is_some()) {
                visit(BufferedChannel::Link(port), of_link(wiring.pace(port)));
            }
        }
        for node in (0..wiring.nodes()).map(number) {
            visit(BufferedChannel::Injection(node), of_entry(wiring.node_pace(node)));
        }
    }

    /// Flits of the largest buffer of a virtual channel.
    pub(super) fn largest_buffer(&self) -> u64 {
        let mut largest = self.costs.buffer.without_delay();
        if self.costs.buffer == Buffer::RoundTrip {
            self.visit_buffers(&mut |_, BufferSize { flits, .. }| largest = largest.max(flits));
        }
        largest
    }
}
