//! What columns are called: a figure names them as people do, tables by whole keys; and what axes of them are labelled.
//!
//! Whether there are such columns is looked at elsewhere.

use super::claim::Test;
use super::columns::Columns;
use super::label::Summarised;
use super::{DecisionMap, Label, Scenario};

impl Scenario {
    /// Calls columns in the figure as their tables do, where it names them as people do: swept keys by their last parts,
    /// means by what they are means of; and labels axes that have no label.
    pub(super) fn name_columns(&mut self) {
        let Some(mut figure) = self.figure.take() else { return };
        let summary = Columns::of_summary(self);
        if let Some(plot) = &mut figure.plot {
            plot.ticks = self.tick_length();
            plot.formulas_mut().for_each(|formula| formula.rename(&|name| summary.full_name(name)));
            for column in plot.by.iter_mut().flatten() {
                summary.name_axis(column);
            }
            plot.least_while = plot.y.keys().into_iter().find_map(|column| self.least_while(column));
            for (at, formula) in [&plot.x, &plot.y].into_iter().enumerate().filter(|&(at, _)| !plot.labelled[at]) {
                if let Some(label) = formula.key().and_then(|column| self.label(column)) {
                    plot.labels[at] = label;
                }
            }
        }
        if let Some(map) = &mut figure.map {
            map.ticks = self.tick_length();
            self.name_columns_of_map(map, &summary);
        }
        for claim in &mut figure.claims {
            let other = claim.table.map(|table| Columns::of_table(self, table));
            let Some(columns) = other.as_ref().map_or(Some(&summary), Option::as_ref) else { continue };
            claim.formulas_mut().for_each(|formula| formula.rename(&|name| columns.full_name(name)));
            if let Test::Course { along, .. } = &mut claim.test {
                columns.name_axis(along);
            }
        }
        self.figure = Some(figure);
    }

    fn name_columns_of_map(&self, map: &mut DecisionMap, summary: &Columns) {
        map.conditions_mut().for_each(|formula| formula.rename(&|name| summary.full_name(name)));
        for quantity in map.quantities_mut() {
            quantity.formula.rename(&|name| summary.full_name(name));
            if let Some(label) = quantity.formula.key().and_then(|column| self.label(column))
                && !quantity.is_labelled
            {
                quantity.label = label;
            }
        }
        for column in map.by.iter_mut().flatten() {
            summary.name_axis(column);
        }
    }

    /// The label of the summary's column `name`, if it is known.
    fn label(&self, name: &str) -> Option<Label> {
        Label::of_column(name, self.result_columns().stored())
    }

    /// The column that makes the summary's column `name` a lower bound.
    fn least_while(&self, name: &str) -> Option<String> {
        let Summarised { algorithm: of, column, .. } = Summarised::of_column(name, self.result_columns().stored())?;
        let of = if of.is_empty() { String::new() } else { format!("{of}.") };
        (!column.least_while.is_empty()).then(|| format!("{of}{}_mean", column.least_while))
    }
}
