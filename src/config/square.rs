//! Squares of numbers from CSV files without a header: row = from, column = to.
//!
//! Knows lines and cells, and where they stand; refuses to know what the numbers mean, and which are accepted.

use crate::delimiter::{Delimited, other_delimiter};
use crate::fault::Fault;

/// A square of values, row by row.
pub(crate) struct Square<T> {
    /// Rows, and columns.
    pub(crate) size: usize,
    pub(crate) values: Vec<T>,
}

/// The square that `text` spells: of `nodes` rows, or of any size. `what` its cells are called; `read` makes a value of
/// what is written at a row and a column, counted from 0, or says what is wrong with it.
///
/// # Errors
/// The first line that has another number of cells than there are rows, the first cell that cannot be read, or another
/// number of rows than nodes. Lines and columns are counted from 1.
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
        let of_line =
            |message: String| Fault::new(start..start + line.len(), format!("line {}: {message}", number + 1));
        if let Some(delimiter) = other_delimiter(line) {
            let message = format!("the {what}s are separated by {} instead of a comma", delimiter.name);
            return Err(of_line(message).hint(delimiter.remedy()));
        }
        if row == 0 && is_header(line) {
            let message = format!("the first line is a header, but the {what}s must start there");
            return Err(of_line(message).hint("remove the line"));
        }
        let cells = line.split(',').count();
        if cells != size {
            let s = if cells == 1 { "" } else { "s" };
            let fault = of_line(format!("{cells} {what}{s}, but there are {size} {of}"));
            return Err(if cells > size { fault.hint(Delimited::EXTRA_COMMA) } else { fault });
        }
        let mut at = start;
        for (column, cell) in line.split(',').enumerate() {
            let (span, written) = (at..at + cell.len(), cell.trim());
            at = span.end + 1;
            let value = read(row, column, written).map_err(|wrong| {
                let message = format!("line {}, column {}: \"{written}\" {wrong}", number + 1, column + 1);
                Fault::new(span, message)
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

/// Whether a first line names columns: it has several cells, and not one is a number.
fn is_header(line: &str) -> bool {
    let names = |cell: &str| !cell.trim().is_empty() && cell.trim().parse::<f64>().is_err();
    line.contains(',') && line.split(',').all(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_row_by_row_and_faults_point_at_their_cells() {
        let read = |_, _, written: &str| written.parse::<u64>().map_err(|_| "is not a number".to_owned());
        let values = |text, nodes| square(text, nodes, "number", read).map(|square| (square.size, square.values));
        let fault = |span, message: &str| Err(Fault::new(span, message.to_owned()));
        assert_eq!(values("0,1\n\n 2 ,3\n", None), Ok((2, vec![0, 1, 2, 3])));
        assert_eq!(values("0,1\n\n2,x\n", None), fault(7..8, "line 3, column 2: \"x\" is not a number"));
        assert_eq!(values("0,1\n2\n", None), fault(4..5, "line 2: 1 number, but there are 2 rows"));
        assert_eq!(values("0,1\n", Some(2)), fault(0..3, "there are 1 rows, but 2 nodes"));
        // a column is no square of eight terabytes
        let text = "0\n".repeat(1 << 20);
        let column = values(&text, None).map_err(|fault| fault.message);
        assert_eq!(column, Err("line 1: 1 number, but there are 1048576 rows".to_owned()));
        let decimal = Fault::new(0..5, "line 1: 3 numbers, but there are 2 nodes").hint(Delimited::EXTRA_COMMA);
        assert_eq!(values("0,1,2\n", Some(2)), Err(decimal));
    }

    #[test]
    fn other_delimiters_and_headers_are_told() {
        let wrong = |text| {
            let fault = square(text, None, "cost", |_, _, written| written.parse::<u64>().map_err(|_| String::new()));
            fault.err().map(|fault| (fault.message, fault.hint.is_some()))
        };
        let told = |message: &str| Some((message.to_owned(), true));
        assert_eq!(wrong("0;1\n1;0\n"), told("line 1: the costs are separated by `;` instead of a comma"));
        assert_eq!(wrong("0,1\n1 0\n"), told("line 2: the costs are separated by a blank instead of a comma"));
        assert_eq!(
            wrong("a,b\n0,1\n1,0\n"),
            told("line 1: the first line is a header, but the costs must start there")
        );
    }
}
