//! What head flits wait for at their own injection channel is told apart from what they wait for in the network.

use crate::cli::Bench;

/// A contention-free tree whose senders' wires take two ticks for a flit that their processors are done with after one.
const SLOW_WIRE: &str = r#"
name = "slow-wire"
repetitions = 2
network.mesh.shape = [6, 6]
channel.flit_time = 2
node = { send_setup = 20, send_per_flit = 1, receive_setup = 35, receive_per_flit = 3 }
workload.multicast = { algorithms = ["opt-mesh"], flits = 64, group = 16 }
sweep = { engine = { kind = ["worm", "flit"] } }
"#;

#[test]
fn messages_that_only_queue_do_not_contend() {
    let bench = Bench::new(SLOW_WIRE);
    let said = bench.ok(&["check", "s.toml"]);
    assert_eq!(
        said.matches("no contention: in 2 runs head flits wait for their own injection channel alone,").count(),
        2
    );
    let said = bench.ok(&["check", "s.toml", "--set", "node.send_per_flit=2"]);
    assert_eq!(said.matches("no contention: no head flit waits in 2 runs").count(), 2, "{said}");
    let said = bench.ok(&["check", "s.toml", "--set", "workload.multicast.algorithms=[\"opt-tree\"]"]);
    assert!(said.contains(" at injection channels; repetition ") && said.contains("; granted at "), "{said}");
}
