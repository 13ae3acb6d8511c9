//! Values with units: times, sizes and bandwidths, as in `1.5us`, `64 KiB` and `400Gb/s`.
//!
//! Quantities are exact decimal numbers. This file is independent of keys.

use super::value::{Node, Value};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

/// A value with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// A time, in picoseconds.
    Time(Decimal),
    /// A number of ticks.
    Ticks(Decimal),
    /// A number of cycles: times for a flit to cross a channel.
    Cycles(Decimal),
    /// A size, in bytes.
    Bytes(Decimal),
    /// A number of flits.
    Flits(Decimal),
    /// A bandwidth, in bytes per second.
    Bandwidth(Decimal),
}

/// The reason why a text is not a value with a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It does not begin with a decimal number.
    NoNumber,
    /// It is a number alone.
    NoUnit,
    /// `K`, `M` or `G` alone, behind this number.
    Ambiguous(Decimal, String),
    /// No unit is called so.
    UnknownUnit(String),
    /// It has more digits than are kept.
    TooManyDigits,
}

/// Units of time, each with its power of ten of picoseconds.
const TIMES: [(&str, u32); 7] = [("ps", 0), ("ns", 3), ("us", 6), ("µs", 6), ("μs", 6), ("ms", 9), ("s", 12)];

/// Prefixes of sizes and bandwidths, each with its factor.
const PREFIXES: [(&str, u64); 10] = [
    ("", 1),
    ("k", 1000),
    ("K", 1000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
];

/// The prefixes with which sizes and bandwidths are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefixes {
    /// Powers of 1000.
    Decimal,
    /// Powers of 1024.
    Binary,
    /// Powers of 1000, of bits.
    Bits,
}

impl Prefixes {
    /// The prefixes of a text that is a value with a unit.
    pub(crate) fn from_text(text: &str) -> Self {
        match text {
            _ if text.contains(['i']) && !text.contains("bit") => Self::Binary,
            _ if text.contains('b') => Self::Bits,
            _ => Self::Decimal,
        }
    }
}

impl Quantity {
    /// Reads a decimal number and a unit, with or without a space between them.
    ///
    /// # Errors
    /// The reason why it is not a value with a unit.
    pub(crate) fn parse(text: &str) -> Result<Self, Unreadable> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && !"._".contains(c)).unwrap_or(text.len());
        let (number, unit) = (text[..end].replace('_', ""), text[end..].trim_start());
        if !number.starts_with(|c: char| c.is_ascii_digit()) || number.ends_with('.') {
            return Err(Unreadable::NoNumber);
        }
        let number = Decimal::from_str_exact(&number).map_err(|_| Unreadable::TooManyDigits)?;
        let times = |factor: u64| number.checked_mul(Decimal::from(factor)).ok_or(Unreadable::TooManyDigits);
        if let Some((_, power)) = TIMES.into_iter().find(|(name, _)| *name == unit) {
            return times(10_u64.pow(power)).map(Self::Time);
        }
        match unit {
            "" => return Err(Unreadable::NoUnit),
            "ticks" | "tick" => return Ok(Self::Ticks(number)),
            "cycles" | "cycle" => return Ok(Self::Cycles(number)),
            "flits" | "flit" => return Ok(Self::Flits(number)),
            "k" | "K" | "M" | "G" | "T" => return Err(Unreadable::Ambiguous(number, unit.to_owned())),
            _ => {}
        }
        let factor = |prefix: &str| PREFIXES.into_iter().find(|(name, _)| *name == prefix).map(|(_, factor)| factor);
        let factor_of = |suffix: &str| unit.strip_suffix(suffix).and_then(factor);
        if let Some(factor) = factor_of("B") {
            return times(factor).map(Self::Bytes);
        }
        if let Some(factor) = factor_of("B/s") {
            return times(factor).map(Self::Bandwidth);
        }
        // bits come in powers of 1000, whose prefixes are single letters
        let of_bits = |suffix: &str| unit.strip_suffix(suffix).filter(|prefix| prefix.len() < 2).and_then(factor);
        let bits = of_bits("b/s").or_else(|| of_bits("bps")).or_else(|| of_bits("bit/s"));
        let factor = bits.ok_or_else(|| Unreadable::UnknownUnit(unit.to_owned()))?;
        times(factor).map(|bits| Self::Bandwidth(bits / Decimal::from(8)))
    }

    /// Returns the kind of quantity with an article, for messages.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Time(_) | Self::Ticks(_) | Self::Cycles(_) => "a time",
            Self::Bytes(_) | Self::Flits(_) => "a size",
            Self::Bandwidth(_) => "a bandwidth",
        }
    }

    /// Returns a quantity of the same unit with another number, and the number of this one.
    pub(super) fn split(self) -> (Decimal, fn(Decimal) -> Self) {
        match self {
            Self::Time(number) => (number, Self::Time),
            Self::Ticks(number) => (number, Self::Ticks),
            Self::Cycles(number) => (number, Self::Cycles),
            Self::Bytes(number) => (number, Self::Bytes),
            Self::Flits(number) => (number, Self::Flits),
            Self::Bandwidth(number) => (number, Self::Bandwidth),
        }
    }

    /// Writes it with the largest unit of which it is a whole number, or as a fraction of the smallest unit. Sizes and
    /// bandwidths have `prefixes`.
    pub(crate) fn text(self, prefixes: Prefixes) -> String {
        let is_binary = prefixes == Prefixes::Binary;
        match self {
            Self::Time(number) => {
                let units = TIMES.into_iter().filter(|(name, _)| name.is_ascii());
                in_largest(number, units.map(|(name, power)| (name, 10_u64.pow(power))))
            }
            Self::Ticks(number) => format!("{} ticks", number.normalize()),
            Self::Cycles(number) => format!("{} cycles", number.normalize()),
            Self::Flits(number) => format!("{} flits", number.normalize()),
            Self::Bytes(number) => in_largest(number, prefixes_of(is_binary)) + "B",
            Self::Bandwidth(number) if prefixes == Prefixes::Bits => {
                in_largest(number * Decimal::from(8), prefixes_of(false)) + "b/s"
            }
            Self::Bandwidth(number) => in_largest(number, prefixes_of(is_binary)) + "B/s",
        }
    }
}

/// The prefixes that texts are written with, powers of 1024 if `binary`.
fn prefixes_of(binary: bool) -> impl Iterator<Item = (&'static str, u64)> {
    PREFIXES.into_iter().filter(move |(name, _)| *name != "K" && (name.is_empty() || name.ends_with('i') == binary))
}

/// `number` in the largest of `units` in which it is whole, or else in the first.
fn in_largest(number: Decimal, units: impl Iterator<Item = (&'static str, u64)>) -> String {
    let in_unit = |(unit, factor): (&'static str, u64)| (unit, factor, (number / Decimal::from(factor)).normalize());
    let mut units = units.map(in_unit);
    let Some(first) = units.next() else { return number.normalize().to_string() };
    let integers = units.filter(|(_, _, number)| number.is_integer() && !number.is_zero());
    let (unit, _, number) =
        std::iter::once(first).chain(integers).max_by_key(|(_, factor, _)| *factor).unwrap_or(first);
    format!("{number}{unit}")
}

/// A power of ten of picoseconds as the length of a tick, such as `100ps`.
pub(crate) fn power_of_ten(power: i32) -> String {
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if power < 0 {
        return format!("0.{}1ps", zeros(-power - 1));
    }
    let unit = (power / 3).min(4);
    const UNITS: [&str; 5] = ["ps", "ns", "us", "ms", "s"];
    let name = UNITS.get(usize::try_from(unit).unwrap_or(0)).copied().unwrap_or("s");
    format!("1{}{name}", zeros(power - 3 * unit))
}

/// Returns the largest power of ten of which `number` is a multiple, or `None` for 0.
pub(crate) fn largest_power(number: Decimal) -> Option<i32> {
    let number = number.normalize();
    if number.is_zero() {
        return None;
    }
    let mut power = -i32::try_from(number.scale()).unwrap_or(0);
    let mut mantissa = number.mantissa();
    while mantissa % 10 == 0 {
        mantissa /= 10;
        power += 1;
    }
    Some(power)
}

/// The lengths of a tick and of a flit, with which quantities become integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scale {
    /// Picoseconds in a tick, if the scenario says so.
    pub(crate) tick: Option<Decimal>,
    /// Bytes in a flit, if the scenario says so.
    pub(crate) flit_bytes: Option<u64>,
    /// Ticks in which a flit crosses a channel: a cycle.
    pub(crate) flit_time: u64,
}

impl Scale {
    /// Returns the bytes of a flit that `node` states, or `None` if it is not a size of at least a byte.
    pub(crate) fn bytes_of(node: &Node) -> Option<u64> {
        let bytes = match &node.value {
            Value::Integer(bytes) => u64::try_from((*bytes)?).ok(),
            Value::String(text) => match Quantity::parse(text) {
                Ok(Quantity::Bytes(bytes)) if bytes.is_integer() => u64::try_from(bytes).ok(),
                _ => None,
            },
            _ => None,
        };
        bytes.filter(|&bytes| bytes > 0)
    }

    /// Returns the ticks in which a flit crosses a channel of `bandwidth` bytes per second, not rounded, or `None` if no tick
    /// or no flit has a length, or the bandwidth is 0.
    pub(crate) fn flit_ticks(&self, bandwidth: Decimal) -> Option<Decimal> {
        let bytes = Decimal::from(self.flit_bytes?);
        let picoseconds = bytes.checked_mul(Decimal::from(1_000_000_000_000_u64))?.checked_div(bandwidth)?;
        picoseconds.checked_div(self.tick?)
    }

    /// Returns the flits for each node and cycle at `bandwidth` bytes per second, or `None` if no tick or no flit has a length.
    pub(crate) fn load(&self, bandwidth: Decimal) -> Option<Decimal> {
        let seconds = self.tick?.checked_mul(Decimal::from(self.flit_time))?;
        let bytes = bandwidth.checked_mul(seconds)?.checked_div(Decimal::from(1_000_000_000_000_u64))?;
        bytes.checked_div(Decimal::from(self.flit_bytes?))
    }

    /// Returns the ticks of a time with a unit in a file that a scenario names, or of a flit at a bandwidth, rounded. A text
    /// without a unit gives `None`.
    ///
    /// # Errors
    /// The reason why it is not a whole number of ticks, with what it needs.
    pub(crate) fn ticks_of_file(scale: Option<Self>, text: &str) -> Result<Option<u64>, String> {
        let scale = scale.unwrap_or_default();
        let quantity = match Quantity::parse(text) {
            Ok(quantity) => quantity,
            Err(Unreadable::UnknownUnit(unit)) => return Err(format!("has the unknown unit `{unit}`")),
            Err(_) => return Ok(None),
        };
        let tick = || {
            scale.tick.ok_or_else(|| "needs the length of a tick, such as tick = \"1ps\" in the scenario".to_owned())
        };
        let ticks = match quantity {
            Quantity::Time(time) => time.checked_div(tick()?),
            Quantity::Ticks(ticks) => Some(ticks),
            Quantity::Bandwidth(bandwidth) => {
                tick()?;
                if scale.flit_bytes.is_none() {
                    return Err("needs `channel.flit_bytes` in the scenario: the bytes of a flit".to_owned());
                }
                scale.flit_ticks(bandwidth).map(|ticks| ticks.round())
            }
            other => return Err(format!("is {}, not a time", other.kind())),
        };
        let integer = ticks.filter(Decimal::is_integer).and_then(|ticks| u64::try_from(ticks).ok());
        integer
            .map(Some)
            .ok_or_else(|| "is not a whole number of ticks: a shorter `tick` in the scenario is needed".to_owned())
    }

    /// Picoseconds in a tick as a floating-point number.
    pub(crate) fn tick_picoseconds(&self) -> Option<f64> {
        self.tick?.to_f64()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::from_str_exact(text).unwrap()
    }

    #[test]
    fn quantities_are_read_as_people_write_them() {
        for (text, expected) in [
            ("500ns", Quantity::Time(decimal("500000"))),
            ("1.5 us", Quantity::Time(decimal("1500000"))),
            ("1.5µs", Quantity::Time(decimal("1500000"))),
            ("0.04ns", Quantity::Time(decimal("40"))),
            ("2s", Quantity::Time(decimal("2000000000000"))),
            ("12 ticks", Quantity::Ticks(decimal("12"))),
            ("3 cycles", Quantity::Cycles(decimal("3"))),
            ("64KiB", Quantity::Bytes(decimal("65536"))),
            ("64 KB", Quantity::Bytes(decimal("64000"))),
            ("1_000B", Quantity::Bytes(decimal("1000"))),
            ("0.5GiB", Quantity::Bytes(decimal("536870912"))),
            ("100 flits", Quantity::Flits(decimal("100"))),
            ("32GB/s", Quantity::Bandwidth(decimal("32000000000"))),
            ("400Gb/s", Quantity::Bandwidth(decimal("50000000000"))),
            ("400 Gbps", Quantity::Bandwidth(decimal("50000000000"))),
            ("400Gbit/s", Quantity::Bandwidth(decimal("50000000000"))),
        ] {
            assert_eq!(Quantity::parse(text), Ok(expected), "{text}");
        }
        for (text, expected) in [
            ("", Unreadable::NoNumber),
            ("ns", Unreadable::NoNumber),
            ("-1ns", Unreadable::NoNumber),
            ("1.ns", Unreadable::NoNumber),
            ("400", Unreadable::NoUnit),
            ("1K", Unreadable::Ambiguous(Decimal::ONE, "K".to_owned())),
            ("5 parsecs", Unreadable::UnknownUnit("parsecs".to_owned())),
            ("1Kib/s", Unreadable::UnknownUnit("Kib/s".to_owned())),
            ("1.2.3ns", Unreadable::TooManyDigits),
        ] {
            assert_eq!(Quantity::parse(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn quantities_are_written_in_the_largest_whole_unit() {
        for (text, prefixes, expected) in [
            ("4096B", Prefixes::Binary, "4KiB"),
            ("4096B", Prefixes::Decimal, "4096B"),
            ("1500B", Prefixes::Binary, "1500B"),
            ("64000B", Prefixes::Decimal, "64kB"),
            ("1500ns", Prefixes::Binary, "1500ns"),
            ("2000ns", Prefixes::Decimal, "2us"),
            ("0.5ps", Prefixes::Decimal, "0.5ps"),
            ("0ns", Prefixes::Decimal, "0ps"),
            ("50GB/s", Prefixes::Decimal, "50GB/s"),
            ("50GB/s", Prefixes::Bits, "400Gb/s"),
            ("7 flits", Prefixes::Binary, "7 flits"),
        ] {
            assert_eq!(Quantity::parse(text).unwrap().text(prefixes), expected, "{text}");
        }
    }

    #[test]
    fn powers_of_ten_are_lengths_of_ticks() {
        assert_eq!(
            [-2, -1, 0, 2, 3, 5, 12].map(power_of_ten),
            ["0.01ps", "0.1ps", "1ps", "100ps", "1ns", "100ns", "1s"]
        );
        assert_eq!(
            ["0.5", "500", "1500", "0"].map(|text| largest_power(decimal(text))),
            [Some(-1), Some(2), Some(2), None]
        );
    }
}
