//! A table of a figure as claims see it: rows, or points of a sweep, whose columns are called as in the header.
//!
//! Knows CSV and which columns tell rows apart; refuses to know what the others mean.

use crate::scenario::{Condition, Document, FigureTable, Key, Node, Place, Table, Value};

/// A CSV table of a figure: none is the summary.
pub type FigureFile = (Option<FigureTable>, String);

/// The name of the file of the figure `id` that holds `table`.
#[must_use]
pub fn file_name(id: &str, table: Option<FigureTable>) -> String {
    table.map_or_else(|| format!("{id}.csv"), |table| format!("{id}-{}.csv", table.name()))
}

/// What stands in a table, row by row.
#[derive(Clone, Debug)]
pub struct Data {
    header: Vec<String>,
    records: Vec<Vec<String>>,
    /// Which columns are the axes of a sweep.
    axes: Vec<usize>,
    algorithm: Option<usize>,
}

/// What a claim sees at once: a row, or all algorithms at a point.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// Columns by name.
    pub(super) columns: Table,
    /// The swept keys with their values.
    pub(super) settings: Vec<(String, String)>,
    /// The algorithm of a row.
    pub(super) algorithm: Option<String>,
}

impl Scope {
    /// Whether it has a column called `key`.
    pub(super) fn has(&self, key: &str) -> bool {
        let mut table = &self.columns;
        key.split('.').all(|part| match table.get(part) {
            Some((_, Node { value: Value::Table(inner), .. })) => {
                table = inner;
                true
            }
            found => found.is_some(),
        })
    }

    /// The algorithm and the settings, for people.
    pub(super) fn in_words(&self) -> String {
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let settings = self.settings.iter().map(|(key, value)| format!("{} {value}", last(key)));
        self.algorithm.iter().cloned().chain(settings).collect::<Vec<_>>().join(", ")
    }
}

impl Data {
    /// The table that `text` spells; `axes` are the swept keys.
    ///
    /// # Errors
    /// If it is no CSV.
    pub fn parse(text: &str, axes: &[&str]) -> csv::Result<Self> {
        let mut csv = csv::Reader::from_reader(text.as_bytes());
        let header: Vec<String> = csv.headers()?.iter().map(str::to_owned).collect();
        let records = csv.records().map(|record| Ok(record?.iter().map(str::to_owned).collect()));
        let records = records.collect::<csv::Result<Vec<Vec<String>>>>()?;
        let at = |name: &str| header.iter().position(|column| column == name);
        let (axes, algorithm) = (axes.iter().filter_map(|axis| at(axis)).collect(), at("algorithm"));
        Ok(Self { header, records, axes, algorithm })
    }

    /// What `formulas` see, in order: points if one of them names an algorithm, else rows.
    pub(super) fn scopes(&self, formulas: &[&Condition]) -> Vec<Scope> {
        let names: Vec<String> = self.records.iter().filter_map(|record| self.algorithm_of(record)).collect();
        let about = |key: &str| names.iter().any(|name| key.split('.').next() == Some(&plain(name)));
        if formulas.iter().any(|formula| formula.keys().into_iter().any(about)) {
            self.points()
        } else {
            self.records.iter().map(|record| self.row(record)).collect()
        }
    }

    fn algorithm_of(&self, record: &[String]) -> Option<String> {
        self.algorithm.map(|at| record[at].clone())
    }

    fn settings(&self, record: &[String]) -> Vec<(String, String)> {
        self.axes.iter().map(|&at| (self.header[at].clone(), record[at].clone())).collect()
    }

    fn row(&self, record: &[String]) -> Scope {
        let mut columns = Table::default();
        for (name, text) in self.header.iter().zip(record) {
            put(&mut columns, name, text);
        }
        Scope { columns, settings: self.settings(record), algorithm: self.algorithm_of(record) }
    }

    /// All algorithms at each point, one after the other; those of a point follow each other.
    fn points(&self) -> Vec<Scope> {
        let mut points: Vec<Scope> = Vec::new();
        for record in &self.records {
            let settings = self.settings(record);
            if points.last().is_none_or(|point| point.settings != settings) {
                let mut columns = Table::default();
                settings.iter().for_each(|(key, value)| put(&mut columns, key, value));
                points.push(Scope { columns, settings, algorithm: None });
            }
            let Some((point, algorithm)) = points.last_mut().zip(self.algorithm_of(record)) else { continue };
            for (at, (name, text)) in self.header.iter().zip(record).enumerate() {
                if !self.axes.contains(&at) {
                    put(&mut point.columns, &format!("{}.{name}", plain(&algorithm)), text);
                }
            }
        }
        points
    }
}

/// The name of an algorithm as claims write it.
fn plain(algorithm: &str) -> String {
    algorithm.replace('-', "_")
}

/// Puts what `text` spells at the dotted `name`; nothing if it is empty.
fn put(table: &mut Table, name: &str, text: &str) {
    let place = Place { source: 0, span: 0..0 };
    let value = match text {
        "" => return,
        _ if text.parse::<i64>().is_ok() => Value::Integer(text.parse().ok()),
        _ if text.parse::<f64>().is_ok_and(f64::is_finite) => Value::Float(text.to_owned()),
        _ if text.starts_with('[') => array(text).unwrap_or_else(|| Value::String(text.to_owned())),
        _ => Value::String(text.to_owned()),
    };
    let key = |name: &str| Key { name: name.to_owned(), place: place.clone() };
    let path: Vec<Key> = name.split('.').map(key).collect();
    table.put(&path, Node { value, place });
}

/// The array that `text` spells.
fn array(text: &str) -> Option<Value> {
    let document = Document::parse("", &format!("a = {text}")).ok()?;
    document.root.get("a").map(|(_, node)| node.value.clone())
}
