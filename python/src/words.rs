//! What there is to choose from, and where to read on.

use flitwise::guide::{TOPICS, Topic};
use flitwise::scenario::tables;
use flitwise::workload::KINDS;
use pyo3::prelude::*;

/// A name, what it belongs to, and what it is.
type Line = (String, String, String);

/// Every algorithm: its workload, its name, and its summary.
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

/// Every key of a scenario: its table, its name, what it takes, its default, its unit, and what it is.
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

/// The guide about `topic`, for so many columns; none if there is no such guide.
#[pyfunction]
pub(crate) fn guide(topic: &str, width: usize) -> Option<String> {
    Topic::named(topic).map(|topic| topic.in_terminal(width))
}

/// The names of all guides, each with what it is about.
#[pyfunction]
pub(crate) fn guides() -> Vec<(&'static str, &'static str)> {
    TOPICS.iter().map(|topic| (topic.name, topic.summary)).collect()
}
