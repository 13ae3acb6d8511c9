//! The mean of what is left of a sliding window without its extremes.

use super::Forecaster;
use super::window::{SortedWindow, mean};

/// Forecasts the mean of the middle of the last values.
///
/// *Problem.* What comes next, of a quantity that is noisy and has outliers.
///
/// *Idea.* Of the `K` values in the window, sorted, leave out `T = floor(share K)` at each end and take the mean:
/// between the mean (nothing left out) and the median.
///
/// *Cost.* O(log W) comparisons and a move of at most W values per value, O(W) per forecast.
///
/// *Source.* NWS library, methods 14 and 15: 30 % of windows of 31 and 51.
///
/// ```
/// use flitwise::forecast::{Forecaster, TrimmedMean};
/// let mut mean = TrimmedMean::new(5, 30);
/// for value in [1000.0, 2.0, 4.0, 6.0, 0.0] {
///     mean.update(value);
/// }
/// assert_eq!(mean.forecast(), Some(4.0));
/// ```
#[derive(Clone, Debug)]
pub struct TrimmedMean {
    window: SortedWindow,
    percent: usize,
}

impl TrimmedMean {
    /// Of the last `window` values, or of all while there are fewer, without `percent` % of them at each end. From 50
    /// on nothing may be left, and then nothing is forecast.
    pub fn new(window: usize, percent: usize) -> Self {
        Self { window: SortedWindow::new(window), percent }
    }
}

impl Forecaster for TrimmedMean {
    fn update(&mut self, value: f64) {
        self.window.push(value);
    }

    fn forecast(&self) -> Option<f64> {
        let sorted = self.window.sorted();
        let trimmed = sorted.len() * self.percent / 100;
        mean(sorted.iter().copied().take(sorted.len().saturating_sub(trimmed)).skip(trimmed))
    }
}
