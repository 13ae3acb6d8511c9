//! Ranges of a sweep: `{ from = 2, to = 256, times = 2 }` and `{ from = 0.1, to = 0.5, step = 0.1 }`.
//!
//! Values are decimal numbers and are computed as such, so that 0.1, 0.2, 0.3 are what they look like.

use super::diagnostic::Diagnostic;
use super::document::{Node, Table, Value};

/// A range with more values than this is refused.
const MOST_VALUES: usize = 1_000_000;

const ACCEPTED: &str = "accepted: an array, or a range { from, to, step } or { from, to, times } of numbers";

/// Whether `table` looks like a range: no key of a scenario is called `from` or `to`.
pub(crate) fn is_range(table: &Table) -> bool {
    table.get("from").is_some() || table.get("to").is_some()
}

/// A decimal number: `units` times ten to the power of minus `places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    units: i128,
    places: u32,
}

impl Decimal {
    /// The number that is written; none with an exponent, or with more digits than fit.
    fn parse(text: &str) -> Option<Self> {
        let text = text.replace('_', "");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let fraction = fraction.trim_end_matches('0');
        let places = u32::try_from(fraction.len()).ok().filter(|&places| places <= 15)?;
        let units: i128 = format!("{whole}{fraction}").parse().ok()?;
        (units.unsigned_abs() <= 10_u128.pow(24)).then_some(Self { units, places })
    }

    /// In units of so many more places.
    fn scaled(self, places: u32) -> i128 {
        self.units * 10_i128.pow(places - self.places)
    }

    /// As TOML: an integer, or with a decimal point.
    fn value(self, fraction: bool) -> Value {
        if !fraction {
            return Value::Integer(i64::try_from(self.units).ok());
        }
        let (sign, digits) = (if self.units < 0 { "-" } else { "" }, self.units.unsigned_abs().to_string());
        let places = self.places as usize;
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, rest) = digits.split_at(digits.len() - places);
        let rest = rest.trim_end_matches('0');
        Value::Float(format!("{sign}{whole}.{}", if rest.is_empty() { "0" } else { rest }))
    }
}

/// The values of the range that `node` spells.
///
/// # Errors
/// If it is none, with what is wrong.
pub(crate) fn values(name: &str, node: &Node, table: &Table) -> Result<Vec<Node>, Diagnostic> {
    let wrong = |message: String| Diagnostic::at(node.place.clone(), message).note(ACCEPTED);
    if let Some((key, _)) = table.entries.iter().find(|(key, _)| !["from", "to", "step", "times"].contains(&&*key.name))
    {
        return Err(wrong(format!("a range has no `{}`", key.name)));
    }
    let number = |key: &str| -> Result<Option<(Decimal, bool)>, Diagnostic> {
        let Some((_, node)) = table.get(key) else { return Ok(None) };
        let read = match &node.value {
            Value::Integer(Some(value)) => Some((Decimal { units: i128::from(*value), places: 0 }, false)),
            Value::Float(text) => Decimal::parse(text).map(|decimal| (decimal, true)),
            _ => None,
        };
        let message = || format!("`{key}` of the range of `{name}` must be a decimal number without an exponent");
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
    Ok(decimals.into_iter().map(|value| Node { value: value.value(fraction), place: node.place.clone() }).collect())
}

const ENDLESS: &str =
    "does not get from `from` to `to`: `step` must lead there, `times` must be above 1 and `from` above 0";

const LONG: &str = "has more than 1,000,000 values, or values with more than 15 places";

/// `from`, `from + step`, .. as far as `to`.
fn added(from: Decimal, to: Decimal, step: Decimal) -> Result<Vec<Decimal>, &'static str> {
    let places = from.places.max(to.places).max(step.places);
    let [first, last, step] = [from, to, step].map(|decimal| decimal.scaled(places));
    if step == 0 || (last - first).signum() * step.signum() < 0 {
        return Err(ENDLESS);
    }
    let steps = usize::try_from((last - first) / step).map_err(|_| LONG)?;
    if steps >= MOST_VALUES {
        return Err(LONG);
    }
    Ok((0..=steps as i128).map(|at| Decimal { units: first + at * step, places }).collect())
}

/// `from`, `from * times`, .. as far as `to`.
fn multiplied(from: Decimal, to: Decimal, times: Decimal) -> Result<Vec<Decimal>, &'static str> {
    if times.units <= 10_i128.pow(times.places) || from.units <= 0 {
        return Err(ENDLESS);
    }
    let not_beyond = |value: &Decimal| {
        let places = value.places.max(to.places);
        value.scaled(places) <= to.scaled(places)
    };
    let (mut values, mut next) = (Vec::new(), from);
    while not_beyond(&next) {
        values.push(next);
        next = Decimal { units: next.units * times.units, places: next.places + times.places };
        if next.places > 15 || next.units > 10_i128.pow(30) {
            return Err(LONG);
        }
    }
    if values.is_empty() { Err(ENDLESS) } else { Ok(values) }
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
        ];
        for (text, expected) in cases {
            assert_eq!(range(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn ranges_that_lead_nowhere_are_refused() {
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
        ] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
