//! What a comparison comes to, in sentences.

use super::Comparison;
use super::line::{Line, Only};
use super::numbers::ratio;
use super::table::CHANCE;
use super::test::{Test, Tested};
use crate::kind::words;
use crate::output::wrapped;

/// Places that are told of those that only one run has.
const PLACES: usize = 20;

/// What stands below the table: what only one run has, what a star is, and what it all comes to.
pub(super) fn below(comparison: &Comparison, width: usize) -> String {
    let mut below = only(comparison, true, width) + &only(comparison, false, width);
    let with_p = comparison.lines.iter().filter(|line| line.tested.p_holm.is_some()).count();
    if with_p > 0 {
        let tests = words::counted(with_p as u64, "test");
        below += &wrapped(&format!("* marks p < {CHANCE} after Holm's correction for {tests}."), "", "", width);
    }
    let sentences: Vec<String> = comparison.columns.iter().map(|column| sentence(comparison, column)).collect();
    below + &wrapped(&sentences.join(" "), "", "", width)
}

/// What only A has, or only B.
fn only(comparison: &Comparison, of_a: bool, width: usize) -> String {
    let only: Vec<&Only> = comparison.only.iter().filter(|only| only.of_a == of_a).collect();
    let places: Vec<&[&Only]> = only.chunk_by(|a, b| a.place.settings == b.place.settings).collect();
    if places.is_empty() {
        return String::new();
    }
    let mut text = format!("Only in {}:\n", if of_a { "A" } else { "B" });
    for place in &places[..places.len().min(PLACES)] {
        let algorithms: Vec<&str> = place.iter().map(|only| only.place.algorithm.as_str()).collect();
        let keys = comparison.swept.iter().map(|key| key.rsplit('.').next().unwrap_or(key));
        let settings = keys.zip(&place[0].place.settings).map(|(key, value)| format!("{key} {value}"));
        let settings: Vec<String> = settings.collect();
        let colon = if settings.is_empty() { "" } else { ": " };
        text += &wrapped(&format!("{}{colon}{}", settings.join(", "), algorithms.join(", ")), "  ", "    ", width);
    }
    match places.len().saturating_sub(PLACES) {
        0 => text,
        more => text + &format!("  ... and {}; see --format csv\n", words::counted(more as u64, "more point")),
    }
}

/// What a line says of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is less, and chance is not likely to have made it so.
    Less,
    /// It is more, likewise.
    More,
    /// Both are the same, repetition by repetition.
    Same,
    /// Chance may have made the difference.
    Unsure,
    /// There are too few repetitions to tell.
    Untested,
    /// A side has no value.
    Nothing,
}

impl Outcome {
    pub(super) fn new(tested: &Tested) -> Self {
        let Some(difference) = tested.difference else { return Self::Nothing };
        match (tested.test, tested.p_holm) {
            (Test::None, _) => Self::Untested,
            (_, Some(p)) if p >= CHANCE => Self::Unsure,
            _ if difference < 0.0 => Self::Less,
            _ if difference > 0.0 => Self::More,
            _ => Self::Same,
        }
    }
}

/// The lines of a column, by what they say.
struct Outcomes<'a> {
    column: &'a str,
    lines: Vec<&'a Line>,
}

impl Outcomes<'_> {
    fn with(&self, outcome: Outcome) -> Vec<&Tested> {
        let tested = self.lines.iter().map(|line| &line.tested);
        tested.filter(|tested| Outcome::new(tested) == outcome).collect()
    }

    /// How B is to A in lines of this outcome, `faster than A`.
    fn word(&self, outcome: Outcome) -> &'static str {
        match (outcome, is_time(self.column)) {
            (Outcome::Less, true) => "faster than A",
            (Outcome::More, true) => "slower than A",
            (Outcome::Less, false) => "lower than A",
            (Outcome::More, false) => "higher than A",
            _ => "the same as A",
        }
    }

    /// `faster than A in 3 (0.62 to 0.91 times as long)`, in how many of all where it is the `first` to be said; none if no
    /// line has this outcome.
    fn told(&self, outcome: Outcome, first: bool) -> Option<String> {
        let tested = self.with(outcome);
        let all = self.lines.len();
        let place = match tested.len() {
            0 => return None,
            1 if all == 1 => String::new(),
            count if count == all => format!(" {}", everywhere(all)),
            count if first => format!(" in {count} of {all} lines"),
            count => format!(" in {}", words::counted(count as u64, "line")),
        };
        let ratios = tested.iter().filter_map(|tested| tested.ratio).filter(|_| outcome != Outcome::Same);
        let least = ratios.clone().reduce(f64::min).map(ratio);
        let most = ratios.reduce(f64::max).map(ratio);
        let times = if is_time(self.column) { "times as long" } else { "times as much" };
        let range = match least.zip(most) {
            None => String::new(),
            Some((least, most)) if least == most => format!(" ({least} {times})"),
            Some((least, most)) => format!(" ({least} to {most} {times})"),
        };
        Some(format!("{}{place}{range}", self.word(outcome)))
    }

    /// What can be said for certain of B.
    fn certain(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for outcome in [Outcome::Less, Outcome::More, Outcome::Same] {
            told.extend(self.told(outcome, told.is_empty()));
        }
        told
    }

    /// What is left to chance, or cannot be compared.
    fn rest(&self) -> Vec<String> {
        let told = [
            (Outcome::Unsure, "the difference is not significant"),
            (Outcome::Untested, "there are too few repetitions for a test"),
            (Outcome::Nothing, "a value is missing"),
        ];
        let all = self.lines.len();
        let counted = told.into_iter().map(|(outcome, what)| (self.with(outcome).len(), what));
        let rest = counted.filter(|(count, _)| *count > 0).map(|(count, what)| match count {
            1 if all == 1 => what.to_owned(),
            count if count == all => format!("{} {what}", everywhere(all)),
            count => format!("in {} {what}", words::counted(count as u64, "line")),
        });
        rest.collect()
    }
}

/// What the lines of `column` come to.
fn sentence(comparison: &Comparison, column: &str) -> String {
    let lines = comparison.lines.iter().filter(|line| line.column == column).collect();
    let outcomes = Outcomes { column, lines };
    let certain = outcomes.certain().join(", ");
    let rest = outcomes.rest().join(", ");
    match (certain.is_empty(), rest.is_empty()) {
        (true, _) => format!("{column}: {rest}."),
        (false, true) => format!("{column}: B is {certain}."),
        (false, false) => format!("{column}: B is {certain}; {rest}."),
    }
}

/// Columns of which less is faster.
const TIMES: [&str; 3] = ["measured", "predicted", "makespan"];

fn is_time(column: &str) -> bool {
    TIMES.contains(&column)
}

/// All lines, of several.
fn everywhere(lines: usize) -> String {
    if lines == 2 { "in both lines".to_owned() } else { format!("in all {lines} lines") }
}
