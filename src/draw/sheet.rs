//! A sheet of paper: shapes at places, in pixels from its upper left corner, before anything is painted.
//!
//! It knows how much room shapes take and how sheets are put beside and below each other; it refuses to know what the
//! shapes stand for, and any file format.

use super::canvas::{Lettering, Stroke, Surface};
use super::ink::Rgb;
use super::text::{Side, width};

/// A place: pixels to the right, pixels down.
pub(super) type At = (i32, i32);

/// Pixels of the letters of a label.
pub(super) const SMALL: i32 = 10;
/// Pixels of the letters of a name.
pub(super) const NORMAL: i32 = 11;
/// Pixels of the letters of a title.
pub(super) const LARGE: i32 = 14;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A line through points, with a head at its end if it is an `arrow`.
    Line {
        points: Vec<At>,
        stroke: Stroke,
        arrow: bool,
    },
    /// A rectangle.
    Block {
        from: At,
        to: At,
        surface: Surface,
    },
    /// A circle with a thin black border.
    Disc {
        at: At,
        radius: i32,
        fill: Rgb,
    },
    Text {
        at: At,
        lettering: Lettering,
        text: String,
    },
}

/// Shapes, painted in this order, and the room that they take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sheet {
    pub(super) size: At,
    pub(super) shapes: Vec<Shape>,
}

/// Pixels between sheets.
const GAP: i32 = 28;

impl Sheet {
    /// A sheet under `title`, whose contents begin at the returned height.
    pub(super) fn titled(title: &str) -> (Self, i32) {
        let mut sheet = Self::default();
        if !title.is_empty() {
            sheet.text((0, 10), Side::Left, NORMAL, title);
        }
        (sheet, 30)
    }

    pub(super) fn line(&mut self, points: &[At], stroke: Stroke) {
        self.add(Shape::Line { points: points.to_vec(), stroke, arrow: false });
    }

    pub(super) fn arrow(&mut self, points: &[At], stroke: Stroke) {
        self.add(Shape::Line { points: points.to_vec(), stroke, arrow: true });
    }

    pub(super) fn block(&mut self, from: At, to: At, surface: Surface) {
        self.add(Shape::Block { from, to, surface });
    }

    pub(super) fn disc(&mut self, at: At, radius: i32, fill: Rgb) {
        self.add(Shape::Disc { at, radius, fill });
    }

    pub(super) fn text(&mut self, at: At, side: Side, size: i32, text: impl Into<String>) {
        let lettering = Lettering { size, side, colour: Rgb::BLACK };
        self.add(Shape::Text { at, lettering, text: text.into() });
    }

    /// A name on what is filled with `fill`.
    pub(super) fn label(&mut self, at: At, size: i32, fill: Rgb, text: impl Into<String>) {
        let colour = if fill == Rgb::BLACK { Rgb::WHITE } else { Rgb::BLACK };
        let lettering = Lettering { size, side: Side::Middle, colour };
        self.add(Shape::Text { at, lettering, text: text.into() });
    }

    fn add(&mut self, shape: Shape) {
        let (_, (right, bottom)) = shape.bounds();
        self.size = (self.size.0.max(right + 1), self.size.1.max(bottom + 1));
        self.shapes.push(shape);
    }

    /// Puts `other` on this sheet, its upper left corner at `at`.
    pub(super) fn put(&mut self, at: At, other: Self) {
        self.size = (self.size.0.max(at.0 + other.size.0), self.size.1.max(at.1 + other.size.1));
        self.shapes.extend(other.shapes.into_iter().map(|shape| shape.moved(at)));
    }

    /// `sheets` beside each other, in as many rows as it takes to stay within `width` pixels.
    pub(super) fn beside(sheets: Vec<Self>, width: i32) -> Self {
        let mut whole = Self::default();
        let mut x = 0;
        let mut y = 0;
        for sheet in sheets {
            if x > 0 && x + sheet.size.0 > width {
                x = 0;
                y = whole.size.1 + GAP;
            }
            let step = sheet.size.0 + GAP;
            whole.put((x, y), sheet);
            x += step;
        }
        whole
    }
}

impl Shape {
    /// The upper left and the lower right corner of what it covers.
    pub(super) fn bounds(&self) -> (At, At) {
        match self {
            Self::Line { points, .. } => {
                let xs = points.iter().map(|at| at.0);
                let ys = points.iter().map(|at| at.1);
                let least = (xs.clone().min().unwrap_or(0), ys.clone().min().unwrap_or(0));
                (least, (xs.max().unwrap_or(0), ys.max().unwrap_or(0)))
            }
            Self::Block { from, to, .. } => (*from, *to),
            Self::Disc { at: (x, y), radius, .. } => ((x - radius, y - radius), (x + radius, y + radius)),
            Self::Text { at: (x, y), lettering: Lettering { size, side, .. }, text } => {
                let width = width(text, *size);
                let left = match side {
                    Side::Left => *x,
                    Side::Middle => x - width / 2,
                    Side::Right => x - width,
                };
                ((left, y - size / 2), (left + width, y + size / 2))
            }
        }
    }

    fn moved(mut self, (dx, dy): At) -> Self {
        let move_at = |at: &mut At| *at = (at.0 + dx, at.1 + dy);
        match &mut self {
            Self::Line { points, .. } => points.iter_mut().for_each(move_at),
            Self::Block { from, to, .. } => [from, to].into_iter().for_each(move_at),
            Self::Disc { at, .. } | Self::Text { at, .. } => move_at(at),
        }
        self
    }
}

/// The `at`-th place, in pixels, of things that are `step` pixels apart, the first at `first`.
pub(super) fn nth(first: i32, step: i32, at: usize) -> i32 {
    first + step * i32::try_from(at).unwrap_or(0) // a sheet has at most some thousands of things
}
