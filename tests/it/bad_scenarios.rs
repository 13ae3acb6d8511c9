//! A scenario that is wrong gets every error at once, each with its place, what is accepted and a hint, and nothing is
//! written. `tests/data/bad/NAME.toml` is a wrong scenario, `NAME.stderr` what is said about it.
//!
//! `FLITWISE_BLESS=1 cargo test bad_scenarios` writes the expected messages anew.

use crate::support::data_path;
use flitwise::scenario::{Options, Scenario, render};
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
    let options = Options { set: Vec::new(), memory: Some(memory) };
    let rejected = Scenario::parse("s.toml", text, Path::new(""), &options).unwrap_err();
    render(&rejected.diagnostics, &rejected.sources, false)
}

#[test]
fn a_network_that_does_not_fit_says_how_much_it_needs() {
    let text = "name = \"large\"\n[network.mesh]\nshape = [1024, 1024]\n\
                [workload.multicast]\nalgorithms = [\"u-mesh\"]\nflits = 8\ngroup = 100\n";
    let said = said(text, 1_000_000);
    assert!(said.contains("a 1024x1024 mesh needs 109 MB of memory for its 6291456 channels"), "{said}");
    assert!(said.contains("1 MB are available") && said.contains("s.toml:2:2"), "{said}");
    let options = Options { set: Vec::new(), memory: Some(200_000_000) };
    assert!(Scenario::parse("s.toml", text, Path::new(""), &options).is_ok());
}
