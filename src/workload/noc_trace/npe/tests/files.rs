//! Traces in files: packed, broken, and as chips have recorded them.

use super::super::read;
use super::{AT, SHAPE, array, begin, typed};
use crate::config::{Document, Errors, Files, Reader};
use crate::memory::Limit;
use crate::units::Key;
use crate::workload::noc_trace::event::{Event, Tile, Trace, What};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FILE: Key = Key::file("file");
static KEYS: &[Key] = &[FILE];

/// The trace in the file `name` of `folder`, or what is wrong as `file:line: message`.
fn traced(folder: &Path, name: &str, limit: Option<Limit>) -> Result<Arc<Trace>, Vec<String>> {
    let document = Document::parse("s.toml", &format!("file = \"{name}\"\n")).unwrap();
    let mut sources = document.sources.clone();
    let errors = Errors::default();
    let trace = {
        let table = Reader::root(&document.root, KEYS, &errors);
        let mut files = Files::new(folder, &mut sources, limit);
        let named = table.string(&FILE).unwrap();
        let trace = read(&table, named, SHAPE, &mut files);
        assert_eq!(read(&table, named, SHAPE, &mut files), trace, "it is read once");
        trace
    };
    let told = errors.into_inner().into_iter().map(|wrong| {
        let place = wrong.place.unwrap();
        let source = &sources[place.source];
        let line = 1 + source.text[..place.span.start].matches('\n').count();
        format!("{}:{line}: {}", source.name.rsplit('/').next().unwrap(), wrong.message)
    });
    let told: Vec<String> = told.collect();
    assert_eq!(trace.is_some(), told.is_empty());
    trace.ok_or(told)
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// What is wrong with the file, of these bytes.
fn wrong(bytes: &[u8], limit: Option<Limit>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.json.gz"), bytes).unwrap();
    traced(folder.path(), "t.json.gz", limit).unwrap_err()
}

#[test]
fn packed_and_plain_files_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = array(&[begin(100), typed(200, "READ", AT)]);
    std::fs::write(folder.path().join("plain"), format!("\u{feff}{text}")).unwrap();
    std::fs::write(folder.path().join("packed"), packed(&text)).unwrap();
    std::fs::write(folder.path().join("parts"), [packed(&text[..50]), packed(&text[50..])].concat()).unwrap();
    let plain = traced(folder.path(), "plain", None).unwrap();
    assert_eq!(plain.length, 100);
    assert_eq!(traced(folder.path(), "packed", None), Ok(plain.clone()));
    assert_eq!(traced(folder.path(), "parts", None), Ok(plain));
}

#[test]
fn what_is_wrong_in_a_packed_file_has_its_line() {
    let text = array(&[begin(100), typed(200, "REED", AT), typed(300, "READ", "")]);
    assert_eq!(
        wrong(&packed(&text), None),
        [
            "t.json.gz:3: event 2: `type` cannot be \"REED\"",
            "t.json.gz:4: event 3: `dx` is missing",
            "t.json.gz:4: event 3: `dy` is missing",
            "t.json.gz:4: event 3: `num_bytes` is missing",
        ]
    );
}

#[test]
fn files_that_cannot_be_unpacked_are_told() {
    let text = array(&[begin(100)]);
    let whole = packed(&text);
    let cut = wrong(&whole[..whole.len() - 9], None);
    assert_eq!(cut.len(), 1);
    let begins = "s.toml:1: cannot read `t.json.gz`: it begins like a gzip or bzip2 file, but cannot be unpacked: ";
    assert!(cut[0].starts_with(begins), "{cut:?}");
    assert_eq!(wrong(b"\x1f\x8b", None).len(), 1);
    let latin = wrong(b"[\"\xe9\"]", None);
    assert_eq!(latin, ["t.json.gz:1: the byte 0xe9 is not UTF-8 text; in Latin-1 it is `é`"]);
}

#[test]
fn a_small_file_that_is_large_unpacked_is_refused() {
    let large = packed(&" ".repeat(10_000_000));
    let told = wrong(&large, Some(Limit::available(6_000_000)));
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("s.toml:1: reading `t.json.gz` needs "), "{told:?}");
}

/// The folder with the recorded traces and what is known of them.
fn silicon() -> PathBuf {
    std::env::var_os("FLITWISE_SILICON")
        .expect("FLITWISE_SILICON names a folder with NAME.json.gz, measured.csv")
        .into()
}

/// The rows of a table, with its columns by name.
fn rows(name: &str) -> Vec<impl Fn(&str) -> String> {
    let mut table = csv::Reader::from_path(silicon().join(name)).unwrap();
    let header = table.headers().unwrap().clone();
    let rows = table.records().map(move |row| {
        let header = header.clone();
        let row = row.unwrap();
        move |column: &str| row[header.iter().position(|name| name == column).unwrap()].to_owned()
    });
    rows.collect()
}

#[test]
#[ignore = "reads recorded traces: FLITWISE_SILICON names their folder"]
fn recorded_traces_have_the_events_that_are_known() {
    for row in rows("measured.csv") {
        let name = format!("{}.json.gz", row("trace"));
        if !silicon().join(&name).exists() {
            continue;
        }
        let trace = traced(&silicon(), &name, None).unwrap();
        let reads: Vec<&Event> = trace.events().filter(|event| matches!(event.what, What::Read { .. })).collect();
        let cores: BTreeSet<_> = reads.iter().map(|read| read.core).collect();
        let processors: BTreeSet<_> = reads.iter().map(|read| read.processor).collect();
        let networks: BTreeSet<_> = reads.iter().map(|read| read.network.to_string()).collect();
        let networks: Vec<String> = networks.into_iter().collect();
        let bytes: u64 = reads.iter().map(|read| size(read)).sum();
        let barriers = barriers(&trace).len();
        let counts = [cores.len(), processors.len(), reads.len(), barriers].map(|count| count.to_string());
        let known = ["cores", "processors", "reads", "barriers"].map(&row);
        assert_eq!((counts, networks.join("+")), (known, row("nocs")), "{name}");
        assert_eq!([bytes, trace.length].map(|sum| sum.to_string()), ["bytes", "length"].map(&row), "{name}");
    }
}

#[test]
#[ignore = "reads recorded traces: FLITWISE_SILICON names their folder"]
fn recorded_barriers_stand_where_they_are_known_to() {
    let mut known = BTreeMap::<String, Vec<[String; 8]>>::new();
    for row in rows("barriers.csv") {
        let columns = ["x", "y", "proc", "noc", "index", "reads", "start", "end"].map(&row);
        known.entry(row("trace")).or_default().push(columns);
    }
    let mut read = 0;
    for (name, known) in known {
        let name = format!("{name}.json.gz");
        if silicon().join(&name).exists() {
            read += 1;
            let trace = traced(&silicon(), &name, None).unwrap();
            let found = barriers(&trace);
            assert!(found == known.into_iter().collect(), "{name}: {found:?}");
        }
    }
    assert!(read > 40, "{read}");
}

fn size(event: &Event) -> u64 {
    match event.what {
        What::Read { bytes, .. } => bytes,
        _ => 0,
    }
}

/// The barriers: x, y, proc, noc, index, reads, start, end.
fn barriers(trace: &Trace) -> BTreeSet<[String; 8]> {
    let mut found = BTreeSet::new();
    for processor in &trace.processors {
        let mut index = 0;
        let mut reads = 0;
        for pair in processor.events.windows(2) {
            let start = pair[0];
            match start.what {
                What::Read { .. } => reads += 1,
                What::ReadBarrierStart => {
                    assert_eq!(pair[1].what, What::ReadBarrierEnd);
                    let Tile { x, y } = start.core;
                    let told = [x.to_string(), y.to_string(), processor.name.to_owned()];
                    let network = format!("NOC_{}", start.network);
                    let counted = [index, reads, start.time, pair[1].time].map(|number| number.to_string());
                    let row: Vec<String> = told.into_iter().chain([network]).chain(counted).collect();
                    found.insert(row.try_into().unwrap());
                    index += 1;
                    reads = 0;
                }
                _ => {}
            }
        }
    }
    found
}
