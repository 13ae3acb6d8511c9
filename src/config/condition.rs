//! Conditions of a sweep: `where = ["workload.multicast.group <= product(network.mesh.shape)"]`.
//!
//! A condition is an [expression](crate::expression) that stands in a scenario: its names are keys as the scenario
//! gives them, dotted, and elements of arrays by their numbers, such as `network.mesh.shape.0`. A key that the scenario
//! does not give has no value here, not even its default. Claims of figures are told the same way, with the columns of
//! a table in place of keys. This file knows places and TOML values; it refuses to know what keys mean.

use super::diagnostic::{Diagnostic, Place};
use super::value::{Node, Table, Value};
use crate::expression::{Expression, Operand};
use crate::fault::Fault;
use crate::spelling::closest;
use std::ops::Range;

/// A condition that a point must meet, or a value that is computed the same way.
#[derive(Clone, Debug)]
pub struct Condition {
    place: Place,
    /// Bytes between the start of `place` and that of the expression, if its bytes are those of the place.
    quotes: Option<usize>,
    expression: Expression,
}

impl Condition {
    /// The condition that the string `text`, which stands at `place` with its quotes, spells, or what is wrong with the
    /// first token that does not belong.
    pub(crate) fn parse(text: &str, place: &Place) -> Result<Self, Diagnostic> {
        let quotes = quotes(text, place);
        match Expression::parse(text) {
            Ok(expression) => Ok(Self { place: place.clone(), quotes, expression }),
            Err(fault) => {
                let message = format!("the condition is invalid: {}", fault.message);
                let note =
                    fault.note.unwrap_or_else(|| "accepted: comparisons of keys, numbers and strings".to_owned());
                let hint = "for example \"workload.multicast.group <= product(network.mesh.shape)\"";
                let wrong = Diagnostic::at(within(place, quotes, &fault.span), message).note(note);
                Err(wrong.hint(fault.hint.unwrap_or_else(|| hint.to_owned())))
            }
        }
    }

    /// Where it stands.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The keys that it reads.
    pub fn keys(&self) -> Vec<&str> {
        self.expression.names()
    }

    /// The key that it is, if it is nothing else.
    pub(crate) fn key(&self) -> Option<&str> {
        self.expression.name()
    }

    /// Reads other keys in place of those for which `other` says so; messages still show the text as it is written.
    pub(crate) fn rename(&mut self, other: &dyn Fn(&str) -> Option<String>) {
        self.expression.rename(other);
    }

    /// Whether the point, or the row of a table, that `root` spells meets it.
    ///
    /// # Errors
    /// If it reads a key that `root` has not, or is not true or false.
    pub fn holds(&self, root: &Table) -> Result<bool, Diagnostic> {
        match self.value(root)? {
            Operand::Boolean(holds) => Ok(holds),
            other => {
                let message = format!("a condition must be true or false, not {}", other.kind());
                Err(Diagnostic::at(self.place.clone(), message))
            }
        }
    }

    /// What it comes to in what `root` spells.
    ///
    /// # Errors
    /// If it reads a key that `root` has not, or calculates with what is not a number.
    pub fn value(&self, root: &Table) -> Result<Operand, Diagnostic> {
        let fault = |Fault { span, message, .. }| {
            let missing = |name: &&str| look_up(name, root).is_err_and(|why| why == message);
            let hint = self.keys().into_iter().find(missing).and_then(|name| meant(name, root));
            Diagnostic { hint, ..Diagnostic::at(within(&self.place, self.quotes, &span), message) }
        };
        self.expression.evaluate(&|name| look_up(name, root)).map_err(fault)
    }

    /// The number that it comes to in what `root` spells.
    ///
    /// # Errors
    /// As [`Self::value`], and if that is not a number.
    pub fn number(&self, root: &Table) -> Result<f64, Diagnostic> {
        self.value(root)?.number().map_err(|message| Diagnostic::at(self.place.clone(), message))
    }
}

/// How many quotes open the string `text` at `place`, if every byte of it stands there as it is.
///
/// Escapes make a text shorter than what is written, so a string that is longer than its text by the two quotes has
/// none. Six bytes are two triple quotes, unless four escaped quotes, or one `\u00e9`, come to as many: then nothing is
/// known.
fn quotes(text: &str, place: &Place) -> Option<usize> {
    let written = place.span.len();
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_control() && byte != b'"' && byte != b'\\';
    match written.checked_sub(text.len())? {
        2 => Some(1),
        6 if text.bytes().all(plain) => Some(3),
        _ => None,
    }
}

/// The bytes `span` of the text of the string at `place`, or all of it where they are not known.
fn within(place: &Place, quotes: Option<usize>, span: &Range<usize>) -> Place {
    let Some(quotes) = quotes else { return place.clone() };
    let start = place.span.start + quotes;
    Place { source: place.source, span: start + span.start..start + span.end }
}

fn look_up(path: &str, root: &Table) -> Result<Operand, String> {
    let none = || format!("`{path}` is not set here, and a condition does not see default values");
    let mut parts = path.split('.');
    let mut node = root.get(parts.next().unwrap_or_default()).ok_or_else(none)?.1;
    for part in parts {
        node = match &node.value {
            Value::Table(table) => table.get(part).ok_or_else(none)?.1,
            Value::Array(values) => part.parse().ok().and_then(|at: usize| values.get(at)).ok_or_else(none)?,
            _ => return Err(none()),
        };
    }
    operand(node).ok_or_else(|| format!("`{path}` is a table and has no value"))
}

/// Which of the keys that `root` gives may be meant by `name`, which it does not give, as a hint.
fn meant(name: &str, root: &Table) -> Option<String> {
    let mut given = Vec::new();
    paths(root, "", &mut given);
    let ends: Vec<&String> =
        given.iter().filter(|path| path.rsplit_once('.').is_some_and(|(_, last)| last == name)).collect();
    let found = match ends.as_slice() {
        [] => closest(name, given.iter().map(String::as_str)).map(str::to_owned),
        [first, ..] => Some((*first).clone()),
    };
    found.map(|path| format!("did you mean `{path}`?"))
}

/// The dotted path of every value in `table`, which is at `path`.
fn paths(table: &Table, path: &str, found: &mut Vec<String>) {
    for (key, node) in &table.entries {
        let inner = if path.is_empty() { key.name.clone() } else { format!("{path}.{}", key.name) };
        match &node.value {
            Value::Table(table) if inner != "sweep" => paths(table, &inner, found),
            Value::Table(_) => {}
            _ => found.push(inner),
        }
    }
}

/// What `node` is to calculate with; a table is nothing.
fn operand(node: &Node) -> Option<Operand> {
    Some(match &node.value {
        Value::Integer(value) => Operand::Number((*value)? as f64),
        Value::Float(text) => Operand::Number(text.replace('_', "").parse().ok()?),
        Value::String(text) | Value::Datetime(text) => Operand::Text(text.clone()),
        Value::Boolean(value) => Operand::Boolean(*value),
        Value::Array(values) => Operand::List(values.iter().map(operand).collect::<Option<_>>()?),
        Value::Table(_) => return None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::document::Document;
    use super::*;

    const POINT: &str = "a = 3\nb = [4, 5]\nc.d = \"worm\"\nc.e = true\n";

    /// The condition that is the value of `w` in `text`, and the text below the place of what is wrong with it.
    fn outcome(text: &str) -> Result<bool, (String, String)> {
        let document = Document::parse("s", &format!("{POINT}{text}")).unwrap();
        let (_, node) = document.root.get("w").unwrap();
        let Value::String(condition) = &node.value else { panic!("{text}") };
        let holds = Condition::parse(condition, &node.place).and_then(|condition| condition.holds(&document.root));
        holds.map_err(|wrong| (document.sources[0].text[wrong.place.unwrap().span].to_owned(), wrong.message))
    }

    #[test]
    fn keys_of_the_point_are_looked_up() {
        for (text, expected) in [
            ("w = \"a < b.0 and c.d == 'worm'\"", true),
            ("w = 'sum(b) == 9 and not c.e'", false),
            ("w = \"\"\"c.d < \"x\" and a == 3\"\"\"", true),
        ] {
            assert_eq!(outcome(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn faults_point_into_the_string() {
        let missing = "`h` is not set here, and a condition does not see default values";
        for (text, shown, message) in [
            ("w = \"a <\"", "", "the condition is invalid: it ends after `<`"),
            ("w = 'a = 3'", "=", "the condition is invalid: `=` is not expected"),
            ("w = \"a == 3 and h < 1\"", "h", missing),
            ("w = '''a == 3 and h < 1'''", "h", missing),
            (
                "w = \"c.d == 'worm' and b.2 == 1\"",
                "b.2",
                "`b.2` is not set here, and a condition does not see default values",
            ),
            ("w = \"a == 1 or c == 1\"", "c", "`c` is a table and has no value"),
            ("w = \"a + 1\"", "\"a + 1\"", "a condition must be true or false, not a number"),
            // with escapes the bytes of the text are not those of the file
            ("w = \"c.d == \\\"x\\\" or h\"", "\"c.d == \\\"x\\\" or h\"", missing),
            (
                "w = \"c.d == \\\"x\\\" or c.d == \\\"y\\\" or h\"",
                "\"c.d == \\\"x\\\" or c.d == \\\"y\\\" or h\"",
                missing,
            ),
            ("w = \"c.d == '\\u00e9' or h\"", "\"c.d == '\\u00e9' or h\"", missing),
        ] {
            assert_eq!(outcome(text), Err((shown.to_owned(), message.to_owned())), "{text}");
        }
    }
}
