//! A multicast tree: the sender above those it sends to, the first on the left, each with the time at which it has the
//! message.

use super::canvas::{Stroke, Surface};
use super::clock::Clock;
use super::ink::{Rgb, colour, dashes};
use super::sheet::{NORMAL, SMALL, Sheet, nth};
use super::text::width;
use crate::kind::diagram::{Course, Tree};

/// From one row of nodes to the next.
const ROW: i32 = 66;
/// Between two nodes of a row.
const SPACE: i32 = 12;
const HEIGHT: i32 = 36;

/// Edges beside those of the tree.
const FURTHER: Stroke = Stroke { dashes: dashes(1), ..Stroke::thin(colour(1)) };

/// What its further edges are, if it has any.
pub(super) fn legend_of_further(tree: &Tree) -> Option<String> {
    (!tree.further.is_empty()).then(|| "Trees: some segments use the dashed edges instead.".to_owned())
}

/// What the boxes of such trees say.
pub(super) fn legend(tree: &Tree, clock: &Clock) -> String {
    let when = match tree.course {
        Course::Message => "the time at which it has the message",
        Course::Down => "the time at which it has the first message",
        Course::Up => {
            "the time at which the first message that it sends is received, and for the root the time at which all are received"
        }
        Course::UpAndDown => "the time at which it has the first part of the result",
        Course::Contribution => "the time at which the contribution of the uppermost node first reaches it",
    };
    format!("Trees: a box is a node. The number below its name is {when} ({}).", clock.unit)
}

pub(super) fn sheet(tree: &Tree, clock: &Clock) -> Sheet {
    let (mut sheet, top) = Sheet::titled(&format!("{}: {}", tree.title, clock.text(tree.end.0)));
    let (order, depths) = walk(tree);
    let time = |node: usize| tree.informed[node].map_or_else(String::new, |at| clock.number(at.0));
    let wide = |node: &usize| width(&tree.names[*node], NORMAL).max(width(&time(*node), SMALL)) + 10;
    let box_width = order.iter().map(wide).max().unwrap_or(0).max(28);
    let columns = columns(tree, &order);
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let widest = columns.iter().copied().max().unwrap_or(0) / 2;
    // what is far deeper than wide grows to the right; two columns are as far apart as two nodes, in half steps, for a
    // parent stands between its receivers
    let sideways = deepest > 3 * (widest + 2);
    let at = |node: usize| {
        let (column, depth) = (columns[node], depths[node]);
        if sideways {
            (nth(box_width / 2 + 1, box_width + 2 * SPACE, depth), nth(top, (HEIGHT + SPACE) / 2, column))
        } else {
            (nth(box_width / 2 + 1, (box_width + SPACE) / 2, column), nth(top, ROW, depth))
        }
    };
    let edge = |sheet: &mut Sheet, [upper, lower]: [usize; 2], stroke: Stroke| {
        let (x, y) = at(upper);
        let (to_x, to_y) = at(lower);
        let mut ends = if sideways {
            [(x + box_width / 2, y + HEIGHT / 2), (to_x - box_width / 2, to_y + HEIGHT / 2)]
        } else {
            [(x, y + HEIGHT), (to_x, to_y)]
        };
        let mut way = [upper, lower];
        if tree.course == Course::Up {
            ends.reverse();
            way.reverse();
        }
        sheet.arrow(&ends, stroke).tip = format!("{} sends to {}", tree.names[way[0]], tree.names[way[1]]);
    };
    for &[upper, lower] in &tree.further {
        edge(&mut sheet, [upper, lower], FURTHER);
    }
    for &node in &order {
        for &receiver in &tree.receivers[node] {
            edge(&mut sheet, [node, receiver], Stroke::thin(Rgb::BLACK));
        }
    }
    for &node in &order {
        let (x, y) = at(node);
        let fill = if node == tree.root { Rgb::BLACK } else { Rgb::WHITE };
        let right = x + box_width / 2;
        let tile = sheet.block((x - box_width / 2, y), (right, y + HEIGHT), Surface::bordered(fill));
        if let Some(informed) = tree.informed[node] {
            tile.tip = format!("{} has the message at {}", tree.names[node], clock.exact(informed.0));
        }
        sheet.label((x, y + 11), NORMAL, fill, tree.names[node].as_str());
        sheet.label((x, y + 26), SMALL, fill, time(node));
    }
    sheet
}

/// The nodes of the tree, every sender before its receivers, and how far below the root each is.
fn walk(tree: &Tree) -> (Vec<usize>, Vec<usize>) {
    let mut depths = vec![0; tree.receivers.len()];
    let mut order = Vec::new();
    let mut ahead = vec![tree.root];
    while let Some(node) = ahead.pop() {
        order.push(node);
        for &receiver in tree.receivers[node].iter().rev() {
            depths[receiver] = depths[node] + 1;
            ahead.push(receiver);
        }
    }
    (order, depths)
}

/// The column of each node, in half steps: those that send to no node from left to right, a sender amid its receivers.
fn columns(tree: &Tree, order: &[usize]) -> Vec<usize> {
    let mut columns = vec![0; tree.receivers.len()];
    let leaves = order.iter().filter(|&&node| tree.receivers[node].is_empty());
    for (at, &leaf) in leaves.enumerate() {
        columns[leaf] = 2 * at;
    }
    for &node in order.iter().rev() {
        if let [first, .., last] | [first @ last] = tree.receivers[node].as_slice() {
            columns[node] = columns[*first].midpoint(columns[*last]);
        }
    }
    columns
}
