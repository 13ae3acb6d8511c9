//! Panels beside each other in one SVG file, which brings its colours along: dark lines on white, or light ones where the
//! surroundings are dark.

use super::Plots;
use crate::draw::markup::{Element, NAMESPACE};
use crate::draw::text::{lines, shortened};

/// What classes look like. All curves have a contrast of 3 : 1 or more to the paper, words 4.5 : 1.
const STYLE: &str = "\
.paper{fill:#fff}.ink{fill:#15171a}.muted{fill:#595f66}.grid{stroke:#e2e4e7}.axis{stroke:#15171a}
.c0.line,.c0.bar{stroke:#0072b2}.c0.mark{fill:#0072b2}.c1.line,.c1.bar{stroke:#d55e00}.c1.mark{fill:#d55e00}
.c2.line,.c2.bar{stroke:#009e73}.c2.mark{fill:#009e73}.c3.line,.c3.bar{stroke:#cc79a7}.c3.mark{fill:#cc79a7}
.c4.line,.c4.bar{stroke:#15171a}.c4.mark{fill:#15171a}
@media screen and (prefers-color-scheme:dark){
.paper{fill:#15171a}.ink{fill:#e8eaed}.muted{fill:#a4abb3}.grid{stroke:#33373d}.axis{stroke:#e8eaed}
.c0.line,.c0.bar{stroke:#56b4e9}.c0.mark{fill:#56b4e9}.c1.line,.c1.bar{stroke:#f0883e}.c1.mark{fill:#f0883e}
.c2.line,.c2.bar{stroke:#2fc79b}.c2.mark{fill:#2fc79b}.c3.line,.c3.bar{stroke:#e39fc6}.c3.mark{fill:#e39fc6}
.c4.line,.c4.bar{stroke:#e8eaed}.c4.mark{fill:#e8eaed}
}
";

/// Pixels around everything, between panels, from one line of text to the next, and of the letters of both texts.
const MARGIN: i32 = 12;
const GAP: i32 = 18;
const LINE: i32 = 18;
const TITLE_FONT: i32 = 15;
const NOTE_FONT: i32 = 12;

/// `plots` in rows under `title`.
pub(super) fn document(plots: &Plots, title: &str) -> Element {
    let columns = columns(plots.panels.len());
    let rows = plots.panels.len().div_ceil(columns);
    let wide = MARGIN + count(columns) * (plots.width + GAP) - GAP + MARGIN;
    let top = MARGIN + LINE + 8;
    let below = top + count(rows) * (plots.height + GAP);
    let note = plots.left_out.as_ref().map_or_else(Vec::new, |note| lines(note, NOTE_FONT, wide - 2 * MARGIN));
    let high = below - GAP + MARGIN + count(note.len()) * LINE;
    let name = shortened(title, TITLE_FONT, wide - 2 * MARGIN);
    let heading = words("ink", TITLE_FONT, MARGIN + LINE / 2 + 5).with("font-weight", "bold").text(name);
    let root = Element::new("svg").with("xmlns", NAMESPACE).with("viewBox", format!("0 0 {wide} {high}"));
    let root = root.with("width", wide).with("height", high).with("font-family", "sans-serif");
    let root = root.with_child(Element::new("title").text(title)).with_child(Element::new("style").text(STYLE));
    let paper = Element::new("rect").with("class", "paper").with("width", wide).with("height", high);
    let placed = plots.panels.iter().enumerate().map(|(at, element)| {
        let x = MARGIN + count(at % columns) * (plots.width + GAP);
        let y = top + count(at / columns) * (plots.height + GAP);
        element.clone().with("x", x).with("y", y)
    });
    let noted =
        note.into_iter().enumerate().map(|(at, line)| words("muted", NOTE_FONT, below + count(at) * LINE).text(line));
    root.with_child(paper).with_child(heading).with_children(placed).with_children(noted)
}

fn words(class: &str, font: i32, y: i32) -> Element {
    Element::new("text").with("class", class).with("x", MARGIN).with("y", y).with("font-size", font)
}

/// How many panels stand beside each other.
fn columns(panels: usize) -> usize {
    match panels {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    }
}

#[expect(clippy::expect_used, reason = "there are at most a dozen panels, and a handful of lines")]
fn count(things: usize) -> i32 {
    i32::try_from(things).expect("panels and lines are few")
}
