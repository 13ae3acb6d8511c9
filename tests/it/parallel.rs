//! Parallel links between two routers: all of them carry traffic, or a remark names those that carry none; and detours that
//! depend on queues, which ideal routers see as pipelined ones do.

use crate::cli::{Bench, csv_rows};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// Two routers of four nodes and four equal links.
const GRAPH: &str = "kind,a,b\nnode,0,0\nnode,1,0\nnode,2,0\nnode,3,0\nnode,4,1\nnode,5,1\nnode,6,1\nnode,7,1\n\
                     link,0,1\nlink,0,1\nlink,0,1\nlink,0,1\n";

/// The rows of a run of `scenario` with the graph and the trace `trace`, lines of `id,src,dst,flits,start`.
fn rows(scenario: &str, trace: &str) -> Vec<BTreeMap<String, String>> {
    let bench = bench(scenario, trace);
    bench.ok(&["run", "s.toml", "--quiet"]);
    csv_rows(&fs::read_to_string(bench.path("results/t/rows.csv")).unwrap())
}

fn bench(scenario: &str, trace: &str) -> Bench {
    let bench = Bench::new(&format!("name = \"t\"\n{scenario}"));
    fs::write(bench.path("g.csv"), GRAPH).unwrap();
    fs::write(bench.path("m.csv"), format!("id,src,dst,flits,start\n{trace}")).unwrap();
    bench
}

/// A worm of 1000 flits from each node of the first router to one of the second.
const FOUR_WORMS: &str = "0,0,4,1000,0\n1,1,5,1000,0\n2,2,6,1000,0\n3,3,7,1000,0\n";

/// The time of [`FOUR_WORMS`].
fn measured(scenario: &str) -> String {
    rows(&format!("{scenario}\nworkload.trace.file = \"m.csv\"\n"), FOUR_WORMS)[0]["measured"].clone()
}

#[test]
fn four_worms_over_four_parallel_links_take_the_time_of_one() {
    let hyperx = "network.hyperx = { shape = [2], links = [4], concentration = 4 }";
    let graph = "network.graph.file = \"g.csv\"\nrouter.parallel = \"source\"";
    let dragonfly = "network.dragonfly = { p = 4, a = 1, h = 4, groups = 2 }\nrouter.parallel = \"source\"";
    for network in [hyperx, graph, dragonfly] {
        for engine in ["worm", "flit", "sleep", "router", "auto"] {
            assert_eq!(measured(&format!("{network}\nengine.kind = \"{engine}\"")), "1002", "{network} {engine}");
        }
    }
    for routing in ["adaptive", "valiant", "ugal"] {
        let one = rows(
            &format!("{hyperx}\nrouter.routing = \"{routing}\"\nworkload.trace.file = \"m.csv\"\n"),
            "0,0,4,1000,0\n",
        );
        let four = measured(&format!("{hyperx}\nrouter.routing = \"{routing}\""));
        assert_eq!((&*one[0]["measured"], &*four), ("1002", "1002"), "{routing}");
    }
    assert_eq!(measured("network.graph.file = \"g.csv\""), "4002");
}

/// Sources whose numbers leave the same remainder share a link, unless packets choose by load.
#[test]
fn adaptive_packets_of_sources_that_are_alike_take_different_links() {
    let hyperx = "network.hyperx = { shape = [2], links = [2], concentration = 4 }\nworkload.trace.file = \"m.csv\"\n";
    let trace = "0,0,4,500,0\n1,2,6,500,0\n";
    assert_eq!(rows(hyperx, trace)[0]["measured"], "1002");
    for vcs in [1, 4] {
        for atomic in [true, false] {
            let routers = format!(
                "channel = {{ virtual_channels = {vcs}, buffer = 8 }}\n\
                 router = {{ routing = \"adaptive\", atomic = {atomic} }}\n{hyperx}"
            );
            let measured = rows(&routers, trace)[0]["measured"].parse::<u64>().unwrap();
            assert!((502..=504).contains(&measured), "{vcs} {atomic}: {measured}");
        }
    }
}

#[test]
fn saturation_grows_with_the_number_of_parallel_links() {
    let scenario = "network.hyperx = { shape = [4], links = [1], concentration = 4 }\nchannel = { buffer = 8, virtual_channels = 2 }\n\
                    router.atomic = false\nworkload.traffic = { mode = \"saturation\", pattern = \"bit-complement\", packet_flits = 1, \
                    warmup = 500, measure = 2000 }\nsweep.\"network.hyperx.links\" = [[1], [2], [4]]\n";
    let saturation = rows(scenario, "").iter().map(|row| row["saturation"].parse::<f64>().unwrap()).collect::<Vec<_>>();
    for (saturation, expected) in saturation.into_iter().zip([0.25, 0.5, 1.0]) {
        assert!((0.9 * expected..=1.04 * expected).contains(&saturation), "{saturation} for {expected}");
    }
}

#[test]
fn remarks_name_parallel_links_that_carry_nothing() {
    let remarks = |scenario: &str| {
        let bench = bench(scenario, "0,0,1,1,0\n");
        let network = bench.ok(&["network", "s.toml"]);
        let outputs = [["check", "s.toml"], ["run", "s.toml"]].map(|arguments| bench.call(&arguments));
        let errors = outputs.map(|output| {
            assert_eq!(output.status.code(), Some(0));
            String::from_utf8(output.stderr).unwrap()
        });
        assert_eq!(errors[0], errors[1]);
        let line = network.lines().find(|line| line.contains("carr")).unwrap_or_default().to_owned();
        (errors[0].clone(), line)
    };
    let trace = "workload.trace.file = \"m.csv\"\n";
    let graph = format!("network.graph.file = \"g.csv\"\n{trace}");
    let (warning, line) = remarks(&graph);
    assert_eq!(
        warning,
        "warning: g.csv graph: links 2, 4, 6 from router 0 to router 1 are parallel to link 0 and carry nothing; 3 other links carry nothing either; \
         `router.parallel = \"source\"` spreads messages over them\n"
    );
    assert_eq!(
        warning.split_once("links 2").unwrap().1,
        line.split_once("inks 2").unwrap().1.replace("them.", "them\n")
    );
    let quiet = [
        format!("router.parallel = \"source\"\n{graph}"),
        format!("network.hyperx = {{ shape = [2, 3], links = [4, 2], concentration = 4 }}\n{trace}"),
        format!("network.dragonfly = {{ p = 2, a = 4, h = 4, groups = 3 }}\nrouter.parallel = \"source\"\n{trace}"),
        format!("network.torus.shape = [4, 4]\n{trace}"),
        format!("network.torus.shape = [4, 2]\nrouter.routing = \"adaptive\"\n{trace}"),
        format!("network.fat-tree = {{ children = [2, 2, 2], parents = [1, 2, 2] }}\n{trace}"),
    ];
    for scenario in quiet {
        assert_eq!(remarks(&scenario), (String::new(), String::new()), "{scenario}");
    }
    let remarked = [
        // a node is alone on its router, and its number selects one link
        (
            "network.hyperx = { shape = [2], links = [4] }",
            "links 1, 2, 3 from router 0 to router 1 are parallel to link 0 and carry nothing",
        ),
        (
            "network.dragonfly = { p = 2, a = 1, h = 2, groups = 2 }",
            "link 0 from router 0 to router 1 is parallel to link 1",
        ),
        (
            "network.torus.shape = [2]",
            "link 1 from router 0 to router 1 is parallel to link 0 and carries nothing; 1 other link carries nothing either",
        ),
        (
            "network.torus = { shape = [2, 2], concentration = 2 }",
            "is parallel to link 2 and carries nothing; 7 other links carry nothing either",
        ),
    ];
    for (network, text) in remarked {
        let (warning, line) = remarks(&format!("{network}\n{trace}"));
        assert!(warning.contains(text), "{network}: {warning}");
        assert!(!line.is_empty(), "{network}");
    }
}

#[test]
fn the_rule_is_refused_where_it_would_be_ignored() {
    let refused = |scenario: &str, text: &str| {
        let bench = bench(&format!("{scenario}\nworkload.trace.file = \"m.csv\"\n"), "0,0,1,1,0\n");
        fs::write(bench.path("t.csv"), "at,to,link\n0,1,0\n1,0,1\n").unwrap();
        let errors = bench.fails(2, &["check", "s.toml"]);
        assert!(errors.contains(text), "{errors}");
    };
    refused("network.mesh.shape = [4, 4]\nrouter.parallel = \"source\"", "does not apply to a mesh");
    refused(
        "network.hyperx.shape = [4, 4]\nrouter.parallel = \"source\"",
        "a hyperx always selects parallel links by the source",
    );
    refused(
        "network.dragonfly = { p = 2, a = 1, h = 2, groups = 2 }\nrouter.parallel = \"first\"",
        "accepted here: `source`",
    );
    let table =
        "network.graph.file = \"g.csv\"\nrouter = { routing = \"table\", table = \"t.csv\", parallel = \"source\" }";
    refused(table, "a table defines the link of every step");
}

/// Nodes of each router of a full mesh send to the next router alone, four times what a link carries. Detours spread that over all
/// links.
#[test]
fn ugal_makes_detours_on_ideal_and_on_pipelined_routers() {
    let mut matrix = String::new();
    for src in 0..32 {
        let row: Vec<&str> = (0..32).map(|dst| if dst / 4 == (src / 4 + 1) % 8 { "1" } else { "0" }).collect();
        writeln!(matrix, "{}", row.join(",")).unwrap();
    }
    for (model, flits) in [("ideal", 1), ("ideal", 4), ("pipelined", 1), ("pipelined", 4)] {
        let bench = Bench::new(&format!(
            "name = \"t\"\nnetwork.full-mesh = {{ routers = 8, concentration = 4 }}\nchannel = {{ buffer = 16, virtual_channels = 4 }}\n\
             router = {{ model = \"{model}\", atomic = false, routing = \"ugal\" }}\nworkload.traffic = {{ pattern = \"matrix\", \
             matrix = \"m.csv\", rate = 0.4, packet_flits = {flits}, warmup = 1000, measure = 3000 }}\n"
        ));
        fs::write(bench.path("m.csv"), &matrix).unwrap();
        bench.ok(&["run", "s.toml", "--quiet"]);
        let rows = csv_rows(&fs::read_to_string(bench.path("results/t/rows.csv")).unwrap());
        let accepted = rows[0]["accepted"].parse::<f64>().unwrap();
        assert!((0.38..=0.41).contains(&accepted), "{model}, {flits} flits: {accepted}");
    }
}
