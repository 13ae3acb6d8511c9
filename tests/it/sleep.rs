//! The sleep engine against the flit engine: every flit starts in the same tick, and all that observers and programs are told
//! comes in the same order, on thousands of random cases in which virtual channels share physical ones.
//!
//! `FLITWISE_CASES=100000 cargo test --release sleep` runs longer.

use crate::random::permutation;
use flitwise::algorithm::collective::{self, Request};
use flitwise::algorithm::exchange;
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts};
use flitwise::engine::program::{CollectiveProgram, ExchangeProgram, Overheads, TraceMessage, TraceProgram};
use flitwise::engine::{
    Engine, Event, Interest, MessageOutcome, MessageSet, Observer, Program, Requests, Signal, Stop,
};
use flitwise::routing::{Network, Rings};
use flitwise::schedule::Pace;
use flitwise::schedule::collective::Operation;
use flitwise::topology::Torus;
use flitwise::units::{ChannelId, Flits, MessageId, NodeId, Ticks};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const CASES: u64 = 400;

fn cases() -> u64 {
    std::env::var("FLITWISE_CASES").map_or(CASES, |n| n.parse().expect("FLITWISE_CASES is a number"))
}

/// All that an engine tells: grants and releases as they come, starts of flits in the order of (message, hop, tick).
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    granted: Vec<(MessageId, usize, ChannelId, Ticks, Ticks)>,
    released: Vec<(MessageId, usize, ChannelId, Ticks)>,
    started: Vec<(MessageId, usize, Ticks, ChannelId)>,
}

impl Observer for Told {
    fn interest(&self) -> Interest {
        Interest::FLITS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Granted { message, hop, channel, requested, start } => {
                self.granted.push((message, hop, channel, requested, start));
            }
            Event::Started { message, hop, channel, at } => self.started.push((message, hop, at, channel)),
            Event::Released { message, hop, channel, at } => self.released.push((message, hop, channel, at)),
            _ => {}
        }
    }
}

/// What happened, and how many events that took.
type Ended = (Result<Vec<MessageOutcome>, Stop>, Told, u64);

fn run<P: Program + Clone>(engine: Engine, network: &dyn Network, costs: ChannelCosts, program: &P) -> Ended {
    let mut told = Told::default();
    let ended = engine.run(network, costs, program.clone(), &mut told);
    told.started.sort_unstable();
    let events = ended.as_ref().map_or(0, |outcome| outcome.events);
    (ended.map(|outcome| outcome.messages), told, events)
}

/// What there was to compare.
#[derive(Debug, Default)]
struct Tally {
    /// Runs in which virtual channels of a physical channel had two owners at once.
    shared: u64,
    deadlocks: u64,
    /// Events of both engines.
    flit: u64,
    sleep: u64,
}

impl Tally {
    fn compare<P: Program + Clone>(&mut self, network: &dyn Network, costs: ChannelCosts, program: &P, what: &str) {
        let (flit, flit_told, flit_events) = run(Engine::Flit, network, costs, program);
        let (sleep, sleep_told, sleep_events) = run(Engine::Sleep, network, costs, program);
        assert!(flit == sleep, "{what}: {costs:?}");
        assert!(flit_told.granted == sleep_told.granted, "{what}: {costs:?}");
        assert!(flit_told.released == sleep_told.released, "{what}: {costs:?}");
        let mut starts = flit_told.started.iter().zip(&sleep_told.started);
        let differs = starts.find(|(one, other)| one != other);
        assert!(differs.is_none() && flit_told == sleep_told, "{what}: {costs:?} {differs:?}");
        let worm = Engine::Worm.run(network, costs, program.clone(), &mut ());
        self.shared += u64::from(matches!(worm, Err(Stop::Shared { .. })));
        self.deadlocks += u64::from(flit.is_err());
        self.flit += flit_events;
        self.sleep += sleep_events;
    }
}

/// Messages of a trace that take a virtual channel drawn at random on each link of their paths: more share links than with
/// datelines, and some deadlock.
#[derive(Clone)]
struct AnyVirtualChannel<'a> {
    trace: TraceProgram<'a>,
    seed: u64,
}

impl MessageSet for AnyVirtualChannel<'_> {
    fn messages(&self) -> usize {
        self.trace.messages()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        self.trace.message(id)
    }

    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        self.trace.path(id, network, path);
        let mut random = Pcg64::seed_from_u64(self.seed ^ (u64::from(id.0) << 32));
        let channels = network.channels();
        let sharing = u32::try_from(channels.virtual_channels()).unwrap();
        let links = 1..path.len() - 1;
        for channel in &mut path[links] {
            *channel = ChannelId(channels.physical(*channel).0 + random.random_range(0..sharing));
        }
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        self.trace.receive_time(id)
    }
}

impl Program for AnyVirtualChannel<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        self.trace.signal(signal, requests);
    }
}

/// A torus of one to three dimensions of two to eight nodes.
fn torus(random: &mut Pcg64, virtual_channels: usize) -> Rings {
    let dimensions = random.random_range(1..=3);
    let longest = [8, 6, 4][dimensions - 1];
    let shape: Vec<usize> = (0..dimensions).map(|_| random.random_range(2..=longest)).collect();
    let ports = if random.random_bool(0.8) { 1 } else { random.random_range(2..4) };
    let order = permutation(random, dimensions);
    Rings::new(Torus::new(&shape, ports, virtual_channels).unwrap(), order).unwrap()
}

fn costs(random: &mut Pcg64) -> ChannelCosts {
    let largest = *[8, 8, 40].choose(random).unwrap();
    ChannelCosts {
        flit_time: random.random_range(1..=3),
        buffer: Buffer::Flits(random.random_range(1..=largest)),
        routing_delay: random.random_range(0..=4),
    }
}

/// Messages of up to 1500 flits; in half of the cases several from each node, and in half all half-way round.
fn traffic(random: &mut Pcg64, nodes: usize) -> Vec<TraceMessage> {
    let longest = *[30, 300, 700, 1500].choose(random).unwrap();
    let latest = *[0, 3, 50, 400, 3000].choose(random).unwrap();
    let is_dense = random.random_bool(0.5);
    let is_half_way = random.random_bool(0.5);
    let has_one_length = random.random_bool(0.3);
    let hot = random.random_bool(0.15).then(|| random.random_range(0..nodes));
    let count = if is_dense { (nodes * random.random_range(2..=6)).min(80) } else { random.random_range(1..40) };
    let message = |number: usize| {
        let src = if is_dense { number % nodes } else { random.random_range(0..nodes) };
        let dst =
            if is_half_way { (src + nodes / 2) % nodes } else { hot.unwrap_or_else(|| random.random_range(0..nodes)) };
        let flits = if has_one_length { longest } else { random.random_range(1..=longest) };
        let start = Ticks(random.random_range(0..=latest));
        TraceMessage { src: NodeId::new(src), dst: NodeId::new(dst), flits: Flits(flits), start }
    };
    (0..count).map(message).collect()
}

#[test]
fn every_flit_starts_as_on_the_flit_engine() {
    let mut tally = Tally::default();
    for case in 0..cases() {
        let mut random = Pcg64::seed_from_u64(case);
        let is_any = random.random_bool(0.5);
        let virtual_channels = if is_any { random.random_range(2..=5) } else { 2 };
        let network = torus(&mut random, virtual_channels);
        let costs = costs(&mut random);
        let messages = traffic(&mut random, network.channels().nodes());
        let trace = TraceProgram::new(&messages);
        let what = format!("case {case}");
        if is_any {
            tally.compare(&network, costs, &AnyVirtualChannel { trace, seed: case }, &what);
        } else {
            tally.compare(&network, costs, &trace, &what);
        }
    }
    assert!(tally.shared * 2 > cases() && tally.deadlocks * 100 > cases(), "{tally:?}");
    assert!(tally.sleep * 10 < tally.flit, "little was slept through: {tally:?}");
}

#[test]
fn exchanges_are_those_of_the_flit_engine() {
    let mut tally = Tally::default();
    for algorithm in exchange::ALGORITHMS {
        for (number, shape) in [[4, 4], [5, 4], [3, 5], [6, 6]].into_iter().enumerate() {
            let Ok(exchange) = algorithm.plan(&shape) else { continue };
            for pace in [Pace::Synchronous, Pace::Asynchronous] {
                let torus = Torus::new(&shape, 1 + number % 2, 2).unwrap();
                let network = Rings::first_coordinate_first(torus.clone());
                let node = NodeCosts::default().sending([0, 40][number % 2], 0).receiving(3, 0);
                let costs = ChannelCosts { buffer: Buffer::Flits(1 + number as u64), ..ChannelCosts::default() };
                let program = ExchangeProgram::new(&exchange, &torus, &node, Flits(150), pace);
                tally.compare(&network, costs, &program, &format!("{} {shape:?} {pace:?}", algorithm.name));
            }
        }
    }
    assert!(tally.shared > 20 && tally.sleep * 3 < tally.flit, "{tally:?}");
}

#[test]
fn collectives_are_those_of_the_flit_engine() {
    let mut tally = Tally::default();
    for case in 0..12 {
        let mut random = Pcg64::seed_from_u64(case);
        let virtual_channels = random.random_range(2..=3);
        let network = torus(&mut random, virtual_channels);
        let ranks = network.channels().nodes();
        let nodes: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
        let ports = random.random_range(1..=3);
        let overheads = |flits: Flits| Overheads {
            send: Ticks(7 + flits.0),
            hold: Ticks(40),
            receive: Ticks(11),
            reduce: Ticks(flits.0),
        };
        let request = Request::new(Operation::Allreduce, ranks, random.random_range(100..3000));
        for algorithm in collective::ALGORITHMS.iter().filter(|one| !one.unproved && one.admits(&request).is_ok()) {
            let Ok(collective) = algorithm.plan(&request) else { continue };
            let program = CollectiveProgram::new(&collective, &nodes, ports, Pace::Asynchronous, overheads);
            tally.compare(&network, costs(&mut random), &program, &format!("case {case}, {}", algorithm.name));
        }
    }
    assert!(tally.shared > 20, "{tally:?}");
}

/// Blocks of 65,536 flits take no more events than such of 1,024.
#[test]
fn what_it_costs_does_not_grow_with_the_length_of_messages() {
    let exchange = exchange::Algorithm::named("direct").unwrap().plan(&[6, 6]).unwrap();
    let torus = Torus::new(&[6, 6], 1, 2).unwrap();
    let network = Rings::first_coordinate_first(torus.clone());
    let events = |block| {
        let program = ExchangeProgram::new(&exchange, &torus, &NodeCosts::default(), Flits(block), Pace::Asynchronous);
        let outcome = Engine::Auto.run(&network, ChannelCosts::default(), program, &mut ()).unwrap();
        assert_eq!(outcome.engine, Engine::Sleep);
        outcome.events
    };
    let [short, long] = [1024, 65_536].map(events);
    assert!(long * 10 < short * 11, "{short} events, and {long}");
}
