//! What tells curves apart in print without colour: marks, and dashes of lines.

use crate::draw::ink;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters_backend::DrawingErrorKind;

/// The mark of a curve, by its number, drawn around a point.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    /// Of a curve of the table.
    Measured(usize),
    /// Of values that a paper prints: black, and wider than the others, so that it can be seen behind them.
    Printed(usize),
}

/// Corners of marks around a point; the first shapes are filled, the same again hollow.
const SHAPES: [&[(i32, i32)]; 4] = [
    &[(0, -5), (5, 4), (-5, 4)],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 5), (5, -4), (-5, -4)],
];

/// Lines of marks of printed values.
const PRINTED: [&[[(i32, i32); 2]]; 3] =
    [&[[(-10, 0), (10, 0)]], &[[(-9, 0), (9, 0)], [(0, -9), (0, 9)]], &[[(-8, -8), (8, 8)], [(-8, 8), (8, -8)]]];

/// The line of the curve `at`, for pictures that go through [`ink::dashed`].
pub(super) fn line(at: usize) -> ShapeStyle {
    ink::line(&ink::colour(at), at, 1)
}

/// Error bars and marks of the curve `at`, which have no dashes.
pub(super) fn stroke(at: usize) -> ShapeStyle {
    ink::colour(at).stroke_width(1)
}

impl<'a> PointCollection<'a, (i32, i32)> for &'a Mark {
    type Point = (i32, i32);
    type IntoIter = std::iter::Once<(i32, i32)>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once((0, 0))
    }
}

impl<DB: DrawingBackend> Drawable<DB> for Mark {
    fn draw<I: Iterator<Item = (i32, i32)>>(
        &self,
        mut at: I,
        backend: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        let Some((x, y)) = at.next() else { return Ok(()) };
        let number = match *self {
            Self::Measured(number) => number,
            Self::Printed(number) => {
                let style = BLACK.stroke_width(2);
                let mut lines = PRINTED[number % PRINTED.len()].iter();
                let at = |(dx, dy): (i32, i32)| (x + dx, y + dy);
                return lines.try_for_each(|&[from, to]| backend.draw_line(at(from), at(to), &style));
            }
        };
        let style = stroke(number);
        let shape = |which: usize| SHAPES[which].iter().map(|(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>();
        match number % 11 {
            0 => backend.draw_circle((x, y), 4, &style, true),
            1 => backend.fill_polygon(shape(0), &style),
            2 => backend.fill_polygon(shape(1), &style),
            3 => {
                backend.draw_circle((x, y), 4, &WHITE, true)?;
                backend.draw_circle((x, y), 4, &style, false)
            }
            4 => backend.fill_polygon(shape(2), &style),
            5 => {
                backend.draw_line((x - 4, y - 4), (x + 4, y + 4), &style)?;
                backend.draw_line((x - 4, y + 4), (x + 4, y - 4), &style)
            }
            6 => backend.fill_polygon(shape(3), &style),
            hollow => {
                let mut corners = shape(hollow - 7);
                backend.fill_polygon(corners.clone(), &WHITE)?;
                corners.push(corners[0]);
                backend.draw_path(corners, &style)
            }
        }
    }
}
