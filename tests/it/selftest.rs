//! `flitwise selftest`: a short run is green, says what it saw, and is the same with any number of threads. That a planted
//! difference is found and made small is tested beside the areas.

use crate::cli::Bench;

/// What it prints but for the rates, which differ from run to run.
fn without_rates(printed: &str) -> String {
    let line = |line: &str| match line.rsplit_once(", ") {
        Some((kept, last)) if last.ends_with(" cases/s") => kept.to_owned(),
        _ => line.to_owned(),
    };
    printed.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_short_run_is_green_with_any_number_of_threads() {
    let bench = Bench::new("");
    let run = |jobs| bench.ok(&["selftest", "--seed", "7", "--cases", "250", "--jobs", jobs, "--quiet"]);
    let one = run("1");
    assert!(one.starts_with("seed 7\nworm-flit: all invariants hold; 250 cases, "), "{one}");
    let areas = [
        "routers",
        "options",
        "steps",
        "hosts",
        "deadlock",
        "in-network",
        "deliveries",
        "planners",
        "traffic",
        "classes",
        "loggops",
        "symmetry",
        "sweeps",
    ];
    for area in areas {
        assert!(one.contains(&format!("\n{area}: all invariants hold; 250 cases, ")), "{area}: {one}");
    }
    assert!(one.contains(" pairs covered"), "{one}");
    assert_eq!(without_rates(&one), without_rates(&run("2")));
    assert!(!bench.path("selftest").exists(), "nothing is written where nothing is found");
}

#[test]
fn it_looks_at_one_area_for_a_time_and_names_a_fresh_seed() {
    let bench = Bench::new("");
    let run = || bench.ok(&["selftest", "--only", "routers", "--minutes", "0.005"]);
    let one = run();
    assert!(one.contains("\nrouters: all invariants hold; ") && !one.contains("worm-flit"), "{one}");
    assert_ne!(one.lines().next(), run().lines().next());
}

#[test]
fn what_is_accepted_is_said() {
    let bench = Bench::new("");
    let said = bench.fails(2, &["selftest", "--only", "worm-flits"]);
    assert!(
        said.contains("[possible values: worm-flit, routers, options, steps, hosts, deadlock, ")
            && said.contains("a similar value exists: 'worm-flit'"),
        "{said}"
    );
    let said = bench.fails(2, &["selftest", "--minutes", "0"]);
    assert!(said.contains("a number of minutes above 0"), "{said}");
    bench.fails(2, &["selftest", "--minutes", "1", "--cases", "1"]);
}

#[test]
fn pairs_of_features_go_to_a_file() {
    let bench = Bench::new("");
    let path = bench.path("pairs.csv");
    let pairs = path.to_str().unwrap();
    let run = |cases| bench.ok(&["selftest", "--seed", "1", "--only", "loggops", "--cases", cases, "--pairs", pairs]);
    run("400");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("area,feature,with,cases"));
    // 14 features, each with itself and each two of them
    assert_eq!(lines.clone().count(), 14 * 15 / 2);
    let cases = |line: &str| line.rsplit(',').next().unwrap().parse::<u64>().unwrap();
    assert!(lines.all(|line| line.starts_with("loggops,") && (1..=400).contains(&cases(line))), "{text}");
    let nowhere = bench.path("missing").join("pairs.csv");
    let said = bench.fails(3, &["selftest", "--cases", "1", "--pairs", nowhere.to_str().unwrap()]);
    assert!(said.contains("cannot write ") && said.contains("pairs.csv"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_in_order() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let bench = Bench::new("");
    let mut command = bench.command(&["selftest", "--seed", "3", "--only", "worm-flit", "--minutes", "60", "--quiet"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut printed = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut printed).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    stdout.read_to_string(&mut printed).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.starts_with("interrupted: stopping. Press Ctrl-C again to quit immediately\n"), "{said}");
    assert!(said.contains("repeat with: flitwise selftest --only worm-flit --seed 3"), "{said}");
    assert!(printed.starts_with("seed 3\nworm-flit: "), "what it has seen is said: {printed}");
}
