//! Numbers of comparisons as text: exact to some digits in files, short for people.

use crate::kind::words;

/// `value` to so many significant `digits`, without zeros at the end; as a power of ten where it is very small.
#[expect(clippy::expect_used, reason = "what the standard library writes has an exponent")]
pub(super) fn significant(value: f64, digits: u16) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // rounded first: 0.99999996 to six digits is 1
    let rounded = format!("{value:.*e}", usize::from(digits) - 1);
    let (mantissa, exponent) = rounded.split_once('e').expect("a number with an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    if exponent < -5 {
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = usize::try_from(i32::from(digits) - 1 - exponent).unwrap_or_default(); // none of a long whole number
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

/// `decimal` without zeros behind its point.
fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

/// `value` for people: thousands separated, with the decimals that tell.
pub(super) fn shown(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    let text = if size >= 100.0 { words::number(size) } else { significant(size, 4) };
    if text == "0" { text } else { format!("{sign}{text}") }
}

/// A ratio for people: with two decimals, or up to four to tell it from 1.
pub(super) fn ratio(ratio: f64) -> String {
    let off = (ratio - 1.0).abs();
    let decimals = match off {
        _ if off == 0.0 || off >= 0.095 => 2,
        _ if off >= 0.0095 => 3,
        _ => 4,
    };
    format!("{ratio:.decimals$}")
}

/// A probability for people.
pub(super) fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_significant_digits() {
        let cases = [
            (0.0, "0"),
            (0.012_345_678, "0.0123457"),
            (1.234_567_8e-9, "1.23457e-9"),
            (0.999_999_96, "1"),
            (-12.5, "-12.5"),
            (139_346.083_333, "139346"),
            (0.000_05, "0.00005"),
        ];
        for (value, expected) in cases {
            assert_eq!(significant(value, 6), expected);
        }
    }

    #[test]
    fn people_see_what_tells() {
        assert_eq!([1_234_567.8, -146.083, 0.049_075, -0.0].map(shown), ["1,234,568", "-146.1", "0.04908", "0"]);
        assert_eq!([1.0, 1.5, 0.981, 1.0004, 0.999_999].map(ratio), ["1.00", "1.50", "0.981", "1.0004", "1.0000"]);
        assert_eq!([0.5, 0.000_012].map(probability), ["0.5000", "< 0.0001"]);
    }
}
