//! What is plotted: columns of `summary.csv` as text, and which of them are swept keys.

use crate::config::{Table, put_field};
use crate::scenario::TickLength;
use std::io::Read;

/// A column as its CSV has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextColumn {
    /// Its name.
    pub name: String,
    /// Its fields, one for each row.
    pub values: Vec<String>,
}

/// A table whose columns are called as those of `summary.csv`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// The columns, each with as many fields; one is called `algorithm`.
    pub columns: Vec<TextColumn>,
    /// Which columns are swept keys.
    pub swept: Vec<String>,
    /// The length of a tick.
    pub ticks: TickLength,
    /// The name of the run, if it is known.
    pub name: Option<String>,
}

impl Data {
    /// The table that `input`, a whole `summary.csv`, spells. Swept keys are the columns between `scenario` and `algorithm`.
    ///
    /// # Errors
    /// If it cannot be read, or is no CSV.
    pub fn from_csv(input: impl Read) -> csv::Result<Self> {
        let mut csv = csv::Reader::from_reader(input);
        let names = csv.headers()?.iter().map(str::to_owned);
        let mut columns: Vec<TextColumn> = names.map(|name| TextColumn { name, values: Vec::new() }).collect();
        for record in csv.records() {
            for (column, field) in columns.iter_mut().zip(&record?) {
                column.values.push(field.to_owned());
            }
        }
        let before_algorithm = columns.iter().map(|column| &column.name).take_while(|name| *name != "algorithm");
        let swept = before_algorithm.filter(|name| *name != "scenario").cloned().collect();
        Ok(Self { columns, swept, ticks: TickLength::Unknown, name: None })
    }

    /// The fields of the column called `name`.
    pub(super) fn column(&self, name: &str) -> Option<&[String]> {
        self.columns.iter().find(|column| column.name == name).map(|column| column.values.as_slice())
    }

    /// Whether the column called `name` has a field that is no number.
    pub(super) fn is_text(&self, name: &str) -> bool {
        let fields = self.column(name).unwrap_or_default();
        fields.iter().any(|field| !field.is_empty() && number(field).is_none())
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// The names of the columns that may be up the y axis: those behind `algorithm`.
    pub(super) fn measures(&self) -> impl Iterator<Item = &str> + Clone {
        let names = self.columns.iter().map(|column| column.name.as_str());
        names.skip_while(|name| *name != "algorithm").skip(1)
    }

    /// What may be along the x axis, and in conditions: swept keys, and `algorithm`.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> + Clone {
        self.swept.iter().map(String::as_str).chain(["algorithm"])
    }

    /// True if `name` is one of these.
    pub(super) fn is_key(&self, name: &str) -> bool {
        self.keys().any(|key| key == name)
    }

    /// The keys of a row, for conditions.
    pub(super) fn row(&self, at: usize) -> Table {
        let mut table = Table::default();
        for key in self.keys() {
            if let Some(field) = self.column(key).and_then(|fields| fields.get(at)) {
                put_field(&mut table, key, field);
            }
        }
        table
    }
}

/// The number that `field` spells, as TOML does; none if it is text, or not finite.
pub(super) fn number(field: &str) -> Option<f64> {
    field.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite())
}
