//! The presets `dsent-45`, `dsent-32`, `dsent-22` and `dsent-11`: a router and a repeated link of DSENT in four technologies.
//!
//! The numbers are results of DSENT as it comes with gem5 (commit b1a44b89, `ext/dsent`, technologies `Bulk45LVT`, `Bulk32LVT`,
//! `Bulk22LVT` and `TG11LVT`) for one router: five inputs and outputs, two virtual channels of four flits, buffers of
//! flip-flops, a crossbar of multiplexers, matrix arbiters, 1 GHz, optimised for timing. They hold for flits of 64 and 128 bits.
//! The allocation of a flit is the sum of both stages of the allocator.
//!
//! Source: Sun et al., DSENT: a tool connecting emerging photonics with electronics for opto-electronic networks-on-chip
//! modeling, NOCS 2012.

use super::model::ChannelKind;
use super::presets::{ChannelRequest, ElementConstants};
use super::{
    Attojoules, ChannelConstants, CrossbarEnergy, DesignPoint, EnergyPreset, ExactDecimal, Micrometres, Ports,
    PresetError, RouterConstants, StaticPower,
};

const MILLIMETRE: Micrometres = Micrometres::new(1000);

/// A router for flits of one width.
#[derive(Debug)]
struct RouterRow {
    flit_bits: u32,
    /// Energy of a flit: write, read, crossbar.
    write: Attojoules,
    read: Attojoules,
    crossbar: Attojoules,
    clock: Attojoules,
    static_nanowatts: u128,
    area_square_micrometres: u128,
}

/// Routers and links in one technology.
#[derive(Debug)]
struct Technology {
    name: &'static str,
    routers: [RouterRow; 2],
    /// Energy of the switch allocation of a flit, of any width.
    arbitrate: Attojoules,
    /// Energy of a bit over a millimetre of a link.
    link: Attojoules,
    /// Static power of a millimetre of a link, in hundredths of a nanowatt a bit.
    link_static: u128,
}

/// Creates a row of the table: bits, then write, read, crossbar and clock in attojoules, nanowatts, and square micrometres.
const fn row(flit_bits: u32, energies: [Attojoules; 4], nanowatts: u128, square_micrometres: u128) -> RouterRow {
    let [write, read, crossbar, clock] = energies;
    RouterRow {
        flit_bits,
        write,
        read,
        crossbar,
        clock,
        static_nanowatts: nanowatts,
        area_square_micrometres: square_micrometres,
    }
}

static BULK_45: Technology = Technology {
    name: "dsent-45",
    routers: [
        row(64, [1_676_848, 1_309_533, 1_073_670, 521_724], 8_882_619, 31_869),
        row(128, [3_321_801, 2_562_290, 2_125_951, 890_464], 17_319_372, 72_200),
    ],
    arbitrate: 147_168,
    link: 40_362,
    link_static: 43_340,
};

static BULK_32: Technology = Technology {
    name: "dsent-32",
    routers: [
        row(64, [925_060, 719_824, 591_408, 289_118], 7_565_797, 19_758),
        row(128, [1_832_746, 1_408_289, 1_170_996, 515_110], 14_759_187, 48_631),
    ],
    arbitrate: 80_992,
    link: 32_396,
    link_static: 34_090,
};

static BULK_22: Technology = Technology {
    name: "dsent-22",
    routers: [
        row(64, [443_389, 331_905, 272_484, 160_356], 6_465_667, 7698),
        row(128, [879_220, 648_513, 539_275, 291_720], 12_640_832, 17_526),
    ],
    arbitrate: 37_276,
    link: 23_583,
    link_static: 24_110,
};

static TRI_GATE_11: Technology = Technology {
    name: "dsent-11",
    routers: [
        row(64, [136_958, 99_838, 83_107, 50_449], 1_937_944, 3347),
        row(128, [271_863, 194_954, 164_465, 91_877], 3_780_727, 7860),
    ],
    arbitrate: 11_254,
    link: 13_188,
    link_static: 8514,
};

pub(super) const DSENT_45: EnergyPreset =
    preset("dsent-45", "DSENT, 45 nm bulk, low threshold voltage", |point| build(&BULK_45, point));
pub(super) const DSENT_32: EnergyPreset =
    preset("dsent-32", "DSENT, 32 nm bulk, low threshold voltage", |point| build(&BULK_32, point));
pub(super) const DSENT_22: EnergyPreset =
    preset("dsent-22", "DSENT, 22 nm bulk, low threshold voltage", |point| build(&BULK_22, point));
pub(super) const DSENT_11: EnergyPreset =
    preset("dsent-11", "DSENT, 11 nm tri-gate, low threshold voltage", |point| build(&TRI_GATE_11, point));

type Build = fn(&DesignPoint) -> Result<Box<dyn ElementConstants>, PresetError>;

const fn preset(name: &'static str, title: &'static str, build: Build) -> EnergyPreset {
    EnergyPreset {
        name,
        title,
        source: "DSENT as in gem5 (b1a44b89, ext/dsent); Sun et al., NOCS 2012",
        fixed_point: "5 x 5 ports, 2 VCs of 4 flits, 1 GHz",
        default_length: MILLIMETRE,
        examples: &EXAMPLES,
        lengths: &[MILLIMETRE],
        build,
    }
}

const EXAMPLES: [DesignPoint; 2] = [example(64), example(128)];

const fn example(flit_bits: u32) -> DesignPoint {
    DesignPoint { flit_bits, virtual_channels: 2, buffer: 4, link_length: MILLIMETRE, node_link_length: MILLIMETRE }
}

fn build(technology: &'static Technology, point: &DesignPoint) -> Result<Box<dyn ElementConstants>, PresetError> {
    let router = technology.routers.iter().find(|row| row.flit_bits == point.flit_bits);
    let error = || PresetError::Width {
        preset: technology.name,
        flit_bits: point.flit_bits,
        accepted: technology.routers.iter().map(|row| row.flit_bits).collect(),
    };
    Ok(Box::new(Dsent { technology, router: router.ok_or_else(error)? }))
}

#[derive(Debug)]
struct Dsent {
    technology: &'static Technology,
    router: &'static RouterRow,
}

impl ElementConstants for Dsent {
    fn router(&self, _ports: Ports) -> RouterConstants {
        RouterConstants {
            buffer_write: self.router.write,
            buffer_read: self.router.read,
            crossbar: CrossbarEnergy::Uniform(self.router.crossbar),
            arbitrate: self.technology.arbitrate,
            route: 0,
            combine: 0,
            clock: self.router.clock,
            static_power: StaticPower::from_attowatts(ExactDecimal::with_exponent(self.router.static_nanowatts, 9)),
            area: Some(self.router.area_square_micrometres * 1_000_000),
        }
    }

    fn channel(&self, request: &ChannelRequest) -> Result<ChannelConstants, PresetError> {
        if request.kind != ChannelKind::Link {
            return Ok(ChannelConstants::default());
        }
        let bit_micrometres = u128::from(self.router.flit_bits) * u128::from(request.length.get());
        // hundredths of a nanowatt, thousandths of a millimetre
        let power = ExactDecimal::with_exponent(self.technology.link_static * bit_micrometres, 9 - 2 - 3);
        Ok(ChannelConstants {
            // micrometres are thousandths of the unit, rounded once
            flit: (self.technology.link * bit_micrometres + 500) / 1000,
            static_power: StaticPower::from_attowatts(power),
            ..ChannelConstants::default()
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by a panic")]
mod tests {
    use super::super::{EnergyKeys, EnergyModel};
    use super::*;

    fn model(name: &str, flit_bits: u32) -> Result<EnergyModel, PresetError> {
        EnergyModel::new(EnergyPreset::by_name(name), example(flit_bits), EnergyKeys::default())
    }

    /// The table as it is published: write, read, crossbar, arbitrate, clock in aJ; area in µm²; power.
    #[test]
    fn routers_have_the_constants_of_the_table() {
        let table = [
            ("dsent-45", 64, [1_676_848, 1_309_533, 1_073_670, 147_168, 521_724, 31_869], "8.882619mW"),
            ("dsent-45", 128, [3_321_801, 2_562_290, 2_125_951, 147_168, 890_464, 72_200], "17.319372mW"),
            ("dsent-32", 64, [925_060, 719_824, 591_408, 80_992, 289_118, 19_758], "7.565797mW"),
            ("dsent-32", 128, [1_832_746, 1_408_289, 1_170_996, 80_992, 515_110, 48_631], "14.759187mW"),
            ("dsent-22", 64, [443_389, 331_905, 272_484, 37_276, 160_356, 7698], "6.465667mW"),
            ("dsent-22", 128, [879_220, 648_513, 539_275, 37_276, 291_720, 17_526], "12.640832mW"),
            ("dsent-11", 64, [136_958, 99_838, 83_107, 11_254, 50_449, 3347], "1.937944mW"),
            ("dsent-11", 128, [271_863, 194_954, 164_465, 11_254, 91_877, 7860], "3.780727mW"),
        ];
        for (name, flit_bits, expected, power) in table {
            let router = model(name, flit_bits).unwrap().router(Ports { inputs: 7, outputs: 3 });
            let area = router.area.unwrap() / 1_000_000;
            let crossbar = router.crossbar.attojoules(0, 0);
            let energies = [router.buffer_write, router.buffer_read, crossbar, router.arbitrate, router.clock, area];
            assert_eq!((energies, router.route), (expected, 0), "{name} {flit_bits}");
            assert_eq!(router.static_power.text(), power);
        }
    }

    #[test]
    fn links_grow_with_bits_and_length() {
        for (name, energy, power) in [
            ("dsent-45", 2_583_168, "27.7376uW"),
            ("dsent-32", 2_073_344, "21.8176uW"),
            ("dsent-22", 1_509_312, "15.4304uW"),
            ("dsent-11", 844_032, "5.44896uW"),
        ] {
            let model = model(name, 64).unwrap();
            let link = model.link(None, None).unwrap();
            assert_eq!((link.flit, link.static_power.text().as_str(), link.clock), (energy, power, 0));
            let half = model.link(Some(Micrometres::new(500)), None).unwrap();
            assert_eq!((half.flit * 2, half.area), (energy, 0));
            // 64 bits × 40362 aJ × 0.001 mm is 2583.168
            let micrometre = model.link(Some(Micrometres::new(1)), None).unwrap();
            assert_eq!(micrometre.flit, (energy + 500) / 1000);
            assert_eq!(model.injection().unwrap(), ChannelConstants::default());
            assert_eq!(model.ejection().unwrap(), ChannelConstants::default());
        }
    }

    #[test]
    fn other_widths_are_refused() {
        let error = model("dsent-22", 96).unwrap_err();
        assert_eq!(
            error.to_string(),
            "energy preset `dsent-22` has no constants for flits of 96 bits; accepted: 64, 128"
        );
        assert_eq!(error.key(), "channel.flit_bits");
    }
}
