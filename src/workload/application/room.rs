//! Refusal of programs that are too large, before they are made.

use super::read::place_of;
use crate::config::{Diagnostic, Files, Reader};
use crate::kind::words::grouped;

/// The most operations of a program: operations and messages are numbered with 31 bits.
const MOST: u128 = 1 << 31;

/// Bytes of an operation with its dependencies while a program is made and executed.
const BYTES: u64 = 200;

/// Returns true if there is room for a program of `operations` operations, which `key` of `table` makes long. Else that is reported.
pub(crate) fn has_room(table: &Reader<'_>, files: &Files<'_>, key: &str, operations: u128) -> bool {
    let refuse = |message: String| {
        table.error(Diagnostic::at(place_of(table, key), message));
        false
    };
    let count = grouped(u64::try_from(operations).unwrap_or(u64::MAX));
    if operations >= MOST {
        return refuse(format!("`{}` makes {count} operations; accepted: fewer than 2^31", table.path_of(key)));
    }
    match files.refusal(u64::try_from(operations).unwrap_or(u64::MAX).saturating_mul(BYTES)) {
        Some(refusal) => refuse(format!("a program of {count} operations {refusal}")),
        None => true,
    }
}

/// The product of `factors`, or the largest number if it is larger.
pub(crate) fn product(factors: impl IntoIterator<Item = u64>) -> u128 {
    factors.into_iter().fold(1, |product: u128, factor| product.saturating_mul(factor.into()))
}
