//! Open-loop traffic from scenario to files: what is offered is what was asked for, packets go where their pattern says,
//! links carry what packets bring, engines agree, and what can deadlock is refused, or runs and says who waits for whom.

use crate::cli::{Bench, csv_rows};
use std::collections::BTreeMap;
use std::fs;

type Row = BTreeMap<String, String>;

/// What a run of a scenario called `t` wrote.
struct Run(Bench);

impl Run {
    fn of(scenario: &str, arguments: &[&str]) -> Self {
        let bench = Bench::new(&format!("name = \"t\"\n{scenario}"));
        bench.ok(&[&["run", "s.toml", "--quiet"], arguments].concat());
        Self(bench)
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.0.path("results/t").join(file)).unwrap()
    }

    fn rows(&self, file: &str) -> Vec<Row> {
        csv_rows(&self.text(file))
    }
}

fn value(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap()
}

fn near(got: f64, wanted: f64, tolerance: f64) -> bool {
    (got / wanted - 1.0).abs() <= tolerance
}

const MESH: &str = "[network.mesh]\nshape = [8, 8]\n[channel]\nbuffer = 8\n";

#[test]
fn both_wormhole_engines_give_the_same_rows() {
    let text = |engine: &str| {
        let run = Run::of(
            &format!(
                "{MESH}[engine]\nkind = \"{engine}\"\n[workload.traffic]\npattern = \"uniform\"\npacket_flits = 8\n\
                 long_flits = 20\nlong_fraction = 0.1\nrate = 0.1\nwarmup = 200\nmeasure = 800\n\
                 [sweep]\n\"workload.traffic.rate\" = [0.02, 0.1, 0.5]\n\"network.mesh.shape\" = [[8, 8], [3, 5]]\n"
            ),
            &["--messages"],
        );
        assert!(run.rows("rows.csv").iter().all(|row| row["engine"] == engine));
        let rows = run.text("rows.csv").replace(&format!(",{engine}\n"), "\n");
        (rows, run.text("links.csv"), run.text("messages.csv"))
    };
    let worm = text("worm");
    assert_eq!(worm.0.lines().count(), 7);
    assert!(worm == text("flit"));
}

#[test]
fn links_carry_what_packets_bring() {
    for router in ["model = \"ideal\"", "model = \"ideal\"\natomic = false", "model = \"pipelined\""] {
        for (network, lanes) in [("mesh", 1), ("torus", 4)] {
            let run = Run::of(
                &format!(
                    "[network.{network}]\nshape = [4, 8]\n[channel]\nvirtual_channels = {lanes}\nbuffer = 3\n\
                     [router]\n{router}\n[workload.traffic]\nmode = \"burst\"\npattern = \"uniform\"\n\
                     packet_flits = 5\nlong_flits = 11\nlong_fraction = 0.4\n"
                ),
                &["--messages"],
            );
            let number = |row: &Row, column: &str| row[column].parse::<u64>().unwrap();
            let (messages, links) = (run.rows("messages.csv"), run.rows("links.csv"));
            assert_eq!(messages.len(), 32);
            let lengths: Vec<&str> = messages.iter().map(|row| row["flits"].as_str()).collect();
            assert!(lengths.contains(&"5") && lengths.contains(&"11"), "{lengths:?}");
            let brought: u64 = messages.iter().map(|row| number(row, "flits") * number(row, "hops")).sum();
            let carried: u64 = links.iter().map(|row| number(row, "flits")).sum();
            assert_eq!(carried, brought, "{router} {network}");
            // the cycle in which the last flit arrives is counted
            let last = messages.iter().map(|row| number(row, "delivered")).max().unwrap();
            let row = &run.rows("rows.csv")[0];
            assert_eq!(number(row, "makespan"), last + 1, "{row:?}");
        }
    }
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let texts = |jobs: &str| {
        let run = Run::of(
            &format!(
                "repetitions = 3\n{MESH}virtual_channels = 2\n[router]\nmodel = \"pipelined\"\n\
                 [workload.traffic]\npattern = \"permutation\"\npacket_flits = 4\nrate = 0.1\nwarmup = 200\n\
                 measure = 500\n[sweep]\n\"router.routing\" = [\"dimension-order\", \"adaptive\", \"o1turn\", \"valiant\"]\n"
            ),
            &["--messages", "--jobs", jobs],
        );
        ["rows.csv", "summary.csv", "links.csv", "messages.csv"].map(|file| run.text(file))
    };
    let one = texts("1");
    assert_eq!(one[0].lines().count(), 13);
    assert!(one == texts("4"));
}

#[test]
fn the_rate_is_kept_whatever_makes_it() {
    let run = |keys: &str| {
        let run = Run::of(
            &format!(
                "{MESH}virtual_channels = 4\n[router]\nmodel = \"pipelined\"\n[workload.traffic]\npattern = \"uniform\"\n\
                 rate = 0.15\nwarmup = 1000\nmeasure = 10000\n{keys}"
            ),
            &["--messages"],
        );
        let row = run.rows("rows.csv").remove(0);
        for column in ["offered", "accepted"] {
            assert!(near(value(&row, column), 0.15, 0.04), "{column} {}: {keys}", row[column]);
        }
        (value(&row, "latency"), run.rows("messages.csv"))
    };
    let (steady, _) = run("packet_flits = 4\n");
    let (bursty, _) = run("packet_flits = 4\ninjection = \"on-off\"\nalpha = 0.01\nbeta = 0.03\n");
    assert!(bursty > steady * 1.05, "bursts queue: {bursty} and {steady}");
    let (_, messages) = run("packet_flits = 2\nlong_flits = 10\nlong_fraction = 0.25\n");
    let long = messages.iter().filter(|row| row["flits"] == "10").count();
    assert!(messages.iter().all(|row| ["2", "10"].contains(&row["flits"].as_str())));
    assert!(near(long as f64 / messages.len() as f64, 0.25, 0.04), "{long} of {} are long", messages.len());
}

/// Packets by destination, and of each source, on a 4x4 mesh.
fn destinations(pattern: &str, files: &[(&str, &str)]) -> (Vec<Row>, BTreeMap<String, f64>) {
    let bench = Bench::new(&format!(
        "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nbuffer = 4\n[router]\nmodel = \"pipelined\"\n\
         [workload.traffic]\nrate = 0.05\nwarmup = 0\nmeasure = 10000\n{pattern}"
    ));
    for (name, text) in files {
        fs::write(bench.path(name), text).unwrap();
    }
    bench.ok(&["run", "s.toml", "--quiet", "--messages"]);
    let messages = Run(bench).rows("messages.csv");
    let mut shares = BTreeMap::new();
    for row in &messages {
        *shares.entry(row["dst"].clone()).or_default() += 1.0 / messages.len() as f64;
    }
    (messages, shares)
}

#[test]
fn packets_go_where_their_pattern_says() {
    let (_, shares) = destinations("pattern = \"hotspot\"\nhotspots = [5, 10]\nhotspot_fraction = 0.4\n", &[]);
    for (node, share) in &shares {
        let expected = if ["5", "10"].contains(&node.as_str()) { 0.2 + 0.6 / 16.0 } else { 0.6 / 16.0 };
        assert!(near(*share, expected, 0.12), "{node}: {share} for {expected}");
    }
    assert_eq!(shares.len(), 16);

    // node 3 sends to 8 three times as often as to 9, node 12 as much to itself as 3 in all; no other node sends
    let weight = |src, dst| match (src, dst) {
        (3, 8) => "3",
        (3, 9) => "1",
        (12, 12) => " 4.0",
        _ => "0",
    };
    let line = |src| (0..16).map(|dst| weight(src, dst)).collect::<Vec<_>>().join(",");
    let csv = (0..16).map(line).collect::<Vec<_>>().join("\n");
    let (messages, shares) = destinations("pattern = \"matrix\"\nmatrix = \"w.csv\"\n", &[("w.csv", &csv)]);
    assert!(near(messages.len() as f64, 0.05 * 16.0 * 10_000.0, 0.06), "{}", messages.len());
    let from: Vec<(&str, &str)> = messages.iter().map(|row| (row["src"].as_str(), row["dst"].as_str())).collect();
    assert!(from.iter().all(|pair| [("3", "8"), ("3", "9"), ("12", "12")].contains(pair)));
    for (node, expected) in [("8", 0.375), ("9", 0.125), ("12", 0.5)] {
        assert!(near(shares[node], expected, 0.06), "{shares:?}");
    }
}

#[test]
fn saturation_is_where_others_found_it() {
    let run = Run::of(
        &format!(
            "{MESH}[router]\nmodel = \"pipelined\"\n[workload.traffic]\nmode = \"saturation\"\npattern = \"uniform\"\n\
             packet_flits = 8\nwarmup = 1000\nmeasure = 3000\n"
        ),
        &[],
    );
    let row = &run.rows("rows.csv")[0];
    assert!(near(value(row, "saturation"), 0.285, 0.05), "{}", row["saturation"]);
    assert!(near(value(row, "accepted"), value(row, "saturation"), 0.05), "{}", row["accepted"]);
    assert_eq!(row["undelivered"], "0");
    assert!(value(row, "latency") <= 3.0 * value(row, "unloaded"));
}

/// A ring so small that a message shows all buffers of a cycle, the injecting ones too: twelve.
fn ring(vcs: u32, router: &str) -> String {
    format!(
        "name = \"t\"\n[network.torus]\nshape = [6]\n[channel]\nvirtual_channels = {vcs}\nbuffer = 2\n\
         [router]\nmodel = \"pipelined\"\n{router}[workload.traffic]\npattern = \"uniform\"\npacket_flits = 8\n\
         rate = 0.9\nwarmup = 1000\nmeasure = 2000\n"
    )
}

#[test]
fn a_ring_without_a_dateline_is_refused_or_deadlocks_and_says_where() {
    let refused = Bench::new(&ring(1, "")).fails(2, &["run", "s.toml"]);
    assert!(refused.contains("can deadlock with fewer than 2 virtual channels, and links have 1"), "{refused}");
    let bench = Bench::new(&ring(1, "allow_deadlock = true\n"));
    let checked = bench.ok(&["check", "s.toml"]);
    assert!(checked.contains("can deadlock") && checked.contains("(0)->(1), (1)->(2)"), "{checked}");
    let deadlocked = bench.fails(1, &["run", "s.toml", "--quiet"]);
    assert!(deadlocked.contains("deadlock: the packets at the front of"), "{deadlocked}");
    // the cycle goes round the whole ring, one way or the other
    for node in 0..6 {
        let next = (node + 1) % 6;
        let [up, down] = [format!("the buffer of ({node})->({next})"), format!("the buffer of ({next})->({node})")];
        assert!(deadlocked.contains(&up) || deadlocked.contains(&down), "{deadlocked}");
    }
    assert!(!bench.path("results/t/rows.csv").exists());
}

#[test]
fn a_ring_with_a_dateline_is_proved_and_runs() {
    let bench = Bench::new(&ring(2, ""));
    let checked = bench.ok(&["check", "s.toml"]);
    assert!(checked.contains("proved") && checked.contains("deadlock-free"), "{checked}");
    bench.ok(&["run", "s.toml", "--quiet"]);
    let row = &csv_rows(&fs::read_to_string(bench.path("results/t/rows.csv")).unwrap())[0];
    assert!(value(row, "accepted") > 0.2 && value(row, "undelivered") > 0.0, "{row:?}");
}

/// Two nodes a router: each sends to the one that has its place on the next router of every dimension.
#[test]
fn neighbours_are_those_of_routers() {
    for network in ["hyperx = { shape = [2, 3], concentration = 2 }", "mesh = { shape = [2, 3], concentration = 2 }"] {
        let run = Run::of(
            &format!(
                "network.{network}\nworkload.traffic = {{ mode = \"burst\", pattern = \"neighbor\", packet_flits = 4 }}\n"
            ),
            &["--messages"],
        );
        let number = |row: &Row, column: &str| row[column].parse::<u64>().unwrap();
        for row in run.rows("messages.csv") {
            let router = number(&row, "src") / 2;
            let next = (router / 3 + 1) % 2 * 3 + (router % 3 + 1) % 3;
            assert_eq!(number(&row, "dst"), 2 * next + number(&row, "src") % 2, "{network}: {row:?}");
        }
    }
}

/// Flits that a slow link has held behind their head flit come up while that is routed: a packet alone takes what it is said to
/// take in an empty network.
#[test]
fn a_packet_alone_takes_no_less_than_unloaded_where_a_slow_link_comes_first() {
    let dragonfly = "[network.dragonfly]\np = 1\na = 2\nh = 1\ngroups = 2\nglobal_flit_time = 3\n\
                     [channel]\nbuffer = 4\nrouting_delay = 1\n[router]\nmodel = \"ideal\"\nrouting = \"minimal\"\n\
                     [engine]\nkind = \"router\"\n[workload.traffic]\npattern = \"bit-complement\"\nrate = 0.001\n\
                     packet_flits = 4\nwarmup = 0\nmeasure = 20000\n";
    let row = &Run::of(dragonfly, &[]).rows("rows.csv")[0];
    assert_eq!(row["latency"], row["unloaded"], "{row:?}");
}
