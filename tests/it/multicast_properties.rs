//! What holds of every multicast: the optimal tables are optimal, every tree reaches exactly its destinations and is
//! numbered as documented, halving takes the fewest steps, and several ports send in rounds.

use crate::random::{group, network};
use crate::support::{first_nodes, model, plan, receivers, request};
use flitwise::algorithm::multicast::{ALGORITHMS, Algorithm, Fits, Inside, OptTable, Request};
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::Engine;
use flitwise::engine::program::ScheduleProgram;
use flitwise::model::Parameterised;
use flitwise::routing::Network;
use flitwise::schedule::Schedule;
use flitwise::selftest::reference::trees::{best_splits, earliest_receipts, least_times};
use flitwise::units::{Flits, NodeId, Ticks};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// How many nodes hold the message at time `t`: `N(t) = N(t - h) + p N(t - e)`, and 1 before `e`.
fn holders(t: u64, hold: u64, end: u64, ports: u64) -> u64 {
    let mut holders: Vec<u64> = Vec::new();
    for now in 0..=t {
        let at = |delay: u64| now.checked_sub(delay).map_or(1, |past| holders[usize::try_from(past).unwrap()]);
        let sum = if now < end { 1 } else { at(hold).saturating_add(ports.saturating_mul(at(end))) };
        holders.push(sum);
    }
    holders.pop().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_table_is_the_recurrence(size in 1..160_usize, hold in 0..60_u64, end in 0..60_u64, ports in 1..6_usize) {
        let table = OptTable::new(size, model(hold, end), ports);
        let t = least_times(size, model(hold, end), ports);
        let times: Vec<u64> = (1..=size).map(|i| table.time(i)).collect();
        prop_assert_eq!(&times, &t[1..]);
        // with one port and no longer hold the paper's Algorithm 1 decides among the minimisers
        for i in 2..=size {
            let kept = table.kept(i);
            let best = best_splits(&t, i, model(hold, end), ports);
            let decides = ports == 1 && hold <= end;
            prop_assert!(best.last() == Some(&kept) || (decides && best.contains(&kept)), "j[{}] = {}", i, kept);
        }
    }

    #[test]
    fn the_table_is_the_earliest_receipt(size in 1..160_usize, hold in 0..60_u64, end in 1..60_u64, ports in 1..6_usize) {
        let table = OptTable::new(size, model(hold, end), ports);
        let times: Vec<u64> = (1..=size).map(|i| table.time(i)).collect();
        prop_assert_eq!(times, earliest_receipts(size, model(hold, end), ports));
    }

    #[test]
    fn the_table_inverts_the_growth_of_the_holders(
        size in 2..100_usize, hold in 1..30_u64, end in 1..30_u64, ports in 1..6_u64
    ) {
        let time = OptTable::new(size, model(hold, end), usize::try_from(ports).unwrap()).time(size);
        prop_assert!(holders(time, hold, end, ports) >= size as u64);
        prop_assert!(holders(time - 1, hold, end, ports) < size as u64);
    }

    #[test]
    fn the_holder_keeps_at_least_half(size in 2..400_usize, hold in 0..60_u64, slack in 0..60_u64) {
        let table = OptTable::new(size, model(hold, hold + slack), 1);
        for i in 2..=size {
            prop_assert!(2 * table.kept(i) >= i, "j[{}] = {}", i, table.kept(i));
        }
    }
}

/// A random request for every algorithm on a random machine.
fn for_random_requests(cases: u64, mut check: impl FnMut(&mut Pcg64, &dyn Network, &Request<'_>)) {
    for case in 0..cases {
        let mut random = Pcg64::seed_from_u64(case);
        let network = network(&mut random);
        let nodes = network.channels().nodes();
        let group = group(&mut random, nodes, 200);
        let end = random.random_range(0..100);
        let asked = Request {
            network: Some(network.as_ref()),
            flits: Flits(random.random_range(0..50)),
            block: random.random_range(1..9),
            inside: [Inside::Flat, Inside::Binomial][random.random_range(0..2)],
            ..request(&group, nodes, model(random.random_range(0..=end), end))
        };
        check(&mut random, network.as_ref(), &asked);
    }
}

/// The receivers of the messages in the documented order: a node numbers all its sends, then come those of its
/// receivers in that order.
fn preorder(schedule: &Schedule, holder: NodeId, order: &mut Vec<(NodeId, NodeId)>) {
    let receivers = receivers(schedule, holder);
    order.extend(receivers.iter().map(|&receiver| (holder, receiver)));
    for receiver in receivers {
        preorder(schedule, receiver, order);
    }
}

#[test]
fn every_algorithm_reaches_exactly_its_destinations_in_documented_order() {
    let mut planned = vec![0; ALGORITHMS.len()];
    for_random_requests(400, |_, _, asked| {
        for (algorithm, planned) in ALGORITHMS.iter().zip(&mut planned) {
            let Ok(schedule) = algorithm.plan(asked) else { continue };
            let what = format!("{} {:?}", algorithm.name, asked.group);
            let proof = schedule.check(&asked.group[1..]).unwrap_or_else(|violation| panic!("{what}: {violation}"));
            assert_eq!((proof.destinations, proof.messages), (asked.group.len() - 1, schedule.len()), "{what}");
            assert_eq!((schedule.source(), schedule.flits()), (asked.group[0], asked.flits), "{what}");
            let mut order = Vec::new();
            preorder(&schedule, schedule.source(), &mut order);
            assert_eq!(schedule.messages().map(|m| (m.src, m.dst)).collect::<Vec<_>>(), order, "{what}");
            for message in schedule.messages() {
                let receipt = schedule.messages().find(|earlier| earlier.dst == message.src).map(|m| m.id);
                assert_eq!(message.after, receipt, "{what}: message {}", message.id);
            }
            *planned += 1;
        }
    });
    // no network here has routers that copy
    let copies = |algorithm: &Algorithm| algorithm.fits == Fits::TreeWorms || algorithm.needs_routers();
    let tried = |(&planned, algorithm): (&usize, &Algorithm)| planned > 50 || copies(algorithm);
    assert!(planned.iter().zip(ALGORITHMS).all(tried), "some algorithm was hardly tried: {planned:?}");
}

/// The group `0..size` of a machine without a network, `source` first.
fn group_with_source(size: usize, source: usize) -> Vec<NodeId> {
    let mut group = first_nodes(size);
    group.swap(0, source);
    group
}

#[test]
fn u_mesh_takes_the_fewest_steps_from_every_source() {
    let step = model(1, 1);
    for (size, source) in (1..=70).flat_map(|size| (0..size).map(move |source| (size, source))) {
        let schedule = plan("u-mesh", &request(&group_with_source(size, source), size, step));
        let steps = u64::from(size.next_power_of_two().trailing_zeros());
        assert_eq!(step.price(&schedule, 1).completion, Ticks(steps), "{size} nodes, source at {source}");
    }
}

#[test]
fn opt_mesh_takes_the_optimal_time_from_every_source() {
    let models = [(20, 55), (10, 40), (20, 20), (0, 7), (0, 0), (1, 1), (10192, 34172), (2000, 5500)];
    for (hold, end) in models {
        let table = OptTable::new(50, model(hold, end), 1);
        for (size, source) in (1..=50).flat_map(|size| (0..size).map(move |source| (size, source))) {
            let schedule = plan("opt-mesh", &request(&group_with_source(size, source), size, model(hold, end)));
            let completion = model(hold, end).price(&schedule, 1).completion;
            assert_eq!(completion, Ticks(table.time(size)), "{size} nodes, source at {source}, {hold} {end}");
        }
    }
}

#[test]
fn a_node_with_several_ports_sends_in_rounds() {
    let mut later_rounds = 0;
    for_random_requests(3000, |random, network, asked| {
        let ports = network.channels().ports();
        let costs = NodeCosts::default()
            .sending(random.random_range(0..30), 1)
            .holding(random.random_range(0..40), random.random_range(0..3))
            .receiving(random.random_range(0..30), 2)
            .ports(ports);
        let algorithm = ["sequential", "binomial", "opt-tree"][random.random_range(0..3)];
        let schedule = plan(algorithm, &Request { ports, ..*asked });
        let channels = ChannelCosts::default();
        let outcome = Engine::Worm.run(network, channels, ScheduleProgram::new(&schedule, &costs), &mut ()).unwrap();
        for message in schedule.messages() {
            let ready = message.after.map_or(Ticks::ZERO, |after| outcome.messages[after.index()].received);
            let round = u64::from(message.id.0 - schedule.sends(message.src).start) / ports as u64;
            let requested = ready + costs.hold(asked.flits) * round + costs.send(asked.flits);
            assert_eq!(outcome.messages[message.id.index()].requested, requested, "{ports} ports, {}", message.id);
            later_rounds += usize::from(ports > 1 && round > 0);
        }
    });
    assert!(later_rounds > 400, "only {later_rounds} sends of later rounds");
}

#[test]
fn a_derived_model_never_holds_for_less_than_the_wire() {
    let channel = ChannelCosts { flit_time: 8, buffer: Buffer::Flits(1), routing_delay: 0 };
    let node = NodeCosts::default().sending(2000, 2).receiving(3500, 3);
    let derived = |flits| Parameterised::derived(&node, channel, Flits(flits));
    assert_eq!(derived(65_536), model(524_288, 857_468));
    assert_eq!(derived(100), model(2200, 6800));
}
