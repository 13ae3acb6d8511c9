//! The grid of a decision map: which rows of a table compete in which of its cells.
//!
//! Every cell has at most one row of each candidate, and unless conditions take points out of the sweep, every cell has
//! one. This file refuses to know who wins.

use super::data::Scope;
use super::naming::Naming;
use crate::config::{Diagnostic, Operand};
use crate::draw::clock::Clock;
use crate::draw::text::number;
use crate::kind::words::counted;
use crate::scenario::{DecisionMap, Label, Quantity, TickLength};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// As many columns, rows and panels can be read.
const MOST_COLUMNS: usize = 24;
const MOST_ROWS: usize = 24;
const MOST_PANELS: usize = 12;

/// Decimals of times, so that values of a tick's length differ.
const MOST_DECIMALS: usize = 6;

/// Where a cell is: which panel, which row of it, which column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) panel: usize,
    pub(super) row: usize,
    pub(super) column: usize,
}

/// A row of the table in its cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) at: At,
    /// Which candidate it is about.
    pub(super) candidate: usize,
}

/// The cells of a map.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) columns: Values,
    pub(super) rows: Values,
    /// One value, which is empty, where a map has no panels.
    pub(super) panels: Values,
    /// What candidates are called, in the order of the table.
    pub(super) candidates: Vec<String>,
    /// Where each row of the table belongs.
    pub(super) entries: Vec<Entry>,
}

impl Grid {
    /// Puts `scopes` into the cells of `map`.
    ///
    /// # Errors
    /// If the cells are too many, two points share one, one has none, or there is nothing to compare.
    pub(super) fn new(map: &DecisionMap, scopes: &[Scope]) -> Result<Self, Diagnostic> {
        let naming = naming(map, scopes);
        let values = |quantity| Values::new(quantity, scopes, &map.ticks);
        let columns = values(&map.x)?;
        let rows = values(&map.y)?;
        let panels = map.panels.as_ref().map_or_else(|| Ok(Values::single(scopes)), values)?;
        let mut grid = Self { columns, rows, panels, candidates: Vec::new(), entries: Vec::new() };
        for (scope, name) in scopes.iter().map(|scope| naming.name(scope)).enumerate() {
            let at = At { panel: grid.panels.at[scope], row: grid.rows.at[scope], column: grid.columns.at[scope] };
            let candidate = grid.candidate(name);
            grid.entries.push(Entry { at, candidate });
        }
        grid.refuse_large(map)?;
        grid.refuse_crowded_cells(map, scopes)?;
        grid.refuse_holes(map)?;
        grid.refuse_single_candidate(map)?;
        if let Some(names) = &map.legend {
            grid.rename(map, names)?;
        }
        Ok(grid)
    }

    /// Every cell, panel after panel and row after row.
    pub(super) fn cells(&self) -> impl Iterator<Item = At> {
        let [panels, rows, columns] = [&self.panels, &self.rows, &self.columns].map(|values| values.names.len());
        let rows_of = move |panel| (0..rows).map(move |row| (panel, row));
        (0..panels)
            .flat_map(rows_of)
            .flat_map(move |(panel, row)| (0..columns).map(move |column| At { panel, row, column }))
    }

    /// The number of a cell among all.
    pub(super) fn index(&self, at: At) -> usize {
        (at.panel * self.rows.names.len() + at.row) * self.columns.names.len() + at.column
    }

    /// The number of the candidate called `name`.
    fn candidate(&mut self, name: String) -> usize {
        let known = self.candidates.iter().position(|known| *known == name);
        known.unwrap_or_else(|| {
            self.candidates.push(name);
            self.candidates.len() - 1
        })
    }

    fn refuse_large(&self, map: &DecisionMap) -> Result<(), Diagnostic> {
        let [columns, rows, panels] = [&self.columns, &self.rows, &self.panels].map(|values| values.names.len());
        if columns == 0 {
            return Err(Diagnostic::at(map.x.formula.place().clone(), "the map has no points"));
        }
        if columns <= MOST_COLUMNS && rows <= MOST_ROWS && panels <= MOST_PANELS {
            return Ok(());
        }
        let message =
            format!("a map of {columns} by {rows} cells in {} is not readable", counted(panels as u64, "panel"));
        let accepted = format!("accepted: at most {MOST_COLUMNS} by {MOST_ROWS} cells in {MOST_PANELS} panels");
        let wrong = Diagnostic::at(map.x.formula.place().clone(), message).note(accepted);
        Err(wrong.hint("`filter` selects the rows that are drawn"))
    }

    /// Refuses two rows of a candidate in one cell.
    fn refuse_crowded_cells(&self, map: &DecisionMap, scopes: &[Scope]) -> Result<(), Diagnostic> {
        let mut seen: FxHashMap<(At, usize), usize> = FxHashMap::default();
        for (scope, entry) in self.entries.iter().enumerate() {
            let Some(before) = seen.insert((entry.at, entry.candidate), scope) else { continue };
            let message = format!("a cell of the map has more than one point: {}", self.place(map, entry.at));
            let wrong = Diagnostic::at(map.y.formula.place().clone(), message);
            let wrong = wrong.note(format!("in this cell, {}", differences(&scopes[before], &scopes[scope])));
            return Err(wrong.hint(
                "`panels` draws a map for each value of a swept key, `by` compares its values, `filter` selects the rows that are drawn",
            ));
        }
        Ok(())
    }

    fn refuse_holes(&self, map: &DecisionMap) -> Result<(), Diagnostic> {
        if map.has_holes {
            return Ok(());
        }
        let filled: FxHashSet<At> = self.entries.iter().map(|entry| entry.at).collect();
        match self.cells().find(|at| !filled.contains(at)) {
            None => Ok(()),
            Some(at) => {
                let message = format!("a cell of the map has no point: {}", self.place(map, at));
                let wrong = Diagnostic::at(map.y.formula.place().clone(), message);
                Err(wrong.note("a map requires two keys that vary independently of each other"))
            }
        }
    }

    fn refuse_single_candidate(&self, map: &DecisionMap) -> Result<(), Diagnostic> {
        if self.candidates.len() > 1 {
            return Ok(());
        }
        let message = "there is nothing to compare: all cells of the map have the same single candidate";
        let wrong = Diagnostic::at(map.value.formula.place().clone(), message);
        Err(wrong.note("accepted: several `algorithms`, or `by` with a swept key that has several values"))
    }

    fn rename(&mut self, map: &DecisionMap, names: &[String]) -> Result<(), Diagnostic> {
        if names.len() != self.candidates.len() {
            let given = counted(names.len() as u64, "name");
            let all = counted(self.candidates.len() as u64, "candidate");
            let message = format!("`legend` has {given} for {all}: {}", self.candidates.join("; "));
            return Err(Diagnostic::at(map.x.formula.place().clone(), message));
        }
        self.candidates = names.to_vec();
        Ok(())
    }

    /// The cell `at`, in words: `flits = 16, group = 8`.
    fn place(&self, map: &DecisionMap, at: At) -> String {
        let x = format!("{} = {}", short(&map.x), self.columns.names[at.column]);
        let y = format!("{} = {}", short(&map.y), self.rows.names[at.row]);
        let panel = map.panels.as_ref().map(|key| format!("{} = {}", short(key), self.panels.names[at.panel]));
        [x, y].into_iter().chain(panel).collect::<Vec<_>>().join(", ")
    }
}

/// What `quantity` is, without its unit.
pub(super) fn short(quantity: &Quantity) -> &str {
    quantity.label.name.split([',', '(']).next().unwrap_or_default().trim_end()
}

/// Candidates are told apart by what `map` says, or the algorithm.
fn naming(map: &DecisionMap, scopes: &[Scope]) -> Naming {
    Naming::new(scopes, |key| match &map.by {
        Some(by) => by.iter().any(|column| column.name == key),
        None => key == "algorithm",
    })
}

/// Which settings differ, and how: `buffer is 2 and 8`.
fn differences(one: &Scope, other: &Scope) -> String {
    let pairs = one.settings.iter().zip(&other.settings).filter(|(one, other)| one.1 != other.1);
    let said = pairs.map(|((key, one), (_, other))| {
        let key = key.rsplit('.').next().unwrap_or(key);
        format!("`{key}` is {one} and {other}")
    });
    said.collect::<Vec<_>>().join(", ")
}

/// The values along an axis of the grid, numbers from the least to the largest, others in the order of the table.
#[derive(Debug)]
pub(super) struct Values {
    /// The quantity, in the unit of the names.
    pub(super) label: Label,
    /// As people read them: `1,024`, `12×10`, `64 KiB`.
    pub(super) names: Vec<String>,
    /// As a table has them.
    pub(super) written: Vec<String>,
    /// Which of them each row of the table has.
    at: Vec<usize>,
}

impl Values {
    fn new(quantity: &Quantity, scopes: &[Scope], ticks: &TickLength) -> Result<Self, Diagnostic> {
        let values: Vec<Operand> =
            scopes.iter().map(|scope| quantity.formula.value(&scope.columns)).collect::<Result<_, _>>()?;
        let mut all: Vec<&Operand> = Vec::new();
        for value in &values {
            if !all.contains(&value) {
                all.push(value);
            }
        }
        if all.iter().all(|value| matches!(value, Operand::Number(_))) {
            all.sort_by(|one, other| by_number(one, other));
        }
        let at = values.iter().map(|value| place(value, &all)).collect();
        let is_shape = quantity.formula.key().is_some_and(|key| key.ends_with("shape"));
        let ShownQuantity { label, factor } =
            ShownQuantity::new(&quantity.label, ticks, all.iter().filter_map(|value| number_of(value)));
        let names = all.iter().map(|value| match value {
            Operand::Number(value) if label.is_in_bytes() => label.value_text(&value.to_string()),
            Operand::Number(value) if label != quantity.label => number(value * factor, MOST_DECIMALS),
            value => in_words(value, is_shape),
        });
        let names = names.collect();
        Ok(Self { label, names, written: all.iter().map(|value| value.in_words()).collect(), at })
    }

    /// One value that all `scopes` have.
    fn single(scopes: &[Scope]) -> Self {
        let label = Label::default();
        Self { label, names: vec![String::new()], written: vec![String::new()], at: vec![0; scopes.len()] }
    }
}

/// A quantity as a map shows it: times in the unit that suits the longest, if the length of a tick is known.
pub(super) struct ShownQuantity {
    /// Its name and that unit.
    pub(super) label: Label,
    /// The number of that unit in the unit of the table.
    pub(super) factor: f64,
}

impl ShownQuantity {
    /// The quantity `label` with these values.
    pub(super) fn new(label: &Label, ticks: &TickLength, values: impl Iterator<Item = f64>) -> Self {
        match ticks {
            TickLength::Time(tick) if label.is_in_ticks() => {
                let clock = Clock::new(Some(tick), values.fold(0.0, f64::max));
                Self { label: Label::new(&label.name, clock.unit), factor: clock.per_tick }
            }
            _ => Self { label: label.clone(), factor: 1.0 },
        }
    }
}

fn number_of(value: &Operand) -> Option<f64> {
    if let Operand::Number(number) = value { Some(*number) } else { None }
}

/// Where `value` is in `all`.
#[expect(clippy::expect_used, reason = "all values were collected from those that are looked up")]
fn place(value: &Operand, all: &[&Operand]) -> usize {
    all.iter().position(|known| *known == value).expect("every value is among all values")
}

/// The order of numbers; others are alike.
fn by_number(one: &Operand, other: &Operand) -> Ordering {
    match (one, other) {
        (Operand::Number(one), Operand::Number(other)) => one.total_cmp(other),
        _ => Ordering::Equal,
    }
}

/// A value of a swept key as people read it; that of a shape is `12×10`.
fn in_words(value: &Operand, is_shape: bool) -> String {
    match value {
        Operand::Number(value) => number(*value, 4),
        Operand::List(sizes) if is_shape => sizes.iter().map(Operand::in_words).collect::<Vec<_>>().join("×"),
        other => other.in_words(),
    }
}
