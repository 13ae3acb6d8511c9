//! The reader of `[energy]`.

use super::keys::{
    ACTIVITY, ARBITRATE, BUFFER_READ, BUFFER_WRITE, CLOCK, COMBINE, CROSSBAR, EJECTION, INJECTION, LINK, LINK_CLOCK,
    LINK_MM, LINK_STATIC, NODE_LINK_CLOCK, NODE_LINK_MM, NODE_LINK_STATIC, PRESET, ROUTE, STATIC,
};
use super::{EnergyScale, Group, MachineEnergy, PortNumbers};
use crate::config::{Diagnostic, Place, Quantity, Reader};
use crate::costs::ChannelCosts;
use crate::costs::energy::{
    ChannelConstants, CrossbarEnergy, DesignPoint, ElementLength, Energy, EnergyKeys, EnergyModel, EnergyPreset,
    ExactDecimal, Micrometres, NAMED_LINKS, NamedLink, Ports, Power, PresetError, QuantityError, QuantityKind,
    RouterConstants,
};
use crate::machine::Routers;
use crate::network::{BuiltNetwork, LinkClasses, NetworkSpec};
use crate::topology::{Failures, Links};
use crate::units::{Key, LinkId, RouterId, narrow};
use std::sync::Arc;

/// The parts of a machine that its energies depend on.
#[derive(Clone, Copy)]
pub(crate) struct EnergyParts<'a> {
    /// The network.
    pub(crate) network: &'a BuiltNetwork,
    /// The virtual-channel routers, if there are any.
    pub(crate) routers: Option<&'a Routers>,
    /// The costs of channels.
    pub(crate) channel: ChannelCosts,
    /// The classes of links, with the bits of a flit if the scenario states them.
    pub(crate) links: &'a LinkClasses,
}

/// Reads `[energy]`, if it is given. Errors have been reported.
pub(crate) fn read(root: &Reader<'_>, parts: Option<EnergyParts<'_>>) -> Option<Arc<MachineEnergy>> {
    let Some(table) = root.table("energy") else {
        refuse_without_table(root);
        return None;
    };
    let read = EnergyTable::read(root, &table);
    table.finish();
    let Some(parts) = parts else {
        if !root.has("network") {
            let message = "`energy` needs a table [network.*]: a model has no links";
            root.error(Diagnostic::at(table.place(), message));
        }
        return None;
    };
    let flit_bits = flit_bits(root, &table, parts.links.flit_bits)?;
    let own_energies = own_energies(root, parts)?;
    let energy = read?.build(parts, flit_bits, &own_energies);
    let energy = energy.map_err(|error| refuse(root, &table, &error)).ok()?;
    needs_tick(root, &table, &energy)?;
    Some(Arc::new(energy))
}

/// The bits of a flit, which `[energy]` needs. An error has been reported if they are not known, or too many.
fn flit_bits(root: &Reader<'_>, table: &Reader<'_>, flit_bits: Option<u64>) -> Option<u32> {
    const MOST: u64 = 1 << 16;
    let refuse = |message: String| {
        let diagnostic = Diagnostic::at(table.place(), message);
        root.error(diagnostic.hint("set the bits of a flit in [channel], such as flit_bits = 128"));
    };
    match flit_bits {
        Some(bits @ ..=MOST) => u32::try_from(bits).ok(),
        Some(bits) => {
            refuse(format!("`energy` accepts flits of at most {MOST} bits, and `channel.flit_bytes` makes it {bits}"));
            None
        }
        None => {
            refuse("`energy` needs `channel.flit_bits`, the bits of a flit".to_owned());
            None
        }
    }
}

/// The energies of a flit of those classes of links that have their own, by the index of the class. Returns `None` after an error,
/// which has been reported.
fn own_energies(root: &Reader<'_>, parts: EnergyParts<'_>) -> Option<Vec<Option<Energy>>> {
    let links = parts.network.spec.links().ok()?;
    let before = root.error_count();
    let energy = |class: &String| {
        let text = parts.links.class(class).energy?;
        let path = parts.links.path_of_energy(root, class);
        let location = root.place_within(&path);
        channel_energy(root, &text, &path.join("."), &location)
    };
    let energies = links.classes().iter().map(energy).collect();
    (root.error_count() == before).then_some(energies)
}

/// Reports lengths and energies of classes of links in a scenario without a table `[energy]`.
fn refuse_without_table(root: &Reader<'_>) {
    let Some(links) = root.table("links") else { return };
    for name in links.keys() {
        for key in ["length", "energy"].into_iter().filter(|key| root.is_given(&["links", name, key])) {
            let message = format!("`links.{name}.{key}` has no effect without a table [energy]");
            root.error(Diagnostic::at(root.place_within(&["links", name, key]), message));
        }
    }
}

/// Reports that a preset has no constants for the machine.
fn refuse(root: &Reader<'_>, table: &Reader<'_>, error: &PresetError) {
    let path: Vec<&str> = error.key().split('.').collect();
    let location = if root.is_given(&path) { root.place_within(&path) } else { table.place_of(PRESET.name) };
    root.error(Diagnostic::at(location, error.to_string()));
}

/// Reports static power without the length of a tick, and returns `None` then.
fn needs_tick(root: &Reader<'_>, table: &Reader<'_>, energy: &MachineEnergy) -> Option<()> {
    if !energy.has_static_power() || !energy.scale.tick.is_zero() {
        return Some(());
    }
    let key = [STATIC, LINK_STATIC, NODE_LINK_STATIC].into_iter().find(|key| table.gives(key)).unwrap_or(PRESET);
    let message = format!("`{}` has static power, which needs the length of a `tick`", table.path_of(key.name));
    let diagnostic = Diagnostic::at(table.place_of(key.name), message);
    root.error(diagnostic.hint("add the length of a tick at the top of the scenario, such as tick = \"1ns\""));
    None
}

/// The table `[energy]`, validated as far as it can be without a machine.
struct EnergyTable {
    preset: Option<&'static EnergyPreset>,
    keys: EnergyKeys,
    lengths: [Micrometres; 2],
    tick: ExactDecimal,
    activity: bool,
}

impl EnergyTable {
    fn read(root: &Reader<'_>, table: &Reader<'_>) -> Option<Self> {
        let before = table.error_count();
        let preset = table.word(&PRESET).and_then(EnergyPreset::by_name);
        let router = |key| energy(table, key, ElementLength::Absent);
        let channel = |key| energy(table, key, ElementLength::Channel);
        let keys = EnergyKeys {
            buffer_write: router(&BUFFER_WRITE),
            buffer_read: router(&BUFFER_READ),
            crossbar: router(&CROSSBAR),
            arbitrate: router(&ARBITRATE),
            route: router(&ROUTE),
            combine: router(&COMBINE),
            link: link(table, &LINK),
            injection: link(table, &INJECTION),
            ejection: link(table, &EJECTION),
            clock: router(&CLOCK),
            link_clock: channel(&LINK_CLOCK),
            node_link_clock: channel(&NODE_LINK_CLOCK),
            static_power: power(table, &STATIC, ElementLength::Absent),
            link_static: power(table, &LINK_STATIC, ElementLength::Channel),
            node_link_static: power(table, &NODE_LINK_STATIC, ElementLength::Channel),
        };
        let default = preset.map_or(DEFAULT_LENGTH, |preset| preset.default_length);
        let lengths = [LINK_MM, NODE_LINK_MM].map(|key| length(table, &key).unwrap_or(default));
        let activity = table.boolean(&ACTIVITY);
        let tick = tick(root);
        (table.error_count() == before).then_some(Self { preset, keys, lengths, tick, activity })
    }

    /// Returns the energies of a machine.
    fn build(
        self,
        parts: EnergyParts<'_>,
        flit_bits: u32,
        own_energies: &[Option<Energy>],
    ) -> Result<MachineEnergy, PresetError> {
        let EnergyParts { network, routers, channel, .. } = parts;
        let buffer = routers.map_or(channel.buffer, |routers| routers.costs.buffer).without_delay();
        let vcs = routers.map_or_else(|| network.spec.virtual_channels(), |routers| routers.virtual_channels.into());
        let [link_length, node_link_length] = self.lengths;
        let point = DesignPoint { flit_bits, virtual_channels: vcs, buffer, link_length, node_link_length };
        let model = EnergyModel::new(self.preset, point, self.keys)?;
        #[expect(clippy::expect_used, reason = "the network has been built of these links")]
        let links = network.spec.links().expect("a network that has been built has links");
        let networks = routers.map_or(1, |routers| u64::from(routers.networks));
        let channels = network.network.channels();
        let nodes = networks * links.nodes() as u64;
        let [injections, ejections] = match routers {
            Some(routers) => [routers.costs.injection_ports, routers.costs.ejection_ports].map(u64::from),
            None => [channels.ports(), channels.ejection_ports()].map(|ports| ports as u64),
        };
        let (router_groups, router_kinds, ports) = router_groups(&model, network.spec.as_ref(), links.as_ref());
        let (link_groups, link_kinds) = link_groups(&model, links.as_ref(), parts.links, own_energies)?;
        Ok(MachineEnergy {
            preset: self.preset,
            routers: times(router_groups, networks),
            router_kinds,
            links: times(link_groups, networks),
            link_kinds,
            injection: Group { count: nodes * injections, constants: model.injection()? },
            ejection: Group { count: nodes * ejections, constants: model.ejection()? },
            networks,
            ports,
            failures: Failures::default(),
            scale: EnergyScale { flit_bits: flit_bits.into(), flit_time: channel.flit_time, tick: self.tick },
            activity: self.activity,
        })
    }
}

/// The picoseconds of a tick, or 0 if it has no length.
fn tick(root: &Reader<'_>) -> ExactDecimal {
    let written = || match Quantity::parse(root.text_within(&["tick"])?) {
        Ok(Quantity::Time(picoseconds)) => Some(picoseconds),
        _ => None, // which is reported elsewhere
    };
    let tick = root.scale().and_then(|scale| scale.tick).or_else(written);
    tick.map_or(ExactDecimal::ZERO, |tick| ExactDecimal::new(tick.mantissa().unsigned_abs(), tick.scale()))
}

/// The length of channels without a preset.
const DEFAULT_LENGTH: Micrometres = Micrometres::new(1000);

/// Multiplies the numbers of elements by the number of physical `networks`.
fn times<T>(groups: Vec<Group<T>>, networks: u64) -> Vec<Group<T>> {
    groups.into_iter().map(|group| Group { count: networks * group.count, ..group }).collect()
}

/// Groups routers by their numbers of ports, where the constants depend on them: returns the groups, the group of each router (empty if
/// all are alike), and the numbers of ports, if the energy of a crossbar depends on them.
fn router_groups(
    model: &EnergyModel,
    spec: &dyn NetworkSpec,
    links: &dyn Links,
) -> (Vec<Group<RouterConstants>>, Vec<u32>, Option<PortNumbers>) {
    let constants = [1, 2].map(|ports| model.router(Ports { inputs: ports, outputs: ports }));
    let [one, other] = constants;
    if one == other {
        return (vec![Group { count: links.routers() as u64, constants: one }], Vec::new(), None);
    }
    let ports = PortNumbers::new(spec, links);
    let mut of_groups: Vec<Ports> = Vec::new();
    let mut groups: Vec<Group<RouterConstants>> = Vec::new();
    let kinds = (0..links.routers()).map(|router| {
        let of_router = ports.of_router(RouterId::new(router));
        let known = of_groups.iter().position(|ports| *ports == of_router);
        let kind = known.unwrap_or_else(|| {
            of_groups.push(of_router);
            groups.push(Group { count: 0, constants: model.router(of_router) });
            groups.len() - 1
        });
        groups[kind].count += 1;
        narrow(kind, "there are no more kinds than routers")
    });
    let kinds: Vec<u32> = kinds.collect();
    let depends = groups.iter().any(|group| matches!(group.constants.crossbar, CrossbarEnergy::PortPairs(_)));
    (groups, kinds, depends.then_some(ports))
}

/// Groups links by their constants: returns the groups, and the group of each link, empty if all are alike.
fn link_groups(
    model: &EnergyModel,
    links: &dyn Links,
    tables: &LinkClasses,
    own_energies: &[Option<Energy>],
) -> Result<(Vec<Group<ChannelConstants>>, Vec<u32>), PresetError> {
    let classes = links.classes();
    let of_classes = classes.iter().zip(own_energies).map(|(class, energy)| {
        let length = tables.class(class).length_um.map(micrometres);
        model.link(length, *energy)
    });
    let of_classes: Vec<ChannelConstants> = of_classes.collect::<Result<_, _>>()?;
    let Some(&first) = of_classes.first() else { return Ok((Vec::new(), Vec::new())) };
    if of_classes.iter().all(|constants| *constants == first) {
        return Ok((vec![Group { count: links.count() as u64, constants: first }], Vec::new()));
    }
    let mut groups: Vec<_> = of_classes.into_iter().map(|constants| Group { count: 0, constants }).collect();
    let kinds = (0..links.count()).map(|link| {
        let class = links.class(LinkId::new(link));
        groups[class].count += 1;
        narrow(class, "there are no more classes than links")
    });
    let kinds = kinds.collect();
    Ok((groups, kinds))
}

fn micrometres(length: u64) -> Micrometres {
    Micrometres::new(narrow(length, "the length of a link is at most a kilometre"))
}

/// The energy at `key`, if it is given and valid.
fn energy(table: &Reader<'_>, key: &Key, element: ElementLength) -> Option<Energy> {
    let (text, place) = table.string(key)?;
    let refuse = |error: QuantityError| {
        let message = format!("`{}` {error}", table.path_of(key.name));
        table.error(Diagnostic::at(place.clone(), message).note(accepted(QuantityKind::Energy, element)));
    };
    Energy::parse(text, element).map_err(refuse).ok()
}

/// The power at `key`, if it is given and valid.
fn power(table: &Reader<'_>, key: &Key, element: ElementLength) -> Option<Power> {
    let (text, place) = table.string(key)?;
    let refuse = |error: QuantityError| {
        let message = format!("`{}` {error}", table.path_of(key.name));
        table.error(Diagnostic::at(place.clone(), message).note(accepted(QuantityKind::Power, element)));
    };
    Power::parse(text, element).map_err(refuse).ok()
}

fn accepted(kind: QuantityKind, element: ElementLength) -> String {
    let per_length = if element == ElementLength::Channel { ", then /mm if it grows with the length" } else { "" };
    format!("accepted: a number and {}{per_length}", kind.accepted_units())
}

/// The energy of a channel at `key`: a quantity, or the name of a link.
fn link(table: &Reader<'_>, key: &Key) -> Option<Energy> {
    let (text, place) = table.string(key)?;
    channel_energy(table, text, &table.path_of(key.name), place)
}

/// The energy that the `text` of the key with this `path` states. Returns `None` after an error, which has been reported.
fn channel_energy(table: &Reader<'_>, text: &str, path: &str, place: &Place) -> Option<Energy> {
    if let Some(named) = NamedLink::by_name(text) {
        return Some(named.energy());
    }
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let message = format!("`{path}` names the unknown link `{text}`");
        let names = NAMED_LINKS.iter().map(|link| link.name);
        let note = format!("accepted: {}, or a number and a unit such as pJ", crate::config::listed(names.clone()));
        table.error(Diagnostic::at(place.clone(), message).note(note).did_you_mean(text, names));
        return None;
    }
    let refuse = |error: QuantityError| {
        let diagnostic = Diagnostic::at(place.clone(), format!("`{path}` {error}"));
        table.error(diagnostic.note(accepted(QuantityKind::Energy, ElementLength::Channel)));
    };
    Energy::parse(text, ElementLength::Channel).map_err(refuse).ok()
}

/// The length at `key`, if it is given and valid.
fn length(table: &Reader<'_>, key: &Key) -> Option<Micrometres> {
    let millimetres = table.optional_number(key)?;
    let refuse = |error: QuantityError| {
        let message = format!("`{}` {error}", table.path_of(key.name));
        table.error(
            Diagnostic::at(table.place_of(key.name), message).note("accepted: at most three decimals, such as 2.125"),
        );
    };
    Micrometres::from_millimetres(&millimetres.to_string()).map_err(refuse).ok()
}
