//! Numbers in words.

use crate::units::{Flits, time_text, without_zeros};

/// `value` with commas between thousands.
pub fn grouped(value: u64) -> String {
    thousands(&value.to_string())
}

/// `digits` with commas between thousands.
pub(crate) fn thousands(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `count` things, such as `1 point` and `12 points`.
pub fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The first eight of `names`, and how many there are in all if those are more.
pub fn first_of(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let more = if names.len() > SHOWN { format!(", .. ({} in all)", names.len()) } else { String::new() };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

/// A length, such as `4,096 flits`.
pub fn flits(length: Flits) -> String {
    format!("{} {}", grouped(length.0), if length.0 == 1 { "flit" } else { "flits" })
}

/// A size in the unit that takes fewest digits and is exact with two decimals: a power of 1024, of 1000, or the byte.
///
/// ```
/// use flitwise::kind::words::size_text;
///
/// assert_eq!([0, 48, 1234].map(size_text), ["0 B", "48 B", "1,234 B"]);
/// assert_eq!([65_536, 1_572_864, 1 << 40].map(size_text), ["64 KiB", "1.5 MiB", "1 TiB"]);
/// assert_eq!([1500, 100_000, 10_000_000_000].map(size_text), ["1.5 kB", "100 kB", "10 GB"]);
/// ```
pub fn size_text(bytes: u64) -> String {
    // the first of several units with equally few digits is taken: binary ones precede decimal ones, and long ones short ones
    const UNITS: [(&str, u64); 9] = [
        ("TiB", 1 << 40),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
        ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("kB", 1000),
        ("B", 1),
    ];
    let texts = UNITS.into_iter().filter_map(|(unit, length)| Some((quotient(bytes, length)?, unit)));
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let shortest = texts.min_by_key(|(text, _)| digits(text));
    shortest.map_or_else(|| format!("{bytes} B"), |(text, unit)| format!("{text} {unit}"))
}

/// `bytes` in units of `length` bytes, if that is at least one and exact with two decimals.
fn quotient(bytes: u64, length: u64) -> Option<String> {
    let hundredths = u128::from(bytes) * 100;
    if bytes < length || !hundredths.is_multiple_of(u128::from(length)) {
        return None;
    }
    let decimals = (hundredths / u128::from(length)) % 100;
    let text = format!("{}.{decimals:02}", grouped(bytes / length));
    Some(without_zeros(&text).to_owned())
}

/// A number for people: one decimal where it matters, thousands separated; empty if it is not finite.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    if value < 0.0 {
        let size = number(-value);
        return if size == "0" { size } else { format!("-{size}") };
    }
    let tenths = if value < 10_000.0 { (value * 10.0).round() } else { value.round() * 10.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "means of counts and ticks")]
    let tenths = tenths as u64;
    if tenths.is_multiple_of(10) { grouped(tenths / 10) } else { format!("{}.{}", grouped(tenths / 10), tenths % 10) }
}

/// `value` with six significant digits, or more where its whole part has more, without zeros at the end of its decimals.
///
/// ```
/// use flitwise::kind::words::significant;
/// assert_eq!([15.526_178_6, 0.001_234_567_8, 1_234_567.8, 0.0].map(significant), ["15.5262", "0.00123457", "1234568", "0"]);
/// ```
pub fn significant(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let exponent: i64 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let decimals = usize::try_from(5 - exponent).unwrap_or(0);
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// The format of times in sentences: seconds or parts of them if the length of a tick is known, else units of the simulator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Nanoseconds of a tick.
    pub tick: Option<f64>,
}

impl Times {
    /// Returns `ticks` with four digits and a unit of time, or as a number of the simulator's `unit`, such as `ticks`.
    pub fn text(self, ticks: f64, unit: &str) -> String {
        let Some(tick) = self.tick else { return format!("{} {unit}", number(ticks)) };
        time_text(ticks * tick)
    }
}

/// `a, b and c`, the words between commas and a last `and`.
pub fn enumerated(words: &[String]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// `sentence` with a capital letter at its beginning.
pub fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
