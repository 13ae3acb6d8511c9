//! The flit engine against the worm engine and the sleep engine on thousands of random contended cases: every header start,
//! release and delivery is equal, and nothing is different if nobody watches and headers run ahead of the clock.
//!
//! `FLITWISE_CASES=100000 cargo test --release differential` runs longer.

use crate::random::{channel_costs, network, traffic};
use crate::support::record;
use flitwise::engine::Engine;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::routing::{DimensionOrder, Network};
use flitwise::topology::Mesh;
use flitwise::units::{Flits, Ticks};
use rand::{RngExt, SeedableRng};
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
        let (sleep, sleep_record) = run(Engine::Sleep);
        assert_eq!(flit_record, sleep_record, "case {case}: {costs:?} {messages:?}");
        assert_eq!(flit.messages, sleep.messages, "case {case}: {costs:?} {messages:?}");
        assert_eq!(flit_record, worm_record, "case {case}: {costs:?} {messages:?}");
        assert_eq!(flit.messages, worm.messages, "case {case}: {costs:?} {messages:?}");
        let unwatched = Engine::Worm.run(network.as_ref(), costs, TraceProgram::new(&messages), &mut ()).unwrap();
        assert_eq!(flit.messages, unwatched.messages, "case {case}, unwatched: {costs:?} {messages:?}");
        blocked += worm.blocked_headers;
        headers += worm_record.granted.len() as u64;
    }
    assert!(blocked * 5 > headers, "only {blocked} of {headers} headers were blocked: the cases prove little");
}

/// On networks with long paths, most of which cross each other: many a header that has run ahead has to give way.
#[test]
fn headers_that_run_ahead_of_the_clock_change_nothing() {
    let mut watched_events = 0;
    let mut events = 0;
    for case in 0..cases() / 4 {
        let mut random = Pcg64::seed_from_u64(case);
        let shape: &[usize] = [&[40][..], &[15, 12], &[6, 5, 6]][random.random_range(0..3)];
        let network = DimensionOrder::first_coordinate_first(Mesh::new(shape, 1).unwrap());
        let costs = channel_costs(&mut random);
        let mut messages = Vec::new();
        while messages.len() < 150 {
            let later = Ticks(random.random_range(0..2000));
            let longer = Flits([0, 300, 300][random.random_range(0..3)]);
            let batch = traffic(&mut random, network.channels().nodes()).into_iter();
            messages.extend(batch.map(|message| TraceMessage {
                start: message.start + later,
                flits: Flits(message.flits.0 + longer.0),
                ..message
            }));
        }
        let (watched, _) = record(Engine::Worm, &network, costs, TraceProgram::new(&messages)).unwrap();
        let unwatched = Engine::Worm.run(&network, costs, TraceProgram::new(&messages), &mut ()).unwrap();
        assert_eq!(watched.messages, unwatched.messages, "case {case}: {costs:?} {messages:?}");
        watched_events += watched.events;
        events += unwatched.events;
    }
    assert!(events * 10 < watched_events * 9, "{events} events of {watched_events}: hardly a header ran ahead");
}
