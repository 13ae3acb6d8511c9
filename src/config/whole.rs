//! Numbers with a fraction where integers are needed: what they are as integers, in shorter ticks if need be.

use rust_decimal::Decimal;

/// By how much shorter a tick is suggested: whole decimal fractions of one, the largest first.
const PARTS: [i64; 12] = [2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 1000, 10_000];

/// The number that TOML spells so, if it is one with few digits.
pub(super) fn parse(written: &str) -> Option<Decimal> {
    let plain = written.replace('_', "");
    Decimal::from_str_exact(&plain).or_else(|_| Decimal::from_scientific(&plain)).ok()
}

/// `decimal` as an integer, if it is one.
pub(super) fn integer(decimal: Decimal) -> Option<i64> {
    if decimal.is_integer() { i64::try_from(decimal.normalize()).ok() } else { None }
}

/// In which shorter ticks `decimal` ticks are an integer, where a tick is as long as `tick` says, such as `10ns`.
pub(super) fn shorter_tick(decimal: Decimal, tick: Option<&str>) -> Option<String> {
    let part = PARTS.into_iter().find(|&part| (decimal * Decimal::from(part)).is_integer())?;
    let value = (decimal * Decimal::from(part)).normalize();
    let shorter =
        tick.and_then(|tick| divided(tick, part)).map_or_else(String::new, |tick| format!(" (tick = \"{tick}\")"));
    Some(format!(
        "times are whole numbers of ticks; with ticks {part} times as short{shorter}, this time is {value} and all others are {part} times as large"
    ))
}

/// A `part`-th of `tick`, in a smaller unit if it would be less than one of its own.
fn divided(tick: &str, part: i64) -> Option<String> {
    const SMALLER: [(&str, &str); 5] = [("ps", ""), ("ns", "ps"), ("us", "ns"), ("ms", "us"), ("s", "ms")];
    let (number, unit) = tick.split_at(tick.find(|c: char| c.is_ascii_alphabetic())?);
    let (_, smaller) = SMALLER.into_iter().find(|(known, _)| *known == unit)?;
    let divided = (Decimal::from_str_exact(number.trim()).ok()? / Decimal::from(part)).normalize();
    if divided >= Decimal::ONE || smaller.is_empty() {
        return Some(format!("{divided}{unit}"));
    }
    Some(format!("{}{smaller}", (divided * Decimal::from(1000)).normalize()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_whole_in_shorter_ticks() {
        let told = |written: &str, tick| shorter_tick(parse(written).unwrap(), tick);
        let words = |part: i64, tick: &str, value: i64| {
            let tick = if tick.is_empty() { String::new() } else { format!(" (tick = \"{tick}\")") };
            Some(format!(
                "times are whole numbers of ticks; with ticks {part} times as short{tick}, this time is {value} and all others are {part} times as large"
            ))
        };
        assert_eq!(told("0.25", Some("10ns")), words(4, "2.5ns", 1));
        assert_eq!(told("0.06", Some("1ns")), words(50, "20ps", 3));
        assert_eq!(told("1.5", Some("1 us")), words(2, "500ns", 3));
        assert_eq!(told("1.5", None), words(2, "", 3));
        assert_eq!(told("0.333333333", None), None);
        assert_eq!(integer(parse("1e3").unwrap()), Some(1000));
        assert_eq!(integer(parse("4.0").unwrap()), Some(4));
        assert_eq!(integer(parse("4.5").unwrap()), None);
        assert_eq!(parse("nan"), None);
    }
}
