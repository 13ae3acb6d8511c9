//! Conversion of CSV into columns: arrays, which numpy shares without copying, and lists of strings.

use csv::{ByteRecord, Reader};
use flitwise::kind::RowFile;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use rustc_hash::FxHashMap;

/// A column of a table.
pub(crate) enum Column {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers. Missing ones are NaN.
    Numbers(Vec<f64>),
    /// Other texts. Missing ones are empty.
    Texts(Vec<String>),
}

/// Columns with their names, from left to right.
pub(crate) type Table = Vec<(String, Column)>;

/// The narrowest type that fits all fields of a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Integer,
    Number,
    Text,
}

impl Sort {
    fn of(field: &str) -> Self {
        if field.parse::<i64>().is_ok() {
            Self::Integer
        } else if field.is_empty() || (has_digit(field) && field.parse::<f64>().is_ok()) {
            Self::Number
        } else {
            Self::Text
        }
    }
}

/// True if `field` contains a digit. Names such as `inf` also parse as numbers.
fn has_digit(field: &str) -> bool {
    field.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns the columns of `file` with the given lines.
pub(crate) fn from_lines(file: &RowFile, lines: &str) -> csv::Result<Table> {
    from_csv(&(file.header.join(",") + "\n" + lines))
}

/// Returns the columns of `text`, which starts with a header. An empty column has missing numbers.
pub(crate) fn from_csv(text: &str) -> csv::Result<Table> {
    let mut reader = Reader::from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let mut sorts = vec![Sort::Integer; names.len()];
    let mut record = ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record)? {
        rows += 1;
        for (at, field) in fields(&record).enumerate() {
            sorts[at] = sorts[at].max(Sort::of(field));
        }
    }
    let mut columns: Vec<Column> = sorts.into_iter().map(|sort| Column::with_room(sort, rows)).collect();
    let mut reader = Reader::from_reader(text.as_bytes());
    while reader.read_byte_record(&mut record)? {
        fields(&record).zip(&mut columns).for_each(|(field, column)| column.push(field));
    }
    Ok(names.into_iter().zip(columns).collect())
}

fn fields(record: &ByteRecord) -> impl Iterator<Item = &str> {
    // the text is valid UTF-8, and so are its fields
    record.iter().map(|field| std::str::from_utf8(field).unwrap_or_default())
}

impl Column {
    fn with_room(sort: Sort, rows: usize) -> Self {
        match sort {
            Sort::Integer => Self::Integers(Vec::with_capacity(rows)),
            Sort::Number => Self::Numbers(Vec::with_capacity(rows)),
            Sort::Text => Self::Texts(Vec::with_capacity(rows)),
        }
    }

    /// Adds a field, which has the type of the column.
    fn push(&mut self, field: &str) {
        match self {
            Self::Integers(values) => values.extend(field.parse::<i64>()),
            Self::Numbers(values) => values.push(field.parse().unwrap_or(f64::NAN)),
            Self::Texts(values) => values.push(field.to_owned()),
        }
    }

    /// Converts the column into a numpy array, which shares the numbers, or into a list of strings. Equal strings share memory.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Integers(values) => Ok(PyArray1::from_vec(py, values).into_any()),
            Self::Numbers(values) => Ok(PyArray1::from_vec(py, values).into_any()),
            Self::Texts(values) => {
                let mut known: FxHashMap<String, Bound<'_, PyString>> = FxHashMap::default();
                let one = |value: String| known.entry(value).or_insert_with_key(|key| PyString::new(py, key)).clone();
                let list: Vec<Bound<'_, PyString>> = values.into_iter().map(one).collect();
                Ok(PyList::new(py, list)?.into_any())
            }
        }
    }
}

/// Converts the columns into a dict by name.
pub(crate) fn into_python(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table {
        columns.set_item(name, column.into_python(py)?)?;
    }
    Ok(columns)
}
