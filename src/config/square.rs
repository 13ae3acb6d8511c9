//! Squares of numbers from CSV files without a header: row = from, column = to.
//!
//! Knows lines and cells, and where they stand; refuses to know what the numbers mean, and which are accepted.

use super::diagnostic::{Diagnostic, Place};
use std::ops::Range;

/// What is wrong, and the bytes that it is about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    span: Range<usize>,
    message: String,
}

impl Fault {
    /// Something wrong with all of `text`, which its first line stands for.
    pub(crate) fn of_all(text: &str, message: String) -> Self {
        Self { span: 0..text.lines().next().map_or(0, str::len), message }
    }

    /// The same about the file called `name`, the text number `source`.
    pub(crate) fn of_file(self, name: &str, source: usize) -> Diagnostic {
        let Self { span, message } = self;
        Diagnostic::at(Place { source, span }, format!("`{name}`: {message}"))
    }
}

/// A square of values, row by row.
pub(crate) struct Square<T> {
    /// Rows, and columns.
    pub(crate) size: usize,
    pub(crate) values: Vec<T>,
}

/// The square that `text` spells: of `nodes` rows, or of any size. `what` its cells are called; `read` makes a value of
/// what is written at a row and a column, or says what is wrong with it.
///
/// # Errors
/// The first line that has another number of cells than there are rows, the first cell that cannot be read, or another
/// number of rows than nodes.
pub(crate) fn square<T>(
    text: &str,
    nodes: Option<usize>,
    what: &str,
    read: impl Fn(usize, usize, &str) -> Result<T, String>,
) -> Result<Square<T>, Fault> {
    let lines = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows = lines().count();
    let (size, of) = nodes.map_or((rows, "rows"), |nodes| (nodes, "nodes"));
    // lines may have fewer cells than there should be
    let mut values = Vec::with_capacity(rows.saturating_mul(size).min(text.len()));
    for (row, (number, line)) in lines().enumerate() {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let cells = line.split(',').count();
        if cells != size {
            let message = format!("line {}, row {row}: {cells} {what}s, but there are {size} {of}", number + 1);
            return Err(Fault { span: start..start + line.len(), message });
        }
        let mut at = start;
        for (column, cell) in line.split(',').enumerate() {
            let (span, written) = (at..at + cell.len(), cell.trim());
            at = span.end + 1;
            let value = read(row, column, written).map_err(|wrong| {
                let message = format!("line {}, row {row}, column {column}: \"{written}\" {wrong}", number + 1);
                Fault { span, message }
            })?;
            values.push(value);
        }
    }
    if rows == size {
        Ok(Square { size, values })
    } else {
        Err(Fault::of_all(text, format!("there are {rows} rows, but {size} {of}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_row_by_row_and_faults_point_at_their_cells() {
        let read = |_, _, written: &str| written.parse::<u64>().map_err(|_| "is not a number".to_owned());
        let values = |text, nodes| square(text, nodes, "number", read).map(|square| (square.size, square.values));
        let fault = |span, message: &str| Err(Fault { span, message: message.to_owned() });
        assert_eq!(values("0,1\n\n 2 ,3\n", None), Ok((2, vec![0, 1, 2, 3])));
        assert_eq!(values("0,1\n\n2,x\n", None), fault(7..8, "line 3, row 1, column 1: \"x\" is not a number"));
        assert_eq!(values("0,1\n2\n", None), fault(4..5, "line 2, row 1: 1 numbers, but there are 2 rows"));
        assert_eq!(values("0,1\n", Some(2)), fault(0..3, "there are 1 rows, but 2 nodes"));
        // a column is no square of eight terabytes
        let text = "0\n".repeat(1 << 20);
        let column = values(&text, None).map_err(|fault| fault.message);
        assert_eq!(column, Err("line 1, row 0: 1 numbers, but there are 1048576 rows".to_owned()));
        assert_eq!(values("0,1,2\n", Some(2)), fault(0..5, "line 1, row 0: 3 numbers, but there are 2 nodes"));
    }
}
