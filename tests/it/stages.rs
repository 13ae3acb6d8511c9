//! Runs with barriers, which `auto` cuts into stages: every message as on the flit engine, which runs them as a whole.

use crate::exchange_oracle;
use crate::random::channel_costs;
use flitwise::algorithm::collective::{ALGORITHMS, Request};
use flitwise::costs::{ChannelCosts, NodeCosts};
use flitwise::engine::program::{CollectiveProgram, ExchangeProgram, Overheads, Program};
use flitwise::engine::{Engine, Simulation};
use flitwise::routing::{Network, Rings};
use flitwise::schedule::Pace;
use flitwise::schedule::collective::Operation;
use flitwise::topology::Torus;
use flitwise::units::{Flits, MessageId, NodeId, Ticks};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What there was to compare.
#[derive(Debug, Default)]
struct Tally {
    runs: usize,
    /// Runs that took fewer events in stages.
    cut: usize,
}

impl Tally {
    fn compare<P: Program + Clone>(&mut self, network: &dyn Network, costs: ChannelCosts, program: &P, what: &str) {
        let run = |engine: Engine| engine.run(network, costs, program.clone(), &mut ()).unwrap();
        let whole = run(Engine::Flit);
        let mut auto = run(Engine::Auto);
        let mut by_steps = Simulation::new(network, program.clone()).costs(costs).start().unwrap();
        while by_steps.step().is_some() {}
        assert_eq!(by_steps.delivered(), auto.messages.len(), "{what}");
        let mut messages = (0..auto.messages.len()).map(|id| by_steps.message(MessageId::new(id)));
        assert!(auto.messages.iter().all(|message| messages.next() == Some(Some(*message))), "{what}");
        assert!(by_steps.finish().unwrap() == auto, "{what}, tick by tick");
        if auto.engine != Engine::Worm {
            self.runs += 1;
            self.cut += usize::from(auto.events < whole.events);
        }
        (auto.events, auto.engine) = (whole.events, Engine::Flit);
        let mut messages = auto.messages.iter().zip(&whole.messages).enumerate();
        if let Some((id, (in_stages, flit_by_flit))) = messages.find(|(_, (one, other))| one != other) {
            panic!("{what}: message {id}\n{in_stages:?}\n{flit_by_flit:?}");
        }
        assert!(auto == whole, "{what}");
    }
}

/// A torus of two or three virtual channels, and nodes with so many ports.
fn torus(random: &mut Pcg64) -> Torus {
    let shapes: [&[usize]; 5] = [&[8], &[4, 4], &[5, 3], &[16], &[2, 6]];
    let shape = shapes[random.random_range(0..shapes.len())];
    Torus::new(shape, random.random_range(1..=3), random.random_range(2..=3)).unwrap()
}

#[test]
fn collectives_in_stages_take_as_long_as_flit_by_flit() {
    let mut tally = Tally::default();
    for case in 0..60 {
        let mut random = Pcg64::seed_from_u64(case);
        let torus = torus(&mut random);
        let shape = torus.shape().to_vec();
        let network = Rings::first_coordinate_first(torus);
        let ranks = shape.iter().product();
        let costs = channel_costs(&mut random);
        let ports = random.random_range(1..=3);
        let nodes: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
        // a hold may outlast a step
        let hold = Ticks(*[0, 40, 900].choose(&mut random).unwrap());
        let overheads =
            |flits: Flits| Overheads { send: Ticks(7 + flits.0), hold, receive: Ticks(11), reduce: Ticks(flits.0) };
        let request = Request {
            shape: shape.clone(),
            segment_flits: 5 * (case % 2),
            ..Request::new(Operation::Allreduce, ranks, random.random_range(1..200))
        };
        for algorithm in ALGORITHMS.iter().filter(|one| !one.unproved && one.admits(&request).is_ok()) {
            let Ok(collective) = algorithm.plan(&request) else { continue };
            let program = CollectiveProgram::new(&collective, &nodes, ports, Pace::Synchronous, overheads);
            tally.compare(&network, costs, &program, &format!("case {case}, {} on {shape:?}", algorithm.name));
        }
    }
    assert!(tally.runs > 200 && tally.cut > 100, "{tally:?}");
}

#[test]
fn exchanges_in_stages_take_as_long_as_flit_by_flit() {
    let mut tally = Tally::default();
    for (number, (algorithm, case)) in exchange_oracle::cases().into_iter().enumerate() {
        let exchange = algorithm.plan(&case.dims).unwrap();
        if exchange.len() > 1000 {
            continue;
        }
        let mut random = Pcg64::seed_from_u64(number as u64);
        let torus = Torus::new(exchange.shape(), 1, random.random_range(2..=3)).unwrap();
        let network = Rings::first_coordinate_first(torus.clone());
        let nodes = NodeCosts::default().sending(20, 1);
        let block = Flits(random.random_range(1..6));
        let program = ExchangeProgram::new(&exchange, &torus, &nodes, block, Pace::Synchronous);
        let what = format!("{} {:?} {block}", case.alg, case.dims);
        tally.compare(&network, channel_costs(&mut random), &program, &what);
    }
    assert!(tally.runs >= 5 && tally.cut >= 5, "{tally:?}");
}
