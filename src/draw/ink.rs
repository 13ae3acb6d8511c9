//! How the lines of a picture are told apart: by colours that are dark enough to be read in black and white, and by dashes.
//!
//! The plotting library cuts a dashed line into strokes that begin and end at whole pixels, so that it wobbles. SVG has
//! dashes of its own: a line is therefore drawn whole, in a width that nothing has and that names its dashes, and
//! [`dashed`] puts the true width and the dashes in its place.

use plotters::style::{Color, RGBColor, ShapeStyle};

const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 90, 160),
    RGBColor(190, 60, 0),
    RGBColor(0, 110, 80),
    RGBColor(130, 50, 120),
    RGBColor(90, 90, 90),
    RGBColor(125, 95, 0),
];

/// Lengths of dashes and gaps in turn; none for a whole line. There are not as many as colours, so that all of 28 lines look
/// different.
const DASHES: [&str; 4] = ["", "9 5", "3 4", "14 4"];

/// Of the widths that stand for dashes.
const CODE: u32 = 1000;
/// No line is wider.
const WIDEST: u32 = 3;

/// The colour of the `at`-th of several lines.
pub(crate) fn colour(at: usize) -> RGBColor {
    COLOURS[at % COLOURS.len()]
}

/// A line in `colour` with the dashes of the `at`-th of several, of `width` pixels up to 3, for pictures that go through
/// [`dashed`].
pub(crate) fn line(colour: &impl Color, at: usize, width: u32) -> ShapeStyle {
    let number = u32::try_from(at % DASHES.len()).unwrap_or(0); // four
    colour.stroke_width(CODE * number + width.min(WIDEST))
}

/// `svg` with the dashes of its lines.
pub(crate) fn dashed(mut svg: String) -> String {
    for (dashes, number) in DASHES.iter().zip(0..).skip(1) {
        for width in 1..=WIDEST {
            let coded = format!("stroke-width=\"{}\"", CODE * number + width);
            svg = svg.replace(&coded, &format!("stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\""));
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_look_different_and_dashes_replace_their_codes() {
        let looks = |at| {
            let style = line(&colour(at), at, 2);
            let svg =
                dashed(format!("<polyline stroke=\"{:?}\" stroke-width=\"{}\"/>", style.color, style.stroke_width));
            assert!(svg.contains("stroke-width=\"2\""), "{svg}");
            assert_eq!(svg.contains("stroke-dasharray=\""), at % 4 > 0, "{svg}");
            svg
        };
        assert_eq!((0..28).map(looks).collect::<BTreeSet<_>>().len(), 28);
    }
}
