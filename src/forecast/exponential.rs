//! Exponential smoothing.

use super::Forecaster;

/// Forecasts a mean in which a value counts the less the older it is.
///
/// *Problem.* What comes next, of a quantity whose level drifts under noise.
///
/// *Idea.* Correct the forecast by a share `g` of its error, `F' = F + g (v - F)`, from `F = v` at the first value: a
/// value that is `k` periods old counts `(1 - g)^k` times as much as the newest.
///
/// *Cost.* O(1).
///
/// *Source.* NWS library, methods 2 to 9, gains 0.05 to 0.75.
///
/// ```
/// use flitwise::forecast::{Exponential, Forecaster};
/// let mut smoothed = Exponential::new(0.5);
/// for value in [4.0, 8.0, 2.0] {
///     smoothed.update(value);
/// }
/// assert_eq!(smoothed.forecast(), Some(4.0));
/// ```
#[derive(Clone, Debug)]
pub struct Exponential {
    gain: f64,
    forecast: Option<f64>,
}

impl Exponential {
    /// With the gain `g`, from 0 (nothing is learned) to 1 (the last value).
    pub fn new(gain: f64) -> Self {
        Self { gain, forecast: None }
    }
}

impl Forecaster for Exponential {
    fn update(&mut self, value: f64) {
        self.forecast = Some(self.forecast.map_or(value, |forecast| forecast + self.gain * (value - forecast)));
    }

    fn forecast(&self) -> Option<f64> {
        self.forecast
    }
}
