//! Virtual-channel routers on any network against worked-out and published runs: messages to the cycle, BookSim 2's bursts
//! exactly and its loads within tolerances, and which channels depend on each other where packets draw or choose.
//!
//! Source: hand cases and closed forms of zero load; a prototype that equals BookSim 2 in bursts; BookSim 2 at commit 28f4329,
//! the mean of three seeds. Each row of `loads.csv` says its tolerance.

use crate::cli::{Bench, csv_rows};
use crate::support::data_path;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

fn cases(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(data_path(&format!("networks/{name}"))).unwrap();
    serde_json::from_str::<Vec<Value>>(&text).unwrap()
}

/// A value as TOML: a table in one line.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The network of a case, with its router.
fn network(case: &Value) -> String {
    let mut text = String::new();
    for (key, value) in case["network"].as_object().unwrap() {
        writeln!(text, "{key} = {}", toml(value)).unwrap();
    }
    if let Some(router) = case.get("router") {
        writeln!(text, "router = {}", toml(router)).unwrap();
    }
    text
}

/// A scenario beside the graph that its network names, if it is one.
fn bench(case: &Value, scenario: &str) -> Bench {
    let bench = Bench::new(&format!("name = \"t\"\n{scenario}"));
    if let Some(graph) = case["network"].get("network.graph") {
        let name = graph["file"].as_str().unwrap();
        fs::copy(data_path(&format!("networks/files/{name}")), bench.path(name)).unwrap();
    }
    bench
}

/// When each message is injected and delivered.
type Times = BTreeMap<u64, (u64, u64)>;

fn measured(case: &Value) -> Times {
    let channel = toml(&case["channel"]);
    let bench = bench(case, &format!("{}channel = {channel}\nworkload.trace.file = \"m.csv\"\n", network(case)));
    let mut trace = "id,src,dst,flits,start\n".to_owned();
    for message in case["messages"].as_array().unwrap() {
        let fields: Vec<String> = message.as_array().unwrap()[..5].iter().map(Value::to_string).collect();
        writeln!(trace, "{}", fields.join(",")).unwrap();
    }
    fs::write(bench.path("m.csv"), trace).unwrap();
    bench.ok(&["run", "s.toml", "--quiet", "--messages"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/t/messages.csv")).unwrap());
    let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<u64>().unwrap();
    rows.iter().map(|row| (number(row, "id"), (number(row, "injected"), number(row, "delivered")))).collect()
}

fn expected(case: &Value) -> Times {
    let messages = case["messages"].as_array().unwrap().iter();
    messages
        .map(|message| {
            let number = |at: usize| message[at].as_u64().unwrap();
            (number(0), (number(5), number(6)))
        })
        .collect()
}

/// First, mean and last delivery.
fn deliveries(times: &Times) -> (u64, f64, u64) {
    let all = times.values().map(|(_, delivered)| *delivered);
    let sum: u64 = all.clone().sum();
    (all.clone().min().unwrap(), sum as f64 / times.len() as f64, all.max().unwrap())
}

#[test]
fn messages_take_as_long_as_worked_out_and_published() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for case in cases("closed.json") {
        let kind = case["kind"].as_str().unwrap().to_owned();
        let what = format!("{kind} {}", case["network"]);
        let ours = measured(&case);
        let theirs = expected(&case);
        let (first, mean, last) = deliveries(&ours);
        let (their_first, their_mean, their_last) = deliveries(&theirs);
        match kind.as_str() {
            "zero-load" | "hand" => assert_eq!(ours, theirs, "{what}"),
            "burst" => assert_eq!((first, mean, last), (their_first, their_mean, their_last), "{what}"),
            _ => {
                assert_eq!(ours.len(), theirs.len(), "{what}");
                assert!((mean / their_mean - 1.0).abs() <= 0.01, "{what}: mean {mean} for {their_mean}");
                assert!((last as f64 / their_last as f64 - 1.0).abs() <= 0.03, "{what}: last {last} for {their_last}");
            }
        }
        *seen.entry(kind).or_default() += 1;
    }
    let seen: Vec<(&str, u32)> = seen.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(seen, [("burst", 29), ("contended", 13), ("hand", 15), ("zero-load", 11)]);
}

/// Latency at 30 % and 60 % of saturation, what is accepted when all nodes send all the time, and links taken.
#[test]
fn loads_are_those_of_booksim() {
    let rows = csv_rows(&fs::read_to_string(data_path("networks/loads.csv")).unwrap());
    assert_eq!(rows.len(), 56);
    for row in rows {
        let part = |column: &str| serde_json::from_str::<Value>(&row[column]).unwrap();
        let mut case = json!({ "network": part("network"), "router": part("router") });
        case["router"]["model"] = "pipelined".into();
        let adversarial = row["pattern"] == "next-group";
        let pattern = if adversarial {
            "pattern = \"matrix\"\nmatrix = \"m.csv\"".to_owned()
        } else {
            format!("pattern = \"{}\"\ninclude_self = true", row["pattern"])
        };
        let bench = bench(
            &case,
            &format!(
                "{}[channel]\nbuffer = {}\nvirtual_channels = {}\n[workload.traffic]\n\
                 {pattern}\npacket_flits = {}\nrate = {}\nwarmup = 5000\nmeasure = 15000\n",
                network(&case),
                row["buffer"],
                row["vcs"],
                row["flits"],
                row["rate"]
            ),
        );
        if adversarial {
            fs::write(bench.path("m.csv"), to_the_next_group(72, 8)).unwrap();
        }
        bench.ok(&["run", "s.toml", "--quiet"]);
        let ours = csv_rows(&fs::read_to_string(bench.path("results/t/rows.csv")).unwrap());
        let number = |text: &str| text.parse::<f64>().unwrap();
        let (value, want) = (number(&ours[0][&row["measure"]]), number(&row["want"]));
        let what = format!("{} {} at {}: {value} for {want}", row["case"], row["measure"], row["rate"]);
        assert!((value / want - 1.0).abs() <= number(&row["tolerance"]), "{what}");
    }
}

/// Weights of traffic from each group of so many nodes to anywhere in the next one.
fn to_the_next_group(nodes: usize, group: usize) -> String {
    let groups = nodes / group;
    let weight = |src: usize, dst: usize| u32::from(dst / group == (src / group + 1) % groups);
    let line = |src: usize| (0..nodes).map(|dst| weight(src, dst).to_string()).collect::<Vec<_>>().join(",") + "\n";
    (0..nodes).map(line).collect()
}

/// Enough classes leave no cycle, and fewer leave one; of as many virtual channels and dependencies as worked out.
#[test]
fn routings_that_draw_or_choose_depend_on_as_much_as_worked_out() {
    for case in cases("verdicts-choosing.json") {
        let vcs = &case["virtual_channels"];
        let bench = bench(&case, &format!("{}channel.virtual_channels = {vcs}\n", network(&case)));
        let arguments = ["check", "s.toml", "--certificate", "c.txt"];
        let verdict = case["verdict"].as_str().unwrap();
        if verdict == "free" {
            bench.ok(&arguments);
        } else {
            bench.fails(1, &arguments);
        }
        let text = fs::read_to_string(bench.path("c.txt")).unwrap();
        let lines = |word: &str| text.lines().filter(|line| line.split(' ').next() == Some(word)).count() as u64;
        assert!(text.contains(&format!("verdict {verdict}\n")), "{case}");
        assert_eq!(Some(lines("vc")), case["lanes"].as_u64(), "{case}");
        assert_eq!(Some(lines("turn")), case["dependencies"].as_u64(), "{case}");
    }
}

/// Traffic from each group to the next alone has one link of many on minimal paths.
#[test]
fn detours_carry_more_of_adversarial_traffic_and_adaptive_ones_no_less_of_any() {
    let accepted = |routing: &str, vcs: u32, pattern: &str| {
        let bench = Bench::new(&format!(
            "name = \"t\"\nnetwork.dragonfly = {{ p = 2, a = 4, h = 2 }}\n[channel]\nbuffer = 16\nvirtual_channels = {vcs}\n\
             [router]\nmodel = \"pipelined\"\nrouting = \"{routing}\"\n[workload.traffic]\n{pattern}\npacket_flits = 4\nrate = 0.4\n\
             warmup = 2000\nmeasure = 4000\n"
        ));
        fs::write(bench.path("m.csv"), to_the_next_group(72, 8)).unwrap();
        bench.ok(&["run", "s.toml", "--quiet"]);
        let rows = csv_rows(&fs::read_to_string(bench.path("results/t/rows.csv")).unwrap());
        rows[0]["accepted"].parse::<f64>().unwrap()
    };
    let adversarial = "pattern = \"matrix\"\nmatrix = \"m.csv\"";
    let minimal = accepted("minimal", 3, adversarial);
    let valiant = accepted("valiant", 3, adversarial);
    let ugal = accepted("ugal", 3, adversarial);
    assert!(minimal < 0.13, "a link of eight nodes carries at most an eighth of what they send: {minimal}");
    assert!(valiant > 2.0 * minimal && ugal > 2.0 * minimal, "{minimal} {valiant} {ugal}");
    let [minimal, valiant, ugal] =
        ["minimal", "valiant", "ugal"].map(|routing| accepted(routing, 3, "pattern = \"uniform\""));
    assert!(ugal > 0.95 * minimal && valiant < minimal, "{minimal} {valiant} {ugal}");
}
