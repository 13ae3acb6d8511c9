//! A panel of a decision map: its cells between the values along both axes.

use super::{Look, Map, Panel, cell};
use crate::draw::sheet::{NORMAL, Sheet, nth};
use crate::draw::text::{Side, width};

/// White between cells, in pixels.
const BETWEEN: i32 = 2;
/// Pixels from the values along the y axis to the cells.
const BESIDE: i32 = 8;
/// Pixels above the cells: what is along the y axis.
const ABOVE: i32 = 20;
/// Pixels from the cells to the values along the x axis, and from these to what they are.
const TO_VALUES: i32 = 12;
const TO_LABEL: i32 = 18;

/// `panel` of `map`, without its title.
pub(super) fn sheet(map: &Map, panel: &Panel, look: &Look) -> Sheet {
    let mut sheet = Sheet::default();
    let [x_label, y_label] = &map.labels;
    let left = map.rows.iter().map(|row| width(row, NORMAL)).max().unwrap_or(0) + BESIDE;
    let step = (look.cell.0 + BETWEEN, look.cell.1 + BETWEEN);
    let bottom = nth(ABOVE, step.1, map.rows.len());
    sheet.text((0, NORMAL / 2), Side::Left, NORMAL, y_label.as_str());
    // downwards, though the first row is at the bottom: readers of the text of a picture begin at its top
    for (at, (cells, row)) in panel.rows.iter().zip(&map.rows).rev().enumerate() {
        let top = nth(ABOVE, step.1, at);
        sheet.text((left - BESIDE, top + look.cell.1 / 2), Side::Right, NORMAL, row.as_str());
        for (at, (decision, column)) in cells.iter().zip(&map.columns).enumerate() {
            let corner = (nth(left, step.0, at), top);
            let tip = cell::tip(map, decision.as_ref(), [column, row]);
            sheet.add(cell::shape(decision.as_ref(), look, corner)).tip = tip;
        }
    }
    for (at, column) in map.columns.iter().enumerate() {
        let middle = nth(left, step.0, at) + look.cell.0 / 2;
        sheet.text((middle, bottom + TO_VALUES), Side::Middle, NORMAL, column.as_str());
    }
    let middle = nth(left, step.0, map.columns.len()).midpoint(left);
    sheet.text(
        (middle.max(width(x_label, NORMAL) / 2), bottom + TO_VALUES + TO_LABEL),
        Side::Middle,
        NORMAL,
        x_label.as_str(),
    );
    sheet
}
