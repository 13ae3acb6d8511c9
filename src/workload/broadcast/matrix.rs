//! Cost matrices from CSV files.

use crate::config::{Fault, Files, Place, Reader, Square, square};
use crate::topology::{CostMatrix, LARGEST_COST};
use std::sync::Arc;

/// The costs in a file: a square of integers, a row a line.
pub(super) fn matrix(table: &Reader<'_>, files: &mut Files<'_>, name: &str, place: &Place) -> Option<Arc<CostMatrix>> {
    files.shared(name, |files| {
        let source = files.open(table, name, place)?;
        let parsed = parse(&files.source(source).text);
        parsed.map_err(|fault| table.error(fault.of_file(name, source))).ok().map(Arc::new)
    })
}

fn parse(text: &str) -> Result<CostMatrix, Fault> {
    let Square { size, values } = square(text, None, "cost", cost)?;
    CostMatrix::new(size, values).map_err(|error| Fault::of_all(text, error.to_string()))
}

fn cost(row: usize, column: usize, written: &str) -> Result<u64, String> {
    let cost: u64 = written.parse().map_err(|_| "is not a cost; accepted: integers".to_owned())?;
    if row == column && cost != 0 {
        return Err("on the diagonal; from a node to itself costs 0".to_owned());
    }
    if row != column && !(1..LARGEST_COST).contains(&cost) {
        return Err(format!("cannot be; accepted: 1 to {}", LARGEST_COST - 1));
    }
    Ok(cost)
}
