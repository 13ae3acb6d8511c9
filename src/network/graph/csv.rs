//! Graphs as CSV: rows with a kind, `node`, `link` or `arc`, and its ends a and b. Times may have units, and a bandwidth may
//! stand for the time of a flit.

use super::draft::{self, Draft, LARGEST, LONGEST_DELAY, LONGEST_FLIT_TIME, OTHER_CLASS};
use crate::config::{Columns, Fault, Quantity, Row, Scale, each_row};
use crate::units::narrow;
use std::ops::RangeInclusive;

const COLUMNS: Columns =
    Columns { names: &["kind", "a", "b", "flit_time", "delay", "bandwidth", "class"], required: 3 };

/// Reads all rows.
pub(super) fn read(draft: &mut Draft<'_, '_>) {
    let read = each_row(draft.text, COLUMNS, |row| {
        let added = row.and_then(|row| add(draft, &row));
        added.map_err(|fault| draft.refuse_fault(fault))
    });
    if let Err(fault) = read {
        draft.refuse_fault(fault);
    }
}

/// The error of a row whose class has a reserved name.
fn reserved_class(row: &Row<'_>, class: &str) -> Fault {
    Fault::new(row.span(6), draft::reserved_class(class)).note(format!("accepted: {OTHER_CLASS}"))
}

/// Adds what a row says.
fn add(draft: &mut Draft<'_, '_>, row: &Row<'_>) -> Result<(), Fault> {
    let kind = row.field(0);
    if !matches!(kind, "node" | "link" | "arc") {
        return Err(Fault::new(row.span(0), format!("unknown kind of row `{kind}`")).note("accepted: node, link, arc"));
    }
    let scale = draft.scale();
    let optional = |column: usize, range: RangeInclusive<u64>| match row.field(column) {
        "" => Ok(None),
        text => match Scale::ticks_of_file(scale, text) {
            Ok(None) => row.number(column, range).map(Some),
            Ok(Some(ticks)) if range.contains(&ticks) => Ok(Some(ticks)),
            Ok(Some(ticks)) => {
                let message = format!("`{}` is {ticks} ticks, which is out of range", COLUMNS.names[column]);
                let accepted = format!("accepted: {} to {} ticks", range.start(), range.end());
                Err(Fault::new(row.span(column), message).note(accepted))
            }
            Err(why) => Err(Fault::new(row.span(column), format!("`{}` {why}", COLUMNS.names[column]))),
        },
    };
    let a = narrow(row.number(1, 0..=LARGEST)?, "numbers of nodes and routers are checked");
    let b = narrow(row.number(2, 0..=LARGEST)?, "numbers of nodes and routers are checked");
    let flit_time = match (row.field(3), row.field(5)) {
        (_, "") => optional(3, 1..=LONGEST_FLIT_TIME)?,
        ("", bandwidth) => {
            let is_bandwidth = matches!(Quantity::parse(bandwidth), Ok(Quantity::Bandwidth(_)));
            if !is_bandwidth {
                let fault = Fault::new(row.span(5), format!("`bandwidth` cannot be `{bandwidth}`"));
                return Err(fault.note("accepted: a bandwidth with a unit, such as 50GB/s or 400Gb/s"));
            }
            optional(5, 1..=LONGEST_FLIT_TIME)?
        }
        _ => {
            let fault = Fault::new(row.span(5), "`flit_time` and `bandwidth` are both given");
            return Err(fault.note("accepted: one of the two"));
        }
    };
    let delay = optional(4, 0..=LONGEST_DELAY)?;
    let cost = draft.cost(flit_time, delay);
    let class = row.field(6);
    match kind {
        "node" if !class.is_empty() => {
            return Err(Fault::new(row.span(6), "nodes have no `class`").note("accepted: a class of a link or an arc"));
        }
        "node" => draft.hang(a, b, cost, row.start),
        _ if a == b => draft.refuse_loop(a, row.start),
        _ => {
            let class = draft.class(class).ok_or_else(|| reserved_class(row, class))?;
            draft.join([a, b], cost, class, row.start);
            if kind == "link" {
                draft.join([b, a], cost, class, row.start);
            }
        }
    }
    Ok(())
}
