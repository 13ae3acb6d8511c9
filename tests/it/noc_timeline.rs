//! The timeline of a trace of a chip: what it says of transfers, ways and links is what the tables of the same run say.

use crate::cli::Bench;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// Columns and rows of the chip.
const WIDTH: u64 = 10;
const HEIGHT: u64 = 12;

type Row = BTreeMap<String, String>;

/// A run of a trace in a folder of its own.
struct Traced {
    bench: Bench,
    timeline: Value,
}

impl Traced {
    /// The trace of the template; or another one, of which `events` are the events.
    fn new(events: Option<&Value>) -> Self {
        let bench = Bench::new("");
        bench.ok(&["new", "noc-trace", "--out", "."]);
        if let Some(events) = events {
            fs::write(bench.path("four-cores.json"), events.to_string()).unwrap();
        }
        bench.ok(&["run", "noc-trace.toml", "--quiet"]);
        let timeline = serde_json::from_str(&bench.ok(&["schedule", "noc-trace.toml", "--format", "npe"])).unwrap();
        Self { bench, timeline }
    }

    fn table(&self, name: &str) -> Vec<Row> {
        let folder = fs::read_dir(self.bench.path("results")).unwrap().next().unwrap().unwrap().path();
        csv::Reader::from_path(folder.join(name)).unwrap().deserialize().map(Result::unwrap).collect()
    }

    fn transfers(&self) -> &[Value] {
        self.timeline["noc_transfers"].as_array().unwrap()
    }

    /// The last event of the run.
    fn length(&self) -> u64 {
        number(&self.table("rows.csv")[0], "measured")
    }

    /// The flits of each link as its percents say them, over all steps.
    fn flits(&self) -> BTreeMap<String, f64> {
        let mut flits = BTreeMap::new();
        for step in self.timeline["timestep_data"].as_array().unwrap() {
            let cycles = step["end_cycle"].as_f64().unwrap() - step["start_cycle"].as_f64().unwrap();
            for link in step["link_demand"].as_array().unwrap() {
                let [chip, row, column, name, percent] = &link.as_array().unwrap()[..] else { panic!("{link}") };
                assert_eq!(*chip, 0);
                let name = format!("{column} {row} {}", name.as_str().unwrap());
                *flits.entry(name).or_insert(0.0) += percent.as_f64().unwrap() * cycles / 100.0;
            }
        }
        flits
    }

    /// That ways lead from sources to goals, times are within the run, and links are as busy as `links.csv` says.
    fn check(&self) {
        for transfer in self.transfers() {
            follow(transfer);
            let [start, end] = ["start_cycle", "end_cycle"].map(|key| transfer[key].as_u64().unwrap());
            assert!(start < end && end <= self.length(), "{transfer}");
        }
        let mut told = self.flits();
        for link in self.table("links.csv") {
            let name =
                format!("{} {} NOC_{}_{}", link["x"], link["y"], link["network"], link["direction"].to_uppercase());
            let flits = told.remove(&name).unwrap_or_else(|| panic!("{name} is idle"));
            let expected = f64::from(u32::try_from(number(&link, "flits")).unwrap());
            assert!((flits - expected).abs() < 1e-6, "{name}: {flits} for {expected}");
        }
        assert!(told.is_empty(), "{told:?}");
    }
}

fn number(row: &Row, column: &str) -> u64 {
    row[column].parse().unwrap()
}

/// The place of a row in a table, as timelines have it.
fn place(row: &Row, x: &str, y: &str) -> Value {
    json!([0, number(row, y), number(row, x)])
}

/// Follows the only segment of the way of a transfer: link after link to one goal, or the branches of a tree to several.
fn follow(transfer: &Value) {
    let segment = &transfer["route"][0];
    assert_eq!((&segment["src"], &segment["dst"]), (&transfer["src"], &transfer["dst"]));
    let goals = transfer["dst"].as_array().unwrap();
    let network = segment["noc_type"].as_str().unwrap();
    let mut reached = vec![transfer["src"].clone()];
    for link in segment["links"].as_array().unwrap() {
        let [row, column] = [1, 2].map(|axis| link[axis].as_u64().unwrap());
        let at = json!([0, row, column]);
        assert!(
            if goals.len() == 1 { reached.last() == Some(&at) } else { reached.contains(&at) },
            "{link} of {transfer}"
        );
        reached.push(match link[3].as_str().unwrap().strip_prefix(network).unwrap() {
            "_EAST" => json!([0, row, (column + 1) % WIDTH]),
            "_SOUTH" => json!([0, (row + 1) % HEIGHT, column]),
            "_NORTH" => json!([0, (row + HEIGHT - 1) % HEIGHT, column]),
            "_WEST" => json!([0, row, (column + WIDTH - 1) % WIDTH]),
            other => panic!("{other}"),
        });
    }
    assert!(goals.contains(reached.last().unwrap()), "{transfer}");
    assert!(goals.iter().all(|goal| reached.contains(goal)), "{transfer}");
}

#[test]
fn transfers_are_the_reads_of_the_run() {
    let traced = Traced::new(None);
    traced.check();
    let row = &traced.table("rows.csv")[0];
    let reads = traced.table("reads.csv");
    let transfers = traced.transfers();
    assert_eq!((transfers.len(), reads.len()), (40, 40));
    assert_eq!(row["reads"], "40");
    assert_eq!(transfers.iter().map(|it| it["total_bytes"].as_u64().unwrap()).sum::<u64>(), number(row, "bytes"));
    for (transfer, read) in transfers.iter().zip(&reads) {
        assert_eq!(transfer["noc_event_type"], "READ");
        assert_eq!(transfer["src"], place(read, "from_x", "from_y"));
        assert_eq!(transfer["dst"], json!([place(read, "x", "y")]));
        assert_eq!(transfer["start_cycle"], number(read, "issued"));
        assert_eq!(transfer["end_cycle"], number(read, "done"));
        assert_eq!(transfer["route"][0]["noc_type"], read["noc"]);
    }
    let info = &traced.timeline["common_info"];
    assert_eq!((&info["arch"], &info["num_cols"], &info["num_rows"]), (&json!("wormhole_b0"), &json!(10), &json!(12)));
    assert_eq!(info["cycles_per_timestep"], 64, "half of what is usual: else there are fewer than 32 steps");
}

/// A port of memory replies with 0.85 flits of 32 bytes a cycle, a core with 0.92; its processors send a flit.
#[test]
fn writes_are_transfers_too_and_packets_are_not() {
    let event = |kind: &str, at: u64, [x, y]: [i64; 2], bytes: u64| {
        json!({
            "proc": "BRISC", "noc": "NOC_1", "vc": -1, "sx": 1, "sy": 1, "dx": x, "dy": y, "num_bytes": bytes,
            "type": kind, "timestamp": 7_000_000_000_u64 + at,
        })
    };
    let mut multicast = event("WRITE_MULTICAST", 650, [-1, -1], 10_000);
    for (key, place) in [("mcast_start_x", 6), ("mcast_start_y", 7), ("mcast_end_x", 7), ("mcast_end_y", 9)] {
        multicast[key] = place.into();
    }
    let events = json!([
        event("WRITE_", 0, [3, 4], 20_000),
        event("READ", 150, [0, 0], 20_000),
        event("READ", 300, [1, 1], 64),
        event("READ", 450, [9, 11], 32),
        event("SEMAPHORE_INC", 600, [3, 4], 0),
        multicast,
        event("READ_BARRIER_START", 700, [-1, -1], 0),
        event("READ_BARRIER_END", 800, [-1, -1], 0),
        event("WRITE_BARRIER_START", 900, [-1, -1], 0),
        event("WRITE_BARRIER_END", 1000, [-1, -1], 0),
    ]);
    let traced = Traced::new(Some(&events));
    traced.check();
    let said = |transfer: &Value| {
        let route = &transfer["route"][0];
        json!([transfer["noc_event_type"], transfer["total_bytes"], transfer["src"], route["injection_rate"]])
    };
    let expected = [
        json!(["WRITE", 20_000, [0, 1, 1], 32.0]),
        json!(["READ", 20_000, [0, 0, 0], 27.2]),
        json!(["READ", 64, [0, 1, 1], 29.44]),
        json!(["READ", 32, [0, 11, 9], 29.44]),
        json!(["SEMAPHORE_INC", 0, [0, 1, 1], 32.0]),
        json!(["WRITE_MULTICAST", 10_000, [0, 1, 1], 32.0]),
    ];
    assert_eq!(traced.transfers().iter().map(said).collect::<Vec<_>>(), expected);
    let links = |number: usize| traced.transfers()[number]["route"][0]["links"].as_array().unwrap().len();
    // three packets take the same way; what a core reads from itself takes none; and a tree goes west to columns 7 and 6, and
    // north in each as far as row 7
    assert_eq!([0, 1, 2, 3, 4, 5].map(links), [17, 20, 0, 18, 17, 5 + 6 + 6]);
}

#[test]
fn the_visualiser_has_other_names_for_networks_and_links() {
    let bench = Bench::new("");
    bench.ok(&["new", "noc-trace", "--out", "."]);
    let print = |format: &str| bench.ok(&["schedule", "noc-trace.toml", "--format", format]);
    assert_eq!(print("npe").replace("\"NOC_", "\"NOC"), print("npe-visualiser"));
}

#[test]
fn traces_have_nothing_else_and_nothing_else_has_timelines() {
    let bench = Bench::new("");
    bench.ok(&["new", "noc-trace", "--out", "."]);
    fs::write(bench.path("multicast.toml"), bench.ok(&["new", "multicast"])).unwrap();
    let said = bench.fails(2, &["schedule", "noc-trace.toml"]);
    assert!(
        said.contains("a trace of a chip has no schedule in format csv; accepted: --format npe, npe-visualiser"),
        "{said}"
    );
    let said = bench.fails(2, &["schedule", "multicast.toml", "--format", "npe"]);
    assert!(
        said.contains("a multicast has no schedule in format npe; accepted: --format csv, trees, dot, svg, goal"),
        "{said}"
    );
    let turned =
        ["schedule", "noc-trace.toml", "--format", "npe", "-s", "network.torus.directions=[\"minus\", \"plus\"]"];
    let said = bench.fails(1, &turned);
    assert!(said.contains("a timeline needs a chip whose first network leads east and south"), "{said}");
}
