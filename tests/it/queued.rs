//! What head flits wait for at their own injection channel is told apart from what they wait for in the network.

use crate::cli::{Bench, csv_rows};
use flitwise::output::{Summaries, table};
use flitwise::run::run;
use flitwise::scenario::{Options, Scenario};
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

/// A contention-free tree whose senders' wires take two ticks for a flit that their processors are done with after one.
const SLOW_WIRE: &str = r#"
name = "slow-wire"
repetitions = 2
network.mesh.shape = [6, 6]
channel.flit_time = 2
node = { send_setup = 20, send_per_flit = 1, receive_setup = 35, receive_per_flit = 3 }
workload.multicast = { algorithms = ["opt-mesh"], flits = 64, group = 16 }
sweep = { engine = { kind = ["worm", "flit"] } }
"#;

type Line = BTreeMap<String, String>;

fn number(line: &Line, column: &str) -> u64 {
    line[column].parse().unwrap()
}

fn file(bench: &Bench, name: &str) -> Vec<Line> {
    csv_rows(&fs::read_to_string(bench.path("results/slow-wire").join(name)).unwrap())
}

#[test]
fn a_wire_slower_than_the_processor_queues_and_does_not_block() {
    let bench = Bench::new(SLOW_WIRE);
    bench.ok(&["run", "s.toml", "--messages", "--quiet"]);
    let rows = file(&bench, "rows.csv");
    let messages = file(&bench, "messages.csv");
    assert_eq!(rows.iter().map(|row| row["engine"].as_str()).collect::<Vec<_>>(), ["worm", "worm", "flit", "flit"]);
    assert_eq!(messages.len(), 4 * 15);
    for (row, messages) in rows.iter().zip(messages.chunks(15)) {
        assert!(number(row, "queued_messages") > 0 && number(row, "queued_time") > 0, "{row:?}");
        assert_eq!(number(row, "blocked_headers"), number(row, "queued_messages"), "{row:?}");
        assert_eq!(number(row, "blocked_time"), number(row, "queued_time"), "{row:?}");
        let waits: Vec<u64> = messages.iter().map(|message| number(message, "queued")).collect();
        assert_eq!(number(row, "queued_time"), waits.iter().sum::<u64>());
        assert_eq!(number(row, "queued_messages"), waits.iter().filter(|&&wait| wait > 0).count() as u64);
    }
    let means: Vec<_> = file(&bench, "summary.csv").into_iter().map(|line| line["queued_time_mean"].clone()).collect();
    assert!(means.len() == 2 && means[0] == means[1], "the engines agree: {means:?}");
}

/// The titles of the table at most `width` columns wide, its first line of numbers, and what stands below it.
fn shown(width: Option<u16>) -> (Vec<String>, Vec<String>, String) {
    let scenario = Scenario::parse("s.toml", SLOW_WIRE, Path::new(""), &Options::default()).unwrap();
    let mut summaries = Summaries::new(&scenario);
    run(&scenario, NonZeroUsize::MIN, false, |row| {
        summaries.add(&row);
        Ok::<(), ()>(())
    })
    .unwrap();
    let text = table(&scenario, &summaries.finish(), width);
    let cells = |line: usize| text.lines().nth(line).unwrap().split("  ").map(str::trim).map(str::to_owned);
    let cells = |line: usize| cells(line).filter(|cell| !cell.is_empty()).collect();
    (cells(1), cells(3), text)
}

#[test]
fn the_table_shows_what_is_queued_beside_what_is_blocked() {
    let (titles, cells, text) = shown(None);
    let at = titles.iter().position(|title| title == "blocked").unwrap();
    assert_eq!(titles[at + 1], "queued", "{text}");
    assert!(cells[at] == "0" && cells[at + 1] != "0", "{text}");
    assert!(text.contains("ejection channels. queued: waits for injection channels.\n"), "{text}");
    let whole = u16::try_from(text.lines().nth(1).unwrap().chars().count()).unwrap();
    let (narrow, _, text) = shown(Some(whole - 1));
    assert_eq!(narrow, titles.into_iter().filter(|title| title != "queued").collect::<Vec<_>>(), "{text}");
    let said = text.replace('\n', " ");
    assert!(said.contains("head flits for links or ejection channels. 1 column is hidden"), "{text}");
    let dropped = format!(
        "1 column is hidden at {} characters per line: queued. A wider terminal or summary.csv shows it.",
        whole - 1
    );
    assert!(said.contains(&dropped), "{text}");
}

#[test]
fn messages_that_only_queue_do_not_contend() {
    let bench = Bench::new(SLOW_WIRE);
    let in_one_line = |said: String| said.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = in_one_line(bench.ok(&["check", "s.toml"]));
    let finding = "no contention in the network: in 2 repetitions, head flits wait only for the injection channels of their nodes (20 times)";
    assert_eq!(said.matches(finding).count(), 1, "{said}");
    let said = in_one_line(bench.ok(&["check", "s.toml", "--set", "node.send_per_flit=2"]));
    assert_eq!(said.matches("no contention: no head flit waits in 2 repetitions").count(), 1, "{said}");
    let said = in_one_line(bench.ok(&["check", "s.toml", "--set", "workload.multicast.algorithms=[\"opt-tree\"]"]));
    assert!(
        said.contains(" for injection channels; first wait in repetition ") && said.contains("; granted at "),
        "{said}"
    );
}

/// Its packets wait at their sources before they are in the network, and nothing of it counts blocked head flits.
#[test]
fn traffic_has_no_such_columns() {
    let bench = Bench::new(
        "name = \"t\"\nnetwork.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\n\
         workload.traffic = { pattern = \"uniform\", rate = 0.05, packet_flits = 4, warmup = 0, measure = 500 }\n",
    );
    bench.ok(&["run", "s.toml", "--messages", "--quiet"]);
    for name in ["rows.csv", "summary.csv", "messages.csv"] {
        let text = fs::read_to_string(bench.path("results/t").join(name)).unwrap();
        assert!(text.lines().count() > 1 && !text.contains("queued"), "{name}");
    }
}
