//! `links.csv`: what links carry, how long they are held and waited for, of every workload that runs on channels.

use crate::cli::{Bench, csv_rows};
use std::collections::BTreeMap;
use std::fs;

type Row = BTreeMap<String, String>;

const HEADER: &str = "point,algorithm,repetition,channel,flits,utilisation,held,waited,messages";

fn bench(scenario: &str) -> Bench {
    let bench = Bench::new(&format!("name = \"l\"\nrepetitions = 2\n{scenario}"));
    fs::write(bench.path("trace.csv"), "id,src,dst,flits,start\n0,0,2,3,0\n1,1,3,4,0\n2,2,3,10,0\n").unwrap();
    let goal = "num_ranks 4\nrank 0 {\na: send 40b to 3\n}\nrank 1 {\na: send 24b to 3\n}\nrank 2 {\n}\n\
                rank 3 {\na: recv 40b from 0\nb: recv 24b from 1\n}\n";
    fs::write(bench.path("two.goal"), goal).unwrap();
    let csv = "a,b,weight\n0,1,4\n1,2,4\n2,3,4\n3,0,1\n";
    fs::write(bench.path("graph.csv"), csv).unwrap();
    bench
}

fn rows(bench: &Bench, file: &str) -> Vec<Row> {
    csv_rows(&fs::read_to_string(bench.path(&format!("results/l/{file}"))).unwrap())
}

fn number(row: &Row, column: &str) -> u64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

fn sum(rows: &[Row], of: &Row, value: impl Fn(&Row) -> u64) -> u64 {
    let same = |row: &&Row| ["point", "algorithm", "repetition"].iter().all(|key| row[*key] == of[*key]);
    rows.iter().filter(same).map(value).sum()
}

/// Message 1 has (1)->(2) from 1 to 14, and waits for (2)->(3) from 2 to 11, which message 2 has from 1 to 11; message 0 waits
/// for (1)->(2) from 2 to 14.
#[test]
fn links_are_held_and_waited_for_to_the_tick() {
    let bench = bench("network.mesh.shape = [4]\nworkload.trace = { file = \"trace.csv\", details = true }\n");
    bench.ok(&["run", "s.toml", "--quiet"]);
    let text = fs::read_to_string(bench.path("results/l/links.csv")).unwrap();
    assert_eq!(text.lines().next(), Some(HEADER));
    let seen: Vec<[String; 5]> = rows(&bench, "links.csv")
        .into_iter()
        .filter(|row| row["repetition"] == "0")
        .map(|row| ["channel", "flits", "held", "waited", "messages"].map(|column| row[column].clone()))
        .collect();
    let wanted =
        [["(0)->(1)", "3", "15", "0", "1"], ["(1)->(2)", "7", "16", "12", "2"], ["(2)->(3)", "14", "14", "9", "2"]];
    assert_eq!(seen, wanted.map(|row| row.map(str::to_owned)));
}

/// A workload on a network where messages meet, and what runs it.
const WORKLOADS: [(&str, &str); 6] = [
    (
        "network.mesh.shape = [4, 4]\nnode.send_setup = 1",
        "workload.multicast = { algorithms = [\"opt-tree\", \"binomial\"], flits = 90, group = 12, details = true }",
    ),
    (
        "network.torus.shape = [4, 4]",
        "workload.exchange = { algorithms = [\"direct\", \"double-hop\"], block_flits = 3, synchronous = false, \
         details = true }",
    ),
    (
        "network.fat-tree = { arity = 2, levels = 3 }",
        "workload.collective = { operation = \"allreduce\", algorithms = [\"ring\", \"swing-latency\"], flits = 64, \
         details = true }",
    ),
    ("network.torus.shape = [4]\nchannel.flit_time = 2", "workload.goal = { file = \"two.goal\", details = true }"),
    ("network.mesh.shape = [4]\nchannel.flit_time = 3", "workload.trace = { file = \"trace.csv\", details = true }"),
    (
        "network.hypercube.dimension = 3",
        "workload.mapping = { algorithms = [\"random\", \"greedy\"], graph = \"graph.csv\", simulate = true, packet_flits = 9 }",
    ),
];

#[test]
fn links_add_up_to_what_messages_did() {
    for (network, workload) in WORKLOADS {
        let bench = bench(&format!("{network}\n{workload}\n"));
        let mut engines = Vec::new();
        for engine in ["worm", "flit"] {
            if engine == "worm" && network.contains("torus") {
                continue; // virtual channels may share links
            }
            let kind = format!("engine.kind=\"{engine}\"");
            bench.ok(&["run", "s.toml", "--quiet", "--force", "--messages", "--set", &kind]);
            let links = rows(&bench, "links.csv");
            let messages = rows(&bench, "messages.csv");
            for row in rows(&bench, "rows.csv") {
                let row = Row::from([("point".to_owned(), "0".to_owned())]).into_iter().chain(row).collect();
                let total = |column: &str| sum(&links, &row, |link| number(link, column));
                let carried = sum(&messages, &row, |message| number(message, "flits") * number(message, "hops"));
                assert_eq!(total("flits"), carried, "{workload}");
                assert_eq!(total("messages"), sum(&messages, &row, |message| number(message, "hops")), "{workload}");
                // the rest is waited for at ejection
                let waited = number(&row, "blocked_time") - number(&row, "queued_time");
                assert!(total("waited") <= waited, "{workload}: {row:?}");
                assert!(total("held") >= total("flits"), "{workload}");
            }
            for link in &links {
                let measured = rows(&bench, "rows.csv");
                let row = measured
                    .iter()
                    .find(|row| (&row["algorithm"], &row["repetition"]) == (&link["algorithm"], &link["repetition"]));
                let flit_time =
                    if network.contains("flit_time") { network.chars().last().unwrap().to_digit(10) } else { Some(1) };
                let part = number(link, "flits") as f64 * f64::from(flit_time.unwrap())
                    / number(row.unwrap(), "measured") as f64;
                assert!((link["utilisation"].parse::<f64>().unwrap() - part).abs() < 1e-6, "{workload}: {link:?}");
                assert!(!link["channel"].contains("jection") && !link["channel"].contains(" vc "), "{link:?}");
            }
            engines.push(links);
        }
        assert!(engines.windows(2).all(|pair| pair[0] == pair[1]), "{workload}");
    }
}

#[test]
fn what_is_not_asked_for_is_not_written_and_changes_nothing() {
    for (network, workload) in &WORKLOADS[..5] {
        let bench = bench(&format!("{network}\n{workload}\n"));
        bench.ok(&["run", "s.toml", "--quiet"]);
        let watched = rows(&bench, "rows.csv");
        let kind = workload.split(['.', ' ']).nth(1).unwrap();
        bench.ok(&["run", "s.toml", "--quiet", "--force", "--set", &format!("workload.{kind}.details=false")]);
        let mut alone = rows(&bench, "rows.csv");
        // where links are watched all steps are run on one engine
        for (row, watched) in alone.iter_mut().zip(&watched) {
            row.insert("engine".to_owned(), watched["engine"].clone());
        }
        assert_eq!(alone, watched, "{workload}");
        assert_eq!(bench.path("results/l/links.csv").exists(), kind == "collective", "{workload}");
    }
}

/// Routers tell when head flits get virtual channels, and not when these are free again.
#[test]
fn routers_tell_how_long_links_are_held() {
    let bench = bench(
        "network.mesh.shape = [4]\nrouter.model = \"pipelined\"\nchannel = { virtual_channels = 2, buffer = 4 }\n\
         workload.trace = { file = \"trace.csv\", details = true }\n",
    );
    bench.ok(&["run", "s.toml", "--quiet"]);
    let links = rows(&bench, "links.csv");
    let names: Vec<&str> = links.iter().map(|link| link["channel"].as_str()).collect();
    assert_eq!(names, ["(0)->(1)", "(1)->(2)", "(2)->(3)"].repeat(2));
    for link in &links {
        // a flit takes a cycle, and the tail of a message leaves no sooner than its last flit
        assert!(number(link, "held") >= number(link, "flits") && !link["waited"].is_empty(), "{link:?}");
    }
    assert_eq!(links[2]["flits"], "14");
}

#[test]
fn what_crosses_no_links_has_none_to_tell() {
    for (more, why) in [
        (
            "workload.multicast = { algorithms = [\"binomial\"], flits = 9, nodes = [0, 1], details = true }",
            "without a [network.*]",
        ),
        (
            "network.torus.shape = [4]\nworkload.exchange = { algorithms = [\"naive\"], simulate = false, details = true }",
            "with `simulate = false`",
        ),
    ] {
        let stderr = bench(more).fails(2, &["run", "s.toml"]);
        assert!(stderr.contains(why) && stderr.contains("has no effect"), "{stderr}");
    }
}
