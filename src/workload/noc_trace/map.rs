//! Where what stands on a chip is put instead: a CSV file with the columns x,y,to_x,to_y.
//!
//! Knows how many columns and rows of routers there are; refuses to know what stands there.

use super::event::Tile;
use super::prepare::Map;
use crate::config::{Columns, Fault, Files, Place, Reader, Row, each_row};
use crate::units::narrow;

const COLUMNS: Columns = Columns { names: &["x", "y", "to_x", "to_y"], required: 4 };

/// The new place of each tile in the file, or `None` if it has errors, which have been reported.
pub(super) fn read(
    table: &Reader<'_>,
    (name, place): (&str, &Place),
    shape: [u16; 2],
    files: &mut Files<'_>,
) -> Option<Map> {
    let source = files.open(table, name, place)?;
    match parse(&files.source(source).text, shape) {
        Ok(map) => Some(map),
        Err(faults) => {
            faults.into_iter().for_each(|fault| table.error(fault.diagnostic(source)));
            None
        }
    }
}

/// The new place of each tile in `text`.
fn parse(text: &str, shape: [u16; 2]) -> Result<Map, Vec<Fault>> {
    let mut map = Map::new();
    // the tile that moves to each place
    let mut taken = Map::new();
    let mut faults = Vec::new();
    let read = each_row(text, COLUMNS, |row| {
        let added = row.and_then(|row| {
            let [from, to] = tiles(&row, shape)?;
            let fault = |message| Err(Fault::new(row.line(), message));
            let moved = map.insert(from, to);
            let other = taken.insert(to, from);
            if moved.is_some() {
                return fault(format!("({}, {}) is mapped twice", from.x, from.y));
            }
            if let Some(other) = other {
                return fault(format!("({}, {}) is already the target of ({}, {})", to.x, to.y, other.x, other.y));
            }
            Ok(())
        });
        added.map_err(|fault| faults.push(fault))
    });
    faults.extend(read.err());
    if faults.is_empty() { Ok(map) } else { Err(faults) }
}

/// The tile of a row, and the one that it moves to.
fn tiles(row: &Row<'_>, [width, height]: [u16; 2]) -> Result<[Tile; 2], Fault> {
    let coordinate = |column, size: u16| -> Result<u16, Fault> {
        let number = row.number(column, 0..=u64::from(size) - 1)?;
        Ok(narrow(number, "a coordinate is below the size of the chip"))
    };
    let tile = |column| Ok(Tile { x: coordinate(column, width)?, y: coordinate(column + 1, height)? });
    Ok([tile(0)?, tile(2)?])
}
