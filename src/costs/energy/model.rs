//! The energy constants of a scenario: a preset and the keys that override it.

use super::presets::{ChannelRequest, ElementConstants};
use super::{
    Attojoules, ChannelConstants, CrossbarEnergy, DesignPoint, Energy, EnergyPreset, Micrometres, Ports, Power,
    PresetError, RouterConstants,
};

/// The keys of the table `[energy]` that are energies and powers. Each that is set overrides the preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnergyKeys {
    /// `buffer_write`, a flit into an input buffer of a router.
    pub buffer_write: Option<Energy>,
    /// `buffer_read`, a flit out of an input buffer.
    pub buffer_read: Option<Energy>,
    /// `crossbar`, a flit through the crossbar of a router.
    pub crossbar: Option<Energy>,
    /// `arbitrate`, the switch allocation of a flit.
    pub arbitrate: Option<Energy>,
    /// `route`, a head flit at a router that sends it over a link.
    pub route: Option<Energy>,
    /// `combine`, two flits that a router combines. No preset sets it.
    pub combine: Option<Energy>,
    /// `link`, a flit over a link between routers.
    pub link: Option<Energy>,
    /// `injection`, a flit over an injection channel.
    pub injection: Option<Energy>,
    /// `ejection`, a flit over an ejection channel.
    pub ejection: Option<Energy>,
    /// `clock`, a router in one cycle.
    pub clock: Option<Energy>,
    /// `link_clock`, a link between routers in one cycle.
    pub link_clock: Option<Energy>,
    /// `node_link_clock`, an injection or ejection channel in one cycle.
    pub node_link_clock: Option<Energy>,
    /// `static`, the power of a router.
    pub static_power: Option<Power>,
    /// `link_static`, the power of a link between routers.
    pub link_static: Option<Power>,
    /// `node_link_static`, the power of an injection or ejection channel.
    pub node_link_static: Option<Power>,
}

/// The energy constants of a scenario.
///
/// ```
/// use flitwise::costs::energy::*;
///
/// let millimetre = Micrometres::new(1000);
/// let point =
///     DesignPoint { flit_bits: 64, virtual_channels: 2, buffer: 4, link_length: millimetre, node_link_length: millimetre };
/// let link = NamedLink::by_name("ucie-2.5d").map(NamedLink::energy);
/// let keys = EnergyKeys { link, ..EnergyKeys::default() };
/// let model = EnergyModel::new(EnergyPreset::by_name("dsent-22"), point, keys)?;
/// assert_eq!(model.router(Ports { inputs: 5, outputs: 5 }).buffer_write, 443_389);
/// assert_eq!(model.link(None, None)?.flit, 16_000_000);
/// # Ok::<(), PresetError>(())
/// ```
#[derive(Debug)]
pub struct EnergyModel {
    elements: Box<dyn ElementConstants>,
    point: DesignPoint,
    keys: EnergyKeys,
}

impl EnergyModel {
    /// Creates the constants of `preset` at `point`, or zeros without a preset, overridden by `keys`.
    ///
    /// # Errors
    /// Returns an error if the preset has no constants for the flits or the buffers of `point`.
    pub fn new(preset: Option<&EnergyPreset>, point: DesignPoint, keys: EnergyKeys) -> Result<Self, PresetError> {
        let elements = match preset {
            Some(preset) => preset.elements(&point)?,
            None => Box::new(NoPreset),
        };
        Ok(Self { elements, point, keys })
    }

    /// Returns the constants of a router with these numbers of ports.
    pub fn router(&self, ports: Ports) -> RouterConstants {
        let preset = self.elements.router(ports);
        let energy = |key: Option<Energy>, preset| self.energy(key, Micrometres::ZERO).unwrap_or(preset);
        RouterConstants {
            buffer_write: energy(self.keys.buffer_write, preset.buffer_write),
            buffer_read: energy(self.keys.buffer_read, preset.buffer_read),
            crossbar: self
                .energy(self.keys.crossbar, Micrometres::ZERO)
                .map_or(preset.crossbar, CrossbarEnergy::Uniform),
            arbitrate: energy(self.keys.arbitrate, preset.arbitrate),
            route: energy(self.keys.route, preset.route),
            combine: energy(self.keys.combine, preset.combine),
            clock: energy(self.keys.clock, preset.clock),
            static_power: self
                .keys
                .static_power
                .map_or(preset.static_power, |power| power.element(self.point.flit_bits, Micrometres::ZERO)),
            area: preset.area,
        }
    }

    /// Returns the constants of a link between routers. `length` and `energy` are those of its class, if it sets them.
    ///
    /// # Errors
    /// Returns an error if the preset has no constants for the length.
    pub fn link(&self, length: Option<Micrometres>, energy: Option<Energy>) -> Result<ChannelConstants, PresetError> {
        let length = length.unwrap_or(self.point.link_length);
        let keys = ChannelKeys {
            flit: energy.or(self.keys.link),
            clock: self.keys.link_clock,
            static_power: self.keys.link_static,
        };
        self.channel(ChannelKind::Link, length, keys)
    }

    /// Returns the constants of an injection channel.
    ///
    /// # Errors
    /// Returns an error if the preset has no constants for its length.
    pub fn injection(&self) -> Result<ChannelConstants, PresetError> {
        self.channel(ChannelKind::Injection, self.point.node_link_length, self.node_keys(self.keys.injection))
    }

    /// Returns the constants of an ejection channel.
    ///
    /// # Errors
    /// Returns an error if the preset has no constants for its length.
    pub fn ejection(&self) -> Result<ChannelConstants, PresetError> {
        self.channel(ChannelKind::Ejection, self.point.node_link_length, self.node_keys(self.keys.ejection))
    }

    fn node_keys(&self, flit: Option<Energy>) -> ChannelKeys {
        ChannelKeys { flit, clock: self.keys.node_link_clock, static_power: self.keys.node_link_static }
    }

    fn channel(
        &self,
        kind: ChannelKind,
        length: Micrometres,
        keys: ChannelKeys,
    ) -> Result<ChannelConstants, PresetError> {
        let flit = self.energy(keys.flit, length);
        let preset = self.elements.channel(&ChannelRequest { kind, length, flit })?;
        Ok(ChannelConstants {
            flit: flit.unwrap_or(preset.flit),
            clock: self.energy(keys.clock, length).unwrap_or(preset.clock),
            static_power: keys
                .static_power
                .map_or(preset.static_power, |power| power.element(self.point.flit_bits, length)),
            area: preset.area,
        })
    }

    fn energy(&self, key: Option<Energy>, length: Micrometres) -> Option<Attojoules> {
        key.map(|energy| energy.attojoules(self.point.flit_bits, length))
    }
}

/// The position of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChannelKind {
    Link,
    Injection,
    Ejection,
}

/// The keys of one kind of channel.
#[derive(Clone, Copy, Debug)]
struct ChannelKeys {
    flit: Option<Energy>,
    clock: Option<Energy>,
    static_power: Option<Power>,
}

/// The constants of a scenario without a preset: zeros.
#[derive(Debug)]
struct NoPreset;

impl ElementConstants for NoPreset {
    fn router(&self, _ports: Ports) -> RouterConstants {
        RouterConstants::default()
    }

    fn channel(&self, _request: &ChannelRequest) -> Result<ChannelConstants, PresetError> {
        Ok(ChannelConstants::default())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by a panic")]
mod tests {
    use super::super::{ElementLength, NamedLink, StaticPower};
    use super::*;
    use crate::units::Ticks;

    const PORTS: Ports = Ports { inputs: 5, outputs: 5 };
    /// A nanosecond in picoseconds.
    const NANOSECOND: super::super::ExactDecimal = super::super::ExactDecimal::new(1000, 0);

    fn point(flit_bits: u32, buffer: u64, link: u32) -> DesignPoint {
        DesignPoint {
            flit_bits,
            virtual_channels: 1,
            buffer,
            link_length: Micrometres::new(link),
            node_link_length: Micrometres::new(1000),
        }
    }

    fn energy(text: &str) -> Option<Energy> {
        Some(Energy::parse(text, ElementLength::Channel).unwrap())
    }

    fn power(text: &str) -> Option<Power> {
        Some(Power::parse(text, ElementLength::Channel).unwrap())
    }

    #[test]
    fn keys_alone_are_the_constants() {
        let keys = EnergyKeys {
            buffer_write: energy("14.3fJ/bit"),
            buffer_read: energy("1.7fJ/B"),
            crossbar: energy("0.33333333fJ/bit"),
            link: energy("40.4fJ/bit/mm"),
            ejection: energy("0.1pJ/bit"),
            clock: energy("3.3333pJ"),
            link_clock: energy("11.5fJ/bit/mm"),
            static_power: power("1.23456789mW"),
            link_static: power("0.7nW/bit/mm"),
            node_link_static: power("17nW"),
            ..EnergyKeys::default()
        };
        let model = EnergyModel::new(None, point(96, 1, 1500), keys).unwrap();
        let router = model.router(PORTS);
        assert_eq!((router.buffer_write, router.buffer_read), (1_372_800, 20_400));
        assert_eq!((router.crossbar.attojoules(0, 4), router.arbitrate, router.route), (32_000, 0, 0));
        assert_eq!((router.clock, router.area), (3_333_300, None));
        assert_eq!(router.static_power.energy(Ticks(1), NANOSECOND), Some(1_234_568));
        let link = model.link(None, None).unwrap();
        assert_eq!((link.flit, link.clock, link.area), (5_817_600, 1_656_000, 0));
        assert_eq!(link.static_power.text(), "100.8nW");
        let [injection, ejection] = [model.injection(), model.ejection()].map(Result::unwrap);
        assert_eq!((injection.flit, ejection.flit, ejection.clock), (0, 9_600_000, 0));
        assert_eq!((injection.static_power, injection.static_power.text()), (ejection.static_power, "17nW".to_owned()));
    }

    #[test]
    fn a_class_of_links_has_its_own_length_and_energy() {
        let keys = EnergyKeys { link: energy("1fJ/bit/mm"), link_clock: energy("1fJ/mm"), ..EnergyKeys::default() };
        let model = EnergyModel::new(None, point(64, 1, 1000), keys).unwrap();
        let longer = model.link(Some(Micrometres::new(2500)), None).unwrap();
        assert_eq!((longer.flit, longer.clock), (160_000, 2500));
        let bridge = NamedLink::by_name("ucie-3d").map(NamedLink::energy);
        let bridge = model.link(Some(Micrometres::new(2500)), bridge).unwrap();
        assert_eq!((bridge.flit, bridge.clock, bridge.static_power), (3_200_000, 2500, StaticPower::ZERO));
    }

    #[test]
    fn every_key_overrides_the_preset() {
        let preset = EnergyPreset::by_name("booksim-32");
        let [some_energy, some_power] = ["7aJ", "3pW"];
        let keys = EnergyKeys {
            buffer_write: energy(some_energy),
            buffer_read: energy(some_energy),
            crossbar: energy(some_energy),
            arbitrate: energy(some_energy),
            route: energy(some_energy),
            combine: energy(some_energy),
            link: energy(some_energy),
            injection: energy(some_energy),
            ejection: energy(some_energy),
            clock: energy(some_energy),
            link_clock: energy(some_energy),
            node_link_clock: energy(some_energy),
            static_power: power(some_power),
            link_static: power(some_power),
            node_link_static: power(some_power),
        };
        let model = EnergyModel::new(preset, point(128, 4, 2000), keys).unwrap();
        let router = model.router(PORTS);
        let energies = [router.buffer_write, router.buffer_read, router.arbitrate, router.route, router.clock];
        assert_eq!((energies, router.crossbar), ([7; 5], CrossbarEnergy::Uniform(7)));
        let channels = [model.link(None, None), model.injection(), model.ejection()].map(Result::unwrap);
        let powers = channels.map(|channel| channel.static_power).into_iter().chain([router.static_power]);
        assert!(powers.map(StaticPower::text).eq(["3pW"; 4]));
        assert_eq!(channels.map(|channel| (channel.flit, channel.clock)), [(7, 7); 3]);
        // the area remains that of the preset
        assert!(router.area.is_some() && channels.iter().all(|channel| channel.area > 0));
    }
}
