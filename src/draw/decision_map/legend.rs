//! The legend of a decision map: which colour is which candidate, how often each is best, and how strong colours are.

use super::{Look, Map, cell};
use crate::draw::canvas::Surface;
use crate::draw::ink::Rgb;
use crate::draw::sheet::{At, Flow, GAP, NORMAL, Shape, Sheet};
use crate::draw::text::{Side, number, width};

/// Pixels of a sample from top to bottom, of one without words on it, and from it to what it is.
const HIGH: i32 = 18;
const SAMPLE: i32 = 24;
const BESIDE: i32 = 6;
/// Pixels between rows of samples, and above what is less important.
const BETWEEN: i32 = 8;

/// How often a candidate is best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// In how many cells it is better than all others.
    pub(super) alone: usize,
    /// In how many it shares the first place.
    pub(super) tied: usize,
}

impl Tally {
    pub(super) fn is_best_somewhere(self) -> bool {
        self.alone + self.tied > 0
    }

    /// `31 cells, tied in 4`.
    pub(super) fn in_words(self) -> String {
        let plural = if self.alone == 1 { "" } else { "s" };
        match self {
            Self { alone, tied: 0 } => format!("{alone} cell{plural}"),
            Self { alone: 0, tied } => format!("tied in {tied}"),
            Self { alone, tied } => format!("{alone} cell{plural}, tied in {tied}"),
        }
    }
}

/// How often each candidate of `map` is best.
pub(super) fn tallies(map: &Map) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); map.candidates.len()];
    for decision in map.decisions() {
        match decision.first_place()[..] {
            [winner] => tallies[winner].alone += 1,
            ref several => several.iter().for_each(|candidate| tallies[*candidate].tied += 1),
        }
    }
    tallies
}

/// The legend of `map`, which stays within `widest` pixels where it can.
pub(super) fn sheet(map: &Map, look: &Look, widest: i32) -> Sheet {
    let winners = look.winners().filter_map(|at| Some(winner(map, look, at, look.colours[at]?))).collect();
    let mut sheet = rows(winners, widest);
    sheet.put((0, sheet.size.1 + BETWEEN), rows(scale(map, look), widest));
    let never: Vec<&str> = (0..map.candidates.len())
        .filter(|at| !look.tallies[*at].is_best_somewhere())
        .map(|at| map.candidates[at].as_str())
        .collect();
    if !never.is_empty() {
        sheet.note(sheet.size.1 + 2 * BETWEEN, format!("Never the best: {}.", never.join(", ")));
    }
    sheet
}

/// Samples from left to right, in as many rows as it takes.
fn rows(samples: Vec<Sheet>, widest: i32) -> Sheet {
    // rows stand closer than diagrams do, between which a flow leaves a gap
    let sizes: Vec<At> = samples.iter().map(|sample| (sample.size.0, sample.size.1 + BETWEEN - GAP)).collect();
    let flow = Flow::new(&sizes, widest);
    let mut all = Sheet::default();
    flow.places.into_iter().zip(samples).for_each(|(at, sample)| all.put(at, sample));
    all
}

/// The colour of the candidate `at`, with its name in cells if that is short for the whole, which stands beside it.
fn winner(map: &Map, look: &Look, at: usize, colour: Rgb) -> Sheet {
    let name = &map.candidates[at];
    let short = &look.short[at];
    let on_it = if short == name { "" } else { short.as_str() };
    let mut sheet = Sheet::default();
    let wide = sample(&mut sheet, on_it, Surface::plain(colour));
    beside(&mut sheet, wide, &look.counts(at, name));
    sheet
}

/// A rectangle of a colour with words on it; how wide it is.
fn sample(sheet: &mut Sheet, words: &str, surface: Surface) -> i32 {
    let wide = if words.is_empty() { SAMPLE } else { width(words, NORMAL) + BESIDE };
    sheet.block((0, 0), (wide, HIGH), surface);
    if !words.is_empty() {
        sheet.label((wide / 2, HIGH / 2), NORMAL, surface.fill, words);
    }
    wide
}

fn beside(sheet: &mut Sheet, wide: i32, words: &str) {
    sheet.text((wide + BESIDE, HIGH / 2), Side::Left, NORMAL, words);
}

/// What the strengths of colours and stripes mean, as far as there are some.
fn scale(map: &Map, look: &Look) -> Vec<Sheet> {
    let mut samples = Vec::new();
    if let Some(winner) = look.winners().find(|at| look.tallies[*at].alone > 0) {
        let colours = cell::STRENGTHS.map(|(_, strength)| look.colours[winner].map(|it| cell::tinted(it, strength)));
        let shown = colours.into_iter().flatten().enumerate();
        samples.extend(shown.map(|(at, colour)| explained(Filling::Plain(Surface::plain(colour)), &range(at))));
    }
    let most = map.decisions().map(|decision| decision.tied).max().unwrap_or(0);
    if map.decisions().any(|decision| (2..=cell::MOST_STRIPES).contains(&decision.tied)) {
        let two = look.colours.iter().flatten().take(2).copied();
        samples.push(explained(Filling::Stripes(two.collect()), &map.tied));
    }
    if most > cell::MOST_STRIPES {
        let words = format!("more than {} are tied", cell::MOST_STRIPES);
        samples.push(explained(Filling::Plain(Surface::plain(cell::MANY)), &words));
    }
    if map.panels.iter().flat_map(|panel| panel.rows.iter().flatten()).any(Option::is_none) {
        samples.push(explained(Filling::Plain(cell::NOTHING), "nothing to compare"));
    }
    samples
}

/// What is on a sample.
enum Filling {
    Plain(Surface),
    Stripes(Vec<Rgb>),
}

/// A sample, and what it means.
fn explained(shapes: Filling, words: &str) -> Sheet {
    let mut sheet = Sheet::default();
    match shapes {
        Filling::Plain(surface) => {
            sample(&mut sheet, "", surface);
        }
        Filling::Stripes(colours) => {
            sheet.add(Shape::Group(cell::stripes([(0, 0), (SAMPLE, HIGH)], &colours)));
        }
    }
    beside(&mut sheet, SAMPLE, words);
    sheet
}

/// Which margins the strength number `at` stands for.
fn range(at: usize) -> String {
    let percent = |part: f64| number(100.0 * part, 1);
    let (from, _) = cell::STRENGTHS[at];
    match cell::STRENGTHS.get(at + 1) {
        Some((to, _)) if at > 0 => format!("by {} to {} %", percent(from), percent(*to)),
        Some((to, _)) => format!("by less than {} %", percent(*to)),
        None => format!("by {} % or more", percent(from)),
    }
}
