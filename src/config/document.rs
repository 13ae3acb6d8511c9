//! A scenario as it is written: TOML values that remember where they stand.
//!
//! Knows files, places and TOML; refuses to know what any key means.

use super::diagnostic::{Diagnostic, Place, Source};
use super::range;
use super::syntax;
use super::value::{Key, Node, Table, Value, dotted};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A scenario file with what the command line sets in it.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file first, then each `--set`, then files that the scenario names.
    pub sources: Vec<Source>,
    /// The values.
    pub root: Table,
}

impl Document {
    /// The document that `text` spells, named `name` in diagnostics.
    ///
    /// # Errors
    /// The first syntax error: those behind it mostly follow from it.
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        if let Some(empty) = syntax::empty(text) {
            return Err(vec![empty]);
        }
        let (table, errors) = DeTable::parse_recoverable(text);
        let Some(first) = errors.first() else {
            let sources = vec![Source::new(name, text)];
            return Ok(Self { sources, root: convert_table(table.get_ref(), 0, 0) });
        };
        let first = syntax::diagnostic(text, first);
        Err(vec![match errors.len() {
            1 => first,
            2 => first.note("another place does not parse, probably for this reason"),
            n => first.note(format!("{} more places do not parse, most of them for this reason", n - 1)),
        }])
    }

    /// Sets what `assignment` says, instead of sweeping the key if it is swept. It is written `KEY=VALUE` with a
    /// dotted key and a TOML value.
    ///
    /// # Errors
    /// If it is not an assignment, with the place in it.
    pub fn set(&mut self, assignment: &str) -> Result<(), Diagnostic> {
        let source = self.sources.len();
        self.sources.push(Source::new("--set", assignment));
        let whole = Place { source, span: 0..assignment.len() };
        let wrong = |diagnostic: Diagnostic| {
            diagnostic
                .note("accepted: KEY=VALUE with a dotted key and a TOML value")
                .hint("a string needs quotes of its own: --set 'engine.kind=\"flit\"'")
        };
        let (key, value) = assignment.split_once('=').ok_or_else(|| {
            wrong(Diagnostic::at(whole, if assignment.is_empty() { "nothing is assigned" } else { "no `=` in it" }))
        })?;
        let at_key = Place { source, span: 0..key.len() };
        // quotes keep a key in one piece; here it is the same whole or in pieces
        let mut path = dotted(&key.replace('"', ""), &at_key);
        let offset = assignment.len() - value.trim_start().len();
        let (value, errors) = DeValue::parse_recoverable(value.trim());
        if let Some(error) = errors.first() {
            return Err(wrong(syntax_error(error, source, offset, assignment.len() - offset)));
        }
        let node = convert(&value, source, offset);
        if matches!(&node.value, Value::Table(table) if range::is_range(table)) && path[0].name != "sweep" {
            path.insert(0, Key { name: "sweep".to_owned(), place: at_key });
        }
        self.assign(&path, node);
        Ok(())
    }

    /// Puts `node` at `path`, and stops sweeping what it sets; a sweep takes the place of the sweep before.
    fn assign(&mut self, path: &[Key], node: Node) {
        let swept = if path[0].name == "sweep" { &path[1..] } else { path };
        let name = swept.iter().map(|key| key.name.as_str()).collect::<Vec<_>>().join(".");
        if let (Some(Value::Table(sweep)), false) = (self.root.get_mut("sweep"), name.is_empty()) {
            if swept.len() < path.len() && sweep.replace(&name, &node) {
                return;
            }
            sweep.remove(&name);
        }
        self.root.put(path, node);
    }
}

fn convert_table(table: &DeTable<'_>, source: usize, offset: usize) -> Table {
    let place = |span: Range<usize>| Place { source, span: span.start + offset..span.end + offset };
    let mut entries: Vec<(Key, Node)> = table
        .iter()
        .map(|(key, value)| {
            let key = Key { name: key.get_ref().to_string(), place: place(key.span()) };
            (key, convert(value, source, offset))
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.place.span.start);
    Table { entries }
}

fn convert(node: &Spanned<DeValue<'_>>, source: usize, offset: usize) -> Node {
    let value = match node.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()),
        DeValue::Float(number) => Value::Float(number.as_str().to_owned()),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(value) => Value::Datetime(value.to_string()),
        DeValue::Array(values) => Value::Array(values.iter().map(|value| convert(value, source, offset)).collect()),
        DeValue::Table(table) => Value::Table(convert_table(table, source, offset)),
    };
    let span = node.span();
    Node { value, place: Place { source, span: span.start + offset..span.end + offset } }
}

fn syntax_error(error: &toml::de::Error, source: usize, offset: usize, length: usize) -> Diagnostic {
    let span = error.span().unwrap_or(length..length);
    Diagnostic::at(Place { source, span: span.start + offset..span.end + offset }, error.message().trim())
}
