//! Graphs from scenario to files: multicasts and traces run, the wormhole engines agree, paths that wait in a cycle end a run
//! with it.

use crate::cli::{Bench, csv_rows};
use crate::support::data_path;
use std::fmt::Write as _;
use std::fs;

/// A scenario beside the graph files of the reference.
fn bench(scenario: &str) -> Bench {
    let bench = Bench::new(&format!("name = \"t\"\n{scenario}"));
    for file in fs::read_dir(data_path("networks/files")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), bench.path(file.file_name().to_str().unwrap())).unwrap();
    }
    bench
}

/// The graphs whose links are all alike, with a routing that cannot deadlock on them.
const GRAPHS: [(&str, &str); 5] = [
    ("ring6.csv", "routing = \"up-down\"\nroot = 4"),
    ("ring6.csv", "routing = \"shortest\"\nclasses = \"hops\""),
    ("random10.csv", "routing = \"shortest\"\nweight = \"links\""),
    ("line3.csv", "allow_deadlock = false"),
    ("random10.csv", "routing = \"up-down\""),
];

#[test]
fn the_engines_agree_on_a_multicast() {
    for (file, router) in GRAPHS {
        let rows = |engine: &str| {
            let bench = bench(&format!(
                "repetitions = 5\n[network.graph]\nfile = \"{file}\"\n[router]\n{router}\n[engine]\nkind = \"{engine}\"\n\
                 [node]\nsend_setup = 3\nreceive_setup = 2\n[workload.multicast]\nalgorithms = [\"opt-tree\", \"chain\"]\n\
                 flits = 12\ngroup = 3\n"
            ));
            bench.ok(&["run", "s.toml", "--quiet", "--messages"]);
            let text = fs::read_to_string(bench.path("results/t/rows.csv")).unwrap();
            let messages = fs::read_to_string(bench.path("results/t/messages.csv")).unwrap();
            let mut rows = csv_rows(&text);
            assert_eq!(rows.len(), 10);
            rows.iter_mut().for_each(|row| drop(row.remove("engine")));
            (rows, messages)
        };
        assert!(rows("flit") == rows(if router.contains("hops") { "auto" } else { "worm" }), "{file} {router}");
    }
}

#[test]
fn the_engines_agree_on_a_trace() {
    let mut trace = "id,src,dst,flits,start\n".to_owned();
    for id in 0..60_u32 {
        writeln!(trace, "{id},{},{},{},{}", id * 7 % 14, (id * 5 + 3) % 14, 1 + id % 9, id * 3).unwrap();
    }
    let messages = |engine: &str| {
        let bench = bench(&format!(
            "[network.graph]\nfile = \"random10.csv\"\n[router]\nrouting = \"up-down\"\n[engine]\nkind = \"{engine}\"\n\
             [channel]\nbuffer = 2\n[workload.trace]\nfile = \"trace.csv\"\n"
        ));
        fs::write(bench.path("trace.csv"), &trace).unwrap();
        bench.ok(&["run", "s.toml", "--quiet", "--messages"]);
        fs::read_to_string(bench.path("results/t/messages.csv")).unwrap()
    };
    let worm = messages("worm");
    assert_eq!(worm.lines().count(), 61);
    assert!(worm == messages("flit"));
}

/// All nodes of a ring send two links on at once: each message holds a link and waits for the next.
#[test]
fn shortest_paths_can_deadlock_and_classes_cannot() {
    let mut trace = "id,src,dst,flits,start\n".to_owned();
    for src in 0..5 {
        writeln!(trace, "{src},{src},{},64,0", (src + 2) % 5).unwrap();
    }
    let rows: String = (0..5).map(|r| format!("node,{r},{r},,\nlink,{r},{},,\n", (r + 1) % 5)).collect();
    let scenario = |router: &str| {
        let bench = bench(&format!(
            "[network.graph]\nfile = \"ring.txt\"\nformat = \"csv\"\n[router]\n{router}\n[workload.trace]\nfile = \"trace.csv\"\n"
        ));
        fs::write(bench.path("trace.csv"), &trace).unwrap();
        fs::write(bench.path("ring.txt"), format!("kind,a,b,flit_time,delay\n{rows}")).unwrap();
        bench
    };
    let said = scenario("routing = \"shortest\"").fails(1, &["run", "s.toml", "--quiet"]);
    assert!(said.contains("(0)->(1)") && said.contains("up-down"), "{said}");
    scenario("routing = \"shortest\"\nclasses = \"hops\"").ok(&["run", "s.toml", "--quiet"]);
    scenario("routing = \"up-down\"").ok(&["run", "s.toml", "--quiet"]);
}
