//! `[sweep]`: keys and the values they take, multiplied out.

use super::diagnostic::Diagnostic;
use super::document::{Key, Node, Place, Table, Value, dotted};
use super::reader::Reader;

/// A swept key and its values.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The dotted key.
    pub key: String,
    /// The values, as written.
    pub values: Vec<Node>,
    place: Place,
}

/// All axes of a scenario.
pub(super) struct Sweep {
    pub(super) axes: Vec<Axis>,
    points: usize,
}

/// Keys that hold for a whole scenario.
const NOT_SWEPT: [&str; 3] = ["name", "tick", "sweep"];

impl Sweep {
    /// Reads `[sweep]`; a scenario without one has a single point. What is wrong has been reported and is left out.
    pub(super) fn read(root: &Reader<'_>, most: usize) -> Self {
        let mut axes = Vec::new();
        if let Some(table) = root.table("sweep") {
            collect(table.entries(), "", &table, &mut axes);
        }
        let points = axes.iter().try_fold(1_usize, |product, axis| product.checked_mul(axis.values.len()));
        match points.filter(|&points| points <= most) {
            Some(points) => Self { axes, points },
            None => {
                let sizes: Vec<String> = axes.iter().map(|axis| axis.values.len().to_string()).collect();
                let product =
                    points.map_or_else(|| "more points than can be counted".to_owned(), |n| format!("{n} points"));
                let message = format!("the sweep has {} = {product}", sizes.join(" x "));
                let place = axes.first().map_or_else(|| root.place(), |axis| axis.place.clone());
                root.error(
                    Diagnostic::at(place, message)
                        .note(format!("accepted: at most {most} points"))
                        .hint("shorten an array, or sweep a key less"),
                );
                Self { axes: Vec::new(), points: 0 }
            }
        }
    }

    /// The index of each axis' value, for every point; the last axis is the fastest.
    pub(super) fn combinations(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        (0..self.points).map(|point| {
            let mut rest = point;
            let mut indices: Vec<usize> = self
                .axes
                .iter()
                .rev()
                .map(|axis| {
                    let index = rest % axis.values.len();
                    rest /= axis.values.len();
                    index
                })
                .collect();
            indices.reverse();
            indices
        })
    }

    /// The document in which the swept keys have the values of `combination`.
    pub(super) fn substitute(&self, root: &Table, combination: &[usize]) -> Table {
        let mut root = root.clone();
        for (axis, &index) in self.axes.iter().zip(combination) {
            root.put(&dotted(&axis.key, &axis.place), axis.values[index].clone());
        }
        root
    }

    /// The values of `combination` as columns show them.
    pub(super) fn settings(&self, combination: &[usize]) -> Vec<String> {
        self.axes.iter().zip(combination).map(|(axis, &index)| axis.values[index].value.text()).collect()
    }
}

/// Reads keys, quoted (`"a.b" = [..]`) or dotted (`a.b = [..]`).
fn collect(entries: &[(Key, Node)], prefix: &str, table: &Reader<'_>, axes: &mut Vec<Axis>) {
    for (key, node) in entries {
        let name = if prefix.is_empty() { key.name.clone() } else { format!("{prefix}.{}", key.name) };
        let refuse = |message: String, note: &str| {
            table.error(Diagnostic::at(key.place.clone(), message).note(note));
        };
        match &node.value {
            Value::Table(inner) => collect(&inner.entries, &name, table, axes),
            Value::Array(values) if NOT_SWEPT.contains(&name.as_str()) || values.is_empty() => refuse(
                format!("`{name}` cannot be swept{}", if values.is_empty() { " over no values" } else { "" }),
                "accepted: any other key with at least one value",
            ),
            Value::Array(_) if axes.iter().any(|axis| axis.key == name) => {
                refuse(format!("`{name}` is swept twice"), "one array holds all its values");
            }
            Value::Array(values) => {
                axes.push(Axis { key: name, values: values.clone(), place: key.place.clone() });
            }
            other => refuse(
                format!("the values of `{name}` must be an array, not {}", other.kind()),
                "accepted: an array of the values that the key takes",
            ),
        }
    }
}
