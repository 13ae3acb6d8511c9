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

/// Corners of marks of printed values that are not round: around the marks of others, which they do not touch.
const PRINTED: [&[Corner]; 3] =
    [&[(-7, -7), (7, -7), (7, 7), (-7, 7)], &[(0, -10), (10, 0), (0, 10), (-10, 0)], &[(0, -11), (10, 7), (-10, 7)]];

/// Pixels of the radius of round marks.
const RADIUS: i32 = 4;
const PRINTED_RADIUS: i32 = 8;

/// The line of reference.
pub(super) const REFERENCE: Stroke = Stroke { colour: Rgb(90, 90, 90), width: 1, dashes: "2 3" };

pub(super) fn line(at: usize) -> Stroke {
    Stroke::numbered(at, 1)
}

/// Error bars of the curve `at`, which have no dashes.
pub(super) fn bar(at: usize) -> Stroke {
    Stroke::thin(colour(at))
}

/// Paints the mark of the `number`-th of `curves` around `at`. Those of values that a paper prints are thin and hollow,
/// and wider than the others, which stand within them.
pub(super) fn paint(canvas: &mut Canvas, at: Spot, number: usize, curves: &[Curve]) {
    if curves[number].printed {
        let before = curves[..number].iter().filter(|curve| curve.printed).count();
        let stroke = Stroke::thin(Rgb::BLACK);
        return match (before % 4).checked_sub(1) {
            None => canvas.ring(at, PRINTED_RADIUS, stroke),
            Some(shape) => {
                let mut corners = around(at, PRINTED[shape]);
                corners.extend(corners.first().copied());
                canvas.line(&corners, stroke);
            }
        };
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
