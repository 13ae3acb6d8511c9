//! The flit engine against the worm engine on thousands of random contended cases: every header start, release and
//! delivery is equal.
//!
//! `FLITWISE_CASES=100000 cargo test --release differential` runs longer.

use crate::support::record;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::{ChannelCosts, Engine};
use flitwise::routing::{DimensionOrder, ECube, Network, Turnaround, UpPort};
use flitwise::topology::{Bmin, Hypercube, Mesh};
use flitwise::units::{Flits, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const CASES: u64 = 4000;

fn cases() -> u64 {
    std::env::var("FLITWISE_CASES").map_or(CASES, |n| n.parse().expect("FLITWISE_CASES is a number"))
}

fn network(random: &mut Pcg64) -> Box<dyn Network> {
    let ports = if random.random_bool(0.8) { 1 } else { random.random_range(2..4) };
    match random.random_range(0..5) {
        0 => Box::new(ECube::new(Hypercube::new(random.random_range(0..5), ports).unwrap())),
        1 => {
            let tree = Bmin::new(random.random_range(2..4), random.random_range(1..4), ports).unwrap();
            let up = [UpPort::Source, UpPort::Destination][random.random_range(0..2)];
            Box::new(Turnaround::new(tree, up))
        }
        dimensions => {
            let longest = [0, 0, 12, 6, 4][dimensions];
            let shape: Vec<usize> = (1..dimensions).map(|_| random.random_range(1..=longest)).collect();
            let mut order: Vec<usize> = (0..shape.len()).collect();
            if random.random_bool(0.3) {
                order.reverse();
            }
            Box::new(DimensionOrder::new(Mesh::new(&shape, ports).unwrap(), order).unwrap())
        }
    }
}

fn traffic(random: &mut Pcg64, nodes: usize) -> Vec<TraceMessage> {
    let longest = [1, 4, 30, 300][random.random_range(0..4)];
    let latest = [0, 3, 50, 400][random.random_range(0..4)];
    let hot = random.random_bool(0.2).then(|| random.random_range(0..nodes));
    let message = |random: &mut Pcg64| TraceMessage {
        src: NodeId::new(random.random_range(0..nodes)),
        dst: NodeId::new(hot.unwrap_or_else(|| random.random_range(0..nodes))),
        flits: Flits(random.random_range(1..=longest)),
        start: Ticks(random.random_range(0..=latest)),
    };
    (0..random.random_range(1..40)).map(|_| message(random)).collect()
}

#[test]
fn the_engines_agree_on_everything() {
    let mut blocked = 0;
    let mut headers = 0;
    for case in 0..cases() {
        let mut random = Pcg64::seed_from_u64(case);
        let network = network(&mut random);
        let costs = ChannelCosts {
            flit_time: random.random_range(1..=3),
            buffer: random.random_range(1..=8),
            routing_delay: random.random_range(0..=3),
        };
        let messages = traffic(&mut random, network.channels().nodes());
        let run = |engine| record(engine, network.as_ref(), costs, TraceProgram::new(&messages)).unwrap();
        let ((flit, flit_record), (worm, worm_record)) = (run(Engine::Flit), run(Engine::Worm));
        assert_eq!(flit_record, worm_record, "case {case}: {costs:?} {messages:?}");
        assert_eq!(flit.messages, worm.messages, "case {case}: {costs:?} {messages:?}");
        blocked += worm.blocked_headers;
        headers += worm_record.granted.len() as u64;
    }
    assert!(blocked * 5 > headers, "only {blocked} of {headers} headers were blocked: the cases prove little");
}
