//! Names of series at the ends of curves, and the line of reference.

use super::Chart;
use super::curve::{Drawn, spelled};
use super::frame::Frame;
use super::labels::{TICK_FONT, TextStyle};
use super::names::moved_apart;
use super::style::CurveStyle;
use crate::draw::canvas::{Spot, decimal};
use crate::draw::markup::Element;
use crate::draw::text::{self, Side, shortened};

/// Pixels from one name to the next, and from the data to the marker of a name.
pub(super) const NAME_HEIGHT: i32 = 15;
const TO_NAME: f64 = 20.0;
/// The widest name, in pixels.
const WIDEST_NAME: i32 = 300;
/// Pixels before a name: from the data to its marker, and from there to the name.
const BEFORE_NAME: i32 = 40;
/// A name that is moved by more pixels than this is joined to its curve.
const NEAR: f64 = 2.0;

/// The names that the legend of `chart` has.
fn entries(chart: &Chart) -> impl Iterator<Item = &str> {
    let series = chart.series.iter().map(|series| series.name.as_str());
    series.chain(chart.line.as_ref().map(|line| line.name.as_str())).filter(|name| !name.is_empty())
}

/// Number of names in the legend.
pub(super) fn rows(chart: &Chart) -> usize {
    if chart.has_legend() { entries(chart).count() } else { 0 }
}

/// Pixels that the names take, with their markers.
pub(super) fn width(chart: &Chart) -> i32 {
    let widest = entries(chart).map(|name| text::width(name, TICK_FONT)).max().unwrap_or_default();
    if chart.has_legend() { BEFORE_NAME + widest.min(WIDEST_NAME) } else { 0 }
}

/// The name of each of `curves`, at the height where the curve ends or near it, from the top where nothing is joined, printed
/// values at the bottom; then the name of the line of reference.
pub(super) fn names(frame: &Frame<'_>, curves: &[Drawn<'_>]) -> Vec<Element> {
    let window = frame.window();
    let room = window.top + f64::from(NAME_HEIGHT / 2)..window.bottom - 2.0;
    let ends: Vec<Option<Spot>> = curves.iter().map(|drawn| drawn.end().filter(|_| drawn.is_joined())).collect();
    let line = frame.chart.line.as_ref();
    let is_last = |drawn: &Drawn<'_>| frame.chart.joined && !drawn.is_joined();
    let height = |(drawn, end): (&Drawn<'_>, &Option<Spot>)| match end {
        Some(end) => end.y,
        None if is_last(drawn) => room.end,
        None => room.start,
    };
    let mut wanted: Vec<f64> = curves.iter().zip(&ends).map(height).collect();
    wanted.extend(line.map(|line| frame.y_position(line.height)));
    let heights = moved_apart(&wanted, f64::from(NAME_HEIGHT), room);
    let reference = line.zip(heights.last()).map(|(line, &y)| text_of(Spot { x: window.right - 11.0, y }, &line.name));
    let named = curves.iter().zip(ends).zip(heights);
    named.map(|((drawn, end), height)| name(drawn, end, height)).chain(reference).collect()
}

/// The name of `drawn` at this `height`, behind its marker, and joined to the curve's `end` if it was moved from there.
fn name(drawn: &Drawn<'_>, end: Option<Spot>, height: f64) -> Element {
    if drawn.name().is_empty() {
        return Element::new("g");
    }
    let style = drawn.style();
    let marker = Spot { x: drawn.frame.window().right + TO_NAME, y: height };
    let at_edge = |end: &Spot| marker.x - end.x < 2.0 * TO_NAME;
    let joins = end.filter(at_edge).filter(|end| (end.y - height).abs() > NEAR);
    let join = joins.map(|end| style.thin(format!("M{}L{}", spelled(end), spelled(marker))));
    let group = Element::new("g").with_children(join).with_child(style.marker(marker));
    group.with_child(text_of(marker, drawn.name()))
}

fn text_of(marker: Spot, name: &str) -> Element {
    let words = TextStyle { class: "ink", font: TICK_FONT, side: Side::Left };
    words.element(marker.moved(17.0, 0.0), &shortened(name, TICK_FONT, WIDEST_NAME))
}

/// The line of reference, if there is one.
pub(super) fn line(frame: &Frame<'_>) -> Option<Element> {
    let line = frame.chart.line.as_ref()?;
    let window = frame.window();
    let y = frame.y_position(line.height);
    let d = format!("M{},{y}H{}", decimal(window.left), decimal(window.right), y = decimal(y));
    let stroke = Element::new("path").with("class", "axis").with("d", d).with("fill", "none");
    let stroke = stroke.with("stroke-width", 1).with("stroke-dasharray", "2 3");
    Some(stroke.with("data-line", line.height))
}

impl Frame<'_> {
    /// The style of the series with this index.
    pub(super) fn style(&self, series: usize) -> CurveStyle {
        let all = &self.chart.series;
        let origin = all[series].origin;
        let number = all[..series].iter().filter(|other| other.origin == origin).count();
        CurveStyle { number, origin }
    }
}
