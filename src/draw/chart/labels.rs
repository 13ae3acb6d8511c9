//! Text in a panel: a line at a place, and names below an axis, which are broken or go up where they have no room.

use super::axis::Axis;
use crate::draw::canvas::{BASELINE, Spot, decimal};
use crate::draw::markup::Element;
use crate::draw::sheet::nth;
use crate::draw::text::{Side, broken, shortened, width};

/// Pixels of the letters of names and titles, and of ticks.
pub(super) const FONT: i32 = 12;
pub(super) const TICK_FONT: i32 = 11;

/// From an axis to the middle of the first line of words below it, and from one line to the next, in pixels.
const FIRST_LINE: i32 = 14;
const NEXT_LINE: i32 = 13;
/// Slope of names that would overlap if they were level, in degrees, with its sine and cosine, and the longest of them.
const SLANT: i32 = 40;
const SINE: f64 = 0.643;
const COSINE: f64 = 0.766;
const LONGEST: i32 = 200;

/// The style of a line of text, and the part of it that is at its place.
#[derive(Clone, Copy)]
pub(super) struct TextStyle {
    pub(super) class: &'static str,
    pub(super) font: i32,
    pub(super) side: Side,
}

impl TextStyle {
    /// `text` with its middle at the height of `at`.
    pub(super) fn element(self, at: Spot, text: &str) -> Element {
        let anchor = match self.side {
            Side::Left => "start",
            Side::Middle => "middle",
            Side::Right => "end",
        };
        let y = at.y + BASELINE * f64::from(self.font);
        let element = Element::new("text").with("class", self.class).with("x", decimal(at.x)).with("y", decimal(y));
        let element = element.with("font-size", self.font);
        let element = if anchor == "start" { element } else { element.with("text-anchor", anchor) };
        element.text(text)
    }

    /// As [`element`](Self::element), turned upwards by `degrees` around `at`.
    pub(super) fn upwards(self, at: Spot, degrees: i32, text: &str) -> Element {
        let turned = format!("rotate({} {} {})", -degrees, decimal(at.x), decimal(at.y));
        self.element(at, text).with("transform", turned)
    }
}

/// Text below an axis.
pub(super) enum Names {
    /// Lines for each tick, side by side.
    Lines(Vec<Vec<String>>),
    /// A name for each tick, going up to it.
    Slanted(Vec<String>),
}

impl Names {
    /// The text at the ticks of `axis`, which is `pixels` long. Names may be broken, numbers have room.
    pub(super) fn new(axis: &Axis, names: bool, pixels: i32) -> Self {
        let texts = || axis.ticks.iter().map(|tick| tick.text.as_str());
        if !names {
            return Self::Lines(texts().map(|text| vec![text.to_owned()]).collect());
        }
        let room = shared(pixels, axis.ticks.len()) - 6;
        match texts().map(|text| broken(text, TICK_FONT, room)).collect() {
            Some(lines) => Self::Lines(lines),
            None => Self::Slanted(texts().map(|text| shortened(text, TICK_FONT, LONGEST)).collect()),
        }
    }

    /// Pixels that they take below the axis.
    pub(super) fn height(&self) -> i32 {
        match self {
            Self::Lines(all) => nth(FIRST_LINE, NEXT_LINE, all.iter().map(Vec::len).max().unwrap_or(1).max(1)) - 4,
            Self::Slanted(names) => FIRST_LINE + pixels(SINE * f64::from(longest(names))) + 4,
        }
    }

    /// Pixels that the first name takes to the left of `axis`, which is `wide` pixels long.
    pub(super) fn room_left(&self, axis: &Axis, wide: i32) -> i32 {
        let Self::Slanted(names) = self else { return 0 };
        let lefts = axis.ticks.iter().zip(names).map(|(tick, name)| {
            pixels(COSINE * f64::from(width(name, TICK_FONT)) - axis.position(tick.value) * f64::from(wide))
        });
        lefts.max().unwrap_or_default()
    }

    /// Them, where `feet` are the places of ticks on the axis.
    pub(super) fn draw(&self, feet: impl Iterator<Item = Spot>) -> Vec<Element> {
        match self {
            Self::Lines(all) => feet.zip(all).flat_map(|(foot, lines)| below(foot, lines)).collect(),
            Self::Slanted(names) => {
                let words = TextStyle { class: "ink", font: TICK_FONT, side: Side::Right };
                feet.zip(names).map(|(foot, name)| words.upwards(foot.moved(4.0, 10.0), SLANT, name)).collect()
            }
        }
    }
}

/// `lines` below a tick at `foot`.
fn below(foot: Spot, lines: &[String]) -> Vec<Element> {
    let words = TextStyle { class: "ink", font: TICK_FONT, side: Side::Middle };
    let heights = (0..lines.len()).map(|at| f64::from(nth(FIRST_LINE, NEXT_LINE, at)));
    lines.iter().zip(heights).map(|(line, height)| words.element(foot.moved(0.0, height), line)).collect()
}

/// The share of `pixels` of each tick.
#[expect(clippy::expect_used, reason = "an axis has as many names as can be read")]
fn shared(pixels: i32, ticks: usize) -> i32 {
    pixels / i32::try_from(ticks.max(1)).expect("ticks are few")
}

/// Pixels of the widest word of an axis.
pub(super) fn widest(axis: &Axis) -> i32 {
    axis.ticks.iter().map(|tick| width(&tick.text, TICK_FONT)).max().unwrap_or_default()
}

fn longest(names: &[String]) -> i32 {
    names.iter().map(|name| width(name, TICK_FONT)).max().unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "pixels of a picture")]
fn pixels(length: f64) -> i32 {
    libm::ceil(length) as i32
}
