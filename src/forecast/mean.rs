//! Means: of everything so far, and of a sliding window.

use super::Forecaster;
use super::window::{Recent, mean};

/// Forecasts the mean of everything so far.
///
/// *Problem.* What comes next, of a quantity that fluctuates about a value that never changes.
///
/// *Idea.* The more of it one has seen, the better the mean.
///
/// *Cost.* O(1).
///
/// *Source.* NWS library, method 1, `RUN_MEAN`.
///
/// ```
/// use flitwise::forecast::{Forecaster, RunningMean};
/// let mut mean = RunningMean::default();
/// for value in [1.0, 2.0, 6.0] {
///     mean.update(value);
/// }
/// assert_eq!(mean.forecast(), Some(3.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunningMean {
    sum: f64,
    count: f64,
}

impl Forecaster for RunningMean {
    fn update(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn forecast(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

/// Forecasts the mean of the last values.
///
/// *Problem.* What comes next, of a quantity that fluctuates about a value that changes now and then.
///
/// *Idea.* Forget what is older than the window.
///
/// *Cost.* O(1) per value and O(W) per forecast: the sum is taken anew, so that rounding never builds up.
///
/// *Source.* NWS library, methods 12 and 13, which it calls "Sliding Median Window": a trimmed mean of which nothing
/// is trimmed.
///
/// ```
/// use flitwise::forecast::{Forecaster, SlidingMean};
/// let mut mean = SlidingMean::new(2);
/// for value in [1.0, 2.0, 6.0] {
///     mean.update(value);
/// }
/// assert_eq!(mean.forecast(), Some(4.0));
/// ```
#[derive(Clone, Debug)]
pub struct SlidingMean(Recent);

impl SlidingMean {
    /// Of the last `window` values, or of all while there are fewer.
    pub fn new(window: usize) -> Self {
        Self(Recent::new(window))
    }
}

impl Forecaster for SlidingMean {
    fn update(&mut self, value: f64) {
        self.0.push(value);
    }

    fn forecast(&self) -> Option<f64> {
        mean(self.0.iter())
    }
}
