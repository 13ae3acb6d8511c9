//! The last value.

use super::Forecaster;

/// Forecasts the last value.
///
/// *Problem.* What comes next, of a quantity that changes slowly or wanders.
///
/// *Idea.* It stays what it is; of a random walk nothing better can be said.
///
/// *Cost.* O(1).
///
/// *Source.* NWS library, method 0, `LAST`, which is also whom a selection follows before any score.
///
/// ```
/// use flitwise::forecast::{Forecaster, Last};
/// let mut last = Last::default();
/// last.update(3.0);
/// last.update(5.0);
/// assert_eq!(last.forecast(), Some(5.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Last(Option<f64>);

impl Forecaster for Last {
    fn update(&mut self, value: f64) {
        self.0 = Some(value);
    }

    fn forecast(&self) -> Option<f64> {
        self.0
    }
}
