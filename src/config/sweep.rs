//! `[sweep]`: keys and the values they take, multiplied out; keys that vary together; and what points must meet.

use super::condition::Condition;
use super::diagnostic::{Diagnostic, Place};
use super::range;
use super::reader::{Errors, Reader};
use super::renamed::column_name;
use super::tabular::{HOW_TO_FIT, unfit_for_tables};
use super::value::{Key, Node, Table, Value, dotted, joined};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A swept key and its values.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The dotted key.
    pub key: String,
    /// The name of its column: the first name of the key, also after the key has been renamed.
    pub column: String,
    /// The values, as written.
    pub values: Vec<Node>,
    /// The same as columns show them.
    texts: Vec<Arc<str>>,
    /// The parts of the key.
    path: Vec<Key>,
    place: Place,
}

pub(crate) struct Sweep {
    /// Keys that vary together, each with as many values; mostly one.
    dimensions: Vec<Vec<Axis>>,
    conditions: Vec<Condition>,
    points: usize,
    place: Place,
}

/// Keys that hold for a whole scenario.
const NOT_SWEPT: [&str; 6] = ["name", "include", "tick", "sweep", "figure", "claim"];

impl Sweep {
    /// Reads `[sweep]`; a scenario without one has a single point. What is wrong has been reported and is left out.
    pub(crate) fn read(root: &Reader<'_>, most: usize) -> Self {
        let mut sweep = Self { dimensions: Vec::new(), conditions: Vec::new(), points: 0, place: root.place() };
        if let Some(table) = root.table("sweep") {
            sweep.place = table.place();
            for (key, node) in table.entries() {
                match (key.name.as_str(), &node.value) {
                    ("zip", Value::Array(groups)) => sweep.zip(groups, &table),
                    ("where", Value::Array(conditions)) => sweep.conditions(conditions, &table),
                    ("zip", _) => refuse_zip(&node.place, &table),
                    ("where", _) => refuse_where(&node.place, &table),
                    _ => {
                        for axis in sweep.collect((key, node), "", &table) {
                            refuse_twice(&axis, &table);
                            sweep.add(vec![axis], &table);
                        }
                    }
                }
            }
        }
        let sizes = sweep.dimensions.iter().map(|axes| axes.first().map_or(1, |axis| axis.values.len()));
        let points = sizes.clone().try_fold(1_usize, usize::checked_mul);
        match points.filter(|&points| points <= most) {
            Some(points) => Self { points, ..sweep },
            None => {
                let sizes: Vec<String> = sizes.map(|size| size.to_string()).collect();
                let product =
                    points.map_or_else(|| "more points than can be counted".to_owned(), |n| format!("{n} points"));
                let message = format!("the sweep has {} = {product}", sizes.join(" x "));
                let first = sweep.dimensions.first().and_then(|axes| axes.first());
                let place = first.map_or_else(|| root.place(), |axis| axis.place.clone());
                root.error(
                    Diagnostic::at(place, message)
                        .note(format!("accepted: at most {most} points"))
                        .hint("shorten an array, or sweep fewer keys"),
                );
                Self { dimensions: Vec::new(), points: 0, ..sweep }
            }
        }
    }

    /// Keys that vary together, unless one of them is swept already.
    fn add(&mut self, axes: Vec<Axis>, table: &Reader<'_>) {
        for axis in &axes {
            if self.dimensions.iter().flatten().any(|other| other.key == axis.key) {
                let message = format!("`{}` is swept twice", axis.key);
                let note = "put all its values in one array";
                return table.error(Diagnostic::at(axis.place.clone(), message).note(note));
            }
        }
        self.dimensions.push(axes);
    }

    fn zip(&mut self, groups: &[Node], table: &Reader<'_>) {
        for group in groups {
            let Value::Table(inner) = &group.value else {
                refuse_zip(&group.place, table);
                continue;
            };
            let mut axes = Vec::new();
            for (key, node) in &inner.entries {
                axes.extend(self.collect((key, node), "", table));
            }
            let Some(first) = axes.first() else { continue };
            match axes.iter().find(|axis| axis.values.len() != first.values.len()) {
                None => self.add(axes, table),
                Some(other) => {
                    let (one, two) = (first.values.len(), other.values.len());
                    let message =
                        format!("`{}` and `{}` vary together, but have {one} and {two} values", first.key, other.key);
                    table.error(Diagnostic::at(other.place.clone(), message));
                }
            }
        }
    }

    fn conditions(&mut self, conditions: &[Node], table: &Reader<'_>) {
        for node in conditions {
            match &node.value {
                Value::String(text) => match Condition::parse(text, &node.place) {
                    Ok(condition) => self.conditions.push(condition),
                    Err(diagnostic) => table.error(diagnostic),
                },
                _ => refuse_where(&node.place, table),
            }
        }
    }

    /// Reads the values of a key, quoted (`"a.b" = [..]`) or dotted (`a.b = [..]`).
    fn collect(&self, (key, node): (&Key, &Node), prefix: &str, table: &Reader<'_>) -> Vec<Axis> {
        let name = joined(prefix, &key.name);
        let refuse = |message: String, note: &str| {
            table.error(Diagnostic::at(key.place.clone(), message).note(note));
            Vec::new()
        };
        let values = match &node.value {
            Value::Table(inner) if range::is_range(inner) => match range::values(&name, node, inner) {
                Ok(values) => values,
                Err(diagnostic) => {
                    table.error(diagnostic);
                    return Vec::new();
                }
            },
            Value::Table(inner) => {
                return inner.entries.iter().flat_map(|(key, node)| self.collect((key, node), &name, table)).collect();
            }
            Value::Array(values) => values.clone(),
            other => {
                return refuse(
                    format!("the values of `{name}` must be an array, not {}", other.kind()),
                    "accepted: an array of the values that the key takes, or a range { from, to, step } or \
                     { from, to, times }",
                );
            }
        };
        if NOT_SWEPT.contains(&name.as_str()) {
            let note = "accepted: keys of tables, `seed` and `repetitions`";
            return refuse(format!("`{name}` applies to the whole scenario and cannot be swept"), note);
        }
        if values.is_empty() {
            return refuse(format!("`{name}` has no values"), "accepted: an array with at least one value");
        }
        for node in &values {
            let Value::String(text) = &node.value else { continue };
            if let Some(why) = unfit_for_tables(text) {
                let message = format!("a value of `{name}` {why}; swept values are written to tables");
                table.error(Diagnostic::at(node.place.clone(), message).hint(HOW_TO_FIT));
            }
        }
        let path = dotted(&name, &key.place);
        let texts = values.iter().map(|value| value.value.text().into()).collect();
        let column = column_name(&name, table.outermost().declared).into_owned();
        vec![Axis { key: name, column, values, texts, path, place: key.place.clone() }]
    }

    /// The index of each dimension's value, for every point before conditions; the last dimension is the fastest.
    pub(crate) fn combinations(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        (0..self.points).map(|mut rest| {
            let mut indices = vec![0; self.dimensions.len()];
            for (index, axes) in indices.iter_mut().zip(&self.dimensions).rev() {
                let size = axes.first().map_or(1, |axis| axis.values.len());
                *index = rest % size;
                rest /= size;
            }
            indices
        })
    }

    /// Each axis with the index of its value in `combination`.
    fn chosen<'a>(&'a self, combination: &'a [usize]) -> impl Iterator<Item = (&'a Axis, &'a Node)> {
        let dimensions = self.dimensions.iter().zip(combination);
        dimensions.flat_map(|(axes, &index)| axes.iter().map(move |axis| (axis, &axis.values[index])))
    }

    /// Gives the swept keys of `root` the values of `combination`. Every swept key is set, so that what a combination
    /// before has left does not matter, and a document is copied once for all points.
    pub(crate) fn substitute(&self, root: &mut Table, combination: &[usize]) {
        for (axis, value) in self.chosen(combination) {
            root.put(&axis.path, value.clone());
        }
    }

    /// How many points there are before conditions, and whether there are conditions.
    pub(crate) fn size(&self) -> (usize, bool) {
        (self.points, !self.conditions.is_empty())
    }

    /// Where it stands.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// The part of `combination` that is of keys in one of `tables`, or of one of them whole.
    pub(crate) fn part_within(&self, tables: &[&str], combination: &[usize]) -> Vec<usize> {
        let is_within = |axis: &Axis| axis.path.first().is_some_and(|key| tables.contains(&key.name.as_str()));
        let dimensions = self.dimensions.iter().zip(combination);
        dimensions.filter(|(axes, _)| axes.iter().any(is_within)).map(|(_, &index)| index).collect()
    }

    /// Whether there are swept keys, and all of them are in one of `tables`.
    pub(crate) fn is_all_within(&self, tables: &[&str]) -> bool {
        let is_within = |axis: &Axis| axis.path.first().is_some_and(|key| tables.contains(&key.name.as_str()));
        !self.dimensions.is_empty() && self.dimensions.iter().all(|axes| axes.iter().any(is_within))
    }

    /// How many keys are swept.
    pub(crate) fn axes_count(&self) -> usize {
        self.dimensions.iter().map(Vec::len).sum()
    }

    /// The values of `combination` as columns show them.
    pub(crate) fn settings(&self, combination: &[usize]) -> Arc<[Arc<str>]> {
        let dimensions = self.dimensions.iter().zip(combination);
        dimensions.flat_map(|(axes, &index)| axes.iter().map(move |axis| Arc::clone(&axis.texts[index]))).collect()
    }

    /// The settings of `combination` in the units of their keys, read from the converted point `root`.
    pub(crate) fn settings_in(&self, root: &Table, combination: &[usize]) -> Arc<[Arc<str>]> {
        let dimensions = self.dimensions.iter().zip(combination);
        let text = |axis: &Axis, index: usize| {
            let names: Vec<&str> = axis.path.iter().map(|key| key.name.as_str()).collect();
            root.node(&names).map_or_else(|| Arc::clone(&axis.texts[index]), |node| node.value.text().into())
        };
        dimensions.flat_map(|(axes, &index)| axes.iter().map(move |axis| text(axis, index))).collect()
    }

    /// Whether the point that `root` spells meets all conditions; one that cannot be told is reported, and met.
    pub(crate) fn admits(&self, root: &Table, errors: &Errors) -> bool {
        self.conditions.iter().all(|condition| match condition.holds(root) {
            Ok(holds) => holds,
            Err(diagnostic) => {
                errors.borrow_mut().push(diagnostic);
                true
            }
        })
    }

    /// Reports that no point meets the conditions.
    pub(crate) fn reject_nothing(&self, errors: &Errors) {
        let wrong = Diagnostic::at(self.place.clone(), "no point of the sweep meets all conditions of `where`");
        errors.borrow_mut().push(wrong.note(format!("number of points without `where`: {}", self.points)));
    }

    /// All axes, in the order of their columns.
    pub(crate) fn axes(self) -> Vec<Axis> {
        self.dimensions.into_iter().flatten().collect()
    }
}

/// Reports values of `axis` that stand there twice: their rows would be run and counted twice. Of keys that vary together
/// each may have a value twice, also where the command line leaves one of them.
fn refuse_twice(axis: &Axis, table: &Reader<'_>) {
    let Axis { values, key, .. } = axis;
    // the values of a range differ, and are many
    if values.windows(2).all(|pair| pair[0].place == pair[1].place) {
        return;
    }
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for (at, Node { value, place }) in values.iter().enumerate() {
        if let Some(first) = seen.insert(canonical(value), at) {
            let message = format!("{} is listed twice in the values of `{key}`", value.toml());
            let wrong = Diagnostic::at(place.clone(), message);
            let wrong = wrong.note("accepted: distinct values; `repetitions` runs the same point several times");
            table.error(wrong.related(values[first].place.clone(), "first listed here"));
        }
    }
}

/// A value as it compares: 4 and 4.0 are the same.
fn canonical(value: &Value) -> String {
    let written = value.toml();
    match value {
        Value::Float(_) => written.replace('_', "").parse::<f64>().map_or(written, |number| number.to_string()),
        _ => written,
    }
}

fn refuse_zip(place: &Place, table: &Reader<'_>) {
    let message = "`zip` must be an array of tables of keys that vary together";
    let note = "write each as [[sweep.zip]] with arrays of equal length";
    table.error(Diagnostic::at(place.clone(), message).note(note));
}

fn refuse_where(place: &Place, table: &Reader<'_>) {
    let message = "`where` must be an array of conditions, which are strings";
    let hint = "for example where = [\"workload.multicast.group <= product(network.mesh.shape)\"]";
    table.error(Diagnostic::at(place.clone(), message).hint(hint));
}
