//! CSV with a header: rows whose fields are found by the names of their columns, which may have any order.
//!
//! Independent of the meaning of the columns.

use super::foreign;
use super::numeral;
use crate::delimiter::{Delimited, other_delimiter};
use crate::fault::Fault;
use crate::spelling::{closest, listed};
use crate::units::saturated;
use csv::ByteRecord;
use std::ops::{Range, RangeInclusive};

/// Rows with errors after which a file is read no further.
const HOPELESS: usize = 1000;

/// The separators of several numbers in a field.
const BLANKS: [char; 2] = [' ', '\t'];

/// The columns of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    /// Their names, in the order of the documentation.
    pub(crate) names: &'static [&'static str],
    /// The number of those, from the first on, that the header must have.
    pub(crate) required: usize,
}

/// A row of a CSV file.
pub(crate) struct Row<'a> {
    text: &'a str,
    record: &'a ByteRecord,
    header: &'a Header,
    /// The byte that it begins with.
    pub(crate) start: usize,
}

/// The columns of a file as its header has them.
struct Header {
    columns: Columns,
    /// The index of each column among the fields of a row.
    fields: Vec<Option<usize>>,
    /// The number of fields.
    len: usize,
}

/// Gives each row of `text` to `each`, or its error. Ends when `each` has returned many errors.
///
/// # Errors
/// Returns an error if it is not CSV with such columns.
pub(crate) fn each_row(
    text: &str,
    columns: Columns,
    mut each: impl FnMut(Result<Row<'_>, Fault>) -> Result<(), ()>,
) -> Result<(), Fault> {
    let mut csv = csv::ReaderBuilder::new();
    let mut reader = csv.has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| {
        let read = reader.read_byte_record(record);
        read.map_err(|error| Fault::new(0..0, format!("not CSV: {error}")))
    };
    if !next(&mut record)? {
        return Err(Fault::new(0..0, format!("the file is empty; the first line must be `{}`", columns.line())));
    }
    let header = Header::read(text, &record, columns)?;
    let mut faults = 0;
    while next(&mut record)? {
        let row = Row { text, record: &record, header: &header, start: start(text, &record) };
        let span = row.line();
        let checked = row.check_fields().map_or_else(Err, |()| Ok(row));
        faults += usize::from(each(checked).is_err());
        if faults == HOPELESS {
            return Err(Fault::new(
                span,
                format!("{HOPELESS} rows up to here have errors; the remaining rows have not been read"),
            ));
        }
    }
    Ok(())
}

/// The byte that `record` begins with, blank lines aside.
fn start(text: &str, record: &ByteRecord) -> usize {
    let start = record.position().map_or(0, |position| saturated(position.byte()));
    start + text[start..].bytes().take_while(|byte| matches!(byte, b'\n' | b'\r')).count()
}

impl Columns {
    /// The header with the columns in the order of the documentation.
    fn line(self) -> String {
        self.names.join(",")
    }

    fn accepted(self) -> String {
        let (required, optional) = self.names.split_at(self.required);
        let optional = if optional.is_empty() {
            String::new()
        } else {
            format!("; optional: {}", listed(optional.iter().copied()))
        };
        format!("accepted: the columns {}, in any order{optional}", listed(required.iter().copied()))
    }
}

impl Header {
    /// Finds the columns in `record`, the first line of `text`.
    fn read(text: &str, record: &ByteRecord, columns: Columns) -> Result<Self, Fault> {
        let start = start(text, record);
        let none = Self { columns, fields: Vec::new(), len: record.len() };
        let row = Row { text, record, header: &none, start };
        let names: Vec<&str> = (0..record.len()).map(|at| row.nth_field(at)).collect();
        if !names.iter().any(|name| columns.names.contains(name)) {
            return Err(no_header(text, &row, &names, columns));
        }
        for (at, name) in names.iter().enumerate() {
            let fault = |message| Fault::new(row.nth_span(at), message).note(columns.accepted());
            if !columns.names.contains(name) {
                let fault = fault(format!("unknown column `{name}`"));
                return Err(
                    match closest(name, columns.names.iter().copied().filter(|known| !names.contains(known))) {
                        Some(near) => fault.hint(format!("did you mean `{near}`?")),
                        None => fault.hint("remove the column, which has no effect"),
                    },
                );
            }
            if names[..at].contains(name) {
                return Err(fault(format!("two columns are called `{name}`")));
            }
        }
        let fields: Vec<Option<usize>> =
            columns.names.iter().map(|column| names.iter().position(|name| name == column)).collect();
        match columns.names[..columns.required].iter().zip(&fields).find(|(_, field)| field.is_none()) {
            Some((missing, _)) => {
                Err(Fault::new(row.line(), format!("the column `{missing}` is missing")).note(columns.accepted()))
            }
            None => Ok(Self { columns, fields, len: names.len() }),
        }
    }
}

/// The error of a first line that names no column.
fn no_header(text: &str, row: &Row<'_>, names: &[&str], columns: Columns) -> Fault {
    if let Some(foreign) = foreign::graph(text) {
        let message = format!("this is {}, but the first line must be `{}`", foreign.name, columns.line());
        return Fault::new(row.line(), message).hint(foreign.hint);
    }
    let fault = Fault::new(row.line(), format!("the first line must be `{}`", columns.line()));
    let is_row = names.iter().any(|name| name.parse::<f64>().is_ok());
    match other_delimiter(&text[row.line()]) {
        Some(other) => {
            let message = format!("{}; the columns are separated by {} instead of a comma", fault.message, other.name);
            Fault { message, ..fault }.hint(other.remedy())
        }
        None if is_row => {
            fault.hint(format!("this line is already a row; add the header `{}` above it", columns.line()))
        }
        None => fault.note(columns.accepted()),
    }
}

impl Row<'_> {
    /// Refuses fields without a column, and columns that are required and have no field.
    fn check_fields(&self) -> Result<(), Fault> {
        let (fields, header) = (self.record.len(), self.header);
        let required = header.fields[..header.columns.required].iter().flatten().max().map_or(0, |&last| last + 1);
        if (required..=header.len).contains(&fields) {
            return Ok(());
        }
        let needed =
            if required == header.len { required.to_string() } else { format!("{required} to {}", header.len) };
        let s = if fields == 1 { "" } else { "s" };
        let are = if needed == "1" { "is" } else { "are" };
        let fault = Fault::new(self.line(), format!("{fields} field{s}, but {needed} {are} needed"));
        let line = &self.text[self.line()];
        Err(match other_delimiter(line) {
            Some(other) => fault.hint(other.remedy()),
            None if fields > header.len => fault.hint(Delimited::EXTRA_COMMA),
            None => fault.note(header.columns.accepted()),
        })
    }

    /// The bytes of the line.
    pub(crate) fn line(&self) -> Range<usize> {
        line_at(self.text, self.start)
    }

    /// The field of the column with this index among the names, without blanks around it. Empty if there is no such field.
    pub(crate) fn field(&self, column: usize) -> &str {
        self.header.fields[column].map_or("", |at| self.nth_field(at))
    }

    /// The field with this index in the row.
    fn nth_field(&self, at: usize) -> &str {
        let bytes = self.record.get(at).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default().trim_ascii()
    }

    /// The bytes of the field of `column`, or of the whole line if that has quotes.
    pub(crate) fn span(&self, column: usize) -> Range<usize> {
        self.header.fields[column].map_or_else(|| self.line(), |at| self.nth_span(at))
    }

    fn nth_span(&self, index: usize) -> Range<usize> {
        let line = self.line();
        let text = &self.text[line.clone()];
        let mut start = line.start;
        for (at, field) in text.split(',').enumerate() {
            if at == index && !text.contains('"') {
                return start..start + field.len();
            }
            start += field.len() + 1;
        }
        line
    }

    /// The integer in `column`, which must be in `range`.
    pub(crate) fn number(&self, column: usize, range: RangeInclusive<u64>) -> Result<u64, Fault> {
        self.read_number(column, self.field(column), &range)
    }

    /// The integers between blanks in `column`, which must be in `range`.
    pub(crate) fn numbers(&self, column: usize, range: RangeInclusive<u64>) -> Result<Vec<u64>, Fault> {
        let field = self.field(column);
        if !field.contains(BLANKS) {
            return Ok(vec![self.number(column, range)?]);
        }
        let words = field.split(BLANKS).filter(|word| !word.is_empty());
        words.map(|word| self.read_number(column, word, &range)).collect()
    }

    /// The integer that `written` in `column` is, which must be in `range`.
    fn read_number(&self, column: usize, written: &str, range: &RangeInclusive<u64>) -> Result<u64, Fault> {
        let name = self.header.columns.names[column];
        numeral::integer(written, range).map_err(|slip| {
            let fault = Fault::new(self.span(column), format!("`{name}` {}", slip.problem));
            let fault = fault.note(format!("accepted: an integer from {} to {}", range.start(), range.end()));
            if slip.hint.is_empty() { fault } else { fault.hint(slip.hint) }
        })
    }
}

/// The numbers of things in a file, by which those that count from 1 are recognised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    least: u64,
    most: u64,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { least: u64::MAX, most: 0 }
    }
}

impl Numbers {
    /// Adds `number`.
    pub(crate) fn add(&mut self, number: u64) {
        self.least = self.least.min(number);
        self.most = self.most.max(number);
    }

    /// Adds the number that `written` is, if it is one.
    pub(crate) fn add_written(&mut self, written: &str) {
        if let Ok(number) = written.parse() {
            self.add(number);
        }
    }

    /// Adds the hint of [`Self::counted_from_one`] to the first fault about a number that is too large.
    pub(crate) fn explain(self, faults: &mut [Fault], what: &str, count: usize) {
        if let Some(hint) = self.counted_from_one(what, count)
            && let Some(fault) = faults.iter_mut().find(|fault| fault.message.contains(" must be at most "))
        {
            fault.hint = Some(hint);
        }
    }

    /// A hint if they are 1 to `count` where they should be 0 to `count - 1`.
    pub(crate) fn counted_from_one(self, what: &str, count: usize) -> Option<String> {
        let counts_from_one = self.least == 1 && self.most == count as u64;
        counts_from_one.then(|| format!("the file counts {what} from 1; subtract 1, because numbers start at 0 here"))
    }
}

/// The bytes of the line of `text` that begins at byte `start`, without blanks at its end.
pub(crate) fn line_at(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    start..start + rest.lines().next().unwrap_or_default().trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns { names: &["id", "flits", "delay"], required: 2 };

    /// The rows of `text` as numbers, or the message and the hint of the first error.
    fn read(text: &str) -> Result<Vec<[u64; 3]>, (String, String)> {
        let mut rows = Vec::new();
        let mut faults = Vec::new();
        let read = each_row(text, COLUMNS, |row| {
            let numbers = row.and_then(|row| {
                let delay = if row.field(2).is_empty() { 7 } else { row.number(2, 0..=9)? };
                Ok([row.number(0, 0..=9)?, row.number(1, 0..=9)?, delay])
            });
            numbers.map(|numbers| rows.push(numbers)).map_err(|fault| faults.push(fault))
        });
        faults.extend(read.err());
        match faults.into_iter().next() {
            None => Ok(rows),
            Some(fault) => Err((fault.message, fault.hint.unwrap_or_default())),
        }
    }

    #[test]
    fn columns_are_found_by_name() {
        assert_eq!(read("id,flits,delay\n1,2,3\n4,5\n"), Ok(vec![[1, 2, 3], [4, 5, 7]]));
        assert_eq!(read("delay, flits ,id\r\n1,2,3\r\n\r\n,5,4\r\n"), Ok(vec![[3, 2, 1], [4, 5, 7]]));
        assert_eq!(read("flits,id\n2,1\n"), Ok(vec![[1, 2, 7]]));
    }

    #[test]
    fn errors_name_the_column_and_the_remedy() {
        for (text, message, hint) in [
            ("", "the file is empty; the first line must be `id,flits,delay`", ""),
            ("1,2,3\n", "the first line must be `id,flits,delay`", "this line is already a row"),
            (
                "id;flits;delay\n",
                "the first line must be `id,flits,delay`; the columns are separated by `;`",
                "write a comma",
            ),
            ("id,flit\n", "unknown column `flit`", "did you mean `flits`?"),
            ("id,flits,id\n", "two columns are called `id`", ""),
            ("id,flits,note\n", "unknown column `note`", "remove the column"),
            ("id,delay\n", "the column `flits` is missing", ""),
            ("3 3\n2 3\n1 3\n1 2\n", "this is a METIS graph", "subtract 1"),
            ("id,flits\n1,2,3\n", "3 fields, but 2 are needed", "decimal comma"),
            ("id,flits,delay\n1\n", "1 field, but 2 to 3 are needed", ""),
            ("id,flits\n1;2\n", "1 field, but 2 are needed", "write a comma for `;`"),
            ("id,flits\n1,2.5\n", "`flits` must be an integer, not a number with a fraction", ""),
            ("id,flits\n1,4.0\n", "`flits` must be an integer, not a number with a fraction", "write 4"),
            ("id,flits\n1,1e0\n", "`flits` must be an integer, not a number with an exponent", "write 1"),
            ("id,flits\n1,\n", "`flits` is empty", ""),
            ("id,flits\n1,-3\n", "`flits` must be at least 0", ""),
            ("id,flits\n1,10\n", "`flits` must be at most 9", ""),
            ("id,flits\n1,x\n", "`flits` must be an integer, not `x`", ""),
            ("id,flits\n1,\u{a0}4\n", "`flits` contains a no-break space (U+00A0)", "write a plain space"),
        ] {
            let (told, remedy) = read(text).err().unwrap_or_default();
            assert!(told.starts_with(message), "{text:?}: {told}");
            assert!(remedy.contains(hint) && remedy.is_empty() == hint.is_empty(), "{text:?}: {remedy}");
        }
    }

    #[test]
    fn a_field_may_have_several_numbers_between_blanks() {
        let numbers = |field: &str| {
            let mut read = Vec::new();
            let ended = each_row(&format!("id,flits\n1,{field}\n"), COLUMNS, |row| {
                read.push(row.and_then(|row| row.numbers(1, 0..=9)).map_err(|fault| fault.message));
                Ok::<(), ()>(())
            });
            assert!(ended.is_ok(), "{field}");
            read.pop()
        };
        assert_eq!(numbers("7"), Some(Ok(vec![7])));
        assert_eq!(numbers(" 7  0\t3 "), Some(Ok(vec![7, 0, 3])));
        assert_eq!(numbers("7 12"), Some(Err("`flits` must be at most 9".to_owned())));
        assert_eq!(numbers(""), Some(Err("`flits` is empty".to_owned())));
    }

    #[test]
    fn reading_ends_after_many_errors() {
        let text = format!("id,flits\n{}", "x,1\n".repeat(2 * HOPELESS));
        let mut faults = 0;
        let ended = each_row(&text, COLUMNS, |row| {
            let number = row.and_then(|row| row.number(0, 0..=9)).map(|_| ()).map_err(|_| ());
            faults += usize::from(number.is_err());
            number
        });
        assert_eq!(faults, HOPELESS);
        assert!(ended.is_err_and(|fault| fault.message.contains("have not been read")));
    }

    #[test]
    fn numbers_from_one_are_recognised() {
        let hint = |written: &[&str]| {
            let mut numbers = Numbers::default();
            written.iter().for_each(|written| numbers.add_written(written));
            numbers.counted_from_one("nodes", 4).is_some()
        };
        assert!(hint(&["1", "4", "2"]));
        assert!(!hint(&["0", "4"]), "one is too large");
        assert!(!hint(&["1", "5"]), "one is too large even then");
        assert!(!hint(&["1", "x"]));
        assert!(!hint(&[]));
    }
}
