//! Collectives in routers: their times and counts against an independent program, their invariants, and errors.

use crate::cli::{Bench, csv_rows};
use crate::support::data;
use flitwise::kind::{Keep, Row, RowId};
use flitwise::scenario::{Options, Scenario};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/in-network");

/// The scenario of a case of the reference.
fn scenario(case: &Value) -> Scenario {
    let mut text = "name = \"t\"\n".to_owned();
    let mut table = |name: &str, keys: &Value| {
        writeln!(text, "[{name}]").unwrap();
        for (key, value) in keys.as_object().unwrap() {
            writeln!(text, "{key} = {value}").unwrap();
        }
    };
    for (name, keys) in case["network"].as_object().unwrap() {
        table(name, keys);
    }
    table("channel", &case["channel"]);
    table("router", &case["router"]);
    let mut keys = json!({ "algorithms": ["in-network"] });
    for key in ["operation", "nodes", "root", "segment_flits"] {
        keys[key] = case[key].clone();
    }
    if case["operation"] != "barrier" {
        keys["flits"] = case["flits"].clone();
    }
    table("workload.collective", &keys);
    Scenario::parse("t.toml", &text, Path::new(DATA), &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The only row of a scenario, with its messages.
fn run(scenario: &Scenario) -> Row {
    let id = RowId { point: 0, algorithm: 0, repetition: 0 };
    scenario.points[0].experiment.run(id, Keep { messages: true, ..Keep::default() }).unwrap()
}

fn row(text: &str) -> Row {
    run(&text.parse().unwrap())
}

fn last_deliveries(row: &Row) -> BTreeMap<String, u64> {
    let mut last = BTreeMap::new();
    for detail in &row.details {
        let delivered = last.entry(detail.outcome.dst.to_string()).or_insert(0);
        *delivered = detail.outcome.delivered.0.max(*delivered);
    }
    last
}

#[test]
fn times_and_counts_are_those_of_the_reference() {
    let cases: Vec<Value> = data("in-network/collective.json");
    for case in &cases {
        let row = run(&scenario(case));
        for column in ["measured", "packets", "link_flits", "forks", "joins"] {
            assert_eq!(row.value(column), case[column].as_u64(), "{column} of {case}");
        }
        let expected: BTreeMap<String, u64> = serde_json::from_value(case["delivered"].clone()).unwrap();
        assert_eq!(last_deliveries(&row), expected, "{case}");
        assert!(row.value("bound") <= row.value("measured"), "{case}");
        if case["segment_flits"] == 0 {
            assert_eq!(row.value("predicted"), row.value("measured"), "{case}");
        }
    }
    assert_eq!(cases.len(), 40);
}

/// A mesh, a node with overheads, and a collective with more `keys`.
fn text(model: &str, operation: &str, keys: &str) -> String {
    format!(
        "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nbuffer = 8\n[router]\nmodel = \"{model}\"\n\
         [node]\nsend_setup = 20\nsend_per_flit = 1\nreceive_setup = 9\nreceive_per_flit = 2\n\
         [workload.collective]\noperation = \"{operation}\"\nalgorithms = [\"in-network\"]\n{keys}"
    )
}

/// A source pays its overhead for each packet, and only destinations have overheads of receipts.
#[test]
fn nodes_pay_for_packets_and_routers_combine() {
    for model in ["ideal", "pipelined"] {
        let reduce = row(&text(model, "reduce", "flits = 10\nroot = 5\n"));
        let [links, joins] = [4, 4];
        let network = if model == "ideal" { links + 10 + 1 + joins } else { 5 + 3 * links + joins + 9 };
        assert_eq!(reduce.value("measured"), Some(20 + 10 + network + 9 + 20), "{model}");
        assert_eq!(reduce.value("predicted"), reduce.value("measured"), "{model}");
        assert_eq!(["startups", "bound_flits"].map(|column| reduce.value(column)), [Some(1), Some(10)]);
    }
}

#[test]
fn segments_leave_each_port_in_turn_and_add_no_flits_to_links() {
    let uncut = row(&text("pipelined", "allreduce", "flits = 64\nroot = 5\n"));
    let mut last = u64::MAX;
    for ports in [1, 2, 4] {
        let keys = "flits = 64\nroot = 5\nsegment_flits = 8\n";
        let scenario =
            text("pipelined", "allreduce", keys).replace("send_setup", &format!("ports = {ports}\nsend_setup"));
        let cut = row(&scenario.replace("receive_setup = 9", "receive_setup = 9\nhold_setup = 40"));
        assert_eq!(cut.value("link_flits"), uncut.value("link_flits"));
        assert_eq!(cut.value("packets"), Some(8 * 16));
        let measured = cut.value("measured").unwrap();
        assert!(measured < last, "{ports} ports take {measured}, fewer take {last}");
        last = measured;
    }
}

#[test]
fn a_broadcast_in_routers_is_a_multicast_to_all() {
    for model in ["ideal", "pipelined"] {
        let broadcast = row(&text(model, "broadcast", "flits = 12\nroot = 6\n"));
        let nodes: Vec<u32> = [6].into_iter().chain((0..16).filter(|&node| node != 6)).collect();
        let workload = format!("[workload.multicast]\nalgorithms = [\"router-tree\"]\nflits = 12\nnodes = {nodes:?}\n");
        let machine = text(model, "broadcast", "");
        let machine = machine.split("[workload").next().unwrap();
        let multicast = row(&format!("{machine}{workload}"));
        let columns = ["measured", "predicted", "packets", "link_flits", "forks", "joins"];
        assert_eq!(columns.map(|column| broadcast.value(column)), columns.map(|column| multicast.value(column)));
        assert_eq!(last_deliveries(&broadcast), last_deliveries(&multicast));
    }
}

#[test]
fn schedules_list_the_trees_of_segments_and_have_no_operations_of_ranks() {
    let bench = Bench::new(&text("ideal", "allreduce", "flits = 6\nnodes = [0, 1, 5]\nroot = 1\nsegment_flits = 3\n"));
    let rows = csv_rows(&bench.ok(&["schedule", "s.toml", "--format", "trees"]));
    let count = |tree: &str, kind: &str| rows.iter().filter(|row| row["tree"] == tree && row["kind"] == kind).count();
    assert_eq!(["0", "1"].map(|tree| ["injection", "link", "ejection"].map(|kind| count(tree, kind))), [[3, 4, 3]; 2]);
    let messages = csv_rows(&bench.ok(&["schedule", "s.toml", "--format", "csv"]));
    let ends: Vec<[&str; 3]> = messages.iter().map(|row| ["src", "dst", "blocks"].map(|key| &*row[key])).collect();
    let expected = [
        ["0", "0", "0-2"],
        ["1", "1", "0-2"],
        ["5", "5", "0-2"],
        ["0", "0", "3-5"],
        ["1", "1", "3-5"],
        ["5", "5", "3-5"],
    ];
    assert_eq!(ends, expected);
    for format in ["goal", "holdings"] {
        let code = if format == "goal" { 2 } else { 1 };
        let error = bench.fails(code, &["schedule", "s.toml", "--format", format]);
        assert!(error.contains("combine"), "{error}");
    }
    let svg = bench.ok(&["schedule", "s.toml", "--format", "svg", "--diagram", "paths"]);
    assert!(svg.contains("</svg>"));
}

#[test]
fn operations_and_machines_that_do_not_fit_are_refused() {
    let mesh = "[network.mesh]\nshape = [4, 4]\n";
    let collective = |machine: &str, keys: &str| {
        format!("name = \"t\"\n{machine}[workload.collective]\nalgorithms = [\"in-network\"]\n{keys}")
    };
    let reduce = "operation = \"reduce\"\nflits = 8\n";
    let one_way = "[network.torus]\nshape = [3, 3]\ndirections = \"one-way\"\n[channel]\nvirtual_channels = 2\n";
    let cases = [
        (
            collective(mesh, "operation = \"allgather\"\nflits = 8\n"),
            &["allgather", "broadcast, reduce, allreduce"][..],
        ),
        (
            collective("[model.loggops]\nL = 1\no = 1\ng = 1\nG = 1\n", &format!("{reduce}nodes = [0, 1]\n")),
            &["[network.*]"],
        ),
        (collective(one_way, "operation = \"allreduce\"\nflits = 8\n"), &["allreduce", "both", "(0,"]),
        (collective(&format!("{mesh}[engine]\nkind = \"flit\"\n"), reduce), &["flit", "`router`"]),
        (
            collective(
                &format!("{mesh}[router]\nmodel = \"pipelined\"\nswitching = \"virtual-cut-through\"\n"),
                reduce,
            ),
            &["default options", "the switching"],
        ),
        (collective("[network.dragonfly]\np = 2\na = 4\nh = 2\n", reduce), &["paths to a root", "fat-tree"]),
    ];
    for (text, says) in cases {
        let error = Bench::new(&text).fails(2, &["run", "s.toml"]);
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(error.contains("`in-network`"), "{error}");
        assert!(says.iter().all(|says| error.contains(says)), "{says:?}: {error}");
    }
}

#[test]
fn one_rank_sends_nothing() {
    for operation in ["broadcast", "reduce", "allreduce", "barrier"] {
        let flits = if operation == "barrier" { "" } else { "flits = 8\n" };
        let row = row(&text("pipelined", operation, &format!("{flits}nodes = [3]\n")));
        assert_eq!((row.messages, row.value("measured"), row.value("packets")), (0, Some(0), Some(0)), "{operation}");
    }
}

/// The root of an all-reduce is read by one algorithm only.
#[test]
fn the_root_of_an_all_reduce_needs_the_algorithm_that_reads_it() {
    let scenario = text("ideal", "allreduce", "flits = 8\nroot = 5\n").replace("in-network", "ring");
    let error = Bench::new(&scenario).fails(2, &["run", "s.toml"]);
    assert!(error.contains("`root` has no effect") && error.contains("`in-network`"), "{error}");
}
