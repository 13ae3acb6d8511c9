//! The styles of curves: each has a colour, a dash and a marker of its own.
//!
//! There are eight colours, five dashes and thirteen markers, numbers without a common factor: no two of 520 curves have all
//! three alike, and no two of thirteen the same marker. Colours are classes, `c0` to `c7`.

use super::Origin;
use crate::draw::canvas::{Spot, decimal};
use crate::draw::ink::{COLOURS, dashes};
use crate::draw::markup::Element;

/// Markers as paths around the place where they are: filled ones, then those with a hole.
const MARKERS: [&str; 13] = [
    "m-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z",
    "m-3.6,-3.6h7.2v7.2h-7.2z",
    "m0,-5l4.7,8.2h-9.4z",
    "m0,-5.2l5.2,5.2l-5.2,5.2l-5.2,-5.2z",
    "m0,5l4.7,-8.2h-9.4z",
    "m-1.3,-4.8h2.6v3.5h3.5v2.6h-3.5v3.5h-2.6v-3.5h-3.5v-2.6h3.5z",
    "m-4.5,-2.7l1.8,-1.8l2.7,2.7l2.7,-2.7l1.8,1.8l-2.7,2.7l2.7,2.7l-1.8,1.8l-2.7,-2.7l-2.7,2.7l-1.8,-1.8l2.7,-2.7z",
    "m-5.5,-2h11v4h-11z",
    "m-4.2,0a4.2,4.2 0 1 0 8.4,0a4.2,4.2 0 1 0 -8.4,0zm1.7,0a2.5,2.5 0 1 0 5,0a2.5,2.5 0 1 0 -5,0z",
    "m-3.9,-3.9h7.8v7.8h-7.8zm1.6,1.6h4.6v4.6h-4.6z",
    "m0,-5.4l5,8.8h-10zm0,3.2l2.2,3.9h-4.4z",
    "m0,-5.6l5.6,5.6l-5.6,5.6l-5.6,-5.6zm0,2.3l3.3,3.3l-3.3,3.3l-3.3,-3.3z",
    "m0,5.4l5,-8.8h-10zm0,-3.2l2.2,-3.9h-4.4z",
];

/// Strokes of printed values, across the place where they are: wider than the markers of others, and open in the middle, so
/// that they hide none.
const PRINTED: [&str; 4] = [
    "m-12,0h7m10,0h7",
    "m-12,-4v8m0,-4h7m10,0h7m0,-4v8",
    "m-12,-4l4,4l-4,4m24,-8l-4,4l4,4",
    "m-9,-9l4,4m10,10l4,4m0,-18l-4,4m-10,10l-4,4",
];

/// The style of a series: its number among those of its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CurveStyle {
    pub(super) number: usize,
    pub(super) origin: Origin,
}

impl CurveStyle {
    fn class(self, part: &str) -> String {
        match self.origin {
            Origin::Measured => format!("c{} {part}", self.number % COLOURS),
            Origin::Front | Origin::Printed => "axis".to_owned(),
        }
    }

    /// The line along the path `d`.
    pub(super) fn line(self, d: String) -> Element {
        let line = Element::new("path").with("class", self.class("line")).with("d", d).with("fill", "none");
        let line = line.with("stroke-width", "1.6").with("stroke-linejoin", "round");
        match dashes(self.number) {
            "" => line,
            dashes => line.with("stroke-dasharray", dashes),
        }
    }

    /// A thin line without dashes along the path `d`.
    pub(super) fn thin(self, d: String) -> Element {
        let line = Element::new("path").with("class", self.class("bar")).with("d", d);
        line.with("fill", "none").with("stroke-width", "1")
    }

    /// The marker around `at`.
    pub(super) fn marker(self, at: Spot) -> Element {
        let start = format!("M{},{}", decimal(at.x), decimal(at.y));
        match self.origin {
            Origin::Measured => {
                let d = start + MARKERS[self.number % MARKERS.len()];
                Element::new("path").with("class", self.class("mark")).with("d", d).with("fill-rule", "evenodd")
            }
            Origin::Front => self.thin(start + "m-6,0h12"),
            Origin::Printed => self.thin(start + PRINTED[self.number % PRINTED.len()]).with("stroke-width", "1.4"),
        }
    }

    /// An arrow that goes up from the marker around `at`.
    pub(super) fn arrow(self, at: Spot) -> Element {
        let d = format!("M{},{}v-13m-3.5,4.5l3.5,-4.5l3.5,4.5", decimal(at.x), decimal(at.y - 5.0));
        self.thin(d).with("stroke-width", "1.4")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn curves_have_their_own_marker_and_dash() {
        let styles = |count: usize| (0..count).map(|at| (at % MARKERS.len(), dashes(at), at % COLOURS));
        assert_eq!(styles(520).collect::<BTreeSet<_>>().len(), 520);
        assert_eq!(styles(5).map(|style| style.1).collect::<BTreeSet<_>>().len(), 5);
        assert_eq!(MARKERS.iter().collect::<BTreeSet<_>>().len(), 13);
    }
}
