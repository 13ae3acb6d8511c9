//! Every value of a scenario that a declared key has, swept values among them.

use super::super::keys;
use super::declaration;
use crate::config::{Node, Place, Table, Value, is_range};
use crate::units::Key;

/// A key as it is declared, and its dotted path.
pub(super) struct Declared<'p> {
    pub(super) path: &'p str,
    pub(super) key: &'static Key,
}

/// Passes `visit` each value of a key that is no table, those of its sweep one by one.
pub(super) fn each_value(root: &Table, visit: &mut dyn FnMut(&Declared<'_>, &Node)) {
    in_table(root, keys::root(), "", visit);
    if let Some((_, Node { value: Value::Table(sweep), .. })) = root.get("sweep") {
        in_sweep(sweep, "", visit);
    }
}

fn in_table(table: &Table, keys: &'static [Key], around: &str, visit: &mut dyn FnMut(&Declared<'_>, &Node)) {
    for (written, node) in &table.entries {
        let Some(key) = keys.iter().find(|key| key.name == written.name) else { continue };
        let path = joined(around, &written.name);
        match &node.value {
            Value::Table(inner) => in_table(inner, key.inner(), &path, visit),
            _ => visit(&Declared { path: &path, key }, node),
        }
    }
}

fn in_sweep(table: &Table, around: &str, visit: &mut dyn FnMut(&Declared<'_>, &Node)) {
    for (written, node) in &table.entries {
        let path = joined(around, &written.name);
        match &node.value {
            Value::Array(groups) if path == "zip" => {
                for group in groups {
                    if let Value::Table(group) = &group.value {
                        in_sweep(group, "", visit);
                    }
                }
            }
            Value::Table(inner) if !is_range(inner) => in_sweep(inner, &path, visit),
            Value::Table(_) | Value::Array(_) => {
                let Some(key) = declaration(&path) else { continue };
                let declared = Declared { path: &path, key };
                match &node.value {
                    Value::Array(values) => values.iter().for_each(|node| visit(&declared, node)),
                    Value::Table(range) => range.entries.iter().for_each(|(end, node)| {
                        if end.name != "times" {
                            visit(&declared, node);
                        }
                    }),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The strings that a value is, or an array of them, each with its place.
pub(super) fn texts(node: &Node) -> impl Iterator<Item = (&str, &Place)> {
    let nodes = match &node.value {
        Value::Array(nodes) => nodes.as_slice(),
        _ => std::slice::from_ref(node),
    };
    nodes.iter().filter_map(|node| match &node.value {
        Value::String(text) => Some((text.as_str(), &node.place)),
        _ => None,
    })
}

pub(super) fn joined(around: &str, name: &str) -> String {
    if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") }
}
