//! Worked numbers, wires of the search, and sizes at the limits.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use super::super::model::ChannelKind;
use super::super::{EnergyKeys, EnergyModel, area_text};
use super::*;

const FIVE: Ports = Ports { inputs: 5, outputs: 5 };

pub(super) fn model(point: DesignPoint) -> EnergyModel {
    EnergyModel::new(EnergyPreset::by_name(NAME), point, EnergyKeys::default()).unwrap()
}

#[test]
fn the_worked_numbers_are_exact() {
    let model = model(BOOKSIM_32.examples[0]);
    let link = model.link(None, None).unwrap();
    assert_eq!((link.flit, link.clock), (114_291_472, 779_847));
    let router = model.router(FIVE);
    assert_eq!((router.buffer_write, router.buffer_read, router.clock), (2_427_116, 2_427_116, 1_949_617));
    assert_eq!((router.arbitrate, router.route), (0, 0));
    let pairs = [(0, 0), (0, 3), (3, 0), (4, 4)].map(|(input, output)| router.crossbar.attojoules(input, output));
    assert_eq!(pairs, [16_839_211, 20_564_471, 21_155_782, 24_881_042]);
    assert_eq!(link.static_power.text(), "2.8553472mW");
    assert_eq!(router.static_power.text(), "30.757131851mW");
    assert_eq!(area_text(link.area), "0.00056754176");
    assert_eq!(router.area.map(area_text), Some("0.012582912".to_owned()));
    assert_eq!((model.injection().unwrap(), model.ejection().unwrap()), (link, link));
}

#[test]
fn middle_ports_are_near() {
    let router = model(BOOKSIM_32.examples[0]).router(FIVE);
    let energy = |input, output| router.crossbar.attojoules(input, output);
    assert_eq!((energy(2, 2), energy(2, 3), energy(3, 2)), (energy(0, 0), energy(0, 4), energy(4, 0)));
}

#[test]
fn the_search_selects_the_wires_of_the_source() {
    // size, repeaters, flip-flops of a program with the loops of `wireOptimize`
    for (length, size, repeaters, registers) in [
        (0.0, 1.0, 1.0, 1.0),
        (0.001, 1.0, 1.0, 1.0),
        (0.25, 2.1, 1.0, 1.0),
        (1.0, 8.1, 1.0, 1.0),
        (1.25, 5.1, 1.0, 2.0),
        (2.0, 8.1, 1.0, 2.0),
        (4.0, 8.1, 1.0, 4.0),
        (7.3, 9.9, 1.0, 6.0),
        (16.0, 10.0, 1.0, 13.0),
        (45.0, 9.9, 1.0, 37.0),
    ] {
        let wire = RepeatedWire::optimal(length).unwrap();
        assert_eq!((wire.repeaters, wire.registers), (repeaters, registers), "{wire:?}");
        assert!((wire.size - size).abs() < 1e-9, "{wire:?}");
    }
}

#[test]
fn too_long_wires_are_refused() {
    let model = model(BOOKSIM_32.examples[0]);
    assert!(model.link(Some(LONGEST), None).is_ok());
    let longer = Micrometres::new(LONGEST.get() + 1);
    let error = model.link(Some(longer), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "energy preset `booksim-32` has no wire of 48.189 mm that meets its clock; accepted: up to 48.188 mm"
    );
    assert_eq!(error.key(), "energy.link_mm");
}

#[test]
fn node_channels_have_their_own_length() {
    let point = DesignPoint { node_link_length: Micrometres::new(1000), ..BOOKSIM_32.examples[0] };
    let model = model(point);
    let [link, injection] = [model.link(None, None), model.injection()].map(Result::unwrap);
    assert_eq!((injection.flit * 2, injection.area * 2), (link.flit, link.area));
    assert_eq!(model.link(Some(Micrometres::new(1000)), None).unwrap(), injection);
}

#[test]
fn constants_follow_width_depth_and_ports() {
    let wide = model(DesignPoint { flit_bits: 65_536, buffer: 64, ..BOOKSIM_32.examples[0] });
    let narrow = model(DesignPoint { flit_bits: 1, buffer: 1, virtual_channels: 1, ..BOOKSIM_32.examples[0] });
    let ports = Ports { inputs: 17, outputs: 9 };
    let [large, small] = [&wide, &narrow].map(|model| model.router(ports));
    assert!(large.buffer_write > 65_536 * small.buffer_write && large.area > small.area);
    assert!(large.crossbar.attojoules(16, 8) > large.crossbar.attojoules(8, 4));
    let request = ChannelRequest { kind: ChannelKind::Link, length: LENGTH, flit: None };
    let bit = BookSim { bits: 1.0, depth: 1.0 }.channel(&request).unwrap();
    assert_eq!(narrow.link(None, None).unwrap(), bit);
}
