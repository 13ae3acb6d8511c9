//! The tables of NoC traces against the plain simulation of the chip that `flitwise selftest` holds the engine against.
//!
//! `FLITWISE_SILICON=FOLDER cargo test --release noc_differential -- --ignored --nocapture` compares on traces recorded on a
//! chip, `FOLDER/NAME.json.gz`.

use crate::noc_traces;
use flate2::read::GzDecoder;
use flitwise::selftest::reference::chip::{
    Action, BarrierTimes, Device, Issue, Outcome, Processor, ReadTimes, Tile, simulate,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;

/// A row of a table, by the names of its columns.
type Row = BTreeMap<String, String>;

/// What a table should say of a read or a barrier, and when that was.
struct Expected {
    at: u64,
    row: Row,
}

/// The tables of a run, or what they should be.
struct Tables<T> {
    rows: Vec<T>,
    reads: Vec<T>,
    barriers: Vec<T>,
}

fn cells<const N: usize>(cells: [(&str, String); N]) -> Row {
    cells.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// How much longer than on the chip.
fn error(simulated: u64, chip: u64) -> String {
    let float = |time| f64::from(u32::try_from(time).unwrap());
    (float(simulated) / float(chip) - 1.0).to_string()
}

fn of_processor(processor: &Processor, index: usize, network: usize) -> Row {
    let Processor { tile, name, .. } = processor;
    cells([
        ("x", tile.x.to_string()),
        ("y", tile.y.to_string()),
        ("proc", (*name).to_owned()),
        ("noc", noc_traces::noc(network).to_owned()),
        ("index", index.to_string()),
    ])
}

fn expected(issue: Issue, trace: &[Processor], outcome: &Outcome) -> Tables<Expected> {
    let mut tables = Tables { rows: vec![row(issue, trace, outcome)], reads: Vec::new(), barriers: Vec::new() };
    for (number, processor) in trace.iter().enumerate() {
        let first_read = tables.reads.len();
        reads(processor, outcome, &mut tables.reads);
        barriers(processor, &outcome.reads[first_read..], &outcome.barriers[number], &mut tables.barriers);
    }
    tables
}

fn row(issue: Issue, trace: &[Processor], outcome: &Outcome) -> Expected {
    let cores: BTreeSet<Tile> = trace.iter().map(|processor| processor.tile).collect();
    let reads = trace.iter().flat_map(Processor::reads);
    let bytes = reads.map(|read| if let Action::Read { bytes, .. } = read.action { bytes } else { 0 });
    let end = |processor: &Processor| match processor.events.last().unwrap().action {
        Action::Barrier { end } => end,
        Action::Read { .. } => panic!("traces end with barriers"),
    };
    let chip = trace.iter().map(end).max().unwrap();
    let row = cells([
        ("trace", "t.json".to_owned()),
        ("issue", name(issue).to_owned()),
        ("cores", cores.len().to_string()),
        ("reads", outcome.reads.len().to_string()),
        ("bytes", bytes.sum::<u64>().to_string()),
        ("chip", chip.to_string()),
        ("measured", outcome.length().to_string()),
        ("error", error(outcome.length(), chip)),
    ]);
    Expected { at: outcome.length(), row }
}

fn reads(processor: &Processor, outcome: &Outcome, expected: &mut Vec<Expected>) {
    for (index, event) in processor.reads().enumerate() {
        let Action::Read { from, bytes } = event.action else { panic!("only reads are asked for") };
        // so many reads come before it in the trace
        let times = outcome.reads[expected.len()];
        let mut row = cells([
            ("from_x", from.x.to_string()),
            ("from_y", from.y.to_string()),
            ("bytes", bytes.to_string()),
            ("issued", times.issued.to_string()),
            ("requested", times.requested.to_string()),
            ("answered", times.answered.to_string()),
            ("done", times.done.to_string()),
            ("hops", times.hops.to_string()),
        ]);
        row.extend(of_processor(processor, index, event.network));
        expected.push(Expected { at: times.done, row });
    }
}

/// The barriers that follow reads.
fn barriers(processor: &Processor, mut reads: &[ReadTimes], times: &[BarrierTimes], expected: &mut Vec<Expected>) {
    let mut index = 0;
    let mut count = 0;
    let mut last_read = 0;
    let mut chip_last_read = 0;
    for event in &processor.events {
        let Action::Barrier { end: chip_end } = event.action else {
            count += 1;
            last_read = reads[0].issued;
            chip_last_read = event.at;
            reads = &reads[1..];
            continue;
        };
        let end = times[index].end;
        if count > 0 {
            let mut row = cells([
                ("trace", "t.json".to_owned()),
                ("reads", count.to_string()),
                ("last_read", last_read.to_string()),
                ("end", end.to_string()),
                ("wait", (end - last_read).to_string()),
                ("chip_last_read", chip_last_read.to_string()),
                ("chip_end", chip_end.to_string()),
                ("chip_wait", (chip_end - chip_last_read).to_string()),
                ("error", error(end - last_read, chip_end - chip_last_read)),
            ]);
            row.extend(of_processor(processor, index, event.network));
            expected.push(Expected { at: end, row });
        }
        index += 1;
        count = 0;
    }
}

fn name(issue: Issue) -> &'static str {
    match issue {
        Issue::React => "react",
        Issue::Replay => "replay",
    }
}

/// The scenario of a trace on the chip that is known.
fn scenario(issue: Issue) -> String {
    format!(
        "name = \"s\"\ntick = \"1ns\"\n[network.torus]\nshape = [10, 12]\ndirections = \"one-way\"\n[workload.noc-trace]\n\
         file = \"t.json\"\nformat = \"npe\"\ndevice = \"wormhole-b0\"\nissue = {:?}\ncompare = true\ndetails = true\n",
        name(issue)
    )
}

fn table(folder: &Path, name: &str) -> Vec<Row> {
    let path = folder.join("results/s").join(name);
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

fn run(folder: &Path, scenario: &str, text: &str) -> Tables<Row> {
    fs::write(folder.join("s.toml"), scenario).unwrap();
    fs::write(folder.join("t.json"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
    let output = command.current_dir(folder).args(["run", "s.toml", "--quiet"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    Tables {
        rows: table(folder, "rows.csv"),
        reads: table(folder, "reads.csv"),
        barriers: table(folder, "barriers.csv"),
    }
}

/// Whether two cells say the same; parts of a whole are rounded in tables.
fn is_same(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() < 1e-4,
        _ => one == other,
    }
}

/// What tells the rows of a table apart.
fn key(row: &Row) -> Vec<&str> {
    ["x", "y", "proc", "index"].iter().filter_map(|&column| row.get(column)).map(String::as_str).collect()
}

/// The earliest thing that differs, in words.
fn difference(mut expected: Vec<Expected>, rows: &[Row]) -> Option<String> {
    if rows.len() != expected.len() {
        return Some(format!("{} rows for {}", rows.len(), expected.len()));
    }
    expected.sort_by_key(|expected| expected.at);
    let differs = |Expected { row: wanted, .. }: &Expected| {
        let Some(row) = rows.iter().find(|row| key(wanted) == key(row)) else {
            return Some(format!("no row for {wanted:?}"));
        };
        let column = wanted.keys().find(|&name| !row.get(name).is_some_and(|cell| is_same(cell, &wanted[name])))?;
        Some(format!("{column} of {:?} is {:?}\n got {row:?}\nwant {wanted:?}", key(wanted), row.get(column)))
    };
    let differing: Vec<String> = expected.iter().filter_map(differs).collect();
    differing.first().map(|first| format!("{} of {} rows differ, first {first}", differing.len(), rows.len()))
}

/// That both agree on everything; what the reference says.
fn agrees(what: &str, issue: Issue, trace: &[Processor], text: &str) -> Outcome {
    let outcome = simulate(&Device::default(), issue, trace).unwrap_or_else(|stuck| panic!("{what}: {stuck:?}"));
    let folder = tempfile::tempdir().unwrap();
    let got = run(folder.path(), &scenario(issue), text);
    let expected = expected(issue, trace, &outcome);
    let reads = difference(expected.reads, &got.reads);
    let barriers = difference(expected.barriers, &got.barriers);
    let rows = difference(expected.rows, &got.rows);
    let tables = [("reads.csv", reads), ("barriers.csv", barriers), ("rows.csv", rows)];
    for (table, difference) in tables {
        if let Some(difference) = difference {
            panic!("{what}, {}: {table}: {difference}\nthe files are in {:?}", name(issue), folder.keep());
        }
    }
    outcome
}

/// The trace that `flitwise new noc-trace` gives.
const FOUR_CORES: &str = include_str!("../../src/workload/noc_trace/four-cores.json");

/// All tables of the command; random traces are the area `chips` of `flitwise selftest`.
#[test]
fn the_tables_of_the_template_are_those_of_the_plain_simulation() {
    for issue in [Issue::React, Issue::Replay] {
        let outcome = agrees("four cores", issue, &noc_traces::read(FOUR_CORES), FOUR_CORES);
        assert!(outcome.length() > 1000);
    }
}

/// The text of a packed trace.
fn recorded(folder: &Path, name: &str) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(folder.join(name)).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Every trace of `FLITWISE_SILICON`, and how far the simulated length is from the chip's.
#[test]
#[ignore = "the traces of the chip are not part of this project"]
#[expect(clippy::print_stdout, reason = "a test that is run by hand and read")]
fn traces_of_a_chip_run_the_same() {
    let folder = std::env::var("FLITWISE_SILICON").expect("FLITWISE_SILICON names a folder of traces");
    let folder = Path::new(&folder);
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".json.gz"));
    names.sort();
    for file in names {
        let text = recorded(folder, &file);
        let trace = noc_traces::read(&text);
        for issue in [Issue::React, Issue::Replay] {
            let outcome = agrees(&file, issue, &trace, &text);
            let row = row(issue, &trace, &outcome).row;
            println!("{file} {} chip {} measured {} error {}", name(issue), row["chip"], row["measured"], row["error"]);
        }
    }
}
