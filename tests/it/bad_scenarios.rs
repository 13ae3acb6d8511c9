//! A scenario that is wrong gets every error at once, each with its place, what is accepted and a hint, and nothing is
//! written. `tests/data/bad/NAME.toml` is a wrong scenario, `NAME.stderr` what is said about it.
//!
//! `FLITWISE_BLESS=1 cargo test bad_scenarios` writes the expected messages anew.

use crate::support::data_path;
use flitwise::config::render;
use flitwise::scenario::{Options, Scenario};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scenarios() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(data_path("bad")).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path());
    let mut scenarios: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    scenarios.sort();
    scenarios
}

fn run(scenario: &Path, out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
    command.current_dir(data_path("bad")).arg("run").arg(scenario.file_name().unwrap()).arg("--out").arg(out);
    command.output().unwrap()
}

#[test]
fn each_gets_the_expected_messages_and_writes_nothing() {
    let bless = std::env::var_os("FLITWISE_BLESS").is_some();
    let scenarios = scenarios();
    assert!(scenarios.len() >= 50);
    for scenario in scenarios {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let output = run(&scenario, &out);
        let said = String::from_utf8(output.stderr).unwrap();
        let golden = scenario.with_extension("stderr");
        if bless {
            std::fs::write(&golden, &said).unwrap();
        }
        let expected = std::fs::read_to_string(&golden).unwrap();
        assert_eq!(said, expected, "{}", scenario.display());
        assert_eq!(output.status.code(), Some(2), "{}", scenario.display());
        assert!(output.stdout.is_empty() && !out.exists(), "{}", scenario.display());
    }
}

/// What is said about `text` with `memory` bytes available.
fn said(text: &str, memory: u64) -> String {
    let options = Options { memory: Some(memory), ..Options::default() };
    let rejected = Scenario::parse("s.toml", text, Path::new(""), &options).unwrap_err();
    render(&rejected.diagnostics, &rejected.sources, false)
}

#[test]
fn a_group_that_does_not_fit_says_so_without_a_network() {
    let text = "name = \"large\"\n[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 8\nnodes = [0, 4294967294]\n";
    let said = said(text, 1_000_000_000);
    assert!(said.contains("a group among 4294967295 nodes with 2 messages needs 34.4 GB of memory"), "{said}");
}

#[test]
fn a_network_that_does_not_fit_says_how_much_it_needs() {
    let text = "name = \"large\"\n[network.mesh]\nshape = [1024, 1024]\n\
                [workload.multicast]\nalgorithms = [\"u-mesh\"]\nflits = 8\ngroup = 100\n";
    let said = said(text, 1_000_000);
    let expected = "a 1024x1024 mesh of 6291456 channels with 100 messages needs 109 MB of memory; 1 MB are available";
    assert!(said.contains(expected) && said.contains("s.toml:2:2"), "{said}");
    let options = Options { memory: Some(200_000_000), ..Options::default() };
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
    let (mut accepted, options) = (0, Options { memory: Some(1 << 28), ..Options::default() });
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
