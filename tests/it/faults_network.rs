//! Failed links and routers, slow links and stragglers, as the command line shows them.

use crate::cli::{Bench, csv_rows};
use crate::support::data;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A case of an independent program.
#[derive(Deserialize)]
struct Case {
    name: String,
    verb: String,
    args: Vec<String>,
    toml: String,
    files: BTreeMap<String, String>,
    expect: Expectation,
}

#[derive(Deserialize)]
struct Expectation {
    exit: i32,
    /// Source, destination, and the links of the path.
    #[serde(default)]
    paths: Vec<(u32, u32, Vec<u32>)>,
    verdict: Option<String>,
    #[serde(default)]
    delivered: Vec<u64>,
    #[serde(default)]
    row: BTreeMap<String, Value>,
}

type Row = BTreeMap<String, String>;

/// The rows of `scenario`, which names `files`.
fn rows(scenario: &str, files: &[(&str, &str)], arguments: &[&str]) -> Vec<Row> {
    let bench = Bench::new(scenario);
    files.iter().for_each(|(name, text)| fs::write(bench.path(name), text).unwrap());
    bench.ok(&[&["run", "s.toml", "--quiet", "--out", "out"], arguments].concat());
    csv_rows(&table(&bench, "rows.csv"))
}

/// A file of the only run in the directory `out`.
fn table(bench: &Bench, name: &str) -> String {
    let directory = fs::read_dir(bench.path("out")).unwrap().next().unwrap().unwrap().path();
    fs::read_to_string(directory.join(name)).unwrap()
}

#[test]
fn paths_and_rows_are_those_of_an_independent_program() {
    for case in data::<Vec<Case>>("faults/cases.json") {
        let bench = Bench::new(&case.toml);
        case.files.iter().for_each(|(name, text)| fs::write(bench.path(name), text).unwrap());
        let mut arguments = vec![case.verb.as_str(), "s.toml"];
        arguments.extend(case.args.iter().map(String::as_str));
        if case.verb == "run" {
            arguments.extend(["--quiet", "--out", "out"]);
        }
        let output = bench.call(&arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(case.expect.exit), "{}: {text}", case.name);
        assert_paths(&case, &String::from_utf8(output.stdout).unwrap());
        if let Some(verdict) = &case.expect.verdict {
            let certificate = fs::read_to_string(bench.path("cert.txt")).unwrap();
            assert!(certificate.lines().any(|line| line == format!("verdict {verdict}")), "{}", case.name);
        }
        if case.verb == "run" {
            assert_row(&case, &bench);
        }
    }
}

fn assert_paths(case: &Case, text: &str) {
    let lines = if case.expect.paths.is_empty() { Vec::new() } else { csv_rows(text) };
    for (src, dst, path) in &case.expect.paths {
        let is_of_pair = |line: &&Row| line["src"] == src.to_string() && line["dst"] == dst.to_string();
        let links: Vec<u32> = lines.iter().filter(is_of_pair).map(|line| line["link"].parse().unwrap()).collect();
        assert_eq!(&links, path, "{}: {src} to {dst}", case.name);
    }
}

fn assert_row(case: &Case, bench: &Bench) {
    let row = &csv_rows(&table(bench, "rows.csv"))[0];
    for (column, expected) in &case.expect.row {
        // a number, or a number and its tolerance
        let expected = expected.as_array().map_or(expected, |pair| &pair[0]).as_f64().unwrap();
        let value: f64 = row[column].parse().unwrap();
        assert!((value - expected).abs() <= 1e-5 * expected.abs(), "{}: {column} is {value}", case.name);
    }
    if !case.expect.delivered.is_empty() {
        let messages = csv_rows(&table(bench, "messages.csv"));
        let delivered: Vec<u64> = messages.iter().map(|message| message["delivered"].parse().unwrap()).collect();
        assert_eq!(delivered, case.expect.delivered, "{}", case.name);
    }
}

/// A scenario of a 3x3 mesh with a trace, and `[faults]` with these lines.
fn traced(faults: &str) -> String {
    let mesh = "name = \"s\"\nseed = 4\n[network.mesh]\nshape = [3, 3]\n[workload.trace]\nfile = \"m.csv\"\n";
    format!("{mesh}[faults]\n{faults}\n")
}

/// A message between all ordered pairs of nine nodes, far apart in time.
fn all_pairs() -> String {
    let pairs = (0..81).filter(|pair| pair / 9 != pair % 9);
    let lines = pairs.map(|pair| format!("{pair},{},{},3,{}\n", pair / 9, pair % 9, 50 * pair));
    lines.fold("id,src,dst,flits,start\n".to_owned(), |text, line| text + &line)
}

#[test]
fn what_cannot_fail_or_be_slow_is_refused() {
    let cases: [(&str, &[&str]); 13] = [
        ("links = [[0, 8]]", &["no link joins routers 0 and 8", "links join router 0 with 1, 3"]),
        ("links = [[0, 9]]", &["there is no router 9; the last is 8"]),
        ("routers = [9]", &["there is no router 9; the last is 8"]),
        ("stragglers = [12]\nstraggle = 2", &["there is no node 12; the last is 8"]),
        ("random_links = 13", &["random_links", "12 pairs of linked routers", "accepted: 0 to 12"]),
        ("links = [[0, 1]]\nrandom_links = 12", &["accepted: 0 to 11, in addition to those that are listed"]),
        ("random_routers = 10", &["random_routers", "9 routers"]),
        ("slowdown = 2", &["slowdown", "no link is slow without `slow`"]),
        ("slow = [[0, 1]]", &["slowdown"]),
        ("stragglers = [1]", &["straggle"]),
        ("links = [[0, 1]]\ngive_up = 2", &["give_up", "grid"]),
        ("links = [[0, 1], [0, 3]]", &["node 0", "node 1", "0-1, 0-3", "faults.unreachable=skip"]),
        ("routers = [8]", &["node 8 is attached to router 8, which has failed"]),
    ];
    for (faults, expected) in cases {
        let bench = Bench::new(&traced(faults));
        fs::write(bench.path("m.csv"), all_pairs()).unwrap();
        for verb in ["check", "run"] {
            let text = bench.fails(2, &[verb, "s.toml"]);
            expected.iter().for_each(|words| assert!(text.contains(words), "{faults}: {words}: {text}"));
        }
    }
}

#[test]
fn other_routings_and_tables_over_failed_links_are_refused() {
    let routing = |lines: &str| traced("links = [[0, 1]]") + "[router]\n" + lines;
    let bench = Bench::new(&routing("routing = \"dimension-order\"\n"));
    fs::write(bench.path("m.csv"), all_pairs()).unwrap();
    let text = bench.fails(2, &["check", "s.toml"]);
    assert!(text.contains("dimension-order") && text.contains("`up-down`, `shortest`, `table`"), "{text}");
    let bench = Bench::new(&routing("routing = \"table\"\ntable = \"t.csv\"\n"));
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,0,2,1,0\n").unwrap();
    fs::write(bench.path("t.csv"), "at,to,link\n3,5,9\n0,2,1\n").unwrap();
    let text = bench.fails(2, &["check", "s.toml"]);
    let says = |words: &str| assert!(text.contains(words), "{words}: {text}");
    says("line 3 of `t.csv` uses link 1 between routers 0 and 1");
    says("t.csv:3");
}

/// A run with drawn failures fails, and the error names the repetition.
#[test]
fn drawn_failures_without_a_path_name_the_repetition() {
    let scenario = traced("random_links = 9").replace("seed = 4", "seed = 4\nrepetitions = 3");
    let bench = Bench::new(&scenario);
    fs::write(bench.path("m.csv"), all_pairs()).unwrap();
    for verb in ["run", "check"] {
        let text = bench.fails(1, &[verb, "s.toml"]);
        assert!(text.contains("in repetition 0, no path leads from node"), "{text}");
    }
}

#[test]
fn failures_of_a_sweep_are_nested_and_the_same_for_any_number_of_jobs() {
    let faults = "random_links = 0\nrandom_routers = 1\nunreachable = \"skip\"";
    let sweep = "[sweep]\n\"faults.random_links\" = [0, 1, 3, 6]\n";
    let scenario = traced(faults).replace("seed = 4", "seed = 4\nrepetitions = 3") + sweep;
    let run = |jobs: &str| {
        let bench = Bench::new(&scenario);
        fs::write(bench.path("m.csv"), all_pairs()).unwrap();
        bench.ok(&["run", "s.toml", "--quiet", "--out", "out", "--jobs", jobs]);
        ["rows.csv", "faults.csv", "summary.csv"].map(|name| table(&bench, name))
    };
    let files = run("1");
    assert_eq!(files, run("4"));
    let mut failed: BTreeMap<(u32, u32), BTreeSet<[String; 3]>> = BTreeMap::new();
    for line in csv_rows(&files[1]) {
        let index = (line["point"].parse().unwrap(), line["repetition"].parse().unwrap());
        failed.entry(index).or_default().insert(["kind", "a", "b"].map(|column| line[column].clone()));
    }
    let counts: Vec<usize> = failed.values().map(BTreeSet::len).collect();
    assert_eq!(counts, [1, 1, 1, 2, 2, 2, 4, 4, 4, 7, 7, 7]);
    for (&(point, repetition), lines) in failed.iter().filter(|((point, _), _)| *point > 0) {
        assert!(failed[&(point - 1, repetition)].is_subset(lines));
    }
    assert!(failed[&(3, 0)] != failed[&(3, 1)]);
    for row in csv_rows(&files[0]) {
        let unreachable: u32 = row["unreachable"].parse().unwrap();
        // a message for each ordered pair
        let connected = f64::from(72 - unreachable) / 72.0;
        assert!((row["connected"].parse::<f64>().unwrap() - connected).abs() < 1e-6, "{row:?}");
        assert_eq!(row["messages"], (72 - unreachable).to_string());
    }
}

/// All links along a dimension at a multiple of their flit time are the same whether the network or `[faults]` says it.
#[test]
fn slow_links_take_the_time_of_slower_dimensions() {
    let pairs = (0..9).filter(|router| router % 3 < 2).map(|router| format!("[{router}, {}]", router + 1));
    let slow = format!("[faults]\nslow = [{}]\nslowdown = 3\n", pairs.collect::<Vec<_>>().join(", "));
    let dimension = "flit_time = [1, 3]\n";
    let messages: String = (0..60).fold("id,src,dst,flits,start\n".to_owned(), |text, id| {
        let (src, dst) = (id * 5 % 9, (id * id + 1) % 9);
        text + &format!("{id},{src},{dst},{},{}\n", 1 + id % 7, id / 2)
    });
    let kinds = [("auto", ""), ("flit", ""), ("router", ""), ("auto", "[router]\nmodel = \"pipelined\"\n")];
    for (engine, router) in kinds {
        for network in ["mesh", "torus"] {
            let scenario = |own: &str, faults: &str| {
                let head = format!("name = \"s\"\n[network.{network}]\nshape = [3, 3]\n{own}");
                let router = if network == "torus" && router.is_empty() { "" } else { router };
                format!(
                    "{head}[channel]\nbuffer = 4\n[engine]\nkind = \"{engine}\"\n{router}\
                     [workload.trace]\nfile = \"m.csv\"\n{faults}"
                )
            };
            let files = [("m.csv", messages.as_str())];
            let slow = if network == "torus" { slow.replace("]]", "], [0, 2], [3, 5], [6, 8]]") } else { slow.clone() };
            let [by_faults, by_network] =
                [scenario("", &slow), scenario(dimension, "")].map(|text| rows(&text, &files, &[]));
            for column in ["measured", "blocked_time", "queued_time", "engine"] {
                assert_eq!(by_faults[0][column], by_network[0][column], "{network} {engine} {router} {column}");
            }
        }
    }
}

/// Nodes that are all stragglers are nodes with larger costs.
#[test]
fn stragglers_take_the_time_of_larger_costs() {
    let workloads = [
        "[workload.multicast]\nalgorithms = [\"binomial\", \"chain\"]\nflits = 9\ngroup = 6\n",
        "[workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\"]\nflits = 18\n",
        "[workload.exchange]\nalgorithms = [\"direct\", \"pairwise\"]\nblock_flits = 2\n",
        "[workload.goal]\nfile = \"p.goal\"\nflit_bytes = 1\n",
    ];
    let goal = |compute: u32| {
        format!(
            "num_ranks 2\nrank 0 {{\nl1: calc {compute}\nl2: send 5b to 1 tag 1\nl2 requires l1\n}}\n\
             rank 1 {{\nl1: recv 5b from 0 tag 1\nl2: calc {compute}\nl2 requires l1\n}}\n"
        )
    };
    let costs = |factor: u32| {
        let keys = ["send_setup = 7", "send_per_flit = 1", "receive_setup = 5", "reduce_setup = 3", "hold_setup = 9"];
        let scaled = keys.map(|key| {
            let (name, ticks) = key.split_once(" = ").unwrap();
            format!("{name} = {}\n", ticks.parse::<u32>().unwrap() * factor)
        });
        scaled.concat()
    };
    for workload in workloads {
        let reduces = workload.contains("collective");
        let scenario = |factor: u32, faults: &str| {
            let node: String = costs(factor)
                .lines()
                .filter(|key| reduces || !key.starts_with("reduce"))
                .fold(String::new(), |text, line| text + line + "\n");
            format!("name = \"s\"\n[network.torus]\nshape = [4, 4]\n[node]\n{node}{workload}{faults}")
        };
        let all = (0..16).map(|node: u32| node.to_string()).collect::<Vec<_>>().join(", ");
        let faults = format!("[faults]\nstragglers = [{all}]\nstraggle = 3\n");
        let slow = rows(&scenario(1, &faults), &[("p.goal", &goal(100))], &[]);
        let scaled = rows(&scenario(3, ""), &[("p.goal", &goal(300))], &[]);
        let plain = rows(&scenario(1, ""), &[("p.goal", &goal(100))], &[]);
        for ((slow, scaled), plain) in slow.iter().zip(&scaled).zip(&plain) {
            assert_eq!(slow["measured"], scaled["measured"], "{workload} {}", slow["algorithm"]);
            assert_eq!(slow["fault_free"], plain["measured"], "{workload}: without faults");
            assert!(slow["measured"] != plain["measured"]);
        }
    }
}

/// `[faults]` of a traffic scenario on a 4x4 mesh.
fn traffic(lines: &str, faults: &str) -> String {
    format!(
        "name = \"s\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nbuffer = 8\n[router]\nmodel = \"pipelined\"\n\
         [workload.traffic]\npattern = \"uniform\"\npacket_flits = 2\n{lines}\n[faults]\n{faults}\n"
    )
}

#[test]
fn traffic_leaves_out_packets_without_a_path() {
    let steady = "rate = 0.1\nwarmup = 100\nmeasure = 2000";
    let cut = "links = [[0, 1], [0, 4]]";
    let bench = Bench::new(&traffic(steady, cut));
    for verb in ["check", "run"] {
        let text = bench.fails(2, &[verb, "s.toml"]);
        assert!(text.contains("no path leads from node 0 to node 1"), "{text}");
    }
    let skip = format!("{cut}\nunreachable = \"skip\"");
    for lines in [steady, "mode = \"burst\"", "mode = \"batch\"\nbatch_packets = 20"] {
        for router in ["pipelined", "ideal"] {
            if router == "ideal" && lines.contains("batch") {
                continue; // which needs virtual-channel routers
            }
            let scenario = traffic(lines, &skip).replace("model = \"pipelined\"", &format!("model = \"{router}\""));
            let row = &rows(&scenario, &[], &[])[0];
            let unreachable: u64 = row["unreachable"].parse().unwrap();
            let packets: u64 = row["messages"].parse().unwrap();
            assert_eq!((row["connected"].as_str(), row["undelivered"].as_str()), ("0.875", "0"), "{lines} {router}");
            // 30 of 256 destinations have no path from their source
            let expected = (packets + unreachable) as f64 * 30.0 / 256.0;
            if lines.contains("batch") {
                // whose sources draw until they have as many packets as they need
                assert!(packets == 320 && unreachable > 0, "{row:?}");
                continue;
            }
            assert!((unreachable as f64 - expected).abs() <= 4.0 * expected.sqrt() + 1.0, "{row:?}");
            assert!(row["fault_free"].is_empty() && row["rerouted"].is_empty(), "{row:?}");
        }
    }
    let compared = traffic(steady, "links = [[5, 6]]\nbaseline = true");
    let row = &rows(&compared, &[], &[])[0];
    let [latency, without, slowdown] =
        ["latency", "fault_free", "slowdown"].map(|column| row[column].parse::<f64>().unwrap());
    assert!((slowdown - latency / without).abs() < 1e-5 && latency > without, "{row:?}");
}

/// Programs of which a message has no path are not run where it is to be skipped.
#[test]
fn programs_with_a_message_without_a_path_are_not_measured() {
    let multicast = "name = \"s\"\n[network.mesh]\nshape = [3, 3]\n[workload.multicast]\nalgorithms = [\"binomial\"]\n\
                     flits = 4\nnodes = [4, 0, 8]\n[faults]\nrouters = [8]\nunreachable = \"skip\"\n";
    let row = &rows(multicast, &[], &[])[0];
    let values = ["measured", "fault_free", "slowdown", "unreachable", "failed_routers"].map(|name| row[name].as_str());
    assert_eq!(values, ["", "", "", "1", "1"]);
    Bench::new(multicast).ok(&["check", "s.toml"]);
    let text = Bench::new(&multicast.replace("\"skip\"", "\"reject\"")).fails(2, &["run", "s.toml"]);
    assert!(text.contains("node 8 is attached to router 8"), "{text}");
}

#[test]
fn columns_and_the_file_of_faults_belong_to_scenarios_with_faults() {
    let files = [("m.csv", all_pairs())];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let plain = traced("").replace("[faults]\n", "");
    assert!(!rows(&plain, &files, &[])[0].contains_key("failed_links"));
    let without_baseline = rows(&traced("links = [[0, 1]]\nbaseline = false"), &files, &[]);
    let parts = |column: &str| without_baseline[0][column].as_str();
    assert_eq!([parts("fault_free"), parts("slowdown"), parts("failed_links")], ["", "", "1"]);
    assert!(parts("rerouted") != "0" && !parts("extra_hops").is_empty());
    // the slowdown of jobs by each other has the name `slowdown`
    let jobs = "name = \"s\"\n[network.mesh]\nshape = [2, 2]\n[workload.jobs.job.a.halo]\nshape = [2, 2]\ncells = [8, 8]\n\
                iterations = 2\n[faults]\nslow = [[0, 1]]\nslowdown = 4\n";
    let row = &rows(jobs, &[], &[])[0];
    assert_eq!(row["slowdown"], "1");
    assert!(row["fault_slowdown"].parse::<f64>().unwrap() > 1.0, "{row:?}");
}

#[test]
fn a_network_with_failures_is_counted_and_exported() {
    let scenario =
        traced("links = [[0, 1], [0, 3]]\nrouters = [8]").replace("[workload.trace]\nfile = \"m.csv\"\n", "");
    let bench = Bench::new(&scenario);
    let json: Value = serde_json::from_str(&bench.ok(&["network", "s.toml", "--format", "json"])).unwrap();
    let counts =
        ["failed_links", "failed_routers", "links", "routers", "nodes"].map(|name| json[name].as_u64().unwrap());
    // two pairs and the two pairs of router 8 have failed
    assert_eq!(counts, [2, 1, 16, 9, 9]);
    assert!((json["connected"].as_f64().unwrap() - 42.0 / 72.0).abs() < 1e-6);
    assert_eq!(json["histogram"].as_object().unwrap().values().map(|pairs| pairs.as_u64().unwrap()).sum::<u64>(), 42);
    let intact = Bench::new(scenario.split("[faults]").next().unwrap());
    let csv = |bench: &Bench| bench.ok(&["network", "s.toml", "--format", "csv"]);
    assert_eq!(csv(&bench), csv(&intact));
    let routes = bench.ok(&["routes", "s.toml", "--pairs", "0>5 1>5"]);
    assert!(csv_rows(&routes).iter().all(|line| line["src"] == "1"), "{routes}");
}

const NETWORKS: [&str; 9] = [
    "mesh]\nshape = [2, 3, 2]",
    "torus]\nshape = [3, 4]",
    "torus]\nshape = [2, 3]",
    "mesh]\nshape = [5]\nexpress = 2\nconcentration = 2",
    "hypercube]\ndimension = 3",
    "bmin]\nradix = 2\nlevels = 3",
    "fat-tree]\narity = 2\nlevels = 3",
    "dragonfly]\np = 1\na = 3\nh = 1",
    "hyperx]\nshape = [3, 3]\nconcentration = 2",
];

/// The routers of the links of the path of each pair of nodes.
fn paths(bench: &Bench) -> BTreeMap<(String, String), Vec<(u32, u32)>> {
    let mut paths: BTreeMap<_, Vec<(u32, u32)>> = BTreeMap::new();
    for line in csv_rows(&bench.ok(&["routes", "s.toml", "--pairs", "all", "--paths", "1"])) {
        let end = |name: &str| line[name].parse::<u32>().unwrap();
        let [from, to] = [end("from"), end("to")];
        let pair = (line["src"].clone(), line["dst"].clone());
        paths.entry(pair).or_default().push((from.min(to), from.max(to)));
    }
    paths
}

/// A lonely message of m flits takes the flit times of its channels, and m - 1 times the largest of them.
#[test]
fn slow_links_are_those_of_the_pair_on_every_network() {
    const FLITS: u64 = 3;
    const SLOWDOWN: u64 = 4;
    for network in NETWORKS {
        let single = Bench::new(&format!("name = \"n\"\n[network.{network}\n"));
        let paths = paths(&single);
        let nodes: BTreeSet<u32> = paths.keys().map(|(src, _)| src.parse().unwrap()).collect();
        let slow = *paths.values().flatten().nth(2).unwrap();
        let pairs = nodes.iter().flat_map(|src| nodes.iter().map(move |dst| (src, dst)));
        let lines = pairs.enumerate().map(|(id, (src, dst))| format!("{id},{src},{dst},{FLITS},{}\n", 200 * id));
        let messages = lines.fold("id,src,dst,flits,start\n".to_owned(), |text, line| text + &line);
        for engine in ["worm", "flit"] {
            let bench = Bench::new(&format!(
                "name = \"s\"\n[network.{network}\n[channel]\nbuffer = 8\n[engine]\nkind = \"{engine}\"\n\
                 [workload.trace]\nfile = \"m.csv\"\n[faults]\nslow = [[{}, {}]]\nslowdown = {SLOWDOWN}\n",
                slow.0, slow.1
            ));
            fs::write(bench.path("m.csv"), &messages).unwrap();
            bench.ok(&["run", "s.toml", "--quiet", "--out", "out", "--messages"]);
            let mut crossed = 0;
            for message in csv_rows(&table(&bench, "messages.csv")) {
                let path = paths.get(&(message["src"].clone(), message["dst"].clone())).cloned().unwrap_or_default();
                let times = path.iter().map(|pair| if *pair == slow { SLOWDOWN } else { 1 });
                let largest = times.clone().max().unwrap_or(1);
                let expected = 2 + times.sum::<u64>() + (FLITS - 1) * largest;
                let [requested, delivered] =
                    ["requested", "delivered"].map(|column| message[column].parse::<u64>().unwrap());
                assert_eq!(delivered - requested, expected, "{network} {engine} {message:?} {slow:?}");
                crossed += u32::from(largest > 1);
            }
            assert!(crossed > 1, "{network}");
        }
    }
}

/// Messages on networks with failures take the paths that `routes` lists, and all surviving pairs of nodes exchange one.
#[test]
fn every_network_runs_round_failures() {
    for network in NETWORKS {
        for routing in ["up-down", "shortest"] {
            let head = format!("name = \"s\"\n[network.{network}\n[router]\nrouting = \"{routing}\"\n");
            let intact = Bench::new(&format!("name = \"n\"\n[network.{network}\n"));
            let pair = *paths(&intact).values().flatten().nth(3).unwrap();
            let faults = format!("[faults]\nlinks = [[{}, {}]]\nrouters = [1]\n", pair.0, pair.1);
            let bench = Bench::new(&(head.clone() + &faults));
            let around = paths(&bench);
            assert!(around.values().flatten().all(|other| *other != pair && other.0 != 1 && other.1 != 1));
            let lines = around.keys().enumerate().map(|(id, (src, dst))| format!("{id},{src},{dst},1,{}\n", 100 * id));
            let messages = lines.fold("id,src,dst,flits,start\n".to_owned(), |text, line| text + &line);
            let trace = "[workload.trace]\nfile = \"m.csv\"\n";
            let bench = Bench::new(&(head + &faults + trace));
            fs::write(bench.path("m.csv"), &messages).unwrap();
            bench.ok(&["run", "s.toml", "--quiet", "--out", "out", "--messages"]);
            for message in csv_rows(&table(&bench, "messages.csv")) {
                let path = &around[&(message["src"].clone(), message["dst"].clone())];
                assert_eq!(message["hops"], path.len().to_string(), "{network} {routing} {message:?}");
            }
        }
    }
}
