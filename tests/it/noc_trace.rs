//! Traces of a chip as a user runs them: what a read takes, what writes and semaphores take, what each key changes, what tables
//! say, and what is refused. `noc_differential` holds every time of random traces to a second simulation.

use crate::cli::Bench;
use crate::noc_events::{Doing, Line, Place, Ran, bench, number, one_read, run, scenario, trace};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const DETAILS: &str = "details = true";

/// What a read of so many hops there and back takes from its READ to the end of its barrier.
struct OneRead {
    bytes: u64,
    hops: u64,
    memory: u64,
    /// Thousandths of a flit a cycle.
    rate: u64,
}

impl OneRead {
    fn wait(&self) -> u64 {
        // behind the head flit, for which it has saved up for a part of the next
        let sending = (self.bytes.div_ceil(32) * 1000 - self.rate).div_ceil(self.rate);
        10 + 10 + self.memory + sending + 10 + 9 * self.hops + 40
    }
}

const WORKER: OneRead = OneRead { bytes: 4096, hops: 0, memory: 60, rate: 920 };
const DRAM: OneRead = OneRead { bytes: 2048, hops: 22, memory: 160, rate: 850 };

#[test]
fn a_read_of_each_kind_takes_its_closed_form() {
    let cases: [(Place, Place, u64, OneRead, u64); 9] = [
        ([1, 1], [1, 1], 0, WORKER, 269),
        ([1, 1], [1, 1], 1, WORKER, 269),
        ([1, 1], [4, 1], 0, OneRead { hops: 10, ..WORKER }, 359),
        ([1, 1], [4, 1], 1, OneRead { hops: 10, ..WORKER }, 359),
        ([1, 1], [1, 4], 0, OneRead { hops: 12, ..WORKER }, 377),
        ([1, 1], [3, 4], 1, OneRead { hops: 22, ..WORKER }, 467),
        ([9, 11], [1, 0], 0, OneRead { hops: 22, ..WORKER }, 467),
        ([1, 1], [5, 9], 0, DRAM, 503),
        ([7, 3], [5, 9], 1, DRAM, 503),
    ];
    for (core, from, noc, read, in_specification) in cases {
        let ran = run(&[one_read(core, noc, from, read.bytes)], "", "");
        let [barrier] = &ran.table("barriers.csv")[..] else { panic!("one barrier follows the read") };
        let wait = number(barrier, "wait");
        assert_eq!(wait, read.wait(), "{core:?} reads {from:?} on {noc}");
        assert!(wait.abs_diff(in_specification) <= 1, "{wait} for {in_specification}");
        assert_eq!((number(barrier, "chip_wait"), number(barrier, "last_read")), (460, 240));
        assert_eq!(ran.measured(), 240 + wait);
        let error = wait as f64 / 460.0 - 1.0;
        assert!((barrier["error"].parse::<f64>().unwrap() - error).abs() < 1e-6, "{barrier:?}");
    }
}

/// Every read of a barrier that has other numbers than whole flits, and is longer than a packet.
#[test]
fn packets_are_cut_where_they_are_full() {
    for (bytes, packets, flits) in [(1, 1, 1), (32, 1, 1), (33, 1, 2), (8192, 1, 256), (8193, 2, 257), (20_000, 3, 625)]
    {
        let ran = run(&[one_read([1, 1], 0, [2, 1], bytes)], DETAILS, "");
        assert_eq!((number(&ran.row(), "messages"), number(&ran.row(), "reads")), (2 * packets, 1));
        assert_eq!(number(&ran.row(), "bytes"), bytes);
        let all: u64 = ran.table("links.csv").iter().map(|line| number(line, "flits")).sum();
        // a request over one link, and a reply with a head flit over nine, of each packet
        assert_eq!(all, packets + 9 * (packets + flits), "{bytes}");
    }
}

/// A source gives one reply after the other at its rate; then the last one has its way before it.
#[test]
fn two_cores_that_read_one_source_share_what_it_gives() {
    let reader = |core: Place| {
        let reads = (0..8).fold(Doing::new(core, 0), |doing, at| doing.read(10 * at, [3, 3], 4096));
        reads.barrier(100, 3000)
    };
    let ran = run(&[reader([4, 3]), reader([3, 4])], DETAILS, "");
    let reads = ran.table("reads.csv");
    assert_eq!(reads.len(), 16);
    let first = reads.iter().map(|read| number(read, "answered")).min().unwrap();
    let last = reads.iter().map(|read| number(read, "done")).max().unwrap();
    let sending = last - first - 5 - 9 - 5;
    assert!(sending.abs_diff(16 * 129 * 1000 / 920) <= 2, "{sending}");
    // who waits is kept by a reply to the other
    let blocked: Vec<&Line> = reads.iter().filter(|read| number(read, "blocked") > 0).collect();
    assert!(blocked.len() >= 12 && blocked.iter().all(|read| !read["blocked_by"].is_empty()), "{blocked:?}");
    assert!(reads.iter().all(|read| read["blocked"] != "0" || read["blocked_by"].is_empty()));
}

#[test]
fn a_barrier_without_reads_takes_its_least_and_has_no_line() {
    let ran = run(&[Doing::new([1, 1], 0).barrier(5, 90).barrier(100, 180)], "", "");
    assert!(ran.table("barriers.csv").is_empty());
    // the second begins as long after the end of the first as in the trace
    assert_eq!(ran.measured(), 84 + 10 + 79);
    assert_eq!((number(&ran.row(), "reads"), &*ran.row()["wait_error_median"]), (0, ""));
}

/// Barriers are counted with those that wait for nothing.
#[test]
fn barriers_are_told_by_their_number_among_all() {
    let doing = Doing::new([1, 1], 0).barrier(5, 90).read(100, [4, 1], 64).barrier(110, 400).barrier(500, 580);
    let ran = run(&[doing.read(600, [4, 1], 64).read(700, [4, 1], 64).barrier(710, 1000)], "", "");
    let told: Vec<_> =
        ran.table("barriers.csv").iter().map(|line| (number(line, "index"), number(line, "reads"))).collect();
    assert_eq!(told, [(1, 1), (3, 2)]);
}

#[test]
fn replay_keeps_the_times_of_the_trace_where_a_processor_is_free() {
    let doing = || {
        let late = Doing::new([1, 1], 0).read(0, [4, 1], 4096).barrier(10, 100);
        late.read(150, [4, 1], 32).read(650, [4, 1], 32).barrier(700, 800)
    };
    let issued = |keys: &str| {
        let ran = run(&[doing()], keys, "");
        let line = &ran.table("barriers.csv")[1];
        assert_eq!(number(line, "chip_last_read"), 650);
        (number(line, "last_read"), number(line, "end") - number(line, "last_read"), ran.row()["issue"].clone())
    };
    // the first barrier ends at 359 or 360, and not at 100
    let (react, _, name) = issued("details = true\nissue = \"react\"");
    assert_eq!((react, &*name), (OneRead { hops: 10, ..WORKER }.wait() + 550, "react"));
    let (replay, _, name) = issued("details = true\nissue = \"replay\"");
    assert_eq!((replay, &*name), (650, "replay"));
}

/// From WRITE to the end of its barrier: the data leave at a flit a cycle, and a flit comes back.
#[test]
fn a_write_is_acknowledged_before_its_barrier_ends() {
    let cases: [(Place, Place, u64, u64); 3] =
        [([1, 1], [4, 1], 10, 60), ([1, 1], [1, 1], 0, 60), ([1, 1], [5, 9], 22, 160)];
    for (core, to, hops, memory) in cases {
        let ran = run(&[Doing::new(core, 0).write(240, to, 4096).write_barrier(260, 500)], "", "");
        assert_eq!(ran.measured(), 240 + 10 + 10 + 128 + memory + 10 + 9 * hops + 40, "{to:?}");
        // waits that are judged are those for reads
        assert!(ran.table("barriers.csv").is_empty());
        assert_eq!((number(&ran.row(), "reads"), number(&ran.row(), "messages")), (0, 2));
    }
}

/// A barrier waits for its kind of transfers alone.
#[test]
fn barriers_of_reads_do_not_wait_for_writes() {
    let issued = |doing: Doing| {
        let ran = run(&[doing.read(110, [2, 1], 32).barrier(120, 900)], DETAILS, "");
        number(ran.table("reads.csv").last().unwrap(), "issued")
    };
    let began = 20 + 79 + 10;
    assert_eq!(issued(Doing::new([1, 1], 0).write(0, [4, 1], 4096).barrier(20, 100)), began);
    assert_eq!(issued(Doing::new([1, 1], 0).read(0, [4, 1], 4096).write_barrier(20, 100)), began);
}

/// The tail of 129 flits leaves the router's buffer 128 cycles after the head, which comes there after 10 and 5.
#[test]
fn a_flush_ends_when_all_has_left() {
    let doing = || {
        let flushed = Doing::new([1, 1], 0).write(0, [4, 1], 4096).plain(10, "WRITE_FLUSH");
        flushed.read(20, [4, 1], 32).barrier(30, 400)
    };
    let left = 10 + 5 + 128 + 1;
    for (issue, issued) in [("react", left + 10), ("replay", left)] {
        let ran = run(&[doing()], &format!("details = true\nissue = \"{issue}\""), "");
        assert_eq!(number(&ran.table("reads.csv")[0], "issued"), issued, "{issue}");
    }
}

#[test]
fn semaphores_take_a_flit_or_the_time_that_was_recorded() {
    let doing = Doing::new([1, 1], 0).plain(50, "SEMAPHORE_SET").plain(100, "SEMAPHORE_WAIT").increment(500, [4, 1]);
    let ran = run(&[doing.read(600, [4, 1], 32).barrier(610, 900)], DETAILS, "");
    let reads = ran.table("reads.csv");
    assert_eq!((reads.len(), number(&reads[0], "issued")), (1, 600));
    // an increment and what comes back are a flit each, and a read of a flit is three
    let flits: u64 = ran.table("links.csv").iter().map(|line| number(line, "flits")).sum();
    assert_eq!(flits, (3 + 7) + (3 + 2 * 7));
}

/// Placed elsewhere as a whole it takes the same time, under its own name.
#[test]
fn a_read_that_is_moved_takes_the_same_time() {
    let moved = |map: &str| {
        let bench = bench(&[one_read([1, 1], 0, [4, 1], 4096)], "map = \"map.csv\"\ndetails = true", "");
        std::fs::write(bench.path("map.csv"), map).unwrap();
        let ran = Ran::new(bench);
        let [line] = &ran.table("barriers.csv")[..] else { panic!("one barrier follows the read") };
        let read = &ran.table("reads.csv")[0];
        assert_eq!(
            [&*line["x"], &line["y"], &read["x"], &read["y"], &read["from_x"], &read["from_y"]],
            ["1", "1", "1", "1", "4", "1"]
        );
        number(line, "wait")
    };
    let there = OneRead { hops: 10, ..WORKER }.wait();
    assert_eq!(moved("x,y,to_x,to_y\n"), there);
    assert_eq!(moved("x,y,to_x,to_y\n1,1,6,3\n4,1,9,3\n"), there);
    // a row down; both change places; to itself
    assert_eq!(moved("x,y,to_x,to_y\n4,1,4,2\n"), OneRead { hops: 22, ..WORKER }.wait());
    assert_eq!(moved("x,y,to_x,to_y\n1,1,4,1\n4,1,1,1\n"), there);
    assert_eq!(moved("x, y, to_x, to_y\n1, 1, 1, 1\n"), there);
    // the data of a core come from a memory
    assert_eq!(moved("x,y,to_x,to_y\n4,1,5,9\n"), OneRead { bytes: 4096, ..DRAM }.wait());
}

#[test]
fn maps_that_cannot_be_are_refused() {
    let cases = [
        ("x,y,to_x,to_y\n1,1,4,1\n", "(4, 1)"),
        ("x,y,to_x,to_y\n1,1,6,3\n4,1,6,3\n", "(6, 3)"),
        ("x,y,to_x,to_y\n1,1,6,3\n1,1,6,4\n", "(1, 1) is mapped twice"),
        ("x,y,to_x,to_y\n1,1,0,2\n", "(0, 2), the target of (1, 1), is a router without a core or memory"),
        ("x,y,to_x,to_y\n1,1,10,2\n", "map.csv:2:5"),
        ("x,y,to_x,to_y\n1,1,6\n", "map.csv:2:1"),
        ("x,y,to_x,to_y\n1,1,6,-1\n", "`to_y` must be at least 0"),
        ("x,y\n1,1\n", "the column `to_x` is missing"),
        ("", "the first line must be `x,y,to_x,to_y`"),
    ];
    for (map, said) in cases {
        let bench = bench(&[one_read([1, 1], 0, [4, 1], 4096)], "map = \"map.csv\"", "");
        std::fs::write(bench.path("map.csv"), map).unwrap();
        let told = bench.fails(2, &["run", "s.toml"]);
        assert!(told.contains(said) && told.contains("map.csv"), "{map}: {told}");
    }
    // without a map, too, but nothing was put there
    for (core, from) in [([1, 1], [0, 2]), ([0, 2], [1, 1])] {
        let told = bench(&[one_read(core, 0, from, 64)], "", "").fails(2, &["run", "s.toml"]);
        assert!(told.contains("t.json: (0, 2) is a router without a core or memory"), "{told}");
    }
}

/// The network of each read, and how many links its request and its reply pass.
#[test]
fn networks_say_which_one_each_read_takes() {
    // on network 0 data of (2,1) have nine links to (1,1) and one to (3,1), on network 1 the other way round
    let doing = [one_read([1, 1], 0, [2, 1], 64), one_read([3, 1], 1, [2, 1], 64), one_read([6, 1], 1, [6, 7], 64)];
    let taken = |networks: &str| {
        let ran = run(&doing, &format!("details = true\nnetworks = \"{networks}\""), "");
        let reads = ran.table("reads.csv");
        let hops: Vec<u64> = reads.iter().map(|read| number(read, "hops")).collect();
        assert_eq!(hops, [10, 10, 12]);
        let nocs: String = reads.iter().map(|read| read["noc"].trim_start_matches("NOC_").to_owned()).collect();
        let used: std::collections::BTreeSet<String> =
            ran.table("links.csv").iter().map(|line| line["network"].clone()).collect();
        assert!(nocs.chars().all(|noc| used.contains(&noc.to_string())) && used.len() <= 2);
        (nocs, used.len())
    };
    assert_eq!(taken("as-recorded"), ("011".to_owned(), 2));
    assert_eq!(taken("0"), ("000".to_owned(), 1));
    assert_eq!(taken("1"), ("111".to_owned(), 1));
    assert_eq!(taken("swapped"), ("100".to_owned(), 2));
    // of two ways that are as long the one that was recorded
    assert_eq!(taken("nearer"), ("101".to_owned(), 2));
}

#[test]
fn what_is_not_compared_has_no_columns_of_the_chip() {
    let ran = run(&[one_read([1, 1], 0, [4, 1], 4096)], "compare = false", "");
    for column in ["chip", "error", "wait_error_median", "wait_error_p90"] {
        assert_eq!(ran.row()[column], "", "{column}");
    }
    let line = &ran.table("barriers.csv")[0];
    for column in ["chip_last_read", "chip_end", "chip_wait", "error"] {
        assert_eq!(line[column], "", "{column}");
    }
    assert_eq!(number(line, "wait"), OneRead { hops: 10, ..WORKER }.wait());
}

#[test]
fn packed_files_read_the_same() {
    let doing = [one_read([1, 1], 0, [4, 1], 4096), one_read([2, 1], 1, [5, 9], 2048)];
    let plain = run(&doing, "", "");
    let packed = Bench::new(&scenario("", "").replace("t.json", "t.json.gz"));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(trace(&doing).as_bytes()).unwrap();
    std::fs::write(packed.path("t.json.gz"), encoder.finish().unwrap()).unwrap();
    let packed = Ran::new(packed);
    assert_eq!(packed.row()["trace"], "t.json.gz");
    let without_name = |lines: Vec<Line>| {
        let lines = lines.into_iter().map(|mut line| {
            line.remove("trace");
            line
        });
        lines.collect::<Vec<Line>>()
    };
    for table in ["rows.csv", "barriers.csv"] {
        assert_eq!(without_name(plain.table(table)), without_name(packed.table(table)));
    }
}

#[test]
fn a_sweep_over_files_has_a_row_for_each() {
    let sweep = "[sweep]\n\"workload.noc-trace.file\" = [\"t.json\", \"u.json\"]\n\"workload.noc-trace.issue\" = [\"react\", \"replay\"]";
    let bench = bench(&[one_read([1, 1], 0, [4, 1], 4096)], "", sweep);
    std::fs::write(bench.path("u.json"), trace(&[one_read([1, 1], 0, [1, 4], 4096)])).unwrap();
    let ran = Ran::new(bench);
    let rows: Vec<_> = ran
        .table("rows.csv")
        .iter()
        .map(|row| (row["trace"].clone(), row["issue"].clone(), number(row, "measured")))
        .collect();
    let row =
        |file: &str, issue: &str, hops| (file.to_owned(), issue.to_owned(), 240 + OneRead { hops, ..WORKER }.wait());
    let expected = [
        row("t.json", "react", 10),
        row("t.json", "replay", 10),
        row("u.json", "react", 12),
        row("u.json", "replay", 12),
    ];
    assert_eq!(rows, expected);
    assert_eq!(ran.table("barriers.csv").len(), 4);
}
