//! A scenario as it is written: TOML values that remember where they stand.
//!
//! Knows files, places and TOML; refuses to know what any key means.

use super::diagnostic::{Diagnostic, Place, Source};
use super::syntax;
use super::value::{Key, Node, Table, Value};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A scenario file with what the command line sets in it.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file first, then what the command line sets, then files that the scenario includes or names.
    pub sources: Vec<Source>,
    /// The values.
    pub root: Table,
    /// A note for each old spelling of a key that it uses, such as "`error.on` is now `error.quantity`".
    pub renamed: Vec<String>,
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
        let root = parse(text, 0).map_err(|wrong| vec![wrong])?;
        Ok(Self { sources: vec![Source::new(name, text)], root, renamed: Vec::new() })
    }
}

/// The table that `text`, the source with this index, spells, or the first syntax error.
pub(crate) fn parse(text: &str, source: usize) -> Result<Table, Diagnostic> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let Some(first) = errors.first() else { return Ok(convert_table(table.get_ref(), source, 0)) };
    let first = syntax::diagnostic(text, source, first);
    Err(match errors.len() {
        1 => first,
        2 => first.note("there is 1 more syntax error, which may have the same cause"),
        n => first.note(format!("there are {} more syntax errors, which may have the same cause", n - 1)),
    })
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

pub(super) fn convert(node: &Spanned<DeValue<'_>>, source: usize, offset: usize) -> Node {
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

pub(super) fn syntax_error(error: &toml::de::Error, source: usize, offset: usize, length: usize) -> Diagnostic {
    let span = error.span().unwrap_or(length..length);
    Diagnostic::at(Place { source, span: span.start + offset..span.end + offset }, error.message().trim())
}
