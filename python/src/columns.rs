//! Tables as columns: what CSV says, as arrays that numpy takes without a copy and lists of strings.

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
    /// Numbers; those that are missing are NaN.
    Numbers(Vec<f64>),
    /// Anything else; empty where nothing is said.
    Texts(Vec<String>),
}

/// Columns with their names, from left to right.
pub(crate) type Table = Vec<(String, Column)>;

/// What all fields of a column are.
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

/// Whether it is more than a name that spells a number, such as `inf`.
fn has_digit(field: &str) -> bool {
    field.bytes().any(|byte| byte.is_ascii_digit())
}

/// The columns of `file`, to which rows have added these lines.
pub(crate) fn from_lines(file: &RowFile, lines: &str) -> csv::Result<Table> {
    from_csv(&(file.header.join(",") + "\n" + lines))
}

/// The columns of `text`, which begins with a header. A column in which nothing is said is one of missing numbers.
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
    // the text is one of strings, so its fields are
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

    /// Adds a field, which is of the column's sort.
    fn push(&mut self, field: &str) {
        match self {
            Self::Integers(values) => values.extend(field.parse::<i64>()),
            Self::Numbers(values) => values.push(field.parse().unwrap_or(f64::NAN)),
            Self::Texts(values) => values.push(field.to_owned()),
        }
    }

    /// It as an array of numpy, which takes the numbers as they lie in memory, or as a list of strings, each of them once.
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

/// The columns by name.
pub(crate) fn into_python(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table {
        columns.set_item(name, column.into_python(py)?)?;
    }
    Ok(columns)
}
