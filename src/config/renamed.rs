//! Old spellings of keys, which scenarios may still use.
//!
//! A key declares the names that it had before. Each occurrence of one in a document is replaced by the name of today before
//! anything else reads the document, in tables, in `[sweep]` and its conditions. Everything behind this module knows the names of
//! today only.

use super::diagnostic::{Diagnostic, Place};
use super::range;
use super::value::{Key, Node, Table, Value, joined};
use crate::units::Key as Declared;
use crate::units::key::Takes;
use std::borrow::Cow;

/// Old spellings that a scenario uses.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    /// A note for each, such as "`error.on` is now `error.quantity`".
    pub(crate) notes: Vec<String>,
    /// An error for each key that a table gives in both spellings.
    pub(super) errors: Vec<Diagnostic>,
}

impl Renamed {
    /// Replaces old spellings in `root`, a scenario or a part of one, whose keys are `declared`.
    pub(super) fn update(&mut self, root: &mut Table, declared: &'static [Declared]) {
        self.table(root, (declared, declared), "");
        let Some(Value::Table(sweep)) = root.get_mut("sweep") else { return };
        self.table(sweep, (declared, declared), "");
        if let Some(Value::Array(groups)) = sweep.get_mut("zip") {
            for group in groups {
                if let Value::Table(group) = &mut group.value {
                    self.table(group, (declared, declared), "");
                }
            }
        }
        if let Some(Value::Array(conditions)) = sweep.get_mut("where") {
            for condition in conditions {
                if let Value::String(text) = &mut condition.value {
                    *text = updated_names(text, declared);
                }
            }
        }
    }

    /// Replaces old spellings in the table at the dotted `path`, and in expressions in it. `keys` are those of a whole scenario and
    /// those of the table. Keys of `[sweep]` may be dotted themselves.
    fn table(&mut self, table: &mut Table, keys: (&'static [Declared], &'static [Declared]), path: &str) {
        let (root, declared) = keys;
        for index in 0..table.entries.len() {
            let name = table.entries[index].0.name.clone();
            if let Cow::Owned(now) = updated_path(&name, declared) {
                let (old, new) = (joined(path, &name), joined(path, &now));
                if let Some((other, _)) = table.get(&now) {
                    let span = table.entries[index].0.place.clone();
                    self.errors.push(conflict(&old, &new, span, &other.place));
                }
                self.note(&old, &new);
                table.entries[index].0.name = now;
            }
            let (key, node) = &mut table.entries[index];
            let is_formula = declaration(&key.name, declared).is_some_and(|key| matches!(key.takes, Takes::Formula));
            let inner = (root, inner_keys(&key.name, declared));
            let path = joined(path, &key.name);
            match &mut node.value {
                Value::Table(table) if !range::is_range(table) => self.table(table, inner, &path),
                Value::Array(tables) if !inner.1.is_empty() => self.array(tables, inner, &path),
                Value::String(formula) if is_formula => *formula = updated_names(formula, root),
                _ => {}
            }
        }
    }

    fn array(&mut self, tables: &mut [Node], keys: (&'static [Declared], &'static [Declared]), path: &str) {
        for node in tables {
            if let Value::Table(table) = &mut node.value {
                self.table(table, keys, path);
            }
        }
    }

    /// Replaces old spellings in the `path` of an assignment.
    pub(super) fn update_path(&mut self, path: &mut [Key], declared: &'static [Declared]) {
        let names: Vec<&str> = path.iter().map(|key| key.name.as_str()).collect();
        let updated = self.updated(&names.join("."), declared);
        for (key, name) in path.iter_mut().zip(updated.split('.')) {
            name.clone_into(&mut key.name);
        }
    }

    /// Returns the dotted `path` with the present names of its keys.
    pub(super) fn updated(&mut self, path: &str, declared: &'static [Declared]) -> String {
        let updated = updated_path(path, declared);
        if let Cow::Owned(new) = &updated {
            self.note(path, new);
        }
        updated.into_owned()
    }

    fn note(&mut self, old: &str, new: &str) {
        let note = format!("`{old}` is now `{new}`");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

fn conflict(old: &str, new: &str, place: Place, other: &Place) -> Diagnostic {
    Diagnostic::at(place, format!("`{old}` and `{new}` are the same key"))
        .related(other.clone(), "given here with its present name")
        .hint(format!("keep `{new}`, which is the present name"))
}

fn declaration<'a>(name: &str, declared: &'a [Declared]) -> Option<&'a Declared> {
    declared.iter().find(|key| key.name == name || key.aliases.contains(&name) || key.has_any_name())
}

/// The keys of the table at the dotted path `name`.
fn inner_keys(name: &str, declared: &'static [Declared]) -> &'static [Declared] {
    name.split('.').fold(declared, |keys, name| declaration(name, keys).map_or(&[], Declared::inner))
}

/// The dotted path `name` with the present names of its keys. Owned if it has an old spelling.
pub(crate) fn updated_path<'a>(name: &'a str, declared: &[Declared]) -> Cow<'a, str> {
    translated(name, declared, |key| key.name)
}

/// The name of the column of the swept key at the dotted `path`: the name that the key had first, because columns keep their names.
pub(crate) fn column_name<'a>(path: &'a str, declared: &[Declared]) -> Cow<'a, str> {
    translated(path, declared, |key| key.aliases.first().copied().unwrap_or(key.name))
}

fn translated<'a>(path: &'a str, declared: &[Declared], name: fn(&Declared) -> &'static str) -> Cow<'a, str> {
    let mut keys = declared;
    let mut names = Vec::new();
    for part in path.split('.') {
        let key = declaration(part, keys);
        names.push(key.filter(|key| !key.has_any_name()).map_or(part, name));
        keys = key.map_or(&[], Declared::inner);
    }
    if names.iter().copied().eq(path.split('.')) { Cow::Borrowed(path) } else { Cow::Owned(names.join(".")) }
}

/// The expression `text` with the present names of keys. Strings in it are left as they are.
fn updated_names(text: &str, declared: &[Declared]) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut updated = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if is_name(first) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(end);
        updated += &updated_path(token, declared);
        rest = behind;
    }
    updated
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::document::parse;
    use super::*;

    const ERROR: &[Declared] = &[Declared::text("quantity").aliases(&["on"]), Declared::text("sigma")];
    const CLAIM: &[Declared] = &[Declared::formula("holds")];
    const KEYS: &[Declared] =
        &[Declared::table("error", ERROR), Declared::free("sweep"), Declared::tables("claim", CLAIM)];

    fn updated(text: &str) -> (String, Renamed) {
        let mut table = parse(text, 0).unwrap();
        let mut renamed = Renamed::default();
        renamed.update(&mut table, KEYS);
        (table.toml(), renamed)
    }

    #[test]
    fn old_spellings_are_replaced_in_tables_sweeps_and_conditions() {
        let (table, renamed) = updated("error.on = 'x'\nother.on = 1");
        assert_eq!(table, parse("error.quantity = 'x'\nother.on = 1", 0).unwrap().toml());
        assert_eq!(renamed.notes, ["`error.on` is now `error.quantity`"]);
        assert!(renamed.errors.is_empty());
        let old = "[sweep]\n'error.on' = ['x']\nwhere = [\"error.on == 'error.on' and error.sigma < 1\"]";
        let new = "[sweep]\n'error.quantity' = ['x']\nwhere = [\"error.quantity == 'error.on' and error.sigma < 1\"]";
        assert_eq!(updated(old).0, parse(new, 0).unwrap().toml());
        let claim = |name: &str| format!("[[claim]]\nholds = \"{name} == 'x'\"");
        assert_eq!(updated(&claim("error.on")).0, parse(&claim("error.quantity"), 0).unwrap().toml());
        let zip = |name: &str| format!("[[sweep.zip]]\n{name} = ['x']\n'error.sigma' = [1]");
        assert_eq!(updated(&zip("error.on")).0, parse(&zip("error.quantity"), 0).unwrap().toml());
        assert_eq!(updated(&zip("'error.on'")).0, parse(&zip("'error.quantity'"), 0).unwrap().toml());
    }

    #[test]
    fn both_spellings_are_an_error() {
        let (_, renamed) = updated("[error]\non = 'x'\nquantity = 'y'");
        assert_eq!(renamed.errors.len(), 1);
        assert!(updated("[error]\nquantity = 'y'").1.notes.is_empty());
    }

    #[test]
    fn columns_keep_their_first_names() {
        assert_eq!(column_name("error.quantity", KEYS), "error.on");
        assert_eq!(column_name("error.sigma", KEYS), "error.sigma");
        assert_eq!(updated_path("error.on.0", KEYS), "error.quantity.0");
    }
}
