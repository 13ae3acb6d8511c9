//! Panels side by side in one SVG file with its own colours: dark lines on white, or light ones where the
//! surroundings are dark.

use crate::draw::ink::curve_rules;
use crate::draw::markup::{Element, NAMESPACE};
use crate::draw::text::{balanced, lines};

/// Plots side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plots {
    /// Text above everything.
    pub title: String,
    /// Text below the title, such as the meaning of arrows.
    pub notes: Vec<String>,
    /// An `svg` for each, of one size; attributes and classes are those that the [module](super) names.
    pub panels: Vec<Element>,
    /// Pixels of each, from left to right.
    pub width: i32,
    /// Pixels of each, from top to bottom.
    pub height: i32,
}

/// Rules of the classes that are not those of curves, for light and for dark paper. Lines have a contrast of 3 : 1 or more to it,
/// words 4.5 : 1.
const RULES: [&str; 2] = [
    ".paper{fill:#fff}.ink{fill:#15171a}.muted{fill:#595f66}.grid{stroke:#e2e4e7}.axis{stroke:#15171a}\n",
    ".paper{fill:#15171a}.ink{fill:#e8eaed}.muted{fill:#a4abb3}.grid{stroke:#33373d}.axis{stroke:#e8eaed}\n",
];

/// Pixels around everything, between panels, from one line of text to the next, and of the letters of both texts.
const MARGIN: i32 = 12;
const GAP: i32 = 18;
const TITLE_LINE: i32 = 20;
const NOTE_LINE: i32 = 15;
const TITLE_FONT: i32 = 14;
const NOTE_FONT: i32 = 11;

/// Style rules for curves below elements that `scope` selects, for light and for dark surroundings.
pub(crate) fn style_rules(scope: &str) -> String {
    let [light, dark] = curve_rules(scope);
    format!("{light}@media screen and (prefers-color-scheme:dark){{\n{dark}}}\n")
}

impl Plots {
    /// All of them as one SVG file, with colours for light and for dark surroundings.
    pub fn document(&self) -> String {
        let columns = columns(self.panels.len());
        let wide = MARGIN + count(columns) * (self.width + GAP) - GAP + MARGIN;
        let (heading, top) = self.heading(wide);
        let high = top + count(self.panels.len().div_ceil(columns)) * (self.height + GAP) - GAP + MARGIN;
        let placed = self.panels.iter().enumerate().map(|(at, element)| {
            let x = MARGIN + count(at % columns) * (self.width + GAP);
            let y = top + count(at / columns) * (self.height + GAP);
            element.clone().with("x", x).with("y", y)
        });
        let root = Element::new("svg").with("xmlns", NAMESPACE).with("viewBox", format!("0 0 {wide} {high}"));
        let root = root.with("width", wide).with("height", high).with("font-family", "sans-serif");
        let root =
            root.with_child(Element::new("title").text(&self.title)).with_child(Element::new("style").text(style()));
        let paper = Element::new("rect").with("class", "paper").with("width", wide).with("height", high);
        root.with_child(paper).with_children(heading).with_children(placed).svg()
    }

    /// Title and notes of a picture that is `wide` pixels wide, and the height below them.
    fn heading(&self, wide: i32) -> (Vec<Element>, i32) {
        let mut y = MARGIN;
        let mut texts = Vec::new();
        for line in balanced(&self.title, TITLE_FONT, wide - 2 * MARGIN) {
            texts.push(words("ink", TITLE_FONT, y + TITLE_LINE - 5).with("font-weight", "bold").text(line));
            y += TITLE_LINE;
        }
        for line in lines(&self.notes.join("; "), NOTE_FONT, wide - 2 * MARGIN) {
            texts.push(words("muted", NOTE_FONT, y + NOTE_LINE - 3).text(line));
            y += NOTE_LINE;
        }
        (texts, y + 6)
    }
}

fn style() -> String {
    let [light, dark] = curve_rules("");
    let [words, words_in_the_dark] = RULES;
    format!("{words}{light}@media screen and (prefers-color-scheme:dark){{\n{words_in_the_dark}{dark}}}\n")
}

fn words(class: &str, font: i32, y: i32) -> Element {
    Element::new("text").with("class", class).with("x", MARGIN).with("y", y).with("font-size", font)
}

/// Number of panels side by side.
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
