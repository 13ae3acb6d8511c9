//! What benchmarks print and write, and measured series.

use super::{Target, lines};
use flitwise::fit::{self, Format, Measurements, Parameters};
use flitwise::forecast::{Bank, Column, LARGEST, SampleError, Samples};
use flitwise::output::{ModelTable, fit_toml};
use flitwise::scenario::Tick;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "fit",
        reads: "text of the OSU micro-benchmarks, tables of logp_mpi and Netgauge: `flitwise fit`",
        longest: 512,
        seeds: &["tests/data/fit/*.txt"],
        made: Vec::new,
        run: measured,
    },
    Target {
        name: "series",
        reads: "measured series, one value per line or a column of CSV: `flitwise forecast`",
        longest: 512,
        seeds: &[
            "tests/data/grid/*.csv",
            "tests/data/keys/*.csv",
            "\n12.5\n# comment\n3e6\n",
            "\ntime,bandwidth\n0,12.5\n10,\"11.75\"\n",
        ],
        made: Vec::new,
        run: series,
    },
];

/// Read as what it looks like, and as each format.
fn measured(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for format in [None, Some(Format::Osu), Some(Format::Plogp), Some(Format::Netgauge)] {
        match fit::read("file", &text, format, &(0..=u64::MAX)) {
            Ok(measurements) => {
                named(&measurements, lines(text.as_bytes()));
                if format.is_none() {
                    fitted(&measurements);
                }
            }
            Err(error) => {
                let line = error.place.as_ref().map_or(1, |place| place.line);
                assert!((1..=lines(text.as_bytes())).contains(&line), "{error}: line {line}");
            }
        }
    }
}

/// Lines that were used, or not, are there.
fn named(measurements: &Measurements, lines: usize) {
    for origin in &measurements.origins {
        let named = origin.used.iter().chain(origin.skipped.iter().map(|(line, _)| line));
        named.for_each(|line| assert!((1..=lines).contains(line), "line {line} of {lines}"));
    }
}

/// Parameters are finite numbers that become a machine.
fn fitted(measurements: &Measurements) {
    let _ = measurements.clone().combine(measurements.clone());
    let Ok(parameters) = Parameters::of(measurements) else { return };
    let tick = Tick::parse("1ns").unwrap();
    for model in [None, Some(ModelTable::Parameterised), Some(ModelTable::LogP), Some(ModelTable::LogGops)] {
        if model.is_some() && parameters.t_end.is_none() {
            continue;
        }
        if let Ok(text) = fit_toml(measurements, &parameters, &tick, 8, model) {
            assert!(!text.contains("NaN") && !text.contains(" inf"), "{text}");
        }
    }
}

/// Series of so few bytes are forecast, too: that takes far longer than reading.
const FORECAST: usize = 16;

/// The only column, and one by its number and its name; short series are forecast, too.
fn series(bytes: &[u8]) {
    for column in [None, Some("2"), Some("bandwidth")] {
        let column: Option<Column> = column.map(|column| column.parse().unwrap());
        let mut values = Vec::new();
        for value in Samples::new(bytes, column) {
            match value {
                Ok(value) => values.push(value),
                Err(SampleError::Line { line, text, .. }) => {
                    assert!((1..=lines(bytes) as u64).contains(&line), "line {line}: {text}");
                }
                Err(_) => {}
            }
        }
        assert!(values.iter().all(|value| value.abs() <= LARGEST), "{values:?}");
        if !values.is_empty() && bytes.len() <= FORECAST {
            forecast(&values);
        }
    }
}

fn forecast(values: &[f64]) {
    let mut bank = Bank::primaries();
    values.iter().for_each(|&value| bank.update(value));
    bank.forecasts().for_each(|(method, next)| assert!(next.is_finite(), "{}: {next}", method.name));
}
