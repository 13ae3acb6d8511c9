//! Traces of a chip made by hand, as its makers write them, and scenarios that run them.

use crate::cli::{Bench, csv_rows};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A line of a table, by the names of its columns.
pub(crate) type Line = BTreeMap<String, String>;

/// A place on the chip.
pub(crate) type Place = [usize; 2];

/// Time 0 of these traces: more than 32 bits.
pub(crate) const BEGIN: u64 = 5_000_000_000;

/// What a processor of a core does, in order.
#[derive(Clone)]
pub(crate) struct Doing {
    core: Place,
    noc: u64,
    events: Vec<Value>,
}

impl Doing {
    /// The processor of `core` that uses network `noc`, whose kernel begins at time 0.
    pub(crate) fn new(core: Place, noc: u64) -> Self {
        let name = name(noc);
        let zone = format!("{name}-KERNEL");
        let begin = json!({
            "proc": name, "zone": zone, "zone_phase": "begin", "sx": core[0], "sy": core[1], "timestamp": BEGIN,
        });
        Self { core, noc, events: vec![begin] }
    }

    /// An event of type `kind` with `fields` of its own.
    pub(crate) fn event(mut self, at: u64, kind: &str, fields: &Value) -> Self {
        let [x, y] = self.core;
        let mut event = json!({
            "proc": name(self.noc), "noc": format!("NOC_{}", self.noc), "vc": -1, "sx": x, "sy": y, "dx": -1, "dy": -1,
            "num_bytes": 0, "type": kind, "timestamp": BEGIN + at,
        });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.events.push(event);
        self
    }

    fn to(self, at: u64, kind: &str, place: Place, bytes: u64) -> Self {
        let [x, y] = place;
        self.event(at, kind, &json!({ "dx": x, "dy": y, "num_bytes": bytes }))
    }

    /// It reads so many bytes of `from`.
    pub(crate) fn read(self, at: u64, from: Place, bytes: u64) -> Self {
        self.to(at, "READ", from, bytes)
    }

    /// It writes so many bytes to `place`.
    pub(crate) fn write(self, at: u64, place: Place, bytes: u64) -> Self {
        self.to(at, "WRITE_", place, bytes)
    }

    /// It increments a semaphore of `place`.
    pub(crate) fn increment(self, at: u64, place: Place) -> Self {
        self.to(at, "SEMAPHORE_INC", place, 0)
    }

    /// It does something that goes nowhere.
    pub(crate) fn plain(self, at: u64, kind: &str) -> Self {
        self.event(at, kind, &json!({}))
    }

    /// It waits for its reads from `at` until `end`.
    pub(crate) fn barrier(self, at: u64, end: u64) -> Self {
        self.plain(at, "READ_BARRIER_START").plain(end, "READ_BARRIER_END")
    }

    /// It waits for the acknowledgements of its writes.
    pub(crate) fn write_barrier(self, at: u64, end: u64) -> Self {
        self.plain(at, "WRITE_BARRIER_START").plain(end, "WRITE_BARRIER_END")
    }
}

fn name(noc: u64) -> &'static str {
    ["NCRISC", "BRISC"][usize::from(noc == 1)]
}

/// The text of the trace of all of these.
pub(crate) fn trace(all: &[Doing]) -> String {
    Value::from_iter(all.iter().flat_map(|doing| doing.events.clone())).to_string()
}

/// One read, and a barrier behind it.
pub(crate) fn one_read(core: Place, noc: u64, from: Place, bytes: u64) -> Doing {
    Doing::new(core, noc).read(240, from, bytes).barrier(260, 700)
}

/// A scenario of the trace in `t.json` with `keys` of its table, and other `tables`.
pub(crate) fn scenario(keys: &str, tables: &str) -> String {
    format!(
        "name = \"s\"\ntick = \"1ns\"\n[network.torus]\nshape = [10, 12]\ndirections = \"one-way\"\n\
         [workload.noc-trace]\nfile = \"t.json\"\n{keys}\n{tables}\n"
    )
}

/// A folder with a scenario, and a trace in `t.json`.
pub(crate) fn bench(all: &[Doing], keys: &str, tables: &str) -> Bench {
    let bench = Bench::new(&scenario(keys, tables));
    std::fs::write(bench.path("t.json"), trace(all)).unwrap();
    bench
}

/// The tables of a run.
pub(crate) struct Ran {
    /// The folder.
    pub(crate) bench: Bench,
}

impl Ran {
    /// What is in `bench`, run.
    pub(crate) fn new(bench: Bench) -> Self {
        bench.ok(&["run", "s.toml", "--quiet"]);
        Self { bench }
    }

    /// The lines of a table.
    pub(crate) fn table(&self, name: &str) -> Vec<Line> {
        csv_rows(&std::fs::read_to_string(self.bench.path("results/s").join(name)).unwrap())
    }

    /// The only row.
    pub(crate) fn row(&self) -> Line {
        let [row] = &self.table("rows.csv")[..] else { panic!("a row is run") };
        row.clone()
    }

    /// How long it took.
    pub(crate) fn measured(&self) -> u64 {
        number(&self.row(), "measured")
    }
}

/// Runs these with `keys` of the workload and other `tables`.
pub(crate) fn run(all: &[Doing], keys: &str, tables: &str) -> Ran {
    Ran::new(bench(all, keys, tables))
}

/// The number in a column.
pub(crate) fn number(line: &Line, column: &str) -> u64 {
    line[column].parse().unwrap_or_else(|_| panic!("{column} of {line:?} is no number"))
}
