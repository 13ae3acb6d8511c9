//! What happens to files that are not what a scenario or a run expects.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SWEEP: &str = r#"name = "s"
[network.mesh]
shape = [4, 4]
[workload.multicast]
algorithms = ["u-mesh"]
flits = 16
group = 5
[sweep]
"workload.multicast.flits" = [1, 32]
"#;

const TRACE: &str = "name = \"s\"\n[network.mesh]\nshape = [4, 4]\n[workload.trace]\nfile = \"m.csv\"\n";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
    command.current_dir(folder).args(["run", "s.toml", "--quiet"]).args(arguments).output().unwrap()
}

/// The exit code and standard error of a run of `scenario` beside the trace `messages`.
fn outcome(scenario: &[u8], messages: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.toml"), scenario).unwrap();
    fs::write(folder.path().join("m.csv"), messages).unwrap();
    let output = run(folder.path(), arguments);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_scenario_in_another_encoding_is_told_where_it_begins() {
    let (code, said) = outcome(b"name = \"caf\xe9\"\n", "", &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("s.toml:1:12") && said.contains("in Latin-1 it is `é`"), "{said}");
}

#[test]
fn a_trace_that_is_right_runs() {
    assert_eq!(outcome(TRACE.as_bytes(), "id,src,dst,flits,start\n0,0,1,4,0\n", &[]), (Some(0), String::new()));
}

#[test]
fn a_trace_needs_its_header() {
    let (code, said) = outcome(TRACE.as_bytes(), "", &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the first line must be `id,src,dst,flits,start`"), "{said}");
}

#[test]
fn a_trace_error_names_the_line_of_the_file() {
    let (code, said) = outcome(TRACE.as_bytes(), "id,src,dst,flits,start\n\n0,99,1,4,0\n", &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`src` must be at most") && said.contains("m.csv:3:3"), "{said}");
}

#[test]
fn setting_a_swept_key_fixes_it() {
    let nested = SWEEP.replace("\"workload.multicast.flits\"", "workload.multicast.flits");
    for scenario in [SWEEP, &nested] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("s.toml"), scenario).unwrap();
        let output = run(folder.path(), &["--set", "workload.multicast.flits=3", "--messages"]);
        assert_eq!(output.status.code(), Some(0));
        let rows = fs::read_to_string(folder.path().join("results/s/rows.csv")).unwrap();
        assert!(rows.starts_with("scenario,algorithm,") && rows.lines().count() == 2, "{rows}");
        let messages = fs::read_to_string(folder.path().join("results/s/messages.csv")).unwrap();
        assert!(messages.lines().skip(1).all(|line| line.split(',').nth(6) == Some("3")), "{messages}");
    }
}

#[test]
fn outputs_that_cannot_all_be_moved_are_not_moved() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.toml"), SWEEP).unwrap();
    fs::create_dir_all(folder.path().join("results/s/summary.csv")).unwrap();
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(!folder.path().join("results/s/rows.csv").exists());
}
