//! The engine of virtual-channel routers against the slow one of `flitwise::selftest::reference::router`, on random small cases: both give the
//! same times for every packet, the same flits to nodes in every cycle and the same flits to links, whether flits leave one
//! by one or in runs, and one deadlocks where the other does.

use flitwise::costs::{Buffer, Timing};
use flitwise::engine::router::{ALLOCATORS, AllocatorChoice, Delivery, Offer, RouterCosts, RouterEvent, Traffic, run};
use flitwise::routing::relation::{DIMENSION_ORDER, LatticeRouting, O1TURN, ROUTINGS, VALIANT};
use flitwise::routing::{Lattice, Relation, Routing};
use flitwise::selftest::reference::router as router_reference;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Lists of packets, and what became of them.
#[derive(Clone, Default)]
pub(crate) struct Lists {
    pub(crate) offers: Vec<VecDeque<Offer>>,
    pub(crate) deliveries: Vec<Delivery>,
    /// Flits that arrived, by cycle.
    pub(crate) accepted: BTreeMap<u64, u64>,
}

impl Traffic for Lists {
    fn next(&mut self, node: u32, _: u32) -> Option<Offer> {
        self.offers[node as usize].pop_front()
    }

    fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Delivered(delivery) => self.deliveries.push(delivery),
            RouterEvent::Accepted { at, flits, cycles } => {
                let cycles = at..at + u64::from(cycles);
                cycles.for_each(|cycle| *self.accepted.entry(cycle).or_default() += u64::from(flits));
            }
            _ => {}
        }
    }

    fn goes_on(&self, _: u64) -> bool {
        true
    }

    fn counted(&self) -> Range<u64> {
        20..90
    }
}

/// A network, routers and packets.
struct Case {
    shape: Vec<usize>,
    wraps: bool,
    reversed: bool,
    routing: &'static LatticeRouting,
    vcs: u16,
    costs: RouterCosts,
    lists: Lists,
}

impl Case {
    fn relation(&self) -> Relation {
        let mut order: Vec<usize> = (0..self.shape.len()).collect();
        if self.reversed {
            order.reverse();
        }
        Relation::new(Lattice::new(&self.shape, self.wraps, &order), self.routing, self.vcs)
    }

    /// That both agree; whether the packets deadlocked.
    fn agrees(&self, what: &str) -> bool {
        let Self { shape, wraps, routing, vcs, costs, lists, .. } = self;
        let what = format!("{what}: {shape:?} wraps {wraps} {routing:?} vcs {vcs} {costs:?}");
        agree(&self.relation(), *costs, lists, &what)
    }
}

/// Checks that both agree on the packets of `lists` over `routes`. Returns true if the packets deadlocked.
pub(crate) fn agree(routes: &dyn Routing, costs: RouterCosts, lists: &Lists, what: &str) -> bool {
    let (mut fast, mut slow) = (lists.clone(), lists.clone());
    let ended = run(routes, costs, &mut fast);
    let done = router_reference::run(routes, costs, None, &mut slow);
    for lists in [&mut fast, &mut slow] {
        lists.deliveries.sort_unstable_by_key(|packet| {
            let Delivery { src, dst, flits, created, injected, delivered, hops, .. } = *packet;
            (src, injected, delivered, created, dst, flits, hops)
        });
    }
    let first = fast.deliveries.iter().zip(&slow.deliveries).find(|(fast, slow)| fast != slow);
    assert_eq!(first, None, "{what}");
    assert_eq!(fast.deliveries.len(), slow.deliveries.len(), "{what}");
    assert_eq!(fast.accepted, slow.accepted, "{what}");
    assert_eq!((ended.carried, ended.moved), (done.carried, done.moved), "{what}");
    let offers: usize = lists.offers.iter().map(VecDeque::len).sum();
    assert_eq!(ended.deadlock.is_some(), slow.deliveries.len() < offers, "{what}");
    ended.deadlock.is_some()
}

pub(crate) fn one_of<T: Clone>(random: &mut Pcg64, values: &[T]) -> T {
    values[random.random_range(0..values.len())].clone()
}

pub(crate) const SHAPES: [&[usize]; 12] =
    [&[4], &[7], &[2, 2], &[3, 3], &[4, 3], &[4, 4], &[5, 2], &[2, 2, 2], &[3, 2, 3], &[2; 4], &[2; 5], &[1, 5]];

pub(crate) fn costs(random: &mut Pcg64) -> RouterCosts {
    let routing = one_of(random, &[0, 0, 1, 2]);
    let pipelined = Timing::pipelined(one_of(random, &[1, 1, 2]), routing);
    RouterCosts {
        timing: one_of(random, &[pipelined, Timing::ideal(routing)]),
        buffer: Buffer::Flits(random.random_range(1..=9)),
        atomic: random.random_range(0..3) == 0,
        speculative: random.random(),
        injection_ports: one_of(random, &[1, 1, 2, 3]),
        ejection_ports: one_of(random, &[1, 1, 2, 3]),
        full_crossbar: false,
        ..RouterCosts::default()
    }
}

/// The same for routers that serve first who comes first.
pub(crate) fn first_come(costs: RouterCosts) -> RouterCosts {
    RouterCosts { timing: Timing::wormhole(costs.timing.routing), atomic: true, ..costs }
}

/// Packets of `nodes` nodes: many or few at once, to anywhere or to one node.
pub(crate) fn lists(random: &mut Pcg64, nodes: u32) -> Lists {
    let (longest, gap, hot) =
        (one_of(random, &[1, 3, 12]), one_of(random, &[0, 5, 40]), random.random_range(0..4) == 0);
    let list = |number| {
        let mut created = 0;
        let mut sequence = 0;
        let mut offer = |_| {
            created += random.random_range(0..=gap);
            let dst = if hot { 0 } else { random.random_range(0..nodes) };
            let flits = random.random_range(1..=longest);
            let random_bits = random.next_u64();
            sequence += 1;
            Offer { number, created, dst, flits, random_bits, class: 0, sequence }
        };
        (0..8).map(&mut offer).collect()
    };
    Lists { offers: (0..nodes).map(list).collect(), ..Lists::default() }
}

fn case(seed: u64, routings: &[&'static LatticeRouting], vcs: &[u16]) -> Case {
    let mut random = Pcg64::seed_from_u64(seed);
    loop {
        let shape = one_of(&mut random, &SHAPES).to_vec();
        let nodes = u32::try_from(shape.iter().product::<usize>()).unwrap();
        let case = Case {
            wraps: random.random(),
            reversed: random.random(),
            routing: one_of(&mut random, routings),
            vcs: one_of(&mut random, vcs),
            costs: costs(&mut random),
            lists: lists(&mut random, nodes),
            shape,
        };
        if case.routing.fits(case.relation().lattice()) {
            return case;
        }
    }
}

/// So many cases, unless the environment asks for another number.
fn cases(usual: u64) -> u64 {
    std::env::var("FLITWISE_CASES").map_or(usual, |cases| cases.parse().expect("FLITWISE_CASES is a number"))
}

/// How many of so many cases deadlocked, on both.
fn deadlocks(seeds: Range<u64>, routings: &[&'static LatticeRouting], vcs: &[u16]) -> usize {
    seeds.filter(|&seed| case(seed, routings, vcs).agrees(&format!("seed {seed}"))).count()
}

#[test]
fn runs_of_flits_are_exact() {
    let fixed: [&'static LatticeRouting; 4] = [&DIMENSION_ORDER, &DIMENSION_ORDER, &O1TURN, &VALIANT];
    let deadlocks = deadlocks(0..600, &fixed, &[1]);
    assert!((1..300).contains(&deadlocks), "{deadlocks} of 600 cases deadlock");
}

#[test]
fn virtual_channels_are_granted_to_the_same_headers() {
    let fixed: [&'static LatticeRouting; 3] = [&DIMENSION_ORDER, &O1TURN, &VALIANT];
    let deadlocks = deadlocks(1000..1500, &fixed, &[2, 2, 3, 4, 8, 16]);
    assert!(deadlocks < 100, "{deadlocks} of 500 cases deadlock");
}

#[test]
fn adaptive_headers_choose_the_same_ways() {
    let deadlocks = deadlocks(2000..2600, ROUTINGS, &[1, 1, 2, 3, 4, 8]);
    assert!(deadlocks < 200, "{deadlocks} of 600 cases deadlock");
}

/// Whose place in line is that of the request, and then of the packet that was made first.
#[test]
fn first_come_first_served() {
    let case = |seed| {
        let case = case(seed, ROUTINGS, &[1, 1, 2, 3, 4, 8]);
        Case { costs: first_come(case.costs), ..case }
    };
    let deadlocks = (3000..3600).filter(|&seed| case(seed).agrees(&format!("seed {seed}"))).count();
    assert!((1..200).contains(&deadlocks), "{deadlocks} of 600 cases deadlock");
}

/// Any two allocators, of which one at least is not the default.
#[test]
fn allocators_grant_the_same_requests() {
    let case = |seed| {
        let mut random = Pcg64::seed_from_u64(seed);
        let case = case(seed, ROUTINGS, &[1, 2, 3, 4, 5, 8]);
        let [vc_allocator, switch_allocator] = allocators(&mut random);
        Case { costs: RouterCosts { vc_allocator, switch_allocator, ..case.costs }, ..case }
    };
    let cases = cases(500);
    let deadlocks = (20_000..20_000 + cases).filter(|&seed| case(seed).agrees(&format!("seed {seed}"))).count();
    assert!(deadlocks as u64 * 3 < cases, "{deadlocks} of {cases} cases deadlock");
}

/// A VC allocator and a switch allocator. The reference does not repeat the random starts of `pim`.
pub(crate) fn allocators(random: &mut Pcg64) -> [AllocatorChoice; 2] {
    let mut draw = || {
        let names: Vec<&str> = ALLOCATORS.iter().map(|kind| kind.name).filter(|name| *name != "pim").collect();
        AllocatorChoice::named(one_of(random, &names)).unwrap().repeated(random.random_range(1..=3))
    };
    loop {
        let pair = [draw(), draw()];
        if pair.iter().any(|choice| !choice.is_default()) {
            return pair;
        }
    }
}

/// Without speculation there are no priorities, and with one iteration iSLIP passes every grant on.
#[test]
fn output_first_is_islip_of_one_iteration() {
    let named = |name| AllocatorChoice::named(name).unwrap();
    for seed in 30_000..30_100 {
        let case = case(seed, ROUTINGS, &[1, 2, 3, 4, 8]);
        let run_with = |choice| {
            let costs =
                RouterCosts { speculative: false, vc_allocator: choice, switch_allocator: choice, ..case.costs };
            let mut lists = case.lists.clone();
            let ended = run(&case.relation(), costs, &mut lists);
            (lists.deliveries, lists.accepted, ended.carried, ended.cycles)
        };
        assert_eq!(run_with(named("separable-output-first")), run_with(named("islip")), "seed {seed}");
    }
}

/// Several virtual channels under every routing, and among buffers, speculation, delays of credits and ports whatever is drawn.
/// `FLITWISE_CASES=30000` compares as many.
#[test]
fn several_virtual_channels_under_every_routing() {
    let cases = cases(400);
    let deadlocks = deadlocks(10_000..10_000 + cases, ROUTINGS, &[2, 3, 4, 5, 6, 7, 8]);
    assert!(deadlocks as u64 * 3 < cases, "{deadlocks} of {cases} cases deadlock");
}
