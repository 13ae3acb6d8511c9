//! What a comparison comes to, in sentences.

use super::Comparison;
use super::line::{Line, Only};
use super::numbers::ratio;
use super::table::CHANCE;
use super::test::{Test, Tested};
use crate::kind::{Unit, stored, words};
use crate::output::wrapped;
use crate::workload::KINDS;

/// Places that are told of those that only one run has.
const PLACES: usize = 20;

/// What stands below the table: what only one run has, what a star is, and what it all comes to.
pub(super) fn below(comparison: &Comparison, width: usize) -> String {
    let mut below = only(comparison, true, width) + &only(comparison, false, width);
    let with_p = comparison.lines.iter().filter(|line| line.tested.p_holm.is_some()).count();
    if with_p > 0 {
        let tests = words::counted(with_p as u64, "test");
        below += &wrapped(&format!("* p < {CHANCE} by Holm's correction for {tests}."), "", "", width);
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
        more => text + &format!("  ... and at {}: --format csv has them\n", words::counted(more as u64, "more point")),
    }
}

/// What a line says of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
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
    fn new(tested: &Tested) -> Self {
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
    fn of(&self, outcome: Outcome) -> Vec<&Tested> {
        let tested = self.lines.iter().map(|line| &line.tested);
        tested.filter(|tested| Outcome::new(tested) == outcome).collect()
    }

    /// `faster than A in 3 of 5 (0.62 to 0.91 times as long)`; none if no line says so.
    fn differing(&self, outcome: Outcome) -> Option<String> {
        let tested = self.of(outcome);
        let is_timed = is_time(self.column);
        let word = match (outcome, is_timed) {
            (Outcome::Less, true) => "faster",
            (Outcome::More, true) => "slower",
            (Outcome::Less, false) => "lower",
            _ => "higher",
        };
        let times = if is_timed { "times as long" } else { "times as much" };
        let ratios = tested.iter().filter_map(|tested| tested.ratio);
        let least = ratios.clone().reduce(f64::min).map(ratio);
        let most = ratios.reduce(f64::max).map(ratio);
        let range = match least.zip(most) {
            None => String::new(),
            Some((least, most)) if least == most => format!(" ({least} {times})"),
            Some((least, most)) => format!(" ({least} to {most} {times})"),
        };
        (!tested.is_empty()).then(|| format!("{word} in {}{range}", tested.len()))
    }

    /// What is left to chance, or cannot be compared; empty if nothing is.
    fn rest(&self) -> Vec<String> {
        let told = [
            (Outcome::Unsure, "cannot be told from chance"),
            (Outcome::Untested, "cannot be tested with fewer than two repetitions"),
            (Outcome::Nothing, "cannot be compared without values"),
        ];
        let counted = told.into_iter().map(|(outcome, what)| (self.of(outcome).len(), what));
        counted.filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
    }
}

/// What the lines of `column` come to.
fn sentence(comparison: &Comparison, column: &str) -> String {
    let lines = comparison.lines.iter().filter(|line| line.column == column).collect();
    let outcomes = Outcomes { column, lines };
    let all = words::counted(outcomes.lines.len() as u64, "line");
    let same = match outcomes.of(Outcome::Same).len() {
        0 => None,
        same => Some(format!("the same in {same}")),
    };
    let certain: Vec<String> =
        [outcomes.differing(Outcome::Less), outcomes.differing(Outcome::More), same].into_iter().flatten().collect();
    let rest = outcomes.rest();
    match (certain.is_empty(), rest.is_empty()) {
        (true, _) => format!("{column}: of {all}, {}.", rest.join(", ")),
        (false, true) => format!("{column}: of {all}, B is {}.", certain.join(", ")),
        (false, false) => format!("{column}: of {all}, B is {}; {}.", certain.join(", "), rest.join(", ")),
    }
}

/// Whether the column counts time.
fn is_time(column: &str) -> bool {
    let mut columns = KINDS.iter().flat_map(|kind| stored(kind.columns));
    columns
        .find(|known| known.name == column)
        .is_some_and(|known| known.unit == Unit::Ticks || known.unit_name == "ticks")
}
