//! Channels of different speed and delay: the engines against the reference (`tests/data/networks/ideal.json`) and against each
//! other, buffers that are too short for the worm engine, and the keys that say what links take.

use crate::cli::{Bench, csv_rows};
use crate::random::{channel_costs, traffic};
use crate::support::{data, data_path, record};
use flitwise::algorithm::collective;
use flitwise::costs::{Buffer, ChannelCosts};
use flitwise::engine::program::{CollectiveProgram, Overheads, TraceMessage, TraceProgram};
use flitwise::engine::wormhole::worm;
use flitwise::engine::{Engine, Outcome, ShortBuffer, Stop};
use flitwise::machine::Machine;
use flitwise::routing::graph::UpDown;
use flitwise::routing::{DimensionOrder, LinkNetwork, Network, Rings};
use flitwise::scenario::{Options, Scenario};
use flitwise::schedule::Pace;
use flitwise::schedule::collective::Operation;
use flitwise::topology::{Attachment, Graph, Joint, LinkCost, Linked, Links, Mesh, Torus};
use flitwise::units::{ChannelId, Flits, LinkId, NodeId, RouterId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Messages on a network, and what the reference says of them.
#[derive(Deserialize)]
struct Case {
    network: Map<String, Value>,
    router: Map<String, Value>,
    channel: Map<String, Value>,
    buffers_cover_delays: bool,
    /// Number, source, destination, flits, request, injection, delivery.
    messages: Vec<[u64; 7]>,
}

impl Case {
    fn machine(&self) -> Arc<Machine> {
        let mut text = String::new();
        for (name, table) in &self.network {
            write_table(&mut text, name, table.as_object().unwrap());
        }
        write_table(&mut text, "router", &self.router);
        write_table(&mut text, "channel", &self.channel);
        machine(&text)
    }
}

/// Integers, strings and arrays are written alike in both.
fn write_table(text: &mut String, name: &str, table: &Map<String, Value>) {
    writeln!(text, "[{name}]").unwrap();
    for (key, value) in table {
        writeln!(text, "{key} = {value}").unwrap();
    }
}

/// The machine of `tables`; graph files are those of the reference.
fn machine(tables: &str) -> Arc<Machine> {
    let workload = "[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 1\nnodes = [0, 1]\n";
    let text = format!("name = \"delays\"\n{tables}{workload}");
    let scenario = Scenario::parse("s.toml", &text, &data_path("networks/files"), &Options::default());
    let scenario = scenario.unwrap_or_else(|rejected| panic!("{text}{:?}", rejected.diagnostics));
    Arc::clone(&scenario.points[0].experiment.machine)
}

fn run(machine: &Machine, engine: Engine, messages: &[TraceMessage]) -> Result<Outcome, Stop> {
    engine.run(machine.network().unwrap(), machine.channel, TraceProgram::new(messages), &mut ())
}

fn message(src: u64, dst: u64, flits: u64, start: u64) -> TraceMessage {
    let [src, dst] = [src, dst].map(|node| NodeId(u32::try_from(node).unwrap()));
    TraceMessage { src, dst, flits: Flits(flits), start: Ticks(start) }
}

#[test]
fn messages_take_what_the_reference_says() {
    let cases: Vec<Case> = data("networks/ideal.json");
    assert_eq!((cases.len(), cases.iter().filter(|case| !case.buffers_cover_delays).count()), (15, 6));
    for case in &cases {
        let machine = case.machine();
        assert_eq!(machine.short_buffer().is_none(), case.buffers_cover_delays, "{:?}", case.network);
        let messages: Vec<_> = case.messages.iter().map(|m| message(m[1], m[2], m[3], m[4])).collect();
        let exact = if case.buffers_cover_delays { Engine::Worm } else { Engine::Auto };
        for engine in [Engine::Flit, exact] {
            let outcome = run(&machine, engine, &messages).unwrap();
            for (got, [id, _, _, _, _, injected, delivered]) in outcome.messages.iter().zip(&case.messages) {
                let times = (got.injected.0, got.delivered.0);
                assert_eq!(times, (*injected, *delivered), "{engine:?} {:?} message {id}", case.network);
            }
        }
    }
}

/// A cost whose round trip a buffer of `buffer` flits covers.
fn covered(random: &mut Pcg64, buffer: u64) -> LinkCost {
    let flit_time = random.random_range(1..=5);
    let delay = random.random_range(0..=flit_time * (buffer - 1) / 2);
    cost(flit_time, delay)
}

/// Any cost.
fn any(random: &mut Pcg64) -> LinkCost {
    cost(random.random_range(1..=4), random.random_range(0..=9))
}

fn cost(flit_time: u64, delay: u64) -> LinkCost {
    LinkCost::new(flit_time, delay)
}

/// A tree of up to 20 routers with more links between them, some of them parallel, and a node or more on each router.
fn graph(random: &mut Pcg64, mut cost: impl FnMut(&mut Pcg64) -> LinkCost) -> Graph {
    let routers = random.random_range(1..=20);
    let mut ends: Vec<[u32; 2]> = (1..routers).map(|router| [router, random.random_range(0..router)]).collect();
    for _ in 0..random.random_range(0..=routers) {
        let pair = [0, 1].map(|_| random.random_range(0..routers));
        ends.extend((pair[0] != pair[1]).then_some(pair));
    }
    let both_ways = ends.into_iter().flat_map(|[a, b]| [[a, b], [b, a]]);
    let links = both_ways.map(|[a, b]| Joint { from: RouterId(a), to: RouterId(b), cost: cost(random) }).collect();
    let more = random.random_range(0..=routers);
    let routers_of_nodes = (0..routers).chain((0..more).map(|node| node % routers)).map(RouterId);
    let nodes = routers_of_nodes.map(|router| Attachment { router, cost: cost(random) }).collect();
    Graph::new(routers as usize, nodes, links)
}

fn network(graph: Graph, ports: usize) -> impl Network {
    let graph = Arc::new(graph);
    let links: Arc<dyn Links> = Arc::clone(&graph) as Arc<dyn Links>;
    let channels = Linked::new(links, 1, ports.into(), || "a graph".to_owned()).unwrap();
    LinkNetwork::new(channels, Arc::new(UpDown::new(graph, 0).unwrap()))
}

/// How many headers are blocked of random messages, of which the flit engine and `other` say the same.
fn agree(network: &dyn Network, costs: ChannelCosts, random: &mut Pcg64, other: Engine) -> u64 {
    let messages = traffic(random, network.channels().nodes());
    let run = |engine| record(engine, network, costs, TraceProgram::new(&messages));
    // with one virtual channel a ring can deadlock, but then on both
    let (flit, other) = match (run(Engine::Flit), run(other)) {
        (Err(Stop::Deadlock(_)), Err(Stop::Deadlock(_))) => return 0,
        (flit, other) => (flit.unwrap(), other.unwrap()),
    };
    assert_eq!(flit.1, other.1, "{costs:?} {messages:?}");
    assert_eq!(flit.0.messages, other.0.messages, "{costs:?} {messages:?}");
    flit.0.blocked_headers
}

#[test]
fn the_engines_agree_where_buffers_cover_delays() {
    let mut blocked = 0;
    for case in 0..1500 {
        let random = &mut Pcg64::seed_from_u64(case);
        let costs = channel_costs(random);
        let graph = graph(random, |random| covered(random, costs.buffer.without_delay()));
        let ports = random.random_range(1..=2);
        blocked += agree(&network(graph, ports), costs, random, Engine::Worm);
    }
    assert!(blocked > 10_000, "only {blocked} headers were blocked: the cases prove little");
}

#[test]
fn the_engines_agree_on_lattices_whose_dimensions_differ() {
    let mut blocked = 0;
    for case in 0..400 {
        let random = &mut Pcg64::seed_from_u64(case);
        let costs = channel_costs(random);
        let shape = [random.random_range(1..=6), random.random_range(1..=5)];
        let along = [0, 1].map(|_| covered(random, costs.buffer.without_delay())).to_vec();
        let mesh = Mesh::new(&shape, 1).unwrap().with_costs(along.clone());
        blocked += agree(&DimensionOrder::first_coordinate_first(mesh), costs, random, Engine::Worm);
        let vcs = random.random_range(1..=2);
        let torus = Torus::new(&shape, 1, vcs).unwrap().with_costs(along);
        blocked += agree(&Rings::first_coordinate_first(torus), costs, random, Engine::Auto);
    }
    assert!(blocked > 5_000, "only {blocked} headers were blocked: the cases prove little");
}

#[test]
fn auto_is_the_flit_engine_where_a_buffer_is_short() {
    let mut short = 0;
    for case in 0..200 {
        let random = &mut Pcg64::seed_from_u64(case);
        let costs = channel_costs(random);
        let network = network(graph(random, any), 1);
        agree(&network, costs, random, Engine::Auto);
        let Some(wrong) = ShortBuffer::of(network.channels(), &costs) else { continue };
        short += 1;
        let messages = [message(0, 0, 9, 0)];
        let run = |engine: Engine| engine.run(&network, costs, TraceProgram::new(&messages), &mut ());
        assert_eq!(run(Engine::Auto).unwrap().engine, Engine::Flit);
        assert_eq!(run(Engine::Worm), Err(Stop::ShortBuffer(wrong)));
        assert_eq!(run(Engine::Sleep), Err(Stop::Uneven));
    }
    assert!(short > 150, "{short}");
}

/// Node 0 sends to node 1 over a link of 4 ticks a flit with a delay of 6: ten flits follow each other every 4 ticks if the
/// buffer holds 4, and every 8 if it holds 2, because two flits go with each round trip of 16.
#[test]
fn a_short_buffer_makes_gaps() {
    let rows = |cost: LinkCost| {
        let joint = |from, to| Joint { from: RouterId(from), to: RouterId(to), cost };
        let fast = LinkCost::without_delay(1);
        let nodes = [0, 1].map(|router| Attachment { router: RouterId(router), cost: fast });
        network(Graph::new(2, nodes.to_vec(), vec![joint(0, 1), joint(1, 0)]), 1)
    };
    let slow = rows(cost(4, 6));
    let delivered = |buffer: u64| {
        let costs = ChannelCosts { flit_time: 1, buffer: Buffer::Flits(buffer), routing_delay: 0 };
        let outcome = Engine::Auto.run(&slow, costs, TraceProgram::new(&[message(0, 1, 10, 0)]), &mut ()).unwrap();
        (outcome.messages[0].delivered.0, outcome.engine)
    };
    assert_eq!(delivered(4), (1 + 9 * 4 + 10 + 1, Engine::Worm));
    assert_eq!(delivered(2), (1 + 4 * 16 + 4 + 10 + 1, Engine::Flit));
}

/// A message alone leaves its source and arrives when it is said to, so that predictions are exact.
#[test]
fn a_message_alone_takes_what_is_predicted() {
    for case in 0..400 {
        let random = &mut Pcg64::seed_from_u64(case);
        let costs = channel_costs(random);
        let network = network(graph(random, |random| covered(random, costs.buffer.without_delay())), 1);
        for message in traffic(random, network.channels().nodes()) {
            let alone = TraceMessage { start: Ticks::ZERO, ..message };
            let (outcome, record) = record(Engine::Flit, &network, costs, TraceProgram::new(&[alone])).unwrap();
            let said = worm::alone(&network, message.src, message.dst, message.flits.on_wire(), &costs);
            assert_eq!(
                (said.left, said.delivered),
                (record.released[0].3, outcome.messages[0].delivered),
                "case {case}"
            );
        }
    }
}

/// A sequence of messages, each after the one before, is predicted to the tick, and a bound on its time is one.
#[test]
fn a_trace_is_predicted_over_links_that_differ() {
    let trace = "id,src,dst,flits,start\n0,0,2,50,0\n1,2,0,9,9000\n";
    let bench = Bench::new(
        "name = \"t\"\n[network.graph]\nfile = \"slow3.csv\"\n[channel]\nbuffer = 4\n[workload.trace]\nfile = \"trace.csv\"\n",
    );
    std::fs::copy(data_path("networks/files/slow3.csv"), bench.path("slow3.csv")).unwrap();
    std::fs::write(bench.path("trace.csv"), trace).unwrap();
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&std::fs::read_to_string(bench.path("results/t/rows.csv")).unwrap());
    assert_eq!(rows[0]["measured"], rows[0]["predicted"]);
}

/// What channels take that are no injection or ejection, by name.
fn channel_costs_by_name(machine: &Machine) -> BTreeMap<String, Option<LinkCost>> {
    let channels = machine.network().unwrap().channels();
    let all = (0..channels.count()).map(ChannelId::new);
    let links = all.filter(|&channel| channels.physical(channel) == channel);
    links.map(|channel| (channels.physical_name(channel), channels.cost(channel))).collect()
}

/// Networks with keys that say what links take, and what they say of the links that leave router 0, in order.
const KEYS: [(&str, &[(u64, u64)]); 9] = [
    ("[network.mesh]\nshape = [3, 3]\ndelay = [0, 3]\n", &[(2, 0), (2, 3)]),
    ("[network.mesh]\nshape = [1, 5]\nexpress = 2\nflit_time = [9, 4]\n", &[(4, 0), (4, 0)]),
    ("[network.torus]\nshape = [3, 4]\nflit_time = [1, 2]\ndelay = [5, 6]\n", &[(1, 5), (1, 5), (2, 6), (2, 6)]),
    ("[network.torus]\nshape = [4, 8]\ntwist = [[0, 1, 4]]\ndelay = [7, 0]\n", &[(2, 7), (2, 7), (2, 0), (2, 0)]),
    ("[network.torus]\nshape = [4, 3]\ndirections = \"one-way\"\nflit_time = [1, 3]\n", &[(1, 0), (3, 0)]),
    ("[network.hyperx]\nshape = [2, 3]\nlinks = [2, 1]\ndelay = [1, 4]\n", &[(2, 1), (2, 1), (2, 4), (2, 4)]),
    ("[network.full-mesh]\nrouters = 3\nflit_time = [5]\n", &[(5, 0), (5, 0)]),
    ("[network.fat-tree]\narity = 2\nlevels = 3\nflit_time = [1, 2]\ndelay = [3, 4]\n", &[(1, 3), (1, 3)]),
    (
        "[network.dragonfly]\np = 1\na = 2\nh = 2\nlocal_delay = 1\nglobal_flit_time = 4\nglobal_delay = 30\n",
        &[(2, 1), (4, 30), (4, 30)],
    ),
];

#[test]
fn keys_say_what_links_take() {
    for (table, expected) in KEYS {
        let machine = machine(&format!("{table}[channel]\nflit_time = 2\nbuffer = 64\n"));
        let links = machine.spec().unwrap().links().unwrap();
        let of_first: Vec<LinkCost> = links.leaving(RouterId(0)).map(|link| links.cost(link).unwrap()).collect();
        let expected: Vec<LinkCost> = expected.iter().map(|&(flit_time, delay)| cost(flit_time, delay)).collect();
        assert_eq!(of_first, expected, "{table}");
        // engines run on channels that take the same
        let channels = channel_costs_by_name(&machine);
        for link in (0..links.count()).map(LinkId::new) {
            assert_eq!(channels[&links.link_name(link)], links.cost(link), "{table}{}", links.link_name(link));
        }
        assert!(links.node_cost(NodeId(0)).is_none() && !links.own_costs().unwrap().is_even(2));
        let messages: Vec<_> = (0..links.nodes() as u64).map(|node| message(node, 0, 40, 7 * node)).collect();
        // virtual channels may be shared
        let [flit, auto] =
            [Engine::Flit, Engine::Auto].map(|engine| run(&machine, engine, &messages).unwrap().messages);
        assert_eq!(flit, auto, "{table}");
    }
}

/// A level of a tree has links down, too, which take what those take that lead up.
#[test]
fn links_down_take_what_links_up_do() {
    let machine = machine("[network.fat-tree]\nchildren = [2, 3, 2]\nparents = [1, 2, 2]\ndelay = [5, 9]\n");
    let links = machine.spec().unwrap().links().unwrap();
    let mut delays = BTreeMap::new();
    for link in (0..links.count()).map(LinkId::new) {
        let (from, to) = links.ends(link);
        let delay = links.cost(link).unwrap().delay;
        *delays.entry(delay.0).or_insert(0) += 1;
        let back = links.leaving(to).find(|&back| links.ends(back).1 == from).unwrap();
        assert_eq!(links.cost(back).unwrap().delay, delay);
    }
    // six leaves with two links up, four switches above them with two
    assert_eq!(delays, BTreeMap::from([(5, 24), (9, 16)]));
}

#[test]
fn keys_that_say_what_every_channel_takes_change_nothing() {
    let plain = machine("[network.mesh]\nshape = [4, 4]\n[channel]\nflit_time = 2\n");
    let said =
        machine("[network.mesh]\nshape = [4, 4]\nflit_time = [2, 2]\ndelay = [0, 0]\n[channel]\nflit_time = 2\n");
    assert_eq!(format!("{plain:?}"), format!("{said:?}"));
    assert!(said.network().unwrap().channels().own_costs().is_none());
}

/// Points that differ in `channel.flit_time` alone do not share a network whose links take that.
#[test]
fn what_nothing_is_said_of_takes_what_channels_do_at_every_point() {
    let text = "name = \"sweep\"\n[network.graph]\nfile = \"line3.csv\"\n[workload.multicast]\nalgorithms = [\"chain\"]\n\
                flits = 4\nnodes = [0, 2]\n[sweep]\n\"channel.flit_time\" = [1, 3]\n";
    let file = "kind,a,b,flit_time,delay\nnode,0,0,,\nnode,1,1,,\nlink,0,1,,\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("line3.csv"), file).unwrap();
    let text = text.replace("[0, 2]", "[0, 1]");
    let scenario = Scenario::parse("s.toml", &text, folder.path(), &Options::default()).unwrap();
    for point in &scenario.points {
        let machine = &point.experiment.machine;
        assert!(machine.network().unwrap().channels().is_even(machine.channel.flit_time));
    }
}

/// Two ranks combine in a first step and exchange what they have in a second. The node of the first is far from its router: its
/// injection channel is told late that there is room again, so that its tail leaves after the message has arrived.
#[test]
fn a_step_waits_for_its_barrier_where_a_tail_leaves_after_its_message_has_arrived() {
    let nodes = [(0, 5), (1, 0)].map(|(router, delay)| Attachment { router: RouterId(router), cost: cost(1, delay) });
    let links = [(0, 1), (1, 0)].map(|(from, to)| Joint { from: RouterId(from), to: RouterId(to), cost: cost(1, 0) });
    let graph = Arc::new(Graph::new(2, nodes.to_vec(), links.to_vec()));
    let paths = UpDown::new(Arc::clone(&graph), 0).unwrap();
    let links: Arc<dyn Links> = graph;
    let network = LinkNetwork::new(Linked::new(links, 1, 1.into(), || "a graph".to_owned()).unwrap(), Arc::new(paths));
    let rabenseifner = collective::Algorithm::named("rabenseifner").unwrap();
    let allreduce = rabenseifner.plan(&collective::Request::new(Operation::Allreduce, 2, 4)).unwrap();
    let nodes = [NodeId(0), NodeId(1)];
    let program = CollectiveProgram::new(&allreduce, &nodes, 1, Pace::Synchronous, |flits| Overheads {
        reduce: Ticks(3 + 2 * flits.0),
        ..Overheads::default()
    });
    let outcome = Engine::Flit.run(&network, ChannelCosts::default(), program, &mut ()).unwrap();
    let (first, second) = outcome.messages.split_at(2);
    let barrier = first.iter().map(|message| message.received).max().unwrap();
    assert!(second.iter().all(|message| message.requested >= barrier), "{:?}", outcome.messages);
}
