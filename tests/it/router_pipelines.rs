//! Pipelines of routers, to the cycle: the arrival of single packets between two nodes, from BookSim 2 (commit 28f4329) for credits,
//! short buffers, batches and speedups, and by the formula of an empty network for stages of several cycles.

use crate::cli::{Bench, csv_rows};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::fs;

/// A TOML table `name` with `values`.
fn table(name: &str, values: &Map<String, Value>) -> String {
    let mut text = format!("[{name}]\n");
    for (key, value) in values {
        writeln!(text, "{key} = {value}").unwrap();
    }
    text
}

/// The scenario of `case`, and the lines of its messages.
fn scenario(case: &Value) -> (String, String) {
    let object = |value: &Value| value.as_object().unwrap().clone();
    let mut text = "name = \"t\"\n".to_owned();
    for (name, values) in object(&case["network"]) {
        text += &table(&name, &object(&values));
    }
    text += &table("channel", &object(&case["channel"]));
    let mut router = object(&case["router"]);
    router.insert("model".to_owned(), "pipelined".into());
    text += &table("router", &router);
    text += "[workload.trace]\nfile = \"m.csv\"\n";
    let mut messages = "id,src,dst,flits,start\n".to_owned();
    for message in case["messages"].as_array().unwrap() {
        let fields: Vec<String> = message.as_array().unwrap()[..5].iter().map(Value::to_string).collect();
        writeln!(messages, "{}", fields.join(",")).unwrap();
    }
    (text, messages)
}

#[test]
fn packets_arrive_in_the_cycle_that_another_simulator_or_the_formula_says() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../data/routers/closed.json")).unwrap();
    assert!(cases.len() > 50);
    for case in &cases {
        let (text, messages) = scenario(case);
        let bench = Bench::new(&text);
        fs::write(bench.path("m.csv"), messages).unwrap();
        bench.ok(&["run", "s.toml", "--messages", "--quiet"]);
        let rows = csv_rows(&fs::read_to_string(bench.path("results/t/messages.csv")).unwrap());
        for message in case["messages"].as_array().unwrap() {
            let id = message[0].to_string();
            let row = rows.iter().find(|row| row["id"] == id).unwrap();
            assert_eq!(row["delivered"], message[5].to_string(), "{}", case["note"]);
        }
    }
}
