//! Factors by which something takes longer.

use serde::{Serialize, Serializer};
use std::fmt;

/// A decimal factor of at least 1. Products with whole numbers are exact and rounded up.
///
/// ```
/// use flitwise::costs::Factor;
/// // 1.1 is not a binary fraction, and 10 times 1.1 is 11 all the same
/// assert_eq!(Factor::new(1.1).times(10), 11);
/// assert_eq!(Factor::new(2.5).times(3), 8);
/// assert_eq!(Factor::default().times(7), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Factor {
    numerator: u128,
    /// A power of ten.
    denominator: u128,
}

/// The most decimals of a factor: the shortest decimal numbers that stand for one of 64 bits have no more if they are at least 1.
const MOST_DECIMALS: usize = 16;

impl Factor {
    /// The factor with the shortest decimal notation that stands for `value`. Smaller and infinite values give 1.
    pub fn new(value: f64) -> Self {
        let text = format!("{value}");
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let decimals = &decimals[..decimals.len().min(MOST_DECIMALS)];
        let denominator = (0..decimals.len()).fold(1, |power: u128, _| power * 10);
        match format!("{whole}{decimals}").parse() {
            Ok(numerator) if numerator >= denominator => Self { numerator, denominator },
            _ => Self::default(),
        }
    }

    /// `ticks` times the factor, rounded up.
    pub fn times(self, ticks: u64) -> u64 {
        // the whole part apart, so that no product exceeds 128 bits
        let ticks = u128::from(ticks);
        let [whole, rest] = [self.numerator / self.denominator, self.numerator % self.denominator];
        let product = ticks.saturating_mul(whole).saturating_add((ticks * rest).div_ceil(self.denominator));
        u64::try_from(product).unwrap_or(u64::MAX)
    }
}

impl Default for Factor {
    fn default() -> Self {
        Self { numerator: 1, denominator: 1 }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [whole, rest] = [self.numerator / self.denominator, self.numerator % self.denominator];
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let digits = self.denominator.ilog10() as usize;
        write!(f, "{whole}.{}", format!("{rest:0digits$}").trim_end_matches('0'))
    }
}

impl Serialize for Factor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_up_to_the_longest_times() {
        assert_eq!(Factor::new(1e6).times(1 << 40), 1_000_000 << 40);
        assert_eq!(Factor::new(1.000_000_1).times(1 << 60), (1 << 60) + (1_u64 << 60).div_ceil(10_000_000));
        assert_eq!(Factor::new(999_999.9).times(u64::MAX), u64::MAX, "beyond 64 bits it saturates");
    }

    #[test]
    fn factors_are_written_as_decimals() {
        for (value, text) in [(1.0, "1"), (2.5, "2.5"), (1.05, "1.05"), (1e6, "1000000"), (0.5, "1")] {
            assert_eq!(Factor::new(value).to_string(), text);
        }
    }
}
