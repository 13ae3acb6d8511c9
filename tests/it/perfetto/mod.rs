//! Traces for Perfetto, read back by a reader of their own: every slice is there and stands where it belongs.

mod reader;

use crate::cli::Bench;
use flitwise::engine::program::Cause;
use flitwise::kind::RowId;
use flitwise::output::write_perfetto;
use flitwise::recording::{Hop, Recording};
use flitwise::run::recorded;
use flitwise::scenario::{Options, Scenario, Tick};
use flitwise::units::{MessageId, Ticks};
use reader::{Slice, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn is_waiting(track: &str) -> bool {
    track.starts_with("waiting for ")
}

fn is_of_node(track: &str) -> bool {
    track == "send" || track == "receive"
}

/// The sum of `ticks` of all hops by channel, as `name`d; channels without any are left out.
fn by_channel(recording: &Recording<'_>, name: &str, ticks: impl Fn(&Hop) -> Ticks) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for hop in recording.numbers().flat_map(|message| recording.hops(message)) {
        let channel = format!("{name}{}", recording.machine.channel_name(hop.channel));
        *sums.entry(channel).or_default() += ticks(hop).0;
    }
    sums.retain(|_, ticks| *ticks > 0);
    sums
}

fn written(recording: &Recording<'_>, tick: Option<&str>) -> Trace {
    let tick = tick.map(|text| Tick::parse(text).unwrap());
    let mut bytes = Vec::new();
    write_perfetto(&mut bytes, recording, tick.as_ref()).unwrap();
    Trace::read(&bytes)
}

/// That the slices of `message` are all joined by its flow, which ends with the last, and arrows lead to where they should.
fn check_flows(recording: &Recording<'_>, trace: &Trace, message: MessageId) {
    let slices = trace.called(&format!("message {}", recording.id(message)));
    let held = recording.hops(message).iter().filter(|hop| hop.granted < hop.released).count();
    assert!(slices.len() >= held && held >= 2);
    let own = u64::from(message.0) + 1;
    let arrow = |message: MessageId| (1 << 32) + u64::from(message.0);
    let last = slices.len() - 1;
    let cause = &recording.messages[message.index()].began.cause;
    let is_after = |other: MessageId| recording.messages[other.index()].began.cause == Cause::Received(message);
    for (at, slice) in slices.iter().enumerate() {
        let mut flows = BTreeSet::new();
        flows.extend((at < last).then_some(own));
        flows.extend((at == last && recording.numbers().any(is_after)).then_some(arrow(message)));
        if let (0, Cause::Received(before)) = (at, *cause) {
            flows.insert(arrow(before));
        }
        assert_eq!(slice.flows.iter().copied().collect::<BTreeSet<_>>(), flows, "{slice:?}");
        assert_eq!(slice.last_flows, if at == last { vec![own] } else { Vec::new() });
    }
    let outcome = &recording.messages[message.index()].outcome;
    let ends_with = if outcome.delivered < outcome.received { "receive" } else { "ejection " };
    assert!(slices[last].track.starts_with(ends_with), "{:?}", slices[last]);
    let began = recording.messages[message.index()].began.at;
    assert_eq!(slices[0].track == "send", began < outcome.requested, "{:?}", slices[0]);
}

/// Where a router or its node is, whether it is called `router 5`, `(5)`, `n5` or `node 5`.
fn place(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_digit() || *c == ',').collect()
}

/// That the trace of `recording` says what happened, and processes of nodes come first.
fn check(recording: &Recording<'_>) -> Trace {
    let trace = written(recording, Some("1ns"));
    let held = trace.sums(|track| !is_waiting(track) && !is_of_node(track));
    assert_eq!(held, by_channel(recording, "", |hop| hop.released - hop.granted));
    assert_eq!(trace.sums(is_waiting), by_channel(recording, "waiting for ", Hop::waited));
    let sum = |ticks: &dyn Fn(MessageId) -> Ticks| recording.numbers().map(ticks).map(|ticks| ticks.0).sum::<u64>();
    let detail = |message: MessageId| &recording.messages[message.index()];
    let sent = sum(&|message| detail(message).outcome.requested - detail(message).began.at);
    let received = sum(&|message| detail(message).outcome.received - detail(message).outcome.delivered);
    assert_eq!(trace.on("send").map(|slice| slice.ticks).sum::<u64>(), sent);
    assert_eq!(trace.on("receive").map(|slice| slice.ticks).sum::<u64>(), received);
    assert!(trace.slices.iter().all(|slice| slice.ticks == slice.to - slice.from));
    recording.numbers().for_each(|message| check_flows(recording, &trace, message));
    let nodes = recording.machine.network_nodes();
    for (at, (pid, name)) in trace.processes.iter().enumerate() {
        assert_eq!(*pid, at as u64 + 1);
        assert_eq!(name.starts_with("node "), at < nodes, "{name}");
    }
    for slice in &trace.slices {
        let link = slice.track.trim_start_matches("waiting for ");
        // links of a bmin are called by their labels
        if let Some((from, _)) = link.split_once("->").filter(|_| !link.contains("label")) {
            assert_eq!(place(&slice.process), place(from), "{slice:?}");
        }
        if let Some((_, node)) = slice.track.split_once("jection ").filter(|_| !is_waiting(&slice.track)) {
            assert_eq!(slice.process, format!("node {}", node.split(" port ").next().unwrap()), "{slice:?}");
        }
    }
    trace
}

const FIRST: RowId = RowId { point: 0, algorithm: 0, repetition: 0 };

/// A scenario with the messages `csv` in `m.csv`.
fn traced(table: &str, csv: &str) -> Scenario {
    let bench = Bench::new("");
    fs::write(bench.path("m.csv"), csv).unwrap();
    let text = format!("name = \"perfetto\"\n{table}\n[workload.trace]\nfile = \"m.csv\"\n");
    Scenario::parse("s.toml", &text, &bench.path(""), &Options::default()).unwrap()
}

/// Messages that meet: all to the last node and among neighbours, with ids that are not their numbers.
fn crossing(nodes: u64) -> String {
    let line = |at: u64| {
        let src = at % (nodes - 1);
        let dst = if at.is_multiple_of(3) { nodes - 1 } else { (src + 1 + at % 5) % nodes };
        let dst = if dst == src { nodes - 1 } else { dst };
        format!("{},{src},{dst},{},{}\n", at + 100, 3 + at % 7, at % 4)
    };
    format!("id,src,dst,flits,start\n{}", (0..4 * nodes).map(line).collect::<String>())
}

/// The example of `explain`: messages 0 and 1 wait, and message 2 holds the last link.
#[test]
fn slices_of_a_line_are_as_worked_out_by_hand() {
    let csv = "id,src,dst,flits,start\n10,0,2,3,0\n11,1,3,4,0\n12,2,3,10,0\n";
    let scenario = traced("[network.mesh]\nshape = [4]\n[channel]\nbuffer = 1\n", csv);
    let recording = recorded(&scenario, FIRST).unwrap().unwrap();
    let trace = check(&recording);
    let names: Vec<&str> = trace.processes.values().map(String::as_str).collect();
    assert_eq!(names, ["node (0)", "node (1)", "node (2)", "node (3)"]);
    let told = |track: &str| -> Vec<(String, String, u64, u64)> {
        let slices = trace.on(track).cloned();
        slices.map(|slice| (slice.process, slice.name, slice.from, slice.to)).collect()
    };
    let slice = |process: &str, name: &str, from, to| (process.to_owned(), name.to_owned(), from, to);
    assert_eq!(told("waiting for (2)->(3)"), [slice("node (2)", "message 11", 2, 11)]);
    assert_eq!(told("waiting for (1)->(2)"), [slice("node (1)", "message 10", 2, 14)]);
    assert_eq!(told("(1)->(2)"), [slice("node (1)", "message 11", 1, 14), slice("node (1)", "message 10", 14, 17)]);
    assert_eq!(told("(2)->(3)")[0], slice("node (2)", "message 12", 1, 11));
    assert_eq!(told("injection (2)"), [slice("node (2)", "message 12", 0, 10)]);
    assert!(told("send").is_empty() && told("receive").is_empty());
}

#[test]
fn traces_of_all_kinds_of_networks_say_what_happened() {
    for (table, nodes, routers) in [
        ("[network.mesh]\nshape = [3, 4]", 12, 0),
        ("[network.mesh]\nshape = [3, 4]\n[channel]\nvirtual_channels = 2\n[router]\nmodel = \"pipelined\"", 12, 0),
        ("[network.torus]\nshape = [4, 4]", 16, 0),
        ("[network.hypercube]\ndimension = 4", 16, 0),
        ("[network.hypercube]\ndimension = 3\n[router]\nmodel = \"ideal\"", 8, 0),
        ("[network.bmin]\nradix = 2\nlevels = 3", 8, 12),
        ("[network.bmin]\nradix = 2\nlevels = 3\n[router]\nmodel = \"pipelined\"", 8, 12),
        ("[network.fat-tree]\narity = 2\nlevels = 3", 8, 12),
        ("[network.fat-tree]\narity = 2\nlevels = 3\n[node]\nports = 2", 8, 12),
        ("[network.dragonfly]\np = 1\na = 3\nh = 1", 12, 0),
        ("[network.dragonfly]\np = 2\na = 3\nh = 1", 24, 12),
    ] {
        let scenario = traced(table, &crossing(nodes));
        let recording = recorded(&scenario, FIRST).unwrap().unwrap();
        let trace = check(&recording);
        assert_eq!(trace.processes.len() as u64, nodes + routers, "{table}");
        assert!(trace.slices.iter().any(|slice| is_waiting(&slice.track)), "{table}");
        let is_link = |slice: &&Slice| slice.track.contains("->") && !is_waiting(&slice.track);
        for slice in trace.slices.iter().filter(is_link) {
            assert_eq!(slice.process.starts_with("router "), routers > 0, "{table}: {slice:?}");
        }
    }
}

/// Links of a tree belong to the switches that they leave, and head flits wait there, those for ejection channels too.
#[test]
fn switches_without_nodes_of_their_own_have_processes() {
    let scenario = traced(
        "[network.fat-tree]\narity = 2\nlevels = 2",
        "id,src,dst,flits,start\n0,0,3,9,0\n1,1,3,9,0\n2,2,3,9,0\n",
    );
    let recording = recorded(&scenario, FIRST).unwrap().unwrap();
    let trace = check(&recording);
    let expected = ["node n0", "node n1", "node n2", "node n3", "router 0", "router 1", "router 2", "router 3"];
    assert_eq!(trace.processes.values().collect::<Vec<_>>(), expected);
    for slice in trace.slices.iter().filter(|slice| slice.track.contains("->")) {
        let link = slice.track.rsplit(' ').next().unwrap();
        let from = link.split("->").next().unwrap().trim_matches(['(', ')']);
        assert_eq!(slice.process, format!("router {from}"), "{slice:?}");
    }
    let waits: Vec<&Slice> = trace.on("waiting for ejection n3").collect();
    assert!(!waits.is_empty() && waits.iter().all(|wait| wait.process == "router 1"), "{waits:?}");
}

const OVERHEADS: &str =
    "node = { send_setup = 30, send_per_flit = 1, receive_setup = 50, receive_per_flit = 2, ports = ";

#[test]
fn sends_and_receives_are_told_and_arrows_lead_to_what_they_let_begin() {
    for ports in [1, 3] {
        let workload = "workload.multicast = { algorithms = [\"binomial\", \"u-mesh\"], flits = 40, group = 12 }\n";
        let text = format!("name = \"m\"\nnetwork.mesh.shape = [5, 5]\n{OVERHEADS}{ports} }}\n{workload}");
        let scenario: Scenario = text.parse().unwrap();
        for algorithm in 0..2 {
            let recording = recorded(&scenario, RowId { algorithm, ..FIRST }).unwrap().unwrap();
            let trace = check(&recording);
            assert_eq!(trace.processes.len(), 25);
            let arrows = |slice: &Slice| slice.flows.iter().any(|&flow| flow >= 1 << 32);
            assert!(trace.on("receive").any(arrows) && trace.on("send").any(arrows));
        }
    }
}

/// Without overheads arrows lead from ejection to injection channels.
#[test]
fn arrows_of_nodes_without_overheads_join_channels() {
    for synchronous in [true, false] {
        let workload = format!(
            "workload.exchange = {{ algorithms = [\"direct\", \"suh-shin\"], block_flits = 4, synchronous = {synchronous} }}\n"
        );
        let text = format!("name = \"x\"\nnetwork.torus.shape = [4, 4]\nchannel.virtual_channels = 2\n{workload}");
        let scenario: Scenario = text.parse().unwrap();
        for algorithm in 0..2 {
            let recording = recorded(&scenario, RowId { algorithm, ..FIRST }).unwrap().unwrap();
            let trace = check(&recording);
            assert!(trace.sums(is_of_node).is_empty());
        }
    }
}

/// All messages of a node at once: as many wait for its channels as there are, and as many are sent at once as it has ports.
#[test]
fn what_would_overlap_is_on_tracks_of_the_same_name() {
    let lines: String = (1..9).map(|dst| format!("{dst},0,{dst},20,0\n")).collect();
    let csv = format!("id,src,dst,flits,start\n{lines}");
    let scenario = traced("[network.mesh]\nshape = [3, 3]\n[node]\nports = 2", &csv);
    let recording = recorded(&scenario, FIRST).unwrap().unwrap();
    let trace = check(&recording);
    let tracks = |name: &str| trace.tracks.values().filter(|track| track.name == name).count();
    assert_eq!((tracks("injection (0,0) port 0"), tracks("injection (0,0) port 1")), (1, 1));
    let waiting: usize = trace.tracks.values().filter(|track| is_waiting(&track.name)).count();
    let names: BTreeSet<&String> =
        trace.tracks.values().map(|track| &track.name).filter(|name| is_waiting(name)).collect();
    assert!(waiting >= 6 && names.len() < waiting, "{names:?} on {waiting} tracks");
}

#[test]
fn times_are_in_nanoseconds_where_ticks_are_whole_ones() {
    let scenario = traced("[network.mesh]\nshape = [4, 4]", &crossing(16));
    let recording = recorded(&scenario, FIRST).unwrap().unwrap();
    let plain = check(&recording);
    let scaled = written(&recording, Some("10ns"));
    assert_eq!(scaled.processes, plain.processes);
    let times = |slice: &Slice| Slice { from: 10 * slice.from, to: 10 * slice.to, ..slice.clone() };
    assert_eq!(scaled.slices, plain.slices.iter().map(times).collect::<Vec<_>>());
    for (tick, first) in [
        (Some("1.5ns"), "node (0,0) (here 1 ns stands for 1 tick of 1.5ns)"),
        (Some("100ps"), "node (0,0) (here 1 ns stands for 1 tick of 100ps)"),
        (None, "node (0,0) (here 1 ns stands for 1 tick)"),
    ] {
        let trace = written(&recording, tick);
        let at_first = |slice: &Slice| Slice { process: slice.process.replace(first, "node (0,0)"), ..slice.clone() };
        assert_eq!(trace.slices.iter().map(at_first).collect::<Vec<_>>(), plain.slices);
        assert_eq!(trace.processes[&1], first);
        assert!(trace.processes.iter().skip(1).eq(plain.processes.iter().skip(1)));
    }
}

#[test]
fn traces_are_the_same_bytes_each_time() {
    let scenario = traced("[network.mesh]\nshape = [4, 4]", &crossing(16));
    let bytes = || {
        let recording = recorded(&scenario, FIRST).unwrap().unwrap();
        let mut bytes = Vec::new();
        write_perfetto(&mut bytes, &recording, None).unwrap();
        bytes
    };
    assert_eq!(bytes(), bytes());
}

/// What cannot take the trace says so.
#[test]
fn a_full_disk_is_told() {
    let scenario = traced("[network.mesh]\nshape = [4, 4]", &crossing(16));
    let recording = recorded(&scenario, FIRST).unwrap().unwrap();
    let mut room = [0; 100];
    assert!(write_perfetto(&mut room[..], &recording, None).is_err());
}
