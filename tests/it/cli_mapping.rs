//! The command on mappings: cost, mapping.csv, and the traffic of mapped tasks.

use crate::cli::{Bench, csv_rows};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
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
    let said = ["hypercube of dimension 3, 5 tasks", "random, mrb and exhaustive tie at 95 % confidence."];
    assert!(said.iter().all(|said| table.contains(said)), "{table}");
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

fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

/// The messages of `row`.
fn of<'a>(
    row: &'a BTreeMap<String, String>,
    messages: &'a [BTreeMap<String, String>],
) -> impl Iterator<Item = &'a BTreeMap<String, String>> {
    let same = |key: &str, message: &BTreeMap<String, String>| message[key] == row[key];
    messages.iter().filter(move |message| same("algorithm", message) && same("repetition", message))
}

/// What flits cross links in all is `2 F COST`, and no run is shorter than its busiest port and link.
#[test]
fn traffic_keeps_the_invariants() {
    let bench = bench("simulate = true\npacket_flits = 7\norder = \"shuf\"\n");
    bench.ok(&["run", "s.toml", "--quiet", "--messages"]);
    let (rows, messages) = (rows(&bench, "rows.csv"), rows(&bench, "messages.csv"));
    for row in &rows {
        let crossed: u64 = of(row, &messages).map(|m| number(&m["hops"]) * number(&m["flits"])).sum();
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
    assert!(found.contains("every task has a node, at most one task per node;\n      cost 88 to 157"), "{found}");
}

/// Sixteen tasks on four nodes: what stays on a node is not sent, and the flits on links are still `2 F COST`.
#[test]
fn tasks_that_share_a_node_tell_each_other_nothing_over_links() {
    for order in ["idx", "rot", "shuf"] {
        let bench = Bench::new(&format!(
            "name = \"m\"\nrepetitions = 2\n[network.hypercube]\ndimension = 2\n[workload.mapping]\n\
             algorithms = [\"random\", \"greedy\", \"recursive\", \"mrb\", \"swap\", \"anneal\", \"exhaustive\"]\n\
             generator = \"gnm\"\nedges = 40\nweights = 3\ntasks = 15\nbound = true\nsimulate = true\n\
             packet_flits = 5\norder = \"{order}\"\n"
        ));
        let found = bench.ok(&["check", "s.toml"]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(found.contains("at most 4 tasks per node; cost") && found.contains("lower bound "), "{found}");
        let table = bench.ok(&["run", "s.toml", "--messages"]);
        assert!(table.contains("15 tasks") && table.contains("vs bound"), "{table}");
        let (rows, messages) = (rows(&bench, "rows.csv"), rows(&bench, "messages.csv"));
        for row in &rows {
            let crossed: u64 = of(row, &messages).map(|m| number(&m["hops"]) * number(&m["flits"])).sum();
            assert_eq!(crossed, 2 * 5 * number(&row["cost"]), "{}", row["algorithm"]);
            assert!(messages.iter().all(|message| message["src"] != message["dst"]));
            assert_eq!((row["nodes"].as_str(), row["task_load"].as_str()), ("4", "4"));
            let sent = |node: &str| of(row, &messages).filter(|m| m["src"] == node).count() as u64;
            assert_eq!(number(&row["port_load"]), ["0", "1", "2", "3"].map(sent).into_iter().max().unwrap());
            assert!(number(&row["cost"]) >= number(&row["bound"]) && number(&row["bound"]) > 0);
            assert!(number(&row["measured"]) >= number(&row["predicted"]));
        }
    }
}

#[test]
fn cuts_add_up_to_the_cost_and_every_class_is_halved() {
    let bench = bench("");
    bench.ok(&["run", "s.toml", "--quiet"]);
    let (rows, cuts) = (rows(&bench, "rows.csv"), rows(&bench, "cuts.csv"));
    assert_eq!(cuts.len(), rows.len() * 3);
    for (row, cuts) in rows.iter().zip(cuts.chunks(3)) {
        assert_eq!((&row["algorithm"], row["bound"].as_str()), (&cuts[0]["algorithm"], ""));
        let sum: u64 = cuts.iter().map(|cut| cut["cut"].parse::<u64>().unwrap()).sum();
        assert_eq!(sum.to_string(), row["cost"]);
        for (cut, [bit, classes, size]) in cuts.iter().zip([["0", "2", "4"], ["1", "4", "2"], ["2", "8", "1"]]) {
            let told = [&cut["bit"], &cut["classes"], &cut["smallest"], &cut["largest"]];
            assert_eq!(told, [bit, classes, size, size]);
        }
    }
}

/// A node that receives as much as it can at once is bound by what it sends; ports divide that.
#[test]
fn ejection_without_a_limit_is_bound_by_injection() {
    let measured = |node: &str| {
        let bench = bench(&format!("simulate = true\n[node]\n{node}\n"));
        bench.ok(&["run", "s.toml", "--quiet", "--force", "--set", "workload.mapping.algorithms=[\"exhaustive\"]"]);
        let rows = rows(&bench, "rows.csv");
        (rows[0]["predicted"].parse::<u64>().unwrap(), rows[0]["measured"].parse::<u64>().unwrap())
    };
    // the path fits the cube: eight packets of a task of two neighbours, and two channels more for the last flit
    assert_eq!(measured("ejection_ports = \"unlimited\""), (8 * 16, 8 * 16 + 2));
    let (predicted, one) = measured("ejection_ports = 1");
    assert!(predicted == 8 * 16 && one > 8 * 16 + 2, "{predicted} {one}");
    let (predicted, two) = measured("ports = 2\nejection_ports = \"unlimited\"");
    assert!(predicted == 4 * 16 && (predicted..one).contains(&two), "{predicted} {two}");
}

/// A hypercube of 256 tasks, every edge four packets, mapped with ten starts: what another simulator found is that without a
/// limit on ejection the traffic takes as long as injection does, 512, where random mappings take about 1489; with one
/// channel 1570 and 1896 in the order of tasks, 930 and 1392 in any.
#[test]
fn a_mapped_cube_takes_what_another_simulator_found() {
    let mut labels: Vec<usize> = (0..256).collect();
    labels.shuffle(&mut Pcg64::seed_from_u64(1));
    let edges =
        (0..256_usize).flat_map(|one| (0..8).map(move |bit| (one, one ^ 1 << bit))).filter(|(one, to)| one < to);
    let lines: String = edges.map(|(one, to)| format!("{},{},4\n", labels[one], labels[to])).collect();
    let bench = Bench::new(
        "name = \"m\"\nrepetitions = 2\n[network.hypercube]\ndimension = 8\n[workload.mapping]\n\
         algorithms = [\"random\", \"mrb\"]\ngraph = \"g.csv\"\nstarts = 10\nsimulate = true\npacket_flits = 16\n\
         details = false\n",
    );
    fs::write(bench.path("g.csv"), format!("a,b,weight\n{lines}")).unwrap();
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.1;
    for (ports, order, random, mapped) in
        [("\"unlimited\"", "idx", 1489.0, 512.0), ("1", "idx", 1896.0, 1570.0), ("1", "shuf", 1392.0, 930.0)]
    {
        let ports = format!("node.ejection_ports={ports}");
        let order = format!("workload.mapping.order=\"{order}\"");
        bench.ok(&["run", "s.toml", "--quiet", "--force", "--set", &ports, "--set", &order]);
        let rows = rows(&bench, "rows.csv");
        let mean = |algorithm: &str, column: &str| -> f64 {
            let of = rows.iter().filter(|row| row["algorithm"] == algorithm);
            of.map(|row| row[column].parse::<f64>().unwrap() / 2.0).sum()
        };
        assert!((mean("mrb", "cost") - 4096.0).abs() < 0.1);
        assert!(near(mean("random", "cost"), 16395.0));
        let (slow, fast) = (mean("random", "measured"), mean("mrb", "measured"));
        assert!(near(slow, random) && near(fast, mapped), "{ports} {order}: {slow} {fast}");
    }
}
