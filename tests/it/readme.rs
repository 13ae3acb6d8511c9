//! The README shows what the program does: its algorithms, its default table, its example scenario.

use flitwise::algorithm::multicast::ALGORITHMS;
use flitwise::algorithm::{broadcast, exchange, mapping};
use flitwise::forecast::METHODS;
use flitwise::scenario::{Options, Scenario};
use std::path::Path;
use std::process::Command;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

#[test]
fn lists_every_algorithm_of_the_registry() {
    let readme = readme();
    let listed = |header: &str| -> Vec<&str> {
        let table = readme.lines().skip_while(|line| *line != header).skip(2);
        table.take_while(|line| line.starts_with('|')).collect()
    };
    let line = |a: &flitwise::algorithm::multicast::Algorithm| {
        format!("| `{}` | {} | {} |", a.name, a.fits.networks(), a.summary)
    };
    let expected: Vec<String> = ALGORITHMS.iter().map(line).collect();
    assert_eq!(listed("| name | networks | what it is |"), expected);
    let line = |a: &exchange::Algorithm| format!("| `{}` | {} | {} |", a.name, a.sizes.in_words(), a.summary);
    let expected: Vec<String> = exchange::ALGORITHMS.iter().map(line).collect();
    assert_eq!(listed("| name | tori | what it is |"), expected);
    let line = |a: &broadcast::Algorithm| format!("| `{}` | {} |", a.name, a.summary);
    let expected: Vec<String> = broadcast::ALGORITHMS.iter().map(line).collect();
    assert_eq!(listed("| name | what it is |"), expected);
    let line = |a: &mapping::Algorithm| format!("| `{}` | {} |", a.name, a.summary);
    let expected: Vec<String> = mapping::ALGORITHMS.iter().map(line).collect();
    assert_eq!(listed("| name | what it does |"), expected);
    let expected: Vec<String> = METHODS.iter().map(|m| format!("| `{}` | {} |", m.name, m.summary)).collect();
    assert_eq!(listed("| name | what it forecasts |"), expected);
}

#[test]
fn shows_the_table_that_the_default_scenario_prints() {
    let output = Command::new(env!("CARGO_BIN_EXE_flitwise")).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    assert!(readme().contains(&lines.join("\n")), "the README's table is not what is printed:\n{printed}");
}

#[test]
fn shows_the_tables_of_scenarios() {
    for name in ["exchange-8x8", "goal-ring", "grid-100"] {
        let folder = tempfile::tempdir().unwrap();
        let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{name}.toml"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
        let output = command.arg("run").arg(scenario).arg("--out").arg(folder.path()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let table: Vec<&str> =
            printed.lines().map(str::trim_end).take_while(|line| !line.starts_with("Written")).collect();
        assert!(readme().contains(&table.join("\n")), "the README's table is not what is printed:\n{printed}");
    }
}

#[test]
fn shows_the_forecasts_of_the_example() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["forecast", "scenarios/link.csv"]);
    let output = command.args(["--column", "megabytes_per_second"]).output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    assert!(readme().contains(&lines.join("\n")), "the README's table is not what is printed:\n{printed}");
}

/// The example `first-run`, which `cargo test` has built beside this test.
#[test]
fn shows_the_first_run_of_the_library_which_runs() {
    let source = include_str!("../../examples/first-run.rs");
    let (_, code) = source.split_once("\n\n").unwrap();
    assert!(readme().contains(&format!("```rust\n{code}```\n")), "the README's example is not examples/first-run.rs");
    let folder = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples");
    let output =
        Command::new(folder.join("first-run")).output().expect("`cargo test` without `--test` builds examples");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("opt-mesh finishes first; binomial takes 1.31 times as long."), "{printed}");
}

#[test]
fn shows_a_scenario_that_is_valid() {
    let readme = readme();
    let example = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let scenario = Scenario::parse("README.md", example, Path::new(""), &Options::default()).unwrap();
    assert_eq!(scenario.points.len(), 6);
}

#[test]
fn every_scenario_that_is_shipped_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut found = 0;
    for folder in [folder.clone(), folder.join("paper")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let scenario = Scenario::load(&path, &Options::default()).unwrap();
                let paper = path.parent().is_some_and(|parent| parent.ends_with("paper"));
                assert!(!paper || path.file_stem().is_some_and(|stem| *stem == *scenario.name), "{}", path.display());
                found += 1;
            }
        }
    }
    assert!(found >= 12);
}

/// The commands of the section on sweeps, but for those that need Slurm, in a folder of their own.
#[test]
fn the_commands_of_sweeps_run_as_written() {
    let readme = readme();
    let section = readme.split("### From one machine to a cluster").nth(1).unwrap().split("\n### ").next().unwrap();
    let commands = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(commands.lines().filter(|line| line.starts_with("flitwise ")).count(), 8);
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_flitwise")).parent().unwrap();
    let script = format!(
        "set -e\nPATH={}:$PATH\ncp -r {}/scenarios .\n{commands}",
        program.display(),
        env!("CARGO_MANIFEST_DIR")
    );
    let output = Command::new("bash").current_dir(folder.path()).args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["rows.csv", "summary.csv"] {
        let of = |out: &str| std::fs::read(folder.path().join(out).join("mesh-sweep").join(file)).unwrap();
        assert!(of("results") == of("parts"), "{file}");
    }
}
