//! The plot of a figure: which curves of its table and of its claims stand between which axes.

use super::curve::Curves;
use super::data::Data;
use crate::config::Diagnostic;
use crate::draw::plot::{Across, Chart, ChartError};
use crate::scenario::{Figure, Plot};
use thiserror::Error;

/// Why a plot cannot be drawn.
#[derive(Debug, Error)]
pub enum PlotError {
    /// The table is not CSV.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// The plot asks for what is not in the table.
    #[error("{}", .0.message)]
    Formula(Diagnostic),
    /// There is nothing to draw, or too much.
    #[error("{}{}", .0, hint(.0))]
    Chart(#[from] ChartError),
    /// What is along a logarithmic axis is not a number.
    #[error("what is along the x axis is not a number, so the axis cannot be logarithmic")]
    LogOfNames,
    /// Lines are asked for between what is not a number.
    #[error("what is along the x axis is not a number, so nothing is between points that lines could show")]
    LinesOfNames,
}

/// What a scenario can do about it.
fn hint(error: &ChartError) -> &'static str {
    match error {
        ChartError::Crowded(_) => ", which `only` chooses",
        ChartError::Empty => "",
    }
}

impl From<Diagnostic> for PlotError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Formula(diagnostic)
    }
}

/// Draws `plot` of the summary `text` of `figure` as SVG, with the printed values that its claims draw; `axes` are the
/// swept keys.
///
/// # Errors
/// If the plot asks for columns that are not there, or there is nothing to draw.
pub fn plot(plot: &Plot, figure: &Figure, text: &str, axes: &[&str]) -> Result<String, PlotError> {
    let curves = Curves::new(plot, &figure.claims, &Data::parse(text, axes)?)?;
    let [log_across, log_up] = plot.log;
    let joined = curves.joined(plot);
    let chart = Chart {
        title: figure.source.clone(),
        labels: plot.labels.clone(),
        across: curves.names.map_or(Across::Numbers { log: log_across }, Across::Names),
        log_up,
        curves: curves.all,
        joined,
    };
    Ok(chart.svg()?)
}
