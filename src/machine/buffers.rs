//! The buffers behind the channels of a machine, against what these need to be filled by one virtual channel.

use super::{Machine, Routers};
use crate::costs::Buffer;
use crate::routing::{Pace, PortAt};
use crate::topology::{Channels, Origin};
use crate::units::{ChannelId, narrow};

/// Flits of the buffer behind a channel.
#[derive(Clone, Copy)]
struct Behind {
    /// What it holds.
    has: u64,
    /// What it has to hold for flits to follow each other without gaps.
    needs: u64,
    /// Whether the channel has a delay.
    delayed: bool,
}

impl Behind {
    fn is_short(self) -> bool {
        self.has < self.needs
    }

    /// Whether it covers less of what it needs than `other` does.
    fn is_shorter(self, other: Self) -> bool {
        u128::from(self.has) * u128::from(other.needs) < u128::from(other.has) * u128::from(self.needs)
    }
}

/// A channel with a buffer behind it.
enum Place {
    Channel(ChannelId),
    Link(PortAt),
    Injection(u32),
}

/// Buffers that do not cover the round trip of a flit and its credit, so that their channels lose bandwidth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortBuffers {
    /// The name of the channel whose buffer covers least; of equals the first.
    pub channel: String,
    /// The flits that it needs.
    pub needs: u64,
    /// The flits that it has.
    pub has: u64,
    /// How many more links there are with a buffer that is too short, or injection channels if it is one.
    pub more: usize,
}

/// The flits that buffers hold whose number follows from the delays of their channels.
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
        let mut short: Option<(Place, Behind)> = None;
        let mut counts = [0; 2];
        self.visit_buffers(&mut |place, behind| {
            if !behind.is_short() {
                return;
            }
            counts[usize::from(self.is_of_node(&place))] += 1;
            if short.as_ref().is_none_or(|(_, shortest)| behind.is_shorter(*shortest)) {
                short = Some((place, behind));
            }
        });
        let (place, Behind { has, needs, .. }) = short?;
        let more = counts[usize::from(self.is_of_node(&place))] - 1;
        Some(ShortBuffers { channel: self.place_name(&place), needs, has, more })
    }

    /// The buffers that hold what the delays of their channels ask for, as the scenario does not say what they hold.
    pub fn default_buffers(&self) -> Option<DefaultBuffers> {
        if self.channel.buffer != Buffer::RoundTrip {
            return None;
        }
        let mut all: Option<DefaultBuffers> = None;
        self.visit_buffers(&mut |_, Behind { has, delayed, .. }| {
            if !delayed {
                return;
            }
            let DefaultBuffers { least, largest, channels } =
                all.unwrap_or(DefaultBuffers { least: has, largest: has, channels: 0 });
            all = Some(DefaultBuffers { least: least.min(has), largest: largest.max(has), channels: channels + 1 });
        });
        all
    }

    /// Passes `visit` every link between routers and every injection channel.
    fn visit_buffers(&self, visit: &mut dyn FnMut(Place, Behind)) {
        match (&self.routers, self.network()) {
            (Some(routers), _) => routers.visit_buffers(visit),
            (None, Some(network)) => self.visit_channels(network.channels(), visit),
            (None, None) => {}
        }
    }

    /// The same of the wormhole engines, on which only channels with a delay need more than a flit.
    fn visit_channels(&self, channels: &dyn Channels, visit: &mut dyn FnMut(Place, Behind)) {
        if channels.own_costs().is_none_or(|own| own.largest.delay.0 == 0) {
            return;
        }
        let physical =
            (0..channels.count()).map(ChannelId::new).filter(|&channel| channels.physical(channel) == channel);
        let buffered = physical.filter(|&channel| !matches!(channels.origin(channel), Origin::Ejection(_)));
        for channel in buffered {
            let cost = channels.cost_among(channel, self.channel.flit_time);
            let has = cost.buffer(self.channel.buffer);
            let delayed = cost.delay.0 > 0;
            visit(Place::Channel(channel), Behind { has, needs: cost.covering_buffer(), delayed });
        }
    }

    /// Whether it is an injection channel.
    fn is_of_node(&self, place: &Place) -> bool {
        match *place {
            Place::Link(_) => false,
            Place::Injection(_) => true,
            Place::Channel(channel) => matches!(self.channel_origin(channel), Some(Origin::Injection(_))),
        }
    }

    fn place_name(&self, place: &Place) -> String {
        match (place, &self.routers, self.network()) {
            (Place::Channel(channel), _, Some(network)) => {
                let name = network.channels().physical_name(*channel);
                if self.is_of_node(place) { name } else { format!("link {name}") }
            }
            (Place::Link(port), Some(routers), _) => format!("link {}", routers.routes.wiring().link_name(*port)),
            (Place::Injection(node), Some(routers), _) => {
                format!("injection {}", routers.routes.wiring().node_name(*node))
            }
            _ => String::new(),
        }
    }
}

impl Routers {
    /// Passes `visit` every link and every injection channel; of chips, which have their own buffers, none.
    fn visit_buffers(&self, visit: &mut dyn FnMut(Place, Behind)) {
        if self.interfaces.is_some() {
            return;
        }
        let wiring = self.routes.wiring();
        let timing = self.costs.timing;
        let behind =
            |pace: Pace, needs| Behind { has: self.costs.buffer_behind(pace).into(), needs, delayed: pace.delay > 0 };
        let number = |at: usize| narrow(at, "routers, ports and nodes are numbered with 32 bits");
        for router in (0..wiring.routers()).map(number) {
            let ports = (0..wiring.link_ports()).map(|port| PortAt { router, port: number(port) });
            for port in ports.filter(|&port| wiring.leads_to(port).is_some()) {
                let pace = wiring.pace(port);
                visit(Place::Link(port), behind(pace, timing.covering_buffer(pace.flit.into(), pace.delay.into())));
            }
        }
        for node in (0..wiring.nodes()).map(number) {
            let pace = wiring.node_pace(node);
            visit(Place::Injection(node), behind(pace, timing.covering_entry(pace.flit.into(), pace.delay.into())));
        }
    }

    /// Flits of the largest buffer of a virtual channel.
    pub(super) fn largest_buffer(&self) -> u64 {
        let mut largest = self.costs.buffer.without_delay();
        if self.costs.buffer == Buffer::RoundTrip {
            self.visit_buffers(&mut |_, Behind { has, .. }| largest = largest.max(has));
        }
        largest
    }
}
