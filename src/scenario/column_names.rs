//! What columns are called: a figure names them as people do, tables by whole keys; and what axes of them are labelled.
//!
//! Whether there are such columns is looked at elsewhere.

use super::claim::Test;
use super::columns::Columns;
use super::{DecisionMap, Scenario, keys};
use crate::kind::{Column as Counted, stored};

impl Scenario {
    /// Calls columns in the figure as their tables do, where it names them as people do: swept keys by their last parts,
    /// means by what they are means of; and labels axes that have no label.
    pub(super) fn name_columns(&mut self) {
        let Some(mut figure) = self.figure.take() else { return };
        let summary = Columns::of_summary(self);
        if let Some(plot) = &mut figure.plot {
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

    /// What the summary's column `name` is, with its unit; none if it is no column that is known.
    fn label(&self, name: &str) -> Option<String> {
        let words = |name: &str| name.replace('_', " ");
        let with_unit =
            |what: String, unit: &str| if unit.is_empty() || unit == what { what } else { format!("{what}, {unit}") };
        if self.axes.iter().any(|axis| axis.key == name) {
            let what = words(name.rsplit('.').next().unwrap_or(name));
            return Some(with_unit(what, keys::find(name).map_or("", |key| key.unit)));
        }
        let Summarised { of, column, statistic } = self.summarised(name)?;
        let what =
            [words(of), words(column.name)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        let what = if statistic == "mean" { what } else { format!("{what} ({statistic})") };
        Some(with_unit(what, column.unit_name))
    }

    /// The column that makes the summary's column `name` a lower bound.
    fn least_while(&self, name: &str) -> Option<String> {
        let Summarised { of, column, .. } = self.summarised(name)?;
        let of = if of.is_empty() { String::new() } else { format!("{of}.") };
        (!column.least_while.is_empty()).then(|| format!("{of}{}_mean", column.least_while))
    }

    /// What the summary's column `name` says; none if it is no statistic.
    fn summarised<'a>(&self, name: &'a str) -> Option<Summarised<'a>> {
        let (of, column) = name.split_once('.').unwrap_or(("", name));
        let (column, statistic) = column.rsplit_once('_')?;
        let column = stored(self.kind().columns).find(|known| known.name == column)?;
        Some(Summarised { of, column, statistic })
    }
}

/// A statistic of a column, such as `opt_mesh.measured_mean`.
struct Summarised<'a> {
    /// The algorithm; empty for that of the row.
    of: &'a str,
    column: &'static Counted,
    statistic: &'a str,
}
