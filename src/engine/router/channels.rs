//! The time that channels take, and the buffers behind them.

use super::layout::{Layout, Place};
use crate::engine::router::interfaces::Allowance;
use crate::engine::router::{Interfaces, RouterCosts};
use crate::routing::{Pace, PortAt, Wiring};
use crate::units::narrow;

/// The channels of a network: those of the output ports of routers, and those of sources.
pub(crate) struct Channels {
    /// By channel. Empty if all take a cycle for a flit, without delay.
    paces: Vec<Pace>,
    costs: RouterCosts,
    interfaces: Option<Interfaces>,
    /// By source, the rate at which it sends. Empty if all send at the rate of their channels.
    allowances: Vec<Option<Allowance>>,
}

impl Channels {
    /// Creates the channels of `wiring`.
    pub(crate) fn new<const W: usize>(
        layout: &Layout<W>,
        wiring: &dyn Wiring,
        costs: RouterCosts,
        interfaces: Option<&Interfaces>,
    ) -> Self {
        let paces = if wiring.is_even() { Vec::new() } else { paces(layout, wiring) };
        let allowances =
            interfaces.map(|interfaces| interfaces.allowances(layout.numbering.injections)).unwrap_or_default();
        Self { paces, costs, interfaces: interfaces.cloned(), allowances }
    }

    /// The time that the channel takes that leaves by the VC at `place`.
    pub(crate) fn pace<const W: usize>(&self, layout: &Layout<W>, place: Place) -> Pace {
        if self.paces.is_empty() { Pace::EVEN } else { self.paces[layout.channel(place)] }
    }

    /// The most cycles for a flit, and the longest delay.
    pub(crate) fn slowest(&self) -> Pace {
        let slower = |a: Pace, b: Pace| Pace { flit: a.flit.max(b.flit), delay: a.delay.max(b.delay), ..Pace::EVEN };
        self.paces.iter().map(|pace| pace.bound()).fold(Pace::EVEN, slower)
    }

    /// Returns true if a link has a clock of its own.
    pub(crate) fn has_clocks(&self) -> bool {
        self.paces.iter().any(|pace| pace.clocked.is_some())
    }

    /// Slots of the buffer behind the VC at `place`.
    pub(crate) fn buffer<const W: usize>(&self, layout: &Layout<W>, place: Place) -> u32 {
        let of_chip = self.interfaces.as_ref().and_then(|interfaces| match place.split() {
            _ if place.is_node() => Some(interfaces.entry),
            (_, vc) if layout.of_nodes.contains(vc) => None,
            (_, vc) => interfaces.buffer(narrow(layout.in_port(vc), "VCs of a port are numbered with 16 bits")),
        });
        of_chip.unwrap_or_else(|| self.own_buffer(layout, place))
    }

    /// Slots of the buffer behind the VC at `place`, of routers without interfaces.
    fn own_buffer<const W: usize>(&self, layout: &Layout<W>, place: Place) -> u32 {
        let pace = self.pace(layout, place);
        match place.split() {
            _ if place.is_node() => self.costs.buffer_at_entry(pace),
            (_, vc) if layout.of_nodes.contains(vc) => self.costs.buffer_at_exit(pace),
            _ => self.costs.buffer_behind(pace),
        }
    }

    /// The first cycle in which the source at `place`, which sends a flit in cycle `now`, may send the next one at its rate.
    pub(crate) fn next_flit<const W: usize>(&mut self, layout: &Layout<W>, place: Place, now: u64) -> u64 {
        let (source, _) = layout.source(place);
        let allowance = self.allowances.get_mut(source).and_then(Option::as_mut);
        allowance.map_or(now, |allowance| allowance.spend(now))
    }

    /// Slots of the largest buffer.
    pub(crate) fn largest_buffer(&self) -> u32 {
        let even = [self.costs.buffer_behind(Pace::EVEN), self.costs.buffer_at_entry(Pace::EVEN)];
        let even = even.into_iter().fold(self.costs.buffer_at_exit(Pace::EVEN), u32::max);
        let of_channel = |&pace: &Pace| {
            let of_node = self.costs.buffer_at_entry(pace).max(self.costs.buffer_at_exit(pace));
            self.costs.buffer_behind(pace).max(of_node)
        };
        self.paces.iter().map(of_channel).fold(even, u32::max)
    }
}

/// By channel, the time that it takes.
fn paces<const W: usize>(layout: &Layout<W>, wiring: &dyn Wiring) -> Vec<Pace> {
    let in_32_bits = |number: usize| narrow(number, "ports, routers and nodes are numbered with 32 bits");
    let mut paces = vec![Pace::EVEN; layout.channels()];
    for router in 0..layout.numbering.routers {
        for port in 0..layout.numbering.links {
            let out = PortAt { router: in_32_bits(router), port: in_32_bits(port) };
            paces[layout.channel(layout.locate(router, port, 0))] = wiring.pace(out);
        }
    }
    for node in 0..layout.nodes() {
        let pace = wiring.node_pace(in_32_bits(node));
        let (block, _) = layout.entry(node * layout.numbering.injections, 0).split();
        for output in layout.to_node(node) {
            paces[layout.channel(layout.place_in(block, output))] = pace;
        }
        for channel in 0..layout.numbering.injections {
            paces[layout.channel(layout.place_at_source(node * layout.numbering.injections + channel, 0))] = pace;
        }
    }
    paces
}
