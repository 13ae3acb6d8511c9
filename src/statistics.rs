//! Mean and spread of a sample, with Student's confidence interval of the mean.
//!
//! Knows numbers; refuses to know what they measure.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean and spread of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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

/// The statistics that files tell, in the order of their columns.
pub const STATISTICS: [&str; 8] = ["mean", "sd", "ci95", "min", "median", "max", "p05", "p95"];

/// The 97.5 % quantiles of Student's t, each looked up once: the last one is remembered, for samples mostly have one size.
#[derive(Clone, Debug, Default)]
pub struct Quantiles {
    last: Option<(usize, f64)>,
}

impl Quantiles {
    /// The quantile for samples of `n > 1` values.
    #[expect(clippy::cast_precision_loss, reason = "repetitions are few")]
    fn of_size(&mut self, n: usize) -> f64 {
        match self.last {
            Some((size, quantile)) if size == n => quantile,
            _ => self.last.insert((n, t_quantile(n as f64 - 1.0))).1,
        }
    }
}

/// The 97.5 % quantile of Student's t with so many `degrees` of freedom, which need not be whole.
pub(crate) fn t_quantile(degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}

/// How likely Student's t with so many `degrees` of freedom is at least as far from 0 as `t`.
pub(crate) fn two_sided(t: f64, degrees: f64) -> f64 {
    // below the middle nothing is taken from 1, so that small probabilities keep their digits
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |student| 2.0 * student.cdf(-t.abs()))
}

impl Statistics {
    /// The statistics of `values`, sorted or not; none without any.
    pub fn from_values(values: &[f64]) -> Option<Self> {
        Self::with_quantiles(values, &mut Quantiles::default())
    }

    /// The same, with quantiles that have been looked up before.
    #[expect(clippy::cast_precision_loss, reason = "repetitions are few")]
    pub fn with_quantiles(values: &[f64], quantiles: &mut Quantiles) -> Option<Self> {
        if let &[value] = values {
            return Some(Self::single(value));
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let minimum = *sorted.first()?;
        let maximum = *sorted.last()?;
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares: f64 = sorted.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (squares / (n as f64 - 1.0)).sqrt();
        let confidence = quantiles.of_size(n) * deviation / (n as f64).sqrt();
        let median = f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]);
        let ranked = |hundredths: usize| sorted[(hundredths * n).div_ceil(100).max(1) - 1];
        Some(Self {
            mean,
            deviation: Some(deviation),
            confidence: Some(confidence),
            minimum,
            median,
            maximum,
            p05: ranked(5),
            p95: ranked(95),
        })
    }

    /// Those of one value.
    pub(crate) fn single(value: f64) -> Self {
        Self {
            mean: value,
            deviation: None,
            confidence: None,
            minimum: value,
            median: value,
            maximum: value,
            p05: value,
            p95: value,
        }
    }

    /// In the order of [`STATISTICS`].
    pub fn in_order(&self) -> [Option<f64>; 8] {
        let Self { mean, deviation, confidence, minimum, median, maximum, p05, p95 } = *self;
        [Some(mean), deviation, confidence, Some(minimum), Some(median), Some(maximum), Some(p05), Some(p95)]
    }

    /// The statistics of values `factor` times as large.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            mean: self.mean * factor,
            deviation: self.deviation.map(|value| value * factor),
            confidence: self.confidence.map(|value| value * factor),
            minimum: self.minimum * factor,
            median: self.median * factor,
            maximum: self.maximum * factor,
            p05: self.p05 * factor,
            p95: self.p95 * factor,
        }
    }
}

/// By how much one sample is larger than another that was taken pair by pair, under the same circumstances each time: with
/// the same placements, graphs or forecasts. What these make of both cancels, so that less is left to chance than between the
/// confidence intervals of two means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean of the differences.
    pub mean: f64,
    /// Half the width of that mean's 95 % confidence interval (Student's t); none for a single pair.
    pub confidence: Option<f64>,
}

impl Difference {
    /// By how much `values` are larger than `others`; none without pairs.
    #[expect(clippy::cast_precision_loss, reason = "repetitions are few")]
    pub fn of_pairs(values: &[f64], others: &[f64], quantiles: &mut Quantiles) -> Option<Self> {
        if values.is_empty() || values.len() != others.len() {
            return None;
        }
        let n = values.len() as f64;
        let differences = || values.iter().zip(others).map(|(value, other)| value - other);
        let mean = differences().sum::<f64>() / n;
        if values.len() == 1 {
            return Some(Self { mean, confidence: None });
        }
        let squares: f64 = differences().map(|difference| (difference - mean) * (difference - mean)).sum();
        let error = (squares / (n - 1.0) / n).sqrt();
        Some(Self { mean, confidence: Some(quantiles.of_size(values.len()) * error) })
    }

    /// Whether no difference can be told from it: its confidence interval has 0 in it, or there is none.
    pub fn is_tie(&self) -> bool {
        self.mean.abs() <= self.confidence.unwrap_or(0.0)
    }

    /// Whether both samples are the same, pair by pair.
    pub fn is_nothing(&self) -> bool {
        self.mean == 0.0 && self.confidence.unwrap_or(0.0) == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The differences are 1, 3 and 2: their standard deviation is 1, and Student's t 4.303 for two degrees of freedom.
    #[test]
    fn pairs_are_compared_one_by_one() {
        let floats = |values: &[u32]| values.iter().copied().map(f64::from).collect::<Vec<f64>>();
        let between = |a: &[u32], b: &[u32]| Difference::of_pairs(&floats(a), &floats(b), &mut Quantiles::default());
        let told = |a: &[u32], b: &[u32]| {
            between(a, b).map(|d| (format!("{:.3} {:.3?}", d.mean, d.confidence), d.is_tie(), d.is_nothing()))
        };
        assert_eq!(told(&[101, 203, 502], &[100, 200, 500]), Some(("2.000 Some(2.484)".to_owned(), true, false)));
        assert_eq!(told(&[100, 200, 500], &[101, 203, 503]), Some(("-2.333 Some(2.868)".to_owned(), true, false)));
        assert_eq!(told(&[105, 205, 505], &[100, 200, 500]), Some(("5.000 Some(0.000)".to_owned(), false, false)));
        assert_eq!(told(&[7, 8], &[7, 8]), Some(("0.000 Some(0.000)".to_owned(), true, true)));
        assert_eq!(told(&[7], &[7]), Some(("0.000 None".to_owned(), true, true)));
        assert_eq!(told(&[8], &[7]), Some(("1.000 None".to_owned(), false, false)));
        assert_eq!(between(&[8], &[]), None);
    }

    #[test]
    fn statistics_of_a_known_sample() {
        let s = Statistics::from_values(&[9.0, 2.0, 4.0, 5.0])
            .map(|s| [s.mean, s.minimum, s.median, s.maximum, s.p05, s.p95]);
        assert_eq!(s, Some([5.0, 2.0, 4.5, 9.0, 2.0, 9.0]));
        let spread = Statistics::from_values(&[9.0, 2.0, 4.0, 5.0]).and_then(|s| Some((s.deviation?, s.confidence?)));
        assert_eq!(spread.map(|(sd, ci)| format!("{sd:.3} {ci:.3}")), Some("2.944 4.684".to_owned()));
    }

    #[test]
    fn a_single_value_has_no_spread() {
        let s = Statistics::from_values(&[7.0]);
        assert_eq!(s.map(|s| (s.mean.to_string(), s.deviation, s.confidence)), Some(("7".to_owned(), None, None)));
        assert_eq!(Statistics::from_values(&[]), None);
    }
}
