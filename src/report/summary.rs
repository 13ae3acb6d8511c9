//! Statistics over repetitions, and `summary.csv`.

use crate::run::Row;
use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::io::Write;
use std::ops::Range;

/// A name, and how to read its value from a row.
pub type Metric = (&'static str, fn(&Row) -> Option<u64>);

/// What is summarised.
pub const METRICS: [Metric; 35] = [
    ("predicted", |row| row.predicted.map(|at| at.0)),
    ("measured", |row| row.measured.map(|m| m.completion.0)),
    ("blocked_messages", |row| row.measured?.blocked.map(|b| b.messages)),
    ("blocked_headers", |row| row.measured?.blocked.map(|b| b.headers)),
    ("blocked_time", |row| row.measured?.blocked.map(|b| b.time.0)),
    ("startups", |row| row.exchange.map(|e| e.startups)),
    ("critical_blocks", |row| row.exchange.map(|e| e.critical_blocks)),
    ("critical_hops", |row| row.exchange.map(|e| e.critical_hops)),
    ("paper_printed", |row| row.exchange.and_then(|e| e.paper_printed).map(|t| t.0)),
    ("paper_corrected", |row| row.exchange.map(|e| e.paper_corrected.0)),
    ("perfect", |row| row.broadcast.map(|b| b.perfect.0)),
    ("mean_informed", |row| row.broadcast.map(|b| b.mean_informed.0)),
    ("refused", |row| row.broadcast.map(|b| b.refused)),
    ("switched", |row| row.broadcast.map(|b| b.switched)),
    ("kept", |row| row.broadcast.map(|b| b.kept)),
    ("given_up", |row| row.broadcast.map(|b| b.given_up)),
    ("surviving", |row| row.broadcast.map(|b| b.surviving)),
    ("informed", |row| row.broadcast.map(|b| b.informed)),
    ("cost", |row| row.mapping.map(|m| m.cost)),
    ("bound", |row| row.mapping.and_then(|m| m.bound)),
    ("link_load", |row| row.mapping.map(|m| m.link_load)),
    ("port_load", |row| row.mapping.map(|m| m.port_load)),
    ("task_load", |row| row.mapping.map(|m| m.task_load)),
    ("offered", |row| row.traffic?.offered.map(|rate| rate.0)),
    ("accepted", |row| row.traffic?.accepted.map(|rate| rate.0)),
    ("latency", |row| row.traffic?.latency.map(|mean| mean.0)),
    ("network_latency", |row| row.traffic?.network_latency.map(|mean| mean.0)),
    ("hops", |row| row.traffic?.hops.map(|mean| mean.0)),
    ("p50", |row| row.traffic?.percentiles.map(|p| p[0])),
    ("p99", |row| row.traffic?.percentiles.map(|p| p[1])),
    ("max", |row| row.traffic?.percentiles.map(|p| p[2])),
    ("unloaded", |row| row.traffic?.unloaded.map(|mean| mean.0)),
    ("undelivered", |row| row.traffic.map(|t| t.undelivered)),
    ("makespan", |row| row.traffic?.makespan),
    ("saturation", |row| row.traffic?.saturation.map(|rate| rate.0)),
];

/// Those that are counted in millionths, so that they are exact.
const MILLIONTHS: [&str; 7] = ["offered", "accepted", "latency", "network_latency", "hops", "unloaded", "saturation"];

/// Whether the metric called `name` is counted in millionths.
pub(super) fn in_millionths(name: &str) -> bool {
    MILLIONTHS.contains(&name)
}

/// How many of these every workload has; the others belong to one.
const COMMON: usize = 5;

/// Which metrics only the workload of `scenario` has, in the order of the columns of `rows.csv`.
pub(super) fn special(scenario: &Scenario) -> Range<usize> {
    if scenario.is_exchange() {
        COMMON..10
    } else if scenario.is_broadcast() {
        10..18
    } else if scenario.is_mapping() {
        18..23
    } else if scenario.is_traffic() {
        23..METRICS.len()
    } else {
        0..0
    }
}

/// Which metrics are summarised of the rows of `scenario`.
fn metrics(scenario: &Scenario) -> impl Iterator<Item = usize> {
    // of traffic nothing else is measured
    let common = if scenario.is_traffic() { 0 } else { COMMON };
    (0..common).chain(special(scenario))
}

/// Mean and spread of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample standard deviation; none for a single value.
    pub deviation: Option<f64>,
    /// Half the width of the mean's 95 % confidence interval (Student's t); none for a single value.
    pub confidence: Option<f64>,
    /// The smallest value.
    pub minimum: f64,
    /// The middle value, or the mean of the two in the middle.
    pub median: f64,
    /// The largest value.
    pub maximum: f64,
    /// The value below which 5 % lie: that of rank `ceil(0.05 n)`.
    pub p05: f64,
    /// The value below which 95 % lie: that of rank `ceil(0.95 n)`.
    pub p95: f64,
}

impl Statistics {
    /// The statistics of `values`; none without any.
    #[must_use]
    pub fn of(values: &[u64]) -> Option<Self> {
        Self::with(values, t_quantile)
    }

    /// The same with the 97.5 % quantile of Student's t that `quantile` gives for samples of a size.
    #[expect(clippy::cast_precision_loss, reason = "counts and ticks below 2^53 are exact")]
    fn with(values: &[u64], mut quantile: impl FnMut(usize) -> f64) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().map(|&value| value as f64).collect();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let (&minimum, &maximum) = (sorted.first()?, sorted.last()?);
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares: f64 = sorted.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (n > 1).then(|| (squares / (n as f64 - 1.0)).sqrt());
        let confidence = deviation.map(|deviation| quantile(n) * deviation / (n as f64).sqrt());
        let median = f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]);
        let ranked = |hundredths: usize| sorted[(hundredths * n).div_ceil(100).max(1) - 1];
        let (p05, p95) = (ranked(5), ranked(95));
        Some(Self { mean, deviation, confidence, minimum, median, maximum, p05, p95 })
    }

    /// The statistics of values `factor` times as large.
    fn scaled(self, factor: f64) -> Self {
        let Self { mean, deviation, confidence, minimum, median, maximum, p05, p95 } = self;
        let [mean, minimum, median, maximum, p05, p95] =
            [mean, minimum, median, maximum, p05, p95].map(|value| value * factor);
        let [deviation, confidence] = [deviation, confidence].map(|value| value.map(|value| value * factor));
        Self { mean, deviation, confidence, minimum, median, maximum, p05, p95 }
    }
}

/// What `summary.csv` says of each metric, in the order of its columns.
pub const STATISTICS: [&str; 8] = ["mean", "sd", "ci95", "min", "median", "max", "p05", "p95"];

/// The 97.5 % quantile of Student's t for a sample of `n > 1`.
#[expect(clippy::cast_precision_loss, reason = "repetitions are few")]
fn t_quantile(n: usize) -> f64 {
    StudentsT::new(0.0, 1.0, n as f64 - 1.0).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}

/// The statistics of an algorithm at a point over its repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Index of the point.
    pub point: usize,
    /// The algorithm.
    pub algorithm: String,
    /// How many repetitions there were.
    pub repetitions: usize,
    /// By metric, in the order of [`METRICS`].
    pub statistics: [Option<Statistics>; METRICS.len()],
}

impl Summary {
    /// The statistics of the metric called `name`.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<Statistics> {
        let at = METRICS.iter().position(|(metric, _)| *metric == name)?;
        self.statistics[at]
    }
}

/// What is summarised of a row, in the order of [`METRICS`].
pub type Sample = [Option<u64>; METRICS.len()];

/// What is summarised of `row`.
#[must_use]
pub fn sample(row: &Row) -> Sample {
    METRICS.map(|(_, metric)| metric(row))
}

/// Collects rows, in order, into summaries.
#[derive(Debug)]
pub struct Summaries {
    done: Vec<Summary>,
    current: Option<(usize, String)>,
    values: [Vec<u64>; METRICS.len()],
    repetitions: usize,
    /// A sample size and its quantile, which take longer to find than all the rest.
    quantile: Option<(usize, f64)>,
}

impl Default for Summaries {
    fn default() -> Self {
        let values = std::array::from_fn(|_| Vec::new());
        Self { done: Vec::new(), current: None, values, repetitions: 0, quantile: None }
    }
}

impl Summaries {
    /// Takes a row; the rows of an algorithm at a point come one after the other.
    pub fn add(&mut self, row: &Row) {
        self.add_sample(row.id.point, row.algorithm, sample(row));
    }

    /// Takes what is summarised of a row of `algorithm` at `point`.
    pub fn add_sample(&mut self, point: usize, algorithm: &str, sample: Sample) {
        if !self.current.as_ref().is_some_and(|(at, name)| *at == point && name == algorithm) {
            self.close();
            self.current = Some((point, algorithm.to_owned()));
        }
        self.repetitions += 1;
        for (value, values) in sample.into_iter().zip(&mut self.values) {
            values.extend(value);
        }
    }

    fn close(&mut self) {
        if let Some((point, algorithm)) = self.current.take() {
            let known = &mut self.quantile;
            let mut quantile = |n| match *known {
                Some((size, quantile)) if size == n => quantile,
                _ => known.insert((n, t_quantile(n))).1,
            };
            let statistics = std::array::from_fn(|metric| {
                let statistics = Statistics::with(&self.values[metric], &mut quantile);
                if in_millionths(METRICS[metric].0) { statistics.map(|s| s.scaled(1e-6)) } else { statistics }
            });
            self.done.push(Summary { point, algorithm, repetitions: self.repetitions, statistics });
        }
        self.values.iter_mut().for_each(Vec::clear);
        self.repetitions = 0;
    }

    /// All summaries.
    #[must_use]
    pub fn finish(mut self) -> Vec<Summary> {
        self.close();
        self.done
    }
}

/// What `summary.csv` says besides numbers; enough to write it without the scenario.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Labels {
    /// The name of the scenario.
    pub name: String,
    /// The swept keys.
    pub axes: Vec<String>,
    /// The value of each axis at each point.
    pub settings: Vec<Vec<String>>,
    /// The metrics that the workload has.
    pub metrics: Vec<String>,
}

impl Labels {
    /// Those of `scenario`.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            name: scenario.name.clone(),
            axes: scenario.axes.iter().map(|axis| axis.key.clone()).collect(),
            settings: scenario.points.iter().map(|point| point.settings.clone()).collect(),
            metrics: metrics(scenario).map(|at| METRICS[at].0.to_owned()).collect(),
        }
    }

    /// The columns of `summary.csv`.
    pub fn columns(&self) -> impl Iterator<Item = String> {
        let before = ["scenario"].into_iter().chain(self.axes.iter().map(String::as_str));
        let before = before.chain(["algorithm", "repetitions"]).map(str::to_owned);
        let of_metric = |metric| STATISTICS.iter().map(move |statistic| format!("{metric}_{statistic}"));
        before.chain(self.metrics.iter().flat_map(of_metric))
    }
}

/// Writes `summary.csv`.
pub struct SummaryCsv;

impl SummaryCsv {
    /// The name of the file.
    pub const NAME: &'static str = "summary.csv";

    /// Writes all of `summaries` to `output` and gives it back.
    ///
    /// # Errors
    /// If they cannot be written.
    ///
    /// # Panics
    /// If a summary is of a point that has no labels.
    pub fn write<W: Write>(labels: &Labels, summaries: &[Summary], output: W) -> csv::Result<W> {
        let mut csv = csv::Writer::from_writer(output);
        csv.write_record(labels.columns())?;
        for summary in summaries {
            csv.write_field(&labels.name)?;
            for setting in &labels.settings[summary.point] {
                csv.write_field(setting)?;
            }
            csv.write_field(&summary.algorithm)?;
            csv.write_field(summary.repetitions.to_string())?;
            for metric in &labels.metrics {
                let written = if in_millionths(metric) { fine } else { decimal };
                for value in columns(summary.of(metric)) {
                    csv.write_field(value.map_or_else(String::new, written))?;
                }
            }
            csv.write_record(None::<&[u8]>)?;
        }
        csv.into_inner().map_err(|error| error.into_error().into())
    }
}

fn columns(statistics: Option<Statistics>) -> [Option<f64>; 8] {
    statistics.map_or([None; 8], |s| {
        let [minimum, median, maximum] = [s.minimum, s.median, s.maximum].map(Some);
        [Some(s.mean), s.deviation, s.confidence, minimum, median, maximum, Some(s.p05), Some(s.p95)]
    })
}

/// With six decimals at most.
fn fine(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// With three decimals, or none if they are zero.
fn decimal(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_suffix(".000").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_a_known_sample() {
        let s = Statistics::of(&[9, 2, 4, 5]).map(|s| columns(Some(s)).map(|v| v.map(decimal)));
        let expected = ["5", "2.944", "4.684", "2", "4.500", "9", "2", "9"].map(|v| Some(v.to_owned()));
        assert_eq!(s, Some(expected));
    }

    #[test]
    fn a_single_value_has_no_spread() {
        let s = Statistics::of(&[7]);
        assert_eq!(s.map(|s| (s.mean.to_string(), s.deviation, s.confidence)), Some(("7".to_owned(), None, None)));
        assert_eq!(Statistics::of(&[]), None);
    }
}
