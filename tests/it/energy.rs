//! Energies of runs: reference cases to the attojoule, the same events from every engine and workload, sums of `activity.csv`,
//! sums beyond 64 bits, and errors.

use crate::cli::{Bench, csv_rows};
use crate::support::data;
use flitwise::units::Attojoules;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

type Line = BTreeMap<String, String>;

/// The columns of events, as activity.csv names them.
const EVENTS: [&str; 7] = ["buffer_write", "buffer_read", "crossbar", "arbitrate", "route", "link", "node_link"];

/// Energies that differ for every event.
const DISTINCT: &str = "[energy]\nbuffer_write = \"3aJ\"\nbuffer_read = \"5aJ\"\ncrossbar = \"7aJ\"\narbitrate = \"11aJ\"\n\
                        route = \"13aJ\"\nlink = \"17aJ\"\ninjection = \"19aJ\"\nejection = \"23aJ\"\nactivity = true\n";

fn energy(line: &Line, column: &str) -> u128 {
    Attojoules::from_picojoules(&line[column]).unwrap_or_else(|| panic!("{column} is {:?}", line[column])).0
}

fn lines(bench: &Bench, file: &str) -> Vec<Line> {
    csv_rows(&fs::read_to_string(bench.path("results/s").join(file)).unwrap())
}

/// The files of a run of `scenario`, which has the name `s`, with a file of `messages`.
fn ran(scenario: &str, messages: &str) -> Bench {
    let bench = Bench::new(scenario);
    fs::write(bench.path("m.csv"), messages).unwrap();
    bench.ok(&["run", "s.toml", "--messages", "--quiet"]);
    bench
}

/// Checks that the columns of a row add up, and so does activity.csv. Returns the number of events of each kind.
fn check_sums(row: &Line, activity: &[Line]) -> BTreeMap<String, u128> {
    let parts = EVENTS.map(|event| energy(row, &format!("energy_{event}")));
    let dynamic: u128 = parts.iter().sum();
    assert_eq!(energy(row, "energy_dynamic"), dynamic);
    assert_eq!(energy(row, "energy"), dynamic + energy(row, "energy_clock") + energy(row, "energy_static"));
    let mut counts = BTreeMap::new();
    let mut energies: BTreeMap<String, u128> = BTreeMap::new();
    for line in activity {
        *energies.entry(line["event"].clone()).or_default() += energy(line, "energy");
        *counts.entry(line["event"].clone()).or_default() += line["count"].parse::<u128>().unwrap();
    }
    for event in EVENTS.into_iter().chain(["clock", "static"]) {
        let sum = energies.get(event).copied().unwrap_or_default();
        assert_eq!(sum, energy(row, &format!("energy_{event}")), "{event}");
    }
    counts
}

#[test]
fn reference_cases_hold_to_the_attojoule() {
    for case in data::<Vec<Value>>("silicon-costs/energy.json") {
        let name = case["name"].as_str().unwrap();
        let toml = case["toml"].as_str().unwrap().replacen(&format!("name = \"{name}\""), "name = \"s\"", 1);
        let bench = ran(&toml, case["files"]["m.csv"].as_str().unwrap());
        let row = &lines(&bench, "rows.csv")[0];
        for (column, expected) in case["expect"]["pJ"].as_object().unwrap() {
            assert_eq!(row[column], expected.as_str().unwrap(), "{name}: {column}");
        }
        assert_eq!(row["energy_per_byte"], case["expect"]["per_byte"].as_str().unwrap(), "{name}");
        let counts = check_sums(row, &lines(&bench, "activity.csv"));
        for (event, expected) in case["expect"]["counts"].as_object().unwrap() {
            assert_eq!(counts.get(event).copied(), Some(expected.as_u64().unwrap().into()), "{name}: {event}");
        }
    }
}

/// Checks the energies of every row of `scenario` against its messages: flits, hops, and the energies of [`DISTINCT`].
fn check_events(scenario: &str) {
    let bench = ran(&format!("name = \"s\"\n{scenario}{DISTINCT}"), "");
    let messages = lines(&bench, "messages.csv");
    let activity = lines(&bench, "activity.csv");
    let key = |line: &Line| (line["algorithm"].clone(), line["repetition"].clone());
    for row in lines(&bench, "rows.csv") {
        let messages = messages.iter().filter(|message| key(message) == key(&row));
        let number = |line: &Line, column: &str| line[column].parse::<u128>().unwrap();
        let messages: Vec<[u128; 2]> =
            messages.map(|line| [number(line, "flits").max(1), number(line, "hops")]).collect();
        let flits: u128 = messages.iter().map(|[flits, _]| flits).sum();
        let passed: u128 = messages.iter().map(|[flits, hops]| flits * (hops + 1)).sum();
        let heads: u128 = messages.iter().map(|[_, hops]| hops).sum();
        let expected = [3 * passed, 5 * passed, 7 * passed, 11 * passed, 13 * heads, 17 * (passed - flits), 42 * flits];
        let found = EVENTS.map(|event| energy(&row, &format!("energy_{event}")));
        assert_eq!(found, expected, "{scenario}: {} on {}", row["algorithm"], row["engine"]);
        let activity: Vec<Line> = activity.iter().filter(|line| key(line) == key(&row)).cloned().collect();
        check_sums(&row, &activity);
    }
}

#[test]
fn every_engine_counts_the_same_events() {
    for engine in ["worm", "flit", "sleep", "router"] {
        check_events(&format!(
            "repetitions = 2\n[network.mesh]\nshape = [4, 5]\n[channel]\nflit_bits = 100\n[node]\nsend_setup = 5\n\
             [engine]\nkind = \"{engine}\"\n[workload.multicast]\nalgorithms = [\"opt-mesh\", \"sequential\"]\nflits = 9\n\
             group = 11\n",
        ));
    }
}

#[test]
fn networks_and_workloads_count_the_same_events() {
    let collective =
        "[workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\", \"rabenseifner\"]\nflits = 40\n";
    let networks = [
        "[network.torus]\nshape = [4, 4]\n[channel]\nflit_bits = 9\n",
        "[network.mesh]\nshape = [3, 3]\nconcentration = 2\n[channel]\nflit_bits = 9\n",
        "[network.fat-tree]\narity = 2\nlevels = 3\n[channel]\nflit_bits = 9\n",
        "[network.bmin]\nradix = 2\nlevels = 3\n[channel]\nflit_bits = 9\n",
        "[network.hypercube]\ndimension = 3\n[channel]\nflit_bits = 9\nvirtual_channels = 2\n[router]\nmodel = \"pipelined\"\n",
        "[network.dragonfly]\np = 2\na = 2\nh = 1\nglobal_delay = 5\n[channel]\nflit_bits = 9\n",
        "[network.hyperx]\nshape = [3, 3]\n[channel]\nflit_bits = 9\n",
    ];
    for network in networks {
        check_events(&format!("{network}{collective}"));
    }
    let exchange = "[workload.exchange]\nalgorithms = [\"suh-shin\", \"direct\"]\nblock_flits = 3\n";
    check_events(&format!("{}{exchange}", networks[0]));
    check_events(
        "[network.torus]\nshape = [4, 4]\n[channel]\nflit_bits = 9\nvirtual_channels = 4\nbuffer = 8\n[router]\n\
         model = \"pipelined\"\nrouting = \"adaptive\"\n[workload.exchange]\nalgorithms = [\"direct\"]\nblock_flits = 2\n",
    );
}

#[test]
fn rows_without_messages_kept_have_the_same_energies() {
    let scenario = "name = \"s\"\n[network.torus]\nshape = [4, 4]\n[channel]\nflit_bits = 8\n[workload.exchange]\n\
                    algorithms = [\"suh-shin\", \"direct\"]\nblock_flits = 3\n[energy]\nlink = \"1pJ\"\nroute = \"1fJ\"\n";
    let energies = |arguments: &[&str]| {
        let bench = Bench::new(scenario);
        bench.ok(&[&["run", "s.toml", "--quiet"], arguments].concat());
        lines(&bench, "rows.csv").iter().map(|row| energy(row, "energy")).collect::<Vec<_>>()
    };
    assert_eq!(energies(&[]), energies(&["--messages"]));
}

#[test]
fn energies_above_64_bits_are_exact_in_rows_and_summaries() {
    let scenario = "name = \"s\"\nrepetitions = 3\n[network.mesh]\nshape = [2]\n[channel]\nflit_bits = 65536\n\
                    [workload.trace]\nfile = \"m.csv\"\n[energy]\nlink = \"1.000000001uJ/bit\"\n";
    let bench = Bench::new(scenario);
    // 4,000 flits of 65,536 bits over a link
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,0,1,4000,0\n").unwrap();
    for shard in ["1/2", "2/2"] {
        bench.ok(&["run", "s.toml", "--shard", shard, "--quiet"]);
    }
    bench.ok(&["merge", "results/s"]);
    let rows = lines(&bench, "rows.csv");
    let exact = 4000 * 65536 * 1_000_000_001_000_u128;
    assert!(exact > u64::MAX.into());
    assert_eq!(rows.iter().map(|row| energy(row, "energy")).collect::<Vec<_>>(), [exact; 3]);
    assert_eq!(lines(&bench, "summary.csv")[0]["energy_sd"], "0");
}

#[test]
fn steady_traffic_counts_what_it_measures() {
    let traffic = |mode: &str, routers: &str| {
        let scenario = format!(
            "name = \"s\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nflit_bits = 64\nbuffer = 8\n{routers}\
             [energy]\nejection = \"1uJ\"\nlink = \"1pJ\"\nactivity = true\n[workload.traffic]\n{mode}"
        );
        let bench = ran(&scenario, "");
        let row = lines(&bench, "rows.csv")[0].clone();
        let counts = check_sums(&row, &lines(&bench, "activity.csv"));
        (row, counts)
    };
    let number = |row: &Line, column: &str| row[column].parse::<f64>().unwrap();
    let steady = "pattern = \"uniform\"\nrate = 0.15\npacket_flits = 4\nwarmup = 1000\nmeasure = 8000\n";
    for routers in ["[router]\nmodel = \"pipelined\"\n", ""] {
        let (row, _) = traffic(steady, routers);
        let ejected = energy(&row, "energy_node_link") as f64 / 1e12;
        let accepted = number(&row, "accepted") * 16.0 * 8000.0;
        assert!((ejected / accepted - 1.0).abs() < 0.01, "{ejected} flits ejected, {accepted} accepted");
        let links = energy(&row, "energy_link") as f64 / 1e6 / ejected;
        assert!((links / number(&row, "hops") - 1.0).abs() < 0.04, "{links} links a flit");
    }
    let (row, counts) = traffic("mode = \"burst\"\npattern = \"transpose\"\npacket_flits = 6\n", "");
    assert_eq!((counts["node_link"], row["energy_node_link"].as_str()), (2 * 96, "96000000"));
}

#[test]
fn physical_networks_add_up() {
    let with_networks = |networks: u32| {
        let scenario = format!(
            "name = \"s\"\n[network.mesh]\nshape = [3, 3]\n[channel]\nflit_bits = 64\nbuffer = 8\n[router]\nmodel = \"pipelined\"\n\
             networks = {networks}\n[energy]\nejection = \"1pJ\"\nclock = \"1pJ\"\nactivity = true\n[workload.traffic]\n\
             pattern = \"uniform\"\nrate = 0.1\npacket_flits = 2\nwarmup = 100\nmeasure = 1000\n"
        );
        let bench = ran(&scenario, "");
        let row = lines(&bench, "rows.csv")[0].clone();
        check_sums(&row, &lines(&bench, "activity.csv"));
        row
    };
    let [one, two] = [1, 2].map(with_networks);
    assert_eq!([&one, &two].map(|row| energy(row, "energy_clock")), [9, 18].map(|routers| routers * 1000 * 1_000_000));
    let accepted = two["accepted"].parse::<f64>().unwrap() * 9.0 * 1000.0;
    assert!((energy(&two, "energy_node_link") as f64 / 1e6 / accepted - 1.0).abs() < 0.02);
}

#[test]
fn the_front_has_the_algorithms_that_no_other_beats_in_both() {
    let scenario = "name = \"s\"\nrepetitions = 3\n[network.mesh]\nshape = [5, 4]\n[channel]\nflit_bits = 64\n[node]\nsend_setup = 3\n\
                    [energy]\npreset = \"dsent-22\"\nstatic = \"0\"\nlink_static = \"0\"\n[workload.multicast]\n\
                    algorithms = [\"opt-mesh\", \"binomial\", \"sequential\", \"chain\"]\nflits = 9\ngroup = 12\n\
                    [figure]\nstyle = \"pareto\"\n";
    let bench = Bench::new(scenario);
    let table = bench.ok(&["run", "s.toml"]);
    assert!(table.contains("per byte") && table.contains("Energies: dsent-22, ") && table.contains("Least energy: "));
    let summary = lines(&bench, "summary.csv");
    let costs = |line: &Line| ["measured_mean", "energy_mean"].map(|column| line[column].parse::<f64>().unwrap());
    let costs: Vec<[f64; 2]> = summary.iter().map(costs).collect();
    for (line, own) in summary.iter().zip(&costs) {
        let beats =
            |other: &[f64; 2]| other[0] <= own[0] && other[1] <= own[1] && (other[0] < own[0] || other[1] < own[1]);
        assert_eq!(line["pareto"], if costs.iter().any(beats) { "0" } else { "1" }, "{}", line["algorithm"]);
    }
    let picture = fs::read_to_string(bench.path("results/s/s.svg")).unwrap();
    assert!(summary.iter().all(|line| picture.contains(&line["algorithm"])) && picture.contains("Pareto front"));
    let json: Value = serde_json::from_str(&bench.ok(&["show", "results/s", "--json"])).unwrap();
    let fronts: Vec<bool> =
        json["summary"].as_array().unwrap().iter().map(|line| line["pareto"].as_bool().unwrap()).collect();
    assert_eq!(fronts, summary.iter().map(|line| line["pareto"] == "1").collect::<Vec<_>>());
}

#[test]
fn scenarios_without_energies_have_no_such_columns() {
    let bench = ran(
        "name = \"s\"\n[network.mesh]\nshape = [3]\n[channel]\nflit_bits = 64\n[workload.trace]\nfile = \"m.csv\"\n",
        "id,src,dst,flits,start\n0,0,2,4,0\n",
    );
    let row = &lines(&bench, "rows.csv")[0];
    assert!(!row.keys().any(|column| column.starts_with("energy") || column == "area"), "{row:?}");
    assert!(!lines(&bench, "summary.csv")[0].contains_key("pareto"));
}

#[test]
fn invalid_energies_are_rejected_with_the_accepted_ones() {
    let mesh = "[network.mesh]\nshape = [3, 3]\n[workload.trace]\nfile = \"m.csv\"\n";
    let bits = "[channel]\nflit_bits = 64\n";
    let grid = "[network.grid]\nnodes = 4\nbytes = 1000\nlatency = [10, 20]\nbandwidth = [2, 3]\n[workload.broadcast]\n\
                algorithms = [\"ecef\"]\n";
    let cases = [
        (mesh, "", "link = \"1pJ/bit\"", "`channel.flit_bits`"),
        (mesh, bits, "link = \"1pW\"", "a unit such as pJ"),
        (mesh, bits, "static = \"1pJ\"", "a unit such as mW"),
        (mesh, bits, "static = \"1mW\"", "length of a `tick`"),
        (mesh, bits, "preset = \"dsent-7\"", "dsent-22"),
        (mesh, bits, "buffer_write = \"1fJ/mm\"", "`/mm`"),
        (mesh, bits, "link = \"ucie-9d\"", "ucie-3d"),
        (mesh, bits, "link_mm = 1.2345", "three decimals"),
        (mesh, bits, "preset = \"noxim-45\"", "accepted: 8"),
        (mesh, "[channel]\nflit_bits = 96\n", "preset = \"dsent-22\"", "64, 128"),
        (mesh, "[channel]\nflit_bits = 96\nflit_bytes = 8\n", "link = \"1pJ\"", "`channel.flit_bytes`"),
        (grid, "", "link = \"1pJ\"", "[network.grid]"),
    ];
    for (network, channel, key, expected) in cases {
        let bench = Bench::new(&format!("name = \"s\"\n{network}{channel}[energy]\n{key}\n"));
        fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,0,8,4,0\n").unwrap();
        let error = bench.fails(2, &["check", "s.toml"]);
        assert!(error.contains(expected), "{key}: {error}");
    }
}
