//! A curve: its line with gaps where values are missing, points with error bars, and its name at its end.

use super::look::Look;
use super::names::moved_apart;
use super::frame::{Frame, NAME_HEIGHT, TO_NAME, WIDEST_NAME};
use super::words::{TICK_FONT, Words};
use super::{Curve, Point};
use crate::draw::canvas::{Spot, decimal};
use crate::draw::markup::Element;
use crate::draw::text::{Side, shortened};

/// Pixels of half a cap of an error bar.
const CAP: f64 = 3.0;
/// A name that is moved by more pixels than this is joined to its curve.
const NEAR: f64 = 2.0;

/// A curve of a panel.
pub(super) struct Drawn<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) curve: &'a Curve,
}

impl Drawn<'_> {
    fn name(&self) -> &str {
        self.frame.name(self.curve.algorithm)
    }

    /// The curve without its name.
    pub(super) fn draw(&self) -> Element {
        let look = Look(self.curve.algorithm);
        let group = Element::new("g").with("data-curve", self.name());
        let path = if self.frame.joins() { self.path() } else { String::new() };
        let group = if path.is_empty() { group } else { group.with_child(look.line(path)) };
        group.with_children(self.curve.points.iter().filter_map(|point| self.point(point)))
    }

    /// The path along all points that have neighbours.
    fn path(&self) -> String {
        let runs = self.curve.points.split(|point| point.y.is_none()).filter(|run| run.len() > 1);
        let along = |run: &[Point]| {
            let spots: Vec<String> = run.iter().filter_map(|point| self.spot(point)).map(spelled).collect();
            format!("M{}", spots.join("L"))
        };
        runs.map(along).collect()
    }

    /// Where `point` is, if it has a value.
    fn spot(&self, point: &Point) -> Option<Spot> {
        let x = self.frame.beside(point.x, self.curve.algorithm);
        Some(Spot { x, y: self.frame.up(point.y?) })
    }

    fn point(&self, point: &Point) -> Option<Element> {
        let spot = self.spot(point)?;
        let look = Look(self.curve.algorithm);
        let group = Element::new("g").with("data-px", &point.fields.x).with("data-py", &point.fields.y);
        let group = group.with("data-spread", &point.fields.spread);
        let group = group.with_child(Element::new("title").text(self.frame.tip(self.name(), point)));
        let bar = self.bar(point, spot).map(|d| look.thin(d));
        Some(group.with_children(bar).with_child(look.marker(spot)))
    }

    /// The error bar of `point`, which is at `spot`: cut where the axis ends, and there without a cap.
    fn bar(&self, point: &Point, spot: Spot) -> Option<String> {
        let spread = point.spread.filter(|spread| *spread > 0.0)?;
        let y = point.y?;
        let ends = [y - spread, y + spread];
        let [low, high] = ends.map(|end| decimal(self.frame.up(end)));
        let x = decimal(spot.x);
        let mut d = format!("M{x},{low}V{high}");
        for end in ends.into_iter().filter(|end| self.frame.y.holds(*end)) {
            let y = decimal(self.frame.up(end));
            d += &format!("M{},{y}h{}", decimal(spot.x - CAP), decimal(2.0 * CAP));
        }
        Some(d)
    }

    /// The last point that has a value.
    fn end(&self) -> Option<Spot> {
        self.curve.points.iter().rev().find_map(|point| self.spot(point))
    }
}

fn spelled(at: Spot) -> String {
    format!("{},{}", decimal(at.x), decimal(at.y))
}

/// The name of each of `curves`, at the height where the curve ends or near it; where nothing is joined, below each other.
pub(super) fn names(curves: &[Drawn<'_>]) -> Vec<Element> {
    let Some(frame) = curves.first().map(|drawn| drawn.frame) else { return Vec::new() };
    let room = f64::from(frame.top() + NAME_HEIGHT / 2)..f64::from(frame.bottom() - 2);
    let ends: Vec<Option<Spot>> = curves.iter().map(|drawn| drawn.end().filter(|_| frame.joins())).collect();
    let wanted: Vec<f64> = ends.iter().map(|end| end.map_or(room.start, |end| end.y)).collect();
    let heights = moved_apart(&wanted, f64::from(NAME_HEIGHT), room);
    let named = curves.iter().zip(ends).zip(heights);
    named.map(|((drawn, end), height)| name(drawn, end, height)).collect()
}

/// The name of `drawn` at this `height`, behind its marker, and joined to the curve's `end` if it was moved from there.
fn name(drawn: &Drawn<'_>, end: Option<Spot>, height: f64) -> Element {
    let frame = drawn.frame;
    let look = Look(drawn.curve.algorithm);
    let marker = Spot { x: f64::from(frame.right()) + TO_NAME, y: height };
    let words = Words { class: "ink", font: TICK_FONT, side: Side::Left };
    let shown = shortened(drawn.name(), TICK_FONT, WIDEST_NAME);
    let at_edge = |end: &Spot| marker.x - end.x < 2.0 * TO_NAME;
    let joins = end.filter(at_edge).filter(|end| (end.y - height).abs() > NEAR);
    let join = joins.map(|end| look.thin(format!("M{}L{}", spelled(end), spelled(marker))));
    let group = Element::new("g").with_children(join).with_child(look.marker(marker));
    group.with_child(words.at(marker.moved(9.0, 0.0), &shown))
}
