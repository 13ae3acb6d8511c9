//! Numbers as people write them and TOML does not: without a leading digit, with separators of thousands, as `8x8`.
//!
//! Independent of the key that a value is for.

use super::lookalike::Lookalike;
use super::whole;
use rust_decimal::Decimal;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A value that is not TOML, and how TOML writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slip {
    /// The problem with the value, as the end of a sentence about it.
    pub(crate) problem: Cow<'static, str>,
    /// The value to write, as an instruction. Empty if none is known.
    pub(crate) hint: String,
}

impl Slip {
    fn new(problem: impl Into<Cow<'static, str>>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), hint: hint.into() }
    }
}

/// Explains what `written` is, if it is close to a number, an array of numbers or a word of TOML.
pub(crate) fn explain(written: &str) -> Option<Slip> {
    let written = written.trim();
    let rules = [word, scalar, shape, grouped, comma, list, range, unit, formula];
    rules.into_iter().find_map(|rule| rule(written))
}

/// Reads an integer in `range` as files have it, of digits alone.
pub(crate) fn integer(written: &str, range: &RangeInclusive<u64>) -> Result<u64, Slip> {
    if let Some(value) = written.parse().ok().filter(|value| range.contains(value)) {
        return Ok(value);
    }
    let (least, most) = (range.start(), range.end());
    if written.is_empty() {
        return Err(Slip::new("is empty", ""));
    }
    if let Some((_, letter)) = Lookalike::first_in(written) {
        return Err(Slip::new(format!("contains {}", letter.description()), letter.remedy()));
    }
    let Some(value) = whole::parse(written) else {
        let hint = explain(written).map_or_else(String::new, |slip| slip.hint);
        return Err(Slip::new(format!("must be an integer, not `{written}`"), hint));
    };
    Err(match value {
        _ if value < Decimal::from(*least) => Slip::new(format!("must be at least {least}"), ""),
        _ if value > Decimal::from(*most) => Slip::new(format!("must be at most {most}"), ""),
        _ => {
            let hint = whole::integer(value).map_or_else(String::new, |value| format!("write {value}"));
            let exponent = if written.contains(['e', 'E']) { "an exponent" } else { "a fraction" };
            Slip::new(format!("must be an integer, not a number with {exponent}"), hint)
        }
    })
}

/// True if TOML reads `written` as a number.
fn is_number(written: &str) -> bool {
    let number = |value: &str| value.parse::<toml::Value>().is_ok_and(|value| value.is_integer() || value.is_float());
    written.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c)) && number(written)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn split_sign(written: &str) -> (&str, &str) {
    written.split_at(usize::from(written.starts_with(['+', '-'])))
}

/// `True`, `yes`, `None`.
fn word(written: &str) -> Option<Slip> {
    match written.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(Slip::new("is not a value", "write true")),
        "false" | "no" | "off" => Some(Slip::new("is not a value", "write false")),
        "none" | "null" | "nil" => Some(Slip::new("is not a value", "remove the key to use its default")),
        _ => None,
    }
}

/// `.1`, `1.`, `04`.
fn scalar(written: &str) -> Option<Slip> {
    let (sign, digits) = split_sign(written);
    let minus = if sign == "-" { "-" } else { "" };
    let write = |problem, value: String| Some(Slip::new(problem, format!("write {minus}{value}")));
    match digits.split_once('.') {
        Some(("", fraction)) if is_digits(fraction) => write("has no digit before the point", format!("0.{fraction}")),
        Some((whole, "")) if is_digits(whole) => write("has no digit after the point", format!("{whole}.0")),
        Some((whole, fraction)) if is_digits(whole) && is_digits(fraction) && without_zeros(whole) != whole => {
            write("begins with a zero", format!("{}.{fraction}", without_zeros(whole)))
        }
        None if is_digits(digits) && without_zeros(digits) != digits => {
            write("begins with a zero", without_zeros(digits).to_owned())
        }
        _ => None,
    }
}

/// `digits` without leading zeros, down to one digit.
fn without_zeros(digits: &str) -> &str {
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() { &digits[digits.len() - 1..] } else { significant }
}

/// `8x8`, `4 × 4 × 2`.
fn shape(written: &str) -> Option<Slip> {
    let inner = written.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(written);
    let parts: Vec<&str> = inner.split(['x', 'X', '\u{d7}']).map(str::trim).collect();
    let is_shape = parts.len() > 1 && parts.iter().all(|part| is_digits(part)) && parts[0] != "0";
    is_shape.then(|| Slip::new("is not a value", format!("write an array: [{}]", parts.join(", "))))
}

/// `1'000`, `1 000`, `1.000.000`, `1,000,000`.
fn grouped(written: &str) -> Option<Slip> {
    let (sign, digits) = split_sign(written);
    let by = |separator: char| {
        let groups: Vec<&str> = digits.split(separator).collect();
        let (first, rest) = groups.split_first()?;
        // a single point or comma may be a decimal one
        let least = if matches!(separator, '.' | ',') { 2 } else { 1 };
        let fits = rest.len() >= least && rest.iter().all(|group| group.len() == 3 && is_digits(group));
        (fits && is_digits(first) && first.len() <= 3).then(|| groups.concat())
    };
    let number = ['\'', ' ', '\u{a0}', '\u{202f}', '.', ','].into_iter().find_map(by)?;
    Some(Slip::new("has thousands separators", format!("write {}{number}", if sign == "-" { "-" } else { "" })))
}

/// `0,5` and `1,000`, which may be one number or two.
fn comma(written: &str) -> Option<Slip> {
    let (whole, fraction) = written.split_once(',')?;
    let (_, digits) = split_sign(whole);
    if !is_digits(digits) || !is_digits(fraction) {
        return None;
    }
    let thousands = fraction.len() == 3 && !digits.starts_with('0') && digits.len() <= 3;
    let hint = if thousands {
        format!("write {whole}{fraction} if the comma separates thousands, {whole}.{fraction} if it is a decimal comma")
    } else {
        format!("write {whole}.{fraction} if it is a decimal comma, [{whole}, {fraction}] for two values")
    };
    Some(Slip::new("has a comma", hint))
}

/// `8, 8`, `(8, 8)`, `[4; 4]`, `[0,1; 0,2]`, `[.1, .2]`.
fn list(written: &str) -> Option<Slip> {
    let inner = written.trim_start_matches(['(', '{', '[']).trim_end_matches([')', '}', ']']);
    let separator = if inner.contains(';') { ';' } else { ',' };
    let parts: Option<Vec<String>> = inner.split(separator).map(|part| element(part.trim())).collect();
    let parts = parts.filter(|parts| parts.len() > 1 || inner.len() < written.len())?;
    let problem = match separator {
        ';' => "has `;` instead of commas between values",
        _ if written.starts_with(['[', '(', '{']) => "is not a value",
        _ => "has no brackets",
    };
    Some(Slip::new(problem, format!("write an array: [{}]", parts.join(", "))))
}

/// An element of a list as TOML writes it.
fn element(written: &str) -> Option<String> {
    if is_number(written) {
        return Some(written.to_owned());
    }
    if let Some((whole, fraction)) = written.split_once(',') {
        return (is_digits(split_sign(whole).1) && is_digits(fraction)).then(|| format!("{whole}.{fraction}"));
    }
    scalar(written)?.hint.strip_prefix("write ").map(str::to_owned)
}

/// `1..5`.
fn range(written: &str) -> Option<Slip> {
    let (from, to) = written.split_once("..")?;
    let [from, to] = [from, to.trim_start_matches(['.', '='])].map(str::trim);
    let hint = || format!("write a range in [sweep] as {{ from = {from}, to = {to}, step = 1 }}");
    (is_number(from) && is_number(to)).then(|| Slip::new("is not a value", hint()))
}

/// `50%`, `1k`, `64KB`, `10ns`.
fn unit(written: &str) -> Option<Slip> {
    let end = written.find(|c: char| c.is_ascii_alphabetic() || c == '%')?;
    let (number, unit) = (written[..end].trim_end(), &written[end..]);
    if !is_number(number) || !unit.chars().all(|c| c.is_ascii_alphabetic() || "%/".contains(c)) {
        return None;
    }
    let times = |factor: Decimal| whole::parse(number).map(|value| (value * factor).normalize());
    let hint = match unit {
        "%" => format!("write {}", times(Decimal::new(1, 2))?),
        "k" | "K" => format!("write {}", times(Decimal::from(1000))?),
        "M" => format!("write {}", times(Decimal::from(1_000_000))?),
        _ => format!("a value with a unit needs quotes: write \"{written}\""),
    };
    Some(Slip::new("has a unit", hint))
}

/// `2^10`, `1/2`, `2*3`.
fn formula(written: &str) -> Option<Slip> {
    let computed = written.contains(['^', '*', '/', '+', '(']);
    let numbers = written.split(['^', '*', '/', '+', '-', '(', ')', ' ']).filter(|part| !part.is_empty());
    let is_formula = computed && numbers.clone().count() > 1 && { numbers }.all(is_number);
    is_formula.then(|| Slip::new("is not a value", "expressions are not evaluated; write the number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_numbers_are_explained() {
        for (written, hint) in [
            (".1", "write 0.1"),
            ("-.5", "write -0.5"),
            ("+.25", "write 0.25"),
            ("3.", "write 3.0"),
            ("04", "write 4"),
            ("-007", "write -7"),
            ("00", "write 0"),
            ("00.5", "write 0.5"),
            ("8x8", "write an array: [8, 8]"),
            ("[8X8]", "write an array: [8, 8]"),
            ("4 \u{d7} 4 \u{d7} 2", "write an array: [4, 4, 2]"),
            ("1'000", "write 1000"),
            ("1 000 000", "write 1000000"),
            ("1.000.000", "write 1000000"),
            ("-1,000,000", "write -1000000"),
            ("1,000", "write 1000 if the comma separates thousands, 1.000 if it is a decimal comma"),
            ("0,125", "write 0.125 if it is a decimal comma, [0, 125] for two values"),
            ("8, 8", "write an array: [8, 8]"),
            ("(8, 8)", "write an array: [8, 8]"),
            ("{8, 8}", "write an array: [8, 8]"),
            ("[4; 4]", "write an array: [4, 4]"),
            ("4; 4", "write an array: [4, 4]"),
            ("[0,1; 0,25]", "write an array: [0.1, 0.25]"),
            ("[.1, 2]", "write an array: [0.1, 2]"),
            ("50%", "write 0.5"),
            ("2.5k", "write 2500"),
            ("10ns", "a value with a unit needs quotes: write \"10ns\""),
            ("1..5", "write a range in [sweep] as { from = 1, to = 5, step = 1 }"),
            ("2^10", "expressions are not evaluated; write the number"),
            ("True", "write true"),
            ("off", "write false"),
            ("None", "remove the key to use its default"),
        ] {
            assert_eq!(explain(written).map(|slip| slip.hint).as_deref(), Some(hint), "{written}");
        }
    }

    #[test]
    fn other_values_are_left_alone() {
        for written in ["", "opt-mesh", "x8", "0x1G", "a, b", "nan", "1e3.5", "-", ".", "file.csv", "--"] {
            assert_eq!(explain(written), None, "{written}");
        }
    }
}
