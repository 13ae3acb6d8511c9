//! Operations on a network: multicasts take what they take as multicasts, both engines agree, and nodes do one thing after
//! the other.

use crate::broadcast::random_costs;
use crate::goal::text;
use crate::loggops::{CLASSIC, random_goal, read, run};
use crate::random::{channel_costs, dimension_ordered, group, network};
use crate::support::{first_nodes, model, plan, request};
use flitwise::algorithm::broadcast::{Removal, Tree, ttcc};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::{ChannelCosts, NodeCosts};
use flitwise::engine::program::GoalProgram;
use flitwise::engine::program::ScheduleProgram;
use flitwise::engine::{Engine, Outcome, Stop};
use flitwise::routing::DimensionOrder;
use flitwise::schedule::Schedule;
use flitwise::schedule::goal::{Action, Goal};
use flitwise::topology::Mesh;
use flitwise::units::{Flits, NodeId, Ticks};
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

/// The operations of the trees of a broadcast, tree `i` with messages of `i + 1` bytes.
fn operations(trees: &[Tree], nodes: usize, root: NodeId) -> Goal {
    let schedules = trees.iter().zip(1..).map(|(tree, bytes)| tree.schedule(nodes, root, Flits(bytes)));
    Goal::of_trees(&schedules.collect::<Vec<Schedule>>(), 1)
}

#[test]
fn operations_of_broadcast_trees_reach_every_node_once_a_tree_in_the_order_of_execution() {
    let mut spanning = 0;
    for seed in 0..300 {
        let mut random = Pcg64::seed_from_u64(seed);
        let nodes = random.random_range(1..25);
        let root = NodeId::new(random.random_range(0..nodes));
        let trees = ttcc(&random_costs(&mut random, nodes), root, random.random_range(1..4), Removal::Undirected);
        spanning += usize::from(trees.iter().all(|tree| tree.edges().len() == nodes - 1));
        let goal = operations(&trees, nodes, root);
        assert_eq!(read(&text(&goal)), goal, "seed {seed}");
        assert_eq!(goal.ranks(), nodes, "seed {seed}");
        for rank in 0..nodes {
            let node = NodeId::new(rank);
            let of_rank = goal.of_rank(rank).map(|id| goal.operations()[id as usize]);
            let (sent, received): (Vec<_>, Vec<_>) = of_rank.partition(|operation| operation.action == Action::Send);
            let numbered =
                || trees.iter().zip(0..).flat_map(|(tree, tag)| tree.edges().iter().map(move |edge| (edge, tag)));
            let planned: Vec<_> =
                numbered().filter(|((src, _), _)| *src == node).map(|((_, dst), t)| (dst.0, t)).collect();
            assert_eq!(sent.iter().map(|s| (s.peer, s.tag)).collect::<Vec<_>>(), planned, "seed {seed}");
            let planned: Vec<_> =
                numbered().filter(|((_, dst), _)| *dst == node).map(|((src, _), t)| (src.0, t)).collect();
            assert_eq!(received.iter().map(|r| (r.peer, r.tag)).collect::<Vec<_>>(), planned, "seed {seed}");
            assert!(sent.iter().chain(&received).all(|operation| operation.size == operation.tag + 1));
        }
        let sends: usize = trees.iter().map(|tree| tree.edges().len()).sum();
        let execution = run(&goal, &CLASSIC).unwrap();
        assert_eq!(execution.completion > Ticks::ZERO, sends > 0, "seed {seed}");
        let outcome = on_a_line(&goal).unwrap();
        assert_eq!(outcome.messages.len(), sends, "seed {seed}");
    }
    assert!(spanning > 200, "{spanning}");
}

#[test]
fn a_send_waits_for_the_message_of_its_own_tree_and_for_its_turn() {
    let n = NodeId;
    // node 1 has the message of the second tree from node 2, long after that of the first
    let trees = [vec![(n(0), n(1)), (n(1), n(3)), (n(0), n(2))], vec![(n(0), n(3)), (n(3), n(2)), (n(2), n(1))]];
    let goal = operations(&trees.map(Tree::new), 4, n(0));
    let written = text(&goal);
    let rank_2 = written.split("rank ").nth(3).unwrap();
    assert_eq!(
        rank_2, "2 {\nl1: recv 1b from 0\nl2: recv 2b from 3 tag 1\nl3: send 2b to 1 tag 1\nl3 requires l2\n}\n\n",
        "{written}"
    );
    let rank_0 = written.split("rank ").nth(1).unwrap();
    assert!(rank_0.contains("l3: send 2b to 3 tag 1\nl3 irequires l2\n"), "{written}");
    // node 3 receives from node 1 while node 0 sends: 100 a send, two channels and the flits, 10 a receipt
    let outcome = on_a_line(&goal).unwrap();
    let received = |src: u32, dst: u32| {
        let message = outcome.messages.iter().find(|message| (message.src, message.dst) == (n(src), n(dst)));
        message.unwrap().received
    };
    assert!(received(3, 2) < received(2, 1) && received(2, 1) == outcome.completion);
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
        let worm = run(Engine::Worm);
        assert_eq!(worm, run(Engine::Flit), "seed {seed}");
        assert_eq!(worm, run(Engine::Sleep), "seed {seed}");
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
    let said = "1 error\n  ranks 0 and 1 wait for each other in a cycle of 4 operations: \
                rank 0, line 3: recv 8b from 1, rank 0 waits here for rank 1 to send (line 9); \
                rank 1, line 9: send 8b to 0, waits for line 8; \
                rank 1, line 8: recv 8b from 0, rank 1 waits here for rank 0 to send (line 4); \
                rank 0, line 4: send 8b to 1, waits for line 3";
    assert_eq!(violation.to_string(), said);
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
