//! Sweeps: whatever happens to a run, and however it is cut, the files are those of one run that nothing happened to.

use crate::cli::{Bench, csv_rows};
use flitwise::scenario::{Options, Scenario};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

/// 24 points of three algorithms and 30 repetitions each.
const SWEEP: &str = r#"
name = "sweep"
repetitions = 30

[network.mesh]
shape = [12, 12]

[channel]
flit_time = 2

[node]
send_setup = 200
send_per_flit = 2
receive_setup = 350
receive_per_flit = 3

[workload.multicast]
algorithms = ["opt-mesh", "opt-tree", "u-mesh"]
flits = 64
group = 32

[sweep]
"workload.multicast.group" = [4, 16, 64, 144]
"workload.multicast.flits" = { from = 16, to = 16384, times = 4 }
"#;

const FILES: [&str; 3] = ["rows.csv", "summary.csv", "messages.csv"];

/// Those of `FILES` that a run left in `out`.
fn files(bench: &Bench, out: &str) -> Vec<(&'static str, Vec<u8>)> {
    let folder = bench.path(out).join("sweep");
    let found: Vec<_> = FILES.into_iter().filter_map(|name| Some((name, fs::read(folder.join(name)).ok()?))).collect();
    assert!(found.len() >= 2, "{out} has only {} files", found.len());
    found
}

fn journal(bench: &Bench, out: &str, shard: &str) -> PathBuf {
    bench.path(out).join("sweep").join(format!("journal-{shard}.jsonl"))
}

/// The units that a journal says are done: point, algorithm and first repetition.
fn units(path: &Path) -> Vec<(u64, u64, u64)> {
    let whole = |line: &&str| line.ends_with("}}}");
    let text = fs::read_to_string(path).unwrap();
    let entries = text.lines().filter(whole).map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let number = |unit: &serde_json::Value, key: &str| unit[key].as_u64().unwrap();
    let of = |unit: &serde_json::Value| (number(unit, "point"), number(unit, "algorithm"), number(unit, "from"));
    entries.filter_map(|entry| entry["entry"].get("done").map(of)).collect()
}

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    bench.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_until(holds: impl Fn() -> bool) {
    for _ in 0..4000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it does not happen");
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn cut(path: &Path, length: u64) {
    fs::File::options().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// Kills as many runs as `FLITWISE_KILLS` says, each when its journal has grown to a random length.
#[test]
fn a_killed_run_goes_on_where_it_was_and_nothing_is_lost_or_twice() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet", "--out", "whole"]);
    let (expected, all) = (files(&bench, "whole"), units(&journal(&bench, "whole", "1-of-1")));
    let bytes = length(&journal(&bench, "whole", "1-of-1"));
    let kills = std::env::var("FLITWISE_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let mut random = Pcg64::seed_from_u64(7);
    let mut early = 0;
    for kill in 0..kills {
        let (out, until) = (format!("killed-{kill}"), random.random_range(0..bytes));
        let path = journal(&bench, &out, "1-of-1");
        let mut child = start(&bench, &["run", "s.toml", "--quiet", "--jobs", "2", "--out", &out]);
        while length(&path) < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let before: BTreeSet<_> = if path.exists() { units(&path).into_iter().collect() } else { BTreeSet::new() };
        early += usize::from(before.len() < all.len());
        bench.ok(&["run", "s.toml", "--quiet", "--resume", "--out", &out]);
        assert_eq!(files(&bench, &out), expected, "kill {kill}");
        let after = units(&path);
        let distinct: BTreeSet<_> = after.iter().copied().collect();
        assert_eq!((after.len(), distinct.len()), (all.len(), all.len()), "kill {kill}: a unit twice or lost");
        assert!(before.is_subset(&distinct), "kill {kill}");
        fs::remove_dir_all(bench.path(&out)).unwrap();
    }
    assert!(early * 10 > kills * 8, "only {early} of {kills} runs were killed before their end");
}

#[test]
fn bytes_depend_neither_on_jobs_nor_on_shards() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--messages", "--jobs", "1", "--out", "1", "--set", "repetitions=3"]);
    let expected = files(&bench, "1");
    assert_eq!(expected.len(), 3);
    for jobs in ["2", "8"] {
        bench.ok(&["run", "s.toml", "--messages", "--jobs", jobs, "--out", jobs, "--set", "repetitions=3"]);
        assert_eq!(files(&bench, jobs), expected, "{jobs} jobs");
    }
    for of in [1, 3, 7] {
        let out = format!("shards-{of}");
        let mut rows = 0;
        for shard in (1..=of).rev() {
            let said = bench.ok(&[
                "run",
                "s.toml",
                "--messages",
                "--shard",
                &format!("{shard}/{of}"),
                "--out",
                &out,
                "--set",
                "repetitions=3",
            ]);
            if of > 1 {
                let words = said.split(' ').collect::<Vec<_>>();
                rows += words[2].parse::<u32>().unwrap();
            }
        }
        if of > 1 {
            assert_eq!(rows, 24 * 3 * 3);
            let said = bench.ok(&["merge", &format!("{out}/sweep")]);
            assert!(
                said.starts_with(&format!(
                    "{of} shards with 216 rows merged. Written to {out}/sweep: rows.csv, summary"
                ))
            );
        }
        assert_eq!(files(&bench, &out), expected, "{of} shards");
    }
}

#[test]
fn a_torn_end_is_named_and_repeated() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet"]);
    let expected = files(&bench, "results");
    let path = journal(&bench, "results", "1-of-1");
    let all = units(&path);
    let whole = fs::read_to_string(&path).unwrap();
    // the last line says that the run has ended: cut into the line of a unit
    let unit = whole.trim_end().rfind('\n').unwrap() as u64;
    for length in [unit - 1, unit - 200] {
        cut(&path, length);
        let output = bench.call(&["run", "s.toml", "--quiet", "--resume"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        let line = all.len() + 1;
        assert!(said.contains(&format!("journal-1-of-1.jsonl: line {line} is incomplete")), "{said}");
        assert_eq!(files(&bench, "results"), expected);
        assert_eq!(units(&path).len(), all.len());
    }
}

#[test]
fn a_flipped_bit_anywhere_is_named_and_repeated() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet", "--set", "repetitions=3"]);
    let expected = files(&bench, "results");
    let path = journal(&bench, "results", "1-of-1");
    let whole = fs::read(&path).unwrap();
    let mut random = Pcg64::seed_from_u64(8);
    for _ in 0..20 {
        let (at, bit) = (random.random_range(0..whole.len()), random.random_range(0..8));
        let mut changed = whole.clone();
        changed[at] ^= 1 << bit;
        fs::write(&path, &changed).unwrap();
        let line = 1 + whole[..at].iter().filter(|&&byte| byte == b'\n').count();
        let output = bench.call(&["run", "s.toml", "--quiet", "--resume", "--set", "repetitions=3"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "byte {at}, bit {bit}: {said}");
        let named =
            said.contains(&format!("line {line} is damaged")) || whole[at] == b'\n' && said.contains("is incomplete");
        assert!(named, "byte {at}, bit {bit}, line {line}: {said}");
        assert_eq!(files(&bench, "results"), expected, "byte {at}, bit {bit}");
    }
}

#[test]
fn what_a_merge_misses_is_listed() {
    let bench = Bench::new(SWEEP);
    for shard in ["1/3", "2/3", "3/3"] {
        bench.ok(&["run", "s.toml", "--quiet", "--shard", shard]);
    }
    let second = journal(&bench, "results", "2-of-3");
    let missing = units(&second);
    let text = fs::read(&second).unwrap();
    fs::remove_file(&second).unwrap();
    let said = bench.fails(1, &["merge", "results/sweep"]);
    let points: BTreeSet<u64> = missing.iter().map(|unit| unit.0).collect();
    assert!(said.contains(&format!("rows are missing, at {} of 24 points:", points.len())), "{said}");
    let first = points.first().unwrap();
    assert!(
        said.contains(&format!("\n  point {first}: workload.multicast.group = "))
            && said.contains(", repetition 0..29")
    );
    assert!(said.contains("\nshard 2 of 3 not started\n"), "{said}");
    assert!(said.contains("flitwise run FILE --shard I/N --resume"), "{said}");
    assert!(!bench.path("results/sweep/rows.csv").exists());
    // a line that is damaged is missing too, and named
    let mut damaged = text.clone();
    let at = damaged.len() / 2;
    damaged[at] ^= 4;
    fs::write(&second, damaged).unwrap();
    let said = bench.fails(1, &["merge", "results/sweep"]);
    assert!(said.contains("journal-2-of-3.jsonl: line ") && said.contains(" is damaged"), "{said}");
    assert!(said.contains("of 2160 rows are missing, at 1 of 24 points"), "{said}");
    bench.ok(&["run", "s.toml", "--quiet", "--shard", "2/3", "--resume"]);
    bench.ok(&["merge", "results/sweep"]);
    bench.ok(&["run", "s.toml", "--quiet", "--out", "whole"]);
    assert_eq!(files(&bench, "results"), files(&bench, "whole"));
    assert!(bench.fails(2, &["merge", "whole/sweep"]).contains("there are no shards in whole/sweep"));
}

#[test]
fn an_output_that_exists_is_refused_unless_it_is_to_go_on_or_begin_again() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet", "--resume"]);
    let expected = files(&bench, "results");
    assert!(bench.ok(&["run", "s.toml"]).ends_with("results/sweep: unchanged, nothing to do; --force runs it again\n"));
    assert_eq!(files(&bench, "results"), expected);
    let before = fs::read(journal(&bench, "results", "1-of-1")).unwrap();
    bench.ok(&["run", "s.toml", "--quiet", "--resume"]);
    let after = fs::read(journal(&bench, "results", "1-of-1")).unwrap();
    assert!(after.starts_with(&before) && after.len() - before.len() < 200, "nothing is computed twice");
    let manifest = fs::read(bench.path("results/sweep/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!((&manifest["resumed_rows"], &manifest["rows"]), (&2160.into(), &2160.into()));
    bench.ok(&["run", "s.toml", "--quiet", "--force", "--set", "seed=2"]);
    assert_ne!(files(&bench, "results"), expected);
    bench.fails(2, &["run", "s.toml", "--resume", "--force"]);
    fs::remove_file(journal(&bench, "results", "1-of-1")).unwrap();
    assert!(bench.fails(2, &["run", "s.toml", "--resume"]).contains("its journal is missing"));
    let output = bench.call(&["run", "s.toml"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = "results/sweep held results of another scenario (their scenario is not recorded): moved to ";
    assert!(output.status.success() && said.contains(expected), "{said}");
    assert!(bench.path("results/sweep.previous/rows.csv").exists() && bench.path("results/sweep/rows.csv").exists());
}

#[test]
fn a_changed_scenario_is_not_resumed_and_the_key_is_named() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet"]);
    for (set, named) in [
        ("channel.flit_time=3", "`channel.flit_time` was 2 and is now 3"),
        ("channel.buffer=3", "`channel.buffer` was not set and is now 3"),
        ("seed=4", "`seed` was not set and is now 4"),
        ("repetitions=31", "`repetitions` was 30 and is now 31"),
        ("sweep.workload.multicast.group=[4]", "`sweep.workload.multicast.group` was [4, 16, 64, 144] and is now [4]"),
        ("workload.multicast.group=4", "`sweep.workload.multicast.group` was [4, 16, 64, 144] and is not set now"),
    ] {
        let said = bench.fails(2, &["run", "s.toml", "--resume", "--set", set]);
        assert!(said.contains("holds results of another scenario") && said.contains(named), "{said}");
    }
    assert!(
        bench
            .fails(2, &["run", "s.toml", "--resume", "--messages"])
            .contains("`--messages` was not given and is given now")
    );
    // what no result depends on: a default that is written down, the length of a tick, comments and order
    let other = SWEEP.replace("[channel]\n", "[channel] # as on the machine\nbuffer = 1\n");
    fs::write(bench.path("s.toml"), format!("tick = \"10ns\"\n{other}")).unwrap();
    bench.ok(&["run", "s.toml", "--quiet", "--resume"]);
    // shards do not mix either
    bench.ok(&["run", "s.toml", "--quiet", "--out", "s", "--shard", "1/2"]);
    let said = bench.fails(2, &["run", "s.toml", "--out", "s", "--shard", "2/2", "--set", "seed=4"]);
    assert!(
        said.contains("holds results of another scenario: `seed` was not set and is now 4; remove the directory"),
        "{said}"
    );
}

#[test]
fn a_changed_file_is_not_resumed_and_is_named() {
    let bench = Bench::new("name = \"sweep\"\n[network.mesh]\nshape = [5]\n[workload.trace]\nfile = \"m.csv\"\n");
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n70,0,3,9,1\n").unwrap();
    bench.ok(&["run", "s.toml", "--quiet"]);
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n70,0,3,8,1\n").unwrap();
    let said = bench.fails(2, &["run", "s.toml", "--resume"]);
    assert!(said.contains("the content of `m.csv` has changed"), "{said}");
}

#[test]
fn two_runs_on_one_output_exclude_each_other() {
    let bench = Bench::new(SWEEP);
    let long = ["run", "s.toml", "--quiet", "--set", "repetitions=1000000"];
    let path = journal(&bench, "results", "1-of-1");
    let mut child = start(&bench, &long);
    wait_until(|| length(&path) > 2000);
    let busy = "results/sweep is being written by another run";
    for arguments in [&["run", "s.toml"][..], &["run", "s.toml", "--force"], &["run", "s.toml", "--shard", "1/2"]] {
        assert!(bench.fails(3, arguments).contains(busy));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut shards = ["1/2", "2/2"].map(|shard| {
        let arguments = ["--out", "s", "--shard", shard];
        start(&bench, &[&long[..], &arguments].concat())
    });
    let paths = ["1-of-2", "2-of-2"].map(|shard| journal(&bench, "s", shard));
    wait_until(|| paths.iter().all(|path| length(path) > 2000));
    let said = bench.fails(3, &["run", "s.toml", "--out", "s", "--shard", "2/2", "--resume"]);
    assert!(said.contains("journal-2-of-2.jsonl is being written by another run"), "{said}");
    assert!(bench.fails(3, &["merge", "s/sweep"]).contains("s/sweep is being written"));
    for shard in &mut shards {
        shard.kill().unwrap();
        shard.wait().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done_and_says_how_to_go_on() {
    let bench = Bench::new(&SWEEP.replace("repetitions = 30", "repetitions = 400"));
    for signal in ["INT", "TERM"] {
        let path = journal(&bench, signal, "1-of-1");
        let child = start(&bench, &["run", "s.toml", "--out", signal]);
        wait_until(|| length(&path) > 20_000);
        let killed = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(
            said.contains("interrupted: ") && said.contains(" of 28800 rows are finished and kept; continue with\n"),
            "{said}"
        );
        assert!(said.trim_end().ends_with(&format!("run s.toml --out {signal} --resume")), "{said}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("}}}\n"), "no line is torn");
        assert!(!bench.path(signal).join("sweep/rows.csv").exists());
        bench.ok(&["run", "s.toml", "--out", signal, "--resume"]);
    }
    assert_eq!(files(&bench, "INT"), files(&bench, "TERM"));
}

/// A file that may not grow ends a run like a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_an_output_error_and_the_run_goes_on_later() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet", "--out", "whole"]);
    let rows = fs::metadata(bench.path("whole/sweep/rows.csv")).unwrap().len();
    let program = env!("CARGO_BIN_EXE_flitwise");
    let limited = |blocks: u64| {
        // bash counts in blocks of 1024 bytes; without the signal, writing fails
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} run s.toml --quiet --resume");
        let mut shell = std::process::Command::new("bash");
        shell.current_dir(bench.path("")).args(["-c", &script]).output().unwrap()
    };
    let path = journal(&bench, "results", "1-of-1");
    for blocks in [1, 8, 40] {
        let output = limited(blocks);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{blocks}: {said}");
        assert!(said.contains("File too large") && said.contains("results/sweep"), "{said}");
        let names: BTreeSet<_> =
            fs::read_dir(bench.path("results/sweep")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, BTreeSet::from([".lock".into(), "journal-1-of-1.jsonl".into()]), "{blocks}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.is_empty() || text.ends_with("}}}\n"), "{blocks}: a torn line stays");
    }
    bench.ok(&["run", "s.toml", "--quiet", "--resume"]);
    assert_eq!(files(&bench, "results"), files(&bench, "whole"));
    assert!(rows > 40 * 1024);
}

#[test]
fn shards_that_are_none_are_refused() {
    let bench = Bench::new(SWEEP);
    for shard in ["0/3", "4/3", "1", "a/b"] {
        assert!(bench.fails(2, &["run", "s.toml", "--shard", shard]).contains("with I from 1 to N"));
    }
    assert!(bench.fails(2, &["run", "s.toml", "--memory", "much"]).contains("--memory"));
    assert!(!bench.path("results").exists());
}

/// Memory decides who runs beside whom, never what comes out; what cannot run alone is refused.
#[test]
fn little_memory_changes_no_byte() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet", "--jobs", "4", "--out", "much"]);
    bench.ok(&["run", "s.toml", "--quiet", "--jobs", "4", "--out", "little", "--memory", "2M"]);
    assert_eq!(files(&bench, "much"), files(&bench, "little"));
    let said = bench.fails(2, &["run", "s.toml", "--out", "none", "--memory", "10K"]);
    assert!(said.contains("needs") && said.contains("of memory, but only 10 kB is allowed by --memory"), "{said}");
}

/// Every workload leaves journals from which all of its files are put together again.
#[test]
fn every_workload_is_resumed_with_all_of_its_files() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    for (name, set, least) in [
        ("default", "seed=5", 2),
        ("exchange-8x8", "seed=5", 2),
        ("goal-ring", "seed=5", 3),
        ("grid-100", "seed=5", 4),
        ("examples/latency-load", "workload.traffic.measure=200", 2),
        ("paper/map-contention", "workload.mapping.details=true", 3),
    ] {
        let path = scenarios.join(format!("{name}.toml"));
        if !path.exists() {
            panic!("{name} has gone");
        }
        let (bench, path) = (Bench::new(""), path.to_str().unwrap().to_owned());
        let tables = |out: &str| {
            let folder = fs::read_dir(bench.path(out)).unwrap().next().unwrap().unwrap().path();
            let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let mut tables: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "csv")).collect();
            tables.sort();
            tables
                .into_iter()
                .map(|path| (path.file_name().unwrap().to_owned(), fs::read(path).unwrap()))
                .collect::<Vec<_>>()
        };
        let short = ["--set", "repetitions=2", "--set", set];
        bench.ok(&[&["run", &path, "--quiet", "--out", "whole"][..], &short].concat());
        let expected = tables("whole");
        assert!(expected.len() >= least, "{name}");
        for shard in ["1/2", "2/2"] {
            bench.ok(&[&["run", &path, "--quiet", "--out", "cut", "--shard", shard][..], &short].concat());
        }
        let folder = fs::read_dir(bench.path("cut")).unwrap().next().unwrap().unwrap().path();
        let journal = folder.join("journal-2-of-2.jsonl");
        cut(&journal, length(&journal) * 2 / 3);
        bench.ok(&[&["run", &path, "--quiet", "--out", "cut", "--shard", "2/2", "--resume"][..], &short].concat());
        bench.ok(&["merge", folder.to_str().unwrap()]);
        assert!(tables("cut") == expected, "{name}");
    }
}

#[test]
fn ranges_zips_and_conditions_make_the_points() {
    let scenario = SWEEP.split("[sweep]").next().unwrap().to_owned()
        + r#"
[sweep]
"workload.multicast.flits" = { from = 1, to = 9, step = 4 }
where = ["workload.multicast.group <= product(network.mesh.shape) / 2", "workload.multicast.flits != 5 or channel.buffer == 2"]

[[sweep.zip]]
"network.mesh.shape" = [[4, 4], [6, 6], [8, 8]]
"channel.buffer" = [1, 2, 1]

[sweep.workload.multicast]
group = [4, 16, 32]
"#;
    let bench = Bench::new(&scenario);
    let points = |arguments: &[&str]| -> Vec<String> {
        let rows = csv_rows(&bench.ok(&[&["plan", "s.toml", "--csv"], arguments].concat()));
        let keys = ["workload.multicast.flits", "network.mesh.shape", "channel.buffer", "workload.multicast.group"];
        rows.iter().map(|row| keys.map(|key| row.get(key).cloned().unwrap_or_default()).join(" ")).collect()
    };
    let expected = [
        "1 [4, 4] 1 4",
        "1 [6, 6] 2 4",
        "1 [6, 6] 2 16",
        "1 [8, 8] 1 4",
        "1 [8, 8] 1 16",
        "1 [8, 8] 1 32",
        "5 [6, 6] 2 4",
        "5 [6, 6] 2 16",
        "9 [4, 4] 1 4",
        "9 [6, 6] 2 4",
        "9 [6, 6] 2 16",
        "9 [8, 8] 1 4",
        "9 [8, 8] 1 16",
        "9 [8, 8] 1 32",
    ];
    assert_eq!(points(&[]), expected);
    // a range on the command line sweeps a key, in the place of its sweep if it has one
    let flits = points(&["--set", "workload.multicast.flits={ from = 1, to = 4, times = 4 }"]);
    assert_eq!(flits.len(), 6 + 6);
    assert!(flits[8].starts_with("4 [6, 6] 2 16"), "{flits:?}");
    assert_eq!(
        points(&[
            "--set",
            "sweep.\"workload.multicast.flits\"=[1]",
            "--set",
            "sweep.where=['workload.multicast.group <= 16']"
        ])
        .len(),
        6
    );
    // a value fixes a key that varies with others
    assert_eq!(points(&["--set", "network.mesh.shape=[9, 9]", "--set", "sweep.where=[]"]).len(), 27);
    // and what was planned is what runs
    bench.ok(&["run", "s.toml", "--quiet", "--set", "repetitions=1"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/sweep/rows.csv")).unwrap());
    assert_eq!(rows.len(), 14 * 3);
}

#[test]
fn a_plan_tells_points_costs_and_shards_and_runs_nothing() {
    let bench = Bench::new(SWEEP);
    let said = bench.ok(&["plan", "s.toml", "--shards", "5"]);
    assert!(said.contains("24 points, 2160 rows in 72 units; about "), "{said}");
    assert!(said.contains("point   group   flits") && said.lines().any(|line| line.starts_with("5/5 ")), "{said}");
    let rows = csv_rows(&bench.ok(&["plan", "s.toml", "--csv"]));
    let ids: BTreeSet<&String> = rows.iter().map(|row| &row["id"]).collect();
    assert_eq!((rows.len(), ids.len()), (24, 24));
    let seconds = |at: usize| rows[at]["seconds"].parse::<f64>().unwrap();
    assert!(seconds(23) > seconds(0), "a larger group costs more");
    assert!(!bench.path("results").exists());
}

/// The first point's identity in the shipped scenario `path` with these keys set, if that is a scenario.
fn first_id(path: &Path, set: &[String]) -> Option<String> {
    let options = Options { set: set.to_vec(), ..Options::default() };
    Some(Scenario::load(path, &options).ok()?.points.first()?.id.to_string())
}

/// Whatever number or boolean of a scenario changes, the point is another one: nothing that results depend on is left out.
#[test]
fn the_identity_of_a_point_has_all_that_results_depend_on() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let names = [
        "default",
        "exchange-8x8",
        "goal-ring",
        "grid-100",
        "paper/map-contention",
        "paper/ttcc-faults",
        "paper/fib-mesh",
    ];
    let mut changed = 0;
    for name in names {
        let path = folder.join(format!("{name}.toml"));
        let scenario = Scenario::load(&path, &Options::default()).unwrap();
        let id = scenario.points[0].id.to_string();
        let swept = |key: &String| scenario.axes.iter().any(|axis| axis.key == *key);
        for (key, value) in scenario.keys().into_iter().filter(|(key, _)| !key.starts_with("sweep.") && !swept(key)) {
            let other = match (value.parse::<i64>(), value.parse::<f64>(), value.parse::<bool>()) {
                (Ok(number), ..) => (number + 1).to_string(),
                (_, Ok(number), _) => format!("{:?}", number * 0.5),
                (.., Ok(boolean)) => (!boolean).to_string(),
                _ => continue,
            };
            // what the change makes no scenario of has no identity
            let Some(other_id) = first_id(&path, &[format!("{key}={other}")]) else { continue };
            assert_ne!(other_id, id, "{name}: {key} = {value} or {other}");
            changed += 1;
        }
    }
    assert!(changed > 30, "only {changed} keys were changed");
}

#[test]
fn a_point_is_the_same_wherever_it_stands() {
    let options = |set: &[&str]| Options { set: set.iter().map(|&set| set.to_owned()).collect(), ..Options::default() };
    let parse = |set: &[&str]| Scenario::parse("s.toml", SWEEP, Path::new(""), &options(set)).unwrap();
    let whole = parse(&[]);
    let ids: BTreeSet<String> = whole.points.iter().map(|point| point.id.to_string()).collect();
    assert_eq!(ids.len(), 24);
    let alone = parse(&["workload.multicast.group=16", "workload.multicast.flits=1024"]);
    let within =
        whole.points.iter().find(|point| point.settings.iter().map(|setting| &**setting).eq(["16", "1024"])).unwrap();
    assert_eq!((alone.points.len(), alone.points[0].id), (1, within.id));
    assert_eq!(parse(&["name=\"other\"", "tick=\"1ns\""]).points[0].id, whole.points[0].id);
}

/// `sbatch` and `squeue` of a cluster on which nothing ever runs; what is queued is in the file `queue`.
#[cfg(unix)]
fn with_slurm(bench: &Bench, arguments: &[&str]) -> std::process::Output {
    use std::os::unix::fs::PermissionsExt;
    let folder = bench.path("bin");
    fs::create_dir_all(&folder).unwrap();
    let sbatch = "#!/bin/sh\necho \"$@\" >>sbatch.log\nwc -l <sbatch.log\n";
    for (name, script) in [("sbatch", sbatch), ("squeue", "#!/bin/sh\n[ \"$4\" != --jobs=1 ] || cat queue\n")] {
        fs::write(folder.join(name), script).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    bench.command(arguments).env("PATH", path).output().unwrap()
}

#[cfg(unix)]
#[test]
fn what_is_submitted_again_is_what_is_missing() {
    let bench = Bench::new(SWEEP);
    fs::write(bench.path("queue"), "").unwrap();
    let submit = ["submit", "s.toml", "--tasks", "4", "--set", "seed=3", "--", "--time=5"];
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let output = with_slurm(&bench, &submit);
    assert_eq!(output.status.code(), Some(0), "{}", text(output.stderr));
    assert!(
        text(output.stdout).contains("Submitted the shards as job 1\nSubmitted the merge as job 2\nshards 1-4 of 4; ")
    );
    let log = || fs::read_to_string(bench.path("sbatch.log")).unwrap();
    let lines: Vec<String> = log().lines().map(str::to_owned).collect();
    assert!(
        lines[0].contains("--array=1-4 --time=5 ") && lines[0].ends_with("results/sweep/slurm/array.sh"),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].contains("--dependency=afterany:1 --time=5 ") && lines[1].ends_with("slurm/merge.sh"),
        "{}",
        lines[1]
    );
    // what the tasks do: 1 is done, 2 is cut short, 3 fails at once, 4 is still queued
    let task = |number: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.current_dir("/").arg(bench.path("results/sweep/slurm/array.sh")).env("SLURM_ARRAY_TASK_ID", number);
        let output = shell.env("SLURM_CPUS_PER_TASK", "2").env("SLURM_MEM_PER_CPU", "100").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(output.stderr));
    };
    task("1");
    task("2");
    let second = journal(&bench, "results", "2-of-4");
    cut(&second, length(&second) / 2);
    fs::write(bench.path("queue"), "4 PENDING\n").unwrap();
    let output = with_slurm(&bench, &["status", "results/sweep"]);
    let said = text(output.stdout);
    let state = |shard: &str| said.lines().find(|line| line.starts_with(shard)).unwrap_or_default().to_owned();
    assert!(
        state("1/4").contains("done") && state("2/4").contains("failed") && said.contains("2/4 failed: line "),
        "{said}"
    );
    assert!(state("3/4").contains("not started") && state("4/4").contains("queued"), "{said}");
    assert!(said.contains("1 done, 1 queued, 1 failed, 1 not started; no files yet"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    let output = with_slurm(&bench, &submit);
    assert!(text(output.stdout).contains("shards 2-3 of 4"));
    let lines: Vec<String> = log().lines().map(str::to_owned).collect();
    assert!(lines[2].contains("--array=2-3 ") && lines[3].contains("--dependency=afterany:1:3 "), "{lines:?}");
    // other tasks would compute the same while some are queued
    let output = with_slurm(&bench, &["submit", "s.toml", "--tasks", "3", "--set", "seed=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(output.stderr).contains("job 1 with 4 tasks has not finished"));
    fs::write(bench.path("queue"), "").unwrap();
    for number in ["2", "3", "4"] {
        task(number);
    }
    let merge = std::process::Command::new("sh").arg(bench.path("results/sweep/slurm/merge.sh")).output().unwrap();
    assert_eq!(merge.status.code(), Some(0), "{}", text(merge.stderr));
    bench.ok(&["run", "s.toml", "--quiet", "--out", "whole", "--set", "seed=3"]);
    assert_eq!(files(&bench, "results"), files(&bench, "whole"));
    assert!(text(with_slurm(&bench, &submit).stdout).starts_with("all rows are finished; the results are in "));
    assert!(bench.ok(&["status", "results/sweep"]).contains("4 done; the files are written"));
    assert!(bench.ok(&["status", "whole/sweep"]).contains("done; the files are written"));
}

#[test]
fn a_submission_that_cannot_be_is_refused() {
    let bench = Bench::new(SWEEP);
    assert!(
        bench.fails(2, &["submit", "s.toml", "--tasks", "2", "--", "--array=3"]).contains("--array=3 cannot be given")
    );
    bench.fails(2, &["submit", "s.toml", "--tasks", "0"]);
    let mut command = bench.command(&["submit", "s.toml", "--tasks", "2"]);
    let output = command.env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("cannot find sbatch, so nothing was submitted or written; run this on a Slurm"), "{said}");
    assert!(!bench.path("results").exists());
    let shown = bench.ok(&["submit", "s.toml", "--tasks", "2", "--dry-run"]);
    assert!(
        shown.starts_with("sbatch --parsable ") && shown.contains(" '--array=1-2' ") && shown.contains("afterany:JOB"),
        "{shown}"
    );
    assert!(bench.fails(2, &["status", "results"]).contains("there is no run in results"));
    for verb in ["status", "merge"] {
        assert!(bench.fails(2, &[verb, "nowhere"]).contains("nowhere"));
    }
    assert!(bench.fails(2, &["status", "s.toml"]).contains("s.toml is not the directory of a run"));
}

#[test]
fn a_row_that_fails_is_told_by_status() {
    let deadlock = "name = \"sweep\"\n[network.torus]\nshape = [8, 8]\n[channel]\nvirtual_channels = 1\n[workload.exchange]\n\
                    algorithms = [\"double-hop\", \"direct\"]\nblock_flits = 4\n";
    let bench = Bench::new(deadlock);
    bench.fails(1, &["run", "s.toml", "--jobs", "1"]);
    let output = bench.call(&["status", "results/sweep"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("failed (point 0, direct, repetition 0: deadlock"), "{said}");
    // what has failed is run again when it has been mended
    let mended = [
        "run",
        "s.toml",
        "--set",
        "workload.exchange.synchronous=true",
        "--force",
        "--set",
        "channel.virtual_channels=2",
    ];
    bench.ok(&mended);
    assert!(bench.ok(&["status", "results/sweep"]).contains("done; the files are written"));
}

#[test]
fn points_with_different_machines_have_different_ids() {
    let axes = [
        ("channel.buffer", "4, 8"),
        ("links.dim0.latency", "4, 8"),
        ("router.vc_allocator", "\"islip\", \"wavefront\""),
        ("router.model", "\"ideal\", \"pipelined\""),
        ("energy.preset", "\"dsent-22\", \"dsent-45\""),
        ("energy.activity", "false, true"),
        ("faults.random_links", "1, 2"),
        ("faults.baseline", "false, true"),
    ];
    for (key, values) in axes {
        let faults = if key.starts_with("faults") { "random_links = 1\n" } else { "slow = [[0, 1]]\nslowdown = 2\n" };
        let scenario = format!(
            "name = \"s\"\ntick = \"1ns\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nflit_bits = 128\n\
             [router]\nmodel = \"pipelined\"\n[links.dim0]\nlatency = 2\n[energy]\npreset = \"dsent-22\"\n[faults]\n{faults}[workload.multicast]\n\
             flits = 64\ngroup = 12\nalgorithms = [\"binomial\"]\n[sweep]\n\"{key}\" = [{values}]\n"
        );
        let scenario = Scenario::parse("s.toml", &scenario, Path::new(""), &Options::default());
        let points = scenario.unwrap_or_else(|error| panic!("{key}: {error}")).points;
        assert_ne!(points[0].id, points[1].id, "{key}");
    }
}
