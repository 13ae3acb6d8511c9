//! `include`: what other files say, below what a scenario says itself.

use crate::cli::{Bench, csv_rows};
use std::fs;

const SCENARIO: &str = "name = \"i\"\ninclude = \"machine.toml\"\n[workload.multicast]\nalgorithms = [\"opt-tree\"]\nflits = 8\ngroup = 8\n";
const MACHINE: &str = "tick = \"1ns\"\n[network.torus]\nshape = [4, 4]\n[node]\nsend_setup = 20\nreceive_setup = 35\n";

fn bench(scenario: &str, files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(scenario);
    for (name, text) in files {
        let path = bench.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    bench
}

fn measured(bench: &Bench, arguments: &[&str]) -> String {
    bench.ok(&[&["run", "s.toml", "--quiet", "--force"], arguments].concat());
    csv_rows(&fs::read_to_string(bench.path("results/i/rows.csv")).unwrap())[0]["measured"].clone()
}

fn manifest(bench: &Bench) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(bench.path("results/i/manifest.json")).unwrap()).unwrap()
}

#[test]
fn an_included_machine_is_as_if_it_stood_there() {
    let included = bench(SCENARIO, &[("machine.toml", MACHINE)]);
    let whole = bench(
        &format!("{MACHINE}{}", SCENARIO.replace("include = \"machine.toml\"\n", ""))
            .replacen("tick", "name = \"i\"\ntick", 1)
            .replacen("name = \"i\"\n[workload", "[workload", 1),
        &[],
    );
    assert_eq!(measured(&included, &[]), measured(&whole, &[]));
    let (included, whole) = (manifest(&included), manifest(&whole));
    assert_eq!(included["resolved"], whole["resolved"]);
    assert!(included["included"]["machine.toml"].is_string() && whole.get("included").is_none());
}

#[test]
fn the_nearer_word_wins() {
    let bench = bench(SCENARIO, &[("machine.toml", MACHINE)]);
    let base: u64 = measured(&bench, &[]).parse().unwrap();
    let set: u64 = measured(&bench, &["-s", "node.send_setup=40"]).parse().unwrap();
    assert!(set > base);
    // key by key: the other costs of nodes stay
    fs::write(bench.path("s.toml"), format!("{SCENARIO}[node]\nsend_setup = 40\n")).unwrap();
    assert_eq!(measured(&bench, &[]), set.to_string());
    assert_eq!(measured(&bench, &["-s", "node.send_setup=20"]), base.to_string());
    // of the networks there is one
    fs::write(bench.path("s.toml"), format!("{SCENARIO}[network.mesh]\nshape = [2, 8]\n")).unwrap();
    measured(&bench, &[]);
    assert_eq!(manifest(&bench)["scenario"]["network"], serde_json::json!({ "mesh": { "shape": [2, 8] } }));
    // what is not there cannot be taken away, what is can
    fs::write(bench.path("s.toml"), SCENARIO).unwrap();
    measured(&bench, &["--unset", "network.torus", "-s", "network.bmin={ radix = 4, levels = 2 }"]);
    assert!(bench.fails(2, &["run", "s.toml", "--unset", "channel"]).contains("does not set `channel`"));
}

#[test]
fn files_of_a_list_are_joined_and_may_include_others() {
    let scenario = SCENARIO.replace("\"machine.toml\"", "[\"machines/a.toml\", \"machines/b.toml\"]");
    let bench = bench(
        &scenario,
        &[
            ("machines/a.toml", &format!("{MACHINE}[sweep]\nseed = [1, 2]\n")),
            ("machines/b.toml", "include = \"deeper/c.toml\"\nnode.send_setup = 30\n"),
            ("machines/deeper/c.toml", "node.send_setup = 1\nnode.receive_setup = 2\n"),
        ],
    );
    measured(&bench, &[]);
    let told = manifest(&bench);
    assert_eq!(told["resolved"]["node"]["send_setup"], 30);
    assert_eq!(told["resolved"]["node"]["receive_setup"], 2);
    assert_eq!(told["points"], 2);
    assert_eq!(told["included"].as_object().unwrap().len(), 3);
    // a key that is given nearer is not swept farther away
    measured(&bench, &["-s", "seed=5"]);
    assert_eq!(manifest(&bench)["points"], 1);
}

#[test]
fn files_that_an_included_file_names_are_beside_it() {
    let scenario = "name = \"i\"\ninclude = \"grids/g.toml\"\n[workload.broadcast]\nalgorithms = [\"ecef\"]\n";
    let grid = [("grids/g.toml", "[network.grid]\nactual = \"g.csv\"\n"), ("grids/g.csv", "0,5,5\n5,0,5\n5,5,0\n")];
    measured(&bench(scenario, &grid), &[]);
}

#[test]
fn faults_point_into_the_included_file() {
    for (machine, said) in [
        ("[node]\nsend_setup = \"x\"\n", "--> machine.toml:2:14"),
        ("[node\n", "--> machine.toml:1:6"),
        ("[node]\nsend_step = 4\n", "unknown key `send_step` in [node]"),
        ("include = \"s.toml\"\n", "cannot include `s.toml`: it includes itself"),
        ("include = \"machine.toml\"\n", "cannot include `machine.toml`: it includes itself"),
        ("include = 5\n", "`include` must be a string or an array of strings, not an integer"),
        ("\u{feff}[node]\nsend_setup = -1\n", "--> machine.toml:2:14"),
        ("include = \"gone.toml\"\n", "cannot include `gone.toml`: No such file"),
    ] {
        let bench = bench(SCENARIO, &[("machine.toml", machine)]);
        let error = bench.fails(2, &["check", "s.toml"]);
        assert!(error.contains(said) && error.contains("machine.toml"), "{machine}: {error}");
    }
}

/// Each of forty files included the next one twice: it would have read a million million files.
#[test]
fn files_that_include_the_next_one_twice_have_an_end() {
    let name = |at: usize| format!("m{at}.toml");
    let text = |at: usize| format!("include = [\"{next}\", \"{next}\"]\n", next = name(at + 1));
    let files: Vec<(String, String)> = (0..40).map(|at| (name(at), text(at))).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("m40.toml", MACHINE));
    files.push(("machine.toml", "include = \"m0.toml\"\n"));
    let error = bench(SCENARIO, &files).fails(2, &["check", "s.toml"]);
    assert!(error.contains("1000 files have already been included") && error.contains("1 error"), "{error}");
}

#[test]
fn a_changed_machine_is_another_run() {
    let bench = bench(SCENARIO, &[("machine.toml", MACHINE)]);
    bench.ok(&["run", "s.toml", "-q"]);
    fs::write(bench.path("machine.toml"), MACHINE.replace("= 20", "= 21")).unwrap();
    let error = bench.fails(2, &["run", "s.toml", "-q", "--resume"]);
    assert!(error.contains("`node.send_setup` was 20 and is now 21"), "{error}");
}

#[test]
fn a_fitted_machine_is_included_as_it_is() {
    let scenario = "name = \"i\"\ninclude = \"machine.toml\"\n[network.torus]\nshape = [4, 4]\n\
                    [workload.multicast]\nalgorithms = [\"opt-tree\"]\nflits = 1024\ngroup = 8\n";
    let bench = bench(scenario, &[]);
    for (from, to) in [("fit/osu_latency_v5.txt", "latency.txt"), ("fit/osu_bw_v5.txt", "bandwidth.txt")] {
        fs::copy(crate::support::data_path(from), bench.path(to)).unwrap();
    }
    for model in ["loggops", "logp", "parameterised"] {
        let machine = bench.ok(&["fit", "latency.txt", "bandwidth.txt", "--model", model]);
        fs::write(bench.path("machine.toml"), machine).unwrap();
        measured(&bench, &[]);
        assert!(manifest(&bench)["scenario"]["model"][model].is_object(), "{model}");
    }
    fs::write(bench.path("machine.toml"), bench.ok(&["fit", "latency.txt", "bandwidth.txt"])).unwrap();
    assert!(bench.fails(2, &["check", "s.toml"]).contains("more than one table [model.*]"));
    assert!(bench.fails(2, &["fit", "bandwidth.txt", "--model", "logp"]).contains("a model requires t_end"));
}
