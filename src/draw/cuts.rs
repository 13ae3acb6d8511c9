//! The bipartitions of a mapping: for each bit of the nodes' addresses, the tasks on one side of it, those on the
//! other, and the edges that it cuts.
//!
//! The cost of a mapping is the sum of its cuts (hypercube mapping paper, section 2).

use super::canvas::{Stroke, Surface};
use super::ink::Rgb;
use super::sheet::{At, SMALL, Sheet, nth};
use super::text::{Side, width};
use crate::kind::diagram::Placed;

/// So many weights fit between two columns.
const MOST_WEIGHTS: usize = 40;

const RADIUS: i32 = 13;
const ROW: i32 = 34;
/// Between the columns of tasks.
const MIDDLE: i32 = 190;
/// Beside them, for edges that are not cut.
const OUTSIDE: i32 = 64;

/// A sheet for each bit, the least significant first.
pub(super) fn sheets(placed: &Placed) -> Vec<Sheet> {
    (0..placed.dimensions).map(|bit| sheet(placed, bit)).collect()
}

fn sheet(placed: &Placed, bit: u32) -> Sheet {
    let side = |task: u32| placed.processors[task as usize] >> bit & 1;
    let (cut, whole): (Vec<Edge>, Vec<Edge>) =
        placed.edges.iter().copied().partition(|(one, other, _)| side(*one) != side(*other));
    let weight: u64 = cut.iter().map(|(.., weight)| u64::from(*weight)).sum();
    let (mut sheet, top) = Sheet::titled(&format!("bit {bit} cuts {weight}"));
    let places = places(placed, bit, top + 26);
    for (value, x) in [(0, OUTSIDE), (1, OUTSIDE + MIDDLE)] {
        sheet.text((x, top + 4), Side::Middle, SMALL, address(placed.dimensions, bit, value));
    }
    for (one, other, _) in whole {
        let bulge = if side(one) == 0 { -1 } else { 1 };
        sheet.line(&arc(places[one as usize], places[other as usize], bulge), Stroke::thin(Rgb::GREY));
    }
    let ends = |(one, other, weight): Edge| Cut { ends: [one, other].map(|task| places[task as usize]), weight };
    let cut: Vec<Cut> = cut.into_iter().map(ends).collect();
    for &Cut { ends, .. } in &cut {
        sheet.line(&ends, Stroke { width: 2, ..Stroke::thin(Rgb::BLACK) });
    }
    if cut.len() <= MOST_WEIGHTS {
        weights(&mut sheet, &cut);
    }
    for (task, &at) in places.iter().enumerate() {
        let fill = if task >= placed.tasks { Rgb::PALE } else { Rgb::WHITE };
        sheet.disc(at, RADIUS, fill);
        sheet.label(at, SMALL, fill, task.to_string());
    }
    sheet
}

/// Two tasks, and the weight between them.
type Edge = (u32, u32, u32);

/// An edge that is cut: where its tasks are, and its weight.
struct Cut {
    ends: [At; 2],
    weight: u32,
}

/// The addresses whose `bit` is `value`, a dot for a bit that is either.
fn address(dimensions: u32, bit: u32, value: u32) -> String {
    (0..dimensions).rev().map(|at| if at == bit { value.to_string() } else { ".".to_owned() }).collect()
}

/// Each task on its side of `bit`, ordered by address.
fn places(placed: &Placed, bit: u32, top: i32) -> Vec<At> {
    let mut order: Vec<usize> = (0..placed.processors.len()).collect();
    order.sort_by_key(|&task| (placed.processors[task], task));
    let mut places = vec![(0, 0); order.len()];
    let mut filled = [0_usize; 2];
    for task in order {
        let side = (placed.processors[task] >> bit & 1) as usize;
        places[task] = (nth(OUTSIDE, MIDDLE, side), nth(top, ROW, filled[side]));
        filled[side] += 1;
    }
    places
}

/// A curve from `a` to `b` above or below it, bulging to one side.
fn arc(a: At, b: At, side: i32) -> Vec<At> {
    const PIECES: i32 = 24;
    let bulge = side * (10 + (a.1 - b.1).abs() / 3).min(OUTSIDE - 4);
    let at = |piece: i32| {
        let along = a.1 + (b.1 - a.1) * piece / PIECES;
        (a.0 + bulge * 4 * piece * (PIECES - piece) / (PIECES * PIECES), along)
    };
    (0..=PIECES).map(at).collect()
}

/// Writes each weight on its edge, where no other stands.
fn weights(sheet: &mut Sheet, edges: &[Cut]) {
    let mut taken: Vec<(At, At)> = Vec::new();
    for &Cut { ends: [a, b], weight } in edges {
        let text = weight.to_string();
        let wide = width(&text, SMALL);
        let bounds = |(x, y): At| ((x - wide / 2, y - SMALL / 2), (x - wide / 2 + wide, y + SMALL / 2));
        let free = [10, 8, 12, 6, 14, 9, 11, 7, 13, 5, 15, 4, 16, 3, 17]
            .into_iter()
            .map(|twentieth| (a.0 + (b.0 - a.0) * twentieth / 20, a.1 + (b.1 - a.1) * twentieth / 20))
            .find(|&at| taken.iter().all(|other| !overlap(*other, bounds(at))));
        if let Some(at) = free {
            let (from, to) = bounds(at);
            taken.push((from, to));
            sheet.block((from.0 - 1, from.1 - 1), (at.0 + wide / 2 + 1, to.1 + 1), Surface::plain(Rgb::WHITE));
            sheet.text(at, Side::Middle, SMALL, text);
        }
    }
}

fn overlap(one: (At, At), other: (At, At)) -> bool {
    let beside = one.1.0 < other.0.0 || other.1.0 < one.0.0;
    let above = one.1.1 < other.0.1 || other.1.1 < one.0.1;
    !beside && !above
}
