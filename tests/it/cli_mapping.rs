//! The command on mappings: cost, mapping.csv, and the traffic of mapped tasks.

use crate::cli::{Bench, csv_rows};
use std::collections::BTreeMap;
use std::fs;

const PATH: &str = "a,b,weight\n0,1,4\n1,2,4\n2,3,4\n3,4,4\n";

fn bench(more: &str) -> Bench {
    let scenario = format!(
        "name = \"m\"\nrepetitions = 2\n[network.hypercube]\ndimension = 3\n[workload.mapping]\n\
         algorithms = [\"random\", \"mrb\", \"exhaustive\"]\ngraph = \"g.csv\"\n{more}"
    );
    let bench = Bench::new(&scenario);
    fs::write(bench.path("g.csv"), PATH).unwrap();
    bench
}

fn rows(bench: &Bench, file: &str) -> Vec<BTreeMap<String, String>> {
    csv_rows(&fs::read_to_string(bench.path(&format!("results/m/{file}"))).unwrap())
}

#[test]
fn costs_and_mappings_are_written() {
    let bench = bench("");
    let table = bench.ok(&["run", "s.toml"]);
    assert!(table.contains("hypercube of dimension 3, 5 tasks") && table.contains(" costs least; random "), "{table}");
    let (rows, places) = (rows(&bench, "rows.csv"), rows(&bench, "mapping.csv"));
    assert_eq!((rows.len(), places.len()), (6, 6 * 8), "dummy tasks fill the cube");
    for row in &rows {
        let key = |place: &&BTreeMap<String, String>| {
            (&place["algorithm"], &place["repetition"]) == (&row["algorithm"], &row["repetition"])
        };
        let nodes: Vec<u32> = places.iter().filter(key).map(|place| place["processor"].parse().unwrap()).collect();
        let hops: u32 = (0..4).map(|task| (nodes[task] ^ nodes[task + 1]).count_ones()).sum();
        assert_eq!(row["cost"], (4 * hops).to_string(), "{}", row["algorithm"]);
        assert_eq!((row["predicted"].as_str(), row["measured"].as_str()), ("", ""), "nothing is sent");
    }
    assert_eq!(rows.last().unwrap()["cost"], "16", "a path fits a cube");
    bench.ok(&["run", "s.toml", "--quiet", "--force", "--set", "workload.mapping.details=false"]);
    assert!(!bench.path("results/m/mapping.csv").exists());
}

/// What flits cross links in all is `2 F COST`, and no run is shorter than its busiest port and link.
#[test]
fn traffic_keeps_the_invariants() {
    let bench = bench("simulate = true\npacket_flits = 7\norder = \"shuf\"\n");
    bench.ok(&["run", "s.toml", "--quiet", "--messages"]);
    let (rows, messages) = (rows(&bench, "rows.csv"), rows(&bench, "messages.csv"));
    for row in &rows {
        let key = |m: &&BTreeMap<String, String>| {
            (&m["algorithm"], &m["repetition"]) == (&row["algorithm"], &row["repetition"])
        };
        let number = |text: &str| text.parse::<u64>().unwrap();
        let crossed: u64 = messages.iter().filter(key).map(|m| number(&m["hops"]) * number(&m["flits"])).sum();
        assert_eq!(crossed, 2 * 7 * number(&row["cost"]), "{}", row["algorithm"]);
        assert_eq!(number(&row["messages"]), 2 * 4 * 4);
        assert_eq!(number(&row["port_load"]), 8, "a task of the path has two neighbours");
        assert_eq!(number(&row["predicted"]), 7 * number(&row["port_load"]).max(number(&row["link_load"])));
        assert!(number(&row["measured"]) >= number(&row["predicted"]));
    }
}

#[test]
fn drawn_graphs_differ_by_repetition_and_not_by_algorithm() {
    let bench = Bench::new(
        "name = \"m\"\nrepetitions = 3\n[network.hypercube]\ndimension = 3\n[workload.mapping]\n\
         algorithms = [\"mrb\", \"exhaustive\", \"anneal\"]\ngenerator = \"gnp\"\ndensity = 0.6\nweights = 9\n",
    );
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = rows(&bench, "rows.csv");
    let of = |algorithm: &str, column: &str| -> Vec<u64> {
        rows.iter().filter(|row| row["algorithm"] == algorithm).map(|row| row[column].parse().unwrap()).collect()
    };
    assert_eq!(of("mrb", "port_load"), of("exhaustive", "port_load"), "the same graphs");
    let least = of("exhaustive", "cost");
    assert!(least.windows(2).any(|pair| pair[0] != pair[1]), "different graphs: {least:?}");
    assert!(of("mrb", "cost").iter().zip(&least).all(|(mrb, least)| mrb >= least));
    let found = bench.ok(&["check", "s.toml"]);
    assert!(found.contains("a node for every task, a task for every node; cost"), "{found}");
}
