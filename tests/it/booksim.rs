//! `flitwise booksim`: configurations that are printed as scenarios, run, and refused.

use crate::cli::Bench;
use crate::support::data_path;
use serde_json::Value;
use std::fs;

/// A directory with a small mesh in `mesh.cfg`.
fn mesh() -> Bench {
    let bench = Bench::new("");
    fs::copy(data_path("booksim/small.cfg"), bench.path("mesh.cfg")).unwrap();
    bench
}

fn json(bench: &Bench, arguments: &[&str]) -> Value {
    let printed = bench.ok(&[&["booksim", "mesh.cfg", "--json"], arguments].concat());
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn the_printed_scenario_gives_the_same_results() {
    let bench = mesh();
    let found = json(&bench, &["seed=3"]);
    let scenario = bench.ok(&["booksim", "mesh.cfg", "seed=3", "--scenario"]);
    assert!(scenario.starts_with("# BookSim 2: mesh.cfg seed=3\nname = \"mesh\"\nseed = 3\n"), "{scenario}");
    fs::write(bench.path("m.toml"), scenario).unwrap();
    let run = bench.ok(&["run", "m.toml", "--json"]);
    let run: Value = serde_json::from_str(&run).unwrap();
    let class = &found["classes"][0];
    let columns = &run["summary"][0];
    assert_eq!(class["packet_latency"], columns["latency"]["mean"]);
    assert_eq!(class["accepted_flit_rate"], columns["accepted"]["mean"]);
    let hops = class["hops"].as_f64().unwrap() - columns["hops"]["mean"].as_f64().unwrap();
    assert!((hops - 1.0).abs() < 1e-9, "{hops}");
    assert_eq!((&found["stable"], &found["cycles"], &found["batch_time"]), (&true.into(), &1500.into(), &Value::Null));
}

#[test]
fn the_table_is_followed_by_the_lines_of_booksim() {
    let bench = mesh();
    let printed = bench.ok(&["booksim", "mesh.cfg", "sim_count=2"]);
    for line in ["mesh: 4x4 mesh", "====== Traffic class 0 ======\n", "Packet latency average = ", " (2 samples)\n"] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(!printed.contains("unstable"), "{printed}");
    assert!(!bench.path("results").exists(), "files are written with --out only");
    assert_eq!(bench.ok(&["booksim", "mesh.cfg", "--quiet"]), "");
}

#[test]
fn latency_above_the_threshold_is_unstable() {
    let bench = mesh();
    let printed = bench.ok(&["booksim", "mesh.cfg", "latency_thres=5"]);
    assert!(printed.contains("unstable: the mean latency of class 0, "), "{printed}");
    assert_eq!(json(&bench, &["latency_thres=5"])["stable"], false);
    assert_eq!(json(&bench, &["latency_thres=5", "sim_type=throughput"])["stable"], true);
}

#[test]
fn files_are_written_and_reused_on_request() {
    let bench = mesh();
    let first = bench.ok(&["booksim", "mesh.cfg", "--out", "results"]);
    assert!(first.contains("Written to results/mesh: rows.csv, summary.csv"), "{first}");
    let rows = fs::read_to_string(bench.path("results/mesh/rows.csv")).unwrap();
    let in_memory = bench.ok(&["booksim", "mesh.cfg"]);
    let [first, in_memory] = [first, in_memory].map(|text| text.lines().filter(|l| !l.starts_with("Written")).count());
    assert_eq!(first, in_memory);
    bench.ok(&["booksim", "mesh.cfg", "--out", "results"]);
    assert_eq!(fs::read_to_string(bench.path("results/mesh/rows.csv")).unwrap(), rows);
    bench.ok(&["booksim", "mesh.cfg", "seed=9", "--out", "results"]);
    assert_ne!(fs::read_to_string(bench.path("results/mesh/rows.csv")).unwrap(), rows);
    assert!(bench.path("results/mesh.previous").exists(), "results of another scenario are moved aside");
    assert!(bench.ok(&["show", "results/mesh"]).contains("4x4 mesh"));
}

#[test]
fn notes_state_the_key_and_the_line_once() {
    let bench = mesh();
    let output = bench.command(&["booksim", "mesh.cfg", "--scenario"]).output().unwrap();
    let notes = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        notes,
        "note: mesh.cfg:16: stopping_thres = 0.01 has no effect: flitwise measures all periods and does not stop early\n"
    );
    let notes = json(&bench, &["vct=1"])["notes"].as_array().unwrap().len();
    assert_eq!(notes, 2);
}

#[test]
fn errors_state_the_line_or_the_argument() {
    let bench = mesh();
    let shown = bench.fails(2, &["booksim", "mesh.cfg", "foo=1", "noq=1"]);
    assert!(shown.contains("argument 2: foo = 1: ") && shown.contains("argument 3: noq = 1: "), "{shown}");
    assert!(shown.contains("2 errors"), "{shown}");
    assert!(bench.fails(2, &["booksim", "k=4"]).contains("needs a configuration file"));
    assert!(bench.fails(3, &["booksim", "none.cfg"]).contains("none.cfg"));
}

#[test]
fn network_files_are_relative_to_the_configuration() {
    let bench = Bench::new("");
    fs::create_dir(bench.path("a")).unwrap();
    let network = "router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3\n";
    fs::write(bench.path("a/net.anynet"), network).unwrap();
    let mesh = fs::read_to_string(data_path("booksim/small.cfg")).unwrap();
    let anynet = "topology = anynet; routing_function = min; network_file = net.anynet;\n";
    fs::write(bench.path("a/any.cfg"), mesh + anynet).unwrap();
    let printed = bench.ok(&["booksim", "a/any.cfg"]);
    assert!(printed.contains("Hops average"), "{printed}");
}

#[test]
fn all_keys_are_listed() {
    let bench = Bench::new("");
    let list = bench.ok(&["list", "booksim-keys"]);
    let line = |key: &str| list.lines().find(|line| line.trim_start().starts_with(key)).unwrap().to_owned();
    for word in ["integer", "16", "mapped", "channel.virtual_channels"] {
        assert!(line("num_vcs").contains(word), "{word}: {list}");
    }
    assert!(line("noq").contains("refused") && line("vct").contains("without effect"));
    let json: Value = serde_json::from_str(&bench.ok(&["list", "booksim-keys", "--json"])).unwrap();
    let keys = json["booksim_keys"].as_array().unwrap();
    assert!(keys.iter().any(|key| key["name"] == "k" && key["default"] == "8" && key["fate"] == "mapped"));
}
