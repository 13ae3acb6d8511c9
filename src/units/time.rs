//! Units of time, and times as people read them.

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeUnit {
    /// The symbol, such as `µs`.
    pub(crate) symbol: &'static str,
    /// The length in nanoseconds.
    pub(crate) nanoseconds: f64,
}

/// Part of a unit from which four significant digits are rounded up to a whole one.
const ALMOST_ONE: f64 = 0.99995;

impl TimeUnit {
    /// All units, the longest first.
    const ALL: [Self; 5] =
        [Self::new("s", 1e9), Self::new("ms", 1e6), Self::new("µs", 1e3), Self::NANOSECOND, Self::PICOSECOND];
    const NANOSECOND: Self = Self::new("ns", 1.0);
    const PICOSECOND: Self = Self::new("ps", 1e-3);

    const fn new(symbol: &'static str, nanoseconds: f64) -> Self {
        Self { symbol, nanoseconds }
    }

    /// The longest unit of which a time of `nanoseconds`, with four digits, is one at least, or a picosecond.
    pub(crate) fn fitting(nanoseconds: f64) -> Self {
        let fits = |unit: &Self| nanoseconds >= ALMOST_ONE * unit.nanoseconds;
        Self::ALL.into_iter().find(fits).unwrap_or(Self::PICOSECOND)
    }
}

/// A time, which is not negative, with four significant digits and a unit: `119.3 µs`.
pub(crate) fn time_text(nanoseconds: f64) -> String {
    let (digits, unit) = four_digits(nanoseconds);
    format!("{} {unit}", without_zeros(&digits))
}

/// A time with zeros at the end, so that times below each other have as many digits: `1.500 µs`. Zero has no unit.
#[cfg(feature = "config")]
pub(crate) fn aligned_time_text(nanoseconds: f64) -> String {
    if nanoseconds <= 0.0 {
        return "0".to_owned();
    }
    let (digits, unit) = four_digits(nanoseconds);
    format!("{digits} {unit}")
}

/// The digits of a time, and its unit.
fn four_digits(nanoseconds: f64) -> (String, &'static str) {
    let unit = if nanoseconds > 0.0 { TimeUnit::fitting(nanoseconds) } else { TimeUnit::NANOSECOND };
    let value = nanoseconds / unit.nanoseconds;
    let decimals = [9.9995, 99.995, 999.95].into_iter().filter(|power| value < *power).count();
    (format!("{value:.decimals$}"), unit.symbol)
}

/// `digits` without the zeros at the end of their decimals.
pub(crate) fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::time_text;

    #[test]
    fn times_have_four_digits_and_the_unit_that_suits_them() {
        let cases = [
            (0.0, "0 ns"),
            (0.000_02, "0.02 ps"),
            (0.5, "500 ps"),
            (999.94, "999.9 ns"),
            (999.96, "1 µs"),
            (119_347.0, "119.3 µs"),
            (9_999_600.0, "10 ms"),
            (1.5e12, "1500 s"),
        ];
        for (nanoseconds, expected) in cases {
            assert_eq!(time_text(nanoseconds), expected);
        }
    }
}
