//! `plan` tells the truth: what it says a scenario takes, against what a run of it takes.
//!
//! The scenarios are in `tests/data/plan/`; the files that they name are made here. Memory is the most that the process
//! has held (`VmHWM`), time is what it spent in user mode, so that other processes hardly matter. Memory is always
//! checked on scenarios that take a moment; all of it, and times, on all scenarios of a build with optimisation:
//!
//! ```text
//! cargo test --release --test it -- --ignored --nocapture plan_is_near_what_a_run_takes
//! ```

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plan");

/// Those that take a moment in a build without optimisation, and well more memory than the program itself.
const QUICK: [&str; 6] =
    ["goal-model", "grid-trees", "mapping-greedy", "multicast-bmin", "multicast-model", "sweep-machines"];

/// What is said or measured of a scenario.
#[derive(Clone, Copy, Debug)]
struct Takes {
    seconds: f64,
    bytes: f64,
}

/// A folder with all scenarios and the files that they name.
fn bench() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in scenarios() {
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::write(folder.path().join("binomial.goal"), binomial(1 << 16)).unwrap();
    fs::write(folder.path().join("messages.csv"), messages(20_000, 4096)).unwrap();
    fs::write(folder.path().join("costs.csv"), costs(400)).unwrap();
    folder
}

fn scenarios() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(SCENARIOS).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A broadcast of `ranks` ranks as GOAL text.
fn binomial(ranks: usize) -> String {
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        let _ = writeln!(text, "rank {rank} {{");
        let lowest = if rank == 0 { ranks } else { rank & rank.wrapping_neg() };
        if rank > 0 {
            let _ = writeln!(text, "r: recv 1024b from {} tag 0", rank - lowest);
        }
        for bit in (0..lowest.ilog2()).rev() {
            let _ = writeln!(text, "s{bit}: send 1024b to {} tag 0", rank + (1 << bit));
            if rank > 0 {
                let _ = writeln!(text, "s{bit} requires r");
            }
        }
        text.push_str("}\n");
    }
    text
}

/// So many messages between so many nodes.
fn messages(count: usize, nodes: usize) -> String {
    let mut text = "id,src,dst,flits,start\n".to_owned();
    for id in 0..count {
        let src = id * 7919 % nodes;
        let other = (id * 104_729 + 17) % nodes;
        let dst = if other == src { (src + 1) % nodes } else { other };
        let _ = writeln!(text, "{id},{src},{dst},{},{}", 8 + id % 32, 2 * id);
    }
    text
}

/// What links between so many nodes cost.
fn costs(nodes: usize) -> String {
    let cost = |from: usize, to: usize| if from == to { 0 } else { 1000 + (from * 7919 + to * 104_729) % 1_000_000 };
    let row = |from| (0..nodes).map(|to| cost(from, to).to_string()).collect::<Vec<_>>().join(",") + "\n";
    (0..nodes).map(row).collect()
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_flitwise"))
}

/// What `plan` says of the scenario called `name`.
fn planned(folder: &Path, name: &str) -> Takes {
    let output = command().current_dir(folder).args(["plan", &format!("{name}.toml")]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let before = |end: &str| {
        let text = &said[..said.find(end).unwrap_or_else(|| panic!("no `{end}` in {said}"))];
        let mut words = text.split_whitespace().rev();
        let unit = words.next().unwrap().to_owned();
        (words.next().unwrap().parse::<f64>().unwrap(), unit)
    };
    let (time, unit) = before(" on one core");
    let seconds = time
        * [("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0)].iter().find(|(name, _)| *name == unit).unwrap().1;
    let (size, unit) = before(" in total with --jobs 1");
    let bytes = size * [("kB", 1e3), ("MB", 1e6), ("GB", 1e9)].iter().find(|(name, _)| *name == unit).unwrap().1;
    Takes { seconds, bytes }
}

/// What a run of the scenario called `name` takes.
fn measured(folder: &Path, name: &str) -> Takes {
    let mut run = command()
        .current_dir(folder)
        .args(["run", &format!("{name}.toml"), "--jobs", "1", "--quiet"])
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let (mut bytes, mut seconds) = (0.0, 0.0);
    let status = loop {
        let of_process = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", run.id())).unwrap_or_default();
        let most = of_process("status")
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        bytes = most.map_or(bytes, |kilobytes: f64| kilobytes * 1024.0);
        // the name, in brackets, may have blanks; user time is the twelfth field after it, in hundredths
        let user =
            of_process("stat").rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(11)?.parse::<f64>().ok());
        seconds = user.map_or(seconds, |hundredths| hundredths / 100.0);
        if let Some(status) = run.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(status.success(), "{name}: {status}");
    Takes { seconds, bytes }
}

/// A scenario that takes next to nothing besides the program itself.
const NOTHING: &str = "name = \"nothing\"\n[network.mesh]\nshape = [2, 2]\n\
                       [workload.multicast]\nalgorithms = [\"opt-mesh\"]\nflits = 1\ngroup = 2\n";

/// Bytes that the program itself takes beyond what `plan` says: in builds without optimisation it is larger.
fn beyond(folder: &Path) -> f64 {
    fs::write(folder.join("nothing.toml"), NOTHING).unwrap();
    (measured(folder, "nothing").bytes - planned(folder, "nothing").bytes).max(0.0)
}

/// Whether `said` is within a `factor` of what was `measured`.
fn is_near(said: f64, measured: f64, factor: f64) -> bool {
    said <= factor * measured && measured <= factor * said
}

#[test]
fn plan_says_what_memory_a_run_takes() {
    let folder = bench();
    let beyond = beyond(folder.path());
    for name in QUICK {
        let said = planned(folder.path(), name);
        let mut measured = measured(folder.path(), name);
        measured.bytes -= beyond;
        assert!(is_near(said.bytes, measured.bytes, 2.0), "{name}: {said:?}, {measured:?}");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is what it is run for")]
#[ignore = "takes a minute with optimisation: cargo test --release -- --ignored plan_is_near"]
fn plan_is_near_what_a_run_takes() {
    let folder = bench();
    let beyond = beyond(folder.path());
    let mut far = Vec::new();
    println!(
        "{:20} {:>9} {:>9} {:>6}   {:>9} {:>9} {:>6}",
        "scenario", "plan s", "run s", "ratio", "plan MB", "run MB", "ratio"
    );
    for path in scenarios() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let said = planned(folder.path(), name);
        let mut measured = measured(folder.path(), name);
        measured.bytes -= beyond;
        let (time, memory) = (said.seconds / measured.seconds, said.bytes / measured.bytes);
        println!(
            "{name:20} {:9.2} {:9.2} {time:6.2}   {:9.1} {:9.1} {memory:6.2}",
            said.seconds,
            measured.seconds,
            said.bytes / 1e6,
            measured.bytes / 1e6
        );
        // what takes less than a few hundredths cannot be measured so
        if !is_near(said.seconds.max(0.05), measured.seconds.max(0.05), 3.0)
            || !is_near(said.bytes, measured.bytes, 2.0)
        {
            far.push(format!("{name}: {said:?}, {measured:?}"));
        }
    }
    assert!(far.is_empty(), "{}", far.join("\n"));
}

/// A mapping of a graph of 2^`dimension` tasks, half of all pairs of which talk to each other.
fn crowd(dimension: u32) -> String {
    format!(
        "name = \"crowd\"\n[network.hypercube]\ndimension = {dimension}\n[workload.mapping]\nalgorithms = [\"random\"]\n\
         generator = \"gnp\"\ndensity = 0.5\ndetails = false\n"
    )
}

/// What is said of `text`, which is refused with exit code 2, by `flitwise` with `args`.
fn refusal(text: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let output = command().current_dir(folder.path()).args(args).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(output.stdout.is_empty() && !folder.path().join("results").exists(), "{args:?}");
    said
}

#[test]
fn a_row_that_needs_more_than_is_allowed_is_refused_by_every_verb() {
    for verb in ["run", "plan", "check", "schedule"] {
        let said = refusal(&crowd(13), &[verb, "s.toml", "--memory", "64M"]);
        assert!(said.contains("8192 tasks with up to"), "{said}");
        assert!(
            said.contains(" MB of memory, but only 67 MB is allowed by --memory") && said.contains("s.toml:4:2"),
            "{said}"
        );
        let said = refusal(&crowd(3), &[verb, "s.toml", "--memory", "1"]);
        assert!(said.contains(", but only 1 B is allowed by --memory") && !said.contains(" 0 "), "{said}");
        let said = refusal(&crowd(3), &[verb, "s.toml", "--memory", "0"]);
        assert!(said.contains("at least 1 byte"), "{said}");
    }
}

/// A shell limits the address space, of which a process without limits would have enough.
#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_the_limits_of_the_process_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.toml"), crowd(14)).unwrap();
    let run = format!("ulimit -v 1500000; exec {} run s.toml", env!("CARGO_BIN_EXE_flitwise"));
    let output = Command::new("sh").current_dir(folder.path()).args(["-c", &run]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("needs 1.9 GB of memory,") && said.contains(" available"), "{said}");
}

#[test]
fn a_sweep_that_does_not_fit_is_refused_before_it_is_made() {
    let text = "name = \"s\"\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"opt-mesh\"]\n\
                flits = 1\ngroup = 2\n[sweep]\n\"workload.multicast.flits\" = { from = 1, to = 1000000, step = 1 }\n";
    let said = refusal(text, &["plan", "s.toml", "--memory", "100M"]);
    assert!(said.contains("a sweep of 1000000 points needs") && said.contains("s.toml:8"), "{said}");
}

#[test]
fn a_file_that_does_not_fit_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"g\"\n[workload.goal]\nfile = \"large.goal\"\n[model.logp]\nL = 1\no = 1\ng = 1\n";
    fs::write(folder.path().join("g.toml"), text).unwrap();
    fs::File::create(folder.path().join("large.goal")).unwrap().set_len(1 << 42).unwrap();
    let output = command().current_dir(folder.path()).args(["check", "g.toml"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("reading `large.goal` needs 26.4 TB of memory,") && said.contains("g.toml:3:8"), "{said}");
}
