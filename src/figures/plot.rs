//! The plot of a figure: which curves of its table and of its claims stand between which axes.

use super::curve::{Curves, PlotError};
use super::data::Data;
use crate::draw::plot::{Across, Chart};
use crate::scenario::{Figure, Plot};

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
