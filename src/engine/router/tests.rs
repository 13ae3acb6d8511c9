//! Results that do not depend on the parts of the engine, packet by packet, on random small networks.

use super::build::{Network, on_large_blocks};
use super::run;
use crate::costs::{Buffer, PipelineStages, STEP, Timing};
use crate::engine::router::{
    ALLOCATORS, AdaptiveChoice, AllocatorChoice, BidChecks, BidMask, Bids, BufferPolicy, Combining, Connection,
    Crossbar, Delivery, Ended, Microarchitecture, NodeBuffers, Offer, Priority, PriorityRule, RouterCosts, RouterEvent,
    StageCycles, StageEntry, Switching, Traffic, VcGrant, VcRequests,
};
use crate::random;
use crate::routing::graph::{Shortest, UpDown, Weight};
use crate::routing::relation::ROUTINGS;
use crate::routing::{
    CopyBy, DragonflyMinimal, DragonflyUgal, DragonflyValiant, FatTreePaths, HyperXAdaptive, HyperXDetours,
    HyperXO1turn, HyperXPaths, HyperXUgal, HyperXValiant, Lattice, LinkPorts, LinkRelation, LinkRouting, ModK,
    NearestCommonAncestor, Pace, Relation, Routing, UpBy,
};
use crate::topology::{
    Attachment, Dragonfly, DragonflySize, FatTree, Graph, HyperXLinks, Joint, LinkClock, LinkCost, Links, Stage,
};
use crate::units::{RouterId, narrow};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

/// Lists of packets, and all that is reported of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Record {
    offers: Vec<VecDeque<Offer>>,
    deliveries: Vec<Delivery>,
    /// Flits that arrive, by cycle.
    accepted: BTreeMap<u64, u64>,
    /// The cycles that are simulated.
    cycles: RefCell<Vec<u64>>,
}

impl Traffic for Record {
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

    fn goes_on(&self, now: u64) -> bool {
        self.cycles.borrow_mut().push(now);
        true
    }

    fn counted(&self) -> Range<u64> {
        20..90
    }
}

impl Record {
    /// Returns the record with the deliveries in an order that does not depend on the engine.
    fn sorted(mut self) -> Self {
        self.deliveries.sort_unstable_by_key(|packet| {
            let &Delivery { src, dst, flits, created, injected, delivered, hops, .. } = packet;
            (src, injected, delivered, created, dst, flits, hops)
        });
        self
    }
}

/// Compares what is reported, with the first difference in the message.
fn assert_same(old: &Record, new: &Record, what: &str) {
    let first = old.deliveries.iter().zip(&new.deliveries).find(|(old, new)| old != new);
    assert_eq!(first, None, "{what}");
    assert_eq!(old.deliveries.len(), new.deliveries.len(), "{what}");
    assert!(old.accepted == new.accepted && old.offers == new.offers, "{what}");
    let cycles = [old, new].map(|record| record.cycles.borrow().clone());
    let first = cycles[0].iter().zip(&cycles[1]).find(|(old, new)| old != new);
    assert_eq!((first, cycles[0].len()), (None, cycles[1].len()), "cycles that are simulated, {what}");
}

/// A case: routers, their network and packets.
struct Case {
    routes: Arc<dyn Routing>,
    costs: RouterCosts,
    packets: Record,
    what: String,
}

fn one_of<T: Clone>(random: &mut Pcg64, values: &[T]) -> T {
    values[random.random_range(0..values.len())].clone()
}

const SHAPES: [&[usize]; 10] =
    [&[4], &[7], &[2, 2], &[3, 3], &[4, 4], &[5, 2], &[2, 2, 2], &[3, 2, 3], &[2; 5], &[1, 5]];

const VCS: [u16; 12] = [1, 1, 2, 2, 3, 4, 4, 6, 8, 16, 20, 33];

impl Case {
    fn draw(random: &mut Pcg64) -> Self {
        loop {
            let vcs = one_of(random, &VCS);
            let costs = costs(random);
            let draw_pace = if costs.timing.is_pipelined() { pipelined_pace } else { pace };
            let (routes, what) = if random.random() { lattice(random, vcs, draw_pace) } else { links(random, vcs) };
            let channels = costs.injection_ports.max(costs.ejection_ports) as usize;
            let ports = routes.wiring().link_ports() + routes.wiring().most_nodes() * channels;
            if ports <= 64 {
                let nodes = narrow(routes.wiring().nodes(), "a small network");
                let packets = packets(random, nodes);
                let what = format!("{what} vcs {vcs} {costs:?}");
                return Self { routes, costs, packets, what };
            }
        }
    }
}

fn costs(random: &mut Pcg64) -> RouterCosts {
    let routing = one_of(random, &[0, 0, 0, 1, 2]);
    let buffer = random.random_range(1..=9);
    let link = one_of(random, &[Some(1), Some(1), Some(2), None]);
    let speculative = random.random();
    let options = random.random_range(0..3) == 0;
    let microarchitecture = match link {
        Some(_) if options => microarchitecture(random, speculative, routing),
        _ => Microarchitecture::default(),
    };
    RouterCosts {
        timing: link.map_or(Timing::ideal(routing), |link| {
            Timing::staged(link, stages(&microarchitecture, speculative, routing))
        }),
        buffer: one_of(random, &[Buffer::Flits(buffer), Buffer::Flits(buffer), Buffer::RoundTrip]),
        speculative,
        microarchitecture,
        vc_allocator: allocator(random),
        switch_allocator: allocator(random),
        atomic: random.random_range(0..4) == 0,
        injection_ports: one_of(random, &[1, 1, 1, 2, 3]),
        ejection_ports: one_of(random, &[1, 1, 1, 2, 3]),
        full_crossbar: false,
        node_buffers: NodeBuffers::default(),
        combining: Combining::default(),
    }
}

/// The stages of a router, which routes in `routing` cycles.
fn stages(options: &Microarchitecture, speculative: bool, routing: u64) -> PipelineStages {
    let StageCycles { vc, switch, traversal, credit, .. } = options.stages;
    let [vc, switch] = [vc, switch].map(u64::from);
    PipelineStages {
        routing,
        allocation: if speculative { [0, vc.max(switch)] } else { [vc, switch] },
        traversal: traversal.into(),
        credit: credit.into(),
        speedup: options.crossbar.internal_speedup,
    }
}

/// Options of pipelined routers, each of them the default half of the time.
fn microarchitecture(random: &mut Pcg64, speculative: bool, routing: u64) -> Microarchitecture {
    let internal_speedup = one_of(random, &[STEP, STEP, STEP * 3 / 2, STEP * 2]);
    let switch = one_of(random, &[1, 1, 1, 3]);
    let longest_vc = if speculative { switch } else { 2 };
    let has_steps = internal_speedup > STEP;
    let own_allocator = Some(allocator(random)).filter(|_| random.random());
    Microarchitecture {
        bids: Bids {
            checks: one_of(random, &[BidChecks::Credit, BidChecks::Credit, BidChecks::Free, BidChecks::None]),
            allocator: own_allocator,
            mask: one_of(random, &[BidMask::Grants, BidMask::Requests]),
        },
        crossbar: Crossbar {
            input_speedup: one_of(random, &[1, 1, 2, 5]),
            output_speedup: one_of(random, &[1, 1, 2]),
            internal_speedup,
            output_queue: one_of(random, &[None, Some(1), Some(4)]),
        },
        stages: StageCycles {
            routing: if has_steps { narrow::<u32, _>(routing, "a few cycles") } else { 0 },
            vc: random.random_range(1..=longest_vc),
            switch,
            traversal: one_of(random, &[1, 1, 2]),
            credit: one_of(random, &[0, 0, 1, 3]),
            entry: one_of(random, &[StageEntry::Continuous, StageEntry::Batched]),
        },
        connection: one_of(random, &[Connection::Flit, Connection::Packet]),
        switching: Switching::Wormhole,
        vc_requests: VcRequests {
            grant: if speculative {
                one_of(random, &[VcGrant::Allocator, VcGrant::Piggyback])
            } else {
                VcGrant::Allocator
            },
            busy_when_full: random.random(),
            prefer_empty: random.random(),
            shuffle: random.random(),
            adaptive: AdaptiveChoice::Credits,
        },
        buffers: BufferPolicy::Private,
        priority: PriorityRule {
            priority: one_of(
                random,
                &[
                    Priority::None,
                    Priority::None,
                    Priority::Age,
                    Priority::NetworkAge,
                    Priority::LocalAge,
                    Priority::QueueLength,
                    Priority::Hops,
                    Priority::Sequence,
                ],
            ),
            donation: random.random(),
        },
    }
}

/// The default allocator half of the time.
fn allocator(random: &mut Pcg64) -> AllocatorChoice {
    let default = AllocatorChoice::default();
    let name = one_of(random, &ALLOCATORS).name;
    let other = AllocatorChoice::named(name).map(|other| other.repeated(random.random_range(1..=3)));
    other.filter(|_| random.random()).unwrap_or(default)
}

/// Packets of `nodes` nodes: many or few at once, to anywhere or to one node.
fn packets(random: &mut Pcg64, nodes: u32) -> Record {
    let longest = one_of(random, &[1, 3, 8, 12]);
    let gap = one_of(random, &[0, 5, 40, 3000]);
    let hot = random.random_range(0..4) == 0;
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
        (0..12).map(&mut offer).collect()
    };
    Record { offers: (0..nodes).map(list).collect(), ..Record::default() }
}

fn lattice(random: &mut Pcg64, vcs: u16, draw_pace: fn(&mut Pcg64) -> Pace) -> (Arc<dyn Routing>, String) {
    loop {
        let shape = one_of(random, &SHAPES);
        let wraps = random.random();
        let order: Vec<usize> =
            if random.random() { (0..shape.len()).collect() } else { (0..shape.len()).rev().collect() };
        let routing = one_of(random, ROUTINGS);
        let relation = Relation::new(Lattice::new(shape, wraps, &order), routing, vcs);
        let relation = match random.random_range(0..4) {
            0 => relation.with_paces(shape.iter().map(|_| draw_pace(random)).collect()),
            _ => relation,
        };
        if relation.unfit().is_none() {
            let what = format!("{shape:?} wraps {wraps} order {order:?} {routing:?} {:?}", relation.paces());
            return (Arc::new(relation), what);
        }
    }
}

/// A channel that may be slow, or long.
fn pace(random: &mut Pcg64) -> Pace {
    Pace { flit: random.random_range(1..4), delay: random.random_range(0..6), ..Pace::EVEN }
}

/// A channel of pipelined routers, which may have a clock and a buffer of its own.
fn pipelined_pace(random: &mut Pcg64) -> Pace {
    if random.random() {
        return pace(random);
    }
    let cycle = random.random_range(1..4);
    let period = NonZeroU32::new(random.random_range(1..6)).unwrap();
    let clock = LinkClock { period, cycle, stages: random.random_range(0..3) };
    let cost = LinkCost {
        clock: Some(clock),
        own_buffer: NonZeroU32::new(random.random_range(0..9)),
        ..LinkCost::new(random.random_range(1..9), random.random_range(0..7))
    };
    Pace::of(cost, cycle.into())
}

fn links(random: &mut Pcg64, vcs: u16) -> (Arc<dyn Routing>, String) {
    let (links, routing, what) = match random.random_range(0..4) {
        0 => dragonfly(random),
        1 => hyperx(random),
        2 => fat_tree(random),
        _ => graph(random),
    };
    let what = format!("{what} {routing:?}");
    let Ok(ports) = LinkPorts::new(links, 1) else { panic!("{what} has too many ports") };
    (Arc::new(LinkRelation::new(Arc::new(ports), routing, vcs)), what)
}

type Routed = (Arc<dyn Links>, Arc<dyn LinkRouting>, String);

fn dragonfly(random: &mut Pcg64) -> Routed {
    let (routers, global, groups) = one_of(random, &[(2, 1, 3), (3, 1, 4), (2, 2, 5), (4, 1, 3)]);
    let size = DragonflySize { nodes: random.random_range(1..3), routers, global, groups };
    let links = Arc::new(Dragonfly::new(size, || "a dragonfly".to_owned()).unwrap());
    let copy = one_of(random, &[CopyBy::Destination, CopyBy::Source]);
    let valiant = DragonflyValiant::new(Arc::clone(&links), copy);
    let routing: Arc<dyn LinkRouting> = match random.random_range(0..3) {
        0 => Arc::new(DragonflyMinimal::new(Arc::clone(&links), copy)),
        1 => Arc::new(valiant),
        _ => Arc::new(DragonflyUgal::new(valiant, random.random_range(0..4))),
    };
    (links, routing, "dragonfly".to_owned())
}

fn hyperx(random: &mut Pcg64) -> Routed {
    let shape = one_of(random, &[[3, 3], [4, 2], [2, 5]]);
    let parallel = one_of(random, &[[1, 1], [2, 1]]);
    let links = Arc::new(HyperXLinks::new(&shape, &parallel, random.random_range(1..4)).unwrap());
    let copy = Arc::clone(&links);
    let routing: Arc<dyn LinkRouting> = match random.random_range(0..6) {
        0 => Arc::new(HyperXPaths::new(copy)),
        1 => Arc::new(HyperXO1turn::new(copy)),
        2 => Arc::new(HyperXValiant::new(copy)),
        3 => Arc::new(HyperXUgal::new(HyperXDetours::new(copy), random.random_range(0..4))),
        _ => Arc::new(HyperXAdaptive::new(copy)),
    };
    (links, routing, format!("hyperx {shape:?} {parallel:?}"))
}

fn fat_tree(random: &mut Pcg64) -> Routed {
    let all = [[(2, 1), (2, 2), (2, 2)], [(3, 1), (2, 2), (2, 1)], [(2, 1), (2, 3), (1, 2)]];
    let stages = one_of(random, &all).map(|(children, parents)| Stage { children, parents });
    let links = Arc::new(FatTree::new(&stages, || "a tree".to_owned()).unwrap());
    let copy = Arc::clone(&links);
    let routing: Arc<dyn LinkRouting> = match random.random_range(0..4) {
        0 => Arc::new(FatTreePaths::new(copy, ModK::Destination)),
        1 => Arc::new(FatTreePaths::new(copy, ModK::Source)),
        2 => Arc::new(NearestCommonAncestor::new(copy, UpBy::Drawing)),
        _ => Arc::new(NearestCommonAncestor::new(copy, UpBy::Load)),
    };
    (links, routing, format!("{stages:?}"))
}

/// A ring of routers with chords in both directions, and nodes at random routers.
fn graph(random: &mut Pcg64) -> Routed {
    let routers = random.random_range(2..8_u32);
    let slowest = one_of(random, &[1, 1, 4]);
    let longest = one_of(random, &[0, 6]);
    let cost = |random: &mut Pcg64| {
        let flit_time = random.random_range(1..=slowest);
        LinkCost::new(flit_time, random.random_range(0..=longest))
    };
    let mut pairs: Vec<(u32, u32)> = (0..routers).map(|at| (at, (at + 1) % routers)).collect();
    for _ in 0..random.random_range(0..routers) {
        let chord = (random.random_range(0..routers), random.random_range(0..routers));
        pairs.extend(Some(chord).filter(|(from, to)| from != to));
    }
    let links = pairs.into_iter().flat_map(|(from, to)| [(from, to), (to, from)]);
    let links = links.map(|(from, to)| Joint { from: RouterId(from), to: RouterId(to), cost: cost(random) }).collect();
    let attached = |_| Attachment { router: RouterId(random.random_range(0..routers)), cost: cost(random) };
    let nodes = (0..8).map(attached).collect();
    let graph = Arc::new(Graph::new(routers as usize, nodes, links));
    let copy = Arc::clone(&graph);
    let paths: Arc<dyn LinkRouting> = match random.random_range(0..3) {
        0 => Arc::new(UpDown::new(copy, random.random_range(0..routers).into()).unwrap()),
        1 => Arc::new(Shortest::new(copy, Weight::Latency).unwrap()),
        _ => Arc::new(Shortest::new(copy, Weight::Links).unwrap().by_hops().unwrap()),
    };
    (graph, paths, "graph".to_owned())
}

#[test]
fn results_do_not_depend_on_the_words_of_a_block() {
    let mut compared = 0;
    for seed in 0..200 {
        let case = Case::draw(&mut random::stream(seed, "words", 0));
        let network = Network::new(case.routes.as_ref(), case.costs, None);
        let outcome = |run: fn(&dyn Routing, RouterCosts, &mut Record) -> Ended| {
            let mut record = case.packets.clone();
            let ended = run(case.routes.as_ref(), case.costs, &mut record);
            (record.sorted(), (ended.carried, ended.moved))
        };
        let (narrow, narrow_end) = outcome(run);
        let (wide, wide_end) =
            outcome(|routes, costs, record| on_large_blocks::<64, _>(Network::open_loop(routes, costs), record).run());
        compared += usize::from(network.words() < 64);
        assert_same(&narrow, &wide, &case.what);
        assert_eq!(narrow_end, wide_end, "{}", case.what);
    }
    assert!(compared > 150);
}

/// Routers whose microarchitecture is the default but for an output queue that is never full do what those without it do.
#[test]
fn routers_with_any_microarchitecture_do_what_plain_ones_do() {
    let mut compared = 0;
    for seed in 0..300 {
        let case = Case::draw(&mut random::stream(seed, "plain", 0));
        let mut plain = case.costs;
        plain.microarchitecture = Microarchitecture::default();
        plain.vc_allocator = AllocatorChoice::default();
        plain.switch_allocator = AllocatorChoice::default();
        if !plain.timing.is_pipelined() {
            continue;
        }
        plain.timing = Timing::staged(1, stages(&plain.microarchitecture, plain.speculative, plain.timing.routing));
        let mut staged = plain;
        staged.microarchitecture.crossbar.output_queue = Some(1 << 20);
        let [expected, found] = [plain, staged].map(|costs| {
            let mut record = case.packets.clone();
            let ended = run(case.routes.as_ref(), costs, &mut record);
            let Record { deliveries, accepted, .. } = record.sorted();
            (deliveries, accepted, ended.moved)
        });
        assert_eq!(expected, found, "{}", case.what);
        compared += 1;
    }
    assert!(compared > 200);
}
