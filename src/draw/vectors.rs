//! Tables of what ranks hold of a vector: a row for each rank, a column for each piece, a table before the first step of a
//! collective and after each.
//!
//! A cell says whose contributions a rank has combined there, and is the darker the more they are; what the step changed has
//! a frame. Where there are many columns, cells have room for a number only: how many contributions they are.

use super::canvas::{Stroke, Surface};
use super::ink::{Rgb, colour};
use super::sheet::{At, SMALL, Sheet, nth};
use super::text::{Side, width};
use crate::kind::diagram::{HeldPiece, Vectors};

/// As many columns have cells that say whose contributions they are.
const MOST_WIDE: usize = 20;
/// Pixels of a cell: at least, and from one to the next.
const LEAST_WIDE: i32 = 34;
const NARROW: i32 = 20;
const HEIGHT: i32 = 20;
/// Where a step changed something.
const CHANGED: Stroke = Stroke::thin(colour(2));
/// How dark one contribution is, and all of them, in hundredths.
const LEAST_DARK: usize = 12;
const MOST_DARK: usize = 62;
/// Where one contribution is all that there can be.
const ALONE_DARK: usize = 36;

pub(super) fn sheets(vectors: &Vectors) -> Vec<Sheet> {
    let plan = Plan::new(vectors);
    let tables = (0..vectors.after.len()).map(|after| plan.table(after));
    std::iter::once(plan.legend()).chain(tables).collect()
}

/// What all tables have in common.
struct Plan<'a> {
    vectors: &'a Vectors,
    /// How many contributions there may be, at most, in all.
    ranks: usize,
    /// Whether cells say whose contributions they are.
    says_whose: bool,
    /// Pixels left of the cells.
    left: i32,
    /// Pixels of a cell.
    wide: i32,
}

impl<'a> Plan<'a> {
    fn new(vectors: &'a Vectors) -> Self {
        let names = vectors.names.iter().map(|name| width(name, SMALL) + 10);
        let mut plan = Self {
            vectors,
            ranks: vectors.names.len(),
            says_whose: vectors.pieces.len() <= MOST_WIDE,
            left: names.fold(0, i32::max),
            wide: NARROW,
        };
        if plan.says_whose {
            let cells = vectors.after.iter().flatten().flatten().map(|held| plan.text(held));
            let texts = cells.chain(vectors.pieces.iter().cloned());
            plan.wide = texts.map(|text| width(&text, SMALL) + 8).fold(LEAST_WIDE, i32::max);
        }
        plan
    }

    fn table(&self, after: usize) -> Sheet {
        let when = if after == 0 { "initially".to_owned() } else { format!("after step {}", after - 1) };
        let (mut sheet, top) = Sheet::titled(&when);
        self.heads(&mut sheet, top);
        let top = top + 10;
        for (row, cells) in self.vectors.after[after].iter().enumerate() {
            let y = nth(top, HEIGHT, row);
            let name = self.vectors.names[row].as_str();
            sheet.text((self.left - 8, y + HEIGHT / 2), Side::Right, SMALL, name);
            for (column, held) in cells.iter().enumerate() {
                let tip = format!("{name}, {}: {}", self.vectors.pieces[column], whole(held));
                self.cell(&mut sheet, (nth(self.left, self.wide, column), y), held, tip);
            }
        }
        sheet
    }

    /// The positions above the columns, as far as they have room: all, or where every so manieth column begins.
    fn heads(&self, sheet: &mut Sheet, y: i32) {
        let pieces = &self.vectors.pieces;
        if self.says_whose {
            for (column, piece) in pieces.iter().enumerate() {
                let middle = nth(self.left, self.wide, column) + self.wide / 2;
                sheet.text((middle, y), Side::Middle, SMALL, piece.as_str());
            }
            return;
        }
        let first = |piece: &'a String| piece.split('-').next().unwrap_or_default();
        let widest = pieces.iter().map(|piece| width(first(piece), SMALL) + 8).fold(1, i32::max);
        let every = (widest + self.wide - 1) / self.wide;
        for (column, piece) in pieces.iter().enumerate().step_by(every.unsigned_abs() as usize) {
            sheet.text((nth(self.left, self.wide, column) + 2, y), Side::Left, SMALL, first(piece));
        }
    }

    fn cell(&self, sheet: &mut Sheet, at: At, held: &HeldPiece, tip: String) {
        let (x, y) = at;
        let surface = Surface::bordered(self.fill(held.contributors.len()));
        sheet.block(at, (x + self.wide, y + HEIGHT), surface).tip = tip;
        if held.is_changed {
            self.frame(sheet, at);
        }
        let text = self.text(held);
        if !text.is_empty() {
            sheet.text((x + self.wide / 2, y + HEIGHT / 2), Side::Middle, SMALL, text);
        }
    }

    /// A frame within a cell.
    fn frame(&self, sheet: &mut Sheet, (x, y): At) {
        let stroke = Stroke { width: if self.says_whose { 2 } else { 1 }, ..CHANGED };
        let left = x + 2;
        let upper = y + 2;
        let right = x + self.wide - 2;
        let lower = y + HEIGHT - 2;
        // the last side goes on to where the corner is closed
        sheet.line(&[(left, upper), (right, upper), (right, lower), (left, lower), (left, upper - 1)], stroke);
    }

    /// The darker the more contributions there are.
    fn fill(&self, contributions: usize) -> Rgb {
        let most = self.vectors.most;
        let dark = match contributions {
            0 => 0,
            _ if most == 1 => ALONE_DARK,
            more => LEAST_DARK + (MOST_DARK - LEAST_DARK) * (more.min(most) - 1) / (most - 1),
        };
        colour(1).thinned(dark)
    }

    /// Whose contributions are held, in the room of a cell.
    fn text(&self, held: &HeldPiece) -> String {
        let count = held.contributors.len();
        match held.contributors.as_slice() {
            [] => String::new(),
            _ if !self.says_whose => count.to_string(),
            _ if count == self.ranks && count > 1 => "all".to_owned(),
            [only] => format!("{{{only}}}"),
            [first, .., last] if last - first + 1 == count => format!("{first}-{last}"),
            _ => format!("{count} of {}", self.ranks),
        }
    }

    /// What the tables show.
    fn legend(&self) -> Sheet {
        let (mut sheet, top) = Sheet::titled("");
        let number = self.ranks.min(4) - 1;
        let [note, one, all] = match (self.vectors.is_heard, self.says_whose) {
            (true, _) => {
                ["rows: ranks".to_owned(), format!("signal of rank {number}"), "signals of all ranks".to_owned()]
            }
            (false, true) => [
                "rows: ranks; columns: positions of the vector".to_owned(),
                format!("contribution of rank {number}"),
                "contributions of all ranks, combined".to_owned(),
            ],
            (false, false) => [
                "rows: ranks; columns: positions of the vector, labelled with their first position".to_owned(),
                "contribution of one rank".to_owned(),
                format!("contributions of all {} ranks, combined", self.ranks),
            ],
        };
        sheet.note(top, note);
        let held = |contributors: Vec<usize>| HeldPiece { contributors, is_changed: false };
        let mut samples = vec![(held(vec![number]), one)];
        if self.vectors.most > 1 {
            samples.push((held((0..self.ranks).collect()), all));
        }
        samples.push((HeldPiece { contributors: Vec::new(), is_changed: true }, "changed in this step".to_owned()));
        for (at, (held, said)) in samples.into_iter().enumerate() {
            let y = nth(top + 14, HEIGHT + 6, at);
            self.cell(&mut sheet, (1, y), &held, String::new());
            sheet.text((self.wide + 12, y + HEIGHT / 2), Side::Left, SMALL, said);
        }
        sheet
    }
}

/// Whose contributions are held, in full: `the contributions of 0-3, 5`.
fn whole(held: &HeldPiece) -> String {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &rank in &held.contributors {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == rank => *last = rank,
            _ => runs.push([rank, rank]),
        }
    }
    let run = |&[first, last]: &[usize; 2]| if first == last { first.to_string() } else { format!("{first}-{last}") };
    let runs: Vec<String> = runs.iter().map(run).collect();
    match held.contributors.len() {
        0 => "nothing".to_owned(),
        1 => format!("the contribution of {}", runs.join(", ")),
        _ => format!("the contributions of {}", runs.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(contributors: &[usize]) -> HeldPiece {
        HeldPiece { contributors: contributors.to_vec(), is_changed: false }
    }

    #[test]
    fn a_cell_says_whose_contributions_it_holds() {
        let piece = held(&[]);
        let names = (0..8).map(|rank| rank.to_string()).collect();
        let vectors =
            Vectors { names, pieces: vec!["0-3".to_owned()], most: 8, is_heard: false, after: vec![vec![vec![piece]]] };
        let plan = Plan::new(&vectors);
        let all: Vec<usize> = (0..8).collect();
        let cases: [(&[usize], &str); 5] =
            [(&[], ""), (&[3], "{3}"), (&[2, 3, 4], "2-4"), (&[0, 2, 3], "3 of 8"), (&all, "all")];
        for (contributors, text) in cases {
            assert_eq!(plan.text(&held(contributors)), text);
        }
        assert_eq!(whole(&held(&[0, 1, 2, 5])), "the contributions of 0-2, 5");
        let darkness: Vec<u8> = (0..=8).map(|count| plan.fill(count).0).collect();
        assert!(darkness.windows(2).all(|pair| pair[0] > pair[1]), "{darkness:?}");
    }
}
