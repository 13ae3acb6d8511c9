//! What happened hop by hop: worked examples, and what holds of every run that moves over channels.

use crate::cli::{Bench, csv_rows};
use crate::support::data;
use flitwise::kind::{RowFailure, RowId};
use flitwise::recording::{Blame, Explanation, IntervalKind, Recording, Root, ShownTimes};
use flitwise::run::{Rows, examine, recorded, rows_of_point, why_not_recorded};
use flitwise::scenario::{Options, Scenario};
use flitwise::units::{ChannelId, MessageId, Ticks};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// `value` as TOML.
fn toml(value: &Value) -> String {
    value.to_string()
}

/// A scenario of `{"name": .., "network.mesh": {..}}`.
fn scenario_text(scenario: &Value) -> String {
    let entries = || scenario.as_object().unwrap().iter();
    let plain =
        entries().filter(|(_, value)| !value.is_object()).map(|(key, value)| format!("{key} = {}\n", toml(value)));
    let tables = entries().filter_map(|(key, value)| {
        let lines = value.as_object()?.iter().map(|(key, value)| format!("{key} = {}\n", toml(value)));
        Some(format!("[{key}]\n{}", lines.collect::<String>()))
    });
    plain.chain(tables).collect()
}

#[test]
fn the_worked_examples_come_out_as_worked_out() {
    let all: Value = data("look/by_hand.json");
    for case in all["cases"].as_array().unwrap() {
        let name = &case["name"];
        let bench = Bench::new(&scenario_text(&case["scenario"]));
        for (file, text) in case["files"].as_object().unwrap() {
            std::fs::write(bench.path(file), text.as_str().unwrap()).unwrap();
        }
        let told: Value = serde_json::from_str(&bench.ok(&["explain", "s.toml", "--format", "json"])).unwrap();
        let row = &told["rows"][0];
        let path = row["path"].as_array().unwrap().iter();
        let path = path.map(|part| json!([part["kind"], part["from"], part["to"], part["message"], part["channel"]]));
        assert_eq!(json!(path.collect::<Vec<_>>()), case["path"], "{name}");
        assert_eq!(row["completion"], case["completion"], "{name}");
        assert_eq!(row["shares"], case["shares"], "{name}");
        let blame = row["blame"].as_array().unwrap().iter();
        let blame = blame.map(|root| json!([root["message"], root["channel"], root["ticks"]]));
        assert_eq!(json!(blame.collect::<Vec<_>>()), case["blame"], "{name}");
        assert_eq!(hops(&bench), case["hops"], "{name}");
    }
}

/// The hops that a run writes, by message.
fn hops(bench: &Bench) -> Value {
    bench.ok(&["run", "s.toml", "--hops", "--quiet"]);
    let text = std::fs::read_to_string(bench.path("results/by-hand/hops.csv")).unwrap();
    let mut messages: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for line in csv_rows(&text) {
        let number = |column: &str| line[column].parse::<u64>().unwrap();
        let hops = messages.entry(number("message")).or_default();
        assert_eq!(number("hop"), hops.len() as u64);
        let times = ["requested", "granted", "started", "released"].map(number);
        hops.push(json!([line["channel"], times[0], times[1], times[2], times[3]]));
    }
    json!(messages.into_values().collect::<Vec<_>>())
}

/// Scenarios of every kind, engine and sort of network that moves over channels.
const RUNS: [(&str, &str); 13] = [
    (
        "a contended multicast",
        "network.mesh.shape = [8, 8]\nrepetitions = 4\nnode = { send_setup = 30, receive_setup = 50, send_per_flit = 1 }\n\
         workload.multicast = { algorithms = [\"opt-tree\", \"u-mesh\"], flits = 2000, group = 48 }",
    ),
    (
        "two ports",
        "network.mesh.shape = [6, 6]\nnode = { ports = 2, send_setup = 3 }\n\
         workload.exchange = { algorithms = [\"direct\"], block_flits = 5, synchronous = false }",
    ),
    (
        "a barrier on a torus whose virtual channels share links",
        "network.torus.shape = [4, 4]\nchannel = { virtual_channels = 2, flit_time = 3 }\nnode.receive_setup = 7\n\
         workload.exchange = { algorithms = [\"direct\", \"suh-shin\"], block_flits = 4, synchronous = true }",
    ),
    (
        "the flit engine",
        "network.mesh.shape = [4, 4]\nengine.kind = \"flit\"\nchannel.buffer = 2\n\
         workload.exchange = { algorithms = [\"direct\"], block_flits = 6, synchronous = false }",
    ),
    (
        "a collective",
        "network.torus.shape = [8]\nchannel.virtual_channels = 2\nnode = { send_setup = 5, hold_setup = 9, reduce_setup = 4 }\n\
         workload.collective = { operation = \"allreduce\", algorithms = [\"ring\", \"recursive-doubling\"], flits = 64 }",
    ),
    (
        "pipelined routers",
        "network.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\nchannel = { virtual_channels = 2, buffer = 4, flit_time = 2 }\n\
         node.send_setup = 5\nworkload.exchange = { algorithms = [\"direct\"], block_flits = 6, synchronous = false }",
    ),
    (
        "routers with atomic buffers",
        "network.torus.shape = [4, 4]\nrouter = { model = \"pipelined\", atomic = true }\n\
         channel = { virtual_channels = 2, buffer = 4 }\n\
         workload.exchange = { algorithms = [\"direct\"], block_flits = 6, synchronous = false }",
    ),
    (
        "short messages behind each other in a buffer",
        "network.mesh.shape = [4, 4]\nrouter = { model = \"pipelined\", atomic = false }\n\
         channel = { virtual_channels = 1, buffer = 16 }\n\
         workload.exchange = { algorithms = [\"direct\"], block_flits = 1, synchronous = false }",
    ),
    (
        "a trace of a chip",
        "network.torus = { shape = [10, 12], directions = \"one-way\" }\n\
         workload.noc-trace.file = \"src/workload/noc_trace/four-cores.json\"",
    ),
    (
        "adaptive routers",
        "network.mesh.shape = [4, 4]\nrouter = { model = \"pipelined\", routing = \"adaptive\" }\n\
         channel = { virtual_channels = 2, buffer = 4 }\n\
         workload.exchange = { algorithms = [\"direct\"], block_flits = 6, synchronous = false }",
    ),
    (
        "a fat tree",
        "network.fat-tree = { arity = 2, levels = 4 }\nnode.send_setup = 4\n\
         workload.exchange = { algorithms = [\"direct\"], block_flits = 6, synchronous = false }",
    ),
    (
        "links of different speed",
        "network.mesh = { shape = [4, 4], flit_time = [3, 1], delay = [5, 0] }\nchannel.buffer = 16\n\
         workload.exchange = { algorithms = [\"direct\"], block_flits = 6, synchronous = false }",
    ),
    (
        "traffic of a mapping",
        "network.hypercube.dimension = 4\n\
         workload.mapping = { algorithms = [\"greedy\", \"mrb\"], generator = \"gnp\", density = 0.5, simulate = true, packet_flits = 8 }",
    ),
];

fn parse(name: &str, text: &str) -> Scenario {
    let text = format!("name = \"recorded\"\n{text}\n");
    Scenario::parse(name, &text, Path::new(""), &Options::default()).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"))
}

#[test]
fn what_is_recorded_adds_up() {
    for (name, text) in RUNS {
        let scenario = parse(name, text);
        let rows = Rows::new(&scenario);
        let ids = (0..rows.count()).map(|at| rows.get(at));
        for id in ids {
            let recording = recorded(&scenario, id).unwrap().expect(name);
            let what = format!("{name}, row {id:?}");
            hops_are_in_order(&recording, &what);
            owners_are_alone(&recording, &what);
            the_path_is_in_one_piece(&recording, &what);
            blame_adds_up(&recording, &what);
        }
    }
}

fn hops_are_in_order(recording: &Recording<'_>, what: &str) {
    for message in recording.numbers() {
        let hops = recording.hops(message);
        let outcome = &recording.messages[message.index()].outcome;
        assert_eq!(hops.len(), outcome.hops as usize + 2, "{what}: {message}");
        assert_eq!((hops[0].requested, hops[0].granted), (outcome.requested, outcome.injected), "{what}: {message}");
        let waited: Ticks = hops.iter().map(|hop| hop.granted - hop.requested).sum();
        assert_eq!(waited, outcome.blocked_time, "{what}: {message}");
        for hop in hops {
            let times = [hop.requested, hop.granted, hop.started_by(), hop.released];
            assert!(times.is_sorted() && hop.granted < hop.released, "{what}: {message} {hop:?}");
        }
        assert!(hops.windows(2).all(|pair| pair[0].started < pair[1].requested), "{what}: {message}");
    }
}

/// A channel has one owner at a time.
fn owners_are_alone(recording: &Recording<'_>, what: &str) {
    let mut owners: BTreeMap<ChannelId, Vec<(Ticks, Ticks)>> = BTreeMap::new();
    for hop in recording.numbers().flat_map(|message| recording.hops(message)) {
        owners.entry(hop.channel).or_default().push((hop.granted, hop.released));
    }
    for (channel, mut owned) in owners {
        owned.sort_unstable();
        assert!(owned.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{what}: {channel} {owned:?}");
    }
}

fn the_path_is_in_one_piece(recording: &Recording<'_>, what: &str) {
    let explanation = Explanation::new("it", recording, ShownTimes::default());
    let path = &explanation.path;
    assert_eq!(path.first().map(|part| part.from), Some(Ticks::ZERO), "{what}");
    assert_eq!(path.last().map(|part| part.to), Some(recording.completion), "{what}");
    assert!(path.windows(2).all(|pair| pair[0].to == pair[1].from), "{what}: {path:?}");
    assert!(path.iter().all(|part| part.from < part.to), "{what}: {path:?}");
    let shares: Ticks = explanation.shares.iter().map(|&(_, ticks)| ticks).sum();
    assert_eq!(shares, recording.completion, "{what}");
    let waits = path.iter().filter(|part| part.kind == IntervalKind::Wait).count();
    assert_eq!(explanation.waits.len(), waits, "{what}");
}

/// The roots of all waits, found one by one, are those that are found at once; on the wormhole engines no tick is left over.
fn blame_adds_up(recording: &Recording<'_>, what: &str) {
    let blame = Blame::new(recording);
    let mut one_by_one: BTreeMap<(MessageId, ChannelId), Ticks> = BTreeMap::new();
    let mut waited = Ticks::ZERO;
    for hop in recording.numbers().flat_map(|message| recording.hops(message)) {
        let held: Ticks = blame.holders(hop.channel, hop.requested..hop.granted).iter().map(|held| held.ticks).sum();
        let roots = blame.roots(hop.channel, hop.requested..hop.granted);
        let moved: Ticks = roots.iter().map(|root| root.ticks).sum();
        assert!(moved <= held && held <= hop.waited(), "{what}: {hop:?}");
        if recording.machine.routers.is_none() {
            assert_eq!((held, moved), (hop.waited(), hop.waited()), "{what}: {hop:?}");
        }
        for Root { message, channel, ticks } in roots {
            *one_by_one.entry((message, channel)).or_default() += ticks;
        }
        waited += hop.waited();
    }
    let at_once = Explanation::new("it", recording, ShownTimes::default()).blame;
    let at_once: BTreeMap<_, _> = at_once.into_iter().map(|root| ((root.message, root.channel), root.ticks)).collect();
    assert_eq!(at_once, one_by_one, "{what}");
}

/// The repetition of the contended multicast in which most was waited: contention is there to be blamed.
#[test]
fn a_contended_run_has_someone_to_blame() {
    let scenario = parse(RUNS[0].0, RUNS[0].1);
    let id = |repetition| RowId { point: 0, algorithm: 0, repetition };
    let explained = (0..4)
        .map(|at| Explanation::new("opt-tree", &recorded(&scenario, id(at)).unwrap().unwrap(), ShownTimes::default()));
    let explained: Vec<Explanation> = explained.collect();
    assert!(explained.iter().any(|explanation| !explanation.blame.is_empty() && !explanation.waits.is_empty()));
    let told = explained.iter().find(|explanation| !explanation.waits.is_empty()).unwrap();
    assert!(told.words[0].starts_with("opt-tree: completion "), "{:?}", told.words);
    assert!(told.words[1].contains(" waiting for message "), "{:?}", told.words);
}

#[test]
fn a_row_that_no_scenario_has_is_an_error() {
    let scenario = parse(RUNS[0].0, RUNS[0].1);
    let first = RowId { point: 0, algorithm: 0, repetition: 0 };
    for id in [RowId { point: 99, ..first }, RowId { algorithm: 99, ..first }, RowId { repetition: 99, ..first }] {
        let failed = recorded(&scenario, id).map(|_| ()).unwrap_err();
        assert!(matches!(failed.cause, RowFailure::NoSuchRow), "{failed}");
        let shown = scenario.explain(&failed).to_string();
        assert!(shown.contains("the scenario has no such row"), "{shown}");
        assert!(examine(&scenario, id).is_err());
    }
    assert!(rows_of_point(&scenario, 99).is_empty());
}

#[test]
fn what_moves_over_no_channels_is_told_so() {
    let grid = "network.grid = { nodes = 5, bytes = 10, latency = [1, 2], bandwidth = [1, 2] }\n\
                workload.broadcast.algorithms = [\"ecef\"]";
    let model = "model.parameterised = { t_hold = 2, t_end = 9 }\n\
                 workload.multicast = { algorithms = [\"opt-tree\"], flits = 4, group = 8 }";
    for text in [grid, model] {
        let bench = Bench::new(&format!("name = \"still\"\n{text}\n"));
        for verb in
            [&["explain", "s.toml"][..], &["run", "s.toml", "--hops"], &["run", "s.toml", "--trace", "perfetto"]]
        {
            let told = bench.fails(2, verb);
            assert!(told.contains("there are no channels to observe: "), "{told}");
        }
        let scenario = Scenario::parse("s", &format!("name = \"still\"\n{text}\n"), Path::new(""), &Options::default());
        let scenario = scenario.unwrap();
        assert!(why_not_recorded(&scenario.points[0].experiment).is_some());
        assert!(recorded(&scenario, RowId { point: 0, algorithm: 0, repetition: 0 }).unwrap().is_none());
    }
}

#[test]
fn rows_that_are_not_there_are_refused_with_a_guess() {
    let bench = Bench::new(&format!("name = \"recorded\"\n{}\n", RUNS[0].1));
    let cases = [
        ("algorithm=opt-tre", "did you mean `opt-tree`?"),
        ("point=1", "accepted: point=0\n"),
        ("repetition=4", "accepted: repetition=0 to repetition=3"),
        ("repitition=1", "did you mean `repetition`?"),
        ("everything", "neither `all` nor KEY=VALUE"),
        ("point=one", "`one` is not a number"),
    ];
    for (selector, said) in cases {
        let told = bench.fails(2, &["explain", "s.toml", "--rows", selector]);
        assert!(told.contains(said) && told.contains(selector), "{told}");
    }
    let told = bench.fails(2, &["run", "s.toml", "--rows", "all"]);
    assert!(told.contains("--rows requires --html or --trace"), "{told}");
}

/// Of the point whose algorithms differ most, the repetitions in the middle.
#[test]
fn without_rows_the_most_telling_ones_are_explained() {
    let sweep = "sweep = { workload = { multicast = { flits = [1, 600] } } }";
    let bench = Bench::new(&format!("name = \"recorded\"\n{}\n{sweep}\n", RUNS[0].1));
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&std::fs::read_to_string(bench.path("results/recorded/rows.csv")).unwrap());
    let told: Value = serde_json::from_str(&bench.ok(&["explain", "s.toml", "--format", "json"])).unwrap();
    let told = told["rows"].as_array().unwrap();
    assert_eq!(told.len(), 2);
    let mean = |flits: &str, algorithm: &str| {
        let of =
            |row: &&BTreeMap<String, String>| row["workload.multicast.flits"] == flits && row["algorithm"] == algorithm;
        rows.iter().filter(of).map(|row| row["measured"].parse::<f64>().unwrap()).sum::<f64>()
    };
    let gap = |flits: &str| {
        let means = [mean(flits, "opt-tree"), mean(flits, "u-mesh")];
        means[0].max(means[1]) / means[0].min(means[1])
    };
    let widest = usize::from(gap("600") > gap("1"));
    for row in told {
        assert_eq!(row["point"], widest);
        let of = |other: &&BTreeMap<String, String>| {
            other["workload.multicast.flits"] == ["1", "600"][widest] && *other["algorithm"] == row["algorithm"]
        };
        let mut measured: Vec<u64> = rows.iter().filter(of).map(|row| row["measured"].parse().unwrap()).collect();
        measured.sort_unstable();
        assert_eq!(row["completion"], measured[1], "the lower of the two in the middle of four");
    }
}

#[test]
fn rows_whose_hops_do_not_fit_are_refused() {
    let bench = Bench::new(&format!("name = \"recorded\"\n{}\n", RUNS[2].1.replace("[4, 4]", "[16, 16]")));
    let told = bench.fails(2, &["explain", "s.toml", "--rows", "algorithm=direct", "--memory", "40MB"]);
    assert!(told.contains("of memory; 42 MB are allowed by --memory") && told.contains("--hops writes them"), "{told}");
    assert!(bench.ok(&["explain", "s.toml", "--rows", "algorithm=suh-shin"]).contains("suh-shin: completion "));
}
