//! Ctrl-C and what batch systems send: whatever is at work ends within a second, what is done is kept, and a long row
//! tells how far it is.
#![cfg(unix)]

use crate::cli::Bench;
use flitwise::cancel::{Report, Token};
use flitwise::run::run;
use flitwise::scenario::Scenario;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Rows that take minutes or hours, each by what it keeps busy.
const LONG: [(&str, &str); 9] = [
    (
        "flit engine",
        r#"[network.mesh]
shape = [8, 8]
[engine]
kind = "flit"
[workload.multicast]
algorithms = ["opt-mesh"]
flits = 1073741824
group = 16"#,
    ),
    (
        "worm engine",
        r#"repetitions = 1000
[network.torus]
shape = [48, 48]
[engine]
kind = "worm"
[workload.exchange]
algorithms = ["naive"]
block_flits = 100
synchronous = false"#,
    ),
    (
        "a chain of four hundred thousand",
        r#"[network.mesh]
shape = [700, 700]
[workload.multicast]
algorithms = ["chain"]
flits = 1
group = 400000"#,
    ),
    (
        "routers under open-loop traffic",
        r#"[network.mesh]
shape = [64, 64]
[channel]
virtual_channels = 4
buffer = 8
[router]
model = "pipelined"
[workload.traffic]
pattern = "uniform"
rate = 0.1
packet_flits = 8
warmup = 1000000
measure = 1000000"#,
    ),
    (
        "routers under a program",
        r#"[network.mesh]
shape = [16, 16]
[engine]
kind = "router"
[workload.multicast]
algorithms = ["opt-mesh"]
flits = 1073741824
group = 200"#,
    ),
    (
        "a search for saturation",
        r#"[network.mesh]
shape = [16, 16]
[channel]
buffer = 8
[router]
model = "pipelined"
[workload.traffic]
mode = "saturation"
pattern = "uniform"
packet_flits = 8
warmup = 1000000
measure = 1000000"#,
    ),
    (
        "annealing",
        r#"[network.hypercube]
dimension = 9
[workload.mapping]
algorithms = ["anneal"]
proposals = 1000000
generator = "gnp"
density = 0.1"#,
    ),
    (
        "exhaustive mapping",
        r#"repetitions = 1000000
[network.hypercube]
dimension = 4
[workload.mapping]
algorithms = ["exhaustive"]
generator = "gnp"
density = 0.9"#,
    ),
    (
        "mrb from many starts",
        r#"[network.hypercube]
dimension = 11
[workload.mapping]
algorithms = ["mrb"]
starts = 1000
multilevel = true
generator = "gnp"
density = 0.01"#,
    ),
];

/// What ends within how long: a second, and as much as a busy machine may take to look at a process.
const SOON: Duration = Duration::from_secs(8);

#[expect(clippy::disallowed_methods, reason = "how long a process takes to end is what is tested")]
fn now() -> Instant {
    Instant::now()
}

fn named(body: &str) -> String {
    // a key at the top stays there
    format!("name = \"long\"\n{body}\n")
}

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    bench.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, signal: &str) {
    let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
    assert!(killed.success(), "it has ended by itself");
}

/// Waits until `holds`, while the process runs.
fn wait_until(child: &mut Child, holds: impl Fn() -> bool) {
    let began = now();
    while !holds() {
        if child.try_wait().unwrap().is_some() {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("it has ended by itself: {said}");
        }
        assert!(began.elapsed() < Duration::from_secs(120), "it does not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What it says, and that it ends soon.
fn ended(child: Child) -> (Output, String) {
    let began = now();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(began.elapsed() < SOON, "{:?}: {said}", began.elapsed());
    (output, said)
}

fn journal_has(bench: &Bench, lines: usize) -> bool {
    let journal = bench.path("results/long/journal-1-of-1.jsonl");
    fs::read_to_string(journal).is_ok_and(|text| text.lines().count() >= lines)
}

/// When signals come. On a busy machine, without optimisation, what comes before a long loop may take its second, too; it
/// may try again.
const DELAYS: [Duration; 3] = [Duration::from_millis(600), Duration::from_millis(2400), Duration::from_millis(9600)];

#[test]
fn whatever_is_at_work_looks_at_the_flag() {
    for (number, (what, body)) in LONG.into_iter().enumerate() {
        let name = ["INT", "TERM"][number % 2];
        let mut tries = DELAYS.into_iter().map(|delay| interrupted(what, body, name, delay));
        assert!(tries.any(|looked| looked), "{what} does not look at the flag");
    }
}

/// Whether a row that is interrupted ends in order.
fn interrupted(what: &str, body: &str, name: &str, delay: Duration) -> bool {
    let bench = Bench::new(&named(body));
    let mut child = start(&bench, &["run", "s.toml", "--quiet"]);
    wait_until(&mut child, || journal_has(&bench, 1));
    std::thread::sleep(delay);
    signal(&child, name);
    let (output, said) = ended(child);
    assert_eq!(output.status.code(), Some(130), "{what}: {said}");
    assert!(said.starts_with("interrupted: stopping; finished rows are kept"), "{what}: {said}");
    assert!(said.trim_end().ends_with("run s.toml --quiet --resume"), "{what}: {said}");
    said.contains(" rows are finished and kept; continue with\n")
}

/// Rows that take a while, of which some are done when the signal comes.
const ROWS: [&str; 3] = [
    r#"repetitions = 24
[network.mesh]
shape = [8, 8]
[engine]
kind = "flit"
[workload.multicast]
algorithms = ["opt-mesh"]
flits = 6000
group = 16"#,
    r#"repetitions = 24
[network.mesh]
shape = [8, 8]
[channel]
buffer = 8
[router]
model = "pipelined"
[workload.traffic]
pattern = "uniform"
rate = 0.2
packet_flits = 8
warmup = 500
measure = 1500"#,
    r#"repetitions = 24
[network.hypercube]
dimension = 6
[workload.mapping]
algorithms = ["anneal"]
generator = "gnp"
density = 0.5"#,
];

#[test]
fn what_goes_on_after_an_interrupt_gives_the_same_bytes() {
    for body in ROWS {
        let (whole, bench) = (Bench::new(&named(body)), Bench::new(&named(body)));
        whole.ok(&["run", "s.toml", "--quiet"]);
        let mut child = start(&bench, &["run", "s.toml", "--quiet", "--jobs", "3"]);
        wait_until(&mut child, || journal_has(&bench, 2));
        signal(&child, "TERM");
        let (output, said) = ended(child);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(!bench.path("results/long/rows.csv").exists());
        bench.ok(&["run", "s.toml", "--quiet", "--resume", "--jobs", "2"]);
        for file in ["rows.csv", "summary.csv"] {
            let read = |bench: &Bench| fs::read(bench.path("results/long").join(file)).unwrap();
            assert!(read(&bench) == read(&whole), "{file} of {body}");
        }
    }
}

#[test]
fn the_second_signal_ends_the_process_at_once() {
    let bench = Bench::new(&named(LONG[2].1));
    let mut child = start(&bench, &["run", "s.toml"]);
    wait_until(&mut child, || journal_has(&bench, 1));
    signal(&child, "INT");
    // time for the message of the first, after which it may be gone
    std::thread::sleep(Duration::from_millis(100));
    let _ = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    let (output, said) = ended(child);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("Press Ctrl-C again to quit immediately"), "{said}");
}

#[test]
fn a_verb_that_keeps_nothing_ends_with_a_word() {
    let bench = Bench::new(&named(LONG[0].1));
    let mut check = start(&bench, &["check", "s.toml"]);
    let mut line = String::new();
    BufReader::new(check.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("valid"), "{line}");
    // the series does not end
    let mut forecast = start(&bench, &["forecast", "/dev/stdin"]);
    let mut series = forecast.stdin.take().unwrap();
    series.write_all(b"1\n2\n3\n").unwrap();
    std::thread::sleep(Duration::from_millis(500));
    for child in [check, forecast] {
        signal(&child, "TERM");
        let (output, said) = ended(child);
        assert_eq!((output.status.code(), said.as_str()), (Some(130), "interrupted\n"));
    }
    drop(series);
}

#[test]
fn figures_that_are_interrupted_go_on() {
    let scenario = named(ROWS[0]) + "[figure]\nsource = \"a paper, table 1\"\n";
    let bench = Bench::new(&scenario);
    fs::create_dir(bench.path("mine")).unwrap();
    fs::rename(bench.path("s.toml"), bench.path("mine/long.toml")).unwrap();
    let mut child = start(&bench, &["figures", "--scenarios", "mine"]);
    let journal = bench.path("results/mine/.runs/long/journal-1-of-1.jsonl");
    let done = || fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() >= 2);
    wait_until(&mut child, done);
    signal(&child, "INT");
    let (output, said) = ended(child);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted while computing long; its finished rows are kept; continue with\n"), "{said}");
    assert!(said.trim_end().ends_with("figures --scenarios mine --resume"), "{said}");
    bench.ok(&["figures", "--scenarios", "mine", "--resume"]);
    assert!(bench.path("results/mine/long.csv").exists());
}

/// Where standard error is no terminal, the first line comes after ten seconds.
#[test]
fn a_long_row_tells_how_far_it_is() {
    let bench = Bench::new(&named(LONG[0].1));
    let mut child = start(&bench, &["run", "s.toml"]);
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("0 of 1 row, 0."), "{line}");
    assert!(line.contains(" % of the row, ") && line.contains(" flits/s, about "), "{line}");
    assert!(line.ends_with(" left\n"), "{line}");
}

#[test]
fn more_threads_than_help_are_not_begun() {
    let bench = Bench::new(&named(
        "[network.mesh]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"u-mesh\"]\nflits = 1\ngroup = 4\n",
    ));
    bench.ok(&["run", "s.toml", "--jobs", "100000"]);
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(bench.path("results/long/manifest.json")).unwrap()).unwrap();
    let jobs = manifest["jobs"].as_u64().unwrap();
    assert!(jobs <= 4 * std::thread::available_parallelism().unwrap().get() as u64, "{jobs}");
}

/// Rows of a second or more, each by what it keeps busy.
const SLOW: [(&str, &str); 6] = [
    (
        "flit engine",
        r#"[network.mesh]
shape = [8, 8]
[engine]
kind = "flit"
[workload.multicast]
algorithms = ["opt-mesh"]
flits = 20000
group = 16"#,
    ),
    (
        "worm engine",
        r#"[network.torus]
shape = [40, 40]
[engine]
kind = "worm"
[workload.exchange]
algorithms = ["naive"]
block_flits = 4
synchronous = false"#,
    ),
    (
        "routers below saturation",
        r#"[network.mesh]
shape = [8, 8]
[channel]
buffer = 8
[router]
model = "pipelined"
[workload.traffic]
pattern = "uniform"
rate = 0.2
packet_flits = 8
warmup = 6000
measure = 18000"#,
    ),
    (
        "routers beyond saturation",
        r#"[network.mesh]
shape = [8, 8]
[channel]
buffer = 8
[router]
model = "pipelined"
[workload.traffic]
pattern = "uniform"
rate = 0.9
packet_flits = 8
warmup = 9000
measure = 27000"#,
    ),
    (
        "a search for saturation",
        r#"[network.mesh]
shape = [4, 4]
[channel]
buffer = 8
[router]
model = "pipelined"
[workload.traffic]
mode = "saturation"
pattern = "uniform"
packet_flits = 8
warmup = 4000
measure = 12000"#,
    ),
    (
        "annealing",
        r#"[network.hypercube]
dimension = 7
[workload.mapping]
algorithms = ["anneal"]
generator = "gnp"
density = 0.5"#,
    ),
];

/// The progress of a row grows, and has most of its values neither next to nothing nor next to all. A value that is seen again does
/// not count, as the row may have waited for a processor.
#[test]
fn progress_is_honest() {
    for (what, body) in SLOW {
        let scenario: Scenario = named(body).parse().unwrap();
        let token = Token::new();
        let mut reported = Vec::new();
        std::thread::scope(|scope| {
            let row = scope.spawn(|| token.run(|| run(&scenario, NonZeroUsize::MIN, false, |_| Ok::<(), ()>(()))));
            while !row.is_finished() {
                let reports = token.at_work();
                // a mapping is planned, and not run
                let planned = |report: &Report| (what == "annealing").then_some(report.planned);
                reported.extend(reports.first().and_then(|report| report.ran.or_else(|| planned(report))));
                std::thread::sleep(Duration::from_millis(1));
            }
            row.join().unwrap().unwrap().unwrap();
        });
        reported.dedup();
        assert!(reported.len() >= 10, "{what}: {reported:?}");
        assert!(reported.is_sorted(), "{what}: {reported:?}");
        let among = |range: std::ops::Range<f64>| reported.iter().filter(|share| range.contains(share)).count();
        for range in [0.0..0.1, 0.9..1.1] {
            let values = among(range.clone());
            assert!(values * 2 <= reported.len(), "{what}: {values} of {} values are in {range:?}", reported.len());
        }
    }
}
