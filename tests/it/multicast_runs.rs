//! Whole multicasts on the 16 x 16 mesh against an independent worm-level machine: when every node has received, how
//! many headers and messages were blocked, and for how long. Both engines.

use crate::support::{data, plan, request};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::program::ScheduleProgram;
use flitwise::engine::{Engine, Outcome};
use flitwise::model::Parameterised;
use flitwise::routing::{DimensionOrder, Network};
use flitwise::schedule::Schedule;
use flitwise::topology::Mesh;
use flitwise::units::{Flits, NodeId, Ticks};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    bytes: u64,
    t_k: u64,
    nodes: Vec<u32>,
    algos: BTreeMap<String, Run>,
}

#[derive(Deserialize)]
struct Run {
    time: u64,
    blocked_headers: u64,
    blocked_msgs: u64,
    blocked_wait: u64,
    /// Node and time of receipt, zero for the source.
    done: Vec<(u32, u64)>,
}

const CHANNEL: ChannelCosts = ChannelCosts { flit_time: 2, buffer: Buffer::Flits(1), routing_delay: 0 };

/// What the nodes of the figures cost; flits are bytes.
fn node_costs() -> NodeCosts {
    NodeCosts::default().sending(2000, 2).receiving(3500, 3)
}

fn model(case: &Case) -> Parameterised {
    Parameterised { t_hold: Ticks(2000 + 2 * case.bytes), t_end: Ticks(5500 + 7 * case.bytes) }
}

fn mesh() -> DimensionOrder {
    DimensionOrder::first_coordinate_first(Mesh::new(&[16, 16], 1).unwrap())
}

fn schedule(case: &Case, algorithm: &str, network: &dyn Network) -> Schedule {
    let group: Vec<NodeId> = case.nodes.iter().copied().map(NodeId).collect();
    let flits = Flits(case.bytes);
    plan(algorithm, &Request { network: Some(network), flits, ..request(&group, 256, model(case)) })
}

fn assert_run(case: &Case, algorithm: &str, reference: &Run, engine: Engine) {
    let mesh = mesh();
    let schedule = schedule(case, algorithm, &mesh);
    let program = ScheduleProgram::new(&schedule, &node_costs());
    let outcome = engine.run(&mesh, CHANNEL, program, &mut ()).unwrap();
    let what = format!("{algorithm} {engine:?}, {} nodes, {} bytes", case.nodes.len(), case.bytes);
    let totals = (outcome.completion.0, outcome.blocked_headers, outcome.blocked_messages, outcome.blocked_time.0);
    let expected = (reference.time, reference.blocked_headers, reference.blocked_msgs, reference.blocked_wait);
    assert_eq!(totals, expected, "{what}");
    assert_eq!(receipts(case.nodes[0], &outcome), sorted(&reference.done), "{what}");
}

fn receipts(source: u32, outcome: &Outcome) -> Vec<(u32, u64)> {
    let received = outcome.messages.iter().map(|message| (message.dst.0, message.received.0));
    sorted(&received.chain([(source, 0)]).collect::<Vec<_>>())
}

fn sorted(times: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times
}

fn assert_runs(engine: Engine, expected: usize, chosen: impl Fn(&Case) -> bool) {
    let Oracle { cases } = data("multicast/mcast16.json");
    let mut runs = 0;
    for case in cases.iter().filter(|case| chosen(case)) {
        for (algorithm, reference) in &case.algos {
            assert_run(case, &algorithm.replace('_', "-"), reference, engine);
            runs += 1;
        }
    }
    assert_eq!(runs, expected);
}

#[test]
fn the_worm_engine_reproduces_every_receipt_and_every_blocked_header() {
    assert_runs(Engine::Worm, 18, |_| true);
}

#[test]
fn the_flit_engine_reproduces_every_receipt_and_every_blocked_header() {
    assert_runs(Engine::Flit, 15, |case| case.bytes <= 4096);
}

#[test]
#[ignore = "moves a hundred million flits: cargo test --release -- --ignored"]
fn the_flit_engine_reproduces_the_long_messages() {
    assert_runs(Engine::Flit, 3, |case| case.bytes > 4096);
}

#[test]
fn the_model_prices_the_optimal_trees_at_the_reference_time() {
    let Oracle { cases } = data("multicast/mcast16.json");
    let mesh = mesh();
    for case in &cases {
        for algorithm in ["opt-mesh", "opt-tree"] {
            let prices = model(case).price(&schedule(case, algorithm, &mesh), 1);
            assert_eq!(prices.completion.0, case.t_k, "{algorithm}, {} nodes, {} bytes", case.nodes.len(), case.bytes);
        }
    }
}
