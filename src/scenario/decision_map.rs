//! `style = "map"` of `[figure]`: a decision map, which shows the best of several candidates at each point of a grid.
//!
//! The maps of tuned collectives in MPI and NCCL are the model: an axis for the length of messages, one for the number of
//! nodes, and in each cell the algorithm to take. This file knows what a map can ask for; it refuses to know what is best.

use super::claim::{Column, formula, text};
use super::figure::{BY, LEGEND, ONLY, SPREAD, X, X_LABEL, Y, Y_LABEL};
use super::{Label, TickLength};
use crate::config::{Condition, Diagnostic, Place, Reader};
use crate::units::Key;

/// A grid over two quantities of swept keys, with the best candidate in each cell; one for each value of a third.
#[derive(Clone, Debug)]
pub struct DecisionMap {
    /// What is along the x axis: a column of cells for each value.
    pub x: Quantity,
    /// What is along the y axis: a row of cells for each value.
    pub y: Quantity,
    /// What is different from panel to panel; none for a single one.
    pub panels: Option<Quantity>,
    /// What the best candidate has least of.
    pub value: Quantity,
    /// Half the width of the 95 % confidence interval of the value.
    pub spread: Option<Condition>,
    /// Rows that compete; all without one.
    pub only: Option<Condition>,
    /// What tells candidates apart, `algorithm` or swept keys; none for the algorithm alone.
    pub by: Option<Vec<Column>>,
    /// What candidates are called, in the order of the table; none for what tells them apart.
    pub legend: Option<Vec<String>>,
    /// How far above the least value another one is tied with it, relative to the least.
    pub tolerance: f64,
    /// Whether the grid may have holes, as conditions take points out of it.
    pub has_holes: bool,
    /// The length of a tick, for times.
    pub ticks: TickLength,
}

/// What a formula comes to, and what that is called.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// A column, or what is computed of columns.
    pub formula: Condition,
    /// Its name and unit: those of the scenario, or made from the names of columns.
    pub label: Label,
    /// Whether the scenario says it.
    pub(super) is_labelled: bool,
}

impl DecisionMap {
    /// What must be of swept keys alone.
    pub(crate) fn grid(&self) -> impl Iterator<Item = &Quantity> {
        [&self.x, &self.y].into_iter().chain(&self.panels)
    }

    /// Everything that reads columns.
    pub fn formulas(&self) -> Vec<&Condition> {
        let quantities = self.grid().chain([&self.value]).map(|quantity| &quantity.formula);
        quantities.chain(&self.spread).chain(&self.only).collect()
    }

    pub(super) fn quantities_mut(&mut self) -> impl Iterator<Item = &mut Quantity> {
        [&mut self.x, &mut self.y, &mut self.value].into_iter().chain(&mut self.panels)
    }

    /// The formulas that are not quantities.
    pub(super) fn conditions_mut(&mut self) -> impl Iterator<Item = &mut Condition> {
        [&mut self.spread, &mut self.only].into_iter().flatten()
    }
}

/// What is least where a candidate is best, unless the scenario says otherwise.
const MEASURED: &str = "measured";

pub(super) const VALUE: Key = Key::formula("value")
    .or_else("`measured`")
    .read_if("style", &["map"])
    .says("value to minimise: a column, or an expression over columns, such as \"1 / accepted\"");
pub(super) const PANELS: Key = Key::formula("panels")
    .or_else("one")
    .read_if("style", &["map"])
    .says("swept key; the figure has one map for each of its values");
pub(super) const TOLERANCE: Key = Key::number("tolerance", 0.0..=1.0)
    .or_number(0.005)
    .read_if("style", &["map"])
    .says("largest relative distance from the least value of a cell that counts as a tie");

/// Reads a map from `[figure]`, which says that it is one; `strangers` are keys that a map does not read.
pub(super) fn read(figure: &Reader<'_>, root: &Reader<'_>, strangers: &[Key]) -> Option<DecisionMap> {
    for key in strangers.iter().filter(|key| figure.gives(key)) {
        let message = format!("`{}` has no effect with `style = \"map\"`", figure.path_of(key.name));
        figure.error(Diagnostic::at(figure.place_of(key.name), message));
    }
    for key in [X, Y].iter().filter(|key| !figure.gives(key)) {
        figure.missing(key.name, "both x and y, the swept keys along the axes of the map");
    }
    let x = quantity(figure, &X, text(figure, &X_LABEL));
    let y = quantity(figure, &Y, text(figure, &Y_LABEL));
    let panels = quantity(figure, &PANELS, None);
    let value = if figure.gives(&VALUE) { quantity(figure, &VALUE, None) } else { measured(&figure.place_of("style")) };
    let spread = formula(figure, &SPREAD);
    let only = formula(figure, &ONLY);
    let by = figure.strings(&BY).map(|names| names.into_iter().map(Column::named).collect());
    let legend = figure.strings(&LEGEND).map(|names| names.into_iter().map(|(name, _)| name.to_owned()).collect());
    let tolerance = figure.number(&TOLERANCE);
    let has_holes = only.is_some() || root.is_given(&["sweep", "where"]);
    let ticks = TickLength::default();
    Some(DecisionMap { x: x?, y: y?, panels, value: value?, spread, only, by, legend, tolerance, has_holes, ticks })
}

/// What the formula at `key` comes to, called `label` or as it is written, if it is given.
fn quantity(figure: &Reader<'_>, key: &Key, label: Option<String>) -> Option<Quantity> {
    let formula = formula(figure, key)?;
    let is_labelled = label.is_some();
    let label = label.or_else(|| text(figure, key)).unwrap_or_default();
    Some(Quantity { formula, label: Label::new(label, ""), is_labelled })
}

/// The mean of the column that most workloads have, as if it were written at `place`.
fn measured(place: &Place) -> Option<Quantity> {
    let formula = Condition::parse(MEASURED, place).ok()?;
    Some(Quantity { formula, label: Label::new(MEASURED, ""), is_labelled: false })
}
