//! `flitwise compare`: rows of two folders side by side, and p as a second opinion computes it.

use crate::cli::Bench;
use std::collections::BTreeMap;
use std::fs;

const BASE: &str = r#"
name = "look"
repetitions = 6
network.mesh.shape = [8, 8]
channel.flit_time = 2
node = { send_setup = 300, send_per_flit = 2, receive_setup = 500, receive_per_flit = 3 }
workload.multicast = { algorithms = ["opt-mesh", "opt-tree", "u-mesh"], flits = 64, group = 32 }
"#;

type Fields = BTreeMap<String, String>;

/// A folder where [`BASE`] was run, and run again with what `others` set, each in the folder it is called by.
fn bench(others: &[(&str, &[&str])]) -> Bench {
    let bench = Bench::new(BASE);
    for (folder, set) in [("a", &[][..])].into_iter().chain(others.iter().copied()) {
        let mut arguments = vec!["run", "s.toml", "--quiet", "--out", folder];
        set.iter().for_each(|set| arguments.extend(["--set", set]));
        bench.ok(&arguments);
    }
    bench
}

fn csv_of(bench: &Bench, b: &str, more: &[&str]) -> Vec<Fields> {
    let folders = ["compare", "a/look", &format!("{b}/look"), "--format", "csv"];
    let text = bench.ok(&[&folders, more].concat());
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(|row| row.unwrap()).collect()
}

/// The values of a column by algorithm, as `rows.csv` has them.
fn values(bench: &Bench, folder: &str, column: &str, algorithm: &str) -> Vec<f64> {
    let mut csv = csv::Reader::from_path(bench.path(&format!("{folder}/look/rows.csv"))).unwrap();
    let rows = csv.deserialize().map(|row| row.unwrap());
    rows.filter(|row: &Fields| row["algorithm"] == algorithm).map(|row| row[column].parse().unwrap()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let off = |value: &f64| value - mean(values);
    values.iter().map(|value| off(value) * off(value)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The two-sided p of Student's t, by the trapezoidal rule over the density after `t = sqrt(degrees) tan(angle)`.
fn p(t: f64, degrees: f64) -> f64 {
    let steps = 200_000;
    let integral = |from: f64, to: f64| {
        let step = (to - from) / f64::from(steps);
        let density = |at: i32| libm::pow(libm::cos(from + f64::from(at) * step).max(0.0), degrees - 1.0);
        let inner: f64 = (1..steps).map(density).sum();
        step * (inner + f64::midpoint(density(0), density(steps)))
    };
    let half = std::f64::consts::FRAC_PI_2;
    integral(libm::atan(t.abs() / degrees.sqrt()), half) / integral(0.0, half)
}

fn near(field: &str, expected: f64) -> bool {
    let value: f64 = field.parse().unwrap_or_else(|_| panic!("{field:?} is no number"));
    (value - expected).abs() <= 2e-5 * expected.abs()
}

#[test]
fn pairs_are_tested_by_repetition() {
    let bench = bench(&[("b", &["channel.buffer=8"])]);
    let lines = csv_of(&bench, "b", &["--column", "blocked_time", "--column", "measured"]);
    assert_eq!(lines.len(), 6);
    let mut tested = Vec::new();
    for line in &lines {
        let [column, algorithm] = ["column", "algorithm"].map(|key| line[key].as_str());
        let [a, b] = ["a", "b"].map(|folder| values(&bench, folder, column, algorithm));
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
        assert!((line["difference"].parse::<f64>().unwrap() - mean(&differences)).abs() < 1e-4, "{line:?}");
        if variance(&differences) == 0.0 {
            assert_eq!([&line["test"], &line["p"], &line["ci95"]], ["exact", "", "0"], "{line:?}");
            continue;
        }
        let error = (variance(&differences) / 6.0).sqrt();
        assert_eq!(line["test"], "paired");
        assert!(near(&line["p"], p(mean(&differences) / error, 5.0)), "{line:?}");
        assert!(near(&line["ratio"], mean(&b) / mean(&a)), "{line:?}");
        // the quantile of five degrees, from a table
        assert!(near(&line["ci95"], 2.570_582 * error), "{line:?}");
        tested.push(line);
    }
    assert!(!tested.is_empty(), "no line is left to chance: {lines:?}");
}

#[test]
fn other_seeds_are_tested_as_independent_samples() {
    let bench = bench(&[("c", &["seed=7", "repetitions=9"])]);
    let lines = csv_of(&bench, "c", &[]);
    assert_eq!(lines.len(), 3);
    let mut ps = Vec::new();
    for line in &lines {
        let [a, c] = ["a", "c"].map(|folder| values(&bench, folder, "measured", &line["algorithm"]));
        let [u, v] = [variance(&a) / 6.0, variance(&c) / 9.0];
        let degrees = (u + v) * (u + v) / (u * u / 5.0 + v * v / 8.0);
        assert_eq!([&line["test"], &line["column"]], ["welch", "measured"]);
        assert!(near(&line["p"], p((mean(&c) - mean(&a)) / (u + v).sqrt(), degrees)), "{line:?}");
        ps.push((line["p"].parse::<f64>().unwrap(), &line["p_holm"]));
    }
    ps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = 0.0_f64;
    for (left, (p, corrected)) in [3.0, 2.0, 1.0].into_iter().zip(ps) {
        least = least.max((left * p).min(1.0));
        assert!(near(corrected, least), "{corrected} for {least}");
    }
    assert!(bench.ok(&["compare", "a/look", "c/look"]).contains("seed          1   7\n"));
}

#[test]
fn a_folder_is_what_it_is() {
    let bench = bench(&[]);
    for line in csv_of(&bench, "a", &[]) {
        let said = ["test", "difference", "ratio", "ci95", "p", "p_holm"].map(|key| line[key].as_str());
        assert_eq!(said, ["exact", "0", "1", "0", "", ""]);
    }
    let text = bench.ok(&["compare", "a/look", "a"]);
    assert!(text.starts_with("The scenarios have the same keys.\n\n"), "{text}");
    assert!(text.ends_with("\nmeasured: B is the same as A in all 3 lines.\n"), "{text}");
}

#[test]
fn keys_that_differ_come_first_with_defaults_resolved() {
    let bench = bench(&[("b", &["channel.buffer=8", "seed=1", "repetitions=6", "name=look"])]);
    let text = bench.ok(&["compare", "a/look", "b/look"]);
    let (keys, table) = text.split_once("\n\n").unwrap();
    let lines: Vec<&str> = keys.lines().filter(|line| !line.starts_with('─')).collect();
    assert_eq!(
        lines,
        ["key              A   B", "channel.buffer   1   8"],
        "what is written as by default is the same: {text}"
    );
    assert!(table.starts_with("algorithm ") && table.trim_end().ends_with('.'), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// A swept key matches the same value where it is not swept; what has no match is listed.
#[test]
fn rows_match_by_value_and_what_is_lacking_is_listed() {
    let bench = bench(&[(
        "b",
        &["workload.multicast.flits=[16, 64]", "workload.multicast.algorithms=[\"u-mesh\", \"opt-mesh\"]"],
    )]);
    let lines = csv_of(&bench, "b", &[]);
    let told = |line: &Fields| {
        let [flits, algorithm] = ["workload.multicast.flits", "algorithm"].map(|key| line[key].clone());
        let has = ["a_mean", "b_mean"].map(|key| !line[key].is_empty());
        (flits, algorithm, has, line["test"].clone())
    };
    let row =
        |flits: &str, algorithm: &str, has, test: &str| (flits.to_owned(), algorithm.to_owned(), has, test.to_owned());
    let expected = [
        row("64", "opt-mesh", [true, true], "exact"),
        row("64", "u-mesh", [true, true], "exact"),
        row("64", "opt-tree", [true, false], "none"),
        row("16", "u-mesh", [false, true], "none"),
        row("16", "opt-mesh", [false, true], "none"),
    ];
    assert_eq!(lines.iter().map(told).collect::<Vec<_>>(), expected);
    let text = bench.ok(&["compare", "a/look", "b/look"]);
    for part in [
        "workload.multicast.flits        64",
        "Only in A:\n  flits 64: opt-tree\n",
        "Only in B:\n  flits 16: u-mesh, opt-mesh\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn single_repetitions_tell_nothing_of_chance() {
    let bench = Bench::new(&BASE.replace("repetitions = 6", "repetitions = 1"));
    for (folder, flits) in [("a", "64"), ("b", "128")] {
        bench.ok(&["run", "s.toml", "-q", "-o", folder, "-s", &format!("workload.multicast.flits={flits}")]);
    }
    let lines = csv_of(&bench, "b", &[]);
    assert!(lines.iter().all(|line| line["test"] == "none" && line["p"].is_empty() && line["ci95"].is_empty()));
    assert!(lines.iter().all(|line| line["difference"].parse::<f64>().unwrap() > 0.0));
    let text = bench.ok(&["compare", "a/look", "b/look"]);
    let last = "measured: in all 3 lines there are too few repetitions for a test.\n";
    assert!(text.ends_with(last) && !text.contains('*'), "{text}");
}

#[test]
fn what_chance_does_not_explain_has_a_star() {
    let bench = bench(&[("b", &["workload.multicast.flits=256"])]);
    let text = bench.ok(&["compare", "a/look", "b/look"]);
    let tree = text.lines().find(|line| line.starts_with("opt-tree")).unwrap();
    assert!(tree.ends_with(" *"), "{text}");
    assert!(text.contains("* marks p < 0.05 after Holm's correction for "), "{text}");
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("measured: B is slower than A in all 3 lines (") && last.ends_with(" times as long)."),
        "{text}"
    );
}

#[test]
fn what_cannot_be_compared_is_told() {
    let bench = bench(&[("b", &["channel.buffer=8"])]);
    let compare = |more: &[&str]| bench.fails(2, &[&["compare", "a/look", "b/look"], more].concat());
    let wrong = compare(&["--column", "mesured"]);
    assert!(
        wrong.contains("neither directory has a column `mesured`") && wrong.contains("did you mean `measured`?"),
        "{wrong}"
    );
    bench.ok(&["run", "s.toml", "-q", "-o", "other", "-s", "workload.multicast.algorithms=[\"binomial\"]"]);
    let nothing = bench.fails(2, &["compare", "a/look", "other/look"]);
    assert!(
        nothing.contains("A and B have no point in common") && nothing.contains("1 algorithm (binomial)"),
        "{nothing}"
    );
    fs::write(bench.path("t.toml"), bench.ok(&["new", "traffic"])).unwrap();
    bench.ok(&["run", "t.toml", "-q", "-o", "t"]);
    let other = bench.fails(2, &["compare", "a/look", "t/my-traffic", "--column", "latency"]);
    assert!(other.contains("only B has a column `latency`"), "{other}");
}

/// A folder that another version wrote is compared, and the versions are told; one without a scenario is refused.
#[test]
fn versions_are_told() {
    let bench = bench(&[("b", &[])]);
    let path = bench.path("b/look/manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let other =
        manifest.replace(&version, "\"version\": \"0.0.1\"").replace("\"routing_delay\": 0", "\"routing_delay\": 3");
    assert_ne!(other, manifest);
    fs::write(&path, &other).unwrap();
    let text = bench.ok(&["compare", "a/look", "b/look"]);
    assert!(text.contains("channel.routing_delay   0   3\n"), "a default that has changed is told: {text}");
    assert!(text.contains("A was computed by flitwise 0.1.0, B by flitwise 0.0.1.\n\n"), "{text}");
    fs::write(&path, "{}").unwrap();
    assert!(bench.fails(2, &["compare", "a/look", "b/look"]).contains("b/look was written by another version"));
    fs::write(&path, "{").unwrap();
    assert!(bench.fails(2, &["compare", "a/look", "b/look"]).contains("manifest.json is damaged"));
}

#[test]
fn a_slower_run_fails_beyond_the_limit() {
    let bench = bench(&[("b", &["node.send_setup=600"]), ("c", &["node.send_setup=301"])]);
    let error = bench.fails(1, &["compare", "a/look", "b/look", "--fail-if-slower", "2%"]);
    assert!(error.contains("B is more than 2 % slower than A in 3 of 3 lines: "), "{error}");
    assert!(error.contains("opt-tree: measured +") && error.contains("u-mesh: measured +"), "{error}");
    // the table is printed all the same
    let output = bench.command(&["compare", "a/look", "b/look", "--fail-if-slower", "2"]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("B is slower than A"));
    bench.ok(&["compare", "b/look", "a/look", "--fail-if-slower", "0%"]);
    bench.ok(&["compare", "a/look", "a/look", "--fail-if-slower", "0"]);
    bench.ok(&["compare", "a/look", "c/look", "--fail-if-slower", "2 %"]);
    let slight = bench.fails(1, &["compare", "a/look", "c/look", "--fail-if-slower", "0.01%"]);
    assert!(slight.contains("B is more than 0.01 % slower than A"), "{slight}");
    let error = bench.fails(2, &["compare", "a/look", "b/look", "--fail-if-slower", "2%", "--column", "messages"]);
    assert!(
        error.contains("does not support column `messages`") && error.contains("accepted: --column with `measured`"),
        "{error}"
    );
    assert!(bench.fails(2, &["compare", "a/look", "b/look", "--fail-if-slower", "two"]).contains("a percentage"));
}

#[test]
fn less_throughput_is_slower() {
    const TRAFFIC: &str = r#"
name = "load"
network.mesh.shape = [4, 4]
router.model = "pipelined"
channel = { virtual_channels = 2, buffer = 4 }
workload.traffic = { pattern = "uniform", rate = 0.2, packet_flits = 4, warmup = 200, measure = 1000 }
"#;
    let bench = Bench::new(TRAFFIC);
    bench.ok(&["run", "s.toml", "-q", "-o", "a"]);
    bench.ok(&["run", "s.toml", "-q", "-o", "b", "-s", "workload.traffic.rate=0.1"]);
    let column = ["--column", "accepted", "--fail-if-slower", "10%"];
    let error = bench.fails(1, &[&["compare", "a/load", "b/load"], &column[..]].concat());
    assert!(error.contains("accepted +"), "{error}");
    bench.ok(&[&["compare", "b/load", "a/load"], &column[..]].concat());
}
