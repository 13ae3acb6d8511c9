//! Energies, powers and areas of whole networks against those that BookSim 2 prints.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use super::tests::model;
use super::*;
use crate::costs::energy::EnergyModel;
use serde_json::Value;

/// Batch runs of permutations in BookSim 2 with its power module.
const RUNS: &str = include_str!("../../../../tests/data/silicon-costs/booksim.json");

/// A run of the file: its network as counts of elements, and its messages as counts of events.
struct Run {
    value: Value,
    model: EnergyModel,
    ports: Ports,
    routers: f64,
    links: f64,
}

impl Run {
    fn new(value: &Value) -> Self {
        let integer = |key: &str| value[key].as_u64().unwrap();
        let millimetres = |key: &str| Micrometres::from_millimetres(&integer(key).to_string()).unwrap();
        let shape: Vec<f64> = value["shape"].as_array().unwrap().iter().map(|size| size.as_f64().unwrap()).collect();
        let routers: f64 = shape.iter().product();
        let links =
            |size: &f64| if value["network"] == "mesh" { 2.0 * routers * (size - 1.0) / size } else { 2.0 * routers };
        let point = DesignPoint {
            flit_bits: u32::try_from(integer("flit_bits")).unwrap(),
            virtual_channels: integer("virtual_channels"),
            buffer: integer("buffer"),
            link_length: millimetres("link_mm"),
            node_link_length: millimetres("node_link_mm"),
        };
        let count = 2 * shape.len() + 1;
        Self {
            value: value.clone(),
            model: model(point),
            ports: Ports { inputs: count, outputs: count },
            routers,
            links: shape.iter().map(links).sum(),
        }
    }

    /// Flits that cross a pair of ports, the pair, and the energy of one in BookSim 2.
    fn pairs(&self) -> Vec<(f64, (usize, usize), f64)> {
        let pair = |(name, numbers): (&String, &Value)| {
            let (input, output) = name.split_once(' ').unwrap();
            let ports = (input.parse().unwrap(), output.parse().unwrap());
            (numbers[0].as_f64().unwrap(), ports, numbers[1].as_f64().unwrap())
        };
        self.value["pairs"].as_object().unwrap().iter().map(pair).collect()
    }

    fn flits(&self) -> f64 {
        self.value["messages"].as_array().unwrap().iter().map(|message| message[2].as_f64().unwrap()).sum()
    }

    /// Checks a number against that of BookSim 2, which prints six digits.
    fn check(&self, name: &str, value: f64, expected: &Value) {
        let expected = expected.as_f64().unwrap();
        assert!((value / expected - 1.0).abs() < 2e-5, "{}: {name} is {value}, not {expected}", self.value["name"]);
    }
}

fn runs() -> Vec<Run> {
    let runs: Value = serde_json::from_str(RUNS).unwrap();
    runs.as_array().unwrap().iter().map(Run::new).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a tolerance covers it")]
fn picojoules(energy: Attojoules) -> f64 {
    energy as f64 / 1e6
}

/// A power in watts: the energy of a second of it, in joules.
fn watts(power: StaticPower) -> f64 {
    let second = ExactDecimal::new(1_000_000_000_000, 0);
    picojoules(power.energy(crate::units::Ticks(1), second).unwrap()) / 1e12
}

#[test]
fn energies_of_runs_are_those_of_booksim() {
    for run in runs() {
        let router = run.model.router(run.ports);
        let energy = |(input, output)| picojoules(router.crossbar.attojoules(input, output));
        let passes: f64 = run.pairs().iter().map(|(flits, _, _)| flits).sum();
        let crossbar: f64 = run.pairs().iter().map(|(flits, ports, _)| flits * energy(*ports)).sum();
        let [link, node] = [run.model.link(None, None), run.model.ejection()].map(Result::unwrap);
        // a flit over H links passes H + 1 routers and two channels of nodes
        let links = (passes - run.flits()) * picojoules(link.flit) + 2.0 * run.flits() * picojoules(node.flit);
        let expected = &run.value["pJ"];
        run.check("write", passes * picojoules(router.buffer_write), &expected["energy_buffer_write"]);
        run.check("read", passes * picojoules(router.buffer_read), &expected["energy_buffer_read"]);
        run.check("crossbar", crossbar, &expected["energy_crossbar"]);
        run.check("links", links, &expected["links"]);
    }
}

#[test]
fn energies_of_pairs_of_ports_are_those_of_booksim() {
    for run in runs() {
        let router = run.model.router(run.ports);
        for (_, (input, output), expected) in run.pairs() {
            let energy = picojoules(router.crossbar.attojoules(input, output)) * 1e6;
            assert!((energy - expected).abs() <= 2.0, "{}: {input} {output}: {energy}", run.value["name"]);
        }
    }
}

#[test]
fn clocks_powers_and_areas_of_networks_are_those_of_booksim() {
    for run in runs() {
        let router = run.model.router(run.ports);
        let [link, node] = [run.model.link(None, None), run.model.injection()].map(Result::unwrap);
        let sum = |of_router: f64, of_link: f64, of_node: f64| {
            run.routers * (of_router + 2.0 * of_node) + run.links * of_link
        };
        let clock = sum(picojoules(router.clock), picojoules(link.clock), picojoules(node.clock));
        run.check("clock", clock, &run.value["clock_pJ_per_cycle"]);
        let power = sum(watts(router.static_power), watts(link.static_power), watts(node.static_power));
        run.check("static", power, &run.value["static_W"]);
        // square nanometres, 10^12 in a square millimetre
        let [router, link, node] = [router.area.unwrap(), link.area, node.area].map(picojoules);
        run.check("area", sum(router, link, node) / 1e6, &run.value["area_mm2"]);
    }
}
