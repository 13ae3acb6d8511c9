//! The flit engine against the worm engine on thousands of random contended cases: every header start, release and
//! delivery is equal.
//!
//! `FLITWISE_CASES=100000 cargo test --release differential` runs longer.

use crate::random::{channel_costs, network, traffic};
use crate::support::record;
use flitwise::engine::Engine;
use flitwise::engine::program::TraceProgram;
use rand::SeedableRng;
use rand_pcg::Pcg64;

const CASES: u64 = 4000;

fn cases() -> u64 {
    std::env::var("FLITWISE_CASES").map_or(CASES, |n| n.parse().expect("FLITWISE_CASES is a number"))
}

#[test]
fn the_engines_agree_on_everything() {
    let mut blocked = 0;
    let mut headers = 0;
    for case in 0..cases() {
        let mut random = Pcg64::seed_from_u64(case);
        let network = network(&mut random);
        let costs = channel_costs(&mut random);
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
