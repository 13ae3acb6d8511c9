//! `rows.csv` as samples: what each repetition of an algorithm at a point had in each column.

use super::keys::canonical;
use crate::kind::words::{counted, first_of};
use crate::workload::KINDS;
use rustc_hash::FxHashSet;
use std::io::Read;
use thiserror::Error;

/// The rows of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The swept keys.
    pub swept: Vec<String>,
    /// The columns of numbers.
    pub columns: Vec<String>,
    /// The columns of text, which are not compared.
    pub texts: Vec<String>,
    /// A group for each combination of swept values and algorithm, in their order.
    samples: Vec<Sampled>,
}

/// The repetitions of an algorithm at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sampled {
    settings: Vec<String>,
    algorithm: String,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    seed: String,
    repetition: String,
    /// One for each column, in millionths; none where the field is empty.
    values: Vec<Option<i128>>,
}

impl Row {
    /// The value of the column with this index.
    fn draw(&self, column: usize) -> Option<Draw<'_>> {
        Some(Draw { seed: &self.seed, repetition: &self.repetition, millionths: self.values[column]? })
    }
}

/// Where the value of a key is.
enum Setting {
    /// Among those of rows.
    Swept(usize),
    /// It is the same everywhere.
    Fixed(String),
}

impl Setting {
    fn value(&self, sampled: &Sampled) -> String {
        match self {
            Self::Swept(at) => sampled.settings[*at].clone(),
            Self::Fixed(value) => value.clone(),
        }
    }
}

/// Where a group stands among others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The value of each swept key, as its file has it.
    pub settings: Vec<String>,
    /// The algorithm.
    pub algorithm: String,
}

/// A value of a repetition, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Draw<'a> {
    pub(super) seed: &'a str,
    pub(super) repetition: &'a str,
    pub(super) millionths: i128,
}

/// The repetitions of an algorithm at a point, where swept keys may be those of another run.
pub(super) struct Group<'a> {
    pub(super) place: Place,
    rows: &'a Rows,
    sampled: &'a Sampled,
}

impl Group<'_> {
    /// What is the same in groups that match.
    pub(super) fn identity(&self) -> Vec<String> {
        let settings = self.place.settings.iter().map(|value| canonical(value));
        settings.chain([self.place.algorithm.clone()]).collect()
    }

    /// The values of the column called `name`.
    pub(super) fn values(&self, name: &str) -> Vec<Draw<'_>> {
        let Some(at) = self.rows.columns.iter().position(|column| column == name) else { return Vec::new() };
        self.sampled.rows.iter().filter_map(|row| row.draw(at)).collect()
    }
}

/// Why `rows.csv` was not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RowsError {
    /// It is no CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// It has no column of this name.
    #[error("rows.csv has no column `{0}`, so it was not written by flitwise")]
    Column(&'static str),
    /// A field is no number.
    #[error("line {line} of rows.csv has \"{text}\" in column `{column}`; accepted: a number, or an empty field")]
    Number {
        /// From 1, the header's.
        line: usize,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
    },
}

/// Columns of `rows.csv` before those of numbers, and one among these, that are no measurements.
pub(super) const LABELS: [&str; 5] = ["scenario", "algorithm", "repetition", "seed", "engine"];

impl Rows {
    /// The rows that `input`, a whole `rows.csv`, spells.
    ///
    /// # Errors
    /// If it cannot be read, or is not that of a run.
    pub fn from_csv(input: impl Read) -> Result<Self, RowsError> {
        Self::with_texts(input, is_text)
    }

    /// The same, where it is known which columns are text.
    fn with_texts(input: impl Read, is_text: impl Fn(&str) -> bool) -> Result<Self, RowsError> {
        let mut csv = csv::Reader::from_reader(input);
        let header = csv.headers()?.clone();
        let place = |name: &'static str| header.iter().position(|column| column == name).ok_or(RowsError::Column(name));
        let [algorithm, repetition, seed] = [place("algorithm")?, place("repetition")?, place("seed")?];
        let swept: Vec<usize> = (0..algorithm).filter(|&at| !LABELS.contains(&&header[at])).collect();
        let behind = (seed..header.len()).filter(|&at| !LABELS.contains(&&header[at]));
        let (texts, numbers): (Vec<usize>, Vec<usize>) = behind.partition(|&at| is_text(&header[at]));
        let names = |places: &[usize]| places.iter().map(|&at| header[at].to_owned()).collect::<Vec<_>>();
        let mut rows =
            Self { swept: names(&swept), columns: names(&numbers), texts: names(&texts), samples: Vec::new() };
        for (at, record) in csv.records().enumerate() {
            let record = record?;
            let value = |&place: &usize| match number(&record[place]) {
                Ok(value) => Ok(value),
                Err(()) => {
                    let column = header[place].to_owned();
                    Err(RowsError::Number { line: at + 2, column, text: record[place].to_owned() })
                }
            };
            let values = numbers.iter().map(value).collect::<Result<_, _>>()?;
            let row = Row { seed: record[seed].to_owned(), repetition: record[repetition].to_owned(), values };
            let settings = swept.iter().map(|&at| record[at].to_owned()).collect();
            rows.put(settings, &record[algorithm], row);
        }
        Ok(rows)
    }

    /// Adds a row; those of an algorithm at a point come one after the other.
    fn put(&mut self, settings: Vec<String>, algorithm: &str, row: Row) {
        match self.samples.last_mut() {
            Some(last) if last.algorithm == algorithm && last.settings == settings => last.rows.push(row),
            _ => self.samples.push(Sampled { settings, algorithm: algorithm.to_owned(), rows: vec![row] }),
        }
    }

    /// Whether the column called `name` is there and has a value.
    pub(super) fn has_values(&self, name: &str) -> bool {
        let at = self.columns.iter().position(|column| column == name);
        let mut rows = self.samples.iter().flat_map(|sampled| &sampled.rows);
        at.is_some_and(|at| rows.any(|row| row.values[at].is_some()))
    }

    /// The different values of the swept `key`, in their order; none if it is not swept.
    pub(super) fn values_of(&self, key: &str) -> Option<Vec<&str>> {
        let at = self.swept.iter().position(|swept| swept == key)?;
        Some(distinct(self.samples.iter().map(|sampled| sampled.settings[at].as_str())))
    }

    /// The groups with the value of each of `keys`, which `fixed` tells of those that are not swept here.
    pub(super) fn groups(&self, fixed: impl Fn(&str) -> Option<String>, keys: &[String]) -> Vec<Group<'_>> {
        let settings = keys.iter().map(|key| match self.swept.iter().position(|swept| swept == key) {
            Some(at) => Setting::Swept(at),
            None => Setting::Fixed(fixed(key).unwrap_or_default()), // what has no value matches what has none
        });
        let settings: Vec<Setting> = settings.collect();
        let place = |sampled: &Sampled| Place {
            settings: settings.iter().map(|setting| setting.value(sampled)).collect(),
            algorithm: sampled.algorithm.clone(),
        };
        self.samples.iter().map(|sampled| Group { place: place(sampled), rows: self, sampled }).collect()
    }

    /// What is swept over which values, and the algorithms.
    pub(super) fn in_words(&self) -> String {
        let owned = |values: Vec<&str>| first_of(&values.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let swept = self.swept.iter().filter_map(|key| Some(format!("{key} ({})", owned(self.values_of(key)?))));
        let algorithms = distinct(self.samples.iter().map(|sampled| sampled.algorithm.as_str()));
        let named = counted(algorithms.len() as u64, "algorithm");
        let algorithms = format!("{named} ({})", owned(algorithms));
        swept.chain([algorithms]).collect::<Vec<_>>().join(", ")
    }
}

/// `values`, each once, in their order.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = FxHashSet::default();
    let mut distinct = Vec::new();
    for value in values {
        if seen.insert(value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Whether the column called `name` is text: of whatever kind, a name is that of text everywhere or nowhere.
fn is_text(name: &str) -> bool {
    KINDS.iter().flat_map(|kind| kind.all_columns()).any(|column| column.is_text() && column.name == name)
}

/// The value of the decimal number `field` in millionths, rounded to the nearest. Returns `None` if it is empty.
fn number(field: &str) -> Result<Option<i128>, ()> {
    if field.is_empty() {
        return Ok(None);
    }
    let size = field.strip_prefix('-').unwrap_or(field);
    let (whole, part) = size.split_once('.').unwrap_or((size, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) {
        return Err(());
    }
    let (kept, dropped) = part.split_at(part.len().min(6)); // bandwidths have more digits where they are low
    let truncated: i128 = format!("{whole}{kept:0<6}").parse().map_err(drop)?;
    let millionths = truncated + i128::from(dropped.bytes().next().is_some_and(|digit| digit >= b'5'));
    Ok(Some(if size == field { millionths } else { -millionths }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_to_the_millionth() {
        let cases = [
            ("", Ok(None)),
            ("7", Ok(Some(7_000_000))),
            ("0.05", Ok(Some(50_000))),
            ("1.000001", Ok(Some(1_000_001))),
            ("-1", Ok(Some(-1_000_000))),
            ("-0.012345", Ok(Some(-12_345))),
            ("0.00925023", Ok(Some(9_250))),
            ("-1.0000005", Ok(Some(-1_000_001))),
        ];
        for (field, expected) in cases {
            assert_eq!(number(field), expected, "{field}");
        }
        for field in ["x", "-", "--1", "+1", "1e3", ".5", "1.0000x"] {
            assert_eq!(number(field), Err(()), "{field}");
        }
    }

    #[test]
    fn text_is_no_number_to_compare() {
        let csv = "scenario,algorithm,repetition,seed,measured,engine,trace,error\ns,x,0,1,7,,a.json,-0.5\n";
        let rows = Rows::with_texts(csv.as_bytes(), |name| name == "trace").unwrap();
        assert_eq!((rows.columns.join(" "), rows.texts.join(" ")), ("measured error".to_owned(), "trace".to_owned()));
        let groups = rows.groups(|_| None, &[]);
        assert_eq!(groups[0].values("error").iter().map(|draw| draw.millionths).collect::<Vec<_>>(), [-500_000]);
        assert!(Rows::with_texts(csv.as_bytes(), |_| false).is_err());
    }

    #[test]
    fn a_name_is_that_of_text_everywhere_or_nowhere() {
        for column in KINDS.iter().flat_map(|kind| kind.all_columns()) {
            assert_eq!(column.is_text(), is_text(column.name), "{}", column.name);
        }
    }

    #[test]
    fn what_no_run_wrote_is_refused() {
        let read = |text: &str| Rows::from_csv(text.as_bytes()).map_err(|error| error.to_string());
        assert_eq!(
            read("a,b\n1,2\n"),
            Err("rows.csv has no column `algorithm`, so it was not written by flitwise".to_owned())
        );
        let wrong = read("scenario,algorithm,repetition,seed,measured\ns,x,0,1,many\n");
        assert!(wrong.is_err_and(|wrong| wrong.starts_with("line 2 of rows.csv has \"many\" in column `measured`")));
    }
}
