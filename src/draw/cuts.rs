//! The bipartitions of a mapping: for each bit of the nodes' addresses, the tasks on one side of it, those on the
//! other, and the edges that it cuts.
//!
//! Tasks of a row are on nodes that differ in this bit alone. The order of the rows is that in which few edges cross, and
//! a weight stands where no other edge goes.
//!
//! The cost of a mapping is the sum of its cuts (hypercube mapping paper, section 2).

use super::canvas::{Stroke, Surface};
use super::geometry::{Bounds, around, overlap, touches};
use super::ink::Rgb;
use super::sheet::{At, SMALL, Sheet, nth};
use super::text::{Side, width};
use crate::kind::diagram::Placed;

/// Weights of more edges than this have no room between two columns, and their rows stay in the order of addresses.
const MOST_WEIGHTS: usize = 60;

const RADIUS: i32 = 13;
/// Beside the columns of tasks, for edges that are not cut.
const OUTSIDE: i32 = 64;
/// From the title to the first task.
const HEAD: i32 = 26;

/// How far tasks are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    /// Between the columns.
    middle: i32,
    /// Between rows.
    row: i32,
}

const ROOMS: [Room; 4] = [
    Room { middle: 190, row: 34 },
    Room { middle: 240, row: 38 },
    Room { middle: 300, row: 44 },
    Room { middle: 380, row: 52 },
];

/// How much room mappings take, so that each weight has some: all of a picture take the same, and stand in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Size(usize);

impl Size {
    /// The least that does for `all`, or the least if none does.
    pub(super) fn new<'a>(all: impl Iterator<Item = &'a Placed>) -> Self {
        let enough = |placed: &Placed| {
            let bits: Vec<Bit<'_>> = (0..placed.dimensions).map(|bit| Bit::new(placed, bit)).collect();
            (0..ROOMS.len()).find(|&size| {
                bits.iter()
                    .filter(|bit| bit.has_weights())
                    .all(|bit| bit.weights(ROOMS[size], 0).iter().all(Option::is_some))
            })
        };
        let sizes: Vec<usize> = all.map(|placed| enough(placed).unwrap_or(ROOMS.len() - 1)).collect();
        Self(sizes.into_iter().max().unwrap_or(0))
    }
}

/// What cuts show.
pub(super) const LEGEND: &str = "Cuts: a circle is a task. The tasks of a row are on nodes whose addresses differ only in this bit. Black edges are \
                                 cut, with their weights if there is room. Grey edges are not cut.";

/// A sheet for each bit, the least significant first.
pub(super) fn sheets(placed: &Placed, size: Size) -> Vec<Sheet> {
    (0..placed.dimensions).map(|bit| Bit::new(placed, bit).sheet(ROOMS[size.0])).collect()
}

/// What a bit of the addresses cuts.
struct Bit<'a> {
    placed: &'a Placed,
    bit: u32,
    cut: Vec<Edge>,
    whole: Vec<Edge>,
    /// The row of each task.
    rows: Vec<usize>,
}

/// Two tasks, and the weight between them.
type Edge = (u32, u32, u32);

impl<'a> Bit<'a> {
    fn new(placed: &'a Placed, bit: u32) -> Self {
        let side = |task: u32| placed.processors[task as usize] >> bit & 1;
        let (cut, whole) = placed.edges.iter().copied().partition(|(one, other, _)| side(*one) != side(*other));
        let row = |processor: &u32| (processor >> (bit + 1) << bit | processor & ((1 << bit) - 1)) as usize;
        let rows = placed.processors.iter().map(row).collect();
        let mut cuts = Self { placed, bit, cut, whole, rows };
        if cuts.has_weights() {
            cuts.untangle();
        }
        cuts
    }

    fn has_weights(&self) -> bool {
        self.cut.len() <= MOST_WEIGHTS
    }

    fn is_right(&self, task: usize) -> bool {
        self.placed.processors[task] >> self.bit & 1 == 1
    }

    /// Swaps rows as long as edges cross less, or as often and are shorter.
    fn untangle(&mut self) {
        let count = self.rows.len() / 2;
        let mut tangle = self.tangle();
        loop {
            let before = tangle;
            for (one, other) in (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other))) {
                self.swap(one, other);
                let swapped = self.tangle();
                if swapped < tangle {
                    tangle = swapped;
                } else {
                    self.swap(one, other);
                }
            }
            if tangle == before {
                return;
            }
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        for row in &mut self.rows {
            *row = if *row == one {
                other
            } else if *row == other {
                one
            } else {
                *row
            };
        }
    }

    /// How often edges that are cut cross, and how many rows all edges go up or down.
    fn tangle(&self) -> (usize, usize) {
        let rows: Vec<[usize; 2]> = self.cut.iter().map(|edge| self.rows_of(edge)).collect();
        let crosses = |[a, b]: [usize; 2], [c, d]: [usize; 2]| (a < c && b > d) || (a > c && b < d);
        let pairs = rows.iter().enumerate();
        let crossings = pairs.map(|(at, one)| rows[..at].iter().filter(|other| crosses(*one, **other)).count()).sum();
        let climb = |edge: &Edge| self.rows[edge.0 as usize].abs_diff(self.rows[edge.1 as usize]);
        (crossings, self.cut.iter().chain(&self.whole).map(climb).sum())
    }

    /// The rows of the task on the left and of that on the right.
    fn rows_of(&self, &(one, other, _): &Edge) -> [usize; 2] {
        let rows = [one, other].map(|task| self.rows[task as usize]);
        if self.is_right(one as usize) { [rows[1], rows[0]] } else { rows }
    }

    /// Where the tasks of an edge are that is cut, the left one first.
    fn line(&self, edge: &Edge, room: Room, top: i32) -> [At; 2] {
        let [left, right] = self.rows_of(edge).map(|row| nth(top, room.row, row));
        [(OUTSIDE, left), (OUTSIDE + room.middle, right)]
    }

    fn place(&self, task: usize, room: Room, top: i32) -> At {
        (OUTSIDE + if self.is_right(task) { room.middle } else { 0 }, nth(top, room.row, self.rows[task]))
    }

    /// Where the weight of each edge that is cut stands: near its middle, on no other edge and over no other weight;
    /// none where there is no such place. Those with few places choose first.
    fn weights(&self, room: Room, top: i32) -> Vec<Option<Bounds>> {
        let lines: Vec<[At; 2]> = self.cut.iter().map(|edge| self.line(edge, room, top)).collect();
        let mut free: Vec<(usize, Vec<Bounds>)> = Vec::new();
        for (at, &[from, to]) in lines.iter().enumerate() {
            let size = (width(&self.cut[at].2.to_string(), SMALL) + 2, SMALL + 2);
            // from the middle to either end, as far as the tasks
            let parts = (0..=18).flat_map(|step| [50 + 2 * step, 50 - 2 * step]);
            let spot = |part: i32| (from.0 + (to.0 - from.0) * part / 100, from.1 + (to.1 - from.1) * part / 100);
            let others = || lines.iter().enumerate().filter(|(other, _)| *other != at);
            let clear = |bounds: &Bounds| !others().any(|(_, line)| touches(*bounds, *line));
            free.push((at, parts.map(|part| around(spot(part), size)).filter(clear).collect()));
        }
        free.sort_by_key(|(_, places)| places.len());
        let mut chosen: Vec<Option<Bounds>> = vec![None; lines.len()];
        for (at, places) in free {
            let taken = |bounds: Bounds| chosen.iter().flatten().any(|other| overlap(*other, bounds));
            chosen[at] = places.into_iter().find(|bounds| !taken(*bounds));
        }
        chosen
    }

    fn sheet(&self, room: Room) -> Sheet {
        let Self { placed, bit, .. } = *self;
        let weight: u64 = self.cut.iter().map(|(.., weight)| u64::from(*weight)).sum();
        let (mut sheet, top) = Sheet::titled(&format!("bit {bit} cuts {weight}"));
        for (value, x) in [(0, OUTSIDE), (1, OUTSIDE + room.middle)] {
            sheet.text((x, top + 4), Side::Middle, SMALL, address(placed.dimensions, bit, value));
        }
        let top = top + HEAD;
        for edge in &self.whole {
            let [one, other] = [edge.0, edge.1].map(|task| self.place(task as usize, room, top));
            let bulge = (10 + (one.1 - other.1).abs() / 3).min(OUTSIDE - 4);
            let side = if self.is_right(edge.0 as usize) { bulge } else { -bulge };
            sheet.arc(one, other, side, Stroke::thin(Rgb::GREY)).tip = said(edge, "not cut");
        }
        for edge in &self.cut {
            let stroke = Stroke { width: if self.has_weights() { 2 } else { 1 }, ..Stroke::thin(Rgb::BLACK) };
            let line = sheet.line(&self.line(edge, room, top), stroke);
            line.tip = said(edge, "cut");
        }
        if self.has_weights() {
            for (edge, bounds) in self.cut.iter().zip(self.weights(room, top)) {
                let Some((from, to)) = bounds else { continue };
                sheet.block(from, to, Surface::plain(Rgb::WHITE));
                let middle = (from.0.midpoint(to.0), from.1.midpoint(to.1));
                sheet.text(middle, Side::Middle, SMALL, edge.2.to_string());
            }
        }
        for (task, processor) in placed.processors.iter().enumerate() {
            let fill = if task >= placed.tasks { Rgb::PALE } else { Rgb::WHITE };
            let at = self.place(task, room, top);
            sheet.disc(at, RADIUS, fill).tip = format!("task {task} on node {processor}");
            sheet.label(at, SMALL, fill, task.to_string());
        }
        sheet.reach((2 * OUTSIDE + room.middle, 0));
        sheet
    }
}

/// What is said of an edge.
fn said(&(one, other, weight): &Edge, what: &str) -> String {
    format!("tasks {one} and {other}: weight {weight}, {what}")
}

/// The addresses whose `bit` is `value`, a dot for a bit that is either.
fn address(dimensions: u32, bit: u32, value: u32) -> String {
    (0..dimensions).rev().map(|at| if at == bit { value.to_string() } else { ".".to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks of a row are on neighbours, and every weight has a place on no other edge.
    #[test]
    fn weights_stand_where_no_other_edge_goes() {
        let edges = (0..8_u32).flat_map(|one| (one + 1..8).map(move |other| (one, other, one * other)));
        let edges = edges.filter(|(one, other, _)| (one * 3 + other) % 3 > 0).collect();
        let placed = Placed { processors: vec![5, 3, 0, 7, 1, 6, 4, 2], edges, tasks: 8, dimensions: 3 };
        let size = Size::new([&placed].into_iter());
        for bit in 0..3 {
            let cuts = Bit::new(&placed, bit);
            for (one, other) in (0..8).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let apart = placed.processors[one] ^ placed.processors[other];
                assert_eq!(cuts.rows[one] == cuts.rows[other], apart == 1 << bit, "{one} and {other}");
            }
            let room = ROOMS[size.0];
            let weights = cuts.weights(room, 0);
            for (at, bounds) in weights.iter().enumerate() {
                let others = cuts.cut.iter().enumerate().filter(|(other, _)| *other != at);
                let hit = |bounds: Bounds| others.clone().any(|(_, edge)| touches(bounds, cuts.line(edge, room, 0)));
                assert!(bounds.is_some_and(|bounds| !hit(bounds)), "bit {bit}: {:?} at {bounds:?}", cuts.cut[at]);
            }
        }
    }
}
