//! Programs on virtual-channel routers: ideal routers with atomic buffers take what the flit engine takes, to the tick.

use crate::exchange_oracle;
use crate::loggops::random_goal;
use crate::random::{RouterNetwork, channel_costs, group, lattice_network, traffic};
use crate::random_links::Routed;
use crate::support::{Recording, first_nodes, model, plan, record, request};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts, Timing};
use flitwise::engine::program::ExchangeProgram;
use flitwise::engine::program::GoalProgram;
use flitwise::engine::program::ScheduleProgram;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::router::{RouterCosts, Setup, run_program};
use flitwise::engine::{Engine, Outcome, Program, Stop};
use flitwise::routing::relation;
use flitwise::routing::{DimensionOrder, Lattice, Network, Relation, Rings};
use flitwise::schedule::Pace;
use flitwise::topology::{Mesh, Ports, Torus};
use flitwise::units::{Flits, MessageId, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What a run tells of its head flits: message, channel of its path, request, grant.
type Grants = Vec<(MessageId, usize, Ticks, Ticks)>;

fn grants(recording: Recording) -> Grants {
    let mut grants: Grants =
        recording.granted.into_iter().map(|(id, hop, _, requested, start)| (id, hop, requested, start)).collect();
    grants.sort_unstable();
    grants
}

/// Ideal routers with atomic buffers on `network`, as its wormhole engines see it.
fn on_routers<P: Program>(
    network: &RouterNetwork,
    channel: ChannelCosts,
    program: P,
) -> Result<(Outcome, Grants), Stop> {
    let RouterNetwork { network, routes, .. } = network;
    let narrow = |n: usize| u32::try_from(n).unwrap();
    let costs = RouterCosts {
        timing: Timing::wormhole(channel.routing_delay / channel.flit_time),
        buffer: channel.buffer,
        atomic: true,
        injection_ports: narrow(network.channels().ports()),
        ejection_ports: narrow(network.channels().ejection_ports()),
        ..RouterCosts::default()
    };
    let setup = Setup {
        routes: routes.as_ref(),
        fixed: Some(network.as_ref()),
        costs,
        interfaces: None,
        trees: None,
        flit_time: channel.flit_time,
        random_bits: &|_| 0,
    };
    let mut recording = Recording::default();
    let outcome = run_program(&setup, program, &mut recording)?;
    Ok((outcome, grants(recording)))
}

/// Compares the engines that move flits, where channels are all alike.
fn compare_wormhole<P: Program + Clone>(network: &dyn Network, channel: ChannelCosts, program: &P, what: &str) {
    if !network.channels().is_even(channel.flit_time) {
        return;
    }
    let [flit, sleep] = [Engine::Flit, Engine::Sleep].map(|engine| record(engine, network, channel, program.clone()));
    match (flit, sleep) {
        (Ok(flit), Ok(sleep)) => assert_eq!((flit.0.messages, flit.1), (sleep.0.messages, sleep.1), "{what}"),
        (flit, sleep) => assert_eq!(flit.err(), sleep.err(), "{what}"),
    }
}

/// How often it was compared, and how.
#[derive(Debug, Default)]
struct Tally {
    equal: u32,
    deadlocks: u32,
    blocked: u32,
    /// With buffers that do not cover a delay.
    short: u32,
}

impl Tally {
    /// Compares the router engine with the wormhole engines, unless virtual channels of a link have two owners at once.
    fn compare<P: Program + Clone>(&mut self, network: &RouterNetwork, channel: ChannelCosts, program: P, what: &str) {
        compare_wormhole(network.network.as_ref(), channel, &program, what);
        let mut recording = Recording::default();
        let mut worm = Engine::Worm.run(network.network.as_ref(), channel, program.clone(), &mut recording);
        if matches!(worm, Err(Stop::Shared { .. })) {
            return;
        }
        if matches!(worm, Err(Stop::ShortBuffer(_))) {
            if network.network.channels().virtual_channels() > 1 {
                return;
            }
            worm = Engine::Flit.run(network.network.as_ref(), channel, program.clone(), &mut recording);
            self.short += 1;
        }
        let routers = on_routers(network, channel, program);
        match (worm, routers) {
            (Ok(worm), Ok((routers, granted))) => {
                assert_eq!(grants(recording), granted, "{what}");
                assert_eq!(worm.messages, routers.messages, "{what}");
                assert_eq!((worm.completion, routers.engine), (routers.completion, Engine::Router), "{what}");
                self.equal += 1;
                self.blocked += u32::from(worm.blocked_headers > 0);
            }
            (Err(Stop::Deadlock(_)), Err(Stop::Deadlock(_))) => self.deadlocks += 1,
            (worm, routers) => panic!("{what}: {:?}, {:?}", worm.err(), routers.err()),
        }
    }
}

/// Costs of channels whose times are whole cycles.
fn costs(random: &mut Pcg64) -> ChannelCosts {
    let costs = channel_costs(random);
    ChannelCosts { routing_delay: costs.routing_delay * costs.flit_time, ..costs }
}

/// Overheads of nodes in whole cycles of `flit_time` ticks.
fn nodes(random: &mut Pcg64, flit_time: u64, ports: usize) -> NodeCosts {
    let mut cycles = |most| random.random_range(0..=most) * flit_time;
    NodeCosts {
        send_setup: cycles(30),
        send_per_flit: cycles(2),
        receive_setup: cycles(30),
        receive_per_flit: cycles(2),
        hold_setup: cycles(30),
        hold_per_flit: cycles(2),
        ports,
        ..NodeCosts::default()
    }
}

#[test]
fn messages_at_fixed_times() {
    let mut tally = Tally::default();
    for case in 0..4000 {
        let mut random = Pcg64::seed_from_u64(case);
        let network = lattice_network(&mut random);
        let channel = costs(&mut random);
        let mut messages = traffic(&mut random, network.nodes());
        messages.iter_mut().for_each(|message| message.start = message.start * channel.flit_time);
        let what = format!("case {case}: {} {channel:?} {messages:?}", network.what);
        tally.compare(&network, channel, TraceProgram::new(&messages), &what);
    }
    assert!(tally.equal > 3000 && tally.blocked > 2000 && tally.deadlocks > 5, "{tally:?}");
}

/// On graphs links differ in time and delay.
#[test]
fn messages_over_links() {
    let mut tally = Tally::default();
    for case in 0..3000 {
        let mut random = Pcg64::seed_from_u64(case);
        let channel = costs(&mut random);
        let routed = Routed::draw(&mut random, channel.flit_time);
        // one for all classes, or one each
        let vcs = if random.random() { 1 } else { routed.routing.classes().into() };
        let Some(network) = routed.network(Ports::from(random.random_range(1..3)), vcs) else { continue };
        let routes = routed.routes(channel.flit_time, vcs);
        let network = RouterNetwork { network, routes, what: routed.what };
        let mut messages = traffic(&mut random, network.nodes());
        messages.iter_mut().for_each(|message| message.start = message.start * channel.flit_time);
        let what = format!("case {case}: {} {channel:?} {messages:?}", network.what);
        tally.compare(&network, channel, TraceProgram::new(&messages), &what);
    }
    assert!(tally.equal > 1000 && tally.blocked > 700 && tally.deadlocks > 1 && tally.short > 100, "{tally:?}");
}

#[test]
fn multicasts_under_node_overheads() {
    let mut tally = Tally::default();
    for case in 0..1000 {
        let mut random = Pcg64::seed_from_u64(case);
        let network = lattice_network(&mut random);
        let channel = costs(&mut random);
        let members = group(&mut random, network.nodes(), 60);
        let flits = Flits(random.random_range(0..60));
        let asked = Request { flits, ..request(&members, network.nodes(), model(3, 10)) };
        let names = ["opt-tree", "binomial", "sequential", "chain"];
        let schedule = plan(names[random.random_range(0..names.len())], &asked);
        let nodes = nodes(&mut random, channel.flit_time, network.network.channels().ports());
        let what = format!("case {case}: {} {channel:?} {nodes:?} {flits}", network.what);
        tally.compare(&network, channel, ScheduleProgram::new(&schedule, &nodes), &what);
    }
    assert!(tally.equal > 700 && tally.blocked > 150, "{tally:?}");
}

/// With a barrier and without, where the next send of a node waits for the tail of the one before.
#[test]
fn exchanges() {
    let mut tally = Tally::default();
    for (number, (algorithm, case)) in exchange_oracle::cases().into_iter().enumerate() {
        let exchange = algorithm.plan(&case.dims).unwrap();
        if exchange.len() > 1000 {
            continue;
        }
        for round in 0..10 {
            let pace = if round % 2 == 0 { Pace::Synchronous } else { Pace::Asynchronous };
            let mut random = Pcg64::seed_from_u64(100 * number as u64 + round);
            let virtual_channels = random.random_range(1..=2);
            let torus = Torus::new(exchange.shape(), 1, virtual_channels.into()).unwrap();
            let order: Vec<usize> = (0..case.dims.len()).collect();
            let rings = Box::new(Rings::first_coordinate_first(torus.clone()));
            let network = RouterNetwork::on_lattice(rings, Lattice::new(&case.dims, true, &order), virtual_channels);
            let channel = costs(&mut random);
            let nodes = nodes(&mut random, channel.flit_time, 1);
            let block = Flits(random.random_range(0..4));
            let what = format!("{} {:?} {pace:?} {channel:?} {nodes:?} {block}", case.alg, case.dims);
            tally.compare(&network, channel, ExchangeProgram::new(&exchange, &torus, &nodes, block, pace), &what);
        }
    }
    assert!(tally.equal > 300 && tally.blocked > 50 && tally.deadlocks > 0, "{tally:?}");
}

#[test]
fn operations_with_computations_and_wildcards() {
    let mut tally = Tally::default();
    for case in 0..1500 {
        let mut random = Pcg64::seed_from_u64(case);
        let goal = random_goal(&mut random, case % 4 == 0);
        let network = lattice_network(&mut random);
        if network.nodes() < goal.ranks() {
            continue;
        }
        let ranks = first_nodes(goal.ranks());
        // computations take ticks of any number, so a cycle is one
        let channel = ChannelCosts { flit_time: 1, ..channel_costs(&mut random) };
        let nodes = nodes(&mut random, 1, network.network.channels().ports());
        let program = GoalProgram::new(&goal, &ranks, &nodes, 64);
        let worm = Engine::Worm.run(network.network.as_ref(), channel, program.clone(), &mut ());
        if let Err(Stop::Unfinished(expected)) = worm {
            let routers = on_routers(&network, channel, program).unwrap_err();
            assert_eq!(routers, Stop::Unfinished(expected), "case {case}");
            continue;
        }
        tally.compare(&network, channel, program, &format!("case {case}: {} {channel:?} {nodes:?}", network.what));
    }
    assert!(tally.equal > 200 && tally.blocked > 20, "{tally:?}");
}

/// Pipelined routers on a line of nodes with `vcs` virtual channels of eight flits, or what `costs` says.
fn pipelined(nodes: usize, vcs: u16, costs: RouterCosts, flit_time: u64, messages: &[TraceMessage]) -> Outcome {
    let routes = Relation::new(Lattice::new(&[nodes], false, &[0]), &relation::DIMENSION_ORDER, vcs);
    let network = DimensionOrder::first_coordinate_first(Mesh::new(&[nodes], 1).unwrap());
    let setup = Setup {
        routes: &routes,
        fixed: Some(&network),
        costs,
        interfaces: None,
        trees: None,
        flit_time,
        random_bits: &|_| 0,
    };
    run_program(&setup, TraceProgram::new(messages), &mut ()).unwrap()
}

fn message(src: u32, dst: u32, flits: u64, start: u64) -> TraceMessage {
    TraceMessage { src: NodeId(src), dst: NodeId(dst), flits: Flits(flits), start: Ticks(start) }
}

/// When head flits leave their sources and tails arrive.
fn times(outcome: &Outcome) -> Vec<(u64, u64)> {
    outcome.messages.iter().map(|message| (message.injected.0, message.delivered.0)).collect()
}

#[test]
fn a_single_message_on_pipelined_routers_takes_its_stages() {
    for (distance, flits) in [(0, 0), (0, 1), (1, 1), (3, 2), (4, 8), (2, 65_536)] {
        for vcs in [1, 2, 4] {
            let outcome = pipelined(5, vcs, RouterCosts::default(), 1, &[message(0, distance, flits, 7)]);
            let expected = 7 + 5 + 3 * u64::from(distance) + flits.max(1) - 1;
            assert_eq!(times(&outcome), [(7, expected)], "{distance} {flits} {vcs}");
            assert_eq!((outcome.blocked_headers, outcome.messages[0].hops), (0, distance));
        }
    }
    // a buffer shorter than the loop of credits slows it down
    let alone = |buffer| {
        let costs = RouterCosts { buffer: Buffer::Flits(buffer), ..RouterCosts::default() };
        pipelined(2, 1, costs, 1, &[message(0, 1, 8, 0)]).completion.0
    };
    assert_eq!([1, 2, 3, 4, 5, 8].map(alone), [43, 24, 19, 16, 15, 15]);
    // a cycle of three ticks: a request in between waits for the next
    let outcome = pipelined(5, 1, RouterCosts::default(), 3, &[message(0, 2, 4, 1)]);
    assert_eq!(times(&outcome), [(3, 3 * (1 + 5 + 6 + 3))]);
    assert_eq!(outcome.messages[0].blocked_time, Ticks(2));
}

/// The hand-derived cases: who is there first, who finds the virtual channel taken, and what that costs.
#[test]
fn messages_that_meet_on_pipelined_routers() {
    let costs = RouterCosts::default();
    let run = |vcs, messages: &[TraceMessage]| times(&pipelined(3, vcs, costs, 1, messages));
    // the head flit from afar finds the channel taken in cycle 5, and the tail leaves in that cycle
    assert_eq!(run(1, &[message(0, 2, 4, 0), message(1, 2, 4, 0)]), [(0, 15), (0, 11)]);
    // both there in cycle 5: the order of input ports decides
    assert_eq!(run(1, &[message(0, 1, 4, 0), message(2, 1, 4, 0)]), [(0, 11), (0, 15)]);
    // a source sends a flit a cycle
    assert_eq!(run(1, &[message(0, 1, 8, 0), message(0, 2, 8, 0)]), [(0, 15), (8, 26)]);
    // three for one node from one source, without a cycle lost between them
    let three = [message(0, 2, 8, 0), message(0, 2, 8, 0), message(0, 2, 8, 0)];
    assert_eq!(run(1, &three), [(0, 18), (8, 26), (16, 34)]);
    // a long message between two short ones
    let long = [message(0, 3, 16, 0), message(1, 2, 2, 0), message(2, 3, 2, 5)];
    assert_eq!(times(&pipelined(4, 1, costs, 1, &long)), [(0, 30), (0, 9), (5, 14)]);
    // two virtual channels share the link
    assert_eq!(run(2, &[message(0, 2, 8, 0), message(1, 2, 8, 0)]), [(0, 23), (0, 19)]);
    let outcome = pipelined(3, 1, costs, 1, &[message(0, 2, 4, 0), message(1, 2, 4, 0)]);
    assert_eq!((outcome.blocked_messages, outcome.blocked_time), (1, Ticks(1)));
}

/// Of a port with one virtual channel, the turn of the output that it requests of the switch goes on with that of the
/// virtual channel that its head flits request: alone in the network, none wastes what it is granted.
#[test]
fn speculation_takes_ejection_channels_in_turn() {
    let costs = RouterCosts { ejection_ports: 2, ..RouterCosts::default() };
    let outcome = pipelined(2, 1, costs, 1, &[message(0, 1, 1, 0), message(0, 1, 1, 0), message(0, 1, 1, 0)]);
    assert_eq!(times(&outcome), [(0, 8), (1, 9), (2, 10)]);
}
