//! What `tests/faults/run` found: killed runs, damaged files and things in the way, each by its symptom.

use crate::cli::Bench;
use std::fs;
use std::path::Path;

/// A small sweep.
const SWEEP: &str = r#"
name = "sweep"
repetitions = 3

[network.mesh]
shape = [6, 6]

[node]
send_setup = 20
receive_setup = 35

[workload.multicast]
algorithms = ["opt-mesh", "u-mesh"]
flits = 8
group = 9

[sweep]
"workload.multicast.flits" = [1, 64]
"#;

/// Those files that a run leaves for people.
const FILES: [&str; 4] = ["rows.csv", "summary.csv", "messages.csv", "hops.csv"];

const KEEP: [&str; 4] = ["run", "s.toml", "--messages", "--hops"];

fn files(folder: &Path) -> Vec<Vec<u8>> {
    FILES.map(|name| fs::read(folder.join(name)).unwrap()).to_vec()
}

/// A bench with a whole run in `whole`, and three shards that are merged in `cut`.
fn bench() -> Bench {
    let bench = Bench::new(SWEEP);
    bench.ok(&[&KEEP[..], &["--quiet", "--out", "whole"]].concat());
    shards(&bench, &[]);
    bench.ok(&["merge", "cut/sweep"]);
    bench
}

fn shards(bench: &Bench, more: &[&str]) {
    for shard in ["1/3", "2/3", "3/3"] {
        bench.ok(&[&KEEP[..], &["--quiet", "--out", "cut", "--shard", shard], more].concat());
    }
}

/// Changes a byte in the middle of a file.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x11;
    fs::write(path, bytes).unwrap();
}

/// The names in `folder` that begin like those of temporary files.
fn left(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".flitwise-") || name.ends_with("partial")).collect()
}

/// What runs leave that are killed while they write: a folder with a lock that no process holds, and a file.
fn leave(folder: &Path) {
    fs::create_dir_all(folder.join(".flitwise-killed")).unwrap();
    fs::write(folder.join(".flitwise-killed/.lock"), "").unwrap();
    fs::write(folder.join(".flitwise-killed/rows.csv"), "1,2").unwrap();
    fs::write(folder.join(".flitwise-torn"), "{").unwrap();
    assert_eq!(left(folder).len(), 2);
}

#[test]
fn temporary_files_of_killed_runs_stayed_for_ever() {
    let bench = bench();
    let whole = bench.path("whole/sweep");
    for call in [&["--resume"][..], &["--force"], &[], &["--html"]] {
        leave(&whole);
        bench.ok(&[&KEEP[..], &["--quiet", "--out", "whole"], call].concat());
        assert!(left(&whole).is_empty(), "{call:?}: {:?}", left(&whole));
    }
    let cut = bench.path("cut/sweep");
    leave(&cut);
    bench.ok(&["merge", "cut/sweep"]);
    assert!(left(&cut).is_empty());
    let submit = ["submit", "s.toml", "--messages", "--hops", "--tasks", "3", "--out", "cut", "--dry-run"];
    fs::remove_file(cut.join("manifest.json")).unwrap();
    bench.ok(&submit);
    leave(&cut.join("slurm"));
    bench.ok(&submit);
    assert!(left(&cut.join("slurm")).is_empty());
    // beside tables that are made of several scenarios
    fs::create_dir_all(bench.path("mine")).unwrap();
    fs::write(bench.path("mine/sweep.toml"), format!("{SWEEP}[figure]\nsource = \"a table\"\n")).unwrap();
    bench.ok(&["figures", "--scenarios", "mine"]);
    leave(&bench.path("results/mine"));
    bench.ok(&["figures", "--scenarios", "mine"]);
    assert!(left(&bench.path("results/mine")).is_empty());
}

#[test]
fn a_flipped_byte_of_hops_was_a_panic_or_went_into_the_table() {
    let bench = bench();
    let expected = files(&bench.path("whole/sweep"));
    let part = bench.path("whole/sweep/.hops/1");
    flip(&part);
    let output = bench.call(&[&KEEP[..], &["--quiet", "--out", "whole", "--resume"]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("whole/sweep/.hops/1 is damaged (wrong checksum); its rows are computed again"), "{said}");
    assert_eq!(files(&bench.path("whole/sweep")), expected);
    // a merge runs nothing again
    let part = bench.path("cut/sweep/.hops/1");
    for damage in [flip, |path: &Path| fs::remove_file(path).unwrap(), |path: &Path| fs::write(path, "").unwrap()] {
        damage(&part);
        let said = bench.fails(1, &["merge", "cut/sweep"]);
        assert!(said.contains("3 of 12 rows are missing") && said.contains("--shard I/N --resume"), "{said}");
        assert_eq!(said.contains(".hops/1 is damaged"), part.exists(), "{said}");
        let dry = ["submit", "s.toml", "--messages", "--hops", "--tasks", "3", "--out", "cut", "--dry-run"];
        assert!(bench.ok(&dry).contains("--array="), "what is damaged is submitted again");
        shards(&bench, &["--resume"]);
        bench.ok(&["merge", "cut/sweep"]);
        assert_eq!(files(&bench.path("cut/sweep")), expected);
    }
}

#[test]
fn a_flipped_byte_of_the_plan_of_shards_went_into_merged_tables() {
    let bench = bench();
    let expected = files(&bench.path("whole/sweep"));
    let plan = bench.path("cut/sweep/plan.json");
    let whole = fs::read(&plan).unwrap();
    for at in (0..whole.len()).step_by(97) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&plan, changed).unwrap();
        let said = bench.fails(2, &["merge", "cut/sweep"]);
        assert!(said.contains("plan.json is damaged") && said.contains("any shard with --resume"), "byte {at}: {said}");
    }
    shards(&bench, &["--resume"]);
    bench.ok(&["merge", "cut/sweep"]);
    assert_eq!(files(&bench.path("cut/sweep")), expected);
    assert_eq!(fs::read(&plan).unwrap(), whole);
}

#[test]
fn an_error_about_the_numbers_of_jobs_did_not_say_what_to_do() {
    let bench = bench();
    fs::create_dir(bench.path("cut/sweep/slurm")).unwrap();
    fs::write(bench.path("cut/sweep/slurm/jobs.json"), "{\"tasks\":3").unwrap();
    let said = bench.fails(3, &["status", "cut/sweep"]);
    assert!(said.contains("cut/sweep/slurm/jobs.json is damaged") && said.contains("remove this file"), "{said}");
}

#[test]
fn an_error_about_the_plan_of_shards_did_not_say_where() {
    let bench = bench();
    fs::remove_file(bench.path("cut/sweep/plan.json")).unwrap();
    fs::create_dir(bench.path("cut/sweep/plan.json")).unwrap();
    assert!(bench.fails(3, &["merge", "cut/sweep"]).contains("cannot read cut/sweep/plan.json: "));
}

#[test]
fn a_shard_whose_first_line_is_damaged_was_missing_in_status() {
    let bench = bench();
    let journal = bench.path("cut/sweep/journal-2-of-3.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    bytes[30] ^= 1;
    fs::write(&journal, bytes).unwrap();
    let said = String::from_utf8(bench.call(&["status", "cut/sweep"]).stdout).unwrap();
    assert!(said.lines().any(|line| line.starts_with("2/3 ") && line.contains("line 1 is incomplete")), "{said}");
    shards(&bench, &["--resume"]);
    assert!(bench.ok(&["status", "cut/sweep"]).starts_with("shard"));
}

/// A file that may not grow, as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn an_error_about_hops_on_a_full_disk_did_not_say_where() {
    let bench = Bench::new(SWEEP);
    let program = env!("CARGO_BIN_EXE_flitwise");
    let script = format!("trap '' XFSZ; ulimit -f 0; exec {program} run s.toml --hops --quiet");
    let output = std::process::Command::new("bash").current_dir(bench.path("")).args(["-c", &script]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("results/sweep"), "{said}");
    bench.ok(&["run", "s.toml", "--hops", "--quiet", "--resume"]);
}

/// A link stands for the device, which would be removed with the rights to do so.
#[cfg(target_os = "linux")]
#[test]
fn a_device_that_takes_nothing_was_removed() {
    let bench = Bench::new(SWEEP);
    std::os::unix::fs::symlink("/dev/full", bench.path("full")).unwrap();
    let said = bench.fails(3, &["schedule", "s.toml", "--out", "full"]);
    assert!(said.contains("full was not written"), "{said}");
    assert!(fs::symlink_metadata(bench.path("full")).is_ok() && Path::new("/dev/full").exists());
    // a file that is replaced is the old one or the new one
    fs::write(bench.path("old"), "old").unwrap();
    bench.fails(2, &["schedule", "s.toml", "--algorithm", "none", "--out", "old"]);
    assert_eq!(fs::read_to_string(bench.path("old")).unwrap(), "old");
    bench.ok(&["schedule", "s.toml", "--out", "old"]);
    assert_ne!(fs::read_to_string(bench.path("old")).unwrap(), "old");
}
