//! Keys of scenarios with their values, and which of them differ.
//!
//! A key has the value that is written, else the one that the manifest resolved for the first point, else its default. A swept
//! key has the values that rows have. Figures and claims, on which no result depends, are left out, as is the name.

use super::{Run, union};
use crate::config::{Document, Table, Value};
use crate::scenario::key_named;
use crate::units::key::Fallback;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// What is written in a scenario, and what follows from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Dotted, each with its value as columns show it.
    written: BTreeMap<String, String>,
    /// The first point with every default, as the manifest has it.
    resolved: Json,
    /// The name of the scenario, and the version that ran it.
    name: String,
    version: String,
    /// A digest of the scenario and the files that it names.
    hash: String,
}

/// A key with another value in the one run than in the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The dotted key.
    pub key: String,
    /// Its value in A, or its values where it is swept; none if it has none.
    pub a: Option<String>,
    /// The same in B.
    pub b: Option<String>,
}

/// Tables of a scenario on which no result depends.
const IRRELEVANT: [&str; 4] = ["name", "include", "figure", "claim"];

impl Keys {
    /// The keys that `manifest`, what `manifest.json` says, tells; none if it does not tell its scenario.
    pub fn from_manifest(manifest: &Json) -> Option<Self> {
        let document = Document::parse("manifest.json", manifest["toml"].as_str()?).ok()?;
        let mut written = BTreeMap::new();
        let relevant = document.root.entries.iter().filter(|(key, _)| !IRRELEVANT.contains(&key.name.as_str()));
        for (key, node) in relevant {
            match (&node.value, key.name.as_str()) {
                (Value::Table(sweep), "sweep") => {
                    // what is swept over which values, rows tell
                    written.extend(sweep.get("where").map(|(_, node)| ("sweep.where".to_owned(), node.value.text())));
                }
                (value, name) => put(&mut written, name, value),
            }
        }
        let text = |key: &str| manifest[key].as_str().unwrap_or_default().to_owned();
        let [name, version, hash] = ["name", "version", "hash"].map(text);
        Some(Self { written, resolved: manifest["resolved"].clone(), name, version, hash })
    }

    /// The value of the dotted `key`.
    pub(super) fn value(&self, key: &str) -> Option<String> {
        let written = self.written.get(key).cloned();
        written.or_else(|| self.resolved(key)).or_else(|| self.default(key))
    }

    /// What the first point has, where the manifest calls it as the scenario does.
    fn resolved(&self, key: &str) -> Option<String> {
        let mut json = &self.resolved;
        for (at, part) in key.split('.').enumerate() {
            let name = if at == 0 && part == "network" { "machine" } else { part };
            json = json.get(name)?;
        }
        text(json)
    }

    /// The default of a key in a table that the scenario has, or may leave out.
    fn default(&self, key: &str) -> Option<String> {
        let declared = key_named(key)?;
        let mut parts = key.split('.');
        let table = parts.next().filter(|table| ["network", "workload", "model"].contains(table));
        if let (Some(table), Some(name)) = (table, parts.next()) {
            let around = format!("{table}.{name}.");
            self.written.keys().find(|written| written.starts_with(&around))?;
        }
        match declared.default {
            Fallback::Required => None,
            Fallback::Word(word) => Some(word.to_owned()),
            other => Some(other.in_words()),
        }
    }

    /// The keys that are written, and those that the manifest tells as scenarios do.
    fn names(&self, resolved: bool) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.written.keys().cloned().collect();
        if resolved {
            collect(&self.resolved, "", &mut names);
        }
        names
    }
}

/// Adds what stands at the dotted `path` to `written`.
fn put(written: &mut BTreeMap<String, String>, path: &str, value: &Value) {
    match value {
        Value::Table(Table { entries }) => {
            entries.iter().for_each(|(key, node)| put(written, &format!("{path}.{}", key.name), &node.value));
        }
        value => {
            written.insert(path.to_owned(), value.text());
        }
    }
}

/// Adds the dotted paths in `json` that are keys of scenarios.
fn collect(json: &Json, path: &str, names: &mut BTreeSet<String>) {
    let Some(table) = json.as_object() else { return };
    for (name, json) in table {
        let name = if path.is_empty() && name == "machine" { "network" } else { name };
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if json.is_object() {
            collect(json, &path, names);
        } else if key_named(&path).is_some() {
            names.insert(path);
        }
    }
}

/// `json` as columns show it; none of nothing, and of what is no value of a key.
fn text(json: &Json) -> Option<String> {
    match json {
        Json::Null | Json::Object(_) => None,
        Json::String(text) => Some(text.clone()),
        Json::Array(values) => {
            let values: Option<Vec<String>> = values.iter().map(text).collect();
            values.map(|values| format!("[{}]", values.join(", ")))
        }
        other => Some(other.to_string()),
    }
}

/// A value as it compares: 4 and 4.0 are the same.
pub(super) fn canonical(value: &str) -> String {
    let number = value.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite());
    number.map_or_else(|| value.to_owned(), |number| number.to_string())
}

/// What `run` has as `key`: the values that it is swept over, or its only one.
fn told(run: &Run, key: &str) -> Option<String> {
    run.rows.values_of(key).map(|values| values.join(", ")).or_else(|| run.keys.value(key))
}

/// The keys that differ between `a` and `b`. Defaults that are nowhere written can only differ between versions.
pub(super) fn differing(a: &Run, b: &Run) -> Vec<Differing> {
    let versions = a.keys.version != b.keys.version;
    let mut names = a.keys.names(versions);
    names.extend(b.keys.names(versions));
    names.extend(union(&a.rows.swept, &b.rows.swept));
    let values = names.into_iter().map(|key| Differing { a: told(a, &key), b: told(b, &key), key });
    let same = |value: &Option<String>| value.as_deref().map(canonical);
    values.filter(|differing| same(&differing.a) != same(&differing.b)).collect()
}

/// What is to be said of the scenarios besides their keys.
pub(super) fn notes(a: &Run, b: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    if a.keys.version != b.keys.version {
        notes.push(format!("A was computed by flitwise {}, B by flitwise {}.", a.keys.version, b.keys.version));
    }
    // the digest is of the scenario, its name included, and of the files
    let same = a.keys.written == b.keys.written && a.keys.name == b.keys.name && differing(a, b).is_empty();
    if same && a.keys.hash != b.keys.hash {
        notes.push("The scenarios have the same keys, but the files that they use have different contents.".to_owned());
    }
    notes
}
