//! Traces of a chip beside the rest of the house: what `[device]` changes, what is refused beside it, what its tables add up to,
//! and every command that takes a scenario.

use crate::cli::Bench;
use crate::noc_events::{Doing, Line, Place, Ran, bench, number, one_read, run};
use crate::noc_traces;
use flitwise::selftest::reference::chip::npe;
use serde_json::Value;

const DETAILS: &str = "details = true";
const FOUR_CORES: &str = include_str!("../../src/workload/noc_trace/four-cores.json");

/// The trace that comes with the command, or one that is drawn.
fn with_text(text: &str, keys: &str) -> Bench {
    let bench = bench(&[], keys, "");
    std::fs::write(bench.path("t.json"), text).unwrap();
    bench
}

/// From READ to the end of the barrier behind one read of a core and one of a memory, of which each says what it reads.
fn waits(device: &str) -> [u64; 2] {
    let wait = |core: Place, from: Place, bytes| {
        let ran = run(&[one_read(core, 0, from, bytes)], "", &format!("[device]\n{device}"));
        number(&ran.table("barriers.csv")[0], "wait")
    };
    [wait([1, 1], [4, 1], 4096), wait([1, 1], [5, 1], 2048)]
}

/// By how much each key makes one read shorter or longer, of a core in the same row and of a memory in it.
#[test]
fn every_time_of_the_device_is_part_of_a_read() {
    let plain = waits("");
    let cases = [
        ("preset = \"wormhole-b0\"", [0, 0]),
        ("hop = 1", [-80, -80]),
        ("hop = 12", [30, 30]),
        ("inject = 1", [-8, -8]),
        ("eject = 9", [8, 8]),
        ("issue = 0", [-10, -10]),
        ("wake = 100", [60, 60]),
        ("worker_memory = 0", [-60, 0]),
        ("dram_memory = 200", [0, 40]),
        // behind its head flit a reply has 128 flits, or 64
        ("worker_rate = 0.5", [255 - 139, 0]),
        ("worker_rate = 1.0", [128 - 139, 0]),
        ("dram_rate = 0.5", [0, 127 - 75]),
        ("flit_bytes = 64", [69 - 139, 37 - 75]),
        // a read alone asks for nothing else
        ("dram_bytes_per_cycle = 1", [0, 0]),
        ("worker_requests = 9", [0, 0]),
        ("dram_requests = 1", [0, 0]),
        ("request_buffer = 1", [0, 0]),
        ("request_buddies = 2", [0, 0]),
        ("reply_buddies = 1", [0, 0]),
        ("multicast_buddies = 2", [0, 0]),
        ("multicast_buffer = 1", [0, 0]),
    ];
    for (key, by) in cases {
        let changed = waits(key);
        let differences: Vec<i64> =
            changed.iter().zip(plain).map(|(now, before)| now.cast_signed() - before.cast_signed()).collect();
        assert_eq!(differences, by, "{key}: {changed:?} for {plain:?}");
    }
    // the barrier begins 20 cycles after the read
    assert_eq!(waits("barrier = 2000"), [2020, 2020]);
    // a place is free again in the cycle after that in which its flit has started on the next link
    let [worker, _] = waits("reply_buffer = 1");
    assert_eq!(worker, plain[0] - 139 + 128 * 10);
}

/// Two cores that read one end at the same time.
fn reads_of_two(from: Place, bytes: u64, device: &str) -> Vec<Line> {
    let doing = |core: Place| {
        let reads = (0..2).fold(Doing::new(core, 0), |doing, at| doing.read(at, from, bytes));
        reads.barrier(10, 2000)
    };
    let ran = run(&[doing([6, 3]), doing([7, 3])], DETAILS, &format!("[device]\n{device}"));
    ran.table("reads.csv")
}

#[test]
fn limits_of_ends_and_of_memories_tell_who_waits() {
    let last = |lines: &[Line], column: &str| lines.iter().map(|line| number(line, column)).max().unwrap();
    let held = |key: &str| last(&reads_of_two([8, 3], 4096, key), "requested");
    // all four requests are there at once, or each when the reply before it begins
    assert!(held("worker_requests = 4") < 60 && held("worker_requests = 2") > 100, "{}", held("worker_requests = 4"));
    assert!(held("") > held("worker_requests = 2") + 100);
    let held = |key: &str| last(&reads_of_two([5, 3], 2048, key), "requested");
    assert!(held("") < 200 && held("dram_requests = 1") > held("dram_requests = 2"), "{}", held(""));
    let starts = |key: &str| {
        let lines = reads_of_two([5, 3], 2048, key);
        let mut starts: Vec<u64> = lines.iter().map(|line| number(line, "answered")).collect();
        starts.sort_unstable();
        starts.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<u64>>()
    };
    assert_eq!(starts("dram_bytes_per_cycle = 4"), [512; 3]);
    // and where the memory is fast one follows the other: a head flit and 64 at 0.85
    assert!(starts("dram_bytes_per_cycle = 1000").iter().all(|apart| (76..=77).contains(apart)));
}

#[test]
fn packets_and_places_are_what_the_device_says() {
    let ran = run(&[one_read([1, 1], 0, [4, 1], 4096)], "", "[device]\npacket_flits = 50");
    // 128 flits are three packets, each with a request and a reply
    assert_eq!(number(&ran.row(), "messages"), 6);
    let title = |device: &str| bench(&[one_read([1, 1], 0, [4, 1], 64)], "", device).ok(&["run", "s.toml"]);
    assert!(title("").contains("device routers with 8 virtual channels"));
    assert!(
        title("[device]\nrequest_buddies = 2\nreply_buddies = 1\nmulticast_buddies = 3").contains("with 12 virtual")
    );
    // only these are cores, and nothing else is a memory
    let told = |device: &str| bench(&[one_read([1, 1], 0, [5, 1], 64)], "", device).fails(2, &["run", "s.toml"]);
    assert!(told("[device]\nworkers = [[1, 1, 4, 1]]").contains("(5, 1) is a router without a core or memory"));
    assert!(told("[device]\nworkers = [[2, 1, 5, 1]]").contains("(1, 1) is a router without a core or memory"));
    let ran =
        |device: &str| number(&run(&[one_read([1, 1], 0, [5, 1], 2048)], "", device).table("barriers.csv")[0], "wait");
    let of_worker = ran("[device]\nworkers = [[1, 1, 5, 1]]");
    assert_eq!(ran("[device]\nworkers = [[1, 1, 5, 1]]\ndram = [[5, 1]]"), ran(""));
    assert_eq!(ran("") - of_worker, 160 - 60 + 75 - 69);
    // without workers all but the memories are cores
    assert_eq!(ran("[device]\ndram = [[0, 0]]"), of_worker);
}

#[test]
fn a_chip_of_another_shape_has_cores_everywhere() {
    let text = "name = \"s\"\n[network.torus]\nshape = [3, 2]\ndirections = \"one-way\"\n[workload.noc-trace]\nfile = \"t.json\"\n";
    let bench = Bench::new(text);
    std::fs::write(bench.path("t.json"), crate::noc_events::trace(&[one_read([0, 0], 0, [2, 1], 4096)])).unwrap();
    let wait = number(&Ran::new(bench).table("barriers.csv")[0], "wait");
    // a row of three and a column of two, there and back
    assert_eq!(wait, 10 + 10 + 60 + 139 + 10 + 9 * 5 + 40);
}

#[test]
fn what_the_device_says_is_refused_elsewhere() {
    let tables = [
        ("channel", "[channel]\nflit_time = 2"),
        ("router", "[router]\nmodel = \"pipelined\""),
        ("node", "[node]\nsend_setup = 3"),
        ("engine", "[engine]\nkind = \"flit\""),
        ("model", "[model.logp]\nL = 6\no = 2\ng = 4"),
    ];
    let doing = [one_read([1, 1], 0, [4, 1], 64)];
    for (key, table) in tables {
        let told = bench(&doing, "", table).fails(2, &["run", "s.toml"]);
        let wanted = format!("`{key}` has no effect with [device]");
        assert!(told.contains(&wanted), "{told}");
    }
    let all: String = tables.iter().map(|(_, table)| format!("{table}\n")).collect();
    assert_eq!(bench(&doing, "", &all).fails(2, &["run", "s.toml"]).matches("has no effect with [device]").count(), 3);
}

/// Links that a message passes on network `noc`: of network 0 x grows and then y, on network 1 both shrink.
fn links(noc: u64, from: [u64; 2], to: [u64; 2]) -> u64 {
    let [from, to] = if noc == 0 { [from, to] } else { [to, from] };
    (to[0] + 10 - from[0]) % 10 + (to[1] + 12 - from[1]) % 12
}

/// The flits of all links, as reads say how far and how long requests and replies are.
fn expected_flits(reads: &[Line]) -> u64 {
    let of_read = |read: &Line| {
        let noc = u64::from(read["noc"] == "NOC_1");
        let core = [number(read, "x"), number(read, "y")];
        let from = [number(read, "from_x"), number(read, "from_y")];
        let there = links(noc, core, from);
        let back = links(noc, from, core);
        assert_eq!(number(read, "hops"), there + back, "{read:?}");
        let bytes = number(read, "bytes");
        let packets = bytes.div_ceil(8192);
        packets * there + (packets + bytes.div_ceil(32)) * back
    };
    reads.iter().map(of_read).sum()
}

const PARTS: [&str; 7] = ["issue", "request", "request_blocked", "source", "reply_blocked", "reply", "wake"];

#[test]
fn flits_of_links_and_parts_of_waits_add_up() {
    let drawn = (0..20).map(|seed| npe(&noc_traces::crowded(seed)));
    let mut kept = [0; PARTS.len()];
    for text in drawn.chain([FOUR_CORES.to_owned()]) {
        let ran = Ran::new(with_text(&text, DETAILS));
        let reads = ran.table("reads.csv");
        let lines = ran.table("links.csv");
        let flits: u64 = lines.iter().map(|line| number(line, "flits")).sum();
        assert_eq!(flits, expected_flits(&reads));
        for line in &lines {
            leads_as_it_says(line);
        }
        for line in ran.table("barriers.csv") {
            let parts = PARTS.map(|part| number(&line, part));
            assert_eq!(parts.iter().sum::<u64>(), number(&line, "wait"), "{line:?}");
            kept.iter_mut().zip(parts).for_each(|(all, part)| *all += part);
        }
        for read in &reads {
            let times = ["issued", "requested", "answered", "done"].map(|column| number(read, column));
            let [issued, requested, answered, done] = times;
            assert!(issued < requested.min(answered) && answered < done && requested < done, "{read:?}");
        }
    }
    assert!(kept.iter().all(|&ticks| ticks > 0), "{kept:?}");
}

/// A line of links.csv says in columns what its name says.
fn leads_as_it_says(line: &Line) {
    let [x, y, network] = ["x", "y", "network"].map(|column| number(line, column));
    let to = match &*line["direction"] {
        "east" => [(x + 1) % 10, y],
        "west" => [(x + 9) % 10, y],
        "south" => [x, (y + 1) % 12],
        "north" => [x, (y + 11) % 12],
        other => panic!("{other} is no direction"),
    };
    assert_eq!(line["channel"], format!("noc {network} ({x},{y})->({},{})", to[0], to[1]));
    assert_eq!(matches!(&*line["direction"], "east" | "south"), network == 0, "{line:?}");
}

#[test]
fn every_command_takes_it() {
    let bench = with_text(FOUR_CORES, DETAILS);
    let table = bench.ok(&["run", "s.toml", "--hops", "--messages"]);
    for said in [
        "two 10x12 one-way tori, 40 reads of t.json, issue = react",
        "t.json",
        "3,664",
        "barriers.csv",
        "reads.csv",
        "links.csv",
        "hops.csv",
    ] {
        assert!(table.contains(said), "{said}: {table}");
    }
    let ran = Ran { bench };
    let last = |table: &str, column: &str| ran.table(table).iter().map(|line| number(line, column)).max();
    assert_eq!(last("hops.csv", "released").map(|at| at + 4), last("reads.csv", "done"));
    assert_eq!(ran.table("messages.csv").len(), 80);
    let explained = ran.bench.ok(&["explain", "s.toml"]);
    assert!(explained.contains("completion 3,630 ticks") && explained.contains("ejection noc 0 (1,1)"), "{explained}");
    let checked = ran.bench.ok(&["check", "s.toml"]);
    assert!(checked.contains("s: keys and values are valid; 1 point, 1 row"), "{checked}");
    ran.bench.ok(&["run", "s.toml", "--force", "--html"]);
    let page = std::fs::read_to_string(ran.bench.path("results/s/report.html")).unwrap();
    // the script of the page asks whether numbers are any
    let data: Vec<&str> = page.lines().filter(|line| line.contains("application/json")).collect();
    assert!(!data.is_empty() && data.iter().all(|line| !line.contains("NaN")), "{}", data.len());
    ran.bench.ok(&["run", "s.toml", "--force", "--trace", "perfetto"]);
    assert!(ran.bench.path("results/s/noc-trace-p0-r0.pftrace").is_file());
    let json: Value = serde_json::from_str(&ran.bench.ok(&["explain", "s.toml", "--format", "json"])).unwrap();
    assert_eq!(json["rows"][0]["completion"], 3630);
}

#[test]
fn the_template_runs() {
    let bench = Bench::new("");
    bench.ok(&["new", "noc-trace", "--out", "new"]);
    let table = bench.ok(&["run", "new/noc-trace.toml", "--out", "out"]);
    assert!(table.contains("four-cores.json") && !table.contains("NaN"), "{table}");
}
