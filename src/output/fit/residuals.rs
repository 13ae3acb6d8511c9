//! Table of measured times and of the lines that were fitted to them, size by size.

use crate::fit::{CurveFit, Measurements, Parameters, Sample};
use crate::kind::words::size_text;
use crate::units::aligned_time_text;
use std::collections::BTreeMap;

/// The most sizes of which each has a row.
const MOST_SIZES: usize = 30;
/// The fewest powers of two that stand for all sizes where these are many.
const FEWEST_POWERS: usize = 10;
/// Blanks between two columns.
const GAP: &str = "  ";

/// Returns the title of the table, and its lines: the names of the columns, and a row for each selected size.
pub(super) fn residuals(measurements: &Measurements, parameters: &Parameters) -> (String, Vec<String>) {
    let curves: Vec<Curve<'_>> =
        parameters.curves.iter().map(|(name, fit)| Curve { name, fit, samples: samples(measurements, name) }).collect();
    let mut sizes: Vec<u64> = curves.iter().flat_map(|curve| curve.samples.keys().copied()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let (shown, selection) = select(&sizes);
    let mut columns = vec![Column::new("size")];
    columns.extend(curves.iter().flat_map(Curve::titles).map(|title| Column::new(&title)));
    for size in shown {
        let rows = curves.iter().filter_map(|curve| curve.samples.get(&size)).map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            let cells = std::iter::once(size_text(size)).chain(curves.iter().flat_map(|curve| curve.cells(size, row)));
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.cells.push(cell));
        }
    }
    let has_change = curves.iter().any(|curve| curve.fit.change.is_some());
    let of_two =
        "; if two lines were fitted, `fitted` is the line for the size, and `one line` the residual of a single line";
    let title = format!("Measured and fitted times of {selection}{}:", if has_change { of_two } else { "" });
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let line = |row: usize| {
        let cells = columns.iter().zip(&widths).map(|(column, &width)| {
            let cell = column.cells.get(row).map_or("", String::as_str);
            format!("{cell:>width$}")
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    (title, (0..rows).map(line).collect())
}

/// A time that was measured, its samples by their sizes.
struct Curve<'a> {
    name: &'static str,
    fit: &'a CurveFit,
    samples: BTreeMap<u64, Vec<Sample>>,
}

impl Curve<'_> {
    fn titles(&self) -> Vec<String> {
        let mut titles = vec![self.name.to_owned(), "fitted".to_owned(), "residual".to_owned()];
        if self.fit.change.is_some() {
            titles.push("one line".to_owned());
        }
        titles
    }

    /// Returns the cells of sample number `row` of a size, which are empty if there are fewer samples.
    fn cells(&self, size: u64, row: usize) -> Vec<String> {
        let Some(sample) = self.samples.get(&size).and_then(|samples| samples.get(row)) else {
            return vec![String::new(); self.titles().len()];
        };
        let fitted = self.fit.piece(size).at(size);
        let residual = |fitted: f64| percent(fitted / sample.seconds - 1.0);
        let mut cells = vec![time(sample.seconds), time(fitted), residual(fitted)];
        if self.fit.change.is_some() {
            cells.push(residual(self.fit.whole.line.at(size)));
        }
        cells
    }
}

/// A column, its title first.
struct Column {
    cells: Vec<String>,
}

impl Column {
    fn new(title: &str) -> Self {
        Self { cells: vec![title.to_owned()] }
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

/// Returns the samples of the time `name` by their sizes.
fn samples(measurements: &Measurements, name: &str) -> BTreeMap<u64, Vec<Sample>> {
    let samples = match name {
        "t_end" => &measurements.t_end,
        "t_hold" => &measurements.t_hold,
        "t_send" => &measurements.t_send,
        _ => &measurements.t_recv,
    };
    let mut by_size: BTreeMap<u64, Vec<Sample>> = BTreeMap::new();
    samples.iter().for_each(|sample| by_size.entry(sample.bytes).or_default().push(*sample));
    by_size
}

/// Returns the sizes that have a row, from `sizes` in ascending order, and a description of them.
fn select(sizes: &[u64]) -> (Vec<u64>, String) {
    if sizes.len() <= MOST_SIZES {
        return (sizes.to_vec(), "each size".to_owned());
    }
    let powers: Vec<u64> = sizes.iter().copied().filter(|size| *size == 0 || size.is_power_of_two()).collect();
    if (FEWEST_POWERS..=MOST_SIZES).contains(&powers.len()) {
        return (powers, format!("the powers of two among {} sizes", sizes.len()));
    }
    let step = sizes.len().div_ceil(MOST_SIZES - 1);
    let last = sizes.last().copied();
    let mut shown: Vec<u64> = sizes.iter().copied().step_by(step).collect();
    shown.extend(last.filter(|last| shown.last() != Some(last)));
    let ordinal = match step {
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        _ => format!("{step}th"),
    };
    (shown, format!("every {ordinal} of {} sizes", sizes.len()))
}

/// Returns a time in seconds as text, with a unit that a keyboard has.
fn time(seconds: f64) -> String {
    aligned_time_text(seconds * 1e9).replace('µ', "u")
}

fn percent(relative: f64) -> String {
    let percent = relative * 100.0;
    if percent.abs() < 0.005 { "0.00 %".to_owned() } else { format!("{percent:+.2} %") }
}

#[cfg(test)]
mod tests {
    use super::select;

    #[test]
    fn many_sizes_are_thinned_out() {
        let sizes: Vec<u64> = (0..30).collect();
        assert_eq!(select(&sizes), (sizes.clone(), "each size".to_owned()));
        let doubled: Vec<u64> = (1..21).flat_map(|power| [1 << power, (1 << power) + 1]).collect();
        let (shown, selection) = select(&doubled);
        assert!(shown.len() == 20 && shown.iter().all(|size| size.is_power_of_two()), "{shown:?} {selection}");
        let even: Vec<u64> = (0..66).map(|at| 1 + 1024 * at).collect();
        let (shown, selection) = select(&even);
        assert_eq!((shown.len(), selection.as_str()), (23, "every 3rd of 66 sizes"));
        assert_eq!((shown.first(), shown.last()), (Some(&1), Some(&(1 + 1024 * 65))));
    }
}
