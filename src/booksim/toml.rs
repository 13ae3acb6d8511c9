//! Tables of a scenario as TOML text.

use std::fmt::{self, Display, Formatter};

/// A value of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TomlValue {
    Integer(i64),
    Number(f64),
    Boolean(bool),
    Text(String),
    Integers(Vec<i64>),
}

impl Display for TomlValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            // always with a point or an exponent
            Self::Number(value) => write!(f, "{value:?}"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            Self::Integers(values) => write!(f, "{values:?}"),
        }
    }
}

impl From<i64> for TomlValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for TomlValue {
    fn from(value: f64) -> Self {
        Self::Number(rounded(value))
    }
}

impl From<bool> for TomlValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<&str> for TomlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<i64>> for TomlValue {
    fn from(values: Vec<i64>) -> Self {
        Self::Integers(values)
    }
}

/// `value` with twelve significant digits, so that products of decimal numbers show no rounding errors.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// Keys with their values, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entries(Vec<(&'static str, TomlValue)>);

impl Entries {
    /// Adds a key.
    pub(super) fn insert(&mut self, key: &'static str, value: impl Into<TomlValue>) {
        self.0.push((key, value.into()));
    }

    /// Adds a key with the value `true`, if `value` is true.
    pub(super) fn insert_if(&mut self, key: &'static str, value: bool) {
        if value {
            self.insert(key, true);
        }
    }

    /// Adds a key, unless `value` is the default of a scenario.
    pub(super) fn insert_unless<T: Into<TomlValue> + PartialEq>(&mut self, key: &'static str, value: T, default: &T) {
        if value != *default {
            self.insert(key, value);
        }
    }

    /// Adds all keys of `others`.
    pub(super) fn append(&mut self, others: &Self) {
        self.0.extend_from_slice(&others.0);
    }
}

impl Display for Entries {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(key, value)| writeln!(f, "{key} = {value}"))
    }
}

/// A table with its header, such as `[channel]`. The keys at the top have an empty header.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TomlTable {
    header: String,
    pub(super) entries: Entries,
}

impl TomlTable {
    /// A table without keys.
    pub(super) fn new(header: &str) -> Self {
        Self { header: header.to_owned(), entries: Entries::default() }
    }

    /// Adds a key.
    pub(super) fn insert(&mut self, key: &'static str, value: impl Into<TomlValue>) {
        self.entries.insert(key, value);
    }
}

impl Display for TomlTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.header.is_empty() {
            writeln!(f, "{}", self.header)?;
        }
        write!(f, "{}", self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_written_as_toml() {
        let mut table = TomlTable::new("[channel]");
        table.insert("buffer", 8);
        table.insert("rate", 0.1 * 3.0);
        table.insert("internal_speedup", 2.0);
        table.insert("atomic", true);
        table.insert("file", "a\\\"b");
        table.insert("shape", vec![8, 8]);
        table.entries.insert_unless("networks", 1, &1);
        let text = "[channel]\nbuffer = 8\nrate = 0.3\ninternal_speedup = 2.0\natomic = true\nfile = \"a\\\\\\\"b\"\nshape = [8, 8]\n";
        assert_eq!(table.to_string(), text);
    }
}
