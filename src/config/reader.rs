//! Reading a table's keys: types, ranges, defaults, and what is left over.
//!
//! A reader hands out the values of one table and notes each key that is asked for; [`Reader::finish`] reports the keys
//! that nobody asked for, so that nothing a user writes is silently ignored. Errors are collected, not returned: one
//! reading finds them all.

use super::diagnostic::Diagnostic;
use super::document::{Key, Node, Place, Table, Value};
use crate::spelling::listed;
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// Where errors are collected.
pub(crate) type Errors = RefCell<Vec<Diagnostic>>;

/// Hands out the values of one table.
pub(crate) struct Reader<'a> {
    table: &'a Table,
    /// The dotted path of the table, empty for the root.
    path: String,
    place: Place,
    errors: &'a Errors,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Reader<'a> {
    /// A reader of the whole document.
    #[must_use]
    pub(crate) fn root(table: &'a Table, errors: &'a Errors) -> Self {
        let place = Place { source: 0, span: 0..0 };
        Self { table, path: String::new(), place, errors, asked: RefCell::default() }
    }

    /// Reports an error.
    pub(crate) fn error(&self, diagnostic: Diagnostic) {
        self.errors.borrow_mut().push(diagnostic);
    }

    /// How many errors have been reported so far, here or elsewhere.
    #[must_use]
    pub(crate) fn error_count(&self) -> usize {
        self.errors.borrow().len()
    }

    /// The table's keys and values.
    #[must_use]
    pub(crate) fn entries(&self) -> &'a [(Key, Node)] {
        &self.table.entries
    }

    /// The table's keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.table.entries.iter().map(|(key, _)| key.name.as_str())
    }

    /// Where the value at `path` below this table stands, or the nearest table around it.
    #[must_use]
    pub(crate) fn place_within(&self, path: &[&str]) -> Place {
        self.node_within(path).map_or_else(|place| place, |node| node.place.clone())
    }

    /// Where element `index` of the array at `path` stands.
    #[must_use]
    pub(crate) fn place_within_array(&self, path: &[&str], index: usize) -> Place {
        match self.node_within(path) {
            Ok(Node { value: Value::Array(values), .. }) if index < values.len() => values[index].place.clone(),
            Ok(node) => node.place.clone(),
            Err(place) => place,
        }
    }

    /// Whether there is a value at `path` below this table.
    #[must_use]
    pub(crate) fn is_given(&self, path: &[&str]) -> bool {
        self.node_within(path).is_ok()
    }

    /// Whether there is a table at `path` below this one.
    #[must_use]
    pub(crate) fn has_table(&self, path: &[&str]) -> bool {
        let mut table = self.table;
        path.iter().all(|name| match table.get(name) {
            Some((_, Node { value: Value::Table(inner), .. })) => {
                table = inner;
                true
            }
            _ => false,
        })
    }

    fn node_within(&self, path: &[&str]) -> Result<&'a Node, Place> {
        let (mut table, mut found, mut place) = (self.table, None, self.place());
        for name in path {
            let Some((key, node)) = table.get(name) else {
                return Err(place);
            };
            (found, place) = (Some(node), key.place.clone());
            if let Value::Table(inner) = &node.value {
                table = inner;
            }
        }
        match found {
            // a table's own extent is long; its name shows what is meant
            Some(node) if !matches!(node.value, Value::Table(_)) => Ok(node),
            _ => Err(place),
        }
    }

    /// Where the table's own name stands.
    #[must_use]
    pub(crate) fn place(&self) -> Place {
        self.place.clone()
    }

    /// The dotted path of `key` in this table.
    #[must_use]
    pub(crate) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Where the value of `key` stands, or the table's name if it is not given.
    #[must_use]
    pub(crate) fn place_of(&self, key: &str) -> Place {
        self.table.get(key).map_or_else(|| self.place(), |(_, node)| node.place.clone())
    }

    /// Whether `key` is given.
    #[must_use]
    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// Notes that somebody else reads `key`.
    pub(crate) fn skip(&self, key: &'static str) {
        self.asked.borrow_mut().push(key);
    }

    /// The value of `key` as it stands.
    fn node(&self, key: &'static str) -> Option<&'a Node> {
        self.ask(key).map(|(_, node)| node)
    }

    fn ask(&self, key: &'static str) -> Option<(&'a Key, &'a Node)> {
        self.asked.borrow_mut().push(key);
        self.table.get(key)
    }

    /// An integer within `range`, or `default`.
    pub(crate) fn integer(&self, key: &'static str, default: u64, range: RangeInclusive<u64>) -> u64 {
        self.optional_integer(key, range).unwrap_or(default)
    }

    /// An integer within `range`, if it is given.
    pub(crate) fn optional_integer(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let node = self.node(key)?;
        let value = self.as_integer(node, &self.path_of(key), &range);
        // what is wrong has been reported; the range's start lets the reading go on
        Some(value.unwrap_or(*range.start()))
    }

    /// An integer within `range`, or the one word that is accepted instead, which is none; if it is given.
    pub(crate) fn integer_or(
        &self,
        key: &'static str,
        range: RangeInclusive<u64>,
        word: &'static str,
    ) -> Option<Option<u64>> {
        let node = self.node(key)?;
        let wrong = match &node.value {
            Value::String(text) if text == word => return Some(None),
            Value::String(text) => format!("cannot be \"{text}\""),
            Value::Integer(value) => match value.and_then(|value| u64::try_from(value).ok()) {
                Some(value) if range.contains(&value) => return Some(Some(value)),
                _ => "is out of range".to_owned(),
            },
            other => format!("must be an integer or \"{word}\", not {}", other.kind()),
        };
        let wrong = Diagnostic::at(node.place.clone(), format!("`{}` {wrong}", self.path_of(key)));
        let wrong = wrong.note(format!("accepted: \"{word}\", or an integer {}", in_words(&range)));
        self.error(match &node.value {
            Value::String(text) => wrong.did_you_mean(text, std::iter::once(word)),
            _ => wrong,
        });
        None
    }

    /// An integer within `range` that must be given.
    pub(crate) fn required_integer(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let value = self.optional_integer(key, range.clone());
        if value.is_none() {
            self.missing(key, &format!("an integer {}", in_words(&range)));
        }
        value
    }

    fn as_integer(&self, node: &Node, name: &str, range: &RangeInclusive<u64>) -> Option<u64> {
        let accepted = format!("accepted: an integer {}", in_words(range));
        let Value::Integer(value) = node.value else {
            let message = format!("`{name}` must be an integer, not {}", node.value.kind());
            self.error(Diagnostic::at(node.place.clone(), message).note(accepted));
            return None;
        };
        let value = value.and_then(|value| u64::try_from(value).ok()).filter(|value| range.contains(value));
        if value.is_none() {
            self.error(Diagnostic::at(node.place.clone(), format!("`{name}` is out of range")).note(accepted));
        }
        value
    }

    /// A number within `range`, with or without a fraction, if it is given.
    pub(crate) fn optional_number(&self, key: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let node = self.node(key)?;
        let value = match &node.value {
            Value::Float(written) => written.replace('_', "").parse().ok(),
            Value::Integer(Some(value)) => value.to_string().parse().ok(),
            Value::Integer(None) => None,
            other => {
                let message = format!("`{}` must be a number, not {}", self.path_of(key), other.kind());
                self.error(Diagnostic::at(node.place.clone(), message));
                return Some(*range.start());
            }
        };
        let value = value.filter(|value| range.contains(value));
        if value.is_none() {
            let message = format!("`{}` is out of range", self.path_of(key));
            let accepted = format!("accepted: a number from {} to {}", range.start(), range.end());
            self.error(Diagnostic::at(node.place.clone(), message).note(accepted));
        }
        Some(value.unwrap_or(*range.start()))
    }

    /// True or false.
    pub(crate) fn boolean(&self, key: &'static str, default: bool) -> bool {
        match self.node(key).map(|node| (&node.value, node)) {
            None => default,
            Some((Value::Boolean(value), _)) => *value,
            Some((value, node)) => {
                let message = format!("`{}` must be a boolean, not {}", self.path_of(key), value.kind());
                self.error(Diagnostic::at(node.place.clone(), message).note("accepted: true or false"));
                default
            }
        }
    }

    /// An array of distinct `names`, which must be given: for each that is right its place in the array and among
    /// `names`. `what` is what they name.
    pub(crate) fn registered(&self, key: &'static str, what: &str, names: &[&'static str]) -> Vec<(usize, usize)> {
        let accepted = || format!("accepted: {}", listed(names.iter().copied()));
        let Some(written) = self.strings(key) else {
            if !self.has(key) {
                self.missing(key, &format!("an array of some of {}", listed(names.iter().copied())));
            }
            return Vec::new();
        };
        if written.is_empty() {
            self.error(Diagnostic::at(self.place_of(key), format!("`{key}` names no {what}")).note(accepted()));
        }
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        for (position, (name, place)) in written.into_iter().enumerate() {
            match names.iter().position(|known| *known == name) {
                None => {
                    let message = format!("no {what} is called \"{name}\"");
                    let wrong = Diagnostic::at(place, message).note(accepted());
                    self.error(wrong.did_you_mean(name, names.iter().copied()));
                }
                Some(at) if chosen.iter().any(|(_, other)| *other == at) => {
                    self.error(Diagnostic::at(place, format!("`{name}` stands twice")));
                }
                Some(at) => chosen.push((position, at)),
            }
        }
        chosen
    }

    /// An array of integers within `range` with the place of each, if it is given.
    pub(crate) fn integers(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<Vec<(u64, Place)>> {
        let node = self.node(key)?;
        let name = self.path_of(key);
        let Value::Array(values) = &node.value else {
            let message = format!("`{name}` must be an array of integers, not {}", node.value.kind());
            let accepted = format!("accepted: an array of integers {}", in_words(&range));
            self.error(Diagnostic::at(node.place.clone(), message).note(accepted));
            return None;
        };
        let read = |node: &Node| Some((self.as_integer(node, &name, &range)?, node.place.clone()));
        Some(values.iter().filter_map(read).collect())
    }

    /// A string, if it is given.
    pub(crate) fn string(&self, key: &'static str) -> Option<(&'a str, Place)> {
        let node = self.node(key)?;
        let Value::String(text) = &node.value else {
            let message = format!("`{}` must be a string, not {}", self.path_of(key), node.value.kind());
            self.error(Diagnostic::at(node.place.clone(), message));
            return None;
        };
        Some((text, node.place.clone()))
    }

    /// One of `choices`, or `default`.
    pub(crate) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&'static str, T)], default: T) -> T {
        let Some((text, place)) = self.string(key) else {
            return default;
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text) {
            return *choice;
        }
        let names = || choices.iter().map(|(name, _)| *name);
        let message = format!("`{}` cannot be \"{text}\"", self.path_of(key));
        self.error(
            Diagnostic::at(place, message).note(format!("accepted: {}", listed(names()))).did_you_mean(text, names()),
        );
        default
    }

    /// An array of strings with the place of each, if it is given.
    pub(crate) fn strings(&self, key: &'static str) -> Option<Vec<(&'a str, Place)>> {
        let node = self.node(key)?;
        let message = |node: &Node| {
            let message = format!("`{}` must be an array of strings, not {}", self.path_of(key), node.value.kind());
            self.error(Diagnostic::at(node.place.clone(), message));
        };
        let Value::Array(values) = &node.value else {
            message(node);
            return None;
        };
        let read = |node: &'a Node| match &node.value {
            Value::String(text) => Some((text.as_str(), node.place.clone())),
            _ => {
                message(node);
                None
            }
        };
        Some(values.iter().filter_map(read).collect())
    }

    /// A reader of the table `key`, if it is given.
    pub(crate) fn table(&self, key: &'static str) -> Option<Reader<'a>> {
        let (name, node) = self.ask(key)?;
        self.enter(name, node)
    }

    /// A reader of each table `[[key]]`, in order; none if none is given.
    pub(crate) fn tables(&self, key: &'static str) -> Vec<Reader<'a>> {
        let Some((_, node)) = self.ask(key) else {
            return Vec::new();
        };
        let path = self.path_of(key);
        let wrong = |node: &Node| {
            let message = format!("`{path}` must be an array of tables, not {}", node.value.kind());
            self.error(Diagnostic::at(node.place.clone(), message).note(format!("write each as [[{path}]]")));
        };
        let Value::Array(values) = &node.value else {
            wrong(node);
            return Vec::new();
        };
        let read = |node: &'a Node| match &node.value {
            Value::Table(table) => {
                let (path, place) = (path.clone(), node.place.clone());
                Some(Reader { table, path, place, errors: self.errors, asked: RefCell::default() })
            }
            _ => {
                wrong(node);
                None
            }
        };
        values.iter().filter_map(read).collect()
    }

    /// The values of an array, or the one value that is given instead of it, if any is.
    pub(crate) fn values(&self, key: &'static str) -> Option<Vec<&'a Node>> {
        let node = self.node(key)?;
        Some(match &node.value {
            Value::Array(values) => values.iter().collect(),
            _ => vec![node],
        })
    }

    fn enter(&self, key: &'a Key, node: &'a Node) -> Option<Reader<'a>> {
        let path = self.path_of(&key.name);
        let Value::Table(table) = &node.value else {
            let message = format!("`{path}` must be a table, not {}", node.value.kind());
            self.error(Diagnostic::at(node.place.clone(), message).note(format!("write it as [{path}]")));
            return None;
        };
        Some(Reader { table, path, place: key.place.clone(), errors: self.errors, asked: RefCell::default() })
    }

    /// The one table of this one, by name: a choice such as `[network.mesh]`. `None` if it is not exactly one of
    /// `choices`, which is reported.
    pub(crate) fn only_table(&self, choices: &[&'static str]) -> Option<(&'static str, Reader<'a>)> {
        self.asked.borrow_mut().extend(choices);
        let given: Vec<_> = choices.iter().filter_map(|name| Some((*name, self.table.get(name)?))).collect();
        let accepted = format!("accepted: exactly one of {}", tables(&self.path, choices));
        match given.as_slice() {
            [(name, (key, node))] => Some((*name, self.enter(key, node)?)),
            [] => {
                // a misspelt one is reported by `finish`
                if self.table.entries.is_empty() {
                    let message = format!("[{}] names no {}", self.path, self.path);
                    self.error(Diagnostic::at(self.place(), message).note(accepted));
                }
                None
            }
            [_, .., (_, (key, _))] => {
                let message = format!("more than one [{}.*]", self.path);
                self.error(Diagnostic::at(key.place.clone(), message).note(accepted));
                None
            }
        }
    }

    /// Reports that `key` is not given.
    pub(crate) fn missing(&self, key: &str, what: &str) {
        let message = format!("`{}` is missing", self.path_of(key));
        self.error(Diagnostic::at(self.place(), message).note(format!("needed: {what}")));
    }

    /// Reports the keys that nobody has asked for.
    pub(crate) fn finish(&self) {
        let asked = self.asked.borrow();
        for (key, _) in &self.table.entries {
            if !asked.contains(&key.name.as_str()) {
                let table = if self.path.is_empty() { String::new() } else { format!(" in [{}]", self.path) };
                let message = format!("unknown key `{}`{table}", key.name);
                let mut names = asked.clone();
                names.dedup();
                let accepted = format!("accepted: {}", listed(names.iter().copied()));
                self.error(
                    Diagnostic::at(key.place.clone(), message)
                        .note(accepted)
                        .did_you_mean(&key.name, asked.iter().copied()),
                );
            }
        }
    }
}

fn in_words(range: &RangeInclusive<u64>) -> String {
    if *range.end() == u64::MAX {
        format!("from {}", range.start())
    } else {
        format!("from {} to {}", range.start(), range.end())
    }
}

fn tables(path: &str, names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("[{path}.{name}]")).collect();
    names.join(", ")
}
