//! What tells curves apart in print without colour: marks, and dashes of lines.

use super::Curve;
use crate::draw::canvas::{Canvas, Spot, Stroke, Surface};
use crate::draw::ink::{Rgb, colour};

/// How far a corner is from the point: pixels to the right, pixels down.
type Corner = (i8, i8);

/// Corners of marks around a point; the first shapes are filled, the same again hollow.
const SHAPES: [&[Corner]; 4] = [
    &[(0, -5), (5, 4), (-5, 4)],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 5), (5, -4), (-5, -4)],
];

/// Lines of the mark of a curve that is neither filled nor hollow.
const CROSS: &[[Corner; 2]] = &[[(-4, -4), (4, 4)], [(-4, 4), (4, -4)]];

/// Lines of marks of printed values.
const PRINTED: [&[[Corner; 2]]; 3] =
    [&[[(-10, 0), (10, 0)]], &[[(-9, 0), (9, 0)], [(0, -9), (0, 9)]], &[[(-8, -8), (8, 8)], [(-8, 8), (8, -8)]]];

/// Pixels of the radius of round marks.
const RADIUS: i32 = 4;

pub(super) fn line(at: usize) -> Stroke {
    Stroke::numbered(at, 1)
}

/// Error bars of the curve `at`, which have no dashes.
pub(super) fn bar(at: usize) -> Stroke {
    Stroke::thin(colour(at))
}

/// Paints the mark of `curve`, the `number`-th, around `at`. Those of values that a paper prints are black, and wider
/// than the others, so that they can be seen behind them.
pub(super) fn paint(canvas: &mut Canvas, at: Spot, number: usize, curve: &Curve) {
    if curve.printed {
        let stroke = Stroke { width: 2, ..Stroke::thin(Rgb::BLACK) };
        return strokes(canvas, at, PRINTED[number % PRINTED.len()], stroke);
    }
    let colour = colour(number);
    let filled = Surface::plain(colour);
    let hollow = Surface { fill: Rgb::WHITE, border: Some(colour) };
    match number % 11 {
        0 => canvas.circle(at, RADIUS, filled),
        1 => canvas.polygon(&around(at, SHAPES[0]), filled),
        2 => canvas.polygon(&around(at, SHAPES[1]), filled),
        3 => canvas.circle(at, RADIUS, hollow),
        4 => canvas.polygon(&around(at, SHAPES[2]), filled),
        5 => strokes(canvas, at, CROSS, Stroke::thin(colour)),
        6 => canvas.polygon(&around(at, SHAPES[3]), filled),
        rest => canvas.polygon(&around(at, SHAPES[rest - 7]), hollow),
    }
}

fn strokes(canvas: &mut Canvas, at: Spot, lines: &[[Corner; 2]], stroke: Stroke) {
    for line in lines {
        canvas.line(&around(at, line), stroke);
    }
}

fn around(at: Spot, corners: &[Corner]) -> Vec<Spot> {
    corners.iter().map(|&(right, down)| at.moved(f64::from(right), f64::from(down))).collect()
}
