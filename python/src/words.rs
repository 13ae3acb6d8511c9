//! Lists of algorithms and keys, and the guides.

use flitwise::guide::{Topic, list, search_in_terminal};
use flitwise::scenario::tables;
use flitwise::workload::KINDS;
use pyo3::prelude::*;

/// A workload, the name of an algorithm, and its summary.
type Line = (String, String, String);

/// Returns all algorithms: workload, name and summary.
#[pyfunction]
pub(crate) fn algorithms() -> Vec<Line> {
    let of_kinds = KINDS.iter().filter_map(|kind| Some((kind.name, kind.algorithms?)));
    let lines = of_kinds.flat_map(|(kind, algorithms)| (0..).map_while(algorithms.line).map(move |line| (kind, line)));
    let words = |(kind, line): (&str, Vec<&str>)| {
        let name = line.first().copied().unwrap_or_default();
        (kind.to_owned(), name.to_owned(), line[1..].join("; "))
    };
    lines.map(words).collect()
}

/// Returns all keys of a scenario: table, name, accepted values, default, unit and description.
#[pyfunction]
pub(crate) fn keys() -> Vec<[String; 6]> {
    let tables = tables();
    let lines = tables.iter().flat_map(|table| table.keys.iter().map(move |key| (table, key)));
    let words = |(table, key): (&flitwise::scenario::KeyTable, &flitwise::units::Key)| {
        let takes = key.takes.in_words();
        let default = key.default.in_words();
        [table.path.clone(), key.name.to_owned(), takes, default, key.unit.to_owned(), key.sentence.to_owned()]
    };
    lines.map(words).collect()
}

/// Returns the guide called `words` or the sections that contain `words`, for `width` columns, or `None` if there are none.
#[pyfunction]
pub(crate) fn guide(words: &str, width: usize) -> Option<String> {
    let page = Topic::named(words).map(|topic| topic.in_terminal(width));
    page.or_else(|| search_in_terminal(words, width))
}

/// Returns the names and the summaries of all guides, by group.
#[pyfunction]
pub(crate) fn guides() -> String {
    list()
}
