//! Whether chance can explain a difference: Student's t on pairs, Welch's t on independent samples, and Holm's correction.
//!
//! The sources are Student (Biometrika 6, 1908), Welch (Biometrika 34, 1947) with Satterthwaite's degrees of freedom (Biometrics
//! Bulletin 2, 1946), and Holm (Scandinavian Journal of Statistics 6, 1979). Both tests are two-sided.

use super::rows::Draw;
use crate::statistics::{t_quantile, two_sided};

/// How two samples were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Student's t on the differences, repetition by repetition: both have the same seeds and repetitions.
    Paired,
    /// Welch's t on independent samples.
    Welch,
    /// A side has fewer than two values.
    None,
    /// The differences are all equal, or neither side varies: nothing is left to chance.
    Exact,
}

impl Test {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paired => "paired",
            Self::Welch => "welch",
            Self::None => "none",
            Self::Exact => "exact",
        }
    }
}

/// What comes of comparing two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    /// How they were compared.
    pub test: Test,
    /// The mean of the one; none without values.
    pub a: Option<f64>,
    /// The mean of the other.
    pub b: Option<f64>,
    /// By how much the other's mean is larger.
    pub difference: Option<f64>,
    /// How many times the one's mean it is; none of nothing, and of what is below zero.
    pub ratio: Option<f64>,
    /// Half the width of the difference's 95 % confidence interval.
    pub confidence: Option<f64>,
    /// How likely chance alone makes a difference as large.
    pub p: Option<f64>,
    /// The same by Holm over all lines that have one.
    pub p_holm: Option<f64>,
}

impl Tested {
    /// Compares samples that were drawn by repetition.
    pub(super) fn new(a: &[Draw<'_>], b: &[Draw<'_>]) -> Self {
        let means = [a, b].map(|side| Sample::new(side.iter().map(|draw| draw.millionths)).map(|sample| sample.mean));
        let difference = means[0].zip(means[1]).map(|(a, b)| b - a);
        let ratio = means[0].zip(means[1]).filter(|&(a, b)| a > 0.0 && b >= 0.0).map(|(a, b)| b / a);
        let ratio = ratio.filter(|ratio| ratio.is_finite());
        let untested = Self {
            test: Test::None,
            a: means[0],
            b: means[1],
            difference,
            ratio,
            confidence: None,
            p: None,
            p_holm: None,
        };
        if a.len() < 2 || b.len() < 2 {
            return untested;
        }
        let judged = pairs(a, b).map_or_else(|| welch(a, b), |differences| paired(&differences));
        judged.map_or(untested, |judged| judged.told(untested))
    }
}

/// A difference with its standard error, and what that tells.
struct Judged {
    test: Test,
    difference: f64,
    /// The standard error, and its degrees of freedom; none where nothing varies.
    error: Option<[f64; 2]>,
}

impl Judged {
    fn told(self, untested: Tested) -> Tested {
        let Self { test, difference, error } = self;
        match error {
            None => Tested { test: Test::Exact, difference: Some(difference), confidence: Some(0.0), ..untested },
            Some([error, degrees]) => {
                let confidence = Some(t_quantile(degrees) * error);
                let p = Some(two_sided(difference / error, degrees));
                Tested { test, difference: Some(difference), confidence, p, ..untested }
            }
        }
    }
}

fn sorted<'a>(side: &[Draw<'a>]) -> Vec<Draw<'a>> {
    let mut side = side.to_vec();
    side.sort();
    side
}

/// The differences `b - a` in millionths, repetition by repetition; none unless both have the same.
fn pairs(a: &[Draw<'_>], b: &[Draw<'_>]) -> Option<Vec<i128>> {
    let a = sorted(a);
    let b = sorted(b);
    let same = |a: &Draw<'_>, b: &Draw<'_>| a.seed == b.seed && a.repetition == b.repetition;
    let is_paired = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(a, b));
    is_paired.then(|| a.iter().zip(&b).map(|(a, b)| b.millionths - a.millionths).collect())
}

fn paired(differences: &[i128]) -> Option<Judged> {
    let sample = Sample::new(differences.iter().copied())?;
    let error = (!sample.constant).then(|| [sample.error_squared.sqrt(), sample.count - 1.0]);
    Some(Judged { test: Test::Paired, difference: sample.mean, error })
}

fn welch(a: &[Draw<'_>], b: &[Draw<'_>]) -> Option<Judged> {
    let [a, b] = [a, b].map(|side| Sample::new(side.iter().map(|draw| draw.millionths)));
    let [a, b] = [a?, b?];
    let sum = a.error_squared + b.error_squared;
    let part = |sample: &Sample| sample.error_squared * sample.error_squared / (sample.count - 1.0);
    let error = (!(a.constant && b.constant)).then(|| [sum.sqrt(), sum * sum / (part(&a) + part(&b))]);
    Some(Judged { test: Test::Welch, difference: b.mean - a.mean, error })
}

/// What tests need of a sample.
struct Sample {
    count: f64,
    mean: f64,
    /// The square of the mean's standard error.
    error_squared: f64,
    /// Whether all values are the same.
    constant: bool,
}

impl Sample {
    /// Of values in millionths; none without any.
    #[expect(clippy::cast_precision_loss, reason = "what files say is below 2^53 millionths, or rounded once")]
    fn new(values: impl Iterator<Item = i128>) -> Option<Self> {
        let values: Vec<i128> = values.collect();
        let first = *values.first()?;
        let count = values.len() as f64;
        // sums of whole numbers are exact
        let mean = values.iter().sum::<i128>() as f64 / 1e6 / count;
        let squares: f64 = values.iter().map(|&value| value as f64 / 1e6 - mean).map(|off| off * off).sum();
        let constant = values.iter().all(|&value| value == first);
        Some(Self { count, mean, error_squared: squares / (count - 1.0) / count, constant })
    }
}

/// `ps` by Holm: in ascending order each times how many are not smaller, no smaller than the one before, and at most 1.
pub(super) fn holm(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|&a, &b| ps[a].total_cmp(&ps[b]));
    let mut corrected = vec![0.0; ps.len()];
    let mut least = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "lines of a table")]
        let rest = (ps.len() - rank) as f64;
        least = least.max((rest * ps[at]).min(1.0));
        corrected[at] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(values: &[i128], seed: &'static str) -> Vec<Draw<'static>> {
        const NAMES: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let draw =
            |(&value, repetition): (&i128, &&'static str)| Draw { seed, repetition, millionths: value * 1_000_000 };
        values.iter().zip(&NAMES).map(draw).collect()
    }

    /// Student's data on the sleep of ten patients: t = -4.0621 with 9 degrees, p = 0.002833 paired; by Welch t = -1.8608 with
    /// 17.776 degrees, p = 0.07939.
    #[test]
    fn known_samples_have_known_p() {
        let first = [7, -16, -2, -12, -1, 34, 37, 8, 0, 20].map(|hours| hours + 100);
        let second = [19, 8, 11, 1, -1, 44, 55, 16, 46, 34].map(|hours| hours + 100);
        let told = |other: &str| {
            let seed = if other == "paired" { "1" } else { "2" };
            let tested = Tested::new(&draws(&first, "1"), &draws(&second, seed));
            let digits = |number: Option<f64>| number.map_or_else(String::new, |number| format!("{number:.6}"));
            [tested.test.name().to_owned(), digits(tested.difference), digits(tested.p), digits(tested.confidence)]
        };
        assert_eq!(told("paired"), ["paired", "15.800000", "0.002833", "8.798858"]);
        assert_eq!(told("welch"), ["welch", "15.800000", "0.079394", "17.854832"]);
    }

    #[test]
    fn without_chance_there_is_no_p() {
        let told = |a: &[i128], b: &[i128], seed: &'static str| {
            let tested = Tested::new(&draws(a, "1"), &draws(b, seed));
            (tested.test, tested.difference, tested.confidence, tested.p)
        };
        assert_eq!(told(&[3, 9], &[3, 9], "1"), (Test::Exact, Some(0.0), Some(0.0), None));
        assert_eq!(told(&[3, 9], &[5, 11], "1"), (Test::Exact, Some(2.0), Some(0.0), None));
        assert_eq!(told(&[3, 3], &[5, 5], "2"), (Test::Exact, Some(2.0), Some(0.0), None));
        assert_eq!(told(&[3], &[5, 5], "1"), (Test::None, Some(2.0), None, None));
        assert_eq!(told(&[3, 4], &[], "1"), (Test::None, None, None, None));
        assert_eq!(told(&[3, 4], &[5, 5, 6], "1").0, Test::Welch);
    }

    #[test]
    fn what_is_below_zero_has_a_difference_and_no_ratio() {
        let told = |a: &[i128], b: &[i128]| {
            let tested = Tested::new(&draws(a, "1"), &draws(b, "2"));
            (tested.difference, tested.ratio)
        };
        assert_eq!(told(&[-2, -4], &[3, 3]), (Some(6.0), None));
        assert_eq!(told(&[-4], &[-8]), (Some(-4.0), None));
        assert_eq!(told(&[4], &[-8]), (Some(-12.0), None));
        assert_eq!(told(&[4], &[0]), (Some(-4.0), Some(0.0)));
        assert_eq!(told(&[0], &[4]), (Some(4.0), None));
    }

    #[test]
    fn holm_corrects_the_smallest_most() {
        let corrected: Vec<String> = holm(&[0.01, 0.04, 0.03, 0.005]).iter().map(|p| format!("{p:.4}")).collect();
        assert_eq!(corrected, ["0.0300", "0.0600", "0.0600", "0.0200"]);
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
    }
}
