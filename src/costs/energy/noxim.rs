//! The preset `noxim-45`: the power model of Noxim.
//!
//! Noxim has tables of energies and powers for a few sizes of buffers, crossbars and links. The numbers are those of commit
//! 4c8e72d, `bin/power.yaml`; their use is that of `src/Power.cpp`. A flit that is ejected takes the energy of a link, and
//! links have no static power. The static power of a router has buffers of five ports.
//!
//! Source: Catania et al., Noxim: an open, extensible and cycle-accurate network on chip simulator, ASAP 2015.

use super::model::ChannelKind;
use super::presets::{ChannelRequest, ElementConstants};
use super::{
    Attojoules, ChannelConstants, CrossbarEnergy, DesignPoint, EnergyPreset, ExactDecimal, Micrometres, Ports,
    PresetError, RouterConstants, StaticPower,
};

const NAME: &str = "noxim-45";

/// A buffer of one virtual channel of a port.
#[derive(Debug)]
struct BufferRow {
    flits: u64,
    flit_bits: u32,
    push: Attojoules,
    pop: Attojoules,
    microwatts: u128,
}

/// A crossbar.
#[derive(Debug)]
struct CrossbarRow {
    flit_bits: u32,
    flit: Attojoules,
    microwatts: u128,
}

static BUFFERS: [BufferRow; 4] = [
    BufferRow { flits: 4, flit_bits: 32, push: 762_000, pop: 534_000, microwatts: 2270 },
    BufferRow { flits: 8, flit_bits: 32, push: 1_030_000, pop: 826_000, microwatts: 2300 },
    BufferRow { flits: 8, flit_bits: 64, push: 2_080_000, pop: 1_580_000, microwatts: 7910 },
    BufferRow { flits: 8, flit_bits: 128, push: 4_000_000, pop: 3_000_000, microwatts: 15_000 },
];

static CROSSBARS: [CrossbarRow; 3] = [
    CrossbarRow { flit_bits: 32, flit: 221_000, microwatts: 749 },
    CrossbarRow { flit_bits: 64, flit: 400_000, microwatts: 1490 },
    CrossbarRow { flit_bits: 128, flit: 800_000, microwatts: 2750 },
];

/// Energies of a bit over a link, by its length.
const LINKS: [(Micrometres, Attojoules); 4] = [
    (Micrometres::new(500), 25_000),
    (Micrometres::new(1000), 48_800),
    (Micrometres::new(2000), 96_300),
    (Micrometres::new(3000), 143_000),
];

/// Energies of a head flit: routing and selection.
const ROUTING: Attojoules = 60_000;
const SELECTION: Attojoules = 50_000;

/// Static powers of routing and selection of a router, in microwatts.
const ROUTING_MICROWATTS: u128 = 120;
const SELECTION_MICROWATTS: u128 = 110;

/// Ports of a router, each with buffers of all virtual channels.
const BUFFERED_PORTS: u128 = 5;

pub(super) const NOXIM_45: EnergyPreset = EnergyPreset {
    name: NAME,
    title: "Noxim, 45 nm",
    source: "Noxim (4c8e72d, bin/power.yaml, src/Power.cpp); Catania et al., ASAP 2015",
    fixed_point: "5 buffered ports",
    default_length: Micrometres::new(1000),
    examples: &EXAMPLES,
    lengths: &[LINKS[0].0, LINKS[1].0, LINKS[2].0, LINKS[3].0],
    build,
};

const EXAMPLES: [DesignPoint; 4] = [example(4, 32), example(8, 32), example(8, 64), example(8, 128)];

const fn example(buffer: u64, flit_bits: u32) -> DesignPoint {
    let length = Micrometres::new(1000);
    DesignPoint { flit_bits, virtual_channels: 1, buffer, link_length: length, node_link_length: length }
}

fn build(point: &DesignPoint) -> Result<Box<dyn ElementConstants>, PresetError> {
    let flit_bits = point.flit_bits;
    let crossbar = CROSSBARS.iter().find(|row| row.flit_bits == flit_bits).ok_or_else(|| PresetError::Width {
        preset: NAME,
        flit_bits,
        accepted: CROSSBARS.iter().map(|row| row.flit_bits).collect(),
    })?;
    let depths = || BUFFERS.iter().filter(|row| row.flit_bits == flit_bits);
    let buffer = depths().find(|row| row.flits == point.buffer).ok_or_else(|| PresetError::Buffer {
        preset: NAME,
        flit_bits,
        buffer: point.buffer,
        accepted: depths().map(|row| row.flits).collect(),
    })?;
    Ok(Box::new(Noxim {
        buffer,
        crossbar,
        virtual_channels: point.virtual_channels.into(),
        link_length: point.link_length,
    }))
}

#[derive(Debug)]
struct Noxim {
    buffer: &'static BufferRow,
    crossbar: &'static CrossbarRow,
    virtual_channels: u128,
    /// The length of links, which gives the energy of ejection, too.
    link_length: Micrometres,
}

impl Noxim {
    fn link(&self, length: Micrometres) -> Result<Attojoules, PresetError> {
        let bit = LINKS.into_iter().find(|(known, _)| *known == length).map(|(_, bit)| bit);
        let error = || PresetError::Length { preset: NAME, length, accepted: LINKS.map(|(length, _)| length).to_vec() };
        Ok(bit.ok_or_else(error)? * Attojoules::from(self.buffer.flit_bits))
    }
}

impl ElementConstants for Noxim {
    fn router(&self, _ports: Ports) -> RouterConstants {
        let buffers = BUFFERED_PORTS * self.virtual_channels * self.buffer.microwatts;
        let microwatts = ROUTING_MICROWATTS + SELECTION_MICROWATTS + self.crossbar.microwatts + buffers;
        RouterConstants {
            buffer_write: self.buffer.push,
            buffer_read: self.buffer.pop,
            crossbar: CrossbarEnergy::Uniform(self.crossbar.flit),
            route: ROUTING + SELECTION,
            combine: 0,
            static_power: StaticPower::from_attowatts(ExactDecimal::with_exponent(microwatts, 12)),
            ..RouterConstants::default()
        }
    }

    fn channel(&self, request: &ChannelRequest) -> Result<ChannelConstants, PresetError> {
        let flit = match (request.flit, request.kind) {
            (Some(flit), _) => flit,
            (None, ChannelKind::Injection) => 0,
            (None, ChannelKind::Ejection) => self.link(self.link_length)?,
            (None, ChannelKind::Link) => self.link(request.length)?,
        };
        Ok(ChannelConstants { flit, ..ChannelConstants::default() })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by a panic")]
mod tests {
    use super::super::{ElementLength, Energy, EnergyKeys, EnergyModel};
    use super::*;

    const PORTS: Ports = Ports { inputs: 3, outputs: 3 };

    fn model(point: DesignPoint, keys: EnergyKeys) -> Result<EnergyModel, PresetError> {
        EnergyModel::new(EnergyPreset::by_name(NAME), point, keys)
    }

    #[test]
    fn routers_have_the_constants_of_the_tables() {
        for (flits, bits, virtual_channels, expected, power) in [
            (4, 32, 1, [762_000, 534_000, 221_000], "12.329mW"),
            (8, 32, 2, [1_030_000, 826_000, 221_000], "23.979mW"),
            (8, 64, 1, [2_080_000, 1_580_000, 400_000], "41.27mW"),
            (8, 128, 4, [4_000_000, 3_000_000, 800_000], "302.98mW"),
        ] {
            let point = DesignPoint { virtual_channels, ..example(flits, bits) };
            let router = model(point, EnergyKeys::default()).unwrap().router(PORTS);
            let energies = [router.buffer_write, router.buffer_read, router.crossbar.attojoules(2, 1)];
            assert_eq!((energies, router.static_power.text().as_str()), (expected, power), "{flits} {bits}");
            assert_eq!((router.arbitrate, router.route, router.clock, router.area), (0, 110_000, 0, None));
        }
    }

    #[test]
    fn ejection_takes_the_energy_of_a_link() {
        for (length, expected) in [(500, 800_000), (1000, 1_561_600), (2000, 3_081_600), (3000, 4_576_000)] {
            let link_length = Micrometres::new(length);
            let point = DesignPoint { link_length, node_link_length: Micrometres::new(77), ..example(4, 32) };
            let model = model(point, EnergyKeys::default()).unwrap();
            let [link, ejection, injection] = [model.link(None, None), model.ejection(), model.injection()];
            let channel = ChannelConstants { flit: expected, ..ChannelConstants::default() };
            assert_eq!((link.unwrap(), ejection.unwrap()), (channel, channel));
            assert_eq!(injection.unwrap(), ChannelConstants::default());
        }
    }

    #[test]
    fn other_depths_widths_and_lengths_are_refused() {
        let error = |flits, bits| model(example(flits, bits), EnergyKeys::default()).unwrap_err();
        assert_eq!(
            error(4, 64).to_string(),
            "energy preset `noxim-45` has no constants for a buffer of 4 flits of 64 bits; accepted: 8"
        );
        assert!(error(1, 32).to_string().ends_with("a buffer of 1 flit of 32 bits; accepted: 4, 8"));
        assert!(error(8, 96).to_string().ends_with("flits of 96 bits; accepted: 32, 64, 128"));
        assert_eq!((error(1, 32).key(), error(8, 96).key()), ("channel.buffer", "channel.flit_bits"));
        let model = model(example(8, 64), EnergyKeys::default()).unwrap();
        let error = model.link(Some(Micrometres::new(1500)), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "energy preset `noxim-45` has no energy of a link of 1.5 mm; accepted: 0.5 mm, 1 mm, 2 mm, 3 mm"
        );
    }

    #[test]
    fn a_link_with_its_own_energy_has_any_length() {
        let energy = Energy::parse("1pJ", ElementLength::Channel).unwrap();
        let point = DesignPoint { link_length: Micrometres::new(1500), ..example(8, 64) };
        let keys = EnergyKeys { link: Some(energy), ..EnergyKeys::default() };
        let model = model(point, keys).unwrap();
        assert_eq!(model.link(None, None).unwrap().flit, 1_000_000);
        assert!(model.ejection().is_err());
    }
}
