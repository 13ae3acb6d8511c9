//! Chiplets: their links and paths against a reference, a mesh and a slow search, the order of hierarchical paths, closed forms
//! against a search, every engine and workload, and the messages about wrong keys. `tests/data/networks/chiplets.json` holds the
//! links and paths of the reference, an independent program.

use crate::cli::{Bench, csv_rows};
use crate::random::{channel_costs, traffic};
use crate::support::{data, record};
use flitwise::engine::Engine;
use flitwise::engine::program::TraceProgram;
use flitwise::machine::Machine;
use flitwise::network::LinkPaths;
use flitwise::routing::DependencyGraph;
use flitwise::scenario::{Options, Scenario};
use flitwise::topology::Links;
use flitwise::units::{LinkId, NodeId, RouterId};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A network with its links and some paths, as the reference computes them.
#[derive(Deserialize)]
struct Case {
    network: String,
    nodes: usize,
    routers: usize,
    links: usize,
    /// Per link the routers that it joins.
    ends: Vec<[usize; 2]>,
    /// Source, destination and links.
    paths: Vec<(usize, usize, Vec<usize>)>,
}

/// Chiplets of one to three dimensions with all kinds of joints.
const CHIPLETS: [&str; 9] = [
    "chips = [3], shape = [4]",
    "chips = [2, 2], shape = [3, 2]",
    "chips = [2, 1, 2], shape = [2, 3, 2]",
    "chips = [2, 3], shape = [3, 3], d2d_links = 1",
    "chips = [2, 2], shape = [4, 4], d2d_links = 3",
    "chips = [4], shape = [3], interposer = true",
    "chips = [2, 3], shape = [3, 4], interposer = true",
    "chips = [3, 1, 2], shape = [2, 2, 3], interposer = true",
    "chips = [3, 2], shape = [2, 2], concentration = 2, interposer = true",
];

/// The machine with chiplets of these keys and these lines of a scenario.
fn machine(keys: &str, more: &str) -> Arc<Machine> {
    let text = format!(
        "name = \"s\"\n{more}\nnetwork.chiplets = {{ {keys} }}\n\
         workload.multicast = {{ algorithms = [\"sequential\"], flits = 1, group = 2 }}\n"
    );
    machine_of(&text)
}

fn machine_of(text: &str) -> Arc<Machine> {
    let scenario = Scenario::parse("s.toml", text, Path::new("."), &Options::default());
    let scenario = scenario.unwrap_or_else(|rejected| panic!("{text}: {:?}", rejected.diagnostics));
    Arc::clone(&scenario.points[0].experiment.machine)
}

fn paths(machine: &Machine) -> LinkPaths {
    machine.network.as_ref().unwrap().link_paths().unwrap()
}

fn path(paths: &LinkPaths, src: usize, dst: usize) -> Vec<LinkId> {
    let steps = paths.first_path(NodeId::new(src), NodeId::new(dst)).unwrap();
    assert!(steps.iter().all(|step| step.class == 0));
    steps.iter().map(|step| step.link).collect()
}

/// All pairs of nodes.
fn pairs(links: &dyn Links) -> impl Iterator<Item = (usize, usize)> + use<> {
    let nodes = links.nodes();
    (0..nodes).flat_map(move |src| (0..nodes).map(move |dst| (src, dst)))
}

fn ends(links: &dyn Links, link: LinkId) -> [usize; 2] {
    let (from, to) = links.ends(link);
    [from, to].map(RouterId::index)
}

fn all_ends(links: &dyn Links) -> Vec<[usize; 2]> {
    (0..links.count()).map(|link| ends(links, LinkId::new(link))).collect()
}

#[test]
fn links_and_paths_are_those_of_the_reference() {
    let cases: Vec<Case> = data("networks/chiplets.json");
    assert!(cases.len() >= 4);
    for case in cases {
        let paths = paths(&machine(&case.network, ""));
        let links = paths.links();
        assert_eq!((links.nodes(), links.routers(), links.count()), (case.nodes, case.routers, case.links));
        assert_eq!(all_ends(links), case.ends, "{}", case.network);
        for (src, dst, expected) in case.paths {
            let found: Vec<usize> = path(&paths, src, dst).into_iter().map(LinkId::index).collect();
            assert_eq!(found, expected, "{}: {src} to {dst}", case.network);
        }
    }
}

/// The routers of a path in dimension order on a mesh of such `sides`.
fn on_mesh(sides: &[usize], from: usize, to: usize) -> Vec<usize> {
    let stride = |dimension: usize| sides[dimension + 1..].iter().product::<usize>();
    let mut routers = vec![from];
    let mut at = from;
    for (dimension, side) in sides.iter().enumerate() {
        let coordinate = |router: usize| router / stride(dimension) % side;
        while coordinate(at) != coordinate(to) {
            at = if coordinate(at) < coordinate(to) { at + stride(dimension) } else { at - stride(dimension) };
            routers.push(at);
        }
    }
    routers
}

#[test]
fn dimension_order_has_the_paths_of_a_mesh_of_all_routers() {
    for (keys, sides, concentration) in [
        ("chips = [3], shape = [4]", &[12][..], 1),
        ("chips = [2, 2], shape = [3, 2], concentration = 2", &[6, 4], 2),
        ("chips = [2, 1, 2], shape = [2, 3, 2]", &[4, 3, 4], 1),
        ("chips = [2, 2], shape = [3, 3], d2d_links = 3", &[6, 6], 1),
    ] {
        let paths = paths(&machine(keys, ""));
        let links = paths.links();
        assert_eq!(links.nodes(), sides.iter().product::<usize>() * concentration, "{keys}");
        for (src, dst) in pairs(links) {
            let mut routers = vec![src / concentration];
            routers.extend(path(&paths, src, dst).into_iter().map(|link| ends(links, link)[1]));
            assert_eq!(routers, on_mesh(sides, src / concentration, dst / concentration), "{keys}: {src} to {dst}");
        }
    }
}

/// With all facing routers joined, a run is that on a mesh.
#[test]
fn chiplets_with_all_links_run_like_a_mesh() {
    let rows = |network: &str| {
        let bench = Bench::new(&format!(
            "name = \"s\"\nrepetitions = 3\n{network}\n\
             node = {{ send_setup = 7, receive_setup = 9 }}\n\
             workload.multicast = {{ algorithms = [\"opt-mesh\", \"binomial\"], flits = 20, group = 17 }}\n"
        ));
        bench.ok(&["run", "s.toml"]);
        let rows = csv_rows(&fs::read_to_string(bench.path("results/s/rows.csv")).unwrap());
        let columns = ["algorithm", "predicted", "measured", "blocked_headers", "blocked_time", "queued_time"];
        rows.iter().map(|row| columns.map(|column| row[column].clone())).collect::<Vec<_>>()
    };
    let on_mesh = rows("network.mesh.shape = [6, 8]");
    assert_eq!(on_mesh.len(), 6);
    assert_eq!(rows("network.chiplets = { chips = [2, 2], shape = [3, 4] }"), on_mesh);
}

/// The least number of links of a path up and then down from each router and state to `to`, by relaxation of all links.
fn up_down_distances(links: &[[usize; 2]], levels: &[usize], to: usize) -> BTreeMap<(usize, bool), usize> {
    let mut distances = BTreeMap::from([((to, true), 0), ((to, false), 0)]);
    loop {
        let mut is_settled = true;
        for &[from, end] in links {
            let is_up = (levels[end], end) < (levels[from], from);
            let Some(&left) = distances.get(&(end, is_up)) else { continue };
            // a message that went down does not go up again
            for may_go_up in [true, false].into_iter().filter(|may_go_up| *may_go_up || !is_up) {
                let distance = distances.entry((from, may_go_up)).or_insert(usize::MAX);
                if left + 1 < *distance {
                    *distance = left + 1;
                    is_settled = false;
                }
            }
        }
        if is_settled {
            return distances;
        }
    }
}

/// The links from `from` to each router.
fn searched(links: &[[usize; 2]], routers: usize, from: usize) -> Vec<usize> {
    let mut distances = vec![usize::MAX; routers];
    distances[from] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &[_, end] in links.iter().filter(|[start, _]| *start == at) {
            if distances[end] == usize::MAX {
                distances[end] = distances[at] + 1;
                queue.push_back(end);
            }
        }
    }
    distances
}

#[test]
fn up_down_takes_the_shortest_path_up_and_down_by_the_lowest_links() {
    for (keys, root) in [(CHIPLETS[3], 0), (CHIPLETS[4], 21), (CHIPLETS[6], 74), (CHIPLETS[2], 5)] {
        let paths = paths(&machine(keys, &format!("router = {{ routing = \"up-down\", root = {root} }}")));
        let links = all_ends(paths.links());
        let levels = searched(&links, paths.links().routers(), root);
        for dst in (0..paths.links().nodes()).step_by(3) {
            let distances = up_down_distances(&links, &levels, dst);
            for src in (0..paths.links().nodes()).filter(|&src| src != dst) {
                let mut at = (src, true);
                let mut expected = Vec::new();
                while at.0 != dst {
                    let next = |&[from, end]: &[usize; 2]| {
                        let is_up = (levels[end], end) < (levels[from], from);
                        let state = (end, is_up);
                        let is_allowed = from == at.0 && (at.1 || !is_up);
                        (is_allowed && distances.get(&state).is_some_and(|left| left + 1 == distances[&at]))
                            .then_some(state)
                    };
                    let (link, state) =
                        links.iter().enumerate().find_map(|(at, ends)| Some((at, next(ends)?))).unwrap();
                    expected.push(LinkId::new(link));
                    at = state;
                }
                assert_eq!(path(&paths, src, dst), expected, "{keys}: {src} to {dst}");
            }
        }
    }
}

/// The position of a link in the order of hierarchical paths: towards a vertical link, down, interposer, up, away.
fn stage(links: &dyn Links, path: &[LinkId], position: usize) -> usize {
    let class = |link: &LinkId| links.classes()[links.class(*link)].clone();
    let vertical_before = path[..position].iter().filter(|link| class(link) == "vertical").count();
    match (class(&path[position]).as_str(), vertical_before) {
        ("chip", 0) => 0,
        ("vertical", 0) => 1,
        ("interposer", 1) => 2,
        ("vertical", 1) => 3,
        ("chip", 2) => 4,
        other => panic!("{other:?}"),
    }
}

#[test]
fn hierarchical_paths_take_links_in_the_order_that_rules_out_deadlock() {
    for keys in &CHIPLETS[5..] {
        let paths = paths(&machine(keys, ""));
        let links = paths.links();
        let mut dependencies = DependencyGraph::default();
        let mut stages = BTreeSet::new();
        for (src, dst) in pairs(links) {
            let path = path(&paths, src, dst);
            dependencies.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
            let of_path: Vec<usize> = (0..path.len()).map(|position| stage(links, &path, position)).collect();
            assert!(of_path.is_sorted(), "{keys}: {src} to {dst}: {of_path:?}");
            stages.extend(of_path);
        }
        assert_eq!(stages, BTreeSet::from([0, 1, 2, 3, 4]), "{keys}");
        assert_eq!(dependencies.shortest_cycle(), None, "{keys}");
    }
}

#[test]
fn certificates_prove_every_default_routing_free() {
    for keys in CHIPLETS {
        let bench = Bench::new(&format!("name = \"s\"\nnetwork.chiplets = {{ {keys} }}\n"));
        bench.ok(&["check", "s.toml", "--certificate", "c.txt"]);
        let certificate = fs::read_to_string(bench.path("c.txt")).unwrap();
        assert!(certificate.contains("\nverdict free\n"), "{keys}");
    }
}

/// The largest number of paths from the lower half of the nodes to the upper half that share no link, by augmenting paths.
fn flow_between_halves(links: &dyn Links) -> u64 {
    let all = all_ends(links);
    let half = links.nodes() / 2;
    let router = |node: usize| links.router_of(NodeId::new(node)).index();
    let sources: BTreeSet<usize> = (0..half).map(router).collect();
    let sinks: BTreeSet<usize> = (half..links.nodes()).map(router).collect();
    let mut used = vec![false; all.len()];
    let mut flow = 0;
    loop {
        // per router the link that leads there, and true if that is used backwards
        let mut reached: BTreeMap<usize, Option<(usize, bool)>> = sources.iter().map(|&at| (at, None)).collect();
        let mut queue: VecDeque<usize> = sources.iter().copied().collect();
        let mut end = None;
        while let Some(at) = queue.pop_front() {
            if sinks.contains(&at) {
                end = Some(at);
                break;
            }
            for (link, &[from, to]) in all.iter().enumerate() {
                let step = match used[link] {
                    false if from == at => Some((to, false)),
                    true if to == at => Some((from, true)),
                    _ => None,
                };
                if let Some((next, back)) = step.filter(|(next, _)| !reached.contains_key(next)) {
                    reached.insert(next, Some((link, back)));
                    queue.push_back(next);
                }
            }
        }
        let Some(mut at) = end else { return flow };
        flow += 1;
        while let Some((link, back)) = reached[&at] {
            used[link] = !back;
            at = all[link][usize::from(back)];
        }
    }
}

#[test]
fn closed_forms_are_what_a_search_finds() {
    let mut known = 0;
    for keys in CHIPLETS.into_iter().chain([
        "chips = [1], shape = [5], interposer = true",
        "chips = [1, 1], shape = [4, 3], interposer = true",
        "chips = [3, 3], shape = [4, 2], interposer = true",
        "chips = [2, 2], shape = [1, 1], interposer = true",
    ]) {
        let machine = machine(keys, "");
        let network = machine.network.as_ref().unwrap();
        let links = network.spec.links().unwrap();
        let all = all_ends(links.as_ref());
        let Some(form) = network.spec.closed_form() else {
            assert!(keys.contains("d2d_links"), "{keys}");
            continue;
        };
        known += 1;
        let router = |node: usize| links.router_of(NodeId::new(node)).index();
        let from: Vec<Vec<usize>> =
            (0..links.nodes()).map(|node| searched(&all, links.routers(), router(node))).collect();
        let apart: Vec<usize> = pairs(links.as_ref()).map(|(src, dst)| from[src][router(dst)]).collect();
        assert_eq!(form.diameter, *apart.iter().max().unwrap() as u64, "{keys}");
        assert_eq!(form.distance_sum, Some(apart.iter().sum::<usize>() as u128), "{keys}");
        if let Some(bisection) = form.bisection {
            assert_eq!(bisection, flow_between_halves(links.as_ref()), "{keys}");
        }
        let longest = network.spec.longest_path();
        let paths = network.link_paths().unwrap();
        let most = pairs(links.as_ref()).map(|(src, dst)| path(&paths, src, dst).len()).max().unwrap();
        assert_eq!(longest, most as u64 + 2, "{keys}");
    }
    assert_eq!(known, 11);
}

#[test]
fn the_engines_agree() {
    for (number, keys) in (0..180).zip(CHIPLETS.into_iter().cycle()) {
        let mut random = Pcg64::seed_from_u64(number);
        let machine = machine(keys, "");
        let network = machine.network().unwrap();
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        let run = |engine| record(engine, network, costs, TraceProgram::new(&messages)).unwrap();
        let (flit, flits) = run(Engine::Flit);
        for engine in [Engine::Worm, Engine::Sleep] {
            let (other, recording) = run(engine);
            assert_eq!((&other.messages, &recording), (&flit.messages, &flits), "{keys}, case {number}, {engine:?}");
        }
    }
}

#[test]
fn every_workload_runs_on_every_engine() {
    let workloads = [
        ("multicast = { algorithms = [\"opt-tree\", \"binomial\"], flits = 9, group = 7 }", true),
        ("collective = { operation = \"allreduce\", algorithms = [\"ring\", \"rabenseifner\"], flits = 24 }", true),
        ("exchange = { algorithms = [\"direct\", \"bruck\"], block_flits = 3 }", true),
        ("trace.file = \"m.csv\"", true),
        ("traffic = { pattern = \"tornado\", rate = 0.05, packet_flits = 3, warmup = 100, measure = 500 }", false),
    ];
    let engines = [
        "engine.kind = \"worm\"",
        "engine.kind = \"flit\"",
        "engine.kind = \"sleep\"",
        "router.model = \"ideal\"\nengine.kind = \"router\"",
        "router.model = \"pipelined\"",
    ];
    let mut measured: BTreeMap<(usize, String), BTreeSet<String>> = BTreeMap::new();
    for (number, keys) in [CHIPLETS[1], CHIPLETS[3], CHIPLETS[8]].into_iter().enumerate() {
        for (workload, is_program) in workloads {
            for engine in engines.iter().filter(|engine| is_program || engine.contains("router")) {
                let text = format!(
                    "name = \"s\"\nchannel.buffer = 4\n{engine}\nnetwork.chiplets = {{ {keys} }}\nworkload.{workload}\n"
                );
                let bench = Bench::new(&text);
                fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,0,11,4,0\n1,3,9,7,2\n2,11,3,5,2\n").unwrap();
                bench.ok(&["run", "s.toml"]);
                let rows = csv_rows(&fs::read_to_string(bench.path("results/s/rows.csv")).unwrap());
                // ideal routers and worms keep the same times
                for row in rows.iter().filter(|_| is_program && !engine.contains("pipelined")) {
                    let key = (number, format!("{workload} {}", row["algorithm"]));
                    measured.entry(key).or_default().insert(row["measured"].clone());
                }
            }
        }
    }
    assert_eq!(measured.len(), 3 * 7);
    assert!(measured.values().all(|times| times.len() == 1 && !times.contains("")), "{measured:?}");
}

/// A run with slow links between chips, and when its messages are delivered.
#[derive(Deserialize)]
struct Timed {
    scenario: String,
    messages: String,
    delivered: Vec<u64>,
}

#[test]
fn slow_links_between_chips_take_the_times_of_the_reference() {
    let cases: Vec<Timed> = data("networks/chiplets-times.json");
    assert!(cases.len() >= 5);
    for case in cases {
        let bench = Bench::new(&format!("name = \"s\"\n{}", case.scenario));
        fs::write(bench.path("m.csv"), &case.messages).unwrap();
        bench.ok(&["run", "s.toml", "--messages"]);
        let rows = csv_rows(&fs::read_to_string(bench.path("results/s/messages.csv")).unwrap());
        let mut delivered: Vec<(u64, u64)> =
            rows.iter().map(|row| (row["id"].parse().unwrap(), row["delivered"].parse().unwrap())).collect();
        delivered.sort_unstable();
        let times: Vec<u64> = delivered.into_iter().map(|(_, at)| at).collect();
        assert_eq!(times, case.delivered, "{}", case.scenario);
    }
}

/// Tables of links apply to the classes that a network has, and the others are accepted.
#[test]
fn classes_of_links_are_those_of_chiplets() {
    let latency = |keys: &str, class: &str| {
        let machine = machine(keys, &format!("links.{class}.latency = 3"));
        let links = machine.network.as_ref().unwrap().spec.links().unwrap();
        let slow = (0..links.count()).map(LinkId::new).filter(|&link| links.cost(link).is_some_and(|c| c.delay.0 == 3));
        slow.count()
    };
    let classes = ["chip", "d2d", "interposer", "vertical"];
    assert_eq!(classes.map(|class| latency("chips = [2, 2], shape = [3, 3]", class)), [96, 24, 0, 0]);
    assert_eq!(classes.map(|class| latency("chips = [2, 2], shape = [3, 3], interposer = true", class)), [96, 0, 8, 8]);
    let bench = Bench::new("name = \"s\"\nnetwork.chiplets = { chips = [2], shape = [2] }\nlinks.dim0.latency = 1\n");
    let error = bench.fails(2, &["network", "s.toml"]);
    assert!(error.contains("dim0") && error.contains("`chip`, `d2d`, `interposer`, `vertical`"), "{error}");
}

#[test]
fn the_default_routing_is_that_of_the_joints() {
    for (keys, routing, title) in [
        ("chips = [2, 2], shape = [4, 4]", "dimension-order", "2x2 chiplets of 4x4 routers"),
        ("chips = [2, 2], shape = [4, 4], d2d_links = 4", "dimension-order", "2x2 chiplets of 4x4 routers"),
        ("chips = [2, 2], shape = [4, 4], d2d_links = 1", "up-down", "2x2 chiplets of 4x4 routers, 1 link a side"),
        // along the second dimension three routers face each other
        ("chips = [2, 2], shape = [3, 4], d2d_links = 3", "up-down", "2x2 chiplets of 3x4 routers, 3 links a side"),
        ("chips = [3, 1], shape = [3, 4], d2d_links = 4", "dimension-order", "3x1 chiplets of 3x4 routers"),
        (
            "chips = [3], shape = [4], concentration = 2, interposer = true",
            "hierarchical",
            "3 chiplets of 4 routers on an interposer, 2 nodes a router",
        ),
        ("chips = [1], shape = [4]", "dimension-order", "1 chiplet of 4 routers"),
    ] {
        let machine = machine(keys, "");
        let spec = &machine.network.as_ref().unwrap().spec;
        assert_eq!((spec.routing(), spec.title().as_str()), (routing, title), "{keys}");
    }
}

/// Keys of `[router]` are read with the routing that the joints imply.
#[test]
fn keys_of_the_default_routing_are_read() {
    let rooted = machine("chips = [2], shape = [4, 4]".replace("[2]", "[2, 1]").as_str(), "");
    assert_eq!(rooted.network.as_ref().unwrap().spec.routing(), "dimension-order");
    let parameters = |keys: &str| {
        let machine = machine(keys, "router.root = 5");
        format!("{:?}", machine.network.as_ref().unwrap().spec.parameters())
    };
    assert!(parameters("chips = [2, 1], shape = [4, 4], d2d_links = 1").contains("(\"root\", Integer(5))"));
    let shortest =
        machine(CHIPLETS[3], "router = { routing = \"shortest\", classes = \"hops\", weight = \"latency\" }");
    let spec = &shortest.network.as_ref().unwrap().spec;
    assert!(spec.virtual_channels() > 4 && spec.cycle().is_none());
}

#[test]
fn a_table_of_links_is_read() {
    let bench = Bench::new(
        "name = \"s\"\nnetwork.chiplets = { chips = [2], shape = [2], interposer = true }\n\
         router = { routing = \"table\", table = \"t.csv\" }\n",
    );
    let paths = paths(&machine("chips = [2], shape = [2], interposer = true", ""));
    let mut rows: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (src, dst) in pairs(paths.links()) {
        for link in path(&paths, src, dst) {
            rows.insert((ends(paths.links(), link)[0], dst), link.index());
        }
    }
    let text: String = rows.iter().map(|((at, to), link)| format!("{at},{to},{link}\n")).collect();
    fs::write(bench.path("t.csv"), format!("at,to,link\n{text}")).unwrap();
    let listed = bench.ok(&["routes", "s.toml", "--pairs", "all"]);
    let own = Bench::new("name = \"s\"\nnetwork.chiplets = { chips = [2], shape = [2], interposer = true }\n");
    assert_eq!(listed, own.ok(&["routes", "s.toml", "--pairs", "all"]));
}

#[test]
fn errors_of_keys_name_the_accepted_values() {
    for (keys, more, said) in [
        ("chips = [2, 2], shape = [3, 3], d2d_links = 4", "", &["`d2d_links` must be at most 3", "1 to 3"][..]),
        ("chips = [1, 2], shape = [9, 3], d2d_links = 10", "", &["`d2d_links` must be at most 9"]),
        ("chips = [2, 2], shape = [3]", "", &["`shape` has 1 entry, but `chips` has 2 entries"]),
        ("chips = [], shape = []", "", &["`chips` has 0 entries", "1 to 3 dimensions"]),
        ("chips = [1, 1, 1, 2], shape = [2, 2, 2, 2]", "", &["`chips` has 4 entries"]),
        ("chips = [2, 0], shape = [3, 3]", "", &["chips"]),
        ("shape = [3, 3]", "", &["chips"]),
        (
            "chips = [2, 2], shape = [3, 3], d2d_links = 2, interposer = true",
            "",
            &["d2d_links", "chiplets on an interposer have no die-to-die links"],
        ),
        (
            "chips = [2, 2], shape = [3, 3], d2d_links = 2",
            "router.routing = \"dimension-order\"",
            &[
                "`dimension-order` needs a link between all facing routers",
                "accepted here: `up-down`, `shortest`, `table`",
            ],
        ),
        (
            "chips = [2, 2], shape = [3, 3], interposer = true",
            "router.routing = \"dimension-order\"",
            &["`dimension-order` needs die-to-die links", "`hierarchical`, `up-down`"],
        ),
        (
            "chips = [2, 2], shape = [3, 3]",
            "router.routing = \"hierarchical\"",
            &["`hierarchical` needs `interposer = true`", "`dimension-order`, `up-down`"],
        ),
        (
            "chips = [2, 2], shape = [3, 3]",
            "router.routing = \"west-first\"",
            &["`west-first` is not a routing algorithm of chiplets"],
        ),
        ("chips = [2, 2], shape = [3, 3]", "router.root = 3", &["root", "dimension-order", "the default"]),
        ("chips = [2, 2], shape = [3, 3], d2d_links = 1", "router.root = 36", &["`root` is 36", "0 to 35"]),
        ("chips = [90000, 90000], shape = [1, 1]", "", &["90000x90000 chiplets of 1x1 routers would have"]),
    ] {
        let bench = Bench::new(&format!("name = \"s\"\n{more}\nnetwork.chiplets = {{ {keys} }}\n"));
        let error = bench.fails(2, &["network", "s.toml"]);
        assert!(said.iter().all(|words| error.contains(words)), "{keys} {more}: {error}");
    }
}

/// A routing that can deadlock is refused on routers, with changes that rule that out.
#[test]
fn shortest_paths_that_can_deadlock_are_refused_on_routers() {
    let bench = Bench::new(
        "name = \"s\"\nnetwork.chiplets = { chips = [2, 2], shape = [4, 4], d2d_links = 2 }\n\
         router = { model = \"pipelined\", routing = \"shortest\" }\n\
         workload.traffic = { pattern = \"uniform\", rate = 0.01, packet_flits = 2, warmup = 10, measure = 50 }\n",
    );
    let error = bench.fails(2, &["check", "s.toml"]);
    for words in ["can deadlock here: the channels (1,1)->(1,2)", "router.routing=up-down", "router.classes=hops"] {
        assert!(error.contains(words), "{error}");
    }
    bench.ok(&["check", "s.toml", "-s", "router.classes=hops"]);
}

/// Pictures of paths show the chiplets apart from each other, with interposer routers next to those above.
#[test]
fn pictures_show_chiplets() {
    for keys in [CHIPLETS[1], CHIPLETS[2], CHIPLETS[6], CHIPLETS[8]] {
        let bench = Bench::new(&format!(
            "name = \"s\"\nnetwork.chiplets = {{ {keys} }}\n\
             workload.multicast = {{ algorithms = [\"binomial\"], flits = 4, group = 5 }}\n"
        ));
        let picture = bench.ok(&["schedule", "s.toml", "--format", "svg"]);
        assert!(picture.contains("gaps between chiplets"), "{keys}");
        bench.ok(&["run", "s.toml", "--html"]);
    }
}
