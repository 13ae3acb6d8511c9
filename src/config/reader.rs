//! Reading a table's keys as they are declared: types, ranges, defaults, and what is left over.
//!
//! A reader hands out the values of one table by [`Key`]; [`Reader::finish`] reports the keys that the table does not
//! declare, and those that are not read here, so that nothing a user writes is silently ignored. Errors are collected,
//! not returned: one reading finds them all. What is right costs a search among the table's entries and no more: paths
//! are spelt, and places copied, for errors alone.

use super::diagnostic::{Diagnostic, Place};
use super::quantity::{Quantity, Scale};
use super::value::{self, Node, Table, Value};
use crate::units::Key;
use crate::units::key::ANY_NAME;
use std::cell::RefCell;

pub(crate) type Errors = RefCell<Vec<Diagnostic>>;

/// The lengths of ticks and flits in a scenario with units, and the values with units before they became integers.
#[derive(Debug)]
pub(crate) struct Measured<'a> {
    pub(crate) scale: Scale,
    /// The point as it is written.
    pub(crate) raw: &'a Table,
    /// Each value that had a unit, by the dotted path of its key.
    pub(crate) quantities: Vec<(String, Quantity)>,
}

/// Hands out the values of one table.
pub struct Reader<'a> {
    table: &'a Table,
    /// What the table declares.
    pub(super) declared: &'static [Key],
    /// The table around it; none for the root.
    pub(super) parent: Option<&'a Reader<'a>>,
    /// Its name in the table around it.
    name: &'a str,
    place: &'a Place,
    errors: &'a Errors,
    /// The units of the scenario, if it has any.
    measured: Option<&'a Measured<'a>>,
}

/// Where the root stands.
static START: Place = Place { source: 0, span: 0..0 };

impl<'a> Reader<'a> {
    /// A reader of the whole document, which declares `keys`.
    pub(crate) fn root(table: &'a Table, keys: &'static [Key], errors: &'a Errors) -> Self {
        Self { table, declared: keys, parent: None, name: "", place: &START, errors, measured: None }
    }

    /// Returns a reader of the same document that collects errors in `errors`.
    pub(crate) fn with_errors(&self, errors: &'a Errors) -> Self {
        Self {
            table: self.table,
            declared: self.declared,
            parent: None,
            name: "",
            place: self.place,
            errors,
            measured: self.measured,
        }
    }

    /// Returns the reader with the units that the values of its document had.
    pub(crate) fn measured(self, measured: &'a Measured<'a>) -> Self {
        Self { measured: Some(measured), ..self }
    }

    /// The lengths of ticks and flits, if the scenario has units.
    pub(crate) fn scale(&self) -> Option<Scale> {
        self.measured.map(|measured| measured.scale)
    }

    /// The value of the key at the dotted `path` before it became an integer, if it had a unit.
    pub(crate) fn quantity(&self, path: &str) -> Option<Quantity> {
        let quantities = &self.measured?.quantities;
        quantities.iter().find(|(key, _)| key == path).map(|(_, quantity)| *quantity)
    }

    /// Reports an error.
    pub fn error(&self, diagnostic: Diagnostic) {
        self.errors.borrow_mut().push(diagnostic);
    }

    /// How many errors have been reported so far, here or elsewhere.
    pub fn error_count(&self) -> usize {
        self.errors.borrow().len()
    }

    /// The table's keys and values.
    pub fn entries(&self) -> &'a [(value::Key, Node)] {
        &self.table.entries
    }

    /// The table's keys.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.table.entries.iter().map(|(key, _)| key.name.as_str())
    }

    /// Where the value at `path` below this table stands, or the nearest table around it.
    pub fn place_within(&self, path: &[&str]) -> Place {
        self.node_within(path).map_or_else(Clone::clone, |node| node.place.clone())
    }

    /// Where element `index` of the array at `path` stands.
    pub fn place_within_array(&self, path: &[&str], index: usize) -> Place {
        match self.node_within(path) {
            Ok(Node { value: Value::Array(values), .. }) if index < values.len() => values[index].place.clone(),
            Ok(node) => node.place.clone(),
            Err(place) => place.clone(),
        }
    }

    /// Whether there is a value at `path` below this table.
    pub fn is_given(&self, path: &[&str]) -> bool {
        self.node_within(path).is_ok()
    }

    /// The text that the key at `path` is given, if it is text: for what has to be known before that is read.
    pub fn text_within(&self, path: &[&str]) -> Option<&str> {
        match self.node_within(path) {
            Ok(Node { value: Value::String(text), .. }) => Some(text),
            _ => None,
        }
    }

    /// The number of elements of the array at `path`, if there is one.
    pub fn length_within(&self, path: &[&str]) -> Option<usize> {
        match self.node_within(path) {
            Ok(Node { value: Value::Array(values), .. }) => Some(values.len()),
            _ => None,
        }
    }

    /// Returns true if there is a table at `path` below this one. `ANY_NAME` stands for a table of any name.
    pub fn has_table(&self, path: &[&str]) -> bool {
        let mut table = self.table;
        path.iter().all(|name| {
            let found = table.entries.iter().find_map(|(key, node)| match &node.value {
                Value::Table(inner) if key.name == *name || *name == ANY_NAME => Some(inner),
                _ => None,
            });
            table = found.unwrap_or(table);
            found.is_some()
        })
    }

    fn node_within(&self, path: &[&str]) -> Result<&'a Node, &'a Place> {
        let mut table = self.table;
        let mut found = None;
        let mut place = self.place;
        for name in path {
            let Some((key, node)) = table.get(name) else {
                return Err(place);
            };
            found = Some(node);
            place = &key.place;
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
    pub fn place(&self) -> Place {
        self.place.clone()
    }

    /// The dotted path of the table, empty for the root.
    pub fn path(&self) -> String {
        self.parent.map_or_else(String::new, |parent| parent.path_of(self.name))
    }

    /// The root of the document as it is written.
    pub(super) fn written_root(&self) -> &'a Table {
        let root = self.outermost();
        root.measured.map_or(root.table, |measured| measured.raw)
    }

    /// The dotted path of `key` in this table, or of the key in another unit that gives its value.
    pub fn path_of(&self, key: &str) -> String {
        let other = self.declared.iter().find(|other| other.fills == key && self.has(other.name));
        let key = other.map_or(key, |other| other.name);
        let path = self.path();
        if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
    }

    /// Where the value of `key` stands, or the table's name if it is not given.
    pub fn place_of(&self, key: &str) -> Place {
        self.table.get(key).map_or_else(|| self.place(), |(_, node)| node.place.clone())
    }

    /// Whether `key` is given.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// Whether the declared `key` is given.
    pub fn gives(&self, key: &Key) -> bool {
        self.node(key).is_some()
    }

    pub(super) fn node(&self, key: &Key) -> Option<&'a Node> {
        debug_assert!(self.declaration(key.name).is_some());
        self.table.get(key.name).map(|(_, node)| node)
    }

    /// A reader of the table called `name`, which is declared, if it is given.
    pub fn table(&self, name: &str) -> Option<Reader<'_>> {
        let key = self.declaration(name)?;
        let (written, node) = self.table.get(name)?;
        let Value::Table(table) = &node.value else {
            let path = self.path_of(name);
            let message = format!("`{path}` must be a table, not {}", node.value.kind());
            self.error(Diagnostic::at(node.place.clone(), message).note(format!("write it as [{path}]")));
            return None;
        };
        Some(Reader { name: &written.name, ..self.below(key, table, &written.place) })
    }

    /// A reader of each table `[[name]]`, in order; none if none is given.
    pub fn tables(&self, name: &str) -> Vec<Reader<'_>> {
        let Some((key, node)) = self.declaration(name).and_then(|key| Some((key, self.node(key)?))) else {
            return Vec::new();
        };
        let Value::Array(values) = &node.value else {
            self.refuse_tables(node, key);
            return Vec::new();
        };
        let read = |node: &'a Node| match &node.value {
            Value::Table(table) => Some(self.below(key, table, &node.place)),
            _ => {
                self.refuse_tables(node, key);
                None
            }
        };
        values.iter().filter_map(read).collect()
    }

    fn refuse_tables(&self, node: &Node, key: &Key) {
        self.error(
            self.not_a(node, key, "an array of tables").note(format!("write each as [[{}]]", self.path_of(key.name))),
        );
    }

    fn below<'r>(&'r self, key: &Key, table: &'r Table, place: &'r Place) -> Reader<'r> {
        Reader {
            table,
            declared: key.inner(),
            parent: Some(self),
            name: key.name,
            place,
            errors: self.errors,
            measured: self.measured,
        }
    }

    /// The declaration of `name`. A table that is read but not declared is a mistake of the reader.
    fn declaration(&self, name: &str) -> Option<&'static Key> {
        let key = Key::find(self.declared, name);
        debug_assert!(key.is_some(), "`{}` is read, but not declared", self.path_of(name));
        key
    }

    /// The one table of this one, and its name: a choice such as `[network.mesh]`. None if it is not exactly one of
    /// those declared, which is reported.
    pub fn only_table(&self) -> Option<(&'static str, Reader<'_>)> {
        let mut given = self.declared.iter().filter(|key| self.has(key.name));
        let first = given.next();
        match (first, given.next_back()) {
            (Some(key), None) => Some((key.name, self.table(key.name)?)),
            (Some(key), Some(other)) => {
                self.error(self.several(key, other));
                None
            }
            // a misspelt one is reported by `finish`
            (None, _) => {
                if self.table.entries.is_empty() {
                    self.error(self.not_one(self.place, "[", &format!("] does not select a {}", self.path())));
                }
                None
            }
        }
    }

    /// That both tables stand here. Where the command line sets the one, the other can be taken away.
    fn several(&self, one: &Key, other: &Key) -> Diagnostic {
        let place = |key: &Key| self.table.get(key.name).map_or(self.place, |(key, _)| &key.place);
        let (first, last) = (place(one), place(other));
        let (away, shown) = if first.source < last.source { (one, last) } else { (other, first) };
        if first.source == last.source {
            return self.not_one(last, "more than one table [", ".*]");
        }
        let wrong = self.not_one(shown, "more than one table [", ".*]");
        wrong.hint(format!("--unset {} removes the other one", self.path_of(away.name)))
    }

    fn not_one(&self, place: &Place, before: &str, behind: &str) -> Diagnostic {
        let path = self.path();
        let tables: Vec<String> = self.declared.iter().map(|key| format!("[{path}.{}]", key.name)).collect();
        let wrong = Diagnostic::at(place.clone(), format!("{before}{path}{behind}"));
        wrong.note(format!("accepted: exactly one of {}", tables.join(", ")))
    }

    /// That the value of `key` is not `what`.
    pub(super) fn not_a(&self, node: &Node, key: &Key, what: &str) -> Diagnostic {
        self.wrong(node, key, &format!("must be {what}, not {}", node.value.kind()))
    }

    /// Something that is wrong with the value of `key`.
    pub(super) fn wrong(&self, node: &Node, key: &Key, wrong: &str) -> Diagnostic {
        Diagnostic::at(node.place.clone(), format!("`{}` {wrong}", self.path_of(key.name)))
    }

    /// Reports `key` if it is not given.
    pub fn demand(&self, key: &Key) {
        if !self.gives(key) {
            let other = self.declared.iter().find(|other| other.fills == key.name);
            let other = other.map_or_else(String::new, |other| format!(", or `{}`", other.name));
            self.missing(key.name, &format!("{}{other} (accepted: {})", key.sentence, key.values_text()));
        }
    }

    /// Reports that `key` is not given.
    pub fn missing(&self, key: &str, what: &str) {
        let message = format!("`{}` is missing", self.path_of(key));
        self.error(Diagnostic::at(self.place(), message).note(format!("needed: {what}")));
    }
}
