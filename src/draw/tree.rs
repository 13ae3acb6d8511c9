//! A multicast tree: the sender above those it sends to, the first on the left, each with the time at which it has the
//! message.

use super::canvas::{Stroke, Surface};
use super::ink::Rgb;
use super::sheet::{NORMAL, SMALL, Sheet, nth};
use super::text::width;
use crate::kind::diagram::Sends;

/// From one row of nodes to the next.
const ROW: i32 = 66;
/// Between two nodes of a row.
const SPACE: i32 = 12;
const HEIGHT: i32 = 36;

pub(super) fn sheet(title: &str, sends: &Sends) -> Sheet {
    let (mut sheet, top) = Sheet::titled(title);
    let (order, depths) = walk(sends);
    let shown = order.iter().flat_map(|&node| &sends.labels[node]);
    let box_width = shown.map(|label| width(label, NORMAL) + 10).max().unwrap_or(0).max(28);
    let columns = columns(sends, &order);
    // two columns are as far apart as two nodes, in half steps, for a parent stands between its receivers
    let at =
        |node: usize| (nth(box_width / 2 + 1, (box_width + SPACE) / 2, columns[node]), nth(top, ROW, depths[node]));
    for &node in &order {
        for &receiver in &sends.receivers[node] {
            let (x, y) = at(node);
            sheet.arrow(&[(x, y + HEIGHT), at(receiver)], Stroke::thin(Rgb::BLACK));
        }
    }
    for &node in &order {
        let (x, y) = at(node);
        let [name, time] = &sends.labels[node];
        let fill = if node == sends.root { Rgb::BLACK } else { Rgb::WHITE };
        let right = x + box_width / 2;
        sheet.block((x - box_width / 2, y), (right, y + HEIGHT), Surface::bordered(fill));
        sheet.label((x, y + 11), NORMAL, fill, name);
        sheet.label((x, y + 26), SMALL, fill, time);
    }
    sheet
}

/// The nodes of the tree, every sender before its receivers, and how far below the root each is.
fn walk(sends: &Sends) -> (Vec<usize>, Vec<usize>) {
    let mut depths = vec![0; sends.receivers.len()];
    let mut order = Vec::new();
    let mut ahead = vec![sends.root];
    while let Some(node) = ahead.pop() {
        order.push(node);
        for &receiver in sends.receivers[node].iter().rev() {
            depths[receiver] = depths[node] + 1;
            ahead.push(receiver);
        }
    }
    (order, depths)
}

/// The column of each node, in half steps: those that send to no node from left to right, a sender amid its receivers.
fn columns(sends: &Sends, order: &[usize]) -> Vec<usize> {
    let mut columns = vec![0; sends.receivers.len()];
    let leaves = order.iter().filter(|&&node| sends.receivers[node].is_empty());
    for (at, &leaf) in leaves.enumerate() {
        columns[leaf] = 2 * at;
    }
    for &node in order.iter().rev() {
        if let [first, .., last] | [first @ last] = sends.receivers[node].as_slice() {
            columns[node] = columns[*first].midpoint(columns[*last]);
        }
    }
    columns
}
