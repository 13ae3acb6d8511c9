//! `flitwise check` decides by itself if a routing can deadlock. The changes that it proposes can be typed as they are printed.

use crate::cli::Bench;
use flitwise::output::FindingsText;
use flitwise::run::deadlock_freedom;
use flitwise::scenario::{Options, Scenario};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A ring of six routers, both ways, with a node each.
const RING: &str = "kind,a,b,flit_time,delay\nnode,0,0,,\nnode,1,1,,\nnode,2,2,,\nnode,3,3,,\nnode,4,4,,\nnode,5,5,,\n\
                    link,0,1,,\nlink,1,2,,\nlink,2,3,,\nlink,3,4,,\nlink,4,5,,\nlink,5,0,,\n";

/// A message on `network`, with the files that the tables may name.
fn bench(network: &str) -> Bench {
    let bench = Bench::new(&format!("name = \"d\"\n{network}\n[workload.trace]\nfile = \"m.csv\"\n"));
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,0,1,4,0\n").unwrap();
    fs::write(bench.path("ring.csv"), RING).unwrap();
    fs::write(bench.path("t.csv"), clockwise()).unwrap();
    bench
}

/// A table of paths that all go up: link 2 i leads from router i to the next.
fn clockwise() -> String {
    let row = |at: usize, to: usize| format!("{at},{to},{}\n", 2 * at);
    let pairs = (0..6).flat_map(|at| (0..6).map(move |to| (at, to))).filter(|(at, to)| at != to);
    format!("at,to,link\n{}", pairs.map(|(at, to)| row(at, to)).collect::<String>())
}

/// The options that `text` proposes, each as the words to type.
fn advice(text: &str) -> Vec<Vec<String>> {
    let proposed = text.split('`').filter(|quoted| quoted.starts_with("-s ") || quoted.starts_with("--unset "));
    proposed.map(|quoted| quoted.split_whitespace().map(str::to_owned).collect()).collect()
}

/// Networks whose routing can deadlock, and how many changes are proposed, the last of which accepts it.
const DEADLOCKS: [(&str, usize); 11] = [
    ("[network.graph]\nfile = \"ring.csv\"", 3),
    ("[network.graph]\nfile = \"ring.csv\"\n[router]\nweight = \"latency\"", 3),
    ("[network.graph]\nfile = \"ring.csv\"\n[router]\nrouting = \"shortest\"", 3),
    ("[network.graph]\nfile = \"ring.csv\"\n[channel]\nvirtual_channels = 1", 3),
    ("[network.graph]\nfile = \"ring.csv\"\n[channel]\nvirtual_channels = 2\n[router]\nclasses = \"hops\"", 2),
    ("[network.graph]\nfile = \"ring.csv\"\n[router]\nrouting = \"table\"\ntable = \"t.csv\"", 3),
    ("[network.torus]\nshape = [5]\n[channel]\nvirtual_channels = 1", 2),
    ("[network.torus]\nshape = [4, 4]\n[channel]\nvirtual_channels = 1", 2),
    ("[network.torus]\nshape = [4, 5]\ndirections = \"one-way\"\n[channel]\nvirtual_channels = 1", 2),
    ("[network.torus]\nshape = [4, 8]\ntwist = [[0, 1, 4]]\n[channel]\nvirtual_channels = 1", 2),
    ("[network.dragonfly]\np = 1\na = 4\nh = 2\n[channel]\nvirtual_channels = 1", 2),
];

#[test]
fn a_routing_that_can_deadlock_fails_and_each_proposed_change_passes() {
    for (network, changes) in DEADLOCKS {
        let bench = bench(network);
        let errors = bench.fails(1, &["check", "s.toml"]);
        assert!(errors.contains("can deadlock") && errors.contains("each of which can be held"), "{network}: {errors}");
        assert!(errors.lines().count() <= 14, "{errors}");
        assert_eq!(bench.fails(1, &["check", "s.toml", "--quiet"]), errors);
        bench.fails(1, &["check", "s.toml", "--certificate", "c.txt"]);
        let advice = advice(&errors);
        assert_eq!(advice.len(), changes, "{errors}");
        for change in &advice {
            let change: Vec<&str> = change.iter().map(String::as_str).collect();
            let text = bench.ok(&[&["check", "s.toml"], &change[..]].concat());
            let accepted = change.contains(&"router.allow_deadlock=true");
            assert_eq!(flat(&text).contains("can deadlock"), accepted, "{change:?}: {text}");
            assert_eq!(flat(&text).contains("proved deadlock-free, because "), !accepted, "{change:?}: {text}");
            let certificate = [&["check", "s.toml", "--certificate", "c.txt"], &change[..]].concat();
            assert_eq!(bench.call(&certificate).status.code(), Some(i32::from(accepted)), "{change:?}");
        }
    }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Virtual-channel routers are refused with the same proposals.
#[test]
fn routers_that_are_refused_run_with_each_proposed_change() {
    let routers = "[router]\nmodel = \"pipelined\"\nrouting = ";
    for network in [
        "[network.graph]\nfile = \"ring.csv\"\n[router]\nmodel = \"pipelined\"".to_owned(),
        "[network.graph]\nfile = \"ring.csv\"\n[router]\nmodel = \"pipelined\"\nweight = \"links\"".to_owned(),
        format!("[network.graph]\nfile = \"ring.csv\"\n{routers}\"table\"\ntable = \"t.csv\""),
        format!("[network.torus]\nshape = [4, 4]\n[channel]\nvirtual_channels = 3\n{routers}\"valiant\""),
        format!("[network.dragonfly]\np = 1\na = 4\nh = 2\n[channel]\nvirtual_channels = 2\n{routers}\"ugal\""),
        format!("[network.hyperx]\nshape = [3, 3]\n[channel]\nvirtual_channels = 1\n{routers}\"adaptive\""),
    ] {
        let bench = bench(&network);
        let errors = bench.fails(2, &["run", "s.toml"]);
        assert_eq!(bench.fails(2, &["check", "s.toml"]), errors);
        let advice = advice(&errors);
        assert!(advice.len() >= 2, "{errors}");
        for change in advice {
            let change: Vec<&str> = change.iter().map(String::as_str).collect();
            for verb in [&["check", "s.toml"][..], &["run", "s.toml", "--force"]] {
                bench.ok(&[verb, &change[..]].concat());
            }
        }
    }
}

/// With each option that an error proposes, the error is not reported.
#[test]
fn options_that_errors_propose_remove_them() {
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bad");
    let mut typed = 0;
    for directory in [bad.clone(), bad.join("exit-1")] {
        for golden in files(&directory, "stderr") {
            let errors = fs::read_to_string(&golden).unwrap();
            let bench = Bench::new("");
            let scenario = golden.with_extension("toml");
            for error in errors.split("\n\n") {
                for change in advice(error) {
                    let output = bench.path("out").display().to_string();
                    let mut command = bench.command(&["run"]);
                    command
                        .current_dir(&directory)
                        .arg(scenario.file_name().unwrap())
                        .args(["--quiet", "--force", "--out", &output]);
                    let now = String::from_utf8(command.args(&change).output().unwrap().stderr).unwrap();
                    let message = error.lines().next().unwrap();
                    assert!(!now.contains(message), "{}: {change:?}: {now}", golden.display());
                    typed += 1;
                }
            }
        }
    }
    assert!(typed >= 25, "{typed}");
}

fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|ending| ending == extension)).collect()
}

#[test]
fn keys_of_the_default_routing_are_read_without_its_name() {
    let hops = bench("[network.graph]\nfile = \"ring.csv\"\n[router]\nclasses = \"hops\"");
    assert!(
        flat(&hops.ok(&["check", "s.toml"])).contains("shortest routing with 3 virtual channels: proved deadlock-free")
    );
    hops.ok(&["routes", "s.toml", "--pairs", "0>3"]);
    hops.ok(&["network", "s.toml"]);
    let errors = hops.fails(2, &["check", "s.toml", "-s", "router.root=1"]);
    assert!(errors.contains("has no effect with `routing = \"shortest\"`, the default"), "{errors}");
    let errors = bench("[network.mesh]\nshape = [4]\n[router]\nclasses = \"hops\"").fails(2, &["check", "s.toml"]);
    assert!(errors.contains("accepted with `routing = \"shortest\"`"), "{errors}");
    let errors = bench("[network.full-mesh]\nrouters = 4\n[router]\nweight = \"links\"").fails(2, &["check", "s.toml"]);
    assert!(errors.contains("has no effect with `routing = \"dimension-order\"`, the default"), "{errors}");
}

#[test]
fn points_with_the_same_network_are_printed_once() {
    let sweep = "[sweep]\n\"channel.buffer\" = [1, 2, 4]\n\"channel.virtual_channels\" = [2, 1]\n";
    let scenario = format!(
        "name = \"d\"\n[network.torus]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"opt-tree\", \"binomial\"]\n\
         flits = 8\ngroup = 6\n{sweep}"
    );
    let bench = Bench::new(&scenario);
    let output = bench.call(&["check", "s.toml"]);
    let (text, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1));
    for once in ["proved deadlock-free, because ", "proved for 1 schedule", "no node sends to itself"] {
        assert_eq!(flat(&text).matches(once).count(), 1, "{once}: {text}");
    }
    assert!(text.contains("\n  at the 3 points with channel.virtual_channels = 2\n"), "{text}");
    assert!(text.contains("\n  opt-tree, binomial at all 6 points\n"), "{text}");
    assert_eq!(errors.matches("can deadlock").count(), 1, "{errors}");
    assert!(errors.contains("can deadlock at the 3 points with channel.virtual_channels = 1"), "{errors}");
    let allowed = bench.ok(&["check", "s.toml", "-s", "router.allow_deadlock=true"]);
    assert_eq!(flat(&allowed).matches("accepted by").count(), 1, "{allowed}");
    let output = bench.call(&["check", "s.toml", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let free: Vec<&Value> = report["checks"].as_array().unwrap().iter().map(|check| &check["deadlock_free"]).collect();
    assert_eq!(free.iter().filter(|free| ***free == true).count(), 6, "{free:?}");
    assert_eq!(free.iter().filter(|free| ***free == false).count(), 6, "{free:?}");
}

#[test]
fn networks_that_are_too_large_say_so() {
    let text = bench("[network.mesh]\nshape = [80, 80]").ok(&["check", "s.toml"]);
    let expected = "80x80 mesh, dimension-order routing with 1 virtual channel: deadlock freedom not checked (25,280 channels, \
                    up to 100,168 dependencies); `--certificate FILE` checks it";
    assert!(flat(&text).contains(expected), "{text}");
    let predicted =
        Bench::new("name = \"m\"\n[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 8\nnodes = [0, 1]\n");
    assert!(
        flat(&predicted.ok(&["check", "s.toml"]))
            .contains("deadlock freedom not checked: a scenario without a network of routers has no routing")
    );
}

/// Schedules that prescribe the path of every message prove these, and not paths that no message takes.
#[test]
fn prescribed_paths_are_proved_instead_of_those_of_the_network() {
    let bench = Bench::new(
        "name = \"x\"\n[network.torus]\nshape = [4, 4]\n[channel]\nvirtual_channels = 1\n[workload.exchange]\n\
         algorithms = [\"suh-shin\"]\nblock_flits = 1\n",
    );
    let text = bench.ok(&["check", "s.toml"]);
    assert!(
        flat(&text).contains("the channel dependency graph is acyclic, so the exchange is deadlock-free"),
        "{text}"
    );
    assert!(!text.contains("proved deadlock-free, because "), "{text}");
    // adaptive routers choose other paths
    let adaptive = ["-s", "router.routing=adaptive", "-s", "channel.virtual_channels=3"];
    let text = bench.ok(&[&["check", "s.toml"], &adaptive[..]].concat());
    assert!(flat(&text).contains("adaptive routing with 3 virtual channels: proved deadlock-free"), "{text}");
}

/// Scenarios of the checkout pass as they are.
#[test]
fn no_scenario_of_the_project_can_deadlock_unnoticed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let directories = [root.clone(), root.join("examples"), root.join("paper")];
    let scenarios: Vec<PathBuf> = directories.iter().flat_map(|directory| files(directory, "toml")).collect();
    assert!(scenarios.len() > 50, "{}", scenarios.len());
    for path in scenarios {
        let Ok(scenario) = Scenario::load(&path, &Options::default()) else { continue };
        let freedom = deadlock_freedom(&scenario);
        let refused = FindingsText::new(&scenario, &freedom).refused();
        assert!(refused.is_none(), "{}: {:?}", path.display(), refused.map(|refused| refused.diagnostics));
    }
}
