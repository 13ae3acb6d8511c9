//! The median of a sliding window.

use super::Forecaster;
use super::window::{SortedWindow, median};

/// Forecasts the median of the last values.
///
/// *Problem.* What comes next, of a quantity with outliers.
///
/// *Idea.* The middle of the window: a spike moves it by one place, however high it is. Of an even number of values
/// it is the mean of the two in the middle.
///
/// *Cost.* O(log W) comparisons and a move of at most W values per value.
///
/// *Source.* NWS library, methods 10 and 11, windows 31 and 5.
///
/// ```
/// use flitwise::forecast::{Forecaster, SlidingMedian};
/// let mut median = SlidingMedian::new(3);
/// for value in [2.0, 100.0, 3.0, 4.0] {
///     median.update(value);
/// }
/// assert_eq!(median.forecast(), Some(4.0));
/// ```
#[derive(Clone, Debug)]
pub struct SlidingMedian(SortedWindow);

impl SlidingMedian {
    /// Of the last `window` values, or of all while there are fewer.
    pub fn new(window: usize) -> Self {
        Self(SortedWindow::new(window))
    }
}

impl Forecaster for SlidingMedian {
    fn update(&mut self, value: f64) {
        self.0.push(value);
    }

    fn forecast(&self) -> Option<f64> {
        median(self.0.sorted())
    }
}
