//! Classes of packets, physical networks, replies, and nodes that take in a limited number of requests.

use crate::cli::{Bench, csv_rows};
use std::collections::BTreeMap;
use std::fs;

type Row = BTreeMap<String, String>;

/// A scenario of a 4x4 mesh with keys of `[router]` and `[workload.traffic]`, and tables of classes.
fn scenario(vcs: u32, router: &str, traffic: &str, classes: &[&str]) -> String {
    let classes: String = classes.iter().map(|keys| format!("[[workload.traffic.class]]\n{keys}\n")).collect();
    format!(
        "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nbuffer = 4\nvirtual_channels = {vcs}\n[router]\n\
         model = \"pipelined\"\n{router}\n[workload.traffic]\npattern = \"uniform\"\npacket_flits = 4\nwarmup = 1000\n\
         measure = 6000\n{traffic}\n{classes}"
    )
}

/// The lines of classes.csv by class.
fn classes(scenario: &str) -> BTreeMap<String, Row> {
    let bench = Bench::new(scenario);
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/t/classes.csv")).unwrap());
    rows.into_iter().map(|row| (row["class"].clone(), row)).collect()
}

fn value(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap()
}

const REQUEST: &str = "name = \"request\"\nrate = 0.1\nreply = \"answer\"";
const ANSWER: &str = "name = \"answer\"";

#[test]
fn classes_on_networks_of_their_own_do_not_meet() {
    let keys = |network: &str, rate: f64| {
        [
            format!("name = \"a\"\nrate = 0.2\nvcs = [0, 0]\n{}", network.replace('N', "0")),
            format!(
                "name = \"b\"\nrate = {rate}\npattern = \"transpose\"\nvcs = [1, 1]\n{}",
                network.replace('N', "1")
            ),
        ]
    };
    let run = |networks: u32, keys: [String; 2]| {
        classes(&scenario(2, &format!("networks = {networks}"), "", &keys.each_ref().map(String::as_str)))
    };
    let apart = run(2, keys("network = N", 0.2));
    let alone = run(2, keys("network = N", 0.001));
    let shared = run(1, keys("", 0.2));
    let latency = |rows: &BTreeMap<String, Row>| value(&rows["a"], "latency");
    assert_eq!(apart["a"], alone["a"], "class b does not exist for class a");
    assert!(latency(&shared) > 1.03 * latency(&apart), "{} and {}", latency(&shared), latency(&apart));
}

#[test]
fn a_class_of_higher_priority_takes_less_time() {
    let run = |priority: u32| {
        let a = "name = \"a\"\nrate = 0.2\npriority = 5";
        classes(&scenario(
            2,
            "priority = \"class\"",
            "",
            &[a, &format!("name = \"b\"\nrate = 0.2\npriority = {priority}")],
        ))
    };
    let [first, equal] = [0, 5].map(run);
    assert!(value(&first["a"], "latency") < 0.97 * value(&first["b"], "latency"), "{first:?}");
    let ratio = value(&equal["a"], "latency") / value(&equal["b"], "latency");
    assert!((ratio - 1.0).abs() < 0.05, "{equal:?}");
}

#[test]
fn every_request_is_answered() {
    for limit in ["", "reply_queue = 1"] {
        let request = format!("{REQUEST}\nvcs = [0, 0]");
        let answer = format!("{ANSWER}\nvcs = [1, 1]\npacket_flits = 2");
        let rows = classes(&scenario(2, "", limit, &[&request, &answer]));
        let [request, answer] = [&rows["request"], &rows["answer"]];
        assert_eq!((request["undelivered"].as_str(), answer["undelivered"].as_str()), ("0", "0"), "{limit}");
        let ratio = value(answer, "accepted") / value(request, "accepted");
        assert!((ratio - 0.5).abs() < 0.02, "{limit}: {rows:?}");
        assert!(value(request, "messages") > 2000.0);
    }
}

/// Requests that wait for a node which waits for its answers to leave, on the VCs that requests hold.
#[test]
fn packets_that_wait_for_nodes_deadlock() {
    let keys = "name = \"request\"\nrate = 0.9\nreply = \"answer\"\nvcs = [0, 0]";
    let answer = format!("{ANSWER}\nvcs = [0, 0]");
    let text =
        scenario(1, "allow_deadlock = true", "reply_queue = 1", &[keys, &answer]).replace("buffer = 4", "buffer = 1");
    let bench = Bench::new(&text);
    let error = bench.fails(1, &["run", "s.toml", "--quiet"]);
    assert!(error.to_lowercase().contains("deadlock"), "{error}");
}

#[test]
fn classes_that_do_not_fit_are_refused() {
    let cases: [(&[&str], &str); 7] = [
        (&["name = \"a\"\nrate = 0.1\nreply = \"b\""], "there is no class `b`"),
        (&["name = \"a\"\nrate = 0.1\nvcs = [0, 2]"], "`vcs` = [0, 2]"),
        (&["name = \"a\"\nrate = 0.1\nnetwork = 1"], "`router.networks` = 1"),
        (&["name = \"a\""], "it has no `rate`"),
        (&["name = \"a\"\nrate = 0.1\nreply = \"b\"", "name = \"b\"\nreply = \"a\""], "would be answered without end"),
        (&["name = \"a\"\nrate = 0.1", "name = \"a\"\nrate = 0.1"], "two classes have the `name` a"),
        (&["name = \"\"\nrate = 0.1"], "the `name` of a class is empty"),
    ];
    for (keys, message) in cases {
        let bench = Bench::new(&scenario(2, "", "", keys));
        let error = bench.fails(2, &["run", "s.toml"]);
        assert!(error.contains(message), "{keys:?}: {error}");
    }
}
