//! The preset `floonoc-12`: a hop of FlooNoC, an open network on chip with wide links, in 12 nm.

use super::links::FLOONOC;
use super::model::ChannelKind;
use super::presets::{ChannelRequest, ElementConstants};
use super::{Attojoules, ChannelConstants, DesignPoint, EnergyPreset, Micrometres, Ports, RouterConstants};

/// The publication of the energy.
pub(super) const SOURCE: &str = "FlooNoC, IEEE Transactions on VLSI Systems 2025";

const MILLIMETRE: Micrometres = Micrometres::new(1000);

pub(super) const FLOONOC_12: EnergyPreset = EnergyPreset {
    name: "floonoc-12",
    title: "FlooNoC, 12 nm: a whole hop, router and link",
    source: SOURCE,
    fixed_point: "",
    default_length: MILLIMETRE,
    examples: &[DesignPoint {
        flit_bits: 512,
        virtual_channels: 1,
        buffer: 2,
        link_length: MILLIMETRE,
        node_link_length: MILLIMETRE,
    }],
    lengths: &[MILLIMETRE],
    build: |point| Ok(Box::new(FlooNoc { hop: FLOONOC.energy().attojoules(point.flit_bits, MILLIMETRE) })),
};

#[derive(Debug)]
struct FlooNoc {
    /// Energy of a flit over a router and the link behind it, whatever its length.
    hop: Attojoules,
}

impl ElementConstants for FlooNoc {
    fn router(&self, _ports: Ports) -> RouterConstants {
        RouterConstants::default()
    }

    fn channel(&self, request: &ChannelRequest) -> Result<ChannelConstants, super::PresetError> {
        let flit = if request.kind == ChannelKind::Link { self.hop } else { 0 };
        Ok(ChannelConstants { flit, ..ChannelConstants::default() })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by a panic")]
mod tests {
    use super::super::{EnergyKeys, EnergyModel};
    use super::*;

    #[test]
    fn a_hop_takes_energy_on_its_link_alone() {
        let point = DesignPoint { flit_bits: 64, ..FLOONOC_12.examples[0] };
        let model = EnergyModel::new(EnergyPreset::by_name("floonoc-12"), point, EnergyKeys::default()).unwrap();
        for length in [None, Some(Micrometres::new(7))] {
            assert_eq!(model.link(length, None).unwrap().flit, 1_200_000);
        }
        assert_eq!(model.ejection().unwrap(), ChannelConstants::default());
        assert_eq!(model.injection().unwrap(), ChannelConstants::default());
        assert_eq!(model.router(Ports { inputs: 5, outputs: 5 }), RouterConstants::default());
    }
}
