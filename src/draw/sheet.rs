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
/// Pixels of the letters above everything.
pub(super) const HUGE: i32 = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A line through points, with a head at its end if it is an `arrow`.
    Line {
        points: Vec<At>,
        stroke: Stroke,
        arrow: bool,
    },
    /// A curve between two places of a column, which goes so many pixels to the right of it, or to the left.
    Arc {
        from: At,
        to: At,
        bulge: i32,
        stroke: Stroke,
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
    /// A circle that shows what is below it.
    Ring {
        at: At,
        radius: i32,
        stroke: Stroke,
    },
    /// What is within these corners.
    Polygon {
        corners: Vec<At>,
        surface: Surface,
    },
    Text {
        at: At,
        lettering: Lettering,
        text: String,
    },
    /// Shapes that belong together, painted in this order.
    Group(Vec<Shape>),
}

/// A shape, and what it says to who points at it; nothing if that is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    pub(super) shape: Shape,
    pub(super) tip: String,
}

/// Shapes, painted in this order, and the room that they take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sheet {
    pub(super) size: At,
    pub(super) shapes: Vec<Drawn>,
}

/// Pixels between sheets.
pub(super) const GAP: i32 = 28;
/// Of words that explain what is beside them.
const FAINT: Rgb = Rgb(90, 90, 90);

impl Sheet {
    /// A sheet under `title`, whose contents begin at the returned height.
    pub(super) fn titled(title: &str) -> (Self, i32) {
        let mut sheet = Self::default();
        if !title.is_empty() {
            sheet.text((0, 10), Side::Left, NORMAL, title);
        }
        (sheet, 30)
    }

    /// A line of small letters at the height `y`, which explains what is below it.
    pub(super) fn note(&mut self, y: i32, text: impl Into<String>) {
        let lettering = Lettering { size: SMALL, side: Side::Left, colour: FAINT };
        self.add(Shape::Text { at: (0, y), lettering, text: text.into() });
    }

    pub(super) fn line(&mut self, points: &[At], stroke: Stroke) -> &mut Drawn {
        self.add(Shape::Line { points: points.to_vec(), stroke, arrow: false })
    }

    pub(super) fn arrow(&mut self, points: &[At], stroke: Stroke) -> &mut Drawn {
        self.add(Shape::Line { points: points.to_vec(), stroke, arrow: true })
    }

    pub(super) fn arc(&mut self, from: At, to: At, bulge: i32, stroke: Stroke) -> &mut Drawn {
        self.add(Shape::Arc { from, to, bulge, stroke })
    }

    pub(super) fn block(&mut self, from: At, to: At, surface: Surface) -> &mut Drawn {
        self.add(Shape::Block { from, to, surface })
    }

    pub(super) fn disc(&mut self, at: At, radius: i32, fill: Rgb) -> &mut Drawn {
        self.add(Shape::Disc { at, radius, fill })
    }

    pub(super) fn ring(&mut self, at: At, radius: i32, stroke: Stroke) -> &mut Drawn {
        self.add(Shape::Ring { at, radius, stroke })
    }

    pub(super) fn text(&mut self, at: At, side: Side, size: i32, text: impl Into<String>) -> &mut Drawn {
        let lettering = Lettering { size, side, colour: Rgb::BLACK };
        self.add(Shape::Text { at, lettering, text: text.into() })
    }

    /// A name on what is filled with `fill`.
    pub(super) fn label(&mut self, at: At, size: i32, fill: Rgb, text: impl Into<String>) {
        let colour = if fill == Rgb::BLACK { Rgb::WHITE } else { Rgb::BLACK };
        let lettering = Lettering { size, side: Side::Middle, colour };
        self.add(Shape::Text { at, lettering, text: text.into() });
    }

    pub(super) fn add(&mut self, shape: Shape) -> &mut Drawn {
        let (_, (right, bottom)) = shape.bounds();
        self.reach((right + 1, bottom + 1));
        let at = self.shapes.len();
        self.shapes.push(Drawn { shape, tip: String::new() });
        &mut self.shapes[at]
    }

    /// Makes room as far as `corner`.
    pub(super) fn reach(&mut self, corner: At) {
        self.size = (self.size.0.max(corner.0), self.size.1.max(corner.1));
    }

    /// Puts `other` on this sheet, its upper left corner at `at`.
    pub(super) fn put(&mut self, at: At, other: Self) {
        self.reach((at.0 + other.size.0, at.1 + other.size.1));
        let moved = other.shapes.into_iter().map(|drawn| Drawn { shape: drawn.shape.moved(at), ..drawn });
        self.shapes.extend(moved);
    }

    /// `sheets` beside each other, in as many rows as it takes to stay within `width` pixels.
    pub(super) fn beside(sheets: Vec<Self>, width: i32) -> Self {
        let sizes: Vec<At> = sheets.iter().map(|sheet| sheet.size).collect();
        let flow = Flow::new(&sizes, width);
        let mut whole = Self::default();
        flow.places.into_iter().zip(sheets).for_each(|(at, sheet)| whole.put(at, sheet));
        whole
    }
}

/// Where things stand that are put beside each other.
pub(super) struct Flow {
    /// The upper left corner of each.
    pub(super) places: Vec<At>,
    /// The room that all take.
    pub(super) size: At,
}

impl Flow {
    /// Things of `sizes` from left to right, in as many rows as it takes to stay within `width` pixels.
    pub(super) fn new(sizes: &[At], width: i32) -> Self {
        let mut flow = Self { places: Vec::new(), size: (0, 0) };
        let mut at = (0, 0);
        for &(wide, high) in sizes {
            if at.0 > 0 && at.0 + wide > width {
                at = (0, flow.size.1 + GAP);
            }
            flow.places.push(at);
            flow.size = (flow.size.0.max(at.0 + wide), flow.size.1.max(at.1 + high));
            at.0 += wide + GAP;
        }
        flow
    }
}

impl Shape {
    /// The upper left and the lower right corner of what it covers.
    pub(super) fn bounds(&self) -> (At, At) {
        match self {
            Self::Line { points, .. } | Self::Polygon { corners: points, .. } => extent(points.iter().copied()),
            Self::Group(shapes) => extent(shapes.iter().flat_map(|shape| {
                let (least, most) = shape.bounds();
                [least, most]
            })),
            Self::Block { from, to, .. } => (*from, *to),
            Self::Arc { from, to, bulge, .. } => {
                let left = from.0.min(to.0) + bulge.min(&0);
                let right = from.0.max(to.0) + bulge.max(&0);
                ((left, from.1.min(to.1)), (right, from.1.max(to.1)))
            }
            Self::Disc { at: (x, y), radius, .. } | Self::Ring { at: (x, y), radius, .. } => {
                ((x - radius, y - radius), (x + radius, y + radius))
            }
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
            Self::Line { points, .. } | Self::Polygon { corners: points, .. } => points.iter_mut().for_each(move_at),
            Self::Group(shapes) => {
                let moved = std::mem::take(shapes).into_iter().map(|shape| shape.moved((dx, dy)));
                *shapes = moved.collect();
            }
            Self::Block { from, to, .. } | Self::Arc { from, to, .. } => [from, to].into_iter().for_each(move_at),
            Self::Disc { at, .. } | Self::Ring { at, .. } | Self::Text { at, .. } => move_at(at),
        }
        self
    }
}

/// The upper left and the lower right corner of the rectangle that has all `places` in it.
fn extent(places: impl Iterator<Item = At> + Clone) -> (At, At) {
    let xs = places.clone().map(|at| at.0);
    let ys = places.map(|at| at.1);
    let least = (xs.clone().min().unwrap_or(0), ys.clone().min().unwrap_or(0));
    (least, (xs.max().unwrap_or(0), ys.max().unwrap_or(0)))
}

/// The `at`-th place, in pixels, of things that are `step` pixels apart, the first at `first`.
pub(super) fn nth(first: i32, step: i32, at: usize) -> i32 {
    first + step * i32::try_from(at).unwrap_or(0) // a sheet has at most some thousands of things
}
