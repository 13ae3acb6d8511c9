//! Numbers of events of a run, and the energies that they take.

use super::counts::{Counts, RouterEvents};
use crate::costs::energy::{CrossbarEnergy, RouterConstants};
use crate::engine::Outcome;
use crate::machine::energy::{MachineEnergy, Standby};
use crate::routing::ChannelPlace;
use crate::units::{Flits, LinkId, RouterId, Ticks};

/// The numbers of events of a run, as far as energies differ between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Events {
    /// By kind of router.
    routers: Vec<RouterEvents>,
    /// By kind of link, flits.
    links: Vec<u128>,
    /// Flits over injection channels.
    injected: u128,
    /// Flits over ejection channels.
    ejected: u128,
    /// Flits of payload, which a message may have none of.
    payload: u128,
}

impl Events {
    /// Returns the events of messages whose energies depend on their lengths, which `flits` returns, and their hops alone.
    pub(super) fn of_messages(outcome: &Outcome, flits: &dyn Fn(usize) -> Flits) -> Self {
        let mut over_links = 0;
        let mut injected = 0;
        let mut heads = 0;
        let mut payload = 0;
        for (number, message) in outcome.messages.iter().enumerate() {
            let length = flits(number);
            let on_wire = u128::from(length.on_wire());
            payload += u128::from(length.0);
            injected += on_wire;
            over_links += on_wire * u128::from(message.hops);
            heads += u128::from(message.hops);
        }
        let passed = over_links + injected;
        let routers = RouterEvents { written: passed, sent: passed, heads, ..RouterEvents::default() };
        Self { routers: vec![routers], links: vec![over_links], injected, ejected: injected, payload }
    }

    /// Returns the events of elements with these `counts`, in which `payload` flits are payload.
    pub(crate) fn of_counts(counts: &Counts<'_>, model: &MachineEnergy, payload: u128) -> Self {
        let mut events = Self {
            routers: vec![RouterEvents::default(); model.routers.len()],
            links: vec![0; model.links.len()],
            payload,
            ..Self::default()
        };
        for (router, &of_router) in counts.routers.iter().enumerate() {
            events.routers[model.router_kind(RouterId::new(router))].add(of_router);
        }
        for crossed in &counts.crossed {
            events.routers[model.router_kind(crossed.router)].crossed += crossed.energy;
        }
        for (link, &flits) in counts.links.iter().enumerate() {
            events.links[model.link_kind(LinkId::new(link))] += u128::from(flits);
        }
        for (place, &flits) in &counts.node_channels {
            let is_injection = matches!(place, ChannelPlace::Injection(..));
            let all = if is_injection { &mut events.injected } else { &mut events.ejected };
            *all += u128::from(flits);
        }
        events
    }
}

/// The energies of a run, in attojoules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Energies {
    pub(super) buffer_write: u128,
    pub(super) buffer_read: u128,
    pub(super) crossbar: u128,
    pub(super) arbitrate: u128,
    pub(super) route: u128,
    pub(super) combine: u128,
    pub(super) link: u128,
    pub(super) node_link: u128,
    pub(super) clock: u128,
    /// The energy of static power.
    pub(super) standby: u128,
    /// The bits of payload.
    bits: u128,
}

impl Energies {
    /// Returns the energies of `events` in a run of a number of `ticks`.
    pub(crate) fn new(model: &MachineEnergy, events: &Events, ticks: Ticks) -> Self {
        let mut energies = Self { bits: events.payload * u128::from(model.scale.flit_bits), ..Self::default() };
        for (routers, events) in model.routers.iter().zip(&events.routers) {
            energies.add_router(&routers.constants, *events);
        }
        for (links, flits) in model.links.iter().zip(&events.links) {
            energies.link += flits * links.constants.flit;
        }
        let [injection, ejection] = [&model.injection, &model.ejection].map(|channels| channels.constants.flit);
        energies.node_link = events.injected * injection + events.ejected * ejection;
        for (count, standby) in model.standby(ticks) {
            energies.add_standby(count, standby);
        }
        energies
    }

    fn add_router(&mut self, router: &RouterConstants, events: RouterEvents) {
        self.buffer_write += events.written * router.buffer_write;
        self.buffer_read += (events.sent + events.combined) * router.buffer_read;
        self.arbitrate += events.sent * router.arbitrate;
        self.route += events.heads * router.route;
        self.combine += events.combined * router.combine;
        self.crossbar += match router.crossbar {
            CrossbarEnergy::Uniform(energy) => events.sent * energy,
            CrossbarEnergy::PortPairs(_) => events.crossed,
        };
    }

    fn add_standby(&mut self, count: u64, Standby { clock, power }: Standby) {
        self.clock += u128::from(count) * clock;
        self.standby += u128::from(count) * power;
    }

    /// The sum of the energies of events.
    pub(super) fn dynamic(&self) -> u128 {
        let routers = self.buffer_write + self.buffer_read + self.crossbar + self.arbitrate + self.route + self.combine;
        routers + self.link + self.node_link
    }

    /// The sum of all energies.
    pub(super) fn total(&self) -> u128 {
        self.dynamic() + self.clock + self.standby
    }

    /// The energy for each byte of payload, rounded half up. Returns `None` without payload.
    pub(super) fn per_byte(&self) -> Option<u128> {
        (self.bits > 0).then(|| (2 * 8 * self.total() + self.bits) / (2 * self.bits))
    }
}
