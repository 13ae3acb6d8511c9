//! The decision map of a figure: who wins in each cell of a grid, by how much, and which candidates are tied.
//!
//! The best has the least value; every other that is above it by no more than the tolerance, or by less than the spread of
//! both allows, is tied with it. This file refuses to know how a map is drawn.

use super::data::{Data, Scope};
use super::grid::{Grid, ShownQuantity, short};
use super::plot::rehearsed;
use crate::config::Diagnostic;
use crate::draw::decision_map::{Decision, Map, Panel, Ranked};
use crate::draw::text::number;
use crate::scenario::{DecisionMap, Figure, Label, Scenario};
use thiserror::Error;

/// Why a map cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MapError {
    /// The table is not CSV, or what the map shows cannot be written as such.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// The map asks for what is not in the table, or cannot be read.
    #[error("{}", .0.message)]
    Wrong(Diagnostic),
}

impl From<Diagnostic> for MapError {
    fn from(wrong: Diagnostic) -> Self {
        Self::Wrong(wrong)
    }
}

/// A map, and the numbers that it shows.
#[derive(Clone, Debug)]
pub struct DecisionPicture {
    /// The picture.
    pub svg: String,
    /// A line for each cell: where it is, the winner and the runner-up with their values, the margin between the two, and
    /// who is tied with the winner.
    pub csv: String,
}

/// Looks whether `map` of the summary of `scenario` can be drawn, as far as that can be told before anything has run:
/// whether each cell has one point, and whether there are too many cells.
///
/// # Errors
/// What is wrong with it.
pub fn rehearse_map(map: &DecisionMap, scenario: &Scenario) -> Result<(), Diagnostic> {
    match rehearsed(&map.formulas(), map.only.as_ref(), scenario)? {
        Some(scopes) => Grid::new(map, &scopes).map(|_| ()),
        None => Ok(()),
    }
}

/// Draws `map` of the summary `text` of `figure`; `axes` are the swept keys.
///
/// # Errors
/// If the map asks for columns that are not there, has no point in a cell or several, or compares values below zero.
pub fn decision_map(
    map: &DecisionMap,
    figure: &Figure,
    text: &str,
    axes: &[&str],
) -> Result<DecisionPicture, MapError> {
    let scopes = Data::parse(text, axes)?.chosen(&map.formulas(), map.only.as_ref())?;
    let grid = Grid::new(map, &scopes)?;
    let mut decisions = decisions(map, &grid, &scopes)?;
    let csv = csv(map, &grid, &decisions)?;
    let value = shown_values(map, &mut decisions);
    let mut decisions = decisions.into_iter();
    let mut row = || decisions.by_ref().take(grid.columns.names.len()).collect::<Vec<_>>();
    let mut panel = |name: &String| Panel {
        title: map.panels.as_ref().map_or_else(String::new, |_| with_unit(&grid.panels.label, name)),
        rows: grid.rows.names.iter().map(|_| row()).collect(),
    };
    let panels = grid.panels.names.iter().map(&mut panel).collect();
    let picture = Map {
        title: figure.title.clone().unwrap_or_else(|| made_title(map)),
        subtitle: figure.source.clone(),
        labels: [&grid.columns.label, &grid.rows.label].map(Label::axis_title),
        value: value.to_string(),
        tied: what_is_tied(map),
        columns: grid.columns.names,
        rows: grid.rows.names,
        candidates: grid.candidates,
        panels,
    };
    Ok(DecisionPicture { svg: picture.svg(), csv })
}

/// What is to be seen on `map`.
fn made_title(map: &DecisionMap) -> String {
    format!("Lowest {} against {} and {}", short(&map.value), short(&map.x), short(&map.y))
}

fn what_is_tied(map: &DecisionMap) -> String {
    let spread = if map.spread.is_some() { " or within the spread of both" } else { "" };
    format!("tied within {} %{spread}", number(100.0 * map.tolerance, 2))
}

/// `send setup = 500 ticks`.
fn with_unit(label: &Label, value: &str) -> String {
    let unit = if label.is_in_bytes() { "" } else { label.unit.as_str() };
    format!("{} = {value} {unit}", label.name).trim_end().to_owned()
}

/// Converts the values of `decisions` to the unit of time that suits them, and returns their label.
fn shown_values(map: &DecisionMap, decisions: &mut [Option<Decision>]) -> Label {
    let values = decisions.iter().flatten().flat_map(|decision| &decision.ranking).map(|ranked| ranked.value);
    let ShownQuantity { label, factor } = ShownQuantity::new(&map.value.label, &map.ticks, values);
    let ranked = decisions.iter_mut().flatten().flat_map(|decision| &mut decision.ranking);
    ranked.for_each(|ranked| ranked.value *= factor);
    label
}

/// A candidate in a cell, and what it comes to there.
struct Contender {
    ranked: Ranked,
    spread: f64,
}

/// The decision in each cell of `grid`, in order; none where no candidate has a value.
fn decisions(map: &DecisionMap, grid: &Grid, scopes: &[Scope]) -> Result<Vec<Option<Decision>>, Diagnostic> {
    let mut contenders: Vec<Vec<Contender>> = grid.cells().map(|_| Vec::new()).collect();
    for (entry, scope) in grid.entries.iter().zip(scopes) {
        // a row that has no value does not compete, such as a latency where nothing arrived
        if !map.value.formula.keys().iter().all(|key| scope.has(key)) {
            continue;
        }
        let value = map.value.formula.number(&scope.columns)?;
        if value < 0.0 {
            let message = format!("a map requires values of at least 0, but {} has {value}", scope.place());
            return Err(Diagnostic::at(map.value.formula.place().clone(), message));
        }
        let spread = map.spread.as_ref().filter(|spread| spread.keys().iter().all(|key| scope.has(key)));
        let spread = spread.map_or(Ok(0.0), |spread| spread.number(&scope.columns))?;
        let ranked = Ranked { candidate: entry.candidate, value };
        contenders[grid.index(entry.at)].push(Contender { ranked, spread });
    }
    Ok(contenders.into_iter().map(|contenders| decide(contenders, map.tolerance)).collect())
}

/// Who is best of `contenders`, and how many of them share that.
fn decide(mut contenders: Vec<Contender>, tolerance: f64) -> Option<Decision> {
    // the sort is stable: of equal values the first in the table is first
    contenders.sort_by(|one, other| one.ranked.value.total_cmp(&other.ranked.value));
    let best = contenders.first()?;
    let is_tied = |other: &&Contender| {
        let above = other.ranked.value - best.ranked.value;
        above <= tolerance * best.ranked.value || above <= libm::hypot(best.spread, other.spread)
    };
    // in the order of values, so that none is tied behind one that is not: spreads may say otherwise
    let tied = contenders.iter().take_while(is_tied).count();
    Some(Decision { ranking: contenders.into_iter().map(|contender| contender.ranked).collect(), tied })
}

/// What `map` shows, as a table.
fn csv(map: &DecisionMap, grid: &Grid, decisions: &[Option<Decision>]) -> Result<String, csv::Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let keys = map.panels.iter().chain([&map.y, &map.x]).map(|key| key.formula.key().unwrap_or(&key.label.name));
    let found = ["winner", "value", "runner_up", "runner_up_value", "margin", "tied_with"];
    csv.write_record(keys.chain(found))?;
    for (at, decision) in grid.cells().zip(decisions) {
        let panel = map.panels.as_ref().map(|_| grid.panels.written[at.panel].clone());
        let place = [grid.rows.written[at.row].clone(), grid.columns.written[at.column].clone()];
        let found = decision.as_ref().map_or_else(Default::default, |decision| in_columns(decision, &grid.candidates));
        csv.write_record(panel.into_iter().chain(place).chain(found))?;
    }
    let bytes = csv.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The winner and its value, the runner-up and its, the margin, and who is tied with the winner.
fn in_columns(decision: &Decision, candidates: &[String]) -> [String; 6] {
    let name = |ranked: &Ranked| candidates[ranked.candidate].clone();
    let value = |ranked: &Ranked| ranked.value.to_string();
    let [first, second] = [decision.ranking.first(), decision.ranking.get(1)];
    let tied: Vec<String> = decision.ranking[..decision.tied].iter().skip(1).map(name).collect();
    [
        first.map(name).unwrap_or_default(),
        first.map(value).unwrap_or_default(),
        second.map(name).unwrap_or_default(),
        second.map(value).unwrap_or_default(),
        decision.margin().map(|margin| format!("{margin:.4}")).unwrap_or_default(),
        tied.join("; "),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contenders(values: &[(f64, f64)]) -> Vec<Contender> {
        let contender = |(candidate, &(value, spread))| Contender { ranked: Ranked { candidate, value }, spread };
        values.iter().enumerate().map(contender).collect()
    }

    /// The order, and how many are tied, of values with their spreads.
    fn decided(values: &[(f64, f64)], tolerance: f64) -> (Vec<usize>, usize) {
        let decision = decide(contenders(values), tolerance);
        decision.map_or_else(Default::default, |decision| {
            (decision.ranking.iter().map(|ranked| ranked.candidate).collect(), decision.tied)
        })
    }

    #[test]
    fn the_least_wins_and_what_is_near_is_tied() {
        assert_eq!(decided(&[(30.0, 0.0), (10.0, 0.0), (20.0, 0.0)], 0.0), (vec![1, 2, 0], 1));
        assert_eq!(decided(&[(20.0, 0.0), (20.0, 0.0)], 0.0), (vec![0, 1], 2));
        assert_eq!(decided(&[(200.0, 0.0), (201.0, 0.0), (201.1, 0.0)], 0.005), (vec![0, 1, 2], 2));
        // 5 apart: their confidence intervals of 3 and 4 are those of a difference within 5
        assert_eq!(decided(&[(200.0, 3.0), (205.0, 4.0), (206.0, 0.0)], 0.005), (vec![0, 1, 2], 2));
        assert_eq!(decided(&[(0.0, 0.0), (1.0, 0.0)], 0.005), (vec![0, 1], 1));
        assert_eq!(decided(&[], 0.0), (vec![], 0));
    }

    #[test]
    fn margins_are_relative_to_the_best() {
        let margin = |values: &[f64]| {
            let values: Vec<_> = values.iter().map(|&value| (value, 0.0)).collect();
            decide(contenders(&values), 0.0).and_then(|decision| decision.margin())
        };
        assert_eq!(margin(&[10.0, 12.5]), Some(0.25));
        assert_eq!(margin(&[10.0]), None);
        assert_eq!(margin(&[0.0, 0.0]), Some(0.0));
        assert_eq!(margin(&[0.0, 1.0]), Some(f64::INFINITY));
    }
}
