//! Every value of a scenario that a declared key has, swept values among them.

use super::super::keys;
use super::declaration;
use crate::config::{Node, Table, Value, is_range, joined};
use crate::units::Key;

/// A key as it is declared, and its dotted path.
pub(super) struct Declared<'p> {
    pub(super) path: &'p str,
    pub(super) key: &'static Key,
}

/// Receives the values of a key.
type Visit<'v> = dyn FnMut(&Declared<'_>, &[Node]) + 'v;

/// Passes `visit` the values of each key that is not a table, and those of its sweep.
pub(super) fn each_value(root: &Table, visit: &mut Visit<'_>) {
    in_table(root, keys::root(), "", visit);
    if let Some((_, Node { value: Value::Table(sweep), .. })) = root.get("sweep") {
        in_sweep(sweep, "", visit);
    }
}

fn in_table(table: &Table, keys: &'static [Key], around: &str, visit: &mut Visit<'_>) {
    for (written, node) in &table.entries {
        let Some(key) = Key::find(keys, &written.name) else { continue };
        let path = joined(around, &written.name);
        match &node.value {
            Value::Table(inner) => in_table(inner, key.inner(), &path, visit),
            _ => visit(&Declared { path: &path, key }, std::slice::from_ref(node)),
        }
    }
}

fn in_sweep(table: &Table, around: &str, visit: &mut Visit<'_>) {
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
                    Value::Array(values) => visit(&declared, values),
                    Value::Table(range) => {
                        for (_, node) in range.entries.iter().filter(|(end, _)| end.name != "times") {
                            visit(&declared, std::slice::from_ref(node));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The elements of a value that is an array, or the value.
pub(super) fn elements(node: &Node) -> &[Node] {
    match &node.value {
        Value::Array(nodes) => nodes,
        _ => std::slice::from_ref(node),
    }
}

/// The strings that a value is, or has as elements.
pub(super) fn texts(node: &Node) -> impl Iterator<Item = &str> {
    elements(node).iter().filter_map(|node| match &node.value {
        Value::String(text) => Some(text.as_str()),
        _ => None,
    })
}
