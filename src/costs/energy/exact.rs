//! Exact decimal numbers, and their products rounded to integers.
//!
//! Energies of a run are sums of integers. A decimal text becomes an integer by one rounding, and no step before it
//! uses floating-point numbers.

/// A decimal number that is not negative.
///
/// ```
/// use flitwise::costs::energy::ExactDecimal;
///
/// // 40.4, 404 tenths
/// let number = ExactDecimal::new(404, 1);
/// assert_eq!(number.rounded(), Some(40));
/// assert_eq!(number.rounded_product(&[5, 25], 0), Some(5050));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactDecimal {
    /// The significant digits, without zeros at the end.
    digits: u128,
    /// The power of ten that the digits are multiplied by, or 0 for the number 0.
    exponent: i32,
}

impl ExactDecimal {
    /// The number 0.
    pub const ZERO: Self = Self { digits: 0, exponent: 0 };

    /// Creates the number `digits` / 10^`scale`.
    pub const fn new(digits: u128, scale: u32) -> Self {
        Self::with_exponent(digits, -(scale.cast_signed()))
    }

    /// Creates the number `digits` × 10^`exponent`.
    pub(super) const fn with_exponent(mut digits: u128, mut exponent: i32) -> Self {
        if digits == 0 {
            return Self::ZERO;
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent }
    }

    /// True for the number 0.
    pub const fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// The significant digits, without zeros at the end.
    pub(super) const fn digits(self) -> u128 {
        self.digits
    }

    /// The power of ten that the significant digits are multiplied by.
    pub(super) const fn exponent(self) -> i32 {
        self.exponent
    }

    /// Returns the nearest integer, with halves rounded up, or `None` if it exceeds 128 bits.
    pub fn rounded(self) -> Option<u128> {
        self.rounded_product(&[], 0)
    }

    /// Returns the product of this number, the integers `factors` and 10^`exponent` as the nearest integer, with halves
    /// rounded up once, or `None` if it exceeds 128 bits.
    pub fn rounded_product(self, factors: &[u128], exponent: i32) -> Option<u128> {
        let digits = factors.iter().fold(decimal_digits(self.digits), |product, factor| multiply(&product, *factor));
        round_digits(&digits, self.exponent.saturating_add(exponent))
    }
}

/// Returns the decimal digits of `number`, the least significant first.
fn decimal_digits(mut number: u128) -> Vec<u8> {
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(digit(number));
        number /= 10;
    }
    digits
}

/// The last digit of `number`.
fn digit(number: impl Into<u128>) -> u8 {
    (number.into() % 10) as u8
}

/// Returns the decimal digits of `digits` × `factor`, the least significant first, of any length.
fn multiply(digits: &[u8], factor: u128) -> Vec<u8> {
    let factor = decimal_digits(factor);
    // at most 39 products of digits meet in a column, so that sums fit
    let mut columns = vec![0_u32; digits.len() + factor.len()];
    for (i, a) in digits.iter().enumerate() {
        for (j, b) in factor.iter().enumerate() {
            columns[i + j] += u32::from(*a) * u32::from(*b);
        }
    }
    let mut carry = 0;
    let carried = columns.into_iter().map(|column| {
        let sum = column + carry;
        carry = sum / 10;
        digit(sum)
    });
    carried.collect()
}

/// Returns `digits` × 10^`exponent` as the nearest integer, halves rounded up, or `None` if it exceeds 128 bits.
fn round_digits(digits: &[u8], exponent: i32) -> Option<u128> {
    let fraction = usize::try_from(exponent.saturating_neg()).unwrap_or(0);
    let mut integer = 0_u128;
    for digit in digits.iter().skip(fraction).rev() {
        integer = integer.checked_mul(10)?.checked_add(u128::from(*digit))?;
    }
    if fraction > 0 {
        // floor(x + 1/2) depends on the first digit behind the point alone
        let is_up = digits.get(fraction - 1).is_some_and(|digit| *digit >= 5);
        return integer.checked_add(u128::from(is_up));
    }
    match u32::try_from(exponent) {
        Ok(exponent) if integer > 0 => integer.checked_mul(10_u128.checked_pow(exponent)?),
        _ => Some(integer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_up_once() {
        for (digits, scale, expected) in [
            (0, 0, 0),
            (5, 1, 1),
            (49, 2, 0),
            (4_999_999_999, 10, 0),
            (50, 2, 1),
            (15, 1, 2),
            (25, 1, 3),
            (249, 2, 2),
            (5, 2, 0),
            (7, 30, 0),
            (123, 0, 123),
        ] {
            assert_eq!(ExactDecimal::new(digits, scale).rounded(), Some(expected), "{digits} / 10^{scale}");
        }
    }

    #[test]
    fn large_products_are_exact() {
        let third = ExactDecimal::new(333_333_333_333_333_333_333_333_333_333, 30);
        let large = 3_000_000_000_000_000_000_000_000_000_000;
        // (1 - 10^-30) / 3 × 9 × 10^60 × 10^-22
        let expected = 299_999_999_999_999_999_999_999_999_999_700_000_000;
        assert_eq!(third.rounded_product(&[large, large], -22), Some(expected));
        assert_eq!(third.rounded_product(&[large, 0], -32), Some(0));
        // one digit below a half, sixty digits behind the point
        let below = ExactDecimal::new(u128::from(u64::MAX), 0);
        assert_eq!(below.rounded_product(&[u128::from(u64::MAX)], -39), Some(0));
        assert_eq!(below.rounded_product(&[u128::from(u64::MAX), 2], -39), Some(1));
    }

    #[test]
    fn products_agree_with_integers_where_those_suffice() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u128::from(state >> 24)
        };
        for _ in 0..200 {
            let [a, b, c] = [next(), next(), next() % 1000];
            let scale = u32::try_from(c % 24).unwrap_or(0) + 1;
            let power = 10_u128.pow(scale);
            let expected = (a * b * c + power / 2) / power;
            assert_eq!(ExactDecimal::new(a, scale).rounded_product(&[b, c], 0), Some(expected), "{a} {b} {c} {scale}");
        }
    }

    #[test]
    fn products_that_do_not_fit_are_none() {
        let largest = ExactDecimal::new(u128::MAX, 0);
        assert_eq!(largest.rounded(), Some(u128::MAX));
        assert_eq!(largest.rounded_product(&[2], 0), None);
        assert_eq!(ExactDecimal::with_exponent(1, 39).rounded(), None);
        assert_eq!(ExactDecimal::with_exponent(1, 38).rounded(), Some(10_u128.pow(38)));
        assert_eq!(ExactDecimal::with_exponent(0, i32::MAX), ExactDecimal::ZERO);
    }
}
