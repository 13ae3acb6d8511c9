//! Statistics over repetitions, and `summary.csv`.

use super::line::push_text;
use super::pareto;
use crate::kind::words::significant;
use crate::kind::{Column, ENERGY, Parts, Row, Unit};
use crate::scenario::{Scenario, Settings};
use crate::statistics::{Difference, Quantiles, STATISTICS, Statistics};
use crate::units::SignedMillionths;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// A column that is summarised; enough to do it without the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Whether its values are millionths.
    pub millionths: bool,
    /// Whether its values may be below zero.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// True if its values are the bits of decimal numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decimal: bool,
}

impl From<&Column> for Metric {
    fn from(column: &Column) -> Self {
        let signed = column.unit == Unit::SignedMillionths;
        // energies are in picojoules, of which an attojoule is a millionth
        let millionths = signed || matches!(column.unit, Unit::Millionths | Unit::Energy);
        Self { name: column.name.to_owned(), millionths, signed, decimal: column.unit == Unit::Decimal }
    }
}

impl Metric {
    /// The number that rows have as `value`, in millionths where they count in these.
    #[expect(clippy::cast_precision_loss, reason = "statistics of values beyond 2^53 are rounded")]
    fn number(&self, value: u128) -> f64 {
        let Ok(value) = u64::try_from(value) else { return value as f64 };
        match self {
            Self { signed: true, .. } => SignedMillionths::from_stored(value).0 as f64,
            Self { decimal: true, .. } => f64::from_bits(value),
            _ => value as f64,
        }
    }

    fn digits(&self) -> Digits {
        match self {
            Self { decimal: true, .. } => Digits::Significant,
            Self { millionths: true, .. } => Digits::Millionths,
            _ => Digits::Thousandths,
        }
    }
}

/// The statistics of a variant at a point over its repetitions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Index of the point.
    pub point: usize,
    /// The variant.
    pub algorithm: String,
    /// How many repetitions there were.
    pub repetitions: usize,
    /// How far it is behind the best variant of its point, in the column that decides, repetition by repetition; of the
    /// best itself nothing. None where variants are not compared, or it has no value in that column.
    pub behind: Option<Difference>,
    /// The statistics of each part of the rows, whose names stand for the variant, for kinds whose rows have parts.
    pub parts: Vec<Summary>,
    /// Which columns are summarised.
    metrics: Arc<[Metric]>,
    /// Of each of them.
    statistics: Box<[Kept]>,
}

/// Statistics as they are kept: of a million points there are many, and most are of a single repetition.
#[derive(Clone, Debug, PartialEq)]
enum Kept {
    /// No repetition has a value.
    Nothing,
    /// One has.
    Value(f64),
    /// Several have.
    Several(Box<Statistics>),
}

impl From<Option<Statistics>> for Kept {
    fn from(statistics: Option<Statistics>) -> Self {
        match statistics {
            None => Self::Nothing,
            Some(single) if single == Statistics::single(single.mean) => Self::Value(single.mean),
            Some(several) => Self::Several(Box::new(several)),
        }
    }
}

impl From<&Kept> for Option<Statistics> {
    fn from(kept: &Kept) -> Self {
        match kept {
            Kept::Nothing => None,
            Kept::Value(value) => Some(Statistics::single(*value)),
            Kept::Several(statistics) => Some(**statistics),
        }
    }
}

impl Summary {
    /// The statistics of the column called `name`, if any repetition has a value.
    pub fn of(&self, name: &str) -> Option<Statistics> {
        let at = self.metrics.iter().position(|metric| metric.name == name)?;
        (&self.statistics[at]).into()
    }
}

/// Summaries of all `rows` of `scenario`, which are in order.
///
/// # Errors
/// The first row that failed.
pub fn summarise<E>(scenario: &Scenario, rows: impl IntoIterator<Item = Result<Row, E>>) -> Result<Vec<Summary>, E> {
    let mut summaries = Summaries::new(scenario);
    for row in rows {
        summaries.add(&row?);
    }
    Ok(summaries.finish())
}

/// Collects rows, in order, into summaries.
#[derive(Debug)]
pub struct Summaries {
    metrics: Arc<[Metric]>,
    /// The metrics that decide which variant is best: the first that has values.
    compares: Vec<usize>,
    /// The variants of the point that is being summarised.
    rivals: Rivals,
    done: Vec<Summary>,
    current: Option<(usize, String)>,
    /// Of each metric.
    values: Vec<Vec<f64>>,
    /// The columns of the file of the parts of rows, if rows have parts.
    part_columns: Option<PartColumns>,
    /// The values of each metric of each part of the rows, by the name of the part.
    parts: Vec<(String, Vec<Vec<f64>>)>,
    repetitions: usize,
    quantiles: Quantiles,
}

/// The columns of a file with a line for each part of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartColumns {
    /// The name of the file.
    pub file: String,
    /// The index of the column of the names of the parts.
    pub label: usize,
    /// For each metric, the index of the column of its values, if there is one.
    pub metrics: Vec<Option<usize>>,
}

impl PartColumns {
    /// The columns of the file of `parts` for these `metrics`.
    fn new(parts: &Parts, metrics: &[Metric]) -> Self {
        let index = |name: &str| parts.file.header.iter().position(|column| *column == name);
        Self {
            file: parts.file.name.to_owned(),
            label: index(parts.label).unwrap_or_default(),
            metrics: metrics.iter().map(|metric| index(&metric.name)).collect(),
        }
    }
}

impl Summaries {
    /// Of rows of `scenario`.
    pub fn new(scenario: &Scenario) -> Self {
        let metrics = metrics(scenario);
        let parts = scenario.kind().parts.as_ref().map(|parts| PartColumns::new(parts, &metrics));
        Self::of_metrics(&metrics, scenario.kind().compares).with_parts(parts)
    }

    /// Summarises the parts of rows, too, whose files have these `columns`.
    #[must_use]
    pub fn with_parts(self, columns: Option<PartColumns>) -> Self {
        Self { part_columns: columns, ..self }
    }

    /// Of rows with values of such `metrics`, of which those called `compares` decide which variant is best.
    pub fn of_metrics(metrics: &[Metric], compares: &[impl AsRef<str>]) -> Self {
        let place = |name: &str| metrics.iter().position(|metric| metric.name == name);
        Self {
            metrics: metrics.into(),
            compares: compares.iter().filter_map(|name| place(name.as_ref())).collect(),
            rivals: Rivals::default(),
            done: Vec::new(),
            current: None,
            values: vec![Vec::new(); metrics.len()],
            part_columns: None,
            parts: Vec::new(),
            repetitions: 0,
            quantiles: Quantiles::default(),
        }
    }

    /// Takes a row; the rows of a variant at a point come one after the other.
    pub fn add(&mut self, row: &Row) {
        self.add_values(row.id.point, row.algorithm, &row.values);
        row.files.iter().for_each(|(file, lines)| self.add_lines(file, lines));
    }

    /// Takes the `lines` of `file` of the rows that were added last, all of one variant at a point.
    pub fn add_lines(&mut self, file: &str, lines: &str) {
        let Some(columns) = self.part_columns.as_ref().filter(|columns| columns.file == file) else { return };
        let records = csv::ReaderBuilder::new().has_headers(false).from_reader(lines.as_bytes()).into_records();
        for record in records.flatten() {
            let label = record.get(columns.label).unwrap_or_default();
            let known = self.parts.iter().position(|(name, _)| name == label);
            let part = known.unwrap_or_else(|| {
                self.parts.push((label.to_owned(), vec![Vec::new(); self.metrics.len()]));
                self.parts.len() - 1
            });
            for (column, all) in columns.metrics.iter().zip(&mut self.parts[part].1) {
                let value = column.and_then(|column| record.get(column));
                all.extend(value.and_then(|value| value.parse::<f64>().ok()));
            }
        }
    }

    /// Takes the values of a row of `algorithm` at `point`, in the order of the metrics.
    pub fn add_values(&mut self, point: usize, algorithm: &str, values: &[Option<u128>]) {
        if !self.current.as_ref().is_some_and(|(at, name)| *at == point && name == algorithm) {
            let is_new = self.current.as_ref().is_some_and(|(at, _)| *at != point);
            self.close();
            if is_new {
                self.compare();
            }
            self.current = Some((point, algorithm.to_owned()));
        }
        self.repetitions += 1;
        for ((metric, value), all) in self.metrics.iter().zip(values).zip(&mut self.values) {
            all.extend(value.map(|value| metric.number(value)));
        }
    }

    fn close(&mut self) {
        if let Some((point, algorithm)) = self.current.take() {
            let mut statistics = Vec::with_capacity(self.metrics.len());
            for (metric, values) in self.metrics.iter().zip(&self.values) {
                let of_values = Statistics::with_quantiles(values, &mut self.quantiles);
                statistics.push(if metric.millionths { of_values.map(|s| s.scaled(1e-6)) } else { of_values });
            }
            let parts = self.close_parts(point);
            let metrics = Arc::clone(&self.metrics);
            if let Some(metric) = self.compares.iter().copied().find(|&metric| !self.values[metric].is_empty()) {
                self.rivals.add(Rival::new(self.done.len(), metric, &statistics), &self.values[metric]);
            }
            let repetitions = self.repetitions;
            let statistics = statistics.into_iter().map(Kept::from).collect();
            self.done.push(Summary { point, algorithm, repetitions, behind: None, parts, metrics, statistics });
        }
        self.values.iter_mut().for_each(Vec::clear);
        self.repetitions = 0;
    }

    /// The summaries of the parts of the rows of `summary`, whose `file` has these `lines`.
    pub(super) fn parts_of(mut self, summary: &Summary, file: &str, lines: &str) -> Vec<Summary> {
        self.repetitions = summary.repetitions;
        self.add_lines(file, lines);
        self.close_parts(summary.point)
    }

    /// The summaries of the parts of the rows at `point`.
    fn close_parts(&mut self, point: usize) -> Vec<Summary> {
        let summary = |(algorithm, values): (String, Vec<Vec<f64>>)| {
            let kept = |values: &Vec<f64>| Kept::from(Statistics::with_quantiles(values, &mut self.quantiles));
            let statistics = values.iter().map(kept).collect();
            let metrics = Arc::clone(&self.metrics);
            let repetitions = self.repetitions;
            Summary { point, algorithm, repetitions, behind: None, parts: Vec::new(), metrics, statistics }
        };
        std::mem::take(&mut self.parts).into_iter().map(summary).collect()
    }

    /// Compares the variants of a point.
    fn compare(&mut self) {
        for (summary, behind) in self.rivals.differences(&mut self.quantiles) {
            self.done[summary].behind = behind;
        }
        self.rivals.clear();
    }

    /// All summaries.
    pub fn finish(mut self) -> Vec<Summary> {
        self.close();
        self.compare();
        self.done
    }
}

/// A variant of a point.
#[derive(Clone, Copy, Debug)]
struct Rival {
    /// The index of its summary.
    summary: usize,
    /// The metric that decides.
    metric: usize,
    mean: f64,
}

impl Rival {
    fn new(summary: usize, metric: usize, statistics: &[Option<Statistics>]) -> Self {
        Self { summary, metric, mean: statistics[metric].map_or(f64::INFINITY, |statistics| statistics.mean) }
    }
}

/// The variants of a point with what each was in each repetition, until all are there.
#[derive(Debug, Default)]
struct Rivals {
    all: Vec<Rival>,
    /// The values of one variant after the other, and where those of each end.
    values: Vec<f64>,
    ends: Vec<usize>,
}

impl Rivals {
    fn add(&mut self, rival: Rival, values: &[f64]) {
        self.all.push(rival);
        self.values.extend_from_slice(values);
        self.ends.push(self.values.len());
    }

    fn clear(&mut self) {
        self.all.clear();
        self.values.clear();
        self.ends.clear();
    }

    fn values_of(&self, at: usize) -> &[f64] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.values[start..self.ends[at]]
    }

    /// How far the variant of each summary is behind the best, the first of those with the least mean.
    fn differences(&self, quantiles: &mut Quantiles) -> Vec<(usize, Option<Difference>)> {
        let of_mean = |&a: &usize, &b: &usize| self.all[a].mean.total_cmp(&self.all[b].mean);
        let Some(best) = (0..self.all.len()).min_by(of_mean) else { return Vec::new() };
        let mut difference = |at: usize| {
            let comparable = self.all[at].metric == self.all[best].metric;
            let both = comparable.then(|| (self.values_of(at), self.values_of(best)));
            both.and_then(|(values, others)| Difference::of_pairs(values, others, quantiles))
        };
        (0..self.all.len()).map(|at| (self.all[at].summary, difference(at))).collect()
    }
}

fn metrics(scenario: &Scenario) -> Vec<Metric> {
    scenario.result_columns().stored().map(Metric::from).collect()
}

/// What `summary.csv` says besides numbers; enough to write it without the scenario.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Labels {
    /// The name of the scenario.
    pub name: String,
    /// The value of each axis at each point.
    pub settings: Vec<Settings>,
    /// The swept keys.
    pub axes: Vec<String>,
    /// What is summarised.
    pub metrics: Vec<Metric>,
    /// The columns.
    pub columns: Vec<String>,
    /// The metrics that decide which variant is best: the first that has values. Plans that were left before there was
    /// such a list have none.
    #[serde(default)]
    pub compares: Vec<String>,
    /// The columns of the file of the parts of rows, if rows have parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<PartColumns>,
    /// The columns of text; plans of scenarios without any do not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Texts>,
}

/// A column of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// Its name, which is that of a metric without values.
    pub column: String,
    /// What each point says in it.
    pub of_points: Vec<String>,
}

impl Texts {
    /// The column called `name` of `scenario`.
    fn new(scenario: &Scenario, name: &str) -> Self {
        let of_points = (0..scenario.points.len()).map(|point| scenario.text(point, name));
        Self { column: name.to_owned(), of_points: of_points.collect() }
    }
}

impl Labels {
    /// Those of `scenario`.
    pub fn new(scenario: &Scenario) -> Self {
        let texts = scenario.result_columns().stored().filter(|column| column.is_text());
        let metrics = metrics(scenario);
        Self {
            parts: scenario.kind().parts.as_ref().map(|parts| PartColumns::new(parts, &metrics)),
            name: scenario.name.clone(),
            settings: scenario.points.iter().map(|point| Arc::clone(&point.settings)).collect(),
            axes: scenario.axes.iter().map(|axis| axis.column.clone()).collect(),
            metrics,
            columns: scenario.summary_columns(),
            compares: scenario.kind().compares.iter().map(|&name| name.to_owned()).collect(),
            texts: texts.map(|column| Texts::new(scenario, column.name)).collect(),
        }
    }

    /// The column of text called `name`, if it is one.
    fn texts(&self, name: &str) -> Option<&Texts> {
        self.texts.iter().find(|texts| texts.column == name)
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
        csv.write_record(&labels.columns)?;
        let mut output = csv.into_inner().map_err(csv::IntoInnerError::into_error)?;
        let mut field = String::new();
        let mut lines = String::new();
        let columns: Vec<_> = labels.metrics.iter().map(|metric| (metric, labels.texts(&metric.name))).collect();
        let has_energy = labels.metrics.iter().any(|metric| metric.name == ENERGY.name);
        let mut fronts = if has_energy { pareto::fronts(summaries) } else { Vec::new() }.into_iter();
        for summary in summaries {
            push_text(&mut lines, &labels.name);
            for setting in labels.settings[summary.point].iter() {
                lines.push(',');
                push_text(&mut lines, setting);
            }
            lines.push(',');
            push_text(&mut lines, &summary.algorithm);
            lines.push(',');
            lines.push_str(itoa::Buffer::new().format(summary.repetitions));
            let mut before: Option<SingleValue> = None;
            for ((metric, texts), statistics) in columns.iter().zip(&summary.statistics) {
                if let Some(texts) = texts {
                    lines.push(',');
                    push_text(&mut lines, &texts.of_points[summary.point]);
                } else if let Some(same) = before.as_ref().filter(|before| before.equals(statistics, metric.digits())) {
                    lines.extend_from_within(same.place.clone());
                } else {
                    let start = lines.len();
                    push_statistics(&mut lines, &mut field, statistics.into(), metric.digits());
                    before = SingleValue::new(statistics, metric.digits(), start..lines.len());
                }
            }
            if let Some(front) = fronts.next() {
                lines.push_str(front.map_or(",", |is_on_front| if is_on_front { ",1" } else { ",0" }));
            }
            lines.push('\n');
            if lines.len() > LINES {
                output.write_all(lines.as_bytes())?;
                lines.clear();
            }
        }
        output.write_all(lines.as_bytes())?;
        Ok(output)
    }
}

/// Bytes of lines that are written at a time.
const LINES: usize = 1 << 16;

/// The statistics of a single value, and where they stand in the lines: the next metric mostly has the same, such as that
/// nothing was blocked.
struct SingleValue {
    bits: u64,
    digits: Digits,
    place: Range<usize>,
}

impl SingleValue {
    /// What stands at `place`, if it is a single value.
    fn new(statistics: &Kept, digits: Digits, place: Range<usize>) -> Option<Self> {
        let Kept::Value(value) = statistics else { return None };
        Some(Self { bits: value.to_bits(), digits, place })
    }

    fn equals(&self, statistics: &Kept, digits: Digits) -> bool {
        matches!(statistics, Kept::Value(value) if value.to_bits() == self.bits) && digits == self.digits
    }
}

/// Adds the values of `statistics` to `line`, each behind a comma, and nothing but that for what there is none of; `field`
/// is for a comma and digits.
fn push_statistics(line: &mut String, field: &mut String, statistics: Option<Statistics>, digits: Digits) {
    let values = statistics.map_or([None; STATISTICS.len()], |statistics| statistics.in_order());
    // a single repetition has one value, which is put into digits once
    let mut last = f64::NAN;
    for value in values {
        let Some(value) = value else {
            line.push(',');
            continue;
        };
        if value.to_bits() != last.to_bits() {
            last = value;
            field.clear();
            field.push(',');
            push_digits(field, value, digits);
        }
        line.push_str(field);
    }
}

/// The digits that a value which is not whole is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    /// Three decimals, unless they are zero.
    Thousandths,
    /// Six decimals at most.
    Millionths,
    /// Six significant digits at most.
    Significant,
}

/// Adds the digits of `value`, all of a whole number.
fn push_digits(text: &mut String, value: f64, digits: Digits) {
    if let Some(whole) = whole(value) {
        text.push_str(itoa::Buffer::new().format(whole));
        return;
    }
    match digits {
        Digits::Significant => text.push_str(&significant(value)),
        Digits::Millionths => {
            let decimals = format!("{value:.6}");
            let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
            // what is a little below zero is nothing
            text.push_str(if decimals == "-0" { "0" } else { decimals });
        }
        Digits::Thousandths => {
            let decimals = format!("{value:.3}");
            text.push_str(decimals.strip_suffix(".000").unwrap_or(&decimals));
        }
    }
}

/// `value` if it is a whole number, as most are where nothing is random: these are written a hundred times faster than with
/// decimals that are cut off again.
fn whole(value: f64) -> Option<u64> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    let is_whole = value.is_sign_positive() && value < EXACT && value.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 2^53")]
    is_whole.then_some(value as u64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_of_decimals_are_not_written() {
        let written = |value, digits| {
            let mut text = String::new();
            push_digits(&mut text, value, digits);
            text
        };
        let decimals = [2.0, 2.5, 1e-7, -0.0, 1e16].map(|value| written(value, Digits::Thousandths));
        assert_eq!(decimals, ["2", "2.500", "0", "-0", "10000000000000000"]);
        assert_eq!([2.0, 2.5, 1e-6].map(|value| written(value, Digits::Millionths)), ["2", "2.5", "0.000001"]);
        assert_eq!([-1.0, -0.012_345, -2e-7].map(|value| written(value, Digits::Millionths)), ["-1", "-0.012345", "0"]);
    }
}
