//! Virtual-channel routers measured as other simulators measure them: BookSim 2 (input-queued routers, dimension order,
//! separable input-first allocation, speculation) for `pipelined`, CAMINOS 0.6.3 (router `Basic`) for `ideal`. Latencies in
//! an empty network and of single bursts are exact; under load a point may be as far off as its line of
//! `tests/data/traffic/points.csv` says: random streams differ.

use crate::cli::{Bench, csv_rows};
use crate::router_differential::Lists;
use crate::support::data_path;
use flitwise::costs::{Buffer, Timing};
use flitwise::engine::router::{Offer, RouterCosts, run};
use flitwise::routing::relation::DIMENSION_ORDER;
use flitwise::routing::{Lattice, Relation};
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::sync::LazyLock;

type Row = BTreeMap<String, String>;

/// The rows of a scenario that is called `t`.
fn rows(scenario: &str) -> Vec<Row> {
    let bench = Bench::new(&format!("name = \"t\"\n{scenario}"));
    bench.ok(&["run", "s.toml", "--quiet"]);
    csv_rows(&fs::read_to_string(bench.path("results/t/rows.csv")).unwrap())
}

fn value(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap()
}

/// From when a packet is made until it has arrived, with nothing else in the network.
fn alone(relation: &Relation, costs: RouterCosts, (src, dst, flits): (u32, u32, u32)) -> u64 {
    let mut offers = vec![VecDeque::new(); relation.lattice().nodes()];
    offers[src as usize].push_back(Offer {
        number: src,
        created: 7,
        dst,
        flits,
        random_bits: 0,
        class: 0,
        sequence: 0,
    });
    let mut lists = Lists { offers, ..Lists::default() };
    assert_eq!(run(relation, costs, &mut lists).deadlock, None);
    assert_eq!(lists.deliveries.len(), 1);
    lists.deliveries[0].delivered - lists.deliveries[0].created
}

fn lattices() -> [Lattice; 3] {
    let [plane, cube] = [[0, 1].as_slice(), [0, 1, 2, 3].as_slice()];
    [Lattice::new(&[8, 8], false, plane), Lattice::new(&[8, 8], true, plane), Lattice::new(&[2; 4], false, cube)]
}

/// Latencies of single packets of `flits` flits from all nodes to all nodes are `expected(distance)`.
fn assert_unloaded(timing: Timing, speculative: bool, flits: u32, expected: impl Fn(u64) -> u64) {
    for lattice in lattices() {
        for vcs in [2, 3] {
            let relation = Relation::new(lattice.clone(), &DIMENSION_ORDER, vcs);
            let costs = RouterCosts { timing, buffer: Buffer::Flits(12), speculative, ..RouterCosts::default() };
            let nodes = u32::try_from(lattice.nodes()).unwrap();
            for (src, dst) in (0..nodes).step_by(7).flat_map(|src| (0..nodes).map(move |dst| (src, dst))) {
                let distance = u64::from(lattice.distance(src, dst));
                assert_eq!(
                    alone(&relation, costs, (src, dst, flits)),
                    expected(distance),
                    "{src} to {dst}, {flits} flits"
                );
            }
        }
    }
}

/// Of two packets that wait for an ejection channel, it is granted to the one that requested it first, although the other
/// left its source before.
#[test]
fn the_place_in_line_is_that_of_the_request() {
    let relation = Relation::new(Lattice::new(&[5], false, &[0]), &DIMENSION_ORDER, 1);
    let costs = RouterCosts { timing: Timing::wormhole(0), atomic: true, ..RouterCosts::default() };
    let mut offers = vec![VecDeque::new(); 5];
    for (src, created, flits) in [(3, 0, 20), (0, 0, 1), (4, 1, 1)] {
        offers[src as usize].push_back(Offer {
            number: src,
            created,
            dst: 3,
            flits,
            random_bits: 0,
            class: 0,
            sequence: 0,
        });
    }
    let mut lists = Lists { offers, ..Lists::default() };
    assert_eq!(run(&relation, costs, &mut lists).deadlock, None);
    let arrivals: BTreeMap<u32, u64> = lists.deliveries.iter().map(|packet| (packet.src, packet.delivered)).collect();
    // node 4 is a hop away and its head flit requests in cycle 3, that of node 0 in cycle 4
    assert_eq!(arrivals, BTreeMap::from([(3, 21), (4, 22), (0, 23)]));
}

#[test]
fn an_empty_network_takes_as_long_as_its_stages() {
    for flits in [1, 2, 8, 32] {
        let tail = u64::from(flits) - 1;
        assert_unloaded(Timing::pipelined(1, 0), true, flits, |distance| 5 + 3 * distance + tail);
        assert_unloaded(Timing::ideal(0), true, flits, |distance| distance + u64::from(flits) + 1);
        // a routing stage; two cycles more a link
        assert_unloaded(Timing::pipelined(1, 1), true, flits, |distance| 6 + 4 * distance + tail);
        assert_unloaded(Timing::pipelined(3, 0), true, flits, |distance| 9 + 5 * distance + tail);
        // without speculation the switch is requested a cycle after the virtual channel
        assert_unloaded(Timing::pipelined(1, 0), false, flits, |distance| 6 + 4 * distance + tail);
    }
}

#[test]
fn buffers_shorter_than_the_credit_loop_slow_a_packet_down() {
    let mesh = Lattice::new(&[8, 8], false, &[0, 1]);
    let relation = Relation::new(mesh, &DIMENSION_ORDER, 1);
    let latency = |buffer| {
        let timing = Timing::pipelined(1, 0);
        alone(&relation, RouterCosts { timing, buffer: Buffer::Flits(buffer), ..RouterCosts::default() }, (9, 9, 8))
    };
    assert_eq!([1, 2, 3, 4, 5, 6, 100].map(latency), [40, 21, 16, 13, 12, 12, 12]);
}

fn burst(side: u32, pattern: &str, flits: u64) -> (u64, f64) {
    let rows = rows(&format!(
        "[network.mesh]\nshape = [{side}, {side}]\n[channel]\nbuffer = 8\n[router]\nmodel = \"pipelined\"\n\
         [workload.traffic]\nmode = \"burst\"\npattern = \"{pattern}\"\npacket_flits = {flits}\n"
    ));
    assert_eq!(rows[0]["undelivered"], "0");
    (rows[0]["makespan"].parse().unwrap(), value(&rows[0], "latency"))
}

#[test]
fn bursts_take_exactly_as_long_as_published() {
    for flits in [8, 9, 32, 100] {
        for pattern in ["transpose", "bit-complement", "bit-reverse"] {
            assert_eq!(burst(8, pattern, flits).0, 7 * flits + 29, "{pattern} {flits}");
            assert_eq!(burst(16, pattern, flits).0, 15 * flits + 53, "{pattern} {flits}");
        }
    }
    assert_eq!(burst(8, "transpose", 8), (85, 36.5));
    assert_eq!(burst(8, "transpose", 32), (253, 102.5));
    assert_eq!(burst(8, "transpose", 512), (3613, 1422.5));
    assert_eq!(burst(8, "tornado", 8), (65, 50.0));
    assert_eq!(burst(8, "bit-complement", 8), (85, 51.0));
}

/// Every point of the reference, and what is measured here.
static MEASURED: LazyLock<Vec<(Row, f64)>> = LazyLock::new(|| {
    let points: Vec<Row> = csv_rows(&fs::read_to_string(data_path("traffic/points.csv")).unwrap());
    points.into_iter().map(|point| (point.clone(), measured(&point))).collect()
});

fn measured(point: &Row) -> f64 {
    let of = |key: &str| point[key].as_str();
    let stream = if of("measure") == "makespan" {
        "mode = \"burst\"\n".to_owned()
    } else {
        let cycles = if of("rate") == "1.0" { 2500 } else { 8000 };
        format!("rate = {}\nwarmup = 2000\nmeasure = {cycles}\n", of("rate"))
    };
    let to_itself = if of("pattern") == "uniform" {
        format!("include_self = {}\n", of("model") == "pipelined")
    } else {
        String::new()
    };
    let rows = rows(&format!(
        "[network.{}]\nshape = {}\n[channel]\nvirtual_channels = {}\nbuffer = {}\n\
         [router]\nmodel = \"{}\"\natomic = false\n\
         [workload.traffic]\npattern = \"{}\"\n{to_itself}packet_flits = {}\n{stream}details = false\n",
        of("network"),
        of("shape"),
        of("vcs"),
        of("buffer"),
        of("model"),
        of("pattern"),
        of("flits"),
    ));
    value(&rows[0], of("measure"))
}

#[test]
fn steady_streams_are_as_fast_as_elsewhere() {
    assert_eq!(MEASURED.len(), 30);
    for (point, got) in MEASURED.iter() {
        let (want, tolerance) = (value(point, "want"), value(point, "tolerance"));
        assert!((got / want - 1.0).abs() <= tolerance, "{got}: {point:?}");
    }
}

/// A line of a table for every point of the reference.
pub(crate) fn agreement() -> Vec<String> {
    let line = |(point, got): &(Row, f64)| {
        let of = |key: &str| point[key].as_str();
        let sides = of("shape").trim_matches(['[', ']']).replace(", ", "x");
        let vcs = if of("vcs") == "1" { String::new() } else { format!(", {} virtual channels", of("vcs")) };
        let other = if of("model") == "ideal" { "CAMINOS" } else { "BookSim 2" };
        let pattern = if of("pattern") == "uniform" { String::new() } else { format!(", {}", of("pattern")) };
        let at = if of("rate") == "1.0" { "full load".to_owned() } else { format!("rate {}", of("rate")) };
        let what = match of("measure") {
            "makespan" => "burst: makespan".to_owned(),
            measure => format!("{at}: {}", measure.replace('_', " ")),
        };
        let want = value(point, "want");
        let digits = if got.abs() < 1.0 {
            4
        } else if of("measure") == "makespan" {
            0
        } else {
            2
        };
        format!(
            "| {sides} {}{vcs} | {} flits{pattern} | {what} | {other}: {} | {got:.digits$} | {:+.1} % |\n",
            of("network"),
            of("flits"),
            of("want"),
            100.0 * (got / want - 1.0),
        )
    };
    MEASURED.iter().map(line).collect()
}
