//! Pipelines of routers, to the cycle: the arrival of single packets between two nodes, from BookSim 2 (commit 28f4329) for credits,
//! short buffers, batches and speedups, and by the formula of an empty network for stages of several cycles.

use crate::cli::{Bench, csv_rows};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::fs;

/// A TOML table `name` with `values`.
fn table(name: &str, values: &Map<String, Value>) -> String {
    let mut text = format!("[{name}]\n");
    for (key, value) in values {
        writeln!(text, "{key} = {value}").unwrap();
    }
    text
}

/// The scenario of `case`, and the lines of its messages.
fn scenario(case: &Value) -> (String, String) {
    let object = |value: &Value| value.as_object().unwrap().clone();
    let mut text = "name = \"t\"\n".to_owned();
    for (name, values) in object(&case["network"]) {
        text += &table(&name, &object(&values));
    }
    text += &table("channel", &object(&case["channel"]));
    let mut router = object(&case["router"]);
    router.insert("model".to_owned(), "pipelined".into());
    text += &table("router", &router);
    text += "[workload.trace]\nfile = \"m.csv\"\n";
    let mut messages = "id,src,dst,flits,start\n".to_owned();
    for message in case["messages"].as_array().unwrap() {
        let fields: Vec<String> = message.as_array().unwrap()[..5].iter().map(Value::to_string).collect();
        writeln!(messages, "{}", fields.join(",")).unwrap();
    }
    (text, messages)
}

#[test]
fn packets_arrive_in_the_cycle_that_another_simulator_or_the_formula_says() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../data/routers/closed.json")).unwrap();
    assert!(cases.len() > 50);
    for case in &cases {
        let (text, messages) = scenario(case);
        let bench = Bench::new(&text);
        fs::write(bench.path("m.csv"), messages).unwrap();
        bench.ok(&["run", "s.toml", "--messages", "--quiet"]);
        let rows = csv_rows(&fs::read_to_string(bench.path("results/t/messages.csv")).unwrap());
        for message in case["messages"].as_array().unwrap() {
            let id = message[0].to_string();
            let row = rows.iter().find(|row| row["id"] == id).unwrap();
            assert_eq!(row["delivered"], message[5].to_string(), "{}", case["note"]);
        }
    }
}

/// A request of the switch takes effect some cycles later and needs a free slot of the node before, so that a buffer of five flits does
/// not cover the way of a slot.
#[test]
fn slots_of_nodes_count_while_requests_wait_for_their_grants() {
    let arrival = |options: &str| {
        let bench = Bench::new(&format!(
            "name = \"t\"\nnetwork.mesh.shape = [2]\nchannel.buffer = 5\n[router]\nmodel = \"pipelined\"\nswitch_cycles = 3\n{options}\n[workload.trace]\nfile = \"m.csv\"\n"
        ));
        fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,0,0,6,0\n").unwrap();
        bench.ok(&["run", "s.toml", "--messages"]);
        csv_rows(&fs::read_to_string(bench.path("results/t/messages.csv")).unwrap())[0]["delivered"].clone()
    };
    assert_eq!(arrival(""), arrival("output_queue = 1000000"));
}

/// A head flit that is granted the switch before its virtual channel must not take the room that its node has for a packet.
#[test]
fn bids_without_a_virtual_channel_take_no_room_of_a_node() {
    let bench = Bench::new(
        "name = \"t\"\nseed = 470015\nnetwork.bmin = { radix = 2, levels = 2, up = \"destination\" }\n\
         [router]\nmodel = \"pipelined\"\nspeculative = true\nswitch_cycles = 3\nvc_cycles = 3\n\
         buffer_policy = \"dynamic\"\nshared_buffer = 2\nnetworks = 2\nallow_deadlock = true\n\
         [workload.traffic]\nwarmup = 0\nmeasure = 200\nreply_queue = 1\n\
         [[workload.traffic.class]]\nname = \"a\"\npattern = \"hotspot\"\nhotspots = [0]\nhotspot_fraction = 0.6\n\
         rate = 0.05\npacket_flits = 1\nnetwork = 0\nreply = \"b\"\n\
         [[workload.traffic.class]]\nname = \"b\"\npacket_flits = 1\nnetwork = 1\n",
    );
    bench.ok(&["run", "s.toml"]);
}

/// Packets that wait for slots of a shared buffer end the run as any deadlock does.
#[test]
fn a_deadlock_over_slots_of_shared_buffers_ends_the_run() {
    let bench = Bench::new(
        "name = \"t\"\nseed = 894168\nnetwork.dragonfly = { p = 2, a = 2, h = 1, groups = 3 }\n\
         [channel]\nrouting_delay = 1\nvirtual_channels = 2\n\
         [router]\nmodel = \"pipelined\"\natomic = true\nspeculative = false\nbatched_stages = true\n\
         buffer_policy = \"dynamic\"\npriority_donation = true\nallow_deadlock = true\nrouting = \"valiant\"\n\
         parallel = \"source\"\n\
         [workload.traffic]\npattern = \"hotspot\"\nhotspots = [0]\nhotspot_fraction = 0.6\npacket_flits = 6\n\
         mode = \"batch\"\nbatch_packets = 1\nbatches = 2\n",
    );
    let message = bench.fails(1, &["run", "s.toml"]);
    assert!(message.contains("can never leave"), "{message}");
}

/// Packets of as many flits as a buffer has need an empty one in either case, also where a grant of the switch brings the virtual
/// channel.
#[test]
fn whole_packets_of_the_size_of_a_buffer_are_sent_as_with_atomic_buffers() {
    let ring = "[network.torus]\nshape = [5]\norder = [0]\nconcentration = 2\ndirections = [\"minus\"]\n";
    let pair = "[network.graph]\nfile = \"graph.csv\"\n";
    let cases = [
        (ring, 4, "vc_allocator = \"piggyback\"\nswitch_cycles = 3\n", "0,9,0,4,0\n1,7,8,4,0\n2,9,2,4,0\n3,4,2,4,8\n"),
        (
            pair,
            2,
            "vc_allocator = \"piggyback\"\nswitch_allocator = \"pim\"\nrouting = \"shortest\"\nweight = \"links\"\nclasses = \"hops\"\n",
            "0,1,0,4,0\n1,0,0,4,1\n2,1,0,4,0\n",
        ),
    ];
    for (network, vcs, options, messages) in cases {
        let bench = Bench::new(&format!(
            "name = \"t\"\n{network}[channel]\nbuffer = 4\nvirtual_channels = {vcs}\n\
             [router]\nmodel = \"pipelined\"\natomic = true\nallow_deadlock = true\n{options}\
             [workload.trace]\nfile = \"messages.csv\"\n"
        ));
        fs::write(bench.path("graph.csv"), "kind,a,b,flit_time,delay\nnode,0,0,1,0\nnode,1,0,1,0\n").unwrap();
        fs::write(bench.path("messages.csv"), format!("id,src,dst,flits,start\n{messages}")).unwrap();
        let hops = |switching: &str| {
            let switching = format!("router.switching=\"{switching}\"");
            bench.ok(&["run", "s.toml", "--hops", "--set", &switching]);
            fs::read_to_string(bench.path("results/t/hops.csv")).unwrap()
        };
        assert_eq!(hops("virtual-cut-through"), hops("wormhole"), "{network}{options}");
    }
}

/// A packet that waits for as many slots as it has flits is deadlocked although a slot is free.
#[test]
fn a_deadlock_of_packets_that_are_stored_ends_the_run() {
    let bench = Bench::new(
        "name = \"t\"\nseed = 816415\n\
         [network.dragonfly]\np = 2\na = 2\nh = 1\ngroups = 2\nglobal_flit_time = 3\n\
         [channel]\nbuffer = 3\nvirtual_channels = 1\n\
         [router]\nmodel = \"pipelined\"\nswitching = \"store-and-forward\"\nallow_deadlock = true\n\
         routing = \"minimal\"\nparallel = \"source\"\n\
         [workload.traffic]\nwarmup = 0\nmeasure = 8\ndrain = 100000\n\
         [[workload.traffic.class]]\nname = \"c0\"\npattern = \"uniform\"\nrate = 0.48\npacket_flits = 3\n\
         [[workload.traffic.class]]\nname = \"c1\"\npattern = \"hotspot\"\nhotspots = [0]\nhotspot_weights = [2]\nrate = 0.11\n\
         packet_flits = 2\n",
    );
    let message = bench.fails(1, &["run", "s.toml"]);
    assert!(message.contains("can never leave"), "{message}");
}
