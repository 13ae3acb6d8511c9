//! Files that rows add lines to: which a scenario has, and what they say of a row.
//!
//! A file is a header and the lines of all rows, in order. Lines are made of a row alone, so that rows can be computed
//! anywhere and in any order and their lines put together later.

use super::line::{push_field, push_number, push_shown, push_text};
use super::summary::{Summaries, Summary};
use super::timeline::{TIMELINE, TIMELINE_HEADER, push_timeline};
use crate::kind::words::significant;
use crate::kind::{Column, Detail, DetailFiles, Lines, QUEUED_TIME, Row, Unit, text};
use crate::run::Rows;
use crate::scenario::Scenario;
use crate::units::{Attojoules, Millionths, SignedMillionths, narrow};
use std::collections::BTreeMap;
use std::io::Read;

/// A line per point, variant and repetition.
pub(super) const ROWS: &str = "rows.csv";
/// A line per message of every row.
pub(super) const MESSAGES: &str = "messages.csv";

/// Room for a line of `rows.csv`, mostly.
const LINE: usize = 160;

/// The first of the last four columns is there where rows have [`QUEUED_TIME`], too.
const MESSAGE_HEADER: [&str; 17] = [
    "point",
    "algorithm",
    "repetition",
    "id",
    "src",
    "dst",
    "flits",
    "requested",
    "injected",
    "delivered",
    "received",
    "hops",
    "blocked",
    "queued",
    "began",
    "cause",
    "after",
];

/// Where `queued` stands.
const QUEUED: usize = 13;

/// The text of a file, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The name of the file.
    pub file: &'static str,
    /// Whole lines.
    pub text: String,
}

/// The files that the rows of a scenario add lines to.
#[derive(Clone, Copy, Debug)]
pub struct RowFiles<'a> {
    scenario: &'a Scenario,
    details: DetailFiles,
}

impl<'a> RowFiles<'a> {
    /// Creates the files of `scenario` with the details that are `kept`.
    pub fn new(scenario: &'a Scenario, kept: DetailFiles) -> Self {
        Self { scenario, details: kept }
    }

    fn has_messages(&self) -> bool {
        self.details.messages && self.scenario.kind().keeps_messages
    }

    /// Their headers, in the order in which people read them.
    ///
    /// # Errors
    /// If a header is not text.
    pub fn headers(&self) -> csv::Result<Vec<Text>> {
        let mut headers = vec![Text { file: ROWS, text: text(|csv| self.row_header(csv))? }];
        if self.has_messages() {
            headers.push(Text { file: MESSAGES, text: text(|csv| csv.write_record(self.message_header()))? });
        }
        if self.details.timeline {
            headers.push(Text { file: TIMELINE, text: self.timeline_header()? });
        }
        for file in self.scenario.row_files(self.details.messages) {
            headers.push(Text { file: file.name, text: text(|csv| csv.write_record(file.header))? });
        }
        Ok(headers)
    }

    /// The lines of `rows`, by file; those that rows have made themselves are taken from them.
    ///
    /// # Errors
    /// If a line is not text.
    pub fn lines(&self, rows: &mut [Row]) -> csv::Result<Vec<Text>> {
        let mut all = String::with_capacity(rows.len() * LINE);
        rows.iter().for_each(|row| self.push_row(&mut all, row));
        let mut lines = vec![Text { file: ROWS, text: all }];
        if self.has_messages() {
            let all = text(|csv| rows.iter().try_for_each(|row| self.message_lines(row, csv)))?;
            lines.push(Text { file: MESSAGES, text: all });
        }
        if self.details.timeline {
            let all = rows.iter().map(|row| self.timeline_lines(row)).collect();
            lines.push(Text { file: TIMELINE, text: all });
        }
        for (file, text) in rows.iter_mut().flat_map(|row| std::mem::take(&mut row.files)) {
            match lines.iter_mut().find(|line| line.file == file) {
                Some(line) => line.text.push_str(&text),
                None => lines.push(Text { file, text }),
            }
        }
        Ok(lines)
    }

    /// The header of `timeline.csv`.
    ///
    /// # Errors
    /// If it is not text.
    pub fn timeline_header(&self) -> csv::Result<String> {
        text(|csv| csv.write_record(TIMELINE_HEADER))
    }

    /// The lines of `row` in `timeline.csv`. Empty if its timeline was not kept.
    pub fn timeline_lines(&self, row: &Row) -> String {
        let mut lines = String::new();
        push_timeline(&mut lines, row);
        lines
    }

    /// The columns that files have.
    fn columns(&self) -> impl Iterator<Item = &'static Column> + Clone {
        self.scenario.result_columns().stored()
    }

    /// How many of them stand before `engine`: the common ones, or all without any.
    fn before_engine(&self) -> usize {
        match self.columns().filter(|column| column.common).count() {
            0 => self.columns().count(),
            common => common,
        }
    }

    fn row_header(&self, csv: &mut Lines) -> csv::Result<()> {
        let axes = self.scenario.axes.iter().map(|axis| axis.column.as_str());
        let what = ["algorithm", "repetition", "seed", "nodes", "messages"];
        let mut names: Vec<&str> = self.columns().map(|column| column.name).collect();
        names.insert(self.before_engine(), "engine");
        csv.write_record(std::iter::once("scenario").chain(axes).chain(what).chain(names))
    }

    /// Adds the line of `row`: all of a sweep's rows are written so, which takes less than half of what [`csv::Writer`] does.
    fn push_row(&self, line: &mut String, row: &Row) {
        push_text(line, &self.scenario.name);
        let settings = &self.scenario.points[row.id.point].settings;
        settings.iter().for_each(|setting| push_field(line, setting));
        push_field(line, row.algorithm);
        for number in [row.id.repetition, row.seed, row.nodes as u64, row.messages as u64] {
            push_number(line, number);
        }
        let (before, behind) = row.values.split_at(self.before_engine());
        let mut columns = self.columns();
        before.iter().zip(columns.by_ref()).for_each(|(value, column)| self.push(line, row, column, *value));
        push_field(line, row.engine.unwrap_or_default());
        behind.iter().zip(columns).for_each(|(value, column)| self.push(line, row, column, *value));
        line.push('\n');
    }

    /// Adds what `row` says in a column: its `value` or, where the column is text, that of the point.
    fn push(&self, line: &mut String, row: &Row, column: &Column, value: Option<u128>) {
        if column.is_text() {
            push_field(line, &self.scenario.text(row.id.point, column.name));
        } else {
            push_value(line, column.unit, value);
        }
    }

    fn tells_queued(&self) -> bool {
        self.columns().any(|column| column.name == QUEUED_TIME.name)
    }

    fn message_header(&self) -> Vec<&'static str> {
        let mut header = MESSAGE_HEADER.to_vec();
        if !self.tells_queued() {
            header.remove(QUEUED);
        }
        header
    }

    fn message_lines(&self, row: &Row, csv: &mut Lines) -> csv::Result<()> {
        let tells_queued = self.tells_queued();
        for Detail { id, flits, outcome: message, began } in &row.details {
            let of_row = (row.id.point, row.algorithm, row.id.repetition);
            let ends = (id, message.src.0, message.dst.0, flits.0);
            let times = (message.requested.0, message.injected.0, message.delivered.0, message.received.0);
            let waits = (message.hops, message.blocked_time.0);
            let after = began.cause.after().map(|before| row.details[before.index()].id);
            let why = (began.at.0, began.cause.name(), after);
            if tells_queued {
                csv.serialize((of_row, ends, times, waits, message.queued().0, why))?;
            } else {
                csv.serialize((of_row, ends, times, waits, why))?;
            }
        }
        Ok(())
    }
}

/// Why `rows.csv` was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// It is not that of the scenario.
    #[error("line {line} of rows.csv {what}")]
    Other {
        /// From 1, the header's.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

/// The summaries of `scenario` from its `rows.csv`.
///
/// # Errors
/// If that is not of the scenario, or not whole.
pub fn read_rows(scenario: &Scenario, input: impl Read) -> Result<Vec<Summary>, ReadError> {
    let other = |line: usize, what: &str| ReadError::Other { line, what: what.to_owned() };
    let mut csv = csv::Reader::from_reader(input);
    let header = csv.headers()?.clone();
    let place = |name: &str| header.iter().position(|column| column == name);
    let columns: Option<Vec<(usize, &Column)>> =
        scenario.result_columns().stored().map(|column| Some((place(column.name)?, column))).collect();
    let (Some(columns), Some(algorithm)) = (columns, place("algorithm")) else {
        let what = if header.is_empty() { "is empty" } else { "has other columns, so another version wrote it" };
        return Err(other(1, what));
    };
    let rows = Rows::new(scenario);
    let mut summaries = Summaries::new(scenario);
    let mut values = Vec::with_capacity(columns.len());
    let mut at = 0;
    for record in csv.records() {
        let record = record?;
        let line = at + 2;
        let id = (at < rows.count()).then(|| rows.get(at)).ok_or_else(|| other(line, "is beyond the last row"))?;
        let expected = scenario.points[id.point].experiment.workload.variant(id.algorithm);
        if &record[algorithm] != expected {
            return Err(other(line, &format!("is a row of `{}`, expected `{expected}`", &record[algorithm])));
        }
        values.clear();
        for &(place, column) in &columns {
            let value = read_value(column.unit, &record[place])
                .map_err(|()| other(line, "has a field that is not a number"))?;
            values.push(value);
        }
        summaries.add_values(id.point, expected, &values);
        at += 1;
    }
    if at < rows.count() {
        return Err(other(at + 2, &format!("is missing: the file has {at} of {} rows", rows.count())));
    }
    Ok(summaries.finish())
}

/// Adds the parts of their rows to `summaries` of `scenario`, from the `text` of the file of the parts.
pub fn read_parts(scenario: &Scenario, summaries: &mut [Summary], text: &str) {
    let Some(parts) = &scenario.kind().parts else { return };
    let mut lines: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for line in text.split_inclusive('\n').skip(1) {
        let mut fields = line.split(',');
        let row = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        lines.entry(row).or_default().push_str(line);
    }
    for summary in summaries {
        if let Some(lines) = lines.get(&(summary.point.to_string().as_str(), summary.algorithm.as_str())) {
            summary.parts = Summaries::new(scenario).parts_of(summary, parts.file.name, lines);
        }
    }
}

/// The value of a column in this unit that [`push_value`] has written; none of text, which is no value.
fn read_value(unit: Unit, text: &str) -> Result<Option<u128>, ()> {
    if text.is_empty() {
        return Ok(None);
    }
    match unit {
        Unit::Text => Ok(None),
        Unit::Ticks | Unit::Count => text.parse::<u64>().map(|value| Some(value.into())).map_err(drop),
        Unit::Decimal => text.parse::<f64>().map(|value| Some(value.to_bits().into())).map_err(drop),
        Unit::Millionths => read_millionths(text).map(|value| Some(value.into())),
        Unit::Energy => Attojoules::from_picojoules(text).map(|energy| Some(energy.0)).ok_or(()),
        Unit::SignedMillionths => {
            let size = read_millionths(text.strip_prefix('-').unwrap_or(text))?;
            let value = match text.starts_with('-') {
                true => 0_i64.checked_sub_unsigned(size),
                false => 0_i64.checked_add_unsigned(size),
            };
            value.map(|value| Some(SignedMillionths(value).stored().into())).ok_or(())
        }
    }
}

fn read_millionths(text: &str) -> Result<u64, ()> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let whole: u64 = whole.parse().map_err(drop)?;
    let part: u64 = format!("{part:0<6}").parse().map_err(drop)?;
    whole.checked_mul(1_000_000).and_then(|whole| whole.checked_add(part)).ok_or(())
}

/// Adds the `value` of a column in this unit as files show it, nothing if there is none, behind a comma.
fn push_value(line: &mut String, unit: Unit, value: Option<u128>) {
    let Some(value) = value else { return line.push(',') };
    if unit == Unit::Energy {
        return push_shown(line, Attojoules(value));
    }
    let value = narrow(value, "only energies need more than 64 bits");
    match unit {
        Unit::Millionths => push_shown(line, Millionths(value)),
        Unit::SignedMillionths => push_shown(line, SignedMillionths::from_stored(value)),
        Unit::Decimal => push_shown(line, significant(f64::from_bits(value))),
        Unit::Ticks | Unit::Count | Unit::Text | Unit::Energy => push_number(line, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_below_zero_are_read_as_they_are_written() {
        for value in [0, 1, -1, -12_345, 2_500_000, -1_000_000, i64::MAX, i64::MIN] {
            let stored = SignedMillionths(value).stored().into();
            let mut written = String::new();
            push_value(&mut written, Unit::SignedMillionths, Some(stored));
            assert_eq!(read_value(Unit::SignedMillionths, &written[1..]), Ok(Some(stored)), "{written}");
        }
        assert_eq!(read_value(Unit::SignedMillionths, "9223372036854.775808"), Err(()));
        assert_eq!(read_value(Unit::Text, "7"), Ok(None));
    }
}
