//! Batches last as long as those of BookSim 2 (commit 28f4329): mean durations over 20 batches of 60 packets of each node of an
//! 8x8 network and three seeds there, over fewer batches of one seed here.

use flitwise::algorithm::traffic::{BatchPlan, Batches, Injection, Lengths, Load, Pattern, Sources};
use flitwise::engine::router::{RouterCosts, run};
use flitwise::routing::relation::DIMENSION_ORDER;
use flitwise::routing::{Lattice, Relation};
use serde::Deserialize;

/// A network, packets, and the mean duration of a batch in cycles.
#[derive(Debug, Deserialize)]
struct Case {
    name: String,
    torus: bool,
    vcs: u8,
    /// Lengths of packets, all equally likely.
    flits: Vec<u32>,
    outstanding: Option<u64>,
    mean: f64,
}

const SIDE: u32 = 8;

impl Case {
    /// The durations and the packets of `batches` batches.
    fn run(&self, batches: u64) -> (u64, u64) {
        let side = SIDE as usize;
        let routes = Relation::new(Lattice::new(&[side, side], self.torus, &[0, 1]), &DIMENSION_ORDER, self.vcs.into());
        let lengths: Vec<(u32, u32)> = self.flits.iter().map(|&flits| (flits, 1)).collect();
        let load = Load {
            pattern: Pattern::Uniform { include_self: true },
            injection: Injection::Bernoulli,
            lengths: Lengths::mixed(&lengths),
            rate: 1.0,
        };
        let plan = BatchPlan { packets: 60, outstanding: self.outstanding, batches };
        let mut traffic = Batches::new(Sources::new(load, SIDE * SIDE, 1, 0), plan);
        let ended = run(&routes, RouterCosts::default(), &mut traffic);
        assert!(ended.deadlock.is_none(), "{}", self.name);
        let (collected, times) = traffic.finish();
        assert_eq!((times.batches, collected.undelivered()), (batches, 0), "{}", self.name);
        (times.cycles, collected.packets)
    }
}

#[test]
fn batches_last_as_long_as_those_of_another_simulator() {
    const BATCHES: u64 = 6;
    let cases: Vec<Case> =
        serde_json::from_str(include_str!("../data/traffic/batches.json")).expect("the file has cases");
    assert_eq!(cases.len(), 5);
    for case in &cases {
        let (cycles, packets) = case.run(BATCHES);
        assert_eq!(packets, BATCHES * 60 * u64::from(SIDE * SIDE), "{}", case.name);
        let mean = cycles as f64 / BATCHES as f64;
        assert!((mean / case.mean - 1.0).abs() < 0.03, "{}: {mean} for {}", case.name, case.mean);
    }
}
