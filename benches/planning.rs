//! Cost of planning: the optimal table for ten million nodes, the trees of all algorithms for 4096 nodes, exchanges and their
//! verification, broadcasts over a grid, mappings onto hypercubes, and the event queues.
//!
//! The largest mapping takes too long for many samples. `flitwise run` with this scenario maps 262144 tasks:
//!
//! ```toml
//! name = "mapping-scale"
//! repetitions = 1
//! [network.hypercube]
//! dimension = 18
//! [workload.mapping]
//! algorithms = ["mrb"]
//! generator = "gnm"
//! edges = 1048576
//! weights = 5
//! details = false
//! ```

#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flitwise::algorithm::mapping::{self, generate};
use flitwise::algorithm::multicast::{ALGORITHMS, Fits, Inside, OptTable, Request};
use flitwise::algorithm::{broadcast, exchange};
use flitwise::events::{EventQueue, HeapQueue, Kind, QueuedEvent, RingQueue};
use flitwise::grid::{Distribution, Generator, Ranges};
use flitwise::model::Parameterised;
use flitwise::routing::{DimensionOrder, Network, Turnaround, UpPort};
use flitwise::topology::{Bmin, Mesh};
use flitwise::units::{Flits, NodeId, Ticks};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn tables(criterion: &mut Criterion) {
    let mut bench = criterion.benchmark_group("opt table of 10^7 nodes");
    bench.sample_size(10);
    for (name, hold, end, ports) in [("1 port", 20, 55, 1), ("4 ports", 20, 55, 4), ("hold > end", 55, 20, 1)] {
        let model = Parameterised { t_hold: Ticks(hold), t_end: Ticks(end) };
        bench.bench_function(name, |b| b.iter(|| OptTable::new(10_000_000, model, ports)));
    }
    bench.finish();
}

fn plans(criterion: &mut Criterion) {
    let mesh = DimensionOrder::first_coordinate_first(Mesh::new(&[64, 64], 1).unwrap());
    let bmin = Turnaround::new(Bmin::new(4, 6, 1).unwrap(), UpPort::Source);
    let group: Vec<NodeId> = (0..4096).map(|id| NodeId(id * 1365 % 4096)).collect();
    let mut bench = criterion.benchmark_group("plan for 4096 nodes");
    for algorithm in ALGORITHMS.iter().filter(|algorithm| !algorithm.needs_routers()) {
        let network: &dyn Network = if algorithm.fits == Fits::Multistage { &bmin } else { &mesh };
        let request = Request {
            group: &group,
            nodes: group.len(),
            network: Some(network),
            copying: None,
            flits: Flits(1024),
            model: Parameterised { t_hold: Ticks(20), t_end: Ticks(55) },
            ports: 1,
            block: 4,
            inside: Inside::Flat,
        };
        bench.bench_function(algorithm.name, |b| b.iter(|| algorithm.plan(&request).unwrap()));
    }
    bench.finish();
}

fn exchanges(criterion: &mut Criterion) {
    let mut bench = criterion.benchmark_group("exchange");
    bench.sample_size(10);
    let cases = [("double-hop", 64), ("bruck", 32), ("modified-double-hop", 63), ("direct", 32)];
    for (name, side) in cases {
        let algorithm = exchange::Algorithm::named(name).unwrap();
        let shape = [side, side];
        let torus = format!("{name} {side}x{side}");
        bench.bench_function(BenchmarkId::new("plan", &torus), |b| b.iter(|| algorithm.plan(&shape).unwrap()));
        let planned = algorithm.plan(&shape).unwrap();
        bench.bench_function(BenchmarkId::new("prove", &torus), |b| b.iter(|| planned.check().unwrap()));
    }
    bench.finish();
}

fn broadcasts(criterion: &mut Criterion) {
    let links = Ranges { latency: (10_000, 1_000_000), bandwidth: (1000, 200_000) };
    let distribution = Distribution::Uniform;
    let (bytes, symmetric, per_node, clusters) = (1_000_000, false, false, None);
    let generator = Generator { nodes: 1000, bytes, links, distribution, symmetric, per_node, clusters };
    let costs = generator.draw(&mut Pcg64::seed_from_u64(1)).unwrap().costs().unwrap();
    let mut bench = criterion.benchmark_group("broadcast over a grid of 1000 nodes");
    bench.sample_size(10);
    for algorithm in broadcast::ALGORITHMS.iter().filter(|algorithm| algorithm.most_nodes >= costs.nodes()) {
        let options = broadcast::Options::default();
        bench.bench_function(algorithm.name, |b| b.iter(|| algorithm.plan(&costs, NodeId(0), &options)));
    }
    bench.finish();
}

fn mappings(criterion: &mut Criterion) {
    let draw = &mut Pcg64::seed_from_u64(1);
    let dense = generate::gnp(1024, 0.7, 5, draw).unwrap();
    let [small, sparse, large] = [1024, 16_384, 65_536].map(|tasks| generate::gnm(tasks, 4 * tasks, 5, draw).unwrap());
    let plain = mapping::Options::default();
    let multilevel = mapping::Options { multilevel: true, ..plain };
    let mut bench = criterion.benchmark_group("mapping");
    bench.sample_size(10);
    for (name, variant, options, graph, tasks) in [
        ("mrb", "mrb", plain, &dense, "1024 tasks, density 0.7"),
        ("mrb", "mrb", plain, &sparse, "16384 tasks, mean degree 8"),
        ("mrb", "mrb", plain, &large, "65536 tasks, mean degree 8"),
        ("mrb", "mrb multilevel", multilevel, &sparse, "16384 tasks, mean degree 8"),
        ("swap", "swap", plain, &dense, "1024 tasks, density 0.7"),
        ("swap", "swap", plain, &small, "1024 tasks, mean degree 8"),
        ("anneal", "anneal", plain, &small, "1024 tasks, mean degree 8"),
    ] {
        let algorithm = mapping::Algorithm::named(name).unwrap();
        let map = || algorithm.map(graph, &options, &mut Pcg64::seed_from_u64(2)).unwrap();
        bench.bench_function(BenchmarkId::new(variant, tasks), |b| b.iter(map));
    }
    bench.finish();
}

/// The number of events that a queue pops and pushes again in one iteration.
const STEPS: u64 = 10_000;

/// Returns delays between two events of a message: mostly until the next hop, sometimes until a delivery.
fn delays() -> Vec<u64> {
    let mut random = Pcg64::seed_from_u64(1);
    let delay = |_| if random.random_bool(0.9) { 2 } else { random.random_range(0..200_000) };
    (0..1024).map(delay).collect()
}

fn pending<Q: EventQueue>(events: u32) -> Q {
    let mut queue = Q::default();
    let mut random = Pcg64::seed_from_u64(2);
    for number in 0..events {
        queue.push(QueuedEvent { time: Ticks(random.random_range(0..1000)), kind: Kind::Request, number });
    }
    queue
}

/// Pops the next event and pushes its successor, `STEPS` times.
fn step<Q: EventQueue>(queue: &mut Q, delays: &[u64]) {
    for delay in delays.iter().cycle().take(usize::try_from(STEPS).unwrap()) {
        if let Some(event) = queue.pop() {
            queue.push(QueuedEvent { time: event.time + Ticks(*delay), ..event });
        }
    }
}

fn queue<Q: EventQueue>(criterion: &mut Criterion, name: &str) {
    let delays = delays();
    let mut bench = criterion.benchmark_group("queue of pending events");
    bench.throughput(Throughput::Elements(STEPS));
    for events in [1000, 30_000] {
        bench.bench_function(BenchmarkId::new(name, events), |b| {
            b.iter_batched_ref(|| pending::<Q>(events), |queue| step(queue, &delays), BatchSize::LargeInput);
        });
    }
    bench.finish();
}

fn queues(criterion: &mut Criterion) {
    queue::<RingQueue>(criterion, "ring");
    queue::<HeapQueue>(criterion, "heap");
}

criterion_group!(benches, tables, plans, exchanges, broadcasts, mappings, queues);
criterion_main!(benches);
