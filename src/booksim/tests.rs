//! Configurations and the scenarios and errors that follow from them.

use super::{Conversion, Input, Refused, convert};
use crate::scenario::Scenario;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/booksim")
}

fn file(text: &str) -> Input {
    Input::File { path: "f.cfg".into(), text: text.to_owned() }
}

/// A mesh with these assignments.
fn mesh(assignments: &str) -> Result<Conversion, Refused> {
    convert(&[file("topology = mesh; k = 4; routing_function = dor;"), file(assignments)], 0)
}

/// The lines of a scenario that a mesh with other values does not have.
fn lines(assignments: &str) -> Vec<String> {
    let conversion = mesh(assignments).unwrap_or_else(|refused| panic!("{assignments}: {refused}"));
    let plain = mesh("").unwrap().scenario;
    let plain: Vec<&str> = plain.lines().collect();
    conversion.scenario.lines().filter(|line| !plain.contains(line)).map(str::to_owned).collect()
}

/// The errors of a mesh with these assignments.
fn problems(assignments: &str) -> Vec<String> {
    mesh(assignments).unwrap_err().0.iter().map(ToString::to_string).collect()
}

#[test]
fn configurations_become_the_expected_scenarios() {
    let mut compared = 0;
    for entry in fs::read_dir(data().join("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cfg") {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            let conversion = convert(&[Input::File { path: name.into(), text }], 0).unwrap();
            let expected = fs::read_to_string(path.with_extension("toml")).unwrap();
            assert_eq!(conversion.scenario, expected, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 8);
}

#[test]
fn refused_lines_are_reported_with_their_reasons() {
    let cases = fs::read_to_string(data().join("refused.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    assert!(cases.len() > 40);
    for case in cases {
        let text = case["text"].as_str().unwrap();
        let arguments: Vec<&str> = case["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let overrides = arguments.iter().enumerate();
        let overrides = overrides.map(|(index, text)| Input::Override { number: index + 2, text: (*text).to_owned() });
        let inputs: Vec<Input> = std::iter::once(file(text)).chain(overrides).collect();
        let shown = match convert(&inputs, 0) {
            Ok(conversion) if case["exit"] == 0 => conversion.notes.iter().map(|note| format!("{note}\n")).collect(),
            Err(Refused(problems)) if case["exit"] == 2 => {
                problems.iter().map(|problem| format!("{problem}\n")).collect()
            }
            other => panic!("{text} {arguments:?}: {other:?}"),
        };
        let shown: String = shown;
        for word in case["words"].as_array().unwrap().iter().filter_map(Value::as_str) {
            assert!(shown.to_lowercase().contains(&word.to_lowercase()), "{text} {arguments:?}: no {word} in {shown}");
        }
    }
}

#[test]
fn scenarios_of_known_keys_are_valid() {
    let text = "topology = torus; k = 4; routing_function = dim_order; num_vcs = 2; routing_delay = 0; speculative = 1;\n\
                vc_allocator = separable_input_first; sw_allocator = separable_input_first; packet_size = 4;\n\
                injection_rate = 0.02; wait_for_tail_credit = 1;";
    let conversion = convert(&[file(text)], 0).unwrap();
    let scenario: Scenario = conversion.scenario.parse().unwrap();
    assert_eq!((scenario.name.as_str(), scenario.points.len()), ("f", 1));
    assert_eq!(conversion.report.cycles, Some(10_000));
}

#[test]
fn values_of_routers_become_keys() {
    for (assignments, expected) in [
        ("speculative = 1;", &[][..]),
        (
            "num_vcs = 4; vc_buf_size = 2; routing_delay = 2;",
            &["virtual_channels = 4", "buffer = 2", "routing_delay = 2", "batched_stages = true"],
        ),
        ("buf_size = 64;", &["buffer = 4"]),
        (
            "buffer_policy = shared; buf_size = 40; private_buf_size = 2;",
            &["buffer_policy = \"shared\"", "shared_buffer = 40", "reserved = 2"],
        ),
        (
            "buffer_policy = limited; max_held_slots = 5;",
            &["buffer_policy = \"limited\"", "shared_buffer = 128", "held_limit = 5"],
        ),
        (
            "vc_allocator = islip(2); sw_allocator = separable_output_first(tree(5,matrix));",
            &[
                "vc_iterations = 2",
                "switch_allocator = \"separable-output-first\"",
                "switch_arbiter = \"matrix\"",
                "switch_arbiter_groups = 5",
            ],
        ),
        (
            "st_prepare_delay = 1; credit_delay = 3;",
            &["traversal_cycles = 2", "credit_cycles = 3", "batched_stages = true"],
        ),
        (
            "input_speedup = 2; output_speedup = 3; internal_speedup = 1.5; output_buffer_size = 4;",
            &["input_speedup = 2", "output_speedup = 3", "internal_speedup = 1.5", "output_queue = 4"],
        ),
        (
            "priority = hop_count; vc_priority_donation = 1; subnets = 2;",
            &["priority_donation = true", "priority = \"hops\"", "networks = 2"],
        ),
    ] {
        let mut found = lines(assignments);
        found.retain(|line| !line.starts_with('#'));
        assert_eq!(found, expected, "{assignments}");
    }
}

#[test]
fn speculation_becomes_checks_and_allocators() {
    let speculative = |assignments: &str| {
        let text = mesh(&format!("speculative = 1; {assignments}")).unwrap().scenario;
        let keys = text.lines().filter(|line| line.starts_with("spec")).map(str::to_owned);
        keys.collect::<Vec<String>>()
    };
    assert_eq!(speculative("spec_check_cred = 0;"), ["speculation_checks = \"free\""]);
    assert_eq!(speculative("spec_check_cred = 0; spec_check_elig = 0;"), ["speculation_checks = \"none\""]);
    assert_eq!(speculative("spec_check_elig = 0;"), ["speculative = false"]);
    let allocator = ["speculation_allocator = \"rr-wavefront\"", "speculation_mask = \"requests\""];
    assert_eq!(speculative("spec_sw_allocator = rr_wavefront; spec_mask_by_reqs = 1;"), allocator);
}

#[test]
fn patterns_and_processes_become_keys() {
    for (assignments, expected) in [
        ("traffic = badperm_yarc;", &["pattern = \"bad-yarc\""][..]),
        (
            "traffic = hotspot({{0,15},{3,1}}); injection_rate = 0.01;",
            &[
                "pattern = \"hotspot\"",
                "hotspots = [0, 15]",
                "hotspot_fraction = 1.0",
                "hotspot_weights = [3, 1]",
                "rate = 0.01",
            ],
        ),
        ("traffic = hotspot({7,5});", &["pattern = \"hotspot\"", "hotspots = [7]", "hotspot_fraction = 1.0"]),
        ("traffic = background({{3,0,3}});", &["pattern = \"background\"", "excluded = [0, 3]"]),
        (
            "packet_size = {{1,5}}; packet_size_rate = {{3,1}};",
            &["rate = 0.2", "packet_flits = [1, 5]", "packet_weights = [3, 1]"],
        ),
        ("packet_size = {{1,5}}; injection_rate_uses_flits = 1;", &["packet_flits = [1, 5]"]),
        (
            "injection_process = on_off({0.02,0.1}); injection_rate = 0.01;",
            &["rate = 0.01", "injection = \"on-off\"", "alpha = 0.02", "beta = 0.1"],
        ),
        (
            "sample_period = 500; warmup_periods = 0; max_samples = 5; sim_type = throughput;",
            &["warmup = 1500", "measure = 1000", "drain = 0"],
        ),
        ("seed = -1; sim_count = 3;", &["seed = 4294967295", "repetitions = 3"]),
    ] {
        let mut found = lines(assignments);
        found.retain(|line| !line.starts_with('#'));
        assert_eq!(found, expected, "{assignments}");
    }
}

#[test]
fn all_errors_of_all_parts_are_reported_together() {
    assert_eq!(
        problems("num_vcs = 0;\ntraffic = hotspot({{16}});\npriority = oldest; max_samples = 3;\nxr = 0;"),
        [
            "max_samples = 3: 3 periods of warm-up leave none for the measurement; accepted: an integer from 4",
            "num_vcs = 0: out of range; accepted: an integer from 1 to 4096",
            "priority = oldest: BookSim 2 has no such priority; accepted: none, class, age, network_age, local_age, \
             queue_length, hop_count, sequence",
            "traffic = hotspot({{16}}): its first argument lists nodes; accepted: nodes from 0 to 15",
        ]
        .map(|problem| {
            let line = match problem.split(' ').next() {
                Some("num_vcs") => 1,
                Some("traffic") => 2,
                _ => 3,
            };
            format!("f.cfg:{line}: {problem}")
        })
    );
}

#[test]
fn values_without_a_counterpart_are_refused() {
    for (assignments, words) in [
        ("routing_function = xy_yx; n = 3;", "n = 2"),
        ("topology = torus; routing_function = dim_order; num_vcs = 1;", "2 or more"),
        ("topology = cmesh; routing_function = dor_no_express; xr = 2; yr = 2;", "c = 1 (default)"),
        ("topology = flatfly; routing_function = ran_min; c = 4; xr = 2; yr = 2;", "x, y and k must be equal"),
        ("topology = dragonflynew; routing_function = ugal; n = 1; k = 2;", "num_vcs = 16 (default)"),
        ("topology = anynet; routing_function = min;", "network_file"),
        ("classes = 2; sim_type = batch;", "classes = 2"),
        ("classes = 2; use_read_write = 1;", "use_read_write = 1"),
        ("use_read_write = 1; num_vcs = 8;", "read_reply_end_vc = 13 (default)"),
        ("injection_process = on_off({0.5,0.5,0.5});", "must be negative"),
        ("injection_process = on_off({0.1,0.9}); injection_rate = 0.5;", "r1 = 5.0000"),
        ("traffic = tornado({8});", "tornado({4,2,1})"),
        ("traffic = bad_dragon;", "dragonflynew"),
        (
            "topology = anynet; routing_function = min; network_file = x; traffic = tornado;",
            "does not fit topology = anynet",
        ),
        ("spec_sw_allocator = islip(2); speculative = 1;", "those of sw_allocator"),
        ("buffer_policy = shared; buf_size = 8;", "too few"),
        ("output_buffer_size = 0;", "no flit could leave"),
    ] {
        let shown = problems(assignments).join("\n");
        assert!(shown.contains(words), "{assignments}: {shown}");
    }
}

#[test]
fn reads_and_writes_are_four_classes_on_one_queue() {
    let text = mesh("use_read_write = 1; read_reply_size = 5; write_request_size = 5; write_fraction = 0.25;").unwrap();
    let names: Vec<&str> = text.scenario.lines().filter(|line| line.starts_with("name = ")).skip(1).collect();
    let expected = ["read-request", "read-reply", "write-request", "write-reply"];
    assert_eq!(names, expected.map(|name| format!("name = \"{name}\"")));
    let rates: Vec<&str> = text.scenario.lines().filter(|line| line.starts_with("rate = ")).collect();
    // 0.1 requests a cycle, of 1 flit and of 5 flits
    assert_eq!(rates, ["rate = 0.075", "rate = 0.125"]);
    assert_eq!(text.scenario.matches("queue = \"q\"").count(), 4);
    let writes = mesh("use_read_write = 1; write_fraction = 1;").unwrap().scenario;
    assert!(!writes.contains("read-request") && writes.contains("write-reply"));
}

#[test]
fn network_files_are_relative_to_the_configuration() {
    let text = "topology = anynet; routing_function = min; network_file = a/net.txt; use_noc_latency = 0;";
    let conversion = convert(&[file(text)], 0).unwrap();
    let network = conversion.network_file.unwrap();
    assert_eq!((network.name.as_str(), network.location.unwrap().to_string()), ("a/net.txt", "f.cfg:1".to_owned()));
    assert!(conversion.scenario.contains("[network.graph]\nfile = \"a/net.txt\"\nformat = \"anynet\"\n"));
}

#[test]
fn the_time_can_be_the_seed() {
    let text = "topology = mesh; routing_function = dor; seed = time;";
    assert!(convert(&[file(text)], 1234).unwrap().scenario.contains("seed = 1234\n"));
}

#[test]
fn arguments_are_files_and_overrides_in_order() {
    let arguments = ["a.cfg", "k=4", "b.cfg"].map(str::to_owned);
    let inputs = Input::from_arguments(&arguments, |path| Ok::<_, ()>(format!("text of {path}"))).unwrap();
    assert_eq!(
        inputs,
        [
            Input::File { path: "a.cfg".into(), text: "text of a.cfg".to_owned() },
            Input::Override { number: 2, text: "k=4".to_owned() },
            Input::File { path: "b.cfg".into(), text: "text of b.cfg".to_owned() },
        ]
    );
    assert_eq!(Input::from_arguments(&arguments, |_| Err::<String, _>("missing")), Err("missing"));
}
