//! Ranges of a sweep: `{ from = 2, to = 256, times = 2 }` and `{ from = 0.1, to = 0.5, step = 0.1 }`, and with units
//! `{ from = "1KiB", to = "64MiB", times = 4 }`.
//!
//! Values are decimal numbers and are computed as such, so that 0.1, 0.2, 0.3 are what they look like. They have at
//! most 15 places and, written with as many places as any number of the range, at most 28 digits.

use super::diagnostic::Diagnostic;
use super::quantity::{Prefixes, Quantity};
use super::value::{Node, Table, Value};
use rust_decimal::Decimal;

const MOST_VALUES: usize = 1_000_000;

const MOST_PLACES: u32 = 15;

/// So many units of the last place, at most: the sum of any two such numbers is exact.
const MOST_UNITS: u128 = 10_u128.pow(28);

const ACCEPTED: &str = "accepted: an array, or a range { from, to, step } or { from, to, times } of numbers, or of values with \
                        units such as { from = \"1KiB\", to = \"1MiB\", times = 4 }";

/// Whether `table` looks like a range: no key of a scenario is called `from` or `to`.
pub(crate) fn is_range(table: &Table) -> bool {
    table.get("from").is_some() || table.get("to").is_some()
}

/// The number that is written; none with an exponent, or with more digits than a range takes.
fn parse(text: &str) -> Option<Decimal> {
    let decimal = Decimal::from_str_exact(&text.replace('_', "")).ok()?.normalize();
    (decimal.scale() <= MOST_PLACES).then_some(decimal)
}

/// `decimal` as TOML: an integer, or with a decimal point.
fn value(decimal: Decimal, fraction: bool) -> Value {
    let decimal = decimal.normalize();
    if !fraction {
        return Value::Integer(i64::try_from(decimal).ok());
    }
    let point = if decimal.scale() == 0 { ".0" } else { "" };
    Value::Float(format!("{decimal}{point}"))
}

/// The values of the range that `node` spells, or what is wrong with it.
pub(crate) fn values(name: &str, node: &Node, table: &Table) -> Result<Vec<Node>, Diagnostic> {
    let wrong = |message: String| Diagnostic::at(node.place.clone(), message).note(ACCEPTED);
    if let Some((key, _)) = table.entries.iter().find(|(key, _)| !["from", "to", "step", "times"].contains(&&*key.name))
    {
        return Err(wrong(format!("a range has no key `{}`", key.name)));
    }
    if let Some(quantities) = quantities(table) {
        return in_units(name, node, quantities);
    }
    let number = |key: &str| -> Result<Option<(Decimal, bool)>, Diagnostic> {
        let Some((_, node)) = table.get(key) else { return Ok(None) };
        let read = match &node.value {
            Value::Integer(Some(value)) => Some((Decimal::from(*value), false)),
            Value::Float(text) => parse(text).map(|decimal| (decimal, true)),
            _ => None,
        };
        let requirement = match &node.value {
            Value::String(_) => "must be a number, or all of `from`, `to` and `step` must have a unit",
            _ => "must be a decimal number without an exponent",
        };
        let message = || format!("`{key}` of the range of `{name}` {requirement}");
        read.map(Some).ok_or_else(|| Diagnostic::at(node.place.clone(), message()).note(ACCEPTED))
    };
    let (Some(from), Some(to)) = (number("from")?, number("to")?) else {
        return Err(wrong(format!("the range of `{name}` needs `from` and `to`")));
    };
    let (decimals, fraction) = match (number("step")?, number("times")?) {
        (Some(step), None) => (added(from.0, to.0, step.0), from.1 || step.1),
        (None, Some(times)) => (multiplied(from.0, to.0, times.0), from.1 || times.1),
        _ => return Err(wrong(format!("the range of `{name}` needs either `step` or `times`"))),
    };
    let decimals = decimals.map_err(|why| wrong(format!("the range of `{name}` {why}")))?;
    Ok(decimals
        .into_iter()
        .map(|decimal| Node { value: value(decimal, fraction), place: node.place.clone() })
        .collect())
}

/// The ends of a range of values with units, and the difference or the ratio of neighbours.
#[derive(Clone, Copy)]
struct Quantities {
    from: Quantity,
    to: Quantity,
    step: Option<Quantity>,
    times: Option<Decimal>,
    /// Those of `from`.
    prefixes: Prefixes,
}

/// Returns the range in `table`, or `None` if its ends do not both have a unit.
fn quantities(table: &Table) -> Option<Quantities> {
    let quantity = |key: &str| match &table.get(key)?.1.value {
        Value::String(text) => Some((Quantity::parse(text).ok()?, Prefixes::from_text(text))),
        _ => None,
    };
    let times = match table.get("times").map(|(_, node)| &node.value) {
        Some(Value::Integer(value)) => Some(Decimal::from((*value)?)),
        Some(Value::Float(text)) => Some(parse(text)?),
        Some(_) => return None,
        None => None,
    };
    let ((from, prefixes), (to, to_prefixes)) = (quantity("from")?, quantity("to")?);
    // bytes alone have no prefix
    let prefixes = if prefixes == Prefixes::Decimal { to_prefixes } else { prefixes };
    let step = quantity("step").map(|(step, _)| step);
    (step.is_some() || times.is_some()).then_some(Quantities { from, to, step, times, prefixes })
}

/// The values of a range with units, each as text.
fn in_units(name: &str, node: &Node, range: Quantities) -> Result<Vec<Node>, Diagnostic> {
    let refusal = |why: &str| Diagnostic::at(node.place.clone(), format!("the range of `{name}` {why}")).note(ACCEPTED);
    let Quantities { from, to, step, times, prefixes } = range;
    let mixed = "mixes times, sizes, bandwidths or counts";
    let ((first, unit), (last, _)) = (from.split(), to.split());
    let is_like = |other: Quantity| std::mem::discriminant(&from) == std::mem::discriminant(&other);
    if !is_like(to) || step.is_some_and(|step| !is_like(step)) {
        return Err(refusal(mixed));
    }
    let numbers = match (step.map(|step| step.split().0), times) {
        (Some(step), None) => added(first, last, step),
        (None, Some(times)) => multiplied(first, last, times),
        _ => return Err(refusal("needs either `step` or `times`")),
    };
    let numbers = numbers.map_err(refusal)?;
    let text = |number: Decimal| Value::String(unit(number).text(prefixes));
    Ok(numbers.into_iter().map(|number| Node { value: text(number), place: node.place.clone() }).collect())
}

const LONG: &str = "has more than 1,000,000 values, or values with more than 15 decimal places or 28 digits";

/// `from`, `from + step`, .. as far as `to`.
fn added(from: Decimal, to: Decimal, step: Decimal) -> Result<Vec<Decimal>, &'static str> {
    let places = from.scale().max(to.scale()).max(step.scale());
    let from = aligned(from, places)?;
    let to = aligned(to, places)?;
    let step = aligned(step, places)?;
    let not_beyond = |value: Decimal| if step.is_sign_positive() { value <= to } else { value >= to };
    if step.is_zero() {
        return Err("is endless: `step` must not be 0");
    }
    if !not_beyond(from) {
        return Err("is empty: `step` must lead from `from` to `to`");
    }
    let mut values = Vec::new();
    let mut next = from;
    while not_beyond(next) {
        if values.len() == MOST_VALUES {
            return Err(LONG);
        }
        values.push(next);
        next += step;
    }
    Ok(values)
}

/// `decimal` written with so many places.
fn aligned(mut decimal: Decimal, places: u32) -> Result<Decimal, &'static str> {
    // has fewer places where there is no room for the digits
    decimal.rescale(places);
    let fits = decimal.scale() == places && decimal.mantissa().unsigned_abs() <= MOST_UNITS;
    if fits { Ok(decimal) } else { Err(LONG) }
}

/// `from`, `from * times`, .. as far as `to`.
fn multiplied(from: Decimal, to: Decimal, times: Decimal) -> Result<Vec<Decimal>, &'static str> {
    if times <= Decimal::ONE {
        return Err("is endless: `times` must be above 1");
    }
    if from <= Decimal::ZERO {
        return Err("does not reach `to`: with `times`, `from` must be above 0");
    }
    let mut values = Vec::new();
    let mut next = from;
    while next <= to {
        values.push(next);
        next = product(next, times).ok_or(LONG)?;
    }
    if values.is_empty() { Err("is empty: with `times`, `to` must be at least `from`") } else { Ok(values) }
}

/// The very product; none if it has too many places or digits.
fn product(one: Decimal, other: Decimal) -> Option<Decimal> {
    let places = one.scale() + other.scale();
    // what does not fit is rounded to fewer places
    one.checked_mul(other).filter(|product| places <= MOST_PLACES && product.scale() == places)
}

#[cfg(test)]
mod tests {
    use super::super::document::Document;
    use super::*;

    fn range(text: &str) -> Result<String, String> {
        let document = Document::parse("s", &format!("k = {text}")).map_err(|errors| errors[0].message.clone())?;
        let (_, node) = &document.root.entries[0];
        let Value::Table(table) = &node.value else { return Ok("no table".to_owned()) };
        let values = values("k", node, table).map_err(|diagnostic| diagnostic.message)?;
        Ok(values.iter().map(|node| node.value.toml()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn ranges_are_decimal() {
        let cases = [
            ("{ from = 2, to = 256, times = 2 }", "2 4 8 16 32 64 128 256"),
            ("{ from = 1, to = 10, times = 3 }", "1 3 9"),
            ("{ from = 1, to = 4, times = 1.5 }", "1.0 1.5 2.25 3.375"),
            ("{ from = 5, to = 20, step = 5 }", "5 10 15 20"),
            ("{ from = 5, to = 19, step = 5 }", "5 10 15"),
            ("{ from = 0.05, to = 0.3, step = 0.05 }", "0.05 0.1 0.15 0.2 0.25 0.3"),
            ("{ from = 3, to = -3, step = -2 }", "3 1 -1 -3"),
            ("{ from = -0.5, to = 0.5, step = 0.5 }", "-0.5 0.0 0.5"),
            ("{ from = 7, to = 7, step = 1 }", "7"),
            ("{ from = 7, to = 7, step = -1 }", "7"),
            ("{ from = -7, to = -7, step = 0.5 }", "-7.0"),
            ("{ from = 1_000.5, to = 1_001, step = +0.25 }", "1000.5 1000.75 1001.0"),
            (
                "{ from = 0.000000000000001, to = 0.000000000000002, step = 0.000000000000001 }",
                "0.000000000000001 0.000000000000002",
            ),
            (
                "{ from = \"1KiB\", to = \"1MiB\", times = 4 }",
                "\"1KiB\" \"4KiB\" \"16KiB\" \"64KiB\" \"256KiB\" \"1MiB\"",
            ),
            ("{ from = \"1 kB\", to = \"3kB\", step = \"500B\" }", "\"1kB\" \"1500B\" \"2kB\" \"2500B\" \"3kB\""),
            ("{ from = \"500ns\", to = \"2us\", times = 2 }", "\"500ns\" \"1us\" \"2us\""),
            ("{ from = \"100Gb/s\", to = \"400Gb/s\", times = 2 }", "\"100Gb/s\" \"200Gb/s\" \"400Gb/s\""),
            (
                "{ from = 9223372036854775806, to = 9223372036854775807, step = 1 }",
                "9223372036854775806 9223372036854775807",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(range(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn ranges_that_lead_nowhere_or_are_not_exact_are_refused() {
        for text in [
            "{ from = 1, to = 4 }",
            "{ from = 1, step = 4 }",
            "{ from = 1, to = 4, step = 0 }",
            "{ from = 1, to = 4, step = -1 }",
            "{ from = 1, to = 4, times = 1 }",
            "{ from = 0, to = 4, times = 2 }",
            "{ from = 8, to = 4, times = 2 }",
            "{ from = 1, to = 4, step = 1, times = 2 }",
            "{ from = 1, to = 9000000000, step = 1 }",
            "{ from = 1e3, to = 4, step = 1 }",
            "{ from = 1, to = 4, by = 1 }",
            "{ from = \"1\", to = 4, step = 1 }",
            "{ from = \"1KiB\", to = \"1us\", times = 2 }",
            "{ from = \"1KiB\", to = \"4KiB\" }",
            "{ from = \"4KiB\", to = \"1KiB\", times = 2 }",
            // numbers that cannot be kept to the last digit
            "{ from = 1, to = 4, step = 0.0000000000000001 }",
            "{ from = 1.5, to = 9223372036854775807, step = 0.000000000000001 }",
            "{ from = 1, to = 2, times = 1.000000000000001 }",
            "{ from = 0.5, to = 9999999999999999999999999999.5, times = 9999999999999999999999999999.0 }",
        ] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
