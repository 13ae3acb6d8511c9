//! Comparisons as tables: CSV for programs, columns for people.

use super::line::Line;
use super::numbers::{probability, ratio, shown, significant};
use super::rows::Place;
use super::test::Tested;
use super::{Comparison, Differing};
use crate::kind::words::counted;
use crate::output::{grid, hidden_columns, wrapped};

/// Lines beyond which the table for people is cut short.
const LINES: usize = 60;

/// Significant digits of p in CSV, and of other numbers.
const DIGITS_OF_P: u16 = 6;
const DIGITS: u16 = 9;

/// Below this a difference is taken for no chance.
pub(super) const CHANCE: f64 = 0.05;

/// Blanks between columns.
const GAP: usize = 3;

pub(super) fn csv(comparison: &Comparison) -> csv::Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let numbers = ["algorithm", "column", "a_mean", "b_mean", "difference", "ratio", "ci95", "test", "p", "p_holm"];
    csv.write_record(comparison.swept.iter().map(String::as_str).chain(numbers))?;
    for Line { place, column, tested } in &comparison.lines {
        csv.write_record(record(place, column, tested))?;
    }
    for only in &comparison.only {
        for (column, tested) in comparison.columns.iter().zip(&only.tested) {
            csv.write_record(record(&only.place, column, tested))?;
        }
    }
    let bytes = csv.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn record(place: &Place, column: &str, tested: &Tested) -> Vec<String> {
    let number = |value: Option<f64>, digits| value.map_or_else(String::new, |value| significant(value, digits));
    let mut record = place.settings.clone();
    record.extend([place.algorithm.clone(), column.to_owned()]);
    record.extend(
        [tested.a, tested.b, tested.difference, tested.ratio, tested.confidence].map(|value| number(value, DIGITS)),
    );
    record.push(tested.test.name().to_owned());
    record.extend([tested.p, tested.p_holm].map(|value| number(value, DIGITS_OF_P)));
    record
}

/// The keys that differ as a table, and what else is to be said of the scenarios.
pub(super) fn scenarios(comparison: &Comparison, width: usize) -> String {
    let notes: String = comparison.notes.iter().map(|note| wrapped(note, "", "", width)).collect();
    if comparison.keys.is_empty() {
        let same = if notes.is_empty() { "The scenarios have the same keys.\n" } else { "" };
        return format!("{same}{notes}");
    }
    let longest = comparison.keys.iter().map(|differing| differing.key.chars().count()).max().unwrap_or_default();
    let room = (width.saturating_sub(longest + 2 * GAP) / 2).max(16);
    let value = |value: &Option<String>| {
        let text = wrapped(value.as_deref().unwrap_or("-"), "", "", room);
        text.trim_end().to_owned()
    };
    let mut lines = vec![["key", "A", "B"].map(str::to_owned).to_vec()];
    lines.extend(comparison.keys.iter().map(|Differing { key, a, b }| vec![key.clone(), value(a), value(b)]));
    format!("{}\n{notes}", grid(lines, 3))
}

/// A column of numbers of the table for people.
struct Column {
    title: &'static str,
    /// Columns with a larger rank are left out first where there is no room; rank 0 stays.
    rank: u8,
    cell: fn(&Tested) -> String,
}

const COLUMNS: [Column; 7] = [
    Column { title: "A", rank: 0, cell: |tested| tested.a.map_or_else(String::new, shown) },
    Column { title: "B", rank: 0, cell: |tested| tested.b.map_or_else(String::new, shown) },
    Column { title: "B - A", rank: 2, cell: |tested| tested.difference.map_or_else(String::new, shown) },
    Column { title: "± 95 %", rank: 3, cell: |tested| tested.confidence.map_or_else(String::new, shown) },
    Column { title: "B / A", rank: 1, cell: |tested| tested.ratio.map_or_else(String::new, ratio) },
    Column { title: "test", rank: 4, cell: |tested| tested.test.name().to_owned() },
    Column { title: "p (Holm)", rank: 0, cell: corrected },
];

/// The corrected p, with a star where chance is not likely.
fn corrected(tested: &Tested) -> String {
    let star = |p: f64| if p < CHANCE { "*" } else { " " };
    tested.p_holm.map_or_else(String::new, |p| format!("{} {}", probability(p), star(p)))
}

/// A line for each group and column, at most `width` wide if that can be; of many lines the first.
pub(super) fn table(comparison: &Comparison, width: usize) -> String {
    let shown = &comparison.lines[..comparison.lines.len().min(LINES)];
    let labels = labels(comparison, shown);
    let filled: Vec<&Column> =
        COLUMNS.iter().filter(|column| cells(column, shown)[1..].iter().any(|cell| !cell.is_empty())).collect();
    let columns = fitting(&filled, &labels, shown, width);
    let left = labels[0].len();
    let mut lines = labels;
    for column in &columns {
        lines.iter_mut().zip(cells(column, shown)).for_each(|(line, cell)| line.push(cell));
    }
    let more = match comparison.lines.len() - shown.len() {
        0 => String::new(),
        more => format!("... and {}; see --format csv\n", counted(more as u64, "more line")),
    };
    format!("{}\n{more}{}", grid(lines, left), left_out(&filled, &columns, width))
}

/// The columns on the left with their titles: swept keys by their last parts, where they change, the algorithm, and the column
/// if there are several.
fn labels(comparison: &Comparison, lines: &[Line]) -> Vec<Vec<String>> {
    let several = comparison.columns.len() > 1;
    let swept = comparison.swept.iter().map(|key| key.rsplit('.').next().unwrap_or(key).to_owned());
    let column = several.then(|| "column".to_owned());
    let mut labels = vec![swept.chain(["algorithm".to_owned()]).chain(column).collect::<Vec<_>>()];
    let mut last = None;
    for Line { place, column, .. } in lines {
        let same = last == Some(&place.settings);
        let settings = place.settings.iter().map(|value| if same { String::new() } else { value.clone() });
        let column = several.then(|| column.clone());
        labels.push(settings.chain([place.algorithm.clone()]).chain(column).collect());
        last = Some(&place.settings);
    }
    labels
}

/// What a column says in its title and in `lines`.
fn cells(column: &Column, lines: &[Line]) -> Vec<String> {
    let cells = lines.iter().map(|line| (column.cell)(&line.tested));
    std::iter::once(column.title.to_owned()).chain(cells).collect()
}

/// Those of `columns` that have room beside `labels`, or are always there.
fn fitting(columns: &[&'static Column], labels: &[Vec<String>], lines: &[Line], width: usize) -> Vec<&'static Column> {
    let beside: usize = (0..labels[0].len()).map(|at| widest(labels.iter().map(|line| &line[at])) + GAP).sum();
    let mut columns = columns.to_vec();
    while beside + columns.iter().map(|column| widest(cells(column, lines).iter()) + GAP).sum::<usize>() > width + GAP {
        let Some(last) = columns.iter().map(|column| column.rank).max().filter(|rank| *rank > 0) else { break };
        columns.retain(|column| column.rank != last);
    }
    columns
}

fn widest<'a>(cells: impl Iterator<Item = &'a String>) -> usize {
    cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
}

/// Which of the columns that are `filled` have no room.
fn left_out(filled: &[&Column], shown: &[&Column], width: usize) -> String {
    let is_shown = |title: &str| shown.iter().any(|column| column.title == title);
    let titles: Vec<&str> = filled.iter().map(|column| column.title).filter(|title| !is_shown(title)).collect();
    if titles.is_empty() {
        return String::new();
    }
    wrapped(&hidden_columns(&titles, width, "--format csv"), "", "", width)
}
