//! Forecasters against reference data, against slow versions that follow their definitions to the letter, and the
//! selection against the best of them.

use crate::support::data;
use flitwise::forecast::series::{KINDS, Kind};
use flitwise::forecast::{Bank, Criterion, METHODS, PRIMARIES, WINDOWS};
use flitwise::random::stream;
use rand::RngExt;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A series of the reference with what each method made of it.
#[derive(Deserialize)]
struct Reference {
    kind: String,
    values: Vec<f64>,
    check_t: Vec<usize>,
    forecast: BTreeMap<String, Vec<f64>>,
    mae: BTreeMap<String, f64>,
    mse: BTreeMap<String, f64>,
    select_lib18: Trace,
}

/// What the selection said before each value, from the second on, and after the last.
#[derive(Deserialize)]
struct Trace {
    mse_forecast: Vec<f64>,
    mae_forecast: Vec<f64>,
    mse_pick: Vec<String>,
    mae_pick: Vec<String>,
    mse: f64,
    mae: f64,
}

#[track_caller]
fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9, "{what}: {found} instead of {expected}");
}

#[test]
fn every_method_forecasts_what_the_reference_does() {
    for reference in data::<Vec<Reference>>("grid/nws.json") {
        assert_eq!(reference.forecast.len(), METHODS.len());
        for method in METHODS {
            let (mut forecaster, mut after) = (method.start(), vec![None]);
            for &value in &reference.values {
                forecaster.update(value);
                after.push(forecaster.forecast());
            }
            for (&t, &expected) in reference.check_t.iter().zip(&reference.forecast[method.name]) {
                close(after[t].unwrap(), expected, &format!("{} of {} at {t}", method.name, reference.kind));
            }
        }
    }
}

#[test]
fn errors_are_those_of_the_reference() {
    for reference in data::<Vec<Reference>>("grid/nws.json") {
        let mut bank = Bank::all();
        reference.values.iter().for_each(|&value| bank.update(value));
        for (method, errors) in bank.errors() {
            close(errors.mae().unwrap(), reference.mae[method.name], method.name);
            close(errors.mse().unwrap(), reference.mse[method.name], method.name);
        }
        close(bank.selected(Criterion::Mse).mse().unwrap(), reference.select_lib18.mse, "selection by MSE");
        close(bank.selected(Criterion::Mae).mae().unwrap(), reference.select_lib18.mae, "selection by MAE");
    }
}

#[test]
fn the_selection_follows_whom_the_reference_follows() {
    for reference in data::<Vec<Reference>>("grid/nws.json") {
        let trace = &reference.select_lib18;
        for mut bank in [Bank::primaries(), Bank::all()] {
            for (t, &value) in reference.values.iter().enumerate() {
                bank.update(value);
                let [mse, mae] = Criterion::ALL.map(|criterion| bank.forecast(criterion).unwrap());
                let what = format!("{} after {t}", reference.kind);
                assert_eq!((mse.method.name, mae.method.name), (&*trace.mse_pick[t], &*trace.mae_pick[t]), "{what}");
                close(mse.value, trace.mse_forecast[t], &what);
                close(mae.value, trace.mae_forecast[t], &what);
            }
            let followed = |criterion, at| bank.followed(criterion, at);
            for (criterion, picks) in [(Criterion::Mse, &trace.mse_pick), (Criterion::Mae, &trace.mae_pick)] {
                for (at, method) in METHODS.iter().enumerate() {
                    let count = picks[..picks.len() - 1].iter().filter(|pick| **pick == method.name).count();
                    assert_eq!(followed(criterion, at), count as u64, "{} {}", reference.kind, method.name);
                }
            }
        }
    }
}

/// Series of all kinds that are awkward: few distinct values, so that medians, errors and scores tie, constants, steps,
/// swings, ramps, spikes and zeros.
fn awkward() -> Vec<Vec<f64>> {
    let mut random = stream(1, "test-series", 0);
    let mut all: Vec<Vec<f64>> =
        (1..6).map(|top| (0..400).map(|_| f64::from(random.random_range(-1..=top))).collect()).collect();
    all.push((0..400).map(|_| random.random()).collect());
    all.push((0..400).map(|_| if random.random_bool(0.05) { 1e6 } else { random.random() }).collect());
    all.push(vec![0.1; 400]);
    all.push((0..400).map(|t| f64::from(t % 2)).collect());
    all.push((0..400).map(|t| f64::from(t / 37 % 5)).collect());
    all.push((0..400).map(f64::from).collect());
    all.push((0..400).map(|t| if t < 200 { 0.0 } else { -0.0 }).collect());
    all
}

fn mean(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, value| sum + value) / values.len() as f64
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

fn last(history: &[f64], window: usize) -> &[f64] {
    &history[history.len().saturating_sub(window)..]
}

fn trimmed(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = (0..sorted.len()).filter(|&cut| cut as f64 <= 0.3 * sorted.len() as f64).max().unwrap();
    mean(&sorted[cut..sorted.len() - cut])
}

fn smoothed(history: &[f64], gain: f64) -> f64 {
    history[1..].iter().fold(history[0], |forecast, value| forecast + gain * (value - forecast))
}

/// Replays the rule of the adaptive window over the whole history, with every window taken anew.
fn adaptive(history: &[f64], [start, min, max, step]: [usize; 4], centre: fn(&[f64]) -> f64) -> f64 {
    let mut width = start;
    for t in max..history.len() {
        let error = |width| (centre(last(&history[..t], width)) - history[t]).abs();
        let (lower, present, upper) = (error(width - step), error(width), error(width + step));
        if lower < present && lower <= upper {
            width = (width - 1).max(min);
        } else if upper < present && upper < lower {
            width = (width + 1).min(max);
        }
    }
    centre(last(history, width))
}

fn gradient(history: &[f64]) -> f64 {
    let (mut forecast, mut gain, mut before) = (history[0], 0.2_f64, None);
    for value in &history[1..] {
        let error = value - forecast;
        match before {
            Some(before) if error > 0.0 && before > 0.0 || error < 0.0 && before < 0.0 => {
                gain = (gain + 0.05).min(0.95);
            }
            Some(before) if error > 0.0 && before < 0.0 || error < 0.0 && before > 0.0 => {
                gain = (gain - 0.05).max(0.05);
            }
            _ => {}
        }
        forecast += gain * error;
        before = Some(error);
    }
    forecast
}

/// The Yule-Walker equations of order 8 by Gaussian elimination.
fn autoregressive(history: &[f64]) -> f64 {
    let window = last(history, 100);
    let mean = mean(window);
    let y: Vec<f64> = window.iter().map(|value| value - mean).collect();
    let covariance = |lag: usize| (lag..y.len()).map(|i| y[i] * y[i - lag]).sum::<f64>() / y.len() as f64;
    if window.len() < 24 || covariance(0) < 1e-20 {
        return mean;
    }
    let mut rows: Vec<Vec<f64>> =
        (0..8_usize).map(|i| (0..8).map(|j| covariance(i.abs_diff(j))).chain([covariance(i + 1)]).collect()).collect();
    for pivot in 0..8 {
        let chosen = rows[pivot].clone();
        for row in &mut rows[pivot + 1..] {
            let factor = row[pivot] / chosen[pivot];
            row.iter_mut().zip(&chosen).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    let mut weights = [0.0; 8];
    for i in (0..8).rev() {
        let known: f64 = (i + 1..8).map(|j| rows[i][j] * weights[j]).sum();
        weights[i] = (rows[i][8] - known) / rows[i][i];
    }
    mean + (0..8).map(|i| weights[i] * y[y.len() - 1 - i]).sum::<f64>()
}

/// What the method called `name` makes of a history, by its definition.
fn slow(name: &str, history: &[f64]) -> f64 {
    match name {
        "LAST" => history[history.len() - 1],
        "RUN_MEAN" => mean(history),
        "MEDIAN31" => median(last(history, 31)),
        "MEDIAN5" => median(last(history, 5)),
        "SW_MEAN31" => mean(last(history, 31)),
        "SW_MEAN5" => mean(last(history, 5)),
        "TRIM31_30" => trimmed(last(history, 31)),
        "TRIM51_30" => trimmed(last(history, 51)),
        "ADMED5_21" => adaptive(history, [10, 5, 21, 1], median),
        "ADMED21_51" => adaptive(history, [30, 21, 51, 5], median),
        "ADMEAN5_51" => adaptive(history, [10, 5, 51, 1], mean),
        "SGRAD" => gradient(history),
        "AR8_100" => autoregressive(history),
        _ => smoothed(history, name.strip_prefix("EXP").unwrap().parse::<f64>().unwrap() / 100.0),
    }
}

#[test]
fn fast_methods_equal_slow_ones() {
    for (number, values) in awkward().iter().enumerate() {
        for method in METHODS {
            let mut forecaster = method.start();
            for t in 1..=values.len() {
                forecaster.update(values[t - 1]);
                let (found, expected) = (forecaster.forecast().unwrap(), slow(method.name, &values[..t]));
                // the equations of AR are ill-conditioned now and then
                let tolerance = if method.name == "AR8_100" { 1e-6 * (1.0 + expected.abs()) } else { 0.0 };
                assert!(
                    (found - expected).abs() <= tolerance,
                    "{} of {number} at {t}: {found}, {expected}",
                    method.name
                );
            }
        }
    }
}

/// The first place of the least of `count` values.
fn least(count: usize, value: impl Fn(usize) -> f64) -> usize {
    (1..count).fold(0, |best, at| if value(at) < value(best) { at } else { best })
}

/// The primary method that each derived one follows before score `n`, from all cumulative sums.
fn derived(sums: &[[Vec<f64>; PRIMARIES]; 2], n: usize) -> Vec<usize> {
    let follow = |sums: &[Vec<f64>; PRIMARIES], window: Option<usize>| {
        let window = window.unwrap_or(n).min(n);
        if n == 0 { 0 } else { least(PRIMARIES, |i| (sums[i][n] - sums[i][n - window]) / window as f64) }
    };
    sums.iter().flat_map(|sums| WINDOWS.map(|window| follow(sums, window))).collect()
}

#[test]
fn the_selection_equals_a_slow_one() {
    for values in awkward() {
        let mut bank = Bank::primaries();
        let mut sums: [[Vec<f64>; PRIMARIES]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| vec![0.0]));
        let mut losses = [[0.0; 16]; 2];
        let mut forecasts: Vec<f64> = Vec::new();
        for (t, &value) in values.iter().enumerate() {
            if t > 0 {
                let followed = derived(&sums, t - 1);
                for (criterion, error) in [|e: f64| e * e, f64::abs].into_iter().enumerate() {
                    for (at, &primary) in followed.iter().enumerate() {
                        losses[criterion][at] += error(forecasts[primary] - value);
                    }
                    for (sums, forecast) in sums[criterion].iter_mut().zip(&forecasts) {
                        sums.push(sums[t - 1] + error(forecast - value));
                    }
                }
            }
            bank.update(value);
            forecasts = bank.forecasts().map(|(_, forecast)| forecast).collect();
            for (at, criterion) in Criterion::ALL.into_iter().enumerate() {
                let chosen = least(16, |derived| losses[at][derived]);
                let next = bank.forecast(criterion).unwrap();
                assert_eq!(next.method.name, METHODS[derived(&sums, t)[chosen]].name, "{criterion:?} after {t}");
                assert_eq!(next.derived.window, WINDOWS[chosen % 8]);
                assert_eq!(next.derived.criterion, Criterion::ALL[chosen / 8]);
            }
        }
    }
}

#[test]
fn forecasts_of_huge_and_tiny_values_stay_finite() {
    let mut bank = Bank::all();
    for t in 0..1000 {
        bank.update([1e100, -1e100, 1e-300, 0.0, 3.0][t * t % 5]);
    }
    assert!(bank.forecasts().all(|(_, forecast)| forecast.is_finite()));
    assert!(bank.errors().all(|(_, errors)| errors.mse().is_some_and(f64::is_finite)));
}

/// Over 20 series of 2000 values, as shares of their means: the root mean squared errors of the best primary method and of
/// the selection by MSE, and the mean absolute errors of the best and of the selection by MAE.
fn off(kind: &Kind) -> ([(f64, &'static str); 2], [f64; 2]) {
    let mut errors = [[0.0; PRIMARIES]; 2];
    let mut selected = [0.0; 2];
    for seed in 0..20 {
        let mut bank = Bank::primaries();
        kind.series(seed, 0).take(2000).for_each(|value| bank.update(value));
        let mean = bank.mean().unwrap();
        for (at, (_, error)) in bank.errors().enumerate() {
            errors[0][at] += error.rmse().unwrap() / mean / 20.0;
            errors[1][at] += error.mae().unwrap() / mean / 20.0;
        }
        selected[0] += bank.selected(Criterion::Mse).rmse().unwrap() / mean / 20.0;
        selected[1] += bank.selected(Criterion::Mae).mae().unwrap() / mean / 20.0;
    }
    let best = errors.map(|errors| {
        let at = least(PRIMARIES, |at| errors[at]);
        (errors[at], METHODS[at].name)
    });
    (best, selected)
}

#[test]
fn the_selection_is_within_a_few_percent_of_the_best_method_on_every_kind_of_series() {
    for kind in KINDS {
        let (best, selected) = off(kind);
        for (at, selected) in selected.into_iter().enumerate() {
            assert!(selected < 1.05 * best[at].0, "{}: {selected} where {:?} is best", kind.name, best[at]);
        }
    }
}

/// What another program found on series of the same kinds from another generator.
#[test]
fn the_best_method_is_off_as_far_as_elsewhere() {
    let elsewhere = [0.2012, 0.1741, 0.0570, 0.0355, 0.0912, 0.1028, 0.2488, 0.6632];
    for (kind, elsewhere) in KINDS.iter().zip(elsewhere) {
        let ([(found, _), _], _) = off(kind);
        assert!((found / elsewhere - 1.0).abs() < 0.08, "{}: {found} instead of {elsewhere}", kind.name);
    }
}

/// The example of the README: 100 MB/s nominally.
#[test]
fn the_example_is_a_series_of_shifting_levels() {
    let shift = Kind::named("shift").unwrap().series(20, 0);
    let lines = shift.take(360).enumerate().map(|(t, share)| format!("{},{:.1}\n", 10 * t, 100.0 * share));
    let expected = format!(
        "# Bandwidth of a link, measured every 10 s for an hour. The values are generated, and their level shifts at times.\n\
         seconds,megabytes_per_second\n{}",
        lines.collect::<String>()
    );
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/link.csv");
    assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
}

/// Golden values: if they change, everything that was drawn from these streams changes.
#[test]
fn series_are_what_they_have_always_been() {
    let hash = |kind: &Kind| {
        let mut hash = Sha256::new();
        kind.series(1, 0).take(1000).for_each(|value| hash.update(value.to_bits().to_le_bytes()));
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let hashes: Vec<(&str, String)> = KINDS.iter().map(|kind| (kind.name, hash(kind))).collect();
    let expected = [
        ("white", "55965bbc53d1e995"),
        ("ar-60", "974efac3d266f6ca"),
        ("ar-600", "9580df97b780c262"),
        ("walk", "e289eb9b37b393b8"),
        ("shift", "244f3d9422f33ed7"),
        ("diurnal", "97198f9f89d5ec0b"),
        ("on-off", "469b8934f4d3fb4e"),
        ("spikes", "bc7d0ce9429b7676"),
    ];
    assert!(hashes.iter().map(|(name, hash)| (*name, &**hash)).eq(expected), "{hashes:#?}");
}

#[test]
fn series_are_positive_and_of_mean_one() {
    for kind in KINDS {
        let values: Vec<f64> = kind.series(3, 7).take(100_000).collect();
        assert!(values.iter().all(|&value| value > 0.0), "{}", kind.name);
        assert!(kind.name == "walk" || (mean(&values) - 1.0).abs() < 0.05, "{}: {}", kind.name, mean(&values));
        assert!(kind.series(3, 7).take(1000).ne(kind.series(3, 8).take(1000)), "{}", kind.name);
    }
}
