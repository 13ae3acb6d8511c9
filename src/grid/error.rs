//! What a planner sees instead of what links cost: forecasts that are wrong at random.
//!
//! A forecast is the truth times `1 + sigma z`, `z` standard normal. For `sigma` beyond 0.3 that is sometimes negative,
//! and what is made of those few decides everything: links that seem to cost next to nothing attract the planner. So
//! the truncation is always said.

use super::generator::{Links, real};
use crate::random::{lognormal, normal};
use crate::topology::{CostError, CostMatrix};
use rand_pcg::Pcg64;
use serde::Serialize;

/// What is forecast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// The cost of a link.
    #[default]
    Cost,
    /// Its bandwidth; latencies are known.
    Bandwidth,
}

/// What becomes of a factor that is too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truncation {
    /// No forecast is below the least cost that a link can have, and none without a finite value above it.
    #[default]
    Floor,
    /// `1 + sigma z` is drawn again until it is positive.
    Resample,
    /// Its absolute value counts.
    Abs,
    /// It is not below `clip`.
    Clip,
    /// `exp(sigma z)` instead, which is never negative.
    Lognormal,
}

/// How forecasts are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ForecastError {
    /// The standard deviation of the relative error.
    pub sigma: f64,
    /// What it is an error of.
    pub on: Quantity,
    /// What becomes of impossible values.
    pub truncation: Truncation,
    /// The least factor of [`Truncation::Clip`].
    pub clip: f64,
}

impl ForecastError {
    /// Errors of `on` with the deviation `sigma`.
    pub fn new(sigma: f64, on: Quantity, truncation: Truncation, clip: f64) -> Self {
        Self { sigma, on, truncation, clip }
    }

    /// Forecasts of `links`, none of whose costs is below `floor`: one normal draw a link, row by row, the diagonal
    /// left out. Links of the same seed get the same `z` whatever sigma is.
    ///
    /// # Errors
    /// If a forecast is too large.
    pub fn forecast(&self, links: &Links, floor: u64, random: &mut Pcg64) -> Result<CostMatrix, CostError> {
        links.costs_by(|_, latency, data| {
            let factor = self.factor(random);
            let cost = match self.on {
                Quantity::Cost => (latency + data) * factor,
                Quantity::Bandwidth if factor > 0.0 => latency + data / factor,
                Quantity::Bandwidth => 0.0,
            };
            if self.truncation == Truncation::Floor { cost.max(real(floor)) } else { cost }
        })
    }

    fn factor(&self, random: &mut Pcg64) -> f64 {
        let mut draw = || 1.0 + self.sigma * normal(random);
        match self.truncation {
            Truncation::Floor => draw(),
            Truncation::Abs => draw().abs(),
            Truncation::Clip => draw().max(self.clip),
            Truncation::Lognormal => lognormal(random, 0.0, self.sigma),
            Truncation::Resample => loop {
                let factor = draw();
                if factor > 0.0 {
                    return factor;
                }
            },
        }
    }
}
