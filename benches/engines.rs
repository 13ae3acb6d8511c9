//! Cost of whole runs: a multicast to a million nodes, a transpose with contention on two engines, exchanges, shared channels, routers.

#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use flitwise::algorithm::exchange;
use flitwise::algorithm::multicast::{Algorithm, Inside, Request};
use flitwise::algorithm::traffic::{Injection, Lengths, Load, Pattern, Phases, Sources, Steady};
use flitwise::costs::{Buffer, ChannelCosts, NodeCosts, Timing};
use flitwise::engine::program::ExchangeProgram;
use flitwise::engine::program::ScheduleProgram;
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::router::{self, RouterCosts};
use flitwise::engine::{Engine, Outcome};
use flitwise::model::Parameterised;
use flitwise::routing::relation;
use flitwise::routing::{DimensionOrder, Lattice, Relation, Rings};
use flitwise::schedule::Pace;
use flitwise::schedule::Schedule;
use flitwise::topology::{Mesh, Torus};
use flitwise::units::{Flits, NodeId, Ticks};
use std::time::Duration;

const CHANNEL: ChannelCosts = ChannelCosts { flit_time: 2, buffer: Buffer::Flits(1), routing_delay: 0 };

fn square(side: usize) -> DimensionOrder {
    DimensionOrder::first_coordinate_first(Mesh::new(&[side, side], 1).unwrap())
}

fn opt_mesh(mesh: &DimensionOrder, node: &NodeCosts, group: &[NodeId], flits: Flits) -> Schedule {
    let request = Request {
        group,
        nodes: group.len(),
        network: Some(mesh),
        copying: None,
        flits,
        model: Parameterised::derived(node, CHANNEL, flits),
        ports: 1,
        block: 4,
        inside: Inside::Flat,
    };
    Algorithm::named("opt-mesh").unwrap().plan(&request).unwrap()
}

/// Plans opt-mesh from one node of a 1024x1024 mesh to all others, and runs it on the worm engine.
fn broadcast(criterion: &mut Criterion) {
    let mesh = square(1024);
    let node = NodeCosts::default().sending(2000, 2).receiving(3500, 3);
    let group: Vec<NodeId> = (0..1 << 20).map(NodeId).collect();
    let mut bench = criterion.benchmark_group("mesh 1024x1024 opt-mesh to all");
    bench.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(20));
    for flits in [Flits(65_536), Flits(1024)] {
        bench.bench_function(BenchmarkId::new("plan and run", flits), |b| {
            b.iter(|| {
                let schedule = opt_mesh(&mesh, &node, &group, flits);
                Engine::Worm.run(&mesh, CHANNEL, ScheduleProgram::new(&schedule, &node), &mut ()).unwrap()
            });
        });
    }
    bench.finish();
}

/// Returns messages from every node (a,b) of an 8x8 mesh to (b,a) at time 0.
fn transpose(flits: Flits) -> Vec<TraceMessage> {
    let places = (0..8).flat_map(|a| (0..8).map(move |b| (NodeId(8 * a + b), NodeId(8 * b + a))));
    places.map(|(src, dst)| TraceMessage { src, dst, flits, start: Ticks::ZERO }).collect()
}

fn run(engine: Engine, mesh: &DimensionOrder, trace: &[TraceMessage]) -> Outcome {
    engine.run(mesh, CHANNEL, TraceProgram::new(trace), &mut ()).unwrap()
}

fn transposes(criterion: &mut Criterion) {
    let mesh = square(8);
    let mut bench = criterion.benchmark_group("mesh 8x8 transpose");
    for (engine, flits) in [(Engine::Worm, 65_536), (Engine::Worm, 512), (Engine::Flit, 512)] {
        let trace = transpose(Flits(flits));
        bench.bench_function(BenchmarkId::new(engine.name(), flits), |b| b.iter(|| run(engine, &mesh, &trace)));
    }
    bench.finish();
}

/// Exchanges of blocks of 4 flits: double-hop, which is contention-free, and direct, for which `auto` selects the flit engine.
fn exchanges(criterion: &mut Criterion) {
    let node = NodeCosts::default().sending(100, 0);
    let mut bench = criterion.benchmark_group("exchange");
    bench.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(10));
    for (name, side) in [("double-hop", 64), ("direct", 16)] {
        let planned = exchange::Algorithm::named(name).unwrap().plan(&[side, side]).unwrap();
        let torus = Torus::new(&[side, side], 1, 2).unwrap();
        let network = Rings::first_coordinate_first(torus.clone());
        let program = ExchangeProgram::new(&planned, &torus, &node, Flits(4), Pace::Synchronous);
        bench.bench_function(BenchmarkId::new(name, side), |b| {
            b.iter(|| Engine::Auto.run(&network, CHANNEL, program.clone(), &mut ()).unwrap());
        });
    }
    bench.finish();
}

/// Direct exchange without barriers on a torus with two virtual channels per link, for several block lengths. Shows the length
/// from which the sleep engine is faster than the flit engine, and that its cost does not grow further.
fn shared_channels(criterion: &mut Criterion) {
    let planned = exchange::Algorithm::named("direct").unwrap().plan(&[8, 8]).unwrap();
    let torus = Torus::new(&[8, 8], 1, 2).unwrap();
    let network = Rings::first_coordinate_first(torus.clone());
    let mut bench = criterion.benchmark_group("direct exchange, 8x8 torus, two virtual channels");
    bench.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (engine, block) in [(Engine::Flit, 64), (Engine::Sleep, 64), (Engine::Sleep, 1024), (Engine::Sleep, 65_536)] {
        let program = ExchangeProgram::new(&planned, &torus, &NodeCosts::default(), Flits(block), Pace::Asynchronous);
        bench.bench_function(BenchmarkId::new(engine.name(), block), |b| {
            b.iter(|| engine.run(&network, CHANNEL, program.clone(), &mut ()).unwrap());
        });
    }
    bench.finish();
}

/// Open-loop traffic through virtual-channel routers: packets of 8 flits, buffers of 8 flits, 2000 cycles.
/// `benches/router-instructions` measures instructions per flit and router.
fn routers(criterion: &mut Criterion) {
    let mut bench = criterion.benchmark_group("routers");
    bench.sample_size(10);
    for (side, lanes, rate) in [(8, 1, 0.25), (8, 4, 0.3), (32, 1, 0.04)] {
        let routes = Relation::new(Lattice::new(&[side, side], false, &[0, 1]), &relation::DIMENSION_ORDER, lanes);
        let timing = Timing::pipelined(1, 0);
        let costs = RouterCosts { timing, ..RouterCosts::default() };
        let lengths = Lengths::Fixed(8);
        let nodes = NodeId::new(side * side).0;
        let name = format!("{side}x{side}, {lanes} virtual channels, rate {rate}");
        bench.bench_function(name, |b| {
            b.iter(|| {
                let pattern = Pattern::Uniform { include_self: true };
                let load = Load { pattern, injection: Injection::Bernoulli, lengths: lengths.clone(), rate };
                let mut steady =
                    Steady::new(Sources::new(load, nodes, 1, 0), Phases { warmup: 500, measure: 1500, drain: 0 });
                router::run(&routes, costs, &mut steady).moved
            });
        });
    }
    bench.finish();
}

criterion_group!(benches, broadcast, transposes, exchanges, shared_channels, routers);
criterion_main!(benches);
