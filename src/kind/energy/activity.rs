//! `activity.csv`: the events of each router, link, injection and ejection channel, and their energies.

use super::counts::{Counts, RouterEvents};
use crate::costs::energy::{ChannelConstants, CrossbarEnergy};
use crate::kind::{Row, RowFile};
use crate::machine::Machine;
use crate::machine::energy::{Group, MachineEnergy, Standby};
use crate::routing::ChannelPlace;
use crate::units::{Attojoules, LinkId, RouterId, Ticks};
use serde::{Serialize, Serializer};

/// The events of each element.
pub(crate) const ACTIVITY: RowFile = RowFile {
    name: "activity.csv",
    header: &["point", "algorithm", "repetition", "element", "name", "class", "event", "in", "out", "count", "energy"],
};

/// A line of `activity.csv`, behind the columns that name the row.
#[derive(Serialize)]
struct Line<'a> {
    element: &'static str,
    name: &'a str,
    class: &'a str,
    event: &'static str,
    input: Option<usize>,
    output: Option<usize>,
    count: u128,
    #[serde(serialize_with = "as_picojoules")]
    energy: u128,
}

fn as_picojoules<S: Serializer>(energy: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Attojoules(*energy))
}

/// The name of an element, and the events of it.
struct Element {
    kind: &'static str,
    name: String,
    class: String,
    events: Vec<Event>,
}

/// Events of a kind.
struct Event {
    name: &'static str,
    ports: Option<[usize; 2]>,
    count: u128,
    /// The energy of all of them, in attojoules.
    energy: u128,
}

impl Row {
    /// Adds the events of every element of a run of a number of `ticks` to `activity.csv`.
    pub(super) fn add_activity(&mut self, machine: &Machine, model: &MachineEnergy, counts: &Counts<'_>, ticks: Ticks) {
        let activity = Activity { model, counts, ticks };

        let elements: Vec<Element> =
            activity.routers().chain(activity.links()).chain(activity.node_channels(machine)).collect();
        self.add_lines(&ACTIVITY, elements.iter().flat_map(Element::lines));
    }
}

impl Element {
    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.events.iter().filter(|event| event.count > 0).map(|event| Line {
            element: self.kind,
            name: &self.name,
            class: &self.class,
            event: event.name,
            input: event.ports.map(|ports| ports[0]),
            output: event.ports.map(|ports| ports[1]),
            count: event.count,
            energy: event.energy,
        })
    }
}

/// The events of a run.
#[derive(Clone, Copy)]
struct Activity<'a> {
    model: &'a MachineEnergy,
    counts: &'a Counts<'a>,
    ticks: Ticks,
}

impl<'a> Activity<'a> {
    fn routers(self) -> impl Iterator<Item = Element> + 'a {
        let mut crossed = self.counts.crossed.iter().peekable();
        let routers = self.counts.routers.iter().enumerate();
        let routers = routers.map(|(number, events)| (RouterId::new(number), events));
        routers.filter(move |(router, _)| !self.is_failed(*router)).map(move |(router, events)| {
            let pairs = std::iter::from_fn(|| crossed.next_if(|crossed| crossed.router == router));
            let pairs = pairs.map(|pair| Event {
                name: "crossbar",
                ports: Some(pair.ports),
                count: pair.flits.into(),
                energy: pair.energy,
            });
            let events = self.router_events(router, *events, pairs.collect());
            Element { kind: "router", name: router.to_string(), class: "router".to_owned(), events }
        })
    }

    fn router_events(self, router: RouterId, events: RouterEvents, pairs: Vec<Event>) -> Vec<Event> {
        let group = &self.model.routers[self.model.router_kind(router)];
        let constants = &group.constants;
        let RouterEvents { written, sent, combined, heads, .. } = events;
        let event = |name, count, energy| Event { name, ports: None, count, energy: count * energy };
        let mut all = vec![
            event("buffer_write", written, constants.buffer_write),
            event("buffer_read", sent + combined, constants.buffer_read),
        ];
        match constants.crossbar {
            CrossbarEnergy::Uniform(energy) => all.push(event("crossbar", sent, energy)),
            CrossbarEnergy::PortPairs(_) => all.extend(pairs),
        }
        all.push(event("arbitrate", sent, constants.arbitrate));
        all.push(event("route", heads, constants.route));
        all.push(event("combine", combined, constants.combine));
        all.extend(self.standby(self.model.standby_of_router(group, self.ticks)));
        all
    }

    fn links(self) -> impl Iterator<Item = Element> + 'a {
        let network = self.counts.network();
        let classes = network.classes();
        let links = self.counts.links.iter().enumerate().map(|(number, &flits)| (LinkId::new(number), flits));
        let survives = move |link: &LinkId| !self.model.failures().is_failed(network, *link);
        links.filter(move |(link, _)| survives(link)).map(move |(link, flits)| {
            let group = &self.model.links[self.model.link_kind(link)];
            Element {
                kind: "link",
                name: network.link_name(link),
                class: classes[network.class(link)].clone(),
                events: self.channel_events("link", flits, group),
            }
        })
    }

    fn node_channels(self, machine: &Machine) -> impl Iterator<Item = Element> + use<'a> {
        let survives = move |(_, place): &(String, ChannelPlace)| match *place {
            ChannelPlace::Injection(node, _) | ChannelPlace::Ejection(node, _) => {
                !self.is_failed(self.counts.network().router_of(node))
            }
            ChannelPlace::Link(_) => true,
        };
        machine.node_channels().into_iter().filter(survives).map(move |(name, place)| {
            let is_injection = matches!(place, ChannelPlace::Injection(..));
            let group = if is_injection { &self.model.injection } else { &self.model.ejection };
            let flits = self.counts.node_channels.get(&place).copied().unwrap_or_default();
            let events = self.channel_events("node_link", flits, group);
            Element { kind: "node-link", name, class: "node".to_owned(), events }
        })
    }

    fn channel_events(self, name: &'static str, flits: u64, group: &Group<ChannelConstants>) -> Vec<Event> {
        let count = u128::from(flits);
        let mut events = vec![Event { name, ports: None, count, energy: count * group.constants.flit }];
        events.extend(self.standby(self.model.standby_of_channel(group, self.ticks)));
        events
    }

    fn is_failed(self, router: RouterId) -> bool {
        self.model.failures().routers.contains(&router)
    }

    /// The clock and the static power of an element, those without energy left out.
    fn standby(self, Standby { clock, power }: Standby) -> impl Iterator<Item = Event> {
        // an element represents those of all physical networks
        let networks = u128::from(self.model.networks());
        let event = |name, count: u64, energy: u128| Event {
            name,
            ports: None,
            count: networks * u128::from(count),
            energy: networks * energy,
        };
        let clock = event("clock", self.model.scale.cycles(self.ticks), clock);
        let power = event("static", self.ticks.0, power);
        [clock, power].into_iter().filter(|event| event.energy > 0)
    }
}
