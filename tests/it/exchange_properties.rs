//! What holds of every exchange algorithm on every torus that it can do, and that the proofs can fail.

use crate::support::data;
use flitwise::algorithm::exchange::{ALGORITHMS, Algorithm, printed};
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::Engine;
use flitwise::engine::program::ExchangeProgram;
use flitwise::model::ExchangeModel;
use flitwise::routing::{Move, Rings};
use flitwise::schedule::Pace;
use flitwise::schedule::dependency::{dependencies, loads};
use flitwise::schedule::{Axes, Exchange, ExchangeViolation};
use flitwise::topology::Torus;
use flitwise::units::{Flits, MessageId, NodeId};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Algorithms whose messages never share a channel in a step.
const CONTENTION_FREE: [&str; 10] = [
    "naive",
    "naive-bidirectional",
    "double-hop",
    "double-hop-bidirectional",
    "modified-double-hop",
    "modified-double-hop-bidirectional",
    "split-and-merge",
    "split-and-merge-lean",
    "suh-shin",
    "suh-shin-bidirectional",
];

/// Of these, those whose channels never depend on each other in a cycle even with one virtual channel.
const ACYCLIC: [&str; 6] =
    ["naive", "naive-bidirectional", "double-hop", "modified-double-hop", "split-and-merge", "split-and-merge-lean"];

/// That the exchange on a torus of `shape` proves right, costs what the closed form says, and does to the channels what
/// its doc promises.
fn assert_as_promised(algorithm: &Algorithm, shape: &[usize]) {
    let what = format!("{} {shape:?}", algorithm.name);
    let exchange = algorithm.plan(shape).unwrap();
    let proof = exchange.check().unwrap_or_else(|violation| panic!("{what}: {violation}"));
    let expected = algorithm.critical_path(shape).unwrap();
    assert_eq!((proof.startups as u64, proof.critical_blocks), (expected.startups, expected.blocks), "{what}");
    let [one, two] = [1, 2].map(|lanes| dependencies(&exchange, lanes).unwrap());
    assert_eq!(two.over_all_steps, None, "{what}: a dateline breaks every cycle");
    if CONTENTION_FREE.contains(&algorithm.name) {
        let loads = loads(&exchange, &Torus::new(shape, 1, 1).unwrap());
        assert!(loads.iter().all(|load| load.messages == 1 && load.shared.is_none()), "{what}");
        assert_eq!(one.within_a_step, None, "{what}");
    }
    if ACYCLIC.contains(&algorithm.name) {
        assert_eq!(one.over_all_steps, None, "{what}");
    }
}

#[test]
fn every_algorithm_on_every_torus_of_two_dimensions_up_to_16() {
    let mut done = BTreeMap::new();
    for rows in 1..=16 {
        for columns in 1..=16 {
            for algorithm in ALGORITHMS.iter().filter(|a| a.admits(&[rows, columns]).is_ok()) {
                assert_as_promised(algorithm, &[rows, columns]);
                *done.entry(algorithm.name).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(done.len(), ALGORITHMS.len());
    assert_eq!((done["naive"], done["double-hop"], done["split-and-merge"], done["suh-shin"]), (256, 81, 7, 16));
}

#[test]
fn every_algorithm_on_every_torus_of_three_dimensions_up_to_6() {
    for number in 0..216 {
        let shape = [number / 36 + 1, number / 6 % 6 + 1, number % 6 + 1];
        for algorithm in ALGORITHMS.iter().filter(|a| a.admits(&shape).is_ok()) {
            assert_as_promised(algorithm, &shape);
        }
    }
}

#[test]
fn every_algorithm_on_rings_and_on_four_dimensions() {
    let rings = (1..=33).map(|n| vec![n]);
    for shape in rings.chain([vec![2, 3, 2, 3], vec![2, 2, 2, 2], vec![4, 2, 1, 4]]) {
        for algorithm in ALGORITHMS.iter().filter(|a| a.admits(&shape).is_ok()) {
            assert_as_promised(algorithm, &shape);
        }
    }
}

/// What the model predicts without contention is what both engines measure, at either pace where nothing meets.
#[test]
fn predictions_of_contention_free_exchanges_come_true() {
    let node = NodeCosts::default().sending(100, 2).receiving(50, 1);
    let channel = ChannelCosts { flit_time: 2, buffer: Buffer::Flits(3), routing_delay: 1 };
    let mut worms = 0;
    for name in CONTENTION_FREE {
        let algorithm = Algorithm::named(name).unwrap();
        let shapes = [[4, 4], [5, 5], [6, 6], [8, 8], [4, 6], [7, 5]];
        for (shape, block_flits) in shapes.into_iter().flat_map(|shape| [(shape, Flits(3)), (shape, Flits(0))]) {
            let Ok(exchange) = algorithm.plan(&shape) else { continue };
            let torus = Torus::new(&shape, 1, 2).unwrap();
            let network = Rings::first_coordinate_first(torus.clone());
            let pace = Pace::Synchronous;
            let model = ExchangeModel { node, network: channel.into(), chosen: None, block_flits, pace };
            for engine in [Engine::Worm, Engine::Flit] {
                let program = ExchangeProgram::new(&exchange, &torus, &node, block_flits, pace);
                let outcome = engine.run(&network, channel, program, &mut ()).unwrap();
                let prices = model.price(&exchange);
                assert_eq!((outcome.completion, outcome.blocked_headers), (prices.completion, 0), "{name} {shape:?}");
                let received: Vec<_> = outcome.messages.iter().map(|message| message.received).collect();
                assert_eq!(received, prices.received, "{name} {shape:?}");
            }
            let program = ExchangeProgram::new(&exchange, &torus, &node, block_flits, Pace::Asynchronous);
            let outcome = Engine::Auto.run(&network, channel, program, &mut ()).unwrap();
            let model = ExchangeModel { pace: Pace::Asynchronous, ..model };
            if outcome.blocked_headers == 0 && outcome.engine == Engine::Worm {
                worms += 1;
                assert_eq!(outcome.completion, model.completion(&exchange), "{name} {shape:?}");
            }
        }
    }
    assert!(worms > 15, "{worms} runs without barriers and without contention");
}

/// Without barriers both engines agree to the tick, or the worm engine says that it cannot tell.
#[test]
fn the_engines_agree_without_barriers() {
    let mut agreed = 0;
    for algorithm in ALGORITHMS {
        for shape in [[4, 4], [5, 5], [3, 4], [7, 7], [8, 8]] {
            let Ok(exchange) = algorithm.plan(&shape) else { continue };
            for (startup, block_flits, buffer) in [(0, 1, 1), (100, 4, 2), (7, 3, 1), (7, 0, 1)] {
                let torus = Torus::new(&shape, 1, 2).unwrap();
                let network = Rings::first_coordinate_first(torus.clone());
                let node = NodeCosts::default().sending(startup, 0).receiving(3, 1);
                let channel = ChannelCosts { buffer: Buffer::Flits(buffer), ..ChannelCosts::default() };
                let program = ExchangeProgram::new(&exchange, &torus, &node, Flits(block_flits), Pace::Asynchronous);
                let flit = Engine::Flit.run(&network, channel, program.clone(), &mut ()).unwrap();
                if let Ok(worm) = Engine::Worm.run(&network, channel, program, &mut ()) {
                    agreed += 1;
                    assert_eq!(worm.messages, flit.messages, "{} {shape:?}", algorithm.name);
                }
            }
        }
    }
    assert!(agreed > 60, "{agreed}");
}

/// The messages of an exchange, to be tampered with: per step (sender, moves, blocks).
type Written = Vec<Vec<(NodeId, Vec<Move>, Vec<(NodeId, NodeId)>)>>;

fn written(exchange: &Exchange) -> Written {
    let step = |step| {
        let message = |id| (exchange.message(id).src, exchange.message(id).moves.to_vec(), exchange.blocks(id));
        exchange.step(step).map(|id| message(MessageId(id))).collect()
    };
    (0..exchange.steps()).map(step).collect()
}

fn rewritten(shape: &[usize], steps: &Written) -> Exchange {
    let mut exchange = Exchange::new(shape, Axes::Dimensions);
    for step in steps {
        for (src, moves, blocks) in step {
            exchange.push(*src, moves, blocks);
        }
        exchange.end_step();
    }
    exchange
}

#[test]
fn a_tampered_exchange_proves_wrong() {
    for seed in 0..300 {
        let mut random = Pcg64::seed_from_u64(seed);
        let names = ["double-hop", "suh-shin", "bruck", "direct", "naive-bidirectional", "hypercube"];
        let algorithm = Algorithm::named(names[random.random_range(0..names.len())]).unwrap();
        let exchange = algorithm.plan(&[4, 4]).unwrap();
        let mut steps = written(&exchange);
        assert_eq!(rewritten(&[4, 4], &steps).check(), exchange.check(), "block by block it is the same exchange");
        let step = random.random_range(0..steps.len());
        let at = random.random_range(0..steps[step].len());
        match random.random_range(0..5) {
            0 => drop(steps[step].remove(at)),
            1 => {
                let doubled = steps[step][at].clone();
                steps[step].push(doubled);
            }
            2 => steps[step][at].1[0].hops += 1,
            3 => drop(steps[step][at].2.pop()),
            _ => {
                let block = steps[step][at].2[0];
                steps[step][at].2.push(block);
            }
        }
        assert!(rewritten(&[4, 4], &steps).check().is_err(), "seed {seed} {}", algorithm.name);
    }
}

/// A message by hand: its sender, its way and its blocks.
type Send<'a> = (NodeId, &'a [Move], &'a [(NodeId, NodeId)]);

#[test]
fn each_violation_is_named() {
    let right = [Move { dimension: 0, hops: 1 }];
    let (a, b, c) = (NodeId(0), NodeId(1), NodeId(2));
    let check = |steps: &[&[Send<'_>]]| {
        let mut exchange = Exchange::new(&[3], Axes::Number);
        for step in steps {
            for (src, moves, blocks) in *step {
                exchange.push(*src, moves, blocks);
            }
            exchange.end_step();
        }
        exchange.check().unwrap_err()
    };
    let back = [Move { dimension: 0, hops: -1 }];
    let round = [Move { dimension: 0, hops: 4 }];
    let nowhere = [Move { dimension: 0, hops: 1 }, Move { dimension: 0, hops: -1 }];
    let cases: [(ExchangeViolation, &str); 7] = [
        (check(&[&[(a, &nowhere, &[(a, b)])]]), "step 0, message 0: node 0 sends to itself"),
        (
            check(&[&[(a, &round, &[(a, b)])]]),
            "step 0, message 0: 4 hops along dimension 0 go round its whole ring of 3 nodes",
        ),
        (check(&[&[(a, &right, &[(a, b)]), (a, &back, &[(a, c)])]]), "step 0: node 0 sends twice, in messages 0 and 1"),
        (
            check(&[&[(a, &right, &[(a, b)]), (c, &back, &[(c, b)])]]),
            "step 0: node 1 receives twice, in messages 0 and 1",
        ),
        (
            check(&[&[(a, &right, &[(a, b)])], &[(a, &right, &[(a, b)])]]),
            "step 1, message 1: node 0 sends block 0>1, which node 1 holds",
        ),
        (
            check(&[&[(a, &right, &[(a, b), (a, b)])]]),
            "step 0, message 0: node 0 sends block 0>1, which another message of this step already carries",
        ),
        (check(&[&[(a, &right, &[(a, b)])]]), "block 0>2 ends at node 0, not at its destination"),
    ];
    for (violation, message) in cases {
        assert_eq!(violation.to_string(), message);
    }
}

#[derive(Deserialize)]
struct Tables {
    #[serde(rename = "N")]
    n: usize,
    #[serde(rename = "phaseX")]
    rows: Vec<Table>,
    #[serde(rename = "phaseY")]
    columns: Vec<Table>,
}

/// By slot: the block's source and destination, each (row, column).
type Table = Vec<Vec<[[usize; 2]; 2]>>;

/// The blocks that node (0,0) holds after each number of steps, in the slots of the paper's array `M`: a block on its way
/// along a dimension lies at its destination's coordinate, one at its home pair at (source + destination) mod N.
fn tables(exchange: &Exchange, n: usize) -> Vec<Table> {
    let mut holders: BTreeMap<(NodeId, NodeId), NodeId> = BTreeMap::new();
    for node in (0..n * n).map(NodeId::new) {
        holders.extend((0..n * n).map(|to| ((node, NodeId::new(to)), node)));
    }
    let table = |holders: &BTreeMap<(NodeId, NodeId), NodeId>, rows: bool| {
        let mut table = vec![vec![[[usize::MAX; 2]; 2]; n]; n];
        for ((source, destination), _) in holders.iter().filter(|(_, holder)| holder.0 == 0) {
            let [source, destination] = [source, destination].map(|node| [node.index() / n, node.index() % n]);
            let slot = |axis: usize, begun: bool| {
                let home = begun && destination[axis] < 2;
                if home { (source[axis] + destination[axis]) % n } else { destination[axis] }
            };
            table[slot(0, !rows)][slot(1, true)] = [source, destination];
        }
        table
    };
    let mut tables = Vec::new();
    for step in 0..exchange.steps() {
        if step == 0 {
            tables.push(table(&holders, true));
        }
        for id in exchange.step(step).map(MessageId) {
            for block in exchange.blocks(id) {
                holders.insert(block, exchange.message(id).dst);
            }
        }
        if step + 1 == n / 2 {
            tables.push(table(&holders, true));
        }
        tables.push(table(&holders, step + 1 < n / 2));
    }
    tables
}

/// Figures 8 and 9 of the paper, slot by slot; Fig. 9 as it should be (as printed it repeats Fig. 8).
#[test]
fn figures_8_and_9() {
    let figure: Tables = data("exchange/fig8_fig9.json");
    let exchange = Algorithm::named("double-hop").unwrap().plan(&[figure.n; 2]).unwrap();
    let ours = tables(&exchange, figure.n);
    let theirs: Vec<Table> = figure.rows.into_iter().chain(figure.columns).collect();
    assert_eq!(ours.len(), theirs.len());
    for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours, theirs, "state {at}");
    }
}

/// The transmission time as the paper prints it and as it is: N = 6 gives 74 blocks and 108.
#[test]
fn the_transmission_model_as_printed_and_as_corrected() {
    let double_hop = Algorithm::named("double-hop").unwrap();
    let (printed, right) = (printed(double_hop, &[6, 6]).unwrap(), double_hop.critical_path(&[6, 6]).unwrap());
    assert_eq!((printed.startups, printed.blocks, right.startups, right.blocks), (6, 74, 6, 108));
    assert_eq!(flitwise::algorithm::exchange::printed(double_hop, &[6, 4]), None);
    assert_eq!(flitwise::algorithm::exchange::printed(Algorithm::named("naive").unwrap(), &[6, 6]), None);
    let model = ExchangeModel {
        node: NodeCosts::default().sending(100, 0).receiving(10, 0),
        network: ChannelCosts { flit_time: 2, ..ChannelCosts::default() }.into(),
        chosen: None,
        block_flits: Flits(4),
        pace: Pace::Synchronous,
    };
    assert_eq!((model.transmission(printed).0, model.transmission(right).0), (660 + 592, 660 + 864));
}
