//! Values of TOML with their places: tables that remember the order in which they were written.
//!
//! Knows how tables nest and how a value is written; refuses to know where values come from and what keys mean.

use super::diagnostic::Place;

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

impl Node {
    /// Returns true if a key of an inner table is at `place`.
    pub(super) fn has_key_at(&self, place: &Place) -> bool {
        match &self.value {
            Value::Table(table) => {
                table.entries.iter().any(|(key, node)| key.place == *place || node.has_key_at(place))
            }
            Value::Array(nodes) => nodes.iter().any(|node| node.has_key_at(place)),
            _ => false,
        }
    }
}

impl Key {
    /// The name as TOML.
    fn toml(&self) -> String {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        match !self.name.is_empty() && self.name.chars().all(is_bare) {
            true => self.name.clone(),
            false => toml::Value::String(self.name.clone()).to_string(),
        }
    }
}

/// The dotted path of the key `name` in the table at the dotted `path`, which is empty for the root.
pub(crate) fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The parts of a dotted key that stands at `place`.
pub(crate) fn dotted(key: &str, place: &Place) -> Vec<Key> {
    key.split('.').map(|name| Key { name: name.trim().to_owned(), place: place.clone() }).collect()
}

impl Table {
    /// The table as JSON, for the manifest.
    pub fn json(&self) -> serde_json::Value {
        self.entries.iter().map(|(key, node)| (key.name.clone(), node.value.json())).collect()
    }

    /// The table as TOML that reads as the same table, a line for each of its names.
    pub fn toml(&self) -> String {
        self.entries.iter().map(|(key, node)| format!("{} = {}\n", key.toml(), node.value.exact_toml())).collect()
    }

    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<(&Key, &Node)> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(key, node)| (key, node))
    }

    /// The value at the path of these names.
    pub(crate) fn node(&self, path: &[&str]) -> Option<&Node> {
        let (first, rest) = path.split_first()?;
        let (_, node) = self.get(first)?;
        match (rest, &node.value) {
            ([], _) => Some(node),
            (rest, Value::Table(inner)) => inner.node(rest),
            _ => None,
        }
    }

    /// The string at the path of these names, if there is one.
    pub(crate) fn text(&self, path: &[&str]) -> Option<&str> {
        match &self.node(path)?.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.entries.iter_mut().find(|(key, _)| key.name == name).map(|(_, node)| &mut node.value)
    }

    /// Removes what stands at the dotted `path`, however its parts are spread over quoted keys and tables.
    pub(super) fn remove(&mut self, path: &str) {
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
    pub(super) fn replace(&mut self, path: &str, by: &Node) -> bool {
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
    pub fn kind(&self) -> &'static str {
        match self {
            Self::String(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Float(text) if text.ends_with("nan") => "nan",
            Self::Float(text) if text.ends_with("inf") => "infinity",
            Self::Float(text) if text.contains(['e', 'E']) => "a number with an exponent",
            Self::Float(_) => "a number with a fraction",
            Self::Boolean(_) => "a boolean",
            Self::Datetime(_) => "a date or time",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
        }
    }

    /// The value as columns show it: TOML, but a string without quotes.
    pub fn text(&self) -> String {
        match self {
            Self::String(text) => text.clone(),
            other => other.toml(),
        }
    }

    /// The value as TOML that reads as the same value: keys with dots in them are quoted.
    fn exact_toml(&self) -> String {
        match self {
            Self::Array(values) => {
                let values: Vec<String> = values.iter().map(|node| node.value.exact_toml()).collect();
                format!("[{}]", values.join(", "))
            }
            Self::Table(table) => {
                let entry = |(key, node): &(Key, Node)| format!("{} = {}", key.toml(), node.value.exact_toml());
                let entries: Vec<String> = table.entries.iter().map(entry).collect();
                format!("{{ {} }}", entries.join(", "))
            }
            other => other.toml(),
        }
    }

    /// The value as TOML, for people to read.
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
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::String(text) | Self::Float(text) | Self::Datetime(text) => text.clone().into(),
            Self::Integer(value) => (*value).into(),
            Self::Boolean(value) => (*value).into(),
            Self::Array(values) => values.iter().map(|node| node.value.json()).collect(),
            Self::Table(table) => table.json(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::document::Document;

    #[test]
    fn what_is_written_reads_the_same() {
        let text =
            "b = 1\na.c = [{ x = 1.50, \"y.z\" = 'q\"\\' }, []]\n[sweep]\n\"k.l\" = [1_0, 0x1f]\nwhere = [\"b > 0\"]\n";
        let root = Document::parse("s", text).unwrap().root;
        let again = Document::parse("s", &root.toml()).unwrap().root;
        assert_eq!(root.json(), again.json());
        assert_eq!(root.toml(), again.toml());
    }
}
