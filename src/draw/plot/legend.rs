//! The legend of a plot: the line, the mark and the name of each curve, below each other.

use super::{Curve, LINE, mark};
use crate::draw::canvas::{Canvas, Lettering, Spot};
use crate::draw::ink::Rgb;
use crate::draw::text::{Side, width};

/// As many names fit beside the data.
pub(super) const MOST_CURVES: usize = 16;

/// Pixels of names.
const FONT: i32 = 12;
/// Pixels of a line with a mark, and of a mark alone.
const JOINED_SAMPLE: i32 = 40;
const MARK_SAMPLE: i32 = 12;
/// Pixels before a sample, between it and its name, and behind the name.
const BEFORE: i32 = 8;
const BETWEEN: i32 = 8;
const BEHIND: i32 = 6;

pub(super) struct Legend<'a> {
    pub(super) curves: &'a [Curve],
    pub(super) joined: bool,
    /// A line of reference, and what it is.
    pub(super) line: Option<&'a (f64, String)>,
    /// Its upper left corner.
    pub(super) place: Spot,
}

impl Legend<'_> {
    /// How many names it has.
    pub(super) fn rows(&self) -> usize {
        self.curves.len() + usize::from(self.line.is_some())
    }

    fn sample(&self) -> i32 {
        if self.joined || self.line.is_some() { JOINED_SAMPLE } else { MARK_SAMPLE }
    }

    /// Pixels that it takes from left to right.
    pub(super) fn width(&self) -> i32 {
        let names = self.curves.iter().map(|curve| &curve.name).chain(self.line.map(|line| &line.1));
        let widest = names.map(|name| width(name, FONT)).max().unwrap_or(0);
        BEFORE + self.sample() + BETWEEN + widest + BEHIND
    }

    /// Pixels that it takes from top to bottom.
    pub(super) fn height(&self) -> i32 {
        i32::try_from(self.rows()).unwrap_or(0) * LINE
    }

    pub(super) fn paint(&self, canvas: &mut Canvas) {
        let sample = f64::from(self.sample());
        let lettering = Lettering { size: FONT, side: Side::Left, colour: Rgb::BLACK };
        let mut at = self.place.moved(f64::from(BEFORE), 8.0);
        for (number, curve) in self.curves.iter().enumerate() {
            if self.joined && !curve.printed {
                canvas.line(&[at, at.moved(sample, 0.0)], mark::line(number));
            }
            mark::paint(canvas, at.moved(sample / 2.0, 0.0), number, self.curves);
            if !curve.name.is_empty() {
                canvas.text(at.moved(sample + f64::from(BETWEEN), 0.0), lettering, &curve.name);
            }
            at = at.moved(0.0, f64::from(LINE));
        }
        if let Some((_, says)) = self.line {
            canvas.line(&[at, at.moved(sample, 0.0)], mark::REFERENCE);
            canvas.text(at.moved(sample + f64::from(BETWEEN), 0.0), lettering, says);
        }
    }
}
