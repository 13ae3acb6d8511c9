//! The events of each router and channel of a run.

use super::locations::Locations;
use super::traversals::{Crossing, Traversals};
use crate::machine::Machine;
use crate::machine::energy::MachineEnergy;
use crate::routing::ChannelPlace;
use crate::topology::Links;
use crate::units::RouterId;
use std::collections::BTreeMap;

/// The events of each element.
pub(crate) struct Counts<'a> {
    locations: Locations<'a>,
    /// By router.
    pub(super) routers: Vec<RouterEvents>,
    /// By link, flits.
    pub(super) links: Vec<u64>,
    /// By injection or ejection channel, flits.
    pub(super) node_channels: BTreeMap<ChannelPlace, u64>,
    /// The flits from port to port, where the energy of a crossbar depends on ports, in the order of routers and ports.
    pub(super) crossed: Vec<Crossed>,
}

/// The numbers of events in a router, or in the routers of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RouterEvents {
    /// Flits into buffers.
    pub(super) written: u128,
    /// Flits out of buffers, each of which is allocated the switch and crosses it.
    pub(super) sent: u128,
    /// Flits that are combined with another one, each of which is read from a buffer too.
    pub(super) combined: u128,
    /// Head flits that are sent on over a link.
    pub(super) heads: u128,
    /// The energy of the flits that crossed, where it depends on ports.
    pub(super) crossed: u128,
}

/// Flits from one port of a router to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossed {
    /// The router.
    pub(super) router: RouterId,
    /// The input port and the output port.
    pub(super) ports: [usize; 2],
    /// The number of flits.
    pub(super) flits: u64,
    /// The energy of all of them, in attojoules.
    pub(super) energy: u128,
}

impl RouterEvents {
    pub(super) fn add(&mut self, other: Self) {
        self.written += other.written;
        self.sent += other.sent;
        self.combined += other.combined;
        self.heads += other.heads;
        self.crossed += other.crossed;
    }
}

impl<'a> Counts<'a> {
    /// Returns the events of the flits that crossed the channels of `machine`. Returns `None` without a network.
    pub(crate) fn new(machine: &'a Machine, model: &MachineEnergy, traversals: &Traversals) -> Option<Self> {
        let locations = Locations::new(machine)?;
        let mut counts = Self {
            routers: vec![RouterEvents::default(); locations.links().routers()],
            links: vec![0; locations.links().count()],
            node_channels: BTreeMap::new(),
            crossed: Vec::new(),
            locations,
        };
        for (channel, crossed) in traversals.channels() {
            let Some(location) = counts.locations.location(channel) else { continue };
            let flits = u128::from(crossed.flits);
            if let Some(router) = location.from {
                let sender = &mut counts.routers[router.index()];
                sender.sent += flits;
                sender.heads += if location.link.is_some() { u128::from(crossed.heads) } else { 0 };
            }
            if let Some(router) = location.to {
                counts.routers[router.index()].written += flits;
            }
            match location.link {
                Some(link) => counts.links[link.index()] += crossed.flits,
                None => *counts.node_channels.entry(location.channel).or_default() += crossed.flits,
            }
        }
        for (channel, flits) in traversals.combined() {
            if let Some(router) = counts.locations.location(channel).and_then(|location| location.from) {
                counts.routers[router.index()].combined += u128::from(flits);
            }
        }
        counts.crossed = counts.crossed(model, traversals);
        Some(counts)
    }

    /// The number of flits that were ejected.
    pub(super) fn ejected(&self) -> u128 {
        let ejections = self.node_channels.iter().filter(|(place, _)| matches!(place, ChannelPlace::Ejection(..)));
        ejections.map(|(_, &flits)| u128::from(flits)).sum()
    }

    /// The links of the network.
    pub(super) fn network(&self) -> &dyn Links {
        self.locations.links()
    }

    /// Returns what crossed crossbars from port to port.
    fn crossed(&self, model: &MachineEnergy, traversals: &Traversals) -> Vec<Crossed> {
        let Some(numbers) = &model.ports else { return Vec::new() };
        let mut flits: BTreeMap<(RouterId, [usize; 2]), u64> = BTreeMap::new();
        for (Crossing { from, to }, crossed) in traversals.crossings() {
            if let Some(place) = self.locations.ports([from, to], numbers) {
                *flits.entry(place).or_default() += crossed;
            }
        }
        let crossed = |((router, ports), flits): ((RouterId, [usize; 2]), u64)| {
            let crossbar = &model.routers[model.router_kind(router)].constants.crossbar;
            let energy = u128::from(flits) * crossbar.attojoules(ports[0], ports[1]);
            Crossed { router, ports, flits, energy }
        };
        flits.into_iter().map(crossed).collect()
    }
}
