//! Hyperx, full meshes, twisted and one-way tori, meshes with express links, and several nodes a router: their shapes and paths
//! against a reference that searches them, and the engines against each other. `tests/data/networks/lattices.json` holds what the
//! reference found.

use crate::random::{channel_costs, group, traffic};
use crate::support::{data, model, plan, record, request};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::program::{ScheduleProgram, TraceMessage, TraceProgram};
use flitwise::engine::{Engine, Stop};
use flitwise::machine::Machine;
use flitwise::network::NetworkSpec;
use flitwise::routing::{DependencyGraph, Network, Step};
use flitwise::scenario::{Options, Scenario};
use flitwise::topology::Links;
use flitwise::units::{Flits, LinkId, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

/// What the reference found.
#[derive(Deserialize)]
struct Oracle {
    shapes: Vec<Shape>,
    routes: Vec<Routes>,
    dependencies: Vec<Dependencies>,
    messages: Vec<Messages>,
}

/// A network by its table, and what a search of it finds.
#[derive(Deserialize)]
struct Shape {
    network: String,
    nodes: usize,
    routers: usize,
    links: usize,
    diameter: u64,
    distance_sum: u64,
    histogram: BTreeMap<u64, u64>,
    bisection: Option<u64>,
}

#[derive(Deserialize)]
struct Routes {
    network: String,
    virtual_channels: u64,
    classes: u8,
    /// The links of all paths.
    route_sum: usize,
    pairs: Vec<Route>,
}

#[derive(Deserialize)]
struct Route {
    src: u32,
    dst: u32,
    links: Vec<u32>,
    classes: Vec<u8>,
    routers: Vec<u32>,
}

#[derive(Deserialize)]
struct Dependencies {
    network: String,
    virtual_channels: u64,
    free: bool,
    /// How many virtual channels paths use.
    used: usize,
    /// How many follow which in a path.
    dependencies: usize,
}

#[derive(Deserialize)]
struct Messages {
    network: String,
    channel: Costs,
    /// Number, source, destination, flits, request, injection, delivery.
    messages: Vec<[u64; 7]>,
}

#[derive(Deserialize)]
struct Costs {
    flit_time: u64,
    buffer: u64,
    routing_delay: u64,
}

/// The machine with `network`, a table, and so many virtual channels.
fn machine(network: &str, virtual_channels: u64) -> Arc<Machine> {
    machine_of(&format!("{network}[channel]\nvirtual_channels = {virtual_channels}\n"))
}

/// The machine of `tables`.
fn machine_of(tables: &str) -> Arc<Machine> {
    let workload = "[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 1\nnodes = [0, 1]\n";
    let text = format!("name = \"lattice\"\n{tables}{workload}");
    let scenario = Scenario::parse("s.toml", &text, Path::new(""), &Options::default());
    let scenario = scenario.unwrap_or_else(|rejected| panic!("{text}{:?}", rejected.diagnostics));
    Arc::clone(&scenario.points[0].experiment.machine)
}

fn nodes(machine: &Machine) -> impl Iterator<Item = NodeId> + use<> {
    (0..machine.network_nodes()).map(NodeId::new)
}

fn pairs(machine: &Machine) -> impl Iterator<Item = (NodeId, NodeId)> + use<> {
    let count = machine.network_nodes();
    nodes(machine)
        .flat_map(move |src| (0..count).map(move |dst| (src, NodeId::new(dst))))
        .filter(|(src, dst)| src != dst)
}

/// Links between `from` and each router.
fn distances(links: &dyn Links, from: usize) -> Vec<u64> {
    let mut distances = vec![u64::MAX; links.routers()];
    distances[from] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for link in links.leaving(flitwise::units::RouterId::new(at)) {
            let to = links.ends(link).1.index();
            if distances[to] == u64::MAX {
                distances[to] = distances[at] + 1;
                queue.push_back(to);
            }
        }
    }
    distances
}

#[test]
fn shapes_are_those_of_the_reference() {
    let oracle: Oracle = data("networks/lattices.json");
    assert_eq!(oracle.shapes.len(), 18);
    for case in oracle.shapes {
        let machine = machine_of(&case.network);
        let spec = machine.spec().unwrap();
        let links = spec.links().unwrap();
        let counts = (links.nodes(), links.routers(), links.count());
        assert_eq!(counts, (case.nodes, case.routers, case.links), "{}", case.network);
        assert_eq!(machine.network_nodes(), case.nodes);
        let between: Vec<Vec<u64>> = (0..links.routers()).map(|from| distances(links.as_ref(), from)).collect();
        let mut histogram = BTreeMap::new();
        for (src, dst) in pairs(&machine) {
            let [src, dst] = [src, dst].map(|node| links.router_of(node).index());
            *histogram.entry(between[src][dst]).or_insert(0) += 1;
        }
        assert_eq!(histogram, case.histogram, "{}", case.network);
        assert_eq!(histogram.iter().map(|(distance, pairs)| distance * pairs).sum::<u64>(), case.distance_sum);
        assert_eq!(spec.shortest_distance(), *histogram.first_key_value().unwrap().0);
        if let Some(form) = spec.closed_form() {
            assert_eq!(form.diameter, case.diameter, "{}", case.network);
            assert_eq!(form.distance_sum, Some(case.distance_sum.into()), "{}", case.network);
        }
        // the reference leaves out what takes long
        if case.bisection.is_some() {
            let form = spec.closed_form().and_then(|form| form.bisection);
            assert_eq!(form.or_else(|| Some(across_the_middle(links.as_ref()))), case.bisection, "{}", case.network);
        }
    }
}

/// The links from the lower to the upper half of the routers.
fn across_the_middle(links: &dyn Links) -> u64 {
    let middle = links.routers() / 2;
    let ends = (0..links.count()).map(|link| links.ends(LinkId::new(link)));
    ends.filter(|(from, to)| from.index() < middle && to.index() >= middle).count() as u64
}

#[test]
fn networks_have_closed_forms_except_where_there_are_none() {
    let oracle: Oracle = data("networks/lattices.json");
    for case in oracle.shapes {
        let spec_has = machine_of(&case.network).spec().unwrap().closed_form().is_some();
        assert_eq!(spec_has, !case.network.contains("twist") && !case.network.contains("express"), "{}", case.network);
    }
}

#[test]
fn paths_are_those_of_the_reference() {
    let oracle: Oracle = data("networks/lattices.json");
    assert_eq!(oracle.routes.len(), 10);
    for case in oracle.routes {
        let machine = machine(&case.network, case.virtual_channels);
        let network = machine.network().unwrap();
        let links = machine.spec().unwrap().links().unwrap();
        assert!(case.virtual_channels >= u64::from(case.classes));
        for route in &case.pairs {
            let steps = network.steps(NodeId(route.src), NodeId(route.dst)).unwrap();
            let expected = route.links.iter().zip(&route.classes);
            let expected: Vec<Step> = expected.map(|(&link, &class)| Step { link: LinkId(link), class }).collect();
            assert_eq!(steps, expected, "{} {} -> {}", case.network, route.src, route.dst);
            for (place, step) in steps.iter().enumerate() {
                let (from, to) = links.ends(step.link);
                assert_eq!([from.0, to.0], route.routers[place..place + 2]);
            }
        }
        let steps = pairs(&machine).map(|(src, dst)| {
            let steps = network.steps(src, dst).unwrap().len();
            assert_eq!(steps, network.hops(src, dst));
            steps
        });
        assert_eq!(steps.sum::<usize>(), case.route_sum, "{}", case.network);
    }
}

/// The channels of the path from `src` to `dst` without those of the nodes.
fn links_of_path(network: &dyn Network, src: NodeId, dst: NodeId) -> Vec<flitwise::units::ChannelId> {
    let mut path = Vec::new();
    network.route(src, dst, &mut path);
    path[1..path.len() - 1].to_vec()
}

#[test]
fn dependencies_are_those_of_the_reference() {
    let oracle: Oracle = data("networks/lattices.json");
    let mut compared = 0;
    for case in oracle.dependencies {
        let machine = machine(&case.network, case.virtual_channels);
        let network = machine.network().unwrap();
        if network.steps(NodeId(0), NodeId(0)).is_none() {
            continue; // a torus as ever
        }
        let mut used = BTreeSet::new();
        let mut dependencies = BTreeSet::new();
        for (src, dst) in pairs(&machine) {
            let path = links_of_path(network, src, dst);
            dependencies.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
            used.extend(path);
        }
        compared += 1;
        assert_eq!((used.len(), dependencies.len()), (case.used, case.dependencies), "{}", case.network);
        let graph = DependencyGraph::from_iter(dependencies);
        assert_eq!(graph.shortest_cycle().is_none(), case.free, "{} {}", case.network, case.virtual_channels);
    }
    assert_eq!(compared, 14);
}

/// Networks of all kinds, each with the virtual channels that keep it free of deadlock.
const NETWORKS: [(&str, u64); 10] = [
    ("[network.torus]\nshape = [4, 8]\ntwist = [[0, 1, 4]]\n", 2),
    ("[network.torus]\nshape = [2, 2, 4]\ntwist = [[0, 2, 2], [1, 2, 2]]\norder = [2, 1, 0]\n", 2),
    ("[network.torus]\nshape = [3, 6]\ntwist = [[0, 1, 3]]\nconcentration = 2\n", 2),
    ("[network.torus]\nshape = [4, 5]\ndirections = \"one-way\"\n", 2),
    ("[network.torus]\nshape = [4, 6]\ndirections = [\"minus\", \"both\"]\n", 2),
    ("[network.torus]\nshape = [4, 4]\nconcentration = 3\n", 2),
    ("[network.mesh]\nshape = [13, 5]\nexpress = 3\nconcentration = 2\n", 1),
    ("[network.hypercube]\ndimension = 3\nconcentration = 4\n", 1),
    ("[network.hyperx]\nshape = [4, 3]\nlinks = [1, 2]\nconcentration = 3\n", 1),
    ("[network.full-mesh]\nrouters = 7\nconcentration = 2\n", 1),
];

#[test]
fn paths_lead_from_router_to_router_and_no_header_waits_in_a_cycle() {
    for (table, virtual_channels) in NETWORKS {
        let machine = machine(table, virtual_channels);
        let network = machine.network().unwrap();
        let links = machine.spec().unwrap().links().unwrap();
        let mut dependencies = DependencyGraph::default();
        for (src, dst) in pairs(&machine) {
            let mut at = links.router_of(src);
            for step in network.steps(src, dst).unwrap() {
                let (from, to) = links.ends(step.link);
                assert_eq!(from, at, "{table}");
                at = to;
            }
            assert_eq!(at, links.router_of(dst), "{table}");
            let path = links_of_path(network, src, dst);
            assert!(path.len() as u64 + 2 <= machine.longest_path(), "{table}");
            dependencies.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
        }
        assert_eq!(dependencies.shortest_cycle(), None, "{table}");
    }
}

/// Whether the dependencies of all paths on a torus of `shape` with such `twists` have a cycle.
fn has_cycle(shape: &str, twists: &str) -> bool {
    let machine = machine(&format!("[network.torus]\nshape = {shape}\ntwist = {twists}\n"), 2);
    let network = machine.network().unwrap();
    let links = machine.spec().unwrap().links().unwrap();
    let between: Vec<Vec<u64>> = (0..links.routers()).map(|from| distances(links.as_ref(), from)).collect();
    let mut dependencies = DependencyGraph::default();
    for (src, dst) in pairs(&machine) {
        let path = links_of_path(network, src, dst);
        assert_eq!(path.len() as u64, between[src.index()][dst.index()], "{shape} {twists}");
        dependencies.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
    }
    dependencies.shortest_cycle().is_some()
}

#[test]
fn twisted_tori_have_shortest_paths_and_only_where_edges_are_crossed_twice_cycles() {
    let twists = [("[2, 12]", 4), ("[3, 12]", 4), ("[4, 8]", 3), ("[5, 7]", 2), ("[4, 16]", 8), ("[1, 4]", 2)];
    for (shape, by) in twists {
        assert!(!has_cycle(shape, &format!("[[0, 1, {by}]]")), "{shape} {by}");
    }
    assert!(!has_cycle("[3, 3, 6]", "[[0, 2, 3], [1, 2, 3]]"));
    assert!(!has_cycle("[3, 6, 6]", "[[0, 1, 3], [0, 2, 3]]"));
    assert!(!has_cycle("[8, 4]", "[[1, 0, 4]]"));
    assert!(has_cycle("[2, 12]", "[[0, 1, 3]]") && has_cycle("[4, 16]", "[[0, 1, 5]]"));
}

#[test]
fn a_twisted_dimension_comes_before_those_that_it_shifts() {
    let table = "[network.torus]\nshape = [4, 4, 8]\ntwist = [[0, 2, 4], [1, 2, 4]]\norder = [2, 1, 0]\n";
    let machine = machine(table, 2);
    let links = machine.spec().unwrap().links().unwrap();
    let steps = machine.network().unwrap().steps(NodeId(0), NodeId(32 + 8 + 1)).unwrap();
    let names: Vec<String> = steps.iter().map(|step| links.link_name(step.link)).collect();
    assert_eq!(names, ["(0,0,0)->(0,1,0)", "(0,1,0)->(1,1,0)", "(1,1,0)->(1,1,1)"]);
}

#[test]
fn the_engines_agree_on_networks_of_links() {
    let mut shared = 0;
    for (case, (table, virtual_channels)) in (0..600).zip(NETWORKS.into_iter().cycle()) {
        let mut random = Pcg64::seed_from_u64(case);
        let machine = machine(table, virtual_channels);
        let network = machine.network().unwrap();
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, machine.network_nodes());
        let run = |engine| record(engine, network, costs, TraceProgram::new(&messages));
        let (flit, flits) = run(Engine::Flit).unwrap();
        let (sleep, asleep) = run(Engine::Sleep).unwrap();
        assert_eq!((&sleep.messages, &asleep), (&flit.messages, &flits), "case {case}");
        match run(Engine::Worm) {
            Ok((worm, worms)) => assert_eq!((worm.messages, worms), (flit.messages, flits), "case {case}"),
            Err(Stop::Shared { .. }) => shared += 1,
            Err(other) => panic!("case {case}: {other}"),
        }
    }
    assert!((20..300).contains(&shared), "{shared} shared");
}

#[test]
fn the_engines_agree_on_multicasts() {
    let mut shared = 0;
    for (case, (table, virtual_channels)) in (0..200).zip(NETWORKS.into_iter().cycle()) {
        let mut random = Pcg64::seed_from_u64(case);
        let machine = machine(table, virtual_channels);
        let network = machine.network().unwrap();
        let channel = channel_costs(&mut random);
        let members = group(&mut random, machine.network_nodes(), 40);
        let asked = request(&members, machine.network_nodes(), model(3, 10));
        let asked = Request { flits: Flits(random.random_range(0..60)), ..asked };
        let schedule = plan(["opt-tree", "binomial", "sequential", "chain"][random.random_range(0..4)], &asked);
        let nodes = NodeCosts { send_setup: 3, hold_setup: 3, receive_setup: 2, ports: 1, ..NodeCosts::default() };
        let run = |engine| record(engine, network, channel, ScheduleProgram::new(&schedule, &nodes));
        let (flit, flits) = run(Engine::Flit).unwrap();
        match run(Engine::Worm) {
            Ok((worm, worms)) => assert_eq!((worm.messages, worms), (flit.messages, flits), "case {case}"),
            Err(Stop::Shared { .. }) => shared += 1,
            Err(other) => panic!("case {case}: {other}"),
        }
    }
    assert!(shared < 100, "{shared} shared");
}

/// A node that never lets a message wait for an ejection channel has as many as links and nodes can fill.
#[test]
fn ejection_channels_are_as_many_as_lead_to_a_router() {
    let channels = |table: &str| {
        let machine = machine_of(&format!("{table}[node]\nejection_ports = \"unlimited\"\n"));
        machine.network().unwrap().channels().ejection_ports()
    };
    // four links of two virtual channels, a neighbour on the same router, and the node itself
    assert_eq!(channels("[network.torus]\nshape = [4, 4]\nconcentration = 2\n"), 8 + 1 + 1);
    assert_eq!(channels("[network.hyperx]\nshape = [4, 3]\nlinks = [1, 2]\n"), 7 + 1);
}

#[test]
fn messages_take_as_long_as_those_of_the_reference() {
    let oracle: Oracle = data("networks/lattices.json");
    for case in oracle.messages {
        let machine = machine(&case.network, 1);
        let Costs { flit_time, buffer, routing_delay } = case.channel;
        let costs = ChannelCosts { flit_time, buffer: Buffer::Flits(buffer), routing_delay };
        let trace = case.messages.iter().map(|&[_, src, dst, flits, start, ..]| TraceMessage {
            src: NodeId::new(usize::try_from(src).unwrap()),
            dst: NodeId::new(usize::try_from(dst).unwrap()),
            flits: Flits(flits),
            start: Ticks(start),
        });
        let trace: Vec<TraceMessage> = trace.collect();
        let expected: Vec<[u64; 2]> = case.messages.iter().map(|message| [message[5], message[6]]).collect();
        for engine in [Engine::Flit, Engine::Worm, Engine::Sleep] {
            let (outcome, _) = record(engine, machine.network().unwrap(), costs, TraceProgram::new(&trace)).unwrap();
            let times = outcome.messages.iter().map(|message| [message.injected.0, message.delivered.0]);
            assert_eq!(times.collect::<Vec<_>>(), expected, "{}", case.network);
        }
    }
}

/// The title of a network, and what it is known by.
fn known(table: &str) -> (String, String) {
    let machine = machine_of(table);
    let built = machine.network.as_ref().unwrap();
    (built.spec.title(), serde_json::to_string(built).unwrap())
}

#[test]
fn networks_say_what_they_are() {
    for (table, title) in [
        ("[network.torus]\nshape = [4, 4, 8]\ntwist = [[0, 2, 4], [1, 2, 4]]\n", "4x4x8 twisted torus"),
        ("[network.torus]\nshape = [4, 5]\ndirections = \"one-way\"\n", "4x5 one-way torus"),
        ("[network.torus]\nshape = [4, 5]\ndirections = [\"both\", \"minus\"]\n", "4x5 partly one-way torus"),
        ("[network.torus]\nshape = [6]\ndirections = [\"plus\"]\n", "one-way ring of 6"),
        ("[network.mesh]\nshape = [8, 8]\nexpress = 4\n", "8x8 mesh with express links every 4"),
        ("[network.mesh]\nshape = [8]\nconcentration = 2\n", "line of 8, 2 nodes a router"),
        ("[network.hypercube]\ndimension = 3\nconcentration = 4\n", "hypercube of dimension 3, 4 nodes a router"),
        ("[network.hyperx]\nshape = [4, 4]\nconcentration = 4\n", "4x4 hyperx, 4 nodes a router"),
        ("[network.hyperx]\nshape = [4, 3]\nlinks = [1, 2]\n", "4x3 hyperx with [1, 2] parallel links"),
        ("[network.full-mesh]\nrouters = 8\n", "full mesh of 8 routers"),
    ] {
        assert_eq!(known(table).0, title);
    }
    // what is as without the keys is known by what it was known by
    let plain = known("[network.torus]\nshape = [4, 5]\n");
    assert_eq!(plain.1, r#"{"torus":{"shape":[4,5],"order":[0,1],"virtual_channels":2}}"#);
    for key in ["directions = \"both\"", "directions = [\"both\", \"both\"]", "twist = []", "concentration = 1"] {
        assert_eq!(known(&format!("[network.torus]\nshape = [4, 5]\n{key}\n")).1, plain.1);
    }
    let twisted = known("[network.torus]\nshape = [4, 8]\ntwist = [[0, 1, 4]]\nconcentration = 2\n").1;
    assert!(twisted.ends_with(r#""virtual_channels":2,"concentration":2,"twist":[[0,1,4]]}}"#), "{twisted}");
}

#[test]
fn what_is_more_than_a_lattice_is_none_for_routers_and_exchanges() {
    for (table, virtual_channels) in NETWORKS {
        let machine = machine(table, virtual_channels);
        let spec: &dyn NetworkSpec = machine.spec().unwrap();
        assert!(spec.lattice().is_none() && spec.torus(machine.ports()).is_none() && !spec.is_hypercube(), "{table}");
    }
}
