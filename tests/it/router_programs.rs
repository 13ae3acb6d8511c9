//! Programs on the engine of virtual-channel routers and on the slow one of `flitwise::selftest::reference::router`, on random small cases: both
//! tell the same of every grant, with its request and its virtual channel, of every flit that a node receives and every tail
//! that leaves its source, and come to the same outcome; one deadlocks where the other does.

use crate::exchange_oracle;
use crate::loggops::random_goal;
use crate::random::{group, permutation, traffic};
use crate::random_links::Routed;
use crate::router_differential::{SHAPES, costs, first_come, one_of};
use crate::support::{Recording, first_nodes, model, plan, request};
use flitwise::algorithm::multicast::Request;
use flitwise::costs::NodeCosts;
use flitwise::engine::program::ExchangeProgram;
use flitwise::engine::program::GoalProgram;
use flitwise::engine::program::ScheduleProgram;
use flitwise::engine::program::TraceProgram;
use flitwise::engine::router::{
    Delivery, Granted, Nodes, Offer, RouterCosts, RouterEvent, Setup, Traffic, run, run_program,
};
use flitwise::engine::{Outcome, Program, Stop};
use flitwise::routing::relation::{self, ROUTINGS};
use flitwise::routing::{DimensionOrder, Lattice, Network, Relation, Rings, Routing};
use flitwise::schedule::Pace;
use flitwise::selftest::reference::router::{self as router_reference, Done};
use flitwise::topology::{Ejection, Hop, Mesh, Ports, Torus};
use flitwise::units::{Flits, MessageId};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// All that is told to nodes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Record {
    deliveries: Vec<Delivery>,
    grants: Vec<Granted>,
    left: Vec<(u32, u64)>,
    /// Flits that arrived, by cycle.
    accepted: BTreeMap<u64, u64>,
}

impl Record {
    /// The same in an order that does not depend on when it was told.
    fn sorted(mut self) -> Self {
        self.deliveries.sort_unstable_by_key(|delivery| delivery.number);
        self.grants.sort_unstable_by_key(|grant| (grant.number, grant.hop));
        self.left.sort_unstable();
        self
    }
}

/// Nodes, and all that is told to them.
struct Told<T> {
    nodes: T,
    record: Record,
}

impl<T> Told<T> {
    fn new(nodes: T) -> Self {
        Self { nodes, record: Record::default() }
    }
}

impl<T: Traffic> Traffic for Told<T> {
    fn is_closed(&self) -> bool {
        self.nodes.is_closed()
    }

    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        self.nodes.next(node, channel)
    }

    fn waits(&self, node: u32, channel: u32) -> bool {
        self.nodes.waits(node, channel)
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.nodes.advance(now, woken);
    }

    fn next_event(&self) -> Option<u64> {
        self.nodes.next_event()
    }

    fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
        self.nodes.path(number, path);
    }

    fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Granted(granted) => self.record.grants.push(granted),
            RouterEvent::TailLeft { number, at } => self.record.left.push((number, at)),
            RouterEvent::Delivered(delivery) => self.record.deliveries.push(delivery),
            RouterEvent::Accepted { at, flits, cycles } => {
                let cycles = at..at + u64::from(cycles);
                cycles.for_each(|cycle| *self.record.accepted.entry(cycle).or_default() += u64::from(flits));
            }
            _ => {}
        }
        self.nodes.event(event);
    }

    fn goes_on(&self, now: u64) -> bool {
        self.nodes.goes_on(now)
    }

    fn counted(&self) -> Range<u64> {
        20..90
    }
}

/// A network of routers.
pub(crate) struct Machine {
    routes: Arc<dyn Routing>,
    /// The network, where messages keep to its paths.
    fixed: Option<Box<dyn Network>>,
    costs: RouterCosts,
    flit_time: u64,
    pub(crate) what: String,
}

/// What a run tells: its outcome, its grants, and where the relation routes all that nodes are told and the flits on links.
struct Run {
    outcome: Result<Outcome, Stop>,
    grants: Recording,
    told: Option<(Record, Vec<u64>)>,
}

impl Machine {
    /// Any machine.
    pub(crate) fn draw(random: &mut Pcg64) -> Self {
        loop {
            let shape = one_of(random, &SHAPES);
            let wraps = random.random();
            let machine = Self::on(random, shape, wraps);
            if machine.is_fit() {
                return machine;
            }
        }
    }

    /// Routers on a mesh or torus of this shape.
    fn on(random: &mut Pcg64, shape: &[usize], wraps: bool) -> Self {
        let order = permutation(random, shape.len());
        let mut ports = || one_of(random, &[1, 1, 2, 3]);
        let costs = RouterCosts { injection_ports: ports(), ejection_ports: ports(), ..costs(random) };
        let costs = if random.random_range(0..3) == 0 { first_come(costs) } else { costs };
        let lattice = Lattice::new(shape, wraps, &order);
        let vcs = one_of(random, &[1, 1, 2, 3, 4, 8]);
        let fixed = random.random_bool(0.4).then(|| Self::network(random, shape, wraps, order, costs));
        let drawn = one_of(random, ROUTINGS);
        let routing = if fixed.is_some() { &relation::DIMENSION_ORDER } else { drawn };
        let flit_time = random.random_range(1..=3);
        let paths = fixed.as_ref().map(|network| network.channels().virtual_channels());
        let what =
            format!("{shape:?} wraps {wraps} {routing:?} fixed {paths:?} vcs {vcs} flit time {flit_time} {costs:?}");
        let routes = Arc::new(Relation::new(lattice, routing, vcs));
        Self { routes, fixed, costs, flit_time, what }
    }

    /// Routers on a network of links, whose messages keep to paths that are told or are routed as they go.
    pub(crate) fn over_links(random: &mut Pcg64) -> Self {
        let mut few = || one_of(random, &[1, 1, 2]);
        let costs = RouterCosts { injection_ports: few(), ejection_ports: few(), ..costs(random) };
        let costs = if random.random_range(0..3) == 0 { first_come(costs) } else { costs };
        let vcs = one_of(random, &[1, 1, 2, 3, 4, 8]);
        let flit_time = random.random_range(1..=3);
        let routed = Routed::draw(random, flit_time);
        let told = random.random_bool(0.4);
        let fixed = if told { routed.network(ports(costs), vcs) } else { None };
        let what = format!("{} told {} vcs {vcs} flit time {flit_time} {costs:?}", routed.what, fixed.is_some());
        Self { routes: routed.routes(flit_time, vcs), fixed, costs, flit_time, what }
    }

    fn is_fit(&self) -> bool {
        self.routes.unfit().is_none()
    }

    fn network(
        random: &mut Pcg64,
        shape: &[usize],
        wraps: bool,
        order: Vec<usize>,
        costs: RouterCosts,
    ) -> Box<dyn Network> {
        if wraps {
            let classes = random.random_range(1..=2);
            Box::new(Rings::new(torus(shape, costs, classes), order).unwrap())
        } else {
            Box::new(DimensionOrder::new(Mesh::new(shape, ports(costs)).unwrap(), order).unwrap())
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.routes.wiring().nodes()
    }

    /// Overheads of nodes in ticks.
    fn overheads(&self, random: &mut Pcg64) -> NodeCosts {
        let mut ticks = |most| if random.random_bool(0.3) { 0 } else { random.random_range(0..=most) };
        NodeCosts {
            send_setup: ticks(60),
            send_per_flit: ticks(3),
            receive_setup: ticks(60),
            receive_per_flit: ticks(3),
            hold_setup: ticks(60),
            hold_per_flit: ticks(3),
            ..NodeCosts::default()
        }
        .ports(self.costs.injection_ports as usize)
    }

    pub(crate) fn setup(&self) -> Setup<'_> {
        // the random_bits of neighbouring messages have nothing in common
        let random_bits = &|message: MessageId| u64::from(message.0 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let Self { routes, fixed, costs, flit_time, .. } = self;
        Setup {
            routes: routes.as_ref(),
            fixed: fixed.as_deref(),
            costs: *costs,
            interfaces: None,
            trees: None,
            flit_time: *flit_time,
            random_bits,
        }
    }

    fn run<P: Program>(&self, program: P) -> Run {
        let setup = self.setup();
        let mut grants = Recording::default();
        if setup.fixed.is_some() {
            let outcome = run_program(&setup, program, &mut grants);
            return Run { outcome, grants, told: None };
        }
        let mut told = Told::new(Nodes::new(&setup, program, &mut grants));
        let ended = run(self.routes.as_ref(), self.costs, &mut told);
        let Told { mut nodes, record } = told;
        let outcome = nodes.finish(ended.deadlock, ended.moved);
        Run { outcome, grants, told: Some((record.sorted(), ended.carried)) }
    }

    fn run_slowly<P: Program>(&self, program: P) -> (Run, Done) {
        let setup = self.setup();
        let mut grants = Recording::default();
        let mut told = Told::new(Nodes::new(&setup, program, &mut grants));
        let classes = setup.fixed.map(|network| u16::try_from(network.channels().virtual_channels()).unwrap());
        let done = router_reference::run(self.routes.as_ref(), self.costs, classes, &mut told);
        let Told { mut nodes, record } = told;
        let outcome = nodes.finish(None, done.moved);
        let told = classes.is_none().then(|| (record.sorted(), done.carried.clone()));
        (Run { outcome, grants, told }, done)
    }
}

fn ports(costs: RouterCosts) -> Ports {
    Ports { injection: costs.injection_ports as usize, ejection: Ejection::Channels(costs.ejection_ports as usize) }
}

fn torus(shape: &[usize], costs: RouterCosts, virtual_channels: usize) -> Torus {
    Torus::new(shape, ports(costs), virtual_channels).unwrap()
}

/// How often it was compared, and how it ended.
#[derive(Debug, Default)]
struct Tally {
    done: u32,
    blocked: u32,
    unfinished: u32,
    deadlocks: u32,
}

impl Tally {
    /// Compares all that both report. The engine may find a deadlock of some messages while others still have computations to
    /// end: then the grants until that tick are compared.
    fn compare<P: Program + Clone>(&mut self, machine: &Machine, program: P, what: &str) {
        let what = format!("{what}: {}", machine.what);
        let mut fast = machine.run(program.clone());
        let (mut slow, done) = machine.run_slowly(program);
        match (&fast.outcome, &slow.outcome) {
            (Err(Stop::Deadlock(_)), Err(_)) => self.deadlocks += 1,
            (Err(Stop::Unfinished(_)), Err(Stop::Unfinished(_))) => self.unfinished += 1,
            (Ok(outcome), Ok(_)) => {
                self.done += 1;
                self.blocked += u32::from(outcome.blocked_headers > 0);
            }
            (fast, slow) => panic!("{what}: {:?}, {:?}", fast.as_ref().err(), slow.as_ref().err()),
        }
        let deadlocks = matches!(fast.outcome, Err(Stop::Deadlock(_)));
        assert_eq!(deadlocks, done.stuck > 0, "{what}");
        let last = fast.grants.granted.iter().map(|grant| grant.4).max();
        let is_early = deadlocks && slow.grants.granted.iter().map(|grant| grant.4).max() > last;
        if is_early {
            slow.grants.granted.retain(|grant| Some(grant.4) <= last);
        }
        for run in [&mut fast, &mut slow] {
            run.grants.granted.sort_unstable();
        }
        let differs = fast.grants.granted.iter().zip(&slow.grants.granted).find(|(fast, slow)| fast != slow);
        assert_eq!(differs, None, "{what}");
        assert_eq!(fast.grants.granted.len(), slow.grants.granted.len(), "{what}");
        if !is_early {
            assert_eq!(fast.told, slow.told, "{what}");
        }
        if !deadlocks {
            assert_eq!(fast.outcome, slow.outcome, "{what}");
        }
    }
}

#[test]
fn messages_at_fixed_times() {
    let mut tally = Tally::default();
    for case in 0..2500 {
        let mut random = Pcg64::seed_from_u64(case);
        let machine = Machine::draw(&mut random);
        let mut messages = traffic(&mut random, machine.nodes());
        messages.iter_mut().for_each(|message| message.flits = Flits(message.flits.0 % 40));
        tally.compare(&machine, TraceProgram::new(&messages), &format!("case {case}"));
    }
    assert!(tally.done > 2400 && tally.blocked > 2000 && tally.deadlocks > 10, "{tally:?}");
}

#[test]
fn multicasts_under_node_overheads() {
    let mut tally = Tally::default();
    for case in 0..1500 {
        let mut random = Pcg64::seed_from_u64(case);
        let machine = Machine::draw(&mut random);
        let members = group(&mut random, machine.nodes(), 40);
        let flits = Flits(random.random_range(0..30));
        let asked = Request { flits, ..request(&members, machine.nodes(), model(3, 10)) };
        let names = ["opt-tree", "binomial", "sequential", "chain"];
        let schedule = plan(one_of(&mut random, &names), &asked);
        let overheads = machine.overheads(&mut random);
        let what = format!("case {case}: {overheads:?} {flits}");
        tally.compare(&machine, ScheduleProgram::new(&schedule, &overheads), &what);
    }
    assert!(tally.done > 1400 && tally.blocked > 700, "{tally:?}");
}

#[test]
fn messages_over_links() {
    let mut tally = Tally::default();
    for case in 0..3000 {
        let mut random = Pcg64::seed_from_u64(case);
        let machine = Machine::over_links(&mut random);
        let mut messages = traffic(&mut random, machine.nodes());
        messages.iter_mut().for_each(|message| message.flits = Flits(message.flits.0 % 40));
        tally.compare(&machine, TraceProgram::new(&messages), &format!("case {case}"));
    }
    assert!(tally.done > 2700 && tally.blocked > 2000 && tally.deadlocks > 10, "{tally:?}");
}

/// With a barrier and without, where the next send of a node waits for the tail of the one before.
#[test]
fn exchanges() {
    let mut tally = Tally::default();
    for (number, (algorithm, case)) in exchange_oracle::cases().into_iter().enumerate() {
        let exchange = algorithm.plan(&case.dims).unwrap();
        if exchange.len() > 400 {
            continue;
        }
        for round in 0..20 {
            let pace = if round % 2 == 0 { Pace::Synchronous } else { Pace::Asynchronous };
            let mut random = Pcg64::seed_from_u64(100 * number as u64 + round);
            let machine = Machine::on(&mut random, exchange.shape(), true);
            if !machine.is_fit() {
                continue;
            }
            let classes = machine.fixed.as_ref().map_or(1, |network| network.channels().virtual_channels());
            let torus = torus(exchange.shape(), machine.costs, classes);
            let overheads = machine.overheads(&mut random);
            let block = Flits(random.random_range(0..3));
            let what = format!("{} round {round} {pace:?} {overheads:?} {block}", case.alg);
            tally.compare(&machine, ExchangeProgram::new(&exchange, &torus, &overheads, block, pace), &what);
        }
    }
    assert!(tally.done > 400 && tally.blocked > 200 && tally.deadlocks > 20, "{tally:?}");
}

#[test]
fn operations_with_computations_and_wildcards() {
    let mut tally = Tally::default();
    for case in 0..1500 {
        let mut random = Pcg64::seed_from_u64(case);
        let goal = random_goal(&mut random, case % 4 == 0);
        let machine = Machine::draw(&mut random);
        if machine.nodes() < goal.ranks() {
            continue;
        }
        let ranks = first_nodes(goal.ranks());
        let overheads = machine.overheads(&mut random);
        tally.compare(&machine, GoalProgram::new(&goal, &ranks, &overheads, 256), &format!("case {case}"));
    }
    assert!(tally.done > 800 && tally.blocked > 700 && tally.unfinished > 300, "{tally:?}");
}
