//! Smoothing that finds its gain.

use super::Forecaster;

/// How much the gain changes, and between which limits.
const STEP: f64 = 0.05;
const LIMITS: (f64, f64) = (0.05, 0.95);

/// Forecasts by smoothing whose gain follows the errors.
///
/// *Problem.* What comes next, when it is not known how fast the level drifts.
///
/// *Idea.* Errors that keep their sign say that the forecast lags behind, errors that change it that it chases noise.
/// As a value comes, with the error `e` of its forecast: the gain, 0.2 at first, grows by 0.05 if `e` has the sign of
/// the error before it, shrinks by 0.05 if it has the other, stays if one of them is zero, and is kept between 0.05
/// and 0.95; then `F' = F + g e`.
///
/// *Cost.* O(1).
///
/// *Source.* Our definition, after no more than the name `GRAD` among the nine methods of Wolski 1998.
///
/// ```
/// use flitwise::forecast::{Forecaster, Gradient};
/// let mut gradient = Gradient::default();
/// for value in [0.0, 10.0] {
///     gradient.update(value);
/// }
/// assert_eq!(gradient.forecast(), Some(2.0)); // gain 0.2
/// gradient.update(10.0);
/// assert_eq!(gradient.forecast(), Some(4.0)); // gain 0.25
/// ```
#[derive(Clone, Debug)]
pub struct Gradient {
    forecast: Option<f64>,
    gain: f64,
    /// The error before; zero, which has no sign, at first.
    error: f64,
}

impl Default for Gradient {
    fn default() -> Self {
        Self { forecast: None, gain: 0.2, error: 0.0 }
    }
}

impl Forecaster for Gradient {
    fn update(&mut self, value: f64) {
        let forecast = self.forecast.unwrap_or(value);
        let error = value - forecast;
        let agreement = sign(error) * sign(self.error);
        self.gain = (self.gain + STEP * agreement).clamp(LIMITS.0, LIMITS.1);
        self.forecast = Some(forecast + self.gain * error);
        self.error = error;
    }

    fn forecast(&self) -> Option<f64> {
        self.forecast
    }
}

/// -1, 0 or 1; unlike `signum`, of zero 0. The signs are multiplied, not the errors: their product can vanish.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
