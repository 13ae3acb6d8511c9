//! Presets: machines that ship with the command, what they consist of, and how scenarios include them.

use crate::cli::Bench;
use flitwise::config::Preset;
use flitwise::machine::PRESETS;
use flitwise::scenario::{Options, Scenario};
use serde_json::Value;
use std::fs;

/// A scenario that includes `preset` below `table`.
fn scenario(preset: &str, table: &str, size: &str) -> String {
    format!(
        "name = \"p\"\ninclude = \"preset:{preset}\"\n{table}\n[workload.collective]\noperation = \"allreduce\"\n\
         algorithms = [\"ring\"]\n{size}\n"
    )
}

/// Keys that replace all values with units in `dgx-h100`.
const INTEGERS: &str = "tick = \"1ps\"\n[channel]\nflit_time = 569\nrouting_delay = 100_000\n\
                        [node]\nsend_setup = 250_000\nreceive_setup = 250_000\n";

/// The names at the beginnings of the lines of `list`.
fn listed(list: &str) -> Vec<&str> {
    list.lines().map(|line| line.strip_prefix("  ").unwrap().split("  ").next().unwrap()).collect()
}

#[test]
fn every_preset_is_listed_with_its_first_line() {
    let bench = Bench::new("");
    let list = bench.ok(&["list", "presets"]);
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    assert_eq!(listed(&list), names);
    assert!(names.len() >= 8 && names.is_sorted(), "{names:?}");
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-';
    assert!(names.iter().all(|name| name.chars().all(plain) && !name.starts_with(['.', '-'])), "{names:?}");
    let json: Value = serde_json::from_str(&bench.ok(&["list", "presets", "--json"])).unwrap();
    for (at, preset) in PRESETS.iter().enumerate() {
        assert_eq!(json["presets"][at]["name"], preset.name);
        assert_eq!(json["presets"][at]["summary"], preset.summary());
        assert!(list.contains(preset.summary()) && preset.text.starts_with("# "), "{}", preset.name);
    }
}

#[test]
fn show_prints_the_text_of_a_preset() {
    let bench = Bench::new("");
    for preset in &PRESETS {
        assert_eq!(bench.ok(&["show", &preset.title()]), preset.text);
    }
    let json: Value = serde_json::from_str(&bench.ok(&["show", "preset:dgx-h100", "--json"])).unwrap();
    assert_eq!(json["toml"], Preset::find(&PRESETS, "dgx-h100").unwrap().text);
    let error = bench.fails(2, &["show", "preset:dgx-h10"]);
    assert!(error.contains("there is no preset `dgx-h10`") && error.contains("tpu-v4-64"), "{error}");
    assert!(error.contains("did you mean `preset:dgx-h100`?"), "{error}");
}

#[test]
fn an_unknown_preset_is_an_error_that_lists_all() {
    let bench = Bench::new(&scenario("infiniband", "", "flits = 8"));
    let error = bench.fails(2, &["check", "s.toml"]);
    assert!(error.contains("there is no preset `infiniband`") && error.contains("s.toml:2:11"), "{error}");
    assert!(error.contains("did you mean `infiniband-ndr-128`?") && error.contains("`wormhole-b0`"), "{error}");
}

#[test]
fn every_number_has_a_source() {
    for preset in &PRESETS {
        let mut above = "";
        for line in preset.text.lines() {
            let (content, comment) = line.split_once('#').unwrap_or((line, ""));
            if content.contains('=') && content.contains(|c: char| c.is_ascii_digit()) {
                let source = if above.starts_with('#') { format!("{above} {comment}") } else { comment.to_owned() };
                let has_source = source.contains("published") || source.contains("assumed");
                assert!(has_source, "{}: {line}", preset.title());
            }
            above = line;
        }
    }
}

#[test]
fn presets_have_a_network_and_include_nothing() {
    for preset in &PRESETS {
        let table: toml::Table = preset.text.parse().unwrap();
        assert_eq!(table["network"].as_table().unwrap().len(), 1, "{}", preset.name);
        assert!(!table.contains_key("include") && !table.contains_key("workload"), "{}", preset.name);
        assert!(!table.contains_key("name") && preset.text.is_ascii(), "{}", preset.name);
        assert!(preset.text.lines().all(|line| line.chars().count() <= 140), "{}", preset.name);
    }
}

#[test]
fn keys_of_the_scenario_take_precedence() {
    let table = "network.mesh.shape = [2, 2]\nnode.send_setup = 7\nnode.receive_setup = 9";
    let bench = Bench::new(&scenario("wormhole-b0", table, "flits = 8"));
    let unset = ["--unset", "node.reduce_per_byte", "--unset", "device", "--out", "out"];
    bench.ok(&[&["run", "s.toml", "--quiet"], &unset[..]].concat());
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("out/p/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["scenario"]["network"], serde_json::json!({ "mesh": { "shape": [2, 2] } }));
    assert_eq!(manifest["resolved"]["node"]["send_setup"], 7);
    assert_eq!(manifest["scenario"]["tick"], "1ns");
    assert!(manifest["included"]["preset:wormhole-b0"].is_string(), "{}", manifest["included"]);
}

#[test]
fn a_list_mixes_presets_and_files() {
    let text = scenario("wormhole-b0", "", "flits = 8")
        .replace("\"preset:wormhole-b0\"", "[\"preset:wormhole-b0\", \"machines/mine.toml\"]");
    let bench = Bench::new(&text);
    fs::create_dir(bench.path("machines")).unwrap();
    let mine = "[network.mesh]\nshape = [2, 3]\n[node]\nsend_setup = 7\nreceive_setup = 9\n";
    fs::write(bench.path("machines/mine.toml"), mine).unwrap();
    let unset = ["--unset", "node.reduce_per_byte", "--unset", "device"];
    assert!(bench.ok(&[&["run", "s.toml"], &unset[..]].concat()).starts_with("p: 2x3 mesh"));
    // a file may include a preset, from whatever directory
    fs::write(bench.path("machines/mine.toml"), format!("include = \"preset:wormhole-b0\"\n{mine}")).unwrap();
    let text = text.replace("\"preset:wormhole-b0\", ", "");
    fs::write(bench.path("s.toml"), text).unwrap();
    assert!(bench.ok(&[&["run", "s.toml", "--force"], &unset[..]].concat()).starts_with("p: 2x3 mesh"));
}

/// Without a network a model leaves the costs of nodes unread, which the preset specifies.
#[test]
fn errors_in_a_preset_name_it() {
    let bench = Bench::new(
        "name = \"p\"\ninclude = \"preset:wormhole-b0\"\nmodel.logp = { L = 6, o = 2, g = 4 }\n\
         workload.multicast = { algorithms = [\"chain\"], flits = 8, group = 4 }\n",
    );
    let unset = ["--unset", "network.torus", "--unset", "device"];
    let error = bench.fails(2, &[&["check", "s.toml"], &unset[..]].concat());
    assert!(error.contains("--> preset:wormhole-b0:"), "{error}");
}

/// Every preset runs an all-reduce of all of its nodes.
#[test]
fn every_preset_runs_an_all_reduce() {
    for preset in &PRESETS {
        let text = scenario(preset.name, "", "bytes = \"64KiB\"");
        let bench = Bench::new(&text);
        let output = bench.call(&["run", "s.toml", "--out", "out"]);
        let warnings = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && !warnings.contains("warning"), "{}: {warnings}", preset.name);
        let scenario = Scenario::parse("s.toml", &text, std::path::Path::new("."), &Options::default()).unwrap();
        assert_eq!(scenario.points.len(), 1, "{}", preset.name);
    }
}

/// The preset with its times in ticks and its sizes in flits takes as long.
#[test]
fn units_of_a_preset_are_those_of_its_integers() {
    let measured = |text: &str| {
        let bench = Bench::new(text);
        bench.ok(&["run", "s.toml", "--quiet", "--out", "out"]);
        crate::cli::csv_rows(&fs::read_to_string(bench.path("out/p/rows.csv")).unwrap())[0]["measured"].clone()
    };
    let network = "[network.fat-tree]\nchildren = [8]\nparents = [1]\n";
    let integers = scenario("dgx-h100", "", "flits = 256")
        .replace("include = \"preset:dgx-h100\"\n", INTEGERS)
        .replace("[node]\n", &format!("{network}[node]\nreduce_per_flit = 256\n"));
    assert_eq!(measured(&scenario("dgx-h100", "", "bytes = \"64KiB\"")), measured(&integers));
    assert_eq!(measured(&integers), "8720222");
}

#[test]
fn presets_serve_workloads_that_do_not_read_all_of_them() {
    let bench = Bench::new(
        "name = \"m\"\ninclude = \"preset:dgx-h100\"\n[workload.multicast]\nalgorithms = [\"binomial\"]\nbytes = \"1MiB\"\n\
         group = 8\n",
    );
    bench.ok(&["check", "s.toml"]);
    let error = bench.fails(2, &["check", "s.toml", "--set", "node.reduce_setup=1us"]);
    assert!(error.contains("`node.reduce_setup` has no effect"), "{error}");
    let per_byte = bench.fails(2, &["check", "s.toml", "--set", "node.reduce_per_byte=1ps"]);
    assert!(per_byte.contains("`node.reduce_per_byte` has no effect"), "{per_byte}");
}
