//! The bound by which scenarios are refused whose times the clock might not hold: no run takes longer.

use flitwise::kind::{Keep, RowId};
use flitwise::scenario::{Options, Scenario};
use std::path::Path;

/// What a run of `scenario`, whose files are in `folder`, takes, and what it takes at worst.
fn taken(scenario: &str, folder: &Path) -> [u128; 2] {
    let scenario = Scenario::parse("s.toml", scenario, folder, &Options::default()).unwrap();
    let experiment = &scenario.points[0].experiment;
    let row = experiment.run(RowId { point: 0, algorithm: 0, repetition: 0 }, Keep::messages(false)).unwrap();
    let worst = experiment.workload.worst_case(&experiment.machine).unwrap();
    [row.measured().0.into(), worst.ticks]
}

/// A flit leaves when the credit of the one before it is back.
#[test]
fn routers_with_buffers_of_one_flit_take_no_longer_than_at_worst() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.csv"), "id,src,dst,flits,start\n0,0,1,40,0\n").unwrap();
    let scenario = "name = \"s\"\n[network.mesh]\nshape = [2]\n[channel]\nbuffer = 1\n[router]\nmodel = \"pipelined\"\n\
                    [workload.trace]\nfile = \"m.csv\"\n";
    let [taken, worst] = taken(scenario, folder.path());
    assert!(taken > 40 * 5 && taken <= worst, "{taken} and {worst}");
}

/// Replies wait for credits, for the memory, and leave slowly.
#[test]
fn chips_with_slow_memories_take_no_longer_than_at_worst() {
    let event = |kind: &str, to: [i32; 2], bytes: u32, at: u64| {
        format!(
            "{{\"proc\":\"BRISC\",\"noc\":\"NOC_0\",\"vc\":-1,\"sx\":0,\"sy\":0,\"dx\":{},\"dy\":{},\"num_bytes\":{bytes},\
             \"type\":\"{kind}\",\"timestamp\":{at}}}",
            to[0], to[1]
        )
    };
    let events = [
        event("READ", [1, 0], 4096, 0),
        event("READ_BARRIER_START", [-1, -1], 0, 1),
        event("READ_BARRIER_END", [-1, -1], 0, 2),
    ];
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.json"), format!("[{}]", events.join(","))).unwrap();
    let scenario = "name = \"s\"\ntick = \"1ns\"\n[network.torus]\nshape = [2, 1]\ndirections = \"one-way\"\n[device]\ndram = []\n\
                    hop = 12\nreply_buffer = 1\nworker_memory = 400\nworker_rate = 0.13\n[workload.noc-trace]\nfile = \"t.json\"\n\
                    format = \"npe\"\ndevice = \"wormhole-b0\"\nissue = \"react\"\n";
    let [taken, worst] = taken(scenario, folder.path());
    assert!(taken > 128 * 13 && taken <= worst, "{taken} and {worst}");
}
