//! The grid of a broadcast: what links cost in a repetition, and what the planner sees.

use super::wrong::{self, Wrong};
use crate::config::{Diagnostic, Files, Reader};
use crate::grid::{ForecastError, Links, Quantity};
use crate::memory::room;
use crate::network::grid::{self, Costs, GridSource};
use crate::random;
use crate::topology::CostError;
use crate::units::saturated;
use serde::Serialize;
use std::sync::Arc;

/// A grid as a scenario describes it.
#[derive(Clone, Debug, Serialize)]
pub struct Grid {
    /// Where its costs come from.
    pub source: GridSource,
    /// How forecasts are wrong, if the planner does not see the truth.
    pub error: Option<Wrong>,
}

impl Grid {
    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.source.nodes()
    }

    /// The costs in repetition `repetition`.
    ///
    /// # Errors
    /// If a cost comes out too large.
    pub fn costs(&self, seed: u64, repetition: u64) -> Result<Costs, CostError> {
        let forecast = |error: &ForecastError, links: &Links, floor: u64| {
            error.forecast(links, floor, &mut random::stream(seed, "forecast error", repetition)).map(Arc::new)
        };
        let generator = match (&self.source, &self.error) {
            (GridSource::Files { costs, .. }, Some(Wrong::Drawn(error))) => {
                let actual = Arc::clone(&costs.actual);
                let predicted = forecast(error, &Links::of(&actual), actual.least())?;
                return Ok(Costs { actual, predicted });
            }
            (GridSource::Files { costs, .. }, _) => return Ok(costs.clone()),
            (GridSource::Drawn(generator), _) => generator,
        };
        let links = generator.draw(&mut random::stream(seed, "grid", repetition))?;
        match &self.error {
            None => {
                let actual = Arc::new(links.costs()?);
                Ok(Costs { predicted: Arc::clone(&actual), actual })
            }
            Some(Wrong::Drawn(error)) => {
                let predicted = forecast(error, &links, generator.floor())?;
                Ok(Costs { actual: Arc::new(links.costs()?), predicted })
            }
            Some(Wrong::Forecast(fluctuation)) => {
                let count = generator.nodes as u64 * generator.nodes as u64;
                let observe = |link: u64| fluctuation.observe(seed, repetition * count + link);
                let mut shares: Vec<(f64, f64)> = room(saturated(count), "the links of a grid")?;
                shares.extend((0..count).map(observe));
                let actual = links.costs_by(|link, latency, data| latency + data / shares[link].1)?;
                let predicted = links.costs_by(|link, latency, data| latency + data / shares[link].0)?;
                Ok(Costs { actual: Arc::new(actual), predicted: Arc::new(predicted) })
            }
        }
    }

    /// In words.
    pub fn title(&self) -> String {
        format!("grid of {} nodes", self.nodes())
    }
}

/// Reads `[network.grid]`, which has been entered, and `[error]`.
pub(super) fn read(root: &Reader<'_>, table: &Reader<'_>, files: &mut Files<'_>) -> Option<Grid> {
    let source = grid::read(table, files);
    table.finish();
    let error = wrong::read(root);
    let source = source?;
    if let Some(error) = &error
        && matches!(source, GridSource::Files { .. })
    {
        if root.is_given(&["network", "grid", "predicted"]) {
            let message = "`error` has no effect: `network.grid.predicted` specifies the forecasts";
            root.error(Diagnostic::at(root.place_within(&["error"]), message));
        }
        match error {
            Wrong::Drawn(ForecastError { on: Quantity::Bandwidth, .. }) => {
                let message = "costs from a file have no bandwidths";
                let place = root.place_within(&["error", "quantity"]);
                root.error(Diagnostic::at(place, message).note("accepted: `quantity` = \"cost\""));
            }
            Wrong::Forecast(_) => {
                let message = "costs from a file do not fluctuate";
                let place = root.place_within(&["error", "forecast"]);
                root.error(Diagnostic::at(place, message).note("accepted: a random grid, or `error.sigma`"));
            }
            Wrong::Drawn(_) => {}
        }
    }
    Some(Grid { source, error })
}
