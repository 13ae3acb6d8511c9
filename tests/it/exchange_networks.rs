//! Exchanges on networks that are no tori: algorithms that know nodes by number, over the network's own paths.

use crate::cli::{Bench, csv_rows};
use std::collections::BTreeMap;
use std::fs;

const NETWORKS: [&str; 8] = [
    "network.mesh.shape = [4, 4]",
    "network.hypercube.dimension = 4",
    "network.bmin = { radix = 2, levels = 4 }",
    "network.fat-tree = { arity = 4, levels = 2 }",
    "network.dragonfly = { p = 2, a = 4, h = 1, groups = 2 }",
    "network.hyperx = { shape = [4, 4] }",
    "network.full-mesh = { routers = 8, concentration = 2 }",
    "network.torus = { shape = [4, 4], twist = [[0, 1, 2]] }",
];

fn scenario(network: &str, more: &str) -> String {
    format!(
        "name = \"e\"\n{network}\nnode = {{ send_setup = 20, receive_setup = 10 }}\n{more}\n[workload.exchange]\n\
         algorithms = [\"naive\", \"direct\", \"pairwise\", \"bruck\", \"hypercube\", \"double-hop\"]\nunfit = \"skip\"\n\
         block_flits = 3\n"
    )
}

/// The rows of rows.csv, by algorithm.
fn rows(bench: &Bench, settings: &[&str]) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut arguments = vec!["run", "s.toml", "--quiet", "--force"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    bench.ok(&arguments);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/e/rows.csv")).unwrap());
    rows.into_iter().map(|row| (row["algorithm"].clone(), row.into_iter().collect())).collect()
}

#[test]
fn both_engines_take_as_long_and_no_contention_is_as_predicted() {
    let mut free = 0;
    for network in NETWORKS {
        for pace in ["workload.exchange.synchronous=true", "workload.exchange.synchronous=false"] {
            let bench = Bench::new(&scenario(network, ""));
            let auto = rows(&bench, &[pace]);
            let flit = rows(&bench, &[pace, "engine.kind=\"flit\""]);
            assert_eq!(
                auto.keys().collect::<Vec<_>>(),
                ["bruck", "direct", "hypercube", "naive", "pairwise"],
                "{network}"
            );
            for (algorithm, row) in &auto {
                assert_eq!(row["measured"], flit[algorithm]["measured"], "{algorithm} on {network}");
                if row["blocked_headers"] == "0" && pace.ends_with("true") {
                    assert_eq!(row["measured"], row["predicted"], "{algorithm} on {network}");
                    free += 1;
                }
            }
        }
    }
    assert!(free > 8, "only {free} without contention");
}

/// Any two nodes of a full mesh are a link apart, and no two messages of a step share one.
#[test]
fn a_full_mesh_takes_the_closed_form() {
    let bench = Bench::new(&scenario("network.full-mesh.routers = 7", ""));
    let rows = rows(&bench, &[]);
    // a step: set-ups, three channels for the head flit, and two more flits
    assert_eq!(rows["direct"]["measured"], (6 * (20 + 10 + 3 + 2)).to_string());
    assert_eq!((rows["direct"]["critical_hops"].as_str(), rows.len()), ("6", 3));
}

/// Meshes and hypercubes have virtual-channel routers, on which exchanges run, too.
#[test]
fn exchanges_run_on_the_routers_of_meshes() {
    let more = "router.model = \"pipelined\"\nchannel.buffer = 8";
    for network in &NETWORKS[..2] {
        let rows = rows(&Bench::new(&scenario(network, more)), &[]);
        assert_eq!(rows.len(), 5);
        for row in rows.values() {
            let [measured, predicted] = ["measured", "predicted"].map(|column| row[column].parse::<u64>().unwrap());
            assert!(measured >= predicted, "{row:?}");
        }
    }
}

#[test]
fn algorithms_for_tori_are_refused_elsewhere() {
    let text = scenario(NETWORKS[3], "").replace("\"double-hop\"", "\"suh-shin\"").replace("unfit = \"skip\"\n", "");
    let said = Bench::new(&text).fails(2, &["check", "s.toml"]);
    assert!(said.contains("`suh-shin` requires a torus"), "{said}");
    assert!(said.contains("accepted here: `naive`, `direct`, `pairwise`, `bruck`, `hypercube`"), "{said}");
}
