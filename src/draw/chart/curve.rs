//! A curve: its line with gaps where values are missing, and its points with error bars.

use super::frame::Frame;
use super::style::CurveStyle;
use super::{Bound, Curve, Origin, Point};
use crate::draw::canvas::{Spot, decimal};
use crate::draw::markup::Element;

/// Pixels of half a cap of an error bar.
const CAP: f64 = 3.0;
/// Pixels between the border and an error bar that continues beyond it.
const TO_BORDER: f64 = 4.0;

/// A curve of a panel.
pub(super) struct Drawn<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) curve: &'a Curve,
}

impl Drawn<'_> {
    pub(super) fn name(&self) -> &str {
        self.frame.name(self.curve.series)
    }

    pub(super) fn style(&self) -> CurveStyle {
        self.frame.style(self.curve.series)
    }

    /// True if its points are joined.
    pub(super) fn is_joined(&self) -> bool {
        self.frame.chart.joins(self.curve.series)
    }

    /// The curve without its name.
    pub(super) fn draw(&self) -> Element {
        let group = Element::new("g").with("data-curve", self.name());
        let path = if self.is_joined() { self.path() } else { String::new() };
        let group = if path.is_empty() { group } else { group.with_child(self.style().line(path)) };
        // the points of a front have markers of their own
        let points = if self.style().origin == Origin::Front { &[][..] } else { &self.curve.points };
        group.with_children(points.iter().filter_map(|point| self.point(point)))
    }

    /// The parts within the window of the lines between neighbours that both have values.
    fn parts(&self) -> Vec<[Spot; 2]> {
        let window = self.frame.window();
        let ends = self.curve.points.windows(2);
        ends.filter_map(|pair| window.clip(self.spot(&pair[0])?, self.spot(&pair[1])?)).collect()
    }

    /// The path along these parts.
    fn path(&self) -> String {
        let mut path = String::new();
        let mut last = String::new();
        for [from, to] in self.parts() {
            let [from, to] = [from, to].map(spelled);
            if from != last {
                path += &format!("M{from}");
            }
            path += &format!("L{to}");
            last = to;
        }
        path
    }

    /// The place of `point`, if it has a value.
    fn spot(&self, point: &Point) -> Option<Spot> {
        Some(Spot { x: self.frame.x_position(point.x), y: self.frame.y_position(point.y?) })
    }

    fn point(&self, point: &Point) -> Option<Element> {
        let spot = self.spot(point).filter(|spot| self.frame.window().contains(*spot))?;
        let style = self.style();
        let group = Element::new("g").with("data-px", &point.fields.x).with("data-py", &point.fields.y);
        let group = group.with("data-spread", &point.fields.spread);
        let tip = self.frame.tip(self.curve.series, point);
        let group = group.with_child(Element::new("title").text(tip));
        let group = group.with_children(self.bar(point, spot).map(|d| style.thin(d))).with_child(style.marker(spot));
        match point.bound {
            Bound::Exact => Some(group),
            Bound::Lower => Some(group.with("data-bound", "lower").with_child(style.arrow(spot))),
        }
    }

    /// The error bar of `point`, which is at `spot`. Where it continues beyond the window, it ends before the border, without a
    /// cap.
    fn bar(&self, point: &Point, spot: Spot) -> Option<String> {
        let spread = point.spread.filter(|spread| *spread > 0.0)?;
        let y = point.y?;
        let window = self.frame.window();
        let low = self.frame.chart.least.map_or(y - spread, |least| (y - spread).max(least.min(y)));
        let ends = [low, y + spread].map(|end| Spot { x: spot.x, y: self.frame.y_position(end) });
        let is_whole = |end: &Spot| end.y >= window.top && end.y < window.bottom;
        let [low, high] = ends.map(|end| end.y.clamp(window.top + TO_BORDER, window.bottom - TO_BORDER));
        let [low, high] = [(low, ends[0]), (high, ends[1])].map(|(cut, end)| if is_whole(&end) { end.y } else { cut });
        let mut d = format!("M{},{}V{}", decimal(spot.x), decimal(low), decimal(high));
        for end in ends.iter().filter(|end| is_whole(end)) {
            d += &format!("M{},{}h{}", decimal(end.x - CAP), decimal(end.y), decimal(2.0 * CAP));
        }
        Some(d)
    }

    /// The last place of the curve that is seen.
    pub(super) fn end(&self) -> Option<Spot> {
        let window = self.frame.window();
        let mut spots = self.curve.points.iter().filter_map(|point| self.spot(point));
        let last = spots.rfind(|spot| window.contains(*spot));
        self.parts().last().map(|[_, to]| *to).or(last)
    }
}

pub(super) fn spelled(at: Spot) -> String {
    format!("{},{}", decimal(at.x), decimal(at.y))
}
