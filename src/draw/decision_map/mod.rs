//! Decision maps as SVG: in each cell of a grid the name of the best candidate, and how far behind the second is.
//!
//! ```text
//!    group
//!     64   opt-mesh  opt-mesh  u-mesh       a panel: a row of cells for each value along the y axis,
//!            +30 %    +4.1 %   +2.0 %       the first at the bottom
//!     16   opt-mesh   u-mesh   u-mesh
//!            +12 %  = opt-mesh  +25 %
//!            1,024     4,096   16,384
//!                      flits
//! ```
//!
//! A colour stands for a candidate, and is the stronger the further the second is behind; ties have stripes of the colours
//! of all that are tied. The names in the cells say the same to who sees no colours. The same map gives the same bytes. It
//! refuses to know where its numbers come from.

mod cell;
mod legend;
mod panel;
mod short;

use super::canvas::Caption;
use super::ink::Rgb;
use super::page::{Page, arranged};
use super::sheet::{At, NORMAL, Sheet};
use super::text::width;
use super::{headed, paint};
use legend::Tally;

/// What a decision map shows, as data.
///
/// ```
/// use flitwise::draw::decision_map::{Decision, Map, Panel, Ranked};
///
/// let ranked = |candidate, value| Ranked { candidate, value };
/// let decision = |ranking| Some(Decision { ranking, tied: 1 });
/// let map = Map {
///     title: "Completion of a multicast".to_owned(),
///     subtitle: "measured on a mesh".to_owned(),
///     labels: ["flits".to_owned(), "group, nodes".to_owned()],
///     value: "measured, ticks".to_owned(),
///     tied: "tied within 0.5 %".to_owned(),
///     columns: vec!["16".to_owned(), "1,024".to_owned()],
///     rows: vec!["8".to_owned()],
///     candidates: vec!["opt-mesh".to_owned(), "u-mesh".to_owned()],
///     panels: vec![Panel {
///         title: String::new(),
///         rows: vec![vec![
///             decision(vec![ranked(0, 200.0), ranked(1, 250.0)]),
///             decision(vec![ranked(1, 4000.0), ranked(0, 4100.0)]),
///         ]],
///     }],
/// };
/// let svg = map.svg();
/// assert!(svg.contains("opt-mesh") && svg.contains("+25 %") && svg.contains("+2.5 %"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Stands above everything.
    pub title: String,
    /// Stands below it in smaller letters; nothing if it is empty.
    pub subtitle: String,
    /// What is along the x axis and along the y axis, with units.
    pub labels: [String; 2],
    /// What the best has least of, with its unit.
    pub value: String,
    /// What is tied with the best, as the legend says it.
    pub tied: String,
    /// The values along the x axis, from left to right.
    pub columns: Vec<String>,
    /// The values along the y axis, from bottom to top.
    pub rows: Vec<String>,
    /// Those that are compared.
    pub candidates: Vec<String>,
    /// One grid or several.
    pub panels: Vec<Panel>,
}

/// A grid of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What is different from other panels; empty if it is alone.
    pub title: String,
    /// The cells of each row, from left to right; none where there is nothing to compare.
    pub rows: Vec<Vec<Option<Decision>>>,
}

/// Who is best in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// All that have a value there, the best first.
    pub ranking: Vec<Ranked>,
    /// How many of them share the first place; 1 for a clear winner.
    pub tied: usize,
}

/// A candidate, by its number, and its value in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Which of the candidates of the map.
    pub candidate: usize,
    /// What it comes to; not below zero.
    pub value: f64,
}

impl Decision {
    /// How far above the first the second is, relative to the first; none if it is alone. Infinite above zero.
    pub fn margin(&self) -> Option<f64> {
        let [first, second, ..] = self.ranking[..] else { return None };
        Some(margin(first.value, second.value))
    }

    /// The candidates that share the first place, in their own order: which of them is a little better says nothing.
    fn first_place(&self) -> Vec<usize> {
        let mut first: Vec<usize> = self.ranking.iter().take(self.tied).map(|ranked| ranked.candidate).collect();
        first.sort_unstable();
        first
    }
}

/// How far `other` is above `least`, relative to it.
fn margin(least: f64, other: f64) -> f64 {
    // of two zeros neither is above the other
    if other > least { other / least - 1.0 } else { 0.0 }
}

/// Pixels of the cells of a row together, where names leave the choice; and of a cell at least and at most.
const ROW: i32 = 1080;
const NARROWEST: i32 = 56;
const WIDEST: i32 = 150;
/// Pixels of a cell from top to bottom: two lines of text.
const HIGH: i32 = 38;
/// Pixels to the left and to the right of words in a cell, together.
const BESIDE_WORDS: i32 = 8;
/// Pixels between the legend and the panels.
const BELOW_LEGEND: i32 = 26;

impl Map {
    /// The picture of it.
    pub fn svg(&self) -> String {
        let look = Look::new(self);
        let panels = panels(self, &look);
        let legend = legend::sheet(self, &look, panels.size.0);
        let mut body = Sheet::default();
        let below = legend.size.1 + BELOW_LEGEND;
        body.put((0, 0), legend);
        body.put((0, below), panels);
        let caption = self.caption(&look);
        let value = self.value.split([',', '(']).next().unwrap_or_default().trim_end();
        let note =
            format!("Each cell shows the candidate with the lowest {value}, and how far the second is above it.");
        paint::paint(headed(&caption, &[note], body), &caption)
    }

    fn caption(&self, look: &Look) -> Caption {
        let [x, y] = &self.labels;
        let winners: Vec<String> = look.winners().map(|at| look.counts(at, &self.candidates[at])).collect();
        let description = format!("Lowest {}, over {x} and {y}: {}.", self.value, winners.join("; "));
        Caption { title: self.title.clone(), subtitle: self.subtitle.clone(), description }
    }

    fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.panels.iter().flat_map(|panel| panel.rows.iter().flatten().flatten())
    }
}

/// The panels of `map` beside and below each other; a single one has no title.
fn panels(map: &Map, look: &Look) -> Sheet {
    let mut sheets: Vec<Sheet> = map.panels.iter().map(|one| panel::sheet(map, one, look)).collect();
    if let [only] = sheets.as_mut_slice() {
        return std::mem::take(only);
    }
    let titled = map.panels.iter().zip(sheets).enumerate();
    let page = |(point, (panel, sheet)): (usize, (&Panel, Sheet))| Page {
        point,
        title: panel.title.clone(),
        panels: vec![vec![sheet]],
    };
    arranged(titled.map(page).collect())
}

/// How candidates look in cells, and how large these are.
struct Look {
    /// Pixels of a cell.
    cell: At,
    /// The name of each candidate, shortened where a cell is too narrow for it.
    short: Vec<String>,
    /// How often each is best.
    tallies: Vec<Tally>,
    /// The colour of each that is best somewhere.
    colours: Vec<Option<Rgb>>,
}

impl Look {
    fn new(map: &Map) -> Self {
        let tallies = legend::tallies(map);
        let winner = |at: &usize| tallies[*at].is_best_somewhere();
        let winners = (0..map.candidates.len()).filter(winner).map(|at| tied_name(&map.candidates[at]));
        let names = winners.map(|name| width(&name, NORMAL)).max().unwrap_or(0);
        let columns = i32::try_from(map.columns.len()).unwrap_or(1).max(1);
        let labels = map.columns.iter().map(|column| width(column, NORMAL)).max().unwrap_or(0);
        let most = (ROW / columns).clamp(NARROWEST, WIDEST);
        let wide = (names + BESIDE_WORDS).clamp(NARROWEST, most).max(labels + BESIDE_WORDS);
        let short = short::shortened(&map.candidates, |name| width(&tied_name(name), NORMAL) <= wide - BESIDE_WORDS);
        let colours = cell::colours(&tallies);
        Self { cell: (wide, HIGH), short, tallies, colours }
    }

    /// Those that are best somewhere, in the order of candidates.
    fn winners(&self) -> impl Iterator<Item = usize> {
        (0..self.tallies.len()).filter(|at| self.tallies[*at].is_best_somewhere())
    }

    /// How often the candidate `at`, whose whole name is `name`, is best.
    fn counts(&self, at: usize, name: &str) -> String {
        format!("{name}: {}", self.tallies[at].in_words())
    }
}

/// What stands below the name of a candidate in a cell, if `name` is tied with it.
fn tied_name(name: &str) -> String {
    format!("= {name}")
}

#[cfg(test)]
mod tests {
    use super::super::sheet::Shape;
    use super::*;

    /// A map of `columns` by 3 cells in 2 panels; the candidates are called `names` and are best in turn.
    fn map(names: &[&str], columns: usize, tied: usize) -> Map {
        let ranked = |candidate: usize, value| Ranked { candidate: candidate % names.len(), value };
        let decision = |at: usize| {
            let ranking = (0..names.len()).map(|place| ranked(at + place, if place < tied { 100.0 } else { 120.0 }));
            Some(Decision { ranking: ranking.collect(), tied })
        };
        let row = |row: usize| (0..columns).map(|column| decision(row + column)).collect();
        let panel = |title: &str| Panel { title: title.to_owned(), rows: (0..3).map(row).collect() };
        Map {
            title: "a map".to_owned(),
            subtitle: "of a test".to_owned(),
            labels: ["flits".to_owned(), "group, nodes".to_owned()],
            value: "measured, ticks".to_owned(),
            tied: "tied within 0.5 %".to_owned(),
            columns: (0..columns).map(|at| at.to_string()).collect(),
            rows: ["4", "8", "16"].map(str::to_owned).to_vec(),
            candidates: names.iter().map(|name| (*name).to_owned()).collect(),
            panels: vec![panel("first"), panel("second")],
        }
    }

    const NAMES: [&str; 4] = ["opt-mesh", "u-mesh", "modified-double-hop-bidirectional", "chain"];

    /// No words in a cell are wider than it, whatever is tied, and those of the legend say all.
    #[test]
    fn words_fit_into_cells() {
        for (columns, tied) in [(1, 1), (6, 2), (24, 1), (24, 2), (12, 3), (24, 4)] {
            let map = map(&NAMES, columns, tied);
            let look = Look::new(&map);
            for decision in map.decisions() {
                for line in cell::words(decision, &look) {
                    assert!(width(&line, NORMAL) < look.cell.0, "{line} in {:?}", look.cell);
                }
            }
            let svg = map.svg();
            let best = look.winners().map(|at| NAMES[at]);
            assert!(best.into_iter().all(|name| svg.contains(&format!(">{name}: "))), "{svg}");
        }
    }

    /// Every word of the legend and of the axes has its place.
    #[test]
    fn words_do_not_overlap() {
        let map = map(&NAMES, 7, 1);
        let look = Look::new(&map);
        for sheet in [legend::sheet(&map, &look, 700), panel::sheet(&map, &map.panels[0], &look)] {
            let words: Vec<_> = sheet.shapes.iter().filter(|drawn| matches!(drawn.shape, Shape::Text { .. })).collect();
            assert!(words.len() > 4);
            for (at, one) in words.iter().enumerate() {
                for other in &words[at + 1..] {
                    let meet = super::super::geometry::overlap(one.shape.bounds(), other.shape.bounds());
                    assert!(!meet, "{one:?} {other:?}");
                }
            }
        }
    }

    /// The first row of cells is at the bottom.
    #[test]
    fn the_y_axis_goes_up() {
        let mut map = map(&["a", "b"], 1, 1);
        map.panels.truncate(1);
        let svg = map.svg();
        let place = |word: &str| svg.find(&format!(">{word}<"));
        assert!(place("16") < place("8") && place("8") < place("4"), "{svg}");
    }

    #[test]
    fn the_same_map_gives_the_same_bytes() {
        assert_eq!(map(&NAMES, 5, 2).svg(), map(&NAMES, 5, 2).svg());
    }
}
