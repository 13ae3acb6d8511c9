//! Values of keys that are read before it is known which part of the program they are for.

use super::reader::Reader;
use crate::units::Key;
use crate::units::key::{Fallback, Takes};

/// The value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyValue {
    /// An integer.
    Integer(u64),
    /// A word, or the name of a file.
    Text(String),
}

/// The keys of a table that are given, with their values.
#[derive(Clone, Debug, Default)]
pub struct KeyValues(Vec<(&'static str, KeyValue)>);

impl FromIterator<(&'static str, KeyValue)> for KeyValues {
    fn from_iter<I: IntoIterator<Item = (&'static str, KeyValue)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Reader<'_> {
    /// The values of `keys`, which take integers, words and file names.
    pub fn key_values(&self, keys: &[Key]) -> KeyValues {
        let value = |key: &Key| match key.takes {
            Takes::Integer(..) => self.optional_integer(key).map(KeyValue::Integer),
            Takes::Word(_) => self.word(key).map(|word| KeyValue::Text(word.to_owned())),
            _ => self.string(key).map(|(text, _)| KeyValue::Text(text.to_owned())),
        };
        keys.iter().filter_map(|key| Some((key.name, value(key)?))).collect()
    }
}

impl KeyValues {
    fn get(&self, key: &Key) -> Option<&KeyValue> {
        self.0.iter().find(|(name, _)| *name == key.name).map(|(_, value)| value)
    }

    /// The integer of `key`, or its default.
    pub fn integer(&self, key: &Key) -> u64 {
        match (self.get(key), key.default) {
            (Some(&KeyValue::Integer(value)), _) | (None, Fallback::Integer(value)) => value,
            _ => 0,
        }
    }

    /// The text of `key`, if it is given.
    pub fn text(&self, key: &Key) -> Option<&str> {
        if let Some(KeyValue::Text(text)) = self.get(key) { Some(text) } else { None }
    }

    /// The one of `choices` that `key` names, if it is given.
    pub fn choice<T: Copy>(&self, key: &Key, choices: &[(&'static str, T)]) -> Option<T> {
        let word = self.text(key)?;
        choices.iter().find(|(name, _)| *name == word).map(|&(_, choice)| choice)
    }
}
