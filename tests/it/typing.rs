//! Command lines as people type them: a file without a verb, standard input, values without quotes, short options.

use crate::cli::{Bench, csv_rows};
use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

const MESH: &str = r#"
name = "m"
[network.mesh]
shape = [4, 4]
[node]
send_setup = 20
receive_setup = 35
[workload.multicast]
algorithms = ["opt-mesh", "u-mesh"]
flits = 8
group = 8
"#;

/// The distinct values of a column of `results/NAME/rows.csv` after a run with `arguments`, in order.
fn values(bench: &Bench, name: &str, column: &str, arguments: &[&str]) -> Vec<String> {
    bench.ok(&[&["run", "s.toml", "--quiet", "--force"], arguments].concat());
    let rows = fs::read_to_string(bench.path(&format!("results/{name}/rows.csv"))).unwrap();
    let mut values: Vec<String> = csv_rows(&rows).iter().map(|row| row[column].clone()).collect();
    values.dedup();
    values
}

fn piped(bench: &Bench, arguments: &[&str], input: &str) -> Output {
    let mut command = bench.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_file_without_a_verb_is_run() {
    let bench = Bench::new(MESH);
    let table = bench.ok(&["s.toml", "-o", "here", "-j", "2"]);
    assert!(table.contains("opt-mesh finishes first") && bench.path("here/m/rows.csv").is_file(), "{table}");
    assert_eq!(bench.ok(&["s.toml", "-q", "-o", "quiet"]), "");
    assert!(bench.ok(&["-s", "name=set-first", "s.toml"]).contains("results/set-first"));
    assert!(bench.fails(3, &["nowhere.toml"]).contains("cannot read the scenario `nowhere.toml`"));
}

#[test]
fn a_mistyped_verb_is_told_from_a_file() {
    let bench = Bench::new(MESH);
    for (typed, meant) in [("rn", "run"), ("chek", "check"), ("shcedule", "schedule"), ("s", "s.toml")] {
        let error = bench.fails(2, &[typed, "x"]);
        assert!(
            error.contains("is neither a command nor a file") && error.contains(&format!("`flitwise {meant}`")),
            "{error}"
        );
    }
    fs::create_dir_all(bench.path("results/m")).unwrap();
    assert!(bench.fails(2, &["results/m"]).contains("`flitwise show results/m`"));
    assert!(!bench.fails(2, &["quetzal"]).contains("did you mean"));
}

#[test]
fn a_scenario_comes_from_standard_input() {
    let bench = Bench::new("");
    for arguments in [&["run", "-"][..], &["-"], &["check", "-"], &["plan", "-"], &["schedule", "-"]] {
        let output = piped(&bench, arguments, MESH);
        assert!(output.status.success() && !output.stdout.is_empty(), "{arguments:?}: {output:?}");
        fs::remove_dir_all(bench.path("results")).ok();
    }
    let wrong = piped(&bench, &["check", "-"], "name = 1\n");
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("--> standard input:1:8"));
    // files that it names are in the current folder
    fs::write(bench.path("t.csv"), "id,src,dst,flits,start\n0,0,1,4,0\n").unwrap();
    let trace = "name = \"t\"\n[network.mesh]\nshape = [2, 2]\n[workload.trace]\nfile = \"t.csv\"\n";
    assert!(piped(&bench, &["run", "-"], trace).status.success());
    assert!(
        String::from_utf8(piped(&bench, &["submit", "-", "--tasks", "2"], MESH).stderr).unwrap().contains("in a file")
    );
}

#[test]
fn values_are_set_without_quotes() {
    let bench = Bench::new(MESH);
    assert_eq!(values(&bench, "foo", "engine", &["-s", "engine.kind=flit", "--set", "name=foo"]), ["flit"]);
    // a name may look like a number
    assert_eq!(values(&bench, "2024", "algorithm", &["-s", "name=2024"]), ["opt-mesh", "u-mesh"]);
    let algorithms = "workload.multicast.algorithms";
    assert_eq!(
        values(&bench, "m", "algorithm", &["-s", &format!("{algorithms}=u-mesh, opt-tree")]),
        ["u-mesh", "opt-tree"]
    );
    for set in ["u-mesh", "\"u-mesh\"", "[u-mesh]", "[ u-mesh ]", "[\"u-mesh\"]", "['u-mesh']"] {
        assert_eq!(values(&bench, "m", "algorithm", &["-s", &format!("{algorithms}={set}")]), ["u-mesh"], "{set}");
    }
}

#[test]
fn an_array_sweeps_a_key_that_takes_none() {
    let bench = Bench::new(MESH);
    let flits = "workload.multicast.flits";
    let shape = "network.mesh.shape";
    let sweep = |column: &str, set: &str| values(&bench, "m", column, &["-s", set]);
    assert_eq!(sweep(flits, &format!("{flits}=[1, 2, 4]")), ["1", "2", "4"]);
    assert_eq!(sweep(flits, &format!("{flits}={{ from = 1, to = 9, times = 3 }}")), ["1", "3", "9"]);
    assert_eq!(sweep("algorithm", &format!("{shape}=[8, 8]")), ["opt-mesh", "u-mesh"]);
    let header = fs::read_to_string(bench.path("results/m/rows.csv")).unwrap();
    assert!(!header.contains("shape"), "{header}");
    assert_eq!(sweep(shape, &format!("{shape}=[[4, 4], [2, 8]]")), ["[4, 4]", "[2, 8]"]);
    assert_eq!(sweep("engine.kind", "engine.kind=[worm, flit]"), ["worm", "flit"]);
    let algorithms = "workload.multicast.algorithms";
    assert_eq!(
        sweep(algorithms, &format!("{algorithms}=[[opt-mesh], [u-mesh]]")),
        [r#"["opt-mesh"]"#, r#"["u-mesh"]"#]
    );
    assert_eq!(sweep("seed", "sweep.seed=[3, 4]"), ["3", "4"]);
}

#[test]
fn a_swept_key_that_is_set_is_fixed() {
    let bench = Bench::new(&format!("{MESH}\n[sweep]\n\"workload.multicast.flits\" = [1, 2]\nseed = [1, 2, 3]\n"));
    bench.ok(&["run", "s.toml", "-q", "-s", "workload.multicast.flits=5"]);
    let rows = fs::read_to_string(bench.path("results/m/rows.csv")).unwrap();
    assert!(!rows.lines().next().unwrap().split(',').any(|column| column.ends_with(".flits")), "{rows}");
    assert_eq!(rows.lines().count(), 1 + 3 * 2);
    assert_eq!(values(&bench, "m", "seed", &["-s", "seed=[7, 8]"]).len(), 4, "the last sweep counts");
    assert_eq!(values(&bench, "m", "seed", &["--unset", "seed"]), ["1"]);
}

#[test]
fn another_network_is_set_in_place_of_the_first() {
    let bench = Bench::new(MESH);
    let torus = ["-s", "network.torus.shape=[4,4]", "-s", "workload.multicast.algorithms=[opt-tree]"];
    let error = bench.fails(2, &[&["run", "s.toml"][..], &torus].concat());
    assert!(error.contains("more than one table [network.*]") && error.contains("--unset network.mesh"), "{error}");
    // whichever of the two stands first
    let wrong = bench.fails(2, &["check", "s.toml", "-s", "network.bmin.radix=2"]);
    assert!(wrong.contains("--unset network.mesh"), "{wrong}");
    let text = bench.ok(&[&["run", "s.toml", "--unset", "network.mesh"][..], &torus].concat());
    assert!(text.contains("m: 4x4 torus"), "{text}");
    let model = ["run", "s.toml", "--force", "--unset", "network", "--unset", "node", "-s", "model.logp={L=6,o=2,g=4}"];
    let model = [&model[..], &["-s", "workload.multicast.algorithms=[chain]"]].concat();
    assert!(bench.ok(&model).contains("m: model only"));
}

#[test]
fn what_cannot_be_set_or_unset_is_shown() {
    let bench = Bench::new(MESH);
    for (arguments, said) in [
        (["-s", "flits=5"], "did you mean `workload.multicast.flits`?"),
        (["-s", "workload.multicast.flits="], "a value is missing after `=`"),
        (["-s", "=5"], "a key is missing before `=`"),
        (["-s", "flits"], "the assignment has no `=`"),
        (["-s", ""], "the assignment is empty"),
        (["-s", "name=\"m"], "accepted: KEY=VALUE"),
        (["-s", "workload.multicast.algorithms=[u-mesh,,opt-mesh]"], "accepted: KEY=VALUE"),
        (["-s", "workload.multicast.flits=many"], "must be an integer, not a string"),
        (["-s", "workload.multicast.algorithms=u-mesh,opt-mash"], "did you mean `opt-mesh`?"),
        (["-s", "name=[a, b]"], "cannot be swept"),
        (["--unset", "network.torus"], "the scenario does not set `network.torus`"),
        (["--unset", "network.mseh"], "did you mean `network.mesh`?"),
        (["--jobs", "0"], "must be a whole number from 1"),
    ] {
        let error = bench.fails(2, &["run", "s.toml", arguments[0], arguments[1]]);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    for arguments in [&["plan", "s.toml", "--shards", "0"][..], &["submit", "s.toml", "--tasks", "0"]] {
        assert!(bench.fails(2, arguments).contains("must be a whole number from 1"), "{arguments:?}");
    }
}

#[test]
fn the_version_has_the_commit() {
    let bench = Bench::new("");
    let version = bench.ok(&["--version"]);
    assert_eq!(bench.ok(&["-V"]), version);
    let git = std::process::Command::new("git")
        .args(["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "--short=9", "HEAD"])
        .output();
    let commit =
        git.ok().filter(|output| output.status.success()).map(|output| String::from_utf8(output.stdout).unwrap());
    let begins = format!("flitwise {}", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&begins), "{version}");
    if let Some(commit) = commit {
        assert!(version.starts_with(&format!("{begins} ({}", commit.trim())), "{version}");
    }
}

#[test]
fn shells_and_man_learn_every_verb() {
    let bench = Bench::new("");
    let man = bench.ok(&["man"]);
    assert!(man.contains(".TH flitwise 1"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = bench.ok(&["completions", shell]);
        for word in ["run", "schedule", "completions", "unset"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let zsh = bench.ok(&["completions", "zsh"]);
    assert!(zsh.lines().filter(|line| line.contains(":scenario -- ")).all(|line| line.contains("*.toml")));
    assert!(zsh.contains("multicast\\:") && zsh.contains(":_files -/"));
    for verb in ["RUN", "CHECK", "SCHEDULE", "FORECAST", "MAN"] {
        assert!(man.contains(&format!(".SH \"FLITWISE {verb}\"")), "{verb}");
    }
    assert!(man.contains("Exit codes") && man.contains("\\-\\-unset"));
}

#[test]
fn colour_is_as_asked_for() {
    let bench = Bench::new("name = 1\n");
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = bench.command(arguments);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
            command.env_remove(name);
        }
        let output = command.envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stderr).unwrap().contains('\u{1b}')
    };
    let force = ("CLICOLOR_FORCE", "1");
    for (arguments, variables, expected) in [
        (&["check", "s.toml"][..], &[][..], false),
        (&["check", "s.toml"], &[force], true),
        (&["check", "s.toml"], &[force, ("NO_COLOR", "1")], false),
        (&["check", "s.toml", "--color", "always"], &[("NO_COLOR", "1")], true),
        (&["--color=never", "check", "s.toml"], &[force], false),
        // errors of the command line, too
        (&["run", "--wrong"], &[], false),
        (&["run", "--wrong", "--color", "always"], &[], true),
        (&["--color", "always", "wrong"], &[], true),
    ] {
        assert_eq!(coloured(arguments, variables), expected, "{arguments:?} {variables:?}");
    }
}
