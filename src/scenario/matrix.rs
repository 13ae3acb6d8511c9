//! Cost matrices from CSV files.

use super::diagnostic::Diagnostic;
use super::document::Place;
use super::files::Files;
use super::reader::Reader;
use crate::topology::CostMatrix;
use crate::topology::grid::LARGEST_COST;
use std::sync::Arc;

/// The costs in a file: a square of integers, a row a line.
pub(super) fn matrix(table: &Reader<'_>, files: &mut Files<'_>, name: &str, place: &Place) -> Option<Arc<CostMatrix>> {
    if let Some(known) = files.matrix(name) {
        return known;
    }
    let source = files.open(table, name, place)?;
    let parsed = parse(&files.source(source).text);
    let matrix = match parsed {
        Ok(matrix) => Some(Arc::new(matrix)),
        Err((span, message)) => {
            let span = span.unwrap_or(0..files.source(source).text.lines().next().map_or(0, str::len));
            table.error(Diagnostic::at(Place { source, span }, format!("`{name}`: {message}")));
            None
        }
    };
    files.keep_matrix(name, matrix.clone());
    matrix
}

/// What is wrong, and the bytes that it is about.
type Fault = (Option<std::ops::Range<usize>>, String);

fn parse(text: &str) -> Result<CostMatrix, Fault> {
    let rows = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let nodes = rows().count();
    let mut costs = Vec::with_capacity(nodes * nodes);
    for (row, (number, line)) in rows().enumerate() {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let columns = line.split(',').count();
        if columns != nodes {
            let message = format!("line {}: {columns} costs in row {row}, but there are {nodes} rows", number + 1);
            return Err((Some(start..start + line.len()), message));
        }
        let mut at = start;
        for (column, written) in line.split(',').enumerate() {
            let span = at..at + written.len();
            at = span.end + 1;
            let wrong = |what: &str| {
                let written = written.trim();
                let message = format!("line {}, row {row}, column {column}: \"{written}\" {what}", number + 1);
                (Some(span.clone()), message)
            };
            let cost: u64 = written.trim().parse().map_err(|_| wrong("is no cost; accepted: integers"))?;
            if row == column && cost != 0 {
                return Err(wrong("on the diagonal; from a node to itself costs 0"));
            }
            if row != column && !(1..LARGEST_COST).contains(&cost) {
                return Err(wrong(&format!("cannot be; accepted: 1 to {}", LARGEST_COST - 1)));
            }
            costs.push(cost);
        }
    }
    CostMatrix::new(nodes, costs).map_err(|error| (None, error.to_string()))
}
