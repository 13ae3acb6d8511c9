//! Means and medians of a window whose width follows the errors.
//!
//! Both keep to one rule. When a value comes, and as many as the widest window have come before it, three windows are
//! compared by the absolute error that their forecasts of that value have: the present width less `step`, the present
//! width, and the present width plus `step`, all from what came before the value. If the narrow one errs less than the
//! present one, and no more than the wide one, the width shrinks by 1, but not below the narrowest; else, if the wide
//! one errs less than both, it grows by 1, but not beyond the widest.

use super::Forecaster;
use super::window::{Recent, Sorted, mean, median};
use std::ops::RangeInclusive;

/// The width of a window and the rule by which it changes.
#[derive(Clone, Debug)]
struct Width {
    now: usize,
    range: RangeInclusive<usize>,
    step: usize,
}

impl Width {
    fn new(start: usize, range: RangeInclusive<usize>, step: usize) -> Self {
        assert!(range.contains(&start), "a window starts between the narrowest and the widest");
        assert!((1..*range.start()).contains(&step), "the narrowest window less a step is a window");
        Self { now: start, range, step }
    }

    /// The window to compare with on either side, and between them the present one.
    fn compared(&self) -> [usize; 3] {
        [self.now - self.step, self.now, self.now + self.step]
    }

    /// How many values are looked at, at most.
    fn farthest(&self) -> usize {
        self.range.end() + self.step
    }

    /// Changes the width by the absolute errors of the three windows.
    fn follow(&mut self, [narrow, present, wide]: [f64; 3]) {
        if narrow < present && narrow <= wide {
            self.now = (self.now - 1).max(*self.range.start());
        } else if wide < present && wide < narrow {
            self.now = (self.now + 1).min(*self.range.end());
        }
    }
}

/// Forecasts the median of a window whose width follows the errors.
///
/// *Problem.* What comes next, of a quantity with outliers, when it is not known how long its level lasts.
///
/// *Idea.* Each value votes for a narrower or a wider window; see the rule above.
///
/// *Cost.* O(log W) comparisons and a move of at most W values in each of three sorted windows per value.
///
/// *Source.* NWS library, methods 16 and 17: 10 values at first, 5 to 21, step 1; 30 at first, 21 to 51, step 5.
///
/// As shipped the library compares with windows as wide as the step itself (1 or 5) instead of the present width less
/// and plus the step, takes the smallest value for the median of one, and finds both alternatives equal, so that its
/// window can only grow; and it keeps to neither limit. The rule here is what it set out to do.
///
/// ```
/// use flitwise::forecast::{AdaptiveMedian, Forecaster};
/// let mut median = AdaptiveMedian::new(3, 2..=4, 1);
/// for value in [1.0, 1.0, 1.0, 9.0] {
///     median.update(value);
/// }
/// assert_eq!(median.forecast(), Some(1.0)); // of 1, 1, 9
/// median.update(9.0); // the last two were closer to it: (1 + 9) / 2
/// assert_eq!(median.forecast(), Some(9.0)); // of 9, 9
/// ```
#[derive(Clone, Debug)]
pub struct AdaptiveMedian {
    width: Width,
    recent: Recent,
    windows: [Window; 3],
}

impl AdaptiveMedian {
    /// Of the last `start` values, later of as many as do well `within` these limits, comparing with windows narrower
    /// and wider by `step`.
    ///
    /// # Panics
    /// If `start` is not within the limits, or `step` is zero or not below the lower one.
    pub fn new(start: usize, within: RangeInclusive<usize>, step: usize) -> Self {
        let width = Width::new(start, within, step);
        let windows = width.compared().map(|width| Window { width, sorted: Sorted::default() });
        Self { recent: Recent::new(width.farthest()), width, windows }
    }

    fn adapt(&mut self, value: f64) {
        let [Some(narrow), Some(present), Some(wide)] = self.windows.each_ref().map(Window::median) else {
            return;
        };
        self.width.follow([narrow, present, wide].map(|forecast| (forecast - value).abs()));
        for (window, width) in self.windows.iter_mut().zip(self.width.compared()) {
            window.resize(width, &self.recent);
        }
    }
}

impl Forecaster for AdaptiveMedian {
    fn update(&mut self, value: f64) {
        if self.recent.len() >= *self.width.range.end() {
            self.adapt(value);
        }
        for window in &mut self.windows {
            window.push(value, &self.recent);
        }
        self.recent.push(value);
    }

    fn forecast(&self) -> Option<f64> {
        self.windows[1].median()
    }
}

/// The last values of a series that is kept elsewhere, sorted.
#[derive(Clone, Debug)]
struct Window {
    width: usize,
    sorted: Sorted,
}

impl Window {
    /// Takes in the value that follows on `before`.
    fn push(&mut self, value: f64, before: &Recent) {
        self.sorted.insert(value);
        if let Some(leaving) = before.aged(self.width - 1) {
            self.sorted.remove(leaving);
        }
    }

    /// Takes back in, or lets go of, the oldest of `recent` until `width` are left.
    fn resize(&mut self, width: usize, recent: &Recent) {
        for age in self.width..width {
            recent.aged(age).into_iter().for_each(|value| self.sorted.insert(value));
        }
        for age in width..self.width {
            recent.aged(age).into_iter().for_each(|value| self.sorted.remove(value));
        }
        self.width = width;
    }

    fn median(&self) -> Option<f64> {
        median(self.sorted.values())
    }
}

/// Forecasts the mean of a window whose width follows the errors.
///
/// *Problem.* What comes next, of a noisy quantity, when it is not known how long its level lasts.
///
/// *Idea.* Each value votes for a narrower or a wider window; see the rule of [`AdaptiveMedian`].
///
/// *Cost.* O(W) per value: the sums are taken anew, so that rounding never builds up.
///
/// *Source.* Our definition, after no more than the name `ADAPT_AVG` among the nine methods of Wolski 1998, with the
/// rule of the median: 10 values at first, 5 to 51, step 1.
///
/// ```
/// use flitwise::forecast::{AdaptiveMean, Forecaster};
/// let mut mean = AdaptiveMean::new(3, 2..=4, 1);
/// for value in [1.0, 1.0, 1.0, 4.0] {
///     mean.update(value);
/// }
/// assert_eq!(mean.forecast(), Some(2.0)); // of 1, 1, 4
/// mean.update(4.0); // the last two were closest to it
/// assert_eq!(mean.forecast(), Some(4.0)); // of 4, 4
/// ```
#[derive(Clone, Debug)]
pub struct AdaptiveMean {
    width: Width,
    recent: Recent,
}

impl AdaptiveMean {
    /// As [`AdaptiveMedian::new`].
    pub fn new(start: usize, within: RangeInclusive<usize>, step: usize) -> Self {
        let width = Width::new(start, within, step);
        Self { recent: Recent::new(width.farthest()), width }
    }
}

impl Forecaster for AdaptiveMean {
    fn update(&mut self, value: f64) {
        let means = self.width.compared().map(|width| mean(self.recent.last(width)));
        if let [Some(narrow), Some(present), Some(wide)] = means
            && self.recent.len() >= *self.width.range.end()
        {
            self.width.follow([narrow, present, wide].map(|forecast| (forecast - value).abs()));
        }
        self.recent.push(value);
    }

    fn forecast(&self) -> Option<f64> {
        mean(self.recent.last(self.width.now))
    }
}
