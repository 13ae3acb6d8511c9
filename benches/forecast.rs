//! Cost of forecasting a series of a million values: each method, and all methods with the selection.

#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flitwise::forecast::series::Kind;
use flitwise::forecast::{Bank, METHODS};
use std::hint::black_box;

const VALUES: usize = 1_000_000;

fn forecasts(criterion: &mut Criterion) {
    let values: Vec<f64> = Kind::named("ar-60").unwrap().series(1, 0).take(VALUES).collect();
    let mut bench = criterion.benchmark_group("forecasts of a million values");
    bench.sample_size(10).throughput(Throughput::Elements(VALUES as u64));
    for method in METHODS {
        bench.bench_function(method.name, |b| {
            b.iter(|| {
                let mut forecaster = method.start();
                for &value in &values {
                    forecaster.update(value);
                    black_box(forecaster.forecast());
                }
            });
        });
    }
    bench.bench_function("all, with selection", |b| {
        b.iter(|| {
            let mut bank = Bank::all();
            values.iter().for_each(|&value| bank.update(value));
            black_box(bank.mean())
        });
    });
    bench.finish();
}

criterion_group!(benches, forecasts);
criterion_main!(benches);
