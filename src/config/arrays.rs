//! Arrays of integers of declared keys.

use super::diagnostic::{Diagnostic, Place};
use super::reader::Reader;
use super::value::{Node, Value};
use super::values::accepted;
use crate::units::Key;
use crate::units::key::Takes;

impl<'a> Reader<'a> {
    /// An array of integers in the key's range with the place of each, if it is given.
    pub fn integers(&self, key: &Key) -> Option<Vec<(u64, &'a Place)>> {
        let Takes::Integers(_, most) = key.takes else { return None };
        self.integers_to(key, most)
    }

    /// Integers as [`Self::integers`] returns them, each at most `most`.
    pub fn integers_to(&self, key: &Key, most: u64) -> Option<Vec<(u64, &'a Place)>> {
        let node = self.node(key)?;
        let Takes::Integers(least, _) = key.takes else { return None };
        let Value::Array(values) = &node.value else {
            return self.refuse(node, key, "an array of integers", Takes::Integers(least, most));
        };
        let read = |node: &'a Node| Some((self.as_integer(node, key, (least, most))?, &node.place));
        Some(values.iter().filter_map(read).collect())
    }

    /// The integers of an array, or as an error the word that is given instead of it or is the default. Returns `None` if neither is right.
    pub fn integers_or_word(&self, key: &Key) -> Option<Result<Vec<u64>, &'static str>> {
        let Takes::IntegersOrWord(least, most, words) = key.takes else { return None };
        let Some(node) = self.node(key) else { return key.default.word().map(Err) };
        match &node.value {
            Value::Array(values) => {
                let read = |node: &'a Node| self.as_integer(node, key, (least, most));
                Some(Ok(values.iter().filter_map(read).collect()))
            }
            Value::String(text) if let Some(word) = words.iter().find(|word| *word == text) => Some(Err(word)),
            _ => self.refuse(node, key, "an array of integers or a word", key.takes),
        }
    }

    /// The integers of an array, or the one integer that is given instead of it, with the place of each, if it is given.
    pub fn integer_or_array(&self, key: &Key) -> Option<Vec<(u64, &'a Place)>> {
        let Takes::IntegerOrArray(least, most) = key.takes else { return None };
        let nodes = self.values(key)?;
        if nodes.is_empty() {
            let error = Diagnostic::at(self.place_of(key.name), format!("`{}` is empty", self.path_of(key.name)));
            self.error(error.note(accepted(key, key.takes)));
        }
        let read = |node: &'a Node| Some((self.as_integer(node, key, (least, most))?, &node.place));
        Some(nodes.into_iter().filter_map(read).collect())
    }

    /// Arrays with the number of integers that the key declares, with the place of each, if the key is given.
    pub fn rows(&self, key: &Key) -> Option<Vec<(Vec<u64>, &'a Place)>> {
        let node = self.node(key)?;
        let Takes::Rows(integers) = key.takes else { return None };
        let Value::Array(rows) = &node.value else { return self.refuse(node, key, "an array of arrays", key.takes) };
        let mut read = Vec::new();
        for row in rows {
            let Value::Array(values) = &row.value else {
                self.refuse::<()>(row, key, &format!("arrays of {integers} integers"), key.takes);
                continue;
            };
            if values.len() != integers {
                let message = format!("has a row of length {} instead of {integers}", values.len());
                self.error(self.wrong(row, key, &message).note(accepted(key, key.takes)));
                continue;
            }
            let cell = |node: &'a Node| self.as_integer(node, key, (0, u64::MAX));
            let values: Vec<u64> = values.iter().filter_map(cell).collect();
            if values.len() == integers {
                read.push((values, &row.place));
            }
        }
        Some(read)
    }
}
