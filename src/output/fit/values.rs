//! Times, sizes and bandwidths of a fitted machine as values with units, which scenarios read as the same whole ticks.

use super::TooLong;
use crate::config::{Prefixes, Quantity};
use crate::fit::{Affine, time_text};
use crate::kind::words::significant;
use crate::scenario::Tick;
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;

/// The most ticks of a key.
const MOST_TICKS: u64 = 1 << 40;
/// The most ticks of `channel.flit_time`.
const MOST_FLIT_TICKS: u64 = 1 << 32;
/// Significant digits of a number of ticks.
const DIGITS: u32 = 6;
/// Significant digits of a bandwidth, which must be exact with them.
const BANDWIDTH_DIGITS: u32 = 4;
/// Relative error of a time per byte at which no finer one is looked for.
const GOOD: f64 = 0.001;
/// Relative error that a comment names.
const NAMED: f64 = 0.01;
const PICOSECONDS_IN_SECOND: u64 = 1_000_000_000_000;

/// A value as TOML.
pub(super) struct TomlValue {
    pub(super) text: String,
    /// Text of the comment that follows the value, empty if there is no comment.
    pub(super) note: String,
}

/// A key and its value.
pub(super) struct Assignment {
    pub(super) key: String,
    pub(super) value: TomlValue,
}

/// The lengths of a tick and of a flit, in which times are rounded.
pub(super) struct Values<'a> {
    pub(super) tick: &'a Tick,
    pub(super) flit_bytes: u64,
    /// Length of a tick, or `None` if it has more digits than a decimal number.
    picoseconds: Option<Decimal>,
}

impl<'a> Values<'a> {
    pub(super) fn new(tick: &'a Tick, flit_bytes: u64) -> Self {
        let picoseconds = match Quantity::parse(&tick.text) {
            Ok(Quantity::Time(picoseconds)) => Some(picoseconds),
            _ => Decimal::from_f64(tick.nanoseconds * 1e3),
        };
        Self { tick, flit_bytes, picoseconds: picoseconds.filter(|picoseconds| !picoseconds.is_zero()) }
    }

    /// True if a tick is as long as scenarios with units assume where they do not state it.
    pub(super) fn has_default_tick(&self) -> bool {
        self.picoseconds == Some(Decimal::ONE)
    }

    /// Returns the length of a tick as scenarios read it.
    pub(super) fn tick_text(&self) -> String {
        match (Quantity::parse(&self.tick.text), self.picoseconds) {
            (Err(_), Some(picoseconds)) => time(picoseconds),
            _ => self.tick.text.clone(),
        }
    }

    /// Returns the time of the key `key`, rounded to ticks.
    ///
    /// # Errors
    /// Returns an error if it has more ticks than a scenario accepts.
    pub(super) fn time(&self, key: &str, seconds: f64) -> Result<TomlValue, TooLong> {
        let ticks = self.ticks(key, seconds, MOST_TICKS)?;
        let note = self.rounding(seconds, float(ticks) * self.tick.nanoseconds * 1e-9);
        Ok(TomlValue { text: self.text(ticks, 1), note })
    }

    /// Returns a time per flit, of `per_byte` seconds per byte.
    ///
    /// # Errors
    /// Returns an error if it has more ticks than a scenario accepts.
    pub(super) fn per_flit(&self, key: &str, per_byte: f64) -> Result<TomlValue, TooLong> {
        self.time(key, self.of_flit(per_byte))
    }

    /// Returns a key of `[node]`, `*_per_byte` of `name`, or `*_per_flit` if that is nearer.
    ///
    /// A flit takes whole ticks, so a byte takes a multiple of `tick / d`, where `d` divides `flit_bytes`. The value has finitely
    /// many decimals if `d` has no prime factors but 2 and 5. The smallest such `d` with an error below 0.1 % is taken.
    ///
    /// # Errors
    /// Returns an error if a flit takes more ticks than a scenario accepts.
    pub(super) fn per_byte(&self, name: &str, per_byte: f64) -> Result<Assignment, TooLong> {
        let key = format!("{name}_per_flit");
        let of_flit = self.ticks(&key, self.of_flit(per_byte), MOST_TICKS)?;
        let exact = per_byte * 1e9 / self.tick.nanoseconds;
        let error = |value: f64| if per_byte > 0.0 { (value / exact - 1.0).abs() } else { 0.0 };
        let mut best: Option<(u64, u64, f64)> = None;
        for divisor in divisors(self.flit_bytes).into_iter().filter(|&divisor| self.is_exact(exact, divisor)) {
            let parts = six_digits(rounded(exact * float(divisor)));
            let error_of_parts = error(float(parts) / float(divisor));
            if best.is_none_or(|(_, _, least)| error_of_parts < least) {
                best = Some((parts, divisor, error_of_parts));
            }
            if error_of_parts < GOOD {
                break;
            }
        }
        let off_of_flit = error(float(of_flit) / float(self.flit_bytes));
        match best {
            Some((parts, divisor, off)) if off < GOOD || off <= off_of_flit => {
                let seconds = float(parts) / float(divisor) * self.tick.nanoseconds * 1e-9;
                let note = self.rounding(per_byte, seconds);
                Ok(Assignment {
                    key: format!("{name}_per_byte"),
                    value: TomlValue { text: self.text(parts, divisor), note },
                })
            }
            _ => Ok(Assignment { value: self.per_flit(&key, per_byte)?, key }),
        }
    }

    /// Returns `bandwidth` of a channel, if it is exact in few digits, or else `flit_time`.
    ///
    /// # Errors
    /// Returns an error if a flit takes more ticks than a scenario accepts.
    pub(super) fn channel(&self, per_byte: f64) -> Result<Assignment, TooLong> {
        let exact = self.of_flit(per_byte);
        let ticks = self.ticks("flit_time", exact, MOST_FLIT_TICKS)?.max(1);
        let seconds = float(ticks) * self.tick.nanoseconds * 1e-9;
        let mut notes = Vec::new();
        let (key, text) = if let Some(bandwidth) = self.bandwidth(ticks) {
            ("bandwidth", quoted(&bandwidth))
        } else {
            notes.push(format!("{} GB/s", significant(float(self.flit_bytes) / seconds / 1e9)));
            ("flit_time", self.text(ticks, 1))
        };
        let rounding = match self.rounding(exact, seconds) {
            _ if exact <= 0.0 => "a byte takes no time, but a flit takes at least one tick".to_owned(),
            rounding if rounding.is_empty() || key == "flit_time" => rounding,
            rounding => format!("a flit takes {rounding}"),
        };
        notes.extend(Some(rounding).filter(|note| !note.is_empty()));
        Ok(Assignment { key: key.to_owned(), value: TomlValue { text, note: notes.join("; ") } })
    }

    /// Returns the bandwidth at which a flit takes `ticks` ticks, or `None` if it has many digits.
    fn bandwidth(&self, ticks: u64) -> Option<String> {
        let time = self.picoseconds?.checked_mul(Decimal::from(ticks))?;
        let bytes = Decimal::from(self.flit_bytes).checked_mul(Decimal::from(PICOSECONDS_IN_SECOND))?;
        let bandwidth = bytes.checked_div(time)?;
        let is_exact = bandwidth.checked_mul(time)? == bytes && bandwidth.round_sf(BANDWIDTH_DIGITS)? == bandwidth;
        let units = [("TB/s", 12), ("GB/s", 9), ("MB/s", 6), ("kB/s", 3), ("B/s", 0)];
        is_exact.then(|| in_longest(bandwidth, &units))
    }

    fn of_flit(&self, per_byte: f64) -> f64 {
        Affine { constant: 0.0, per_byte }.at(self.flit_bytes)
    }

    /// Returns `seconds` as a number of ticks with six digits.
    fn ticks(&self, key: &str, seconds: f64, most: u64) -> Result<u64, TooLong> {
        let ticks = rounded(seconds * 1e9 / self.tick.nanoseconds);
        if ticks > most {
            let (key, time, tick) = (key.to_owned(), time_text(seconds), self.tick.text.clone());
            return Err(TooLong { key, time, tick, most });
        }
        Ok(six_digits(ticks).min(most))
    }

    /// Returns the time that was measured and the error of `value`, both in seconds, if that is worth a comment.
    fn rounding(&self, measured: f64, value: f64) -> String {
        let error = value / measured - 1.0;
        if measured <= 0.0 || error.abs() <= NAMED {
            return String::new();
        }
        format!("{}, {} due to rounding; a shorter --tick is more accurate", time_text(measured), super::percent(error))
    }

    /// True if `exact` ticks, rounded to parts of a tick of which there are `divisor`, have a decimal that is exact.
    fn is_exact(&self, exact: f64, divisor: u64) -> bool {
        let parts = Decimal::from(six_digits(rounded(exact * float(divisor))));
        let Some(total) = self.picoseconds.and_then(|picoseconds| picoseconds.checked_mul(parts)) else { return false };
        let divisor = Decimal::from(divisor);
        total.checked_div(divisor).and_then(|value| value.checked_mul(divisor)) == Some(total)
    }

    /// Returns `parts / divisor` ticks as TOML. Zero has no unit.
    fn text(&self, parts: u64, divisor: u64) -> String {
        if parts == 0 {
            return "0".to_owned();
        }
        let parts = Decimal::from(parts);
        let time_of = |picoseconds: Decimal| picoseconds.checked_mul(parts)?.checked_div(Decimal::from(divisor));
        match self.picoseconds.and_then(time_of) {
            Some(picoseconds) => quoted(&time(picoseconds)),
            None => quoted(&format!("{parts} ticks")),
        }
    }
}

/// Returns a size in bytes as TOML, with a binary unit if it is whole in one.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        1.. if bytes.is_multiple_of(1024) => quoted(&Quantity::Bytes(Decimal::from(bytes)).text(Prefixes::Binary)),
        _ => bytes.to_string(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Returns a time in the longest unit of which it is at least one.
fn time(picoseconds: Decimal) -> String {
    in_longest(picoseconds, &[("s", 12), ("ms", 9), ("us", 6), ("ns", 3), ("ps", 0)])
}

/// Returns `number` in the first of `units`, each with its power of ten, of which it is at least one, or in the last.
fn in_longest(number: Decimal, units: &[(&str, u32)]) -> String {
    let mut of_unit = units.iter().map(|(unit, power)| (unit, number / Decimal::from(10_u64.pow(*power))));
    let fitting = of_unit.clone().find(|(_, number)| *number >= Decimal::ONE).or(of_unit.next_back());
    fitting.map_or_else(String::new, |(unit, number)| format!("{}{unit}", number.normalize()))
}

/// Returns the divisors of `number` that have no prime factors but 2 and 5, in ascending order.
fn divisors(number: u64) -> Vec<u64> {
    let powers = |base: u64| std::iter::successors(Some(1_u64), move |power| power.checked_mul(base));
    let of_five = powers(5).take_while(|power| number.is_multiple_of(*power));
    let products = of_five.flat_map(|five| powers(2).filter_map(move |two| five.checked_mul(two)));
    let mut divisors: Vec<u64> = products.filter(|divisor| number.is_multiple_of(*divisor)).collect();
    divisors.sort_unstable();
    divisors
}

/// Returns `number` rounded to six significant digits.
fn six_digits(number: u64) -> u64 {
    let excess = number.checked_ilog10().map_or(0, |power| (power + 1).saturating_sub(DIGITS));
    let step = 10_u64.pow(excess);
    number.saturating_add(step / 2) / step * step
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is never negative")]
fn rounded(ticks: f64) -> u64 {
    ticks.round() as u64
}

#[expect(clippy::cast_precision_loss, reason = "numbers below 2^53 are exact")]
fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn tick(text: &str) -> Tick {
        Tick::parse(text).unwrap()
    }

    #[test]
    fn times_have_six_digits_and_the_unit_that_suits_them() {
        for (length, seconds, expected) in [
            ("1ps", 1.499_476e-6, "\"1.49948us\""),
            ("1ps", 80e-12, "\"80ps\""),
            ("1ps", 999_960e-12, "\"999.96ns\""),
            ("1ns", 1.499_476e-6, "\"1.499us\""),
            ("3ns", 10e-9, "\"9ns\""),
            ("1e2ps", 1e-6, "\"1us\""),
            ("1ps", 0.0, "0"),
        ] {
            let tick = tick(length);
            assert_eq!(Values::new(&tick, 1).time("L", seconds).unwrap().text, expected, "{length}");
        }
        assert_eq!(Values::new(&tick("1e2ps"), 1).tick_text(), "100ps");
        assert!(Values::new(&tick("0.001ns"), 1).has_default_tick());
    }

    #[test]
    fn a_flit_takes_whole_ticks_of_a_time_per_byte() {
        for (length, flit_bytes, per_byte, expected) in [
            ("1ps", 1, 20.01e-12, "send_per_byte = \"20ps\""),
            ("1ps", 64, 20.01e-12, "send_per_byte = \"20ps\""),
            ("1ps", 64, 0.25e-12, "send_per_byte = \"0.25ps\""),
            ("1ns", 64, 80e-12, "send_per_byte = \"78.125ps\""),
            ("1ns", 1000, 80e-12, "send_per_byte = \"80ps\""),
            ("1ns", 48, 80e-12, "send_per_flit = \"4ns\""),
            ("1ps", 1, 0.0, "send_per_byte = 0"),
        ] {
            let Assignment { key, value } = Values::new(&tick(length), flit_bytes).per_byte("send", per_byte).unwrap();
            assert_eq!(format!("{key} = {}", value.text), expected);
        }
    }

    #[test]
    fn a_channel_has_a_bandwidth_if_that_is_exact() {
        for (length, flit_bytes, per_byte, expected, note) in [
            ("1ps", 1, 80e-12, "bandwidth = \"12.5GB/s\"", ""),
            ("1ps", 1, 97e-12, "flit_time = \"97ps\"", "10.3093 GB/s"),
            ("1ns", 64, 80e-12, "bandwidth = \"12.8GB/s\"", "a flit takes 5.12 ns, -2.34 %"),
            ("1ps", 4, 0.0, "bandwidth = \"4TB/s\"", "a byte takes no time"),
        ] {
            let Assignment { key, value } = Values::new(&tick(length), flit_bytes).channel(per_byte).unwrap();
            assert_eq!(format!("{key} = {}", value.text), expected);
            assert!(value.note.starts_with(note) && value.note.is_empty() == note.is_empty(), "{}", value.note);
        }
    }

    #[test]
    fn sizes_have_a_binary_unit_if_they_are_whole_in_it() {
        assert_eq!([0, 8192, 3072, 32_769].map(size), ["0", "\"8KiB\"", "\"3KiB\"", "32769"]);
        assert_eq!(divisors(40), [1, 2, 4, 5, 8, 10, 20, 40]);
        assert_eq!([0, 123_456, 1_234_565].map(six_digits), [0, 123_456, 1_234_570]);
    }
}
