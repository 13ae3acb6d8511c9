//! `flitwise new`: every template runs as it is.

use crate::cli::Bench;
use flitwise::workload::KINDS;
use std::fs;

#[test]
fn every_template_runs() {
    let bench = Bench::new("");
    let list = bench.ok(&["new"]);
    for name in KINDS.iter().map(|kind| kind.name).chain(["sweep", "figure"]) {
        assert!(list.contains(&format!("  {name} ")), "{name}");
        let printed = bench.ok(&["new", name]);
        let command = if name == "embed" { "flitwise check FILE" } else { "flitwise run FILE" };
        assert!(printed.lines().next().unwrap().starts_with("# ") && printed.contains(command), "{name}");
        bench.ok(&["new", name, "--out", name]);
        let file = format!("{name}/{name}.toml");
        assert_eq!(fs::read_to_string(bench.path(&file)).unwrap(), printed);
        bench.ok(&["check", &file]);
        if name == "embed" {
            assert!(bench.fails(2, &["run", &file, "--out", "out"]).contains("flitwise guide embed"));
        } else {
            let out = bench.ok(&["run", &file, "--out", "out"]);
            assert!(out.starts_with(&format!("my-{name}: ")), "{out}");
        }
        // what is there stays
        assert!(bench.fails(2, &["new", name, "--out", name]).contains("already exists"), "{name}");
    }
    assert!(bench.ok(&["run", "figure/figure.toml", "--out", "claims", "--claims"]).contains("holds: OPT-mesh"));
    assert!(bench.fails(2, &["new", "multicats"]).contains("'multicast'"));
}

#[test]
fn a_template_that_needs_files_says_so() {
    let bench = Bench::new("");
    let output = bench.call(&["new", "goal"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("`flitwise new goal --out DIR`"));
    assert!(String::from_utf8(output.stdout).unwrap().contains("flitwise new goal --out DIR"));
    assert_eq!(bench.call(&["new", "traffic"]).stderr, b"");
}

#[test]
fn a_machine_is_included() {
    let bench =
        Bench::new("name = \"x\"\ninclude = \"machine.toml\"\n[workload.exchange]\nalgorithms = [\"direct\"]\n");
    bench.ok(&["new", "machine", "--out", "."]);
    assert!(bench.ok(&["run", "s.toml"]).starts_with("x: 8x8 torus"));
}
