//! Keys of included presets that the workload of a scenario does not read.
//!
//! A preset describes a machine for every workload, and a workload refuses keys that it would ignore. Such keys of a preset
//! are removed before the workload reads them. Keys of the scenario itself are refused.

use crate::config::{Document, Key, Preset, Value};
use crate::workload::KINDS;

/// Removes the costs of nodes that come from a preset and that the workload of `document` does not read.
pub(super) fn drop_unread(document: &mut Document) {
    let sources = &document.sources;
    let root = &mut document.root;
    let Some(kind) = KINDS.iter().find(|kind| root.node(&["workload", kind.name]).is_some()) else { return };
    let of_preset =
        |key: &Key| sources.get(key.place.source).is_some_and(|source| Preset::name_in(&source.name).is_some());
    // a key that is swept is read at some points, and refused at the others
    let has_word = |key: &str, word: &str| {
        let path = ["workload", kind.name, key];
        root.text(&path) == Some(word) || root.node(&["sweep", &path.join(".")]).is_some()
    };
    let is_combining = kind.combining.applies(has_word);
    let is_read = |name: &str| match name {
        "ports" | "ejection_ports" => true,
        _ if kind.open_loop => false,
        _ => is_combining || !name.starts_with("reduce_"),
    };
    if let Some((_, node)) = root.entries.iter_mut().find(|(key, _)| key.name == "node")
        && let Value::Table(costs) = &mut node.value
    {
        costs.entries.retain(|(key, _)| is_read(&key.name) || !of_preset(key));
    }
}
