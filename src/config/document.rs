//! A scenario as it is written: TOML values that remember where they stand.
//!
//! Knows files, places and TOML; refuses to know what any key means.

use super::diagnostic::Diagnostic;
use super::range;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A text that diagnostics can point into: a file or a command-line argument.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user wrote it, or the name of the argument.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A stretch of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index into the document's sources.
    pub source: usize,
    /// Bytes of the source's text.
    pub span: Range<usize>,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text.
    String(String),
    /// An integer, if it fits.
    Integer(Option<i64>),
    /// A number with a fraction, as written.
    Float(String),
    /// True or false.
    Boolean(bool),
    /// A date or a time, as written.
    Datetime(String),
    /// Values in order.
    Array(Vec<Node>),
    /// Named values in the order in which they stand in the file.
    Table(Table),
}

/// Named values in the order in which they stand in the file.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Names and values.
    pub entries: Vec<(Key, Node)>,
}

/// The name of a value.
#[derive(Clone, Debug)]
pub struct Key {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

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
        let (table, errors) = DeTable::parse_recoverable(text);
        let Some(first) = errors.first() else {
            let sources = vec![Source { name: name.to_owned(), text: text.to_owned() }];
            return Ok(Self { sources, root: convert_table(table.get_ref(), 0, 0) });
        };
        let first = syntax_error(first, 0, 0, text.len());
        Err(vec![match errors.len() {
            1 => first,
            n => first.note(format!("{} more places do not parse; most of them for this reason", n - 1)),
        }])
    }

    /// Sets what `assignment` says, instead of sweeping the key if it is swept. It is written `KEY=VALUE` with a
    /// dotted key and a TOML value.
    ///
    /// # Errors
    /// If it is not an assignment, with the place in it.
    pub fn set(&mut self, assignment: &str) -> Result<(), Diagnostic> {
        let source = self.sources.len();
        self.sources.push(Source { name: "--set".to_owned(), text: assignment.to_owned() });
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

/// The parts of a dotted key that stands at `place`.
pub(crate) fn dotted(key: &str, place: &Place) -> Vec<Key> {
    key.split('.').map(|name| Key { name: name.trim().to_owned(), place: place.clone() }).collect()
}

impl Table {
    /// The value called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<(&Key, &Node)> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(key, node)| (key, node))
    }

    fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.entries.iter_mut().find(|(key, _)| key.name == name).map(|(_, node)| &mut node.value)
    }

    /// Removes what stands at the dotted `path`, however its parts are spread over quoted keys and tables.
    fn remove(&mut self, path: &str) {
        self.entries.retain(|(key, _)| key.name != path);
        for (key, node) in &mut self.entries {
            let rest = path.strip_prefix(&key.name).and_then(|rest| rest.strip_prefix('.'));
            match (rest, &mut node.value) {
                (Some(rest), Value::Table(table)) => table.remove(rest),
                // tables of keys that vary together
                (None, Value::Array(values)) => {
                    for node in values {
                        if let Value::Table(table) = &mut node.value {
                            table.remove(path);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Replaces what stands at the dotted `path`, however its parts are spread; false if nothing does.
    fn replace(&mut self, path: &str, by: &Node) -> bool {
        self.entries.iter_mut().any(|(key, node)| {
            if key.name == path {
                *node = by.clone();
                return true;
            }
            let rest = path.strip_prefix(&key.name).and_then(|rest| rest.strip_prefix('.'));
            match (rest, &mut node.value) {
                (Some(rest), Value::Table(table)) => table.replace(rest, by),
                _ => false,
            }
        })
    }

    /// Puts `node` at the dotted `path`, making tables on the way and replacing what was there.
    pub fn put(&mut self, path: &[Key], node: Node) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        let at = self.entries.iter().position(|(key, _)| key.name == first.name);
        if rest.is_empty() {
            match at {
                Some(at) => {
                    let (key, value) = &mut self.entries[at];
                    key.place.clone_from(&first.place);
                    *value = node;
                }
                None => self.entries.push((first.clone(), node)),
            }
            return;
        }
        let at = at.unwrap_or_else(|| {
            let table = Node { value: Value::Table(Self::default()), place: first.place.clone() };
            self.entries.push((first.clone(), table));
            self.entries.len() - 1
        });
        match &mut self.entries[at].1.value {
            Value::Table(table) => table.put(rest, node),
            // the reader will say that a table belongs here
            other => {
                let mut table = Self::default();
                table.put(rest, node);
                *other = Value::Table(table);
            }
        }
    }
}

impl Value {
    /// What kind of value it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::String(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a number with a fraction",
            Self::Boolean(_) => "a boolean",
            Self::Datetime(_) => "a date or time",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
        }
    }

    /// The value as columns show it: TOML, but a string without quotes.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::String(text) => text.clone(),
            other => other.toml(),
        }
    }

    /// The value as TOML.
    #[must_use]
    pub fn toml(&self) -> String {
        match self {
            Self::String(text) => toml::Value::String(text.clone()).to_string(),
            Self::Integer(value) => value.map_or_else(String::new, |value| value.to_string()),
            Self::Boolean(value) => value.to_string(),
            Self::Float(text) | Self::Datetime(text) => text.clone(),
            Self::Array(values) => {
                let values: Vec<String> = values.iter().map(|node| node.value.toml()).collect();
                format!("[{}]", values.join(", "))
            }
            Self::Table(table) => {
                let entry = |(key, node): &(Key, Node)| format!("{} = {}", key.name, node.value.toml());
                let entries: Vec<String> = table.entries.iter().map(entry).collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }

    /// The value as JSON, for the manifest.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::String(text) | Self::Float(text) | Self::Datetime(text) => text.clone().into(),
            Self::Integer(value) => (*value).into(),
            Self::Boolean(value) => (*value).into(),
            Self::Array(values) => values.iter().map(|node| node.value.json()).collect(),
            Self::Table(table) => {
                table.entries.iter().map(|(key, node)| (key.name.clone(), node.value.json())).collect()
            }
        }
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
