//! A measured series from a text: one value per line, or a column of CSV.

use super::fields::{Column, SHOWN, field, fields, is_name, shown};
use super::spacing::Spacing;
use crate::cancel::Pace;
use crate::delimiter::{has_decimal_comma, other_delimiter};
use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// Values are accepted from -`LARGEST` to `LARGEST`, so that sums of squared errors stay finite.
pub const LARGEST: f64 = 1e100;

/// The longest line, in bytes.
const LONGEST_LINE: usize = 65_536;

/// The longest line that an error repeats, in characters.
const LONGEST_SHOWN: usize = 1000;

const VALUE: &str = "a decimal number from -1e100 to 1e100, such as 12.5 or 3e6";

const POINT: &str = "write a decimal point, not a decimal comma, such as 12.5 for 12,5";

/// Why a text is not a series.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// It cannot be read.
    #[error("cannot read it")]
    Io(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line}: {what}; accepted: {accepted}")]
    Line {
        /// Counted from 1, blank lines and comments included.
        line: u64,
        /// What stands in it.
        text: String,
        /// What is wrong, with the text that is.
        what: String,
        /// What would be right.
        accepted: String,
    },
    /// There is no value in it.
    #[error("no values; accepted: one per line, each {VALUE}")]
    Empty,
}

/// The values of a text, line by line; ends after the first error.
///
/// Blank lines and lines that begin with `#` are skipped; a byte order mark and spaces around fields do not count. The
/// first line is a header if the column is chosen by its name, or if what stands in the place of a value is no number
/// and does not even begin like one, with a digit, a sign or a point. Without a chosen column each line must be a
/// single field; with one the fields are separated by commas and may be quoted, but not continue in the next line. No line
/// may have more fields than the first. Memory does not grow with the text.
///
/// ```
/// use flitwise::forecast::{Column, Samples};
/// let text = "time,bandwidth\n# a comment\n0,12.5\n10,11.75\n";
/// let column: Column = "bandwidth".parse()?;
/// let values: Vec<f64> = Samples::new(text.as_bytes(), Some(column)).collect::<Result<_, _>>()?;
/// assert_eq!(values, [12.5, 11.75]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Samples<R> {
    input: R,
    column: Option<Column>,
    line: u64,
    buffer: Vec<u8>,
    state: State,
    pace: Pace,
    /// The number of fields of the first line.
    width: usize,
    spacing: Spacing,
    commas: Commas,
}

/// Evidence that the commas between the two fields of each line without a header are decimal ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Commas {
    /// All second fields so far have this number of digits.
    Alike(usize),
    /// They separate fields.
    Separators,
}

/// How far a text has been read.
#[derive(Clone, Copy)]
enum State {
    /// Nothing but blank lines and comments.
    Start,
    /// The header, and the column that holds values, counted from 0.
    Header(usize),
    /// Values in this column.
    Values(usize),
    End,
}

/// What a line turned out to be.
enum Content {
    Value(f64),
    Header,
}

impl<R: BufRead> Samples<R> {
    /// The values in `column`, or in the only one.
    pub fn new(input: R, column: Option<Column>) -> Self {
        Self {
            input,
            column,
            line: 0,
            buffer: Vec::new(),
            state: State::Start,
            pace: Pace::default(),
            width: 0,
            spacing: Spacing::default(),
            commas: Commas::Separators,
        }
    }

    /// The remarks on the values that have been read, a sentence each: unequal periods, blank lines where values may be
    /// missing, and commas that may be decimal ones.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.spacing.remarks();
        if let Commas::Alike(digits) = self.commas {
            let noun = if digits == 1 { "digit" } else { "digits" };
            remarks.push(format!(
                "each line has two fields, and the second has {digits} {noun}; if the commas are decimal commas, replace them \
                 by points"
            ));
        }
        remarks
    }

    fn read(&mut self) -> Result<Option<f64>, SampleError> {
        while self.fill()? {
            self.pace.step();
            let text = String::from_utf8_lossy(&self.buffer);
            let text = if self.line == 1 { text.strip_prefix('\u{feff}').unwrap_or(&text) } else { &text }.trim();
            if text.is_empty() {
                self.spacing.blank(self.line);
            }
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let is_first = matches!(self.state, State::Start);
            let at = match self.state {
                State::Header(at) | State::Values(at) => at,
                State::Start | State::End => self.place(text)?,
            };
            self.check_fields(text)?;
            match self.content(text, at)? {
                Content::Header => {
                    let names = fields(text);
                    self.spacing.find_column(&names.iter().map(AsRef::as_ref).collect::<Vec<_>>(), at);
                    self.width = names.len();
                    self.state = State::Header(at);
                }
                Content::Value(value) => {
                    let text = text.to_owned();
                    if is_first {
                        self.width = fields(&text).len();
                        self.spacing.assume_first(at);
                        self.commas = Commas::Alike(0);
                    }
                    self.note_commas(&text)?;
                    let time = self.spacing.column().and_then(|column| field(&text, column));
                    self.spacing.value(self.line, time.as_deref());
                    self.state = State::Values(at);
                    return Ok(Some(value));
                }
            }
        }
        if matches!(self.state, State::Values(_)) { Ok(None) } else { Err(SampleError::Empty) }
    }

    /// Reads the next line into the buffer; false at the end.
    fn fill(&mut self) -> Result<bool, SampleError> {
        self.buffer.clear();
        self.line += 1;
        let limit = LONGEST_LINE as u64 + 1;
        let read = self.input.by_ref().take(limit).read_until(b'\n', &mut self.buffer)?;
        if read > LONGEST_LINE {
            let start: String = String::from_utf8_lossy(&self.buffer[..SHOWN]).into_owned();
            return Err(
                self.wrong(format!("{start:?}... is too long"), format!("lines of at most {LONGEST_LINE} bytes"))
            );
        }
        if self.line == 1 && (self.buffer.starts_with(b"\xff\xfe") || self.buffer.starts_with(b"\xfe\xff")) {
            let accepted = "UTF-8; convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW".to_owned();
            return Err(self.wrong("this is UTF-16 text".to_owned(), accepted));
        }
        Ok(read > 0)
    }

    /// Refuses a line with more fields than the first.
    fn check_fields(&self, text: &str) -> Result<(), SampleError> {
        if self.width == 0 || !text.contains(',') {
            return Ok(());
        }
        let fields = fields(text);
        let count = fields.len() - fields.iter().rev().take_while(|field| field.is_empty()).count();
        if count <= self.width {
            return Ok(());
        }
        let s = if self.width == 1 { "" } else { "s" };
        let what = format!("{} has {count} fields, but the first line has {}", shown(text), self.width);
        let accepted = format!("{} field{s}, separated by commas; {POINT}", self.width);
        Err(self.wrong(what, accepted))
    }

    /// Looks for decimal commas in a line without a header whose first field was read as a value or as a time.
    fn note_commas(&mut self, text: &str) -> Result<(), SampleError> {
        let Commas::Alike(digits) = self.commas else { return Ok(()) };
        let fraction = text.split_once(',').filter(|_| has_decimal_comma(text)).map(|(_, fraction)| fraction.trim());
        self.commas = match fraction {
            Some(fraction) if digits == 0 || fraction.len() == digits => Commas::Alike(fraction.len()),
            _ => Commas::Separators,
        };
        // programs do not write 07 for a number of its own
        if self.commas != Commas::Separators
            && fraction.is_some_and(|fraction| fraction.len() > 1 && fraction.starts_with('0'))
        {
            let what = format!("{} looks like a number with a decimal comma", shown(text));
            return Err(self.wrong(what, POINT.to_owned()));
        }
        Ok(())
    }

    /// The column with the values, counted from 0, by the first line.
    fn place(&self, text: &str) -> Result<usize, SampleError> {
        match &self.column {
            None => Ok(0),
            Some(Column::Number(number)) => Ok(number.get() - 1),
            Some(Column::Name(name)) => {
                let fields = fields(text);
                let mut places = (0..fields.len()).filter(|&at| fields[at] == *name);
                match (places.next(), places.next()) {
                    (Some(at), None) => Ok(at),
                    (found, _) => Err(self.no_such_name(name, text, &fields, found.is_some())),
                }
            }
        }
    }

    fn no_such_name(&self, name: &str, text: &str, fields: &[Cow<'_, str>], twice: bool) -> SampleError {
        let how = if twice { "more than one column" } else { "no column" };
        let names: Vec<&str> = fields.iter().map(AsRef::as_ref).filter(|field| is_name(field)).collect();
        let named = if names.is_empty() { String::new() } else { format!("one of {}, or ", names.join(", ")) };
        let what = format!("{how} is called {name:?} in the first line, {}", shown(text));
        if let Some(other) = other_delimiter(text).filter(|_| !twice) {
            return self.wrong(what, format!("fields that a comma separates: {}", other.remedy()));
        }
        self.wrong(what, format!("{named}a number from 1 to {}", fields.len()))
    }

    /// The value in the column at `at`, or the header.
    fn content(&self, text: &str, at: usize) -> Result<Content, SampleError> {
        if matches!((&self.state, &self.column), (State::Start, Some(Column::Name(_)))) {
            return Ok(Content::Header);
        }
        let Some(field) = field(text, at) else {
            let column = at + 1;
            let count = fields(text).len();
            let noun = if count == 1 { "field" } else { "fields" };
            let what = format!("{} has {count} {noun}, but column {column} is needed", shown(text));
            let accepted = match other_delimiter(text) {
                Some(other) => format!("fields that a comma separates: {}", other.remedy()),
                None if count == 1 => "column 1".to_owned(),
                None => format!("a column from 1 to {count}"),
            };
            return Err(self.wrong(what, accepted));
        };
        if self.column.is_none() && field.len() < text.len() && fields(text).len() > 1 {
            let count = fields(text).len();
            let column =
                format!("one value per line, or a column selected with --column: its name or its number, 1 to {count}");
            let accepted = match other_delimiter(text) {
                Some(other) => format!("fields that a comma separates: {}", other.remedy()),
                None if has_decimal_comma(text) => format!("{POINT}; else {column}"),
                None => column,
            };
            return Err(self.wrong(format!("{} has {count} fields", shown(text)), accepted));
        }
        match field.parse() {
            Ok(value) if (-LARGEST..=LARGEST).contains(&value) => Ok(Content::Value(value)),
            Err(_) if matches!(self.state, State::Start) && is_name(&field) => Ok(Content::Header),
            _ => {
                let column = if self.column.is_some() { format!("column {}: ", at + 1) } else { String::new() };
                let accepted = match other_delimiter(&field) {
                    _ if has_decimal_comma(&field) => POINT.to_owned(),
                    Some(other) => format!("fields that a comma separates: {}", other.remedy()),
                    None => VALUE.to_owned(),
                };
                Err(self.wrong(format!("{column}{} is not a value", shown(&field)), accepted))
            }
        }
    }

    fn wrong(&self, what: String, accepted: String) -> SampleError {
        let text = String::from_utf8_lossy(&self.buffer).trim_end().chars().take(LONGEST_SHOWN).collect();
        SampleError::Line { line: self.line, text, what, accepted }
    }
}

impl<R: BufRead> Iterator for Samples<R> {
    type Item = Result<f64, SampleError>;

    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.state, State::End) {
            return None;
        }
        let item = self.read().transpose();
        if !matches!(item, Some(Ok(_))) {
            self.state = State::End;
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, column: Option<&str>) -> Result<Vec<f64>, String> {
        let column = column.map(|column| column.parse().unwrap_or_else(Column::Name));
        Samples::new(text.as_bytes(), column).collect::<Result<_, _>>().map_err(|error: SampleError| error.to_string())
    }

    #[test]
    fn lines_are_values_whatever_their_ends_headers_and_comments() {
        for text in ["1\n2.5\n", "1\r\n2.5\r\n", "\u{feff}1\n\n # x\n 2.5", "bandwidth\n1\n2.5", "\"1\"\n\"2.5\"\n"] {
            assert_eq!(read(text, None), Ok(vec![1.0, 2.5]), "{text:?}");
        }
    }

    #[test]
    fn columns_go_by_name_or_number() {
        let text = "#\ntime,\"band, width\" ,x\n0,\"1e0\",x\n\n10, 2.5,\"x\"\n";
        for column in ["band, width", "2"] {
            assert_eq!(read(text, Some(column)), Ok(vec![1.0, 2.5]), "{column}");
        }
        assert_eq!(read("5 s,10 s\n3,4\n", Some("10 s")), Ok(vec![4.0]));
        assert_eq!(read("(s),(MB/s)\n3,4\n", Some("2")), Ok(vec![4.0]));
        assert_eq!(read("3,4\n5,6\n", Some("2")), Ok(vec![4.0, 6.0]));
    }

    #[test]
    fn errors_say_where_what_and_what_is_accepted() {
        let cases = [
            ("1\n\n1.O\n", None, "line 3: \"1.O\" is not a value; accepted: a decimal number from"),
            ("1.O\n", None, "line 1: \"1.O\" is not a value"),
            ("1\nbandwidth\n", None, "line 2: \"bandwidth\" is not a value"),
            ("x\ny\n1\n", None, "line 2: \"y\" is not a value"),
            ("inf\n", None, "line 1: \"inf\" is not a value"),
            ("1\n-2e100\n", None, "line 2: \"-2e100\" is not a value"),
            ("1,2\n", None, "line 1: \"1,2\" has 2 fields; accepted: write a decimal point, not a decimal comma"),
            (
                "1,x\n",
                None,
                "line 1: \"1,x\" has 2 fields; accepted: one value per line, or a column selected with --column",
            ),
            ("b\n10,5\n", Some("b"), "line 2: \"10,5\" has 2 fields, but the first line has 1; accepted: 1 field"),
            (
                "b\n10,5\n",
                None,
                "but the first line has 1; accepted: 1 field, separated by commas; write a decimal point",
            ),
            ("a,b\n1,2\n3,4,5\n", Some("b"), "line 3: \"3,4,5\" has 3 fields, but the first line has 2"),
            ("1,2\n3,4,5\n", Some("1"), "line 2: \"3,4,5\" has 3 fields, but the first line has 2"),
            ("84,11\n91,01\n", Some("1"), "line 2: \"91,01\" looks like a number with a decimal comma"),
            ("b\n\"10,5\"\n", None, "\"10,5\" is not a value; accepted: write a decimal point, not a decimal comma"),
            ("t;b\n0;10,5\n", Some("b"), "fields that a comma separates: write a comma for `;`"),
            ("0;10,5\n", None, "a comma for `;`, and a point for each decimal comma"),
            (
                "0 10\n",
                None,
                "line 1: \"0 10\" is not a value; accepted: fields that a comma separates: write a comma for a blank",
            ),
            ("t,b\n1,\n", Some("b"), "line 2: column 2: \"\" is not a value"),
            ("t,b\n1\n", Some("b"), "line 2: \"1\" has 1 field, but column 2 is needed; accepted: column 1"),
            (
                "t,b\n1,2\n",
                Some("c"),
                "line 1: no column is called \"c\" in the first line, \"t,b\"; accepted: one of t, b",
            ),
            ("1,2\n", Some("c"), "accepted: a number from 1 to 2"),
            ("t,t\n1,2\n", Some("t"), "more than one column is called \"t\""),
            ("", None, "no values; accepted: one per line"),
            ("# nothing\n\nbandwidth\n", None, "no values"),
        ];
        for (text, column, expected) in cases {
            let error = read(text, column).err().unwrap_or_default();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
        let error = read(&"1".repeat(70_000), None).err().unwrap_or_default();
        assert!(error.contains("is too long; accepted: lines of at most 65536"));
    }

    #[test]
    fn remarks_say_what_values_may_hide() {
        let remarks = |text: &str, column: &str| {
            let mut samples = Samples::new(text.as_bytes(), column.parse().ok());
            assert!(samples.by_ref().all(|sample| sample.is_ok()), "{text:?}");
            samples.remarks().join("\n")
        };
        assert!(remarks("time,bw\n0,10\n10,11\n20,12\n300,13\n", "bw").contains("unequally spaced, 10 to 280 apart"));
        assert!(remarks("0,10\n10,11.5\n20,12\n300,13\n", "2").contains("column 1 are unequally spaced"));
        assert!(remarks("84,11\n84,26\n93,35\n", "1").contains("the second has 2 digits; if the commas are decimal"));
        for (text, column) in [
            ("time,bw\n0,10\n10,11\n20,12\n", "bw"),
            ("5,10\n3,11\n9,12.5\n", "2"),
            ("84,11\n84,2\n", "1"),
            ("a,b\n84,11\n84,22\n", "a"),
            ("a,b\n1,2,\n3\n", "a"),
        ] {
            assert_eq!(remarks(text, column), "", "{text:?}");
        }
    }

    #[test]
    fn nothing_comes_after_an_error() {
        let mut samples = Samples::new("1\nx\n2\n".as_bytes(), None);
        assert!(
            samples.next().is_some_and(|sample| sample.is_ok()) && samples.next().is_some_and(|sample| sample.is_err())
        );
        assert!(samples.next().is_none());
    }
}
