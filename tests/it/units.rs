//! Values with units: a scenario in bytes, GB/s and ns is the same as one in flits and ticks; columns of sizes and
//! bandwidths; files, ranges, conditions and models with units.

use crate::cli::Bench;
use crate::support::data_path;
use flitwise::kind::{Keep, RowId};
use flitwise::scenario::{Options, Scenario};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// A 4x4x4 torus of links with 32 GB/s.
const MACHINE: &str = "name = \"u\"\ntick = \"1ns\"\n[network.torus]\nshape = [4, 4, 4]\n\
                       [channel]\nflit_bytes = 32\nbandwidth = \"32GB/s\"\n";
const ALLREDUCE: &str =
    "[workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\", \"swing-bandwidth\"]\n";

fn parse(text: &str) -> Scenario {
    let scenario = Scenario::parse("s.toml", text, &data_path("units"), &Options::default());
    scenario.unwrap_or_else(|rejected| panic!("{text}\n{rejected}"))
}

/// The errors of a scenario that is wrong.
fn refused(text: &str) -> String {
    Scenario::parse("s.toml", text, &data_path("units"), &Options::default()).unwrap_err().to_string()
}

/// Every point as it is run, without its name.
fn experiments(scenario: &Scenario) -> Vec<Value> {
    scenario.points.iter().map(|point| point.experiment.to_json().unwrap()).collect()
}

/// The measured times of all rows of the first repetition.
fn measured(scenario: &Scenario) -> Vec<u64> {
    let mut times = Vec::new();
    for (point, at) in scenario.points.iter().zip(0..) {
        for algorithm in 0..point.experiment.workload.variants().len() {
            let id = RowId { point: at, algorithm, repetition: 0 };
            let row = point.experiment.run(id, Keep::default()).unwrap();
            times.push(row.value("measured").unwrap());
        }
    }
    times
}

/// A scenario of the reference cases as TOML: dotted keys, those of a sweep quoted.
fn toml(scenario: &Value) -> String {
    fn lines(table: &Map<String, Value>, around: &str, text: &mut String) {
        for (key, value) in table {
            let key = if around == "sweep." { format!("\"{key}\"") } else { key.clone() };
            match value {
                Value::Object(inner) => lines(inner, &format!("{around}{key}."), text),
                value => writeln!(text, "{around}{key} = {value}").unwrap(),
            }
        }
    }
    let mut text = String::new();
    lines(scenario.as_object().unwrap(), "", &mut text);
    text
}

#[test]
fn scenarios_with_units_measure_what_plain_ones_do() {
    let cases: Value = serde_json::from_str(&std::fs::read_to_string(data_path("units/cases.json")).unwrap()).unwrap();
    for case in cases["same"].as_array().unwrap() {
        let (plain, units) = (parse(&toml(&case["plain"])), parse(&toml(&case["units"])));
        let factor = case["factor"].as_u64().unwrap_or(1);
        let expected: Vec<u64> = measured(&plain).into_iter().map(|time| time * factor).collect();
        assert_eq!(measured(&units), expected, "{}", case["id"]);
        if factor == 1 {
            assert_eq!(experiments(&units), experiments(&plain), "{}", case["id"]);
        }
    }
}

/// A time of `ticks` ticks, each `picoseconds` long, in a unit that is drawn.
fn time(random: &mut Pcg64, ticks: u64, picoseconds: u64) -> String {
    let total = ticks * picoseconds;
    let (unit, digits) = [("ps", 0), ("ns", 3), ("us", 6), ("ms", 9)][random.random_range(0..4)];
    let power = 10_u64.pow(digits);
    let fraction = format!("{:0width$}", total % power, width = digits as usize);
    let space = if random.random() { " " } else { "" };
    match digits {
        0 => format!("\"{total}{space}{unit}\""),
        _ => format!("\"{}.{fraction}{space}{unit}\"", total / power),
    }
}

#[test]
fn random_machines_are_the_same_with_units_and_without() {
    let mut random = Pcg64::seed_from_u64(44);
    for _ in 0..300 {
        let (tick, picoseconds) =
            [("1ps", 1), ("10ps", 10), ("1ns", 1000), ("10 ns", 10_000)][random.random_range(0..4)];
        let flit_bytes: u64 = 1 << random.random_range(0..10);
        let [setup, receive, hold, routing] = [(); 4].map(|()| random.random_range(0..5000_u64));
        let per_byte: u64 = random.random_range(0..20);
        let flits: u64 = random.random_range(1..1000);
        let flit_time: u64 = random.random_range(1..100);
        let bytes = flits * flit_bytes - random.random_range(0..flit_bytes);
        let common = format!(
            "name = \"r\"\ntick = \"{tick}\"\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\n\
             algorithms = [\"binomial\"]\ngroup = 5\n"
        );
        let plain = format!(
            "{common}flits = {flits}\n[channel]\nflit_time = {flit_time}\nrouting_delay = {routing}\n[node]\n\
             send_setup = {setup}\nreceive_setup = {receive}\nhold_setup = {hold}\nsend_per_flit = {}\n",
            per_byte * flit_bytes
        );
        let mut time = |ticks| time(&mut random, ticks, picoseconds);
        let units = format!(
            "{common}bytes = \"{bytes}B\"\n[channel]\nflit_bytes = {flit_bytes}\nflit_time = {}\nrouting_delay = {}\n\
             [node]\nsend_setup = {}\nreceive_setup = {}\nhold_setup = {}\nsend_per_byte = {}\n",
            time(flit_time),
            time(routing),
            time(setup),
            time(receive),
            time(hold),
            time(per_byte),
        );
        assert_eq!(experiments(&parse(&units)), experiments(&parse(&plain)), "{units}");
    }
}

/// The example of the specification: 8x8 torus, 128 KiB.
#[test]
fn bandwidths_are_those_of_the_worked_example() {
    for tick in ["tick = \"1ns\"\n", ""] {
        let text = format!(
            "name = \"w\"\n{tick}[network.torus]\nshape = [8, 8]\n[channel]\nflit_bytes = 32\nbandwidth = \"32GB/s\"\n\
             [workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\"]\n\
             bytes = \"128KiB\"\n"
        );
        let bench = Bench::new(&text);
        bench.ok(&["run", "s.toml", "-q"]);
        let rows = csv(&bench, "results/w/rows.csv");
        let measured = if tick.is_empty() { "8442000" } else { "8442" };
        let row = &rows[0];
        assert_eq!(
            [&row["measured"], &row["bytes"], &row["algbw"], &row["busbw"]],
            [&json!(measured), &json!("131072"), &json!("15.5262"), &json!("30.5672")]
        );
        let manifest: Value =
            serde_json::from_str(&std::fs::read_to_string(bench.path("results/w/manifest.json")).unwrap()).unwrap();
        let assumed = if tick.is_empty() { "1ps" } else { "1ns" };
        assert_eq!(manifest["tick"], assumed, "the manifest records the tick");
    }
}

/// The rows of a CSV file by their columns.
fn csv(bench: &Bench, file: &str) -> Vec<Map<String, Value>> {
    let mut reader = csv::Reader::from_path(bench.path(file)).unwrap();
    let header = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        header.iter().zip(&record).map(|(name, value)| (name.to_owned(), json!(value))).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// The columns of scenarios that state no size of a flit are those of before.
#[test]
fn only_scenarios_that_state_the_size_of_a_flit_have_sizes() {
    let columns = |text: &str| {
        let scenario = parse(text);
        scenario.result_columns().iter().map(|column| column.name).collect::<Vec<_>>()
    };
    let plain = format!("name = \"u\"\ntick = \"1ns\"\n[network.torus]\nshape = [4, 4]\n{ALLREDUCE}flits = 64\n");
    assert!(!columns(&plain).contains(&"bytes"));
    assert!(columns(&format!("{plain}[channel]\nflit_bytes = 8\n")).contains(&"busbw"));
    let barrier = "[workload.collective]\noperation = \"barrier\"\nalgorithms = [\"dissemination\"]\n";
    let bench = Bench::new(&format!("{MACHINE}{barrier}"));
    bench.ok(&["run", "s.toml", "-q"]);
    assert_eq!(csv(&bench, "results/u/rows.csv")[0]["busbw"], "", "a barrier has no bandwidth");
}

#[test]
fn the_operation_decides_the_bus_bandwidth() {
    for (operation, algorithm, factor) in [
        ("allreduce", "ring", 2.0 * 63.0 / 64.0),
        ("allgather", "ring", 63.0 / 64.0),
        ("reduce-scatter", "ring", 63.0 / 64.0),
        ("scatter", "binomial", 63.0 / 64.0),
        ("gather", "binomial", 63.0 / 64.0),
        ("broadcast", "binomial", 1.0),
        ("reduce", "binomial", 1.0),
    ] {
        let scenario = parse(&format!(
            "{MACHINE}[workload.collective]\noperation = \"{operation}\"\nalgorithms = [\"{algorithm}\"]\nbytes = \"64KiB\"\n"
        ));
        let id = RowId { point: 0, algorithm: 0, repetition: 0 };
        let row = scenario.points[0].experiment.run(id, Keep::default()).unwrap();
        let column = |name: &str| row.value(name).unwrap();
        #[expect(clippy::cast_precision_loss, reason = "a small time")]
        let algbw = 65_536.0 / column("measured") as f64;
        let is_near = |value: u64, expected: f64| (f64::from_bits(value) / expected - 1.0).abs() < 1e-5;
        assert!(is_near(column("algbw"), algbw) && is_near(column("busbw"), algbw * factor), "{operation}");
    }
}

#[test]
fn tables_show_units_and_sizes_as_they_are_written() {
    let text = format!(
        "{}[node]\nsend_setup = \"500ns\"\n{ALLREDUCE}[sweep]\n\"workload.collective.bytes\" = [\"1KiB\", \"64 KiB\"]\n",
        MACHINE.replace("tick = \"1ns\"\n", "")
    );
    let bench = Bench::new(&text);
    let table = bench.ok(&["run", "s.toml"]);
    for shown in ["1KiB", "64 KiB", " µs", "busbw", "GB/s", "the units shown"] {
        assert!(table.replace('\n', " ").contains(shown), "{shown}: {table}");
    }
    assert!(!table.contains("ticks of") && !table.contains("  time "), "{table}");
    assert_eq!(bench.ok(&["show", "results/u"]).lines().nth(3), table.lines().nth(3));
    // files have plain numbers
    let rows = csv(&bench, "results/u/summary.csv");
    assert_eq!(rows[2]["workload.collective.bytes"], "65536");
    let explained = bench.ok(&["explain", "s.toml", "--rows", "algorithm=ring"]);
    assert!(explained.contains(" µs"), "{explained}");
}

#[test]
fn sweeps_have_ranges_and_conditions_in_bytes() {
    let sweep = |values: &str| {
        parse(&format!("{MACHINE}{ALLREDUCE}[sweep]\n\"workload.collective.bytes\" = {values}\n")).points.len()
    };
    assert_eq!(sweep("{ from = \"1KiB\", to = \"1MiB\", times = 4 }"), 6);
    assert_eq!(sweep("{ from = \"1024B\", to = \"4KiB\", step = \"512B\" }"), 7);
    let with_condition = format!(
        "{MACHINE}{ALLREDUCE}[sweep]\n\"workload.collective.bytes\" = [\"1KiB\", \"4KiB\", \"1MiB\"]\n\
         where = [\"workload.collective.bytes <= 4096\"]\n"
    );
    assert_eq!(parse(&with_condition).points.len(), 2);
    let set = Options {
        set: vec!["workload.collective.bytes=[1KiB, 4KiB]".to_owned(), "node.send_setup=1.5 us".to_owned()],
        ..Options::default()
    };
    let text = format!("{MACHINE}{ALLREDUCE}bytes = 64\n");
    let scenario = Scenario::parse("s.toml", &text, &data_path("units"), &set).unwrap();
    assert_eq!((scenario.points.len(), scenario.points[1].experiment.machine.node.send_setup), (2, 1500));
}

#[test]
fn rates_of_traffic_are_bandwidths() {
    let traffic = |rate: &str| {
        format!("{MACHINE}[router]\nmodel = \"pipelined\"\n[workload.traffic]\npattern = \"uniform\"\nrate = {rate}\n")
    };
    assert_eq!(experiments(&parse(&traffic("\"8GB/s\""))), experiments(&parse(&traffic("0.25"))));
    let error = refused(&traffic("\"33GB/s\""));
    assert!(error.contains("makes a node inject 1.031 packets per cycle"), "{error}");
}

#[test]
fn links_of_graphs_have_bandwidths() {
    let bench = Bench::new("");
    let write = |name: &str, text: &str| std::fs::write(bench.path(name), text).unwrap();
    let ends = [("node", 0, 0), ("node", 1, 1), ("node", 2, 2), ("link", 0, 1), ("link", 1, 2)];
    let rows = |header: &str, ends_with: [&str; 2]| {
        let mut text = format!("kind,a,b,{header}\n");
        for (at, (kind, a, b)) in ends.into_iter().enumerate() {
            let end = if at < 4 { ends_with[0] } else { ends_with[1] };
            writeln!(text, "{kind},{a},{b},{end}").unwrap();
        }
        text
    };
    write("plain.csv", &rows("flit_time,delay", ["2,5", "4,100"]));
    write("units.csv", &rows("bandwidth,delay", ["16GB/s,5ns", "64Gb/s,0.1us"]));
    let table = |link: &str| {
        format!("routers = 3\nnode = [0, 1, 2]\n[[link]]\nends = [0, 1]\n{link}\n[[link]]\nends = [1, 2]\n")
    };
    write("plain.toml", &table("flit_time = 2\ndelay = 7"));
    write("units.toml", &table("bandwidth = \"16GB/s\"\ndelay = \"7ns\""));
    for ending in ["csv", "toml"] {
        let run = |name: &str| {
            let text = MACHINE
                .replace("[network.torus]\nshape = [4, 4, 4]", &format!("[network.graph]\nfile = \"{name}.{ending}\""));
            write(
                "s.toml",
                &format!(
                    "{text}[router]\nrouting = \"up-down\"\n[workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\"]\nbytes = \"3KiB\"\n"
                ),
            );
            bench.ok(&["run", "s.toml", "-q", "--force"]);
            csv(&bench, "results/u/rows.csv")[0]["measured"].clone()
        };
        assert_eq!(run("plain"), run("units"), "{ending}");
    }
    write("units.csv", &rows("bandwidth,delay", ["16,5ns", "64Gb/s,0.1us"]));
    let text = MACHINE.replace("[network.torus]\nshape = [4, 4, 4]", "[network.graph]\nfile = \"units.csv\"");
    write("s.toml", &format!("{text}{ALLREDUCE}bytes = 64\n"));
    let error = bench.fails(2, &["check", "s.toml"]);
    assert!(error.contains("`bandwidth` cannot be `16`") && error.contains("50GB/s"), "{error}");
}

#[test]
fn times_per_byte_of_a_model_are_per_flit_where_lengths_are() {
    let model = |gap: &str| {
        format!(
            "name = \"m\"\ntick = \"10ps\"\n[channel]\nflit_bytes = 8\n[model.loggops]\nL = 6\no = 2\ng = 4\nG = {gap}\n\
                 [workload.multicast]\nalgorithms = [\"chain\"]\nflits = 8\ngroup = 4\n"
        )
    };
    // 0.04 ns are 4 ticks a byte and 32 a flit
    let models = [model("\"0.04ns\""), model("32")]
        .map(|text| experiments(&parse(&text))[0]["model"]["loggops"]["gap_per_byte"].clone());
    assert_eq!(models, [json!(32), json!(32)]);
}

#[test]
fn times_that_are_rounded_are_warned_of() {
    let bench = Bench::new(&format!("{}{ALLREDUCE}bytes = \"1KiB\"\n", MACHINE.replace("32GB/s", "30GB/s")));
    let output = bench.call(&["run", "s.toml"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{error}");
    assert!(error.contains("rounded by -6.2 %; tick = \"1ps\" is more accurate"), "{error}");
}

#[test]
fn a_cycle_of_router_traffic_is_the_tick_where_none_is_given() {
    let text = MACHINE.replace("tick = \"1ns\"\n", "").replace("32GB/s", "16GB/s");
    let traffic = "[router]\nmodel = \"pipelined\"\n[workload.traffic]\npattern = \"uniform\"\nrate = \"4GB/s\"\n";
    let scenario = parse(&format!("{text}{traffic}"));
    assert_eq!(scenario.tick.as_ref().map(|tick| tick.text.as_str()), Some("2ns"));
    assert_eq!(scenario.points[0].experiment.machine.channel.flit_time, 1);
}

#[test]
fn a_key_that_is_set_takes_the_place_of_the_one_in_another_unit() {
    let text = format!("{MACHINE}{ALLREDUCE}bytes = \"64KiB\"\n[sweep]\nseed = [1, 2]\n");
    let with = |set: &str| {
        let options = Options { set: vec![set.to_owned()], ..Options::default() };
        Scenario::parse("s.toml", &text, &data_path("units"), &options).unwrap()
    };
    let plain = |key: &str| experiments(&parse(&text.replace("bytes = \"64KiB\"", key)));
    assert_eq!(experiments(&with("workload.collective.flits=[4, 8]")).len(), 4);
    assert_eq!(experiments(&with("workload.collective.flits=4")), plain("flits = 4"));
    assert_eq!(with("channel.flit_time=3").points[0].experiment.machine.channel.flit_time, 3);
}
