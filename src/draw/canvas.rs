//! A canvas of SVG: lines, polygons, circles, rectangles and text, painted over each other in the order they come.
//!
//! Control characters, which no XML may hold, are shown. Numbers are written here, so that the same calls give the same bytes
//! on every machine. Independent of what is drawn.

use super::ink::{Rgb, colour, dashes};
use super::markup::{Child, Element, NAMESPACE};
use super::text::Side;
use crate::config::visible;

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
    document: Element,
    /// Shapes that belong together and have a common tooltip, while they are painted.
    group: Option<Element>,
}

impl Canvas {
    /// White paper, `width` by `height` pixels.
    pub(super) fn new(width: i32, height: i32, caption: &Caption) -> Self {
        // Whole coordinates are the middles of pixels: a line of one pixel covers one pixel instead of half of two.
        let source = if caption.subtitle.is_empty() { String::new() } else { format!(" {}.", caption.subtitle) };
        let described = format!("{}{source}", caption.description);
        let document = Element::new("svg").with("xmlns", NAMESPACE).with("width", width).with("height", height);
        let document = document.with("viewBox", format!("-0.5 -0.5 {width} {height}")).with("role", "img");
        let document = document.with("font-family", "sans-serif").with("fill", "none");
        let document = document.with_child(Element::new("title").text(visible(&caption.title)));
        let paper =
            Element::new("rect").with("x", "-0.5").with("y", "-0.5").with("width", width).with("height", height);
        let described = Element::new("desc").text(visible(&described));
        let document = document.with_child(described).with_child(paper.with("fill", Rgb::WHITE));
        Self { document, group: None }
    }

    /// Paints what `paint` does, with the tooltip `tip`; without one if that is empty.
    pub(super) fn tipped(&mut self, tip: &str, paint: impl FnOnce(&mut Self)) {
        if tip.is_empty() {
            return paint(self);
        }
        let titled = Element::new("g").with_child(Element::new("title").text(visible(tip)));
        let outer = self.group.replace(titled);
        paint(self);
        if let Some(group) = std::mem::replace(&mut self.group, outer) {
            self.append(group);
        }
    }

    fn append(&mut self, element: Element) {
        let parent = self.group.as_mut().unwrap_or(&mut self.document);
        parent.children.push(Child::Element(element));
    }

    pub(super) fn line(&mut self, points: &[Spot], stroke: Stroke) {
        self.append(stroked(Element::new("polyline").with("points", list(points)), stroke));
    }

    /// A curve between two places, drawn towards `to` beside the straight line.
    pub(super) fn curve(&mut self, from: Spot, [one, other]: [Spot; 2], to: Spot, stroke: Stroke) {
        let [from, one, other, to] = [from, one, other, to].map(|at| list(&[at]));
        self.append(stroked(Element::new("path").with("d", format!("M{from} C{one} {other} {to}")), stroke));
    }

    pub(super) fn polygon(&mut self, corners: &[Spot], surface: Surface) {
        self.append(filled(Element::new("polygon").with("points", list(corners)), surface));
    }

    pub(super) fn circle(&mut self, middle: Spot, radius: i32, surface: Surface) {
        self.append(filled(round(middle, radius), surface));
    }

    /// A circle that shows what is below it.
    pub(super) fn ring(&mut self, middle: Spot, radius: i32, stroke: Stroke) {
        self.append(stroked(round(middle, radius), stroke));
    }

    /// A rectangle between its upper left and its lower right corner.
    pub(super) fn rectangle(&mut self, from: Spot, to: Spot, surface: Surface) {
        let rectangle = Element::new("rect").with("x", decimal(from.x)).with("y", decimal(from.y));
        let rectangle = rectangle.with("width", decimal(to.x - from.x)).with("height", decimal(to.y - from.y));
        self.append(filled(rectangle, surface));
    }

    /// A line of text whose middle is at the height of `at`.
    pub(super) fn text(&mut self, at: Spot, lettering: Lettering, text: &str) {
        let baseline = at.moved(0.0, BASELINE * f64::from(lettering.size));
        self.append(lettered(baseline, lettering, text));
    }

    pub(super) fn into_svg(self) -> String {
        self.document.svg()
    }
}

fn round(middle: Spot, radius: i32) -> Element {
    Element::new("circle").with("cx", decimal(middle.x)).with("cy", decimal(middle.y)).with("r", radius)
}

/// `text` on the baseline that begins, has its middle or ends at `at`.
fn lettered(at: Spot, lettering: Lettering, text: &str) -> Element {
    let anchor = match lettering.side {
        Side::Left => "start",
        Side::Middle => "middle",
        Side::Right => "end",
    };
    let element = Element::new("text").with("x", decimal(at.x)).with("y", decimal(at.y));
    let element = element.with("font-size", lettering.size).with("text-anchor", anchor);
    element.with("fill", lettering.colour).text(visible(text))
}

fn stroked(element: Element, stroke: Stroke) -> Element {
    let element = element.with("stroke", stroke.colour).with("stroke-width", stroke.width);
    if stroke.dashes.is_empty() { element } else { element.with("stroke-dasharray", stroke.dashes) }
}

fn filled(element: Element, surface: Surface) -> Element {
    let element = element.with("fill", surface.fill);
    match surface.border {
        Some(border) => element.with("stroke", border),
        None => element,
    }
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
<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" viewBox=\"-0.5 -0.5 20 10\" role=\"img\" \
font-family=\"sans-serif\" fill=\"none\">
<title>a &lt; b</title>
<desc>&quot;c&quot; &amp; d</desc>
<rect x=\"-0.5\" y=\"-0.5\" width=\"20\" height=\"10\" fill=\"#ffffff\"/>
<polyline points=\"1,2 4,2.25\" stroke=\"#000000\" stroke-width=\"2\" stroke-dasharray=\"9 5\"/>
<text x=\"1\" y=\"5.6\" font-size=\"10\" text-anchor=\"end\" fill=\"#0102ff\">x &gt; y</text>
</svg>
";
        assert_eq!(canvas.into_svg(), expected);
    }
}
