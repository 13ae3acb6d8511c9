//! Fat trees and dragonflies: their shapes against closed forms, a search and reference data, their paths link by link, and
//! the engines on them.

use crate::random::{channel_costs, group, traffic};
use crate::support::{data, data_path, model, plan, record, request};
use flitwise::algorithm::multicast::{Algorithm, Request};
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::program::{Program, ScheduleProgram, TraceMessage, TraceProgram};
use flitwise::engine::{Engine, Outcome, Stop};
use flitwise::network::{
    BminSpec, BuiltNetwork, Climb, ClosedForm, Detour, DragonflySpec, FatTreeSpec, NetworkSpec, TreeShape,
};
use flitwise::routing::{CopyBy, DependencyGraph, ModK, Network, Order, UpPort};
use flitwise::scenario::{Options, Scenario};
use flitwise::topology::Links;
use flitwise::units::{ChannelId, Flits, NodeId, RouterId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A network as the reference data describe it: the name of its table, and the table.
type Described = Map<String, Value>;

/// The network of a scenario with this table and so many virtual channels.
fn built(network: &Described, routing: Option<&str>, virtual_channels: u64) -> BuiltNetwork {
    let mut text = format!("name = \"s\"\nchannel.virtual_channels = {virtual_channels}\n");
    if let Some(routing) = routing {
        text += &format!("router.routing = \"{routing}\"\n");
    }
    text += "workload.multicast = { algorithms = [\"sequential\"], flits = 1, group = 2 }\n";
    for (name, table) in network {
        text += &format!("[{name}]\n{}", toml::to_string(table).unwrap());
    }
    let scenario = Scenario::parse("s.toml", &text, &data_path("networks"), &Options::default());
    let scenario = scenario.unwrap_or_else(|rejected| panic!("{text}: {:?}", rejected.diagnostics));
    scenario.points[0].experiment.machine.network.clone().unwrap()
}

fn fat_tree(children: &[u64], parents: &[u64], by: ModK) -> FatTreeSpec {
    let shape = TreeShape::Extended { children: children.to_vec(), parents: parents.to_vec() };
    FatTreeSpec { shape, climb: Climb::Digits(by), costs: Vec::new(), link_classes: Arc::default() }
}

fn k_ary(arity: u64, levels: u64, by: ModK) -> FatTreeSpec {
    let shape = TreeShape::Regular { arity, levels };
    FatTreeSpec { shape, climb: Climb::Digits(by), costs: Vec::new(), link_classes: Arc::default() }
}

fn dragonfly(p: u64, a: u64, h: u64, groups: u64) -> DragonflySpec {
    DragonflySpec {
        p,
        a,
        h,
        groups,
        virtual_channels: 2,
        detour: Detour::Never,
        copy: CopyBy::Destination,
        costs: None,
        link_classes: Arc::default(),
    }
}

/// How many ordered pairs of different nodes are how far apart, by breadth-first search.
fn distances(links: &dyn Links) -> BTreeMap<u64, u64> {
    let mut nodes = vec![0_u64; links.routers()];
    (0..links.nodes()).for_each(|node| nodes[links.router_of(NodeId::new(node)).index()] += 1);
    let mut histogram = BTreeMap::new();
    for from in (0..links.routers()).filter(|&router| nodes[router] > 0) {
        for (to, distance) in searched(links, RouterId::new(from)).into_iter().enumerate() {
            let others = if to == from { nodes[to] - 1 } else { nodes[to] };
            if let Some(distance) = distance.filter(|_| others > 0) {
                *histogram.entry(distance).or_default() += nodes[from] * others;
            }
        }
    }
    histogram
}

/// The links from `from` to each router.
fn searched(links: &dyn Links, from: RouterId) -> Vec<Option<u64>> {
    let mut distance = vec![None; links.routers()];
    distance[from.index()] = Some(0);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((at, so_far)) = queue.pop_front() {
        for link in links.leaving(at) {
            let next = links.ends(link).1;
            if distance[next.index()].is_none() {
                distance[next.index()] = Some(so_far + 1);
                queue.push_back((next, so_far + 1));
            }
        }
    }
    distance
}

fn distance_sum(histogram: &BTreeMap<u64, u64>) -> u128 {
    histogram.iter().map(|(&distance, &pairs)| u128::from(distance * pairs)).sum()
}

#[derive(Deserialize)]
struct Shape {
    network: Described,
    nodes: usize,
    routers: usize,
    links: usize,
    diameter: u64,
    distance_sum: u128,
    histogram: BTreeMap<u64, u64>,
    bisection: Option<u64>,
}

#[test]
fn shapes_are_those_of_the_reference() {
    let shapes: Vec<Shape> = data("networks/shapes-fat-tree-dragonfly.json");
    assert_eq!(shapes.len(), 16);
    let mut forms = 0;
    for shape in shapes {
        let built = built(&shape.network, None, 1);
        let links = built.spec.links().unwrap();
        let case = format!("{:?}", shape.network);
        assert_eq!(
            (links.nodes(), links.routers(), links.count()),
            (shape.nodes, shape.routers, shape.links),
            "{case}"
        );
        assert_eq!(built.spec.shape(), [u32::try_from(shape.nodes).unwrap()], "{case}");
        assert_eq!(distances(links.as_ref()), shape.histogram, "{case}");
        if let Some(form) = built.spec.closed_form() {
            assert_eq!((form.diameter, form.distance_sum), (shape.diameter, Some(shape.distance_sum)), "{case}");
            assert!(form.bisection.is_none_or(|links| Some(links) == shape.bisection), "{case}: {form:?}");
            forms += 1;
        }
    }
    assert_eq!(forms, 9 + 5, "all fat trees and the full dragonflies have closed forms");
}

/// Whether what a description says of itself is what a search finds.
fn agrees(spec: &dyn NetworkSpec) -> ClosedForm {
    let links = spec.links().unwrap();
    let histogram = distances(links.as_ref());
    let form = spec.closed_form().unwrap();
    let title = spec.title();
    assert_eq!(form.distance_sum, Some(distance_sum(&histogram)), "{title}");
    let farthest = histogram.last_key_value().map_or(0, |(&distance, _)| distance);
    assert_eq!(form.diameter, farthest, "{title}");
    if let Some((&nearest, _)) = histogram.first_key_value() {
        assert_eq!(spec.shortest_distance(), nearest, "{title}");
    }
    assert_eq!(spec.longest_path(), 2 + farthest, "{title}");
    assert!((2 + spec.shortest_distance()..=spec.longest_path()).contains(&spec.mean_path()), "{title}");
    form
}

#[test]
fn closed_forms_are_what_a_search_finds() {
    for (children, parents) in [
        (&[4, 3, 2][..], &[1, 2, 2][..]),
        (&[1, 3, 2], &[1, 2, 3]),
        (&[3, 4, 1], &[1, 2, 2]),
        (&[5], &[1]),
        (&[1], &[1]),
        (&[2, 1, 2, 2], &[1, 3, 1, 2]),
    ] {
        agrees(&fat_tree(children, parents, ModK::Destination));
    }
    for a in 1..=5 {
        for h in 1..=4 {
            agrees(&dragonfly(1 + (a + h) % 2, a, h, a * h + 1));
        }
    }
    // the means that the papers' tables show
    let mean = |form: ClosedForm, nodes: u32| form.distance_sum.unwrap() as f64 / f64::from(nodes * (nodes - 1));
    assert!((mean(agrees(&k_ary(4, 3, ModK::Destination)), 64) - 3.4286).abs() < 5e-5);
    assert!((mean(agrees(&fat_tree(&[4, 3, 2], &[1, 2, 2], ModK::Source)), 24) - 2.7826).abs() < 5e-5);
    assert!((mean(agrees(&dragonfly(2, 4, 2, 9)), 72) - 2.3192).abs() < 5e-5);
}

#[test]
fn a_bmin_lists_the_links_of_its_tree() {
    for (radix, levels) in [(2, 1), (2, 4), (3, 3)] {
        let bmin = BminSpec { radix, levels, up: UpPort::Source, link_classes: Arc::default() };
        let tree = k_ary(radix, levels, ModK::Source);
        assert_eq!(agrees(&bmin), agrees(&tree));
        let [listed, links] = [bmin.links().unwrap(), tree.links().unwrap()];
        assert_eq!((listed.nodes(), listed.routers(), listed.count()), (links.nodes(), links.routers(), links.count()));
        let [turnaround, chosen] = [bmin.build(1.into()).unwrap(), tree.build(1.into()).unwrap()];
        for_all_pairs(links.nodes(), |src, dst| assert_eq!(turnaround.hops(src, dst), chosen.hops(src, dst)));
    }
}

fn for_all_pairs(nodes: usize, mut check: impl FnMut(NodeId, NodeId)) {
    for src in (0..nodes).map(NodeId::new) {
        for dst in (0..nodes).map(NodeId::new) {
            check(src, dst);
        }
    }
}

#[derive(Deserialize)]
struct Routes {
    network: Described,
    router: BTreeMap<String, String>,
    virtual_channels: u64,
    pairs: Vec<Route>,
    route_sum: usize,
}

#[derive(Debug, Deserialize)]
struct Route {
    src: u32,
    dst: u32,
    links: Vec<u32>,
    classes: Vec<u8>,
    routers: Vec<u32>,
}

/// The routers of the path from `src` to `dst`, which is a walk along its links.
fn walked(network: &dyn Network, links: &dyn Links, src: NodeId, dst: NodeId) -> Vec<u32> {
    let mut at = links.router_of(src);
    let mut routers = vec![at.0];
    for step in network.steps(src, dst).unwrap() {
        let (from, to) = links.ends(step.link);
        assert_eq!(from, at, "{src} to {dst}");
        at = to;
        routers.push(at.0);
    }
    assert_eq!(at, links.router_of(dst), "{src} to {dst}");
    routers
}

#[test]
fn paths_are_those_of_the_reference() {
    let cases: Vec<Routes> = data("networks/routes-fat-tree-dragonfly.json");
    assert_eq!(cases.len(), 8);
    for case in cases {
        let built = built(&case.network, Some(&case.router["routing"]), case.virtual_channels);
        let links = built.spec.links().unwrap();
        let network = built.network.as_ref();
        for route in &case.pairs {
            let steps = network.steps(NodeId(route.src), NodeId(route.dst)).unwrap();
            let numbers: Vec<u32> = steps.iter().map(|step| step.link.0).collect();
            let classes: Vec<u8> = steps.iter().map(|step| step.class).collect();
            assert_eq!((&numbers, &classes), (&route.links, &route.classes), "{:?} {route:?}", case.network);
            let routers = walked(network, links.as_ref(), NodeId(route.src), NodeId(route.dst));
            assert_eq!(routers, route.routers, "{:?} {route:?}", case.network);
        }
        assert_eq!(route_sum(network, links.as_ref()), case.route_sum, "{:?}", case.network);
    }
}

/// The links of all paths, each of which is a walk whose length is known without it.
fn route_sum(network: &dyn Network, links: &dyn Links) -> usize {
    let mut sum = 0;
    for_all_pairs(links.nodes(), |src, dst| {
        let hops = network.hops(src, dst);
        assert_eq!(walked(network, links, src, dst).len(), hops + 1);
        sum += hops;
    });
    sum
}

#[test]
fn minimal_paths_have_the_lengths_of_the_closed_form() {
    for (p, a, h) in [(1, 1, 3), (2, 2, 1), (1, 3, 2), (2, 4, 2), (1, 2, 4)] {
        let groups = a * h + 1;
        let spec = dragonfly(p, a, h, groups);
        let others = 1 + 4 * (a - 1) + 3 * (a - 1) * (a - 1);
        let expected = p * p * groups * (a * (a - 1) + (groups - 1) * others);
        let network = spec.build(1.into()).unwrap();
        assert_eq!(route_sum(network.as_ref(), spec.links().unwrap().as_ref()) as u64, expected, "{}", spec.title());
    }
}

#[test]
fn paths_of_a_tree_are_shortest() {
    for (children, parents) in [(&[4, 3, 2][..], &[1, 2, 2][..]), (&[2, 2, 3], &[1, 3, 2]), (&[1, 3, 2], &[1, 2, 3])] {
        for by in [ModK::Destination, ModK::Source] {
            let spec = fat_tree(children, parents, by);
            let network = spec.build(1.into()).unwrap();
            let sum = route_sum(network.as_ref(), spec.links().unwrap().as_ref());
            assert_eq!(Some(sum as u128), spec.closed_form().unwrap().distance_sum);
        }
    }
}

/// On a k-ary n-tree all links down are of one destination with d-mod-k, and all links up of one source with s-mod-k.
#[test]
fn a_link_of_a_k_ary_tree_belongs_to_one_node() {
    for (arity, levels) in [(2, 4), (3, 3), (4, 2)] {
        for by in [ModK::Destination, ModK::Source] {
            let spec = k_ary(arity, levels, by);
            let network = spec.build(1.into()).unwrap();
            let mut owner = BTreeMap::new();
            for_all_pairs(network.channels().nodes(), |src, dst| {
                let steps = network.steps(src, dst).unwrap();
                let (up, down) = steps.split_at(steps.len() / 2);
                let (half, end) = if by == ModK::Source { (up, src) } else { (down, dst) };
                for step in half {
                    assert_eq!(*owner.entry(step.link).or_insert(end), end, "{} {by:?}", spec.title());
                }
            });
            assert_eq!(owner.len(), spec.links().unwrap().count() / 2, "every link is used");
        }
    }
}

/// Which channels messages between any two nodes hold while they ask for which.
fn dependencies(network: &dyn Network) -> DependencyGraph<ChannelId> {
    let mut pairs = Vec::new();
    for_all_pairs(network.channels().nodes(), |src, dst| {
        let mut path = Vec::new();
        network.route(src, dst, &mut path);
        pairs.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
    });
    DependencyGraph::from_iter(pairs)
}

#[test]
fn a_tree_and_a_dragonfly_of_two_virtual_channels_are_free_of_deadlock() {
    let tree = |by| fat_tree(&[3, 2, 3], &[1, 2, 3], by).build(1.into()).unwrap();
    for by in [ModK::Destination, ModK::Source] {
        assert_eq!(dependencies(tree(by).as_ref()).shortest_cycle(), None);
    }
    for (p, a, h, groups) in [(2, 4, 2, 9), (1, 2, 1, 3), (1, 4, 3, 7)] {
        let free = dragonfly(p, a, h, groups);
        let tight = DragonflySpec { virtual_channels: 1, ..free.clone() };
        assert_eq!(dependencies(free.build(1.into()).unwrap().as_ref()).shortest_cycle(), None);
        assert!(dependencies(tight.build(1.into()).unwrap().as_ref()).shortest_cycle().is_some());
    }
}

/// A fat tree of one to three levels or a dragonfly with two virtual channels, of up to about a hundred nodes.
fn network(random: &mut Pcg64) -> Arc<dyn Network> {
    let ports = random.random_range(1..3).into();
    if random.random_bool(0.5) {
        let levels = random.random_range(1..4);
        let children: Vec<u64> = (0..levels).map(|_| random.random_range(1..6)).collect();
        let parents: Vec<u64> = (0..levels).map(|at| if at == 0 { 1 } else { random.random_range(1..5) }).collect();
        let by = [ModK::Destination, ModK::Source][random.random_range(0..2)];
        return fat_tree(&children, &parents, by).build(ports).unwrap();
    }
    let a = random.random_range(1..5);
    let h = random.random_range(1..4);
    let others: Vec<u64> = (1..=a * h).filter(|others| a * h % others == 0).collect();
    let groups = 1 + others[random.random_range(0..others.len())];
    dragonfly(random.random_range(1..3), a, h, groups).build(ports).unwrap()
}

/// What `program` comes to on the flit engine, if the worm engine takes it: then both agree on everything. It stops where
/// virtual channels of one link are in use at the same time, as those of dragonflies can be; the flit engine does not.
fn agreed<P: Program + Clone>(network: &dyn Network, costs: ChannelCosts, program: P, what: &str) -> Option<Outcome> {
    let (flit, flit_record) = record(Engine::Flit, network, costs, program.clone()).unwrap();
    match record(Engine::Worm, network, costs, program) {
        Err(Stop::Shared { .. }) => None,
        worm => {
            let (worm, worm_record) = worm.unwrap();
            assert_eq!((&flit.messages, flit_record), (&worm.messages, worm_record), "{what}");
            Some(flit)
        }
    }
}

#[test]
fn the_engines_agree_on_random_messages() {
    let mut agreements = 0;
    let mut blocked = 0;
    for seed in 0..600 {
        let mut random = Pcg64::seed_from_u64(seed);
        let network = network(&mut random);
        let costs = channel_costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        let what = format!("seed {seed}: {costs:?} {messages:?}");
        if let Some(outcome) = agreed(network.as_ref(), costs, TraceProgram::new(&messages), &what) {
            agreements += 1;
            blocked += outcome.blocked_headers;
        }
    }
    assert!(agreements > 400 && blocked > 1000, "only {blocked} headers were blocked in {agreements} cases");
}

/// The request that `group` be sent 16 flits on `network`.
fn multicast<'a>(group: &'a [NodeId], network: &'a dyn Network) -> Request<'a> {
    let request = request(group, network.channels().nodes(), model(30, 90));
    Request { network: Some(network), flits: Flits(16), ..request }
}

#[test]
fn the_engines_agree_on_multicasts() {
    let node = NodeCosts::default().sending(20, 1).receiving(10, 1);
    let costs = ChannelCosts { flit_time: 1, buffer: Buffer::Flits(2), routing_delay: 1 };
    let mut agreements = 0;
    for seed in 0..60 {
        let mut random = Pcg64::seed_from_u64(seed);
        let network = network(&mut random);
        let group = group(&mut random, network.channels().nodes(), 40);
        for algorithm in ["opt-tree", "binomial", "bisection", "sequential"] {
            let schedule = plan(algorithm, &multicast(&group, network.as_ref()));
            let program = ScheduleProgram::new(&schedule, &node);
            let what = format!("seed {seed} {algorithm}");
            agreements += usize::from(agreed(network.as_ref(), costs, program, &what).is_some());
        }
    }
    assert!(agreements > 200, "only {agreements} multicasts were compared");
}

#[derive(Deserialize)]
struct Ideal {
    network: Described,
    channel: BTreeMap<String, u64>,
    /// Number, source, destination, flits, start, injected, delivered.
    messages: Vec<[u64; 7]>,
}

#[test]
fn messages_on_ideal_channels_take_what_the_reference_says() {
    let cases: Vec<Ideal> = data("networks/ideal-fat-tree-dragonfly.json");
    assert_eq!(cases.len(), 1);
    for case in cases {
        let built = built(&case.network, None, 1);
        let costs = ChannelCosts {
            flit_time: case.channel["flit_time"],
            buffer: Buffer::Flits(case.channel["buffer"]),
            routing_delay: case.channel["routing_delay"],
        };
        let node = |number: u64| NodeId(u32::try_from(number).unwrap());
        let message = |&[_, src, dst, flits, start, ..]: &[u64; 7]| TraceMessage {
            src: node(src),
            dst: node(dst),
            flits: Flits(flits),
            start: Ticks(start),
        };
        let messages: Vec<TraceMessage> = case.messages.iter().map(message).collect();
        for engine in [Engine::Flit, Engine::Worm] {
            let (outcome, _) = record(engine, built.network.as_ref(), costs, TraceProgram::new(&messages)).unwrap();
            for (row, times) in case.messages.iter().zip(&outcome.messages) {
                assert_eq!((times.injected.0, times.delivered.0), (row[5], row[6]), "{engine:?} {row:?}");
            }
        }
    }
}

#[test]
fn trees_on_leaf_addresses_run_with_d_mod_k_and_are_refused_elsewhere() {
    let group: Vec<NodeId> = [9, 3, 14, 0, 7].map(NodeId).to_vec();
    let by = |by| k_ary(4, 2, by).build(1.into()).unwrap();
    let others: [Arc<dyn Network>; 2] = [by(ModK::Source), dragonfly(2, 4, 2, 9).build(1.into()).unwrap()];
    for algorithm in ["u-min", "opt-min"] {
        let network = by(ModK::Destination);
        assert_eq!(network.order(), Order::Leaf);
        plan(algorithm, &multicast(&group, network.as_ref())).check(&group[1..]).unwrap();
        for other in &others {
            let error = Algorithm::named(algorithm).unwrap().plan(&multicast(&group, other.as_ref())).unwrap_err();
            assert_eq!(error.to_string(), "supports only these networks: bmin, fat-tree with d-mod-k");
        }
    }
}

/// How many of 400 trees of recursive halving on a k-ary n-tree have blocked headers although holds cover worms.
fn contended(by: ModK) -> usize {
    let contends = |seed: &u64| {
        let mut random = Pcg64::seed_from_u64(*seed);
        let arity = random.random_range(2..5);
        let network = k_ary(arity, random.random_range(2..4), by).build(1.into()).unwrap();
        let group = group(&mut random, network.channels().nodes(), 60);
        let schedule = plan("bisection", &multicast(&group, network.as_ref()));
        let costs = ChannelCosts { flit_time: 1, buffer: Buffer::Flits(2), routing_delay: 1 };
        let mut node = NodeCosts::default().sending(5, 0).receiving(5, 0);
        node.hold_setup = costs.occupancy(Flits(16), 8).0;
        let (outcome, _) =
            record(Engine::Worm, network.as_ref(), costs, ScheduleProgram::new(&schedule, &node)).unwrap();
        outcome.blocked_headers > 0
    };
    (0..400).filter(contends).count()
}

#[test]
fn halving_of_leaf_addresses_contends_with_d_mod_k_alone() {
    assert_eq!(contended(ModK::Source), 0);
    let contended = contended(ModK::Destination);
    assert!((1..400).contains(&contended), "{contended}");
}

#[test]
fn a_million_nodes_take_no_tables() {
    let tree = k_ary(32, 4, ModK::Destination);
    let network = tree.build(1.into()).unwrap();
    assert_eq!(network.channels().nodes(), 1 << 20);
    let last = NodeId((1 << 20) - 1);
    assert_eq!((network.hops(NodeId(0), last), network.hops(NodeId(0), NodeId(33))), (6, 2));
    walked(network.as_ref(), tree.links().unwrap().as_ref(), NodeId(77), last);
    let spec = dragonfly(22, 44, 24, 1057);
    let network = spec.build(1.into()).unwrap();
    assert_eq!(network.channels().nodes(), 1_023_176);
    let last = NodeId(1_023_175);
    assert_eq!(
        network.hops(NodeId(0), last),
        walked(network.as_ref(), spec.links().unwrap().as_ref(), NodeId(0), last).len() - 1
    );
    let form = spec.closed_form().unwrap();
    assert_eq!(form.diameter, 3);
}
