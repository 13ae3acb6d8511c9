//! Networks written as anynet files and read back: the same links, each with what it takes.

use crate::cli::Bench;
use crate::support::data_path;
use std::fs;

/// A scenario of `network` beside the graph files of the reference.
fn bench(network: &str) -> Bench {
    let bench = Bench::new(&format!("name = \"t\"\n{network}\n"));
    for file in fs::read_dir(data_path("networks/files")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), bench.path(file.file_name().to_str().unwrap())).unwrap();
    }
    bench
}

/// The rows of a network as a graph file, sorted, with what is left to defaults written out.
fn rows(bench: &Bench, flit_time: u64) -> Vec<String> {
    let text = bench.ok(&["network", "s.toml", "--format", "csv"]);
    let usual = format!(",{flit_time},0");
    let mut rows: Vec<String> = text.lines().map(|row| row.replace(",,", &usual)).collect();
    rows.sort();
    rows
}

#[test]
fn networks_are_read_back_as_they_are_written() {
    for (network, flit_time) in [
        ("network.mesh.shape = [3, 4]", 1),
        ("network.mesh = { shape = [3, 4], concentration = 2 }\nchannel.flit_time = 2", 2),
        ("network.torus.shape = [4, 3]", 1),
        ("network.torus = { shape = [4, 4], twist = [[0, 1, 2]] }", 1),
        ("network.hypercube.dimension = 4", 1),
        ("network.fat-tree = { children = [4, 3], parents = [1, 2] }", 1),
        ("network.dragonfly = { p = 2, a = 4, h = 2 }", 1),
        ("network.hyperx = { shape = [3, 4], concentration = 3 }", 1),
        ("network.full-mesh.routers = 5", 1),
        ("network.graph = { file = \"tree.anynet\" }\nchannel.flit_time = 3", 3),
        ("network.graph = { file = \"ring6.csv\" }\nrouter.routing = \"up-down\"", 1),
        ("network.graph = { file = \"latencies.csv\" }\nrouter.routing = \"up-down\"\nchannel.flit_time = 2", 2),
    ] {
        let there = bench(network);
        fs::write(
            there.path("latencies.csv"),
            "kind,a,b,flit_time,delay\nnode,0,0,2,6\nnode,1,1,,\nlink,1,0,2,4\nlink,1,2,,\n",
        )
        .unwrap();
        let written = there.ok(&["network", "s.toml", "--format", "anynet"]);
        let back = bench(&format!(
            "network.graph.file = \"back.anynet\"\nrouter.routing = \"up-down\"\nchannel.flit_time = {flit_time}"
        ));
        fs::write(back.path("back.anynet"), &written).unwrap();
        assert_eq!(rows(&back, flit_time), rows(&there, flit_time), "{network}:\n{written}");
        assert_eq!(back.ok(&["network", "s.toml", "--format", "anynet"]).lines().count(), written.lines().count());
    }
}

#[test]
fn a_router_lists_its_nodes_and_where_its_links_lead() {
    let written =
        bench("network.mesh = { shape = [2, 2], concentration = 2 }").ok(&["network", "s.toml", "--format", "anynet"]);
    let wanted = "router 0 node 0 node 1 router 2 router 1\nrouter 1 node 2 node 3 router 3 router 0\n\
                  router 2 node 4 node 5 router 0 router 3\nrouter 3 node 6 node 7 router 1 router 2\n";
    assert_eq!(written, wanted);
}

#[test]
fn what_anynet_cannot_say_is_refused_with_the_reason() {
    let graph = "network.graph.file = \"odd.csv\"\nrouter.routing = \"shortest\"\nchannel.flit_time = 2";
    let two = "kind,a,b,flit_time,delay\nnode,0,0,,\nnode,1,1,,\n";
    for (network, rows, why) in [
        ("network.hyperx = { shape = [4], links = [2] }", "", "(0)->(1) #1 is a second one"),
        ("network.torus = { shape = [4], directions = \"one-way\" }", "", "there is no link from 1 back to 0"),
        (graph, "arc,0,1,,\narc,1,2,,\narc,2,0,,\n", "there is no link from 1 back to 0"),
        (graph, "link,0,1,3,0\n", "the flit time of link (0)->(1) is 3 ticks"),
        (graph, "link,0,1,2,3\n", "the delay of link (0)->(1), 3 ticks, is not a multiple of channel.flit_time, 2"),
        (graph, "link,0,1,,\nnode,2,1,2,1\n", "the delay of node 2, 1 ticks"),
    ] {
        let bench = bench(network);
        fs::write(bench.path("odd.csv"), format!("{two}{rows}")).unwrap();
        let stderr = bench.fails(2, &["network", "s.toml", "--format", "anynet"]);
        assert!(stderr.contains(why), "{network} {rows}: {stderr}");
    }
}
