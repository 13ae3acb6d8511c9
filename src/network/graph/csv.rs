//! Graphs as CSV: `kind,a,b,flit_time,delay`, where a kind is `node`, `link` or `arc`. And tables of paths.

use super::draft::{Draft, LARGEST, LONGEST_DELAY, LONGEST_FLIT_TIME};
use crate::config::other_delimiter;
use crate::units::{narrow, saturated};
use csv::ByteRecord;
use std::ops::Range;

const COLUMNS: [&str; 5] = ["kind", "a", "b", "flit_time", "delay"];

/// Reads all rows.
pub(super) fn read(draft: &mut Draft<'_, '_>) {
    let text = draft.text;
    let wrong = each_row(text, &COLUMNS, 3, |row| {
        match row {
            Ok(row) => add(draft, &row),
            Err(Wrong { span, message }) => draft.refuse(span, message, &COLUMNS.join(",")),
        }
        !draft.is_hopeless()
    });
    if let Err(Wrong { span, message }) = wrong {
        draft.refuse(span, message, "");
    }
}

/// Adds what a row says.
fn add(draft: &mut Draft<'_, '_>, row: &Row<'_>) {
    let kind = row.field(0);
    if !matches!(kind, "node" | "link" | "arc") {
        draft.refuse(row.place(0), format!("no row is called `{kind}`"), "node, link, arc");
        return;
    }
    let mut number = |column: usize, least: u64, most: u64| match row.number(column, least, most) {
        Ok(number) => Some(number),
        Err(Wrong { span, message }) => {
            draft.refuse(span, message, &format!("an integer from {least} to {most}"));
            None
        }
    };
    let a = number(1, 0, LARGEST);
    let b = number(2, 0, LARGEST);
    let mut given = |column: usize, least: u64, most: u64| match row.field(column) {
        "" => Some(None),
        _ => number(column, least, most).map(Some),
    };
    let flit_time = given(3, 1, LONGEST_FLIT_TIME);
    let delay = given(4, 0, LONGEST_DELAY);
    let (Some(a), Some(b), Some(flit_time), Some(delay)) = (a, b, flit_time, delay) else { return };
    let cost = draft.cost(flit_time, delay);
    let a = narrow(a, "numbers of nodes and routers are checked");
    let b = narrow(b, "numbers of nodes and routers are checked");
    match kind {
        "node" => draft.hang(a, b, cost, row.start),
        _ if a == b => draft.refuse_loop(a, row.start),
        _ => {
            draft.join(a, b, cost, row.start);
            if kind == "link" {
                draft.join(b, a, cost, row.start);
            }
        }
    }
}

/// What is wrong, and the bytes that it is about.
pub(super) struct Wrong {
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

/// A row of a CSV file.
pub(super) struct Row<'a> {
    text: &'a str,
    record: &'a ByteRecord,
    columns: &'a [&'static str],
    /// Where it begins.
    pub(super) start: usize,
}

/// Gives each row of `text`, which begins with `columns`, of which the first `needed` must be there; ends when `each` is false.
///
/// # Errors
/// If it is no CSV with such columns.
pub(super) fn each_row(
    text: &str,
    columns: &[&'static str],
    needed: usize,
    mut each: impl FnMut(Result<Row<'_>, Wrong>) -> bool,
) -> Result<(), Wrong> {
    let mut csv = csv::ReaderBuilder::new();
    let mut reader = csv.has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = ByteRecord::new();
    let mut is_first = true;
    loop {
        let more = reader.read_byte_record(&mut record);
        if !more.map_err(|error| Wrong { span: 0..0, message: format!("not CSV: {error}") })? {
            break;
        }
        let start = record.position().map_or(0, |position| saturated(position.byte()));
        let blank = text[start..].bytes().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let row = Row { text, record: &record, columns, start: start + blank };
        if is_first {
            row.is_header(needed)?;
            is_first = false;
            continue;
        }
        let is_whole = (needed..=columns.len()).contains(&record.len());
        let message = || format!("{} fields where {needed} to {} are needed", record.len(), columns.len());
        let row = if is_whole { Ok(row) } else { Err(Wrong { span: row.line(), message: message() }) };
        if !each(row) {
            return Ok(());
        }
    }
    match is_first {
        true => Err(Wrong { span: 0..0, message: format!("the first line must be `{}`", columns.join(",")) }),
        false => Ok(()),
    }
}

impl Row<'_> {
    fn is_header(&self, needed: usize) -> Result<(), Wrong> {
        let names = self.record.len();
        let fits = (needed..=self.columns.len()).contains(&names);
        if fits && (0..names).all(|column| self.field(column) == self.columns[column]) {
            return Ok(());
        }
        let other = other_delimiter(&self.text[self.line()]);
        let why = other.map_or_else(String::new, |other| format!("; here {other} stands where a comma separates"));
        Err(Wrong { span: self.line(), message: format!("the first line must be `{}`{why}", self.columns.join(",")) })
    }

    pub(super) fn line(&self) -> Range<usize> {
        super::draft::line(self.text, self.start)
    }

    /// A field without blanks around it; empty if it is not there.
    pub(super) fn field(&self, column: usize) -> &str {
        let bytes = self.record.get(column).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default().trim_ascii()
    }

    /// The bytes of the field in `column`, for lines without quotes; otherwise of the whole line.
    pub(super) fn place(&self, column: usize) -> Range<usize> {
        let line = self.line();
        let text = &self.text[line.clone()];
        let mut start = line.start;
        for (at, field) in text.split(',').enumerate() {
            if at == column && !text.contains('"') {
                return start..start + field.len();
            }
            start += field.len() + 1;
        }
        line
    }

    /// The integer in `column`, in a range.
    pub(super) fn number(&self, column: usize, least: u64, most: u64) -> Result<u64, Wrong> {
        let field = self.field(column);
        let name = self.columns[column];
        let value: Option<u64> = field.parse().ok();
        let message = match value {
            Some(value) if value < least => format!("{name} is at least {least}"),
            Some(value) if value > most => format!("{name} is at most {most}"),
            Some(value) => return Ok(value),
            None => format!("{name}: `{field}` is no number"),
        };
        Err(Wrong { span: self.place(column), message })
    }
}
