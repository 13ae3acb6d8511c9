//! Classes of links: widths, clocks, latencies and buffers of their own.

use crate::cli::{Bench, csv_rows};
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::{Engine, Stop};
use flitwise::scenario::{Options, Scenario};
use flitwise::topology::LinkCost;
use flitwise::units::{Flits, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write as _;

/// A link as the rules see it: flit time, delay, period and stages of a clock, and buffer.
#[derive(Clone, Debug)]
struct Link {
    flit_time: u64,
    delay: u64,
    /// The period and the cycles of each end, if flits cross clocks.
    clock: Option<(u64, u64)>,
    buffer: usize,
}

/// A line of routers with a node at each end, by the keys of a scenario and as the rules see it.
struct Line {
    cycle: u64,
    routing_delay: u64,
    graph: String,
    tables: String,
    links: Vec<Link>,
}

/// Draws the keys of a class, with the rules for a link whose network sets `flit_time` and `delay`.
fn class(random: &mut Pcg64, [cycle, bits]: [u64; 2], [flit_time, delay]: [u64; 2]) -> (String, Link) {
    let mut draw = |range: std::ops::RangeInclusive<u64>| {
        let value = random.random_range(range);
        Some(value).filter(|_| random.random())
    };
    let keys = [
        ("width", draw(1..=2 * bits)),
        ("period", draw(1..=7)),
        ("latency", draw(0..=5)),
        ("serdes", draw(0..=2)),
        ("cdc", draw(0..=2)),
        ("buffer", draw(1..=9)),
    ];
    let [width, period, latency, serdes, cdc, buffer] = keys.map(|(_, value)| value);
    let ticks = period.unwrap_or(cycle);
    let pieces = bits.div_ceil(width.unwrap_or(bits));
    let flit_time = if width.is_some() || period.is_some() { pieces * ticks } else { flit_time };
    let delay = delay + latency.unwrap_or(0) * ticks;
    let serdes = serdes.unwrap_or(u64::from(width.unwrap_or(bits) < bits));
    let crosses = ticks != cycle || cdc.is_some();
    let clock = crosses.then(|| (ticks, cdc.unwrap_or(1) + serdes));
    let delay = if crosses { delay } else { delay + serdes * (ticks + cycle) };
    let ends = clock.map_or(0, |(period, stages)| stages * (period + cycle));
    let waits = clock.map_or(0, |(period, _)| 2 * (period - 1) + 2 * (cycle - 1));
    let slowest = if crosses { flit_time.max(cycle) } else { flit_time };
    let need = (flit_time + 2 * (delay + ends) + waits).div_ceil(slowest);
    let text = keys.iter().filter_map(|(key, value)| value.map(|value| format!("{key} = {value}")));
    let text = text.collect::<Vec<_>>().join("\n");
    (text, Link { flit_time, delay, clock, buffer: usize::try_from(buffer.unwrap_or(need)).unwrap() })
}

impl Line {
    fn draw(random: &mut Pcg64) -> Self {
        let cycle = random.random_range(1..=4);
        let bits = 32;
        let routing_delay = random.random_range(0..=2);
        let count = random.random_range(1..=4);
        let mut line = Self {
            cycle,
            routing_delay,
            graph: format!("kind,a,b,flit_time,delay,class\nnode,0,0,,,\nnode,1,{count},,,\n"),
            tables: format!("[channel]\nflit_time = {cycle}\nflit_bits = {bits}\nrouting_delay = {routing_delay}\n"),
            links: Vec::new(),
        };
        for link in 0..count {
            let times = [random.random_range(1..=5), random.random_range(0..=6)];
            let [flit_time, delay] = times;
            writeln!(line.graph, "arc,{link},{},{flit_time},{delay},x{link}", link + 1).unwrap();
            writeln!(line.graph, "arc,{},{link},,,back", link + 1).unwrap();
            let (text, link_rules) = class(random, [cycle, bits], times);
            writeln!(line.tables, "[links.x{link}]\n{text}").unwrap();
            line.links.push(link_rules);
        }
        line
    }

    /// The deliveries of messages of these lengths, which follow each other over the line: the rules flit by flit.
    fn deliveries(&self, lengths: &[usize]) -> Vec<u64> {
        let node = Link { flit_time: self.cycle, delay: 0, clock: None, buffer: 1 };
        let node = std::slice::from_ref(&node);
        let path: Vec<Link> = [node, &self.links[..], node].concat();
        let mut free = vec![0; path.len()];
        lengths.iter().map(|&flits| self.deliver(&path, flits, &mut free)).collect()
    }

    /// Delivers a message that requests its first channel at 0. Channels are `free` from given ticks on.
    fn deliver(&self, path: &[Link], flits: usize, free: &mut [u64]) -> u64 {
        let up = |tick: u64, period: u64| tick.div_ceil(period) * period;
        let last = path.len() - 1;
        let mut starts = vec![vec![0; path.len()]; flits];
        let mut arrivals = vec![vec![0; path.len()]; flits];
        let mut grants: Vec<u64> = Vec::new();
        let credit = |link: &Link, left: u64| match link.clock {
            None => left + link.delay,
            Some((period, stages)) => {
                up(up(left, period) + link.delay + stages * period, self.cycle) + stages * self.cycle
            }
        };
        // a flit on a channel depends on the flit before it there and on the one that is a buffer ahead on the next
        for flit in 0..flits {
            for (hop, link) in path.iter().enumerate() {
                let ahead = flit.checked_sub(link.buffer).filter(|_| hop < last);
                let came = if hop == 0 { 0 } else { arrivals[flit][hop - 1] };
                if flit == 0 {
                    let request = if hop == 0 { 0 } else { came + self.routing_delay };
                    grants.push(request.max(free[hop]));
                }
                let before = flit.checked_sub(1).map_or(0, |before| starts[before][hop] + link.flit_time);
                let slot = ahead.map_or(0, |ahead| credit(link, starts[ahead][hop + 1]));
                let ready = grants[hop].max(before).max(came).max(slot);
                let start = link.clock.map_or(ready, |(period, _)| up(ready, period));
                starts[flit][hop] = start;
                arrivals[flit][hop] = match link.clock {
                    None => start + link.flit_time + link.delay,
                    Some((period, stages)) => {
                        let end = start + link.flit_time + link.delay + stages * period;
                        let buffers = flit.checked_sub(1).map_or(0, |before| arrivals[before][hop] + self.cycle);
                        (up(end, self.cycle) + stages * self.cycle).max(buffers)
                    }
                };
            }
        }
        for (hop, link) in path.iter().enumerate() {
            free[hop] = match starts[flits - 1].get(hop + 1) {
                Some(&left) => credit(link, left),
                None => starts[flits - 1][hop] + link.flit_time,
            };
        }
        arrivals[flits - 1][last]
    }
}

fn parse(bench: &Bench, text: &str) -> Scenario {
    let scenario = Scenario::parse("s.toml", text, &bench.path(""), &Options::default());
    scenario.unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
}

#[test]
fn the_flit_engine_follows_the_rules_of_clocks() {
    let bench = Bench::new("");
    let mut crossings = 0;
    for case in 0..600 {
        let random = &mut Pcg64::seed_from_u64(case);
        let line = Line::draw(random);
        crossings += line.links.iter().filter(|link| link.clock.is_some()).count();
        std::fs::write(bench.path("net.csv"), &line.graph).unwrap();
        std::fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,0,1,1,0\n").unwrap();
        let files = "[network.graph]\nfile = \"net.csv\"\n[workload.trace]\nfile = \"m.csv\"\n";
        let scenario = parse(&bench, &format!("name = \"line\"\n{}{files}", line.tables));
        let machine = &scenario.points[0].experiment.machine;
        let lengths: Vec<usize> = (0..random.random_range(1..=3)).map(|_| random.random_range(1..=20)).collect();
        let message = |flits: &usize| TraceMessage {
            src: NodeId(0),
            dst: NodeId(1),
            flits: Flits(*flits as u64),
            start: Ticks(0),
        };
        let messages: Vec<TraceMessage> = lengths.iter().map(message).collect();
        let network = machine.network().unwrap();
        let run = |engine: Engine| engine.run(network, machine.channel, TraceProgram::new(&messages), &mut ());
        let expected = line.deliveries(&lengths);
        let has_clocks = line.links.iter().any(|link| link.clock.is_some());
        for engine in [Engine::Flit, Engine::Auto] {
            let outcome = run(engine).unwrap();
            let delivered: Vec<u64> = outcome.messages.iter().map(|message| message.delivered.0).collect();
            assert_eq!(delivered, expected, "{case} {engine:?} {lengths:?}\n{}{:?}", line.tables, line.links);
        }
        if has_clocks {
            assert!(
                matches!(run(Engine::Worm), Err(Stop::Clocked(_)))
                    && matches!(run(Engine::Sleep), Err(Stop::Clocked(_)))
            );
        }
    }
    assert!(crossings > 600, "{crossings}");
}

/// The costs of all links of the network in `tables`, each with the name of its class.
fn costs(tables: &str) -> Vec<(String, Option<LinkCost>)> {
    let bench = Bench::new("");
    let text = format!(
        "name = \"classes\"\n{tables}\n[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 1\nnodes = [0, 1]\n"
    );
    let scenario = parse(&bench, &text);
    let machine = &scenario.points[0].experiment.machine;
    let channels = machine.network().unwrap().channels();
    let links = machine.spec().unwrap().links().unwrap();
    let classes = links.classes();
    // channels cost what links do
    for channel in (0..channels.count()).map(flitwise::units::ChannelId::new) {
        if let Some(class) = channels.class(channel) {
            let of_class = |link: &flitwise::units::LinkId| links.class(*link) == class;
            let mut of_links = (0..links.count()).map(flitwise::units::LinkId::new).filter(of_class);
            assert!(
                of_links.clone().next().is_none() || of_links.any(|link| links.cost(link) == channels.cost(channel))
            );
        }
    }
    let links = (0..links.count())
        .map(flitwise::units::LinkId::new)
        .map(|link| (classes[links.class(link)].clone(), links.cost(link)));
    let mut all: Vec<(String, Option<LinkCost>)> = Vec::new();
    for (class, cost) in links {
        if !all.contains(&(class.clone(), cost)) {
            all.push((class, cost));
        }
    }
    all
}

#[test]
fn every_network_applies_the_classes_of_its_links() {
    let cost = |flit_time, delay| Some(LinkCost::new(flit_time, delay));
    for (network, class, expected) in [
        ("mesh.shape = [3, 3]", "dim1", vec![("dim0", cost(1, 0)), ("dim1", cost(1, 7))]),
        (
            "mesh = { shape = [3, 3], delay = [0, 2], concentration = 2 }",
            "dim1",
            vec![("dim0", cost(1, 0)), ("dim1", cost(1, 9))],
        ),
        (
            "mesh = { shape = [5], delay = [2], express = 2 }",
            "express",
            vec![("dim0", cost(1, 2)), ("express", cost(1, 9))],
        ),
        ("torus.shape = [3, 4]", "dim0", vec![("dim0", cost(1, 7)), ("dim1", cost(1, 0))]),
        ("hypercube.dimension = 2", "dim1", vec![("dim0", cost(1, 0)), ("dim1", cost(1, 7))]),
        ("hypercube = { dimension = 2, concentration = 2 }", "dim1", vec![("dim0", cost(1, 0)), ("dim1", cost(1, 7))]),
        ("hyperx.shape = [3, 2]", "dim0", vec![("dim0", cost(1, 7)), ("dim1", cost(1, 0))]),
        ("full-mesh.routers = 3", "dim0", vec![("dim0", cost(1, 7))]),
        ("bmin = { radix = 2, levels = 3 }", "gap1", vec![("gap0", cost(1, 0)), ("gap1", cost(1, 7))]),
        ("fat-tree = { arity = 2, levels = 3 }", "gap0", vec![("gap0", cost(1, 7)), ("gap1", cost(1, 0))]),
        ("dragonfly = { p = 1, a = 2, h = 1 }", "global", vec![("local", cost(1, 0)), ("global", cost(1, 7))]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(class, cost)| (class.to_owned(), cost)).collect();
        assert_eq!(costs(&format!("network.{network}\nlinks.{class}.latency = 7")), expected, "{network}");
        // all links, but those of a class with a table of its own
        let all = format!("network.{network}\nlinks.all.latency = 7\nlinks.{class} = {{ latency = 0, buffer = 3 }}");
        assert!(costs(&all).iter().all(|(name, cost)| {
            let own_values = cost.unwrap();
            (name == class) == own_values.own_buffer.is_some() && (name == class || own_values.delay.0 >= 7)
        }));
        assert!(
            costs(&format!("network.{network}")).iter().all(|(_, cost)| cost.is_none_or(|cost| cost.clock.is_none()))
        );
    }
}

fn error(tables: &str) -> String {
    let bench = Bench::new(&format!(
        "name = \"wrong\"\n{tables}\n[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 1\nnodes = [0, 1]\n"
    ));
    let out = bench.call(&["check", "s.toml"]);
    assert_eq!(out.status.code(), Some(2), "{tables}: {out:?}");
    String::from_utf8(out.stderr).unwrap()
}

#[test]
fn classes_that_do_not_fit_are_refused() {
    let mesh = "network.mesh.shape = [3, 3]\n";
    for (tables, said) in [
        ("links.d2d.width = 8\nchannel.flit_bits = 64", "there is no class of links `d2d` on this network"),
        ("links.d2d.latency = 8", "accepted: `all`, `node`, `dim0`, `dim1`"),
        ("links.all.width = 8", "`links.all.width` requires `channel.flit_bits`"),
        (
            "channel = { flit_bits = 64, flit_bytes = 16 }",
            "`channel.flit_bits` is 64, but `channel.flit_bytes` = 16 makes it 128",
        ),
        ("links.dim0.period = 0", "accepted: an integer from 1"),
        ("links.dim0.length = 0.1234", "`links.dim0.length` has more than three decimals"),
        ("links.node.latency = 1", "latency"),
        (
            "links.dim0.period = 3\nengine.kind = \"worm\"",
            "the engine `worm` does not support links that cross clocks, but (0,0)->(1,0) of the class `dim0` has a clock of 3 ticks",
        ),
        ("links.dim0.cdc = 0\nengine.kind = \"sleep\"", "the engine `sleep` does not support links that cross clocks"),
        ("links.dim0.period = 3\nengine.kind = \"router\"", "ideal routers do not support links that cross clocks"),
        ("links.dim0.latency = 2\nlinks.dim0.buffer = 2\nengine.kind = \"worm\"", "does not cover"),
        ("links.dim0.buffer = 70000\nrouter.model = \"pipelined\"", "at most 32768 flits"),
        (
            "links.dim0.buffer = 7\nrouter = { model = \"pipelined\", buffer_policy = \"shared\", shared_buffer = 20 }",
            "wormhole switching",
        ),
    ] {
        let message = error(&format!("{mesh}{tables}"));
        assert!(message.contains(said), "{tables}: {message}");
    }
    let grid =
        "[network.grid]\nnodes = 4\nbytes = 1000\nlatency = [10, 20]\nbandwidth = [2, 3]\n[links.all]\nlatency = 1";
    let message = error(grid);
    assert!(message.contains("`links` has no effect with [network.grid]"), "{message}");
    let message = error("links.all.latency = 1");
    assert!(message.contains("`links` has no effect without a table [network.*]"), "{message}");
}

/// The flit time and the delay of a class, or keys of the network, give the same rows.
#[test]
fn results_name_the_buffers_of_classes() {
    let bench = Bench::new(
        "name = \"two\"\n[network.mesh]\nshape = [3, 3]\n[links.dim0]\nlatency = 4\n[links.dim1]\nbuffer = 6\n[links.node]\nbuffer = 2\n\
         [workload.multicast]\nalgorithms = [\"chain\"]\nflits = 9\ngroup = 4\n",
    );
    let table = bench.ok(&["run", "s.toml"]);
    assert!(table.contains("behind 12 links with a delay hold 9 flits"), "{table}");
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("results/two/manifest.json")).unwrap()).unwrap();
    let size = |least, largest| serde_json::json!({ "least": least, "largest": largest });
    assert_eq!(
        manifest["resolved"]["buffers"],
        serde_json::json!({ "dim0": size(9, 9), "dim1": size(6, 6), "node": size(2, 2) })
    );
    let out = bench.call(&["check", "s.toml", "--set", "links.dim0.buffer=3", "--set", "links.dim1.latency=20"]);
    let stderr = String::from_utf8_lossy(&out.stderr);
    for warning in [
        "warning: link (0,0)->(1,0) needs 9 flits of buffer for full rate, has 3; 11 more links have too few",
        "warning: link (0,0)->(0,1) needs 41 flits of buffer for full rate, has 6; 11 more links have too few",
    ] {
        assert!(stderr.contains(warning), "{stderr}");
    }
    bench.ok(&["run", "s.toml", "--force", "--quiet", "--set", "channel.flit_bits=64", "--set", "links.all.width=16"]);
    let rows = csv_rows(&std::fs::read_to_string(bench.path("results/two/rows.csv")).unwrap());
    assert_eq!(rows[0]["engine"], "worm");
    bench.ok(&["run", "s.toml", "--force", "--quiet", "--set", "links.all.period=3"]);
    let rows = csv_rows(&std::fs::read_to_string(bench.path("results/two/rows.csv")).unwrap());
    assert_eq!(rows[0]["engine"], "flit");
}
