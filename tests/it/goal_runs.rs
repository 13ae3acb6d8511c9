//! Operations on a network: multicasts take what they take as multicasts, both engines agree, and nodes do one thing after
//! the other.

use crate::loggops::{random_goal, read};
use crate::random::{channel_costs, dimension_ordered, group, network};
use crate::support::{first_nodes, model, plan, request};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::{ChannelCosts, NodeCosts};
use flitwise::engine::program::GoalProgram;
use flitwise::engine::program::ScheduleProgram;
use flitwise::engine::{Engine, Outcome, Stop};
use flitwise::routing::DimensionOrder;
use flitwise::schedule::goal::Goal;
use flitwise::topology::Mesh;
use flitwise::units::{Flits, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn line(nodes: usize) -> DimensionOrder {
    DimensionOrder::first_coordinate_first(Mesh::new(&[nodes], 1).unwrap())
}

/// Runs `goal` on a line of nodes whose sends take 100 and receives 10, a byte a flit.
fn on_a_line(goal: &Goal) -> Result<Outcome, Stop> {
    goal.check().unwrap();
    let costs = NodeCosts::default().sending(100, 0).receiving(10, 0);
    let nodes = first_nodes(goal.ranks());
    let program = GoalProgram::new(goal, &nodes, &costs, 1);
    Engine::Auto.run(&line(goal.ranks().max(2)), ChannelCosts::default(), program, &mut ())
}

#[test]
fn a_multicast_as_operations_takes_the_same_time() {
    let mut compared = 0;
    for seed in 0..1000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let network = dimension_ordered(&mut random);
        let nodes = network.channels().nodes();
        let members = group(&mut random, nodes, 60);
        let channel = channel_costs(&mut random);
        let flits = Flits(random.random_range(0..200));
        // far enough apart for nothing to meet, so that the numbers of messages do not matter
        let apart = 100 * channel.flit_time * nodes as u64 * flits.on_wire();
        let costs = NodeCosts::default()
            .sending(random.random_range(0..300), 1)
            .holding(apart, 0)
            .receiving(random.random_range(0..300), 2);
        let asked = Request { network: Some(network.as_ref()), flits, ..request(&members, nodes, model(3, 10)) };
        let schedule = plan(["opt-mesh", "u-mesh", "fibonacci-boundary"][random.random_range(0..3)], &asked);
        let flit_bytes = random.random_range(1..100);
        let goal = Goal::of_multicast(&schedule, flit_bytes);
        let ranks = first_nodes(nodes);
        let as_goal = GoalProgram::new(&goal, &ranks, &costs, flit_bytes);
        let as_goal = Engine::Worm.run(network.as_ref(), channel, as_goal, &mut ()).unwrap();
        let as_itself = ScheduleProgram::new(&schedule, &costs);
        let as_itself = Engine::Worm.run(network.as_ref(), channel, as_itself, &mut ()).unwrap();
        assert_eq!(as_goal.completion, as_itself.completion, "seed {seed}");
        let times = |outcome: &Outcome| {
            let mut times: Vec<_> = outcome.messages.iter().map(|m| (m.src, m.dst, m.requested, m.received)).collect();
            times.sort_unstable();
            times
        };
        assert_eq!(times(&as_goal), times(&as_itself), "seed {seed}");
        compared += as_goal.messages.len();
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn both_engines_agree_on_operations() {
    let (mut finished, mut unfinished) = (0, 0);
    for seed in 0..1000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let goal = random_goal(&mut random, seed % 4 == 0);
        let network = network(&mut random);
        if network.channels().nodes() < goal.ranks() {
            continue;
        }
        let nodes = first_nodes(goal.ranks());
        let ports = network.channels().ports();
        let costs = NodeCosts::default()
            .sending(random.random_range(0..50), 1)
            .receiving(random.random_range(0..50), 0)
            .ports(ports);
        let channel = channel_costs(&mut random);
        let run = |engine: Engine| {
            let ended = engine.run(network.as_ref(), channel, GoalProgram::new(&goal, &nodes, &costs, 64), &mut ());
            ended.map(|outcome| (outcome.messages, outcome.completion))
        };
        let (worm, flit) = (run(Engine::Worm), run(Engine::Flit));
        assert_eq!(worm, flit, "seed {seed}");
        match worm {
            Ok(_) => finished += 1,
            Err(Stop::Unfinished(_)) => unfinished += 1,
            Err(other) => panic!("seed {seed}: {other}"),
        }
    }
    assert!(finished > 100 && unfinished > 50, "{finished} finished, {unfinished} not");
}

#[test]
fn nodes_do_one_thing_after_the_other() {
    let times = |text: &str| {
        let outcome = on_a_line(&read(text)).unwrap();
        let times: Vec<(u64, u64)> = outcome.messages.iter().map(|m| (m.requested.0, m.received.0)).collect();
        (times, outcome.completion)
    };
    // a send of 8 flits to the neighbour: 100, three channels, 8 flits, 10
    let alone = 100 + 2 + 8 + 10;
    let text = "num_ranks 2\nrank 0 {\na: calc 30\nb: send 8b to 1\nb requires a\nc: calc 7\nc requires b\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    assert_eq!(times(text), (vec![(130, 30 + alone)], Ticks(30 + alone)));
    // a computation after the last receipt counts, and one that waits for a start begins with it
    let text = "num_ranks 2\nrank 0 {\nb: send 8b to 1\nc: calc 1000\nc irequires b\n}\nrank 1 {\na: recv 8b from 0\nb: calc 500\nb requires a\n}\n";
    assert_eq!(times(text), (vec![(100, alone)], Ticks(100 + 1000)), "the processor sends until 100");
    // who was ready first goes first: the second send became ready while the first computation ran
    let text = "num_ranks 2\nrank 0 {\na: calc 50\nb: calc 20\nb requires a\nc: send 8b to 1\nc requires a\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    assert_eq!(times(text).0, [(50 + 20 + 100, 70 + alone)]);
    // two sends share a port
    let text = "num_ranks 3\nrank 0 {\nsend 8b to 1\nsend 8b to 2\n}\nrank 1 {\nrecv 8b from 0\n}\nrank 2 {\nrecv 8b from 0\n}\n";
    assert_eq!(times(text).0, [(100, alone), (200, 100 + alone + 1)]);
    // a message to oneself crosses injection and ejection only; one of no bytes is a head flit
    let text = "num_ranks 1\nrank 0 {\nsend 0b to 0\nrecv 0b from 0\n}\n";
    assert_eq!(times(text).0, [(100, 100 + 1 + 1 + 10)]);
}

#[test]
fn an_early_message_waits_for_its_receive() {
    let text = "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\na: calc 5000\nb: recv 8b from 0\nb requires a\nc: calc 1\nc requires b\n}\n";
    assert_eq!(on_a_line(&read(text)).unwrap().completion, Ticks(5001));
}

#[test]
fn what_never_comes_is_named() {
    let text = "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n";
    let Err(Stop::Unfinished(violation)) = on_a_line(&read(text)) else { panic!("it cannot go on") };
    assert_eq!(violation.faults().len(), 2);
    assert!(violation.faults()[0].starts_with("rank 0, line 3: recv 8b from 1: nobody sends"), "{violation}");
}

#[test]
fn many_sends_of_one_rank_take_linear_time() {
    let sends: String = (1..2000).map(|rank| format!("send 1b to {rank}\n")).collect();
    let others: String = (1..2000).map(|rank| format!("rank {rank} {{\nrecv 1b from 0\n}}\n")).collect();
    let outcome = on_a_line(&read(&format!("num_ranks 2000\nrank 0 {{\n{sends}}}\n{others}"))).unwrap();
    assert_eq!(outcome.completion, Ticks(100 * 1999 + 1999 + 1 + 1 + 10));
    let hops: u64 = (1..2000).map(|hops| hops + 2).sum();
    assert!(outcome.events < hops + 4 * 2000, "{} events", outcome.events);
}
