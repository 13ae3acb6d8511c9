//! A canvas of SVG: lines, polygons, circles, rectangles and text, painted over each other in the order they come.
//!
//! The library sorts the attributes of an element by their names and escapes text, but for control characters, which no
//! XML may hold; these are shown. Numbers are written here, so that the same calls give the same bytes on every machine. The
//! canvas refuses to know what is drawn.

use super::ink::{Rgb, colour, dashes};
use super::text::Side;
use crate::config::visible;
use svg::node::Text as Words;
use svg::node::element::{Circle, Description, Group, Path, Polygon, Polyline, Rectangle, SVG, Text, Title};
use svg::{Document, Node};

/// A place, in pixels to the right of and below the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Spot {
    /// So many pixels to the right of this place, and below it.
    pub(super) fn moved(self, right: f64, down: f64) -> Self {
        Self { x: self.x + right, y: self.y + down }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) colour: Rgb,
    /// Pixels.
    pub(super) width: u32,
    /// Pixels of dashes and gaps in turn, as `stroke-dasharray` takes them; empty for a whole line.
    pub(super) dashes: &'static str,
}

impl Stroke {
    /// A line of one pixel without gaps.
    pub(super) const fn thin(colour: Rgb) -> Self {
        Self { colour, width: 1, dashes: "" }
    }

    /// The line of the `at`-th of several things: no two of the first two dozen look the same.
    pub(super) const fn numbered(at: usize, width: u32) -> Self {
        Self { colour: colour(at), width, dashes: dashes(at) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Surface {
    pub(super) fill: Rgb,
    /// The colour of a border of one pixel.
    pub(super) border: Option<Rgb>,
}

impl Surface {
    pub(super) const fn plain(fill: Rgb) -> Self {
        Self { fill, border: None }
    }

    pub(super) const fn bordered(fill: Rgb) -> Self {
        Self { fill, border: Some(Rgb::BLACK) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lettering {
    /// Pixels of the font.
    pub(super) size: i32,
    pub(super) side: Side,
    pub(super) colour: Rgb,
}

/// What an SVG says of itself to those who cannot see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Caption {
    pub(super) title: String,
    /// Where it comes from; nothing if that is empty.
    pub(super) subtitle: String,
    pub(super) description: String,
}

/// How far below the middle of capitals and digits the line is that they stand on, as a part of the size of the font.
pub(super) const BASELINE: f64 = 0.36;

pub(super) struct Canvas {
    document: Document,
    /// What is painted at the moment belongs together, and says what it is.
    group: Option<Group>,
}

impl Canvas {
    /// White paper, `width` by `height` pixels.
    pub(super) fn new(width: i32, height: i32, caption: &Caption) -> Self {
        // Whole coordinates are the middles of pixels: a line of one pixel covers one pixel instead of half of two.
        let source = if caption.subtitle.is_empty() { String::new() } else { format!(" {}.", caption.subtitle) };
        let described = format!("{}{source}", caption.description);
        let document = SVG::new()
            .set("width", width)
            .set("height", height)
            .set("viewBox", format!("-0.5 -0.5 {width} {height}"))
            .set("role", "img")
            .set("font-family", "sans-serif")
            .set("fill", "none")
            .add(Title::new(visible(&caption.title)))
            .add(Description::new().add(Words::new(visible(&described))));
        let paper = Rectangle::new().set("x", "-0.5").set("y", "-0.5").set("width", width).set("height", height);
        Self { document: document.add(paper.set("fill", Rgb::WHITE.to_string())), group: None }
    }

    /// Paints what `paint` does, which says `tip` to who points at it; nothing more if that is empty.
    pub(super) fn tipped(&mut self, tip: &str, paint: impl FnOnce(&mut Self)) {
        if tip.is_empty() {
            return paint(self);
        }
        let outer = self.group.replace(Group::new().add(Title::new(visible(tip))));
        paint(self);
        if let Some(group) = std::mem::replace(&mut self.group, outer) {
            self.append(group);
        }
    }

    fn append(&mut self, node: impl Into<Box<dyn Node>>) {
        match &mut self.group {
            Some(group) => group.append(node),
            None => self.document.append(node),
        }
    }

    pub(super) fn line(&mut self, points: &[Spot], stroke: Stroke) {
        let line = Polyline::new().set("points", list(points));
        self.append(stroked(line, stroke));
    }

    /// A curve between two places, drawn towards `to` beside the straight line.
    pub(super) fn curve(&mut self, from: Spot, [one, other]: [Spot; 2], to: Spot, stroke: Stroke) {
        let [from, one, other, to] = [from, one, other, to].map(|at| list(&[at]));
        let curve = Path::new().set("d", format!("M{from} C{one} {other} {to}"));
        self.append(stroked(curve, stroke));
    }

    pub(super) fn polygon(&mut self, corners: &[Spot], surface: Surface) {
        let polygon = Polygon::new().set("points", list(corners));
        self.append(filled(polygon, surface));
    }

    pub(super) fn circle(&mut self, middle: Spot, radius: i32, surface: Surface) {
        let circle = Circle::new().set("cx", decimal(middle.x)).set("cy", decimal(middle.y)).set("r", radius);
        self.append(filled(circle, surface));
    }

    /// A circle that shows what is below it.
    pub(super) fn ring(&mut self, middle: Spot, radius: i32, stroke: Stroke) {
        let circle = Circle::new().set("cx", decimal(middle.x)).set("cy", decimal(middle.y)).set("r", radius);
        self.append(stroked(circle, stroke));
    }

    /// A rectangle between its upper left and its lower right corner.
    pub(super) fn rectangle(&mut self, from: Spot, to: Spot, surface: Surface) {
        let place = Rectangle::new().set("x", decimal(from.x)).set("y", decimal(from.y));
        let rectangle = place.set("width", decimal(to.x - from.x)).set("height", decimal(to.y - from.y));
        self.append(filled(rectangle, surface));
    }

    /// A line of text whose middle is at the height of `at`.
    pub(super) fn text(&mut self, at: Spot, lettering: Lettering, text: &str) {
        let baseline = at.moved(0.0, BASELINE * f64::from(lettering.size));
        self.append(set(baseline, lettering, text));
    }

    /// A line of text that goes up by so many `degrees` and begins, has its middle or ends at `at`.
    pub(super) fn text_upwards(&mut self, at: Spot, degrees: i32, lettering: Lettering, text: &str) {
        let turned = format!("rotate({} {} {})", -degrees, decimal(at.x), decimal(at.y));
        let baseline = at.moved(0.0, BASELINE * f64::from(lettering.size));
        self.append(set(baseline, lettering, text).set("transform", turned));
    }

    pub(super) fn into_svg(self) -> String {
        format!("{}\n", self.document)
    }
}

/// `text` on the baseline that begins, has its middle or ends at `at`.
fn set(at: Spot, lettering: Lettering, text: &str) -> Text {
    let anchor = match lettering.side {
        Side::Left => "start",
        Side::Middle => "middle",
        Side::Right => "end",
    };
    Text::new(visible(text))
        .set("x", decimal(at.x))
        .set("y", decimal(at.y))
        .set("font-size", lettering.size)
        .set("text-anchor", anchor)
        .set("fill", lettering.colour.to_string())
}

fn stroked<N: Node>(mut node: N, stroke: Stroke) -> N {
    node.assign("stroke", stroke.colour.to_string());
    node.assign("stroke-width", stroke.width);
    if !stroke.dashes.is_empty() {
        node.assign("stroke-dasharray", stroke.dashes);
    }
    node
}

fn filled<N: Node>(mut node: N, surface: Surface) -> N {
    node.assign("fill", surface.fill.to_string());
    if let Some(colour) = surface.border {
        node.assign("stroke", colour.to_string());
    }
    node
}

fn list(points: &[Spot]) -> String {
    let pairs: Vec<String> = points.iter().map(|at| format!("{},{}", decimal(at.x), decimal(at.y))).collect();
    pairs.join(" ")
}

/// `pixels` to the hundredth, without zeros at the end. The standard library rounds decimals exactly, on every machine.
pub(super) fn decimal(pixels: f64) -> String {
    let text = format!("{pixels:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_of_hundredths() {
        for (pixels, expected) in [(12.0, "12"), (0.125, "0.12"), (-0.001, "0"), (100.0, "100"), (-2.5, "-2.5")] {
            assert_eq!(decimal(pixels), expected);
        }
    }

    #[test]
    fn control_characters_made_no_xml() {
        let caption = Caption { title: "a\u{1}".to_owned(), ..Caption::default() };
        let mut canvas = Canvas::new(20, 10, &caption);
        let from = Spot { x: 1.0, y: 2.0 };
        canvas.text(from, Lettering { size: 10, side: Side::Right, colour: Rgb::BLACK }, "\u{1b}[m\u{ffff}");
        let svg = canvas.into_svg();
        assert!(svg.contains("a␁") && svg.contains("␛[m\u{fffd}") && roxmltree::Document::parse(&svg).is_ok(), "{svg}");
    }

    #[test]
    fn text_is_escaped_and_dashes_are_attributes() {
        let caption =
            Caption { title: "a < b".to_owned(), subtitle: String::new(), description: "\"c\" & d".to_owned() };
        let mut canvas = Canvas::new(20, 10, &caption);
        let from = Spot { x: 1.0, y: 2.0 };
        canvas.line(&[from, from.moved(3.0, 0.25)], Stroke { colour: Rgb::BLACK, width: 2, dashes: "9 5" });
        canvas.text(from, Lettering { size: 10, side: Side::Right, colour: Rgb(1, 2, 255) }, "x > y");
        let expected = "\
<svg fill=\"none\" font-family=\"sans-serif\" height=\"10\" role=\"img\" viewBox=\"-0.5 -0.5 20 10\" width=\"20\" \
xmlns=\"http://www.w3.org/2000/svg\">
<title>a &lt; b</title>
<desc>\"c\" &amp; d</desc>
<rect fill=\"#ffffff\" height=\"10\" width=\"20\" x=\"-0.5\" y=\"-0.5\"/>
<polyline points=\"1,2 4,2.25\" stroke=\"#000000\" stroke-dasharray=\"9 5\" stroke-width=\"2\"/>
<text fill=\"#0102ff\" font-size=\"10\" text-anchor=\"end\" x=\"1\" y=\"5.6\">
x &gt; y
</text>
</svg>
";
        assert_eq!(canvas.into_svg(), expected);
    }
}
