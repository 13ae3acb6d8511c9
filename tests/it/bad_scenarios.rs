//! A scenario that is wrong gets every error at once, each with its place, what is accepted and a hint, and nothing is
//! written. `tests/data/bad/NAME.toml` is a wrong scenario, `NAME.stderr` what is said about it. Those whose runs fail
//! are in `exit-1/`; those that look wrong and run, perhaps with a warning, are in `accepted/`.
//!
//! `FLITWISE_BLESS=1 cargo test bad_scenarios` writes the expected messages anew.

use crate::support::data_path;
use flitwise::config::render;
use flitwise::memory::Limit;
use flitwise::scenario::{Options, Scenario};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scenarios(folder: &str) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(data_path(folder)).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path());
    let mut scenarios: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    scenarios.sort();
    scenarios
}

fn run(scenario: &Path, out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
    command.current_dir(scenario.parent().unwrap()).arg("run").arg(scenario.file_name().unwrap()).arg("--out").arg(out);
    command.env_remove("COLUMNS").output().unwrap()
}

/// What differs between `said` and the golden file beside `scenario`; nothing if it is blessed.
fn difference(scenario: &Path, said: &str) -> Option<String> {
    let golden = scenario.with_extension("stderr");
    if std::env::var_os("FLITWISE_BLESS").is_some() {
        std::fs::write(&golden, said).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    (said != expected).then(|| format!("{}:\n{said}\n--- expected:\n{expected}", golden.display()))
}

/// What is not as expected of a scenario that ends with `code`.
fn surprises(scenario: &Path, code: i32) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = run(scenario, &out);
    let mut surprises = Vec::new();
    surprises.extend(difference(scenario, &String::from_utf8(output.stderr).unwrap()));
    let stdout = String::from_utf8(output.stdout).unwrap();
    if stdout.is_empty() != (code > 0) || stdout.contains("NaN") {
        surprises.push(format!("{} prints {stdout:?}", scenario.display()));
    }
    if output.status.code() != Some(code) {
        surprises.push(format!("{} ends with {:?}", scenario.display(), output.status.code()));
    }
    if code == 2 && out.exists() {
        surprises.push(format!("{} has written something", scenario.display()));
    }
    surprises
}

/// Runs every scenario in `folder`, which must be `least` or more.
fn each_ends_as_expected(folder: &str, code: i32, least: usize) {
    let scenarios = scenarios(folder);
    assert!(scenarios.len() >= least);
    let surprises: Vec<String> = scenarios.iter().flat_map(|scenario| surprises(scenario, code)).collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

#[test]
fn each_gets_the_expected_messages_and_writes_nothing() {
    each_ends_as_expected("bad", 2, 180);
}

#[test]
fn each_that_fails_when_it_runs_says_why() {
    each_ends_as_expected("bad/exit-1", 1, 7);
}

#[test]
fn each_that_looks_wrong_and_runs_says_what_it_should() {
    each_ends_as_expected("bad/accepted", 0, 15);
}

/// What is said about `text` with `memory` bytes available.
fn said(text: &str, memory: u64) -> String {
    let options = Options { memory: Some(Limit::available(memory)), ..Options::default() };
    let rejected = Scenario::parse("s.toml", text, Path::new(""), &options).unwrap_err();
    render(&rejected.diagnostics, &rejected.sources, false)
}

#[test]
fn a_group_that_does_not_fit_says_so_without_a_network() {
    let text = "name = \"large\"\n[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 8\nnodes = [0, 4294967294]\n";
    let said = said(text, 1_000_000_000);
    assert!(said.contains("a group of 4294967295 nodes with 2 messages needs 34.4 GB of memory"), "{said}");
}

#[test]
fn a_network_that_does_not_fit_says_how_much_it_needs() {
    let text = "name = \"large\"\n[network.mesh]\nshape = [1024, 1024]\n\
                [workload.multicast]\nalgorithms = [\"u-mesh\"]\nflits = 8\ngroup = 100\n";
    let said = said(text, 1_000_000);
    let expected =
        "a 1024x1024 mesh of 6291456 channels with 100 messages needs 109 MB of memory, but only 1 MB is available";
    assert!(said.contains(expected) && said.contains("s.toml:2:2"), "{said}");
    let options = Options { memory: Some(Limit::available(200_000_000)), ..Options::default() };
    assert!(Scenario::parse("s.toml", text, Path::new(""), &options).is_ok());
}

/// Texts that a hurried or hostile user might leave in a scenario.
const DEBRIS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "18446744073709551615",
    "9223372036854775807",
    "4294967296",
    "1e9",
    "\"\"",
    "[]",
    "{}",
    "true",
    "[0, 0]",
    "\"opt-mesh\"",
    "[[1], [2]]",
    "\n[",
    "= =",
];

/// `text` with some of its lines dropped, doubled, cut, or given another value.
fn mutilated(text: &str, random: &mut Pcg64) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..lines.len());
        let debris = DEBRIS[random.random_range(0..DEBRIS.len())];
        match random.random_range(0..5) {
            0 => lines[at].clear(),
            1 => lines.push(lines[at].clone()),
            2 => {
                let cut = random.random_range(0..=lines[at].chars().count());
                lines[at] = lines[at].chars().take(cut).collect();
            }
            _ => {
                let key = lines[at].split('=').next().unwrap_or_default().to_owned();
                lines[at] = format!("{key}= {debris}");
            }
        }
    }
    lines.join("\n")
}

#[test]
fn no_scenario_makes_it_panic() {
    let mut random = Pcg64::seed_from_u64(1);
    let block = "[channel]\nbuffer = 2\nrouting_delay = 1\n[workload.multicast]\nalgorithms = [\"block-binomial\"]\n\
                 flits = 3\nnodes = [0, 1]\nblock = 2\n[network.bmin]\nradix = 2\nlevels = 3\nup = \"source\"\n\
                 [node]\nports = 2\nhold_setup = 3\n[sweep]\n\"node.ports\" = [1, 2]\nseed = [1]\n";
    let texts = [include_str!("../../scenarios/default.toml"), block, &format!("name = \"b\"\n{block}")];
    let (mut accepted, options) = (0, Options { memory: Some(Limit::available(1 << 28)), ..Options::default() });
    for case in 0..3000 {
        let text = mutilated(texts[case % texts.len()], &mut random);
        match Scenario::parse("s.toml", &text, Path::new(""), &options) {
            Ok(_) => accepted += 1,
            Err(rejected) => {
                assert!(!rejected.diagnostics.is_empty(), "refused without a reason:\n{text}");
                let said = render(&rejected.diagnostics, &rejected.sources, false);
                assert!(said.starts_with("error: "), "{said}");
            }
        }
    }
    assert!((100..2900).contains(&accepted), "{accepted} were accepted");
}
