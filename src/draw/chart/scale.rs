//! The kinds of x axes, and the choice between linear and logarithmic ones.

/// The kind of x axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XAxis {
    /// Numbers.
    Numbers {
        /// True if the axis is logarithmic.
        log: bool,
    },
    /// Categories, from left to right; x is the index of one. Points of several curves in one category are drawn side by side.
    Names(Vec<String>),
}

impl Default for XAxis {
    fn default() -> Self {
        Self::Numbers { log: false }
    }
}

/// True if an axis of `numbers`, ascending and distinct, is better logarithmic. It is if there are at least three
/// values, all positive, and the largest gap between neighbours is at least 8 times the smallest.
pub(in crate::draw) fn is_log_across(numbers: &[f64]) -> bool {
    let gaps = || numbers.windows(2).map(|pair| pair[1] - pair[0]);
    let least = gaps().fold(f64::INFINITY, f64::min);
    numbers.len() >= 3 && numbers[0] > 0.0 && gaps().fold(0.0, f64::max) >= 8.0 * least
}

/// True if there are at least three `numbers` and all are powers of two, as sizes of messages often are: their axis is better
/// logarithmic.
pub(in crate::draw) fn are_powers_of_two(numbers: &[f64]) -> bool {
    numbers.len() >= 3 && numbers.iter().all(|number| exact_integer(*number).is_some_and(u64::is_power_of_two))
}

/// `number` as an integer, if it is one that floating point counts exactly.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
pub(super) fn exact_integer(number: f64) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let nearest = number.round();
    ((0.0..EXACT).contains(&nearest) && (number - nearest).abs() < 1e-9).then_some(nearest as u64)
}

/// True if the axis of `values` is better logarithmic: all are positive, and the largest is at least 100 times the smallest.
pub(in crate::draw) fn is_log_up(values: impl Iterator<Item = f64>) -> bool {
    let values: Vec<f64> = values.collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    least > 0.0 && values.iter().copied().fold(0.0, f64::max) >= 100.0 * least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_decide_about_logarithms_across() {
        let cases: [(&[f64], bool); 6] = [
            (&[1.0, 2.0, 10.0], true),
            (&[1.0, 2.0, 9.9], false),
            (&[0.0, 1.0, 10.0], false),
            (&[1.0, 1000.0], false),
            (&[-1.0, 1.0, 100.0], false),
            (&[16.0, 64.0, 256.0, 1024.0, 4096.0], true),
        ];
        for (numbers, expected) in cases {
            assert_eq!(is_log_across(numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn sizes_that_double_are_better_logarithmic() {
        assert!(are_powers_of_two(&[1024.0, 2048.0, 4096.0]));
        assert!(!are_powers_of_two(&[1024.0, 2048.0]) && !are_powers_of_two(&[1024.0, 2048.0, 3072.0]));
    }

    #[test]
    fn a_ratio_of_a_hundred_decides_about_logarithms_up() {
        for (values, expected) in
            [([1.0, 100.0], true), ([1.0, 99.9], false), ([0.0, 100.0], false), ([-1.0, 500.0], false)]
        {
            assert_eq!(is_log_up(values.into_iter()), expected, "{values:?}");
        }
    }
}
