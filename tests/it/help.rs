//! The help of every subcommand: examples that run.

use crate::cli::Bench;
use crate::support::data_path;
use std::fs;
use std::process::Command;

/// The subcommands, as the help lists them.
fn verbs(bench: &Bench) -> Vec<String> {
    let help = bench.ok(&["--help"]);
    let (_, verbs) = help.split_once("Commands:\n").unwrap();
    let lines = verbs.lines().take_while(|line| !line.is_empty());
    let named = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = named.map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

/// The commands below `Examples:` in the help of `arguments`.
fn examples(bench: &Bench, arguments: &[&str]) -> Vec<String> {
    let help = bench.ok(arguments);
    let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{arguments:?} has no examples"));
    let lines = examples.lines().take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().to_owned()).collect()
}

/// A folder with the files that the examples name.
fn stocked() -> Bench {
    let bench = Bench::new("");
    for (kind, file) in [("multicast", "mine.toml"), ("sweep", "sweep.toml")] {
        fs::write(bench.path(file), bench.ok(&["new", kind])).unwrap();
    }
    for (from, to) in [("fit/osu_latency_v5.txt", "latency.txt"), ("fit/osu_bw_v5.txt", "bandwidth.txt")] {
        fs::copy(data_path(from), bench.path(to)).unwrap();
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("scenarios/link.csv"), bench.path("link.csv")).unwrap();
    fs::copy(data_path("booksim/small.cfg"), bench.path("mesh.cfg")).unwrap();
    for folder in ["bin", ".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"] {
        fs::create_dir_all(bench.path(folder)).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_flitwise"), bench.path("bin/flitwise")).unwrap();
    bench
}

#[cfg(unix)]
#[test]
fn every_example_runs() {
    let bench = stocked();
    let mut all = vec![examples(&bench, &["--help"])];
    all.extend(verbs(&bench).iter().map(|verb| examples(&bench, &[verb, "--help"])));
    assert!(all.len() > 15);
    for commands in all {
        assert!(!commands.is_empty());
        let bench = stocked();
        for command in commands {
            let path = format!("{}:{}", bench.path("bin").display(), std::env::var("PATH").unwrap());
            let mut shell = Command::new("sh");
            // other cases in every run would fail at changes that have nothing to do with them
            let mut repeatable = command.replace("/tmp/shared", "shared");
            if !repeatable.contains("--seed") {
                repeatable = repeatable.replace("flitwise selftest", "flitwise selftest --seed 1");
            }
            shell.args(["-c", &repeatable]).current_dir(bench.path(""));
            let output = shell.env("PATH", path).env("HOME", bench.path("")).output().unwrap();
            let [printed, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
            assert!(output.status.success(), "{repeatable}: {printed}{errors}");
        }
    }
}

#[test]
fn help_is_no_wider_than_a_page() {
    let bench = Bench::new("");
    for verb in verbs(&bench) {
        for option in ["-h", "--help"] {
            let help = bench.ok(&[&verb, option]);
            let wide = help.lines().find(|line| line.chars().count() > 120);
            assert_eq!(wide, None, "{verb}");
        }
    }
    let run = bench.ok(&["run", "--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["A point is ", "DIR/NAME", "--resume continues", "Examples:"] {
        assert!(run.contains(word), "{word}");
    }
}
