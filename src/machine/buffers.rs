//! The buffers behind the links and injection channels of a machine by class, compared with the sizes that full rate needs.

use super::{Machine, Routers};
use crate::costs::Buffer;
use crate::routing::{Pace, PortAt};
use crate::topology::{LinkCost, LinkGroup, Links};
use crate::units::{NodeId, narrow};

/// The name of injection channels, which are a class of their own.
pub const NODE_CLASS: &str = "node";

/// Flits of the buffer behind a channel.
#[derive(Clone, Copy)]
struct BufferSize {
    /// The flits that it holds.
    flits: u64,
    /// The flits with which one virtual channel fills the channel.
    needed: u64,
    /// True if the size follows from the round trip of the channel.
    is_default: bool,
}

/// Returns true if the first of two buffers, each with its flits and those that it needs, covers a smaller part of its need.
fn covers_less([[flits, needed], [other_flits, other_needed]]: [[u64; 2]; 2]) -> bool {
    u128::from(flits) * u128::from(other_needed) < u128::from(other_flits) * u128::from(needed)
}

/// Buffers of a class that do not cover the round trip of a flit and its credit, so that their channels lose bandwidth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortBuffers {
    /// The name of the class.
    pub class: String,
    /// The name of the channel whose buffer covers the smallest part of its need, the first of several.
    pub channel: String,
    /// The flits that it needs.
    pub needed: u64,
    /// The flits that it holds.
    pub flits: u64,
    /// The number of other channels of the class with such a buffer.
    pub more: usize,
}

impl ShortBuffers {
    /// Returns true if its buffer covers a smaller part of its need than that of `other`.
    pub fn is_shorter(&self, other: &Self) -> bool {
        covers_less([self, other].map(|short| [short.flits, short.needed]))
    }
}

/// The sizes of buffers that follow from the round trips of their channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultBuffers {
    /// The fewest.
    pub least: u64,
    /// The most.
    pub largest: u64,
    /// The number of their channels.
    pub channels: usize,
}

impl DefaultBuffers {
    /// Both together.
    fn and(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            largest: self.largest.max(other.largest),
            channels: self.channels + other.channels,
        }
    }
}

/// The buffers of a class of links, or of injection channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassBuffers {
    /// The name of the class.
    pub class: String,
    /// The fewest flits.
    pub least: u64,
    /// The most flits.
    pub largest: u64,
    /// Those that are too short, if any are.
    pub short: Option<ShortBuffers>,
    /// Those whose size follows from their round trip, if any does.
    pub defaults: Option<DefaultBuffers>,
}

impl ClassBuffers {
    /// The buffers of the class `class` before any of them is known.
    fn empty(class: &str) -> Self {
        Self { class: class.to_owned(), least: u64::MAX, largest: 0, short: None, defaults: None }
    }

    /// Adds `count` buffers of this `size` behind channels, the first of which has this `name`.
    fn add(&mut self, size: BufferSize, count: usize, name: impl Fn() -> String) {
        let BufferSize { flits, needed, is_default } = size;
        self.least = self.least.min(flits);
        self.largest = self.largest.max(flits);
        if is_default {
            let of_group = DefaultBuffers { least: flits, largest: flits, channels: count };
            self.defaults = Some(self.defaults.map_or(of_group, |defaults| defaults.and(of_group)));
        }
        if flits >= needed {
            return;
        }
        let before = self.short.take();
        let others = before.as_ref().map_or(0, |short| short.more + 1);
        let is_shortest =
            before.as_ref().is_none_or(|short| covers_less([[flits, needed], [short.flits, short.needed]]));
        self.short = match before.filter(|_| !is_shortest) {
            Some(short) => Some(ShortBuffers { more: short.more + count, ..short }),
            None => {
                let class = self.class.clone();
                Some(ShortBuffers { class, channel: name(), needed, flits, more: others + count - 1 })
            }
        };
    }
}

impl Machine {
    /// The buffers of each class that is too short for full rate.
    pub fn short_buffers(&self) -> Vec<ShortBuffers> {
        self.class_buffers().into_iter().filter_map(|class| class.short).collect()
    }

    /// The buffers of links that cover the round trips of their links because the scenario sets no size.
    pub fn default_buffers(&self) -> Option<DefaultBuffers> {
        self.class_buffers().into_iter().filter_map(|class| class.defaults).reduce(DefaultBuffers::and)
    }

    /// The buffers of links and injection channels by class, in the order of classes. Empty without a network, where no channel needs
    /// more than it has because all are alike, and on chips, which have buffers of their own.
    pub fn class_buffers(&self) -> Vec<ClassBuffers> {
        let Some(links) = self.spec().and_then(|spec| spec.links().ok()) else { return Vec::new() };
        if self.have_all_they_need(links.as_ref()) {
            return Vec::new();
        }
        let mut classes: Vec<ClassBuffers> = links.classes().iter().map(|class| ClassBuffers::empty(class)).collect();
        for LinkGroup { class, cost, first, count } in links.groups() {
            let size = self.link_buffer(self.cost_or_usual(cost));
            classes[class].add(size, count, || format!("link {}", links.link_name(first)));
        }
        let mut of_nodes = ClassBuffers::empty(NODE_CLASS);
        for node in (0..links.nodes()).map(NodeId::new) {
            let size = self.entry_buffer(self.cost_or_usual(links.node_cost(node)));
            of_nodes.add(size, 1, || format!("injection {}", self.name_of_node(node)));
        }
        classes.push(of_nodes);
        classes.retain(|class| class.largest > 0);
        classes
    }

    /// The flits that the smallest buffer of a virtual channel holds behind a link or an injection channel. Slots that others may take
    /// are not counted.
    pub fn smallest_buffer(&self) -> u64 {
        let usual = self.cost_or_usual(None);
        let of_classes = self.class_buffers().into_iter().map(|class| class.least).min();
        let least = of_classes.unwrap_or_else(|| self.link_buffer(usual).flits.min(self.entry_buffer(usual).flits));
        let shared = self.routers.as_ref().and_then(|routers| routers.costs.microarchitecture.buffers.shared());
        shared.map_or(least, |buffer| least.min(buffer.reserved.into())).max(1)
    }

    /// Returns true if no buffer can be too short or differ from the others.
    fn have_all_they_need(&self, links: &dyn Links) -> bool {
        let costs = links.own_costs();
        let is_even = costs.is_none_or(|costs| costs.is_even(self.channel.flit_time));
        let usual = LinkCost::without_delay(self.channel.flit_time);
        match &self.routers {
            Some(routers) if routers.interfaces.is_some() => true,
            Some(_) => {
                let sizes = [self.link_buffer(usual), self.entry_buffer(usual)];
                is_even && sizes.iter().all(|size| size.flits >= size.needed)
            }
            None => costs.is_none_or(|costs| !costs.has_round_trip() && costs.largest.own_buffer.is_none()),
        }
    }

    fn cost_or_usual(&self, cost: Option<LinkCost>) -> LinkCost {
        cost.unwrap_or(LinkCost::without_delay(self.channel.flit_time))
    }

    /// The size of the buffer behind a link.
    fn link_buffer(&self, cost: LinkCost) -> BufferSize {
        let Some(routers) = &self.routers else { return self.wormhole_buffer(cost) };
        let pace = Pace::of(cost, self.channel.flit_time);
        BufferSize {
            flits: routers.costs.buffer_behind(pace).into(),
            needed: pace.covering_buffer(&routers.costs.timing),
            is_default: self.has_default(cost),
        }
    }

    /// The size of the buffer behind an injection channel.
    fn entry_buffer(&self, cost: LinkCost) -> BufferSize {
        let Some(routers) = &self.routers else { return self.wormhole_buffer(cost) };
        let pace = Pace::of(cost, self.channel.flit_time);
        BufferSize {
            flits: routers.costs.buffer_at_entry(pace).into(),
            needed: routers.costs.timing.covering_entry(pace.flit.into(), pace.delay.into()),
            is_default: self.has_default(cost),
        }
    }

    /// The size of the buffer behind a channel of the wormhole engines.
    fn wormhole_buffer(&self, cost: LinkCost) -> BufferSize {
        let flits = cost.buffer(self.channel.buffer);
        BufferSize { flits, needed: cost.covering_buffer(), is_default: self.has_default(cost) }
    }

    /// Returns true if the size of the buffer behind a channel follows from its round trip.
    fn has_default(&self, cost: LinkCost) -> bool {
        let has_round_trip = cost.delay.0 > 0 || cost.clock.is_some();
        self.channel.buffer == Buffer::RoundTrip && cost.own_buffer.is_none() && has_round_trip
    }
}

impl Routers {
    /// Flits of the largest buffer of a virtual channel.
    pub(super) fn largest_buffer(&self) -> u64 {
        let usual = [self.costs.buffer_behind(Pace::EVEN), self.costs.buffer_at_entry(Pace::EVEN)];
        let usual = usual.into_iter().fold(self.costs.buffer_at_exit(Pace::EVEN), u32::max);
        let wiring = self.routes.wiring();
        if wiring.is_even() {
            return usual.into();
        }
        let number = |at: usize| narrow(at, "routers, ports and nodes are numbered with 32 bits");
        let ports = (0..wiring.routers())
            .map(number)
            .flat_map(|router| (0..wiring.link_ports()).map(move |port| PortAt { router, port: number(port) }));
        let of_links = ports.map(|port| self.costs.buffer_behind(wiring.pace(port)));
        let of_nodes = (0..wiring.nodes()).map(number).map(|node| self.costs.buffer_at_entry(wiring.node_pace(node)));
        of_links.chain(of_nodes).fold(usual, u32::max).into()
    }
}
