//! Buffers and the round trips of their links: the default size, the warning about a smaller one, and the parts of a critical path, of
//! which none is a remainder.

use crate::cli::{Bench, csv_rows};
use flitwise::kind::RowId;
use flitwise::recording::{Explanation, IntervalKind, Recording, ShownTimes};
use flitwise::run::recorded;
use flitwise::scenario::{Options, Scenario};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Two routers with a node each, joined by a link of this flit time and delay, and a message of `flits` flits over it.
fn two(flit_time: u64, delay: u64, flits: u64, more: &str) -> Bench {
    let bench = Bench::new(&format!(
        "name = \"two\"\n{more}\n[network.graph]\nfile = \"two.csv\"\n[workload.trace]\nfile = \"one.csv\"\n"
    ));
    let graph = format!("kind,a,b,flit_time,delay\nnode,0,0,,\nnode,1,1,,\nlink,0,1,{flit_time},{delay}\n");
    std::fs::write(bench.path("two.csv"), graph).unwrap();
    std::fs::write(bench.path("one.csv"), format!("id,src,dst,flits,start\n0,0,1,{flits},0\n")).unwrap();
    bench
}

fn measured(bench: &Bench, set: &[&str]) -> u64 {
    let mut arguments = vec!["run", "s.toml", "--quiet", "--force"];
    arguments.extend(set.iter().flat_map(|set| ["--set", set]));
    bench.ok(&arguments);
    let rows = csv_rows(&std::fs::read_to_string(bench.path("results/two/rows.csv")).unwrap());
    rows[0]["measured"].parse().unwrap()
}

/// The parts of the completion, by name.
fn parts(bench: &Bench, set: &[&str]) -> BTreeMap<String, u64> {
    let mut arguments = vec!["explain", "s.toml", "--format", "json"];
    arguments.extend(set.iter().flat_map(|set| ["--set", set]));
    let explanation: serde_json::Value = serde_json::from_str(&bench.ok(&arguments)).unwrap();
    serde_json::from_value(explanation["rows"][0]["shares"].clone()).unwrap()
}

fn named(parts: &[(&str, u64)]) -> BTreeMap<String, u64> {
    parts.iter().map(|(name, ticks)| ((*name).to_owned(), *ticks)).collect()
}

#[test]
fn a_round_trip_that_the_buffer_does_not_cover_is_credit() {
    let bench = two(1, 20, 64, "");
    assert_eq!(parts(&bench, &[]), named(&[("hop", 22), ("transmit", 64)]));
    assert_eq!(parts(&bench, &["channel.buffer=1"]), named(&[("hop", 22), ("transmit", 64), ("credit", 2520)]));
    // two flits go with each round trip of 41 ticks
    assert_eq!(parts(&bench, &["channel.buffer=2"]), named(&[("hop", 22), ("transmit", 64), ("credit", 31 * 39)]));
    // a slow link does not lack credits
    assert_eq!(parts(&two(5, 0, 64, ""), &[]), named(&[("hop", 6), ("transmit", 63 * 5 + 1)]));
    for engine in ["worm", "flit"] {
        let engine = format!("engine.kind=\"{engine}\"");
        assert_eq!(parts(&two(4, 6, 10, ""), &[&engine]), named(&[("hop", 11), ("transmit", 9 * 4 + 1)]));
    }
    // three cycles to the next router, five until a slot is free again, and twenty more each way
    let pipelined = "router.model=\"pipelined\"";
    let short = parts(&bench, &[pipelined, "channel.buffer=4"]);
    assert_eq!((short["credit"] > 600, short.get("switch")), (true, None), "{short:?}");
    assert_eq!(short.values().sum::<u64>(), measured(&bench, &[pipelined, "channel.buffer=4"]));
}

/// A message goes at full rate with the default, at the same rate with larger buffers, and at less with any smaller one.
#[test]
fn the_default_is_the_least_buffer_for_full_rate() {
    let routers = [
        ("", 0),
        ("[router]\nmodel = \"ideal\"\n[engine]\nkind = \"router\"", 0),
        ("[router]\nmodel = \"ideal\"\natomic = false", 1),
        ("[router]\nmodel = \"pipelined\"\nchannel_latency = 1", 4),
        ("[router]\nmodel = \"pipelined\"\nchannel_latency = 3\nspeculative = false", 8),
    ];
    for (more, extra) in routers {
        for (flit_time, delay) in [(1, 1), (1, 7), (2, 3), (3, 20)] {
            let bench = two(flit_time, delay, 400, more);
            let need = (flit_time + extra + 2 * delay).div_ceil(flit_time);
            let measure = |buffer: u64| measured(&bench, &[&format!("channel.buffer={buffer}")]);
            let case_name = format!("{more}, {flit_time} {delay}");
            let full = measure(need);
            // the head flit of a router that does not speculate is a cycle ahead of its flits, which a larger buffer takes
            assert!(full - measure(need + 9) < flit_time, "{case_name}");
            assert!(
                measure(need - 1) > full + 5,
                "{case_name}: {} is as fast with fewer than {need}",
                measure(need - 1)
            );
            let by_default = measured(&bench, &[]);
            // what is behind channels without a delay is as it was
            assert!(extra > 0 || by_default == full, "{case_name}: {by_default}");
            let manifest = std::fs::read_to_string(bench.path("results/two/manifest.json")).unwrap();
            assert!(manifest.contains(&format!("\"largest\": {need}")), "{case_name}: {manifest}");
        }
    }
}

#[test]
fn buffers_that_are_too_short_are_warned_of() {
    let bench = two(1, 20, 64, "");
    let warning = "warning: link (0)->(1) needs 41 flits of buffer for full rate, has 3; 1 more link has too few\n";
    for verb in ["check", "run"] {
        for quiet in [&[][..], &["--quiet"]] {
            let arguments = [&[verb, "s.toml", "--set", "channel.buffer=3"], quiet].concat();
            let out = bench.call(&arguments);
            assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stderr).contains(warning)), (Some(0), true));
            std::fs::remove_dir_all(bench.path("results")).ok();
        }
        let out = bench.call(&[verb, "s.toml"]);
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert!(!stderr.contains("warning"), "{stderr}");
    }
    let table = bench.ok(&["run", "s.toml", "--force"]);
    assert!(table.contains("behind 2 links with a delay hold 41 flits"), "{table}");
    let manifest = std::fs::read_to_string(bench.path("results/two/manifest.json")).unwrap();
    assert!(manifest.contains("\"largest\": 41") && manifest.contains("\"least\": 41"), "{manifest}");
    // links without a delay hold a flit by default, which pipelined routers are slow with
    let out = bench.call(&[
        "check",
        "s.toml",
        "--set",
        "router.model=\"pipelined\"",
        "--set",
        "network.mesh.shape=[2,2]",
        "--unset",
        "network.graph",
        "--set",
        "channel.buffer=[1,5]",
    ]);
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(
        stderr.contains(
            "link (0,0)->(1,0) needs 5 flits of buffer for full rate, has 1; 3 more links have too few, at 1 of 2 points"
        ) && stderr.contains("link (0,0)->(0,1) needs 5 flits of buffer for full rate, has 1")
            && stderr.contains("injection (0,0) needs 4 flits of buffer for full rate, has 1; 3 more injection channels have too few"),
        "{stderr}"
    );
}

/// A random graph with a message or more from each node, in files.
fn draw(random: &mut Pcg64, bench: &Bench, cycle: u64, more: &str) -> Scenario {
    let routers = random.random_range(2..=6);
    let mut graph = "kind,a,b,flit_time,delay\n".to_owned();
    for node in 0..routers {
        writeln!(graph, "node,{node},{node},,").unwrap();
    }
    for router in 1..routers {
        let to = random.random_range(0..router);
        for (a, b) in [(router, to), (to, router)] {
            let flit_time = cycle * random.random_range(1..=3);
            let delay = cycle * [0, 0, 1, 4, 9][random.random_range(0..5)];
            writeln!(graph, "link,{a},{b},{flit_time},{delay}").unwrap();
        }
    }
    std::fs::write(bench.path("net.csv"), graph).unwrap();
    let longest = [1, 5, 40][random.random_range(0..3)];
    let mut trace = "id,src,dst,flits,start\n".to_owned();
    for id in 0..random.random_range(1..=12) {
        let [src, dst] = [0, 1].map(|_| random.random_range(0..routers));
        let (flits, start) = (random.random_range(0..=longest), random.random_range(0..=20));
        writeln!(trace, "{id},{src},{dst},{flits},{start}").unwrap();
    }
    std::fs::write(bench.path("messages.csv"), trace).unwrap();
    let text =
        format!("name = \"drawn\"\nnetwork.graph.file = \"net.csv\"\nworkload.trace.file = \"messages.csv\"\n{more}\n");
    parse(bench, &text)
}

fn parse(bench: &Bench, text: &str) -> Scenario {
    let scenario = Scenario::parse("s.toml", text, &bench.path(""), &Options::default());
    scenario.unwrap_or_else(|wrong| panic!("{text}{wrong:?}"))
}

fn explained(recording: &Recording<'_>) -> BTreeMap<&'static str, u64> {
    Explanation::new("it", recording, ShownTimes::default())
        .shares
        .iter()
        .map(|(kind, ticks)| (kind.name(), ticks.0))
        .collect()
}

/// The parts of every message on the path add up: where those of its tail begin, its head flit started on a channel.
fn parts_add_up(recording: &Recording<'_>, case_name: &str) {
    let path = Explanation::new("it", recording, ShownTimes::default()).path;
    assert_eq!(path.iter().map(|part| part.ticks().0).sum::<u64>(), recording.completion.0, "{case_name}");
    for (index, part) in path.iter().enumerate() {
        let Some(message) = part.message.filter(|_| part.kind == IntervalKind::Transmit) else { continue };
        let starts = recording.head_starts(message);
        // hops of the tail name the channel on which it ends, like those of a head flit that precede them
        let hops = path[..index].iter().rev();
        let hops = hops
            .take_while(|hop| (hop.kind, hop.message, hop.channel) == (IntervalKind::Hop, part.message, part.channel));
        let mut begins = std::iter::once(part).chain(hops).map(|part| part.from);
        assert!(begins.any(|from| starts.contains(&from)), "{case_name}: {message} {part:?} {starts:?}\n{path:?}");
    }
}

const FIRST: RowId = RowId { point: 0, algorithm: 0, repetition: 0 };

#[test]
fn no_part_of_a_path_is_a_remainder() {
    let bench = Bench::new("");
    let engines = [
        ("engine.kind = \"flit\"", false),
        ("engine.kind = \"auto\"", false),
        ("router.model = \"ideal\"\nengine.kind = \"router\"", true),
        ("router = { model = \"ideal\", atomic = false }\nchannel.virtual_channels = 2", true),
        ("router = { model = \"pipelined\" }\nchannel.virtual_channels = 3", true),
        ("router = { model = \"pipelined\", speculative = false }", true),
        ("router = { model = \"pipelined\", atomic = true, channel_latency = 2 }\nchannel.virtual_channels = 2", true),
    ];
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for case in 0..60 {
        for (engine, is_router) in engines {
            let random = &mut Pcg64::seed_from_u64(case);
            let cycle = random.random_range(1..=2);
            let buffer = match random.random_range(0..5) {
                0 => String::new(),
                flits => format!("channel.buffer = {flits}\n"),
            };
            let tables = format!("channel.flit_time = {cycle}\n{buffer}{engine}");
            let scenario = draw(random, &bench, cycle, &tables);
            let recording = recorded(&scenario, FIRST).unwrap().unwrap();
            let case_name = format!("case {case}, {tables}");
            parts_add_up(&recording, &case_name);
            let shares = explained(&recording);
            // one virtual channel a link has nothing to take turns with
            let unknown: &[&str] = if is_router { &["shared"] } else { &["shared", "switch", "queue"] };
            assert!(unknown.iter().all(|kind| !shares.contains_key(kind)), "{case_name}: {shares:?}");
            if !is_router {
                // the parts of the worm engine follow from head flits, and of two chains of one length it may take the other
                let text = "name = \"worm\"\nnetwork.graph.file = \"net.csv\"\nworkload.trace.file = \"messages.csv\"";
                let scenario_of = |kind: &str| {
                    parse(&bench, &format!("{text}\nchannel.flit_time = {cycle}\nengine.kind = \"{kind}\"\n"))
                };
                let [worm, flit] = [scenario_of("worm"), scenario_of("flit")];
                let [worm, flit] = [&worm, &flit].map(|scenario| recorded(scenario, FIRST).unwrap().unwrap());
                parts_add_up(&worm, &case_name);
                parts_add_up(&flit, &case_name);
                assert_eq!(worm.completion, flit.completion, "{case_name}");
                assert!(!explained(&worm).contains_key("shared"), "{case_name}");
            }
            shares.into_iter().for_each(|(kind, ticks)| *seen.entry(kind).or_default() += ticks);
        }
    }
    for kind in ["hop", "transmit", "credit", "wait", "switch", "queue"] {
        assert!(seen.get(kind).is_some_and(|&ticks| ticks > 200), "{kind}: {seen:?}");
    }
}

/// On links with clocks of their own, waits for edges belong to hops, transmission and credits.
#[test]
fn no_part_of_a_path_over_links_with_clocks_is_a_remainder() {
    let bench = Bench::new("");
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for case in 0..80 {
        for (engine, is_router) in [("", false), ("router = { model = \"pipelined\" }", true)] {
            let random = &mut Pcg64::seed_from_u64(1000 + case);
            let cycle = random.random_range(1..=4);
            let mut class = format!("period = {}, serdes = {}", random.random_range(1..=6), random.random_range(0..=2));
            for (key, most) in [("buffer", 12), ("latency", 5), ("width", 64), ("cdc", 2)] {
                if random.random() {
                    write!(class, ", {key} = {}", random.random_range(1..=most)).unwrap();
                }
            }
            let tables =
                format!("channel = {{ flit_time = {cycle}, flit_bits = 64 }}\nlinks.link = {{ {class} }}\n{engine}");
            let scenario = draw(random, &bench, cycle, &tables);
            let recording = recorded(&scenario, FIRST).unwrap().unwrap();
            let case_name = format!("case {case}, {tables}");
            parts_add_up(&recording, &case_name);
            let shares = explained(&recording);
            let unknown: &[&str] = if is_router { &["shared"] } else { &["shared", "switch", "queue"] };
            assert!(unknown.iter().all(|kind| !shares.contains_key(kind)), "{case_name}: {shares:?}");
            shares.into_iter().for_each(|(kind, ticks)| *seen.entry(kind).or_default() += ticks);
        }
    }
    for kind in ["hop", "transmit", "credit", "wait"] {
        assert!(seen.get(kind).is_some_and(|&ticks| ticks > 200), "{kind}: {seen:?}");
    }
}

/// Tori whose rings have delays and two virtual channels: the two causes of delays of their flits.
#[test]
fn virtual_channels_that_take_turns_are_not_taken_for_credits() {
    let bench = Bench::new("");
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for (delay, buffer) in
        [("[0, 0]", ""), ("[3, 0]", ""), ("[3, 1]", "channel.buffer = 2"), ("[0, 0]", "channel.buffer = 1")]
    {
        for engine in ["auto", "flit"] {
            let text = format!(
                "name = \"turns\"\nnetwork.torus = {{ shape = [4, 4], delay = {delay} }}\nengine.kind = \"{engine}\"\n{buffer}\n\
                 workload.exchange = {{ algorithms = [\"direct\"], block_flits = 12, synchronous = false }}\n"
            );
            let recording_of = parse(&bench, &text);
            let recording = recorded(&recording_of, FIRST).unwrap().unwrap();
            parts_add_up(&recording, &text);
            let shares = explained(&recording);
            assert!(delay != "[0, 0]" || !shares.contains_key("credit"), "{text}: {shares:?}");
            shares.into_iter().for_each(|(kind, ticks)| *seen.entry(kind).or_default() += ticks);
        }
    }
    assert!(seen["shared"] > 40 && seen["credit"] > 0, "{seen:?}");
}
