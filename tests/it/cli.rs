//! The command as a user meets it: what it writes, what it prints, and with which exit code it ends.

use crate::support::data;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SWEEP: &str = r#"
name = "small"
repetitions = 3

[network.mesh]
shape = [6, 6]

[channel]
flit_time = 2

[node]
send_setup = 20
send_per_flit = 2
receive_setup = 35
receive_per_flit = 3

[workload.multicast]
algorithms = ["opt-mesh", "opt-tree"]
flits = 8
group = 9

[sweep]
"workload.multicast.flits" = [1, 64]
"network.mesh.shape" = [[6, 6], [4, 9]]
"#;

const EXAMPLE: &str = r#"
name = "example"
[network.mesh]
shape = [6, 6]
[workload.multicast]
algorithms = ["opt-mesh", "u-mesh"]
flits = 1
nodes = [20, 11, 13, 22, 27, 28, 31, 34]
t_hold = 20
t_end = 55
"#;

/// A folder with a scenario in it.
pub(crate) struct Bench(tempfile::TempDir);

impl Bench {
    pub(crate) fn new(scenario: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("s.toml"), scenario).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Standard output of a call that succeeds.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let output = self.call(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Standard error of a call that ends with `code`.
    pub(crate) fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.call(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The lines of a CSV file by column name.
pub(crate) fn csv_rows(text: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

fn number(row: &std::collections::BTreeMap<String, String>, column: &str) -> u64 {
    row[column].parse().unwrap()
}

#[test]
fn run_writes_its_files_whole_and_nothing_else() {
    let bench = Bench::new(SWEEP);
    let table = bench.ok(&["run", "s.toml", "--messages"]);
    assert!(
        table.contains("Fastest: opt-mesh and opt-tree tied at 4 of 4 points") && table.contains("results/small"),
        "{table}"
    );
    let folder = bench.path("results/small");
    let files = [".lock", "journal-1-of-1.jsonl", "manifest.json", "messages.csv", "rows.csv", "summary.csv"];
    assert_eq!(names(&folder), BTreeSet::from(files.map(str::to_owned)));
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    assert_eq!(bench.ok(&["run", "s.toml", "--quiet", "--force"]), "");
    let files = [".lock", "journal-1-of-1.jsonl", "manifest.json", "notes.txt", "rows.csv", "summary.csv"];
    assert_eq!(names(&folder), BTreeSet::from(files.map(str::to_owned)));
}

#[test]
fn rows_are_in_order_with_the_documented_columns() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml"]);
    let text = fs::read_to_string(bench.path("results/small/rows.csv")).unwrap();
    let header = "scenario,workload.multicast.flits,network.mesh.shape,algorithm,repetition,seed,nodes,messages,\
                  predicted,measured,blocked_messages,blocked_headers,blocked_time,queued_messages,queued_time,\
                  engine,packets,link_flits,forks,joins";
    assert_eq!(text.lines().next(), Some(header));
    let rows = csv_rows(&text);
    let key = |row: &std::collections::BTreeMap<String, String>| {
        ["workload.multicast.flits", "network.mesh.shape", "algorithm", "repetition"].map(|c| row[c].clone()).join(" ")
    };
    let mut expected = Vec::new();
    for flits in ["1", "64"] {
        for shape in ["[6, 6]", "[4, 9]"] {
            for algorithm in ["opt-mesh", "opt-tree"] {
                expected.extend((0..3).map(|repetition| format!("{flits} {shape} {algorithm} {repetition}")));
            }
        }
    }
    assert_eq!(rows.iter().map(key).collect::<Vec<_>>(), expected);
}

#[test]
fn messages_agree_with_rows() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--messages", "--set", "channel.routing_delay=3"]);
    let read = |name: &str| csv_rows(&fs::read_to_string(bench.path("results/small").join(name)).unwrap());
    let (rows, messages) = (read("rows.csv"), read("messages.csv"));
    assert_eq!(messages.len(), rows.len() * 8);
    for (row, messages) in rows.iter().zip(messages.chunks(8)) {
        let sum = |column| messages.iter().map(|m| number(m, column)).sum::<u64>();
        assert_eq!(number(row, "measured"), messages.iter().map(|m| number(m, "received")).max().unwrap());
        assert_eq!(number(row, "blocked_time"), sum("blocked"));
        assert_eq!(number(row, "queued_time"), sum("queued"));
        for message in messages {
            let flits = number(message, "flits");
            let unloaded = (number(message, "hops") + 1) * 5 + flits * 2;
            let spent = number(message, "delivered") - number(message, "requested");
            assert_eq!(spent, unloaded + number(message, "blocked"), "{message:?}");
            assert_eq!(number(message, "injected"), number(message, "requested") + number(message, "queued"));
            assert!(number(message, "queued") <= number(message, "blocked"));
        }
    }
}

#[test]
fn bytes_do_not_depend_on_jobs() {
    let bench = Bench::new(SWEEP);
    let results = ["1", "2", "5"].map(|jobs| {
        bench.ok(&["run", "s.toml", "--messages", "--jobs", jobs, "--out", jobs, "--set", "repetitions=40"]);
        ["rows.csv", "summary.csv", "messages.csv"]
            .map(|name| fs::read(bench.path(jobs).join("small").join(name)).unwrap())
    });
    assert!(results[0] == results[1] && results[1] == results[2]);
}

#[test]
fn the_manifest_says_what_was_run() {
    let bench = Bench::new(SWEEP);
    let manifest = |arguments: &[&str]| -> Value {
        bench.ok(&[&["run", "s.toml", "--force"], arguments].concat());
        serde_json::from_slice(&fs::read(bench.path("results/small/manifest.json")).unwrap()).unwrap()
    };
    let (plain, jobs, set) = (manifest(&[]), manifest(&["--jobs", "1"]), manifest(&["--set", "seed=2"]));
    assert_eq!(plain["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&plain["rows"], &plain["points"]), (&Value::from(24), &Value::from(4)));
    assert_eq!(plain["resolved"]["channel"]["buffer"], 1);
    assert!(plain["wall_time_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(plain["hash"], jobs["hash"]);
    assert_ne!(plain["hash"], set["hash"]);
}

#[test]
fn a_trace_keeps_its_ids_and_gives_the_same_on_both_engines() {
    let bench = Bench::new("name = \"t\"\n[network.mesh]\nshape = [5]\n[workload.trace]\nfile = \"m.csv\"\n");
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n70,0,3,9,1\n5,1,3,9,1\n6,3,3,2,0\n").unwrap();
    let messages = ["worm", "flit"].map(|engine| {
        let kind = format!("engine.kind=\"{engine}\"");
        bench.ok(&["run", "s.toml", "--messages", "--force", "--set", &kind]);
        fs::read_to_string(bench.path("results/t/messages.csv")).unwrap()
    });
    assert_eq!(messages[0], messages[1]);
    let rows = csv_rows(&messages[0]);
    assert_eq!(rows.iter().map(|row| number(row, "id")).collect::<Vec<_>>(), [5, 6, 70]);
    assert_eq!(rows.iter().map(|row| number(row, "delivered")).collect::<Vec<_>>(), [13, 3, 22]);
}

#[test]
fn without_a_network_there_is_only_a_price() {
    let scenario = EXAMPLE.replace("[network.mesh]\nshape = [6, 6]\n", "");
    let bench = Bench::new(&scenario);
    bench.ok(&["run", "s.toml"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/example/rows.csv")).unwrap());
    let priced = |row: &std::collections::BTreeMap<String, String>| (number(row, "predicted"), row["measured"].clone());
    assert_eq!(rows.iter().map(priced).collect::<Vec<_>>(), [(130, String::new()), (165, String::new())]);
    assert!(bench.fails(2, &["run", "s.toml", "--messages"]).contains("needs a [network.*]"));
}

#[test]
fn schedule_prints_every_send_of_the_example() {
    let bench = Bench::new(EXAMPLE);
    let rows = csv_rows(&bench.ok(&["schedule", "s.toml"]));
    let oracle: Value = data("multicast/examples.json");
    for (algorithm, figure) in [("opt-mesh", "fig8a_opt_mesh"), ("u-mesh", "fig8b_u_mesh")] {
        let node = |at: &Value| at[0].as_u64().unwrap() * 6 + at[1].as_u64().unwrap();
        let send = |s: &Value| (s[0].as_u64().unwrap(), node(&s[1]), node(&s[2]), s[3].as_u64().unwrap());
        let mut expected: Vec<_> = oracle[figure]["sends"].as_array().unwrap().iter().map(send).collect();
        let printed = rows.iter().filter(|row| row["algorithm"] == algorithm);
        let fields = |row| ["send_start", "src", "dst", "received"].map(|column| number(row, column));
        let mut printed: Vec<_> = printed.map(fields).map(|[start, src, dst, end]| (start, src, dst, end)).collect();
        assert!(printed.is_sorted_by_key(|send| send.0));
        expected.sort_unstable();
        printed.sort_unstable();
        assert_eq!(printed, expected, "{algorithm}");
    }
    let dot = bench.ok(&["schedule", "s.toml", "--format", "dot"]);
    assert!(dot.starts_with("digraph \"opt-mesh 0\" {") && dot.contains("20 -> 28 [label=\"0..55\"];"), "{dot}");
}

#[test]
fn schedule_prints_one_point_of_a_sweep() {
    let bench = Bench::new(SWEEP);
    let first = bench.call(&["schedule", "s.toml"]);
    assert!(String::from_utf8(first.stderr).unwrap().contains("showing point 0 of 4; --point selects 0 to 3"));
    assert_eq!(bench.ok(&["schedule", "s.toml", "--point", "0"]).into_bytes(), first.stdout);
    assert_eq!(csv_rows(&bench.ok(&["schedule", "s.toml", "--point", "3"])).len(), 2 * 3 * 8);
    assert!(bench.fails(2, &["schedule", "s.toml", "--point", "4"]).contains("4 points; accepted: --point 0 to 3"));
    let single = bench.fails(2, &["schedule", "s.toml", "--unset", "sweep", "--point", "5"]);
    assert!(single.contains("the scenario has 1 point; accepted: --point 0\n"), "{single}");
}

#[test]
fn schedule_prints_what_is_chosen_to_a_file() {
    let bench = Bench::new(SWEEP);
    let chosen = ["schedule", "s.toml", "--point", "1", "--algorithm", "opt-tree", "--repetition", "2"];
    let rows = csv_rows(&bench.ok(&chosen));
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| row["algorithm"] == "opt-tree" && row["repetition"] == "2"));
    assert_eq!(bench.ok(&[&chosen[..], &["-o", "tree.csv"]].concat()), "");
    assert_eq!(fs::read_to_string(bench.path("tree.csv")).unwrap(), bench.ok(&chosen));
    assert!(bench.fails(2, &["schedule", "s.toml", "--algorithm", "opt-tre"]).contains("did you mean `opt-tree`?"));
    assert!(bench.fails(2, &["schedule", "s.toml", "--repetition", "3"]).contains("a point has 3 repetitions"));
    // nothing is left of what cannot be printed
    bench.fails(2, &["schedule", "s.toml", "--format", "svg", "--diagram", "cuts", "-o", "cuts.svg"]);
    assert!(!bench.path("cuts.svg").exists());
}

#[test]
fn check_says_what_it_proved_and_who_blocks_whom() {
    let bench = Bench::new(include_str!("../../scenarios/default.toml"));
    let text = bench.ok(&["check", "s.toml"]);
    let (opt_mesh, rest) = text.split_once("\n  opt-tree\n").unwrap();
    assert!(
        opt_mesh.contains("no contention: no head flit waits in 16 repetitions") && opt_mesh.contains("no contention")
    );
    assert!(
        rest.contains("contention in ") && rest.contains("held by message ") && rest.contains("; granted at "),
        "{text}"
    );
}

#[test]
fn energy_presets_and_links_are_listed_with_constants_and_sources() {
    let bench = Bench::new("");
    let list = bench.ok(&["list", "energy"]);
    let text = list.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in ["buffer_write 443.389fJ", "static 8.882619mW", "crossbar 16.839211pJ to 24.881042pJ", "Hot Inter"]
    {
        assert!(text.contains(expected), "{expected}: {list}");
    }
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    let json: Value = serde_json::from_str(&bench.ok(&["list", "energy", "--json"])).unwrap();
    let presets = json["energy_presets"].as_array().unwrap();
    let names: Vec<&str> = presets.iter().map(|preset| preset["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["noxim-45", "booksim-32", "dsent-45", "dsent-32", "dsent-22", "dsent-11", "floonoc-12"]);
    let booksim = &presets[1]["constants"][0];
    assert_eq!((&booksim["clock"], &booksim["flit_bits"]), (&"1.949617pJ".into(), &128.into()));
    assert_eq!(booksim["links"][1]["link"], "114.291472pJ");
    let link = &json["named_links"][5];
    assert_eq!((&link["name"], &link["value"]), (&"low-swing-45".into(), &"40.4fJ/bit/mm".into()));
}

#[test]
fn every_list_names_something() {
    let bench = Bench::new("");
    let all = bench.ok(&["list"]);
    for (what, sample) in [
        ("algorithms", "opt-mesh"),
        ("networks", "bmin"),
        ("topologies", "mesh"),
        ("workloads", "trace"),
        ("booksim-keys", "num_vcs"),
        ("energy", "dsent-22"),
    ] {
        let list = bench.ok(&["list", what]);
        assert!(list.contains(sample) && list.lines().all(|line| all.contains(line)), "{list}");
    }
    assert!(
        bench.ok(&["list", "engines"]).contains("worm") && bench.ok(&["list", "keys"]).contains("  buffer (flits): ")
    );
}

#[test]
fn claims_are_judged_when_asked_for() {
    let claimed = |holds: &str| {
        format!(
            "{SWEEP}\n[figure]\nsource = \"a paper\"\n[[claim]]\ntext = \"OPT-mesh is no slower\"\nholds = \"{holds}\"\n\
             [[claim]]\ntext = \"it was sunny\"\nirreproducible = \"the weather is not told\"\n"
        )
    };
    let bench = Bench::new(&claimed("opt_mesh.measured_mean <= opt_tree.measured_mean"));
    let said = bench.ok(&["run", "s.toml", "--claims"]);
    assert!(said.contains("holds: OPT-mesh is no slower\n  result: holds at all 4 points\n"), "{said}");
    assert!(said.ends_with("cannot be reproduced: it was sunny\n  because: the weather is not told\n"), "{said}");
    let bench = Bench::new(&claimed("opt_mesh.measured_mean < 1"));
    let error = bench.fails(1, &["run", "s.toml", "--claims"]);
    assert_eq!(error, "error: 1 of 2 claims fails\n");
    assert_eq!(bench.fails(1, &["run", "s.toml", "--claims", "--quiet", "--force"]), error);
    bench.ok(&["run", "s.toml", "--quiet", "--force"]);
    let bench = Bench::new(SWEEP);
    bench.fails(2, &["run", "s.toml", "--claims"]);
}

/// Claims make any scenario a regression test, without a figure and by the names of people.
#[test]
fn claims_need_no_figure_and_may_be_expected_to_fail() {
    let claimed = |expected: &str| {
        format!(
            "{SWEEP}\n[[claim]]\ntext = \"OPT-mesh is no slower\"\nholds = \"opt_mesh.measured <= opt_tree.measured\"\n\
             [[claim]]\ntext = \"nothing grows\"\nexpected = \"{expected}\"\nvalue = \"measured\"\nalong = \"flits\"\n\
             trend = \"falls\"\n"
        )
    };
    let said = Bench::new(&claimed("fails")).ok(&["run", "s.toml", "--claims"]);
    assert!(said.contains("holds: OPT-mesh is no slower\n  result: holds at all 4 points\n"), "{said}");
    assert!(said.contains("fails, as expected: nothing grows\n  result: falls in 0 of 4 curves"), "{said}");
    let error = Bench::new(&claimed("holds")).fails(1, &["run", "s.toml", "--claims"]);
    assert_eq!(error, "error: 1 of 2 claims fails\n");
}

#[test]
fn exit_codes_are_the_documented_ones() {
    let bench = Bench::new(SWEEP);
    assert!(bench.ok(&["--help"]).contains("Exit codes") && bench.ok(&["--version"]).contains("flitwise"));
    bench.fails(2, &["run", "s.toml", "--wrong"]);
    bench.fails(2, &["fly"]);
    assert!(bench.fails(3, &["run", "nowhere.toml"]).contains("cannot read the scenario `nowhere.toml`"));
    fs::write(bench.path("results"), "a file in its place").unwrap();
    assert!(bench.fails(3, &["run", "s.toml"]).contains("cannot write to results/small"));
}

#[test]
fn without_arguments_it_shows_the_default_and_writes_nothing() {
    let bench = Bench::new("");
    assert!(bench.ok(&[]).contains("opt-mesh finishes first"));
    assert_eq!(names(bench.0.path()), BTreeSet::from(["s.toml".to_owned()]));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let bench = Bench::new(&SWEEP.replace("[6, 6]\n", "[200, 200]\n").replace("group = 9", "group = 30000"));
    let arguments = ["schedule", "s.toml", "--set", "sweep={}"];
    let mut child = bench.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(line.starts_with("algorithm,repetition,step"));
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_output_error() {
    let bench = Bench::new(SWEEP);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = bench.command(&["list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8(output.stderr).unwrap().contains("No space left"));
}

#[test]
fn all_algorithms_that_fit_are_selected_by_one_word() {
    let bench = Bench::new(&EXAMPLE.replace(r#"["opt-mesh", "u-mesh"]"#, r#""all""#));
    bench.ok(&["run", "s.toml", "-q"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/example/rows.csv")).unwrap());
    let names: BTreeSet<&str> = rows.iter().map(|row| row["algorithm"].as_str()).collect();
    // those for multistage networks and cubes are left out
    assert!(names.contains("opt-mesh") && names.contains("block-binomial"), "{names:?}");
    assert!(!names.contains("u-min") && !names.contains("opt-min"), "{names:?}");
    // as an array, from the command line, and with keys of one algorithm
    for set in ["workload.multicast.algorithms=all", r#"workload.multicast.algorithms=["all"]"#] {
        let typed =
            bench.ok(&["run", "s.toml", "--json", "-o", "typed", "-s", set, "-s", "workload.multicast.block=2"]);
        assert_eq!(typed.matches("\"algorithm\"").count(), names.len(), "{set}");
    }
    assert!(bench.ok(&["run", "s.toml", "-o", "one", "-s", "workload.multicast.algorithms=u-mesh"]).contains("u-mesh"));
    let both = bench.fails(2, &["check", "s.toml", "-s", r#"workload.multicast.algorithms=["all", "u-mesh"]"#]);
    assert!(both.contains("`algorithms = \"all\"`, without other names, selects all that apply"), "{both}");
}

#[test]
fn keys_typed_as_options_are_shown_as_assignments() {
    let bench = Bench::new(SWEEP);
    for (words, tip) in [
        (&["--repetitions", "16"][..], "use '-s repetitions=16'"),
        (&["--repetitions=16"], "use '-s repetitions=16'"),
        (&["--seed"], "use '-s seed=VALUE'"),
        (&["--channel.buffer", "4"], "use '-s channel.buffer=4'"),
        (&["--flit-time", "4"], "use '-s channel.flit_time=4'"),
        (&["-s", "repetitions", "16"], "KEY=VALUE as one argument: '-s repetitions=16'"),
    ] {
        let error = bench.fails(2, &[&["run", "s.toml"], words].concat());
        assert!(error.contains(tip) && !error.contains("'-- "), "{words:?}: {error}");
    }
    let error = bench.fails(2, &["check", "s.toml", "-v"]);
    assert!(!error.contains("'-- "), "{error}");
}

#[test]
fn verbose_runs_name_the_engine_and_the_reason() {
    let bench = Bench::new(SWEEP);
    let run = |more: &[&str]| {
        let output = bench.command(&["run", "s.toml", "-v"]).args(more).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let first = run(&[]);
    assert!(
        first.contains("24 rows: worm engine, exact here, because no link has several virtual channels"),
        "{first}"
    );
    assert!(first.contains(" s on ") && first.contains(" thread"), "{first}");
    assert!(run(&[]).contains("24 rows: worm engine"));
    let set = run(&["-o", "flit", "-s", "engine.kind=flit"]);
    assert!(set.contains("24 rows: flit engine, `engine.kind` is \"flit\""), "{set}");
    let routers = run(&["-o", "routers", "-s", "router.model=pipelined"]);
    assert!(routers.contains("router engine, the scenario requires `pipelined` routers"), "{routers}");
}
