//! Routers whose packets have to fit into a buffer as a whole.

use crate::cli::Bench;
use std::fs;

/// A scenario of pipelined routers on two nodes, with keys of `[router]`.
fn scenario(router: &str, workload: &str) -> Bench {
    Bench::new(&format!(
        "name = \"t\"\n[network.mesh]\nshape = [2]\n[channel]\nbuffer = 2\nvirtual_channels = 2\n\
         [router]\nmodel = \"pipelined\"\n{router}\n{workload}"
    ))
}

#[test]
fn longer_messages_are_refused() {
    let trace = "[workload.trace]\nfile = \"messages.csv\"";
    for router in [
        "switching = \"store-and-forward\"\natomic = true",
        "switching = \"virtual-cut-through\"\natomic = true",
        "switching = \"virtual-cut-through\"",
    ] {
        let bench = scenario(router, trace);
        fs::write(bench.path("messages.csv"), "id,src,dst,flits,start\n0,0,1,3,0\n").unwrap();
        let message = bench.fails(1, &["run", "s.toml"]);
        assert!(message.contains("message 0 has 3 flits and does not fit into a buffer of 2 flits"), "{message}");
        fs::write(bench.path("messages.csv"), "id,src,dst,flits,start\n0,0,1,2,0\n").unwrap();
        bench.ok(&["run", "s.toml"]);
    }
}

#[test]
fn batches_are_sent_as_whole_packets() {
    let batch = "[workload.traffic]\npattern = \"uniform\"\npacket_flits = 2\nmode = \"batch\"\nbatch_packets = 3";
    scenario("switching = \"virtual-cut-through\"", batch).ok(&["run", "s.toml", "--messages"]);
}

#[test]
fn sources_fill_shared_buffers_that_take_one_packet_each() {
    let trace = "[workload.trace]\nfile = \"messages.csv\"";
    let bench = scenario("buffer_policy = \"shared\"\natomic = true", trace);
    fs::write(bench.path("messages.csv"), "id,src,dst,flits,start\n0,0,1,2,0\n1,0,1,2,0\n").unwrap();
    bench.ok(&["run", "s.toml"]);
}
