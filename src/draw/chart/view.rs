//! The part of the axes that is shown, and the cut of latency curves above saturation.

use super::Chart;

/// The part of both axes that is shown; an end without a limit is where the data end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Along the x axis.
    pub x: Range,
    /// Along the y axis.
    pub y: Range,
    /// The reason for an upper end of the y axis that was not set.
    pub cut: Option<Cut>,
}

/// A range of numbers; an end without a limit is open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The lower end.
    pub least: Option<f64>,
    /// The upper end.
    pub most: Option<f64>,
}

/// The reason for an upper end of the y axis that was not set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// Latency diverges at saturation: the axis ends at four times the zero-load latency.
    ZeroLoad,
}

/// Latency curves end at this multiple of the largest zero-load latency.
pub(super) const TIMES_ZERO_LOAD: f64 = 4.0;
/// Curves that end just above the cut are shown whole: up to this multiple of it.
const TOLERANCE: f64 = 1.25;

impl Range {
    /// True if `value` is in it, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.least.is_none_or(|least| value >= least) && self.most.is_none_or(|most| value <= most)
    }

    /// True if it has an end.
    pub fn is_limited(self) -> bool {
        self.least.is_some() || self.most.is_some()
    }

    /// True if nothing can be in it, or not on a logarithmic axis if it is for one.
    pub fn is_void(self, log: bool) -> bool {
        let crossed = self.least.zip(self.most).is_some_and(|(least, most)| least >= most);
        crossed || (log && [self.least, self.most].into_iter().flatten().any(|end| end <= 0.0))
    }

    /// This range with both ends multiplied by `factor`.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { least: self.least.map(|end| end * factor), most: self.most.map(|end| end * factor) }
    }

    /// This range, its open ends replaced by those of `other`.
    #[must_use]
    pub(in crate::draw) fn or(self, other: Self) -> Self {
        Self { least: self.least.or(other.least), most: self.most.or(other.most) }
    }
}

impl View {
    /// True if the point at `x` and `y` is shown.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        self.x.contains(x) && self.y.contains(y)
    }
}

impl Chart {
    /// Shows the part of the axes that `view` limits, in their units; where it has no limits, what was shown before.
    pub(crate) fn look_at(&mut self, view: View) {
        if view.y.is_limited() {
            self.view.cut = None;
        }
        self.view.x = view.x.or(self.view.x);
        self.view.y = view.y.or(self.view.y);
    }

    /// Ends the y axis at a multiple of the zero-load latency, the largest of `zero_loads`, if values are far above it.
    pub(crate) fn cut_latency(&mut self, zero_loads: impl Iterator<Item = f64>) {
        let limit = rounded_up(TIMES_ZERO_LOAD * zero_loads.fold(0.0, f64::max));
        let most = self.points().filter_map(|point| point.y).fold(0.0, f64::max);
        if limit > 0.0 && most > TOLERANCE * limit {
            self.view.y.most = Some(limit);
            self.view.cut = Some(Cut::ZeroLoad);
        }
    }
}

/// The next number from `value` on that has one digit and a fifth of it at most: 80 for 78.8, 160 for 143.
fn rounded_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let step = libm::exp10(libm::floor(libm::log10(value))) / 5.0;
    (value / step - 1e-9).ceil() * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_rounded_up() {
        for (value, limit) in [(78.8, 80.0), (143.0, 160.0), (400.0, 400.0), (0.0, 0.0)] {
            assert!((rounded_up(value) - limit).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn a_range_without_room_is_void() {
        let range = |least, most| Range { least, most };
        assert!(range(Some(2.0), Some(2.0)).is_void(false));
        assert!(range(Some(0.0), None).is_void(true) && !range(Some(0.0), None).is_void(false));
        assert!(range(None, Some(1.0)).contains(1.0) && !range(None, Some(1.0)).contains(1.1));
    }
}
