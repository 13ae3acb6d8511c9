//! How curves are told apart: each has a colour, a dash and a marker of its own.
//!
//! There are five colours, nine dashes and thirteen markers, numbers without a common factor but for one: no two of 585 curves
//! have all three alike, and no two of thirteen the same marker. Colours are classes, `c0` to `c4`.

use crate::draw::canvas::{Spot, decimal};
use crate::draw::markup::Element;

/// How many colours there are.
const COLOURS: usize = 5;

/// Pixels of dashes and gaps in turn; none for a whole line.
const DASHES: [&str; 9] = ["", "8 4", "2 3", "11 3 2 3", "5 3", "15 4", "11 3 2 3 2 3", "1 5", "16 3 5 3"];

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

/// The look of a curve: its number among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look(pub(super) usize);

impl Look {
    fn class(self, part: &str) -> String {
        format!("c{} {part}", self.0 % COLOURS)
    }

    /// The line along the path `d`.
    pub(super) fn line(self, d: String) -> Element {
        let dashes = DASHES[self.0 % DASHES.len()];
        let line = Element::new("path").with("class", self.class("line")).with("d", d).with("fill", "none");
        let line = line.with("stroke-width", "1.6").with("stroke-linejoin", "round");
        if dashes.is_empty() { line } else { line.with("stroke-dasharray", dashes) }
    }

    /// A thin line without dashes along the path `d`.
    pub(super) fn thin(self, d: String) -> Element {
        let line = Element::new("path").with("class", self.class("bar")).with("d", d);
        line.with("fill", "none").with("stroke-width", "1")
    }

    /// The marker around `at`.
    pub(super) fn marker(self, at: Spot) -> Element {
        let d = format!("M{},{}{}", decimal(at.x), decimal(at.y), MARKERS[self.0 % MARKERS.len()]);
        Element::new("path").with("class", self.class("mark")).with("d", d).with("fill-rule", "evenodd")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn curves_have_their_own_marker_and_dash() {
        let looks = |count: usize| (0..count).map(|at| (at % MARKERS.len(), at % DASHES.len(), at % COLOURS));
        assert_eq!(looks(585).collect::<BTreeSet<_>>().len(), 585);
        assert_eq!(looks(9).map(|look| look.1).collect::<BTreeSet<_>>().len(), 9);
        assert_eq!(MARKERS.iter().collect::<BTreeSet<_>>().len(), 13);
    }
}
