//! The command on exchanges: what `run`, `check` and `schedule` print, write and refuse.

use crate::cli::{Bench, csv_rows};
use std::fs;

const EXCHANGE: &str = r#"
name = "exchange"

[network.torus]
shape = [8, 8]

[channel]
buffer = 2

[node]
send_setup = 100

[workload.exchange]
algorithms = ["double-hop", "direct"]
block_flits = 4
"#;

#[test]
fn rows_have_the_critical_path_and_the_engine_that_ran() {
    let bench = Bench::new(EXCHANGE);
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/exchange/rows.csv")).unwrap());
    let of = |column: &str| rows.iter().map(|row| row[column].as_str()).collect::<Vec<_>>();
    assert_eq!(of("algorithm"), ["double-hop", "direct"]);
    // double-hop: 8 start-ups, n^3/2 blocks, and no two messages of a step on one link
    assert_eq!((of("startups"), of("critical_blocks")), (vec!["8", "63"], vec!["256", "63"]));
    assert_eq!((of("engine"), of("blocked_headers")[0]), (vec!["worm", "flit"], "0"));
    assert_eq!((of("predicted")[0], of("measured")[0]), ("1846", "1846"));
    assert_eq!((of("paper_printed")[0], of("paper_corrected")[0]), ("1576", "1824"));
}

#[test]
fn what_is_not_simulated_is_counted_and_priced() {
    let bench = Bench::new(EXCHANGE);
    let table = bench.ok(&["run", "s.toml", "--set", "workload.exchange.simulate=false"]);
    assert!(table.contains("predicted") && !table.contains("measured"), "{table}");
    let rows = csv_rows(&fs::read_to_string(bench.path("results/exchange/rows.csv")).unwrap());
    // direct: 63 start-ups of 100, 63 blocks of 4 flits, 284 hops, and a flit time for each injection
    for (row, predicted) in rows.iter().zip(["1846", "6899"]) {
        assert_eq!((row["measured"].as_str(), row["engine"].as_str()), ("", ""));
        assert_eq!(row["predicted"], predicted);
    }
}

#[test]
fn a_deadlock_ends_a_run_with_code_1_and_no_table() {
    let bench = Bench::new(EXCHANGE);
    let error = bench.fails(1, &["run", "s.toml", "--set", "channel.virtual_channels=1"]);
    assert!(error.contains("error: deadlock: 64 messages wait forever"), "{error}");
    assert!(error.contains("waits for channel (0,7)->(0,0), held by message"), "{error}");
    assert!(error.contains("--> --set:1:") && error.contains("in the row of `direct`"), "{error}");
    assert!(error.contains("help: `-s channel.virtual_channels=2`"), "{error}");
    assert!(!bench.path("results/exchange/rows.csv").exists());
}

#[test]
fn a_deadlock_is_a_finding_of_check() {
    let bench = Bench::new(EXCHANGE);
    let found = bench.ok(&["check", "s.toml"]);
    for proof in ["every block (4032 in all) is delivered exactly once", "256 blocks and 14 hops", "no contention"] {
        let sentences = found.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(sentences.contains(proof), "{proof}: {found}");
    }
    assert!(found.contains("(0,1)->(0,2)") && !found.contains("deadlock:"), "{found}");
    let output = bench.call(&["check", "s.toml", "--set", "channel.virtual_channels=1"]);
    assert_eq!(output.status.code(), Some(1));
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(found.contains("with 1 virtual channel the channel dependency graph of step 1 has a cycle"), "{found}");
    assert!(found.contains("did not complete:\n    deadlock: 64 messages wait forever"), "{found}");
    assert!(found.lines().all(|line| line.chars().count() <= 100), "{found}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "error: 1 of 2 rows did not complete\n");
}

#[test]
fn schedules_are_printed_as_csv_holdings_and_dot() {
    let bench = Bench::new(EXCHANGE);
    let print = |format: &str| {
        let ring = ["--set", "network.torus.shape=[4]", "--set", "workload.exchange.algorithms=[\"double-hop\"]"];
        bench.ok(&[&["schedule", "s.toml", "--format", format], &ring[..]].concat())
    };
    let messages = csv_rows(&print("csv"));
    // n/2 steps of n messages on a ring
    assert_eq!(messages.len(), 8);
    assert_eq!((messages[0]["blocks"].as_str(), messages[0]["flits"].as_str()), ("0>2 0>3", "8"));
    let holdings = csv_rows(&print("holdings"));
    assert_eq!(holdings.len(), 3 * 4);
    assert_eq!(holdings[0]["blocks"], "0>0 0>1 0>2 0>3");
    assert_eq!(holdings[8]["blocks"], "0>0 1>0 2>0 3>0", "after the last step node 0 holds what is for it");
    assert!(print("dot").starts_with("digraph \"double-hop 0\" {\n  0 -> 2 [label=\"0: 2\"];\n"));
}

#[test]
fn holdings_are_refused_for_a_multicast() {
    let bench = Bench::new(
        "name = \"m\"\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"opt-mesh\"]\nflits = 1\ngroup = 4\n",
    );
    let error = bench.fails(2, &["schedule", "s.toml", "--format", "holdings"]);
    assert!(error.contains("holdings"), "{error}");
}
