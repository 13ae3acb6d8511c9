//! Files that the rows of a kind add lines to.

use super::row::Row;
use serde::Serialize;

/// A file that rows add lines to: a header, then the lines of all rows in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFile {
    /// Its name.
    pub name: &'static str,
    /// The names of its columns.
    pub header: &'static [&'static str],
}

impl RowFile {
    /// The name without `.csv`: what `[figure]` and claims call it.
    pub fn table(&self) -> &'static str {
        self.name.strip_suffix(".csv").unwrap_or(self.name)
    }
}

/// Lines of a CSV file in memory.
pub type Lines = csv::Writer<Vec<u8>>;

/// Bytes of lines that are gathered before they are added to a text: most rows are shorter, and many texts are one row.
const BUFFER: usize = 256;

/// Room for a number in a line, mostly: few have more digits.
const DIGITS: usize = 8;

/// The text that `write` writes.
///
/// # Errors
/// If a line cannot be written as CSV.
pub fn text(write: impl FnOnce(&mut Lines) -> csv::Result<()>) -> csv::Result<String> {
    let mut lines = csv::WriterBuilder::new().has_headers(false).buffer_capacity(BUFFER).from_writer(Vec::new());
    write(&mut lines)?;
    let bytes = lines.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    String::from_utf8(bytes).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error).into())
}

impl Row {
    /// Adds a line to `file` for each of `lines`, behind the columns `point,algorithm,repetition`.
    ///
    /// # Panics
    /// If a line is not a tuple of numbers and strings.
    pub fn add_lines<T: Serialize>(&mut self, file: &RowFile, lines: impl IntoIterator<Item = T>) {
        let name = (self.id.point, self.algorithm, self.id.repetition);
        self.add_plain_lines(file, lines.into_iter().map(|line| (name, line)));
    }

    /// Adds a line to `file` for each of `lines`, which have all of its columns.
    ///
    /// # Panics
    /// If a line is not a tuple of numbers and strings.
    pub fn add_plain_lines<T: Serialize>(&mut self, file: &RowFile, lines: impl IntoIterator<Item = T>) {
        let written = text(|csv| lines.into_iter().try_for_each(|line| csv.serialize(line)));
        #[expect(clippy::expect_used, reason = "memory takes all lines, and tuples of numbers and strings are CSV")]
        let written = written.expect("tuples of numbers and strings are lines of CSV");
        self.files.push((file.name, written));
    }

    /// Adds a line to `file` for each of `lines`, whose columns are numbers or empty. There may be millions of lines.
    pub fn add_numbers<const N: usize, V: Into<Option<u64>>>(
        &mut self,
        file: &RowFile,
        lines: impl IntoIterator<Item = [V; N]>,
    ) {
        let lines = lines.into_iter();
        let mut text = Vec::with_capacity(lines.size_hint().0 * N * DIGITS);
        let mut buffer = itoa::Buffer::new();
        for line in lines {
            for (at, number) in line.into_iter().enumerate() {
                if at > 0 {
                    text.push(b',');
                }
                let Some(number) = number.into() else { continue };
                match u8::try_from(number) {
                    Ok(digit @ 0..=9) => text.push(b'0' + digit), // as a point mostly is
                    _ => text.extend_from_slice(buffer.format(number).as_bytes()),
                }
            }
            text.push(b'\n');
        }
        #[expect(clippy::expect_used, reason = "digits, commas and ends of lines are ASCII")]
        let text = String::from_utf8(text).expect("digits, commas and ends of lines are text");
        self.files.push((file.name, text));
    }
}
