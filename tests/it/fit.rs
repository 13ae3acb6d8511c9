//! Parameters from measurements: what is found again, what is said about it, what is refused.
//!
//! The files under `tests/data/fit` are made, not measured. One-way times of `osu_*` are 1.5 us + 0.1 ns m (3 us more
//! beyond 8192 bytes in `osu_latency_v7.txt`), gaps 0.25 us + 0.08 ns m. In `plogp.txt` L is 10 us, g 20 us + 10 ns m, os
//! 5 us + 3 ns m, or 6 us + 4 ns m. In `netgauge.txt` a message takes 3.8 us + 1 ns m (4 us more beyond 32769 bytes), the
//! gap is 1.2 us + 0.8 ns m, o_s 0.8 us + 0.1 ns m, o_r 1 us + 0.2 ns m.

use crate::cli::{Bench, csv_rows};
use crate::support::data_path;
use flitwise::costs::{ChannelCosts, NodeCosts};
use flitwise::model::{LogGops, Parameterised};
use flitwise::scenario::{Options, Scenario, Tick};
use flitwise::units::Flits;
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// What `fit` prints for files of `tests/data/fit` and other arguments, and what it says as TOML.
fn fit(arguments: &[&str]) -> (String, Table) {
    let bench = bench();
    let text = bench.ok(&[&["fit"], arguments].concat());
    let table = text.parse().unwrap();
    (text, table)
}

/// A folder with the files of `tests/data/fit`.
fn bench() -> Bench {
    let bench = Bench::new("");
    for entry in fs::read_dir(data_path("fit")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, bench.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    bench
}

/// What is said on standard error of a file with this text.
fn refused(text: &str, arguments: &[&str]) -> String {
    let bench = bench();
    fs::write(bench.path("m.txt"), text).unwrap();
    bench.fails(2, &[&["fit", "m.txt"], arguments].concat())
}

/// The nanoseconds of a time with a unit.
fn nanoseconds(text: &str) -> f64 {
    Tick::parse(text).unwrap_or_else(|| panic!("{text} is not a time")).nanoseconds
}

/// The value of the dotted `key`.
fn value<'t>(table: &'t Table, key: &str) -> &'t Value {
    let (tables, last) = key.rsplit_once('.').unwrap();
    let inner = tables.split('.').fold(table, |table, name| table[name].as_table().unwrap());
    inner.get(last).unwrap_or_else(|| panic!("no {key} in {table}"))
}

/// Returns the ticks of the dotted `key`, with or without a unit. `channel.flit_time` may be a bandwidth.
fn ticks(table: &Table, key: &str) -> u64 {
    let tick = table.get("tick").map_or(1e-3, |tick| nanoseconds(tick.as_str().unwrap()));
    let channel = table["channel"].as_table().unwrap();
    let time = match channel.get("bandwidth").filter(|_| key == "channel.flit_time") {
        Some(bandwidth) => {
            let bandwidth = bandwidth.as_str().unwrap();
            let units = [("TB/s", 1e3), ("GB/s", 1.0), ("MB/s", 1e-3)];
            let per_nanosecond = units.iter().find_map(|(unit, scale)| Some((bandwidth.strip_suffix(unit)?, scale)));
            let (number, scale) = per_nanosecond.unwrap();
            channel["flit_bytes"].as_integer().unwrap() as f64 / (number.parse::<f64>().unwrap() * scale)
        }
        None => match value(table, key) {
            Value::Integer(number) => return u64::try_from(*number).unwrap(),
            value => nanoseconds(value.as_str().unwrap()),
        },
    };
    let ticks = time / tick;
    assert!((ticks - ticks.round()).abs() < 1e-6 * ticks, "{key} is {ticks} ticks");
    format!("{ticks:.0}").parse().unwrap()
}

#[track_caller]
fn assert_near(table: &Table, expected: &[(&str, f64)]) {
    for &(key, expected) in expected {
        let found = ticks(table, key) as f64;
        assert!((found - expected).abs() <= 0.01 * expected, "{key} = {found}, not {expected}");
    }
}

fn data(name: &str) -> String {
    fs::read_to_string(data_path("fit").join(name)).unwrap()
}

const END: [(&str, f64); 4] = [
    ("model.parameterised.t_end", 1.5e6),
    ("model.parameterised.t_end_per_flit", 100.0),
    ("model.loggops.L", 1.5e6),
    ("model.logp.L", 1.5e6),
];
const HOLD: [(&str, f64); 3] =
    [("node.hold_setup", 250_000.0), ("node.hold_per_byte", 80.0), ("channel.flit_time", 80.0)];

#[test]
fn latencies_of_every_variant_are_found_again() {
    for file in ["osu_latency_v5.txt", "osu_latency_log.txt"] {
        let (text, table) = fit(&[file]);
        assert_near(&table, &END);
        assert_near(&table, &[("model.loggops.G", 100.0), ("channel.flit_time", 100.0), ("model.logp.g", 1.5e6)]);
        assert_eq!((ticks(&table, "model.logp.o"), ticks(&table, "model.loggops.S")), (0, i64::MAX as u64));
        assert!(text.contains("t_hold is not in these files and is set to t_end") && text.contains("o = 0"), "{text}");
    }
}

#[test]
fn bandwidths_of_every_variant_are_found_again() {
    for file in ["osu_bw_v5.txt", "osu_bw_v7.txt", "osu_mbw_mr.txt"] {
        let (text, table) = fit(&[file]);
        assert_near(&table, &HOLD);
        assert!(!table.contains_key("model") && !text.contains("send_setup ="), "{text}");
        assert!(text.contains("No [model.*]"), "{text}");
        assert_eq!(text.contains("divided evenly among 4 pairs"), file == "osu_mbw_mr.txt");
    }
}

#[test]
fn a_latency_and_a_bandwidth_complement_each_other_in_either_order() {
    for files in [["osu_latency_v5.txt", "osu_bw_v7.txt"], ["osu_bw_v7.txt", "osu_latency_v5.txt"]] {
        let (text, table) = fit(&files);
        assert_near(&table, &END);
        assert_near(&table, &HOLD);
        assert_near(&table, &[("model.parameterised.t_hold", 250_000.0), ("model.loggops.G", 80.0)]);
        assert_near(&table, &[("node.send_setup", 1.5e6), ("model.logp.g", 250_000.0)]);
        assert!(text.contains("a byte of a long message adds 100 ps to t_end, but 80 ps under LogGOPS"), "{text}");
    }
}

#[test]
fn a_handshake_does_not_spoil_the_parameters() {
    let (text, table) = fit(&["osu_latency_v7.txt"]);
    assert_near(&table, &[("model.loggops.L", 1.5e6), ("model.logp.L", 1.5e6), ("model.loggops.G", 100.0)]);
    assert_eq!(value(&table, "model.loggops.S").as_str(), Some("8KiB"));
    assert!(
        text.contains("a change after 8192 bytes") && text.contains("changes by +200 %, as with a rendezvous"),
        "{text}"
    );
    assert!(text.contains("messages longer than S takes 3.002 us more"), "{text}");
    // what has no handshake gets one line, near for small messages
    let constant = ticks(&table, "model.parameterised.t_end");
    assert!((1_450_000..1_550_000).contains(&constant), "{constant}");
    // either side by itself
    let (_, table) = fit(&["osu_latency_v7.txt", "--to", "8192"]);
    assert_near(&table, &END);
    let (text, table) = fit(&["osu_latency_v7.txt", "--from", "8193"]);
    assert_near(&table, &[("model.parameterised.t_end", 4.5e6), ("model.parameterised.t_end_per_flit", 100.0)]);
    assert!(text.contains("the size 1 is outside --from and --to") && text.contains("and 4 more"), "{text}");
}

#[test]
fn parameterised_logp_is_found_again() {
    let (text, table) = fit(&["plogp.txt"]);
    assert_near(&table, &[("model.parameterised.t_hold", 20e6), ("model.parameterised.t_hold_per_flit", 10e3)]);
    assert_near(&table, &[("model.parameterised.t_end", 30e6), ("model.parameterised.t_end_per_flit", 10e3)]);
    assert_near(&table, &[("node.receive_setup", 6e6), ("node.send_per_byte", 3e3), ("node.receive_per_byte", 4e3)]);
    assert_near(&table, &[("model.loggops.o", 5.5e6), ("model.loggops.L", 19e6), ("model.loggops.g", 20e6)]);
    assert_near(&table, &[("model.loggops.G", 10e3), ("model.loggops.O", 3.5e3), ("channel.flit_time", 3e3)]);
    assert!(text.contains("\n# t_send = \"4.99404us\"\n") && text.contains("\n# t_net_per_flit = \""), "{text}");
}

#[test]
fn netgauges_loggp_is_found_again() {
    let (text, table) = fit(&["netgauge.txt"]);
    assert_near(&table, &[("model.loggops.o", 0.9e6), ("model.loggops.L", 2e6), ("model.loggops.g", 1.2e6)]);
    assert_near(&table, &[("model.loggops.G", 800.0), ("model.loggops.O", 150.0)]);
    assert_eq!(ticks(&table, "model.loggops.S"), 32769);
    assert!(text.contains("line 42 skipped: repeats the row of size 37889"), "{text}");
    assert!(text.contains("65 rows used (lines 4-41, 43-69)"), "{text}");
}

#[test]
fn models_and_nodes_of_the_output_give_the_measured_times() {
    let (_, table) = fit(&["plogp.txt"]);
    let [latency, overhead, gap] = ["L", "o", "g"].map(|key| ticks(&table, &format!("model.loggops.{key}")));
    let [gap_per_byte, overhead_per_byte, eager] =
        ["G", "O", "S"].map(|key| ticks(&table, &format!("model.loggops.{key}")));
    let loggops = LogGops { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager };
    let node = |key: &str| ticks(&table, &format!("node.{key}"));
    let costs = NodeCosts::default()
        .sending(node("send_setup"), node("send_per_byte"))
        .holding(node("hold_setup"), node("hold_per_byte"))
        .receiving(node("receive_setup"), node("receive_per_byte"));
    let channel = ChannelCosts { flit_time: ticks(&table, "channel.flit_time"), ..ChannelCosts::default() };
    for bytes in [2, 1024, 65536, 1 << 20] {
        for times in [loggops.parts(bytes).times(), Parameterised::derived(&costs, channel, Flits(bytes))] {
            let (hold, end) = (20e6 + 10e3 * bytes as f64, 30e6 + 10e3 * bytes as f64);
            assert!((times.t_hold.0 as f64 / hold - 1.0).abs() < 0.01, "{bytes}: {times:?}");
            assert!((times.t_end.0 as f64 / end - 1.0).abs() < 0.01, "{bytes}: {times:?}");
        }
    }
}

#[test]
fn overheads_that_overlap_the_transfer_leave_t_end_as_measured() {
    // a blocking send that takes as long as the transfer: os = g, or = g
    let mut text = "# Latency = 0.0000100\n".to_owned();
    for bytes in [0, 1, 1024, 65536] {
        let g = 20e-6 + 1e-8 * f64::from(bytes);
        text += &format!("1 {bytes} {g:.7} 0 0 {g:.7} 0 0 {g:.7}\n");
    }
    let bench = bench();
    fs::write(bench.path("m.txt"), text).unwrap();
    let text = bench.ok(&["fit", "m.txt"]);
    let table: Table = text.parse().unwrap();
    assert!(text.contains("the constants of t_send and t_recv add up to more") && text.contains("the slopes of"));
    assert_near(&table, &[("node.send_setup", 15e6), ("node.receive_setup", 15e6), ("channel.flit_time", 10e3)]);
    assert_near(&table, &[("model.logp.o", 15e6), ("model.parameterised.t_end", 30e6)]);
    // the file has seven decimals
    assert!(ticks(&table, "model.logp.L") == 0 && ticks(&table, "node.send_per_byte") <= 2, "{table}");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    for file in ["osu_latency_v7.txt", "osu_bw_v7.txt", "plogp.txt", "netgauge.txt"] {
        let bench = bench();
        let plain = bench.ok(&["fit", file]);
        fs::write(bench.path(file), format!("\u{feff}{}", data(file).replace('\n', "\r\n"))).unwrap();
        assert_eq!(bench.ok(&["fit", file]), plain, "{file}");
    }
}

#[test]
fn a_log_says_which_lines_were_not_used_and_why() {
    let (text, _) = fit(&["osu_latency_log.txt"]);
    assert!(text.contains("22 rows used (lines 7-12, 14-29)"), "{text}");
    for line in ["line 2 skipped: not a row: `Rank 0 bound to socket 0`", "line 13 skipped: it failed its validation"] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn rounding_to_ticks_is_told_where_it_hurts() {
    let files = ["osu_latency_v5.txt", "osu_bw_v5.txt"];
    let (text, table) = fit(&[&files[..], &["--tick", "1ns", "--flit-bytes", "64"]].concat());
    assert_eq!(table["tick"].as_str(), Some("1ns"));
    assert_near(&table, &[("node.send_setup", 1500.0), ("model.logp.L", 1500.0)]);
    // 64 bytes take 5.12 ns of a channel, a byte 0.08 ns
    assert_eq!((ticks(&table, "channel.flit_time"), value(&table, "model.loggops.G").as_str()), (5, Some("0ps")));
    assert_eq!(value(&table, "node.hold_per_byte").as_str(), Some("78.125ps"));
    let warned = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().contains("due to rounding");
    assert!(warned("bandwidth") && warned("G ") && !warned("send_setup") && !warned("hold_setup"), "{text}");
    assert!(text.contains("bandwidth = \"12.8GB/s\"  # a flit takes 5.12 ns, -2.3"), "{text}");
    let (text, table) = fit(&[&files[..], &["--tick", "1ns"]].concat());
    assert_eq!(ticks(&table, "channel.flit_time"), 1);
    assert!(text.contains("bandwidth = \"1GB/s\"  # a flit takes 80 ps, +1150 %"), "{text}");
}

#[test]
fn values_have_units_and_a_tick_only_if_it_is_not_the_default() {
    let (text, table) = fit(&["osu_latency_v5.txt", "osu_bw_v5.txt"]);
    for line in
        ["send_setup = \"1.49948us\"\n", "receive_setup = 0\n", "send_per_byte = \"20ps\"\n", "flit_bytes = 1\n"]
    {
        assert!(text.contains(line), "{text}");
    }
    assert!(!table.contains_key("tick") && text.contains("bandwidth = \"12.5GB/s\"\n"), "{text}");
    let (text, table) = fit(&["plogp.txt", "--tick", "10ps", "--flit-bytes", "64"]);
    assert_eq!(table["tick"].as_str(), Some("10ps"));
    assert!(text.contains("flit_bytes = 64\nflit_time = \"191.92ns\"  # 0.333472 GB/s\n"), "{text}");
}

#[test]
fn residuals_of_each_size_are_in_a_table() {
    let rows = |text: &str| -> Vec<String> {
        let table = text.lines().skip_while(|line| !line.starts_with("# Measured and fitted times"));
        let table = table.skip_while(|line| !line.contains(" size ")).skip(1).take_while(|line| *line != "#");
        table.map(|line| line[1..].trim().to_owned()).collect()
    };
    let (text, _) = fit(&["osu_latency_v5.txt", "osu_bw_v5.txt"]);
    let found = rows(&text);
    assert_eq!((found.len(), found[0].as_str()), (24, "0 B  1.500 us  1.499 us   -0.03 %"), "{text}");
    assert_eq!(found[9], "256 B  1.530 us  1.525 us   -0.32 %  270.5 ns  270.5 ns    0.00 %");
    // two lines, and the residuals of the one line
    let (text, _) = fit(&["osu_latency_v7.txt"]);
    assert_eq!(rows(&text)[14], "16 KiB  6.140 us  6.140 us    0.00 %  -45.20 %", "{text}");
    let (text, _) = fit(&["netgauge.txt"]);
    assert!(text.contains("times of every 3rd of 65 sizes;") && rows(&text).len() == 23, "{text}");
}

#[test]
fn a_fitted_machine_runs_with_sizes_in_bytes() {
    let bench = bench();
    let files = ["fit", "osu_latency_v5.txt", "osu_bw_v5.txt", "--model", "loggops"];
    for (flit_bytes, operation) in [("1", "multicast"), ("64", "multicast"), ("64", "allreduce")] {
        let text = bench.ok(&[&files[..], &["--flit-bytes", flit_bytes]].concat());
        fs::write(bench.path("machine.toml"), &text).unwrap();
        let workload = match operation {
            "multicast" => "multicast = { algorithms = [\"chain\"], bytes = \"64KiB\", group = 2 }",
            _ => "collective = { operation = \"allreduce\", algorithms = [\"ring\"], bytes = \"64KiB\" }",
        };
        let scenario =
            format!("name = \"s\"\ninclude = \"machine.toml\"\nnetwork.torus.shape = [4, 4]\nworkload.{workload}\n");
        fs::write(bench.path("s.toml"), scenario).unwrap();
        let output = bench.call(&["run", "s.toml", "--force"]);
        let [shown, warnings] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(output.status.success() && warnings.is_empty(), "{warnings}");
        assert!(shown.contains(" 64 KiB, ") && shown.contains(" µs ") && shown.contains(" GB/s "), "{shown}");
        let rows = csv_rows(&fs::read_to_string(bench.path("results/s/rows.csv")).unwrap());
        let number = |column: &str| rows[0][column].parse::<u64>().unwrap();
        let bandwidth = |column: &str| rows[0][column].parse::<f64>().unwrap();
        assert!(number("bytes") == 65536 && bandwidth("busbw") >= bandwidth("algbw"), "{rows:?}");
        if operation == "multicast" {
            // one message: L + 2o, and G for each byte of the flits after the first
            let table: Table = text.parse().unwrap();
            let [latency, gap] = ["L", "G"].map(|key| ticks(&table, &format!("model.loggops.{key}")));
            assert_eq!(number("predicted"), latency + gap * (65536 - flit_bytes.parse::<u64>().unwrap()));
        }
    }
}

#[test]
fn the_tables_are_accepted_in_a_scenario() {
    const WORKLOAD: &str = "name = \"n\"\nnetwork.mesh.shape = [4, 4]\nworkload.multicast = { algorithms = \
                            [\"opt-tree\"], flits = 1024, group = 8 }\n";
    for files in [&["osu_bw_v5.txt"][..], &["osu_latency_v5.txt"], &["plogp.txt"], &["netgauge.txt"]] {
        let (_, mut table) = fit(files);
        let models = table.remove("model").map_or_else(Table::new, |models| models.try_into().unwrap());
        assert_eq!(models.len(), if files == ["osu_bw_v5.txt"] { 0 } else { 3 });
        let base = format!("{WORKLOAD}{table}");
        let with_models = models.iter().map(|(name, model)| format!("{base}\n[model]\n{name} = {model}"));
        for text in with_models.chain([base.clone()]) {
            if let Err(rejected) = Scenario::parse("s.toml", &text, Path::new(""), &Options::default()) {
                panic!("{text}\n{:?}", rejected.diagnostics);
            }
        }
    }
}

#[test]
fn nothing_is_negative_and_the_correction_is_told() {
    let mut text = "# Size   Latency (us)\n".to_owned();
    for (at, bytes) in [1, 2, 4, 8, 16].into_iter().enumerate() {
        text += &format!("{bytes} {}\n", 2.0 - 0.01 * at as f64);
    }
    let bench = bench();
    fs::write(bench.path("m.txt"), text).unwrap();
    let text = bench.ok(&["fit", "m.txt"]);
    let table: Table = text.parse().unwrap();
    assert_eq!(ticks(&table, "model.parameterised.t_end_per_flit"), 0);
    assert!(text.contains("the slope of t_end is set to 0, because the least-squares value is -"), "{text}");
    assert!(text.contains("without a title, the header is assumed to be that of osu_latency"), "{text}");
}

#[test]
fn a_format_can_be_forced_where_the_header_is_lost() {
    let whole = data("netgauge.txt");
    let rows = &whole[whole.find("\n1 ").unwrap() + 1..];
    assert!(refused(rows, &[]).contains("m.txt: unknown format; it starts with `1 10 "));
    let bench = bench();
    fs::write(bench.path("m.txt"), rows).unwrap();
    let table: Table = bench.ok(&["fit", "m.txt", "--format", "netgauge"]).parse().unwrap();
    assert_near(&table, &[("model.loggops.L", 2e6)]);
}

#[test]
fn wrong_files_are_refused_with_the_line_and_what_is_accepted() {
    const HEADER: &str = "# OSU MPI Latency Test v7.3\n# Size  Avg Latency(us)\n";
    let cases: &[(&str, &[&str])] = &[
        ("", &["m.txt: unknown format; it is empty", "accepted: OSU text"]),
        ("hello\n", &["it starts with `hello`", "help: "]),
        (HEADER, &["no row of OSU text can be used"]),
        (
            &format!("{HEADER}1 1.5\n2 x1.5\n"),
            &["--> m.txt:4:1", "| 2 x1.5\n", "`x1.5` is not a measured value", "accepted: a size"],
        ),
        (&format!("{HEADER}1 1,5\n"), &["`1,5` is not a measured value", "write a decimal point, not a decimal comma"]),
        (&format!("{HEADER}1 1.5\n2\n"), &["--> m.txt:4:1", "| 2\n", "a value is missing"]),
        (&format!("{HEADER}1 1.5\n12:30:01 done\n"), &["--> m.txt:4:1", "`12:30:01` is not a size in bytes"]),
        (&format!("{HEADER}1 1.5 ok\n"), &["--> m.txt:3:1", "`ok` is neither a number nor Pass or Fail"]),
        (&format!("{HEADER}1 nan\n"), &["`nan` is not a measured value"]),
        (&format!("{HEADER}1 -1\n"), &["`-1` is not a measured value"]),
        (&format!("{HEADER}8 1.5\n8 1.6\n"), &["t_end is measured only at a size of 8 bytes"]),
        (&format!("{HEADER}8 0.00\n"), &["no row", "line 3: its value at 8 bytes is zero"]),
        (
            &format!("{HEADER}1 1\n{HEADER}"),
            &["--> m.txt:4:1", "a second table starts here; the first one starts in line 1"],
        ),
        (
            &format!("{HEADER}1 1\n# Latency = 1\n"),
            &["--> m.txt:4:1", "Latency = 1\n", "second table", "one table per file"],
        ),
        ("# Size  Avg Latency(us)\n1 1.5\n", &["--> m.txt:1:1", "without a title"]),
        (
            "# OSU MPI Latency Test v7\n# Size  Bandwidth (MB/s)\n1 1\n",
            &["--> m.txt:2:1", "not the header of osu_latency"],
        ),
        (
            "# OSU MPI Multiple Bandwidth / Message Rate Test v7\n# [ pairs: 2 ] [ window size: varied ]\n",
            &["--> m.txt:2:1", "help: measure without -V"],
        ),
        (
            "# OSU MPI Bi-Directional Bandwidth Test v7.5\n",
            &["--> m.txt:1:1", "accepted: osu_latency, osu_bw, osu_mbw_mr"],
        ),
        ("# OSU MPI_Put Latency Test v7.5\n", &["--> m.txt:1:1"]),
        ("# LogP network performance data: x\n1 0 1 1 1 1 1 1 1\n", &["m.txt: the latency is missing"]),
        ("# Latency = x\n", &["--> m.txt:1:1", "| # Latency = x\n", "this is not a time in seconds"]),
        ("# Latency = 1e-6\n1 0 1 1 1 1 1 1\n", &["--> m.txt:2:1", "8 columns instead of 9", "accepted: nine columns"]),
        ("# Latency = 1e-6\n1 0 1 1 1 1 1 1 -1\n", &["--> m.txt:2:1", "`-1` is not a measured value"]),
        ("# size n PRTT(1,0,s)\n1 2 3\n", &["--> m.txt:2:1", "| 1 2 3\n", "3 columns instead of 11"]),
        ("# size n PRTT(1,0,s)\n1 1 3 4 5 6 7 8 9 10 11\n", &["--> m.txt:2:1", "one message has no gap"]),
    ];
    for (text, expected) in cases {
        let said = refused(text, &[]);
        for part in *expected {
            assert!(said.contains(part), "{text}\n{said}");
        }
    }
}

#[test]
fn files_that_do_not_go_together_are_refused() {
    let bench = bench();
    let same = |files: &[&str]| bench.fails(2, &[&["fit"], files].concat());
    let said = same(&["osu_latency_v5.txt", "osu_latency_v7.txt"]);
    assert!(said.contains("osu_latency_v5.txt and osu_latency_v7.txt both measure t_end"), "{said}");
    assert!(same(&["osu_bw_v5.txt", "osu_mbw_mr.txt"]).contains("both measure t_hold"));
    assert!(same(&["plogp.txt", "osu_bw_v5.txt"]).contains("help: fit them separately"));
    assert!(same(&["osu_latency_v5.txt", "osu_bcast.txt"]).contains("osu_bcast.txt:2:"));
}

#[test]
fn exit_codes_of_usage_and_unreadable_files_are_the_documented_ones() {
    let bench = bench();
    assert!(bench.fails(3, &["fit", "nowhere.txt"]).contains("cannot read the measurements nowhere.txt"));
    bench.fails(2, &["fit"]);
    assert!(bench.fails(2, &["fit", "plogp.txt", "--tick", "1 hour"]).contains("a number above 0 with a unit"));
    bench.fails(2, &["fit", "plogp.txt", "--flit-bytes", "0"]);
    let said = bench.fails(2, &["fit", "plogp.txt", "--tick", "0.000001ps"]);
    assert!(said.contains("too many ticks of 0.000001ps") && said.contains("accepted: at most"), "{said}");
}
