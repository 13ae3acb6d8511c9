//! A table of a figure as claims see it: rows, or points of a sweep, whose columns are called as in the header.
//!
//! Knows CSV and which columns tell rows apart; refuses to know what the others mean.

use crate::config::{Condition, Diagnostic, Node, Table, Value, put_field};
use crate::scenario::{FigureTable, Scenario, plain};

/// A CSV table of a figure: none is the summary.
pub type FigureFile = (Option<FigureTable>, String);

/// The name of the file of the figure `id` that holds `table`.
pub fn file_name(id: &str, table: Option<FigureTable>) -> String {
    table.map_or_else(|| format!("{id}.csv"), |table| format!("{id}-{}.csv", table.name()))
}

/// The name of the file of the figure `id` that holds the numbers of its map.
pub fn map_name(id: &str) -> String {
    format!("{id}-map.csv")
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
    pub(super) columns: Table,
    /// The swept keys with their values.
    pub(super) settings: Vec<(String, String)>,
    pub(super) algorithm: Option<String>,
}

impl Scope {
    /// Whether the column `key`, or the array whose element it is, has a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// The number in the column `key`, if it has one.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        match self.value(key) {
            #[expect(clippy::cast_precision_loss, reason = "a column of a table that is drawn")]
            Some(Value::Integer(value)) => value.map(|value| value as f64),
            Some(Value::Float(text)) => text.parse().ok(),
            _ => None,
        }
    }

    /// The value of the column `key`, or the array whose element it is.
    fn value(&self, key: &str) -> Option<&Value> {
        let mut table = &self.columns;
        for part in key.split('.') {
            match table.get(part)? {
                (_, Node { value: Value::Table(inner), .. }) => table = inner,
                (_, found) => return Some(&found.value),
            }
        }
        None
    }

    /// The algorithm and the settings, as a place among others: `opt-mesh, group = 8`.
    pub(super) fn place(&self) -> String {
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let settings = self.settings.iter().map(|(key, value)| format!("{} = {value}", last(key)));
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

    /// What the summary of `scenario` will be but for its numbers, in whose place stand ones.
    pub(super) fn rehearsal(scenario: &Scenario) -> Self {
        let header = scenario.summary_columns();
        let axes: Vec<usize> = (1..=scenario.axes.len()).collect();
        let before = 1 + axes.len();
        let texts = scenario.result_columns().stored().filter(|column| column.is_text()).map(|column| column.name);
        let texts: Vec<&str> = texts.collect();
        let mut records = Vec::new();
        for (at, point) in scenario.points.iter().enumerate() {
            for algorithm in point.experiment.workload.variants() {
                let mut record = vec!["1".to_owned(); header.len()];
                scenario.name.clone_into(&mut record[0]);
                for (cell, setting) in record[1..before].iter_mut().zip(point.settings.iter()) {
                    *cell = setting.to_string();
                }
                algorithm.clone_into(&mut record[before]);
                for (cell, column) in record.iter_mut().zip(&header).skip(before + 1) {
                    if texts.contains(&column.as_str()) {
                        *cell = scenario.text(at, column);
                    }
                }
                records.push(record);
            }
        }
        Self { header, records, axes, algorithm: Some(before) }
    }

    /// The rows that `formulas` see, those that meet `filter`, in order.
    pub(super) fn chosen(&self, formulas: &[&Condition], only: Option<&Condition>) -> Result<Vec<Scope>, Diagnostic> {
        let mut chosen = Vec::new();
        for scope in self.scopes(formulas) {
            if only.map_or(Ok(true), |only| only.holds(&scope.columns))? {
                chosen.push(scope);
            }
        }
        Ok(chosen)
    }

    /// What `formulas` see, in order: rows, or points if algorithms are named and no column of a row; rows with the
    /// columns of all algorithms at their points if both are.
    fn scopes(&self, formulas: &[&Condition]) -> Vec<Scope> {
        let names: Vec<String> = self.records.iter().filter_map(|record| self.algorithm_of(record)).collect();
        let keys: Vec<&str> = formulas.iter().flat_map(|formula| formula.keys()).collect();
        let about = |key: &&str| names.iter().any(|name| key.split('.').next() == Some(&plain(name)));
        let of_rows = |key: &&str| self.columns().any(|(_, column)| column == *key);
        if !keys.iter().any(about) {
            return self.records.iter().map(|record| self.row(record)).collect();
        }
        let groups = self.records.chunk_by(|a, b| self.settings(a) == self.settings(b));
        if !keys.iter().any(of_rows) {
            return groups.map(|records| self.point(records)).collect();
        }
        let beside = |records: &&[Vec<String>]| {
            let rows = records.iter().map(|record| {
                let mut row = self.row(record);
                self.put_algorithms(&mut row.columns, records);
                row
            });
            rows.collect::<Vec<_>>()
        };
        groups.collect::<Vec<_>>().iter().flat_map(beside).collect()
    }

    /// The columns that are not axes.
    fn columns(&self) -> impl Iterator<Item = (usize, &String)> {
        self.header.iter().enumerate().filter(|(at, _)| !self.axes.contains(at))
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
            put_field(&mut columns, name, text);
        }
        Scope { columns, settings: self.settings(record), algorithm: self.algorithm_of(record) }
    }

    /// All algorithms at the point of `records`.
    fn point(&self, records: &[Vec<String>]) -> Scope {
        let settings = records.first().map(|record| self.settings(record)).unwrap_or_default();
        let mut columns = Table::default();
        settings.iter().for_each(|(key, value)| put_field(&mut columns, key, value));
        self.put_algorithms(&mut columns, records);
        Scope { columns, settings, algorithm: None }
    }

    /// Adds to `columns` those of each algorithm in `records`.
    fn put_algorithms(&self, columns: &mut Table, records: &[Vec<String>]) {
        for record in records {
            let Some(algorithm) = self.algorithm_of(record) else { continue };
            for (at, name) in self.columns() {
                put_field(columns, &format!("{}.{name}", plain(&algorithm)), &record[at]);
            }
        }
    }
}
