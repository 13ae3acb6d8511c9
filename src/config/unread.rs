//! Keys that are written and not read: unknown ones, and those that belong to another choice.
//!
//! Knows what tables declare; refuses to know what keys mean.

use super::diagnostic::{Diagnostic, Place};
use super::reader::Reader;
use super::value::{self, Node, Value};
use super::values::EVERY;
use crate::spelling::{closest, listed};
use crate::synonyms;
use crate::units::Key;
use crate::units::key::{Fallback, Readers, Takes, assignment};

/// The most unknown keys of a table that are looked at one by one: a table that has more is a table of something else.
const UNKNOWN: usize = 100;

impl Reader<'_> {
    /// Reports the keys that the table does not declare, and those that are not read beside what it says.
    pub fn finish(&self) {
        self.finish_with(&[]);
    }

    /// As [`Self::finish`], with the `defaults` of keys for which these depend on other tables. A key that is read only with such
    /// a value is read with the default, too.
    pub fn finish_with(&self, defaults: &[(&Key, &str)]) {
        let mut unknown = Vec::new();
        for (written, node) in self.entries() {
            match Key::find(self.declared, &written.name) {
                Some(key) => self.refuse_unread(key, written, node, defaults),
                None => unknown.push(written),
            }
        }
        unknown.iter().take(UNKNOWN).for_each(|written| self.error(self.unknown(written)));
        if let Some(next) = unknown.get(UNKNOWN) {
            let more = unknown.len() - UNKNOWN;
            self.error(Diagnostic::at(next.place.clone(), format!("{more} more keys from here on are unknown")));
        }
    }

    fn refuse_unread(&self, key: &Key, written: &value::Key, node: &Node, defaults: &[(&Key, &str)]) {
        let wrong = match key.readers {
            Readers::All => return,
            Readers::Algorithms(names) if self.lists_one_of(names) => return,
            Readers::Algorithms(names) => not_among(key, names),
            Readers::ValueOrAlgorithms(_, _, names) if self.lists_one_of(names) => return,
            Readers::Value(other, values) | Readers::ValueOrAlgorithms(other, values, _) => {
                match self.setting(other, defaults) {
                    Setting::Unknown => return,
                    Setting::Is(value) if values.contains(&value) => return,
                    setting => self.of_another_value(key, other, values, &setting),
                }
            }
            Readers::Without(other) if !self.has(other) => return,
            Readers::Without(other) => self.excluded(key, other),
            Readers::Beside(others) if others.iter().any(|other| self.has_dotted(other)) => return,
            Readers::Beside(others) => {
                self.ignored(key, &format!("without {}", either(others))).note(accepted_with(others))
            }
        };
        // the key that fills it is refused
        if self.declared.iter().any(|other| other.fills == key.name && self.has(other.name)) {
            return;
        }
        let place = match node.value {
            // a table's own extent is long; its name shows what is meant
            Value::Table(_) => self.place_within(&[key.name]),
            // the error is the same for all values of a swept key, so it is reported once
            _ if self.sweeps(&written.place) => written.place.clone(),
            _ => node.place.clone(),
        };
        self.error(Diagnostic { place: Some(place), ..wrong });
    }

    /// Returns true if the key at `place` is swept.
    fn sweeps(&self, place: &Place) -> bool {
        self.written_root().get("sweep").is_some_and(|(_, node)| node.has_key_at(place))
    }

    fn lists_one_of(&self, names: &[&str]) -> bool {
        let algorithms = self.entries().iter().find(|(key, _)| key.name == "algorithms");
        let Some((_, node)) = algorithms else { return false };
        let written = match &node.value {
            Value::Array(written) => written.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let lists = |name: &str| name == EVERY || names.contains(&name);
        written.iter().any(|node| matches!(&node.value, Value::String(name) if lists(name)))
    }

    /// What `key`, a word or true or false, is here or by default.
    fn setting<'s>(&'s self, key: &str, defaults: &[(&Key, &'s str)]) -> Setting<'s> {
        let Some(declared) = self.declared.iter().find(|declared| declared.name == key) else {
            return Setting::Unknown;
        };
        let boolean = |value| Setting::Is(if value { "true" } else { "false" });
        match self.entries().iter().find(|(written, _)| written.name == key).map(|(_, node)| &node.value) {
            Some(Value::String(word)) if declared.takes.has_word(word) => Setting::Is(word),
            Some(Value::Boolean(value)) => boolean(*value),
            Some(_) => Setting::Unknown,
            None => match declared.default {
                Fallback::Word(word) => Setting::Is(word),
                Fallback::Boolean(value) => boolean(value),
                Fallback::Derived(_) => match defaults.iter().find(|(derived, _)| derived.name == key) {
                    Some((_, value)) => Setting::Is(value),
                    None => Setting::Absent,
                },
                // that it is missing is an error of its own
                _ => Setting::Unknown,
            },
        }
    }

    fn has_dotted(&self, path: &str) -> bool {
        match path.split_once('.') {
            None => self.has(path),
            Some(_) => self.has_table(&path.split('.').collect::<Vec<_>>()),
        }
    }

    fn of_another_value(&self, key: &Key, other: &str, values: &[&str], setting: &Setting<'_>) -> Diagnostic {
        let read = values.iter().map(|value| format!("`{}`", assignment(other, value)));
        let mut read = read.collect::<Vec<_>>().join(" or ");
        if let Readers::ValueOrAlgorithms(_, _, names) = key.readers {
            read += &format!(", or with {}", either(names));
        }
        if !key.why.is_empty() {
            return self.ignored(key, "").note(format!("accepted with {read}"));
        }
        let without_effect = match setting {
            Setting::Is(value) if self.has(other) => format!("with `{}`", assignment(other, value)),
            Setting::Is(value) => format!("with `{}`, the default", assignment(other, value)),
            Setting::Absent | Setting::Unknown => format!("without `{other}`"),
        };
        let message = format!("`{}` has no effect {without_effect}", key.name);
        Diagnostic::unplaced(message).note(format!("accepted with {read}"))
    }

    /// That `key` and the `other` exclude each other: why, as it says itself.
    fn excluded(&self, key: &Key, other: &str) -> Diagnostic {
        if !key.why.is_empty() {
            return self.ignored(key, "").note(format!("accepted without `{other}`"));
        }
        let both = format!("`{}` and `{}` exclude each other", self.path_of(key.name), self.path_of(other));
        Diagnostic::unplaced(both).note("accepted: one of the two").hint(format!("remove `{}` or `{other}`", key.name))
    }

    /// An error that `key` has no effect: for its own reason, or otherwise in the given `context`.
    fn ignored(&self, key: &Key, context: &str) -> Diagnostic {
        let path = self.path_of(key.name);
        Diagnostic::unplaced(match key.why {
            "" => format!("`{path}` has no effect {context}"),
            why => format!("`{path}` has no effect: {why}"),
        })
    }

    fn unknown(&self, written: &value::Key) -> Diagnostic {
        let name = written.name.as_str();
        let path = self.path();
        let table = if path.is_empty() { String::new() } else { format!(" in [{path}]") };
        let here = self.declared.iter().map(|key| key.name);
        let wrong = Diagnostic::at(written.place.clone(), format!("unknown key `{name}`{table}"));
        let wrong = wrong.note(format!("accepted: {}", listed(here)));
        match self.meant(name) {
            Some(hint) => wrong.hint(hint),
            None => wrong,
        }
    }

    /// What may have been meant by `name`, which is not declared here.
    fn meant(&self, name: &str) -> Option<String> {
        let names = || self.declared.iter().map(|key| key.name);
        // another name of the field for a key of this table is likelier than a key of another one
        if let Some(near) = synonyms::meant(name, names()) {
            let in_flits = self.declared.iter().any(|key| key.name == near && key.unit == "flits");
            let reason = if in_flits { "lengths are in flits; " } else { "" };
            return Some(format!("{reason}did you mean `{near}`?"));
        }
        let root = self.outermost();
        let mut others = Vec::new();
        collect(root.declared, "", &mut others);
        // a key that is spelt right and stands in the wrong table is likelier than one that is misspelt here
        let exact = others.iter().map(|other| other.key).find(|other| *other == name);
        match (exact, closest(name, names())) {
            (Some(exact), _) => root.belongs(exact, others),
            (None, Some(near)) => Some(format!("did you mean `{near}`?")),
            (None, None) => root.belongs(closest(name, others.iter().map(|other| other.key))?, others),
        }
    }

    /// In which tables of `found` the key called `near` is, as a hint; this is the root.
    fn belongs(&self, near: &str, mut found: Vec<Declared>) -> Option<String> {
        found.retain(|place| place.key == near);
        // of a key that many tables have, those are meant that the scenario has
        if found.iter().any(|place| self.has_dotted(&place.table)) {
            found.retain(|place| self.has_dotted(&place.table));
        }
        let tables: Vec<String> = found.iter().map(|place| format!("[{}]", place.table)).collect();
        let first = found.first()?;
        let example = format!("{}.{near}", first.table);
        Some(match (first.is_table, tables.as_slice()) {
            (true, _) => format!("did you mean [{example}]?"),
            (_, [table]) => format!("`{near}` is a key of {table}: did you mean `{example}`?"),
            _ => format!("`{near}` is a key of {}; write the dotted key, such as `{example}`", tables.join(", ")),
        })
    }

    pub(super) fn outermost(&self) -> &Self {
        self.parent.map_or(self, |parent| parent.outermost())
    }
}

/// What decides whether another key is read.
enum Setting<'a> {
    /// This word, or `true` or `false`.
    Is(&'a str),
    /// It is not given, and has no default.
    Absent,
    /// It is wrong itself.
    Unknown,
}

/// A key, and the dotted path of its table.
struct Declared {
    table: String,
    key: &'static str,
    is_table: bool,
}

fn collect(keys: &'static [Key], path: &str, found: &mut Vec<Declared>) {
    for key in keys {
        if !path.is_empty() {
            found.push(Declared { table: path.to_owned(), key: key.name, is_table: !key.inner().is_empty() });
        }
        let inner = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
        // keys that are explained elsewhere are found there
        if !matches!(key.takes, Takes::Like(..)) {
            collect(key.inner(), &inner, found);
        }
    }
}

fn not_among(key: &Key, names: &[&str]) -> Diagnostic {
    let readers = listed(names.iter().copied());
    let message = format!("`{}` has no effect with the listed algorithms", key.name);
    Diagnostic::unplaced(message).note(format!("accepted with {readers}"))
}

fn accepted_with(names: &[&str]) -> String {
    format!("accepted with {}", either(names))
}

fn either(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
