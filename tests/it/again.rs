//! An output that is there: running it again, showing it, as a table and as JSON.

use crate::cli::Bench;
use flitwise::sweep::{Ending, Entry, encode};
use serde_json::Value;
use std::fs;

const SCENARIO: &str = r#"
name = "m"
repetitions = 3
tick = "10ns"
[network.mesh]
shape = [4, 4]
[node]
send_setup = 20
receive_setup = 35
[workload.multicast]
algorithms = ["opt-mesh", "u-mesh"]
flits = 8
group = 8
[sweep]
"workload.multicast.flits" = [8, 64]
"#;

/// The table of what `run` or `show` printed, without the last line.
fn table(text: &str) -> &str {
    text.trim_end().rsplit_once('\n').unwrap().0
}

#[test]
fn what_is_unchanged_is_not_run_again() {
    let bench = Bench::new(SCENARIO);
    let first = bench.ok(&["run", "s.toml"]);
    let written = |name: &str| fs::metadata(bench.path(&format!("results/m/{name}"))).unwrap().modified().unwrap();
    let (rows, journal) = (written("rows.csv"), written("journal-1-of-1.jsonl"));
    let again = bench.ok(&["run", "s.toml", "--jobs", "1"]);
    assert!(again.ends_with("results/m: unchanged, nothing to do; --force runs it again\n"), "{again}");
    assert_eq!(table(&again), table(&first));
    assert_eq!((written("rows.csv"), written("journal-1-of-1.jsonl")), (rows, journal));
    assert_eq!(bench.ok(&["run", "s.toml", "-q"]), "");
    // comments and the order of keys are no change
    fs::write(bench.path("s.toml"), format!("# mine\n{SCENARIO}")).unwrap();
    assert!(bench.ok(&["run", "s.toml"]).contains("unchanged"));
    assert!(!bench.ok(&["run", "s.toml", "--force"]).contains("unchanged"));
}

/// What `run` with `more` reports on standard error.
fn reported(bench: &Bench, more: &[&str]) -> String {
    let output = bench.command(&["run", "s.toml"]).args(more).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{more:?}: {text}");
    text
}

#[test]
fn results_of_another_scenario_are_moved_aside() {
    let bench = Bench::new(SCENARIO);
    bench.ok(&["run", "s.toml"]);
    let rows = |directory: &str| fs::read_to_string(bench.path(&format!("results/{directory}/rows.csv"))).unwrap();
    for (set, difference) in [
        ("node.send_setup=21", "`node.send_setup` was 20 and is now 21"),
        ("channel.buffer=2", "`channel.buffer` was not set and is now 2"),
    ] {
        let before = rows("m");
        let text = reported(&bench, &["-s", set]);
        let expected = format!("results/m held results of another scenario ({difference}");
        assert!(text.starts_with(&expected) && text.contains("): moved to results/m.previous"), "{text}");
        assert_eq!(rows("m.previous"), before);
        assert!(!text.contains("journal"), "{text}");
    }
    assert!(
        reported(&bench, &["--messages", "-s", "channel.buffer=2"])
            .contains("`--messages` was not given and is given now")
    );
    // the backup can be compared and shown by name, and is no run of its own
    bench.ok(&["compare", "results/m.previous", "results/m"]);
    bench.ok(&["show", "results/m.previous"]);
    assert!(bench.ok(&["show"]).starts_with("m: 4x4 mesh"));
    assert!(
        fs::read_dir(bench.path("results/m.previous"))
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().starts_with(".flitwise-") })
    );
}

#[test]
fn files_are_written_again_if_no_row_changes() {
    let bench = Bench::new(SCENARIO);
    bench.ok(&["run", "s.toml"]);
    let text = reported(&bench, &["-s", "tick=1ns"]);
    assert!(text.contains("`tick` was \"10ns\" and is now \"1ns\"; the files are written again"), "{text}");
    assert!(bench.ok(&["run", "s.toml", "-s", "tick=1ns"]).contains("unchanged"));
    fs::remove_file(bench.path("results/m/summary.csv")).unwrap();
    assert!(reported(&bench, &["-s", "tick=1ns"]).contains("summary.csv is missing"));
    assert!(bench.path("results/m/summary.csv").is_file() && !bench.path("results/m.previous").exists());
}

/// Cuts the rows of the run in `results/m` to the first few, as an interruption does.
fn interrupt(bench: &Bench) {
    let journal = bench.path("results/m/journal-1-of-1.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().take(3).collect();
    fs::write(&journal, lines.join("\n") + "\n").unwrap();
}

#[test]
fn interrupted_and_long_runs_are_not_moved_or_replaced() {
    let bench = Bench::new(SCENARIO);
    bench.ok(&["run", "s.toml"]);
    interrupt(&bench);
    let error = bench.fails(2, &["run", "s.toml", "-s", "channel.buffer=2"]);
    assert!(error.contains("results/m holds an interrupted run of another scenario, "), "{error}");
    assert!(error.contains("`channel.buffer` was not set and is now 2; resume that run, discard it with"), "{error}");
    bench.ok(&["run", "s.toml", "--resume"]);
    bench.ok(&["run", "s.toml", "-s", "channel.buffer=2"]);
    // the backup took an hour
    let journal = bench.path("results/m.previous/journal-1-of-1.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let (lines, last) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(last.contains("\"ended\""), "{last}");
    let ended = encode(&Entry::Ended(Ending { rows: 12, jobs: 1, seconds: 3600.0 })).unwrap();
    fs::write(&journal, format!("{lines}\n{}", String::from_utf8(ended).unwrap())).unwrap();
    let error = bench.fails(2, &["run", "s.toml", "-s", "channel.buffer=3"]);
    assert!(error.contains("results/m.previous holds an earlier run, which took 60 minutes"), "{error}");
    fs::remove_dir_all(bench.path("results/m.previous")).unwrap();
    fs::create_dir(bench.path("results/m.previous")).unwrap();
    fs::write(bench.path("results/m.previous/notes.txt"), "mine").unwrap();
    let error = bench.fails(2, &["run", "s.toml", "-s", "channel.buffer=3"]);
    assert!(error.contains("earlier results cannot be moved to results/m.previous, which is not an output"), "{error}");
    assert!(bench.path("results/m.previous/notes.txt").is_file());
}

#[test]
fn a_failed_run_is_moved_aside() {
    let ring = r#"
name = "m"
network.torus = { shape = [4] }
channel = { virtual_channels = 1, buffer = 1 }
[workload.trace]
file = "m.csv"
"#;
    let bench = Bench::new(ring);
    let messages = "id,src,dst,flits,start\n0,0,2,99,0\n1,1,3,99,0\n2,2,0,99,0\n3,3,1,99,0\n";
    fs::write(bench.path("m.csv"), messages).unwrap();
    let error = bench.command(&["run", "s.toml"]).output().unwrap();
    assert_eq!(error.status.code(), Some(1));
    bench.ok(&["run", "s.toml", "-s", "channel.virtual_channels=2"]);
}

#[test]
fn what_is_not_complete_names_how_to_go_on() {
    let bench = Bench::new(SCENARIO);
    bench.ok(&["run", "s.toml"]);
    interrupt(&bench);
    let error = bench.fails(2, &["run", "s.toml"]);
    assert!(error.contains("results/m is incomplete: ") && error.contains(" of 12 rows are done; --resume"), "{error}");
}

#[test]
fn shards_are_not_run_again() {
    let bench = Bench::new(SCENARIO);
    for shard in ["1/2", "2/2"] {
        let run = ["run", "s.toml", "--shard", shard];
        assert!(bench.ok(&run).contains("rows written to results/m"));
        assert_eq!(bench.ok(&run), format!("results/m: all rows of shard {shard} are finished, nothing to do\n"));
    }
    // what shards have done is put together by merge, or by a run that goes on
    bench.ok(&["merge", "results/m"]);
    assert!(bench.ok(&["run", "s.toml"]).contains("unchanged"));
}

#[test]
fn a_finished_run_is_shown() {
    let bench = Bench::new(SCENARIO);
    let ran = bench.ok(&["run", "s.toml"]);
    for folder in ["results/m", "results"] {
        let shown = bench.ok(&["show", folder]);
        assert_eq!(table(&shown), table(&ran));
    }
    // the scenario as it was, whatever the file says now
    fs::remove_file(bench.path("s.toml")).unwrap();
    assert_eq!(table(&bench.ok(&["show"])), table(&ran));
    fs::create_dir(bench.path("results/other")).unwrap();
    bench.ok(&["new", "trace", "--out", "t"]);
    bench.ok(&["run", "t/trace.toml"]);
    assert_eq!(bench.ok(&["show"]), "results/m: 12 rows at 2 points\nresults/my-trace: 1 row at 1 point\n");
    // files that it names are found from anywhere
    let away = bench.command(&["show", "../results/my-trace"]).current_dir(bench.path("t")).output().unwrap();
    assert!(String::from_utf8(away.stdout).unwrap().starts_with("my-trace: 4x4 mesh"));
    fs::remove_file(bench.path("t/messages.csv")).unwrap();
    let error = bench.fails(2, &["show", "results/my-trace"]);
    assert!(error.contains("cannot read `messages.csv`") && error.contains("its results are in"), "{error}");
    for (folder, said) in [
        ("nowhere", "there is no directory nowhere"),
        ("results/other", "there is no run in results/other"),
        ("t/trace.toml", "t/trace.toml is not the directory of a run"),
    ] {
        assert!(bench.fails(2, &["show", folder]).contains(said), "{folder}");
    }
    let rows = bench.path("results/m/rows.csv");
    let text = fs::read_to_string(&rows).unwrap();
    fs::write(&rows, text.lines().take(5).collect::<Vec<_>>().join("\n")).unwrap();
    assert!(
        bench.fails(2, &["show", "results/m"]).contains("line 6 of rows.csv is missing: the file has 4 of 12 rows")
    );
}

#[test]
fn tables_are_json_when_asked_for() {
    let bench = Bench::new(SCENARIO);
    let parse = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let ran = bench.ok(&["run", "s.toml", "--json"]);
    let json = parse(&ran);
    let lines = json["summary"].as_array().unwrap();
    assert_eq!((lines.len(), &json["name"], &json["tick"]), (4, &"m".into(), &"10ns".into()));
    assert_eq!(json["axes"], serde_json::json!(["workload.multicast.flits"]));
    assert_eq!(lines[3]["workload.multicast.flits"], 64);
    assert_eq!(
        (&lines[3]["point"], &lines[3]["algorithm"], &lines[3]["repetitions"]),
        (&1.into(), &"u-mesh".into(), &3.into())
    );
    // every statistic of every column of summary.csv
    let summary = fs::read_to_string(bench.path("results/m/summary.csv")).unwrap();
    let rows = crate::cli::csv_rows(&summary);
    for (line, row) in lines.iter().zip(&rows) {
        for (column, text) in row {
            let Some((metric, statistic)) = column.rsplit_once('_') else { continue };
            let Some(value) = line[metric].get(statistic) else { continue };
            let written: f64 = text.parse().unwrap();
            assert!((value.as_f64().unwrap() - written).abs() <= 0.0005, "{column}: {value} {text}");
        }
        assert!(line["measured"]["ci95"].is_number() && line["blocked_time"]["p95"].is_number());
    }
    assert!(bench.ok(&["show", "results/m", "--json"]) == ran);
    assert!(bench.ok(&["run", "s.toml", "--json"]) == ran);
    let single = parse(&bench.ok(&["run", "s.toml", "--json", "-s", "repetitions=1", "-o", "one"]));
    assert_eq!(single["summary"][0]["measured"]["ci95"], Value::Null);
    bench.fails(2, &["run", "s.toml", "--json", "--quiet"]);
    let check = parse(&bench.ok(&["check", "s.toml", "--json"]));
    let checks = check["checks"].as_array().unwrap();
    assert_eq!((checks.len(), &check["rows"]), (4, &12.into()));
    assert_eq!((&checks[2]["workload.multicast.flits"], &checks[2]["algorithm"]), (&64.into(), &"opt-mesh".into()));
    assert_eq!((&checks[2]["contention"]["runs"], &checks[2]["contention"]["contended"]), (&3.into(), &0.into()));
    let findings = checks[2]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|one| one.as_str().unwrap().starts_with("proved for 3 schedules")), "{findings:?}");
    assert_eq!(bench.ok(&["check", "s.toml", "-q"]), "");
    let plan = parse(&bench.ok(&["plan", "s.toml", "--json", "--shards", "2"]));
    let points = plan["points"].as_array().unwrap();
    assert_eq!((points.len(), &plan["rows"], &plan["shards"][1]["rows"]), (2, &12.into(), &6.into()));
    assert_eq!((&points[1]["workload.multicast.flits"], &points[1]["rows"]), (&64.into(), &6.into()));
    assert!(points[0]["seconds"].is_number() && points[0]["memory"].is_u64() && points[0]["id"].is_string());
    let list = parse(&bench.ok(&["list", "--json"]));
    assert!(list["multicast_algorithms"].as_array().unwrap().iter().any(|one| one["name"] == "opt-mesh"));
    let rate = list["keys"].as_array().unwrap().iter().find(|key| key["name"] == "rate").unwrap();
    assert_eq!((&rate["table"], &rate["default"]), (&"workload.traffic".into(), &"required".into()));
    assert_eq!(parse(&bench.ok(&["list", "series", "--json"]))["series"].as_array().unwrap().len(), 8);
}
