//! The legend of a plot: the line, the mark and the name of each curve, below each other.

use super::{Curve, LINE, mark};
use crate::draw::canvas::{Canvas, Lettering, Spot};
use crate::draw::ink::Rgb;
use crate::draw::text::{Side, width};

/// As many names fit beside the data.
pub(crate) const MOST_CURVES: usize = 16;

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
    /// Its upper left corner.
    pub(super) place: Spot,
}

impl Legend<'_> {
    /// Pixels that a legend of `curves` takes from left to right.
    pub(super) fn width(curves: &[Curve], joined: bool) -> i32 {
        let names = curves.iter().map(|curve| width(&curve.name, FONT)).max().unwrap_or(0);
        BEFORE + sample(joined) + BETWEEN + names + BEHIND
    }

    pub(super) fn paint(&self, canvas: &mut Canvas) {
        let sample = f64::from(sample(self.joined));
        let lettering = Lettering { size: FONT, side: Side::Left, colour: Rgb::BLACK };
        let mut at = self.place.moved(f64::from(BEFORE), 8.0);
        for (number, curve) in self.curves.iter().enumerate() {
            if self.joined && !curve.printed {
                canvas.line(&[at, at.moved(sample, 0.0)], mark::line(number));
            }
            mark::paint(canvas, at.moved(sample / 2.0, 0.0), number, curve);
            canvas.text(at.moved(sample + f64::from(BETWEEN), 0.0), lettering, &curve.name);
            at = at.moved(0.0, f64::from(LINE));
        }
    }
}

fn sample(joined: bool) -> i32 {
    if joined { JOINED_SAMPLE } else { MARK_SAMPLE }
}
