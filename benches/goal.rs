//! Cost of GOAL files: reading the text and the binary form, and execution under LogGOPS.

#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use flitwise::algorithm::multicast::{Binomial, Sequential};
use flitwise::model::{LogGops, execute};
use flitwise::schedule::Schedule;
use flitwise::schedule::goal::{Goal, GoalBuilder, Operation};
use flitwise::units::{Flits, NodeId};
use std::time::Duration;

const CLASSIC: LogGops =
    LogGops { latency: 2500, overhead: 1500, gap: 1000, gap_per_byte: 6, overhead_per_byte: 0, eager: 65_535 };

fn ranks(count: u32) -> Vec<NodeId> {
    (0..count).map(NodeId).collect()
}

fn binomial(count: u32) -> Goal {
    let ranks = ranks(count);
    Goal::of_multicast(&Schedule::split(&Binomial { size: ranks.len() }, &ranks, ranks.len(), Flits(1)), 1)
}

fn linear(count: u32) -> Goal {
    let ranks = ranks(count);
    Goal::of_multicast(&Schedule::split(&Sequential { size: ranks.len() }, &ranks, ranks.len(), Flits(1)), 1)
}

/// Every rank sends to all others and receives from all others, without dependencies.
fn all_to_all(count: u32) -> Goal {
    let mut goal = GoalBuilder::default();
    for rank in 0..count {
        goal.next_rank();
        for distance in 1..count {
            goal.push(Operation::send(1, (rank + distance) % count, 0));
            goal.push(Operation::receive(1, (rank + count - distance) % count, 0));
        }
    }
    goal.finish()
}

fn executions(criterion: &mut Criterion) {
    let mut bench = criterion.benchmark_group("LogGOPS");
    bench.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(10));
    let cases = [
        ("binomial 1048576", binomial(1 << 20)),
        ("linear 16384", linear(1 << 14)),
        ("all to all 512", all_to_all(512)),
    ];
    for (name, goal) in cases {
        bench.throughput(Throughput::Elements(goal.messages() as u64));
        bench.bench_function(name, |b| {
            b.iter(|| execute(&goal, |bytes| CLASSIC.parts(bytes), CLASSIC.eager).unwrap());
        });
    }
    bench.finish();
}

fn reading(criterion: &mut Criterion) {
    let mut bench = criterion.benchmark_group("read GOAL");
    bench.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(10));
    for (name, goal) in [("binomial 1048576", binomial(1 << 20)), ("all to all 512", all_to_all(512))] {
        let (mut text, mut binary) = (Vec::new(), Vec::new());
        goal.write_text(&mut text).unwrap();
        goal.write_binary(&mut binary).unwrap();
        for (form, bytes) in [("text", text), ("binary", binary)] {
            bench.throughput(Throughput::Bytes(bytes.len() as u64));
            bench.bench_function(BenchmarkId::new(form, name), |b| b.iter(|| Goal::read(&bytes).unwrap()));
        }
    }
    bench.finish();
}

/// From the bytes of a file to the times: a broadcast as text, and the binary form of a broadcast to a million ranks.
fn whole(criterion: &mut Criterion) {
    let mut bench = criterion.benchmark_group("GOAL to times");
    bench.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(10));
    let (mut text, mut binary) = (Vec::new(), Vec::new());
    binomial(1 << 15).write_text(&mut text).unwrap();
    binomial(1 << 20).write_binary(&mut binary).unwrap();
    let cases = [("text, binomial 32768", text, (1 << 15) - 1), ("binary, binomial 1048576", binary, (1 << 20) - 1)];
    for (name, bytes, messages) in cases {
        bench.throughput(Throughput::Elements(messages));
        bench.bench_function(name, |b| {
            b.iter(|| {
                let goal = Goal::read(&bytes).unwrap();
                goal.check().unwrap();
                execute(&goal, |bytes| CLASSIC.parts(bytes), CLASSIC.eager).unwrap()
            });
        });
    }
    bench.finish();
}

criterion_group!(benches, executions, reading, whole);
criterion_main!(benches);
